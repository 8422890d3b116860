/* What mea and posterior-viterbi are made of (mea.c), for whoever goes by pieces; not installed. */
#ifndef STATEPATH_DECODE_MEA_H
#define STATEPATH_DECODE_MEA_H

#include "core/chain_states.h"
#include "statepath/scores.h"

/* Sinks of marginals: the class of greatest marginal of each step ... */
typedef struct sp_best_of {
    int32_t *path;
    int32_t n_classes;
} sp_best_of;
void sp_best_of_row(void *arg, int64_t t, const double *marginal, const double *log_marginal);
/* ... the marginals of a path's classes ... */
typedef struct sp_confidence_of {
    const int32_t *path;
    float *confidence;
} sp_confidence_of;
void sp_confidence_row(void *arg, int64_t t, const double *marginal, const double *log_marginal);

/* ... and the scores over which Viterbi then goes, value [T,K]: marginals or their logs. */
typedef struct sp_objective {
    double *value;
    int32_t n_classes;
    const sp_scores *scores; /* as decoded */
} sp_objective;
void sp_sum_row(void *arg, int64_t t, const double *marginal, const double *log_marginal);
void sp_product_row(void *arg, int64_t t, const double *marginal, const double *log_marginal);

/* The same chain with every weight 0. Borrows from `chain` and from `room` (edges + 2 states). */
sp_chain sp_bare_rules(const sp_chain *chain, double *room);

#endif
