/* Relaxed decoding, worked by hand: what breaks a rule, at which step it is marked, and what a run weighs
 * that a broken rule ends. */
#include "check.h"
#include "decode_one.h"

static const sp_strategy viterbi = {SP_VITERBI, 0}, argmax = {SP_ARGMAX, 0};

/* Worked by hand: a cut dwell is one broken rule, flagged where the dwell was cut; impossible classes, start
 * and end count one
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
    assert_ok(decode_one_relaxed(viterbi, chain, &scores, path, &n_broken, broken, &err), &err);
    assert_int_equal(n_broken, 1);
    assert_memory_equal(path, ((int32_t[]){0, 1, 1, 0}), sizeof path);
    assert_memory_equal(broken, ((uint8_t[]){0, 0, 0, 1}), sizeof broken);
    const int64_t segments[4] = {0, 0, 0, 1};
    scores.segments = segments;
    assert_ok(decode_one_relaxed(viterbi, chain, &scores, path, &n_broken, broken, &err), &err);
    assert_int_equal(n_broken, 0);
    sp_chain_free(chain);
    sp_model_free(model);

    /* Starts in a only, ends in b only, never changes: one change, or a wrong start, or a wrong end. The
     * score decides. */
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
        assert_ok(decode_one_relaxed(viterbi, chain, &scores, path, &n_broken, broken, &err), &err);
        assert_int_equal(n_broken, ends[i].n_broken);
        assert_memory_equal(path, ends[i].path, sizeof path);
        assert_memory_equal(broken, ends[i].broken, sizeof broken);
        assert_ok(decode_one_relaxed(viterbi, chain, &scores, path, NULL, NULL, &err), &err);
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
    assert_ok(decode_one_relaxed(argmax, chain, &scores, path, &n_broken, broken, &err), &err);
    assert_int_equal(n_broken, 1);
    assert_memory_equal(path, ((int32_t[]){1, 0, 2}), sizeof path);
    assert_memory_equal(broken, ((uint8_t[]){0, 1, 0}), sizeof broken);
    assert_ok(decode_one_relaxed(argmax, chain, &scores, path, NULL, NULL, &err), &err);
    sp_scratch_free(scratch);
    sp_chain_free(chain);
    sp_model_free(model);
}

/* Neither a nor b may end a recording, and c, which may, is never possible. So each path breaks a rule at the
 * end at least, and what the last run
 * of a weighs decides, as beside a gap where runs are whole: log of 1/2 for one step, of 1/8 for two. */
static void test_run_that_a_broken_end_cuts(void **state)
{
    (void)state;
    const char *names[3] = {"a", "b", "c"};
    const uint8_t allow[9] = {1, 1, 0, 1, 1, 0, 0, 0, 1};
    const double no = -INFINITY, e[9] = {no, 0, no, 0, -1.5, no, 0, no, no};
    const sp_scores scores = {e, SP_F64, 3, 3, NULL, NULL, NULL};
    int32_t path[3];
    int64_t n_broken;
    sp_error err;
    sp_chain *chain;
    sp_model *model = sp_model_new("runs", 3, names);
    assert_ok(sp_model_set_matrix(model, allow, NULL, &err), &err);
    model->end = calloc(3, sizeof *model->end);
    model->durations = calloc(3, sizeof *model->durations);
    model->end[0] = model->end[1] = no;
    model->durations[0] =
        (sp_duration){.form = SP_DURATION_PMF, .n_pmf = 2, .pmf = malloc(2 * sizeof(double))};
    model->durations[0].pmf[0] = 0.5;
    model->durations[0].pmf[1] = 0.125;
    model->whole_at_end = true;
    assert_ok(sp_chain_new(model, NULL, &chain, &err), &err);
    assert_ok(decode_one_relaxed(viterbi, chain, &scores, path, &n_broken, NULL, &err), &err);
    assert_int_equal(n_broken, 1);
    assert_memory_equal(path, ((int32_t[]){1, 0, 0}), sizeof path); /* log 1/8 is above log 1/2 - 1.5 */
    sp_chain_free(chain);
    sp_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_worked_cases),
        cmocka_unit_test(test_argmax_relaxed),
        cmocka_unit_test(test_run_that_a_broken_end_cuts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
