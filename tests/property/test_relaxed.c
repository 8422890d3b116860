/* Relaxed decoding: fewest broken rules first, best score second, against all class paths and against sets of state paths. */
#include "check.h"
#include "decode_one.h"
#include "oracle.h"
#include "random_model.h"
#include "statepath/decode.h"

static const random_shape shapes[] = {
    /* classes, steps, states a class, dwell; up to so many */
    {4, 6, 1, 1, TIES, WEIGHTS, GAPS, 0.6}, {4, 6, 1, 1, NO, WEIGHTS, GAPS, 0.6},
    {3, 6, 1, 4, TIES, WEIGHTS, GAPS, 0.5}, {3, 5, 2, 1, TIES, WEIGHTS, GAPS, 0.5},
    {3, 5, 2, 2, TIES, WEIGHTS, GAPS, 0.4},
};
enum { N_SHAPES = sizeof shapes / sizeof *shapes, CASES = 2000 };

typedef sp_status relaxed_decoder(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch,
                                  int32_t *path, int64_t *n_broken, uint8_t *broken, sp_error *err);

typedef sp_status strict_decoder(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch,
                                 int32_t *path, double *score, sp_error *err);

/* The expected path and count, flags that go with the count, and the strict decoder's path where it finds one. */
static void check_relaxed(const random_case *c, relaxed_decoder *relaxed, strict_decoder *strict,
                          const int32_t *expected, int64_t expected_broken)
{
    int64_t n_steps = c->scores.n_steps, n_broken = -1, n_flags = 0;
    int32_t path[ORACLE_STEPS], strict_path[ORACLE_STEPS];
    uint8_t broken[ORACLE_STEPS];
    sp_error err;
    sp_scratch *scratch = sp_scratch_new();
    assert_ok(relaxed(c->chain, &c->scores, scratch, path, &n_broken, broken, &err), &err);
    if (n_broken != expected_broken)
        fail_msg("seed %llu: %lld rules broken, expected %lld", (unsigned long long)c->seed,
                 (long long)n_broken, (long long)expected_broken);
    assert_same_path(c->seed, "relaxed", 0, path, expected, n_steps);
    for (int64_t t = 0; t < n_steps; t++) {
        if (sp_scores_at(&c->scores, t, path[t]) == -INFINITY)
            assert_int_equal(broken[t], 1);
        n_flags += broken[t];
    }
    assert_true(n_flags <= n_broken && 3 * n_flags >= n_broken && (n_flags > 0) == (n_broken > 0));
    sp_status status = strict(c->chain, &c->scores, scratch, strict_path, NULL, &err);
    assert_int_equal(status == SP_OK, n_broken == 0);
    if (status == SP_OK)
        assert_memory_equal(path, strict_path, (size_t)n_steps * sizeof *path);
    sp_scratch_free(scratch);
}

static void test_against_all_paths(void **state)
{
    (void)state;
    int n_broken = 0;
    for (uint64_t seed = 0; seed < N_SHAPES * CASES; seed++) {
        random_case c = random_case_new(seed, &shapes[seed % N_SHAPES]);
        dense_model *m = dense_model_new(c.model, c.class_of_column);
        if (c.scores.n_steps > 0) {
            oracle_best best = oracle_enumerate_best(m, &c.scores);
            check_relaxed(&c, decode_viterbi_relaxed, sp_viterbi, best.relaxed_path, best.n_broken);
            n_broken += best.n_broken > 0;
        }
        dense_model_free(m);
        random_case_free(&c);
    }
    assert_true(n_broken > CASES);
}

static void test_greedy_against_sets(void **state)
{
    (void)state;
    int n_broken = 0;
    for (uint64_t seed = 0; seed < N_SHAPES * CASES; seed++) {
        random_case c = random_case_new(seed, &shapes[seed % N_SHAPES]);
        dense_model *m = dense_model_new(c.model, c.class_of_column);
        int32_t expected[ORACLE_STEPS];
        int64_t expected_broken = oracle_greedy_relaxed(m, &c.scores, expected);
        check_relaxed(&c, decode_greedy_relaxed, decode_greedy, expected, expected_broken);
        n_broken += expected_broken > 0;
        dense_model_free(m);
        random_case_free(&c);
    }
    assert_true(n_broken > CASES);
}

/* Worked by hand: a cut dwell is one broken rule, flagged where the dwell was cut; impossible classes, start and end count one
 * each; nothing is broken across a gap. */
static void test_worked_cases(void **state)
{
    (void)state;
    const char *names[2] = {"a", "b"};
    const uint8_t all[4] = {1, 1, 1, 1}, only_stay[4] = {1, 0, 0, 1};
    const double inf = INFINITY;
    sp_error err;
    sp_scratch *scratch = sp_scratch_new();
    sp_chain *chain = NULL;
    int32_t path[4];
    int64_t n_broken;
    uint8_t broken[4];

    /* b must stay for 3 steps and is possible for 2 only. */
    sp_model *model = sp_model_new("dwell", 2, names);
    assert_ok(sp_model_set_matrix(model, all, NULL, &err), &err);
    model->min_dwell = calloc(2, sizeof *model->min_dwell);
    model->min_dwell[0] = 1;
    model->min_dwell[1] = 3;
    assert_ok(sp_chain_new(model, NULL, &chain, &err), &err);
    const double cut[8] = {0, -inf, -inf, 0, -inf, 0, 0, -inf};
    sp_scores scores = {cut, SP_F64, 2, 4, NULL, NULL, NULL};
    assert_ok(decode_viterbi_relaxed(chain, &scores, scratch, path, &n_broken, broken, &err), &err);
    assert_int_equal(n_broken, 1);
    assert_memory_equal(path, ((int32_t[]){0, 1, 1, 0}), sizeof path);
    assert_memory_equal(broken, ((uint8_t[]){0, 0, 0, 1}), sizeof broken);
    const int64_t segments[4] = {0, 0, 0, 1};
    scores.segments = segments;
    assert_ok(decode_viterbi_relaxed(chain, &scores, scratch, path, &n_broken, broken, &err), &err);
    assert_int_equal(n_broken, 0);
    sp_chain_free(chain);
    sp_model_free(model);

    /* Starts in a only, ends in b only, never changes: one change, or a wrong start, or a wrong end. The score decides. */
    model = sp_model_new("ends", 2, names);
    assert_ok(sp_model_set_matrix(model, only_stay, NULL, &err), &err);
    model->start = calloc(2, sizeof(double));
    model->end = calloc(2, sizeof(double));
    model->start[1] = model->end[0] = -inf;
    assert_ok(sp_chain_new(model, NULL, &chain, &err), &err);
    const double wrong_start[8] = {-1, 0, -1, 0, -1, 0, -1, 0}, wrong_end[8] = {0, -1, 0, -1, 0, -1, 0, -1},
                 change[8] = {0, -1, 0, -1, -1, 0, -1, 0},
                 nothing[8] = {-inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf};
    const struct {
        const double *e;
        int64_t n_broken;
        int32_t path[4];
        uint8_t broken[4];
    } ends[] = {
        {wrong_start, 1, {1, 1, 1, 1}, {1, 0, 0, 0}},
        {wrong_end, 1, {0, 0, 0, 0}, {0, 0, 0, 1}},
        {change, 1, {0, 0, 1, 1}, {0, 0, 1, 0}},
        {nothing, 5, {0, 0, 0, 0}, {1, 1, 1, 1}},
    };
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        scores = (sp_scores){ends[i].e, SP_F64, 2, 4, NULL, NULL, NULL};
        assert_ok(decode_viterbi_relaxed(chain, &scores, scratch, path, &n_broken, broken, &err), &err);
        assert_int_equal(n_broken, ends[i].n_broken);
        assert_memory_equal(path, ends[i].path, sizeof path);
        assert_memory_equal(broken, ends[i].broken, sizeof broken);
        assert_ok(decode_viterbi_relaxed(chain, &scores, scratch, path, NULL, NULL, &err), &err);
        assert_memory_equal(path, ends[i].path, sizeof path);
    }
    sp_chain_free(chain);
    sp_model_free(model);
    sp_scratch_free(scratch);
}

static void test_argmax_relaxed(void **state)
{
    (void)state;
    const char *names[3] = {"a", "b", "c"};
    const uint8_t allow[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    sp_error err;
    sp_chain *chain = NULL;
    sp_model *model = sp_model_new("stay", 3, names);
    assert_ok(sp_model_set_matrix(model, allow, NULL, &err), &err);
    assert_ok(sp_chain_new(model, NULL, &chain, &err), &err);
    sp_scratch *scratch = sp_scratch_new();
    const double e[9] = {-1, 0, 0, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -5, -4};
    sp_scores scores = {e, SP_F64, 3, 3, NULL, NULL, NULL};
    int32_t path[3] = {7, 7, 7};
    int64_t n_broken;
    uint8_t broken[3];
    assert_int_equal(decode_argmax(chain, &scores, scratch, path, NULL, &err), SP_ENOPATH);
    assert_int_equal(err.step, 1);
    assert_int_equal(path[0], 7);
    assert_ok(decode_argmax_relaxed(chain, &scores, scratch, path, &n_broken, broken, &err), &err);
    assert_int_equal(n_broken, 1);
    assert_memory_equal(path, ((int32_t[]){1, 0, 2}), sizeof path);
    assert_memory_equal(broken, ((uint8_t[]){0, 1, 0}), sizeof broken);
    assert_ok(decode_argmax_relaxed(chain, &scores, scratch, path, NULL, NULL, &err), &err);
    sp_scratch_free(scratch);
    sp_chain_free(chain);
    sp_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_all_paths),
        cmocka_unit_test(test_greedy_against_sets),
        cmocka_unit_test(test_worked_cases),
        cmocka_unit_test(test_argmax_relaxed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
