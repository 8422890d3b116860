/* A step's place in the sums of a likelihood; not installed. */
#ifndef MASK_NLL_STEP_H
#define MASK_NLL_STEP_H

#include "statepath/mask.h"

#include <math.h>

/* Loss of step t, whose reference is `label`, in nats; INFINITY where it has probability 0. */
double sp_nll_step(const sp_scores *scores, int64_t t, int32_t label);

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
