#include "statepath/mask.h"

#include "mask/nll_step.h"

#include <math.h>
#include <string.h>

#include "core/numbers.h"

static bool is_weight(double w)
{
    return w >= 0 && isfinite(w);
}

static const char *const too_heavy =
    "the weights sum to more than a float64 holds: divide them by a constant, which leaves the mean as "
    "it is";

static sp_status fail_weight(double w, int64_t i, sp_error *err)
{
    return sp_fail_at(
        err, SP_EDATA, i,
        "weight %.6g at place %lld: weights must be finite and not negative; 0 leaves a step out", w,
        (long long)i);
}

sp_status sp_loss_mean(const double *loss, const double *weights, int64_t n, double *mean, sp_error *err)
{
    double sum = 0, total = 0;
    for (int64_t i = 0; i < n; i++) {
        double w = weights ? weights[i] : 1;
        if (!is_weight(w))
            return fail_weight(w, i, err);
        if (w == 0) /* 0 times NaN is not nothing: leave it out */
            continue;
        if (!(loss[i] > -INFINITY))
            return sp_fail_at(
                err, SP_EDATA, i,
                "loss %.6g at place %lld counts with weight %.6g; give it the weight 0 to leave it out",
                loss[i], (long long)i, w);
        sum += w * loss[i];
        total += w;
    }
    if (total == 0)
        return sp_fail(err, SP_EDATA,
                       "the weights of %lld losses sum to 0: there is no step to take the mean of",
                       (long long)n);
    if (isinf(total))
        return sp_fail(err, SP_EDATA, "%s", too_heavy);
    *mean = sum / total;
    return SP_OK;
}

void sp_loss_weights_from_mask(const uint8_t *mask, const double *weights, int64_t n, double *out)
{
    for (int64_t i = 0; i < n; i++)
        out[i] = !mask[i] ? 0 : weights ? weights[i] : 1;
}

void sp_loss_weights_from_labels(const int32_t *labels, int32_t ignore, const double *weights, int64_t n,
                                 double *out)
{
    for (int64_t i = 0; i < n; i++)
        out[i] = labels[i] == ignore ? 0 : weights ? weights[i] : 1;
}

sp_status sp_loss_mask_from_positions(const sp_position *positions, int64_t count, int64_t n, int64_t t,
                                      uint8_t *mask, sp_error *err)
{
    for (int64_t i = 0; i < count; i++) {
        sp_position p = positions[i];
        if (p.sequence < 0 || p.sequence >= n || p.step < 0 || p.step >= t)
            return sp_fail(err, SP_EINVAL,
                           "masked position (%lld, %lld) lies outside of %lld sequences of %lld steps",
                           (long long)p.sequence, (long long)p.step, (long long)n, (long long)t);
    }
    if (n > 0 && t > 0)
        memset(mask, 0, (size_t)n * (size_t)t);
    for (int64_t i = 0; i < count; i++)
        mask[positions[i].sequence * t + positions[i].step] = 1;
    return SP_OK;
}

/* logsumexp(e[t,:]) - e[t,label]; +INFINITY when the label is impossible. With the label's score taken out first, a label that
 * has nearly everything keeps its small loss: log1p of the others' odds against it. */
double sp_nll_step(const sp_scores *scores, int64_t t, int32_t label)
{
    double own = sp_scores_at(scores, t, label), max = -INFINITY, others = 0;
    if (own == -INFINITY)
        return INFINITY;
    for (int32_t k = 0; k < scores->n_classes; k++)
        if (k != label)
            max = fmax(max, sp_scores_at(scores, t, k));
    double shift = fmax(max, own);
    for (int32_t k = 0; k < scores->n_classes; k++)
        if (k != label)
            others += exp(sp_scores_at(scores, t, k) - shift);
    return own >= max ? log1p(others) : (max - own) + log(others + exp(own - max));
}

sp_status sp_nll_add(sp_nll *nll, const sp_scores *scores, const int32_t *labels, const double *weights,
                     sp_error *err)
{
    sp_nll next = *nll;
    for (int64_t t = 0; t < scores->n_steps; t++) {
        double w = weights ? weights[t] : 1;
        if (!is_weight(w))
            return fail_weight(w, t, err);
        if (labels[t] < -1 || labels[t] >= scores->n_classes)
            return sp_fail_at(err, SP_EDATA, t,
                              "label %d at step %lld is none of the %d classes; -1 leaves a step out",
                              (int)labels[t], (long long)t, (int)scores->n_classes);
        if (labels[t] < 0 || w == 0)
            continue;
        sp_nll_count(&next, w, sp_nll_step(scores, t, labels[t]));
    }
    *nll = next;
    return SP_OK;
}

sp_status sp_nll_mean(const sp_nll *nll, double *mean, sp_error *err)
{
    if (nll->n_steps == 0)
        return sp_fail(
            err, SP_EDATA,
            "no step has a label and a weight above 0: there is no likelihood to take the mean of");
    if (isinf(nll->weight))
        return sp_fail(err, SP_EDATA, "%s", too_heavy);
    *mean = nll->n_impossible > 0 ? INFINITY : nll->sum / nll->weight;
    return SP_OK;
}

sp_status sp_nll_clipped_mean(const sp_nll *nll, double *mean, sp_error *err)
{
    if (!(nll->clip > 0 && nll->clip < 1))
        return sp_fail(err, SP_EINVAL, "probability %g to clip at: it is between 0 and 1, such as 1e-6",
                       nll->clip);
    if (nll->n_steps == 0)
        return sp_fail(
            err, SP_EDATA,
            "no step has a label and a weight above 0: there is no likelihood to take the mean of");
    double total = nll->weight + nll->impossible_weight;
    if (isinf(total))
        return sp_fail(err, SP_EDATA, "%s", too_heavy);
    *mean = nll->clipped_sum / total;
    return SP_OK;
}
