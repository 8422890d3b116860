/* Greedy against its definition, carried out with sets of state paths. */
#include "check.h"
#include "decode_one.h"
#include "oracle.h"
#include "random_model.h"
#include "statepath/model.h"

static const random_shape shapes[] = {
    /* classes, steps, states a class, dwell; up to so many */
    {4, 8, 1, 1, TIES, WEIGHTS, GAPS, 0.2}, {4, 8, 1, 1, NO, WEIGHTS, GAPS, 0.2},
    {4, 8, 1, 3, TIES, WEIGHTS, GAPS, 0.1}, {3, 6, 3, 1, TIES, WEIGHTS, GAPS, 0.1},
    {3, 6, 2, 2, TIES, WEIGHTS, GAPS, 0.1},
};
enum { N_SHAPES = sizeof shapes / sizeof *shapes, CASES = 3000 };

typedef struct tally {
    int decoded, dead_ends, no_path;
} tally;

static void check_decoded(const random_case *c, const dense_model *m, const int32_t *path, double score,
                          const int32_t *expected)
{
    assert_same_path(c->seed, "greedy", 0, path, expected, c->scores.n_steps);
    assert_true(score > -INFINITY);
    assert_true(score == oracle_path_score(m, &c->scores, path));
}

static void check_case(const random_case *c, sp_scratch *scratch, tally *n)
{
    dense_model *m = dense_model_new(c->model, c->class_of_column);
    int32_t path[ORACLE_STEPS], expected[ORACLE_STEPS];
    double score = 77;
    sp_error err;
    memset(path, 0x55, sizeof path);
    int64_t stuck = oracle_greedy(m, &c->scores, expected),
            unreachable = oracle_first_unreachable(m, &c->scores);
    sp_status status = decode_greedy(c->chain, &c->scores, scratch, path, &score, &err);
    if (stuck < 0) {
        assert_ok(status, &err);
        check_decoded(c, m, path, score, expected);
        n->decoded++;
    } else {
        assert_int_equal(status, unreachable < 0 ? SP_EDEADEND : SP_ENOPATH);
        assert_int_equal(err.step, unreachable < 0 ? stuck : unreachable);
        assert_true(score == 77 && path[0] == 0x55555555);
        n->dead_ends += unreachable < 0;
        n->no_path += unreachable >= 0;
    }
    dense_model_free(m);
}

static void test_step_by_step(void **state)
{
    (void)state;
    sp_scratch *scratch = sp_scratch_new();
    tally n = {0};
    for (uint64_t seed = 0; seed < N_SHAPES * CASES; seed++) {
        random_case c = random_case_new(seed, &shapes[seed % N_SHAPES]);
        check_case(&c, scratch, &n);
        random_case_free(&c);
    }
    sp_scratch_free(scratch);
    assert_true(n.decoded > CASES && n.dead_ends > CASES / 5 && n.no_path > CASES / 5);
}

/* With one state per class each choice is plain previous-prediction masking, score by score, in any length. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_step_by_step),
        cmocka_unit_test(test_is_previous_prediction_masking),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
