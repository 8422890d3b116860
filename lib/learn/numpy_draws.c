#include "learn/numpy_draws.h"

#include <math.h>

#include "learn/generator.h"

bool sp_numpy_draws_init(sp_numpy_draws *draws, uint32_t seed)
{
    *draws = (sp_numpy_draws){.rng = sp_generator_new(1)};
    if (draws->rng)
        sp_numpy_draws_seed(draws, seed);
    return draws->rng != NULL;
}

void sp_numpy_draws_clear(sp_numpy_draws *draws)
{
    if (draws->rng)
        gsl_rng_free(draws->rng);
    draws->rng = NULL;
}

void sp_numpy_draws_seed(sp_numpy_draws *draws, uint32_t seed)
{
    gsl_rng_set(draws->rng, seed);
    draws->has_normal = false;
}

double sp_numpy_uniform(sp_numpy_draws *draws)
{
    double high = (double)(gsl_rng_get(draws->rng) >> 5);
    double low = (double)(gsl_rng_get(draws->rng) >> 6);
    return (high * 0x1p26 + low) / 0x1p53;
}

/* (x, y) uniform in the unit disc, r2 = x^2 + y^2: x and y times sqrt(-2 log(r2) / r2) are two independent normal numbers. The
 * second one is given first. */
double sp_numpy_normal(sp_numpy_draws *draws)
{
    if (draws->has_normal) {
        draws->has_normal = false;
        return draws->normal;
    }
    double x, y, r2;
    do {
        x = 2 * sp_numpy_uniform(draws) - 1;
        y = 2 * sp_numpy_uniform(draws) - 1;
        r2 = x * x + y * y;
    } while (r2 >= 1 || r2 == 0);
    double factor = sqrt(-2 * log(r2) / r2);
    draws->normal = factor * x;
    draws->has_normal = true;
    return factor * y;
}

int32_t sp_numpy_choice(sp_numpy_draws *draws, int32_t n)
{
    unsigned long last = (unsigned long)n - 1, mask = last, drawn;
    if (last == 0)
        return 0;
    for (int shift = 1; shift < 32; shift *= 2)
        mask |= mask >> shift; /* all bits up to the highest of `last` */
    do
        drawn = gsl_rng_get(draws->rng) & mask;
    while (drawn > last);
    return (int32_t)drawn;
}

int32_t sp_numpy_choice_of(sp_numpy_draws *draws, int32_t n, const double *weights)
{
    double total = 0, whole = 0, sum = 0, u = sp_numpy_uniform(draws);
    for (int32_t k = 0; k < n; k++)
        total += weights[k];
    for (int32_t k = 0; k < n; k++)
        whole += weights[k] / total;
    for (int32_t k = 0; k < n; k++) {
        sum += weights[k] / total;
        if (u < sum / whole)
            return k;
    }
    return n - 1; /* not reached: the last quotient is 1, and u is less */
}
