/* Probabilities that are learnt: rounded, smoothed, and made a model; not installed. */
#ifndef STATEPATH_LEARN_PROBABILITIES_H
#define STATEPATH_LEARN_PROBABILITIES_H

#include <stdio.h>
#include <stdlib.h>

#include "learn/training.h"
#include "statepath/learn.h"

/* x to five digits, more than labels can tell. */
static inline double sp_five_digits(double x)
{
    char text[32];
    snprintf(text, sizeof text, "%.5g", x);
    return strtod(text, NULL);
}

/* p[k] = (count[k] + smoothing) / sum over allowed of the same, 0 where not allowed; equal shares where the sum is 0. n >= 1. */
void sp_smooth(int32_t n, const double *count, const uint8_t *allowed, double smoothing, double *p);

/* The model of these probabilities.
 *   transition  [K,K] 0 = left out; every row sums to 1 or, where nothing may follow, to 0
 *   start       [K];   prior  [K] or NULL
 * Ends and minimum dwell are those of the rules. SP_OK, SP_EMODEL, SP_ENOMEM. */
sp_status sp_model_of_probabilities(const sp_rules *rules, const char *name, const char *const *classes,
                                    const double *transition, const double *start, const double *prior,
                                    sp_model **out, sp_error *err);

#endif
