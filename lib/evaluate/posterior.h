/* Intervals of recordings' figures over paths drawn from the posterior: how often they hold the reference, and how much wider they would have to be.
 * Not installed. */
#ifndef EVALUATE_POSTERIOR_H
#define EVALUATE_POSTERIOR_H

#include "statepath/comparison.h"

/* Room for n figures of so many recordings, all columns NaN; the caller fills in keys, names and columns, and frees it
 * (sp_posterior_free()). NULL: no memory. */
sp_posterior_intervals *sp_posterior_new(int32_t n, int64_t n_recordings);

/* By how much the reference lies outside of an interval, less than 0 within; NaN: one of them is not there. columns [SP_DRAW_COLUMNS] */
double sp_posterior_miss(const double *columns);

/* The least number that ceil(level (n + 1)) of n misses do not exceed, at least 0: so much wider on each side the intervals hold one
 * more reference with this level. misses [n], sorted here. INFINITY where n is too small.
 * Source  conformalised quantile regression: Romano, Patterson, Candes 2019, arXiv:1905.03222. */
double sp_posterior_widening(double *misses, int64_t n, double level);

/* The sums of all figures, when their columns are filled in. SP_OK, SP_ENOMEM. */
sp_status sp_posterior_judge(sp_posterior_intervals *posterior, int64_t n_recordings, sp_error *err);

#endif
