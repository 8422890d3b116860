/* The pieces of a long recording, and what every strategy does with them; not installed. See long.h. */
#ifndef STATEPATH_DECODE_LONG_PIECES_H
#define STATEPATH_DECODE_LONG_PIECES_H

#include "core/chain_states.h"
#include "decode/workers.h"
#include "statepath/long.h"

typedef struct sp_pieces {
    const sp_chain *chain;
    const sp_long_recording *recording;
    sp_workers *workers;
    int64_t n, steps;      /* pieces; steps of each but the last */
    int32_t *path;         /* [steps] of states, then of classes */
    double *sums;          /* [n] the terms of the path in each piece */
    double *weights;       /* [M,M] of a small chain, -INFINITY where forbidden; or NULL */
    uint8_t *begins_apart; /* [n] the chain is broken before the piece's first step */
    int64_t n_seen;        /* pieces read so far, which is when begins_apart is found out */
    int64_t last_segment;  /* of the last step seen */
} sp_pieces;

/* Reads piece i. The first time they must come in order. */
sp_status sp_pieces_read(sp_pieces *p, int64_t i, sp_scores *scores, sp_error *err);

/* Is the chain broken before row t of piece i? */
static inline bool sp_pieces_is_gap(const sp_pieces *p, int64_t i, const sp_scores *scores, int64_t t)
{
    return t == 0 ? p->begins_apart[i] : sp_scores_is_gap(scores, t);
}

/* Sums up the terms of piece i, whose states are in path; `before`: the state before its first. */
void sp_pieces_sum(sp_pieces *p, int64_t i, const sp_scores *scores, int32_t before);

/* Turns the states of piece i into classes and writes them. */
sp_status sp_pieces_write(sp_pieces *p, int64_t i, int64_t n_steps, sp_error *err);

/* The score of the whole path. */
double sp_pieces_score(const sp_pieces *p);

/* Is there any allowed path over finite scores? See sp_path_exists(): *step is -1, or the first step that no state reaches, or
 * T-1 where none may end. SP_OK; what reading says. */
sp_status sp_pieces_exists(sp_pieces *p, int64_t *step, sp_error *err);

/* The strategies. SP_OK also where there is no path: result->status and step say so then; else the score is left to others. */
sp_status sp_long_viterbi(sp_pieces *p, sp_decoded *result, sp_error *err);
sp_status sp_long_choose(sp_pieces *p, bool is_greedy, sp_decoded *result, sp_error *err);

#endif
