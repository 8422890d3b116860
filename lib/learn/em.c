/* Baum-Welch on transitions and starts.
 *
 *     E   expected uses of each transition and start given the scores, by forward-backward over all recordings
 *     M   P(j|i) = uses of i -> j / uses of i -> any,  start likewise; a row never used stays as it is
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/numbers.h"
#include "core/owned.h"
#include "core/try.h"
#include "learn/crf/crf_pass.h"
#include "learn/hidden/hidden.h"
#include "learn/probabilities.h"
#include "learn/training.h"
#include "statepath/learn.h"

typedef struct em {
    sp_owned own;
    const sp_rules *rules;
    sp_stretches stretches;
    double *e; /* [S,K] */
    sp_factors factors;
    double *transition, *start; /* probabilities [K,K], [K] */
    double *sums;               /* expected uses of the last E step */
    uint8_t *has_path;          /* [stretches] */
} em;

/* Probabilities to factors. */
static void set_factors(em *w)
{
    int32_t K = w->factors.n_classes, D = w->factors.n_positions;
    for (int32_t k = 0; k < K; k++) {
        w->factors.start[k] = log(w->start[k]);
        w->factors.end[k] = w->rules->end[k] ? 0 : -INFINITY;
        for (int32_t i = 0; i < D; i++)
            w->factors.stay[k * D + i] = log(w->transition[k * K + k]);
        for (int32_t j = 0; j < K; j++)
            w->factors.exit[k * K + j] = j == k ? -INFINITY : log(w->transition[k * K + j]);
    }
    sp_factors_prepare(&w->factors);
}

/* E step; returns the log likelihood in *value. */
static sp_status expect(em *w, sp_workers *workers, double *value, sp_error *err)
{
    set_factors(w);
    free(w->sums);
    w->sums = NULL;
    sp_sweep sweep = {.factors = &w->factors,
                      .stretches = &w->stretches,
                      .e = w->e,
                      .has_path = w->has_path,
                      .wants_counts = true};
    sp_status status = SP_OK;
    TRY(sp_sweep_run(&sweep, workers, &w->sums, err));
    *value = w->sums[0];
done:
    return status;
}

/* M step. Inside a dwell staying has no alternative, and its weight multiplies all paths alike only where dwells are 1; uses
 * inside dwells count as staying, as the weights of the model do. */
static void maximise(em *w)
{
    int32_t K = w->factors.n_classes, D = w->factors.n_positions;
    sp_expected sum = sp_expected_over(w->sums, K, D);
    double n_starts = 0;
    for (int32_t i = 0; i < K; i++) {
        double *row = w->transition + (size_t)i * (size_t)K, all = 0;
        const double *uses = sum.exit + (size_t)i * (size_t)K;
        double stays = 0;
        for (int32_t p = 0; p < D; p++)
            stays += sum.stay[i * D + p];
        for (int32_t j = 0; j < K; j++)
            all += j == i ? stays : uses[j];
        for (int32_t j = 0; all > 0 && j < K; j++)
            row[j] = (j == i ? stays : uses[j]) / all;
        n_starts += sum.start[i];
    }
    for (int32_t k = 0; n_starts > 0 && k < K; k++)
        w->start[k] = sum.start[k] / n_starts;
}

static sp_status prepare(em *w, const sp_training *training, const sp_rules *rules, sp_error *err)
{
    size_t K = (size_t)rules->n_classes, S = (size_t)training->batch.scores.n_steps;
    int32_t D = 1;
    for (size_t k = 0; k < K; k++)
        D = rules->dwell[k] > D ? rules->dwell[k] : D;
    w->rules = rules;
    sp_status status = SP_OK;
    TRY(sp_stretches_unlabelled(&w->stretches, training, err));
    TRY(sp_factors_init(&w->factors, (int32_t)K, D, err));
    w->factors.dwell = rules->dwell;
    w->factors.dwell_at_end = rules->dwell_at_end;
    w->factors.is_even = true;
    w->e = sp_zeros(&w->own, S, K * sizeof *w->e);
    w->transition = sp_zeros(&w->own, K * K, sizeof *w->transition);
    w->start = sp_zeros(&w->own, K, sizeof *w->start);
    w->has_path = sp_zeros(&w->own, (size_t)w->stretches.n + 1, 1);
    TRY(sp_owned_status(&w->own, err));
    memset(w->has_path, 1, (size_t)w->stretches.n + 1);
    for (size_t t = 0; t < S; t++)
        sp_score_row(&training->batch.scores, (int64_t)t, w->e + t * K);
    for (size_t i = 0; i < K; i++) { /* equal shares, 0.9 for staying where it may */
        double *row = w->transition + i * K, n_others = 0;
        for (size_t j = 0; j < K; j++) {
            row[j] = rules->allow[i * K + j] != 0;
            n_others += j != i && row[j] > 0;
        }
        double stay = n_others == 0 ? 1 : 0.9, leave = row[i] > 0 ? 0.1 : 1;
        for (size_t j = 0; j < K; j++)
            row[j] *= j == i ? stay : n_others > 0 ? leave / n_others : 0;
    }
    sp_smooth((int32_t)K, w->start, rules->start, 1, w->start);
done:
    return status;
}

static bool any_path(const em *w)
{
    for (int64_t p = 0; p < w->stretches.n; p++)
        if (w->has_path[p])
            return true;
    return false;
}

sp_status sp_fail_without_paths(sp_error *err)
{
    return sp_fail(err, SP_EINVAL,
                   "no recording has an allowed path, so there is nothing to learn from; look at the rules "
                   "with statepath compare");
}

sp_status sp_model_from_em(const sp_training *training, const sp_rules *rules, int most_iterations,
                           double precision, sp_workers *workers, const char *name, sp_model **out,
                           double *log_likelihood, int *n_iterations, sp_error *err)
{
    if (!training->batch.scores.data)
        return sp_fail(err, SP_EINVAL,
                       "EM learns from scores, and there are none; learn from labels with `method` counts");
    if (rules->hidden) {
        const sp_hidden_em_options how = {.has_labels = true,
                                          .has_scores = true,
                                          .most_iterations = most_iterations,
                                          .precision = precision};
        sp_hidden_found found = {.values = log_likelihood};
        const sp_status status = sp_hidden_fit(training, rules, &how, workers, name, out, NULL, &found, err);
        if (n_iterations)
            *n_iterations = found.n_iterations;
        return status;
    }
    em w = {0};
    sp_status status = SP_OK;
    TRY(prepare(&w, training, rules, err));
    double value = 0, before;
    int n = 0;
    if (w.stretches.n > 0)
        TRY(expect(&w, workers, &value, err));
    if (!any_path(&w))
        TRY(sp_fail_without_paths(err));
    if (log_likelihood)
        log_likelihood[0] = value;
    for (bool goes_on = true; goes_on && n < most_iterations; n++) {
        before = value;
        maximise(&w);
        TRY(sp_training_go_on(training, err));
        TRY(expect(&w, workers, &value, err));
        if (log_likelihood)
            log_likelihood[n + 1] = value;
        goes_on = value - before > precision * fabs(value);
    }
    TRY(sp_model_of_probabilities(rules, name, training->classes, w.transition, w.start, NULL, out, err));
    if (n_iterations)
        *n_iterations = n;
done:
    sp_factors_clear(&w.factors);
    sp_stretches_clear(&w.stretches);
    free(w.sums);
    sp_owned_free(&w.own);
    return status;
}
