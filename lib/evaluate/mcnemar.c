/* McNemar's test. */
#include "statepath/statistics.h"

#include "evaluate/value.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sf_gamma.h>
#include <math.h>

/* P(X = k) for X ~ Bin(n, 1/2). */
static double binomial_half(int64_t k, int64_t n)
{
    double x = (double)k, m = (double)n;
    return exp(gsl_sf_lngamma(m + 1) - gsl_sf_lngamma(x + 1) - gsl_sf_lngamma(m - x + 1) - m * M_LN2);
}

/* P(X <= k) for X ~ Bin(n, 1/2), k <= n / 2: terms fall away from k downwards, so the sum stops when they no longer count. */
static double lower_half(int64_t k, int64_t n)
{
    double term = binomial_half(k, n), sum = 0;
    for (int64_t i = k; i >= 0 && term > sum * 1e-18; i--) {
        sum += term;
        term *= (double)i / (double)(n - i + 1); /* P(i - 1) / P(i) */
    }
    return sum;
}

void sp_mcnemar_test(int64_t only_a, int64_t only_b, sp_mcnemar *out)
{
    *out = (sp_mcnemar){.only_a = only_a, .only_b = only_b};
    int64_t n = only_a + only_b, low = only_a < only_b ? only_a : only_b;
    if (n == 0) {
        sp_value none = value_undefined("no discordant steps");
        out->exact = out->mid_p = out->chi2 = out->chi2_p = out->chi2_corrected = out->chi2_corrected_p = none;
        return;
    }
    double exact = only_a == only_b ? 1 : fmin(1, 2 * lower_half(low, n));
    out->exact = value_of(exact);
    /* What is more extreme, and half of what is just as extreme: both ends, or the middle alone where b = c. */
    out->mid_p = value_of(exact - (only_a == only_b ? 0.5 : 1) * binomial_half(low, n));
    double apart = fabs((double)(only_a - only_b)), corrected = apart - 1;
    out->chi2 = value_of(apart * apart / (double)n);
    out->chi2_p = value_of(gsl_cdf_chisq_Q(out->chi2.value, 1));
    out->chi2_corrected = value_of(corrected * corrected / (double)n);
    out->chi2_corrected_p = value_of(gsl_cdf_chisq_Q(out->chi2_corrected.value, 1));
}
