#include "statepath/logmath.h"

#include <math.h>

double sp_logsumexp(const double *x, int64_t n)
{
    double max = -INFINITY;
    for (int64_t k = 0; k < n; k++)
        if (x[k] > max)
            max = x[k];
    if (max == -INFINITY)
        return -INFINITY;
    double sum = 0;
    for (int64_t k = 0; k < n; k++)
        sum += exp(x[k] - max);
    return max + log(sum);
}

double sp_logaddexp(double a, double b)
{
    double high = a > b ? a : b, low = a > b ? b : a;
    return low == -INFINITY ? high : high + log1p(exp(low - high));
}

double sp_log_softmax(const double *x, int64_t n, double *out)
{
    double total = sp_logsumexp(x, n);
    for (int64_t k = 0; k < n; k++)
        out[k] = total == -INFINITY ? -INFINITY : x[k] - total;
    return total;
}
