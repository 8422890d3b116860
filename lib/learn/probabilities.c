/* Models of probabilities, and those that labels show. */
#include "learn/probabilities.h"

#include "core/try.h"
#include "learn/durations/durations.h"
#include "learn/hidden/hidden.h"
#include "learn/stretches.h"
#include "learn/training.h"
#include "statepath/learn.h"

#include <math.h>
#include <stdlib.h>

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
    sp_status status = SP_OK;
    if (!allow || !weight)
        TRY(sp_no_memory(err));
    for (size_t p = 0; p < K * K; p++) {
        allow[p] = transition[p] > 0;
        weight[p] = allow[p] ? log(transition[p]) : 0;
    }
    TRY(sp_model_set_matrix(model, allow, weight, err));
done:
    free(allow);
    free(weight);
    return status;
}

sp_status sp_model_of_probabilities(const sp_rules *rules, const char *name, const char *const *classes,
                                    const double *transition, const double *start, const double *prior,
                                    sp_model **out, sp_error *err)
{
    int32_t K = rules->n_classes;
    size_t n = (size_t)K;
    sp_model *model = NULL;
    bool ends_anywhere = is_all(K, rules->end), has_dwell = false;
    for (int32_t k = 0; k < K; k++)
        has_dwell |= rules->dwell[k] > 1;
    sp_status status = SP_OK;
    TRY(sp_rules_new_model(rules, name, classes, &model, err));
    if (!(model->start = malloc(n * sizeof *start)) ||
        (!ends_anywhere && !(model->end = malloc(n * sizeof *model->end))) ||
        (prior && !(model->prior = malloc(n * sizeof *prior))) ||
        (has_dwell && !(model->min_dwell = malloc(n * sizeof *model->min_dwell))))
        TRY(sp_no_memory(err));
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
    TRY(set_transitions(model, transition, err));
    sp_durations_weigh_changes(model);
    TRY(sp_model_check(model, err));
    *out = model;
    model = NULL;
done:
    sp_model_free(model);
    return status;
}

/* ---- transition probabilities from labels ---- */

/* Counts of the stretches as doubles: what obeys the rules. */
typedef struct tables {
    double *transition; /* [K,K] counts, then probabilities */
    double *start;      /* [K] */
    double *prior;      /* [K] */
} tables;

static void count(const sp_training *training, const sp_stretches *stretches, tables *c)
{
    size_t K = (size_t)training->batch.scores.n_classes;
    for (int64_t p = 0; p < stretches->n; p++) {
        const sp_stretch *stretch = &stretches->list[p];
        const int32_t *y = training->labels + stretch->first;
        c->start[y[0]] += stretch->is_start;
        for (int64_t t = 0; t < stretch->n_steps; t++) {
            c->prior[y[t]]++;
            if (t > 0)
                c->transition[(size_t)y[t - 1] * K + (size_t)y[t]]++;
        }
    }
}

/* In place, row by row. With smoothing 0 a class stays where it was seen, so that no class is a dead end by accident. */
static void to_probabilities(const sp_rules *rules, double smoothing, tables *c)
{
    int32_t K = rules->n_classes;
    for (int32_t i = 0; i < K; i++) {
        double *row = c->transition + (size_t)i * (size_t)K;
        if (smoothing == 0 && row[i] == 0 && rules->allow[i * K + i])
            row[i] = 1e-9;
        sp_smooth(K, row, rules->allow + (size_t)i * (size_t)K, smoothing, row);
    }
    sp_smooth(K, c->start, rules->start, smoothing, c->start);
    double n_steps = 0,
           least = smoothing > 0 ? smoothing : 0.5; /* never 0: its log is subtracted from scores */
    for (int32_t k = 0; k < K; k++)
        n_steps += c->prior[k] + least;
    for (int32_t k = 0; k < K; k++)
        c->prior[k] = (c->prior[k] + least) / n_steps;
}

sp_status sp_fail_without_labels(int64_t n_recordings, sp_error *err)
{
    return sp_fail(err, SP_EINVAL,
                   "no labelled step to learn from in %lld recordings; learn transitions from the scores "
                   "alone with `method` em",
                   (long long)n_recordings);
}

/* As counts would be, where labels do not say the states. */
static sp_status from_hidden(const sp_training *training, const sp_rules *rules, double smoothing,
                             sp_workers *workers, const char *name, sp_model **out, sp_violations *violations,
                             sp_error *err)
{
    const sp_hidden_em_options how = {
        .has_labels = true, .smoothing = smoothing, .most_iterations = 200, .precision = 1e-6};
    sp_hidden_found found = {0};
    return sp_hidden_fit(training, rules, &how, workers, name, out, violations, &found, err);
}

sp_status sp_model_from_labels(const sp_training *training, const sp_rules *rules, double smoothing,
                               sp_workers *workers, const char *name, sp_model **out,
                               sp_violations *violations, sp_error *err)
{
    if (!(smoothing >= 0) || isinf(smoothing))
        return sp_fail(err, SP_EINVAL, "smoothing %g: it is added to every count, a number from 0 on",
                       smoothing);
    if (rules->hidden)
        return from_hidden(training, rules, smoothing, workers, name, out, violations, err);
    const size_t K = (size_t)rules->n_classes;
    sp_stretches stretches = {0};
    sp_violations found = {0};
    double *all = NULL;
    sp_status status = SP_OK;
    TRY(sp_stretches_init(&stretches, training, rules, &found, err));
    if (stretches.n == 0)
        TRY(sp_fail_without_labels(found.recordings, err));
    if (!(all = calloc(K * K + 2 * K, sizeof *all)))
        TRY(sp_no_memory(err));
    tables c = {all, all + K * K, all + K * K + K};
    count(training, &stretches, &c);
    to_probabilities(rules, smoothing, &c);
    TRY(sp_model_of_probabilities(rules, name, training->classes, c.transition, c.start, c.prior, out, err));
    if (violations) {
        *violations = found;
        found = (sp_violations){0};
    }
done:
    free(all);
    sp_stretches_clear(&stretches);
    sp_violations_clear(&found);
    return status;
}
