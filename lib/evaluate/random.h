/* Random numbers for resampling: GSL's Mersenne Twister on memory of ours, because gsl_rng_alloc() calls the error handler, which
 * aborts by default, when memory is short. */
#ifndef EVALUATE_RANDOM_H
#define EVALUATE_RANDOM_H

#include <gsl/gsl_rng.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

static inline bool random_open(gsl_rng *rng, uint64_t seed)
{
    rng->type = gsl_rng_mt19937;
    rng->state = malloc(rng->type->size);
    if (!rng->state)
        return false;
    gsl_rng_set(rng, (unsigned long)seed);
    return true;
}

static inline void random_close(gsl_rng *rng)
{
    free(rng->state);
}

/* Uniform on 0..n-1, 1 <= n < 2^32, without bias and without division but for rare draws (Lemire 2019, doi:10.1145/3230636). */
static inline uint32_t random_below(gsl_rng *rng, uint32_t n)
{
    uint64_t product = (uint64_t)(uint32_t)gsl_rng_get(rng) * n;
    if ((uint32_t)product < n) {
        uint32_t threshold = (uint32_t)-n % n;
        while ((uint32_t)product < threshold)
            product = (uint64_t)(uint32_t)gsl_rng_get(rng) * n;
    }
    return (uint32_t)(product >> 32);
}

#endif
