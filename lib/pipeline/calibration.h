/* Likelihood and calibration of labels, block by block; before and after: the same scores with and without what scales them. */
#ifndef PIPELINE_CALIBRATION_H
#define PIPELINE_CALIBRATION_H

#include "evaluate/evaluate.h"
#include "learn/learn.h"
#include "pipeline/pipeline.h"
#include "statepath/learn.h"

/* One way to take the scores for probabilities. */
typedef struct calibration_sums {
    sp_scaling scaling;
    sp_reliability_sums *reliability;
    sp_nll_sums nll;
} calibration_sums;

typedef struct calibration {
    const sp_folds *folds; /* or NULL */
    sp_calibrated *fitted; /* [n_folds] on the recordings of the other folds, or NULL */
    int n;
    calibration_sums sums[SP_MOST_CALIBRATIONS];
} calibration;

/* With folds (then `prepare` leaves the scores as they are): as decoded by the models of the folds, and by the temperature and
 * the vector scaling that are most likely on the other folds. Without, where `prepare` scales the scores: as decoded; p->likelihood
 * is then of the scores as they are given, as everywhere. The calibration can (and must) be closed, on failure too. */
sp_status sp_calibration_open(calibration *c, const sp_folds *folds, const sp_prepare_options *prepare,
                              int32_t n_classes, sp_error *err);
void sp_calibration_close(calibration *c);

/* Fills the comparison's calibrations. */
sp_status sp_calibration_finish(calibration *c, double level, sp_comparison *out, sp_error *err);

/* From then on the labels of prepared blocks that count are added to p->likelihood: to nll, and where they are there to
 * reliability and calibration. */
void sp_pipeline_want_likelihood(sp_pipeline *p);

#endif
