#include "learn/generator.h"

#include <stdlib.h>

gsl_rng *sp_generator_new(uint32_t seed)
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
