/* Masks of sequences: padding, causal masks, their sum, and the softmax over attention scores that obeys them.
 *
 * Two forms. Boolean: one byte, 1 = real, may be looked at; 0 = not. Additive: 0 where real, -INFINITY where not, to be added
 * to scores before a softmax. N sequences of at most T steps; row-major.
 */
#ifndef STATEPATH_SEQUENCE_MASK_H
#define STATEPATH_SEQUENCE_MASK_H

#include "statepath/scores.h"
#include "statepath/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* mask[n,t] = t < lengths[n].
 *   lengths  [N], each 0..T
 *   mask     out [N,T]; untouched on failure
 * Returns SP_OK, SP_EINVAL (names the sequence whose length does not fit). */
sp_status sp_padding_mask_from_lengths(const int64_t *lengths, int64_t n, int64_t t, uint8_t *mask, sp_error *err);

/* last[n] = index of the last real step of sequence n, -1 where none is real: where a recurrent network's state is taken from,
 * and the token whose prediction counts. Padding may stand anywhere. mask  [N,T] last  out [N] */
void sp_last_real_steps(const uint8_t *mask, int64_t n, int64_t t, int64_t *last);

/* A padded batch of ragged sequences: out[n,t,:] = row t of sequence n where t < lengths[n], else `padding`.
 *   values   [sum of lengths, width], one sequence after the other
 *   lengths  [N], each 0..T
 *   out      [N,T,width]; untouched on failure
 * Returns SP_OK, SP_EINVAL (names the sequence whose length does not fit). */
sp_status sp_sequences_pad(const double *values, const int64_t *lengths, int64_t n, int64_t t, int64_t width, double padding,
                           double *out, sp_error *err);

/* mask[i] = tokens[i] != padding, for N * T tokens, labels or ids, padded anywhere. */
void sp_padding_mask_from_tokens(const int32_t *tokens, int64_t count, int32_t padding, uint8_t *mask);

/* The same for numbers; a padding of NaN finds the NaNs. -0 and 0 are equal. */
void sp_padding_mask_from_values(const double *values, int64_t count, double padding, uint8_t *mask);

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
void sp_attention_mask_additive(const uint8_t *padding, bool is_causal, int64_t n, int64_t t, sp_dtype dtype, void *out);

/* Attention scores and what masks them; all borrowed. */
typedef struct sp_attention {
    const void *scores;   /* [N,Q,J] query times key, already divided by sqrt(d); several heads count as several sequences */
    sp_dtype dtype;       /* of scores and additive */
    int64_t n_items;      /* N */
    int64_t n_queries;    /* Q */
    int32_t n_keys;       /* J >= 1 */
    const void *additive; /* [N,Q,J] 0, -INFINITY or any finite bias; NULL: all 0 */
    const uint8_t *real_queries; /* [N,Q], or NULL: all are real. Rows of others become 0 instead of being an error */
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
void sp_attention_mix(const double *weights, const double *values, int64_t n, int64_t n_queries, int64_t n_keys, int64_t width,
                      double *out);

#ifdef __cplusplus
}
#endif
#endif
