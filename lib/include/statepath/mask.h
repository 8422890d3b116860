/* Masks: classes that cannot occur at a step (masked softmax), what a classifier without a mask puts on them (leak), steps that
 * do not count (loss), and padding and causal masks of sequences (attention).
 *
 *     const uint8_t mask[] = {1, 1, 0};  [T,K], 1 = possible
 *     double p[3];
 *     sp_masked_softmax(&logits, mask, SP_SOFTMAX_MASK_LOGITS, p, &err);
 */
#ifndef STATEPATH_MASK_H
#define STATEPATH_MASK_H

#include <stdbool.h>
#include <stdint.h>

#include "statepath/model.h"
#include "statepath/scores.h"
#include "statepath/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- step masks and masked softmax ----
 *
 * Step masks and masked softmax: classes that cannot occur at a step get exactly no probability.
 *
 * A mask stands beside scores in the same shape [T,K], one byte each: 1 (any non-zero) = possible, 0 = forbidden; each row has
 * its own. NULL means that everything is possible. A row here is anything that has its own mask: a step, a move of a game, a
 * query of attention.
 *
 * Forbidden is -INFINITY in the logs and 0.0 in the probabilities, exactly. Multiplying the logits by the mask is not a masked
 * softmax: exp(0) = 1 is not nothing, and a forbidden class would keep a share.
 */

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
sp_status sp_mask_from_previous(const int32_t *previous, int64_t n, const uint8_t *matrix, int32_t n_classes,
                                uint8_t *mask, sp_error *err);

/* Both in one call, for training and for previous-prediction decoding:
 *
 *     out[i,k] = previous[i] < 0 or matrix[previous[i],k] ? l[i,k] : -INFINITY
 *
 *   logits  [N,K]
 *   out     [N,K] of logits->dtype; may be the logits' own memory; untouched on failure
 * Errors as sp_mask_from_previous(). O(N K), allocates nothing. */
sp_status sp_apply_logit_masking(const sp_scores *logits, const int32_t *previous, const uint8_t *matrix,
                                 void *out, sp_error *err);

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
sp_status sp_masked_softmax(const sp_scores *logits, const uint8_t *mask, sp_softmax_form form, void *out,
                            sp_error *err);

/* The same in logs, log p[t,k], computed without leaving them: a class far behind keeps its finite log where its probability
 * is no float64 any more. Forbidden classes -INFINITY. */
sp_status sp_masked_log_softmax(const sp_scores *logits, const uint8_t *mask, sp_softmax_form form, void *out,
                                sp_error *err);

/* The mistake, to be looked at: the softmax of logits times mask, p[t,:] = softmax(l[t,:] m[t,:]). Never decode or train with it.
 *   mask  [T,K]
 *   out   [T,K] of logits->dtype, may be the logits' own memory; untouched on failure
 *   left  out [T]: the probability that stays on forbidden classes; untouched on failure; may be NULL
 * SP_OK; SP_EDATA with err->step = the row, for NaN or +INFINITY, -INFINITY of a forbidden class (times 0 it is NaN), a row of
 * -INFINITY. O(T K). */
sp_status sp_multiplied_softmax(const sp_scores *logits, const uint8_t *mask, void *out, double *left,
                                sp_error *err);

/* ---- leak ----
 *
 * Leak: the probability that a classifier without a mask puts on what cannot occur.
 *
 *     leak[t] = sum over forbidden k of softmax(e[t,:])[k]
 *
 * It says what a mask is worth: 0 means that the classifier has learned the rules, a large maximum that it breaks them where it
 * matters. The scores are used before any mask is applied to them (a masked row leaks nothing by construction): a program that
 * prepares a block sets block->mask aside for sp_prepare() and hands it over here.
 */

/* Value of a row that has no leak to speak of; sp_leak_summarise() leaves it out. */
#define SP_LEAK_NONE (-1.0)

/* Leak of a step mask.
 *   scores  [T,K] nats up to a constant per row, not masked
 *   mask    [T,K], 0 = forbidden
 *   leak    out [T], 0..1; SP_LEAK_NONE where every class is -INFINITY; untouched on failure
 * A row whose mask allows nothing leaks all: 1.
 * Returns SP_OK; SP_EDATA (err->step) for NaN or +INFINITY. O(T K). */
sp_status sp_mask_leak(const sp_scores *scores, const uint8_t *mask, double *leak, sp_error *err);

/* Leak of a model along a path: at step t > 0 the mass on classes that may not follow path[t-1] (sp_chain_is_legal: staying too,
 * where it is forbidden; minimum dwell is not looked at), at step 0 the mass on classes that may not start.
 *   path    [T] 0..K-1, or -1 where there is none (all of a recording that could not be decoded)
 *   leak    out [T], 0..1; SP_LEAK_NONE across a gap, after a step without class, and where every class is -INFINITY;
 *           untouched on failure
 * Returns SP_OK; SP_EINVAL (K differs, a class out of range); SP_EDATA (err->step) for NaN or +INFINITY. O(T K). */
sp_status sp_chain_leak(const sp_chain *chain, const sp_scores *scores, const int32_t *path, double *leak,
                        sp_error *err);

typedef struct sp_leak_summary {
    int64_t n_rows;      /* rows with a leak */
    int64_t n_left_out;  /* rows that are SP_LEAK_NONE */
    int64_t n_leaking;   /* rows with a leak above 0 */
    double mean;         /* 0 when n_rows is 0, like those below: it means nothing then */
    double maximum;      /* the greatest leak of one row */
    int64_t maximum_row; /* the first row that has it; -1 when n_rows is 0 */
} sp_leak_summary;

/* Mean, quantiles, maximum and its row.
 *   leak           [n]
 *   probabilities  [n_quantiles] each 0..1, e.g. 0.5, 0.95, 0.99
 *   quantiles      out [n_quantiles], linear between order statistics: with h = (n - 1) p, x[floor h] + (h - floor h)
 *                  (x[floor h + 1] - x[floor h]); untouched on failure. May be NULL with n_quantiles 0
 *   out            may be NULL
 * Returns SP_OK, SP_EINVAL (a probability out of range), SP_ENOMEM. O(n log n), a copy of the leaks; O(n) without quantiles.
 * Source  Hyndman & Fan 1996, definition 7, doi:10.2307/2684934. */
sp_status sp_leak_summarise(const double *leak, int64_t n, const double *probabilities, int32_t n_quantiles,
                            double *quantiles, sp_leak_summary *out, sp_error *err);

/* ---- loss masks ----
 *
 * Loss masks: means of per-step losses over the steps that count, and the negative log-likelihood of a reference.
 *
 *     mean = sum_i w[i] loss[i] / sum_i w[i]
 *
 * w is 0 or 1 (padding, unlabelled steps, masked positions) or any finite number >= 0 (uncertain labels). The mean is over the
 * weights, not over the steps of the padded array: padding must not make a loss smaller.
 */

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
void sp_loss_weights_from_labels(const int32_t *labels, int32_t ignore, const double *weights, int64_t n,
                                 double *out);

/* One place of a padded batch [N,T]. */
typedef struct sp_position {
    int64_t sequence; /* 0..N-1 */
    int64_t step;     /* 0..T-1 */
} sp_position;

/* Masked positions: mask[n,t] = 1 at the positions listed (those to be predicted), 0 elsewhere. Twice is once.
 *   mask  out [N,T]; untouched on failure
 * Returns SP_OK, SP_EINVAL (names the position that lies outside). */
sp_status sp_loss_mask_from_positions(const sp_position *positions, int64_t count, int64_t n, int64_t t,
                                      uint8_t *mask, sp_error *err);

/* Negative log-likelihood of a reference, in nats. Start from {0}; each call of sp_nll_add() adds one view (a recording, a
 * block); the sums are taken step by step, so they do not depend on how a file was cut into views. */
typedef struct sp_nll {
    double sum;               /* of w * nll over the steps where it is finite */
    double weight;            /* of w over those steps */
    double impossible_weight; /* of w over the steps whose reference has probability 0 */
    int64_t n_steps;          /* steps that count: a label and w > 0 */
    int64_t n_impossible;     /* of them with probability 0 */
    double clip;        /* set at the start: probabilities below it count as it in clipped_sum; 0: none */
    double clipped_sum; /* of w * min(nll, -log clip) over all steps that count */
} sp_nll;

/* Adds   nll[t] = logsumexp(e[t,:]) - e[t,label]   of the steps that have a label: the cross entropy of the softmax of prepared
 * scores, whatever their constant. For log probabilities it is -e[t,label]; with a step mask it is that of the masked softmax; a
 * step that says nothing costs log K.
 *   labels   [T] 0..K-1, -1 = does not count
 *   weights  [T] finite, >= 0; NULL: all 1
 *   nll      in and out; untouched on failure
 * Returns SP_OK; SP_EDATA (err->step) for a weight that cannot be used or a label that is no class. O(T K). */
sp_status sp_nll_add(sp_nll *nll, const sp_scores *scores, const int32_t *labels, const double *weights,
                     sp_error *err);

/* sum / weight: nats per step. +INFINITY when the reference is impossible somewhere.
 * Returns SP_OK, SP_EDATA (no step counts, or the weights sum to more than a float64 holds). */
sp_status sp_nll_mean(const sp_nll *nll, double *mean, sp_error *err);

/* clipped_sum / (weight + impossible_weight): the same with every probability of the reference raised to at least `clip` (the
 * others of its row stay as they are). Always finite. SP_OK; SP_EINVAL (clip is not in (0,1)); SP_EDATA as above. */
sp_status sp_nll_clipped_mean(const sp_nll *nll, double *mean, sp_error *err);

/* ---- masks of sequences ----
 *
 * Masks of sequences: padding, causal masks, their sum, and the softmax over attention scores that obeys them.
 *
 * Two forms. Boolean: one byte, 1 = real, may be looked at; 0 = not. Additive: 0 where real, -INFINITY where not, to be added
 * to scores before a softmax. N sequences of at most T steps; row-major.
 */

/* mask[n,t] = t < lengths[n].
 *   lengths  [N], each 0..T
 *   mask     out [N,T]; untouched on failure
 * Returns SP_OK, SP_EINVAL (names the sequence whose length does not fit). */
sp_status sp_padding_mask_from_lengths(const int64_t *lengths, int64_t n, int64_t t, uint8_t *mask,
                                       sp_error *err);

/* last[n] = index of the last real step of sequence n, -1 where none is real: where a recurrent network's state is taken from,
 * and the token whose prediction counts. Padding may stand anywhere.
 *   mask  [N,T]
 *   last  out [N] */
void sp_last_real_steps(const uint8_t *mask, int64_t n, int64_t t, int64_t *last);

/* A padded batch of ragged sequences: out[n,t,:] = row t of sequence n where t < lengths[n], else `padding`.
 *   values   [sum of lengths, width], one sequence after the other
 *   lengths  [N], each 0..T
 *   out      [N,T,width]; untouched on failure
 * Returns SP_OK, SP_EINVAL (names the sequence whose length does not fit). */
sp_status sp_sequences_pad(const double *values, const int64_t *lengths, int64_t n, int64_t t, int64_t width,
                           double padding, double *out, sp_error *err);

/* mask[i,j] = j <= i: step i may look at itself and at what came before. out [T,T]. */
void sp_causal_mask(int64_t t, uint8_t *mask);

/* out[i] = mask[i] ? 0 : -INFINITY.
 *   out  [count] of dtype */
void sp_mask_to_additive(const uint8_t *mask, int64_t count, sp_dtype dtype, void *out);

/* What query i of sequence n may look at:  padding[n,j] and, when is_causal, j <= i.
 *   padding  [N,T], or NULL: no padding
 *   mask     out [N,T,T]: [n,i,j], i the query, j the key
 * Rows of padded queries are masked like all others: what they may look at is wanted by nobody, see sp_attention. */
void sp_attention_mask(const uint8_t *padding, bool is_causal, int64_t n, int64_t t, uint8_t *mask);

/* The same in additive form: out[n,i,j] = causal[i,j] + padding[n,j], both 0 / -INFINITY.
 *   out  [N,T,T] of dtype */
void sp_attention_mask_additive(const uint8_t *padding, bool is_causal, int64_t n, int64_t t, sp_dtype dtype,
                                void *out);

/* Attention scores and what masks them; all borrowed. */
typedef struct sp_attention {
    const void *
        scores; /* [N,Q,J] query times key, already divided by sqrt(d); several heads count as several sequences */
    sp_dtype dtype;       /* of scores and additive */
    int64_t n_items;      /* N */
    int64_t n_queries;    /* Q */
    int32_t n_keys;       /* J >= 1 */
    const void *additive; /* [N,Q,J] 0, -INFINITY or any finite bias; NULL: all 0 */
    const uint8_t
        *real_queries; /* [N,Q], or NULL: all are real. Rows of others become 0 instead of being an error */
} sp_attention;

/* Softmax over the keys of each query, p[n,i,:] = softmax(scores[n,i,:] + additive[n,i,:]).
 *   out  [N,Q,J] of dtype, may be the scores' own memory; untouched on failure. Keys masked by -INFINITY get exactly 0
 * Scores of masked keys are not looked at: they may be NaN.
 * Returns SP_OK; SP_EDATA (names item and query, err->step = n * Q + i) when a real query may look at no key (left padding
 * under a causal mask: say so in real_queries), for NaN or +INFINITY where it may, or NaN or +INFINITY in `additive`.
 * O(N Q J), float64 inside, allocates nothing. */
sp_status sp_attention_softmax(const sp_attention *attention, void *out, sp_error *err);

/* What attention gives: out[n,i,:] = sum over j of weights[n,i,j] values[n,j,:]. Values whose weight is 0 are not looked at: what
 * stands in padding, even NaN, changes nothing.
 *   weights  [N,Q,J]
 *   values   [N,J,width]
 *   out      [N,Q,width] */
void sp_attention_mix(const double *weights, const double *values, int64_t n, int64_t n_queries,
                      int64_t n_keys, int64_t width, double *out);

#ifdef __cplusplus
}
#endif
#endif
