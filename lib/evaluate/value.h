/* Small makers of sp_value, and summaries of numbers; not installed. */
#ifndef EVALUATE_VALUE_H
#define EVALUATE_VALUE_H

#include "statepath/metrics.h"

#include <math.h>

static inline sp_value value_of(double x)
{
    return (sp_value){.value = x};
}

static inline sp_value value_undefined(const char *reason)
{
    return (sp_value){.undefined = reason};
}

/* numerator / denominator; undefined for `reason` when the denominator is 0. */
static inline sp_value value_ratio(double numerator, double denominator, const char *reason)
{
    return denominator == 0 ? value_undefined(reason) : value_of(numerator / denominator);
}

/* Mean and standard deviation (n - 1) of the numbers at(arg, 0..n-1) that are not NaN, of which there are `used`. Undefined for
 * `none` where there are none; the deviation of one number for `one`. Reads them twice, so that nothing cancels. */
static inline void value_summary(int64_t n, double (*at)(const void *arg, int64_t i), const void *arg,
                                 const char *none, const char *one, int64_t *used, sp_value *mean,
                                 sp_value *sd)
{
    double sum = 0, squares = 0;
    int64_t m = 0;
    for (int64_t i = 0; i < n; i++) {
        double x = at(arg, i);
        sum += isnan(x) ? 0 : x;
        m += !isnan(x);
    }
    *used = m;
    *mean = value_ratio(sum, (double)m, none);
    for (int64_t i = 0; m > 1 && i < n; i++) {
        double away = at(arg, i) - mean->value;
        squares += isnan(away) ? 0 : away * away;
    }
    *sd = m > 1 ? value_of(sqrt(squares / (double)(m - 1))) : value_undefined(m ? one : none);
}

/* Order of two doubles for qsort(). */
static inline int value_ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

#endif
