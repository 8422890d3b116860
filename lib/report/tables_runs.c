/* Tables about runs, changes and entities: what a step-by-step accuracy does not see. */
#include "report/tables.h"

#include <stdlib.h>
#include <string.h>

/* A header made of a strategy's name and a word. */
static void column_of(sp_table *table, const char *strategy, const char *word)
{
    sp_buffer name = {0};
    sp_buffer_format(&name, "%s %s", strategy, word);
    sp_table_column(table, SP_RIGHT, name.data);
    table->failed |= name.failed;
    sp_buffer_free(&name);
}

static void cell_net(sp_table *table, int64_t net)
{
    sp_buffer *cell = sp_table_cell(table, SP_TONE_PLAIN);
    sp_buffer_text(cell, net > 0 ? "+" : "");
    sp_buffer_count(cell, net);
}

void sp_fill_class_changes(const sp_comparison *comparison, int32_t strategy, sp_table *table)
{
    const sp_strategy_result *result = &comparison->strategies[strategy];
    if (!result->has_changes || !result->class_changes)
        return;
    table->title = "Steps that differ from argmax, by class of the reference";
    sp_table_column(table, SP_LEFT, "class");
    sp_table_column(table, SP_RIGHT, "fixed");
    sp_table_column(table, SP_RIGHT, "broken");
    sp_table_column(table, SP_RIGHT, "net");
    sp_table_column(table, SP_RIGHT, "wrong to wrong");
    for (int32_t k = 0; k < comparison->n_classes; k++) {
        const sp_changes *changes = &result->class_changes[k];
        if (changes->fixed + changes->broken + changes->wrong_to_wrong == 0)
            continue;
        sp_table_cell_text(table, SP_TONE_PLAIN, comparison->classes[k]);
        sp_table_cell_count(table, SP_TONE_PLAIN, changes->fixed);
        sp_table_cell_count(table, SP_TONE_PLAIN, changes->broken);
        cell_net(table, changes->fixed - changes->broken);
        sp_table_cell_count(table, SP_TONE_PLAIN, changes->wrong_to_wrong);
    }
}

void sp_fill_contexts(const sp_comparison *comparison, sp_table *table)
{
    static const char *const names[SP_N_CONTEXTS] = {"inside a run", "last step of a run", "first step of a run",
                                                     "run of one step"};
    if (!comparison->has_labels || !comparison->n_strategies)
        return;
    const sp_strategy_result *first = &comparison->strategies[0];
    int64_t steps = 0;
    for (int i = 0; i < SP_N_CONTEXTS; i++)
        steps += first->context_steps[i];
    if (steps == 0)
        return;
    table->title = "Accuracy by place in the reference";
    sp_table_column(table, SP_LEFT, "place");
    sp_table_column(table, SP_RIGHT, "steps");
    for (int32_t s = 0; s < comparison->n_strategies; s++)
        sp_table_column(table, SP_RIGHT, comparison->strategies[s].name);
    for (int i = 0; i < SP_N_CONTEXTS; i++) {
        sp_table_cell_text(table, SP_TONE_PLAIN, names[i]);
        sp_table_cell_count(table, SP_TONE_PLAIN, first->context_steps[i]);
        for (int32_t s = 0; s < comparison->n_strategies; s++) {
            int64_t n = comparison->strategies[s].context_steps[i];
            sp_value accuracy = {.value = n ? (double)comparison->strategies[s].context_correct[i] / (double)n : 0,
                                 .undefined = n ? NULL : "no such step"};
            sp_cell_value(table, &accuracy, 3, SP_TONE_PLAIN);
        }
    }
}

void sp_fill_bouts(const sp_comparison *comparison, sp_table *table)
{
    const sp_bouts *reference = comparison->reference_bouts;
    table->title = "Runs: how many, and their mean length in steps";
    sp_table_column(table, SP_LEFT, "class");
    if (reference) {
        column_of(table, "reference", "runs");
        column_of(table, "reference", "mean");
    }
    for (int32_t s = 0; s < comparison->n_strategies; s++) {
        column_of(table, comparison->strategies[s].name, "runs");
        column_of(table, comparison->strategies[s].name, "mean");
    }
    for (int32_t k = 0; k < comparison->n_classes; k++) {
        sp_table_cell_text(table, SP_TONE_PLAIN, comparison->classes[k]);
        if (reference) {
            sp_table_cell_count(table, SP_TONE_PLAIN, reference[k].count);
            sp_cell_value(table, &reference[k].mean, 1, SP_TONE_PLAIN);
        }
        for (int32_t s = 0; s < comparison->n_strategies; s++) {
            const sp_bouts *bouts = comparison->strategies[s].bouts;
            sp_value none = {.undefined = "not counted"};
            if (bouts)
                sp_table_cell_count(table, SP_TONE_PLAIN, bouts[k].count);
            else
                sp_table_cell_text(table, SP_TONE_MUTED, "–");
            sp_cell_value(table, bouts ? &bouts[k].mean : &none, 1, SP_TONE_PLAIN);
        }
    }
}

void sp_fill_boundaries(const sp_comparison *comparison, sp_table *table)
{
    if (!comparison->has_labels || comparison->n_scored_steps == 0)
        return;
    table->title = "Changes of class found, and the edit score of the sequence of runs";
    sp_table_column(table, SP_LEFT, "strategy");
    sp_table_column(table, SP_RIGHT, "changes in the reference");
    sp_table_column(table, SP_RIGHT, "decoded");
    sp_table_column(table, SP_RIGHT, "found at the step");
    sp_table_column(table, SP_RIGHT, "within 1");
    sp_table_column(table, SP_RIGHT, "within 2");
    sp_table_column(table, SP_RIGHT, "precision within 2");
    sp_table_column(table, SP_RIGHT, "edit score");
    for (int32_t s = 0; s < comparison->n_strategies; s++) {
        const sp_strategy_result *strategy = &comparison->strategies[s];
        sp_table_cell_text(table, SP_TONE_PLAIN, strategy->name);
        sp_table_cell_count(table, SP_TONE_PLAIN, strategy->boundaries.reference);
        sp_table_cell_count(table, SP_TONE_PLAIN, strategy->boundaries.decoded);
        for (int i = 0; i < SP_N_TOLERANCES; i++)
            sp_cell_value(table, &strategy->boundaries.recall[i], 3, SP_TONE_PLAIN);
        sp_cell_value(table, &strategy->boundaries.precision[SP_N_TOLERANCES - 1], 3, SP_TONE_PLAIN);
        sp_cell_value(table, &strategy->edit_score, 3, SP_TONE_PLAIN);
    }
}

void sp_fill_entities(const sp_comparison *comparison, sp_table *table)
{
    if (!comparison->has_entities)
        return;
    table->title = "Entities: right when first step, last step and type are";
    sp_table_column(table, SP_LEFT, "strategy");
    sp_table_column(table, SP_RIGHT, "in the reference");
    sp_table_column(table, SP_RIGHT, "decoded");
    sp_table_column(table, SP_RIGHT, "right");
    sp_table_column(table, SP_RIGHT, "precision");
    sp_table_column(table, SP_RIGHT, "recall");
    sp_table_column(table, SP_RIGHT, "F1");
    sp_table_column(table, SP_RIGHT, "F1, well-formed only");
    for (int32_t s = 0; s < comparison->n_strategies; s++) {
        const sp_entities *entities = &comparison->strategies[s].entities;
        sp_table_cell_text(table, SP_TONE_PLAIN, comparison->strategies[s].name);
        sp_table_cell_count(table, SP_TONE_PLAIN, entities->pooled.reference);
        sp_table_cell_count(table, SP_TONE_PLAIN, entities->pooled.decoded);
        sp_table_cell_count(table, SP_TONE_PLAIN, entities->pooled.correct);
        sp_cell_value(table, &entities->pooled.precision, 4, SP_TONE_PLAIN);
        sp_cell_value(table, &entities->pooled.recall, 4, SP_TONE_PLAIN);
        sp_cell_value(table, &entities->pooled.f1, 4, SP_TONE_PLAIN);
        sp_cell_value(table, &entities->strict.f1, 4, SP_TONE_PLAIN);
    }
}
