/* Figures small enough to be worked out on paper: tests over tables, weighted kappa, trimmed wake. */
#include "check.h"
#include "evaluated.h"
#include "statepath/statistics.h"

enum { N = -1, A, B, C };
enum { MOST = 4, MOST_STEPS = 1100000 };

/* Recordings of labels and of up to MOST paths, which take what they say step by step. */
typedef struct table {
    int32_t n_classes, n_paths;
    int64_t n, offsets[8];
    int64_t n_recordings; /* that have ended */
    int32_t *labels, *paths[MOST];
} table;

static table table_new(int32_t n_classes, int32_t n_paths)
{
    table t = {.n_classes = n_classes, .n_paths = n_paths, .labels = malloc(MOST_STEPS * sizeof *t.labels)};
    assert_non_null(t.labels);
    for (int32_t p = 0; p < n_paths; p++) {
        t.paths[p] = malloc(MOST_STEPS * sizeof *t.paths[p]);
        assert_non_null(t.paths[p]);
    }
    return t;
}

/* `count` steps more. */
static void say(table *t, int64_t count, int32_t label, const int32_t *said)
{
    for (; count > 0; count--, t->n++) {
        assert_true(t->n < MOST_STEPS);
        t->labels[t->n] = label;
        for (int32_t p = 0; p < t->n_paths; p++)
            t->paths[p][t->n] = said[p];
    }
}

static void end_recording(table *t)
{
    t->offsets[++t->n_recordings] = t->n;
}

/* Of all recordings; the table is gone. */
static sp_comparison *evaluate(table *t, const char *const *classes, const sp_run_options *options)
{
    static const char *const letters[] = {"A", "B", "C", "D"}, *const names[] = {"0", "1", "2", "3"};
    const int32_t *paths[MOST];
    for (int32_t p = 0; p < t->n_paths; p++)
        paths[p] = t->paths[p];
    sp_model *model = model_of_all(t->n_classes, classes ? classes : letters);
    const sp_arrays arrays = {.info = {.n_recordings = t->n_recordings, .offsets = t->offsets},
                              .labels = t->labels};
    sp_comparison *c = evaluated(model, &arrays, &(sp_array_paths){t->n_paths, names, paths, NULL}, options);
    sp_model_free(model);
    free(t->labels);
    for (int32_t p = 0; p < t->n_paths; p++)
        free(t->paths[p]);
    return c;
}

/* Steps that the later path alone has right, and the first alone: the pair is told as later against first. */
static sp_mcnemar mcnemar(int64_t only_a, int64_t only_b)
{
    table t = table_new(2, 2);
    say(&t, 1, A, (int32_t[]){A, A});
    say(&t, only_a, A, (int32_t[]){B, A});
    say(&t, only_b, A, (int32_t[]){A, B});
    end_recording(&t);
    sp_comparison *c = evaluate(&t, NULL, NULL);
    const sp_mcnemar m = c->comparisons[0].mcnemar;
    assert_true(c->comparisons[0].a == 1 && m.only_a == only_a && m.only_b == only_b);
    sp_comparison_free(c);
    return m;
}

static void test_mcnemar(void **state)
{
    (void)state;
    sp_mcnemar m = mcnemar(10, 2);
    assert_value(m.chi2, 64. / 12);
    assert_value(m.chi2_corrected, 49. / 12);
    assert_value(m.exact, 2 * (1 + 12 + 66) / 4096.);
    assert_value(m.mid_p, (2 * (1 + 12 + 66) - 66) / 4096.);
    assert_value(m.chi2_corrected_p, erfc(sqrt(49. / 24)));
    m = mcnemar(0, 0);
    assert_undefined(m.exact, "no discordant steps");
    assert_undefined(m.chi2_corrected_p, "no discordant steps");
    m = mcnemar(3, 0);
    assert_close(m.exact.value, 0.25, 1e-14, 0);
    assert_close(m.mid_p.value, 0.125, 1e-14, 0);
    m = mcnemar(2, 2);
    assert_close(m.exact.value, 1, 0, 0);
    assert_close(m.mid_p.value, 1 - 0.5 * 6 / 16, 1e-14, 0);
    m = mcnemar(700000, 300000); /* underflows to nothing, not to an error */
    assert_close(m.exact.value, 0, 0, 0);
    assert_close(m.chi2_p.value, 0, 0, 0);
}

/* Recordings of which three paths have 1 2 3, 1 1 2 and 3 3 3 of four steps right: ranks 1 2 3, then 1.5 1.5 3, then 2 2 2. */
static void test_friedman(void **state)
{
    (void)state;
    const int values[3][3] = {{1, 2, 3}, {1, 1, 2}, {3, 3, 3}};
    const double chi2 = 12 * (1.5 * 1.5 + 0.5 * 0.5 + 2 * 2) / (3 * 3 * 4) / (1 - (6 + 24) / (3. * 24));
    table t = table_new(2, 3);
    for (int n = 0; n < 3; n++) {
        for (int step = 0; step < 4; step++)
            say(&t, 1, A, (int32_t[]){step >= values[n][0], step >= values[n][1], step >= values[n][2]});
        end_recording(&t);
    }
    sp_comparison *c = evaluate(&t, NULL, NULL);
    assert_int_equal(c->friedman.df, 2);
    assert_value(c->friedman.chi2, chi2);
    assert_value(c->friedman.p, exp(-chi2 / 2));
    assert_close(c->mean_ranks[0], 4 - 4.5 / 3, 1e-12, 0); /* the greatest value has rank 1 */
    assert_close(c->mean_ranks[1], 4 - 5.5 / 3, 1e-12, 0);
    assert_close(c->mean_ranks[2], 4 - 8. / 3, 1e-12, 0);
    sp_comparison_free(c);
}

/* Three steps, right counts 3 2 0 of three strategies; squares of the steps' sums 2 2 1 are 4 4 1. */
static void test_cochran(void **state)
{
    (void)state;
    table t = table_new(2, 3);
    say(&t, 2, A, (int32_t[]){A, A, B});
    say(&t, 1, A, (int32_t[]){A, B, B});
    end_recording(&t);
    sp_comparison *c = evaluate(&t, NULL, NULL);
    assert_int_equal(c->cochran.df, 2);
    assert_value(c->cochran.chi2, 2 * (3. * (9 + 4) - 25) / (3 * 5 - 9));
    sp_comparison_free(c);
}

/* How often the later of two paths says i where the first says j, [4,4]. */
static sp_pair_comparison symmetry(const int64_t *counts)
{
    table t = table_new(4, 2);
    for (int32_t i = 0; i < 16; i++)
        say(&t, counts[i], A, (int32_t[]){i % 4, i / 4});
    end_recording(&t);
    sp_comparison *c = evaluate(&t, NULL, NULL);
    const sp_pair_comparison pair = c->comparisons[0];
    assert_true(pair.a == 1 && pair.b == 0);
    sp_comparison_free(c);
    return pair;
}

static void test_symmetry(void **state)
{
    (void)state;
    /* Nobody uses the fourth class. */
    const int64_t three_of_four[16] = {7, 5, 0, 0, 1, 7, 3, 0, 2, 3, 7, 0};
    sp_chi2 out = symmetry(three_of_four).bowker;
    assert_int_equal(out.df, 3);
    assert_value(out.chi2, 16. / 6 + 0 + 4. / 2);
    /* The first two classes are exchanged, and the last two: two tables of two. */
    const int64_t parts[16] = {3, 8, 0, 0, 2, 3, 0, 0, 0, 0, 3, 1, 0, 0, 6, 3};
    out = symmetry(parts).stuart_maxwell;
    assert_int_equal(out.df, 2);
    assert_value(out.chi2, 36. / 10 + 25. / 7);
}

/* Of 25 equal differences only two of 2^25 patterns of signs are as extreme: none of a thousand, and p is not 0. */
static void test_sign_flip_is_never_0(void **state)
{
    (void)state;
    double d[25];
    for (int i = 0; i < 25; i++)
        d[i] = 0.5;
    sp_bootstrap_options options = sp_bootstrap_options_default();
    options.n_resamples = 1000;
    sp_sign_flip out;
    sp_error err;
    assert_ok(sp_sign_flip_test(25, d, &options, &out, &err), &err);
    assert_false(out.is_exact);
    assert_value(out.p, 1. / 1001);
}

/* Undecoded steps are a fourth column that is as far as can be from every class. */
static void test_weighted_kappa(void **state)
{
    (void)state;
    const int64_t confusion[9] = {2, 1, 0, 1, 3, 1, 0, 2, 4}, undecoded[3] = {1, 0, 2};
    const double linear[3][4] = {{0, 0.5, 1, 1}, {0.5, 0, 0.5, 1}, {1, 0.5, 0, 1}};
    const double row[] = {4, 5, 8}, column[] = {3, 6, 5, 3}, n = 17;
    for (int quadratic = 0; quadratic < 2; quadratic++) {
        double observed = 0, chance = 0;
        table t = table_new(3, 1);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 4; j++) {
                double w = quadratic ? linear[i][j] * linear[i][j] : linear[i][j];
                observed += w * (double)(j < 3 ? confusion[3 * i + j] : undecoded[i]) / n;
                chance += w * row[i] * column[j] / n / n;
                if (j < 3)
                    say(&t, confusion[3 * i + j], i, (int32_t[]){j});
            }
        end_recording(&t);
        for (int i = 0; i < 3; i++)
            say(&t, undecoded[i], i, (int32_t[]){N});
        end_recording(&t);
        sp_run_options o = sp_run_options_default();
        char weights[2][16] = {"linear", "quadratic"};
        o.weighted_kappa = weights[quadratic];
        sp_comparison *c = evaluate(&t, NULL, &o);
        assert_value(c->strategies[0].weighted_kappa, 1 - observed / chance);
        sp_comparison_free(c);
    }
}

/* Labels [n] that are left where wake (A) is trimmed further than so many minutes from sleep: 1 in kept [n]. */
static int64_t trim(double minutes, double epoch_seconds, int64_t n, const int32_t *labels, uint8_t *kept)
{
    static const char *const stages[] = {"Wake", "N1", "N2", "N3", "REM"};
    int64_t n_trimmed = 0;
    for (int64_t one = kept ? 0 : -1; one < (kept ? n : 0);
         one++) { /* at step `one` alone the path is right */
        table t = table_new(5, 1);
        for (int64_t step = 0; step < n; step++)
            say(&t, 1, labels[step], (int32_t[]){step == one ? labels[step] : labels[step] == A ? B : A});
        end_recording(&t);
        sp_run_options o = sp_run_options_default();
        o.wake_trim = minutes;
        o.epoch_seconds = epoch_seconds;
        sp_comparison *c = evaluate(&t, stages, &o);
        n_trimmed = c->n_trimmed_steps;
        if (kept)
            kept[one] = c->strategies[0].agreement.correct == 1;
        sp_comparison_free(c);
    }
    return n_trimmed;
}

static void test_wake_trim(void **state)
{
    (void)state;
    enum { AROUND = 100 };
    static const struct {
        double minutes, epoch_seconds;
        int64_t margin;
    } margins[] = {{1.1, 6, 11}, {4.1, 6, 41} /* 40.99999999999999 in doubles */, {1, 30, 2}, {0.9, 30, 1}};
    int32_t night[2 * AROUND + 1] = {A};
    night[AROUND] = B;
    for (size_t i = 0; i < sizeof margins / sizeof *margins; i++)
        assert_int_equal(trim(margins[i].minutes, margins[i].epoch_seconds, 2 * AROUND + 1, night, NULL),
                         2 * (AROUND - margins[i].margin));
    const int32_t labels[] = {A, A, A, N, B, A, C, A, A, A, N};
    const uint8_t expected[] = {0, 0, 1, 0, 1, 1, 1, 1, 1, 0, 0};
    uint8_t kept[11];
    assert_int_equal(trim(1, 30, 11, labels, kept), 3);
    assert_memory_equal(kept, expected, sizeof kept);
    assert_int_equal(trim(0, 30, 3, (const int32_t[]){A, A, A}, NULL),
                     0); /* no sleep: nothing to trim about */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mcnemar),
        cmocka_unit_test(test_friedman),
        cmocka_unit_test(test_cochran),
        cmocka_unit_test(test_symmetry),
        cmocka_unit_test(test_sign_flip_is_never_0),
        cmocka_unit_test(test_weighted_kappa),
        cmocka_unit_test(test_wake_trim),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
