#include "core/logmath.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/isa.h"
#include "statepath/scores.h"

/* Here for the whole library: flags are the same everywhere in it. */
#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "statepath needs infinities and NaN as IEEE 754 has them: no -ffast-math, -Ofast or -ffinite-math-only"
#endif

/* exp of less than this beside a sum that is at least 1 is lost in its rounding, even 10,000 times. */
static const double lost = -60;

double sp_greatest(const double *x, int64_t n)
{
    double greatest[4] = {-INFINITY, -INFINITY, -INFINITY,
                          -INFINITY}; /* four at a time, which do not wait for each other */
    int64_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (int c = 0; c < 4; c++)
            greatest[c] = x[i + c] > greatest[c] ? x[i + c] : greatest[c];
    for (; i < n; i++)
        greatest[0] = x[i] > greatest[0] ? x[i] : greatest[0];
    for (int c = 1; c < 4; c++)
        greatest[0] = greatest[c] > greatest[0] ? greatest[c] : greatest[0];
    return greatest[0];
}

double sp_take_greatest(double *x, int64_t n)
{
    const double greatest = sp_greatest(x, n);
    for (int64_t i = 0; greatest > -INFINITY && i < n; i++)
        x[i] -= greatest;
    return greatest;
}

double sp_greatest_sum(const double *x, const double *weight, int32_t n, int32_t *at)
{
    double best = -INFINITY;
    *at = 0;
    for (int32_t i = 0; i < n; i++) {
        const double sum = weight ? x[i] + weight[i] : x[i];
        if (sum > best) {
            best = sum;
            *at = i;
        }
    }
    return best;
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
    double max = sp_greatest(x, n);
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
    double max = sp_greatest(x, n), rest = max == -INFINITY ? 0 : log_sum_above(x, n, max);
    for (int64_t k = 0; k < n; k++)
        out[k] = max == -INFINITY ? -INFINITY : x[k] - max - rest;
    return max + rest;
}

/* ---- many at a time: loops that compilers make vectors of, compiled for each instruction set ---- */

typedef double vd;
typedef uint64_t vu64;

SP_ALWAYS_INLINE vd spread(double x)
{
    return x;
}

SP_ALWAYS_INLINE vu64 bits_of(vd x)
{
    vu64 bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

SP_ALWAYS_INLINE vd number_of(vu64 bits)
{
    vd x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

#include "core/exp_log.h"

/* is ? a : b without a branch: compilers make vectors of comparisons of integers, but, for fear of traps, not of every one of
 * floating-point numbers. */
SP_ALWAYS_INLINE double pick(bool is, double a, double b)
{
    const uint64_t mask = -(uint64_t)is;
    return number_of((bits_of(a) & mask) | (bits_of(b) & ~mask));
}

/* Of x >= 0. Subnormal numbers are made normal: log(x) = log(2^54 x) - 54 log 2. */
SP_ALWAYS_INLINE double any_log(double x)
{
    const int64_t bits = (int64_t)bits_of(x), least_normal = INT64_C(1) << 52;
    const bool is_small = bits < least_normal;
    const double y = normal_log(x * pick(is_small, 0x1p54, 1)) - pick(is_small, 54 * (ln2_high + ln2_low), 0);
    return pick(bits_of(x) << 1 == 0, -INFINITY, y); /* -0.0 too */
}

SP_ALWAYS_INLINE void logs_any(double *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        x[i] = any_log(x[i]);
}

SP_FOR_EACH_ISA(void, logs, (double *x, int64_t n), logs_any(x, n);)

void sp_logs(double *x, int64_t n)
{
    SP_BY_ISA(logs, sp_isa_current())(x, n);
}

/* Of x <= 0. */
SP_ALWAYS_INLINE double exp_below(double x)
{
    const bool is_lost = bits_of(x) > bits_of(lost); /* the bits of x ascend as it falls */
    return pick(is_lost, 0, scaled_exp(pick(is_lost, lost, x), integer_at));
}

SP_ALWAYS_INLINE void exps_any(double *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        x[i] = exp_below(x[i]);
}

SP_FOR_EACH_ISA(void, exps, (double *x, int64_t n), exps_any(x, n);)

void sp_exps(double *x, int64_t n)
{
    SP_BY_ISA(exps, sp_isa_current())(x, n);
}

/* No float but 0 is subnormal as a double. */
SP_ALWAYS_INLINE void logs_of_floats_any(const float *restrict x, int64_t n, double *restrict out)
{
    for (int64_t i = 0; i < n; i++)
        out[i] = pick(x[i] == 0, -INFINITY, normal_log((double)x[i]));
}

SP_FOR_EACH_ISA(void, logs_of_floats, (const float *restrict x, int64_t n, double *restrict out),
                logs_of_floats_any(x, n, out);)

void sp_logs_of_floats(const float *x, int64_t n, double *out)
{
    SP_BY_ISA(logs_of_floats, sp_isa_current())(x, n, out);
}

/* Rows side by side: tile[k,row], so that each row's sum runs from class 0 up, as in sp_log_softmax(). */
enum { TILE = 4096, MOST_ROWS = SP_SOFTMAX_ROWS };

SP_ALWAYS_INLINE double greater(double a, double b)
{
    return a > b ? a : b;
}

/* x[k,r] = x[k,r] - max_r - log sum_k exp(x[k,r] - max_r); p[k,r], unless NULL, its exp */
SP_ALWAYS_INLINE void softmax_tile_any(double *restrict tile, int rows, int32_t n_classes, double *restrict p)
{
    double max[MOST_ROWS], sum[MOST_ROWS], share[MOST_ROWS];
    for (int r = 0; r < rows; r++) {
        max[r] = tile[r];
        sum[r] = 0;
    }
    for (int32_t k = 1; k < n_classes; k++)
        for (int r = 0; r < rows; r++)
            max[r] = greater(tile[k * rows + r], max[r]);
    for (int r = 0; r < rows; r++)
        max[r] = greater(max[r], -DBL_MAX); /* of -INFINITY alone: all stay so */
    for (int32_t k = 0; k < n_classes; k++)
        for (int r = 0; r < rows; r++) {
            const double e = exp_below(tile[k * rows + r] - max[r]);
            sum[r] += e;
            if (p)
                p[k * rows + r] = e;
        }
    for (int r = 0; r < rows; r++) {
        sum[r] += pick(bits_of(sum[r]) == 0, 1, 0);
        share[r] = 1 / sum[r];
        sum[r] = any_log(sum[r]);
    }
    for (int32_t k = 0; p && k < n_classes; k++)
        for (int r = 0; r < rows; r++)
            p[k * rows + r] *= share[r];
    for (int32_t k = 0; k < n_classes; k++)
        for (int r = 0; r < rows; r++)
            tile[k * rows + r] = tile[k * rows + r] - max[r] - sum[r];
}

SP_FOR_EACH_ISA(void, softmax_columns, (double *x, int rows, int32_t n_classes),
                softmax_tile_any(x, rows, n_classes, NULL);)
SP_FOR_EACH_ISA(void, softmax_both, (double *x, int rows, int32_t n_classes, double *p),
                softmax_tile_any(x, rows, n_classes, p);)

void sp_log_softmax_columns(double *x, int n_rows, int32_t n_classes, double *p)
{
    if (p)
        SP_BY_ISA(softmax_both, sp_isa_current())(x, n_rows, n_classes, p);
    else
        SP_BY_ISA(softmax_columns, sp_isa_current())(x, n_rows, n_classes);
}

SP_ALWAYS_INLINE void softmax_rows_any(double *x, int rows, int32_t n_classes)
{
    double tile[TILE];
    for (int32_t k = 0; k < n_classes; k++)
        for (int r = 0; r < rows; r++)
            tile[k * rows + r] = x[r * n_classes + k];
    softmax_tile_any(tile, rows, n_classes, NULL);
    for (int32_t k = 0; k < n_classes; k++)
        for (int r = 0; r < rows; r++)
            x[r * n_classes + k] = tile[k * rows + r];
}

SP_FOR_EACH_ISA(void, softmax_rows, (double *x, int rows, int32_t n_classes),
                softmax_rows_any(x, rows, n_classes);)

void sp_log_softmax_rows(double *x, int64_t n_rows, int32_t n_classes)
{
    const int32_t K = n_classes;
    const int64_t most = K < 1 || K > SP_SOFTMAX_CLASSES ? 0 : TILE / K < MOST_ROWS ? TILE / K : MOST_ROWS;
    for (int64_t t = 0; t < n_rows; t += most ? most : 1) {
        const int64_t left = n_rows - t;
        if (most)
            SP_BY_ISA(softmax_rows, sp_isa_current())(x + t * K, (int)(left < most ? left : most), K);
        else
            sp_log_softmax(x + t * K, K, x + t * K);
    }
}
