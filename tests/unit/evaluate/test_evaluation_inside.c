/* What evaluations do that no public function shows, so this looks inside: intervals from the very draws of their
 * resamples; exact sums, and the lists that counts travel in between machines, of which a result holds only what
 * was made of them; and what an evaluation refuses that the pipeline never asks. */
#include "check.h"
#include "evaluated.h"
#include "failing_alloc.h"
#include "skewed_sample.h"
#include "statepath/statistics.h"

#include <float.h>
#include <gsl/gsl_cdf.h>

#include "evaluate/counts/exact_sum.h"
#include "evaluate/evaluate.h"
#include "evaluate/statistics/random.h"

/* A small generator of the test's own. */
/* ---- intervals ---- */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Type 7 quantile of sorted values. */
static double quantile(int n, const double *sorted, double q)
{
    int low = (int)floor(q * (n - 1));
    return low + 1 < n ? sorted[low] + (q * (n - 1) - low) * (sorted[low + 1] - sorted[low]) : sorted[n - 1];
}

/* Both intervals the long way: draws one by one from the same streams, jackknife by summing anew, all sorted. */
static void plain_intervals(int n, const int64_t *right, const int64_t *scored,
                            const sp_bootstrap_options *options, double *ends)
{
    int B = options->n_resamples;
    double *drawn = malloc((size_t)B * sizeof *drawn), *u = malloc((size_t)n * sizeof *u);
    assert_true(drawn && u);
    int64_t all = 0, steps = 0;
    for (int i = 0; i < n; i++) {
        all += right[i];
        steps += scored[i];
    }
    double observed = (double)all / (double)steps, share = 0, mean = 0, squares = 0, cubes = 0;
    for (int r = 0; r < B; r++) {
        random_stream stream = random_open(options->seed, (uint64_t)r);
        uint32_t index[RANDOM_PIECE];
        int64_t sum = 0, total = 0;
        for (int i = 0; i < n; i += RANDOM_PIECE) {
            int count = n - i < RANDOM_PIECE ? n - i : RANDOM_PIECE;
            random_below(&stream, (uint32_t)n, count, index);
            for (int j = 0; j < count; j++) {
                sum += right[index[j]];
                total += scored[index[j]];
            }
        }
        drawn[r] = (double)sum / (double)total;
        share += (drawn[r] < observed) + (drawn[r] == observed) / 2.;
    }
    for (int i = 0; i < n; i++) {
        u[i] = (double)(all - right[i]) / (double)(steps - scored[i]);
        mean += u[i] / n;
    }
    for (int i = 0; i < n; i++) {
        squares += pow(mean - u[i], 2);
        cubes += pow(mean - u[i], 3);
    }
    double acceleration = cubes / (6 * pow(squares, 1.5)), z0 = gsl_cdf_ugaussian_Pinv(share / B);
    qsort(drawn, (size_t)B, sizeof *drawn, ascending);
    for (int side = 0; side < 2; side++) {
        double plain = side ? (1 + options->level) / 2 : (1 - options->level) / 2,
               z = z0 + gsl_cdf_ugaussian_Pinv(plain);
        ends[side] = quantile(B, drawn, gsl_cdf_ugaussian_P(z0 + z / (1 - acceleration * z)));
    }
    free(drawn);
    free(u);
}

/* (d* - d) / s* of one resample, s* from the accuracies without each of its rows; DBL_MAX where s* is 0. */
static double plain_ratio(int n, const uint32_t *index, const int64_t *right, const int64_t *scored,
                          double observed)
{
    int64_t sum = 0, total = 0;
    double mean = 0, squares = 0;
    for (int i = 0; i < n; i++) {
        sum += right[index[i]];
        total += scored[index[i]];
    }
    const double drawn = (double)sum / (double)total;
    for (int i = 0; i < n; i++)
        mean += (double)(sum - right[index[i]]) / (double)(total - scored[index[i]]) / n;
    for (int i = 0; i < n; i++)
        squares += pow((double)(sum - right[index[i]]) / (double)(total - scored[index[i]]) - mean, 2);
    double error = sqrt((n - 1.) / n * squares);
    return error > 1e-14       ? (drawn - observed) / error
           : drawn == observed ? 0
                               : copysign(DBL_MAX, drawn - observed);
}

/* The studentised interval again, of up to RANDOM_PIECE recordings. */
static void plain_studentised(int n, const int64_t *right, const int64_t *scored,
                              const sp_bootstrap_options *options, double *ends)
{
    const int B = options->n_resamples;
    double *ratios = malloc((size_t)B * sizeof *ratios);
    uint32_t all[RANDOM_PIECE], index[RANDOM_PIECE];
    int64_t sum = 0, total = 0;
    assert_true(ratios);
    for (int i = 0; i < n; i++) {
        all[i] = (uint32_t)i;
        sum += right[i];
        total += scored[i];
    }
    const double observed = (double)sum / (double)total;
    /* The ratio to its own standard error of a difference one above: 1 / s + (d - d) / s. */
    const double error = 1 / plain_ratio(n, all, right, scored, observed - 1);
    for (int r = 0; r < B; r++) {
        random_stream stream = random_open(options->seed, (uint64_t)r);
        random_below(&stream, (uint32_t)n, n, index);
        ratios[r] = plain_ratio(n, index, right, scored, observed);
    }
    qsort(ratios, (size_t)B, sizeof *ratios, ascending);
    ends[0] = observed - error * quantile(B, ratios, (1 + options->level) / 2);
    ends[1] = observed - error * quantile(B, ratios, (1 - options->level) / 2);
    free(ratios);
}

static void test_intervals_the_long_way(void **unused)
{
    (void)unused;
    enum { MOST = 1000 };
    static const int sizes[] = {5, 12, 50, SP_MOST_STUDENTISED, SP_MOST_STUDENTISED + 1, 300, MOST};
    sp_bootstrap_options options = sp_bootstrap_options_default();
    uint64_t seed = 31;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const int n = sizes[s];
        int64_t a[MOST], b[MOST], scored[MOST], right[MOST];
        double ends[2];
        sp_difference d;
        sp_error err;
        skewed_sample(n, &seed, a, b, scored);
        for (int i = 0; i < n; i++)
            right[i] = a[i] - b[i];
        options.seed = s;
        options.n_resamples = s % 2 ? 1500 : 4001;
        options.level = s % 3 ? 0.95 : 0.8;
        assert_ok(sp_bootstrap_accuracy(n, a, b, scored, &options, &d, &err), &err);
        (n > SP_MOST_STUDENTISED ? plain_intervals : plain_studentised)(n, right, scored, &options, ends);
        assert_close(d.low.value, ends[0], n > SP_MOST_STUDENTISED ? 1e-12 : 1e-10, 0);
        assert_close(d.high.value, ends[1], n > SP_MOST_STUDENTISED ? 1e-12 : 1e-10, 0);
    }
}

/* ---- sums and lists ---- */

enum { N = 5000 };

static double uniform(void) /* in (0,1) */
{
    static uint64_t seed = 1;
    return ((double)(next(&seed) >> 11) + 0.5) / 9007199254740992.0;
}

static sp_exact_sum sum_of(int n, const double *x)
{
    sp_exact_sum sum = {.place = 0};
    for (int i = 0; i < n; i++)
        sp_exact_add(&sum, x[i]);
    return sum;
}

static void test_order_and_groups(void **unused)
{
    (void)unused;
    double x[N];
    for (int wide = 0; wide < 2;
         wide++) { /* of both signs, from 2^-300 to 2^300; or those of probabilities */
        for (int i = 0; i < N; i++)
            x[i] = wide ? ldexp(uniform() - 0.5, (int)(600 * uniform()) - 300) : uniform();
        const sp_exact_sum whole = sum_of(N, x);
        for (int trial = 0; trial < 50; trial++) {
            for (int i = N - 1; i > 0; i--) {
                const int j = (int)(uniform() * (i + 1));
                const double other = x[i];
                x[i] = x[j];
                x[j] = other;
            }
            sp_exact_sum parts = {.place = 0};
            for (int first = 0, n; first < N; first += n) {
                n = 1 + (int)(uniform() * 1000);
                n = n < N - first ? n : N - first;
                const sp_exact_sum part = sum_of(n, x + first);
                sp_exact_join(&parts, &part);
            }
            assert_memory_equal(&whole, &parts, sizeof whole);
        }
    }
}

static void test_values(void **unused)
{
    (void)unused;
    sp_exact_sum none = {.place = 0};
    const double numbers[] = {
        1, -1, 0.1, 1e300, -1e300, 5e-324, -2.2250738585072014e-308, 1.7976931348623157e308, 3e-5};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        const double both[] = {numbers[i], -numbers[i]};
        const sp_exact_sum one = sum_of(1, both), two = sum_of(2, both);
        assert_true(sp_exact_value(&one) == numbers[i] && sp_exact_value(&two) == 0);
    }
    const double cancel[] = {1e20, 1, -1e20, 0.25},
                 greatest[] = {1.7976931348623157e308, 1.7976931348623157e308};
    sp_exact_sum sum = sum_of(4, cancel), over = sum_of(2, greatest);
    assert_true(sp_exact_value(&sum) == 1.25 && sp_exact_value(&over) == INFINITY);
    assert_true(sp_exact_value(&none) == 0);
    sp_exact_add(&none, INFINITY);
    assert_true(sp_exact_value(&none) == INFINITY);
    /* Ten million times 0.1: a plain sum is 1.6e-4 too great. */
    sum = (sp_exact_sum){.place = 0};
    for (int i = 0; i < 10000000; i++)
        sp_exact_add(&sum, 0.1);
    assert_true(fabs(sp_exact_value(&sum) - 1e6) <= 1e-10);
}

/* ---- refusals ---- */

/* The pipeline always has workers; without any the ceiling makes its own. */
static sp_status attempt(void *chain)
{
    const sp_evaluation_block block = {
        .n_recordings = 1, .offsets = (const int64_t[]){0, 2}, .labels = (const int32_t[]){0, 1}};
    sp_evaluation_options options = sp_evaluation_options_default();
    options.has_labels = true;
    sp_evaluation *e = NULL;
    sp_error err;
    sp_status status = sp_evaluation_new(chain, chain, &options, &e, &err);
    if (status == SP_OK)
        status = sp_evaluation_add(e, &block, NULL, &err);
    sp_evaluation_free(e);
    return status;
}

static void test_refusals(void **unused)
{
    (void)unused;
    sp_error err;
    sp_chain *chain = NULL;
    sp_model *model = model_of_all(3, (const char *const[]){"a", "b", "c"});
    const sp_chain_options rules = sp_chain_options_default();
    assert_ok(sp_chain_new(model, &rules, &chain, &err), &err);
    sp_evaluation *e = NULL;
    sp_comparison *c = NULL, *again = NULL;
    sp_evaluation_options options = sp_evaluation_options_default();
    options.has_labels = true;
    assert_int_equal(sp_evaluation_new(chain, NULL, &options, &e, &err), SP_EINVAL);
    options.n_strategies = SP_EVALUATION_MAX_STRATEGIES + 1;
    assert_int_equal(sp_evaluation_new(chain, chain, &options, &e, &err), SP_EINVAL);
    assert_null(e);
    options.n_strategies = 0;
    assert_ok(sp_evaluation_new(chain, chain, &options, &e, &err), &err);
    const sp_evaluation_block block = {.n_recordings = 3, .offsets = (const int64_t[]){0, 1, 2, 3}};
    assert_int_equal(sp_evaluation_add(e, &block, NULL, &err), SP_EINVAL); /* no labels */
    assert_true(assert_each_alloc_may_fail(attempt, chain) > 20);
    assert_ok(sp_evaluation_finish(e, &c, &err), &err);
    assert_int_equal(sp_evaluation_finish(e, &again, &err), SP_EINVAL);
    sp_model_free(model);
    model = model_of_all(2, (const char *const[]){"a", "b"});
    const sp_comparison_texts texts = {.model = model};
    assert_int_equal(sp_comparison_describe(c, &texts, &err), SP_EINVAL);
    sp_comparison_free(c);
    sp_evaluation_free(e);
    sp_chain_free(chain);
    sp_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_intervals_the_long_way),
                                       cmocka_unit_test(test_order_and_groups), cmocka_unit_test(test_values),
                                       cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
