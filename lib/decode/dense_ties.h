/* Choices that a piece of a recording leaves open; not installed.
 *
 * A piece in the middle of a recording knows delta but for a constant and an error (see dense_threads.c). Where the trace back
 * from state j at step t finds several predecessors within the tolerance, the plain kernel's is one of them, but which is not
 * known. So all are followed, each to all of its own predecessors within the tolerance, and so on down, until they have come
 * together again in one state s at step `base`: the path goes through s whichever is right, and the trace goes on from there.
 *
 * What stood between, a few states and the transitions among them, is kept. Once the path below is known, so is the plain
 * kernel's delta[base,s], bit for bit: it is the sum along that path. From it the plain recurrence, restricted to what was kept,
 * gives the plain kernel's values and its choices, exact ties included.
 */
#ifndef STATEPATH_DECODE_DENSE_TIES_H
#define STATEPATH_DECODE_DENSE_TIES_H

#include "decode/dense.h"

enum { SP_TIE_UNDECIDED = -2 }; /* in path[], between base and t */

typedef struct sp_dense_place {
    int64_t step; /* -1: none */
    int32_t state;
} sp_dense_place;

typedef struct sp_tie_edge {
    int32_t node; /* from */
    double weight;
} sp_tie_edge;

typedef struct sp_tie_node {
    int64_t step;
    int32_t state, first_edge, n_edges; /* edges by rising state */
    int32_t from;                       /* node */
    double value;
} sp_tie_node;

typedef struct sp_tie {
    int64_t step, base;
    int32_t first_node, n_nodes; /* by falling step; the first is (step, j), the last (base, s) */
} sp_tie;

typedef struct sp_ties {
    sp_tie *ties;
    sp_tie_node *nodes;
    sp_tie_edge *edges;
    int32_t n_ties, n_nodes, n_edges;
    int32_t most_ties, most_nodes, most_edges;
} sp_ties;

/* Bytes for a piece of so many steps, and the ties in room of that size. */
size_t sp_ties_bytes(int64_t n_steps);
sp_ties sp_ties_in(void *room, int64_t n_steps);

struct sp_dense_piece;

/* Follows the predecessors of `state` at step t down to step `low` at most. Where they come together; {-1} when they do not, or
 * there are too many of them. */
sp_dense_place sp_ties_open(sp_ties *ties, const struct sp_dense_piece *piece, int64_t t, int32_t state, int64_t low);

/* Once no tie is opened any more: brings them into the order of their bases, of equals the last opened only. */
void sp_ties_sort(sp_ties *ties);

/* Decides path[base+1 ..], and taken[] with it, where base+1 is the first step undecided, given the plain kernel's delta at base
 * in `value`. */
void sp_ties_decide(sp_ties *ties, const sp_scores *scores, int64_t base, double value, int32_t *path, double *taken);

#endif
