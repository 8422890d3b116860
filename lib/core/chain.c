/* Compiling a model: see statepath/model.h for what happens and chain_states.h for what comes out. */
#include "core/chain_states.h"
#include "core/model/unfold.h"
#include "core/try.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int64_t MOST_TRANSITIONS = INT64_C(1) << 28;

sp_chain_options sp_chain_options_default(void)
{
    return (sp_chain_options){.transition_weight = 1};
}

static void free_runs(sp_run_graph *runs)
{
    if (!runs)
        return;
    free(runs->rows);
    free(runs->leave);
    free(runs->go_on);
    free(runs->pred_row);
    free(runs->pred);
    free(runs->pred_weight);
    free(runs);
}

void sp_chain_free(sp_chain *chain)
{
    if (!chain)
        return;
    free(chain->state_class);
    free(chain->class_first);
    free(chain->pred_row);
    free(chain->pred);
    free(chain->pred_weight);
    free(chain->succ_row);
    free(chain->succ);
    free(chain->succ_weight);
    free(chain->start);
    free(chain->end);
    free(chain->entry);
    free(chain->leave);
    free(chain->min_dwell);
    for (int32_t k = 0; chain->durations && k < chain->n_classes; k++)
        sp_run_weights_clear(&chain->durations[k]);
    free(chain->durations);
    free_runs(chain->runs);
    free(chain->legal_row);
    free(chain->legal_to);
    free(chain);
}

/* calloc that never asks for nothing, so that NULL always means lack of memory. */
static void *new_array(int64_t n, size_t size)
{
    return calloc((size_t)(n > 0 ? n : 1), size);
}

/* Sorts edges into rows by `to` (by_target) or `from`, keeping the order of the input inside a row. */
static void fill_rows(int32_t n_states, int64_t n_edges, const sp_edge *edges, bool by_target, int64_t *row, int32_t *other,
                      double *weight, int64_t *next)
{
    for (int64_t e = 0; e < n_edges; e++)
        row[(by_target ? edges[e].to : edges[e].from) + 1]++;
    for (int32_t s = 0; s < n_states; s++)
        row[s + 1] += row[s];
    memcpy(next, row, (size_t)n_states * sizeof *next);
    for (int64_t e = 0; e < n_edges; e++) {
        int64_t at = next[by_target ? edges[e].to : edges[e].from]++;
        other[at] = by_target ? edges[e].from : edges[e].to;
        weight[at] = edges[e].weight;
    }
}

/* Predecessor and successor lists, both ascending: sorting by one end and then, stably, by the other orders both. */
static sp_status connect(const sp_chain_options *options, const sp_placement *place, sp_chain *chain, sp_error *err)
{
    int32_t m = chain->n_states;
    sp_edge_list count = {NULL, 0};
    sp_list_edges(options, place, false, &count);
    if (count.n > MOST_TRANSITIONS)
        return sp_fail(err, SP_EMODEL, "model %s: its durations unfold into %lld transitions; shorten them", place->model->name,
                       (long long)count.n);
    sp_edge *edges = new_array(count.n, sizeof *edges);
    int64_t *next = new_array(m, sizeof *next);
    chain->pred_row = new_array(m + 1, sizeof *chain->pred_row);
    chain->succ_row = new_array(m + 1, sizeof *chain->succ_row);
    chain->pred = new_array(count.n, sizeof *chain->pred);
    chain->succ = new_array(count.n, sizeof *chain->succ);
    chain->pred_weight = new_array(count.n, sizeof *chain->pred_weight);
    chain->succ_weight = new_array(count.n, sizeof *chain->succ_weight);
    sp_status status = SP_OK;
    if (!edges || !next || !chain->pred_row || !chain->succ_row || !chain->pred || !chain->succ || !chain->pred_weight ||
        !chain->succ_weight)
        status = sp_no_memory(err);
    if (status == SP_OK) {
        sp_edge_list list = {edges, 0};
        sp_list_edges(options, place, false, &list);
        int64_t n = list.n;
        fill_rows(m, n, edges, false, chain->succ_row, chain->succ, chain->succ_weight, next);
        int64_t e = 0;
        for (int32_t i = 0; i < m; i++) /* now by `from` */
            for (int64_t s = chain->succ_row[i]; s < chain->succ_row[i + 1]; s++)
                edges[e++] = (sp_edge){i, chain->succ[s], chain->succ_weight[s]};
        fill_rows(m, n, edges, true, chain->pred_row, chain->pred, chain->pred_weight, next);
        e = 0;
        for (int32_t j = 0; j < m; j++) /* now by `to`, and by `from` inside */
            for (int64_t p = chain->pred_row[j]; p < chain->pred_row[j + 1]; p++)
                edges[e++] = (sp_edge){chain->pred[p], j, chain->pred_weight[p]};
        memset(chain->succ_row, 0, (size_t)(m + 1) * sizeof *chain->succ_row);
        fill_rows(m, n, edges, false, chain->succ_row, chain->succ, chain->succ_weight, next);
    }
    free(edges);
    free(next);
    return status;
}

/* The graph of runs: what leads to each state, rows of runs being one. */
static sp_status connect_rows(const sp_chain_options *options, const sp_placement *place, sp_chain *chain, sp_error *err)
{
    const int32_t m = chain->n_states;
    sp_edge_list list = {NULL, 0};
    sp_list_edges(options, place, true, &list);
    sp_run_graph *g = chain->runs = new_array(1, sizeof *g);
    sp_edge *edges = new_array(list.n, sizeof *edges);
    int64_t *next = new_array(m, sizeof *next);
    sp_status status = SP_OK;
    TRY(g && edges && next ? SP_OK : sp_no_memory(err));
    g->rows = new_array(place->model->n_classes, sizeof *g->rows);
    g->leave = new_array(m, sizeof *g->leave);
    g->go_on = new_array(m, sizeof *g->go_on);
    g->pred_row = new_array(m + 1, sizeof *g->pred_row);
    g->pred = new_array(list.n, sizeof *g->pred);
    g->pred_weight = new_array(list.n, sizeof *g->pred_weight);
    TRY(g->rows && g->leave && g->go_on && g->pred_row && g->pred && g->pred_weight ? SP_OK : sp_no_memory(err));
    list = (sp_edge_list){edges, 0};
    sp_list_edges(options, place, true, &list);
    fill_rows(m, list.n, edges, true, g->pred_row, g->pred, g->pred_weight, next);
    sp_place_runs(place, g);
done:
    free(edges);
    free(next);
    return status;
}

static int compare_int32(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Legal pairs of classes: the classes of the successors of each class's states, each once. */
static sp_status list_legal_pairs(sp_chain *chain, sp_error *err)
{
    int32_t K = chain->n_classes;
    int64_t most = chain->succ_row[chain->n_states];
    int32_t *seen_from = new_array(K, sizeof *seen_from);
    chain->legal_row = new_array(K + 1, sizeof *chain->legal_row);
    chain->legal_to = new_array(most, sizeof *chain->legal_to);
    if (!seen_from || !chain->legal_row || !chain->legal_to) {
        free(seen_from);
        return sp_no_memory(err);
    }
    int64_t n = 0;
    for (int32_t k = 0; k < K; k++) {
        for (int32_t s = chain->class_first[k]; s < chain->class_first[k + 1]; s++)
            for (int64_t e = chain->succ_row[s]; e < chain->succ_row[s + 1]; e++) {
                int32_t to = chain->state_class[chain->succ[e]];
                if (seen_from[to] == k + 1)
                    continue;
                seen_from[to] = k + 1;
                chain->legal_to[n++] = to;
            }
        qsort(chain->legal_to + chain->legal_row[k], (size_t)(n - chain->legal_row[k]), sizeof *chain->legal_to, compare_int32);
        chain->legal_row[k + 1] = n;
    }
    free(seen_from);
    return SP_OK;
}

/* Do the classes of a path tell its states? */
static bool classes_tell_states(const sp_chain *chain)
{
    for (int32_t k = 0; k < chain->n_classes; k++) {
        int32_t n_starts = 0, n_entries = 0;
        for (int32_t j = chain->class_first[k]; j < chain->class_first[k + 1]; j++) {
            n_starts += chain->start[j] > -INFINITY;
            n_entries += chain->entry[j];
        }
        if (n_starts > 1 || n_entries > 1)
            return false;
    }
    for (int32_t i = 0; i < chain->n_states; i++)
        for (int64_t s = chain->succ_row[i] + 1; s < chain->succ_row[i + 1]; s++)
            if (chain->state_class[chain->succ[s]] == chain->state_class[chain->succ[s - 1]])
                return false;
    return true;
}

static void note_shape(sp_chain *chain)
{
    chain->is_told = classes_tell_states(chain);
    bool leaves = false;
    for (int32_t s = 0; chain->leave && s < chain->n_states; s++)
        leaves |= chain->leave[s] != 0;
    if (!leaves) {
        free(chain->leave);
        chain->leave = NULL;
    }
    chain->is_plain = chain->n_states == chain->n_classes && !leaves;
    chain->is_boolean = true;
    for (int32_t s = 0; s < chain->n_states; s++) {
        chain->is_plain &= chain->state_class[s] == s;
        chain->is_boolean &=
            (chain->start[s] == 0 || chain->start[s] == -INFINITY) && (chain->end[s] == 0 || chain->end[s] == -INFINITY);
        chain->is_boolean &= sp_chain_leave(chain, s) == 0 || sp_chain_leave(chain, s) == -INFINITY;
    }
    for (int64_t e = 0; e < chain->succ_row[chain->n_states]; e++)
        chain->is_boolean &= chain->succ_weight[e] == 0;
}

static void drop_end_weights(sp_chain *chain)
{
    for (int32_t s = 0; s < chain->n_states; s++) {
        chain->start[s] = chain->start[s] == -INFINITY ? -INFINITY : 0;
        chain->end[s] = chain->end[s] == -INFINITY ? -INFINITY : 0;
    }
}

/* The weights of runs go to the chain, in the order of its columns. */
static sp_status keep_durations(sp_placement *place, const int32_t *column_of_class, sp_chain *chain, sp_error *err)
{
    if (!place->weight)
        return SP_OK;
    if (!(chain->durations = new_array(chain->n_classes, sizeof *chain->durations)))
        return sp_no_memory(err);
    for (int32_t k = 0; k < chain->n_classes; k++) {
        chain->durations[column_of_class[k]] = place->weight[k];
        place->weight[k] = (sp_run_weights){.n_whole = 0};
    }
    return SP_OK;
}

sp_status sp_chain_new(const sp_model *model, const sp_chain_options *options, sp_chain **out, sp_error *err)
{
    sp_chain_options defaults = sp_chain_options_default();
    if (!options)
        options = &defaults;
    if (!isfinite(options->transition_weight))
        return sp_fail(err, SP_EINVAL, "transition weight %g: it multiplies log weights and must be a finite number",
                       options->transition_weight);
    sp_status status = sp_model_check(model, err);
    if (status != SP_OK)
        return status;
    int32_t K = model->n_classes;
    sp_placement place = {.model = NULL};
    sp_chain *chain = calloc(1, sizeof *chain);
    int32_t *column_of_class = new_array(K, sizeof *column_of_class);
    if (chain) {
        chain->n_classes = K;
        chain->min_dwell_at_end = model->min_dwell_at_end;
        chain->whole_at_start = model->whole_at_start;
        chain->whole_at_end = model->whole_at_end;
        chain->class_first = new_array(K + 1, sizeof *chain->class_first);
        chain->min_dwell = new_array(K, sizeof *chain->min_dwell);
    }
    if (!chain || !column_of_class || !chain->class_first || !chain->min_dwell)
        TRY(sp_no_memory(err));
    assert(chain); /* sp_no_memory() never returns SP_OK */
    for (int32_t c = 0; c < K; c++)
        column_of_class[options->class_of_column ? options->class_of_column[c] : c] = c;
    TRY(sp_placement_make(&place, model, options, column_of_class, chain, err));
    TRY(connect(options, &place, chain, err));
    TRY(list_legal_pairs(chain, err));
    if (chain->n_states > SP_RUNS_LEAST && sp_has_plain_runs(&place))
        TRY(connect_rows(options, &place, chain, err));
    TRY(keep_durations(&place, column_of_class, chain, err));
    if (options->is_boolean)
        drop_end_weights(chain);
    note_shape(chain);
    *out = chain;
    chain = NULL;
done:
    sp_chain_free(chain);
    sp_placement_clear(&place);
    free(column_of_class);
    return status;
}
