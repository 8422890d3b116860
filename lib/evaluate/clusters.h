/* The paired cluster bootstrap for any statistics of summed counts; not installed. sp_bootstrap_accuracies() is the same for
 * accuracies, with a loop of its own. */
#ifndef EVALUATE_CLUSTERS_H
#define EVALUATE_CLUSTERS_H

#include "statepath/statistics.h"

/* Counts of each cluster (a recording), those above 0: cluster i has counts[j] in slot slots[j], j from offsets[i] to
 * offsets[i+1]-1. Borrowed. */
typedef struct sp_clusters {
    int64_t n; /* below 2^32 */
    int32_t width;
    const int64_t *offsets; /* [n+1] */
    const uint32_t *slots;  /* 0..width-1 */
    const uint32_t *counts;
} sp_clusters;

/* Statistics of sums [width]: values [n], NaN where one is undefined. */
typedef struct sp_statistics {
    int32_t n;
    void (*compute)(const void *arg, const int64_t *sums, double *values);
    const void *arg;
    const char *undefined; /* why a value may be */
} sp_statistics;

/* Intervals [n_statistics] by BCa as in statistics.h: same generator, same draws as sp_bootstrap_accuracies() with that seed.
 * Fewer resamples are drawn, but not below 1,000, where summing would take more than 2e8 additions. SP_OK, SP_EINVAL (options),
 * SP_ENOMEM. */
sp_status sp_clusters_bootstrap(const sp_clusters *clusters, const sp_statistics *statistics, const sp_bootstrap_options *options,
                                sp_difference *out, sp_error *err);

/* The interval from draws [B], none NaN, which change places; a is the acceleration. Fills low, high and n_resamples. */
void sp_bca(double observed, double a, double level, int32_t B, double *drawn, sp_difference *out);

#endif
