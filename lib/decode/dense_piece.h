/* A recording, or a piece of one, there and back under a dense or sparse model, in memory that hardly grows with it; not
 * installed.
 *
 * delta is kept for two blocks of steps only, few enough for the second-level cache. At the end of each block the likeliest state
 * is traced back, until it meets the trace that the block before left behind: below that they are the same path. So after each
 * block path[] holds the whole trace back from one state, and the last trace, from the state that wins in the end, is the answer.
 *
 * Under a sticky model a trace may leave both blocks without meeting the old one. Then the border that it reached is open: what
 * stands below it in path[] belongs to another trace. Of each block the delta before its first step is kept, so an open border is
 * closed in the end by doing the block below it again and tracing on: at worst each block is done twice.
 *
 * A piece in the middle of a recording starts from deltas that are only known up to a constant and a small error. There a choice
 * counts only if it wins by more than `tolerance`; for others see dense_ties.h.
 */
#ifndef STATEPATH_DECODE_DENSE_PIECE_H
#define STATEPATH_DECODE_DENSE_PIECE_H

#include "decode/dense.h"
#include "decode/dense_ties.h"

typedef struct sp_dense_piece {
    const sp_dense *dense;
    const sp_scores *scores;
    int64_t first, last; /* the steps of the piece: first .. last-1, at least one */
    int64_t block;       /* steps of a block */
    int64_t n_blocks;
    double tolerance; /* 0: delta is the plain kernel's bit for bit */
    int32_t *path;    /* of the whole recording */
    double *taken;    /* [T] the scores that the path takes, while they are near; NULL: not wanted */
    double *marks;    /* [n_blocks + 1, width] delta of the step before each block; the last one is that of step last-1 */
    uint8_t *is_open; /* [n_blocks] the border below each block */
    double *ring;     /* [2 block, width] delta of the last two blocks */
    int64_t held;     /* the first of the blocks in the ring, -1: none */
    sp_dense_habit habit;
    sp_dense_size size; /* of delta, where there is a tolerance */
    sp_ties ties;       /* where there is a tolerance */
    bool is_beyond;     /* a tie spread too far: the piece is no use */
} sp_dense_piece;

/* A piece of steps first .. last-1, not yet placed. */
sp_dense_piece sp_dense_piece_of(const sp_dense *dense, const sp_scores *scores, int64_t first, int64_t last, int32_t *path);

/* Bytes, a multiple of 64, of all of a piece but its ring, and the piece put into such a room (ties where it has a tolerance);
 * doubles of the ring, which is the caller's to set. */
size_t sp_dense_piece_bytes(const sp_dense_piece *piece);
void sp_dense_piece_place(sp_dense_piece *piece, void *room);
size_t sp_dense_piece_ring(const sp_dense_piece *piece);

/* Goes forward over all blocks, tracing. marks[0] holds the delta before the first step (at step 0 nothing). */
void sp_dense_piece_forward(sp_dense_piece *piece);

/* Traces back from `state` at the last step and closes the borders inside the piece. */
void sp_dense_piece_back(sp_dense_piece *piece, int32_t state);

/* The same when the state of the step after the piece is in path[last]. */
void sp_dense_piece_back_from_next(sp_dense_piece *piece);

/* Delta of step t, which is in the ring, or of the step before the piece. */
static inline double *sp_dense_piece_delta(const sp_dense_piece *p, int64_t t)
{
    return t < p->first ? p->marks : p->ring + (size_t)((t - p->first) % (2 * p->block)) * p->dense->width;
}

/* Delta of the last step. */
static inline const double *sp_dense_piece_end(const sp_dense_piece *piece)
{
    return piece->marks + (size_t)piece->n_blocks * piece->dense->width;
}

/* All of a recording of one step or more without gaps, as sp_viterbi(), on the calling thread; SP_ENOPATH without a message, path
 * in pieces, when there is no path: ask the plain kernel why. SP_OK, SP_ENOPATH or SP_ENOMEM. Uses SP_SLOT_DENSE_DELTAS and
 * SP_SLOT_DENSE_MARKS. */
sp_status sp_dense_viterbi(const sp_dense *dense, const sp_scores *scores, sp_scratch *scratch, int32_t *path, double *score);

#endif
