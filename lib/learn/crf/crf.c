/* A conditional random field as a function to minimise: its data, its parameters' places, its value and gradient. */
#include "learn/crf/crf.h"

#include "core/numbers.h"
#include "core/try.h"
#include "learn/crf/crf_private.h"
#include "learn/lbfgs.h"
#include "learn/training.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- making ---- */

/* Bins of the positions: 1, 2, 3, 4, then two bins for each doubling. Returns how many. */
static int32_t fill_bins(int32_t D, int32_t *bin)
{
    int32_t n = 0, width = 1, in_width = 0, filled = 0;
    for (int32_t i = 0; i < D; i++) {
        bin[i] = n;
        if (++filled == width ||
            i + 1 == D - 1) { /* the last position stands for all later ones: a bin of its own */
            filled = 0;
            n++;
            if (i >= 3 && ++in_width == 2) {
                in_width = 0;
                width *= 2;
            } else if (i == 3) {
                width = 2;
            }
        }
    }
    return D > 0 ? bin[D - 1] + 1 : 0;
}

/* Hands out places in theta. */
static void place_parameters(sp_crf *crf)
{
    int64_t K = crf->K, n = 1 + K;
    for (int64_t k = 0; k < K; k++) {
        crf->stay[k] = crf->rules.allow[k * K + k] ? n : -1;
        if (crf->stay[k] >= 0)
            n += crf->has_bins ? 1 + crf->n_bins : 1;
    }
    for (int64_t p = 0; p < K * K; p++) {
        bool is_change = p / K != p % K;
        crf->exit[p] = is_change && crf->rules.allow[p] ? n++ : -1;
    }
    for (int64_t k = 0; k < K; k++)
        crf->start[k] = crf->rules.start[k] ? n++ : -1;
    for (int64_t k = 0; k < K; k++)
        crf->end[k] = crf->rules.end[k] ? n++ : -1;
    crf->n = n;
}

/* Scores as doubles, each row minus its maximum. */
static void copy_scores(const sp_scores *scores, double *e)
{
    int32_t K = scores->n_classes;
    for (int64_t t = 0; t < scores->n_steps; t++) {
        double *row = e + t * K, greatest = sp_score_row(scores, t, row);
        for (int32_t k = 0; k < K && greatest > -INFINITY; k++)
            row[k] -= greatest;
    }
}

static sp_status copy_rules(sp_rules *to, const sp_rules *from, sp_error *err)
{
    const size_t K = (size_t)from->n_classes;
    sp_status status = SP_OK;
    TRY(sp_rules_init(to, NULL, from->n_classes, NULL, err));
    memcpy(to->allow, from->allow, K * K);
    memcpy(to->start, from->start, K);
    memcpy(to->end, from->end, K);
    memcpy(to->dwell, from->dwell, K * sizeof *to->dwell);
    to->dwell_at_end = from->dwell_at_end;
    to->declared = from->declared;
done:
    return status;
}

/* Scores, and where each parameter stands. */
static sp_status lay_out(sp_crf *crf, sp_error *err)
{
    const size_t K = (size_t)crf->K;
    const sp_scores *scores = &crf->training->batch.scores;
    crf->e = sp_zeros(&crf->own, (size_t)scores->n_steps, K * sizeof *crf->e);
    crf->bin = sp_zeros(&crf->own, (size_t)crf->D, sizeof *crf->bin);
    crf->stay = sp_zeros(&crf->own, K, sizeof *crf->stay);
    crf->start = sp_zeros(&crf->own, K, sizeof *crf->start);
    crf->end = sp_zeros(&crf->own, K, sizeof *crf->end);
    crf->exit = sp_zeros(&crf->own, K * K, sizeof *crf->exit);
    if (crf->own.is_short)
        return sp_no_memory(err);
    crf->n_bins = fill_bins(crf->D, crf->bin);
    copy_scores(scores, crf->e);
    place_parameters(crf);
    return SP_OK;
}

int64_t sp_crf_n_steps(const sp_crf *crf)
{
    int64_t n = 0;
    if (crf->hidden)
        return sp_hidden_field_n_steps(crf->hidden);
    for (int64_t p = 0; p < crf->stretches.n; p++)
        n += sp_crf_uses(crf, crf->stretches.list[p].recording) ? crf->stretches.list[p].n_steps : 0;
    return n;
}

sp_status sp_crf_new(const sp_training *training, const sp_rules *rules, int32_t memory, sp_crf **out,
                     sp_error *err)
{
    if (!training->batch.scores.data)
        return sp_fail(
            err, SP_EINVAL,
            "a conditional random field is learnt from scores and labels, and there are no scores; fit "
            "the transitions alone with `method` counts");
    if (!training->labels)
        return sp_fail(err, SP_EINVAL,
                       "no labels to learn from; learn transitions from the scores alone with `method` em");
    if (memory < 1)
        return sp_fail(err, SP_EINVAL, "memory %d: a number of steps, at least 1", memory);
    if (memory > 1 && rules->own)
        return sp_fail(err, SP_EINVAL,
                       "`memory` %d: how long a class has lasted is not known where labels leave classes "
                       "open; leave it out",
                       memory);
    if (memory > 1 && rules->hidden)
        return sp_fail(err, SP_EINVAL,
                       "`memory` %d: model %s has states or durations of its own that say how a class stays; "
                       "leave it out",
                       memory, rules->hidden->name);
    size_t K = (size_t)rules->n_classes;
    sp_crf *crf = calloc(1, sizeof *crf);
    if (!crf)
        return sp_no_memory(err);
    crf->training = training;
    crf->K = rules->n_classes;
    crf->D = memory;
    crf->has_bins = memory > 1;
    for (size_t k = 0; k < K; k++)
        crf->D = rules->dwell[k] > crf->D ? rules->dwell[k] : crf->D;
    sp_status status = SP_OK;
    if (rules->hidden) {
        TRY(sp_hidden_field_new(training, rules, &crf->hidden, &crf->n, &crf->violations, err));
    } else {
        TRY(copy_rules(&crf->rules, rules, err));
        TRY(sp_stretches_init(&crf->stretches, training, rules, &crf->violations, err));
        TRY(lay_out(crf, err));
    }
    if (sp_crf_n_steps(crf) == 0)
        TRY(sp_fail(err, SP_EINVAL,
                    "no labelled step to learn from among %lld recordings%s; learn transitions from the "
                    "scores alone with "
                    "`method` em",
                    (long long)crf->violations.recordings,
                    crf->violations.impossible ? " (the scores of all labelled classes are -inf)" : ""));
    *out = crf;
    crf = NULL;
done:
    sp_crf_free(crf);
    return status;
}

void sp_crf_free(sp_crf *crf)
{
    if (!crf)
        return;
    sp_hidden_field_free(crf->hidden);
    sp_rules_clear(&crf->rules);
    sp_violations_clear(&crf->violations);
    sp_stretches_clear(&crf->stretches);
    sp_owned_free(&crf->own);
    free(crf);
}

int64_t sp_crf_n_parameters(const sp_crf *crf)
{
    return crf->n;
}

const sp_violations *sp_crf_violations(const sp_crf *crf)
{
    return &crf->violations;
}

void sp_crf_use(sp_crf *crf, const uint8_t *use)
{
    crf->use = use;
}

/* Factors of theta. `factors` has been initialised with crf's shape. */
static void unpack(const sp_crf *crf, const double *theta, sp_factors *factors)
{
    int64_t K = crf->K, D = crf->D;
    factors->scale = theta[0];
    factors->dwell = crf->rules.dwell;
    factors->dwell_at_end = crf->rules.dwell_at_end;
    factors->is_even = !crf->has_bins;
    for (int64_t k = 0; k < K; k++) {
        factors->bias[k] = theta[1 + k];
        factors->start[k] = crf->start[k] < 0 ? -INFINITY : theta[crf->start[k]];
        factors->end[k] = crf->end[k] < 0 ? -INFINITY : theta[crf->end[k]];
        for (int64_t i = 0; i < D; i++)
            factors->stay[k * D + i] = crf->stay[k] < 0 ? -INFINITY
                                       : !crf->has_bins
                                           ? theta[crf->stay[k]]
                                           : theta[crf->stay[k]] + theta[crf->stay[k] + 1 + crf->bin[i]];
    }
    for (int64_t p = 0; p < K * K; p++)
        factors->exit[p] = crf->exit[p] < 0 ? -INFINITY : theta[crf->exit[p]];
}

/* ---- value and gradient ---- */

/* Gradient of the likelihood's part: expected minus observed counts, at each parameter's place. */
void sp_crf_gather(const sp_crf *crf, const sp_expected *d, double *gradient)
{
    int64_t K = crf->K, D = crf->D;
    memset(gradient, 0, (size_t)crf->n * sizeof *gradient);
    gradient[0] = *d->scale;
    for (int64_t k = 0; k < K; k++) {
        gradient[1 + k] = d->bias[k];
        if (crf->start[k] >= 0)
            gradient[crf->start[k]] = d->start[k];
        if (crf->end[k] >= 0)
            gradient[crf->end[k]] = d->end[k];
        for (int64_t i = 0; crf->stay[k] >= 0 && i < D; i++) {
            gradient[crf->stay[k]] += d->stay[k * D + i];
            if (crf->has_bins)
                gradient[crf->stay[k] + 1 + crf->bin[i]] += d->stay[k * D + i];
        }
    }
    for (int64_t p = 0; p < K * K; p++)
        if (crf->exit[p] >= 0)
            gradient[crf->exit[p]] = d->exit[p];
}

/* Score of the labels under the factors: the counts along them times the weights. Forbidden factors are never used. */
static double score_observed(const sp_factors *f, const sp_expected *o)
{
    int64_t K = f->n_classes, D = f->n_positions;
    double score = 0;
    score += f->scale * *o->scale;
    for (int64_t k = 0; k < K; k++) {
        score += f->bias[k] * o->bias[k];
        score += o->start[k] > 0 ? f->start[k] * o->start[k] : 0;
        score += o->end[k] > 0 ? f->end[k] * o->end[k] : 0;
    }
    for (int64_t i = 0; i < K * D; i++)
        score += o->stay[i] > 0 ? f->stay[i] * o->stay[i] : 0;
    for (int64_t p = 0; p < K * K; p++)
        score += o->exit[p] > 0 ? f->exit[p] * o->exit[p] : 0;
    return score;
}

/* The sum over stretches of log Z - score of the labels; with `sums` the expected uses of factors less those of the labels, to be freed.
 * The factors are those of theta. */
static sp_status negative_log_likelihood(const sp_crf *crf, sp_factors *factors, sp_workers *workers,
                                         double *value, double **sums, sp_error *err)
{
    sp_sweep sweep = {.factors = factors,
                      .stretches = &crf->stretches,
                      .e = crf->e,
                      .use = crf->use,
                      .labels = crf->training->labels,
                      .wants_counts = sums != NULL};
    double *found = NULL;
    sp_status status = SP_OK;
    sp_factors_prepare(factors);
    TRY(sp_sweep_run(&sweep, workers, &found, err));
    const int64_t size = sp_expected_size(crf->K, crf->D);
    const sp_expected observed = sp_expected_over(found + size, crf->K, crf->D);
    *value = found[0] - score_observed(factors, &observed);
    for (int64_t i = 0; sums && i < size; i++)
        found[i] -= found[size + i];
    if (sums) {
        *sums = found;
        found = NULL;
    }
done:
    free(found);
    return status;
}

/* F without its penalty. */
static sp_status likelihood(const sp_crf *crf, const double *theta, sp_workers *workers, double *value,
                            double *gradient, sp_error *err)
{
    sp_factors factors = {0};
    double *sums = NULL;
    sp_status status = SP_OK;
    TRY(sp_factors_init(&factors, crf->K, crf->D, err));
    unpack(crf, theta, &factors);
    TRY(negative_log_likelihood(crf, &factors, workers, value, gradient ? &sums : NULL, err));
    if (gradient) {
        const sp_expected away = sp_expected_over(sums, crf->K, crf->D);
        sp_crf_gather(crf, &away, gradient);
    }
done:
    free(sums);
    sp_factors_clear(&factors);
    return status;
}

sp_status sp_crf_objective(const sp_crf *crf, const double *theta, const sp_crf_penalty *penalty,
                           sp_workers *workers, double *value, double *gradient, sp_error *err)
{
    if (!(theta[0] > 0) || isinf(theta[0]))
        return sp_fail(err, SP_EINVAL, "the scale of the scores is %g; it must be above 0", theta[0]);
    double f;
    sp_status status = SP_OK;
    TRY(sp_training_go_on(crf->training, err));
    TRY(crf->hidden ? sp_hidden_field_likelihood(crf->hidden, theta, crf->use, workers, &f, gradient, err)
                    : likelihood(crf, theta, workers, &f, gradient, err));
    for (int64_t i = 0; penalty && penalty->weight > 0 && i < crf->n; i++) {
        double away = theta[i] - (penalty->centre ? penalty->centre[i] : i == 0);
        f += penalty->weight / 2 * away * away;
        if (gradient)
            gradient[i] += penalty->weight * away;
    }
    *value = f;
done:
    return status;
}

enum { MOST_ITERATIONS = 500 };

typedef struct work {
    const sp_crf *crf;
    const sp_crf_penalty *penalty;
    sp_workers *workers;
    double *theta; /* [n] */
    double *unit;  /* [n] theta = unit * x; log theta[0] = unit * x */
} work;

static void to_theta(const work *w, const double *x, double *theta)
{
    for (int64_t i = 0; i < w->crf->n; i++)
        theta[i] = x[i] * w->unit[i];
    theta[0] = exp(theta[0]);
}

static sp_status evaluate(void *arg, const double *x, double *value, double *gradient, sp_error *err)
{
    work *w = arg;
    to_theta(w, x, w->theta);
    *value = INFINITY;
    if (!(w->theta[0] > 0) || !isfinite(w->theta[0]))
        return SP_OK;
    const sp_status status = sp_crf_objective(w->crf, w->theta, w->penalty, w->workers, value, gradient, err);
    if (status != SP_OK)
        return status;
    gradient[0] *= w->penalty->fixes_scale ? 0 : w->theta[0];
    for (int64_t i = 0; i < w->crf->n; i++)
        gradient[i] *= w->unit[i];
    return status;
}

sp_status sp_crf_minimise(const sp_crf *crf, double *theta, const sp_crf_penalty *penalty, double precision,
                          sp_workers *workers, sp_minimised *result, sp_error *err)
{
    if (!(penalty->weight > 0) || isinf(penalty->weight))
        return sp_fail(err, SP_EINVAL,
                       "penalty %g: must be a number above 0, else weights never seen have no best value",
                       penalty->weight);
    if (!(theta[0] > 0) || isinf(theta[0]))
        return sp_fail(err, SP_EINVAL, "the scale of the scores is %g; it must be above 0", theta[0]);
    size_t n = (size_t)crf->n;
    double *all = malloc(3 * n * sizeof *all);
    if (!all)
        return sp_no_memory(err);
    work w = {.crf = crf, .penalty = penalty, .workers = workers, .theta = all, .unit = all + n};
    double *x = all + 2 * n;
    sp_lbfgs_result found;
    sp_status status = SP_OK;
    TRY(sp_crf_usage(crf, w.unit, err));
    for (size_t i = 0; i < n; i++) {
        w.unit[i] = 1 / sqrt(penalty->weight + w.unit[i] / 4);
        x[i] = (i ? theta[i] : log(theta[0])) / w.unit[i];
    }
    TRY(sp_lbfgs(crf->n, x, evaluate, &w, precision, MOST_ITERATIONS, &found, err));
    to_theta(&w, x, theta);
    *result = (sp_minimised){found.value, found.iterations, found.evaluations, found.is_converged};
done:
    free(all);
    return status;
}
