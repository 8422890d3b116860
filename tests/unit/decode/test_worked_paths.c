/* Paths whose answer is known: greedy in any length, and rules that meet durations and gaps. */
#include "check.h"
#include "decode_one.h"
#include "random_model.h"

/* With one state per class each choice is plain previous-prediction masking, score by score, in any length.
 * */
static void test_is_previous_prediction_masking(void **state)
{
    (void)state;
    enum { T = 2000, K = 6 };
    const char *names[K] = {"a", "b", "c", "d", "e", "f"};
    random_source random = {5};
    uint8_t allow[K * K];
    for (int i = 0; i < K * K; i++)
        allow[i] = i % (K + 1) == 0 || random_chance(&random, 0.4);
    sp_error err;
    sp_model *model = sp_model_new("ring", K, names);
    assert_ok(sp_model_set_matrix(model, allow, NULL, &err), &err);
    sp_chain *chain = NULL;
    assert_ok(sp_chain_new(model, NULL, &chain, &err), &err);
    double *e = malloc(T * K * sizeof *e);
    for (int i = 0; i < T * K; i++)
        e[i] = 1e-9 * random_unit(&random) - 1e6; /* a running sum would swallow these differences */
    sp_scores scores = {e, SP_F64, K, T, NULL, NULL, NULL};
    sp_scratch *scratch = sp_scratch_new();
    int32_t *path = malloc(T * sizeof *path);
    assert_ok(decode_greedy(chain, &scores, scratch, path, NULL, &err), &err);
    for (int t = 0; t < T; t++) {
        int best = -1;
        for (int k = 0; k < K; k++)
            if ((t == 0 || allow[path[t - 1] * K + k]) && (best < 0 || e[t * K + k] > e[t * K + best]))
                best = k;
        assert_int_equal(path[t], best);
    }
    free(path);
    free(e);
    sp_scratch_free(scratch);
    sp_chain_free(chain);
    sp_model_free(model);
}

/* Two classes, each of which may follow each; of the first a run of up to 9 steps where has_duration. */
static sp_chain *two_classes(const char *rule, double cost, bool has_duration)
{
    const char *const names[] = {"a", "b"};
    const uint8_t all[] = {1, 1, 1, 1};
    sp_model *model = sp_model_new("two", 2, names);
    sp_chain *chain;
    sp_error err;
    assert_ok(sp_model_set_matrix(model, all, NULL, &err), &err);
    assert_ok(sp_model_add_rule(model, NULL, rule, cost, false, &err), &err);
    model->durations = calloc(2, sizeof *model->durations);
    assert_non_null(model->durations);
    if (has_duration)
        model->durations[0] = (sp_duration){.form = SP_DURATION_RANGE, .max = {9, false}};
    assert_ok(sp_chain_new(model, NULL, &chain, &err), &err);
    sp_model_free(model);
    return chain;
}

/* A rule is about each step of a class, also where a duration says how long it stays. */
static void test_staying_under_a_rule(void **state)
{
    (void)state;
    enum { T = 4 };
    const double data[T * 2] = {1, 0, 1, 0, 1, 0, 1, 0};
    const sp_scores scores = {data, SP_F64, 2, T, NULL, NULL, NULL};
    const struct {
        const char *rule;
        double cost, score;
        int32_t path[T];
    } cases[] = {{"at_most 1 a", INFINITY, 1, {0, 1, 1, 1}},
                 {"never a a", INFINITY, 2, {0, 1, 0, 1}},
                 {"never a", .25, 3, {0, 0, 0, 0}},
                 {"never a a", .25, 3.25, {0, 0, 0, 0}},
                 {"at_most 2 a", .75, 2.5, {0, 0, 0, 0}}};
    sp_scratch *scratch = sp_scratch_new();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sp_chain *chain = two_classes(cases[i].rule, cases[i].cost, true);
        int32_t path[T];
        double score, own;
        sp_error err;
        assert_ok(sp_viterbi(chain, &scores, scratch, path, &score, &err), &err);
        assert_ok(sp_path_score(chain, &scores, cases[i].path, &own, &err), &err);
        assert_close(score, cases[i].score, 1e-12, 0);
        assert_close(own, cases[i].score, 1e-12, 0);
        sp_chain_free(chain);
    }
    sp_scratch_free(scratch);
}

/* Across a gap a rule remembers that a class was for the first step alone: forbids it, or takes its price. */
static void test_score_across_a_gap(void **state)
{
    (void)state;
    const double data[4] = {0, 0, 0, 0}, costs[] = {INFINITY, .75};
    const int64_t segments[2] = {0, 1};
    const sp_scores scores = {data, SP_F64, 2, 2, segments, NULL, NULL};
    for (int i = 0; i < 2; i++) {
        sp_chain *chain = two_classes("b? a*", costs[i], false);
        for (int32_t first = 0; first < 2; first++)
            for (int32_t last = 0; last < 2; last++) {
                const int32_t path[2] = {first, last};
                double score;
                sp_error err;
                assert_ok(sp_path_score(chain, &scores, path, &score, &err), &err);
                assert_true(score == (last == 0 ? 0 : -costs[i]));
            }
        sp_chain_free(chain);
    }
}

/* Runs of exactly two steps, also at the ends: from every second step on the rules leave a way to the end.
 * Greedy counts the steps that remain,
 * however many. */
static void test_greedy_counts_what_remains(void **state)
{
    (void)state;
    enum { T = 100 };
    static double data[2 * T];
    const char *const names[] = {"a", "b"};
    sp_model *model = sp_model_new("pairs", 2, names);
    sp_scratch *scratch = sp_scratch_new();
    const sp_scores scores = {data, SP_F64, 2, T, NULL, NULL, NULL};
    int32_t path[T];
    double score;
    sp_chain *chain;
    sp_error err;
    assert_ok(sp_model_set_matrix(model, (const uint8_t[]){0, 1, 1, 0}, NULL, &err), &err);
    model->durations = calloc(2, sizeof *model->durations);
    model->whole_at_start = model->whole_at_end = true;
    for (int k = 0; k < 2; k++)
        model->durations[k] = (sp_duration){.form = SP_DURATION_RANGE, .min = {2, false}, .max = {2, false}};
    assert_ok(sp_chain_new(model, NULL, &chain, &err), &err);
    assert_ok(decode_greedy(chain, &scores, scratch, path, &score, &err), &err);
    for (int t = 0; t < T; t++)
        assert_int_equal(path[t], t / 2 % 2);
    assert_true(score == 0);
    sp_chain_free(chain);
    sp_model_free(model);
    sp_scratch_free(scratch);
}

/* Of classes that nothing tells apart posterior takes the lowest, whatever rounding makes of their marginals. */
static void test_rounding_decides_nothing(void **state)
{
    (void)state;
    enum { ALIKE = 5, K = ALIKE + 1, T = 200 };
    const char *names[K] = {"a", "b", "c", "d", "e", "other"};
    sp_scratch *scratch = sp_scratch_new();
    for (uint64_t seed = 0; seed < 20; seed++) {
        random_source random = {seed + 60};
        double weight[K * K], e[T * K], own[4];
        uint8_t all[K * K];
        int32_t path[T];
        sp_error err;
        sp_chain *chain;
        for (int i = 0; i < 4; i++)
            own[i] = -3 * random_unit(&random);
        for (int i = 0; i < K; i++)
            for (int j = 0; j < K; j++) {
                all[i * K + j] = 1;
                weight[i * K + j] = i == j ? own[0] : j == ALIKE ? own[1] : i == ALIKE ? own[2] : own[3];
            }
        for (int t = 0; t < T; t++) {
            const double alike = -2 * random_unit(&random);
            for (int k = 0; k < K; k++)
                e[t * K + k] = k < ALIKE ? alike : -2 * random_unit(&random);
        }
        sp_model *model = sp_model_new("alike", K, names);
        assert_ok(sp_model_set_matrix(model, all, weight, &err), &err);
        assert_ok(sp_chain_new(model, NULL, &chain, &err), &err);
        const sp_scores scores = {e, SP_F64, K, T, NULL, NULL, NULL};
        assert_ok(decode_posterior(chain, &scores, scratch, path, NULL, &err), &err);
        for (int t = 0; t < T; t++)
            assert_true(path[t] == 0 || path[t] == ALIKE);
        sp_chain_free(chain);
        sp_model_free(model);
    }
    sp_scratch_free(scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_is_previous_prediction_masking),
        cmocka_unit_test(test_greedy_counts_what_remains),
        cmocka_unit_test(test_staying_under_a_rule),
        cmocka_unit_test(test_score_across_a_gap),
        cmocka_unit_test(test_rounding_decides_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
