/* One loop of masking for sp_prepare() and sp_mask_apply(); not installed. */
#ifndef STATEPATH_ROW_MASK_H
#define STATEPATH_ROW_MASK_H

#include <math.h>
#include <stdint.h>

/* e[i] = mask[i] ? e[i] : -INFINITY for n scores; returns how many of those taken away were finite. */
static inline int64_t row_mask_f32(float *e, int64_t n, const uint8_t *mask)
{
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        count += !mask[i] && e[i] > -INFINITY;
        e[i] = mask[i] ? e[i] : -INFINITY;
    }
    return count;
}

static inline int64_t row_mask_f64(double *e, int64_t n, const uint8_t *mask)
{
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        count += !mask[i] && e[i] > (double)-INFINITY;
        e[i] = mask[i] ? e[i] : (double)-INFINITY;
    }
    return count;
}

#endif
