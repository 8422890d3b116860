/* Tables with a row a strategy. */
#include "report/tables/columns.h"
#include "report/tables/tables.h"

/* ---- how often ---- */

static void share_of_changes(const sp_figure_owner *owner, sp_table *table)
{
    const sp_transition_counts *counts = owner->strategy ? &owner->strategy->counts : &owner->comparison->reference;
    sp_cell_share(table, counts->changes, counts->transitions, SP_TONE_PLAIN);
}

void sp_fill_change_rates(const sp_comparison *c, const sp_fill_options *options, sp_table *table)
{
    static const sp_column columns[] = {{.key = "changes", .heading = "changes, of transitions", .cell = share_of_changes},
                                        {.key = "changes_per_hour", .how = SP_DROP_UNDEFINED},
                                        {.key = "runs"},
                                        {.key = "isolated_runs"},
                                        {.key = "isolated_runs_share"},
                                        {.key = "runs_ratio", .how = SP_DROP_UNDEFINED}};
    (void)options;
    table->title = c->has_labels ? "Changes of class; runs of one class within stretches that have a reference"
                                 : "Changes and runs of one class";
    sp_fill_columns(c, SP_COLUMNS(columns), SP_REFERENCE_FIRST, table);
}

/* ---- what changed, what was found ---- */

static void net_change(const sp_figure_owner *owner, sp_table *table)
{
    const sp_changes *changes = owner->own;
    const int64_t net = changes->fixed - changes->worsened;
    sp_table_say(table, SP_TONE_PLAIN, "%s%jd", net > 0 ? "+" : "", net);
}

static const sp_column changed[] = {{.key = "fixed"},
                                    {.key = "broken"},
                                    {.key = "fixed", .heading = "net", .cell = net_change},
                                    {.key = "wrong_to_wrong"},
                                    {.key = "same"} /* not by class */};

void sp_fill_changes(const sp_comparison *c, const sp_fill_options *options, sp_table *table)
{
    (void)options;
    table->title = "{Steps} that differ from argmax";
    sp_table_columns(table, "strategy");
    sp_add_heads(c, SP_OF_CHANGES, SP_COLUMNS(changed), table);
    for (int32_t s = 0; s < c->n_strategies; s++) {
        const sp_strategy_result *one = &c->strategies[s];
        if (!one->has_changes || s == one->argmax)
            continue;
        sp_table_cell_text(table, SP_TONE_PLAIN, one->name);
        sp_add_figures(SP_OF_CHANGES, &(sp_figure_owner){&one->changes, one, c}, SP_COLUMNS(changed), table);
    }
}

void sp_fill_class_changes(const sp_comparison *c, const sp_fill_options *options, sp_table *table)
{
    const sp_strategy_result *one = &c->strategies[options->strategy];
    const size_t n = sizeof changed / sizeof *changed - 1;
    if (!one->has_changes || !one->class_changes)
        return;
    table->title = "{Steps} that differ from argmax, by class of the reference";
    sp_table_columns(table, "class");
    sp_add_heads(c, SP_OF_CHANGES, changed, n, table);
    for (int32_t k = 0; k < c->n_classes; k++) {
        const sp_changes *changes = &one->class_changes[k];
        if (changes->fixed + changes->worsened + changes->wrong_to_wrong == 0)
            continue;
        sp_table_cell_text(table, SP_TONE_PLAIN, c->classes[k]);
        sp_add_figures(SP_OF_CHANGES, &(sp_figure_owner){changes, one, c}, changed, n, table);
    }
}
