/* The counts of an evaluation by name: written to a list, or added from one (count_list.h). Not installed. */
#ifndef EVALUATE_COUNTED_H
#define EVALUATE_COUNTED_H

#include "evaluate/evaluation.h"

/* Sums over all recordings. index: of the part that is added; NULL where they are written. */
void sp_counted_visit_sums(sp_counting *c, sp_evaluation *e, const sp_part_index *index);

/* Recording r of the comparison, whose room holds 0 where it is read. The numbers are as many for each. */
void sp_counted_visit_row(sp_counting *c, sp_evaluation *e, int64_t r);
void sp_counted_visit_values(sp_counting *c, sp_evaluation *e, int64_t r);

enum { SP_RUN_PLACE_COUNTS = 6 }; /* of a run that is too short or too long */

/* Where the pairs of the next row begin, and how many; -1: there is none. */
int64_t sp_counted_pairs(sp_counting *c, int64_t *n);

#endif
