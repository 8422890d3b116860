/* The bootstrap: what it says of nothing, against the plain computation, and the same by any way to it. */
#include "check.h"
#include "statepath/context.h"
#include "statepath/statistics.h"

#include <float.h>
#include <gsl/gsl_cdf.h>

/* The long way needs the very draws; clusters of other figures and the number of resamples stand behind evaluations. */
#include "evaluate/statistics/clusters.h"
#include "evaluate/statistics/intervals.h"
#include "evaluate/statistics/random.h"

/* A small generator of the test's own. */
static uint64_t next(uint64_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return *s;
}

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
    /* Several pairs at once give what each gives alone. */
    const int64_t *const correct[] = {b, a, scored};
    const int32_t pairs[][2] = {{1, 0}, {2, 1}};
    sp_difference both[2], alone;
    assert_ok(sp_bootstrap_accuracies(N, 3, correct, scored, 2, pairs, &options, NULL, both, &err), &err);
    assert_ok(sp_bootstrap_accuracy(N, scored, a, scored, &options, &alone, &err), &err);
    assert_close(both[0].low.value, d.low.value, 0, 0);
    assert_close(both[1].high.value, alone.high.value, 0, 0);
    /* A narrower level gives a narrower interval. */
    options.level = 0.5;
    assert_ok(sp_bootstrap_accuracy(N, a, b, scored, &options, &other, &err), &err);
    assert_true(other.low.value > d.low.value && other.high.value < d.high.value);
}

static void test_bootstrap_resamples(void **state)
{
    (void)state;
    sp_bootstrap_options options = sp_bootstrap_options_default();
    assert_int_equal(sp_bootstrap_resamples(&options, 20000), 10000);
    assert_int_equal(sp_bootstrap_resamples(&options, 32768), 6103);
    assert_int_equal(sp_bootstrap_resamples(&options, 32769), 10000); /* groups */
    assert_int_equal(sp_bootstrap_resamples(&options, 10000000), 10000);
    options.n_resamples = 1000000;
    assert_int_equal(sp_bootstrap_resamples(&options, 10000000), 24414);
    options.n_resamples = 300;
    assert_int_equal(sp_bootstrap_resamples(&options, 10000000), 300);
}

/* Shares of the first of two columns, whose unit is the last one's. */
static void shares(const void *arg, const int64_t *sums, double *values)
{
    (void)arg;
    values[0] = (double)sums[0] / (double)sums[2];
    values[1] = (double)sums[1] / (double)sums[2];
}

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

/* Both intervals again, the long way: draws one by one from the same streams, jackknife by summing anew, everything sorted. */
static void plain_intervals(int n, const int64_t *a, const int64_t *b, const int64_t *scored,
                            const sp_bootstrap_options *options, double *ends)
{
    int B = options->n_resamples;
    double *drawn = malloc((size_t)B * sizeof *drawn), *u = malloc((size_t)n * sizeof *u);
    assert_non_null(drawn);
    assert_non_null(u);
    int64_t right = 0, steps = 0;
    for (int i = 0; i < n; i++) {
        right += a[i] - b[i];
        steps += scored[i];
    }
    double observed = (double)right / (double)steps, share = 0, mean = 0, squares = 0, cubes = 0;
    for (int r = 0; r < B; r++) {
        random_stream stream = random_open(options->seed, (uint64_t)r);
        uint32_t index[RANDOM_PIECE];
        int64_t sum = 0, total = 0;
        for (int i = 0; i < n; i += RANDOM_PIECE) {
            int count = n - i < RANDOM_PIECE ? n - i : RANDOM_PIECE;
            random_below(&stream, (uint32_t)n, count, index);
            for (int j = 0; j < count; j++) {
                sum += a[index[j]] - b[index[j]];
                total += scored[index[j]];
            }
        }
        drawn[r] = (double)sum / (double)total;
        share += (drawn[r] < observed) + (drawn[r] == observed) / 2.;
    }
    for (int i = 0; i < n; i++) {
        u[i] = (double)(right - a[i] + b[i]) / (double)(steps - scored[i]);
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
        ends[2 + side] = quantile(B, drawn, plain);
    }
    free(drawn);
    free(u);
}

/* (d* - d) / s* of one resample, s* from the accuracies without each of its rows; DBL_MAX where s* is 0. */
static double plain_ratio(int n, const uint32_t *index, const int64_t *right, const int64_t *scored,
                          double observed)
{
    int64_t sum = 0, total = 0;
    double mean = 0, squares = 0, drawn;
    for (int i = 0; i < n; i++) {
        sum += right[index[i]];
        total += scored[index[i]];
    }
    drawn = (double)sum / (double)total;
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
    assert_non_null(ratios);
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

/* Unequal recordings, of which strategy b loses some steps in a skewed way. */
static void skewed_sample(int n, uint64_t *seed, int64_t *a, int64_t *b, int64_t *scored)
{
    for (int i = 0; i < n; i++) {
        scored[i] = 60 + (int64_t)(next(seed) % 80);
        a[i] = scored[i] - (int64_t)(next(seed) % 20);
        int64_t loss = (int64_t)(next(seed) % 12);
        b[i] = a[i] - loss * loss / 6 + 2 < scored[i] ? a[i] - loss * loss / 6 + 2 : scored[i];
    }
}

static void test_studentised_the_long_way(void **state)
{
    (void)state;
    static const int sizes[] = {4, 5, 12, 50, SP_MOST_STUDENTISED};
    sp_bootstrap_options options = sp_bootstrap_options_default();
    uint64_t seed = 47;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int64_t a[SP_MOST_STUDENTISED], b[SP_MOST_STUDENTISED], scored[SP_MOST_STUDENTISED],
            right[SP_MOST_STUDENTISED];
        double ends[2];
        sp_difference d;
        sp_error err;
        skewed_sample(sizes[s], &seed, a, b, scored);
        for (int i = 0; i < sizes[s]; i++)
            right[i] = a[i] - b[i];
        options.seed = s;
        options.n_resamples = s % 2 ? 1500 : 4001;
        options.level = s % 3 ? 0.95 : 0.8;
        plain_studentised(sizes[s], right, scored, &options, ends);
        assert_ok(sp_bootstrap_accuracy(sizes[s], a, b, scored, &options, &d, &err), &err);
        for (int side = 0; side < 2; side++)
            assert_close(d.studentised[side].value, ends[side], 1e-10, 0);
        assert_memory_equal(&d.low, &d.studentised[0], sizeof d.low);
        assert_memory_equal(&d.high, &d.studentised[1], sizeof d.high);
    }
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
    assert_undefined(d.studentised[0], "more than 128 recordings");
    assert_memory_equal(&d.low, &d.bca[0], sizeof d.low);
    assert_memory_equal(&d.high, &d.bca[1], sizeof d.high);
    assert_ok(sp_bootstrap_accuracy(3, a, b, scored, &options, &d, &err), &err);
    assert_undefined(d.studentised[1], "too few recordings differ");
    assert_undefined(d.low, "too few recordings differ");
    assert_true(!d.bca[0].undefined && d.n_resamples == 10000);
    /* One recording of 20 differs: a third of the resamples does not see it. */
    for (int i = 0; i < 20; i++) {
        a[i] = 50 + (i == 7);
        b[i] = 50;
        scored[i] = 100;
    }
    assert_ok(sp_bootstrap_accuracy(20, a, b, scored, &options, &d, &err), &err);
    assert_undefined(d.high, "too few recordings differ");
    assert_close(d.skewness, 18 / sqrt(19), 1e-9, 0);
    /* No interval leaves what the difference can be. */
    const int64_t many[] = {0, 100, 0, 100, 1}, few[] = {0, 0, 0, 1, 0}, steps[] = {100, 100, 100, 100, 100};
    assert_ok(sp_bootstrap_accuracy(5, many, few, steps, &options, &d, &err), &err);
    assert_true(d.low.value >= -1 && d.high.value <= 1);
}

static void test_intervals_the_long_way(void **state)
{
    (void)state;
    static const int sizes[] = {2, 3, 12, 50, 300, 1000};
    sp_bootstrap_options options = sp_bootstrap_options_default();
    uint64_t seed = 31;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int64_t a[1000], b[1000], scored[1000];
        double ends[4];
        sp_difference d, shown;
        sp_error err;
        skewed_sample(sizes[s], &seed, a, b, scored);
        options.seed = s;
        options.n_resamples = s % 2 ? 1500 : 4001;
        options.level = s % 3 ? 0.95 : 0.8;
        options.interval = SP_INTERVAL_BCA;
        plain_intervals(sizes[s], a, b, scored, &options, ends);
        assert_ok(sp_bootstrap_accuracy(sizes[s], a, b, scored, &options, &d, &err), &err);
        for (int side = 0; side < 2; side++) {
            assert_close(d.bca[side].value, ends[side], 1e-12, 0);
            assert_close(d.percentile[side].value, ends[2 + side], 1e-12, 0);
        }
        assert_close(d.low.value, d.bca[0].value, 0, 0);
        assert_close(d.high.value, d.bca[1].value, 0, 0);
        options.interval = SP_INTERVAL_PERCENTILE;
        assert_ok(sp_bootstrap_accuracy(sizes[s], a, b, scored, &options, &shown, &err), &err);
        assert_close(shown.low.value, d.percentile[0].value, 0, 0);
        assert_close(shown.high.value, d.percentile[1].value, 0, 0);
    }
}

/* Clusters as lists, as a matrix, and by the loop for accuracies draw the same resamples: the same intervals bit for bit, by any
 * number of threads, of few clusters (studentised) and of many. Counts 2^25 times as large have sums that need the lists, and are
 * the same shares. */
static void expect_clusters_agree(int n)
{
    enum { MOST = 200, WIDTH = 3 };
    const sp_statistics statistics = {.n = 2, .most = 1, .compute = shares, .undefined = "nothing there"};
    sp_bootstrap_options options = sp_bootstrap_options_default();
    uint32_t counts[MOST * WIDTH], large[MOST * WIDTH], slots[MOST * WIDTH];
    int64_t offsets[MOST + 1], a[MOST], b[MOST], scored[MOST];
    uint64_t seed = 77;
    for (int i = 0; i < n; i++) {
        offsets[i] = (int64_t)i * WIDTH;
        counts[i * WIDTH + 0] = (uint32_t)(next(&seed) % 30);
        counts[i * WIDTH + 1] = 0;
        counts[i * WIDTH + 2] = 31 + (uint32_t)(next(&seed) % 33);
        a[i] = counts[i * WIDTH];
        b[i] = 0;
        scored[i] = counts[i * WIDTH + 2];
        for (int w = 0; w < WIDTH; w++) {
            slots[i * WIDTH + w] = (uint32_t)w;
            large[i * WIDTH + w] = counts[i * WIDTH + w] << 25;
        }
    }
    offsets[n] = (int64_t)n * WIDTH;
    sp_difference matrix[2], lists[2], threads[4], pair;
    sp_error err;
    sp_clusters c = {.n = n, .width = WIDTH, .offsets = offsets, .slots = slots, .counts = counts}, heavy = c;
    heavy.counts = large;
    assert_ok(sp_clusters_bootstrap(&c, &statistics, &options, NULL, matrix, &err), &err);
    assert_ok(sp_clusters_bootstrap(&heavy, &statistics, &options, NULL, lists, &err), &err);
    assert_ok(sp_bootstrap_accuracy(n, a, b, scored, &options, &pair, &err), &err);
    assert_true(matrix[0].low.value < matrix[0].difference.value &&
                matrix[0].difference.value < matrix[0].high.value);
    assert_memory_equal(matrix, lists, sizeof matrix);
    assert_memory_equal(&matrix[0], &pair, sizeof pair);
    assert_true(matrix[1].low.value == 0 && matrix[1].high.value == 0);
    for (int n_threads = 1; n_threads <= 5; n_threads += 2) {
        sp_workers *workers = sp_workers_new(n_threads);
        assert_non_null(workers);
        assert_ok(sp_clusters_bootstrap(&heavy, &statistics, &options, workers, threads, &err), &err);
        assert_ok(sp_clusters_bootstrap(&c, &statistics, &options, workers, threads + 2, &err), &err);
        assert_memory_equal(threads, matrix, sizeof matrix);
        assert_memory_equal(threads + 2, matrix, sizeof matrix);
        sp_workers_free(workers);
    }
}

static void test_clusters_agree(void **state)
{
    (void)state;
    expect_clusters_agree(200);
    expect_clusters_agree(60);
}

/* More clusters than are drawn one by one: the interval of groups is the normal one, whose standard error a sum of independent
 * clusters has. Cluster by cluster the differences are 1, 0 or -1 of ten steps with known shares. */
static void test_many_clusters(void **state)
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
    sp_difference d, again;
    sp_error err;
    sp_workers *workers = sp_workers_new(3);
    const int64_t *const correct[2] = {a, b};
    const int32_t pair[1][2] = {{0, 1}};
    assert_non_null(workers);
    assert_ok(sp_bootstrap_accuracy(N, a, b, scored, &options, &d, &err), &err);
    assert_int_equal(d.n, N);
    assert_int_equal(d.n_resamples, 3000);
    assert_close(d.difference.value, mean / 10, 1e-12, 0);
    assert_close((d.percentile[1].value - d.percentile[0].value) / 2, 1.959964 * error, 0, 0.08);
    assert_close((d.high.value - d.low.value) / 2, 1.959964 * error, 0, 0.08);
    assert_close((d.high.value + d.low.value) / 2, mean / 10, 0.2 * error, 0);
    assert_ok(sp_bootstrap_accuracies(N, 2, correct, scored, 1, pair, &options, workers, &again, &err), &err);
    assert_memory_equal(&again, &d, sizeof d);
    sp_workers_free(workers);
    free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bootstrap_undefined),      cmocka_unit_test(test_bootstrap_properties),
        cmocka_unit_test(test_bootstrap_resamples),      cmocka_unit_test(test_intervals_the_long_way),
        cmocka_unit_test(test_studentised_the_long_way), cmocka_unit_test(test_studentised_undefined),
        cmocka_unit_test(test_clusters_agree),           cmocka_unit_test(test_many_clusters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
