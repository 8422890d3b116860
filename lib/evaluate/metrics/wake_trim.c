/* Wake before and after the night, left out of agreement. */
#include "evaluate/evaluate.h"
#include "evaluate/evaluation.h"

#include <math.h>

/* 1.1 minutes of 6 s are 11 steps, whatever the rounding of 1.1. */
int64_t sp_wake_trim_steps(double minutes, double epoch_seconds)
{
    return (int64_t)floor(60 * minutes / epoch_seconds + 1e-9);
}

void sp_wake_look(sp_wake_bounds *sleep, int64_t at, int64_t n_steps, const int32_t *stage_of_class,
                  const int32_t *labels)
{
    for (int64_t t = 0; t < n_steps; t++)
        if (labels[t] >= 0 && stage_of_class[labels[t]] != SP_STAGE_WAKE) {
            sleep->first = sleep->first < 0 ? at + t : sleep->first;
            sleep->last = at + t;
        }
}

int64_t sp_wake_trim_piece(const sp_wake_bounds *sleep, int64_t margin, int64_t at, int64_t n_steps,
                           int32_t *labels)
{
    int64_t n = 0;
    if (sleep->last < 0)
        return 0;
    for (int64_t t = 0; t < n_steps; t++)
        if (labels[t] >= 0 && (at + t < sleep->first - margin || at + t > sleep->last + margin)) {
            labels[t] = -1;
            n++;
        }
    return n;
}

int64_t sp_wake_trim(int64_t n_steps, const int32_t *stage_of_class, int64_t margin, int32_t *labels)
{
    sp_wake_bounds sleep = {-1, -1};
    sp_wake_look(&sleep, 0, n_steps, stage_of_class, labels);
    return sp_wake_trim_piece(&sleep, margin, 0, n_steps, labels);
}
