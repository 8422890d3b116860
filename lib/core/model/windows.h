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

/* A copy whose class c is class_of_column[c] of `from` (NULL: the same). NULL on lack of memory. */
sp_windows *sp_windows_copy(const sp_windows *from, int32_t n_classes, const int32_t *class_of_column);

/* A recording as windows see it. Rows are normalised; a row in which nothing is possible, or that says nothing, is of equal probabilities.
 *   e         [T,K] nats
 *   segments  [T] or NULL: windows end where the chain is broken
 *   room      [sp_neighbours_room()] */
typedef struct sp_neighbours {
    int32_t n_classes;
    int64_t n_steps, begin, end; /* the stretch without a gap of the step that was looked at last */
    const int64_t *segments;
    double *own;  /* [T,2K] log-probabilities, then probabilities */
    double *sums; /* [T+1,2K] of the rows before */
} sp_neighbours;
/* 0: more than memory can hold. */
size_t sp_neighbours_room(int64_t n_steps, int32_t n_classes);
void sp_neighbours_init(sp_neighbours *n, const double *e, const int64_t *segments, int64_t n_steps, int32_t n_classes,
                        double floor, const int32_t *column_of_class, double *room);
/* x [inputs] of step t; means over no step are the step itself. Steps are cheapest in ascending order. */
void sp_neighbours_inputs(sp_neighbours *n, int64_t t, int32_t n_windows, const int32_t *steps, double *x);

/* e[t,k] becomes log softmax of  scale l[t,k] + bias[k] + sum over inputs of weight[.,k] x[.]  over the classes that are not -INFINITY, which stay so;
 * l are log-probabilities that are at least windows->floor. Rows of nothing but 0 stay, and are set to NaN with `marks_missing`.
 *   column_of_class  [K] of the model's classes; NULL: in order
 *   room             [sp_neighbours_room() + inputs + 2 K]
 * O(T inputs K). */
void sp_windows_apply(const sp_windows *windows, const int32_t *column_of_class, double *e, const int64_t *segments,
                      int64_t n_steps, int32_t n_classes, bool marks_missing, double *room);

/* The neighbours of a recording's steps, columns being in order. Memory to be freed by the caller, or NULL. */
double *sp_windows_look_around(sp_neighbours *n, const sp_scores *scores, double floor);
/* rows [T,K]: what windows make of a recording. False on lack of memory. */
bool sp_windows_rows(const sp_windows *windows, const sp_scores *scores, double *rows);

/* Applies them to the prepared scores of a block, one recording after the other on each thread; what they were before is in block->given.
 * SP_OK, SP_ENOMEM. */
sp_status sp_windows_apply_block(const sp_windows *windows, const int32_t *class_of_column, sp_block *block, bool marks_missing,
                                 sp_workers *workers, sp_error *err);

#endif
