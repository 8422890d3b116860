/* The score of a path that comes block by block; not installed. sp_path_score() is that of one block. */
#ifndef CORE_PATH_SCORE_H
#define CORE_PATH_SCORE_H

#include "core/chain_states.h"
#include "statepath/scores.h"

typedef struct sp_path_walk {
    const sp_chain *chain;
    double *weight; /* [K,K] of a small plain chain, -INFINITY where forbidden; or NULL. Borrowed */
    double *
        states; /* [2 M] of chains whose classes do not tell the states: best score of each, and room; or NULL. Owned */
    double score;  /* of other chains, so far */
    int32_t state; /* of those that are not plain: where the path stands, -1: nowhere */
    bool has_begun;
    int32_t last; /* class of the last step */
    int64_t last_segment;
} sp_path_walk;

enum { SP_PATH_TABLE = 64 }; /* classes of which there may be a table: 32 KB */

/* For about so many steps. table: room for SP_PATH_TABLE^2 numbers, used where it pays. False: no memory. */
bool sp_path_walk_init(sp_path_walk *walk, const sp_chain *chain, int64_t n_steps, double *table);
void sp_path_walk_clear(sp_path_walk *walk);

/* Goes on by scores->n_steps steps; path [T] of classes 0..K-1. Segments are of all pieces or of none. */
void sp_path_walk_add(sp_path_walk *walk, const sp_scores *scores, const int32_t *path);

/* After the last step; 0 where there was none. */
double sp_path_walk_end(const sp_path_walk *walk);

#endif
