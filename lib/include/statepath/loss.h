/* Loss masks: means of per-step losses over the steps that count, and the negative log-likelihood of a reference.
 *
 *     mean = sum_i w[i] loss[i] / sum_i w[i]
 *
 * w is 0 or 1 (padding, unlabelled steps, masked positions) or any finite number >= 0 (uncertain labels). The mean is over the
 * weights, not over the steps of the padded array: padding must not make a loss smaller.
 */
#ifndef STATEPATH_LOSS_H
#define STATEPATH_LOSS_H

#include "statepath/scores.h"
#include "statepath/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Weighted mean of losses.
 *   loss     [n]; not looked at where the weight is 0 (it may be NaN there); +INFINITY gives a mean of +INFINITY
 *   weights  [n] finite, >= 0; NULL: all 1
 *   mean     out; untouched on failure
 * Returns SP_OK; SP_EDATA, with err->step = the place, for a weight that is negative, NaN or infinite, for a loss that counts and
 * is NaN or -INFINITY; SP_EDATA when the weights sum to 0, or to more than a float64 holds. O(n). */
sp_status sp_loss_mean(const double *loss, const double *weights, int64_t n, double *mean, sp_error *err);

/* Weights from a mask and from labels; `weights` [n] are multiplied in (NULL: all 1). out [n] may be `weights` itself.
 *   out[i] = mask[i] ? w[i] : 0      and      out[i] = labels[i] != ignore ? w[i] : 0 */
void sp_loss_weights_from_mask(const uint8_t *mask, const double *weights, int64_t n, double *out);
void sp_loss_weights_from_labels(const int32_t *labels, int32_t ignore, const double *weights, int64_t n, double *out);

/* One place of a padded batch [N,T]. */
typedef struct sp_position {
    int64_t sequence; /* 0..N-1 */
    int64_t step;     /* 0..T-1 */
} sp_position;

/* Masked positions: mask[n,t] = 1 at the positions listed (those to be predicted), 0 elsewhere. Twice is once.
 *   mask  out [N,T]; untouched on failure
 * Returns SP_OK, SP_EINVAL (names the position that lies outside). */
sp_status sp_loss_mask_from_positions(const sp_position *positions, int64_t count, int64_t n, int64_t t, uint8_t *mask,
                                      sp_error *err);

/* Negative log-likelihood of a reference, in nats. Start from {0}; each call of sp_nll_add() adds one view (a recording, a
 * block); the sums are taken step by step, so they do not depend on how a file was cut into views. */
typedef struct sp_nll {
    double sum;               /* of w * nll over the steps where it is finite */
    double weight;            /* of w over those steps */
    double impossible_weight; /* of w over the steps whose reference has probability 0 */
    int64_t n_steps;          /* steps that count: a label and w > 0 */
    int64_t n_impossible;     /* of them with probability 0 */
    double clip;              /* set at the start: probabilities below it count as it in clipped_sum; 0: none */
    double clipped_sum;       /* of w * min(nll, -log clip) over all steps that count */
} sp_nll;

/* Adds   nll[t] = logsumexp(e[t,:]) - e[t,label]   of the steps that have a label: the cross entropy of the softmax of prepared
 * scores, whatever their constant. For log probabilities it is -e[t,label]; with a step mask it is that of the masked softmax; a
 * step that says nothing costs log K.
 *   labels   [T] 0..K-1, -1 = does not count
 *   weights  [T] finite, >= 0; NULL: all 1
 *   nll      in and out; untouched on failure
 * Returns SP_OK; SP_EDATA (err->step) for a weight that cannot be used or a label that is no class. O(T K). */
sp_status sp_nll_add(sp_nll *nll, const sp_scores *scores, const int32_t *labels, const double *weights, sp_error *err);

/* sum / weight: nats per step. +INFINITY when the reference is impossible somewhere.
 * Returns SP_OK, SP_EDATA (no step counts, or the weights sum to more than a float64 holds). */
sp_status sp_nll_mean(const sp_nll *nll, double *mean, sp_error *err);

/* clipped_sum / (weight + impossible_weight): the same with every probability of the reference raised to at least `clip` (the
 * others of its row stay as they are). Always finite. SP_OK; SP_EINVAL (clip is not in (0,1)); SP_EDATA as above. */
sp_status sp_nll_clipped_mean(const sp_nll *nll, double *mean, sp_error *err);

#ifdef __cplusplus
}
#endif
#endif
