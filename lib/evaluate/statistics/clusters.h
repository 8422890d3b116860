/* The paired cluster bootstrap for any statistics of summed counts; not installed. */
#ifndef EVALUATE_CLUSTERS_H
#define EVALUATE_CLUSTERS_H

#include "evaluate/statistics/count_rows.h"
#include "statepath/decode.h"
#include "statepath/statistics.h"

/* Statistics of sums [width]: values [n], NaN where one is undefined. compute() is called by several threads at once. */
typedef struct sp_statistics {
    int32_t n, n_shares; /* the first n_shares are between 0 and 1, the others between -most and most */
    double most;
    void (*compute)(const void *arg, const int64_t *sums, double *values);
    const void *arg;
    const char *undefined; /* why a value may be */
} sp_statistics;

/* Intervals of all statistics, from the same draws. What is drawn depends on the seed and the number of clusters alone: not on
 * the counts, nor on the threads. workers: NULL for one thread;  out [statistics->n] SP_OK, SP_EINVAL (options), SP_ENOMEM: `out`
 * is then as before. */
sp_status sp_clusters_bootstrap(const sp_clusters *clusters, const sp_statistics *statistics,
                                const sp_bootstrap_options *options, sp_workers *workers, sp_difference *out,
                                sp_error *err);

/* sp_bootstrap_accuracy() for several pairs of strategies from the same draws, over several threads.
 *   correct  [n_strategies][N];   pairs  [n_pairs][2] indices a, b of strategies;   out  [n_pairs] */
sp_status sp_bootstrap_accuracies(int64_t n, int32_t n_strategies, const int64_t *const *correct,
                                  const int64_t *scored, int32_t n_pairs, const int32_t (*pairs)[2],
                                  const sp_bootstrap_options *options, sp_workers *workers,
                                  sp_difference *out, sp_error *err);

#endif
