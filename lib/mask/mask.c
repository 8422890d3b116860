#include "statepath/mask.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/numbers.h"

int64_t sp_mask_apply(const sp_scores *scores, const uint8_t *mask, void *out)
{
    int64_t n = scores->n_steps * scores->n_classes;
    if (out != scores->data && n > 0)
        memcpy(out, scores->data, (size_t)n * (size_t)scores->dtype);
    return scores->dtype == SP_F32 ? number_mask(out, SP_F32, n, mask) : number_mask(out, SP_F64, n, mask);
}

static sp_status nothing_allowed(int64_t row, sp_error *err)
{
    return sp_fail_at(err, SP_EDATA, row,
                      "row %lld: the mask allows no class; allow at least one, or leave the row out",
                      (long long)row);
}

/* The first class that a row allows; n_classes where there is none. */
static int32_t first_allowed(const uint8_t *row, int32_t n_classes)
{
    int32_t k = 0;
    while (k < n_classes && !row[k])
        k++;
    return k;
}

sp_status sp_mask_check(const uint8_t *mask, int64_t n, int32_t n_classes, sp_error *err)
{
    for (int64_t i = 0; i < n; i++)
        if (first_allowed(mask + (size_t)i * (size_t)n_classes, n_classes) == n_classes)
            return nothing_allowed(i, err);
    return SP_OK;
}

static const uint8_t *successors(const uint8_t *matrix, int32_t n_classes, int32_t previous)
{
    return matrix + (size_t)previous * (size_t)n_classes;
}

static sp_status check_previous(const int32_t *previous, int64_t n, const uint8_t *matrix, int32_t n_classes,
                                sp_error *err)
{
    for (int64_t i = 0; i < n; i++) {
        if (previous[i] >= n_classes)
            return sp_fail_at(
                err, SP_EDATA, i,
                "row %lld: the previous class %d is none of 0..%d; a negative one says that there is none",
                (long long)i, (int)previous[i], (int)n_classes - 1);
        if (previous[i] >= 0 &&
            first_allowed(successors(matrix, n_classes, previous[i]), n_classes) == n_classes)
            return sp_fail_at(
                err, SP_EDATA, i,
                "row %lld: the matrix lets nothing follow class %d; allow at least one class after it",
                (long long)i, (int)previous[i]);
    }
    return SP_OK;
}

sp_status sp_mask_from_previous(const int32_t *previous, int64_t n, const uint8_t *matrix, int32_t n_classes,
                                uint8_t *mask, sp_error *err)
{
    sp_status status = check_previous(previous, n, matrix, n_classes, err);
    for (int64_t i = 0; status == SP_OK && i < n; i++)
        for (int32_t k = 0; k < n_classes; k++)
            mask[(size_t)i * (size_t)n_classes + (size_t)k] =
                previous[i] < 0 || successors(matrix, n_classes, previous[i])[k];
    return status;
}

sp_status sp_apply_logit_masking(const sp_scores *logits, const int32_t *previous, const uint8_t *matrix,
                                 void *out, sp_error *err)
{
    const size_t n_classes = (size_t)logits->n_classes, row_bytes = n_classes * (size_t)logits->dtype;
    sp_status status = check_previous(previous, logits->n_steps, matrix, logits->n_classes, err);
    if (status != SP_OK)
        return status;
    if (out != logits->data && logits->n_steps > 0)
        memcpy(out, logits->data, (size_t)logits->n_steps * row_bytes);
    for (int64_t i = 0; i < logits->n_steps; i++)
        if (previous[i] >= 0)
            number_mask((char *)out + (size_t)i * row_bytes, logits->dtype, logits->n_classes,
                        successors(matrix, logits->n_classes, previous[i]));
    return SP_OK;
}

/* The second form is left for the first where the best allowed class is so many nats behind the best of all. What remains of the
 * allowed mass, exp(-600), is far from the smallest float64, exp(-708), so that its shares are right to the last bits. */
static const double deepest = 600;

/* One row and its mask. */
typedef struct softmax_row {
    const void *l; /* [K] of the row */
    const uint8_t *mask;
    sp_dtype dtype;
    int32_t n_classes;
} softmax_row;

static inline double logit(const softmax_row *r, int32_t k)
{
    return number_get(r->l, r->dtype, (size_t)k);
}

static inline bool is_allowed(const softmax_row *r, int32_t k)
{
    return !r->mask || r->mask[k];
}

static softmax_row row_at(const sp_scores *logits, const uint8_t *mask, int64_t t)
{
    size_t first = (size_t)t * (size_t)logits->n_classes;
    softmax_row r = {.l = (const char *)logits->data + first * (size_t)logits->dtype,
                     .mask = mask ? mask + first : NULL,
                     .dtype = logits->dtype,
                     .n_classes = logits->n_classes};
    return r;
}

static double max_allowed(const softmax_row *r)
{
    double max = -INFINITY;
    for (int32_t k = 0; k < r->n_classes; k++)
        if (is_allowed(r, k) && logit(r, k) > max)
            max = logit(r, k);
    return max;
}

/* p_k = exp(l_k - max) / total or log p_k = (l_k - max) - log total over the allowed classes; out may be the row itself. */
static void share_allowed(const softmax_row *r, double max, bool in_logs, void *out)
{
    double total = 0;
    for (int32_t k = 0; k < r->n_classes; k++)
        if (is_allowed(r, k))
            total += exp(logit(r, k) - max);
    double log_total = log(total), nothing = in_logs ? -INFINITY : 0;
    for (int32_t k = 0; k < r->n_classes; k++) {
        double shifted = logit(r, k) - max;
        double share = in_logs ? shifted - log_total : exp(shifted) / total;
        number_put(out, r->dtype, (size_t)k, is_allowed(r, k) ? share : nothing);
    }
}

/* The unmasked softmax first: q_k = exp(l_k - top) / total, then p_k = q_k / sum of the allowed q; in logs the same with
 * differences, log q_k = (l_k - top) - log total. */
static void renormalise(const softmax_row *r, double top, bool in_logs, void *out)
{
    double total = 0, kept = 0;
    for (int32_t k = 0; k < r->n_classes; k++)
        total += exp(logit(r, k) - top);
    for (int32_t k = 0; k < r->n_classes; k++)
        if (is_allowed(r, k))
            kept += exp(logit(r, k) - top) / total;
    double log_total = log(total), log_kept = log(kept), nothing = in_logs ? -INFINITY : 0;
    for (int32_t k = 0; k < r->n_classes; k++) {
        double shifted = logit(r, k) - top;
        double share = in_logs ? (shifted - log_total) - log_kept : exp(shifted) / total / kept;
        number_put(out, r->dtype, (size_t)k, is_allowed(r, k) ? share : nothing);
    }
}

/* The greatest logit of all classes; NaN where the unmasked softmax is not defined (a forbidden NaN or +INFINITY). */
static double max_of_all(const softmax_row *r)
{
    double max = -INFINITY;
    for (int32_t k = 0; k < r->n_classes; k++) {
        double l = logit(r, k);
        if (!number_is_score(l))
            return NAN;
        if (l > max)
            max = l;
    }
    return max;
}

static void softmax(const softmax_row *r, sp_softmax_form form, bool in_logs, void *out)
{
    double max = max_allowed(r);
    double top = form == SP_SOFTMAX_RENORMALISE ? max_of_all(r) : NAN;
    if (top - max <= deepest)
        renormalise(r, top, in_logs, out);
    else /* the first form is asked for, or the second would lose the answer */
        share_allowed(r, max, in_logs, out);
}

static sp_status check_row(const softmax_row *r, int64_t t, sp_error *err)
{
    int32_t n_allowed = 0;
    bool has_score = false;
    for (int32_t k = 0; k < r->n_classes; k++) {
        if (!is_allowed(r, k))
            continue;
        n_allowed++;
        double l = logit(r, k);
        if (!number_is_score(l))
            return sp_fail_at(
                err, SP_EDATA, t,
                "row %lld, class %d: %s is no logit; mend the scores, or forbid the class there",
                (long long)t, (int)k, isnan(l) ? "NaN" : "+infinity");
        has_score = has_score || l > -INFINITY;
    }
    if (n_allowed == 0)
        return sp_fail_at(err, SP_EDATA, t,
                          "row %lld: the mask allows no class, so there is nothing to share the probability "
                          "among; allow at "
                          "least one class, or leave the row out",
                          (long long)t);
    if (!has_score)
        return sp_fail_at(err, SP_EDATA, t,
                          "row %lld: each of the %d classes that the mask allows has the logit -infinity, so "
                          "none of them can "
                          "have the probability; mend the scores or the mask, or leave the row out",
                          (long long)t, (int)n_allowed);
    return SP_OK;
}

static sp_status softmax_rows(const sp_scores *logits, const uint8_t *mask, sp_softmax_form form,
                              bool in_logs, void *out, sp_error *err)
{
    assert((unsigned)form < SP_N_SOFTMAX_FORMS);
    for (int64_t t = 0; t < logits->n_steps;
         t++) { /* all rows before the first is written: nothing is half done */
        softmax_row r = row_at(logits, mask, t);
        sp_status status = check_row(&r, t, err);
        if (status != SP_OK)
            return status;
    }
    for (int64_t t = 0; t < logits->n_steps; t++) {
        softmax_row r = row_at(logits, mask, t);
        softmax(&r, form, in_logs, (char *)out + (size_t)t * (size_t)r.n_classes * (size_t)r.dtype);
    }
    return SP_OK;
}

sp_status sp_masked_softmax(const sp_scores *logits, const uint8_t *mask, sp_softmax_form form, void *out,
                            sp_error *err)
{
    return softmax_rows(logits, mask, form, false, out, err);
}

sp_status sp_masked_log_softmax(const sp_scores *logits, const uint8_t *mask, sp_softmax_form form, void *out,
                                sp_error *err)
{
    return softmax_rows(logits, mask, form, true, out, err);
}

/* ---- the mistake ---- */

/* l[t,k] times mask[t,k] of a row, and the greatest of them. NaN where a product is no logit, with *k its class. */
static double max_product(const softmax_row *r, int32_t *k)
{
    double max = -INFINITY;
    for (*k = 0; *k < r->n_classes; ++*k) {
        double product = logit(r, *k) * is_allowed(r, *k);
        if (!number_is_score(product))
            return NAN;
        max = product > max ? product : max;
    }
    return max;
}

sp_status sp_multiplied_softmax(const sp_scores *logits, const uint8_t *mask, void *out, double *left,
                                sp_error *err)
{
    for (int64_t t = 0; t < logits->n_steps; t++) {
        softmax_row r = row_at(logits, mask, t);
        int32_t k;
        double max = max_product(&r, &k);
        if (isnan(max))
            return sp_fail_at(err, SP_EDATA, t, "row %lld, class %d: %g times %d is no logit", (long long)t,
                              (int)k, logit(&r, k), is_allowed(&r, k));
        if (max == -INFINITY)
            return sp_fail_at(
                err, SP_EDATA, t,
                "row %lld: each class has the logit -infinity, so none can have the probability",
                (long long)t);
    }
    for (int64_t t = 0; t < logits->n_steps; t++) {
        softmax_row r = row_at(logits, mask, t);
        int32_t k;
        double max = max_product(&r, &k), mass[2] = {0, 0}; /* forbidden, allowed */
        void *row = (char *)out + (size_t)t * (size_t)r.n_classes * (size_t)r.dtype;
        for (k = 0; k < r.n_classes; k++)
            mass[is_allowed(&r, k)] += exp(logit(&r, k) * is_allowed(&r, k) - max);
        for (k = 0; k < r.n_classes; k++)
            number_put(row, r.dtype, (size_t)k,
                       exp(logit(&r, k) * is_allowed(&r, k) - max) / (mass[0] + mass[1]));
        if (left)
            left[t] = mass[0] / (mass[0] + mass[1]);
    }
    return SP_OK;
}
