/* Memory that only grows, one per thread; not installed. A slot is one array of a decoder; its contents do not survive a request
 * for more. Slots are shared by all strategies: a function that calls another decoder must not expect its slots to survive, save
 * those it alone uses. */
#ifndef STATEPATH_DECODE_SCRATCH_H
#define STATEPATH_DECODE_SCRATCH_H

#include <stddef.h>

#include "statepath/decode.h"

/* What the slots hold. A strategy of its own arrays takes numbers from SP_SLOT_FREE on; the ones before may be used by whoever
 * needs such an array. */
enum {
    SP_SLOT_ROW,         /* [K] double: one step's scores, see sp_row() */
    SP_SLOT_NOW,         /* [M] values of the states at this step */
    SP_SLOT_NEXT,        /* [M] at the next */
    SP_SLOT_FROM,        /* [M] int32: back-pointers of one step */
    SP_SLOT_BACK,        /* [T,M] all back-pointers, see history.h */
    SP_SLOT_RANKS,       /* history ranks, see history.h */
    SP_SLOT_PATH,        /* [T] int32: a path before it is known to be one */
    SP_SLOT_STATES,      /* [M] int32: a list of states */
    SP_SLOT_REACH,       /* boolean forward pass, see recording.h; nobody else's */
    SP_SLOT_LANE_ROWS,   /* copies of the last rows of a batch, see lanes.c */
    SP_SLOT_CHUNK_WORDS, /* see chunks.c, also the next four */
    SP_SLOT_CHUNK_TAIL,
    SP_SLOT_CHUNK_DELTAS,
    SP_SLOT_CHUNK_SUMS,
    SP_SLOT_CHUNK_TAKEN,  /* see path_sum.h */
    SP_SLOT_DENSE_MATRIX, /* see dense.h */
    SP_SLOT_DENSE_DELTAS, /* see dense_viterbi.c, also the next */
    SP_SLOT_DENSE_MARKS,
    SP_SLOT_SPARSE_LISTS, /* see sparse.h */
    SP_SLOT_GREEDY_TABLE, /* see greedy_table.h */
    SP_SLOT_SUM_KEPT,     /* see lanes_forward_backward.h, also the next two */
    SP_SLOT_SUM_STARTS,
    SP_SLOT_SUM_VALUES,
    SP_SLOT_FREE, /* first number that nobody has taken */
    SP_SCRATCH_SLOTS = SP_SLOT_FREE + 24
};

/* `count` items of `size` bytes, aligned to 64, not cleared; NULL on lack of memory or overflow. count 0 gives a valid pointer.
 */
void *sp_scratch_get(sp_scratch *scratch, int slot, size_t count, size_t size);

#endif
