/* Sums of reliability and of the likelihood, which grow block by block (sp_reliability says what they become). Not installed. */
#ifndef EVALUATE_RELIABILITY_SUMS_H
#define EVALUATE_RELIABILITY_SUMS_H

#include "evaluate/counts/exact_sum.h"
#include "statepath/mask.h"
#include "statepath/metrics.h"

/* Sums that grow block by block. Adaptive bins and coverage come from a histogram of 1 - confidence, 256 cells an octave: a cell
 * is at most 0.002 wide in confidence, near 1 at most 1/256 of the distance to 1, and is never split. Memory: up to 0.8 MB + 1.2
 * K kB, whatever the number of steps; with weights 3 times as much. */
typedef struct sp_reliability_sums sp_reliability_sums;

/* SP_OK, SP_EINVAL (K below 1), SP_ENOMEM. */
sp_status sp_reliability_new(int32_t n_classes, sp_reliability_sums **out, sp_error *err);

void sp_reliability_sums_free(sp_reliability_sums *sums);

/* The sums of sp_nll (mask.h) without clipped ones, whatever the order. Starts from {0}. */
typedef struct sp_nll_sums {
    sp_exact_sum sum, weight, impossible_weight;
    int64_t n_steps, n_impossible;
} sp_nll_sums;
sp_nll sp_nll_sums_value(const sp_nll_sums *nll);

/* As sp_nll_add(). */
sp_status sp_nll_sums_add(sp_nll_sums *nll, const sp_scores *scores, const int32_t *labels,
                          const double *weights, sp_error *err);

/* Adds a view (a recording, a block). The sums are exact (exact_sum.h), so they depend neither on how a file was cut into views
 * nor on the order of these.
 *   scores   [T,K] prepared, nats
 *   labels   [T] 0..K-1, -1 = does not count
 *   weights  [T] finite, >= 0; NULL: all 1
 *   nll      what sp_nll_sums_add() would add, from the same exponentials and the same to the bit; untouched on failure. NULL:
 *            only the calibration
 * Returns SP_OK; SP_EDATA (err->step) for a weight that cannot be used or a label that is no class,
 * SP_EINVAL for another K: the sums are then as before, or hold the steps before that one and are to be thrown away. O(T K). */
sp_status sp_probabilities_add(sp_nll_sums *nll, sp_reliability_sums *sums, const sp_scores *scores,
                               const int32_t *labels, const double *weights, sp_error *err);

/* From sums to values; the sums stay. level: of the Wilson intervals, such as 0.95.
 * SP_OK, SP_EINVAL (level), SP_ENOMEM.
 * Source  Brier 1950; Naeini et al. 2015 and Guo et al. 2017 (ECE, MCE); Nixon et al. 2019 (classwise, adaptive); Wilson 1927. */
sp_status sp_reliability_finish(const sp_reliability_sums *sums, double level, sp_reliability **out,
                                sp_error *err);

#endif
