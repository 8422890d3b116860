/* A recording as a strategy sees it, and what every strategy does with it; not installed.
 *
 * The recording comes in pieces. One in memory is its own only piece; one that is too long for memory comes in many, see
 * stream.h. The sequence owns what is the same for all strategies: gaps between and within pieces, the score along the path, the
 * check that a path is legal and adds up to the value that the strategy found for it, and the reason where there is no path.
 */
#ifndef STATEPATH_DECODE_SEQUENCE_H
#define STATEPATH_DECODE_SEQUENCE_H

#include "core/path_score.h"
#include "core/workers.h"
#include "decode/recording.h"
#include "decode/rules_watch.h"
#include "statepath/stream.h"

typedef struct sp_sequence {
    const sp_chain *chain;
    sp_long_recording recording;
    sp_workers *workers;  /* NULL: the calling thread alone */
    sp_scratch *scratch;  /* of the calling thread */
    bool is_whole;        /* in memory: one piece, whose path stays in `path` */
    int64_t n, steps;     /* pieces; steps of each but the last */
    int32_t *path;        /* [steps] of one piece */
    uint8_t *broken;      /* [steps] where a relaxed path breaks a rule; may be NULL in memory */
    sp_scores scores;     /* read last */
    uint8_t *has_gap;     /* [n] there is a gap before the piece's first step */
    int64_t n_seen;       /* pieces read so far, which is when has_gap is found out */
    int64_t last_segment; /* of the last step seen */
    /* Set by the strategy. */
    double recurrence;    /* value of the path by the recurrence that found it; NaN: none */
    bool is_score;        /* that value is sp_path_score() of the path */
    bool is_least;        /* the path may add up to more: see sp_verify_state_path() */
    int64_t n_broken;     /* rules that a relaxed path breaks */
    int64_t n_redirected; /* of greedy: see sp_decoded */
    /* The score of a path that comes in pieces, from the first or from the last. */
    double *table; /* see path_score.h */
    sp_path_walk forward_score;
    sp_path_descent backward_score;
    bool is_outside;      /* the path has a class that does not exist */
    double magnitude;     /* of the finite scores along the path, added up */
    sp_rules_watch watch; /* of a path that comes in pieces: does it break a hard rule? */
} sp_sequence;

/* A long recording. The steps of a piece are a multiple of SP_PIECE_UNIT. False on lack of memory; to be cleared in every case.
 */
enum { SP_PIECE_UNIT = 16 };
bool sp_sequence_open(sp_sequence *s, const sp_chain *chain, const sp_long_recording *recording,
                      sp_workers *workers);
void sp_sequence_clear(sp_sequence *s);

/* The same recording with other scores and weights, read and written by the functions of *io, whose arg they get: its pieces, and
 * the buffers for them, are those of `outer`. False on lack of memory; to be cleared in every case, and before `outer`. */
bool sp_sequence_nested(sp_sequence *s, const sp_sequence *outer, const sp_chain *chain,
                        const sp_long_recording *io);
void sp_sequence_clear_nested(sp_sequence *s);

/* Reads piece i. The first time they must come in order. */
sp_status sp_sequence_read(sp_sequence *s, int64_t i, sp_scores *scores, sp_error *err);

/* Is there a gap before row t of piece i? */
static inline bool sp_sequence_is_gap(const sp_sequence *s, int64_t i, const sp_scores *scores, int64_t t)
{
    return t == 0 ? s->has_gap[i] : sp_scores_is_gap(scores, t);
}

/* How the path comes to row t of piece i. */
static inline sp_reach sp_sequence_reach(const sp_sequence *s, int64_t i, const sp_scores *scores, int64_t t)
{
    return i == 0 && t == 0                      ? SP_REACH_START
           : sp_sequence_is_gap(s, i, scores, t) ? SP_REACH_ENTRY
                                                 : SP_REACH_NEXT;
}

/* Writes the classes path[n] from step `first` on, whose scores these are. A path comes in ascending pieces, or in those of the
 * recording from the last to the first. broken [n] or NULL. */
sp_status sp_sequence_write(sp_sequence *s, int64_t first, const sp_scores *scores, const int32_t *path,
                            const uint8_t *broken, sp_error *err);

/* The score of the path that was written in pieces. */
double sp_sequence_score(const sp_sequence *s);
/* Begins the score anew: another path follows. False: no memory. */
bool sp_sequence_forget_score(sp_sequence *s);

/* Compares the path that was written with s->recurrence or, where there is none, looks whether it is legal: see verify.h. Of a path in
 * pieces the hard rules are looked at, too: see rules_watch.h. SP_OK, SP_EBUG, SP_ENOMEM. */
sp_status sp_sequence_verify(const sp_sequence *s, sp_error *err);

/* Says that there is no path: SP_ENOPATH and where. Errors: SP_ENOMEM, what reading returns. */
sp_status sp_sequence_no_path(sp_sequence *s, sp_error *err);

/* Says why a search that drops partial paths has none left at `step`: SP_ENOPATH when there is none at all, else SP_EDEADEND.
 *   who   for the sentence: "beam search" */
sp_status sp_sequence_stuck(sp_sequence *s, const char *who, int64_t step, sp_error *err);

/* Decodes one recording in memory by a strategy's row: strictly, or by its relaxed form.
 *   path      [T], untouched on failure
 *   n_broken, n_redirected  out; may be NULL
 *   broken    out [T]; may be NULL
 *   score     out, nats; may be NULL
 * SP_OK, SP_ENOPATH, SP_EDEADEND, SP_EBUG, SP_EINVAL (K differs, parameter out of range), SP_ENOMEM. */
typedef struct sp_whole_output {
    int32_t *path;
    int64_t *n_broken;
    uint8_t *broken;
    double *score;
    int64_t *n_redirected;
} sp_whole_output;
sp_status sp_decode_whole(const sp_chain *chain, const sp_scores *scores, const sp_strategy *strategy,
                          bool is_relaxed, sp_scratch *scratch, const sp_whole_output *output, sp_error *err);

#endif
