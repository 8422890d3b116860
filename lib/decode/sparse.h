/* One recording at a time under a sparse model of more classes than lanes take: the forward step of dense.h over lists of
 * predecessors; not installed. */
#ifndef STATEPATH_DECODE_SPARSE_H
#define STATEPATH_DECODE_SPARSE_H

#include "core/chain_states.h"
#include "decode/scratch.h"

/* Predecessors of j: from[row[j]] .. from[row[j+1]-1], in 16 bits, each list filled up to a multiple of SP_SPARSE_SIDE with its
 * own members again (a maximum does not mind) and never empty (else: 0, at -INFINITY). */
typedef struct sp_sparse {
    int32_t n;
    int64_t *row;   /* [n+1] */
    uint16_t *from; /* [row[n]] */
    double *weight; /* [row[n]], or NULL: every weight is 0 */
} sp_sparse;

enum { SP_SPARSE_SIDE = 4, SP_SPARSE_MOST_CLASSES = 65536 };

/* Memory from SP_SLOT_SPARSE_LISTS of scratch, where it stays until the next. False on lack of memory. */
bool sp_sparse_init(sp_sparse *sparse, const sp_chain *chain, sp_scratch *scratch);

/* next[n] = max_i now[i] + weight[i,.]. O(transitions). */
void sp_sparse_step(const sp_sparse *sparse, const double *now, double *next);

#endif
