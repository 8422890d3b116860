/* What the comparisons of two strategies share; not installed. */
#ifndef EVALUATE_PAIRS_H
#define EVALUATE_PAIRS_H

#include "evaluate/counts/units.h"
#include "evaluate/evaluate.h"
#include "evaluate/evaluation.h"

extern const char sp_metric_kappa[], sp_metric_f1[], sp_metric_illegal[];

/* The next comparison of the result, which has room for it, by another metric than accuracy. A lower illegal rate is the better
 * one.
 *   of_recording  [N] differences of each recording, NaN where undefined
 *   d             [units] room; afterwards the defined differences of units, ascending
 * Returns it, or NULL on lack of memory. */
sp_pair_comparison *sp_pair_append(sp_evaluation *e, int32_t pair, const char *metric, const sp_difference *difference,
                                   const sp_units *units, const double *of_recording, double *d, sp_error *err);

/* metric_pairs.c: comparisons by kappa and macro F1; intervals of the strategies' illegal rates, and comparisons by them. */
sp_status sp_margins_compare(sp_evaluation *e, sp_error *err);
sp_status sp_illegal_compare(sp_evaluation *e, sp_error *err);

/* sequence_pairs.c: comparisons by what whole sequences say, which follows from the kind of work. How many metrics; the
 * comparisons. */
int32_t sp_sequence_metrics(const sp_evaluation *e);
sp_status sp_sequences_compare(sp_evaluation *e, sp_error *err);

#endif
