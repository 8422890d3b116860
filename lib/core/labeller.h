/* A labeller: whoever decided a class for each step, seen as a classifier that knows no more than that class. Its confusion says
 * how often it says l where the reference says k; the scores of a step with label l are log P(l | k) of each class k.
 *
 *   confusion  [K,K] rows = reference, columns = the labeller; not negative, each row adds up to something
 *   table      [K,K] nats, rows = label, columns = class: the scores of a step with that label
 */
#ifndef STATEPATH_CORE_LABELLER_H
#define STATEPATH_CORE_LABELLER_H

#include <stdint.h>

#include "statepath/status.h"

/* Adds the pairs of n steps to the confusion; steps where one of both is unscored (-1) say nothing. */
void sp_labeller_count(int32_t n_classes, int64_t n, const int32_t *reference, const int32_t *labels,
                       double *confusion);

/* table[l,k] = log(confusion[k,l] / sum over j of confusion[k,j]), of the classes in the order of `class_of_column` [K]; NULL: as
 * they are. */
void sp_labeller_table(int32_t n_classes, const double *confusion, const int32_t *class_of_column,
                       double *table);

/* The same of a labeller that is right with probability P and errs evenly: log P for the given class, log((1-P)/(K-1)) for each
 * other. 0 < P <= 1; of one class all is 0. */
void sp_labeller_even_table(int32_t n_classes, double confidence, double *table);

/* Scores [n,K] of n labels; a step that is unscored says nothing, 0 for every class. */
void sp_labeller_scores(int32_t n_classes, const double *table, int64_t n, const int32_t *labels,
                        double *scores);

#endif
