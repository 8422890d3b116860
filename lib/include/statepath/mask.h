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

#ifdef __cplusplus
}
#endif
#endif
