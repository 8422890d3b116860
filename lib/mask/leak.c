#include "statepath/mask.h"

#include <math.h>
#include <stdlib.h>

#include "core/chain_states.h"
#include "core/numbers.h"

static sp_status check_scores(const sp_scores *scores, sp_error *err)
{
    int64_t n = scores->n_steps * scores->n_classes;
    for (int64_t i = 0; i < n; i++) {
        double x = number_get(scores->data, scores->dtype, (size_t)i);
        if (!number_is_score(x))
            return sp_fail_at(err, SP_EDATA, i / scores->n_classes, "row %lld, class %d: %s is no score",
                              (long long)(i / scores->n_classes), (int)(i % scores->n_classes),
                              isnan(x) ? "NaN" : "+infinity");
    }
    return SP_OK;
}

/* The greatest score of row t; the sums below are taken relative to it. */
static double row_max(const sp_scores *scores, int64_t t)
{
    double max = -INFINITY;
    for (int32_t k = 0; k < scores->n_classes; k++) { /* not fmax(): gcc 12 for aarch64 fails over it */
        double x = sp_scores_at(scores, t, k);
        max = x > max ? x : max;
    }
    return max;
}

/* The two sums are apart, so that a leak of 1e-30 beside a mass of 1 is still a leak of 1e-30. */
static double share(double forbidden, double allowed)
{
    return forbidden / (forbidden + allowed);
}

sp_status sp_mask_leak(const sp_scores *scores, const uint8_t *mask, double *leak, sp_error *err)
{
    sp_status status = check_scores(scores, err);
    if (status != SP_OK)
        return status;
    for (int64_t t = 0; t < scores->n_steps; t++) {
        const uint8_t *m = mask + (size_t)t * (size_t)scores->n_classes;
        double max = row_max(scores, t), mass[2] = {0, 0}; /* forbidden, allowed */
        if (max == -INFINITY) {
            leak[t] = SP_LEAK_NONE;
            continue;
        }
        for (int32_t k = 0; k < scores->n_classes; k++)
            mass[m[k] != 0] += exp(sp_scores_at(scores, t, k) - max);
        leak[t] = share(mass[0], mass[1]);
    }
    return SP_OK;
}

/* Leak of one step of a model; `previous` is the class before, or -1 for the start. The legal successors of a class stand in
 * ascending order, so one walk along the classes meets them all. */
static double chain_step_leak(const sp_chain *chain, const sp_scores *scores, int64_t t, int32_t previous)
{
    double max = row_max(scores, t), mass[2] = {0, 0};
    if (max == -INFINITY)
        return SP_LEAK_NONE;
    int64_t next = previous < 0 ? 0 : chain->legal_row[previous],
            end = previous < 0 ? 0 : chain->legal_row[previous + 1];
    for (int32_t k = 0; k < scores->n_classes; k++) {
        bool is_legal = next < end && chain->legal_to[next] == k;
        next += is_legal;
        if (previous < 0)
            is_legal = sp_chain_is_legal_start(chain, k);
        mass[is_legal] += exp(sp_scores_at(scores, t, k) - max);
    }
    return share(mass[0], mass[1]);
}

sp_status sp_chain_leak(const sp_chain *chain, const sp_scores *scores, const int32_t *path, double *leak,
                        sp_error *err)
{
    int32_t n_classes = sp_chain_n_classes(chain);
    if (scores->n_classes != n_classes)
        return sp_fail(err, SP_EINVAL, "the scores have %d classes and the model %d", (int)scores->n_classes,
                       (int)n_classes);
    for (int64_t t = 0; t < scores->n_steps; t++)
        if (path[t] < -1 || path[t] >= n_classes)
            return sp_fail_at(err, SP_EINVAL, t, "step %lld of the path: class %d is none of 0..%d",
                              (long long)t, (int)path[t], (int)n_classes - 1);
    sp_status status = check_scores(scores, err);
    if (status != SP_OK)
        return status;

    for (int64_t t = 0; t < scores->n_steps; t++) {
        bool is_free = t > 0 && (sp_scores_is_gap(scores, t) || path[t - 1] < 0);
        leak[t] = is_free ? SP_LEAK_NONE : chain_step_leak(chain, scores, t, t > 0 ? path[t - 1] : -1);
    }
    return SP_OK;
}

static sp_leak_summary summarise(const double *leak, int64_t n)
{
    sp_leak_summary s = {.maximum_row = -1};
    double sum = 0;
    for (int64_t t = 0; t < n; t++) {
        if (leak[t] < 0) {
            s.n_left_out++;
            continue;
        }
        s.n_rows++;
        s.n_leaking += leak[t] > 0;
        sum += leak[t];
        if (s.maximum_row < 0 || leak[t] > s.maximum) {
            s.maximum = leak[t];
            s.maximum_row = t;
        }
    }
    if (s.n_rows > 0)
        s.mean = sum / (double)s.n_rows;
    return s;
}

sp_status sp_leak_summarise(const double *leak, int64_t n, const double *probabilities, int32_t n_quantiles,
                            double *quantiles, sp_leak_summary *out, sp_error *err)
{
    for (int32_t q = 0; q < n_quantiles; q++)
        if (!(probabilities[q] >= 0 && probabilities[q] <= 1))
            return sp_fail(err, SP_EINVAL, "quantile %.6g: it must lie between 0 and 1", probabilities[q]);
    sp_leak_summary s = summarise(leak, n);
    if (n_quantiles > 0) {
        double *sorted = malloc((size_t)(s.n_rows ? s.n_rows : 1) * sizeof *sorted);
        if (!sorted)
            return sp_no_memory(err);
        int64_t kept = 0;
        for (int64_t t = 0; t < n; t++)
            if (leak[t] >= 0)
                sorted[kept++] = leak[t];
        qsort(sorted, (size_t)kept, sizeof *sorted, number_compare);
        for (int32_t q = 0; q < n_quantiles; q++)
            quantiles[q] = kept > 0 ? number_quantile(sorted, kept, probabilities[q]) : 0;
        free(sorted);
    }
    if (out)
        *out = s;
    return SP_OK;
}
