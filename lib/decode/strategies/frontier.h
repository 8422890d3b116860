/* The frontier: the best partial path into each state of one step, in the order of the states; not
 * installed.
 *
 * Beam and online search drop partial paths as they go, so few states may be live. They stand in a list,
 * the lowest state first. A step walks that list and offers each state's successors
 *
 *     next[j] = max_i (now[i] + w[i,j]) + e[j]
 *
 * and because an offer must be greater to win, the lowest state wins among equals.
 */
#ifndef STATEPATH_DECODE_FRONTIER_H
#define STATEPATH_DECODE_FRONTIER_H

#include "core/chain_states.h"

typedef struct sp_frontier {
    double *value; /* [M] of the live states, -INFINITY for all others */
    int32_t *live; /* [M] the first n_live are the live states, ascending */
    int32_t n_live;
} sp_frontier;

/* Room for a step; may be shared by any number of frontiers. */
typedef struct sp_frontier_room {
    int32_t *place; /* [M] of each live state in its list */
} sp_frontier_room;

/* Doubles and int32s that `count` frontiers and one room need. */
static inline size_t sp_frontier_doubles(const sp_chain *chain, int count)
{
    return (size_t)count * (size_t)chain->n_states;
}
static inline size_t sp_frontier_ints(const sp_chain *chain, int count)
{
    return ((size_t)count + 1) * (size_t)chain->n_states;
}

/* Lays `count` empty frontiers and the room out in that memory. */
void sp_frontier_layout(const sp_chain *chain, int count, sp_frontier *frontiers, sp_frontier_room *room,
                        double *doubles, int32_t *ints);

/* Makes it empty. O(live). */
void sp_frontier_clear(sp_frontier *f);

/* Step 0: start[j] + e[class(j)]. */
void sp_frontier_start(const sp_chain *chain, const double *e, sp_frontier *to);

/* One step on. `to` is emptied first; back [M] gets the predecessor of each state that is live in it, room->place the place in
 * from->live of each state that was live there. */
void sp_frontier_step(const sp_chain *chain, const double *e, bool is_gap, const sp_frontier *from,
                      sp_frontier *to, int32_t *back, sp_frontier_room *room);

/* The live state of greatest value, end[] (nats, [M]) added when not NULL, the lowest among equals; -1
 * when none is finite. */
int32_t sp_frontier_best(const sp_frontier *f, const double *end);

#endif
