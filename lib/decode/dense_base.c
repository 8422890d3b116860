/* The dense kernels for any machine. See dense.h. */
#include "decode/dense.h"

#include <math.h>

#define DENSE_COLUMNS 16
#define DENSE_TARGET
#include "decode/dense_body.h"

DENSE_TARGET void sp_dense_step_base(const sp_dense *dense, const double *now, double *next, double *span)
{
    if (dense->most)
        dense_step_skipping(dense, now, next, span);
    else
        dense_step(dense, now, next);
}

DENSE_TARGET int32_t sp_dense_choice_base(const double *now, const double *weight, int32_t n)
{
    return dense_choice(now, weight, n);
}
