/* The draws of numpy's legacy generator: what `np.random.seed(seed)` and the functions of np.random give, number for number.
 * numpy promises that this stream never changes. Private to learn/.
 *
 * MT19937 is seeded as in 2002 (Matsumoto and Nishimura), which GSL's mt19937 is too. A uniform number has 53 bits, 27 of one
 * output of the generator and 26 of the next. Normal numbers come in pairs, by Marsaglia's polar method; the second of a pair is
 * kept for the next call.
 */
#ifndef STATEPATH_LEARN_NUMPY_DRAWS_H
#define STATEPATH_LEARN_NUMPY_DRAWS_H

#include <gsl/gsl_rng.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct sp_numpy_draws {
    gsl_rng *rng;    /* owned */
    bool has_normal; /* one is kept */
    double normal;
} sp_numpy_draws;

/* seed: 1 .. 2^32-1. False on lack of memory, with nothing to clear. */
bool sp_numpy_draws_init(sp_numpy_draws *draws, uint32_t seed);
void sp_numpy_draws_clear(sp_numpy_draws *draws); /* zeroes are fine */
/* Begins again, as after _init. */
void sp_numpy_draws_seed(sp_numpy_draws *draws, uint32_t seed);

double sp_numpy_uniform(sp_numpy_draws *draws); /* random_sample(): [0, 1) */
double sp_numpy_normal(sp_numpy_draws *draws);  /* standard_normal(); normal(m, s) is m + s times it */

/* choice(n): 0 .. n-1, all equally likely; n >= 1. Draws nothing where n is 1. */
int32_t sp_numpy_choice(sp_numpy_draws *draws, int32_t n);
/* choice(n, p=weights/sum(weights)): the first class whose cumulated probability, divided by the last one, exceeds a uniform
 * number. Weights [n] are >= 0, with a sum above 0. */
int32_t sp_numpy_choice_of(sp_numpy_draws *draws, int32_t n, const double *weights);

#endif
