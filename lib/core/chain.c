/* Compiling a model: see statepath/model.h for what happens and chain_states.h for what comes out. */
#include "core/chain_states.h"
#include "core/model/model.h"
#include "core/try.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NONE_YET = -2 };
static const int64_t MOST_TRANSITIONS = INT64_C(1) << 28;

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
    free(chain->leave);
    free(chain->min_dwell);
    for (int32_t k = 0; chain->durations && k < chain->n_classes; k++)
        sp_run_weights_clear(&chain->durations[k]);
    free(chain->durations);
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

/* A declared state becomes a row of compiled states that count the steps of a run, and, where runs that began before the recording
 * weigh otherwise, a second row for those. The last state of a row may stay. */
typedef struct state_row {
    int32_t first, n;
} state_row;

typedef struct placement {
    const sp_model *model;
    state_row *whole, *cut; /* [model->n_states]; n = 0: no such row */
    int32_t *state_of;      /* [K] the only declared state of a class, -1: there are several or none */
    sp_run_weights *weight; /* [K] of the model's classes; NULL: none has a duration */
} placement;

static const sp_run_weights *duration_of(const placement *place, int32_t s)
{
    const int32_t k = sp_model_state_class(place->model, s);
    return place->weight && place->weight[k].n_whole > 0 ? &place->weight[k] : NULL;
}

static int32_t column_of_state(const sp_model *model, const int32_t *column_of_class, int32_t s)
{
    return column_of_class[sp_model_state_class(model, s)];
}

static void place_start(sp_chain *chain, const sp_model *model, int32_t s, int32_t state)
{
    chain->entry[state] = 1;
    chain->start[state] = model->start ? model->start[s] : 0;
}

/* The weight of a whole run is paid in pieces, so that a partial path has paid for what is known of it: to go on from length d
 * weighs log(S(d+1) / S(d)), to leave after d weighs log(p(d) / S(d) S(1)), where S(d) is the sum of p(d') over d' >= d. The product
 * is p(d) of a run that is left and S(d) of one that is cut off. S(1) is 1 where p is a distribution. */
static double going_on(const sp_run_weights *w, int32_t d)
{
    return sp_run_weight(w, d + 1, true) - sp_run_weight(w, d, true);
}

static double leaving(const sp_run_weights *w, int32_t d, bool is_cut)
{
    const double all = w->cut[0];
    return is_cut ? all : sp_run_weight(w, d, false) - sp_run_weight(w, d, true) + all;
}

/* Ends and ways out at a gap of a row whose runs have a duration. */
static void place_duration(sp_chain *chain, const sp_model *model, const sp_run_weights *w, int32_t s, state_row r, bool is_cut)
{
    for (int32_t p = 0; p < r.n; p++) {
        const double weight = leaving(w, p + 1, is_cut || !model->whole_at_end);
        chain->leave[r.first + p] = weight;
        chain->end[r.first + p] = weight + (model->end ? model->end[s] : 0);
    }
}

static void place_dwell(sp_chain *chain, const sp_model *model, int32_t s, state_row r)
{
    for (int32_t p = 0; p < r.n; p++)
        chain->end[r.first + p] = p < r.n - 1 && model->min_dwell_at_end ? -INFINITY : model->end ? model->end[s] : 0;
}

/* How many states each row has. */
static sp_status measure_rows(placement *place, int64_t *total, sp_error *err)
{
    const sp_model *model = place->model;
    *total = 0;
    for (int32_t s = 0; s < model->n_states; s++) {
        const sp_run_weights *w = duration_of(place, s);
        place->whole[s].n = w ? w->n_whole : model->min_dwell ? model->min_dwell[s] : 1;
        place->cut[s].n = w && !model->whole_at_start ? w->n_cut : 0;
        *total += (int64_t)place->whole[s].n + place->cut[s].n;
    }
    if (*total <= INT32_MAX / 2)
        return SP_OK;
    return sp_fail(err, SP_EMODEL, "model %s: its minimum dwells and durations unfold into %lld states; shorten them",
                   model->name, (long long)*total);
}

static bool new_states(sp_chain *chain, int64_t total, bool has_durations)
{
    chain->n_states = (int32_t)total;
    chain->state_class = new_array(total, sizeof *chain->state_class);
    chain->entry = new_array(total, 1);
    chain->start = new_array(total, sizeof *chain->start);
    chain->end = new_array(total, sizeof *chain->end);
    chain->leave = has_durations ? new_array(total, sizeof *chain->leave) : NULL;
    return chain->state_class && chain->entry && chain->start && chain->end && (chain->leave || !has_durations);
}

/* Counts the compiled states of each column, then hands them out in the order column, declaration, row, place in the row. */
static sp_status place_states(placement *place, const int32_t *column_of_class, sp_chain *chain, sp_error *err)
{
    const sp_model *model = place->model;
    int32_t m = model->n_states, K = model->n_classes;
    int64_t total;
    int32_t *next = new_array(K + 1, sizeof *next);
    sp_status status = SP_OK;
    TRY(measure_rows(place, &total, err));
    TRY(next && new_states(chain, total, place->weight != NULL) ? SP_OK : sp_no_memory(err));
    for (int32_t s = 0; s < m; s++)
        chain->class_first[column_of_state(model, column_of_class, s) + 1] += place->whole[s].n + place->cut[s].n;
    for (int32_t k = 0; k < K; k++)
        chain->class_first[k + 1] += chain->class_first[k];
    memcpy(next, chain->class_first, (size_t)K * sizeof *next);
    for (int32_t s = 0; s < m; s++) {
        const int32_t k = column_of_state(model, column_of_class, s);
        const sp_run_weights *w = duration_of(place, s);
        state_row *whole = &place->whole[s], *cut = &place->cut[s];
        whole->first = next[k];
        cut->first = whole->first + whole->n;
        for (int32_t state = next[k]; state < cut->first + cut->n; state++) {
            chain->state_class[state] = k;
            chain->start[state] = -INFINITY;
        }
        next[k] = cut->first + cut->n;
        place_start(chain, model, s, cut->n > 0 ? cut->first : whole->first);
        if (w) {
            place_duration(chain, model, w, s, *whole, false);
            place_duration(chain, model, w, s, *cut, true);
        } else {
            place_dwell(chain, model, s, *whole);
        }
        if (!w && (chain->min_dwell[k] == 0 || whole->n < chain->min_dwell[k]))
            chain->min_dwell[k] = whole->n;
    }
    for (int32_t k = 0; k < K; k++)
        if (chain->min_dwell[k] == 0)
            chain->min_dwell[k] = 1;
done:
    free(next);
    return status;
}

/* Weighs the runs of each class that has a duration; place->weight stays NULL where none has. */
static sp_status weigh_runs(placement *place, const sp_chain_options *options, sp_error *err)
{
    const sp_model *model = place->model;
    sp_status status = SP_OK;
    for (int32_t k = 0; model->durations && k < model->n_classes; k++) {
        if (model->durations[k].form == SP_DURATION_FREE)
            continue;
        if (!place->weight && !(place->weight = new_array(model->n_classes, sizeof *place->weight)))
            return sp_no_memory(err);
        TRY(sp_run_weights_make(model, k, options->step_seconds, options->is_boolean, &place->weight[k], err));
    }
done:
    return status;
}

/* ---- transitions ---- */

typedef struct edge {
    int32_t from, to;
    double weight;
} edge;

typedef struct edge_list {
    edge *edges; /* NULL: they are counted only */
    int64_t n;
} edge_list;

static void add_edge(edge_list *list, int32_t from, int32_t to, double weight)
{
    if (list->edges)
        list->edges[list->n] = (edge){from, to, weight};
    list->n++;
}

/* Inside runs: along a row, and from its last state on where longer runs are possible. */
static void add_run(edge_list *list, const sp_run_weights *w, state_row from, state_row to, double weight)
{
    for (int32_t p = 0; p + 1 < from.n; p++)
        add_edge(list, from.first + p, to.first + p + 1, weight + going_on(w, p + 1));
    if (from.n > 0 && w->longer > -INFINITY)
        add_edge(list, from.first + from.n - 1, to.first + to.n - 1, weight + w->longer);
}

/* From each state of a row of runs with a duration to the first of another class. */
static void add_ways_out(edge_list *list, const sp_run_weights *w, state_row from, bool is_cut, int32_t to, double weight)
{
    for (int32_t p = 0; p < from.n; p++) {
        const double leave = leaving(w, p + 1, is_cut);
        if (leave > -INFINITY)
            add_edge(list, from.first + p, to, leave + weight);
    }
}

/* The transition s -> u of the model. */
static void add_transition(edge_list *list, const placement *place, int32_t s, int32_t u, double weight)
{
    const int32_t k = sp_model_state_class(place->model, s);
    const sp_run_weights *w = duration_of(place, s);
    const state_row from = place->whole[s], to = place->whole[u];
    if (!w) {
        for (int32_t p = from.first; u == s && p < from.first + from.n - 1; p++)
            add_edge(list, p, p + 1, weight);
        add_edge(list, from.first + from.n - 1, u == s ? from.first + from.n - 1 : to.first, weight);
    } else if (sp_model_state_class(place->model, u) != k) {
        add_ways_out(list, w, from, false, to.first, weight);
        add_ways_out(list, w, place->cut[s], true, to.first, weight);
    } else if (place->state_of[k] < 0) { /* how the only state of a class stays is the duration's, see list_edges() */
        add_run(list, w, from, to, weight);
        add_run(list, w, place->cut[s], place->cut[u], weight);
    }
}

/* All compiled transitions, in no particular order. */
static void list_edges(const sp_chain_options *options, const placement *place, edge_list *list)
{
    const sp_model *model = place->model;
    for (int32_t s = 0; s < model->n_states; s++) {
        const sp_run_weights *w = duration_of(place, s);
        for (int64_t e = model->row[s]; e < model->row[s + 1]; e++)
            add_transition(list, place, s, model->to[e],
                           options->is_boolean || !model->weight ? 0 : options->transition_weight * model->weight[e]);
        if (w && place->state_of[sp_model_state_class(model, s)] >= 0) {
            add_run(list, w, place->whole[s], place->whole[s], 0);
            add_run(list, w, place->cut[s], place->cut[s], 0);
        }
    }
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
static sp_status connect(const sp_chain_options *options, const placement *place, sp_chain *chain, sp_error *err)
{
    int32_t m = chain->n_states;
    edge_list count = {NULL, 0};
    list_edges(options, place, &count);
    if (count.n > MOST_TRANSITIONS)
        return sp_fail(err, SP_EMODEL, "model %s: its durations unfold into %lld transitions; shorten them", place->model->name,
                       (long long)count.n);
    edge *edges = new_array(count.n, sizeof *edges);
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
        edge_list list = {edges, 0};
        list_edges(options, place, &list);
        int64_t n = list.n;
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

static void find_only_states(placement *place)
{
    const sp_model *model = place->model;
    for (int32_t k = 0; k < model->n_classes; k++)
        place->state_of[k] = NONE_YET;
    for (int32_t s = 0; s < model->n_states; s++) {
        int32_t *only = &place->state_of[sp_model_state_class(model, s)];
        *only = *only == NONE_YET ? s : -1;
    }
}

/* The weights of runs go to the chain, in the order of its columns. */
static sp_status keep_durations(placement *place, const int32_t *column_of_class, sp_chain *chain, sp_error *err)
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
    sp_chain *chain = calloc(1, sizeof *chain);
    int32_t *column_of_class = new_array(K, sizeof *column_of_class);
    placement place = {.model = model,
                       .whole = new_array(model->n_states, sizeof *place.whole),
                       .cut = new_array(model->n_states, sizeof *place.cut),
                       .state_of = new_array(K, sizeof *place.state_of)};
    if (chain) {
        chain->n_classes = K;
        chain->min_dwell_at_end = model->min_dwell_at_end;
        chain->whole_at_start = model->whole_at_start;
        chain->whole_at_end = model->whole_at_end;
        chain->class_first = new_array(K + 1, sizeof *chain->class_first);
        chain->min_dwell = new_array(K, sizeof *chain->min_dwell);
    }
    if (!chain || !column_of_class || !place.whole || !place.cut || !place.state_of || !chain->class_first || !chain->min_dwell)
        TRY(sp_no_memory(err));
    assert(chain); /* sp_no_memory() never returns SP_OK */
    for (int32_t c = 0; c < K; c++)
        column_of_class[options->class_of_column ? options->class_of_column[c] : c] = c;
    find_only_states(&place);
    TRY(weigh_runs(&place, options, err));
    TRY(place_states(&place, column_of_class, chain, err));
    TRY(connect(options, &place, chain, err));
    TRY(list_legal_pairs(chain, err));
    TRY(keep_durations(&place, column_of_class, chain, err));
    if (options->is_boolean)
        drop_end_weights(chain);
    note_shape(chain);
    *out = chain;
    chain = NULL;
done:
    sp_chain_free(chain);
    for (int32_t k = 0; place.weight && k < K; k++)
        sp_run_weights_clear(&place.weight[k]);
    free(place.weight);
    free(column_of_class);
    free(place.whole);
    free(place.cut);
    free(place.state_of);
    return status;
}
