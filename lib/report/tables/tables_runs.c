/* Tables about runs of one class: what a step-by-step accuracy does not see. */
#include "report/tables/tables.h"

void sp_fill_contexts(const sp_comparison *c, const sp_fill_options *options, sp_table *table)
{
    static const char *const names[SP_N_CONTEXTS] = {"inside a run", "last {step} of a run", "first {step} of a run",
                                                     "run of one {step}"};
    (void)options;
    if (!c->has_labels || !c->n_strategies)
        return;
    const sp_strategy_result *first = &c->strategies[0];
    int64_t steps = 0;
    for (int i = 0; i < SP_N_CONTEXTS; i++)
        steps += first->context_steps[i];
    if (steps == 0)
        return;
    table->title = "Accuracy by place in the reference";
    sp_table_columns(table, "place|{steps}");
    sp_strategy_columns(c, false, table);
    for (int i = 0; i < SP_N_CONTEXTS; i++) {
        sp_buffer_words(sp_table_cell(table, SP_TONE_PLAIN), names[i]);
        sp_table_cell_count(table, SP_TONE_PLAIN, first->context_steps[i]);
        for (int32_t s = 0; s < c->n_strategies; s++) {
            int64_t n = c->strategies[s].context_steps[i];
            sp_value accuracy = {.value = n ? (double)c->strategies[s].context_correct[i] / (double)n : 0,
                                 .undefined = n ? NULL : "no such step"};
            sp_cell_value(table, &accuracy, 3, SP_TONE_PLAIN);
        }
    }
}

static void cells_of_runs(const sp_class_runs *runs, int32_t k, sp_table *table)
{
    if (!runs) {
        sp_cell_none(table);
        sp_cell_none(table);
        return;
    }
    sp_table_cell_count(table, SP_TONE_PLAIN, runs[k].count);
    sp_cell_value(table, &runs[k].mean, 1, SP_TONE_PLAIN);
}

void sp_fill_runs(const sp_comparison *c, const sp_fill_options *options, sp_table *table)
{
    if (options->most_classes && c->n_classes > options->most_classes)
        return;
    table->title = "Runs: how many, and their mean length in {steps}";
    sp_table_columns(table, "class");
    for (int32_t s = c->reference_runs ? -1 : 0; s < c->n_strategies; s++) {
        const char *name = s < 0 ? "reference" : c->strategies[s].name;
        sp_buffer_say(sp_table_head(table, SP_RIGHT), "%s runs", name);
        sp_buffer_say(sp_table_head(table, SP_RIGHT), "%s mean", name);
    }
    for (int32_t k = 0; k < c->n_classes; k++) {
        sp_table_cell_text(table, SP_TONE_PLAIN, c->classes[k]);
        for (int32_t s = c->reference_runs ? -1 : 0; s < c->n_strategies; s++)
            cells_of_runs(s < 0 ? c->reference_runs : c->strategies[s].class_runs, k, table);
    }
}
