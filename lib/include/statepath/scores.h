/* Scores: borrowed views of one recording and of many.
 *
 * Letters used everywhere: T steps of a recording, S steps of a batch, N recordings, K classes.
 * Views are plain structs that borrow; nothing here allocates or frees.
 */
#ifndef STATEPATH_SCORES_H
#define STATEPATH_SCORES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sp_dtype { SP_F32 = 4, SP_F64 = 8 } sp_dtype; /* the value is the size in bytes */

/* The scores of one recording: e[t,k] in nats, row-major, contiguous. -INFINITY means impossible. No NaN, no +INFINITY:
 * sp_prepare() has looked at them; the decoders do not look again. */
typedef struct sp_scores {
    const void *data; /* [T,K] */
    sp_dtype dtype;
    int32_t n_classes;       /* K >= 1 */
    int64_t n_steps;         /* T >= 0 */
    const int64_t *segments; /* [T] or NULL: where the id changes the chain is broken, no transition is required across */
} sp_scores;

/* e[t,k] as a double; exact for both types. */
static inline double sp_scores_at(const sp_scores *s, int64_t t, int32_t k)
{
    size_t i = (size_t)t * (size_t)s->n_classes + (size_t)k;
    return s->dtype == SP_F32 ? (double)((const float *)s->data)[i] : ((const double *)s->data)[i];
}

/* Is the chain broken between t-1 and t? */
static inline bool sp_scores_is_gap(const sp_scores *s, int64_t t)
{
    return s->segments && t > 0 && s->segments[t] != s->segments[t - 1];
}

/* Many recordings, concatenated. Recording n is rows offsets[n] .. offsets[n+1]-1 of `scores`. */
typedef struct sp_batch {
    sp_scores scores;       /* [S,K] */
    int64_t n_recordings;   /* N */
    const int64_t *offsets; /* [N+1], ascending, offsets[0] = 0, offsets[N] = S */
} sp_batch;

/* Recording n of a batch, borrowed from it. */
static inline sp_scores sp_batch_recording(const sp_batch *b, int64_t n)
{
    sp_scores r = b->scores;
    int64_t first = b->offsets[n];
    if (r.data) /* NULL: a batch of labels only */
        r.data = (const char *)r.data + (size_t)first * (size_t)r.n_classes * (size_t)r.dtype;
    r.n_steps = b->offsets[n + 1] - first;
    if (r.segments)
        r.segments += first;
    return r;
}

#ifdef __cplusplus
}
#endif
#endif
