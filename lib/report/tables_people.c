/* Tables of what people read: sleep statistics, and agreement with several scorers. */
#include "report/tables.h"

#include <string.h>

/* ---- sleep ---- */

int sp_sleep_decimals(sp_sleep_measure measure)
{
    return measure == SP_SLEEP_SFI ? 2 : 1;
}

static void measure_cell(sp_sleep_measure measure, sp_table *table)
{
    sp_buffer *cell = sp_table_cell(table, SP_TONE_PLAIN);
    sp_buffer_format(cell, "%s (%s)", sp_sleep_measure_name(measure), sp_sleep_measure_unit(measure));
}

static void mean_cell(const sp_sleep_mean *mean, int decimals, sp_table *table)
{
    if (mean->mean.undefined) {
        sp_table_cell_text(table, SP_TONE_MUTED, "–");
        return;
    }
    sp_buffer *cell = sp_table_cell(table, SP_TONE_PLAIN);
    sp_buffer_fixed(cell, mean->mean.value, decimals);
    if (!mean->sd.undefined) {
        sp_buffer_text(cell, " ± ");
        sp_buffer_fixed(cell, mean->sd.value, decimals);
    }
}

void sp_fill_sleep_means(const sp_comparison *comparison, sp_table *table)
{
    const sp_sleep *sleep = comparison->sleep;
    if (!sleep || comparison->n_recordings == 0)
        return;
    table->title = comparison->n_recordings > 1 ? "Sleep statistics: mean ± SD over recordings" : "Sleep statistics";
    sp_table_column(table, SP_LEFT, "measure");
    if (sleep->reference)
        sp_table_column(table, SP_RIGHT, "reference");
    for (int32_t s = 0; s < sleep->n_strategies; s++)
        sp_table_column(table, SP_RIGHT, comparison->strategies[s].name);
    for (int m = 0; m < SP_N_SLEEP_MEASURES; m++) {
        int decimals = sp_sleep_decimals((sp_sleep_measure)m);
        measure_cell((sp_sleep_measure)m, table);
        if (sleep->reference)
            mean_cell(&sleep->reference_means[m], decimals, table);
        for (int32_t s = 0; s < sleep->n_strategies; s++)
            mean_cell(&sleep->strategies[s].means[m], decimals, table);
    }
}

void sp_fill_sleep_note(const sp_comparison *comparison, sp_buffer *line)
{
    sp_buffer_format(line, "(steps of %g s%s; AASM definitions)", comparison->sleep->epoch_seconds,
                     comparison->sleep->epoch_is_assumed
                         ? ", which is assumed: neither --epoch-seconds nor an attribute epoch_seconds of the file says it"
                         : "");
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
    if (most > least) {
        sp_buffer_text(cell, " to ");
        sp_buffer_count(cell, most);
    }
}

void sp_fill_sleep_agreement(const sp_comparison *comparison, sp_table *table)
{
    const sp_sleep *sleep = comparison->sleep;
    if (!sleep || !sleep->reference || comparison->n_scored_steps == 0)
        return;
    table->title = "Difference from the reference over recordings: bias ± 1.96 SD";
    sp_table_column(table, SP_LEFT, "measure");
    sp_table_column(table, SP_RIGHT, "n");
    for (int32_t s = 0; s < sleep->n_strategies; s++)
        sp_table_column(table, SP_RIGHT, comparison->strategies[s].name);
    for (int m = 0; m < SP_N_SLEEP_MEASURES; m++) {
        if (m == SP_SLEEP_TIB) /* the reference's own, for all */
            continue;
        int decimals = sp_sleep_decimals((sp_sleep_measure)m);
        measure_cell((sp_sleep_measure)m, table);
        nights_cell(sleep, m, table);
        for (int32_t s = 0; s < sleep->n_strategies; s++) {
            const sp_sleep_agreement *a = &sleep->strategies[s].agreement[m];
            if (a->bias.undefined) {
                sp_table_cell_text(table, SP_TONE_MUTED, "–");
                continue;
            }
            sp_buffer *cell = sp_table_cell(table, SP_TONE_PLAIN);
            sp_buffer_signed(cell, a->bias.value, decimals);
            if (!a->sd.undefined) {
                sp_buffer_text(cell, " ± ");
                sp_buffer_fixed(cell, 1.96 * a->sd.value, decimals);
            }
        }
    }
}

void sp_fill_sleep_nights(const sp_comparison *comparison, sp_sleep_measure measure, int64_t limit, sp_table *table)
{
    const sp_sleep *sleep = comparison->sleep;
    int decimals = sp_sleep_decimals(measure);
    sp_table_column(table, SP_LEFT, "recording");
    if (sleep->reference)
        sp_table_column(table, SP_RIGHT, "reference");
    for (int32_t s = 0; s < sleep->n_strategies; s++)
        sp_table_column(table, SP_RIGHT, comparison->strategies[s].name);
    for (int64_t n = 0; n < sleep->n_nights && n < limit; n++) {
        sp_table_cell_text(table, SP_TONE_PLAIN, comparison->ids[n]);
        if (sleep->reference)
            sp_cell_value(table, &sleep->reference[n].values[measure], decimals, SP_TONE_PLAIN);
        for (int32_t s = 0; s < sleep->n_strategies; s++)
            sp_cell_value(table, &sleep->strategies[s].nights[n].values[measure], decimals, SP_TONE_PLAIN);
    }
}

/* ---- scorers ---- */

static void scorer_row(const sp_scorers *scorers, const sp_scorer_row *row, const char *prefix, bool wide, sp_table *table)
{
    sp_buffer *cell = sp_table_cell(table, SP_TONE_PLAIN);
    sp_buffer_text(cell, prefix);
    sp_buffer_text(cell, row->name);
    sp_cell_value(table, &row->mean_accuracy, 3, SP_TONE_PLAIN);
    sp_cell_value(table, &row->mean_kappa, 3, SP_TONE_PLAIN);
    sp_cell_value(table, &row->soft, 3, SP_TONE_PLAIN);
    for (int32_t i = 0; wide && i < scorers->n_scorers; i++)
        sp_cell_value(table, &row->with[i].kappa, 3, SP_TONE_PLAIN);
}

void sp_fill_scorers(const sp_comparison *comparison, bool wide, sp_table *table)
{
    const sp_scorers *scorers = comparison->scorers;
    if (!scorers)
        return;
    table->title = "Agreement with each scorer, pooled over steps";
    sp_table_column(table, SP_LEFT, "rater");
    sp_table_column(table, SP_RIGHT, "mean accuracy");
    sp_table_column(table, SP_RIGHT, "mean kappa");
    sp_table_column(table, SP_RIGHT, "soft agreement");
    for (int32_t i = 0; wide && i < scorers->n_scorers; i++) {
        sp_buffer name = {0};
        sp_buffer_format(&name, "kappa with %s", scorers->names[i]);
        sp_table_column(table, SP_RIGHT, name.failed ? "" : name.data);
        table->failed |= name.failed;
        sp_buffer_free(&name);
    }
    if (scorers->has_reference)
        scorer_row(scorers, &scorers->reference, "", wide, table);
    for (int32_t s = 0; s < scorers->n_strategies; s++)
        scorer_row(scorers, &scorers->strategies[s], "", wide, table);
    for (int32_t i = 0; i < scorers->n_scorers; i++)
        scorer_row(scorers, &scorers->scorers[i], strncmp(scorers->names[i], "scorer", 6) ? "scorer " : "", wide, table);
    sp_table_cell_text(table, SP_TONE_PLAIN, "scorers with each other");
    sp_cell_value(table, &scorers->mean_accuracy, 3, SP_TONE_PLAIN);
    sp_cell_value(table, &scorers->mean_kappa, 3, SP_TONE_PLAIN);
    for (int32_t i = 0; i < (wide ? 1 + scorers->n_scorers : 1); i++)
        sp_table_cell_text(table, SP_TONE_MUTED, "–");
}

void sp_fill_scorer_notes(const sp_comparison *comparison, sp_table *lines)
{
    const sp_scorers *scorers = comparison->scorers;
    sp_table_column(lines, SP_LEFT, "");
    if (!scorers)
        return;
    sp_buffer *line = sp_table_cell(lines, SP_TONE_PLAIN);
    if (scorers->fleiss.undefined) {
        sp_buffer_format(line, "Fleiss' kappa of the %d scorers is undefined: %s.", (int)scorers->n_scorers,
                         scorers->fleiss.undefined);
        return;
    }
    sp_buffer_text(line, "Fleiss' kappa of the ");
    sp_buffer_format(line, "%d scorers: ", (int)scorers->n_scorers);
    sp_buffer_fixed(line, scorers->fleiss.value, 3);
    sp_buffer_text(line, ", over ");
    sp_buffer_count(line, scorers->fleiss_steps);
    sp_buffer_text(line, " steps that all of them scored.");
}
