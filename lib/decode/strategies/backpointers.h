/* Back-pointers: for each step and state the state before, in 1, 2 or 4 bytes; not installed. */
#ifndef STATEPATH_DECODE_BACKPOINTERS_H
#define STATEPATH_DECODE_BACKPOINTERS_H

#include "core/chain_states.h"
#include "core/scratch.h"

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

#endif
