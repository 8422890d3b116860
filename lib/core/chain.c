/* Compiling a model: see statepath/model.h for what happens and chain_states.h for what comes out. */
#include "core/chain_states.h"
#include "core/model.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

sp_chain_options sp_chain_options_default(void)
{
    return (sp_chain_options){.transition_weight = 1};
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
    free(chain->min_dwell);
    free(chain->legal_row);
    free(chain->legal_to);
    free(chain);
}

/* calloc that never asks for nothing, so that NULL always means lack of memory. */
static void *new_array(int64_t n, size_t size)
{
    return calloc((size_t)(n > 0 ? n : 1), size);
}

/* ---- where each declared state goes ---- */

/* First compiled state of each declared state, and its number of compiled states. */
typedef struct placement {
    int32_t *first; /* [model->n_states] */
    int32_t *dwell; /* [model->n_states] */
} placement;

static int32_t column_of_state(const sp_model *model, const int32_t *column_of_class, int32_t s)
{
    return column_of_class[sp_model_state_class(model, s)];
}

/* Counts the compiled states of each column, then hands them out in the order column, declaration, place in the dwell. */
static sp_status place_states(const sp_model *model, const int32_t *column_of_class, placement *place, sp_chain *chain,
                              sp_error *err)
{
    int32_t m = model->n_states, K = model->n_classes;
    int64_t total = 0;
    for (int32_t s = 0; s < m; s++) {
        place->dwell[s] = model->min_dwell ? model->min_dwell[s] : 1;
        total += place->dwell[s];
    }
    if (total > INT32_MAX / 2)
        return sp_fail(err, SP_EMODEL, "model %s: its minimum dwells unfold into %lld states; shorten them", model->name,
                       (long long)total);
    chain->n_states = (int32_t)total;
    chain->state_class = new_array(total, sizeof *chain->state_class);
    chain->entry = new_array(total, 1);
    chain->start = new_array(total, sizeof *chain->start);
    chain->end = new_array(total, sizeof *chain->end);
    int32_t *next = new_array(K + 1, sizeof *next);
    if (!chain->state_class || !chain->entry || !chain->start || !chain->end || !next) {
        free(next);
        return sp_no_memory(err);
    }
    for (int32_t s = 0; s < m; s++)
        chain->class_first[column_of_state(model, column_of_class, s) + 1] += place->dwell[s];
    for (int32_t k = 0; k < K; k++)
        chain->class_first[k + 1] += chain->class_first[k];
    memcpy(next, chain->class_first, (size_t)K * sizeof *next);
    for (int32_t s = 0; s < m; s++) {
        int32_t k = column_of_state(model, column_of_class, s), d = place->dwell[s];
        place->first[s] = next[k];
        next[k] += d;
        if (chain->min_dwell[k] == 0 || d < chain->min_dwell[k])
            chain->min_dwell[k] = d;
        for (int32_t p = 0; p < d; p++) {
            int32_t state = place->first[s] + p;
            chain->state_class[state] = k;
            chain->entry[state] = p == 0;
            chain->start[state] = p > 0 ? -INFINITY : model->start ? model->start[s] : 0;
            chain->end[state] = p < d - 1 && model->min_dwell_at_end ? -INFINITY : model->end ? model->end[s] : 0;
        }
    }
    for (int32_t k = 0; k < K; k++)
        if (chain->min_dwell[k] == 0)
            chain->min_dwell[k] = 1;
    free(next);
    return SP_OK;
}

/* ---- transitions ---- */

typedef struct edge {
    int32_t from, to;
    double weight;
} edge;

/* All compiled transitions, in no particular order; at most `model transitions + compiled states`. Returns how many. */
static int64_t list_edges(const sp_model *model, const sp_chain_options *options, const placement *place, edge *out)
{
    int64_t n = 0;
    for (int32_t s = 0; s < model->n_states; s++) {
        int32_t first = place->first[s], last = first + place->dwell[s] - 1;
        for (int64_t e = model->row[s]; e < model->row[s + 1]; e++) {
            int32_t u = model->to[e];
            double weight = options->is_boolean || !model->weight ? 0 : options->transition_weight * model->weight[e];
            if (u == s)
                for (int32_t p = first; p < last; p++)
                    out[n++] = (edge){p, p + 1, weight};
            out[n++] = (edge){last, u == s ? last : place->first[u], weight};
        }
    }
    return n;
}

/* Sorts edges into rows by `to` (by_target) or `from`, keeping the order of the input inside a row. */
static void fill_rows(int32_t n_states, int64_t n_edges, const edge *edges, bool by_target, int64_t *row, int32_t *other,
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
static sp_status connect(const sp_model *model, const sp_chain_options *options, const placement *place, sp_chain *chain,
                         sp_error *err)
{
    int32_t m = chain->n_states;
    int64_t most = model->row[model->n_states] + m;
    edge *edges = new_array(most, sizeof *edges);
    int64_t *next = new_array(m, sizeof *next);
    chain->pred_row = new_array(m + 1, sizeof *chain->pred_row);
    chain->succ_row = new_array(m + 1, sizeof *chain->succ_row);
    chain->pred = new_array(most, sizeof *chain->pred);
    chain->succ = new_array(most, sizeof *chain->succ);
    chain->pred_weight = new_array(most, sizeof *chain->pred_weight);
    chain->succ_weight = new_array(most, sizeof *chain->succ_weight);
    sp_status status = SP_OK;
    if (!edges || !next || !chain->pred_row || !chain->succ_row || !chain->pred || !chain->succ || !chain->pred_weight ||
        !chain->succ_weight)
        status = sp_no_memory(err);
    if (status == SP_OK) {
        int64_t n = list_edges(model, options, place, edges);
        fill_rows(m, n, edges, false, chain->succ_row, chain->succ, chain->succ_weight, next);
        int64_t e = 0;
        for (int32_t i = 0; i < m; i++) /* now by `from` */
            for (int64_t s = chain->succ_row[i]; s < chain->succ_row[i + 1]; s++)
                edges[e++] = (edge){i, chain->succ[s], chain->succ_weight[s]};
        fill_rows(m, n, edges, true, chain->pred_row, chain->pred, chain->pred_weight, next);
        e = 0;
        for (int32_t j = 0; j < m; j++) /* now by `to`, and by `from` inside */
            for (int64_t p = chain->pred_row[j]; p < chain->pred_row[j + 1]; p++)
                edges[e++] = (edge){chain->pred[p], j, chain->pred_weight[p]};
        memset(chain->succ_row, 0, (size_t)(m + 1) * sizeof *chain->succ_row);
        fill_rows(m, n, edges, false, chain->succ_row, chain->succ, chain->succ_weight, next);
    }
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

static void note_shape(sp_chain *chain)
{
    chain->is_plain = chain->n_states == chain->n_classes;
    chain->is_boolean = true;
    for (int32_t s = 0; s < chain->n_states; s++) {
        chain->is_plain &= chain->state_class[s] == s;
        chain->is_boolean &=
            (chain->start[s] == 0 || chain->start[s] == -INFINITY) && (chain->end[s] == 0 || chain->end[s] == -INFINITY);
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
    sp_chain *chain = calloc(1, sizeof *chain);
    int32_t *column_of_class = new_array(K, sizeof *column_of_class);
    placement place = {new_array(model->n_states, sizeof *place.first), new_array(model->n_states, sizeof *place.dwell)};
    if (chain) {
        chain->n_classes = K;
        chain->min_dwell_at_end = model->min_dwell_at_end;
        chain->class_first = new_array(K + 1, sizeof *chain->class_first);
        chain->min_dwell = new_array(K, sizeof *chain->min_dwell);
    }
    if (!chain || !column_of_class || !place.first || !place.dwell || !chain->class_first || !chain->min_dwell) {
        status = sp_no_memory(err);
    } else {
        for (int32_t c = 0; c < K; c++)
            column_of_class[options->class_of_column ? options->class_of_column[c] : c] = c;
        status = place_states(model, column_of_class, &place, chain, err);
    }
    assert(status != SP_OK || chain); /* sp_fail() never returns SP_OK */
    if (status == SP_OK)
        status = connect(model, options, &place, chain, err);
    if (status == SP_OK)
        status = list_legal_pairs(chain, err);
    if (status == SP_OK) {
        if (options->is_boolean)
            drop_end_weights(chain);
        note_shape(chain);
        *out = chain;
    } else {
        sp_chain_free(chain);
    }
    free(column_of_class);
    free(place.first);
    free(place.dwell);
    return status;
}
