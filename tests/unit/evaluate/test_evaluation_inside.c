/* An evaluation from the inside: what it refuses, what it makes of nothing, of chains that nothing fits, of too many runs and of
 * too many recordings; lack of memory; what runs give it (scores of traces, texts, who is legal); and figures worked out on paper:
 * regret of given paths, units of inference, the best names of columns, sequences by themselves. */
#include "check.h"
#include "evaluated.h"
#include "example_paths.h"
#include "failing_alloc.h"
#include "random_model.h"

/* Runs give no bad blocks, seconds or resamples of one's own, and show units and names only where they matter; learning alone asks
 * for figures of sequences. */
#include "evaluate/counts/units.h"
#include "evaluate/evaluate.h"
#include "evaluate/evaluation.h"
#include "evaluate/figures.h"
#include "statepath/comparison.h"

/* ---- the problem of example_paths.h, evaluated as one block ---- */

static sp_chain *example_chain(void)
{
    sp_error err;
    sp_model *model = example_model();
    sp_chain_options options = sp_chain_options_default();
    options.is_boolean = true;
    sp_chain *chain = NULL;
    assert_ok(sp_chain_new(model, &options, &chain, &err), &err);
    sp_model_free(model);
    return chain;
}

static const char *const example_names[] = {"argmax", "greedy"};
static const bool example_is_legal[] = {false, true};
static const int32_t *const example_paths[] = {example_argmax, example_greedy};
static const sp_decoded *const example_results[] = {example_argmax_results, example_greedy_results};
static const double example_seconds[] = {0.25, 0.5};

static sp_evaluation_block example_block(void)
{
    return (sp_evaluation_block){.n_recordings = 3,
                                 .offsets = example_offsets,
                                 .ids = example_ids,
                                 .labels = example_labels,
                                 .segments = example_segments,
                                 .paths = example_paths,
                                 .results = example_results,
                                 .seconds = example_seconds};
}

static sp_evaluation_options example_options(void)
{
    sp_evaluation_options options = sp_evaluation_options_default();
    options.has_labels = true;
    options.n_strategies = 2;
    options.names = example_names;
    options.is_legal = example_is_legal;
    options.trace_steps = 13;
    options.bootstrap.n_resamples = 500;
    return options;
}

static sp_comparison *example_comparison(const sp_evaluation_options *options)
{
    sp_error err;
    sp_chain *chain = example_chain();
    sp_evaluation *evaluation = NULL;
    const sp_evaluation_block block = example_block();
    assert_ok(sp_evaluation_new(chain, chain, options, &evaluation, &err), &err);
    assert_ok(sp_evaluation_add(evaluation, &block, NULL, &err), &err);
    sp_comparison *comparison = NULL;
    assert_ok(sp_evaluation_finish(evaluation, &comparison, &err), &err);
    sp_evaluation_free(evaluation);
    sp_chain_free(chain);
    return comparison;
}

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
    assert_string_equal(
        err.message,
        "recording n2, step 1: the label is 3, but the 3 classes are 0 to 2, and -1 stands for none");
    wrong[7] = -2;
    const int32_t *const wrong_paths[] = {example_argmax, wrong};
    block = example_block();
    block.ids = NULL;
    block.paths = wrong_paths;
    assert_int_equal(sp_evaluation_add(e, &block, NULL, &err), SP_EDATA);
    assert_string_equal(
        err.message,
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
        const sp_decoded fine[] = {{.status = SP_OK, .step = -1, .score = 0},
                                   {.status = SP_OK, .step = -1, .score = -1}};
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
    const sp_decoded fine[] = {{.status = SP_OK, .step = -1, .score = 0},
                               {.status = SP_OK, .step = -1, .score = 0}};
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
    const sp_decoded fine[] = {{.status = SP_OK, .step = -1, .score = 0},
                               {.status = SP_OK, .step = -1, .score = 0}};
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
            assert_value(s->edit_score,
                         1 - 2. / 6); /* A B A B A B against A (B become A, so one run) B A B: two fewer */
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
    static const int32_t subject[] = {0, 1, 0}, stages[] = {SP_STAGE_WAKE, SP_STAGE_N1, SP_STAGE_REM},
                         group_of[] = {0, 1, 1};
    static const int32_t *const three_paths[] = {example_argmax, example_greedy, example_greedy};
    static const sp_decoded *const three_results[] = {example_argmax_results, example_greedy_results,
                                                      example_greedy_results};
    sp_collapse collapse = {.n_classes = 3,
                            .n_groups = 2,
                            .name = (char *)"x / y",
                            .groups = (char **)groups,
                            .group_of_class = (int32_t *)group_of};
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

/* More counts than are kept: the other metrics are left out with the reason, accuracy and illegal rates stay. */
static void test_other_metrics_left_out(void **state)
{
    (void)state;
    enum { MANY = 71000 };
    int32_t *steps = malloc(3 * MANY * sizeof *steps);
    int64_t *where = malloc((MANY + 1) * sizeof *where);
    sp_decoded *decoded = calloc(MANY, sizeof *decoded);
    for (int64_t i = 0; i < 3 * MANY; i++)
        steps[i] = (int32_t)(i % 3); /* 15 counts a recording */
    for (int64_t n = 0; n <= MANY; n++)
        where[n] = 3 * n;
    const int32_t *const two_paths[] = {steps, steps};
    const sp_decoded *const two_results[] = {decoded, decoded};
    sp_evaluation_block block = {
        .n_recordings = MANY, .offsets = where, .labels = steps, .paths = two_paths, .results = two_results};
    sp_evaluation_options options = example_options();
    options.bootstrap.n_resamples = 10;
    options.with_ceiling = false;
    options.trace_steps = 0;
    sp_error err;
    sp_chain *chain = example_chain();
    sp_evaluation *evaluation = NULL;
    sp_comparison *c = NULL;
    assert_ok(sp_evaluation_new(chain, chain, &options, &evaluation, &err), &err);
    assert_ok(sp_evaluation_add(evaluation, &block, NULL, &err), &err);
    assert_ok(sp_evaluation_finish(evaluation, &c, &err), &err);
    assert_int_equal(c->n_comparisons, 1);
    assert_string_equal(c->other_metrics_left_out,
                        "too many recordings and classes for intervals of kappa and macro F1");
    sp_comparison_free(c);
    sp_evaluation_free(evaluation);
    sp_chain_free(chain);
    free(steps);
    free(where);
    free(decoded);
}

static void test_density_of_traces(void **state)
{
    (void)state;
    enum { S = 13 };
    double scores[S][3];
    for (int t = 0; t < S; t++) {
        scores[t][0] = t == 7 ? -INFINITY : log(0.5); /* any constant: a softmax takes it out */
        scores[t][1] = t == 7 ? -INFINITY : log(0.25);
        scores[t][2] = -INFINITY;
    }
    sp_scores view = {.data = scores, .dtype = SP_F64, .n_classes = 3, .n_steps = S};
    sp_error err;
    sp_chain *chain = example_chain();
    sp_evaluation *evaluation = NULL;
    sp_evaluation_options options = example_options();
    sp_evaluation_block block = example_block();
    block.scores = &view;
    assert_ok(sp_evaluation_new(chain, chain, &options, &evaluation, &err), &err);
    assert_ok(sp_evaluation_add(evaluation, &block, NULL, &err), &err);
    sp_comparison *c = NULL;
    assert_ok(sp_evaluation_finish(evaluation, &c, &err), &err);
    const uint8_t sure[] = {170, 85, 0}, none[] = {0, 0, 0};
    assert_memory_equal(c->traces[0].density, sure, 3);
    assert_memory_equal(c->traces[1].density, sure, 3);
    assert_memory_equal(c->traces[1].density + 3, none,
                        3); /* step 7 of the block is step 1 of the second recording */
    sp_comparison_free(c);
    sp_evaluation_free(evaluation);
    sp_chain_free(chain);
}

static void test_describe(void **state)
{
    (void)state;
    sp_error err;
    sp_evaluation_options options = example_options();
    sp_comparison *c = example_comparison(&options);
    sp_model *model = example_model();
    const char *const columns[] = {"c", "a", "b"};
    const int32_t class_of_column[] = {2, 0, 1};
    sp_comparison_texts texts = {.file = "/some/where/night.h5",
                                 .file_size = 123,
                                 .command = "statepath compare night.h5",
                                 .input_classes = columns,
                                 .model = model,
                                 .class_of_column = class_of_column};
    for (int twice = 0; twice < 2; twice++)
        assert_ok(sp_comparison_describe(c, &texts, &err), &err);
    assert_string_equal(c->file, "night.h5");
    assert_int_equal(c->file_size, 123);
    assert_string_equal(c->classes[0], "C");
    assert_string_equal(c->input_classes[0], "c");
    assert_string_equal(c->model_name, "abc");
    assert_null(c->model_description);
    texts.input_classes = NULL;
    texts.file = "plain.h5";
    assert_ok(sp_comparison_describe(c, &texts, &err), &err);
    assert_string_equal(c->input_classes[0], "C");
    assert_string_equal(c->file, "plain.h5");
    sp_model_free(model);
    const char *const two[] = {"x", "y"};
    model = sp_model_new("two", 2, two);
    texts.model = model;
    assert_int_equal(sp_comparison_describe(c, &texts, &err), SP_EINVAL);
    assert_string_equal(c->file, "plain.h5");
    sp_model_free(model);
    sp_comparison_free(c);
}

/* Greedy is legal by construction: its illegal rate is not compared. */
static void test_legal_by_construction(void **state)
{
    (void)state;
    sp_evaluation_options options = example_options();
    sp_comparison *c = example_comparison(&options);
    assert_true(c->strategies[1].is_legal_by_construction);
    assert_int_equal(c->n_comparisons, 3);
    assert_value(c->strategies[1].illegal_rate.difference, 0);
    assert_string_equal(c->strategies[1].illegal_rate.low.undefined, "0 by construction");
    sp_comparison_free(c);
}

static void test_traces_of_some(void **state)
{
    (void)state;
    sp_evaluation_options options = example_options();
    options.trace_steps = 12; /* not all: none */
    sp_comparison *c = example_comparison(&options);
    assert_int_equal(c->n_traces, 0);
    assert_null(c->traces);
    sp_comparison_free(c);
}

static void test_seconds(void **state)
{
    (void)state;
    sp_evaluation_options options = example_options();
    sp_comparison *c = example_comparison(&options);
    assert_close(c->strategies[1].seconds, 0.5, 0, 0);
    assert_int_equal(c->comparisons[0].difference.n_resamples, 500);
    assert_null(c->file);
    assert_string_equal(sp_context_name(SP_CONTEXT_XAX), "XAX");
    sp_comparison_free(c);
}

/* ---- figures ---- */

static void test_regret_and_ties(void **state)
{
    (void)state;
    const double e[] = {-1,        -3, -2, -1, -1, -5,        -INFINITY, -INFINITY,
                        -INFINITY, -2, -2, -2, 0,  -INFINITY, -1};
    const int32_t path[] = {B, A, A, N, B}, labels[] = {A, A, A, N, A};
    double best[5], row[3];
    sp_scores scores = {e, SP_F64, 3, 5, NULL, NULL, NULL};
    sp_strategy_result s = {.n_undecoded = 0};
    sp_comparison c = {.n_recordings = 1, .n_strategies = 1, .strategies = &s};
    sp_strategy_sums sums = {.has_impossible = false};
    sp_evaluation evaluation = {.result = &c, .sums = &sums, .scratch = {.best = best, .row = row}};
    const sp_recording r = {.n_steps = 5, .labels = labels};
    const int32_t *const paths[] = {path};
    const sp_views views = {.paths = paths, .scores = &scores};
    sp_add_regret(&evaluation, &r, &views);
    assert_true(best[0] == -1 && best[2] == -INFINITY && best[4] == 0);
    assert_true(s.has_regret);
    sp_regret_finish(&s, &sums.regret_sum);
    assert_int_equal(s.regret_steps,
                     2); /* step 2 and 4 chose what has no probability, step 3 chose nothing */
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
    sp_labelled_paths p = {
        .n_classes = 3, .n_recordings = 2, .offsets = offsets, .labels = labels, .paths = paths, .use = use};
    double out[2];
    sp_error err;
    assert_ok(sp_edit_scores(&p, out, &err), &err);
    assert_close(out[0], 1 - 1. / 3, 1e-15, 0);
    assert_true(isnan(out[1]));
    p.use = NULL;
    assert_ok(sp_edit_scores(&p, out, &err), &err);
    assert_close(out[1], 0, 1e-15, 0);
}

/* A A B C, decoded A B B B: overlaps of 1/2 and 1/3. */
static void test_segments_of_one(void **state)
{
    (void)state;
    const int64_t offsets[] = {0, 1, 5}, segments[] = {0, 0, 0, 1, 1};
    const int32_t labels[] = {C, A, A, B, C}, paths[] = {C, A, B, B, B};
    const uint8_t background[] = {0, 1, 0};
    sp_labelled_paths p = {
        .n_classes = 3, .n_recordings = 2, .offsets = offsets, .labels = labels, .paths = paths};
    sp_segment_counts c;
    sp_error err;
    assert_ok(sp_segments_count(&p, 1, NULL, &c, &err), &err);
    assert_true(c.reference == 3 && c.decoded == 2 && c.matched[0] == 2 && c.matched[1] == 2 &&
                c.matched[2] == 1);
    assert_close(c.edit, 1 - 1. / 3, 1e-15, 0);
    assert_ok(sp_segments_count(&p, 1, background, &c, &err), &err);
    assert_true(c.reference == 2 && c.decoded == 1 && c.matched[0] == 1 && c.matched[2] == 1);
    assert_close(c.edit, 1. / 2, 1e-15, 0);
    p.segments = segments; /* cuts B from A and B from B */
    assert_ok(sp_segments_count(&p, 1, NULL, &c, &err), &err);
    assert_true(c.reference == 3 && c.decoded == 3 && c.matched[0] == 2 && c.matched[2] == 2);
    assert_close(c.edit, 1 - 1. / 3, 1e-15, 0);
}

static const char *const tags[] = {"O", "B-PER", "I-PER", "B-LOC", "I-LOC"}, *const no_tags[] = {
                                                                                 "a", "b", "c", "d", "e"};

/* Recordings are pooled, and those that take no part do not count. */
static void test_figures_of_many(void **state)
{
    (void)state;
    sp_error err;
    const int64_t offsets[] = {0, 4, 7, 9};
    const int32_t labels[] = {1, 2, 0, 3, /**/ 1, 2, 2, /**/ 3, 4},
                  paths[] = {1, 2, 0, 0, /**/ 1, 2, 0, /**/ 0, 3};
    const uint8_t use[] = {1, 1, 0};
    sp_labelled_paths view = {5, 3, offsets, NULL, labels, paths, NULL};
    sp_entity_counts e[3];
    double edit[3];
    assert_ok(sp_entities_count(&view, tags, e, &err), &err);
    assert_true(e[0].reference == 2 && e[0].decoded == 1 && e[0].correct == 1);
    assert_true(e[1].reference == 1 && e[1].decoded == 1 && e[1].correct == 0);
    assert_true(e[2].reference == 1 && e[2].decoded == 1 && e[2].correct == 0);
    assert_ok(sp_edit_scores(&view, edit, &err),
              &err); /* B I O B: 3 of 4; B I: 2 of 3; B I against O B: none of 2 */
    assert_close(edit[0], 3.0 / 4, 1e-15, 0);
    assert_close(edit[1], 2.0 / 3, 1e-15, 0);
    assert_close(edit[2], 0, 1e-15, 0);
    view.use = use;
    assert_ok(sp_entities_count(&view, tags, e, &err), &err);
    assert_true(e[0].correct == 1 && e[2].reference == 0 && e[2].decoded == 0);
    assert_ok(sp_edit_scores(&view, edit, &err), &err);
    assert_true(edit[1] > 0 && isnan(edit[2]));
}

/* The figures by themselves are those of an evaluation. */
static void test_figures_of_an_evaluation(void **state)
{
    (void)state;
    enum { MOST = 40 };
    random_source random = {17};
    for (int trial = 0; trial < 60; trial++) {
        const char *const *classes = trial % 6 ? tags : no_tags;
        const int64_t n = random_below(&random, MOST), offsets[] = {0, n};
        int32_t labels[MOST], path[MOST];
        int64_t segments[MOST], segment = 0;
        for (int64_t t = 0; t < n; t++) {
            labels[t] = random_chance(&random, 0.1) ? -1 : random_below(&random, 5);
            path[t] = random_chance(&random, 0.1)   ? -1
                      : random_chance(&random, 0.6) ? labels[t]
                                                    : random_below(&random, 5);
            segments[t] = segment += random_chance(&random, 0.1);
        }
        sp_model *model = model_of_all(5, classes);
        const sp_decoded fine = {.step = -1};
        const sp_arrays arrays = {
            .info = {.n_recordings = 1, .offsets = offsets}, .labels = labels, .segments = segments};
        const sp_array_paths paths = {1, (const char *const[]){"path"}, (const int32_t *const[]){path},
                                      (const sp_decoded *const[]){&fine}};
        sp_comparison *c = evaluated(model, &arrays, &paths, NULL);
        sp_labelled_paths view = {5, 1, offsets, segments, labels, path, NULL};
        sp_entity_counts e;
        double edit;
        sp_error err;
        assert_ok(sp_entities_count(&view, classes, &e, &err), &err);
        assert_ok(sp_edit_scores(&view, &edit, &err), &err);
        assert_int_equal(sp_classes_are_tags(5, classes), c->has_entities);
        const sp_value f1 = c->strategies[0].entities.pooled.f1;
        const double n_entities = (double)(e.reference + e.decoded);
        assert_true(c->has_entities || n_entities == 0);
        assert_true(n_entities == 0 || (!f1.undefined && f1.value == 2 * (double)e.correct / n_entities));
        assert_int_equal(isnan(edit), c->strategies[0].edit_score.undefined != NULL);
        assert_true(isnan(edit) || edit == c->strategies[0].edit_score.value);
        sp_comparison_free(c);
        sp_model_free(model);
    }
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
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_infeasible_ceiling),
        cmocka_unit_test(test_too_many_runs),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_other_metrics_left_out),
        cmocka_unit_test(test_density_of_traces),
        cmocka_unit_test(test_describe),
        cmocka_unit_test(test_legal_by_construction),
        cmocka_unit_test(test_traces_of_some),
        cmocka_unit_test(test_seconds),
        cmocka_unit_test(test_regret_and_ties),
        cmocka_unit_test(test_edit_score_of_some),
        cmocka_unit_test(test_segments_of_one),
        cmocka_unit_test(test_figures_of_many),
        cmocka_unit_test(test_figures_of_an_evaluation),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_best_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
