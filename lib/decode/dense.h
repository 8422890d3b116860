/* One recording at a time under a model of more classes than lanes take, dense or sparse; not installed.
 *
 * Going forward only the maxima are found, and kept:
 *
 *     delta[t,j] = max_i (delta[t-1,i] + log_trans[i,j]) + e[t,j]
 *
 * a maximum does not depend on the order in which it is taken, so columns j lie side by side in vectors. Going back, the
 * predecessor of the one state of the path is found again among the very same sums: the lowest of the best, as the plain kernel
 * has it. Same operations, same bits.
 *
 * Under a large matrix most rows cannot win anywhere in a block of columns. The rows of the greatest delta go first; the least of
 * the maxima that they leave in a block is a floor; and a row i with delta[i] + max_j weight[i,j] <= floor, j in the block,
 * raises none of them (rounding is monotonic), so it is skipped. At worst nothing is, and that costs a twentieth.
 *
 * delta is kept for all steps while that is SP_DENSE_MOST_BYTES or less; else only at every B-th, B about the square root of T,
 * and the steps between are done twice.
 */
#ifndef STATEPATH_DECODE_DENSE_H
#define STATEPATH_DECODE_DENSE_H

#include "core/chain_states.h"
#include "decode/isa.h"
#include "decode/scratch.h"
#include "decode/sparse.h"
#include "statepath/decode.h"

enum {
    SP_DENSE_MOST_BYTES = 256 << 20,
    SP_DENSE_SKIP_LEAST = 128, /* classes from which on rows are skipped */
    SP_DENSE_SKIP_MOST = 4096  /* and up to which */
};

/* The matrix in blocks of columns that fill the registers. */
typedef struct sp_dense {
    const sp_chain *chain;
    sp_isa isa;
    int32_t n;       /* M = K */
    int32_t columns; /* of a block */
    int32_t n_blocks;
    size_t most_bytes; /* of delta, before it is kept in part only; SP_DENSE_MOST_BYTES */
    double *weight;    /* [n_blocks, n, columns] rows = from, -INFINITY where forbidden and beyond column n; NULL: by lists */
    double *most;      /* [n_blocks, n] the greatest weight of each row in each block; NULL: no row is skipped */
    double *fill;      /* [n_blocks, columns] INFINITY for columns that nothing leads to, else -INFINITY */
    sp_sparse sparse;
} sp_dense;

/* Is the chain one for this, and do the matrix or the lists pay for so many steps? */
bool sp_dense_fits(const sp_chain *chain, int64_t n_steps);

/* A matrix where a quarter of the transitions or more are allowed, else lists of predecessors. Takes its memory from
 * SP_SLOT_DENSE_MATRIX or SP_SLOT_SPARSE_LISTS of scratch, where it stays until the next. False on lack of memory. */
bool sp_dense_init(sp_dense *dense, sp_isa isa, const sp_chain *chain, sp_scratch *scratch);

/* As sp_viterbi(), for a recording of one step or more without gaps; SP_ENOPATH without a message, path untouched, when there is
 * no path: ask the plain kernel why. SP_OK, SP_ENOPATH or SP_ENOMEM. Uses SP_SLOT_DENSE_DELTAS, SP_SLOT_NOW, SP_SLOT_NEXT. */
sp_status sp_dense_viterbi(const sp_dense *dense, const sp_scores *scores, sp_scratch *scratch, int32_t *path, double *score);

/* next[n_blocks * columns] = max_i now[i] + weight[i,.].
 *   span   in and out: rows so far below the greatest delta go first. It is adjusted to the data as steps go by and changes no
 *          number; 1 at first */
typedef void sp_dense_step(const sp_dense *dense, const double *now, double *next, double *span);
sp_dense_step sp_dense_step_base, sp_dense_step_avx2, sp_dense_step_avx512;

/* The first i of the greatest now[i] + weight[i]; 0 when all are -INFINITY. */
typedef int32_t sp_dense_choice(const double *now, const double *weight, int32_t n);
sp_dense_choice sp_dense_choice_base, sp_dense_choice_avx2, sp_dense_choice_avx512;

#endif
