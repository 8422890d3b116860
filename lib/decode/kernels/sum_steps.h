/* One step of forward-backward, for whoever goes there and back (forward_backward.c says what is computed); not installed. */
#ifndef STATEPATH_DECODE_SUM_STEPS_H
#define STATEPATH_DECODE_SUM_STEPS_H

#include "decode/recording.h"
#include "decode/strategies/marginals.h"

typedef struct sp_total { /* a sum with its rounding error */
    double sum, lost;
} sp_total;

/* One side of the transitions: the neighbours that a value is summed over. */
typedef struct sp_sum_side {
    const int64_t *row;
    const int32_t *other;
    const double *weight; /* nats */
    const double *linear; /* exp(weight - greatest), or NULL where every weight is 0 */
    double greatest;
    double least; /* the least finite weight - greatest */
} sp_sum_side;

/* Both sides of a chain of runs, where a row of counting states is left as one (core/chain_states.h). With G the greatest weight, times
 * exp(G): */
typedef struct sp_run_sums {
    const sp_run_graph *graph; /* NULL: the chain has none */
    double *leave;             /* [M] exp of leaving a state, row or not */
    double *go_on,
        *stay;       /* [M] exp of going on to the next state of the row, of staying in its last; 0: no */
    double *weight;  /* [graph->pred_row[M]] exp of the transitions, beside those */
    double *out;     /* [M] room: by source, a row being its first whole state */
    int32_t *source; /* [M] of each state */
    double greatest; /* G */
    double least;    /* the least finite log of those */
} sp_run_sums;

typedef struct sp_step_room {
    double *row, *linear, *step, *runs;
    int32_t *source;
} sp_step_room;

typedef struct sp_sum_steps {
    const sp_chain *chain;
    const sp_scores *scores;
    sp_sum_side pred, succ;
    sp_run_sums runs;
    double *row;    /* [K] of sp_row() */
    double *linear; /* [M] exp of a row */
    double *ahead;  /* [M] e[t,j] + b[t,j] */
    double *back;   /* [M] b of the current step */
    double *sums;   /* [K] marginals */
    double *logs;   /* [K] their logs */
} sp_sum_steps;

void sp_total_add(sp_total *s, double x);

/* Takes from the scratch what sp_sum_steps_init() needs. False on lack of memory, as there. */
bool sp_sum_steps_reserve(sp_step_room *room, const sp_chain *chain, const sp_scores *scores,
                          sp_scratch *scratch);
/* Arrays of the scratch; what is in back[] does not survive this. */
bool sp_sum_steps_init(sp_sum_steps *f, const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch);

/* What a row of the forward pass says of the state before a step, for who goes back: p[n] = exp(forward[state] + weight), the greatest taken
 * out, of n states; returns their sum, 0 where all are -INFINITY. states, weight NULL: 0 .. n-1, 0. */
double sp_weigh_states(const double *forward, int64_t n, const int32_t *states, const double *weight,
                       double *p);

/* Row t of the forward pass from the row before (`from`, not looked at with SP_REACH_START), greatest value taken out. Returns
 * that value: -INFINITY when no state reaches the step. */
double sp_sum_forward(const sp_sum_steps *f, sp_reach how, int64_t t, const double *from, double *to);

/* f->back from row t to the step before; is_gap: the chain is broken between them. */
void sp_sum_backward(const sp_sum_steps *f, bool is_gap, int64_t t);

/* Hands the sink the marginals of the classes at row t, whose forward row is `forward`. */
void sp_sum_hand_out(const sp_sum_steps *f, const sp_marginal_sink *sink, int64_t t, const double *forward);

#endif
