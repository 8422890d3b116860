/* The bootstrap: what it says of nothing, how much it draws, and the same by any way to it; its intervals
 * again the long way are in test_evaluation_inside. */
#include "check.h"
#include "evaluated.h"
#include "failing_alloc.h"
#include "skewed_sample.h"
#include "statepath/statistics.h"

/* A small generator of the test's own. */
static void test_bootstrap_undefined(void **state)
{
    (void)state;
    sp_bootstrap_options options = sp_bootstrap_options_default();
    sp_difference d;
    sp_error err;
    const int64_t a[] = {3, 0, 0}, b[] = {1, 0, 0}, scored[] = {4, 0, 0}, none[] = {0, 0, 0};
    assert_ok(sp_bootstrap_accuracy(3, a, b, scored, &options, &d, &err), &err);
    assert_int_equal(d.n, 1);
    assert_close(d.difference.value, 0.5, 1e-15, 0);
    assert_undefined(d.low, "one recording");
    assert_undefined(d.high, "one recording");
    assert_int_equal(d.n_resamples, 0);
    assert_ok(sp_bootstrap_accuracy(3, none, none, none, &options, &d, &err), &err);
    assert_undefined(d.difference, "no scored steps");
    assert_undefined(d.low, "no scored steps");
    assert_int_equal(sp_bootstrap_accuracy(3, scored, a, b, &options, &d, &err), SP_EINVAL);
    options.n_resamples = 0;
    assert_int_equal(sp_bootstrap_accuracy(3, a, b, scored, &options, &d, &err), SP_EINVAL);
    options = sp_bootstrap_options_default();
    options.level = 1;
    assert_int_equal(sp_bootstrap_accuracy(3, a, b, scored, &options, &d, &err), SP_EINVAL);
    options.level = NAN;
    assert_int_equal(sp_bootstrap_accuracy(3, a, b, scored, &options, &d, &err), SP_EINVAL);
}

static void test_bootstrap_properties(void **state)
{
    (void)state;
    enum { N = 30 };
    int64_t a[N], b[N], scored[N];
    uint64_t seed = 5;
    for (int i = 0; i < N; i++) {
        scored[i] = 50 + (int64_t)(next(&seed) % 100);
        a[i] = scored[i] - (int64_t)(next(&seed) % 20);
        b[i] = a[i] - (int64_t)(next(&seed) % 9) + 3;
        b[i] = b[i] > scored[i] ? scored[i] : b[i];
    }
    sp_bootstrap_options options = sp_bootstrap_options_default();
    sp_difference d, again, other, swapped, same;
    sp_error err;
    assert_ok(sp_bootstrap_accuracy(N, a, b, scored, &options, &d, &err), &err);
    assert_int_equal(d.n_resamples, 10000);
    assert_true(d.low.value < d.difference.value && d.difference.value < d.high.value);
    assert_ok(sp_bootstrap_accuracy(N, a, b, scored, &options, &again, &err), &err);
    assert_memory_equal(&d.low.value, &again.low.value, sizeof(double));
    assert_memory_equal(&d.high.value, &again.high.value, sizeof(double));
    options.seed = 2;
    assert_ok(sp_bootstrap_accuracy(N, a, b, scored, &options, &other, &err), &err);
    assert_true(other.low.value != d.low.value);
    assert_close(other.low.value, d.low.value, 0.1 * (d.high.value - d.low.value), 0);
    options.seed = 1;
    assert_ok(sp_bootstrap_accuracy(N, b, a, scored, &options, &swapped, &err), &err);
    assert_close(swapped.low.value, -d.high.value, 1e-12, 0); /* the same draws, mirrored */
    assert_ok(sp_bootstrap_accuracy(N, a, a, scored, &options, &same, &err), &err);
    assert_close(same.low.value, 0, 0, 0);
    assert_close(same.high.value, 0, 0, 0);
    /* A narrower level gives a narrower interval. */
    options.level = 0.5;
    assert_ok(sp_bootstrap_accuracy(N, a, b, scored, &options, &other, &err), &err);
    assert_true(other.low.value > d.low.value && other.high.value < d.high.value);
}

/* Where there is no studentised interval, and what is shown then. */
static void test_studentised_undefined(void **state)
{
    (void)state;
    enum { N = SP_MOST_STUDENTISED + 1 };
    int64_t a[N], b[N], scored[N];
    sp_bootstrap_options options = sp_bootstrap_options_default();
    sp_difference d;
    sp_error err;
    uint64_t seed = 3;
    skewed_sample(N, &seed, a, b, scored);
    assert_ok(sp_bootstrap_accuracy(N, a, b, scored, &options, &d, &err), &err);
    assert_true(d.low.value < d.high.value);
    assert_ok(sp_bootstrap_accuracy(3, a, b, scored, &options, &d, &err), &err);
    assert_undefined(d.low, "too few recordings differ");
    assert_true(d.n_resamples == 10000);
    /* One recording of 20 differs: a third of the resamples does not see it. */
    for (int i = 0; i < 20; i++) {
        a[i] = 50 + (i == 7);
        b[i] = 50;
        scored[i] = 100;
    }
    assert_ok(sp_bootstrap_accuracy(20, a, b, scored, &options, &d, &err), &err);
    assert_undefined(d.high, "too few recordings differ");
    /* No interval leaves what the difference can be. */
    const int64_t many[] = {0, 100, 0, 100, 1}, few[] = {0, 0, 0, 1, 0}, steps[] = {100, 100, 100, 100, 100};
    assert_ok(sp_bootstrap_accuracy(5, many, few, steps, &options, &d, &err), &err);
    assert_true(d.low.value >= -1 && d.high.value <= 1);
}

/* Counts 2^25 times as large have sums that do not fit into 32 bits, which are added up in another way: the same
 * shares, so the same intervals bit for bit, of few recordings (studentised) and of many. */
static void test_great_counts(void **state)
{
    (void)state;
    enum { MOST = 200 };
    const sp_bootstrap_options options = sp_bootstrap_options_default();
    int64_t small[3][MOST], great[3][MOST]; /* right by a, by b, scored */
    uint64_t seed = 77;
    skewed_sample(MOST, &seed, small[0], small[1], small[2]);
    for (int i = 0; i < 3 * MOST; i++)
        great[i / MOST][i % MOST] = small[i / MOST][i % MOST] * (1 << 25);
    for (int n = 60; n <= MOST; n += MOST - 60) {
        sp_difference d, e;
        sp_error err;
        assert_ok(sp_bootstrap_accuracy(n, small[0], small[1], small[2], &options, &d, &err), &err);
        assert_ok(sp_bootstrap_accuracy(n, great[0], great[1], great[2], &options, &e, &err), &err);
        assert_true(d.low.value < d.difference.value && d.difference.value < d.high.value);
        assert_memory_equal(&d, &e, sizeof d);
    }
}

/* An evaluation compares all its pairs from the same draws, by any number of threads: each interval of
 * accuracies is that of sp_bootstrap_accuracy(), bit for bit. */
static void expect_evaluated_agree(int64_t n)
{
    enum { MOST = 140, T = 20, S = MOST * T };
    static const char *const names[] = {"argmax", "greedy", "viterbi"}, *const letters[] = {"a", "b", "c"};
    int32_t labels[S], paths[3][S];
    int64_t offsets[MOST + 1] = {0};
    uint64_t seed = 12;
    for (int t = 0; t < S; t++) {
        labels[t] = t % 7 ? (int32_t)(next(&seed) % 3) : -1;
        for (uint64_t s = 0; s < 3; s++)
            paths[s][t] = next(&seed) % (5 + s) && labels[t] >= 0 ? labels[t] : (int32_t)(next(&seed) % 3);
    }
    for (int64_t i = 0; i < n; i++)
        offsets[i + 1] = offsets[i] + 1 + (int64_t)(next(&seed) % T);
    const sp_arrays arrays = {.info = {.n_recordings = n, .offsets = offsets}, .labels = labels};
    const sp_array_paths all = {3, names, (const int32_t *const[]){paths[0], paths[1], paths[2]}, NULL};
    sp_model *model = model_of_all(3, letters);
    for (int n_threads = 1; n_threads <= 5; n_threads += 2) {
        sp_run_options o = sp_run_options_default();
        o.decode.threads = n_threads;
        sp_comparison *c = evaluated(model, &arrays, &all, &o);
        const sp_bootstrap_options options = sp_bootstrap_options_default();
        assert_true(c->n_comparisons > 3);
        for (int p = 0; p < 3; p++) {
            const sp_pair_comparison *pair = &c->comparisons[p];
            int64_t right[2][MOST];
            sp_difference d;
            sp_error err;
            assert_string_equal(pair->metric, "accuracy");
            for (int64_t i = 0; i < n; i++) {
                right[0][i] = c->strategies[pair->a].recordings[i].correct;
                right[1][i] = c->strategies[pair->b].recordings[i].correct;
            }
            assert_ok(sp_bootstrap_accuracy(n, right[0], right[1], c->scored_steps, &options, &d, &err),
                      &err);
            assert_memory_equal(&d, &pair->difference, sizeof d);
        }
        sp_comparison_free(c);
    }
    sp_model_free(model);
}

static void test_evaluations_agree(void **state)
{
    (void)state;
    expect_evaluated_agree(12);
    expect_evaluated_agree(140);
}

/* More clusters than are drawn one by one: the interval of groups is the normal one, whose standard error a sum of independent
 * clusters has. Cluster by cluster the differences are 1, 0 or -1 of ten steps with known shares. */
static void test_many_recordings(void **state)
{
    (void)state;
    enum { N = 200000 };
    int64_t *a = malloc(3 * N * sizeof *a), *b = a + N, *scored = b + N;
    assert_non_null(a);
    uint64_t seed = 99;
    double sum = 0, squares = 0;
    for (int i = 0; i < N; i++) {
        uint64_t draw = next(&seed) % 10;
        scored[i] = 10;
        a[i] = 5 + (draw < 3) - (draw == 9);
        b[i] = 5;
        sum += (double)(a[i] - b[i]);
        squares += (double)((a[i] - b[i]) * (a[i] - b[i]));
    }
    double mean = sum / N, error = sqrt((squares / N - mean * mean) / N) / 10;
    sp_bootstrap_options options = sp_bootstrap_options_default();
    options.n_resamples = 3000;
    sp_difference d;
    sp_error err;
    assert_ok(sp_bootstrap_accuracy(N, a, b, scored, &options, &d, &err), &err);
    assert_int_equal(d.n, N);
    assert_int_equal(d.n_resamples, 3000);
    assert_close(d.difference.value, mean / 10, 1e-12, 0);
    assert_close((d.high.value - d.low.value) / 2, 1.959964 * error, 0, 0.08);
    assert_close((d.high.value + d.low.value) / 2, mean / 10, 0.2 * error, 0);
    /* As many draws as 2e8 of recordings or groups allow. */
    static const int32_t cases[][3] = {{32768, 10000, 6103}, {32769, 10000, 10000}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        options.n_resamples = cases[i][1];
        assert_ok(sp_bootstrap_accuracy(cases[i][0], a, b, scored, &options, &d, &err), &err);
        assert_int_equal(d.n_resamples, cases[i][2]);
    }
    free(a);
}

/* Of few recordings, and of groups of many. */
static sp_status attempt(void *arg)
{
    enum { MANY = 40000 };
    static int64_t right[2][MANY], scored[MANY];
    const bool are_many = *(const bool *)arg;
    sp_bootstrap_options options = sp_bootstrap_options_default();
    options.n_resamples = 3;
    for (int i = 0; i < MANY; i++) {
        right[0][i] = i % 4;
        right[1][i] = i % 3;
        scored[i] = 5;
    }
    sp_difference d = {.n = -1};
    sp_error err;
    const sp_status status =
        sp_bootstrap_accuracy(are_many ? MANY : 5, right[0], right[1], scored, &options, &d, &err);
    assert_true(status == SP_OK || d.n == -1);
    return status;
}

static void test_memory(void **state)
{
    (void)state;
    bool are_many = false;
    assert_true(assert_each_alloc_may_fail(attempt, &are_many) > 5);
    are_many = true;
    assert_true(assert_each_alloc_may_fail(attempt, &are_many) > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bootstrap_undefined),
        cmocka_unit_test(test_bootstrap_properties),
        cmocka_unit_test(test_studentised_undefined),
        cmocka_unit_test(test_great_counts),
        cmocka_unit_test(test_evaluations_agree),
        cmocka_unit_test(test_many_recordings),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
