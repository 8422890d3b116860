/* The step of the kernels for more classes than lanes take, and for states of which several emit one class, dense or sparse; not
 * installed.
 *
 *     delta[t,j] = max_i (delta[t-1,i] + log_trans[i,j]) + e[t,j]
 *
 * Going forward only the maxima are found: a maximum does not depend on the order in which it is taken, so columns j lie side by
 * side in vectors. Going back, the predecessor of the one state of the path is found again among the very same sums: the lowest
 * of the best, as the plain kernel has it. Same operations, same bits.
 *
 * Under a large matrix most rows cannot win anywhere in a block of columns. The rows of the greatest delta go first; the least of
 * the maxima that they leave in a block is a floor; and a row i with delta[i] + max_j weight[i,j] <= floor, j in the block,
 * raises none of them (rounding is monotonic), so it is skipped. At worst nothing is, and that costs a twentieth. Sparse models
 * do likewise by lists (sparse.h).
 */
#ifndef STATEPATH_DECODE_DENSE_H
#define STATEPATH_DECODE_DENSE_H

#include "core/chain_states.h"
#include "core/isa.h"
#include "core/workers.h"
#include "decode/kernels/columns.h"
#include "decode/kernels/sparse.h"
#include "statepath/scores.h"

enum {
    SP_DENSE_SKIP_LEAST = 128, /* classes from which on rows are skipped */
    SP_DENSE_SKIP_MOST = 4096  /* and up to which */
};

/* The matrix in blocks of columns that fill the registers. */
typedef struct sp_dense {
    const sp_chain *chain;
    const struct sp_isa_kernels *kernels; /* of an instruction set */
    int32_t n;                            /* M */
    int32_t columns;                      /* of a block */
    int32_t n_blocks;
    size_t width; /* n_blocks * columns: doubles of a row of delta */
    double *
        weight; /* [n_blocks, n, columns] rows = from, -INFINITY where forbidden and beyond column n; NULL: by lists */
    double *most; /* [n_blocks, n] the greatest weight of each row in each block; NULL: no row is skipped */
    double *fill; /* [n_blocks, columns] INFINITY for columns that nothing leads to, else -INFINITY */
    sp_sparse sparse;
    sp_columns shared; /* n > 0: `sparse` has the lists of these, not of states */
} sp_dense;

/* Is the chain one for this, and do the matrix or the lists pay for so many steps? */
bool sp_dense_fits(const sp_chain *chain, int64_t n_steps);

/* A matrix where a quarter of the transitions or more are allowed, or lists for the columns where states share them; else lists of
 * predecessors. Takes its memory from
 * the scratch, which keeps it. False on lack of memory. */
bool sp_dense_init(sp_dense *dense, sp_isa isa, const sp_chain *chain, sp_scratch *scratch);

/* The states of a step that one thread makes, and what their steps have taught. */
typedef struct sp_dense_part {
    int32_t first, last; /* blocks first .. last-1 */
    /* These change the time, no number. */
    double span;       /* rows so far below the greatest delta go first */
    bool has_positive; /* some sum was not below zero */
} sp_dense_part;

/* The blocks that member `index` of `count` makes. */
static inline void sp_dense_part_take(sp_dense_part *part, const sp_dense *dense, int32_t index,
                                      int32_t count)
{
    part->first = dense->n_blocks * index / count;
    part->last = dense->n_blocks * (index + 1) / count;
}

/* All states, before the first step. */
static inline sp_dense_part sp_dense_part_all(const sp_dense *dense)
{
    return (sp_dense_part){.first = 0, .last = dense->n_blocks, .span = 1};
}

/* next[width] = delta[t] from now[width] = delta[t-1], of the states of the part. */
void sp_dense_forward(const sp_dense *dense, const sp_scores *scores, int64_t t, const double *now,
                      double *next, sp_dense_part *part);

/* The state before `state`, given the delta of the step before: the lowest of the best, 0 when there is none. */
int32_t sp_dense_before(const sp_dense *dense, const double *now, int32_t state);

struct sp_dense_team; /* dense_team.h */

/* All of a recording of one step or more without gaps, as sp_viterbi(), on the calling thread; SP_ENOPATH without a message, path
 * in pieces, when there is no path: ask the plain kernel why. SP_OK, SP_ENOPATH or SP_ENOMEM. Memory hardly grows with the
 * recording. */
sp_status sp_dense_viterbi(const sp_dense *dense, const sp_scores *scores, sp_scratch *scratch, int32_t *path,
                           double *score);

/* Does a team of so many threads (dense_team.h) pay? */
bool sp_dense_pays_threads(const sp_dense *dense, const sp_scores *scores, int n_threads);

/* Steps of a block that suit the second-level cache. */
int64_t sp_dense_choose_block(const sp_dense *dense, int64_t n_steps);

/* The same in blocks of so many steps, 1 or more, and by the team (NULL: alone): changes the time, never the answer. */
sp_status sp_dense_viterbi_in_blocks(const sp_dense *dense, const sp_scores *scores, int64_t block,
                                     struct sp_dense_team *team, sp_scratch *scratch, int32_t *path,
                                     double *score);

/* ---- for each instruction set ---- */

/* next[j] = max_i now[i] + weight[i,j], of the columns j of the part's blocks. */
typedef void sp_dense_step(const sp_dense *dense, const double *now, double *next, sp_dense_part *part);

/* next[n] += row[n], of either type; of states not NULL next[j] += row[states[j]]. */
typedef void sp_dense_add(const void *row, sp_dtype dtype, const int32_t *states, int32_t n, double *next);

/* next[n] = value[column[n]] + row[n], of either type; of states not NULL + row[states[j]]. */
typedef void sp_dense_spread(const void *row, sp_dtype dtype, const int32_t *states, int32_t n,
                             const int32_t *column, const double *value, double *next);

/* The first i of the greatest now[i] + weight[i], 0 when all are -INFINITY. */
typedef int32_t sp_dense_choice(const double *now, const double *weight, int32_t n);

#endif
