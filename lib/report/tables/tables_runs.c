/* Tables about runs of one class: what a step-by-step accuracy does not see. */
#include "evaluate/work.h"
#include "report/tables/tables.h"

void sp_fill_contexts(const sp_comparison *c, const sp_fill_options *options, sp_table *table)
{
    static const char *const names[SP_N_CONTEXTS] = {"inside a run", "last {step} of a run",
                                                     "first {step} of a run", "run of one {step}"};
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

static void cell_of_mean(const sp_class_duration *d, sp_table *table)
{
    if (d->is_there && d->lengths.has_distribution)
        sp_buffer_fixed(sp_table_cell(table, SP_TONE_PLAIN), d->lengths.mean, 1);
    else
        sp_cell_none(table);
}

void sp_fill_runs(const sp_comparison *c, const sp_fill_options *options, sp_table *table)
{
    if (options->most_classes && c->n_classes > options->most_classes)
        return;
    table->title = "Runs: how many, and their mean length in {steps}";
    sp_table_columns(table, c->durations ? "class|model mean" : "class");
    for (int32_t s = c->reference_runs ? -1 : 0; s < c->n_strategies; s++) {
        const char *name = s < 0 ? "reference" : c->strategies[s].name;
        sp_buffer_say(sp_table_head(table, SP_RIGHT), "%s runs", name);
        sp_buffer_say(sp_table_head(table, SP_RIGHT), "%s mean", name);
    }
    for (int32_t k = 0; k < c->n_classes; k++) {
        sp_table_cell_text(table, SP_TONE_PLAIN, c->classes[k]);
        if (c->durations)
            cell_of_mean(&c->durations[k], table);
        for (int32_t s = c->reference_runs ? -1 : 0; s < c->n_strategies; s++)
            cells_of_runs(s < 0 ? c->reference_runs : c->strategies[s].class_runs, k, table);
    }
}

/* ---- how long the model says that a class lasts ---- */

/* Least, 5 %, median, 95 %, greatest. */
static void cells_of_lengths(const sp_class_duration *d, sp_table *table)
{
    const sp_duration_lengths *l = &d->lengths;
    const int64_t numbers[] = {l->min, l->low, l->median, l->high, l->max};
    for (int i = 0; i < 5; i++)
        if (d->is_there && numbers[i] > 0)
            sp_table_cell_count(table, SP_TONE_PLAIN, numbers[i]);
        else
            sp_cell_none(table);
}

/* Runs of class k that are too short and too long; NULL: nobody counts them. */
static void cells_of_broken(const sp_class_runs *runs, int32_t k, sp_table *table)
{
    const int64_t counts[] = {runs ? runs[k].too_short : 0, runs ? runs[k].too_long : 0};
    for (int i = 0; i < 2; i++)
        if (runs)
            sp_table_cell_count(table, counts[i] ? SP_TONE_BAD : SP_TONE_PLAIN, counts[i]);
        else
            sp_cell_none(table);
}

static bool is_limited(const sp_comparison *c, int32_t k)
{
    return c->durations[k].is_there || c->min_dwell[k] > 1;
}

void sp_fill_durations(const sp_comparison *c, const sp_fill_options *options, sp_table *table)
{
    if (!c->durations || (options->most_classes && c->n_classes > options->most_classes))
        return;
    table->title =
        "How long the model lets a class last, in {steps}, and the runs that are shorter or longer";
    sp_table_columns(table, "class|least|5 %|median|95 %|greatest");
    for (int32_t s = c->reference_runs ? -1 : 0; s < c->n_strategies; s++) {
        const char *name = s < 0 ? "reference" : c->strategies[s].name;
        sp_buffer_say(sp_table_head(table, SP_RIGHT), "%s shorter", name);
        sp_buffer_say(sp_table_head(table, SP_RIGHT), "%s longer", name);
    }
    for (int32_t k = 0; k < c->n_classes; k++) {
        if (!is_limited(c, k))
            continue;
        const sp_class_duration dwell = {.is_there = true, .lengths.min = c->min_dwell[k]};
        sp_table_cell_text(table, SP_TONE_PLAIN, c->classes[k]);
        cells_of_lengths(c->durations[k].is_there ? &c->durations[k] : &dwell, table);
        for (int32_t s = c->reference_runs ? -1 : 0; s < c->n_strategies; s++)
            cells_of_broken(s < 0 ? c->reference_runs : c->strategies[s].class_runs, k, table);
    }
}

void sp_fill_run_places(const sp_comparison *c, const sp_fill_options *options, sp_table *table)
{
    const int64_t n =
        options->most_rows && c->n_run_places > options->most_rows ? options->most_rows : c->n_run_places;
    if (n == 0)
        return;
    table->title = "Runs that are shorter or longer than the model allows";
    table->n_left_out = c->n_run_places - n;
    sp_table_columns(table, "{recording}|first {step}|{steps}|<class|<|<of");
    for (int64_t i = 0; i < n; i++) {
        const sp_run_place *place = &c->run_places[i];
        sp_table_cell_text(table, SP_TONE_PLAIN, c->ids[place->recording]);
        sp_table_cell_count(table, SP_TONE_PLAIN, sp_step_number(c->work, place->step));
        sp_table_cell_count(table, SP_TONE_PLAIN, place->length);
        sp_table_cell_text(table, SP_TONE_PLAIN, c->classes[place->k]);
        sp_table_cell_text(table, SP_TONE_PLAIN, place->is_long ? "too long" : "too short");
        sp_table_cell_text(table, SP_TONE_PLAIN,
                           place->who < c->n_strategies ? c->strategies[place->who].name : "reference");
    }
}
