/* The sums of a calibration; not installed. reliability.c adds to them, reliability_finish.c makes values of them. */
#ifndef EVALUATE_RELIABILITY_H
#define EVALUATE_RELIABILITY_H

#include "core/owned.h"
#include "evaluate/evaluate.h"
#include "statepath/metrics.h"

/* The histogram of v = 1 - confidence: octave o holds v in (2^-(o+1), 2^-o], cut into equal cells; what is nearer to certainty
 * than the last octave goes into the last cell. Cells ascend in confidence. */
enum {
    SP_CONFIDENCE_OCTAVES = 40,
    SP_CONFIDENCE_CELLS = 256,
    SP_N_CONFIDENCE_CELLS = SP_CONFIDENCE_OCTAVES * SP_CONFIDENCE_CELLS
};

typedef struct sp_confidence_sums {
    int64_t n;
    double weight, squares; /* of w, of w^2 */
    double confidence;      /* of w conf */
    double right;           /* of w over the steps that are right */
} sp_confidence_sums;

typedef struct sp_class_sums {
    double weight, probability, right;
} sp_class_sums;

struct sp_reliability_sums {
    sp_owned own;
    int32_t n_classes;
    int64_t n_impossible;
    bool is_weighted;
    double brier;
    sp_confidence_sums all, bins[SP_RELIABILITY_BINS];
    sp_class_sums *classes;    /* [K, bins] */
    sp_confidence_sums *cells; /* [SP_N_CONFIDENCE_CELLS] */
    double *p;                 /* [K] scratch */
};

#endif
