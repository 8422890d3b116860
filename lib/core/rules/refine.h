/* Partition refinement (Hopcroft 1971, An n log n algorithm for minimizing states in a finite automaton). Not installed. */
#ifndef STATEPATH_CORE_REFINE_H
#define STATEPATH_CORE_REFINE_H

#include "core/owned.h"

/* Transitions by where they lead: those into j are row[j] .. row[j+1]-1, each from a state and with a letter. From each state
 * there is one of each letter at most. */
typedef struct sp_refine_edges {
    int32_t n, n_letters;
    const int64_t *row;
    const int32_t *from;
    const int32_t *letter; /* NULL: the state that a transition leads to tells it */
} sp_refine_edges;

/* Transitions by where they lead, of those of state i, which are to[row[i]] .. to[row[i+1]-1]; row NULL: one of each letter, in their
 * order. Arrays are own's; false on lack of memory. O(transitions). */
bool sp_refine_reverse(sp_owned *own, int32_t n, int32_t n_letters, const int64_t *row, const int32_t *to,
                       sp_refine_edges *out);

/* Splits blocks until the states of each have the same letters, which lead to the same blocks.
 *   block  [n] in: blocks 0..n_blocks-1, none empty; out: finer ones, numbered by their first state
 * Returns their number, -1 on lack of memory. O(transitions log n). */
int32_t sp_refine(const sp_refine_edges *edges, int32_t n_blocks, int32_t *block);

#endif
