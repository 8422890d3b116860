/* Log arithmetic in nats. -INFINITY is exact zero probability; NaN never goes in. Not installed. */
#ifndef STATEPATH_CORE_LOGMATH_H
#define STATEPATH_CORE_LOGMATH_H

#include <stdint.h>

/* The greatest of n numbers; -INFINITY where n is 0. */
double sp_greatest(const double *x, int64_t n);
/* Takes it off all of them, unless it is -INFINITY. Returns it. */
double sp_take_greatest(double *x, int64_t n);
/* The greatest x[i] + weight[i] (NULL: 0), and the first i that has it; *at is 0 where all are -INFINITY. */
double sp_greatest_sum(const double *x, const double *weight, int32_t n, int32_t *at);

/* log(sum_k exp(x[k])); -INFINITY when every x[k] is -INFINITY or n is 0. The maximum is taken out first, so nothing
 * overflows; the sum runs from k = 0 upwards, so the answer is the same on every machine with the same exp and log. */
double sp_logsumexp(const double *x, int64_t n);

/* log(exp(a) + exp(b)). */
double sp_logaddexp(double a, double b);

/* x[i] = log(x[i]) for n finite numbers that are not negative; -INFINITY for 0. Below 1 ulp of error; the same bits on every
 * machine, which libm's log does not promise. */
void sp_logs(double *x, int64_t n);

/* The same of floats: out[i] = log(x[i]). A fifth quicker. */
void sp_logs_of_floats(const float *x, int64_t n, double *out);

/* x[i] = exp(x[i]) for n numbers <= 0; 0 below -60, which is lost beside 1. Off by 1.1 ulp at most, the same bits on every machine. */
void sp_exps(double *x, int64_t n);

/* sp_log_softmax() of each row of x [n_rows,K], in place; x holds neither NaN nor +INFINITY. The same sums in the same order; exp
 * and log are off by 1.1 ulp at most, and the same bits on every machine, up to SP_SOFTMAX_CLASSES classes. */
enum { SP_SOFTMAX_CLASSES = 512 };
void sp_log_softmax_rows(double *x, int64_t n_rows, int32_t n_classes);
/* The same of rows that lie side by side, x [K,n_rows]: no more than SP_SOFTMAX_ROWS of them, of any number of classes. p [K,n_rows], out: the
 * probabilities; or NULL. */
enum { SP_SOFTMAX_ROWS = 256 };
void sp_log_softmax_columns(double *x, int n_rows, int32_t n_classes, double *p);

#endif
