/* The forward step of dense.h over lists, for sparse models; not installed.
 *
 *     next[j] = max_i now[i] + weight[i,j],   i over the predecessors of j
 *
 * Most transitions cannot win. The states of the greatest now[] are offered to their successors first; no other state gives more
 * than `bound`, the greatest now[i] + max_j weight[i,j] among them. What is as great already is the maximum (rounding is
 * monotonic); for the few classes that are left the whole list of predecessors is gone through. With 30 successors a state a
 * twelfth of the states decide ten elevenths of the classes. */
#ifndef STATEPATH_DECODE_SPARSE_H
#define STATEPATH_DECODE_SPARSE_H

#include "core/chain_states.h"
#include "core/scratch.h"

/* Predecessors of j: from[row[j]] .. from[row[j+1]-1], in 16 bits, each list filled up to a multiple of SP_SPARSE_SIDE with its
 * own members again (a maximum does not mind) and never empty (else: 0, at -INFINITY). */
typedef struct sp_sparse {
    int32_t n;
    int64_t *row;   /* [n+1] */
    uint16_t *from; /* [row[n]] */
    double *weight; /* [row[n]], or NULL: every weight is 0 */
    double *
        most; /* [n] the greatest weight to a successor, -INFINITY without; NULL: states are not offered first */
    const sp_chain *chain;
} sp_sparse;

enum {
    SP_SPARSE_SIDE = 4,
    SP_SPARSE_MOST_CLASSES = 65536,
    SP_SPARSE_OFFER_LEAST = 128,  /* classes from which on states are offered first */
    SP_SPARSE_OFFER_MOST = 16384, /* and up to which */
    SP_SPARSE_OFFER_DEGREE = 8    /* and transitions a class, on average */
};

/* Items of the list of state j, filled up. */
int64_t sp_sparse_length(const sp_chain *chain, int32_t j);

/* Memory from the scratch, which keeps it. False on lack of memory. */
bool sp_sparse_init(sp_sparse *sparse, const sp_chain *chain, sp_scratch *scratch);

/* The lists of states[n] alone, in this order; no state is offered first. */
bool sp_sparse_init_some(sp_sparse *sparse, const sp_chain *chain, const int32_t *states, int32_t n,
                         sp_scratch *scratch);

/* next[n] = max_i now[i] + weight[i,.]. O(transitions).
 *   span   in and out: states so far below the greatest are offered. Adjusted as steps go by; changes no number; 1 at first */
void sp_sparse_step(const sp_sparse *sparse, const double *now, double *next, double *span);

#endif
