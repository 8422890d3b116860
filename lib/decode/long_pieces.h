/* The pieces of a long recording, and what every strategy does with them; not installed. See long.h. */
#ifndef STATEPATH_DECODE_LONG_PIECES_H
#define STATEPATH_DECODE_LONG_PIECES_H

#include "core/path_score.h"
#include "decode/recording.h"
#include "decode/workers.h"
#include "statepath/long.h"

typedef struct sp_pieces {
    const sp_chain *chain;
    const sp_long_recording *recording;
    sp_workers *workers;
    int64_t n, steps;      /* pieces; steps of each but the last */
    int32_t *path;         /* [steps] of one piece */
    uint8_t *broken;       /* [steps] where a relaxed path breaks a rule */
    uint8_t *begins_apart; /* [n] the chain is broken before the piece's first step */
    int64_t n_seen;        /* pieces read so far, which is when begins_apart is found out */
    int64_t last_segment;  /* of the last step seen */
    /* The score of the path, whichever way it comes. */
    double *table; /* see path_score.h */
    sp_path_walk up;
    sp_path_descent down;
    bool is_outside;   /* the path has a class that does not exist */
    double magnitude;  /* of the finite scores along the path, added up */
    double recurrence; /* the value of the path by the recurrence that found it; NaN: none */
    bool is_least;     /* the path may add up to more: see sp_verify_state_path() */
} sp_pieces;

/* NULL on lack of memory. The steps of a piece are a multiple of SP_PIECE_UNIT. */
enum { SP_PIECE_UNIT = 16 };
sp_pieces *sp_pieces_new(const sp_chain *chain, const sp_long_recording *recording, sp_workers *workers);
void sp_pieces_free(sp_pieces *p);

/* Reads piece i. The first time they must come in order. */
sp_status sp_pieces_read(sp_pieces *p, int64_t i, sp_scores *scores, sp_error *err);

/* Is the chain broken before row t of piece i? */
static inline bool sp_pieces_is_gap(const sp_pieces *p, int64_t i, const sp_scores *scores, int64_t t)
{
    return t == 0 ? p->begins_apart[i] : sp_scores_is_gap(scores, t);
}

/* How the path comes to row t of piece i. */
static inline sp_reach sp_pieces_reach(const sp_pieces *p, int64_t i, const sp_scores *scores, int64_t t)
{
    return i == 0 && t == 0 ? SP_REACH_START : sp_pieces_is_gap(p, i, scores, t) ? SP_REACH_ENTRY : SP_REACH_NEXT;
}

/* Writes n classes from step `first` on, whose scores these are: pieces in ascending or in descending order, all of a path one
 * way. broken [n] or NULL. */
sp_status sp_pieces_write_up(sp_pieces *p, int64_t first, const sp_scores *scores, const int32_t *path, const uint8_t *broken,
                             sp_error *err);
sp_status sp_pieces_write_down(sp_pieces *p, int64_t first, const sp_scores *scores, const int32_t *path, const uint8_t *broken,
                               sp_error *err);

/* The score of the path that was written. */
double sp_pieces_score(const sp_pieces *p);

/* Compares the score of the path that was written with p->recurrence, or, where there is none, looks whether it is legal: see
 * verify.h. Where it does not stand the check *result says SP_EBUG; what was written is then to be given up. */
void sp_pieces_verify(const sp_pieces *p, sp_decoded *result);

/* Gives up what was written: another path may follow. SP_OK; what writing says. */
sp_status sp_pieces_give_up(sp_pieces *p, sp_error *err);

/* Is there any allowed path over finite scores? See sp_path_exists(): *step is -1, or the first step that no state reaches, or
 * T-1 where none may end. SP_OK; what reading says. */
sp_status sp_pieces_exists(sp_pieces *p, int64_t *step, sp_error *err);

/* Says that there is no path: SP_ENOPATH and where. */
sp_status sp_pieces_no_path(sp_pieces *p, sp_decoded *result, sp_error *err);

/* Says why a search that drops partial paths has none left at `step`: SP_ENOPATH when there is none at all, else SP_EDEADEND. */
sp_status sp_pieces_stuck(sp_pieces *p, int64_t step, sp_decoded *result, sp_error *err);

/* The strategies, each in a file of its own or with its kin. SP_OK also where there is no path: result->status and step say so
 * then; else n_broken of relaxed ones is set, the score is left to others. */
sp_status sp_long_argmax(sp_pieces *p, bool relax, sp_decoded *result, sp_error *err);
sp_status sp_long_greedy(sp_pieces *p, sp_decoded *result, sp_error *err);
sp_status sp_long_online(sp_pieces *p, int32_t lag, sp_decoded *result, sp_error *err);
sp_status sp_long_viterbi(sp_pieces *p, sp_decoded *result, sp_error *err);
sp_status sp_long_beam(sp_pieces *p, int32_t width, sp_decoded *result, sp_error *err);
sp_status sp_long_posterior(sp_pieces *p, sp_decoded *result, sp_error *err);
sp_status sp_long_mea(sp_pieces *p, bool is_product, sp_decoded *result, sp_error *err);
sp_status sp_long_relaxed(sp_pieces *p, bool is_greedy, sp_decoded *result, sp_error *err);

#endif
