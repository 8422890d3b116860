/* Figures small enough to be worked out on paper: tests over tables, weighted kappa, trims, regret, ties, edit score. */
#include "check.h"

#include "evaluate/counts/units.h"
#include "evaluate/evaluate.h"
#include "evaluate/evaluation.h"
#include "evaluate/statistics/hypothesis_tests.h"

enum { N = -1, A, B, C };

static void test_mcnemar(void **state)
{
    (void)state;
    sp_mcnemar m;
    sp_mcnemar_test(10, 2, &m);
    assert_value(m.chi2, 64. / 12);
    assert_value(m.chi2_corrected, 49. / 12);
    assert_value(m.exact, 2 * (1 + 12 + 66) / 4096.);
    assert_value(m.mid_p, (2 * (1 + 12 + 66) - 66) / 4096.);
    assert_value(m.chi2_corrected_p, erfc(sqrt(49. / 24)));
}

/* Ranks 1 2 3, then 1.5 1.5 3, then 2 2 2. */
static void test_friedman(void **state)
{
    (void)state;
    const double values[] = {1, 2, 3, 1, 1, 2, 3, 3, 3};
    const double chi2 = 12 * (1.5 * 1.5 + 0.5 * 0.5 + 2 * 2) / (3 * 3 * 4) / (1 - (6 + 24) / (3. * 24));
    double mean_ranks[3];
    sp_chi2 out;
    sp_error err;
    assert_ok(sp_friedman_test(3, 3, values, mean_ranks, &out, &err), &err);
    assert_int_equal(out.df, 2);
    assert_value(out.chi2, chi2);
    assert_value(out.p, exp(-chi2 / 2));
    assert_close(mean_ranks[0], 4 - 4.5 / 3, 1e-12, 0); /* the greatest value has rank 1 */
    assert_close(mean_ranks[1], 4 - 5.5 / 3, 1e-12, 0);
    assert_close(mean_ranks[2], 4 - 8. / 3, 1e-12, 0);
}

/* Three units, right counts 3 2 0 of three strategies; squares of the units' sums 3 1 1 are 9 1 1. */
static void test_cochran(void **state)
{
    (void)state;
    const int64_t right[] = {3, 2, 0};
    sp_chi2 out;
    sp_cochran_test(3, right, 5, 11, &out);
    assert_int_equal(out.df, 2);
    assert_value(out.chi2, 2 * (3. * (9 + 4) - 25) / (3 * 5 - 11));
}

static void test_symmetry(void **state)
{
    (void)state;
    /* Nobody uses the fourth class. */
    const int64_t three_of_four[16] = {7, 5, 0, 0, 1, 7, 3, 0, 2, 3, 7, 0};
    sp_chi2 out;
    sp_error err;
    sp_bowker_test(4, three_of_four, &out);
    assert_int_equal(out.df, 3);
    assert_value(out.chi2, 16. / 6 + 0 + 4. / 2);
    /* The first two classes are exchanged, and the last two: two tables of two. */
    const int64_t parts[16] = {3, 8, 0, 0, 2, 3, 0, 0, 0, 0, 3, 1, 0, 0, 6, 3};
    assert_ok(sp_stuart_maxwell_test(4, parts, &out, &err), &err);
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
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 4; j++) {
                double w = quadratic ? linear[i][j] * linear[i][j] : linear[i][j];
                observed += w * (double)(j < 3 ? confusion[3 * i + j] : undecoded[i]) / n;
                chance += w * row[i] * column[j] / n / n;
            }
        sp_value out;
        sp_error err;
        assert_ok(sp_weighted_kappa(3, confusion, undecoded, quadratic ? SP_KAPPA_QUADRATIC : SP_KAPPA_LINEAR, &out, &err), &err);
        assert_value(out, 1 - observed / chance);
    }
}

static void test_wake_trim(void **state)
{
    (void)state;
    assert_int_equal(sp_wake_trim_steps(1.1, 6), 11);
    assert_int_equal(sp_wake_trim_steps(4.1, 6), 41); /* 40.99999999999999 in doubles */
    assert_int_equal(sp_wake_trim_steps(1, 30), 2);
    assert_int_equal(sp_wake_trim_steps(0.9, 30), 1);
    const int32_t stages[] = {SP_STAGE_WAKE, SP_STAGE_N1, SP_STAGE_REM};
    int32_t labels[] = {A, A, A, N, B, A, C, A, A, A, N};
    const int32_t expected[] = {N, N, A, N, B, A, C, A, A, N, N};
    assert_int_equal(sp_wake_trim(11, stages, 2, labels), 3);
    assert_memory_equal(labels, expected, sizeof labels);
    int32_t awake[] = {A, A, A}; /* no sleep: nothing to trim about */
    assert_int_equal(sp_wake_trim(3, stages, 0, awake), 0);
}

static void test_regret_and_ties(void **state)
{
    (void)state;
    const double e[] = {-1, -3, -2, -1, -1, -5, -INFINITY, -INFINITY, -INFINITY, -2, -2, -2, 0, -INFINITY, -1};
    const int32_t path[] = {B, A, A, N, B}, labels[] = {A, A, A, N, A};
    double best[5];
    sp_scores scores = {e, SP_F64, 3, 5, NULL};
    sp_strategy_result s = {.n_undecoded = 0};
    sp_comparison c = {.n_recordings = 1, .n_strategies = 1, .strategies = &s};
    sp_strategy_sums sums = {.has_impossible = false};
    sp_evaluation evaluation = {.result = &c, .sums = &sums, .scratch.best = best};
    const sp_recording r = {.n_steps = 5, .labels = labels};
    const int32_t *const paths[] = {path};
    const sp_views views = {.paths = paths, .scores = &scores};
    sp_add_regret(&evaluation, &r, &views);
    assert_true(best[0] == -1 && best[2] == -INFINITY && best[4] == 0);
    assert_true(s.has_regret);
    sp_regret_finish(&s, &sums.regret_sum);
    assert_int_equal(s.regret_steps, 2); /* step 2 and 4 chose what has no probability, step 3 chose nothing */
    assert_int_equal(s.zero_steps, 2);
    assert_value(s.regret, (2 + 0) / 2.);
    assert_int_equal(c.tie_steps, 2); /* of two classes at step 1, of three at step 3 */
    assert_int_equal(c.tie_scored_steps, 1);
}

/* The second recording, of which nothing is right, is left out. */
static void test_edit_score_of_some(void **state)
{
    (void)state;
    const int64_t offsets[] = {0, 4, 8};
    const int32_t labels[] = {A, A, B, C, A, A, A, A}, paths[] = {A, B, B, B, B, B, B, B};
    const uint8_t use[] = {1, 0};
    sp_labelled_paths p = {.n_classes = 3, .n_recordings = 2, .offsets = offsets, .labels = labels, .paths = paths, .use = use};
    sp_value out;
    sp_error err;
    assert_ok(sp_edit_score(&p, &out, &err), &err);
    assert_value(out, 1 - 1. / 3);
    p.use = NULL;
    assert_ok(sp_edit_score(&p, &out, &err), &err);
    assert_value(out, (1 - 1. / 3 + 0) / 2);
}

/* Recordings of two subjects; nothing of the second recording is scored. */
static void test_units(void **state)
{
    (void)state;
    int64_t scored[] = {5, 0, 7, 2};
    int32_t subject[] = {0, 1, 0, 1};
    const double values[] = {0.25, NAN, 0.75, 0.5};
    double out[4];
    sp_comparison c = {.n_recordings = 4, .n_subjects = 2, .subject_of = subject, .scored_steps = scored};
    sp_units units;
    sp_error err;
    assert_ok(sp_units_open(&c, false, &units, &err), &err);
    assert_int_equal(units.n, 2);
    assert_int_equal(units.of_recording[1], 1);
    assert_ok(sp_units_mean(&units, values, out, &err), &err);
    assert_true(out[0] == 0.5 && out[1] == 0.5);
    sp_units_free(&units);
    scored[3] = 0; /* nothing of the second subject */
    assert_ok(sp_units_open(&c, true, &units, &err), &err);
    assert_int_equal(units.n, 1);
    assert_true(units.of_recording[0] == 0 && units.of_recording[1] == -1 && units.of_recording[3] == -1);
    sp_units_free(&units);
    c.subject_of = NULL; /* each recording is its own */
    c.n_subjects = 0;
    assert_ok(sp_units_open(&c, false, &units, &err), &err);
    assert_int_equal(units.n, 4);
    assert_ok(sp_units_mean(&units, values, out, &err), &err);
    assert_true(out[0] == 0.25 && isnan(out[1]) && out[2] == 0.75);
    sp_units_free(&units);
}

/* Steps on the diagonal under names name_of[column]. */
static int64_t hits_under(const int64_t *confusion, const int32_t *name_of, int32_t K)
{
    int64_t sum = 0;
    for (int32_t j = 0; j < K; j++)
        sum += confusion[name_of[j] * K + j];
    return sum;
}

/* The best of all ways to name columns first .. K-1 with the names that are left in name_of[]. */
static int64_t best_hits(const int64_t *confusion, int32_t *name_of, int32_t first, int32_t K)
{
    int64_t best = first == K ? hits_under(confusion, name_of, K) : 0;
    for (int32_t j = first; j < K; j++) {
        int32_t name = name_of[first];
        name_of[first] = name_of[j];
        name_of[j] = name;
        int64_t hits = best_hits(confusion, name_of, first + 1, K);
        best = hits > best ? hits : best;
        name_of[j] = name_of[first];
        name_of[first] = name;
    }
    return best;
}

static void test_best_names(void **state)
{
    (void)state;
    uint32_t seed = 5;
    for (int trial = 0; trial < 500; trial++) {
        int32_t K = 1 + trial % 6, name_of[6], order[6], seen = 0;
        int64_t confusion[36];
        for (int32_t i = 0; i < K * K; i++) {
            seed = seed * 1664525u + 1013904223u;
            confusion[i] = (seed >> 16) % (trial % 3 ? 50 : 4); /* with ties too */
        }
        sp_error err;
        assert_ok(sp_label_permutation_best(K, confusion, name_of, &err), &err);
        for (int32_t j = 0; j < K; j++) {
            order[j] = j;
            seen |= 1 << name_of[j];
        }
        assert_int_equal(seen, (1 << K) - 1);
        assert_int_equal(hits_under(confusion, name_of, K), best_hits(confusion, order, 0, K));
    }
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
        cmocka_unit_test(test_regret_and_ties),
        cmocka_unit_test(test_edit_score_of_some),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_best_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
