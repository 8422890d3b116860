/* The dense kernels for AVX512. See dense.h. */
#include "decode/dense.h"

#include <math.h>

#if defined(__x86_64__)

#define DENSE_COLUMNS 64
#define DENSE_TARGET __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq")))
#include "decode/dense_body.h"

DENSE_TARGET void sp_dense_step_avx512(const sp_dense *dense, const double *now, double *next, double *span)
{
    if (dense->most)
        dense_step_skipping(dense, now, next, span);
    else
        dense_step(dense, now, next);
}

DENSE_TARGET int32_t sp_dense_choice_avx512(const double *now, const double *weight, int32_t n)
{
    return dense_choice(now, weight, n);
}

#endif
