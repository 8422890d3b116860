/* What an evaluation refuses, what it makes of nothing, of chains that nothing fits and of too many runs, and lack of memory. */
#include "evaluation_example.h"
#include "failing_alloc.h"

/* ---- what is refused ---- */

static void test_refusals(void **state)
{
    (void)state;
    sp_error err;
    sp_chain *chain = example_chain();
    sp_evaluation *e = NULL;
    sp_evaluation_options options = example_options();
    assert_int_equal(sp_evaluation_new(chain, NULL, &options, &e, &err), SP_EINVAL);
    options.n_strategies = 65;
    assert_int_equal(sp_evaluation_new(chain, chain, &options, &e, &err), SP_EINVAL);
    options = example_options();
    options.bootstrap.level = 95;
    assert_int_equal(sp_evaluation_new(chain, chain, &options, &e, &err), SP_EINVAL);
    assert_null(e);

    options = example_options();
    assert_ok(sp_evaluation_new(chain, chain, &options, &e, &err), &err);
    sp_evaluation_block block = example_block();
    block.labels = NULL;
    assert_int_equal(sp_evaluation_add(e, &block, NULL, &err), SP_EINVAL);
    int32_t wrong[13];
    memcpy(wrong, example_labels, sizeof wrong);
    wrong[7] = 3;
    block.labels = wrong;
    assert_int_equal(sp_evaluation_add(e, &block, NULL, &err), SP_EDATA);
    assert_int_equal(err.step, 1);
    assert_string_equal(err.message,
                        "recording n2, step 1: the label is 3, but the 3 classes are 0 to 2, and -1 stands for none");
    wrong[7] = -2;
    const int32_t *const wrong_paths[] = {example_argmax, wrong};
    block = example_block();
    block.ids = NULL;
    block.paths = wrong_paths;
    assert_int_equal(sp_evaluation_add(e, &block, NULL, &err), SP_EDATA);
    assert_string_equal(err.message,
                        "recording 1, step 1: the class chosen by greedy is -2, but the 3 classes are 0 to 2, and -1 "
                        "stands for none");
    /* Refused blocks have left nothing behind. */
    block = example_block();
    assert_ok(sp_evaluation_add(e, &block, NULL, &err), &err);
    sp_comparison *c = NULL;
    assert_ok(sp_evaluation_finish(e, &c, &err), &err);
    assert_int_equal(c->n_recordings, 3);
    assert_int_equal(c->strategies[0].agreement.correct, 9);
    sp_comparison *again = NULL;
    assert_int_equal(sp_evaluation_finish(e, &again, &err), SP_EINVAL);
    assert_null(again);
    sp_comparison_free(c);
    sp_evaluation_free(e);
    sp_evaluation_free(NULL);
    sp_comparison_free(NULL);
    sp_chain_free(chain);
}

/* Nothing at all, empty recordings, and recordings without a scored step. */
static void test_empty(void **state)
{
    (void)state;
    sp_error err;
    sp_chain *chain = example_chain();
    for (int64_t n_recordings = 0; n_recordings < 3; n_recordings++) {
        const int64_t places[] = {0, 0, 2};
        const int32_t none[] = {N, N}, path[] = {A, B};
        const sp_decoded fine[] = {{.status = SP_OK, .step = -1, .score = 0}, {.status = SP_OK, .step = -1, .score = -1}};
        sp_evaluation *e = NULL;
        sp_comparison *c = NULL;
        sp_evaluation_options options = example_options();
        assert_ok(sp_evaluation_new(chain, chain, &options, &e, &err), &err);
        sp_evaluation_block block = {.n_recordings = n_recordings,
                                     .offsets = places,
                                     .labels = none,
                                     .paths = (const int32_t *const[]){path, path},
                                     .results = (const sp_decoded *const[]){fine, fine}};
        assert_ok(sp_evaluation_add(e, &block, NULL, &err), &err);
        assert_ok(sp_evaluation_finish(e, &c, &err), &err);
        assert_int_equal(c->n_recordings, n_recordings);
        if (n_recordings == 2)
            assert_string_equal(c->ids[1], "1");
        assert_undefined(c->mask_ceiling, "no scored steps");
        assert_undefined(c->strategies[1].agreement.kappa, "no scored steps");
        assert_undefined(c->strategies[1].edit_score, "no scored steps");
        assert_undefined(c->strategies[1].boundaries.recall[0], "no changes");
        assert_undefined(c->comparisons[0].difference.difference, "no scored steps");
        assert_undefined(c->comparisons[0].test.p, "no recordings");
        assert_undefined(c->comparisons[0].p_holm, "no recordings");
        sp_comparison_free(c);
        sp_evaluation_free(e);
    }
    sp_chain_free(chain);
}

/* A chain that no path of three steps fits: the ceiling counts 0 there and says so. */
static void test_infeasible_ceiling(void **state)
{
    (void)state;
    sp_error err;
    sp_model *model = example_model();
    static const uint8_t forward[9] = {0, 1, 0, 0, 0, 0, 0, 0, 0}; /* A B, and no further */
    assert_ok(sp_model_set_matrix(model, forward, NULL, &err), &err);
    sp_chain *chain = NULL;
    sp_chain_options chain_options = sp_chain_options_default();
    assert_ok(sp_chain_new(model, &chain_options, &chain, &err), &err);
    sp_model_free(model);
    const int64_t places[] = {0, 3, 5};
    const int32_t reference[] = {A, B, B, B, B};
    const sp_decoded fine[] = {{.status = SP_OK, .step = -1, .score = 0}, {.status = SP_OK, .step = -1, .score = 0}};
    sp_evaluation *e = NULL;
    sp_comparison *c = NULL;
    sp_evaluation_options options = example_options();
    options.n_strategies = 1;
    assert_ok(sp_evaluation_new(chain, chain, &options, &e, &err), &err);
    sp_evaluation_block block = {.n_recordings = 2,
                                 .offsets = places,
                                 .labels = reference,
                                 .paths = (const int32_t *const[]){reference},
                                 .results = (const sp_decoded *const[]){fine}};
    assert_ok(sp_evaluation_add(e, &block, NULL, &err), &err);
    assert_ok(sp_evaluation_finish(e, &c, &err), &err);
    assert_value(c->mask_ceiling, 1. / 5); /* A B against B B */
    assert_int_equal(c->ceiling_infeasible, 1);
    assert_int_equal(c->forbidden_count, 8);
    sp_comparison_free(c);
    sp_evaluation_free(e);
    sp_chain_free(chain);
}

/* Runs beyond what an edit distance may cost: the recording takes no part in the score, and is counted. */
static void test_too_many_runs(void **state)
{
    (void)state;
    enum { T = 70000 };
    sp_error err;
    sp_chain *chain = example_chain();
    int32_t *reference = malloc(2 * T * sizeof *reference), *path = malloc(2 * T * sizeof *path);
    assert_non_null(reference);
    assert_non_null(path);
    for (int t = 0; t < 2 * T; t++) {
        reference[t] = t % 2;
        path[t] = t < T ? 2 - t % 2 : t % 2;
    }
    path[T + 1] = A;
    const int64_t places[] = {0, T, T + 6};
    const sp_decoded fine[] = {{.status = SP_OK, .step = -1, .score = 0}, {.status = SP_OK, .step = -1, .score = 0}};
    for (int64_t n_recordings = 1; n_recordings <= 2; n_recordings++) {
        sp_evaluation *e = NULL;
        sp_comparison *c = NULL;
        sp_evaluation_options options = example_options();
        options.n_strategies = 1;
        options.with_ceiling = false;
        assert_ok(sp_evaluation_new(chain, NULL, &options, &e, &err), &err);
        sp_evaluation_block block = {.n_recordings = n_recordings,
                                     .offsets = places,
                                     .labels = reference,
                                     .paths = (const int32_t *const[]){path},
                                     .results = (const sp_decoded *const[]){fine}};
        assert_ok(sp_evaluation_add(e, &block, NULL, &err), &err);
        assert_ok(sp_evaluation_finish(e, &c, &err), &err);
        const sp_strategy_result *s = &c->strategies[0];
        assert_int_equal(s->edit_score_too_long, 1);
        assert_int_equal(s->edit_score_n, n_recordings - 1);
        if (n_recordings == 1)
            assert_undefined(s->edit_score, "recordings of too many runs");
        else
            assert_value(s->edit_score, 1 - 2. / 6); /* A B A B A B against A (B become A, so one run) B A B: two fewer */
        sp_comparison_free(c);
        sp_evaluation_free(e);
    }
    free(reference);
    free(path);
    sp_chain_free(chain);
}

/* ---- memory ---- */

static sp_status attempt(void *arg)
{
    sp_evaluation_options options = example_options();
    static const char *const tags[] = {"O", "B-x", "I-x"};
    options.classes = tags;
    options.bootstrap.n_resamples = 10;
    /* Everything that can be asked for, over three strategies. */
    static const char *const three[] = {"argmax", "greedy", "viterbi"}, *const subjects[] = {"p", "q"},
                             *const groups[] = {"x", "y"};
    static const bool legal[] = {false, true, true};
    static const int32_t subject[] = {0, 1, 0}, stages[] = {SP_STAGE_WAKE, SP_STAGE_N1, SP_STAGE_REM}, group_of[] = {0, 1, 1};
    static const int32_t *const three_paths[] = {example_argmax, example_greedy, example_greedy};
    static const sp_decoded *const three_results[] = {example_argmax_results, example_greedy_results, example_greedy_results};
    sp_collapse collapse = {
        .n_classes = 3, .n_groups = 2, .name = (char *)"x / y", .groups = (char **)groups, .group_of_class = (int32_t *)group_of};
    options.n_strategies = 3;
    options.names = three;
    options.is_legal = legal;
    options.n_subjects = 2;
    options.subjects = subjects;
    options.subjects_place = "here";
    options.stage_of_class = stages;
    options.epoch_seconds = 30;
    options.has_wake_trim = true;
    options.kappa_weights = SP_KAPPA_LINEAR;
    options.n_collapses = 1;
    options.collapses = &collapse;
    sp_evaluation *e = NULL;
    sp_comparison *c = NULL;
    sp_error err;
    sp_evaluation_block block = example_block();
    block.paths = three_paths;
    block.results = three_results;
    block.subject = subject;
    block.seconds = NULL;
    sp_status status = sp_evaluation_new(arg, arg, &options, &e, &err);
    if (status != SP_OK)
        assert_null(e);
    if (status == SP_OK)
        status = sp_evaluation_add(e, &block, NULL, &err);
    if (status == SP_OK)
        status = sp_evaluation_finish(e, &c, &err);
    if (status != SP_OK)
        assert_null(c);
    sp_comparison_free(c);
    sp_evaluation_free(e);
    return status;
}

static void test_memory(void **state)
{
    (void)state;
    sp_chain *chain = example_chain();
    assert_true(assert_each_alloc_may_fail(attempt, chain) > 40);
    sp_chain_free(chain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refusals),      cmocka_unit_test(test_empty),  cmocka_unit_test(test_infeasible_ceiling),
        cmocka_unit_test(test_too_many_runs), cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
