/* A step's place in the sums of a likelihood; not installed. */
#ifndef MASK_NLL_STEP_H
#define MASK_NLL_STEP_H

#include "statepath/mask.h"

#include <math.h>

/* Counts a step of weight w > 0; loss in nats, INFINITY where the reference has probability 0. */
static inline void sp_nll_count(sp_nll *nll, double w, double loss)
{
    nll->n_steps++;
    if (nll->clip > 0)
        nll->clipped_sum += w * fmin(loss, -log(nll->clip));
    if (loss == INFINITY) {
        nll->n_impossible++;
        nll->impossible_weight += w;
    } else {
        nll->sum += w * loss;
        nll->weight += w;
    }
}

#endif
