/* Marginals of a sequence, piece by piece; not installed.
 *
 * In memory they are those of forward_backward.c. Otherwise:
 * the forward pass goes through the recording and keeps its row at the first step of every block, the backward pass its row at
 * the last. From these any block is done again by itself: a piece holds many blocks, which the threads share. The rows are those
 * of forward_backward.c bit for bit.
 */
#ifndef STATEPATH_DECODE_PIECE_MARGINALS_H
#define STATEPATH_DECODE_PIECE_MARGINALS_H

#include "decode/sequence.h"
#include "decode/strategies/marginals.h"

typedef struct sp_marginals {
    sp_sequence *s;
    int64_t block, n_blocks; /* steps of a block; a piece is a multiple of it */
    double *starts;          /* [n_blocks,M] forward rows of their first steps */
    double *ends;            /* [n_blocks,M] backward rows of their last steps */
    double log_z;
} sp_marginals;

/* Goes there and back, but for a recording in memory, where that is left to sp_marginals_piece(). SP_OK, SP_ENOPATH, SP_ENOMEM,
 * what reading returns. In every case to be cleared. */
sp_status sp_marginals_open(sp_marginals *m, sp_sequence *s, sp_error *err);
void sp_marginals_clear(sp_marginals *m);

/* Reads piece i and hands its rows, numbered from 0, to the sink: in no particular order, on several threads. SP_OK,
 * SP_ENOPATH (in memory only), SP_ENOMEM, what reading returns. */
sp_status sp_marginals_piece(const sp_marginals *m, int64_t i, const sp_marginal_sink *sink,
                             sp_scores *scores, sp_error *err);

#endif
