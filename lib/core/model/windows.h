/* Scores of a step from those of the steps around it: means over windows before and after it, as a model learnt to weigh them (sp_windows).
 * Not installed. */
#ifndef STATEPATH_CORE_WINDOWS_H
#define STATEPATH_CORE_WINDOWS_H

#include "statepath/model.h"
#include "statepath/scores.h"

/* Inputs of a step: for each window, before and after, K log-probabilities and K probabilities. */
static inline size_t sp_windows_n_inputs(int32_t n_windows, int32_t n_classes)
{
    return 4 * (size_t)n_windows * (size_t)n_classes;
}

void sp_windows_free(sp_windows *windows);
/* No weights: all 0. NULL on lack of memory. */
sp_windows *sp_windows_new(int32_t n_windows, const int32_t *steps, int32_t n_classes);

/* A copy whose class k is class_of[k] [K] of `from`. NULL on lack of memory. */
sp_windows *sp_windows_copy(const sp_windows *from, int32_t n_classes, const int32_t *class_of);

/* A recording as windows see it. Rows are normalised; a row in which nothing is possible, or that says nothing, is of equal probabilities.
 * Windows end where the chain is broken. */
typedef struct sp_neighbours {
    int32_t n_classes;
    int64_t n_steps, begin, end; /* the stretch without a gap of the step that was looked at last */
    const int64_t *segments;
    double *own;  /* [2K,T] log-probabilities, at least the floor, then probabilities */
    double *sums; /* [2K,T+1] of the steps before */
} sp_neighbours;
/* Memory to be freed by the caller, which n looks into; NULL: there is not so much. */
double *sp_windows_look_around(sp_neighbours *n, const sp_scores *scores, double floor);
/* x [inputs] of step t; means over no step are the step itself. Steps are cheapest in ascending order. */
void sp_neighbours_inputs(sp_neighbours *n, int64_t t, int32_t n_windows, const int32_t *steps, double *x);

/* rows [T,K]: what windows, whose classes are in the order of the columns, make of a recording. False on lack of memory. O(T inputs K). */
bool sp_windows_rows(const sp_windows *windows, const sp_scores *scores, double *rows);

/* The same of all recordings of a block, whose scores are doubles, in place; rows of nothing but 0, which say nothing, become NaN.
 *   class_of_column  [K] of the windows' model; NULL: in order
 * SP_OK, SP_ENOMEM. */
sp_status sp_windows_apply_block(const sp_windows *windows, const int32_t *class_of_column, sp_block *block,
                                 sp_workers *workers, sp_error *err);

#endif
