/* The paired cluster bootstrap for any statistics of summed counts; not installed. */
#ifndef EVALUATE_CLUSTERS_H
#define EVALUATE_CLUSTERS_H

#include "statepath/decode.h"
#include "statepath/statistics.h"

/* Counts of each cluster (a recording), those above 0: cluster i has counts[j] in slot slots[j], j from offsets[i] to
 * offsets[i+1]-1. A slot may stand in a cluster twice: counts are only ever added up. Borrowed. */
typedef struct sp_clusters {
    int64_t n; /* below 2^32 */
    int32_t width;
    const int64_t *offsets; /* [n+1] */
    const uint32_t *slots;  /* 0..width-1 */
    const uint32_t *counts;
} sp_clusters;

/* Clusters that are being collected; {0} is empty. */
typedef struct sp_count_rows {
    int64_t n, n_counts, capacity, row_capacity;
    int64_t *offsets; /* [n+1] */
    uint32_t *slots, *counts;
} sp_count_rows;

/* Adds a count >= 0 to the cluster at hand; one above 2^32 - 1 becomes several entries. False: no memory. */
bool sp_count_rows_add(sp_count_rows *rows, uint32_t slot, int64_t count);
/* Ends the cluster at hand. False: no memory. */
bool sp_count_rows_end(sp_count_rows *rows);
void sp_count_rows_free(sp_count_rows *rows);
/* The clusters that have ended; the lists stay the rows'. */
sp_clusters sp_count_rows_view(const sp_count_rows *rows, int32_t width);
/* Puts cluster i into group[i], 0..n_groups-1. out: fresh rows, to be freed in any case. False: no memory. */
bool sp_clusters_group(const sp_clusters *clusters, int64_t n_groups, const int64_t *group, sp_count_rows *out);

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
sp_status sp_clusters_bootstrap(const sp_clusters *clusters, const sp_statistics *statistics, const sp_bootstrap_options *options,
                                sp_workers *workers, sp_difference *out, sp_error *err);

/* sp_bootstrap_accuracy() for several pairs of strategies from the same draws, over several threads.
 *   correct  [n_strategies][N];   pairs  [n_pairs][2] indices a, b of strategies;   out  [n_pairs] */
sp_status sp_bootstrap_accuracies(int64_t n, int32_t n_strategies, const int64_t *const *correct, const int64_t *scored,
                                  int32_t n_pairs, const int32_t (*pairs)[2], const sp_bootstrap_options *options,
                                  sp_workers *workers, sp_difference *out, sp_error *err);

/* What a statistic and its jackknife say of its spread: the standard error, and the acceleration of BCa. */
typedef struct sp_spread {
    double error, acceleration;
} sp_spread;

/* Resamples of a statistic. */
typedef struct sp_draws {
    double observed, least, most; /* the statistic, and between what it lies */
    sp_spread spread;
    int32_t n, n_ratios;
    double *values; /* [n] none NaN */
    double *ratios; /* [n_ratios] t*, +-SP_INFINITE_RATIO where infinite; of none nothing is studentised */
} sp_draws;
#define SP_INFINITE_RATIO 1e300

/* All intervals; draws change places. Fills low to studentised, and n_resamples. */
void sp_intervals(const sp_draws *draws, const sp_bootstrap_options *options, sp_difference *out);
/* Sets every end of the intervals to a reason. */
void sp_intervals_none(const char *reason, sp_difference *out);

/* The clusters as groups. Above SP_MOST_CLUSTERS of them a resample would be a million draws or more, of which 10,000 are wanted.
 * So each cluster is put into one of SP_CLUSTER_GROUPS groups by a hash of the seed and its number, and groups are drawn. Groups
 * of independent clusters are independent; the interval is that of a sample of groups, whose standard error is off by a random
 * 0.8 % (1 / sqrt(2 x 8192)), less than what 10,000 resamples leave. */
enum { SP_MOST_CLUSTERS = 32768, SP_CLUSTER_GROUPS = 8192 };
static inline int64_t sp_cluster_units(int64_t n)
{
    return n > SP_MOST_CLUSTERS ? SP_CLUSTER_GROUPS : n;
}
uint32_t sp_cluster_group(uint64_t seed, int64_t cluster);

/* SP_OK, or SP_EINVAL: n_resamples below 1, or level not between 0 and 1. */
sp_status sp_bootstrap_options_check(const sp_bootstrap_options *options, sp_error *err);

/* Resamples that are drawn for n recordings. */
int32_t sp_bootstrap_resamples(const sp_bootstrap_options *options, int64_t n);

#endif
