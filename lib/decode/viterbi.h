/* The steps of the plain Viterbi kernel (viterbi.c says what they compute), for whoever goes forward in pieces; not installed. */
#ifndef STATEPATH_DECODE_VITERBI_H
#define STATEPATH_DECODE_VITERBI_H

#include "decode/history.h"

typedef struct sp_forward {
    const sp_chain *chain;
    double *now, *next; /* [M] delta at t-1 and t */
    int32_t *from;      /* [M] best state before each */
    double *row;        /* [K] */
    sp_back back;
    sp_ranks ranks; /* of t-1 while t is computed */
} sp_forward;

/* Room for the steps of `scores`, in slots that survive until another decoder runs. SP_OK, SP_ENOMEM. */
sp_status sp_forward_init(sp_forward *f, const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch, sp_error *err);

/* Step 0 of a recording. */
void sp_forward_start(sp_forward *f, const sp_scores *scores);

/* Goes on by row t of the scores, from the row before or from what was put into now[] and the ranks.
 *   is_gap   the chain is broken between the step before and this one */
void sp_forward_step(sp_forward *f, const sp_scores *scores, int64_t t, bool is_gap);

/* The best state at the current step, end[] added when not NULL; the lowest history among equals. *best is -INFINITY, and the
 * state any, when there is none. */
int32_t sp_forward_best(const sp_forward *f, const double *end, double *best);

#endif
