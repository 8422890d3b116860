/* Made data: label sequences by a Markov chain, and the scores of a classifier that errs, from a recipe with a seed. (Signals
 * instead of scores: signals.h.)
 *
 * How it is made. For each recording a length, then classes c_t by the chain. The classifier does not see c_t but d_t: mostly
 * c_t itself, with probability confusion[c,d] another class, and once wrong it goes on seeing the same wrong class for error_run
 * steps on average, or until it comes true. What it says is what Bayes' rule makes of seeing d, blurred:
 *     logit[t,k] = overconfidence * (log max(P(c = k | d_t), floor) + noise * z[t,k]),   z standard normal
 *     P(c = k | d) = frequency[k] confusion[k,d] / sum over k,   frequency: of the classes simulated
 *     log_probs[t,] = log-softmax of logit[t,]
 * so that without noise and with overconfidence 1 its probabilities are right on average. Last, a share of labels is hidden (-1).
 *
 * Random numbers are GSL's mt19937, one generator each for lengths, classes, classifier and hidden labels: another classifier
 * sees the same nights, and more recordings leave the first ones as they were but for `frequency`. The same recipe gives the
 * same labels on every machine, and the same scores to within one rounding of the machine's exp and log.
 * (Recipes of signals may ask for numpy's legacy generator instead: signals.h.)
 */
#ifndef STATEPATH_SIMULATE_H
#define STATEPATH_SIMULATE_H

#include <stdbool.h>
#include <stdint.h>

#include "statepath/status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sp_signal_recipe; /* signals.h */

/* A recipe. Arrays are owned by it (malloc). */
typedef struct sp_recipe {
    char *name, *description;         /* or NULL */
    char *model;                      /* or NULL: the model whose rules the transitions keep to; what it forbids is 0 in them */
    int64_t seed;                     /* 1 .. 4294967295 */
    int32_t n_classes;                /* K >= 1 */
    char **classes;                   /* [K] distinct, not empty */
    double *start;                    /* [K] probabilities, sum 1 */
    double *transitions;              /* [K,K] probabilities, rows = from, each sums to 1 */
    int64_t n_recordings;             /* N >= 1 */
    int64_t min_steps, max_steps;     /* length of a recording: uniform between both, 1 .. 1e9 */
    double unscored;                  /* share of steps whose label is -1, 0 .. 1 */
    bool is_numpy;                    /* draws by numpy's legacy generator, in the order of signals.h; only with signals */
    int64_t n_unused;                 /* with is_numpy: steps drawn first and used for nothing, 0 .. 1e9 */
    struct sp_signal_recipe *signals; /* or NULL: it is a recipe of scores. With signals, what follows is not used */
    double *confusion;                /* [K,K] share of steps of class c that are seen as class d; rows sum to 1 */
    double error_run;                 /* mean length of a run of errors in a long stay, >= 1 */
    double noise;                     /* standard deviation, nats, >= 0 */
    double overconfidence;            /* 1 = calibrated but for the noise; > 1 too sharp; > 0 */
    double floor;                     /* least probability before the noise, above 0, at most 1/K */
} sp_recipe;

void sp_recipe_free(sp_recipe *recipe);

/* What a fault of a recipe is about, for readers that know where it stands. */
typedef struct sp_recipe_place {
    const char *key; /* "transitions": name in the recipe's JSON, static */
    int64_t row;     /* of a matrix, or index in a list; -1: none */
} sp_recipe_place;

/* Is it a recipe? Ranges as above; sums within 1e-6. place may be NULL. SP_OK, SP_EINVAL (names the key and the mend), SP_ENOMEM.
 */
sp_status sp_recipe_check(const sp_recipe *recipe, sp_recipe_place *place, sp_error *err);

/* One simulated file's worth. Owned; sp_simulated_free. */
typedef struct sp_simulated {
    int64_t n_recordings, n_steps;
    int32_t n_classes;
    int64_t *offsets; /* [N+1] */
    int32_t *labels;  /* [S] -1 .. K-1 */
    float *log_probs; /* [S,K] nats; each row is a log-softmax computed in double */
} sp_simulated;

/* SP_OK, SP_EINVAL (sp_recipe_check; a recipe of signals), SP_ENOMEM. O(S K). */
sp_status sp_simulate(const sp_recipe *recipe, sp_simulated **out, sp_error *err);
void sp_simulated_free(sp_simulated *simulated);

#ifdef __cplusplus
}
#endif
#endif
