/* Evaluations at their bounds: what is refused, nothing at all, rules that nothing fits, too many runs, too many
 * recordings, and no memory. */
#include "check.h"
#include "evaluated.h"
#include "example_paths.h"
#include "failing_alloc.h"
#include "statepath/model_json.h"

/* ---- what is refused ---- */

typedef struct asked {
    const sp_model *model;
    char *text; /* of the model */
    const sp_run_options *options;
    const int32_t *labels, *greedy;
    bool is_odd; /* the reader says a class that is none, at step 7 of all */
} asked;

static sp_status read_odd(void *arg, const sp_part *part, unsigned parts, sp_block *block, sp_error *err)
{
    const sp_recordings *right = arg;
    const sp_status status = right->read(right->arg, part, parts, block, err);
    if (status == SP_OK && block->labels)
        block->labels[7] = 3;
    return status;
}

/* The small example; all recordings are of one subject: nothing is drawn, and many runs are soon done. */
static sp_status evaluate(const asked *what, sp_comparison **out, sp_error *err)
{
    static const char *const names[] = {"argmax", "greedy", "viterbi"}, *const subjects[] = {"p", "p", "p"};
    static const sp_decoded *const results[] = {example_argmax_results, example_greedy_results,
                                                example_greedy_results};
    sp_arrays all = {.info = {.file = "memory",
                              .kind = SP_KIND_SCORES,
                              .dtype = SP_F64,
                              .n_recordings = 3,
                              .n_classes = what->model->n_classes,
                              .offsets = example_offsets,
                              .ids = example_ids},
                     .labels = what->labels,
                     .segments = example_segments,
                     .subjects = subjects};
    sp_recordings right = sp_recordings_of_arrays(&all), recordings = right;
    if (what->is_odd) {
        recordings.read = read_odd;
        recordings.arg = &right;
    }
    const int32_t *const paths[] = {example_argmax, what->greedy, what->greedy};
    const sp_array_paths three = {3, names, paths, results};
    sp_run_options o = *what->options;
    o.model_text = what->text;
    return sp_evaluate(&recordings, &three, &o, out, NULL, err);
}

static void test_refusals(void **state)
{
    (void)state;
    sp_error err;
    sp_model *model = example_model();
    sp_run_options options = sp_run_options_default();
    int32_t wrong[13];
    asked what = {model, NULL, &options, wrong, example_greedy, false};
    sp_comparison *c = NULL;
    assert_ok(sp_model_to_json(model, &what.text, &err), &err);
    memcpy(wrong, example_labels, sizeof wrong);
    wrong[7] = 3;
    assert_int_equal(evaluate(&what, &c, &err), SP_EDATA);
    assert_string_equal(err.message, "label 3 at step 7 of all: it is a class from 0 to 2, or -1");
    what.labels = example_labels;
    what.is_odd = true;
    assert_int_equal(evaluate(&what, &c, &err), SP_EDATA);
    assert_int_equal(err.step, 1);
    assert_string_equal(
        err.message,
        "recording n2, step 1: the label is 3, but the 3 classes are 0 to 2, and -1 stands for none");
    what.is_odd = false;
    what.greedy = wrong;
    assert_int_equal(evaluate(&what, &c, &err), SP_EDATA);
    assert_string_equal(err.message,
                        "greedy: class 3 at step 7 of all: it is from 0 to 2, or -1 where undecoded");
    what.greedy = example_greedy;
    options.level = 95;
    assert_int_equal(evaluate(&what, &c, &err), SP_EINVAL);
    assert_null(c);
    sp_comparison_free(NULL);
    free(what.text);
    sp_model_free(model);
}

/* ---- little, and much ---- */

/* One strategy, decoded throughout; greedy without argmax is compared with nothing. */
static sp_comparison *one_path(sp_model *model, int64_t n, const int64_t *offsets, const int32_t *labels,
                               const int32_t *path)
{
    static const char *const names[] = {"greedy"};
    const sp_arrays arrays = {.info = {.n_recordings = n, .offsets = offsets}, .labels = labels};
    sp_comparison *c =
        evaluated(model, &arrays, &(sp_array_paths){1, names, (const int32_t *const[]){path}, NULL}, NULL);
    sp_model_free(model);
    return c;
}

/* Nothing at all, empty recordings, and recordings without a scored step. */
static void test_empty(void **state)
{
    (void)state;
    for (int64_t n_recordings = 0; n_recordings < 3; n_recordings++) {
        static const int64_t places[] = {0, 0, 2};
        static const int32_t none[] = {N, N}, path[] = {A, B};
        static const char *const names[] = {"argmax", "greedy"};
        const sp_arrays arrays = {.info = {.n_recordings = n_recordings, .offsets = places}, .labels = none};
        sp_model *model = example_model();
        sp_run_options options = sp_run_options_default();
        options.trace_steps = 2;
        sp_comparison *c =
            evaluated(model, &arrays, &(sp_array_paths){2, names, (const int32_t *const[]){path, path}, NULL},
                      &options);
        assert_int_equal(c->n_recordings, n_recordings);
        assert_undefined(c->mask_ceiling, "no scored steps");
        assert_undefined(c->strategies[1].agreement.kappa, "no scored steps");
        assert_undefined(c->strategies[1].edit_score, "no scored steps");
        assert_undefined(c->strategies[1].boundaries.recall[0], "no changes");
        assert_undefined(c->comparisons[0].difference.difference, "no scored steps");
        assert_undefined(c->comparisons[0].test.p, "no recordings");
        assert_undefined(c->comparisons[0].p_holm, "no recordings");
        sp_comparison_free(c);
        sp_model_free(model);
    }
}

/* Rules that no path of three steps fits: the ceiling counts 0 there and says so. */
static void test_infeasible_ceiling(void **state)
{
    (void)state;
    static const uint8_t forward[9] = {0, 1, 0, 0, 0, 0, 0, 0, 0}; /* A B, and no further */
    static const int64_t places[] = {0, 3, 5};
    static const int32_t reference[] = {A, B, B, B, B};
    sp_error err;
    sp_model *model = example_model();
    assert_ok(sp_model_set_matrix(model, forward, NULL, &err), &err);
    sp_comparison *c = one_path(model, 2, places, reference, reference);
    assert_value(c->mask_ceiling, 1. / 5); /* A B against B B */
    assert_int_equal(c->ceiling_infeasible, 1);
    assert_int_equal(c->forbidden_count, 8);
    sp_comparison_free(c);
}

/* Runs beyond what an edit distance may cost: the recording takes no part in the score, and is counted. */
static void test_too_many_runs(void **state)
{
    (void)state;
    enum { T = 70000 };
    static int32_t reference[2 * T], path[2 * T];
    static const int64_t places[] = {0, T, T + 6};
    for (int t = 0; t < 2 * T; t++) {
        reference[t] = t % 2;
        path[t] = t < T ? 2 - t % 2 : t % 2;
    }
    path[T + 1] = A;
    for (int64_t n_recordings = 1; n_recordings <= 2; n_recordings++) {
        sp_comparison *c = one_path(example_model(), n_recordings, places, reference, path);
        const sp_strategy_result *s = &c->strategies[0];
        assert_int_equal(s->edit_score_too_long, 1);
        assert_int_equal(s->edit_score_n, n_recordings - 1);
        if (n_recordings == 1)
            assert_undefined(s->edit_score, "recordings of too many runs");
        else /* A B A B A B against A (B become A, so one run) B A B: two fewer */
            assert_value(s->edit_score, 1 - 2. / 6);
        sp_comparison_free(c);
    }
}

/* Pairs of many classes and lengths of long runs are counted as those of few and short ones are. */
static void test_many_classes(void **state)
{
    (void)state;
    enum { K = 80, LONG = 60 };
    static char text[K][12];
    static int32_t path[K * (K - 1) / 2 * LONG];
    const char *letters[K];
    int64_t places[] = {0, 0};
    for (int k = 0; k < K; k++) {
        letters[k] = text[k];
        snprintf(text[k], sizeof text[k], "%d", k);
        for (int i = 0; i < k * LONG; i++) /* class k in one run of 60 k steps */
            path[places[1]++] = k;
    }
    sp_comparison *c = one_path(model_of_all(K, letters), 1, places, path, path);
    for (int k = 1; k < K; k++) {
        const sp_class_runs *runs = &c->strategies[0].class_runs[k];
        assert_int_equal(runs->n_lengths, 1);
        assert_int_equal(runs->lengths[0].length, k * LONG);
        assert_int_equal(c->strategies[0].transition_counts[k * K + k], k * LONG - 1);
        assert_int_equal(c->strategies[0].transition_counts[(k - 1) * K + k], k > 1 ? 1 : 0);
    }
    sp_comparison_free(c);
}

/* More counts than are kept: the other metrics are left out with the reason, accuracy stays. */
static void test_other_metrics_left_out(void **state)
{
    (void)state;
    enum { MANY = 71000 };
    static int32_t steps[3 * MANY];
    static int64_t where[MANY + 1];
    static const char *const names[] = {"argmax", "greedy"}, *const letters[] = {"a", "b", "c"};
    for (int64_t i = 0; i < 3 * MANY; i++)
        steps[i] = (int32_t)(i % 3); /* 15 counts a recording */
    for (int64_t n = 0; n <= MANY; n++)
        where[n] = 3 * n;
    const sp_arrays arrays = {.info = {.n_recordings = MANY, .offsets = where}, .labels = steps};
    sp_model *model = model_of_all(3, letters);
    sp_comparison *c = evaluated(
        model, &arrays, &(sp_array_paths){2, names, (const int32_t *const[]){steps, steps}, NULL}, NULL);
    assert_int_equal(c->n_comparisons, 1);
    assert_string_equal(c->comparisons[0].metric, "accuracy");
    assert_string_equal(c->other_metrics_left_out,
                        "too many recordings and classes for intervals of kappa and macro F1");
    sp_comparison_free(c);
    sp_model_free(model);
}

/* ---- memory ---- */

static sp_status attempt(void *arg)
{
    sp_comparison *c = NULL;
    sp_error err;
    const sp_status status = evaluate(arg, &c, &err);
    assert_true((status == SP_OK) == (c != NULL));
    sp_comparison_free(c);
    return status;
}

static void test_memory(void **state)
{
    (void)state;
    static const char *const tags[] = {"O", "B-x", "I-x", "B-y", "I-y"}, *const stages[] = {
                                                                             "Wake", "N1", "N2", "N3", "REM"};
    char words[] = "Deep=N2,N3", *collapse[] = {words, NULL};
    for (int is_sleep = 0; is_sleep < 2; is_sleep++) {
        sp_run_options options = sp_run_options_default();
        options.decode.threads = 1;
        options.trace_steps = 13;
        options.weighted_kappa = "linear";
        if (is_sleep) {
            options.preset = "sleep";
            options.epoch_seconds = 30;
            options.wake_trim = 0;
            options.collapse = collapse;
        }
        sp_error err;
        sp_model *model = model_of_all(5, is_sleep ? stages : tags);
        asked what = {model, NULL, &options, example_labels, example_greedy, false};
        assert_ok(sp_model_to_json(model, &what.text, &err), &err);
        assert_true(assert_each_alloc_may_fail(attempt, &what) > 400);
        free(what.text);
        sp_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_infeasible_ceiling),
        cmocka_unit_test(test_too_many_runs),
        cmocka_unit_test(test_many_classes),
        cmocka_unit_test(test_other_metrics_left_out),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
