/* What comparisons by other metrics than accuracy share; not installed. */
#ifndef EVALUATE_METRIC_PAIRS_H
#define EVALUATE_METRIC_PAIRS_H

#include "evaluate/evaluation.h"
#include "evaluate/units.h"

extern const char sp_metric_kappa[], sp_metric_f1[], sp_metric_illegal[];

/* The next comparison of the result, which has room for it. */
sp_pair_comparison *sp_metric_append(sp_evaluation *e, int32_t pair, const char *metric, const sp_difference *difference);

/* Counts, mean, median and sd of a pair's differences over units, d [n]; NaN where undefined. A lower illegal rate is the better
 * one. The defined ones are then the first of d. */
void sp_metric_describe(sp_pair_comparison *out, int64_t n, double *d, bool is_subjects);

/* The bootstrap over units of what is counted by recording. */
sp_status sp_metric_bootstrap(const sp_evaluation *e, const sp_units *units, const sp_clusters *rows,
                              const sp_statistics *statistics, sp_difference *out, sp_error *err);

/* illegal_rates.c: intervals of the strategies' rates, and the comparisons by them. */
sp_status sp_illegal_compare(sp_evaluation *e, sp_error *err);

#endif
