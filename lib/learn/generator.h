/* Generators of random numbers. For the rooms that draw: learn, and the reference classifier (models/network). */
#ifndef STATEPATH_LEARN_GENERATOR_H
#define STATEPATH_LEARN_GENERATOR_H

#include <gsl/gsl_rng.h>
#include <stdint.h>

/* A Mersenne Twister (MT19937) with a seed; 0 counts as 1. gsl_rng_free() frees it. NULL on lack of memory, at which
 * gsl_rng_alloc() would call GSL's handler of errors, and that ends the program. */
gsl_rng *sp_generator_new(uint32_t seed);

#endif
