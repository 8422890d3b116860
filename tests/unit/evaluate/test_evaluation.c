/* An evaluation by hand: every field of a small comparison, with unscored steps, a gap, and a recording that was not decoded. */
#include "check.h"
#include "evaluated.h"
#include "example_paths.h"

/* With the steps of all. */
static sp_run_options example_options(void)
{
    sp_run_options options = sp_run_options_default();
    options.trace_steps = 13;
    return options;
}

static void test_input_and_rules(void **state)
{
    (void)state;
    sp_run_options options = example_options();
    sp_comparison *c = example_evaluated(&options);
    assert_int_equal(c->n_recordings, 3);
    assert_int_equal(c->n_steps, 13);
    assert_int_equal(c->n_scored_steps, 12);
    assert_true(c->has_labels);
    assert_string_equal(c->ids[1], "n2");
    assert_int_equal(c->steps[0], 6);
    assert_int_equal(c->scored_steps[0], 5);
    assert_int_equal(c->forbidden_count, 1);
    assert_int_equal(c->n_forbidden, 1);
    assert_int_equal(c->forbidden[0].from, A);
    assert_int_equal(c->forbidden[0].to, C);
    assert_int_equal(c->start_allowed[0], 1);
    assert_int_equal(c->start_allowed[2], 0);
    assert_int_equal(c->end_allowed[2], 1);
    assert_int_equal(c->min_dwell[1], 1);
    assert_int_equal(c->seed, 1);
    sp_comparison_free(c);
}

/* The matrix of all transitions holds those that are counted, and the changes stand off its diagonal. */
static void check_moves(int32_t K, const int64_t *transition_counts, const sp_transition_counts *counts)
{
    int64_t all = 0, changes = 0;
    assert_non_null(transition_counts);
    for (int32_t i = 0; i < K * K; i++) {
        all += transition_counts[i];
        changes += i / K != i % K ? transition_counts[i] : 0;
    }
    assert_int_equal(all, counts->transitions);
    assert_int_equal(changes, counts->changes);
}

static void test_reference(void **state)
{
    (void)state;
    sp_run_options options = example_options();
    sp_comparison *c = example_evaluated(&options);
    /* n1: AA AB BC; n2: AA | CC; n3: CA AC */
    assert_int_equal(c->reference.transitions, 7);
    assert_int_equal(c->reference.changes, 4);
    assert_int_equal(c->reference.illegal, 1);
    assert_int_equal(c->reference.illegal_start, 1);
    assert_int_equal(c->n_reference_illegal_pairs, 1);
    assert_int_equal(c->reference_illegal_pairs[0].from, A);
    assert_int_equal(c->reference_illegal_pairs[0].to, C);
    check_moves(c->n_classes, c->reference_transition_counts, &c->reference);
    assert_int_equal(c->reference_transition_counts[A * c->n_classes + C],
                     c->reference_illegal_pairs[0].count);
    for (int32_t s = 0; s < c->n_strategies; s++)
        check_moves(c->n_classes, c->strategies[s].transition_counts, &c->strategies[s].counts);
    /* n3 reads C A C: no path may start in C, and one that has the A right cannot go on to C. One of the three at best. */
    assert_value(c->mask_ceiling, 10. / 12);
    assert_int_equal(c->ceiling_infeasible, 0);
    sp_comparison_free(c);
}

static void test_strategies(void **state)
{
    (void)state;
    sp_run_options options = example_options();
    sp_comparison *c = example_evaluated(&options);
    const sp_strategy_result *a = &c->strategies[0], *g = &c->strategies[1];
    assert_string_equal(a->name, "argmax");
    assert_int_equal(a->agreement.correct, 9); /* wrong at n1 steps 1 and 5, n2 step 1 */
    assert_value(a->agreement.accuracy, 9. / 12);
    assert_int_equal(g->agreement.correct, 7); /* n1 step 3, n2 step 3, all of n3 */
    assert_int_equal(g->agreement.undecoded, 3);
    const int64_t confusion[9] = {3, 1, 1, 0, 1, 0, 1, 0, 5},
                  greedy_confusion[9] = {4, 0, 0, 0, 1, 0, 1, 1, 2};
    assert_memory_equal(a->confusion, confusion, sizeof confusion);
    assert_memory_equal(g->confusion, greedy_confusion, sizeof greedy_confusion);
    const int64_t undecoded[3] = {1, 0, 2};
    assert_memory_equal(g->undecoded_steps, undecoded, sizeof undecoded);
    /* Transitions of paths: unscored steps count, gaps do not. */
    assert_int_equal(a->counts.transitions, 5 + 2 + 2);
    assert_int_equal(a->counts.changes, 4 + 1 + 2); /* AC CB BC CC CA | AB . CC | CA AC */
    assert_int_equal(a->counts.illegal, 2);
    assert_int_equal(a->counts.illegal_start, 1);
    assert_int_equal(a->recordings_with_illegal, 2);
    assert_int_equal(a->n_illegal_pairs, 1);
    assert_int_equal(a->illegal_pairs[0].count, 2);
    assert_int_equal(g->counts.transitions, 5 + 2);
    assert_int_equal(g->counts.illegal, 0);
    assert_int_equal(g->n_illegal_pairs, 0);
    /* Scores: argmax has an impossible path; greedy sums what was decoded. */
    assert_true(a->has_path_score);
    assert_non_null(a->path_score.undefined);
    assert_value(g->path_score, -5.75);
    assert_int_equal(g->n_undecoded, 1);
    assert_int_equal(g->recordings[2].decoded.status, SP_EDEADEND);
    assert_int_equal(g->recordings[2].decoded.step, 1);
    sp_comparison_free(c);
}

/* A to C at n1, step 1, by argmax; at n3 argmax and the reference start in C and go from A to C. */
static void test_illegal_places(void **state)
{
    (void)state;
    sp_run_options options = example_options();
    sp_comparison *c = example_evaluated(&options);
    static const struct {
        int64_t recording, step;
        sp_illegal_said said[3]; /* argmax, greedy, reference */
    } expected[] = {{0, 1, {{A, C, true}, {A, A, false}, {A, A, false}}},
                    {2, 0, {{-1, C, true}, {-1, -1, false}, {-1, C, true}}},
                    {2, 2, {{A, C, true}, {-1, -1, false}, {A, C, true}}}};
    assert_int_equal(c->n_illegal_places, 3);
    assert_false(c->illegal_places_cut);
    for (int i = 0; i < 3; i++) {
        const sp_illegal_place *place = &c->illegal_places[i];
        assert_int_equal(place->recording, expected[i].recording);
        assert_int_equal(place->step, expected[i].step);
        for (int s = 0; s < 3; s++) {
            assert_int_equal(place->said[s].from, expected[i].said[s].from);
            assert_int_equal(place->said[s].to, expected[i].said[s].to);
            assert_int_equal(place->said[s].is_illegal, expected[i].said[s].is_illegal);
        }
    }
    sp_comparison_free(c);
}

static void test_recordings_and_means(void **state)
{
    (void)state;
    sp_run_options options = example_options();
    sp_comparison *c = example_evaluated(&options);
    const sp_recording_result *r = c->strategies[0].recordings;
    assert_int_equal(r[0].scored, 5);
    assert_int_equal(r[0].correct, 3);
    assert_value(r[0].accuracy, 0.6);
    assert_value(r[0].kappa, (0.6 - 9. / 25) / (1 - 9. / 25)); /* rows A2 B1 C2, columns A2 B1 C2: pe 9/25 */
    assert_int_equal(r[0].counts.illegal, 1);
    assert_value(r[2].kappa, 1);
    const sp_strategy_result *g = &c->strategies[1];
    assert_value(g->recordings[2].accuracy, 0);
    assert_value(g->recordings[2].kappa, 0);
    double x[3] = {0.8, 0.75, 0}, mean = (0.8 + 0.75) / 3, squares = 0;
    for (int i = 0; i < 3; i++)
        squares += (x[i] - mean) * (x[i] - mean);
    assert_value(g->mean_accuracy, mean);
    assert_value(g->sd_accuracy, sqrt(squares / 2));
    assert_int_equal(g->mean_accuracy_n, 3);
    sp_comparison_free(c);
}

static void test_changes_and_contexts(void **state)
{
    (void)state;
    sp_run_options options = example_options();
    sp_comparison *c = example_evaluated(&options);
    const sp_strategy_result *a = &c->strategies[0], *g = &c->strategies[1];
    assert_true(g->has_changes);
    assert_int_equal(a->changes.same, 12);
    assert_int_equal(g->changes.fixed, 3);    /* n1 steps 1 and 5, n2 step 1 */
    assert_int_equal(g->changes.worsened, 5); /* n1 step 3, n2 step 3, n3 */
    assert_int_equal(g->changes.wrong_to_wrong, 0);
    assert_int_equal(g->changes.same, 4);
    assert_int_equal(g->class_changes[A].fixed, 2);
    assert_int_equal(g->class_changes[C].worsened, 4);
    /* Contexts of scored steps. n1: A AAA, A AAX, B XAX, C XAA, ., C AAA; n2: all AAA; n3: C AAX, A XAX, C XAA */
    const int64_t steps[SP_N_CONTEXTS] = {6, 2, 2, 2};
    assert_memory_equal(a->context_steps, steps, sizeof steps);
    const int64_t correct[SP_N_CONTEXTS] = {4, 1, 2, 2};
    assert_memory_equal(a->context_correct, correct, sizeof correct);
    assert_int_equal(g->context_changes[SP_CONTEXT_AAX].fixed, 1);
    assert_int_equal(g->context_changes[SP_CONTEXT_XAA].worsened, 2);
    sp_comparison_free(c);
}

static void test_segments(void **state)
{
    (void)state;
    sp_run_options options = example_options();
    sp_comparison *c = example_evaluated(&options);
    /* Reference runs: AA B C . C | AA ; CC | C A C */
    assert_int_equal(c->reference_runs[A].count, 3);
    assert_int_equal(c->reference_runs[A].steps, 5);
    assert_value(c->reference_runs[A].mean, 5. / 3);
    assert_value(c->reference_runs[A].median, 2);
    assert_int_equal(c->reference_runs[C].count, 5);
    assert_value(c->reference_runs[C].median, 1);
    assert_int_equal(c->reference_runs[C].n_lengths, 2);
    assert_int_equal(c->reference_runs[C].lengths[0].count, 4);
    assert_int_equal(c->reference_runs[C].lengths[1].length, 2);
    assert_undefined(c->reference_runs[A].count_ratio, "no reference");
    /* Argmax inside scored stretches: A C B C . A | A B ; CC | C A C */
    const sp_strategy_result *a = &c->strategies[0], *g = &c->strategies[1];
    assert_int_equal(a->class_runs[A].count, 4);
    assert_value(a->class_runs[A].count_ratio, 4. / 3);
    assert_int_equal(a->class_runs[B].count, 2);
    /* Reference changes: A>B at 2, B>C at 3; C>A at 1, A>C at 2. Argmax has B>C at 3, C>A, A>C; greedy none in place, A>B at 2.
     */
    assert_int_equal(a->boundaries.reference, 4);
    assert_int_equal(a->boundaries.decoded, 3 + 1 + 2);
    assert_int_equal(a->boundaries.matched[0], 3);
    assert_int_equal(a->boundaries.matched[2], 3);
    assert_value(a->boundaries.recall[0], 0.75);
    assert_value(a->boundaries.precision[0], 0.5);
    assert_int_equal(g->boundaries.matched[0], 1);
    assert_int_equal(g->boundaries.matched[1], 1); /* its B>C lies on the unscored step */
    /* Edit: n1 ABCC : ACBCA -> 2 of 5; n2 AC : ABC -> 1 of 3; n3 0 of 3. */
    assert_value(a->edit_score, (1 - 2. / 5 + 1 - 1. / 3 + 1) / 3);
    assert_int_equal(a->edit_score_n, 3);
    /* n1 ABCC : ABC 1 of 4; n2 AC : ACA 1 of 3; n3 CAC : nothing. */
    assert_value(g->edit_score, (1 - 1. / 4 + 1 - 1. / 3 + 0) / 3);
    assert_int_equal(g->class_runs[C].count, 2);
    sp_comparison_free(c);
}

static void test_comparisons(void **state)
{
    (void)state;
    sp_run_options options = example_options();
    sp_comparison *c = example_evaluated(&options);
    assert_int_equal(c->n_comparisons,
                     4); /* accuracy, kappa, macro F1, illegal rate: nobody says that greedy has none */
    const sp_pair_comparison *p = &c->comparisons[0];
    assert_int_equal(p->a, 1);
    assert_int_equal(p->b, 0);
    assert_string_equal(p->metric, "accuracy");
    assert_value(p->difference.difference, -2. / 12);
    assert_int_equal(p->difference.n, 3);
    assert_int_equal(p->difference.n_resamples, 10000);
    assert_undefined(p->difference.low, "too few recordings differ");
    /* Differences 1/5, 0, -1: W- = 2, W+ = 1 of ranks 1, 2. */
    assert_int_equal(p->test.better, 1);
    assert_int_equal(p->test.worse, 1);
    assert_int_equal(p->test.ties, 1);
    assert_value(p->test.p, 1);
    assert_value(p->p_holm, 1);
    assert_value(p->mean, -0.8 / 3);
    assert_value(p->median, 0);
    assert_value(p->permutation.p, 1);
    assert_true(p->permutation.is_exact);
    assert_int_equal(p->mcnemar.only_a, 3);
    assert_int_equal(p->mcnemar.only_b, 5);
    const sp_agreement *argmax_is = &c->strategies[0].agreement, *greedy_is = &c->strategies[1].agreement;
    assert_string_equal(p[1].metric, "kappa");
    assert_close(p[1].difference.difference.value, greedy_is->kappa.value - argmax_is->kappa.value, 1e-15, 0);
    assert_string_equal(p[2].metric, "macro_f1");
    assert_close(p[2].difference.difference.value, greedy_is->macro_f1.value - argmax_is->macro_f1.value,
                 1e-15, 0);
    for (int i = 1; i < 3; i++) {
        assert_int_equal(p[i].test.better + p[i].test.worse + p[i].test.ties, 3);
        assert_string_equal(p[i].test.p.undefined, "only accuracy is tested");
    }
    assert_null(c->other_metrics_left_out);
    assert_true(c->level == 0.95);
    sp_comparison_free(c);
}

static void test_illegal_rates(void **state)
{
    (void)state;
    sp_run_options options = example_options();
    sp_comparison *c = example_evaluated(&options);
    sp_transition_counts counts = c->strategies[0].counts;
    double rate = (double)counts.illegal / (double)counts.transitions;
    assert_true(counts.illegal > 0);
    assert_value(c->strategies[0].illegal_rate.difference, rate);
    assert_true(c->strategies[0].illegal_rate.low.value <= c->strategies[0].illegal_rate.high.value);
    assert_value(c->strategies[1].illegal_rate.difference, 0);
    assert_int_equal(c->n_comparisons, 4);
    assert_string_equal(c->comparisons[3].metric, "illegal_rate");
    assert_close(c->comparisons[3].difference.difference.value, -rate, 1e-15, 0);
    assert_true(c->comparisons[3].test.better > 0); /* fewer is better */
    assert_string_equal(c->strategies[1].illegal_rate.low.undefined, "no illegal transition");
    sp_comparison_free(c);
}

static void test_traces(void **state)
{
    (void)state;
    sp_run_options options = example_options();
    sp_comparison *c = example_evaluated(&options);
    assert_int_equal(c->n_traces, 3); /* 6 + 4 + 3 steps */
    assert_int_equal(c->trace_steps, 13);
    assert_int_equal(c->traces[1].recording, 1);
    assert_int_equal(c->traces[1].n_steps, 4);
    assert_memory_equal(c->traces[1].labels, example_labels + 6, 4 * sizeof *example_labels);
    assert_memory_equal(c->traces[1].paths[1], example_greedy + 6, 4 * sizeof *example_greedy);
    assert_memory_equal(c->traces[1].segments, example_segments + 6, 4 * sizeof *example_segments);
    sp_comparison_free(c);
    for (int most = 0; most < 13; most += 12) { /* of whole recordings, so many steps in all */
        options.trace_steps = most;
        c = example_evaluated(&options);
        assert_int_equal(c->n_traces, most ? 2 : 0);
        sp_comparison_free(c);
    }
}

/* Files by their names alone, columns in their own order. */
static void test_texts(void **state)
{
    (void)state;
    static const char *const columns[] = {"C", "A", "B"}, *const names[] = {"greedy"};
    static const int64_t offsets[] = {0, 2};
    static const int32_t path[] = {1, 2};
    const sp_arrays arrays = {.info = {.file = "/some/where/night.h5",
                                       .file_size = 123,
                                       .n_recordings = 1,
                                       .offsets = offsets,
                                       .classes = columns},
                              .labels = path};
    sp_run_options options = sp_run_options_default();
    options.command = "statepath compare night.h5";
    sp_model *model = example_model();
    sp_comparison *c = evaluated(model, &arrays,
                                 &(sp_array_paths){1, names, (const int32_t *const[]){path}, NULL}, &options);
    assert_string_equal(c->file, "night.h5");
    assert_int_equal(c->file_size, 123);
    assert_string_equal(c->command, "statepath compare night.h5");
    assert_string_equal(c->classes[0], "C");
    assert_string_equal(c->input_classes[1], "A");
    assert_string_equal(c->model_name, "abc");
    assert_null(c->model_description);
    assert_int_equal(c->forbidden[0].from, 1);
    assert_int_equal(c->forbidden[0].to, 0);
    sp_comparison_free(c);
    sp_model_free(model);
}

static void test_without_labels(void **state)
{
    (void)state;
    static const char *const names[] = {"argmax", "greedy"};
    static const int32_t *const paths[] = {example_argmax, example_greedy};
    const sp_arrays arrays = {.info = {.n_recordings = 3, .offsets = example_offsets},
                              .segments = example_segments};
    const sp_run_options options = example_options();
    sp_model *model = example_model();
    sp_comparison *c = evaluated(model, &arrays, &(sp_array_paths){2, names, paths, NULL}, &options);
    sp_model_free(model);
    assert_false(c->has_labels);
    assert_int_equal(c->n_scored_steps, 0);
    assert_int_equal(c->n_comparisons, 0);
    assert_undefined(c->mask_ceiling, "no labels");
    assert_int_equal(c->reference.transitions, 0);
    assert_null(c->reference_runs);
    const sp_strategy_result *a = &c->strategies[0];
    assert_false(a->has_agreement);
    assert_false(a->has_changes);
    assert_null(a->confusion);
    assert_undefined(a->agreement.accuracy, "no scored steps");
    assert_undefined(a->recordings[0].accuracy, "no scored steps");
    assert_non_null(a->mean_kappa.undefined);
    assert_undefined(a->path_score, "no scores");
    assert_int_equal(a->counts.illegal, 2);
    assert_int_equal(a->class_runs[C].count, 2 + 1 + 2); /* A C B CC A | A B ; CC | C A C: over whole paths */
    assert_null(c->traces[0].labels);
    sp_comparison_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_input_and_rules),
        cmocka_unit_test(test_reference),
        cmocka_unit_test(test_strategies),
        cmocka_unit_test(test_illegal_places),
        cmocka_unit_test(test_recordings_and_means),
        cmocka_unit_test(test_changes_and_contexts),
        cmocka_unit_test(test_segments),
        cmocka_unit_test(test_comparisons),
        cmocka_unit_test(test_illegal_rates),
        cmocka_unit_test(test_traces),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_without_labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
