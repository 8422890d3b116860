/* Evaluating a recording that is too long to be held in memory. */
#ifndef PIPELINE_LONG_JUDGING_H
#define PIPELINE_LONG_JUDGING_H

#include "pipeline/long_steps.h"
#include "pipeline/path_spill.h"

typedef struct long_evaluation {
    sp_evaluation *evaluation;
    sp_path_spill *const *paths; /* [n_strategies] */
    sp_decoded *results;         /* [n_strategies]; the scores are summed here once more, in the order of sp_path_score() */
    const double *seconds;       /* [n_strategies] */
    int64_t piece_steps;         /* at least 4 */
} long_evaluation;

/* Goes through the recording once more: likelihood, evaluation, mask ceiling. SP_OK; what reading and evaluating say. */
sp_status sp_long_evaluate(long_steps *steps, const long_evaluation *evaluation, sp_error *err);

#endif
