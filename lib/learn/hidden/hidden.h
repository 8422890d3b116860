/* Models whose states the labels do not say: several states for a class, durations, rules over more steps, labels that leave classes open.
 * Not installed.
 *
 * A step labelled k has one of the states of class k, one with several classes a state of one of them, a step without label any state.
 * What is learnt are the weights of the declared transitions and starts, by expectation-maximisation, or as a random field; what counts
 * steps or remembers rules is the compiled chain's own, so each pass is forward-backward over that (decode/strategies/uses.h).
 *
 *     Z(constrained) = sum over the paths that the labels allow of exp(score),   Z(free) = the same over all paths
 *
 * How a class with a duration goes on is the duration's: of its only state the weight of staying is not learnt, and moves between its
 * states are probabilities given that the run goes on, ways out given that it is left.
 */
#ifndef STATEPATH_LEARN_HIDDEN_H
#define STATEPATH_LEARN_HIDDEN_H

#include "learn/stretches.h"
#include "learn/training.h"
#include "statepath/learn.h"

/* The rules, compiled, and the recordings, cut where labels cannot be followed. Opaque. */
typedef struct sp_hidden sp_hidden;

/* Recordings are cut where no state of the labelled class can be reached, and steps left out whose label is impossible by its score.
 *   training  borrowed
 *   rules     rules->hidden is the model; borrowed
 * SP_OK; SP_EMODEL (classes differ, the model cannot be compiled); SP_ENOMEM. */
sp_status sp_hidden_new(const sp_training *training, const sp_rules *rules, sp_hidden **out, sp_error *err);
void sp_hidden_free(sp_hidden *hidden);

/* Steps of the recordings use [N] (NULL: all) with a label, of one class or several, that are learnt from. */
int64_t sp_hidden_n_steps(const sp_hidden *hidden, const uint8_t *use);

/* Is the weight of this transition of the model learnt? */
bool sp_hidden_learns(const sp_hidden *hidden, int64_t edge);
/* Weights of the declared model in nats; -INFINITY: left out. */
typedef struct sp_hidden_weights {
    const double *next;        /* [transitions] */
    const double *start, *end; /* [states]; end NULL: 0 */
} sp_hidden_weights;
/* For all passes from now on. */
void sp_hidden_weigh(sp_hidden *hidden, const sp_hidden_weights *weights);

/* One pass over all recordings. */
typedef struct sp_hidden_pass {
    const uint8_t *use; /* [N] recordings, or NULL: all that take part */
    bool has_labels;    /* paths are held to them */
    bool is_labelled;   /* pieces of recordings without a labelled step are left out */
    bool has_scores;    /* a step of class k weighs scale e[t,k] + bias[k]; else 0, or -INFINITY where e is */
    double scale;
    const double *bias; /* [K] or NULL: 0 */
    bool wants_counts;  /* else log Z only */
} sp_hidden_pass;
/* Expected uses, added up. One block of memory. */
typedef struct sp_hidden_sums {
    int64_t n;
    double *all;                /* [n]: what follows, in this order */
    double *log_z, *along;      /* [1] along: of the scores, with scale 1 */
    double *steps;              /* [K] */
    double *next, *start, *end; /* [transitions], [states] */
} sp_hidden_sums;
/* sums->all is to be freed by the caller. The same bytes for every number of threads. SP_OK, SP_ENOPATH, SP_ENOMEM. */
sp_status sp_hidden_run(const sp_hidden *hidden, const sp_hidden_pass *pass, sp_workers *workers,
                        sp_hidden_sums *sums, sp_error *err);

/* ---- expectation-maximisation (hidden_em.c) ---- */

typedef struct sp_hidden_em_options {
    const uint8_t *use;
    bool has_labels, has_scores;
    double smoothing; /* a >= 0 */
    int most_iterations;
    double precision; /* stops when an iteration gains less than this share of the objective */
} sp_hidden_em_options;

typedef struct sp_hidden_found {
    double *next, *start; /* [transitions], [states] logs of probabilities; to be filled */
    double *uses;         /* [transitions + states] expected under them; or NULL */
    double *values; /* [most_iterations + 1] the objective before each iteration and at the end; or NULL */
    double log_z;
    int n_iterations;
} sp_hidden_found;

/* Maximises  log Z(constrained) + a (sum of log P over what the rules allow):
 *
 *     P(j|i) = (uses of i -> j + a) / sum over j in the group of (uses of i -> j + a),   starts likewise;
 *
 * with a 0 a row never used stays as it is. The objective never falls. It has more than one maximum where a class has several states:
 * rules that have weights begin there. Of others SP_HIDDEN_STARTS beginnings are tried for some iterations, and the best goes on. In each
 * the states of a class differ in how long they stay, the first shortest, and in what follows them, by fixed random numbers.
 * SP_OK, SP_ENOPATH, SP_ENOMEM, and what the training set's go_on returns. */
enum { SP_HIDDEN_STARTS = 4 };
sp_status sp_hidden_em(sp_hidden *hidden, const sp_hidden_em_options *options, sp_workers *workers,
                       sp_hidden_found *found, sp_error *err);

/* A copy of the model with these weights; what weighs -INFINITY is left out. weights->end NULL: as declared, allowed or not.
 *   prior   [K] or NULL
 * SP_OK, SP_EMODEL, SP_ENOMEM. */
sp_status sp_hidden_to_model(const sp_hidden *hidden, const sp_hidden_weights *weights, const double *prior,
                             const char *name, sp_model **out, sp_error *err);

/* Both from a training set, in one call: labels alone, or, with has_scores, scores as log likelihoods and the labels that there are. The
 * prior is the share of each class in the labels. options->use is not looked at.
 *   violations, found->values  out, may be NULL; found->n_iterations out
 * SP_OK; SP_EINVAL (nothing to learn from), SP_EMODEL, SP_ENOMEM. */
sp_status sp_hidden_fit(const sp_training *training, const sp_rules *rules,
                        const sp_hidden_em_options *options, sp_workers *workers, const char *name,
                        sp_model **out, sp_violations *violations, sp_hidden_found *found, sp_error *err);

#endif
