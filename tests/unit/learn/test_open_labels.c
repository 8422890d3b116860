/* Labels that do not say the state of each step: sets of classes, sparse labels, several states a class. What is learnt of them against what is
 * known, what becomes of figures and settings, and what is refused. */
#include "check.h"
#include "failing_alloc.h"
#include "learn_case.h"
#include "statepath/advanced.h"
#include "statepath/learn.h"

/* Of the labels a share are sets. */
static learn_case sets_new(uint64_t seed, int64_t n_recordings, int64_t longest, double unscored,
                           double share)
{
    learn_case c = learn_case_new(seed, n_recordings, longest, CASE_K, unscored);
    learn_make_sets(&c, seed + 1, share);
    return c;
}

static sp_model *fitted(const sp_training *training, sp_fit_method method, sp_fit_report *report)
{
    sp_error err;
    sp_model *model;
    sp_fit_options options = sp_fit_options_default();
    sp_workers *workers = sp_workers_new(2);
    options.method = method;
    options.features = SP_FEATURES_NONE;
    options.n_folds = 3;
    assert_ok(sp_fit(training, &options, workers, &model, report, &err), &err);
    sp_workers_free(workers);
    return model;
}

static void assert_same_weights(const sp_model *a, const sp_model *b, double tolerance)
{
    for (int32_t i = 0; i < CASE_K; i++) {
        assert_close(a->prior[i], b->prior[i], tolerance, 0);
        assert_close(exp(a->start[i]), exp(b->start[i]), tolerance, 0);
        for (int32_t j = 0; j < CASE_K; j++)
            assert_close(exp(a->weight[sp_model_edge(a, i, j)]), exp(b->weight[sp_model_edge(b, i, j)]),
                         tolerance, 0);
    }
}

/* Where no step has several classes the model is the same, whether or not there is a table of sets. A set of one class is that class, of what is
 * learnt; figures are of the others. */
static void sets_of_one_class_are_classes(void **state)
{
    (void)state;
    static const uint8_t ones[CASE_K][CASE_K] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    learn_case c = sets_new(3, 12, 60, 0, 0);
    sp_training plain = c.training;
    plain.label_set = NULL;
    for (int method = 0; method < SP_N_FIT_METHODS; method++) {
        sp_fit_report with = {.before = 0}, without = {.before = 0};
        sp_model *a = fitted(&c.training, (sp_fit_method)method, &with);
        sp_model *b = fitted(&plain, (sp_fit_method)method, &without);
        assert_string_equal(a->description, b->description);
        assert_memory_equal(a->weight, b->weight, (size_t)a->row[CASE_K] * sizeof *a->weight);
        assert_true(with.n_set_steps == 0 && with.n_steps == without.n_steps);
        sp_fit_report_clear(&with);
        sp_fit_report_clear(&without);
        sp_model_free(a);
        sp_model_free(b);
    }
    sp_fit_report report = {.before = 0}, of_classes = {.before = 0};
    sp_model *exact = fitted(&plain, SP_FIT_COUNTS, &of_classes);
    for (int64_t t = 0; t < c.training.batch.scores.n_steps; t += 2) {
        c.label_set[t] = c.labels[t];
        c.labels[t] = -1;
    }
    c.training.label_sets = ones[0];
    c.training.n_label_sets = CASE_K;
    sp_model *found = fitted(&c.training, SP_FIT_COUNTS, &report);
    assert_same_weights(found, exact, 1e-9);
    assert_true(report.n_set_steps > 0 && report.n_steps + report.n_set_steps == of_classes.n_steps);
    assert_non_null(strstr(found->description, "labelled steps and "));
    assert_int_equal(report.violations.scored, of_classes.violations.scored);
    assert_int_equal(report.violations.transitions, of_classes.violations.transitions);
    sp_fit_report_clear(&report);
    sp_fit_report_clear(&of_classes);
    sp_model_free(exact);
    sp_model_free(found);
    learn_case_free(&c);
}

/* a follows a, or b; b is followed by c, c by b or a: which of b and c a step of {b, c} has follows from the rules alone, and from how often
 * they have been seen. Where such steps are dropped, changes between b and c are seen only where they stand alone. */
static void sets_are_learnt_from(void **state)
{
    (void)state;
    enum { T = 20000, N = 10 };
    static const double truth[3][3] = {{0.9, 0.07, 0.03}, {0.02, 0.83, 0.15}, {0.1, 0.2, 0.7}};
    static const char *const names[] = {"a", "b", "c"};
    static const uint8_t b_or_c[] = {0, 1, 1};
    int32_t *labels = malloc(T * sizeof *labels), *label_set = malloc(T * sizeof *label_set), y = 0;
    int64_t offsets[N + 1];
    uint64_t random = 4;
    for (int n = 0; n <= N; n++)
        offsets[n] = n * (T / N);
    for (int t = 0; t < T; t++) {
        const double u = learn_uniform(&random);
        y = u < truth[y][0] ? 0 : u < truth[y][0] + truth[y][1] ? 1 : 2;
        const bool is_coarse = y > 0 && t % 2000 >= 200; /* a tenth of each recording has fine labels */
        labels[t] = is_coarse ? -1 : y;
        label_set[t] = is_coarse ? 0 : -1;
    }
    sp_training training = {.batch = {{NULL, SP_F64, 3, T, NULL, NULL, NULL}, N, offsets},
                            .labels = labels,
                            .label_set = label_set,
                            .label_sets = b_or_c,
                            .n_label_sets = 1,
                            .classes = names};
    double away[2] = {0};
    for (int i = 0; i < 2; i++) {
        sp_model *model = fitted(&training, SP_FIT_COUNTS, NULL);
        for (int32_t a = 0; a < 3; a++)
            for (int32_t b = 0; b < 3; b++)
                away[i] += fabs(exp(model->weight[sp_model_edge(model, a, b)]) - truth[a][b]);
        sp_model_free(model);
        training.label_set = NULL; /* dropped */
    }
    if (!(away[0] < 0.2 && away[0] < away[1] / 3))
        fail_msg("away from the truth by %g with sets, %g without", away[0], away[1]);
    free(labels);
    free(label_set);
}

/* The share of each class where steps with several are shared out: of 6 a, 2 b and 8 of {a, b} 3/4 are a. */
static void shares_of_classes(void **state)
{
    (void)state;
    enum { S = 16 };
    static const char *const names[] = {"a", "b", "c"};
    static const uint8_t a_or_b[] = {1, 1, 0};
    int32_t labels[S], label_set[S];
    int64_t offsets[] = {0, S};
    for (int t = 0; t < S; t++) {
        labels[t] = t < 6 ? 0 : t < 8 ? 1 : -1;
        label_set[t] = t < 8 ? -1 : 0;
    }
    const sp_training training = {.batch = {{NULL, SP_F64, 3, S, NULL, NULL, NULL}, 1, offsets},
                                  .labels = labels,
                                  .label_set = label_set,
                                  .label_sets = a_or_b,
                                  .n_label_sets = 1,
                                  .classes = names};
    sp_model *model;
    sp_fit_options options = sp_fit_options_default();
    options.smoothing = 1e-9;
    options.tune = SP_TUNE_NONE;
    model = learn_fitted(&training, &options, NULL);
    assert_close(model->prior[0], 0.75, 1e-6, 0);
    assert_close(model->prior[1], 0.25, 1e-6, 0);
    assert_true(model->prior[2] > 0);
    sp_model_free(model);
}

/* Labels that break the rules are counted and cut: b, c follow a only. */
static void sets_may_break_rules(void **state)
{
    (void)state;
    sp_error err;
    enum { S = 8 };
    static const char *const names[] = {"a", "b", "c"};
    static const uint8_t allow[] = {1, 1, 1, 1, 1, 0, 1, 0, 1}, table[] = {0, 1, 1, 1, 1, 0, 0, 0, 1};
    const int32_t labels[S] = {1, -1, -1, 2, 2, 0, -1, 1}, label_set[S] = {-1, 2, 1, -1, -1, -1, 0, -1};
    int64_t offsets[] = {0, S};
    double scores[S * 3] = {0};
    const sp_training training = {.batch = {{scores, SP_F64, 3, S, NULL, NULL, NULL}, 1, offsets},
                                  .labels = labels,
                                  .label_set = label_set,
                                  .label_sets = table,
                                  .n_label_sets = 3,
                                  .classes = names};
    sp_model *rules_model = sp_model_new("rules", 3, names);
    assert_ok(sp_model_set_matrix(rules_model, allow, NULL, &err), &err);
    sp_fit_options options = sp_fit_options_default();
    options.rules = rules_model;
    options.tune = SP_TUNE_NONE;
    for (int i = 0; i < 2; i++) {
        sp_fit_report report;
        sp_model *model = learn_fitted(&training, &options, &report);
        const sp_violations *v = &report.violations;
        assert_int_equal(v->scored, 8);
        assert_int_equal(v->transitions, i ? 5 : 7); /* without an impossible step, and what follows it */
        assert_int_equal(v->illegal, 1); /* {c} after b; {a, b} between two c: a; {b, c} between a and b: b */
        for (int p = 0; p < 9; p++)
            assert_int_equal(v->illegal_pairs[p], 0);
        assert_int_equal(v->impossible, i);
        assert_int_equal(report.n_steps, 5);
        assert_int_equal(report.n_set_steps, 3);
        sp_fit_report_clear(&report);
        sp_model_free(model);
        scores[6 * 3 + 1] = scores[6 * 3 + 2] = -INFINITY; /* no class of the set is possible */
    }
    sp_model_free(rules_model);
}

/* Of sets alone there are no figures: nothing is tuned, and what is judged by figures is refused. */
static void sets_alone(void **state)
{
    (void)state;
    learn_case c = sets_new(5, 8, 30, 0.1, 1);
    for (int64_t t = 0; t < c.training.batch.scores.n_steps; t++) {
        if (c.labels[t] >= 0)
            c.label_set[t] = c.labels[t] == 3 ? 2 : 1;
        c.labels[t] = -1;
    }
    sp_error err;
    for (int method = 0; method < SP_N_FIT_METHODS; method++) {
        sp_fit_report report = {.before = 0};
        sp_fit_options options = sp_fit_options_default();
        sp_workers *workers = sp_workers_new(1);
        sp_model *model = NULL;
        options.method = (sp_fit_method)method;
        const sp_status status = sp_fit(&c.training, &options, workers, &model, &report, &err);
        if (method == SP_FIT_CRF) {
            assert_int_equal(status, SP_EINVAL);
            assert_non_null(strstr(
                err.message, "`method` crf is judged beside the counts by steps with one class, and every "
                             "labelled step has several; learn by `method` counts or em"));
        } else {
            assert_ok(status, &err);
            assert_true(isnan(report.before) && isnan(report.after) && isnan(report.windows_gain));
            assert_true(report.n_steps == 0 && report.n_set_steps > 0);
            assert_true(method == SP_FIT_EM ||
                        strstr(model->description,
                               "; nothing was tuned: every labelled step has several classes, and figures "
                               "are of steps with one"));
            sp_fit_report_clear(&report);
        }
        sp_model_free(model);
        sp_workers_free(workers);
    }
    learn_case_free(&c);
}

/* Labels that stand alone: transitions are those of the steps between, too. Labels in a row, or too many transitions: recordings are cut. */
static void sparse_labels(void **state)
{
    (void)state;
    enum { T = 9000, N = 3, MANY = 500 };
    static const double truth[3][3] = {{0.9, 0.1, 0}, {0, 0.8, 0.2}, {0.3, 0, 0.7}};
    char words[MANY][16];
    const char *names[MANY];
    int32_t *labels = malloc(T * sizeof *labels), y = 0;
    int64_t offsets[N + 1];
    uint64_t random = 9;
    for (int k = 0; k < MANY; k++) {
        snprintf(words[k], sizeof words[k], "c%d", k);
        names[k] = words[k];
    }
    for (int n = 0; n <= N; n++)
        offsets[n] = n * (T / N);
    for (int t = 0; t < T; t++) {
        const double u = learn_uniform(&random);
        y = u < truth[y][0] ? 0 : u < truth[y][0] + truth[y][1] ? 1 : 2;
        labels[t] = t % 3 ? -1 : y;
    }
    sp_training training = learn_training(3, N, offsets, NULL, labels, names);
    for (int i = 0; i < 3; i++) {
        sp_fit_report report = {.before = 0};
        const sp_fit_options options = sp_fit_options_default();
        sp_model *model;
        training.batch.scores.n_classes = i == 1 ? MANY : 3;
        for (int t = 0; i == 2 && t < T; t++)
            labels[t] = t % 30 < 15 ? t / 30 % 3 : -1; /* in a row */
        model = learn_fitted(&training, &options, &report);
        assert_int_equal(report.has_sparse_labels, i == 0);
        for (int32_t a = 0; i == 0 && a < 3; a++)
            for (int32_t b = 0; b < 3; b++)
                assert_close(exp(model->weight[sp_model_edge(model, a, b)]), truth[a][b], 0.04, 0);
        sp_fit_report_clear(&report);
        sp_model_free(model);
    }
    free(labels);
}

/* ---- several states a class ---- */

/* Two classes that are never left. The second falls 2,000 nats behind, then wins by 1,000: it is what is
 * learnt, whether it is one state or two, has a duration, or is one of several classes of a step. */
static void a_class_that_comes_back(void **state)
{
    (void)state;
    enum { T = 300 };
    static const char *const classes[] = {"a", "b"};
    static const int32_t of_state[] = {0, 1, 1};
    static const uint8_t two[] = {1, 0, 0, 1}, three[] = {1, 0, 0, 0, 1, 1, 0, 0, 1}, both[] = {1, 1};
    const int64_t offsets[] = {0, T};
    for (int form = 0; form < 4; form++) {
        double e[2 * T] = {0};
        int32_t labels[T], set[T];
        sp_error err;
        sp_model *rules = sp_model_new("never left", 2, classes), *model;
        sp_training training = learn_training(2, 1, offsets, e, labels, classes);
        for (int t = 0; t < T; t++) {
            e[2 * t + 1] = t < 100 || t >= 200 ? -20 : 50;
            labels[t] = -1;
            set[t] = t == 0 ? 0 : -1;
        }
        if (form == 1)
            learn_give_states(rules, 3, of_state);
        assert_ok(sp_model_set_matrix(rules, form == 1 ? three : two, NULL, &err), &err);
        if (form == 2) {
            assert_non_null(rules->durations = calloc(2, sizeof *rules->durations));
            rules->durations[1] = (sp_duration){.form = SP_DURATION_RANGE, .max = {400, false}};
        }
        if (form == 3) {
            training.label_set = set;
            training.label_sets = both;
            training.n_label_sets = 1;
        }
        sp_fit_options options = sp_fit_options_default();
        sp_fit_report report;
        options.method = SP_FIT_EM;
        options.rules = rules;
        model = learn_fitted(&training, &options, &report);
        assert_close(report.log_likelihood, 1000, 0.01, 0);
        assert_true(model->start[1] > -1e-9 || (form == 1 && model->start[2] > -INFINITY));
        assert_true(model->start[0] < -900);
        sp_fit_report_clear(&report);
        sp_model_free(model);
        sp_model_free(rules);
    }
}

/* x for 1 step or some 30, as often; between them y, some 6. labels [n]. */
static void draw_runs(uint64_t seed, int64_t n, int32_t *labels)
{
    for (int64_t t = 0; t < n;) {
        const bool is_long = learn_uniform(&seed) < 0.5;
        do
            labels[t++] = 0;
        while (t < n && is_long && learn_uniform(&seed) > 1. / 30);
        while (t < n) {
            labels[t++] = 1;
            if (learn_uniform(&seed) < 1. / 6)
                break;
        }
    }
}

/* Two states of x that begin alike become one for the short runs and one for the long, and other labels of the kind are likelier than by
 * one state. */
static void states_become_different(void **state)
{
    (void)state;
    enum { T = 4000 };
    sp_error err;
    static const char *const classes[] = {"x", "y"}, *const names[] = {"x1", "x2", "y"};
    int32_t labels[2][T];
    int64_t offsets[] = {0, T};
    for (int i = 0; i < 2; i++)
        draw_runs(5 + (uint64_t)i, T, labels[i]);
    const sp_training training = learn_training(2, 1, offsets, NULL, labels[0], classes);
    sp_model *m = sp_model_new("xy", 2, classes), *found, *one;
    const uint8_t allow[] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    m->n_states = 3;
    m->states = calloc(3, sizeof *m->states);
    m->state_class = calloc(3, sizeof *m->state_class);
    for (int s = 0; s < 3; s++)
        m->states[s] = strdup(names[s]);
    m->state_class[2] = 1;
    assert_ok(sp_model_set_matrix(m, allow, NULL, &err), &err);
    sp_fit_options options = sp_fit_options_default();
    options.tune = SP_TUNE_NONE;
    one = learn_fitted(&training, &options, NULL);
    options.rules = m;
    found = learn_fitted(&training, &options, NULL);
    const double x1 = exp(found->weight[sp_model_edge(found, 0, 0)]),
                 x2 = exp(found->weight[sp_model_edge(found, 1, 1)]);
    assert_true(x1 < 0.3);
    assert_close(x2, 1 - 1. / 30, 0.02, 0);
    assert_close(exp(found->weight[sp_model_edge(found, 2, 2)]), 1 - 1. / 6, 0.02, 0);
    sp_training other = training;
    other.labels = labels[1];
    assert_true(learn_log_z(found, &other, true, false, NULL) >
                learn_log_z(one, &other, true, false, NULL) + 50);
    sp_model_free(m);
    sp_model_free(one);
    sp_model_free(found);
}

static void refused(const sp_training *training, const sp_fit_options *options, const char *sentence)
{
    sp_error err;
    sp_model *model = NULL;
    sp_workers *workers = sp_workers_new(1);
    assert_int_equal(sp_fit(training, options, workers, &model, NULL, &err), SP_EINVAL);
    if (!strstr(err.message, sentence))
        fail_msg("%s", err.message);
    assert_null(model);
    sp_workers_free(workers);
}

static void what_is_refused(void **state)
{
    (void)state;
    learn_case sets = sets_new(1, 8, 30, 0, 0.5), plain = sets_new(1, 7, 40, 0, 0);
    sp_model *states = learn_rules_model(&learn_rules_all[5], 1, false);
    sp_fit_options options = sp_fit_options_default();
    options.features = SP_FEATURES_NONE;
    options.tune = SP_TUNE_NONE;
    options.method = SP_FIT_CRF;
    options.memory = 3;
    refused(&sets.training, &options,
            "`memory` 3: how long a class has lasted is not known where labels leave classes open");
    options.rules = states;
    refused(&plain.training, &options, "`memory` 3: model some has states or durations of its own");
    options.memory = 0;
    refused(&plain.training, &options, "memory 0: a number of steps from 1 to 1000");
    options.memory = 1;
    sp_training silent = plain.training;
    silent.batch.scores.data = NULL;
    refused(&silent, &options, "scores");
    options.method = SP_FIT_COUNTS;
    for (int64_t t = 0; t < plain.training.batch.scores.n_steps; t++)
        plain.labels[t] = -1;
    options.rules = states;
    refused(&plain.training, &options, "no labelled step to learn from in 7 recordings");
    sp_model_free(states);
    learn_case_free(&sets);
    learn_case_free(&plain);
}

static sp_status attempt(void *arg)
{
    const learn_case *c = arg;
    sp_model *model = NULL;
    sp_fit_options options = sp_fit_options_default();
    sp_workers *workers = sp_workers_new(1);
    options.tune = SP_TUNE_NONE;
    const sp_status status =
        workers ? sp_fit(&c->training, &options, workers, &model, NULL, NULL) : SP_ENOMEM;
    assert_true((status == SP_OK) == (model != NULL));
    sp_model_free(model);
    sp_workers_free(workers);
    return status;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    learn_case c = sets_new(3, 2, 6, 0, 0.5);
    assert_true(assert_each_alloc_may_fail(attempt, &c) > 20);
    learn_case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_of_one_class_are_classes),
        cmocka_unit_test(sets_are_learnt_from),
        cmocka_unit_test(shares_of_classes),
        cmocka_unit_test(sets_may_break_rules),
        cmocka_unit_test(sets_alone),
        cmocka_unit_test(sparse_labels),
        cmocka_unit_test(a_class_that_comes_back),
        cmocka_unit_test(states_become_different),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
