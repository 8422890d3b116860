#include "core/logmath.h"
#include "statepath/scores.h"

#include <math.h>

/* Here for the whole library: flags are the same everywhere in it. */
#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "statepath needs infinities and NaN as IEEE 754 has them: no -ffast-math, -Ofast or -ffinite-math-only"
#endif

/* exp of less than this beside a sum that is at least 1 is lost in its rounding, even 10,000 times. */
static const double lost = -60;

static double greatest(const double *x, int64_t n)
{
    double max = -INFINITY;
    for (int64_t k = 0; k < n; k++)
        if (x[k] > max)
            max = x[k];
    return max;
}

/* log sum_k exp(x[k] - max), max finite */
static double log_sum_above(const double *x, int64_t n, double max)
{
    double sum = 0;
    for (int64_t k = 0; k < n; k++)
        if (x[k] - max >= lost)
            sum += exp(x[k] - max);
    return log(sum);
}

double sp_logsumexp(const double *x, int64_t n)
{
    double max = greatest(x, n);
    return max == -INFINITY ? max : max + log_sum_above(x, n, max);
}

double sp_logaddexp(double a, double b)
{
    double high = a > b ? a : b, low = a > b ? b : a;
    return low == -INFINITY || low - high < lost ? high : high + log1p(exp(low - high));
}

/* max goes first: beside a large one the rest of the sum would be lost. */
double sp_log_softmax(const double *x, int64_t n, double *out)
{
    double max = greatest(x, n), rest = max == -INFINITY ? 0 : log_sum_above(x, n, max);
    for (int64_t k = 0; k < n; k++)
        out[k] = max == -INFINITY ? -INFINITY : x[k] - max - rest;
    return max + rest;
}
