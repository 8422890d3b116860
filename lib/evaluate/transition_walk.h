/* Counting transitions along a path that comes in pieces; not installed. See transitions.h. */
#ifndef EVALUATE_TRANSITION_WALK_H
#define EVALUATE_TRANSITION_WALK_H

#include "statepath/transitions.h"

/* What one piece leaves to the next; {0} before the first. */
typedef struct sp_transition_walk {
    bool has_begun;
    bool is_cut;          /* an unscored step stands before the run at hand: it may be longer than we see */
    int32_t last;         /* class of the last step */
    int64_t last_segment; /* of the last step */
    int64_t run_first;    /* where the run began, from the first step of the next piece */
} sp_transition_walk;

/* As sp_transitions_count() for a piece; flags[0] is of the step into it. */
void sp_transitions_walk(const sp_chain *chain, sp_transition_walk *walk, int64_t n_steps, const int32_t *path,
                         const int64_t *segments, sp_transition_counts *counts, int64_t *illegal, uint8_t *flags);

/* After the last piece. */
void sp_transitions_end(const sp_chain *chain, const sp_transition_walk *walk, sp_transition_counts *counts);

#endif
