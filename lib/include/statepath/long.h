/* Decoding one recording that is too long for memory: it is read and its path written piece by piece.
 *
 * Viterbi goes through the recording twice. Forward it keeps the state of its recurrence at the beginning of each piece and no
 * more; then, from the last piece to the first, it reads each again, goes forward once more with back-pointers, and traces the
 * path back from where the piece after it begins. Beam search and relaxed decoding do the same. Argmax, greedy and online go
 * through it once. Posterior goes forward and back, keeping a row of each pass now and then, and once more from piece to piece to
 * hand out marginals; mea and posterior-viterbi do that twice, for Viterbi over the marginals.
 * Memory: O(piece + T/piece states); rows of forward-backward take 64 MB at most, or 1/2000 of the float64 scores.
 *
 * The path is that of sp_decode_batch() byte for byte, status and step are its, whatever the length of the pieces and the number
 * of threads. The score is that of sp_path_score() but for rounding (1e-12, relative): where the path comes from the last piece
 * to the first, each is summed apart.
 */
#ifndef STATEPATH_LONG_H
#define STATEPATH_LONG_H

#include "statepath/decode.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Fetches steps first .. first+n-1: fills *scores, n steps in nats that stay until the next call, with segments where the
 * recording has a gap. An error ends the decoding and is handed on. Called for the pieces in ascending or descending order, more
 * than once. */
typedef sp_status sp_long_read(void *arg, int64_t first, int64_t n, sp_scores *scores, sp_error *err);

/* Takes the classes path[n] of steps first .. first+n-1. Every step comes once, in pieces of ascending or descending order.
 *   broken   [n] 1 where a relaxed path breaks a rule, see decode.h; NULL: nowhere
 * path NULL: what was written is given up; a relaxed path follows, or none does and the recording is undecoded. */
typedef sp_status sp_long_write(void *arg, int64_t first, int64_t n, const int32_t *path, const uint8_t *broken, sp_error *err);

typedef struct sp_long_recording {
    int64_t n_steps;     /* T */
    int64_t piece_steps; /* steps to read at a time, rounded up to a multiple of 16; 0: some 32 MB of memory */
    bool has_gap;        /* the chain is broken somewhere: `read` fills in segments */
    sp_long_read *read;
    sp_long_write *write;
    void *arg; /* of both */
} sp_long_recording;

/* Decodes by any strategy, relaxed where asked. SP_OK, also where there is no path: *result says so; SP_EINVAL (a strategy's
 * parameter out of range, K differs); SP_ENOMEM; what read and write return. Time: that of the strategy, and that of
 * reading as often as sp_strategy_about() says. */
sp_status sp_decode_long(const sp_chain *chain, const sp_long_recording *recording, const sp_decode_options *options,
                         sp_workers *workers, sp_decoded *result, sp_error *err);

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
sp_status sp_confidence_long(const sp_chain *chain, const sp_long_recording *recording, const sp_long_given *given,
                             sp_workers *workers, sp_long_sureness *out, sp_error *err);

/* sp_path_score() of a path that comes in pieces in ascending order, bit for bit. Segments stand in the scores of all pieces or
 * of none. _end: the score, 0 without steps. */
typedef struct sp_long_score sp_long_score;
sp_long_score *sp_long_score_new(const sp_chain *chain); /* NULL on lack of memory */
void sp_long_score_free(sp_long_score *sum);
/* SP_OK; SP_EINVAL: a class out of range, scores of another K. */
sp_status sp_long_score_add(sp_long_score *sum, const sp_scores *scores, const int32_t *path, sp_error *err);
double sp_long_score_end(const sp_long_score *sum);

#ifdef __cplusplus
}
#endif
#endif
