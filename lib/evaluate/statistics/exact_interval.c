/* The exact interval of a share of independent trials. Its ends are quantiles of beta distributions, but GSL's search for these
 * (gsl_cdf_beta_Pinv) does not converge from some thousands of trials on, and aborts. */
#include "statepath/statistics.h"

#include "evaluate/value.h"

#include <gsl/gsl_sf_gamma.h>
#include <math.h>

/* P(X >= k) for X ~ Bin(n, p), p <= k / n: terms fall away from k upwards, so the sum stops when they no longer count. */
static double upper_tail(int64_t k, int64_t n, double p)
{
    const double x = (double)k, m = (double)n, odds = p / (1 - p);
    double term = exp(gsl_sf_lngamma(m + 1) - gsl_sf_lngamma(x + 1) - gsl_sf_lngamma(m - x + 1) + x * log(p) +
                      (m - x) * log1p(-p));
    double sum = 0;
    for (int64_t i = k; i <= n && term > sum * 1e-18; i++) {
        sum += term;
        term *= odds * (double)(n - i) / (double)(i + 1); /* P(i + 1) / P(i) */
    }
    return sum;
}

/* The p of which P(X >= k) is `tail`, which grows with p; halved until the ends meet. */
static double lower_end(int64_t k, int64_t n, double tail)
{
    double low = 0, high = k == n ? 1 : (double)k / (double)n;
    if (k == 0 || k == n)
        return k == 0 ? 0 : pow(tail, 1 / (double)n);
    for (double middle; (middle = (low + high) / 2) > low && middle < high;) {
        if (upper_tail(k, n, middle) < tail)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void sp_exact_interval(int64_t k, int64_t n, double level, sp_value *low, sp_value *high)
{
    *low = *high = value_undefined("no trials");
    if (n <= 0)
        return;
    *low = value_of(lower_end(k, n, (1 - level) / 2));
    *high = value_of(1 - lower_end(n - k, n, (1 - level) / 2));
}
