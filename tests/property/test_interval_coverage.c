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

/* How often a population's true difference is inside: 0.02, of recordings of three lengths whose own differences are spread
 * evenly about it. Each trial is a sample and a seed of its own. */
static void count_covered(int n, int trials, uint64_t *seed, int *covered)
{
    int64_t a[50], b[50], scored[50];
    sp_bootstrap_options options = sp_bootstrap_options_default();
    options.n_resamples = 1000;
    covered[0] = covered[1] = covered[2] = 0;
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
        covered[0] += d.bca[0].value <= 0.02 && 0.02 <= d.bca[1].value;
        covered[1] += d.percentile[0].value <= 0.02 && 0.02 <= d.percentile[1].value;
        covered[2] += d.studentised[0].value <= 0.02 && 0.02 <= d.studentised[1].value;
    }
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

/* The spread of percentile and BCa is that of the sample, (n-1)/n of the variance's estimate, and its quantiles are the normal's
 * where those of Student's t with n-1 degrees of freedom would be right. So 95 % intervals of n recordings hold the truth with
 * probability P(|t| < 1.96 sqrt((n-1)/n)), 0.929 for 20 and 0.942 for 50, and not more often than they claim. The studentised
 * interval has neither fault: 0.945 to 0.955. */
static void test_even_differences(void **state)
{
    (void)state;
    enum { TRIALS = 2000 };
    static const int sizes[] = {20, 50};
    static const double chance = 1e-4;
    uint64_t seed = 20250101;
    for (int i = 0; i < 2; i++) {
        int covered[3];
        double n = sizes[i], t = 1.959964 * sqrt((n - 1) / n), expected = 1 - 2 * gsl_cdf_tdist_Q(t, n - 1);
        count_covered(sizes[i], TRIALS, &seed, covered);
        for (int kind = 0; kind < 2; kind++)
            if (few(covered[kind], TRIALS, expected) < chance || many(covered[kind], TRIALS, 0.95) < chance)
                fail_msg("%s intervals of %d recordings held the truth in %d of %d samples; %.0f to %.0f are "
                         "expected",
                         kind ? "percentile" : "BCa", sizes[i], covered[kind], TRIALS, expected * TRIALS,
                         0.95 * TRIALS);
        if (few(covered[2], TRIALS, 0.945) < chance || many(covered[2], TRIALS, 0.955) < chance)
            fail_msg("studentised intervals of %d recordings held the truth in %d of %d samples", sizes[i],
                     covered[2], TRIALS);
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
