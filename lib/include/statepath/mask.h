/* Step masks and masked softmax: classes that cannot occur at a step get exactly no probability.
 *
 * A mask stands beside scores in the same shape [T,K], one byte each: 1 (any non-zero) = possible, 0 = forbidden; each row has
 * its own. NULL means that everything is possible. A row here is anything that has its own mask: a step, a move of a game, a
 * query of attention.
 *
 * Forbidden is -INFINITY in the logs and 0.0 in the probabilities, exactly. Multiplying the logits by the mask is not a masked
 * softmax: exp(0) = 1 is not nothing, and a forbidden class would keep a share.
 */
#ifndef STATEPATH_MASK_H
#define STATEPATH_MASK_H

#include "statepath/scores.h"
#include "statepath/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Applies a step mask: out[t,k] = mask[t,k] ? e[t,k] : -INFINITY. Not renormalised: a path's score counts the scores as they are.
 *   mask   [T,K]
 *   out    [T,K] of scores->dtype; may be the scores' own memory
 * Returns how many finite scores were taken away. O(T K). */
int64_t sp_mask_apply(const sp_scores *scores, const uint8_t *mask, void *out);

/* Does each row allow a class?
 *   mask  [n,K]
 * SP_OK; SP_EDATA with err->step = the first row that allows none. */
sp_status sp_mask_check(const uint8_t *mask, int64_t n, int32_t n_classes, sp_error *err);

/* The step mask of rows whose class before is known: mask[i,k] = matrix[previous[i],k].
 *   previous  [n] 0..K-1; negative: there is none, and everything is possible
 *   matrix    [K,K] rows = from; non-zero = may follow
 *   mask      out [n,K], 0 or 1; untouched on failure
 * SP_OK; SP_EDATA with err->step = the row: its class is none of 0..K-1, or nothing may follow it. O(n K). */
sp_status sp_mask_from_previous(const int32_t *previous, int64_t n, const uint8_t *matrix, int32_t n_classes, uint8_t *mask,
                                sp_error *err);

/* Both in one call, for training and for previous-prediction decoding:
 *
 *     out[i,k] = previous[i] < 0 or matrix[previous[i],k] ? l[i,k] : -INFINITY
 *
 *   logits  [N,K]
 *   out     [N,K] of logits->dtype; may be the logits' own memory; untouched on failure
 * Errors as sp_mask_from_previous(). O(N K), allocates nothing. */
sp_status sp_apply_logit_masking(const sp_scores *logits, const int32_t *previous, const uint8_t *matrix, void *out,
                                 sp_error *err);

/* Two ways to one answer. */
typedef enum sp_softmax_form {
    SP_SOFTMAX_MASK_LOGITS, /* logits of forbidden classes become -INFINITY, then the softmax */
    SP_SOFTMAX_RENORMALISE, /* the softmax over all classes, forbidden ones set to 0, the rest divided by its sum */
    SP_N_SOFTMAX_FORMS
} sp_softmax_form;

/* Masked softmax, row by row:
 *
 *     p[t,k] = exp(l[t,k]) m[t,k] / sum_j exp(l[t,j]) m[t,j]
 *
 *   logits  [T,K] nats up to a constant per row; log probabilities and scores will do. -INFINITY allowed
 *   mask    [T,K], or NULL
 *   out     [T,K] of logits->dtype, may be the logits' own memory; untouched on failure. Forbidden classes 0.0, rows sum to 1
 *
 * Logits of forbidden classes cannot change the answer, not even when they are NaN or +INFINITY. Both forms are computed in
 * float64 with the maximum taken out and agree to 1e-12 (then rounded to f32 for f32 logits). The second form shares out what the
 * unmasked softmax left to the allowed classes; where that would be less than exp(-600) of the largest class, next to nothing
 * in float64, or where the unmasked softmax is not defined, the row is computed by the first form, so the answer stays right.
 * Returns SP_OK; SP_EDATA with err->step = the row, when a row allows no class, gives every allowed class -INFINITY, or holds NaN
 * or +INFINITY where it is allowed. O(T K), allocates nothing. */
sp_status sp_masked_softmax(const sp_scores *logits, const uint8_t *mask, sp_softmax_form form, void *out, sp_error *err);

/* The same in logs, log p[t,k], computed without leaving them: a class far behind keeps its finite log where its probability
 * is no float64 any more. Forbidden classes -INFINITY. */
sp_status sp_masked_log_softmax(const sp_scores *logits, const uint8_t *mask, sp_softmax_form form, void *out, sp_error *err);

/* The mistake, to be looked at: the softmax of logits times mask, p[t,:] = softmax(l[t,:] m[t,:]). Never decode or train with it.
 *   mask  [T,K]
 *   out   [T,K] of logits->dtype, may be the logits' own memory; untouched on failure
 *   left  out [T]: the probability that stays on forbidden classes; untouched on failure; may be NULL
 * SP_OK; SP_EDATA with err->step = the row, for NaN or +INFINITY, -INFINITY of a forbidden class (times 0 it is NaN), a row of
 * -INFINITY. O(T K). */
sp_status sp_multiplied_softmax(const sp_scores *logits, const uint8_t *mask, void *out, double *left, sp_error *err);

#ifdef __cplusplus
}
#endif
#endif
