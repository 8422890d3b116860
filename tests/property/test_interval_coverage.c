/* Do intervals hold what they claim to hold? Samples of populations whose true difference is known, with fixed seeds. */
#include "check.h"

#include "statepath/statistics.h"

#include <gsl/gsl_cdf.h>

/* A small generator of the test's own. */
static uint64_t next(uint64_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return *s;
}

enum { MOST = 150 };

/* How often a population's true difference is inside: 0.02, of recordings of three lengths whose own differences are spread
 * evenly about it. Each trial is a sample and a seed of its own. */
static int count_covered(int n, int trials, uint64_t *seed)
{
    int64_t a[MOST], b[MOST], scored[MOST];
    sp_bootstrap_options options = sp_bootstrap_options_default();
    options.n_resamples = 1000;
    int covered = 0;
    for (int trial = 0; trial < trials; trial++) {
        for (int i = 0; i < n; i++) {
            int64_t length = 1 + (int64_t)(next(seed) % 3), percent = 2 - 12;
            for (int k = 0; k < 3; k++)
                percent += (int64_t)(next(seed) % 9);
            scored[i] = 100 * length;
            b[i] = length * (40 + (int64_t)(next(seed) % 21));
            a[i] = b[i] + length * percent;
        }
        options.seed = next(seed);
        sp_difference d;
        sp_error err;
        assert_ok(sp_bootstrap_accuracy(n, a, b, scored, &options, &d, &err), &err);
        covered += d.low.value <= 0.02 && 0.02 <= d.high.value;
    }
    return covered;
}

/* Chance of `covered` or fewer of `trials`, and of as many or more, in intervals that hold the truth with probability p. */
static double few(int covered, int trials, double p)
{
    return gsl_cdf_binomial_P((unsigned)covered, p, (unsigned)trials);
}

static double many(int covered, int trials, double p)
{
    return covered ? gsl_cdf_binomial_Q((unsigned)covered - 1, p, (unsigned)trials) : 1;
}

/* The spread of BCa is that of the sample, (n-1)/n of the variance's estimate, and its quantiles are the
 * normal's where those of Student's t with n-1 degrees of freedom would be right. So 95 % intervals of n
 * recordings hold the truth with probability P(|t| < 1.96 sqrt((n-1)/n)), 0.948 for 150, and not more
 * often than they claim. The studentised interval, of up to 128, has neither fault: 0.945 to 0.955. */
static void test_even_differences(void **state)
{
    (void)state;
    enum { TRIALS = 2000 };
    static const int sizes[] = {20, 50, MOST};
    static const double chance = 1e-4;
    uint64_t seed = 20250101;
    for (int i = 0; i < 3; i++) {
        double n = sizes[i], t = 1.959964 * sqrt((n - 1) / n), expected = 1 - 2 * gsl_cdf_tdist_Q(t, n - 1);
        const bool is_bca = sizes[i] > SP_MOST_STUDENTISED;
        const double low = is_bca ? expected : 0.945, high = is_bca ? 0.95 : 0.955;
        const int covered = count_covered(sizes[i], TRIALS, &seed);
        if (few(covered, TRIALS, low) < chance || many(covered, TRIALS, high) < chance)
            fail_msg(
                "intervals of %d recordings held the truth in %d of %d samples; %.0f to %.0f are expected",
                sizes[i], covered, TRIALS, low * TRIALS, high * TRIALS);
    }
}

/* Coverage: recordings of unequal length from a population whose true difference is known; 95 % intervals hold it in about 95 of
 * 100 samples of 25 recordings. */
static void test_skewed_differences(void **state)
{
    (void)state;
    enum { N = 25, TRIALS = 400 };
    sp_bootstrap_options options = sp_bootstrap_options_default();
    options.n_resamples = 600;
    uint64_t seed = 123456789;
    int inside = 0, below = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        int64_t a[N], b[N], scored[N];
        for (int i = 0; i < N; i++) {
            scored[i] = 100;
            a[i] = 40 + (int64_t)(next(&seed) % 41);
            int64_t drop = (int64_t)(next(&seed) % 10); /* skewed: 0 0 0 0 0 1 1 2 4 12, mean 2: 0.02 */
            static const int64_t skewed[10] = {0, 0, 0, 0, 0, 1, 1, 2, 4, 12};
            b[i] = a[i] - skewed[drop];
        }
        options.seed = (uint64_t)trial + 1;
        sp_difference d;
        sp_error err;
        assert_ok(sp_bootstrap_accuracy(N, a, b, scored, &options, &d, &err), &err);
        inside += d.low.value <= 0.02 && 0.02 <= d.high.value;
        below += d.high.value < 0.02;
    }
    if (inside < 0.91 * TRIALS || inside > 0.98 * TRIALS)
        fail_msg("95 %% intervals held the true difference in %d of %d samples", inside, TRIALS);
    assert_true(below < 0.12 * TRIALS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_even_differences),
        cmocka_unit_test(test_skewed_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
