/* What the comparisons of two strategies share; not installed. */
#ifndef EVALUATE_PAIRS_H
#define EVALUATE_PAIRS_H

#include "evaluate/counts/units.h"
#include "evaluate/evaluation.h"

/* Comparisons by all figures but the one that has all tests, in the order of what they are counted from; intervals of the
 * strategies' illegal rates. */
sp_status sp_differences_compare(sp_evaluation *e, sp_error *err);

#endif
