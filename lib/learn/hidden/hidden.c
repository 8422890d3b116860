/* Rules compiled for learning: which weight of the chain is which weight of the model. */
#include "learn/hidden/hidden.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/model.h"
#include "core/model/windows.h"
#include "core/try.h"
#include "learn/hidden/hidden_private.h"

static bool has_duration(const sp_model *model, int32_t k)
{
    return model->durations && model->durations[k].form != SP_DURATION_FREE;
}

/* Which transitions of a state share out probability. */
static void group_transitions(sp_hidden *h)
{
    const sp_model *model = h->model;
    int32_t *n_states = sp_zeros(&h->own, (size_t)h->K, sizeof *n_states);
    for (int32_t s = 0; n_states && s < h->m; s++)
        n_states[sp_model_state_class(model, s)]++;
    for (int32_t s = 0; n_states && s < h->m; s++)
        for (int64_t e = model->row[s]; e < model->row[s + 1]; e++) {
            const int32_t k = sp_model_state_class(model, s);
            const bool goes_on = has_duration(model, k) && sp_model_state_class(model, model->to[e]) == k;
            h->group[e] = !goes_on ? SP_HIDDEN_OUT : n_states[k] > 1 ? SP_HIDDEN_INSIDE : SP_HIDDEN_FIXED;
        }
}

/* The model's transition that leads from one compiled state to another, where its weight is learnt; else -1. */
static int64_t place_of(const sp_hidden *h, int32_t from, int32_t to)
{
    const int64_t e = sp_model_edge(h->model, h->chain->declared[from], h->chain->declared[to]);
    return e >= 0 && h->group[e] != SP_HIDDEN_FIXED ? e : -1;
}

static double *copied(sp_hidden *h, int64_t n, const double *from)
{
    double *made = sp_zeros(&h->own, (size_t)n, sizeof *made);
    if (made && n > 0)
        memcpy(made, from, (size_t)n * sizeof *made);
    return made;
}

/* Places of the transitions in rows of the states that they lead from (by_target: to). */
static int64_t *places(sp_hidden *h, const int64_t *row, const int32_t *other, bool by_target)
{
    const int32_t M = h->chain->n_states;
    int64_t *made = sp_zeros(&h->own, (size_t)row[M], sizeof *made);
    for (int32_t s = 0; made && s < M; s++)
        for (int64_t n = row[s]; n < row[s + 1]; n++)
            made[n] = by_target ? place_of(h, other[n], s) : place_of(h, s, other[n]);
    return made;
}

/* Compiles the model without weights of its own. */
static sp_status compile(sp_hidden *h, sp_error *err)
{
    const sp_training *training = h->training;
    sp_owned own = {0};
    sp_model bare = *h->model;
    sp_chain_options options = sp_chain_options_default();
    double *start = sp_zeros(&own, (size_t)h->m, sizeof *start),
           *end = sp_zeros(&own, (size_t)h->m, sizeof *end);
    sp_status status = SP_OK;
    TRY(sp_owned_status(&own, err));
    for (int32_t s = 0; s < h->m; s++) {
        start[s] = bare.start && bare.start[s] == -INFINITY ? -INFINITY : 0;
        end[s] = bare.end && bare.end[s] == -INFINITY ? -INFINITY : 0;
    }
    bare.weight = NULL;
    bare.weight_form = SP_WEIGHTS_NONE;
    bare.start = start;
    bare.end = end;
    options.step_seconds = training->step_seconds;
    options.max_states = training->max_states;
    TRY(sp_chain_new(&bare, &options, &h->chain, err));
    h->chain->is_boolean = false; /* it gets weights */
done:
    sp_owned_free(&own);
    return status;
}

/* What weights are added to, and where each goes. */
static sp_status keep_weights(sp_hidden *h, sp_error *err)
{
    const sp_chain *c = h->chain;
    const int32_t M = c->n_states;
    h->succ_base = copied(h, c->succ_row[M], c->succ_weight);
    h->pred_base = copied(h, c->pred_row[M], c->pred_weight);
    h->start_base = copied(h, M, c->start);
    h->end_base = copied(h, M, c->end);
    h->any_start = sp_zeros(&h->own, (size_t)M, sizeof *h->any_start);
    h->any_end = sp_zeros(&h->own, (size_t)M, sizeof *h->any_end);
    h->succ_place = places(h, c->succ_row, c->succ, false);
    h->pred_place = places(h, c->pred_row, c->pred, true);
    if (c->runs) {
        h->runs_base = copied(h, c->runs->pred_row[M], c->runs->pred_weight);
        h->runs_place = places(h, c->runs->pred_row, c->runs->pred, true);
    }
    for (int32_t j = 0; !h->own.is_short && j < M; j++)
        h->any_start[j] = c->entry[j] ? 0 : -INFINITY;
    return sp_owned_status(&h->own, err);
}

sp_status sp_hidden_new(const sp_training *training, const sp_rules *rules, sp_hidden **out, sp_error *err)
{
    const int32_t K = rules->n_classes;
    int32_t *class_of_column = malloc((size_t)K * sizeof *class_of_column);
    sp_hidden *h = calloc(1, sizeof *h);
    sp_status status = SP_OK;
    TRY(h && class_of_column ? SP_OK : sp_no_memory(err));
    h->training = training;
    TRY(sp_model_align(rules->hidden, K, training->classes, class_of_column, err));
    TRY(sp_model_in_columns(rules->hidden, class_of_column, &h->model, err));
    sp_windows_free(h->model->windows); /* of a model that was learnt: no rules */
    h->model->windows = NULL;
    h->K = K;
    h->m = h->model->n_states;
    h->n_edges = h->model->row[h->m];
    h->group = sp_zeros(&h->own, (size_t)h->n_edges, 1);
    group_transitions(h);
    TRY(sp_owned_status(&h->own, err));
    TRY(compile(h, err));
    TRY(keep_weights(h, err));
    TRY(sp_hidden_cut(h, err));
    *out = h;
    h = NULL;
done:
    free(class_of_column);
    sp_hidden_free(h);
    return status;
}

void sp_hidden_free(sp_hidden *h)
{
    if (!h)
        return;
    sp_model_free(h->model);
    sp_chain_free(h->chain);
    sp_stretches_clear(&h->pieces);
    sp_violations_clear(&h->violations);
    sp_owned_free(&h->own);
    free(h);
}

bool sp_hidden_learns(const sp_hidden *h, int64_t edge)
{
    return h->group[edge] != SP_HIDDEN_FIXED;
}

static void weigh(int64_t n, const double *base, const int64_t *place, const double *next, double *weight)
{
    for (int64_t i = 0; i < n; i++)
        weight[i] = base[i] + (place[i] >= 0 ? next[place[i]] : 0);
}

void sp_hidden_weigh(sp_hidden *h, const sp_hidden_weights *w)
{
    sp_chain *c = h->chain;
    const int32_t M = c->n_states;
    weigh(c->succ_row[M], h->succ_base, h->succ_place, w->next, c->succ_weight);
    weigh(c->pred_row[M], h->pred_base, h->pred_place, w->next, c->pred_weight);
    if (c->runs)
        weigh(c->runs->pred_row[M], h->runs_base, h->runs_place, w->next, c->runs->pred_weight);
    for (int32_t j = 0; j < M; j++) {
        c->start[j] = h->start_base[j] + w->start[c->declared[j]];
        c->end[j] = h->end_base[j] + (w->end ? w->end[c->declared[j]] : 0);
    }
}
