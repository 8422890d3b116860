/* Wake before and after the night, left out of agreement. */
#include "evaluate/evaluate.h"
#include "evaluate/evaluation.h"

#include <math.h>

/* 1.1 minutes of 6 s are 11 steps, whatever the rounding of 1.1. */
int64_t sp_wake_trim_steps(double minutes, double epoch_seconds)
{
    return (int64_t)floor(60 * minutes / epoch_seconds + 1e-9);
}

int64_t sp_wake_trim(int64_t n_steps, const int32_t *stage_of_class, int64_t margin, int32_t *labels)
{
    int64_t first = -1, last = -1, n = 0; /* steps of sleep */
    for (int64_t t = 0; t < n_steps; t++)
        if (labels[t] >= 0 && stage_of_class[labels[t]] != SP_STAGE_WAKE) {
            first = first < 0 ? t : first;
            last = t;
        }
    for (int64_t t = 0; last >= 0 && t < n_steps; t++)
        if ((t < first - margin || t > last + margin) && labels[t] >= 0) {
            labels[t] = -1;
            n++;
        }
    return n;
}
