/* Prints how often 95 % intervals of a difference of accuracies hold the truth: the table of
 * lib/evaluate/coverage.md. Exit status 1 where one of normal or skewed differences of 8 recordings or
 * more does so in less than 0.92 or more than 0.97.
 *
 * Samples are drawn from populations whose true difference is known. Recordings have lengths spread
 * log-normally (sigma 0.4) about 900 steps, and differences between two strategies of mean 0.02 and
 * standard deviation 0.03: normal; skewed (exponential, skewness 2); very skewed (log-normal with sigma 1,
 * skewness 6); rare (half of the recordings without a difference, skewness 2).
 *
 *   bench_intervals [SAMPLES [RESAMPLES]]    2000 and 2000
 */
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "statepath/statistics.h"

enum { MOST = 200 };

typedef double population(const gsl_rng *random); /* of mean 0 and variance 1 */

static double normal(const gsl_rng *random)
{
    return gsl_ran_gaussian(random, 1);
}

static double skewed(const gsl_rng *random)
{
    return gsl_ran_exponential(random, 1) - 1;
}

static double very_skewed(const gsl_rng *random)
{
    const double e = exp(1);
    return (gsl_ran_lognormal(random, 0, 1) - sqrt(e)) / sqrt(e * (e - 1));
}

static double rare(const gsl_rng *random)
{
    static const double values[10] = {0, 0, 0, 0, 0, 1, 1, 2, 4, 12};
    return (values[gsl_rng_uniform_int(random, 10)] - 2) / sqrt(12.6);
}

static const struct {
    const char *name;
    population *draw;
} populations[] = {{"normal", normal}, {"skewed", skewed}, {"rare", rare}, {"very skewed", very_skewed}};

static void draw_sample(int n, population *draw, const gsl_rng *random, int64_t *a, int64_t *b,
                        int64_t *scored)
{
    for (int i = 0; i < n; i++) {
        scored[i] = llround(gsl_ran_lognormal(random, log(900), 0.4));
        b[i] = scored[i] / 2;
        a[i] = b[i] + llround((double)scored[i] * (0.02 + 0.03 * draw(random)));
        a[i] = a[i] < 0 ? 0 : a[i] > scored[i] ? scored[i] : a[i];
    }
}

/* False: the interval does not hold what it promises. */
static bool simulate(int n, int which, int n_samples, int n_resamples)
{
    int64_t a[MOST], b[MOST], scored[MOST];
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    int covered = 0, with = 0;
    sp_bootstrap_options options = sp_bootstrap_options_default();
    options.n_resamples = n_resamples;
    gsl_rng_set(random, (unsigned long)(n * 10 + which));
    for (int i = 0; i < n_samples; i++) {
        sp_difference d;
        sp_error err;
        draw_sample(n, populations[which].draw, random, a, b, scored);
        options.seed = (uint64_t)i + 1;
        if (sp_bootstrap_accuracy(n, a, b, scored, &options, &d, &err)) {
            fprintf(stderr, "%s\n", err.message);
            exit(1);
        }
        with += !d.low.undefined;
        covered += !d.low.undefined && d.low.value <= 0.02 && 0.02 <= d.high.value;
    }
    const double held = (double)covered / with; /* NaN where there is none */
    printf("| %d | %s | %.3f |\n", n, populations[which].name, held);
    fflush(stdout);
    gsl_rng_free(random);
    return n < 8 || which > 1 || (held >= 0.92 && held <= 0.97);
}

int main(int argc, char **argv)
{
    static const int sizes[] = {5, 8, 12, 20, 30, 60, 200};
    const int n_samples = argc > 1 ? atoi(argv[1]) : 2000, n_resamples = argc > 2 ? atoi(argv[2]) : 2000;
    bool is_good = true;
    printf("| recordings | differences | held |\n|---|---|---|\n");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int p = 0; p < (int)(sizeof populations / sizeof *populations); p++)
            is_good &= simulate(sizes[i], p, n_samples, n_resamples);
    return is_good ? 0 : 1;
}
