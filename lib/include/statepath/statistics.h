/* Paired comparison of two strategies over recordings. The unit of inference is the recording, never the step. Uses GSL inside.
 */
#ifndef STATEPATH_STATISTICS_H
#define STATEPATH_STATISTICS_H

#include <stdbool.h>
#include <stdint.h>

#include "statepath/agreement.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sp_bootstrap_options {
    uint64_t seed;       /* 1 */
    int32_t n_resamples; /* 10,000; fewer are drawn when recordings x resamples would exceed 2e8, but not below 1,000 */
    double level;        /* 0.95 */
} sp_bootstrap_options;

sp_bootstrap_options sp_bootstrap_options_default(void);

/* SP_OK, or SP_EINVAL: n_resamples below 1, or level not between 0 and 1. */
sp_status sp_bootstrap_options_check(const sp_bootstrap_options *options, sp_error *err);

/* Resamples that are drawn for n recordings. */
int32_t sp_bootstrap_resamples(const sp_bootstrap_options *options, int64_t n);

/* A difference of pooled accuracies with its interval. */
typedef struct sp_difference {
    sp_value difference; /* undefined "no scored steps" when there are none */
    sp_value low, high;  /* undefined "one recording" when fewer than 2 recordings have scored steps */
    int64_t n;           /* recordings with scored steps */
    int32_t n_resamples; /* drawn; 0 without an interval */
} sp_difference;

/* Difference of two pooled accuracies, sum a / sum scored - sum b / sum scored, with its interval by the paired cluster
 * bootstrap: recordings are drawn with replacement, both strategies take the same draw, sums are formed anew.
 *
 *   a, b     [N] correct steps of each recording by strategy a and b, 0..scored
 *   scored   [N] scored steps, >= 0; recordings with 0 take no part
 *
 * The interval is BCa, B = resamples, d the observed difference, d* a resampled one:
 *     z0 = Phi^-1((#{d* < d} + #{d* = d} / 2) / B), clamped to 1/(2B)
 *     a  = sum u^3 / (6 (sum u^2)^(3/2)), u = mean of the jackknife - jackknife without the recording; 0 when all are equal
 *     ends: quantiles Phi(z0 + (z0 + z) / (1 - a (z0 + z))) of the sorted d*, z = Phi^-1((1 -+ level) / 2), interpolated
 * Generator: GSL's mt19937 with the seed; the same input gives the same bytes.
 * Returns SP_OK, SP_EINVAL (options; counts out of range; N above 2^32), SP_ENOMEM. Cost O(N B).
 * Source  Efron 1987, doi:10.1080/01621459.1987.10478410. */
sp_status sp_bootstrap_accuracy(int64_t n, const int64_t *a, const int64_t *b, const int64_t *scored,
                                const sp_bootstrap_options *options, sp_difference *out, sp_error *err);

/* The same for several pairs of strategies from the same draws, in one pass.
 *   correct  [n_strategies][N];   pairs  [n_pairs][2] indices a, b of strategies;   out  [n_pairs] */
sp_status sp_bootstrap_accuracies(int64_t n, int32_t n_strategies, const int64_t *const *correct, const int64_t *scored,
                                  int32_t n_pairs, const int32_t (*pairs)[2], const sp_bootstrap_options *options,
                                  sp_difference *out, sp_error *err);

/* Wilcoxon signed rank test on paired differences, two-sided: zeros dropped, mid-ranks for ties, the exact null distribution (of
 * these very mid-ranks) by counting for up to 1,000 differences left, else the normal approximation with tie correction.
 *     p = min(1, 2 P(W <= min(W+, W-)));   rank_biserial = (W+ - W-) / (W+ + W-)
 * Assumes that differences are symmetric about their median. The least p that n differences can give is 2^(1-n).
 *   difference  [n], finite
 *   p, rank_biserial  undefined "no difference" when every difference is 0, "no recordings" when n = 0
 * Returns SP_OK, SP_EINVAL (a difference that is not finite), SP_ENOMEM. Cost O(n^3) to 1,000, then O(n log n).
 * Source  Wilcoxon 1945; Pratt & Gibbons 1981. */
typedef struct sp_wilcoxon {
    sp_value p, rank_biserial;
    int64_t better, worse, ties; /* d > 0, d < 0, d = 0 */
    bool is_exact;
} sp_wilcoxon;
sp_status sp_wilcoxon_signed_rank(int64_t n, const double *difference, sp_wilcoxon *out, sp_error *err);

/* Sign-flip permutation test of the mean of paired differences, two-sided: if neither strategy is better, each difference could
 * as well have had the other sign. Exact (all 2^n signs) for up to 20 differences other than 0; else n_resamples random sign
 * vectors and p = (r + 1) / (B + 1). Assumes exchangeable signs only.
 *   p  undefined "no difference" when every difference is 0, "no recordings" when n = 0
 * Returns SP_OK, SP_EINVAL (options; a difference that is not finite), SP_ENOMEM. */
typedef struct sp_sign_flip {
    sp_value p;
    bool is_exact;
} sp_sign_flip;
sp_status sp_sign_flip_test(int64_t n, const double *difference, const sp_bootstrap_options *options, sp_sign_flip *out,
                            sp_error *err);

/* McNemar's test over steps. It takes steps as independent, which neighbouring steps are not: its p is too small. Descriptive
 * only; the unit of inference is the recording.
 *   only_a, only_b  steps that only a, only b has right
 *   exact  2 P(X <= min) for X ~ Bin(only_a + only_b, 1/2), at most 1;   mid_p  exact less P(X = min), half of it where b = c
 *   chi2, chi2_p  (b - c)^2 / (b + c), one degree of freedom;  with continuity correction (|b - c| - 1)^2 / (b + c)
 * All undefined "no discordant steps" when both are 0. Source  McNemar 1947; Fagerland et al. 2013 (mid-p). */
typedef struct sp_mcnemar {
    int64_t only_a, only_b;
    sp_value exact, mid_p, chi2, chi2_p, chi2_corrected, chi2_corrected_p;
} sp_mcnemar;
void sp_mcnemar_test(int64_t only_a, int64_t only_b, sp_mcnemar *out);

/* Holm's step-down adjustment of n p-values for the family-wise error rate: with the m defined ones sorted ascending, adjusted
 * p_(i) = max over j <= i of min(1, (m - j + 1) p_(j)). Undefined values stay undefined and are not counted.
 *   p, adjusted  [n], may be the same array
 * Returns SP_OK or SP_ENOMEM. Source  Holm 1979. */
sp_status sp_holm_adjust(int64_t n, const sp_value *p, sp_value *adjusted, sp_error *err);

#ifdef __cplusplus
}
#endif
#endif
