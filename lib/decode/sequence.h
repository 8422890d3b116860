/* A recording as a strategy sees it, and what every strategy does with it: the check that a path is legal
 * and adds up to the value that the strategy found for it, and the reason where there is no path; not
 * installed.
 */
#ifndef STATEPATH_DECODE_SEQUENCE_H
#define STATEPATH_DECODE_SEQUENCE_H

#include "core/path_score.h"
#include "decode/recording.h"
#include "statepath/decode.h"

typedef struct sp_sequence {
    const sp_chain *chain;
    const sp_scores *scores; /* of one step or more */
    sp_scratch *scratch;
    int32_t *path;   /* out [T] classes */
    uint8_t *broken; /* out [T] where a relaxed path breaks a rule; may be NULL */
    /* Set by the strategy. */
    double recurrence;    /* value of the path by the recurrence that found it; NaN: none */
    bool is_score;        /* that value is sp_path_score() of the path */
    bool is_least;        /* the path may add up to more: see sp_verify_state_path() */
    int64_t n_broken;     /* rules that a relaxed path breaks */
    int64_t n_redirected; /* of greedy: see sp_decoded */
} sp_sequence;

/* Compares the path with s->recurrence where there is one: see verify.h. SP_OK, SP_EBUG, SP_ENOMEM. */
sp_status sp_sequence_verify(const sp_sequence *s, sp_error *err);

/* Says that there is no path: SP_ENOPATH and where. Errors: SP_ENOMEM. */
sp_status sp_sequence_no_path(const sp_sequence *s, sp_error *err);

/* Says why a search that drops partial paths has none left at `step`: SP_ENOPATH when there is none at all, else SP_EDEADEND.
 *   who   for the sentence: "beam search" */
sp_status sp_sequence_stuck(const sp_sequence *s, const char *who, int64_t step, sp_error *err);

/* Decodes one recording by a strategy's row: strictly, or by its relaxed form.
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
