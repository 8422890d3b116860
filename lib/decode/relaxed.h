/* The steps of relaxed decoding (relaxed.c says what they compute), for whoever goes by pieces; not installed. */
#ifndef STATEPATH_DECODE_RELAXED_H
#define STATEPATH_DECODE_RELAXED_H

#include "decode/history.h"
#include "decode/recording.h"

typedef struct sp_price {
    int64_t n_broken;
    double score;
} sp_price;

typedef struct sp_prices {
    const sp_chain *chain;
    sp_price *now, *next; /* [M] */
    int32_t *from;        /* [M] best state before each */
    double *row;          /* [K] */
    sp_back back;
    sp_ranks ranks;  /* of t-1 while t is computed */
    int64_t n_taken; /* broken rules common to all states, which greedy takes off n_broken */
} sp_prices;

/* Room for the steps of `scores`, in slots that survive until another decoder runs. SP_OK, SP_ENOMEM. */
sp_status sp_prices_init(sp_prices *f, const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch, sp_error *err);

/* Step 0 of a recording, of scores e[K]. */
void sp_prices_start(sp_prices *f, const double *e);

/* Goes on by row t of the scores, from the row before or from what was put into now[] and the ranks.
 *   is_gap      the chain is broken between the step before and this one
 *   is_greedy   only the states of the best class of the step before are still in play */
void sp_prices_step(sp_prices *f, const sp_scores *scores, int64_t t, bool is_gap, bool is_greedy);

/* After the last step: adds the end rule and returns the best state. */
int32_t sp_prices_end(sp_prices *f);

/* Rules broken at or into a step of score e by a path of states.
 *   before    state of the step before; not looked at with SP_REACH_START
 *   is_last   the step is the recording's last */
int32_t sp_rules_broken(const sp_chain *c, sp_reach how, int32_t before, int32_t state, double e, bool is_last);

#endif
