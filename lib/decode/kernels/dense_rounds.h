/* One recording under a dense or sparse model on several threads, the bits of the plain kernel; not installed.
 *
 * The blocks of dense_viterbi.c are made in rounds. In a round each thread makes a chunk of some blocks: the first one from the
 * true delta; the others from a guess, which SP_CHUNK_WARM steps before them is one value for all states. Such a chunk is accepted
 * when it is proved as those of chunks.h are. With the first that is not, the next round begins. Chunks are as long as lets delta
 * pass a power of two in the first alone. Under a sticky model nothing is ever proved: now and then a round is tried.
 */
#ifndef STATEPATH_DECODE_DENSE_ROUNDS_H
#define STATEPATH_DECODE_DENSE_ROUNDS_H

#include "decode/kernels/dense.h"

/* Are there steps enough? */
bool sp_dense_rounds_pay(const sp_scores *scores, int n_threads);

struct sp_dense_pass; /* dense_pass.h */

enum { SP_DENSE_ROUNDS_BLOCK = 128 };

/* All blocks of the pass, of SP_DENSE_ROUNDS_BLOCK steps: its marks, and its path but for the last trace. SP_OK, SP_ENOMEM. */
sp_status sp_dense_rounds_forward(struct sp_dense_pass *pass, sp_workers *workers);

/* As sp_dense_viterbi(). SP_OK, SP_ENOPATH, SP_ENOMEM. */
sp_status sp_dense_rounds_viterbi(const sp_dense *dense, const sp_scores *scores, sp_workers *workers,
                                  int32_t *path, double *score);

#endif
