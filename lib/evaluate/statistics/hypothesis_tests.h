/* Tests of steps and of ranks; private to evaluate/. The tests of recordings are in statepath/statistics.h. */
#ifndef EVALUATE_HYPOTHESIS_TESTS_H
#define EVALUATE_HYPOTHESIS_TESTS_H

#include "statepath/statistics.h"

/* McNemar's test of counted steps; sp_mcnemar says what each value is. */
void sp_mcnemar_test(int64_t only_a, int64_t only_b, sp_mcnemar *out);

/* McNemar's test of clusters: with d_k = a_k - b_k right steps of unit k, (sum d)^2 / sum d^2, one degree of freedom; units are
 * independent, steps need not be. a, b [n]. Undefined "no difference". Source  Durkalski et al. 2003, doi:10.1002/sim.1438. */
void sp_mcnemar_cluster_test(int64_t n, const int64_t *a, const int64_t *b, sp_chi2 *out);

/* Friedman's test that k strategies do not differ, over n units: mid-ranks within each unit, corrected for ties,
 *     chi2 = 12 sum_j (R_j - n (k + 1) / 2)^2 / (n k (k + 1)) / (1 - sum (t^3 - t) / (n (k^3 - k))),  df = k - 1
 *   values      [n,k] finite, greater is better;   mean_ranks  out [k], 1 the best; may be NULL; left alone for n = 0
 * Undefined "fewer than three strategies", "fewer than two units", "no difference" (all tied). SP_OK, SP_ENOMEM. O(n k^2).
 * Source  Friedman 1937; Demsar 2006. */
sp_status sp_friedman_test(int64_t n, int32_t k, const double *values, double *mean_ranks, sp_chi2 *out,
                           sp_error *err);

/* Cochran's Q over steps: with G_j the right steps of strategy j and L_t the strategies that have step t right,
 *     Q = (k - 1)(k sum G^2 - (sum G)^2) / (k sum L - sum L^2),  df = k - 1
 *   right  [k] G;   sum, squares  sum L and sum L^2
 * Takes steps as independent: descriptive. Undefined "fewer than three strategies", "no discordant steps". Source  Cochran 1950.
 */
void sp_cochran_test(int32_t k, const int64_t *right, double sum, double squares, sp_chi2 *out);

/* Do two raters exchange classes evenly? table [K,K]: steps where one says i, the other j.
 *   Bowker          sum_{i<j} (n_ij - n_ji)^2 / (n_ij + n_ji), pairs without steps left out; df = m (m - 1) / 2 over the m
 * classes that occur: the whole table is symmetric Stuart-Maxwell  d' S^-1 d of the differences d of the margins, df the rank of
 * S: both use each class equally often Both take steps as independent: descriptive. Undefined "no step differs". Source  Bowker
 * 1948; Stuart 1955, Maxwell 1970. */
void sp_bowker_test(int32_t n_classes, const int64_t *table, sp_chi2 *out);
sp_status sp_stuart_maxwell_test(int32_t n_classes, const int64_t *table, sp_chi2 *out, sp_error *err);

#endif
