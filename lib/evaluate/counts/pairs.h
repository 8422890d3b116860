/* What the comparisons of two strategies share; not installed. */
#ifndef EVALUATE_PAIRS_H
#define EVALUATE_PAIRS_H

#include "evaluate/counts/units.h"
#include "evaluate/evaluation.h"

/* Of the differences of units [n], NaN where undefined: mean, median and standard deviation; the defined ones, of which there
 * are as many as returned, are brought to the front and sorted. none: why there may be none. */
int64_t sp_pair_describe(const sp_units *units, double *d, const char *none, sp_pair_comparison *out);

/* pair_differences.c: how many metrics are shares of whole sequences, which follows from the kind of work. */
int32_t sp_sequence_metrics(const sp_evaluation *e);

/* Comparisons by all figures but the one that has all tests, in the order of what they are counted from; intervals of the
 * strategies' illegal rates. */
sp_status sp_differences_compare(sp_evaluation *e, sp_error *err);

#endif
