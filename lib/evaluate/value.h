/* Small makers of sp_value, for the files of this folder. */
#ifndef EVALUATE_VALUE_H
#define EVALUATE_VALUE_H

#include "statepath/agreement.h"

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

#endif
