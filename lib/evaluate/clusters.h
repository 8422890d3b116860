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

/* Statistics of sums [width]: values [n], NaN where one is undefined. compute() is called by several threads at once. */
typedef struct sp_statistics {
    int32_t n;
    void (*compute)(const void *arg, const int64_t *sums, double *values);
    const void *arg;
    const char *undefined; /* why a value may be */
} sp_statistics;

/* One table of counts of the clusters and what is asked of it. */
typedef struct sp_bootstrap_part {
    sp_clusters clusters;
    sp_statistics statistics;
    sp_difference *out; /* [statistics.n] */
} sp_bootstrap_part;

/* Intervals of all parts, which have the same number of clusters and take the same draws. What is drawn depends on the seed and
 * the number of clusters alone: not on the parts, nor on the threads. workers: NULL for one thread.
 * SP_OK, SP_EINVAL (options), SP_ENOMEM: `out` is then as before. */
sp_status sp_clusters_bootstrap(int32_t n_parts, const sp_bootstrap_part *parts, const sp_bootstrap_options *options,
                                sp_workers *workers, sp_error *err);

/* The n counts of a cluster above 2^32 - 1 do not fit; this many entries hold any int64 count. */
int64_t sp_count_entries(int64_t count);
/* Writes a count > 0 as entries from `at` on; returns the place after them. */
int64_t sp_count_put(int64_t count, uint32_t slot, uint32_t *slots, uint32_t *counts, int64_t at);

/* sp_bootstrap_accuracies() over several threads. */
sp_status sp_bootstrap_accuracies_threads(int64_t n, int32_t n_strategies, const int64_t *const *correct, const int64_t *scored,
                                          int32_t n_pairs, const int32_t (*pairs)[2], const sp_bootstrap_options *options,
                                          sp_workers *workers, sp_difference *out, sp_error *err);

/* interval.c: both intervals from draws [B], none NaN, which change places; a is the acceleration. Fills low to n_resamples. */
void sp_intervals(double observed, double a, const sp_bootstrap_options *options, int32_t B, double *drawn, sp_difference *out);
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

#endif
