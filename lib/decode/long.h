/* Long recordings, piece by piece: the confidence of a path, and its score. For the pipeline; not installed. */
#ifndef STATEPATH_DECODE_LONG_H
#define STATEPATH_DECODE_LONG_H

#include "statepath/stream.h"

/* How sure a decoded path is, as `confidence`, `log_partition` and `margins` of sp_decode_output. */
typedef struct sp_long_given {
    /* Fetches the path: classes of steps first .. first+n-1 in ascending order. NULL: the recording has no path. */
    sp_status (*path)(void *arg, int64_t first, int64_t n, int32_t *path, sp_error *err);
    /* Takes the confidence of those steps; NaN where there is no path, and where no allowed one exists. */
    sp_status (*write)(void *arg, int64_t first, int64_t n, const float *confidence, sp_error *err);
    void *arg; /* of both */
} sp_long_given;
typedef struct sp_long_sureness {
    double log_partition, margin;
} sp_long_sureness;

/* Reads the recording three times; its `write` is not looked at. SP_OK, also where no allowed path exists; SP_EINVAL (K differs,
 * a class out of range), SP_ENOMEM, what reading and writing return. The margin is that of sp_margin() bit for bit, the rest that
 * of a batch but for rounding (1e-6 of a confidence, which is float32; 1e-9, relative, of log Z). */
sp_status sp_confidence_long(const sp_chain *chain, const sp_long_recording *recording,
                             const sp_long_given *given, sp_workers *workers, sp_long_sureness *out,
                             sp_error *err);

/* sp_path_score() of a path that comes in pieces in ascending order, bit for bit. Segments stand in the scores of all pieces or
 * of none. _end: the score, 0 without steps. */
typedef struct sp_long_score sp_long_score;
sp_long_score *sp_long_score_new(const sp_chain *chain); /* NULL on lack of memory */
void sp_long_score_free(sp_long_score *sum);
/* SP_OK; SP_EINVAL: a class out of range, scores of another K. */
sp_status sp_long_score_add(sp_long_score *sum, const sp_scores *scores, const int32_t *path, sp_error *err);
double sp_long_score_end(const sp_long_score *sum);

#endif
