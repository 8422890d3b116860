/* Models of probabilities. */
#include "learn/probabilities.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void sp_smooth(int32_t n, const double *count, const uint8_t *allowed, double smoothing, double *p)
{
    double sum = 0;
    int32_t n_allowed = 0;
    for (int32_t k = 0; k < n; k++) {
        p[k] = allowed[k] ? count[k] + smoothing : 0;
        sum += p[k];
        n_allowed += allowed[k] != 0;
    }
    for (int32_t k = 0; k < n; k++)
        p[k] = sum > 0 ? p[k] / sum : allowed[k] ? 1.0 / n_allowed : 0;
}

static bool is_all(int32_t n, const uint8_t *allowed)
{
    for (int32_t k = 0; k < n; k++)
        if (!allowed[k])
            return false;
    return true;
}

static sp_status set_transitions(sp_model *model, const double *transition, sp_error *err)
{
    size_t K = (size_t)model->n_classes;
    uint8_t *allow = malloc(K * K);
    double *weight = malloc(K * K * sizeof *weight);
    sp_status status = SP_ENOMEM;
    if (allow && weight) {
        for (size_t p = 0; p < K * K; p++) {
            allow[p] = transition[p] > 0;
            weight[p] = allow[p] ? log(transition[p]) : 0;
        }
        status = sp_model_set_matrix(model, allow, weight, err);
    } else {
        sp_no_memory(err);
    }
    free(allow);
    free(weight);
    return status;
}

sp_status sp_model_of_probabilities(const sp_rules *rules, const char *name, const char *const *classes, const double *transition,
                                    const double *start, const double *prior, sp_model **out, sp_error *err)
{
    int32_t K = rules->n_classes;
    size_t n = (size_t)K;
    sp_model *model = sp_model_new(name, K, classes);
    bool ends_anywhere = is_all(K, rules->end), has_dwell = false;
    for (int32_t k = 0; k < K; k++)
        has_dwell |= rules->dwell[k] > 1;
    bool is_done = model && (model->start = malloc(n * sizeof *start)) &&
                   (ends_anywhere || (model->end = malloc(n * sizeof *model->end))) &&
                   (!prior || (model->prior = malloc(n * sizeof *prior))) &&
                   (!has_dwell || (model->min_dwell = malloc(n * sizeof *model->min_dwell)));
    if (!is_done) {
        sp_model_free(model);
        return sp_no_memory(err);
    }
    for (int32_t k = 0; k < K; k++) {
        model->start[k] = start[k] > 0 ? log(start[k]) : -INFINITY;
        if (!ends_anywhere)
            model->end[k] = rules->end[k] ? 0 : -INFINITY;
        if (prior)
            model->prior[k] = prior[k];
        if (has_dwell)
            model->min_dwell[k] = rules->dwell[k];
    }
    model->end_is_list = !ends_anywhere;
    model->min_dwell_at_end = has_dwell && rules->dwell_at_end;
    model->weight_form = SP_WEIGHTS_PROBABILITIES;
    sp_status status = set_transitions(model, transition, err);
    if (status == SP_OK)
        status = sp_model_check(model, err);
    if (status == SP_OK)
        *out = model;
    else
        sp_model_free(model);
    return status;
}
