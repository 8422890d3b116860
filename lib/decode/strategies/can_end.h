/* From which states can a recording still end in so many steps, by the rules alone? Not installed.
 *
 *     can[0]   the states that may stand last
 *     can[n]   the states that some transition leads on from to a state of can[n-1]
 *
 * Sets repeat before long: what has been found is found again by number. */
#ifndef STATEPATH_DECODE_CAN_END_H
#define STATEPATH_DECODE_CAN_END_H

#include "core/chain_states.h"
#include "core/scratch.h"

typedef struct sp_can_end {
    const sp_chain *chain;
    uint8_t **sets;   /* [n] of M each; 1: can end */
    int64_t n, first; /* after set n-1 comes set `first` again; -1: not known yet */
    int64_t capacity;
} sp_can_end;

/* last [M]: 1: may stand last; from malloc, and becomes its own. False on lack of memory, and `last` is still the caller's. */
bool sp_can_end_init(sp_can_end *c, const sp_chain *chain, uint8_t *last);
void sp_can_end_clear(sp_can_end *c);

/* The states that can end after `remaining` steps more [M]; NULL on lack of memory. Amortised O(transitions) for each set. */
const uint8_t *sp_can_end_in(sp_can_end *c, int64_t remaining);

#endif
