/* Greedy under a plain chain with the weights in a table, and one long recording by greedy or argmax; not installed.
 *
 * Under a plain chain greedy is a machine whose state is the class just chosen:
 *
 *     chosen[t] = the first j of the greatest (0 + log_trans[chosen[t-1], j]) + e[t,j]        + end[j] at the last step
 *
 * the same operations in the same order as greedy.c, so the same bits. A long recording is cut into chunks that stand side by
 * side in the lanes, each begun from nothing; where the choices of a chunk, made again from the class that truly stands before
 * it, meet those made from nothing, they are the same ever after. So only the steps up to there are done twice, all of them at
 * worst.
 */
#ifndef STATEPATH_DECODE_GREEDY_TABLE_H
#define STATEPATH_DECODE_GREEDY_TABLE_H

#include "core/scratch.h"
#include "core/workers.h"
#include "decode/kernels/lanes/lanes_run.h"

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

/* One recording that sp_chunks_fit(), by greedy or argmax, on all threads: with their path and score. SP_OK; SP_ENOPATH
 * without a message: ask those; SP_ENOMEM.
 *   table   for greedy */
sp_status sp_choose_long(const sp_lane_run_options *options, const sp_greedy_table *table,
                         const sp_scores *scores, sp_workers *workers, int32_t *path, double *score);

#endif
