/* Draws (sp_draws()) of a short recording against the probabilities of all paths. */
#ifndef TEST_DRAWN_H
#define TEST_DRAWN_H

#include "statepath/advanced.h"

/* The sum of exp(score) over the state paths that emit a path of classes; 0 of one that is not allowed. */
typedef double path_weight(void *arg, const int32_t *path);

/* Over all cases: what their chi-squares are above their degrees of freedom, and the variance of that. */
typedef struct drawn_tally {
    double excess, variance;
    int n_cases;
} drawn_tally;

/* Draws paths of a recording that has some, of 1 to ORACLE_STEPS steps, and fails where one is not allowed or where their numbers are
 * not those that the weights say (chi-square, 7 standard deviations). */
void check_drawn(const sp_chain *chain, const sp_scores *scores, uint64_t seed, path_weight *weight,
                 void *arg, sp_scratch *scratch, drawn_tally *tally);

/* The cases together: 5 standard deviations. */
void assert_drawn(const drawn_tally *tally);

#endif
