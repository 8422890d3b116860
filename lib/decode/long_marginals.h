/* Marginals of a long recording, piece by piece; not installed.
 *
 * The forward pass goes through the recording and keeps its row at the first step of every block, the backward pass its row at
 * the last. From these any block is done again by itself: a piece holds many blocks, which the threads share. The rows are those
 * of forward_backward.c bit for bit.
 */
#ifndef STATEPATH_DECODE_LONG_MARGINALS_H
#define STATEPATH_DECODE_LONG_MARGINALS_H

#include "decode/long_pieces.h"
#include "decode/marginals.h"

typedef struct sp_long_marginals {
    sp_pieces *p;
    int64_t block, n_blocks; /* steps of a block; a piece is a multiple of it */
    double *starts;          /* [n_blocks,M] forward rows of their first steps */
    double *ends;            /* [n_blocks,M] backward rows of their last steps */
    double log_z;
} sp_long_marginals;

/* Goes there and back. SP_OK, also where there is no path: result->status and step say so then, and there are no marginals.
 * Errors: SP_ENOMEM, what reading says. In every case to be cleared. */
sp_status sp_long_marginals_init(sp_long_marginals *m, sp_pieces *p, sp_decoded *result, sp_error *err);
void sp_long_marginals_clear(sp_long_marginals *m);

/* Reads piece i and hands its rows, numbered from 0, to the sink: in no particular order, on several threads. SP_OK, SP_ENOMEM,
 * what reading says. */
sp_status sp_long_marginals_piece(const sp_long_marginals *m, int64_t i, const sp_marginal_sink *sink, sp_scores *scores,
                                  sp_error *err);

#endif
