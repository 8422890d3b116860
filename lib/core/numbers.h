/* Arrays of either type, read and written as doubles; order and quantiles of doubles. Not installed. */
#ifndef STATEPATH_CORE_NUMBERS_H
#define STATEPATH_CORE_NUMBERS_H

/* The largest weight of a step: sums of 10^15 of them, times what a step can cost, are finite. */
#define SP_WEIGHT_MOST 1e290

#include <math.h>

#include "statepath/scores.h"

static inline double number_get(const void *data, sp_dtype dtype, size_t i)
{
    return dtype == SP_F32 ? (double)((const float *)data)[i] : ((const double *)data)[i];
}

static inline void number_put(void *data, sp_dtype dtype, size_t i, double x)
{
    if (dtype == SP_F32)
        ((float *)data)[i] = (float)x;
    else
        ((double *)data)[i] = x;
}

/* Neither NaN nor +INFINITY. */
static inline bool number_is_score(double x)
{
    return x < (double)INFINITY;
}

/* e[i] = mask[i] ? e[i] : -INFINITY for n scores; returns how many of those taken away were finite. */
static inline int64_t number_mask(void *e, sp_dtype dtype, int64_t n, const uint8_t *mask)
{
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        double x = number_get(e, dtype, (size_t)i);
        count += !mask[i] && x > (double)-INFINITY;
        number_put(e, dtype, (size_t)i, mask[i] ? x : (double)-INFINITY);
    }
    return count;
}

/* Takes away the scores of all n classes but one, the class that is known. */
static inline void number_clamp(void *row, sp_dtype dtype, int32_t n, int32_t known)
{
    for (int32_t k = 0; k < n; k++)
        if (k != known)
            number_put(row, dtype, (size_t)k, (double)-INFINITY);
}

/* Raises n log-probabilities to at least `least`; returns how many were below. */
static inline int64_t number_raise(double *e, int64_t n, double least)
{
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        count += e[i] < least;
        e[i] = e[i] < least ? least : e[i];
    }
    return count;
}

/* Ascending, for qsort(); no NaN. */
static inline int number_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline int number_compare_int32(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* x [n] sorted, n > 0: definition 7 of Hyndman & Fan, linear between order statistics. */
static inline double number_quantile(const double *x, int64_t n, double p)
{
    const double h = (double)(n - 1) * p;
    const int64_t low = (int64_t)floor(h), high = low + 1 < n ? low + 1 : low;
    return x[low] + (h - (double)low) * (x[high] - x[low]);
}

/* Copies the scores of step t to row [K]. Returns the greatest, -INFINITY where every class is impossible. */
static inline double sp_score_row(const sp_scores *scores, int64_t t, double *row)
{
    double greatest = -INFINITY;
    for (int32_t k = 0; k < scores->n_classes; k++) {
        row[k] = sp_scores_at(scores, t, k);
        greatest = row[k] > greatest ? row[k] : greatest;
    }
    return greatest;
}

#endif
