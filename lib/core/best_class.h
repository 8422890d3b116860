/* The best class of a step as the classifier gave it; not installed. */
#ifndef STATEPATH_CORE_BEST_CLASS_H
#define STATEPATH_CORE_BEST_CLASS_H

#include "statepath/scores.h"

/* The first of the classes with the greatest score in e [K], row t of `scores` as doubles; -1 when none is above -INFINITY.
 * *n_best (or NULL): how many have it. Where a prior was taken off (scores->taken_off) it is added again: sums are rounded, so
 * classes within 8 DBL_EPSILON of the size of their terms are equal. A step that says nothing, all of whose classes are 0, was left
 * alone when the prior was taken off, and is here. Of scores that windows changed, what was given counts. O(K). */
int32_t sp_best_class(const sp_scores *scores, int64_t t, const double *e, int32_t *n_best);

#endif
