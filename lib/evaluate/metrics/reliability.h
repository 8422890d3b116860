/* The sums of a calibration; not installed. reliability.c adds to them, reliability_finish.c makes values of them. */
#ifndef EVALUATE_RELIABILITY_H
#define EVALUATE_RELIABILITY_H

#include "core/owned.h"
#include "evaluate/counts/exact_sum.h"
#include "evaluate/metrics/reliability_sums.h"
#include "statepath/metrics.h"

/* The histogram of v = 1 - confidence: octave o holds v in (2^-(o+1), 2^-o], cut into equal cells; what is nearer to certainty
 * than the last octave goes into the last cell. Cells ascend in confidence. */
enum {
    SP_CONFIDENCE_OCTAVES = 40,
    SP_CONFIDENCE_CELLS = 256,
    SP_N_CONFIDENCE_CELLS = SP_CONFIDENCE_OCTAVES * SP_CONFIDENCE_CELLS
};

/* Steps that a number of 0..1 puts together: the confidence, or the probability of one class. Steps of weight 1, nearly always
 * all of them, are counted; the others' weights stand apart. */
typedef struct sp_confidence_slot {
    int64_t n, n_right;   /* steps; of them right */
    sp_exact_sum numbers; /* of w times the number */
} sp_confidence_slot;

/* Of the steps whose weight is not 1. */
typedef struct sp_weight_slot {
    int64_t n, n_right;
    sp_exact_sum weight, squares, right; /* of w, of w^2, of w over the steps that are right */
} sp_weight_slot;

/* Slots: bins by confidence, classes by their bins, cells of the histogram. */
enum { SP_FIRST_CLASS_SLOT = SP_RELIABILITY_BINS };

struct sp_reliability_sums {
    sp_owned own;
    int32_t n_classes;
    int64_t n_impossible;
    bool is_weighted;
    sp_exact_sum brier;
    size_t n_slots;
    sp_confidence_slot *slots; /* [n_slots] */
    sp_weight_slot *weights;   /* [n_slots] likewise; NULL: all weights so far are 1 */
    double *p;                 /* [K] scratch */
};

/* The slots of class k's bins, and those of the cells. */
static inline size_t sp_class_slot(int32_t k)
{
    return (size_t)SP_FIRST_CLASS_SLOT + (size_t)k * SP_RELIABILITY_BINS;
}
static inline size_t sp_cell_slot(const sp_reliability_sums *sums)
{
    return sp_class_slot(sums->n_classes);
}

#endif
