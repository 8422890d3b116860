/* Tables with a row a strategy. */
#include "report/columns.h"
#include "report/tables.h"

#include <string.h>

/* ---- how often ---- */

static const sp_frequencies *frequencies_of(const sp_figure_owner *owner)
{
    return owner->strategy ? &owner->strategy->frequencies : &owner->comparison->reference_frequencies;
}

static void rate_interval(const sp_figure_owner *owner, sp_table *table)
{
    const sp_difference *rate = owner->strategy ? &owner->strategy->illegal_rate : NULL;
    if (!rate) {
        sp_cell_none(table);
        return;
    }
    if (rate->low.undefined || rate->high.undefined) {
        sp_table_cell_text(table, SP_TONE_MUTED, rate->low.undefined ? rate->low.undefined : rate->high.undefined);
        return;
    }
    sp_buffer *cell = sp_table_cell(table, SP_TONE_PLAIN);
    sp_buffer_say(cell, "%.3f to %.3f %%", 100 * rate->low.value, 100 * rate->high.value);
}

static void worst_recording(const sp_figure_owner *owner, sp_table *table)
{
    const sp_frequencies *f = frequencies_of(owner);
    if (f->worst_recording < 0) {
        sp_cell_none(table);
        return;
    }
    sp_buffer *cell = sp_table_cell(table, SP_TONE_PLAIN);
    sp_buffer_name(cell, owner->comparison->ids[f->worst_recording], 24);
    sp_buffer_say(cell, ": %jd", f->worst_illegal);
}

static void fill_rates(const sp_comparison *c, bool has_counts, sp_table *table)
{
    sp_buffer interval = {0};
    sp_add_level(&interval, c->level);
    sp_buffer_text(&interval, " interval");
    const sp_column all[] = {{.key = "illegal"},
                             {.key = "illegal_rate"},
                             {.key = "illegal_rate", .heading = interval.failed ? "" : interval.data, .cell = rate_interval},
                             {.key = "illegal_per_change"},
                             {.key = "illegal_per_hour", .how = SP_DROP_UNDEFINED},
                             {.key = "recordings_with_illegal"},
                             {.key = "illegal", .heading = "worst recording", .how = SP_LEFT_COLUMN, .cell = worst_recording}};
    sp_column columns[sizeof all / sizeof *all];
    size_t n = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (has_counts || all[i].cell || (strcmp(all[i].key, "illegal") && strcmp(all[i].key, "recordings_with_illegal")))
            columns[n++] = all[i];
    table->title = "Illegal transitions: how often, and the recording with the most";
    sp_fill_columns(c, columns, n, SP_REFERENCE_FIRST, table);
    table->failed |= interval.failed;
    sp_buffer_free(&interval);
}

void sp_fill_illegal_rates(const sp_comparison *comparison, const sp_fill_options *options, sp_table *table)
{
    (void)options;
    fill_rates(comparison, false, table);
}

void sp_fill_illegal_counts(const sp_comparison *comparison, const sp_fill_options *options, sp_table *table)
{
    (void)options;
    fill_rates(comparison, true, table);
}

static void share_of_changes(const sp_figure_owner *owner, sp_table *table)
{
    const sp_transition_counts *counts = owner->strategy ? &owner->strategy->counts : &owner->comparison->reference;
    sp_cell_share(table, counts->changes, counts->transitions, SP_TONE_PLAIN);
}

void sp_fill_change_rates(const sp_comparison *comparison, const sp_fill_options *options, sp_table *table)
{
    static const sp_column columns[] = {{.key = "changes", .heading = "changes, of transitions", .cell = share_of_changes},
                                        {.key = "changes_per_hour", .how = SP_DROP_UNDEFINED},
                                        {.key = "runs"},
                                        {.key = "isolated_runs"},
                                        {.key = "isolated_runs_share"},
                                        {.key = "runs_ratio", .how = SP_DROP_UNDEFINED}};
    (void)options;
    table->title = comparison->has_labels ? "Changes of class; runs of one class within stretches that have a reference"
                                          : "Changes and runs of one class";
    sp_fill_columns(comparison, SP_COLUMNS(columns), SP_REFERENCE_FIRST, table);
}

/* ---- what changed, what was found ---- */

static void net_change(const sp_figure_owner *owner, sp_table *table)
{
    const sp_changes *changes = owner->own;
    const int64_t net = changes->fixed - changes->worsened;
    sp_buffer *cell = sp_table_cell(table, SP_TONE_PLAIN);
    sp_buffer_say(cell, "%s%jd", net > 0 ? "+" : "", net);
}

static const sp_column changed[] = {{.key = "fixed"},
                                    {.key = "broken"},
                                    {.key = "fixed", .heading = "net", .cell = net_change},
                                    {.key = "wrong_to_wrong"},
                                    {.key = "same"} /* not by class */};

void sp_fill_changes(const sp_comparison *comparison, const sp_fill_options *options, sp_table *table)
{
    (void)options;
    table->title = "Steps that differ from argmax";
    sp_table_column(table, SP_LEFT, "strategy");
    sp_add_heads(comparison, SP_OF_CHANGES, SP_COLUMNS(changed), table);
    for (int32_t s = 0; s < comparison->n_strategies; s++) {
        const sp_strategy_result *one = &comparison->strategies[s];
        if (!one->has_changes || s == sp_argmax_strategy(comparison))
            continue;
        sp_table_cell_text(table, SP_TONE_PLAIN, one->name);
        sp_add_figures(SP_OF_CHANGES, &(sp_figure_owner){&one->changes, one, comparison}, SP_COLUMNS(changed), table);
    }
}

void sp_fill_class_changes(const sp_comparison *comparison, const sp_fill_options *options, sp_table *table)
{
    const sp_strategy_result *one = &comparison->strategies[options->strategy];
    const size_t n = sizeof changed / sizeof *changed - 1;
    if (!one->has_changes || !one->class_changes)
        return;
    table->title = "Steps that differ from argmax, by class of the reference";
    sp_table_column(table, SP_LEFT, "class");
    sp_add_heads(comparison, SP_OF_CHANGES, changed, n, table);
    for (int32_t k = 0; k < comparison->n_classes; k++) {
        const sp_changes *changes = &one->class_changes[k];
        if (changes->fixed + changes->worsened + changes->wrong_to_wrong == 0)
            continue;
        sp_table_cell_text(table, SP_TONE_PLAIN, comparison->classes[k]);
        sp_add_figures(SP_OF_CHANGES, &(sp_figure_owner){changes, one, comparison}, changed, n, table);
    }
}
