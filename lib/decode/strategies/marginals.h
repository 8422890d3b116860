/* Marginals row by row: what forward-backward hands to those who need them; not installed.
 *
 * Rows come from the last step to the first, and none is handed out before it is known that a legal path exists, so a sink may
 * write its caller's output. How much of the forward pass is kept in memory is nobody else's business.
 */
#ifndef STATEPATH_DECODE_MARGINALS_H
#define STATEPATH_DECODE_MARGINALS_H

#include "core/chain_states.h"
#include "core/scratch.h"
#include "statepath/advanced.h"

typedef struct sp_marginal_sink {
    /* Called for t = T-1 .. 0. marginal [K] sums to 1; log_marginal [K] in nats, exact where the marginal itself underflows, or
     * NULL unless wants_log. */
    void (*row)(void *arg, int64_t t, const double *marginal, const double *log_marginal);
    void *arg;
    bool wants_log;
    int64_t block; /* steps of the forward pass that are kept at a time; 0: as suits the memory */
} sp_marginal_sink;

/* Runs forward and backward. sink NULL: log Z only, M doubles of memory.
 *   log_partition  out, untouched on failure; may be NULL
 * Returns SP_OK, SP_ENOPATH, SP_EINVAL, SP_ENOMEM. */
sp_status sp_marginal_rows(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch,
                           const sp_marginal_sink *sink, double *log_partition, sp_error *err);

/* Rows of the forward pass alone, for who goes back in a way of its own. */
typedef struct sp_forward_sink {
    /* Called for t = T-1 .. 0. forward [M]: a[t,j] less a constant of the row; the arrays of the steps may be written. */
    void (*row)(void *arg, int64_t t, const double *forward);
    void *arg;
    int64_t block; /* as above */
} sp_forward_sink;

/* Runs forward, T > 0, by steps that are ready (kernels/sum_steps.h), then hands out the rows. sink NULL: log Z only. The scratch is
 * released by the caller. SP_OK, SP_ENOPATH, SP_ENOMEM. */
struct sp_sum_steps;
sp_status sp_forward_rows(const struct sp_sum_steps *f, sp_scratch *scratch, const sp_forward_sink *sink,
                          double *log_z, sp_error *err);

/* So many steps kept at a time need the least memory, about that of 2 sqrt(T) rows. */
int64_t sp_marginal_least_block(int64_t n_steps);

/* Has the scratch take what sp_marginal_rows() needs for a sink of that block, so that it cannot then lack memory. False when
 * there is not so much. */
bool sp_marginal_reserve(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch);

/* A sink of confidence: the marginals of the classes of a path. */
typedef struct sp_confidence_of {
    const int32_t *path;
    float *confidence;
} sp_confidence_of;
void sp_confidence_row(void *arg, int64_t t, const double *marginal, const double *log_marginal);

/* sp_confidence() by sp_marginal_rows(), path as it should be. block: see sp_marginal_sink. */
sp_status sp_confidence_rows(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch,
                             const int32_t *path, int64_t block, float *confidence, double *log_partition,
                             sp_error *err);

/* A marginal, or its log, as the strategies compare it: to a multiple of 2^-30; -INFINITY stays. */
double sp_marginal_rounded(double x);

#endif
