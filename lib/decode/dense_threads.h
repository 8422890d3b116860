/* One recording on all threads, in pieces, under a dense or sparse model; not installed.
 *
 * A piece cannot know delta before its first step, so it warms up: it starts some steps earlier from nothing. Once the best paths
 * of all states have come through one state, delta is what it would have been from the true start, but for a constant and for
 * rounding. So a seam is accepted only when the delta with which a piece begins and the last delta of the piece before differ by
 * the same everywhere, within a tolerance; else the piece is done again from there. Sticky models may never meet: they are as
 * slow as on one thread.
 *
 * The answer is the plain kernel's, bit for bit, whatever the pieces. In exact arithmetic delta - constant would be equal in
 * both. Every sum of the plain kernel is wrong by at most u M, M its greatest number, u = 2^-53, and a best path to step t is 2 t
 * of them; a piece is wrong likewise, and by the differences s seen at its seams. Maxima make no error greater. So both say the
 * same of every choice that is won by more than
 *
 *     tolerance >= 2 (sum s + 2 T u M + 2 T u M)
 *
 * Others are decided by the plain kernel's own sums (dense_ties.h). The tolerance is set beforehand from a few rows of scores,
 * and the bound is checked afterwards; should it not hold, or a tie spread too far, the recording is done again on one thread.
 * The score is summed along the path as sp_path_score() does it, which is also the plain kernel's.
 */
#ifndef STATEPATH_DECODE_DENSE_THREADS_H
#define STATEPATH_DECODE_DENSE_THREADS_H

#include "decode/dense_piece.h"
#include "decode/workers.h"

enum {
    SP_DENSE_WARM = 64,           /* steps */
    SP_DENSE_PIECE_LEAST = 256,   /* steps that a piece has at least */
    SP_DENSE_LONG_LEAST = 1 << 20 /* transitions of all steps: starting a thread costs as much as some 100,000 */
};

/* Do pieces pay? */
static inline bool sp_dense_is_long(const sp_dense *dense, int64_t n_steps)
{
    double transitions = (double)dense->chain->pred_row[dense->n];
    return n_steps >= (int64_t)2 * SP_DENSE_PIECE_LEAST && transitions * (double)n_steps >= SP_DENSE_LONG_LEAST;
}

/* SP_OK; SP_ENOPATH without a message, path in pieces, when the pieces do not do, or there is no path; SP_ENOMEM. *n_ties grows
 * by the number of ties that were opened. */
sp_status sp_dense_viterbi_pieces(const sp_dense *dense, const sp_scores *scores, sp_workers *workers, int32_t *path,
                                  double *score, int32_t *n_ties);

/* As sp_dense_viterbi(), by pieces where they do. Uses SP_SLOT_DENSE_DELTAS, SP_SLOT_DENSE_MARKS and SP_SLOT_DENSE_PIECES. */
sp_status sp_dense_viterbi_shared(const sp_dense *dense, const sp_scores *scores, sp_workers *workers, int32_t *path,
                                  double *score);

#endif
