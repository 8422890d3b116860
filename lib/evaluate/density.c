/* Probabilities of a recording's steps, coarse enough to keep for a picture. */
#include "evaluate/evaluation.h"

#include <math.h>

void sp_density_fill(const sp_scores *scores, uint8_t *density)
{
    size_t T = (size_t)scores->n_steps, K = (size_t)scores->n_classes;
    for (size_t t = 0; t < T; t++) {
        uint8_t *row = density + t * K;
        double max = -INFINITY, sum = 0;
        for (size_t k = 0; k < K; k++)
            max = fmax(max, sp_scores_at(scores, (int64_t)t, (int32_t)k));
        for (size_t k = 0; max > -INFINITY && k < K; k++)
            sum += exp(sp_scores_at(scores, (int64_t)t, (int32_t)k) - max);
        for (size_t k = 0; k < K; k++)
            row[k] = max > -INFINITY ? (uint8_t)lround(255 * exp(sp_scores_at(scores, (int64_t)t, (int32_t)k) - max) / sum) : 0;
    }
}
