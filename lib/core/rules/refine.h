/* Partition refinement (Hopcroft 1971, An n log n algorithm for minimizing states in a finite automaton). Not installed. */
#ifndef STATEPATH_CORE_REFINE_H
#define STATEPATH_CORE_REFINE_H

#include <stdbool.h>
#include <stdint.h>

/* Transitions by where they lead: those into j are row[j] .. row[j+1]-1, each from a state and with a letter. From each state
 * there is one of each letter at most. */
typedef struct sp_refine_edges {
    int32_t n, n_letters;
    const int64_t *row;
    const int32_t *from, *letter;
} sp_refine_edges;

/* Splits blocks until the states of each have the same letters, which lead to the same blocks.
 *   block  [n] in: blocks 0..n_blocks-1, none empty; out: finer ones, numbered by their first state
 * Returns their number, -1 on lack of memory. O(transitions log n). */
int32_t sp_refine(const sp_refine_edges *edges, int32_t n_blocks, int32_t *block);

#endif
