/* Parameters of a conditional random field: from counts of the labels, and to an ordinary model. */
#include "core/try.h"
#include "learn/crf/crf.h"
#include "learn/crf/crf_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what the labels alone say of the parameters ---- */

/* Counts along the labels; the caller frees o->all. False on lack of memory. */
static bool observe(const sp_crf *crf, sp_expected *o)
{
    double *all = calloc((size_t)sp_expected_size(crf->K, crf->D), sizeof *all);
    if (!all)
        return false;
    *o = sp_expected_over(all, crf->K, crf->D);
    sp_factors shape = {.n_classes = crf->K, .n_positions = crf->D, .dwell = crf->rules.dwell};
    for (int64_t p = 0; p < crf->stretches.n; p++)
        if (sp_crf_uses(crf, crf->stretches.list[p].recording))
            sp_crf_observe(&shape, crf->e, crf->training->labels, &crf->stretches.list[p], o);
    return true;
}

sp_status sp_crf_usage(const sp_crf *crf, double *usage, sp_error *err)
{
    sp_expected o;
    if (crf->hidden) {
        sp_hidden_field_usage(crf->hidden, crf->use, usage);
        return SP_OK;
    }
    if (!observe(crf, &o))
        return sp_no_memory(err);
    *o.scale = (double)sp_crf_n_steps(crf);
    sp_crf_gather(crf, &o, usage);
    free(o.all);
    return SP_OK;
}

sp_status sp_crf_from_counts(const sp_crf *crf, double smoothing, const sp_crf_weights *weights,
                             sp_workers *workers, double *theta, sp_error *err)
{
    int64_t K = crf->K, D = crf->D;
    sp_expected o;
    sp_crf_weights plain = {1, 1, 1};
    if (!weights)
        weights = &plain;
    if (crf->hidden)
        return sp_hidden_field_from_counts(crf->hidden, smoothing, weights, crf->use, workers, theta, err);
    if (!observe(crf, &o))
        return sp_no_memory(err);
    memset(theta, 0, (size_t)crf->n * sizeof *theta);
    theta[0] = weights->scale;
    double n_steps = 0, n_starts = 0, start_room = 0;
    for (int64_t k = 0; k < K; k++) {
        n_steps += o.bias[k];
        n_starts += o.start[k];
        start_room += crf->start[k] >= 0 ? smoothing : 0;
    }
    for (int64_t k = 0; k < K; k++) {
        double stays = 0, all_moves = 0, room = 0;
        for (int64_t i = 0; i < D; i++)
            stays += o.stay[k * D + i];
        for (int64_t j = 0; j < K; j++) {
            all_moves += j == k ? stays : o.exit[k * K + j];
            room += crf->rules.allow[k * K + j] ? smoothing : 0;
        }
        theta[1 + k] = -weights->prior * log((o.bias[k] + smoothing) / (n_steps + (double)K * smoothing));
        if (crf->stay[k] >= 0)
            theta[crf->stay[k]] = weights->transitions * log((stays + smoothing) / (all_moves + room));
        for (int64_t j = 0; j < K; j++)
            if (crf->exit[k * K + j] >= 0)
                theta[crf->exit[k * K + j]] =
                    weights->transitions * log((o.exit[k * K + j] + smoothing) / (all_moves + room));
        if (crf->start[k] >= 0)
            theta[crf->start[k]] = log((o.start[k] + smoothing) / (n_starts + start_room));
    }
    free(o.all);
    return SP_OK;
}

/* ---- from parameters to a model ---- */

/* Weight of entering class k from anywhere holds its bias too. */
static double move_weight(const sp_crf *crf, const double *theta, int64_t from, int64_t to)
{
    int64_t place = from == to ? crf->stay[from] : crf->exit[from * crf->K + to];
    return theta[place] + theta[1 + to];
}

static double *edge_weights(double *weights, size_t n, const int64_t *place, const double *theta,
                            const double *bias)
{
    for (size_t k = 0; k < n; k++)
        weights[k] = place[k] < 0 ? -INFINITY : theta[place[k]] + (bias ? bias[k] : 0);
    return weights;
}

/* D states a class: the i-th leads to the next by staying, the last to itself; all from the dwell on lead to first states. */
static sp_status set_states(size_t D, sp_model *model, sp_error *err)
{
    size_t M = (size_t)model->n_classes * D;
    free(model->row);
    model->row = calloc(M + 1, sizeof *model->row);
    model->states = calloc(M, sizeof *model->states);
    model->state_class = calloc(M, sizeof *model->state_class);
    bool is_done = model->row && model->states && model->state_class;
    model->n_states = is_done ? (int32_t)M : model->n_states;
    for (size_t s = 0; is_done && s < M; s++) {
        size_t k = s / D, size = strlen(model->classes[k]) + 16;
        model->state_class[s] = (int32_t)k;
        if ((is_done = (model->states[s] = malloc(size)) != NULL))
            snprintf(model->states[s], size, "%s.%zu", model->classes[k], s % D + 1);
    }
    return is_done ? SP_OK : sp_no_memory(err);
}

/* With one state a class its dwell is the model's minimum dwell. */
static sp_status set_dwell(const sp_crf *crf, sp_model *model, sp_error *err)
{
    size_t bytes = (size_t)crf->K * sizeof *model->min_dwell;
    model->min_dwell_at_end = crf->rules.dwell_at_end;
    if (crf->D > 1 && !(model->min_dwell = malloc(bytes)))
        return sp_no_memory(err);
    if (crf->D > 1)
        memcpy(model->min_dwell, crf->rules.dwell, bytes);
    return SP_OK;
}

static sp_status set_transitions(const sp_crf *crf, const double *theta, sp_model *model, sp_error *err)
{
    size_t K = (size_t)crf->K, D = crf->has_bins ? (size_t)crf->D : 1, M = K * D;
    if (crf->has_bins && M > 4000)
        return sp_fail(
            err, SP_EINVAL,
            "a memory of %d steps over %d classes makes a model of %zu states; at most 4000 are written",
            crf->D, crf->K, M);
    sp_owned own = {0};
    uint8_t *allow = sp_zeros(&own, M * M, 1);
    double *weight = sp_zeros(&own, M * M, sizeof *weight);
    sp_status status = SP_OK;
    TRY(sp_owned_status(&own, err));
    TRY(crf->has_bins ? set_states(D, model, err) : set_dwell(crf, model, err));
    for (size_t s = 0; s < M; s++) {
        size_t k = s / D, i = s % D, next = k * D + (i + 1 < D ? i + 1 : i);
        if (crf->stay[k] >= 0) {
            allow[s * M + next] = 1;
            weight[s * M + next] = move_weight(crf, theta, (int64_t)k, (int64_t)k);
            weight[s * M + next] += crf->has_bins ? theta[crf->stay[k] + 1 + crf->bin[i]] : 0;
        }
        bool may_leave = !crf->has_bins || i + 1 >= (size_t)crf->rules.dwell[k];
        for (size_t j = 0; may_leave && j < K; j++)
            if (j != k && crf->exit[k * K + j] >= 0) {
                allow[s * M + j * D] = 1;
                weight[s * M + j * D] = move_weight(crf, theta, (int64_t)k, (int64_t)j);
            }
    }
    TRY(sp_model_set_matrix(model, allow, weight, err));
done:
    sp_owned_free(&own);
    return status;
}

sp_status sp_crf_to_model(const sp_crf *crf, const double *theta, const char *name, sp_model **out,
                          sp_error *err)
{
    if (!(theta[0] > 0) || isinf(theta[0]))
        return sp_fail(err, SP_EINVAL, "the scale of the scores is %g; it must be above 0", theta[0]);
    if (crf->hidden)
        return sp_hidden_field_to_model(crf->hidden, theta, name, out, err);
    size_t K = (size_t)crf->K, D = crf->has_bins ? (size_t)crf->D : 1;
    sp_model *model = NULL;
    double *start = malloc(K * sizeof *start), *end = malloc(K * sizeof *end);
    sp_status status = SP_OK;
    TRY(sp_rules_new_model(&crf->rules, name, crf->training->classes, &model, err));
    if (!start || !end || !(model->start = malloc(K * D * sizeof *start)) ||
        !(model->end = malloc(K * D * sizeof *end)))
        TRY(sp_no_memory(err));
    edge_weights(start, K, crf->start, theta, theta + 1);
    edge_weights(end, K, crf->end, theta, NULL);
    for (size_t s = 0; s < K * D; s++) {
        bool is_short =
            crf->has_bins && crf->rules.dwell_at_end && s % D + 1 < (size_t)crf->rules.dwell[s / D];
        model->start[s] = s % D == 0 ? start[s / D] : -INFINITY;
        model->end[s] = is_short ? -INFINITY : end[s / D];
    }
    model->weight_form = SP_WEIGHTS_LOG;
    model->temperature = 1 / theta[0];
    TRY(set_transitions(crf, theta, model, err));
    TRY(sp_model_check(model, err));
    *out = model;
    model = NULL;
done:
    free(start);
    free(end);
    sp_model_free(model);
    return status;
}
