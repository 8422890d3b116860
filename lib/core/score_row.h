/* One row of scores as doubles; not installed. */
#ifndef STATEPATH_CORE_SCORE_ROW_H
#define STATEPATH_CORE_SCORE_ROW_H

#include <math.h>

#include "statepath/scores.h"

/* Copies the scores of step t to row [K]. Returns the greatest, -INFINITY where every class is impossible. */
static inline double sp_score_row(const sp_scores *scores, int64_t t, double *row)
{
    double greatest = -INFINITY;
    for (int32_t k = 0; k < scores->n_classes; k++) {
        row[k] = sp_scores_at(scores, t, k);
        greatest = row[k] > greatest ? row[k] : greatest;
    }
    return greatest;
}

#endif
