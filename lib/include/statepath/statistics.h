/* Paired comparison of two strategies over recordings. The unit of inference is the recording, never the step. Uses GSL inside.
 */
#ifndef STATEPATH_STATISTICS_H
#define STATEPATH_STATISTICS_H

#include <stdbool.h>
#include <stdint.h>

#include "statepath/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Intervals of differences are studentised of up to so many recordings, BCa of more. */
enum { SP_MOST_STUDENTISED = 128 };

typedef struct sp_bootstrap_options {
    uint64_t seed; /* 1 */
    int32_t
        n_resamples; /* 10,000; fewer are drawn when recordings x resamples would exceed 2e8, but not below 1,000 */
    double level; /* 0.95 */
} sp_bootstrap_options;

sp_bootstrap_options sp_bootstrap_options_default(void);

/* A difference of pooled accuracies with its interval. */
typedef struct sp_difference {
    sp_value difference; /* undefined "no scored steps" when there are none */
    /* Undefined "one recording" when fewer than 2 have scored steps, "too few recordings differ", "all
     * recordings differ alike". */
    sp_value low, high;
    int64_t n;           /* recordings with scored steps */
    int32_t n_resamples; /* drawn; 0 without an interval */
} sp_difference;

/* Difference of two pooled accuracies, sum a / sum scored - sum b / sum scored, with its interval by the
 * paired cluster bootstrap: recordings are drawn with replacement, both strategies take the same draw,
 * sums are formed anew.
 *
 *   a, b     [N] correct steps of each recording by strategy a and b, 0..scored
 *   scored   [N] scored steps, >= 0; recordings with 0 take no part
 *
 * B resamples, d the observed difference, d* a resampled one, Q(q) the q-th quantile of the sorted d*,
 * interpolated (type 7):
 *     BCa         Q(Phi(z0 + (z0 + z) / (1 - a (z0 + z)))), z = Phi^-1((1 -+ level) / 2)
 *         z0 = Phi^-1((#{d* < d} + #{d* = d} / 2) / B), clamped to 1/(2B)
 *         a  = sum u^3 / (6 (sum u^2)^(3/2)), u = mean of the jackknife - jackknife without the recording; 0 when all are equal
 *     studentised  d - s t_high to d - s t_low, t_low and t_high the quantiles (1 -+ level) / 2 of t* = (d* - d) / s*, where
 *         s  = sqrt((n - 1) / n sum u^2), the jackknife's standard error, and s* that of the resample, from n jackknife values
 *         of its own. Where s* is 0, t* is infinite, or 0 where d* = d. "too few recordings differ" where an end is infinite: of
 *         fewer than 4 recordings always (at 0.95), and where nearly all have a difference of 0; "all recordings differ alike"
 *         where s is 0 and d is not. Ends stay between -1 and 1.
 *         Where the jackknives would take more than 2e8 additions, t* is of the first resamples only, 1,000 at least.
 * BCa is narrow where recordings are few, as Student's t is wider than the normal and the variance of a
 * sample is (n-1)/n of its estimate: where differences are spread evenly, 95 % intervals hold the truth in
 * about P(|t_(n-1)| < 1.96 sqrt((n-1)/n)) of samples, 0.929 of 20 recordings, 0.942 of 50; where they are
 * skewed, in fewer. The studentised interval is wider, and holds it in 0.93 to 0.95
 * (lib/evaluate/coverage.md; tests/property/test_interval_coverage.c). Resample b draws from a stream of
 * its own, made of the seed and b: the same input gives the same bytes for any number of threads. More
 * than 32,768 recordings are put into 8,192 groups by a hash of the seed and their number, and groups take
 * the place of recordings (their sums are sums of independent recordings, so the interval is what it was;
 * its standard error is off by a random 0.8 %). What a resample costs does not grow beyond that. Returns
 * SP_OK, SP_EINVAL (options; counts out of range; N above 2^32), SP_ENOMEM. Cost O(min(N, 32768) B), for
 * up to 128 recordings O(N^2 B).
 * Source  Efron 1987, doi:10.1080/01621459.1987.10478410; studentised: Efron 1981, doi:10.2307/3314608, and Hall 1988,
 *         doi:10.1214/aos/1176350933; groups: Wolter 2007, Introduction to Variance Estimation, ch. 2. */
sp_status sp_bootstrap_accuracy(int64_t n, const int64_t *a, const int64_t *b, const int64_t *scored,
                                const sp_bootstrap_options *options, sp_difference *out, sp_error *err);

/* What the signed rank test does with differences of 0. */
typedef enum sp_wilcoxon_zeros {
    SP_ZEROS_WILCOX, /* they are left out before ranks are given (Wilcoxon 1945) */
    SP_ZEROS_PRATT /* they take the lowest ranks, which are left out then (Pratt 1959): zeros weigh against small differences */
} sp_wilcoxon_zeros;

/* Wilcoxon signed rank test on paired differences, two-sided, with mid-ranks r for ties.
 *
 *   difference  [n], finite
 *   p           min(1, 2 P(W <= min(W+, W-))), W+ and W- the sums of the ranks of positive and negative differences: exact
 *               for up to 1,000 differences other than 0, by counting (each of these very mid-ranks is in W with
 *               probability 1/2); else W normal with mean sum r / 2 and variance sum r^2 / 4, which holds with ties and
 *               zeros, without continuity correction
 *   p_least     2^(1-m), the least p that m differences other than 0 can give: all of one sign
 *   rank_biserial  (W+ - W-) / (W+ + W-)
 * All undefined "no difference" when every difference is 0, "no recordings" when n = 0. Assumes that differences are symmetric
 * about their median. Pratt's zeros make W large: beyond 1e9 additions, or a sum of 2^24, it is approximated before 1,000.
 * Returns SP_OK, SP_EINVAL (a difference that is not finite), SP_ENOMEM. Cost O(m W) exact, O(n log n) else.
 * Source  Wilcoxon 1945; Pratt 1959, doi:10.1080/01621459.1959.10501526; Cureton 1967 (approximation with zeros);
 *         Pratt & Gibbons 1981. */
typedef struct sp_wilcoxon {
    sp_value p, p_least, rank_biserial;
    int64_t better, worse, ties; /* d > 0, d < 0, d = 0 */
    bool is_exact;
} sp_wilcoxon;
sp_status sp_wilcoxon_signed_rank(int64_t n, const double *difference, sp_wilcoxon_zeros zeros,
                                  sp_wilcoxon *out, sp_error *err);

/* Sign-flip permutation test of the mean of paired differences, two-sided: if neither strategy is better, each difference could
 * as well have had the other sign. Exact (all 2^n signs) for up to 20 differences other than 0; else n_resamples random sign
 * vectors and p = (r + 1) / (B + 1). Above 32,768 differences the signs of 8,192 groups are drawn (as in the bootstrap), which is
 * a test of the same level. Assumes exchangeable signs only.
 *   p  undefined "no difference" when every difference is 0, "no recordings" when n = 0
 * Returns SP_OK, SP_EINVAL (options; a difference that is not finite), SP_ENOMEM. */
typedef struct sp_sign_flip {
    sp_value p;
    bool is_exact;
} sp_sign_flip;
sp_status sp_sign_flip_test(int64_t n, const double *difference, const sp_bootstrap_options *options,
                            sp_sign_flip *out, sp_error *err);

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

/* A statistic that is chi-square with df degrees of freedom under the null hypothesis. p is undefined where chi2 is. */
typedef struct sp_chi2 {
    sp_value chi2, p;
    int32_t df;
} sp_chi2;

/* Holm's step-down adjustment of n p-values for the family-wise error rate: with the m defined ones sorted ascending, adjusted
 * p_(i) = max over j <= i of min(1, (m - j + 1) p_(j)). Undefined values stay undefined and are not counted.
 *   p, adjusted  [n], may be the same array
 * Returns SP_OK or SP_ENOMEM. Source  Holm 1979. */
sp_status sp_holm_adjust(int64_t n, const sp_value *p, sp_value *adjusted, sp_error *err);

#ifdef __cplusplus
}
#endif
#endif
