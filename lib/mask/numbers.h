/* Arrays of either type, read and written as doubles; not installed. */
#ifndef STATEPATH_MASK_NUMBERS_H
#define STATEPATH_MASK_NUMBERS_H

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

#endif
