/* Log arithmetic in nats. -INFINITY is exact zero probability; NaN never goes in. Not installed. */
#ifndef STATEPATH_CORE_LOGMATH_H
#define STATEPATH_CORE_LOGMATH_H

#include <stdint.h>

/* log(sum_k exp(x[k])); -INFINITY when every x[k] is -INFINITY or n is 0. The maximum is taken out first, so nothing
 * overflows; the sum runs from k = 0 upwards, so the answer is the same on every machine with the same exp and log. */
double sp_logsumexp(const double *x, int64_t n);

/* log(exp(a) + exp(b)). */
double sp_logaddexp(double a, double b);

#endif
