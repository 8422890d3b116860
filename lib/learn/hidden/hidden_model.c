/* From weights to a model, and both steps in one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/model.h"
#include "core/try.h"
#include "learn/hidden/hidden_private.h"
#include "learn/probabilities.h"

/* The transitions that weigh more than -INFINITY, with their weights. */
static sp_status set_transitions(sp_model *model, const double *next, sp_error *err)
{
    int64_t n = 0, first = 0;
    free(model->weight);
    if (!(model->weight = malloc(((size_t)model->row[model->n_states] + 1) * sizeof *model->weight)))
        return sp_no_memory(err);
    for (int32_t s = 0; s < model->n_states; s++) {
        const int64_t last = model->row[s + 1];
        for (int64_t e = first; e < last; e++)
            if (next[e] > -INFINITY) {
                model->to[n] = model->to[e];
                model->weight[n++] = next[e];
            }
        first = last;
        model->row[s + 1] = n;
    }
    return SP_OK;
}

/* from NULL: allowed or not, as it is. */
static sp_status set_side(int32_t n, const double *from, double **side, bool *is_list, sp_error *err)
{
    if (!*side && !from)
        return SP_OK;
    if (!*side && !(*side = calloc((size_t)n, sizeof **side)))
        return sp_no_memory(err);
    for (int32_t s = 0; s < n; s++)
        (*side)[s] = from ? from[s] : (*side)[s] > -INFINITY ? 0 : -INFINITY;
    *is_list = !from;
    return SP_OK;
}

sp_status sp_hidden_to_model(const sp_hidden *h, const sp_hidden_weights *w, const double *prior,
                             const char *name, sp_model **out, sp_error *err)
{
    const size_t K = (size_t)h->K;
    int32_t *in_order = malloc(K * sizeof *in_order);
    sp_model *model = NULL;
    sp_status status = SP_OK;
    TRY(in_order ? SP_OK : sp_no_memory(err));
    for (int32_t k = 0; k < h->K; k++)
        in_order[k] = k;
    TRY(sp_model_in_columns(h->model, in_order, &model, err));
    free(model->name);
    free(model->prior);
    model->prior = NULL;
    model->name = strdup(name);
    if (!model->name || (prior && !(model->prior = malloc(K * sizeof *prior))))
        TRY(sp_no_memory(err));
    if (prior)
        memcpy(model->prior, prior, K * sizeof *prior);
    TRY(set_transitions(model, w->next, err));
    TRY(set_side(h->m, w->start, &model->start, &model->start_is_list, err));
    TRY(set_side(h->m, w->end, &model->end, &model->end_is_list, err));
    model->weight_form = w->end || model->durations ? SP_WEIGHTS_LOG : SP_WEIGHTS_PROBABILITIES;
    TRY(sp_model_check(model, err));
    *out = model;
    model = NULL;
done:
    free(in_order);
    sp_model_free(model);
    return status;
}

/* Adds the steps of use with each class [K], then with each set of classes; returns how many. */
static double count_labels(const sp_hidden *h, const uint8_t *use, double *count)
{
    const sp_training *training = h->training;
    double n = 0;
    for (int64_t p = 0; training->labels && p < h->pieces.n; p++) {
        const sp_stretch *piece = &h->pieces.list[p];
        for (int64_t t = piece->first; (!use || use[piece->recording]) && t < piece->first + piece->n_steps;
             t++)
            if (sp_training_says(training, t)) {
                count[training->labels[t] >= 0 ? training->labels[t] : h->K + training->label_set[t]]++;
                n++;
            }
    }
    return n;
}

/* Adds the steps of a set of classes [K] to those of its classes, in proportion to their shares. */
static void share_out_set(int32_t K, const uint8_t *set, double n_steps, const double *share, double *count)
{
    double all = 0;
    for (int32_t k = 0; k < K; k++)
        all += set[k] ? share[k] : 0;
    for (int32_t k = 0; k < K && all > 0; k++)
        count[k] += set[k] ? n_steps * share[k] / all : 0;
}

sp_status sp_hidden_prior(const sp_hidden *h, const uint8_t *use, double smoothing, double *prior,
                          sp_error *err)
{
    enum { ITERATIONS = 100 };
    const int32_t K = h->K, n_sets = h->training->label_set ? h->training->n_label_sets : 0;
    const uint8_t *sets = h->training->label_sets;
    double *count = calloc(2 * (size_t)K + (size_t)n_sets, sizeof *count), n = 0;
    if (!count)
        return sp_no_memory(err);
    for (int32_t k = 0; k < K; k++)
        n += count[k] = smoothing;
    double *now = count + K + n_sets;
    n += count_labels(h, use, count);
    for (int32_t k = 0; k < K; k++)
        prior[k] = n_sets ? 1. / K : count[k] / n;
    for (int i = 0; i < ITERATIONS && n_sets; i++) {
        memcpy(now, count, (size_t)K * sizeof *now);
        for (int32_t s = 0; s < n_sets; s++)
            share_out_set(K, sets + (size_t)s * (size_t)K, count[K + s], prior, now);
        for (int32_t k = 0; k < K; k++)
            prior[k] = now[k] / n;
    }
    free(count);
    return SP_OK;
}

sp_status sp_hidden_fit(const sp_training *training, const sp_rules *rules,
                        const sp_hidden_em_options *options, sp_workers *workers, const char *name,
                        sp_model **out, sp_violations *violations, sp_hidden_found *found, sp_error *err)
{
    sp_hidden *h = NULL;
    sp_owned own = {0};
    sp_status status = SP_OK;
    TRY(sp_hidden_new(training, rules, &h, err));
    if (!options->has_scores && sp_hidden_n_steps(h, NULL) == 0)
        TRY(sp_fail_without_labels(h->violations.recordings, err));
    if (h->pieces.n == 0)
        TRY(sp_fail_without_paths(err));
    found->next = sp_zeros(&own, (size_t)h->n_edges, sizeof *found->next);
    found->start = sp_zeros(&own, (size_t)h->m, sizeof *found->start);
    double *prior = sp_zeros(&own, (size_t)h->K, sizeof *prior);
    TRY(sp_owned_status(&own, err));
    TRY(sp_hidden_em(h, options, workers, found, err));
    TRY(sp_hidden_prior(h, NULL, options->smoothing > 0 ? options->smoothing : 0.5, prior, err));
    TRY(sp_hidden_to_model(h, &(sp_hidden_weights){found->next, found->start, NULL},
                           training->labels ? prior : NULL, name, out, err));
    if (violations) {
        *violations = h->violations;
        h->violations = (sp_violations){0};
    }
done:
    found->next = found->start = NULL;
    sp_owned_free(&own);
    sp_hidden_free(h);
    return status;
}
