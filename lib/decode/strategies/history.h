/* The history of the best partial paths: back-pointers, and ranks that break ties by classes; not installed.
 *
 * Among paths of equal score the one whose classes are lowest, read backwards from the last step, wins. With one state per class
 * that is "the lowest predecessor". With several, two predecessors may be states of one class, and then what came before decides.
 * Comparing whole histories would cost O(T) a tie; instead each state carries a rank that orders all histories of a step:
 *
 *     rank[t,a] < rank[t,b]  when  (class(a), rank[t-1, back(a)]) < (class(b), rank[t-1, back(b)])
 *
 * and equal ranks mean equal classes at every step so far. Ranks of a step follow from those of the step before by a counting
 * sort, O(states). Among predecessors of equal score the one of lowest rank is taken. For a plain chain the rank of state j is
 * simply j, always, and sp_tie_ranks_step() does nothing.
 */
#ifndef STATEPATH_DECODE_HISTORY_H
#define STATEPATH_DECODE_HISTORY_H

#include "core/chain_states.h"
#include "core/scratch.h"

/* ---- back-pointers: for each step and state the state before, in 1, 2 or 4 bytes ---- */

typedef struct sp_backpointers {
    void *data;     /* [T,M] */
    size_t n_steps; /* T */
    size_t n_states;
    int32_t size; /* bytes of one: 1, 2, 4 */
} sp_backpointers;

/* Room for T x M. False on lack of memory. */
bool sp_backpointers_init(sp_backpointers *back, const sp_chain *chain, int64_t n_steps, sp_scratch *scratch);

/* Stores the states before those of step t. */
void sp_backpointers_put(const sp_backpointers *back, int64_t t, const int32_t *from);

/* The state before state j of step t. */
static inline int32_t sp_backpointers_get(const sp_backpointers *back, int64_t t, int32_t j)
{
    size_t i = (size_t)t * back->n_states + (size_t)j;
    switch (back->size) {
    case 1:
        return ((const uint8_t *)back->data)[i];
    case 2:
        return ((const uint16_t *)back->data)[i];
    default:
        return ((const int32_t *)back->data)[i];
    }
}

/* The states of the path that ends in state `last` at step T-1: states[T]. */
void sp_backpointers_trace(const sp_backpointers *back, int32_t last, int32_t *states);

/* Turns states into their classes, in place or not. */
void sp_states_to_classes(const sp_chain *chain, int64_t n_steps, const int32_t *states, int32_t *classes);

/* ---- ranks ---- */

typedef struct sp_tie_ranks {
    const int32_t *rank; /* [M] of the current step */
    int32_t *values;     /* [M] what rank points to, unless the chain is plain */
    int32_t *key;        /* [M] rank of the state before */
    int32_t *by_key;     /* [M] states in order of key */
    int32_t *sorted;     /* [M] states in order of class, then key */
    int32_t *cursor;     /* [K] next place of each class in sorted */
    int32_t *count;      /* [n_keys+1] */
    int32_t n_keys;      /* ranks are 0 .. n_keys-1 */
} sp_tie_ranks;

/* Room, and the ranks of step 0: there the class decides. False on lack of memory. */
bool sp_tie_ranks_init(sp_tie_ranks *ranks, const sp_chain *chain, sp_scratch *scratch);

/* Goes on by one step. from[j] is the state before j; any valid state for a j that nothing reaches. Over a gap, where all states
 * follow the same one, the class decides again. */
void sp_tie_ranks_step(sp_tie_ranks *ranks, const sp_chain *chain, const int32_t *from);

#endif
