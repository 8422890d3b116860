/* The dense kernels for AVX2. See dense.h. */
#include "decode/dense.h"

#include <math.h>

#if defined(__x86_64__)

#define DENSE_COLUMNS 32
#define DENSE_BY_BITS 0
#define DENSE_TARGET SP_TARGET_AVX2
#include "decode/dense_body.h"

DENSE_TARGET void sp_dense_step_avx2(const sp_dense *dense, const double *now, double *next, sp_dense_habit *habit)
{
    if (dense->most)
        dense_step_skipping(dense, now, next, habit);
    else
        dense_step(dense, now, next, habit);
}

DENSE_TARGET int32_t sp_dense_choice_avx2(const double *now, const double *weight, int32_t n)
{
    return dense_choice(now, weight, n);
}

DENSE_TARGET void sp_dense_add_avx2(const void *row, sp_dtype dtype, int32_t n, double *next)
{
    dense_add(row, dtype, n, next);
}

#endif
