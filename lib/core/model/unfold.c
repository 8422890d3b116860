#include "core/model/unfold.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/model.h"
#include "core/owned.h"
#include "core/try.h"

/* ---- where each declared state goes ---- */

static const sp_run_weights *duration_of(const sp_placement *place, int32_t s)
{
    const int32_t k = sp_model_state_class(place->model, s);
    return place->weight && place->weight[k].n_whole > 0 ? &place->weight[k] : NULL;
}

/* How the only declared state of a class with a duration stays is the duration's, whatever the matrix says of it. Of several states
 * the matrix says how they follow each other. In a product with rules the transitions say it of one state, too: the rules have taken
 * some of them away, and priced others. */
static bool stays_by_duration(const sp_placement *place, int32_t k)
{
    return place->n_own[k] <= 1 && !place->gaps;
}

static int32_t column_of_state(const sp_model *model, const int32_t *column_of_class, int32_t s)
{
    return column_of_class[sp_model_state_class(model, s)];
}

/* The compiled state at place p of a row, from 0. */
static int32_t state_at(const sp_placement *place, sp_state_row row, int32_t p)
{
    return place->number[row.first + p];
}

/* Where recordings and stretches begin with declared state s. */
static int32_t first_of(const sp_placement *place, int32_t s)
{
    return state_at(place, place->cut[s].n > 0 ? place->cut[s] : place->whole[s], 0);
}

static void place_start(sp_chain *chain, const sp_placement *place, int32_t s, int32_t state)
{
    const sp_model *model = place->model;
    chain->entry[state] = !place->gaps || place->gaps->entry[s];
    chain->fresh[state] = !place->gaps || place->gaps->fresh[s];
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
static void place_duration(sp_chain *chain, const sp_placement *place, const sp_run_weights *w, int32_t s,
                           sp_state_row r, bool is_cut)
{
    const sp_model *model = place->model;
    for (int32_t p = 0; p < r.n; p++) {
        const double weight = leaving(w, p + 1, is_cut || !model->whole_at_end);
        chain->leave[state_at(place, r, p)] = weight;
        chain->end[state_at(place, r, p)] = weight + (model->end ? model->end[s] : 0);
    }
}

static void place_dwell(sp_chain *chain, const sp_placement *place, int32_t s, sp_state_row r)
{
    const sp_model *model = place->model;
    for (int32_t p = 0; p < r.n; p++)
        chain->end[state_at(place, r, p)] = p < r.n - 1 && model->min_dwell_at_end ? -INFINITY
                                            : model->end                           ? model->end[s]
                                                                                   : 0;
}

/* How many states each row has. */
static sp_status measure_rows(sp_placement *place, int64_t *total, sp_error *err)
{
    const sp_model *model = place->model;
    *total = 0;
    for (int32_t s = 0; s < model->n_states; s++) {
        const sp_run_weights *w = duration_of(place, s);
        sp_state_row *whole = &place->whole[s], *cut = &place->cut[s];
        whole->n = w ? w->n_whole : model->min_dwell ? model->min_dwell[s] : 1;
        cut->n = w && !model->whole_at_start ? w->n_cut : 0;
        whole->first = (int32_t)*total;
        cut->first = (int32_t)(*total + whole->n);
        *total += (int64_t)whole->n + cut->n;
    }
    if (*total <= INT32_MAX / 2)
        return SP_OK;
    return sp_fail(err, SP_EMODEL,
                   "model %s: its minimum dwells and durations unfold into %lld states; shorten them",
                   model->name, (long long)*total);
}

static bool new_states(sp_chain *chain, int64_t total, bool has_durations)
{
    chain->n_states = (int32_t)total;
    chain->state_class = sp_calloc(total, sizeof *chain->state_class);
    chain->declared = sp_calloc(total, sizeof *chain->declared);
    chain->entry = sp_calloc(total, 1);
    chain->fresh = sp_calloc(total, 1);
    chain->start = sp_calloc(total, sizeof *chain->start);
    chain->end = sp_calloc(total, sizeof *chain->end);
    chain->leave = has_durations ? sp_calloc(total, sizeof *chain->leave) : NULL;
    return chain->state_class && chain->declared && chain->entry && chain->fresh && chain->start &&
           chain->end && (chain->leave || !has_durations);
}

/* A compiled state before it has its number: the `at`th of all rows, one after the other. */
typedef struct unnumbered {
    int32_t column, is_cut, place, at;
} unnumbered;

static int compare_unnumbered(const void *a, const void *b)
{
    const unnumbered *x = a, *y = b;
    return x->column != y->column   ? x->column - y->column
           : x->is_cut != y->is_cut ? x->is_cut - y->is_cut
           : x->place != y->place   ? x->place - y->place
                                    : x->at - y->at;
}

/* Numbers the states in the order column, age, declaration; runs that may have begun before the recording
 * are the oldest. */
static void number_states(const sp_placement *place, const int32_t *column_of_class, unnumbered *states,
                          sp_chain *chain)
{
    const sp_model *model = place->model;
    for (int32_t s = 0; s < model->n_states; s++) {
        const int32_t column = column_of_state(model, column_of_class, s);
        const sp_state_row rows[2] = {place->whole[s], place->cut[s]};
        for (int32_t r = 0; r < 2; r++)
            for (int32_t p = 0; p < rows[r].n; p++)
                states[rows[r].first + p] = (unnumbered){column, r, p, rows[r].first + p};
        chain->class_first[column + 1] += rows[0].n + rows[1].n;
    }
    for (int32_t k = 0; k < chain->n_classes; k++)
        chain->class_first[k + 1] += chain->class_first[k];
    qsort(states, (size_t)chain->n_states, sizeof *states, compare_unnumbered);
    for (int32_t state = 0; state < chain->n_states; state++) {
        place->number[states[state].at] = state;
        chain->state_class[state] = states[state].column;
        chain->start[state] = -INFINITY;
    }
}

/* Numbers the compiled states, and fills what a chain has for each. */
static sp_status place_states(sp_placement *place, const int32_t *column_of_class, sp_chain *chain,
                              sp_error *err)
{
    const sp_model *model = place->model;
    int64_t total;
    unnumbered *states = NULL;
    sp_status status = SP_OK;
    TRY(measure_rows(place, &total, err));
    states = sp_calloc(total, sizeof *states);
    place->number = sp_calloc(total, sizeof *place->number);
    TRY(states && place->number && new_states(chain, total, place->weight != NULL) ? SP_OK
                                                                                   : sp_no_memory(err));
    number_states(place, column_of_class, states, chain);
    for (int32_t s = 0; s < model->n_states; s++) {
        const int32_t k = column_of_state(model, column_of_class, s);
        const sp_run_weights *w = duration_of(place, s);
        const sp_state_row whole = place->whole[s], cut = place->cut[s];
        for (int32_t p = 0; p < whole.n + cut.n; p++) /* cut stands behind whole */
            chain->declared[state_at(place, whole, p)] = s;
        place_start(chain, place, s, first_of(place, s));
        if (w) {
            place_duration(chain, place, w, s, whole, false);
            place_duration(chain, place, w, s, cut, true);
        } else {
            place_dwell(chain, place, s, whole);
        }
        if (!w && (chain->min_dwell[k] == 0 || whole.n < chain->min_dwell[k]))
            chain->min_dwell[k] = whole.n;
    }
    for (int32_t k = 0; k < model->n_classes; k++)
        if (chain->min_dwell[k] == 0)
            chain->min_dwell[k] = 1;
done:
    free(states);
    return status;
}

/* Weighs the runs of each class that has a duration; place->weight stays NULL where none has. */
static sp_status weigh_runs(sp_placement *place, const sp_chain_options *options, sp_error *err)
{
    const sp_model *model = place->model;
    sp_status status = SP_OK;
    for (int32_t k = 0; model->durations && k < model->n_classes; k++) {
        if (model->durations[k].form == SP_DURATION_FREE)
            continue;
        if (!place->weight && !(place->weight = sp_calloc(model->n_classes, sizeof *place->weight)))
            return sp_no_memory(err);
        TRY(sp_run_weights_make(model, k, options->step_seconds, options->is_boolean, &place->weight[k],
                                err));
    }
done:
    return status;
}

sp_status sp_placement_make(sp_placement *place, const sp_model *model, const sp_declared_gaps *gaps,
                            const sp_chain_options *options, const int32_t *column_of_class, sp_chain *chain,
                            sp_error *err)
{
    *place = (sp_placement){.model = model,
                            .gaps = gaps,
                            .whole = sp_calloc(model->n_states, sizeof *place->whole),
                            .cut = sp_calloc(model->n_states, sizeof *place->cut),
                            .n_own = sp_calloc(model->n_classes, sizeof *place->n_own)};
    sp_status status = SP_OK;
    TRY(place->whole && place->cut && place->n_own ? SP_OK : sp_no_memory(err));
    for (int32_t s = 0; s < model->n_states; s++)
        place->n_own[sp_model_state_class(model, s)]++;
    TRY(weigh_runs(place, options, err));
    TRY(place_states(place, column_of_class, chain, err));
done:
    return status;
}

void sp_placement_clear(sp_placement *place)
{
    for (int32_t k = 0; place->weight && k < place->model->n_classes; k++)
        sp_run_weights_clear(&place->weight[k]);
    free(place->weight);
    free(place->whole);
    free(place->cut);
    free(place->n_own);
    free(place->number);
    *place = (sp_placement){.model = NULL};
}

/* ---- transitions ---- */

static void add_edge(sp_edge_list *list, int32_t from, int32_t to, double weight)
{
    if (list->edges)
        list->edges[list->n] = (sp_edge){from, to, weight};
    list->n++;
}

/* Inside runs: along a row, and from its last state on where longer runs are possible. */
static void add_run(sp_edge_list *list, const sp_placement *place, const sp_run_weights *w, sp_state_row from,
                    sp_state_row to, double weight)
{
    for (int32_t p = 0; p + 1 < from.n; p++)
        add_edge(list, state_at(place, from, p), state_at(place, to, p + 1), weight + going_on(w, p + 1));
    if (from.n > 0 && w->longer > -INFINITY)
        add_edge(list, state_at(place, from, from.n - 1), state_at(place, to, to.n - 1), weight + w->longer);
}

/* From each state of a row of runs with a duration to the first of another class. */
static void add_ways_out(sp_edge_list *list, const sp_placement *place, const sp_run_weights *w,
                         sp_state_row from, bool is_cut, int32_t to, double weight)
{
    for (int32_t p = 0; p < from.n; p++) {
        const double leave = leaving(w, p + 1, is_cut);
        if (leave > -INFINITY)
            add_edge(list, state_at(place, from, p), to, leave + weight);
    }
}

/* The transition s -> u of the model. */
static void add_transition(sp_edge_list *list, const sp_placement *place, bool by_rows, int32_t s, int32_t u,
                           double weight)
{
    const int32_t k = sp_model_state_class(place->model, s);
    const sp_run_weights *w = duration_of(place, s);
    const sp_state_row from = place->whole[s], to = place->whole[u];
    const int32_t last = state_at(place, from, from.n - 1), first = state_at(place, to, 0);
    if (!w) {
        for (int32_t p = 0; u == s && p < from.n - 1; p++)
            add_edge(list, state_at(place, from, p), state_at(place, from, p + 1), weight);
        add_edge(list, last, u == s ? last : first, weight);
    } else if (sp_model_state_class(place->model, u) != k && by_rows) {
        add_edge(list, state_at(place, from, 0), first, weight);
    } else if (sp_model_state_class(place->model, u) != k) {
        add_ways_out(list, place, w, from, false, first, weight);
        add_ways_out(list, place, w, place->cut[s], true, first, weight);
    } else if (!stays_by_duration(place, k)) {
        add_run(list, place, w, from, to, weight);
        add_run(list, place, w, place->cut[s], place->cut[u], weight);
    }
}

/* Across gaps: from each state of a row that may be left there. */
static void list_across(const sp_placement *place, const sp_chain *chain, sp_edge_list *list)
{
    const sp_declared_gaps *gaps = place->gaps;
    for (int32_t s = 0; s < place->model->n_states; s++) {
        const sp_state_row rows[2] = {place->whole[s], place->cut[s]};
        for (int r = 0; r < 2; r++)
            for (int32_t p = 0; p < rows[r].n; p++) {
                const int32_t i = state_at(place, rows[r], p);
                for (int64_t e = gaps->row[s]; sp_chain_leave(chain, i) > -INFINITY && e < gaps->row[s + 1];
                     e++)
                    add_edge(list, i, first_of(place, gaps->to[e]),
                             sp_chain_leave(chain, i) + gaps->weight[e]);
            }
    }
}

void sp_list_edges(const sp_chain_options *options, const sp_placement *place, const sp_chain *chain,
                   sp_edge_kind kind, sp_edge_list *list)
{
    const sp_model *model = place->model;
    const bool by_rows = kind == SP_EDGES_BY_ROWS;
    if (kind == SP_EDGES_ACROSS) {
        list_across(place, chain, list);
        return;
    }
    for (int32_t s = 0; s < model->n_states; s++) {
        const sp_run_weights *w = duration_of(place, s);
        for (int64_t e = model->row[s]; e < model->row[s + 1]; e++)
            add_transition(
                list, place, by_rows, s, model->to[e],
                options->is_boolean || !model->weight ? 0 : options->transition_weight * model->weight[e]);
        if (w && !by_rows && stays_by_duration(place, sp_model_state_class(model, s))) {
            add_run(list, place, w, place->whole[s], place->whole[s], 0);
            add_run(list, place, w, place->cut[s], place->cut[s], 0);
        }
    }
}

/* ---- rows of runs ---- */

bool sp_has_plain_runs(const sp_placement *place)
{
    for (int32_t k = 0; place->weight && k < place->model->n_classes; k++)
        if (place->weight[k].n_whole > 0 && !stays_by_duration(place, k))
            return false;
    return place->weight != NULL;
}

void sp_place_runs(const sp_placement *place, sp_run_graph *graph)
{
    for (int32_t s = 0; s < place->model->n_states; s++) {
        const sp_run_weights *w = duration_of(place, s);
        if (!w)
            continue;
        const int32_t n_whole = place->whole[s].n, whole = state_at(place, place->whole[s], 0),
                      n_cut = place->cut[s].n, cut = whole + n_whole;
        graph->rows[graph->n_rows++] =
            (sp_run_row){whole, n_whole, cut, n_cut, w->longer, leaving(w, 1, true)};
        for (int32_t p = 0; p < n_whole; p++) {
            graph->leave[whole + p] = leaving(w, p + 1, false);
            graph->go_on[whole + p] = p + 1 < n_whole ? going_on(w, p + 1) : -INFINITY;
        }
        for (int32_t p = 0; p < n_cut; p++)
            graph->go_on[cut + p] = p + 1 < n_cut ? going_on(w, p + 1) : -INFINITY;
    }
}
