/* Columns of the transition matrix that are the same: states with the same predecessors at the same weights; not installed.
 *
 *     value[c] = max_i now[i] + weight[i,c],   i over the predecessors of column c
 *     next[j]  = value[column of j] + e[j]
 *
 * Tags with types have few: with eight types of BIOES, 33 states share nine columns, and of 321 transitions 33 are left. The maxima are
 * those that every state would find for itself, so results are the same bits.
 */
#ifndef STATEPATH_DECODE_COLUMNS_H
#define STATEPATH_DECODE_COLUMNS_H

#include "core/chain_states.h"
#include "core/scratch.h"

enum { SP_COLUMNS_MOST = 256 };

typedef struct sp_columns {
    int32_t n;                     /* columns; 0: none, or too many */
    int32_t head[SP_COLUMNS_MOST]; /* the first state of each, ascending */
    int32_t *of;                   /* [n_states] the column of each state */
} sp_columns;

/* Do the same predecessors lead to both, at the same weights? */
bool sp_column_is_same(const sp_chain *chain, int32_t state, int32_t other);

/* columns->n is 0 when the lists of the columns (sparse.h) are longer than `most` together. Memory from the scratch, which keeps it.
 * False on lack of memory. O(states x columns) but for columns that begin alike. */
bool sp_columns_find(sp_columns *columns, const sp_chain *chain, int64_t most, sp_scratch *scratch);

#endif
