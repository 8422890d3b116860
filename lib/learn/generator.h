/* Generators of random numbers. For the rooms that draw: learn, and the reference classifier (models/network). */
#ifndef STATEPATH_LEARN_GENERATOR_H
#define STATEPATH_LEARN_GENERATOR_H

#include <gsl/gsl_rng.h>
#include <stdint.h>
#include <stdlib.h>

/* A Mersenne Twister (MT19937) with a seed; 0 counts as 1. gsl_rng_free() frees it. NULL on lack of memory, at which
 * gsl_rng_alloc() would call GSL's handler of errors, and that ends the program. */
static inline gsl_rng *sp_generator_new(uint32_t seed)
{
    const gsl_rng_type *type = gsl_rng_mt19937;
    gsl_rng *rng = malloc(sizeof *rng);
    void *state = calloc(1, type->size);
    if (!rng || !state) {
        free(rng);
        free(state);
        return NULL;
    }
    *rng = (gsl_rng){.type = type, .state = state};
    gsl_rng_set(rng, seed ? seed : 1);
    return rng;
}

#endif
