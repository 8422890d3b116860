/* Options and intervals of all bootstraps; not installed. */
#ifndef EVALUATE_INTERVALS_H
#define EVALUATE_INTERVALS_H

#include "statepath/statistics.h"

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
    double *ratios; /* [n_ratios] t*, +-SP_INFINITE_RATIO where infinite; none: BCa of the values */
} sp_draws;
#define SP_INFINITE_RATIO 1e300

/* Fills low, high and n_resamples; draws change places. */
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

/* 0..SP_CLUSTER_GROUPS-1 */
uint32_t sp_cluster_group(uint64_t seed, int64_t cluster);

/* SP_OK, or SP_EINVAL: n_resamples below 1, or level not between 0 and 1. */
sp_status sp_bootstrap_options_check(const sp_bootstrap_options *options, sp_error *err);

/* Resamples that are drawn for n recordings. */
int32_t sp_bootstrap_resamples(const sp_bootstrap_options *options, int64_t n);

#endif
