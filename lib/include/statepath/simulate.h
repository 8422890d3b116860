/* Made data: label sequences by a Markov chain, and the scores of a classifier that errs, from a recipe with a seed. */
#ifndef STATEPATH_SIMULATE_H
#define STATEPATH_SIMULATE_H

#include <stdbool.h>
#include <stdint.h>

#include "statepath/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A recipe. Arrays are owned by it. */
typedef struct sp_recipe {
    char *name, *description;
    uint64_t seed;
    int32_t n_classes;
    char **classes;     /* [K] */
    double *transition; /* [K,K] probabilities, rows sum to 1 */
    double *start;      /* [K] probabilities */
    int64_t n_recordings;
    int64_t min_steps, max_steps; /* length of a recording: uniform between both */
    /* The classifier. It sees class c as class d with probability confusion[c,d]; what it sees stays wrong for error_run steps on
     * average; its logit for what it sees is `sharpness` above the others, which carry noise and the confusability;
     * overconfidence multiplies. */
    double *confusion;     /* [K,K] rows sum to 1 */
    double error_run;      /* mean length of a run of errors, >= 1 */
    double sharpness;      /* logits between the class seen and the others */
    double noise;          /* standard deviation of the logits */
    double overconfidence; /* 1 = calibrated; > 1 too sharp */
    double unscored;       /* share of steps whose label is -1 */
} sp_recipe;

void sp_recipe_free(sp_recipe *recipe);
/* SP_OK, SP_EINVAL (names the key and the mend). */
sp_status sp_recipe_check(const sp_recipe *recipe, sp_error *err);

/* One simulated file's worth. Owned; sp_simulated_free. */
typedef struct sp_simulated {
    int64_t n_recordings, n_steps;
    int64_t *offsets; /* [N+1] */
    int32_t *labels;  /* [S] */
    float *log_probs; /* [S,K] */
} sp_simulated;
sp_status sp_simulate(const sp_recipe *recipe, sp_simulated **out, sp_error *err);
void sp_simulated_free(sp_simulated *simulated);

#ifdef __cplusplus
}
#endif
#endif
