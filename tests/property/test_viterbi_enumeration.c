/* Viterbi and the path score against all class paths of small random models, and against the textbook on larger ones. */
#include "check.h"
#include "oracle.h"
#include "random_model.h"
#include "statepath/decode.h"

/* One shape a kind of model. Whole-number scores make equal sums exact: there the ties are tested, and there are many. */
static const random_shape shapes[] = {
    /* classes, steps, states a class, dwell; up to so many */
    {4, 6, 1, 1, TIES, WEIGHTS, GAPS, 0.3}, {4, 6, 1, 1, NO, WEIGHTS, GAPS, 0.3},
    {2, 7, 1, 4, TIES, WEIGHTS, GAPS, 0.2}, {3, 6, 1, 3, TIES, NO, GAPS, 0.2},
    {3, 6, 3, 1, TIES, WEIGHTS, GAPS, 0.2}, {3, 6, 3, 3, TIES, WEIGHTS, GAPS, 0.1},
    {3, 6, 2, 2, NO, WEIGHTS, GAPS, 0.1},
};
enum { N_SHAPES = sizeof shapes / sizeof *shapes, CASES = 3000 };

/* One recording through sp_viterbi(): the expected path and score, or status, and nothing written on failure. */
static void check_viterbi(const random_case *c, const dense_model *m, sp_scratch *scratch,
                          const oracle_best *best)
{
    int32_t path[ORACLE_STEPS];
    double score = 77;
    sp_error err;
    memset(path, 0x55, sizeof path);
    sp_status status = sp_viterbi(c->chain, &c->scores, scratch, path, &score, &err);
    if (best->has_path) {
        assert_ok(status, &err);
        assert_true(score == best->score);
        assert_same_path(c->seed, "viterbi", 0, path, best->path, c->scores.n_steps);
        double again;
        assert_ok(sp_path_score(c->chain, &c->scores, path, &again, &err), &err);
        assert_true(again == score);
        return;
    }
    assert_int_equal(status, SP_ENOPATH);
    assert_int_equal(err.step, oracle_first_unreachable(m, &c->scores));
    assert_true(score == 77 && path[0] == 0x55555555);
}

static void test_every_small_model(void **state)
{
    (void)state;
    sp_scratch *scratch = sp_scratch_new();
    int n_paths = 0, n_none = 0;
    for (uint64_t seed = 0; seed < N_SHAPES * CASES; seed++) {
        random_case c = random_case_new(seed, &shapes[seed % N_SHAPES]);
        dense_model *m = dense_model_new(c.model, c.class_of_column);
        if (c.scores.n_steps > 0) {
            oracle_best best = oracle_enumerate_best(m, &c.scores);
            check_viterbi(&c, m, scratch, &best);
            n_paths += best.has_path;
            n_none += !best.has_path;
        } else {
            double score = 77;
            sp_error err;
            assert_ok(sp_viterbi(c.chain, &c.scores, scratch, NULL, &score, &err), &err);
            assert_true(score == 0);
        }
        dense_model_free(m);
        random_case_free(&c);
    }
    sp_scratch_free(scratch);
    assert_true(n_paths > CASES && n_none > CASES / 2); /* the cases are about something */
}

/* sp_path_score() of each class path of a model: the enumeration's number, and with one state per class the rules' own. */
typedef struct score_check {
    const random_case *c;
    const dense_model *m;
    int n_legal;
} score_check;

static void check_score(void *arg, const int32_t *path, double expected, int64_t n_broken,
                        double relaxed_score)
{
    score_check *s = arg;
    double score;
    sp_error err;
    assert_ok(sp_path_score(s->c->chain, &s->c->scores, path, &score, &err), &err);
    if (score != expected)
        fail_msg("seed %llu: path score %.17g, expected %.17g", (unsigned long long)s->c->seed, score,
                 expected);
    assert_true(oracle_path_score(s->m, &s->c->scores, path) == expected);
    if (!s->c->model->states)
        assert_true(oracle_rules_score(s->c->model, s->c->class_of_column, &s->c->scores, path) == expected);
    assert_int_equal(expected > -INFINITY, n_broken == 0); /* strict and relaxed speak of the same rules */
    if (n_broken == 0)
        assert_true(relaxed_score == expected);
    s->n_legal += expected > -INFINITY;
}

static void test_path_scores(void **state)
{
    (void)state;
    int n_legal = 0;
    for (uint64_t seed = 0; seed < N_SHAPES * 200; seed++) {
        random_shape shape = shapes[seed % N_SHAPES];
        shape.max_steps = 5;
        random_case c = random_case_new(seed + 1000000, &shape);
        dense_model *m = dense_model_new(c.model, c.class_of_column);
        score_check s = {&c, m, 0};
        if (c.scores.n_steps > 0)
            oracle_enumerate(m, &c.scores, check_score, &s);
        n_legal += s.n_legal;
        dense_model_free(m);
        random_case_free(&c);
    }
    assert_true(n_legal > 1000);
}

/* Longer recordings and more states than can be enumerated; still every tie. */
static void test_against_the_textbook(void **state)
{
    (void)state;
    static const random_shape large[] = {
        {.max_classes = 20,
         .max_steps = 60,
         .max_states_per_class = 1,
         .max_dwell = 1,
         .has_ties = true,
         .has_weights = true,
         .has_gaps = true,
         .impossible = 0.05},
        {.max_classes = 8,
         .max_steps = 60,
         .max_states_per_class = 3,
         .max_dwell = 1,
         .has_ties = true,
         .has_weights = true,
         .has_gaps = true,
         .impossible = 0.02},
        {.max_classes = 5,
         .max_steps = 60,
         .max_states_per_class = 2,
         .max_dwell = 5,
         .has_ties = true,
         .has_gaps = true,
         .impossible = 0.02},
        {.max_classes = 5,
         .max_steps = 60,
         .max_states_per_class = 2,
         .max_dwell = 5,
         .has_weights = true,
         .impossible = 0.02},
    };
    sp_scratch *scratch = sp_scratch_new();
    int n_paths = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        random_case c = random_case_new(seed, &large[seed % 4]);
        dense_model *m = dense_model_new(c.model, c.class_of_column);
        int32_t path[60], expected[60];
        double score, expected_score;
        sp_error err;
        bool has_path = oracle_viterbi(m, &c.scores, expected, &expected_score);
        sp_status status = sp_viterbi(c.chain, &c.scores, scratch, path, &score, &err);
        assert_int_equal(status, has_path ? SP_OK : SP_ENOPATH);
        if (has_path) {
            assert_true(score == expected_score);
            assert_same_path(seed, "viterbi", 0, path, expected, c.scores.n_steps);
            n_paths++;
        }
        dense_model_free(m);
        random_case_free(&c);
    }
    sp_scratch_free(scratch);
    assert_true(n_paths > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_small_model),
        cmocka_unit_test(test_path_scores),
        cmocka_unit_test(test_against_the_textbook),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
