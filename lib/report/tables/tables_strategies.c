/* Tables with a row a strategy. */
#include "report/tables/columns.h"
#include "report/tables/tables.h"

/* ---- how often ---- */

void sp_fill_change_rates(const sp_comparison *c, const sp_fill_options *options, sp_table *table)
{
    (void)options;
    table->title = c->has_labels
                       ? "Changes of class; runs of one class within stretches that have a reference"
                       : "Changes and runs of one class";
    sp_fill_columns(c, SP_IN_CHANGE_RATES, SP_REFERENCE_FIRST, table);
}

/* ---- what changed, what was found ---- */

void sp_fill_changes(const sp_comparison *c, const sp_fill_options *options, sp_table *table)
{
    (void)options;
    table->title = "{Steps} that differ from argmax";
    sp_table_columns(table, "strategy");
    sp_add_heads(c, SP_OF_CHANGES, SP_IN_CHANGES, table);
    for (int32_t s = 0; s < c->n_strategies; s++) {
        const sp_strategy_result *one = &c->strategies[s];
        if (!one->has_changes || s == one->argmax)
            continue;
        sp_table_cell_text(table, SP_TONE_PLAIN, one->name);
        sp_add_figures(SP_OF_CHANGES, SP_IN_CHANGES, &(sp_figure_owner){&one->changes, one, c}, table);
    }
}

void sp_fill_class_changes(const sp_comparison *c, const sp_fill_options *options, sp_table *table)
{
    const sp_strategy_result *one = &c->strategies[options->strategy];
    if (!one->has_changes || !one->class_changes)
        return;
    table->title = "{Steps} that differ from argmax, by class of the reference";
    sp_table_columns(table, "class");
    sp_add_heads(c, SP_OF_CHANGES, SP_IN_CLASS_CHANGES, table);
    for (int32_t k = 0; k < c->n_classes; k++) {
        const sp_changes *changes = &one->class_changes[k];
        if (changes->fixed + changes->worsened + changes->wrong_to_wrong == 0)
            continue;
        sp_table_cell_text(table, SP_TONE_PLAIN, c->classes[k]);
        sp_add_figures(SP_OF_CHANGES, SP_IN_CLASS_CHANGES, &(sp_figure_owner){changes, one, c}, table);
    }
}
