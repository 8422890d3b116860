/* Tables of sleep statistics. */
#include "report/tables/tables.h"

int sp_sleep_decimals(sp_sleep_measure measure)
{
    return measure == SP_SLEEP_SFI ? 2 : 1;
}

static void measure_cell(sp_sleep_measure measure, sp_table *table)
{
    sp_table_say(table, SP_TONE_PLAIN, "%s (%s)", sp_sleep_measure_name(measure),
                 sp_sleep_measure_unit(measure));
}

static bool has_differences(const sp_comparison *c)
{
    return c->sleep && c->sleep->reference && c->n_scored_steps > 0;
}

void sp_fill_sleep_means(const sp_comparison *c, const sp_fill_options *options, sp_table *table)
{
    const sp_sleep *sleep = c->sleep;
    if (!sleep || c->n_recordings == 0 || (options->is_brief && has_differences(c)))
        return;
    table->title = c->n_recordings > 1 ? "Sleep statistics: mean ± SD over {recordings}" : "Sleep statistics";
    sp_table_columns(table, "measure");
    sp_strategy_columns(c, sleep->reference, table);
    for (int m = 0; m < SP_N_SLEEP_MEASURES; m++) {
        int decimals = sp_sleep_decimals((sp_sleep_measure)m);
        measure_cell((sp_sleep_measure)m, table);
        if (sleep->reference)
            sp_cell_mean(table, &sleep->reference_means[m].mean, &sleep->reference_means[m].sd, decimals);
        for (int32_t s = 0; s < sleep->n_strategies; s++)
            sp_cell_mean(table, &sleep->strategies[s].means[m].mean, &sleep->strategies[s].means[m].sd,
                         decimals);
    }
}

void sp_note_sleep(const sp_comparison *c, sp_buffer *line)
{
    sp_buffer_say(line,
                  c->sleep->epoch_is_assumed
                      ? "({steps} of %g s, which is assumed: neither {=epoch-seconds} nor an attribute "
                        "epoch_seconds of the file says it; AASM definitions)"
                      : "({steps} of %g s; AASM definitions)",
                  c->sleep->epoch_seconds);
}

void sp_note_sleep_alone(const sp_comparison *c, sp_buffer *line)
{
    if (!has_differences(c))
        sp_note_sleep(c, line);
}

/* "25", or "23 to 25" where strategies differ. */
static void nights_cell(const sp_sleep *sleep, int measure, sp_table *table)
{
    int64_t least = INT64_MAX, most = 0;
    for (int32_t s = 0; s < sleep->n_strategies; s++) {
        int64_t n = sleep->strategies[s].agreement[measure].n;
        least = n < least ? n : least;
        most = n > most ? n : most;
    }
    sp_buffer *cell = sp_table_cell(table, SP_TONE_PLAIN);
    sp_buffer_count(cell, sleep->n_strategies ? least : 0);
    if (most > least)
        sp_buffer_say(cell, " to %jd", most);
}

void sp_fill_sleep_agreement(const sp_comparison *c, const sp_fill_options *options, sp_table *table)
{
    const sp_sleep *sleep = c->sleep;
    (void)options;
    if (!has_differences(c))
        return;
    table->title = "Difference from the reference over {recordings}: bias ± 1.96 SD";
    sp_table_columns(table, "measure|n");
    sp_strategy_columns(c, false, table);
    for (int m = 0; m < SP_N_SLEEP_MEASURES; m++) {
        if (m == SP_SLEEP_TIB) /* the reference's own, for all */
            continue;
        int decimals = sp_sleep_decimals((sp_sleep_measure)m);
        measure_cell((sp_sleep_measure)m, table);
        nights_cell(sleep, m, table);
        for (int32_t s = 0; s < sleep->n_strategies; s++) {
            const sp_sleep_agreement *a = &sleep->strategies[s].agreement[m];
            if (a->bias.undefined) {
                sp_cell_none(table);
                continue;
            }
            sp_buffer *cell = sp_table_cell(table, SP_TONE_PLAIN);
            sp_buffer_signed(cell, a->bias.value, decimals);
            if (!a->sd.undefined)
                sp_buffer_say(cell, " ± %.*f", decimals, 1.96 * a->sd.value);
        }
    }
}

void sp_fill_sleep_nights(const sp_comparison *c, const sp_fill_options *options, sp_table *table)
{
    const sp_sleep *sleep = c->sleep;
    const sp_sleep_measure measure = options->measure;
    const int64_t limit = options->most_rows;
    int decimals = sp_sleep_decimals(measure);
    table->title = sp_sleep_measure_name(measure);
    sp_table_columns(table, "{recording}");
    sp_table_holds(table, SP_HOLDS_RECORDING);
    sp_strategy_columns(c, sleep->reference, table);
    for (int64_t n = 0; n < sleep->n_nights && n < limit; n++) {
        sp_table_cell_text(table, SP_TONE_PLAIN, c->ids[n]);
        if (sleep->reference)
            sp_cell_value(table, &sleep->reference[n].values[measure], decimals, SP_TONE_PLAIN);
        for (int32_t s = 0; s < sleep->n_strategies; s++)
            sp_cell_value(table, &sleep->strategies[s].nights[n].values[measure], decimals, SP_TONE_PLAIN);
    }
}
