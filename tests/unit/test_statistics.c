/* Statistics: by hand, by enumeration, by simulation. */
#include "check.h"

#include "evaluate/clusters.h"
#include "evaluate/random.h"

#include <gsl/gsl_cdf.h>

#define assert_undefined(v, reason)                                                                                              \
    do {                                                                                                                         \
        assert_non_null((v).undefined);                                                                                          \
        assert_string_equal((v).undefined, reason);                                                                              \
    } while (0)

/* A small generator of the test's own. */
static uint64_t next(uint64_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return *s;
}

/* ---- Wilcoxon ---- */

/* Mid-rank of |d[i]| among the differences that are not 0, or all, counted from scratch. */
static double mid_rank(int n, const double *d, int i, bool with_zeros)
{
    double below = 0, equal = 0;
    for (int j = 0; j < n; j++)
        if (d[j] != 0 || with_zeros) {
            below += fabs(d[j]) < fabs(d[i]);
            equal += fabs(d[j]) == fabs(d[i]);
        }
    return below + (equal + 1) / 2;
}

/* Two-sided p by going through all signs. */
static double wilcoxon_brute(int n, const double *d, sp_wilcoxon_zeros zeros)
{
    double rank[16], plus = 0, total = 0;
    int m = 0;
    for (int i = 0; i < n; i++)
        if (d[i] != 0) {
            rank[m] = mid_rank(n, d, i, zeros == SP_ZEROS_PRATT);
            plus += d[i] > 0 ? rank[m] : 0;
            total += rank[m++];
        }
    double w = plus < total - plus ? plus : total - plus;
    int hits = 0;
    for (int signs = 0; signs < 1 << m; signs++) {
        double sum = 0;
        for (int i = 0; i < m; i++)
            sum += signs >> i & 1 ? rank[i] : 0;
        hits += sum <= w;
    }
    return fmin(1, 2. * hits / (1 << m));
}

static void test_wilcoxon_enumeration(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int trial = 0; trial < 600; trial++) {
        sp_wilcoxon_zeros zeros = trial % 2 ? SP_ZEROS_PRATT : SP_ZEROS_WILCOX;
        double d[11];
        int n = 1 + (int)(next(&seed) % 11), spread = 1 + (int)(next(&seed) % 9), kept = 0;
        for (int i = 0; i < n; i++) {
            d[i] = (double)((int)(next(&seed) % (uint64_t)(2 * spread + 1)) - spread) / 8; /* many ties, some zeros */
            kept += d[i] != 0;
        }
        sp_wilcoxon w;
        sp_error err;
        assert_ok(sp_wilcoxon_signed_rank(n, d, zeros, &w, &err), &err);
        assert_int_equal(w.better + w.worse + w.ties, n);
        if (kept == 0) {
            assert_undefined(w.p, "no difference");
            continue;
        }
        assert_true(w.is_exact);
        assert_close(w.p.value, wilcoxon_brute(n, d, zeros), 1e-14, 1e-13);
        assert_close(w.p_least.value, ldexp(1, 1 - kept), 0, 0);
        assert_true(w.p.value >= w.p_least.value);
    }
}

static void test_wilcoxon_by_hand(void **state)
{
    (void)state;
    sp_wilcoxon w;
    sp_error err;
    const double d[] = {0.5, 0.1, -0.2, 0.3, 0, 0.4}; /* ranks 5 1 -2 3 . 4: W- = 2 of 15; P(W <= 2) = 3/32 */
    assert_ok(sp_wilcoxon_signed_rank(6, d, SP_ZEROS_WILCOX, &w, &err), &err);
    assert_close(w.p.value, 6. / 32, 1e-15, 0);
    assert_close(w.rank_biserial.value, (13. - 2) / 15, 1e-15, 0);
    assert_int_equal(w.better, 4);
    assert_int_equal(w.worse, 1);
    assert_int_equal(w.ties, 1);
    assert_close(w.p_least.value, 1. / 16, 0, 0);
    const double zeros[] = {0, 1, -2, 3, 4, 5}; /* Pratt: ranks . 2 -3 4 5 6: W- = 3 of 20; P(W <= 3) = 3/32: {} {2} {3} */
    assert_ok(sp_wilcoxon_signed_rank(6, zeros, SP_ZEROS_PRATT, &w, &err), &err);
    assert_close(w.p.value, 6. / 32, 1e-15, 0);
    assert_close(w.rank_biserial.value, (17. - 3) / 20, 1e-15, 0);
    const double none[] = {0, 0};
    assert_ok(sp_wilcoxon_signed_rank(2, none, SP_ZEROS_PRATT, &w, &err), &err);
    assert_undefined(w.p, "no difference");
    assert_undefined(w.p_least, "no difference");
    assert_ok(sp_wilcoxon_signed_rank(2, none, SP_ZEROS_WILCOX, &w, &err), &err);
    assert_undefined(w.p, "no difference");
    assert_undefined(w.rank_biserial, "no difference");
    assert_ok(sp_wilcoxon_signed_rank(0, NULL, SP_ZEROS_WILCOX, &w, &err), &err);
    assert_undefined(w.p, "no recordings");
    const double bad[] = {1, NAN};
    w.better = 99;
    assert_int_equal(sp_wilcoxon_signed_rank(2, bad, SP_ZEROS_WILCOX, &w, &err), SP_EINVAL);
    assert_int_equal(w.better, 99);
}

/* 1,000 differences of one sign: the least p there is, 2^(1-n); and the approximation takes over where the count ends. */
static void test_wilcoxon_large(void **state)
{
    (void)state;
    enum { MAX = 1100 };
    double *d = malloc(MAX * sizeof *d);
    assert_non_null(d);
    sp_wilcoxon w, v;
    sp_error err;
    for (int i = 0; i < MAX; i++)
        d[i] = i + 1;
    assert_ok(sp_wilcoxon_signed_rank(1000, d, SP_ZEROS_WILCOX, &w, &err), &err);
    assert_true(w.is_exact);
    assert_close(w.p.value, ldexp(1, -999), 0, 1e-12);
    assert_close(w.p_least.value, ldexp(1, -999), 0, 0);
    uint64_t seed = 3;
    for (int i = 0; i < MAX; i++)
        d[i] = (next(&seed) % 100 < 53 ? 1 : -1) * (double)(1 + next(&seed) % 50);
    assert_ok(sp_wilcoxon_signed_rank(1000, d, SP_ZEROS_WILCOX, &w, &err), &err);
    assert_ok(sp_wilcoxon_signed_rank(1001, d, SP_ZEROS_WILCOX, &v, &err), &err);
    assert_true(w.is_exact);
    assert_false(v.is_exact);
    assert_close(v.p.value, w.p.value, 5e-3, 0.05); /* one difference more, another method */
    free(d);
}

/* Hundreds of thousands of zeros with ranks of their own: counted exactly for a few differences, approximated for many. */
static void test_wilcoxon_many_zeros(void **state)
{
    (void)state;
    enum { ZEROS = 300000, MAX = 1100 };
    double *d = calloc(ZEROS + MAX, sizeof *d);
    assert_non_null(d);
    sp_wilcoxon w;
    sp_error err;
    for (int i = 0; i < MAX; i++)
        d[ZEROS + i] = i % 5 ? i + 1 : -i - 1;
    assert_ok(sp_wilcoxon_signed_rank(ZEROS + 10, d, SP_ZEROS_PRATT, &w, &err), &err);
    assert_true(w.is_exact); /* all ranks as good as equal: a sign test of 8 against 2 */
    assert_int_equal(w.ties, ZEROS);
    assert_close(w.p.value, 2 * (1 + 10 + 9) / 1024., 1e-12, 0); /* 9 pairs have ranks of no greater sum than 1 and 6 */
    assert_ok(sp_wilcoxon_signed_rank(ZEROS + MAX, d, SP_ZEROS_PRATT, &w, &err), &err);
    assert_false(w.is_exact);
    assert_true(w.p.value < 1e-80);
    free(d);
}

/* ---- sign flips ---- */

static double sign_flip_brute(int n, const long *d)
{
    long observed = 0;
    for (int i = 0; i < n; i++)
        observed += d[i];
    int hits = 0;
    for (int signs = 0; signs < 1 << n; signs++) {
        long sum = 0;
        for (int i = 0; i < n; i++)
            sum += signs >> i & 1 ? d[i] : -d[i];
        hits += labs(sum) >= labs(observed);
    }
    return (double)hits / (1 << n);
}

static void test_sign_flip(void **state)
{
    (void)state;
    sp_bootstrap_options options = sp_bootstrap_options_default();
    uint64_t seed = 11;
    sp_sign_flip s;
    sp_error err;
    for (int trial = 0; trial < 100; trial++) {
        int n = 1 + (int)(next(&seed) % 12);
        long whole[12], any = 0;
        double d[12];
        for (int i = 0; i < n; i++) {
            whole[i] = (long)(next(&seed) % 21) - 8;
            d[i] = (double)whole[i] / 10; /* not exact in binary: ties must still be found */
            any |= whole[i];
        }
        assert_ok(sp_sign_flip_test(n, d, &options, &s, &err), &err);
        if (!any) {
            assert_undefined(s.p, "no difference");
            continue;
        }
        assert_true(s.is_exact);
        assert_close(s.p.value, sign_flip_brute(n, whole), 1e-15, 0);
    }
    double d[21];
    for (int i = 0; i < 21; i++)
        d[i] = i % 3 ? 1 : -1; /* 14 of 21: 2 P(Bin(21, 1/2) >= 14) */
    assert_ok(sp_sign_flip_test(21, d, &options, &s, &err), &err);
    assert_false(s.is_exact);
    assert_close(s.p.value, 0.189247, 0.02, 0);
    assert_ok(sp_sign_flip_test(20, d, &options, &s, &err), &err);
    assert_true(s.is_exact);
    d[0] = INFINITY;
    assert_int_equal(sp_sign_flip_test(20, d, &options, &s, &err), SP_EINVAL);
}

/* ---- Holm ---- */

static void test_holm(void **state)
{
    (void)state;
    sp_value p[] = {{0.01, NULL}, {0.04, NULL}, {0, "no difference"}, {0.03, NULL}, {0.005, NULL}}, q[5];
    const double expected[] = {0.03, 0.06, 0, 0.06, 0.02}; /* R: p.adjust(c(.01, .04, .03, .005), "holm") */
    sp_error err;
    assert_ok(sp_holm_adjust(5, p, q, &err), &err);
    for (int i = 0; i < 5; i++)
        if (i == 2)
            assert_undefined(q[i], "no difference");
        else
            assert_close(q[i].value, expected[i], 1e-15, 0);
    p[0].value = p[1].value = 0.9;
    assert_ok(sp_holm_adjust(2, p, p, &err), &err); /* in place; never above 1 */
    assert_close(p[0].value, 1, 0, 0);
    assert_close(p[1].value, 1, 0, 0);
}

/* ---- McNemar ---- */

static void test_mcnemar(void **state)
{
    (void)state;
    sp_mcnemar m;
    sp_mcnemar_test(0, 0, &m);
    assert_undefined(m.exact, "no discordant steps");
    assert_undefined(m.chi2_corrected_p, "no discordant steps");
    sp_mcnemar_test(3, 0, &m);
    assert_close(m.exact.value, 0.25, 1e-14, 0);
    assert_close(m.mid_p.value, 0.125, 1e-14, 0);
    sp_mcnemar_test(2, 2, &m);
    assert_close(m.exact.value, 1, 0, 0);
    assert_close(m.mid_p.value, 1 - 0.5 * 6 / 16, 1e-14, 0);
    sp_mcnemar_test(700000, 300000, &m); /* underflows to nothing, not to an error */
    assert_close(m.exact.value, 0, 0, 0);
    assert_close(m.chi2_p.value, 0, 0, 0);
}

/* ---- bootstrap ---- */

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
    assert_ok(sp_bootstrap_accuracies(N, 3, correct, scored, 2, pairs, &options, both, &err), &err);
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

/* Coverage: recordings of unequal length from a population whose true difference is known; 95 % intervals hold it in about 95 of
 * 100 samples of 25 recordings (a little less: the bootstrap of few clusters is a little narrow). */
static void test_bootstrap_coverage(void **state)
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
    if (inside < 0.88 * TRIALS || inside > 0.98 * TRIALS)
        fail_msg("95 %% intervals held the true difference in %d of %d samples", inside, TRIALS);
    assert_true(below < 0.12 * TRIALS);
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
static void plain_intervals(int n, const int64_t *a, const int64_t *b, const int64_t *scored, const sp_bootstrap_options *options,
                            double *ends)
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
        double plain = side ? (1 + options->level) / 2 : (1 - options->level) / 2, z = z0 + gsl_cdf_ugaussian_Pinv(plain);
        ends[side] = quantile(B, drawn, gsl_cdf_ugaussian_P(z0 + z / (1 - acceleration * z)));
        ends[2 + side] = quantile(B, drawn, plain);
    }
    free(drawn);
    free(u);
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
 * number of threads. Counts 2^25 times as large have sums that need the lists, and are the same shares. */
static void test_clusters_agree(void **state)
{
    (void)state;
    enum { N = 200, WIDTH = 3 };
    const sp_statistics statistics = {.n = 2, .compute = shares, .undefined = "nothing there"};
    sp_bootstrap_options options = sp_bootstrap_options_default();
    uint32_t counts[N * WIDTH], large[N * WIDTH], slots[N * WIDTH];
    int64_t offsets[N + 1], a[N], b[N], scored[N];
    uint64_t seed = 77;
    for (int i = 0; i < N; i++) {
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
    offsets[N] = N * WIDTH;
    sp_difference matrix[2], lists[2], threads[4], pair;
    sp_error err;
    sp_clusters c = {.n = N, .width = WIDTH, .offsets = offsets, .slots = slots, .counts = counts}, heavy = c;
    heavy.counts = large;
    sp_bootstrap_part one = {c, statistics, matrix}, other = {heavy, statistics, lists};
    assert_ok(sp_clusters_bootstrap(1, &one, &options, NULL, &err), &err);
    assert_ok(sp_clusters_bootstrap(1, &other, &options, NULL, &err), &err);
    assert_ok(sp_bootstrap_accuracy(N, a, b, scored, &options, &pair, &err), &err);
    assert_true(matrix[0].low.value < matrix[0].difference.value && matrix[0].difference.value < matrix[0].high.value);
    assert_memory_equal(matrix, lists, sizeof matrix);
    assert_memory_equal(&matrix[0], &pair, sizeof pair);
    assert_true(matrix[1].low.value == 0 && matrix[1].high.value == 0);
    for (int n_threads = 1; n_threads <= 5; n_threads += 2) {
        sp_workers *workers = sp_workers_new(n_threads);
        assert_non_null(workers);
        const sp_bootstrap_part both[] = {{heavy, statistics, threads}, {c, statistics, threads + 2}};
        assert_ok(sp_clusters_bootstrap(2, both, &options, workers, &err), &err);
        assert_memory_equal(threads, matrix, sizeof matrix);
        assert_memory_equal(threads + 2, matrix, sizeof matrix);
        sp_workers_free(workers);
    }
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
    assert_ok(sp_bootstrap_accuracies_threads(N, 2, correct, scored, 1, pair, &options, workers, &again, &err), &err);
    assert_memory_equal(&again, &d, sizeof d);
    sp_workers_free(workers);
    free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wilcoxon_enumeration),
        cmocka_unit_test(test_wilcoxon_by_hand),
        cmocka_unit_test(test_wilcoxon_large),
        cmocka_unit_test(test_wilcoxon_many_zeros),
        cmocka_unit_test(test_sign_flip),
        cmocka_unit_test(test_holm),
        cmocka_unit_test(test_mcnemar),
        cmocka_unit_test(test_bootstrap_undefined),
        cmocka_unit_test(test_bootstrap_properties),
        cmocka_unit_test(test_bootstrap_resamples),
        cmocka_unit_test(test_bootstrap_coverage),
        cmocka_unit_test(test_intervals_the_long_way),
        cmocka_unit_test(test_clusters_agree),
        cmocka_unit_test(test_many_clusters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
