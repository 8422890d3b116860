/* Decoding one recording that is too long for memory: it is read and its path written piece by piece.
 *
 * Viterbi goes through the recording twice. Forward it keeps the state of its recurrence at the beginning of each piece and no
 * more; then, from the last piece to the first, it reads each again, goes forward once more with back-pointers, and traces the
 * path back from where the piece after it begins. Argmax and greedy go through it once. Memory: O(piece + T/piece states).
 *
 * The path is that of sp_decode_batch() byte for byte, status and step are its, whatever the length of the pieces and the number
 * of threads. The score is that of sp_path_score() but for rounding (1e-12, relative): the terms of each piece are summed in
 * order, then the pieces in order.
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

/* Takes the classes path[n] of steps first .. first+n-1. Every step comes once, in pieces of ascending or descending order. path
 * NULL, at the end: the recording could not be decoded, all its steps are -1 whatever was written. */
typedef sp_status sp_long_write(void *arg, int64_t first, int64_t n, const int32_t *path, sp_error *err);

typedef struct sp_long_recording {
    int64_t n_steps;     /* T */
    int64_t piece_steps; /* steps to read at a time, rounded up to a multiple of 16; 0: some 32 MB of memory */
    bool has_gap;        /* the chain is broken somewhere: `read` fills in segments */
    sp_long_read *read;
    sp_long_write *write;
    void *arg; /* of both */
} sp_long_recording;

/* Can the strategy go by pieces under this chain? Viterbi always; argmax and greedy with one state per class. */
bool sp_long_can(const sp_chain *chain, sp_strategy_kind strategy);

/* Decodes. SP_OK, also where there is no path: *result says so; SP_EINVAL (sp_long_can() says no; K differs); SP_ENOMEM; what
 * read and write return. Time: that of the strategy, twice for viterbi. */
sp_status sp_decode_long(const sp_chain *chain, const sp_long_recording *recording, sp_strategy_kind strategy,
                         sp_workers *workers, sp_decoded *result, sp_error *err);

/* sp_path_score() of a path that comes in pieces in ascending order, bit for bit. Segments stand in the scores of all pieces or of
 * none. _end: the score, 0 without steps. */
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
