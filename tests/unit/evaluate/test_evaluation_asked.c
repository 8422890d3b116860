/* What an evaluation counts only when it is asked for, and errors that go on: on the small example. */
#include "check.h"
#include "evaluated.h"
#include "example_paths.h"
#include "statepath/model_json.h"

/* Of n3, which greedy did not decode, one step is A and two are C. */
static void test_collapsed_undecoded(void **state)
{
    (void)state;
    char groups[] = "ends=A,C; middle=B", *collapse[] = {groups, NULL};
    sp_run_options options = sp_run_options_default();
    options.collapse = collapse;
    sp_comparison *c = example_evaluated(&options);
    assert_int_equal(c->n_collapsed, 1);
    assert_int_equal(c->collapsed[0].strategies[1].undecoded, 3);
    assert_int_equal(c->collapsed[0].strategies[1].scored, c->n_scored_steps);
    assert_int_equal(c->collapsed[0].confusion[2 * 4 + 2],
                     3); /* greedy's undecoded steps of the first group */
    sp_comparison_free(c);
}

static void test_rates_per_hour(void **state)
{
    (void)state;
    sp_run_options options = sp_run_options_default();
    sp_comparison *c = example_evaluated(&options);
    assert_undefined(c->reference_frequencies.changes_per_hour, "the length of a step is not known");
    sp_comparison_free(c);
    options.epoch_seconds = 90; /* 40 an hour */
    c = example_evaluated(&options);
    const sp_strategy_result *s = &c->strategies[0];
    double n = (double)s->counts.transitions;
    assert_true(s->counts.illegal > 0 && s->counts.changes > s->counts.illegal);
    assert_value(s->frequencies.changes_per_hour, 40 * (double)s->counts.changes / n);
    assert_value(s->frequencies.illegal_per_hour, 40 * (double)s->counts.illegal / n);
    assert_value(s->frequencies.illegal_per_transition, (double)s->counts.illegal / n);
    sp_comparison_free(c);
}

/* Argmax is right throughout; the strategy takes B for A at steps 1 to 4. A gap between 2 and 3 makes two errors of it, both two
 * steps long, and the first is told as the longest. */
static void test_errors_end_at_gaps(void **state)
{
    (void)state;
    static const int64_t begin_and_end[] = {0, 6}, gap[] = {0, 0, 0, 1, 1, 1}, none[] = {0, 0, 0, 0, 0, 0};
    static const int32_t right[] = {A, A, A, A, A, A}, wrong[] = {A, B, B, B, B, A};
    static const char *const names[] = {"argmax", "greedy"};
    static const int32_t *const two[] = {right, wrong};
    static const sp_decoded fine[] = {{.status = SP_OK, .step = -1, .score = -1}};
    static const sp_decoded *const both[] = {fine, fine};
    for (int has_gap = 0; has_gap < 2; has_gap++) {
        const sp_arrays arrays = {.info = {.n_recordings = 1, .offsets = begin_and_end},
                                  .labels = right,
                                  .segments = has_gap ? gap : none};
        sp_model *model = example_model();
        sp_comparison *c = evaluated(model, &arrays, &(sp_array_paths){2, names, two, both}, NULL);
        const sp_error_runs *runs = &c->strategies[1].error_runs;
        assert_int_equal(runs->worsened, 4);
        assert_int_equal(runs->runs->count, 1 + has_gap);
        assert_int_equal(runs->longest, has_gap ? 2 : 4);
        assert_int_equal(runs->longest_step, 1);
        assert_int_equal(runs->consequences, 4 - (1 + has_gap));
        sp_comparison_free(c);
        sp_model_free(model);
    }
}

/* Two recordings of p, two of q, of which nothing is scored in the first; the path is right where argmax is wrong
 * in 1 of 4 and 3 of 4 steps of p, and in 2 of 4 of q. */
static void test_subjects(void **state)
{
    (void)state;
    static const int64_t offsets[] = {0, 4, 8, 12, 16};
    static const int32_t labels[] = {A, A, A, A, N, N, N, N, A, A, A, A, A, A, A, A};
    static const int32_t path[] = {A, A, A, A, A, B, A, B, A, A, A, A, A, A, A, A};
    static const int32_t argmax[] = {A, A, A, B, A, C, A, C, B, B, B, A, B, B, A, A};
    static const char *const subjects[] = {"p", "q", "p", "q"}, *const names[] = {"argmax", "greedy"};
    for (int n_scored = 16; n_scored >= 12; n_scored -= 4) {
        int32_t said[16];
        memcpy(said, labels, sizeof said);
        for (int t = n_scored; t < 16; t++)
            said[t] = N; /* nothing of q */
        const sp_arrays arrays = {
            .info = {.n_recordings = 4, .offsets = offsets}, .labels = said, .subjects = subjects};
        sp_model *model = example_model();
        sp_comparison *c = evaluated(
            model, &arrays, &(sp_array_paths){2, names, (const int32_t *const[]){argmax, path}, NULL}, NULL);
        const bool has_q = n_scored == 16;
        assert_int_equal(c->n_subjects, 2);
        assert_int_equal(c->comparisons[0].difference.n, 1 + has_q);
        assert_value(c->comparisons[0].mean, 0.5); /* of both: (1/4 + 3/4) / 2, and 2/4 */
        assert_int_equal(c->comparisons[0].test.better, 1 + has_q);
        /* Of rates of illegal transitions all recordings count, also those without a label. */
        assert_string_equal(c->comparisons[3].metric, "illegal_rate");
        assert_int_equal(c->comparisons[3].difference.n, 2);
        assert_value(c->comparisons[3].mean, -2. / 3 / 2 / 2);
        sp_comparison_free(c);
        sp_model_free(model);
    }
}

/* What decoded scores say of each step, in parts of 255, any constant taken out. */
static void test_density_of_traces(void **state)
{
    (void)state;
    static const double row[] = {0.5, 0.25, 0}; /* any multiple: a softmax takes it out */
    double scores[13][3];
    for (int t = 0; t < 13; t++)
        for (int k = 0; k < 3; k++)
            scores[t][k] = t == 7 ? -INFINITY : log(row[k]);
    sp_arrays arrays = {.info = {.file = "memory",
                                 .kind = SP_KIND_SCORES,
                                 .dtype = SP_F64,
                                 .n_recordings = 3,
                                 .n_classes = 3,
                                 .offsets = example_offsets,
                                 .ids = example_ids},
                        .scores = scores,
                        .labels = example_labels};
    const sp_recordings recordings = sp_recordings_of_arrays(&arrays);
    sp_run_options options = sp_run_options_default();
    sp_model *model = example_model();
    sp_comparison *c = NULL;
    sp_error err;
    char *text = NULL;
    assert_ok(sp_model_to_json(model, &text, &err), &err);
    options.trace_steps = 13;
    options.model_text = text;
    options.strategies = "argmax,viterbi";
    assert_ok(sp_compare(&recordings, &options, &c, NULL, &err), &err);
    const uint8_t sure[] = {170, 85, 0}, none[] = {0, 0, 0};
    assert_memory_equal(c->traces[0].density, sure, 3);
    assert_memory_equal(c->traces[1].density, sure, 3);
    assert_memory_equal(c->traces[1].density + 3, none, 3); /* step 7 of all is step 1 of the second */
    assert_string_equal(c->strategies[1].illegal_rate.low.undefined, "0 by construction");
    sp_comparison_free(c);
    free(text);
    sp_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_collapsed_undecoded), cmocka_unit_test(test_rates_per_hour),
        cmocka_unit_test(test_errors_end_at_gaps),  cmocka_unit_test(test_subjects),
        cmocka_unit_test(test_density_of_traces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
