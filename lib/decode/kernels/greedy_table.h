/* Greedy under a plain chain with the weights in a table; not installed.
 *
 * Under a plain chain greedy is a machine whose state is the class just chosen:
 *
 *     chosen[t] = the first j of the greatest (0 + log_trans[chosen[t-1], j]) + e[t,j]        + end[j] at the last step
 *
 * the same operations in the same order as greedy.c, so the same bits.
 */
#ifndef STATEPATH_DECODE_GREEDY_TABLE_H
#define STATEPATH_DECODE_GREEDY_TABLE_H

#include "core/chain_states.h"
#include "core/scratch.h"
#include "statepath/scores.h"

enum { SP_GREEDY_TABLE_MOST = 64 }; /* classes: a table of 32 KB */

typedef struct sp_greedy_table {
    int32_t n; /* K */
    const double
        *weight; /* [K+2,K] after each class; after nothing (start); after a gap. -INFINITY where forbidden */
    const double *end; /* [K] */
} sp_greedy_table;

/* False on lack of memory or, with table->n = 0, where the chain is not one for this. Memory from the
 * scratch, where it stays until the next. */
bool sp_greedy_table_init(sp_greedy_table *table, const sp_chain *chain, sp_scratch *scratch);

/* The path of greedy. False at a dead end; what is in path is no path then. */
bool sp_greedy_table_path(const sp_greedy_table *table, const sp_scores *scores, double *row, int32_t *path);

#endif
