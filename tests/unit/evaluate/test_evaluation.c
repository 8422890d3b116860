/* An evaluation by hand: every field of a small comparison, with unscored steps, a gap, and a recording that was not decoded. */
#include "check.h"

#include "evaluate/evaluate.h"
#include "failing_alloc.h"

enum { N = -1, A, B, C };

#define assert_undefined(v, reason)                                                                                              \
    do {                                                                                                                         \
        assert_non_null((v).undefined);                                                                                          \
        assert_string_equal((v).undefined, reason);                                                                              \
    } while (0)

#define assert_value(v, expected)                                                                                                \
    do {                                                                                                                         \
        if ((v).undefined)                                                                                                       \
            fail_msg("%s is undefined: %s", #v, (v).undefined);                                                                  \
        assert_close((v).value, expected, 1e-12, 0);                                                                             \
    } while (0)

/* ---- the example: classes A, B, C, A -> C forbidden, C may not start ---- */

static sp_model *example_model(void)
{
    const char *const names[] = {"A", "B", "C"};
    static const uint8_t allow[9] = {1, 1, 0, 1, 1, 1, 1, 1, 1};
    sp_error err;
    sp_model *model = sp_model_new("abc", 3, names);
    assert_non_null(model);
    assert_ok(sp_model_set_matrix(model, allow, NULL, &err), &err);
    model->start = malloc(3 * sizeof *model->start);
    assert_non_null(model->start);
    model->start[0] = model->start[1] = 0;
    model->start[2] = -INFINITY;
    return model;
}

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

/* Three recordings: n1 of 6 steps, n2 of 4 with a gap in the middle, n3 of 3 that greedy cannot decode. */
static const int64_t offsets[] = {0, 6, 10, 13};
static const char *const ids[] = {"n1", "n2", "n3"};
static const int64_t segments[] = {0, 0, 0, 0, 0, 0, 5, 5, 6, 6, 0, 0, 0};
/*                                 n1                n2          n3     */
static const int32_t labels[] = {A, A, B, C, N, C, A, A, C, C, C, A, C};
static const int32_t argmax[] = {A, C, B, C, C, A, A, B, C, C, C, A, C};
static const int32_t greedy[] = {A, A, B, B, C, C, A, A, C, A, C, A, C}; /* of n3 nothing counts: it was not decoded */
static const sp_decoded argmax_results[] = {{.status = SP_OK, .step = -1, .score = -INFINITY},
                                            {.status = SP_OK, .step = -1, .score = -2},
                                            {.status = SP_OK, .step = -1, .score = -INFINITY}};
static const sp_decoded greedy_results[] = {{.status = SP_OK, .step = -1, .score = -3.5},
                                            {.status = SP_OK, .step = -1, .score = -2.25},
                                            {.status = SP_EDEADEND, .step = 1, .score = -INFINITY}};

static const char *const names[] = {"argmax", "greedy"};
static const bool is_legal[] = {false, true};
static const int32_t *const paths[] = {argmax, greedy};
static const sp_decoded *const results[] = {argmax_results, greedy_results};
static const double seconds[] = {0.25, 0.5};

static sp_evaluation_block example_block(void)
{
    return (sp_evaluation_block){.n_recordings = 3,
                                 .offsets = offsets,
                                 .ids = ids,
                                 .labels = labels,
                                 .segments = segments,
                                 .paths = paths,
                                 .results = results,
                                 .seconds = seconds};
}

static sp_evaluation_options example_options(void)
{
    sp_evaluation_options options = sp_evaluation_options_default();
    options.has_labels = true;
    options.n_strategies = 2;
    options.names = names;
    options.is_legal = is_legal;
    options.trace_steps = 13;
    options.bootstrap.n_resamples = 500;
    return options;
}

static sp_comparison *example_comparison(const sp_evaluation_options *options)
{
    sp_error err;
    sp_chain *chain = example_chain();
    sp_evaluation *evaluation = NULL;
    sp_evaluation_block block = example_block();
    if (!options->has_labels)
        block.labels = NULL;
    assert_ok(sp_evaluation_new(chain, chain, options, &evaluation, &err), &err);
    assert_ok(sp_evaluation_add(evaluation, &block, NULL, &err), &err);
    sp_comparison *comparison = NULL;
    assert_ok(sp_evaluation_finish(evaluation, &comparison, &err), &err);
    sp_evaluation_free(evaluation);
    sp_chain_free(chain);
    return comparison;
}

static void test_input_and_rules(void **state)
{
    (void)state;
    sp_evaluation_options options = example_options();
    sp_comparison *c = example_comparison(&options);
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
    assert_null(c->file);
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
    sp_evaluation_options options = example_options();
    sp_comparison *c = example_comparison(&options);
    /* n1: AA AB BC; n2: AA | CC; n3: CA AC */
    assert_int_equal(c->reference.transitions, 7);
    assert_int_equal(c->reference.changes, 4);
    assert_int_equal(c->reference.illegal, 1);
    assert_int_equal(c->reference.illegal_start, 1);
    assert_int_equal(c->n_reference_illegal_pairs, 1);
    assert_int_equal(c->reference_illegal_pairs[0].from, A);
    assert_int_equal(c->reference_illegal_pairs[0].to, C);
    check_moves(c->n_classes, c->reference_transition_counts, &c->reference);
    assert_int_equal(c->reference_transition_counts[A * c->n_classes + C], c->reference_illegal_pairs[0].count);
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
    sp_evaluation_options options = example_options();
    sp_comparison *c = example_comparison(&options);
    const sp_strategy_result *a = &c->strategies[0], *g = &c->strategies[1];
    assert_string_equal(a->name, "argmax");
    assert_true(g->is_legal_by_construction);
    assert_int_equal(a->agreement.correct, 9); /* wrong at n1 steps 1 and 5, n2 step 1 */
    assert_value(a->agreement.accuracy, 9. / 12);
    assert_int_equal(g->agreement.correct, 7); /* n1 step 3, n2 step 3, all of n3 */
    assert_int_equal(g->agreement.undecoded, 3);
    const int64_t confusion[9] = {3, 1, 1, 0, 1, 0, 1, 0, 5}, greedy_confusion[9] = {4, 0, 0, 0, 1, 0, 1, 1, 2};
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
    assert_close(g->seconds, 0.5, 0, 0);
    sp_comparison_free(c);
}

/* A to C at n1, step 1, by argmax; at n3 argmax and the reference start in C and go from A to C. */
static void test_illegal_places(void **state)
{
    (void)state;
    sp_evaluation_options options = example_options();
    sp_comparison *c = example_comparison(&options);
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
    sp_evaluation_options options = example_options();
    sp_comparison *c = example_comparison(&options);
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
    sp_evaluation_options options = example_options();
    sp_comparison *c = example_comparison(&options);
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
    assert_string_equal(sp_context_name(SP_CONTEXT_XAX), "XAX");
    sp_comparison_free(c);
}

static void test_segments(void **state)
{
    (void)state;
    sp_evaluation_options options = example_options();
    sp_comparison *c = example_comparison(&options);
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
    sp_evaluation_options options = example_options();
    sp_comparison *c = example_comparison(&options);
    assert_int_equal(c->n_comparisons, 3); /* accuracy, kappa, macro F1; no illegal rate: greedy has none by construction */
    const sp_pair_comparison *p = &c->comparisons[0];
    assert_int_equal(p->a, 1);
    assert_int_equal(p->b, 0);
    assert_string_equal(p->metric, "accuracy");
    assert_value(p->difference.difference, -2. / 12);
    assert_int_equal(p->difference.n, 3);
    assert_int_equal(p->difference.n_resamples, 500);
    assert_true(p->difference.low.value < p->difference.high.value);
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
    assert_close(p[2].difference.difference.value, greedy_is->macro_f1.value - argmax_is->macro_f1.value, 1e-15, 0);
    for (int i = 1; i < 3; i++) {
        assert_true(p[i].difference.low.value < p[i].difference.high.value);
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
    static const bool none[] = {false, false};
    sp_evaluation_options options = example_options();
    sp_comparison *c = example_comparison(&options);
    sp_transition_counts counts = c->strategies[0].counts;
    double rate = (double)counts.illegal / (double)counts.transitions;
    assert_true(counts.illegal > 0);
    assert_value(c->strategies[0].illegal_rate.difference, rate);
    assert_true(c->strategies[0].illegal_rate.low.value <= c->strategies[0].illegal_rate.high.value);
    assert_value(c->strategies[1].illegal_rate.difference, 0);
    assert_string_equal(c->strategies[1].illegal_rate.low.undefined, "0 by construction");
    sp_comparison_free(c);
    options.is_legal = none;
    c = example_comparison(&options);
    assert_int_equal(c->n_comparisons, 4);
    assert_string_equal(c->comparisons[3].metric, "illegal_rate");
    assert_close(c->comparisons[3].difference.difference.value, -rate, 1e-15, 0);
    assert_true(c->comparisons[3].test.better > 0); /* fewer is better */
    assert_string_equal(c->strategies[1].illegal_rate.low.undefined, "no illegal transition");
    sp_comparison_free(c);
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
    assert_string_equal(c->other_metrics_left_out, "too many recordings and classes for intervals of kappa and macro F1");
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
    assert_memory_equal(c->traces[1].density + 3, none, 3); /* step 7 of the block is step 1 of the second recording */
    sp_comparison_free(c);
    sp_evaluation_free(evaluation);
    sp_chain_free(chain);
}

static void test_traces(void **state)
{
    (void)state;
    sp_evaluation_options options = example_options();
    sp_comparison *c = example_comparison(&options);
    assert_int_equal(c->n_traces, 3); /* 6 + 4 + 3 steps */
    assert_int_equal(c->trace_steps, 13);
    assert_int_equal(c->traces[1].recording, 1);
    assert_int_equal(c->traces[1].n_steps, 4);
    assert_memory_equal(c->traces[1].labels, labels + 6, 4 * sizeof *labels);
    assert_memory_equal(c->traces[1].paths[1], greedy + 6, 4 * sizeof *greedy);
    assert_memory_equal(c->traces[1].segments, segments + 6, 4 * sizeof *segments);
    sp_comparison_free(c);
    options.trace_steps = 12; /* not all: none */
    c = example_comparison(&options);
    assert_int_equal(c->n_traces, 0);
    assert_null(c->traces);
    sp_comparison_free(c);
    options.trace_steps = 0;
    c = example_comparison(&options);
    assert_int_equal(c->n_traces, 0);
    sp_comparison_free(c);
}

static void test_without_labels(void **state)
{
    (void)state;
    sp_evaluation_options options = example_options();
    options.has_labels = false;
    options.has_path_scores = false;
    sp_comparison *c = example_comparison(&options);
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
    memcpy(wrong, labels, sizeof wrong);
    wrong[7] = 3;
    block.labels = wrong;
    assert_int_equal(sp_evaluation_add(e, &block, NULL, &err), SP_EDATA);
    assert_int_equal(err.step, 1);
    assert_string_equal(err.message,
                        "recording n2, step 1: the label is 3, but the 3 classes are 0 to 2, and -1 stands for none");
    wrong[7] = -2;
    const int32_t *const wrong_paths[] = {argmax, wrong};
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

/* ---- what is counted only when it is asked for ---- */

/* The unscored step of n1 stands between C and C: gone over, it is one transition more, and no change. */
static void test_bridged_transitions(void **state)
{
    (void)state;
    sp_evaluation_options options = example_options();
    sp_comparison *plain = example_comparison(&options);
    options.bridge_unscored = true;
    sp_comparison *c = example_comparison(&options);
    assert_int_equal(c->bridged_transitions, 1);
    assert_int_equal(c->reference.transitions, plain->reference.transitions + 1);
    assert_int_equal(c->reference.changes, plain->reference.changes);
    assert_int_equal(c->reference.illegal, plain->reference.illegal);
    assert_int_equal(c->reference_transition_counts[C * 3 + C], plain->reference_transition_counts[C * 3 + C] + 1);
    sp_comparison_free(plain);
    sp_comparison_free(c);
}

/* Of n3, which greedy did not decode, one step is A and two are C. */
static void test_collapsed_undecoded(void **state)
{
    (void)state;
    static const char *const groups[] = {"ends", "middle"};
    static const int32_t group_of[] = {0, 1, 0};
    sp_collapse collapse = {.n_classes = 3,
                            .n_groups = 2,
                            .name = (char *)"ends / middle",
                            .groups = (char **)groups,
                            .group_of_class = (int32_t *)group_of};
    sp_evaluation_options options = example_options();
    options.n_collapses = 1;
    options.collapses = &collapse;
    sp_comparison *c = example_comparison(&options);
    assert_int_equal(c->n_collapsed, 1);
    assert_int_equal(c->collapsed[0].strategies[1].undecoded, 3);
    assert_int_equal(c->collapsed[0].strategies[1].scored, c->n_scored_steps);
    assert_int_equal(c->collapsed[0].confusion[2 * 4 + 2], 3); /* greedy's undecoded steps of the first group */
    sp_comparison_free(c);
}

static void test_rates_per_hour(void **state)
{
    (void)state;
    sp_evaluation_options options = example_options();
    sp_comparison *c = example_comparison(&options);
    assert_undefined(c->reference_frequencies.changes_per_hour, "the length of a step is not known");
    sp_comparison_free(c);
    options.epoch_seconds = 90; /* 40 an hour */
    c = example_comparison(&options);
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
    static const int32_t *const two[] = {right, wrong};
    static const sp_decoded fine[] = {{.status = SP_OK, .step = -1, .score = -1}};
    static const sp_decoded *const both[] = {fine, fine};
    for (int has_gap = 0; has_gap < 2; has_gap++) {
        sp_evaluation_options options = example_options();
        sp_evaluation_block block = {.n_recordings = 1,
                                     .offsets = begin_and_end,
                                     .labels = right,
                                     .segments = has_gap ? gap : none,
                                     .paths = two,
                                     .results = both};
        sp_chain *chain = example_chain();
        sp_evaluation *e = NULL;
        sp_comparison *c = NULL;
        sp_error err;
        assert_ok(sp_evaluation_new(chain, chain, &options, &e, &err), &err);
        assert_ok(sp_evaluation_add(e, &block, NULL, &err), &err);
        assert_ok(sp_evaluation_finish(e, &c, &err), &err);
        const sp_error_runs *runs = &c->strategies[1].error_runs;
        assert_int_equal(runs->worsened, 4);
        assert_int_equal(runs->runs->count, 1 + has_gap);
        assert_int_equal(runs->longest, has_gap ? 2 : 4);
        assert_int_equal(runs->longest_step, 1);
        assert_int_equal(runs->consequences, 4 - (1 + has_gap));
        sp_comparison_free(c);
        sp_evaluation_free(e);
        sp_chain_free(chain);
    }
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
    static const int32_t *const three_paths[] = {argmax, greedy, greedy};
    static const sp_decoded *const three_results[] = {argmax_results, greedy_results, greedy_results};
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
        cmocka_unit_test(test_input_and_rules),
        cmocka_unit_test(test_reference),
        cmocka_unit_test(test_strategies),
        cmocka_unit_test(test_illegal_places),
        cmocka_unit_test(test_recordings_and_means),
        cmocka_unit_test(test_changes_and_contexts),
        cmocka_unit_test(test_segments),
        cmocka_unit_test(test_comparisons),
        cmocka_unit_test(test_illegal_rates),
        cmocka_unit_test(test_other_metrics_left_out),
        cmocka_unit_test(test_density_of_traces),
        cmocka_unit_test(test_traces),
        cmocka_unit_test(test_without_labels),
        cmocka_unit_test(test_describe),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_infeasible_ceiling),
        cmocka_unit_test(test_too_many_runs),
        cmocka_unit_test(test_bridged_transitions),
        cmocka_unit_test(test_collapsed_undecoded),
        cmocka_unit_test(test_rates_per_hour),
        cmocka_unit_test(test_errors_end_at_gaps),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
