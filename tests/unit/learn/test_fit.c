/* Fitting: counts by hand, degenerate data, tuning, calibration. test_training.c has EM and folds. */
#include "check.h"
#include "failing_alloc.h"
#include "learn_case.h"
#include "statepath/learn.h"
#include "statepath/model_json.h"

static const char *const names[CASE_K] = {"a", "b", "c", "d"};

/* Smoothed counts against numbers worked out by hand; a forbidden pair in the labels is counted and not learnt. */
static void test_counts(void **state)
{
    (void)state;
    sp_error err;
    /* a a b b b | c -1 a, with a -> c and c -> anything but c, a forbidden; c -> b seen in the third recording */
    int32_t labels[] = {0, 0, 1, 1, 1, 2, -1, 0, 2, 1};
    int64_t offsets[] = {0, 5, 8, 10};
    sp_training training = {
        .batch = {{NULL, SP_F64, 3, 10, NULL, NULL, NULL}, 3, offsets}, .labels = labels, .classes = names};
    sp_model *rules = sp_model_new("rules", 3, names), *model;
    assert_non_null(rules);
    assert_ok(sp_model_set_matrix(rules, (const uint8_t[]){1, 1, 0, 1, 1, 1, 1, 0, 1}, NULL, &err), &err);
    sp_fit_options options = sp_fit_options_default();
    options.tune = SP_TUNE_NONE;
    options.rules = rules;
    options.smoothing = 0.5;
    sp_workers *workers = sp_workers_new(1);
    sp_fit_report report;
    assert_ok(sp_fit(&training, &options, workers, &model, &report, &err), &err);
    const sp_violations broken = report.violations;
    assert_int_equal(broken.illegal, 1);
    assert_int_equal(broken.illegal_pairs[2 * 3 + 1], 1);
    assert_int_equal(broken.scored, 9);
    assert_int_equal(sp_model_edge(model, 0, 2), -1);
    assert_int_equal(sp_model_edge(model, 2, 1), -1);
    assert_close(exp(model->weight[sp_model_edge(model, 0, 0)]), 1.5 / 3, 0, 1e-12);   /* a: 1 stay, 1 to b */
    assert_close(exp(model->weight[sp_model_edge(model, 1, 1)]), 2.5 / 3.5, 0, 1e-12); /* b: 2 stays of 2 */
    assert_close(exp(model->weight[sp_model_edge(model, 2, 0)]), 0.5, 0, 1e-12);       /* c: nothing seen */
    assert_close(exp(model->start[0]), 1.5 / 4.5, 0, 1e-12);                           /* a once, c twice */
    assert_close(model->prior[1], 4.5 / 10.5, 0, 1e-12);                               /* b 4 of 9 */
    sp_run_lengths runs[3];
    assert_ok(sp_run_lengths_collect(&training, 0.05, runs, &err), &err);
    assert_int_equal(runs[0].n + runs[1].n + runs[2].n, 0); /* no run has both ends in sight */
    sp_fit_report_clear(&report);
    sp_model_free(model);
    sp_model_free(rules);
    sp_workers_free(workers);
}

static void test_run_lengths(void **state)
{
    (void)state;
    sp_error err;
    int32_t labels[64];
    int64_t offsets[] = {0, 0}, n = 0;
    for (int i = 0; i < 8; i++) { /* b for 1 .. 7 steps between single a */
        labels[n++] = 0;
        for (int j = 0; j < i; j++)
            labels[n++] = 1;
    }
    labels[n++] = 0;
    offsets[1] = n;
    sp_training training = {
        .batch = {{NULL, SP_F64, 2, n, NULL, NULL, NULL}, 1, offsets}, .labels = labels, .classes = names};
    sp_run_lengths runs[2];
    assert_ok(sp_run_lengths_collect(&training, 0.3, runs, &err), &err);
    assert_int_equal(runs[1].n, 7);
    assert_close(runs[1].mean, 4, 0, 1e-12);
    assert_int_equal(runs[1].median, 4);
    assert_int_equal(runs[1].least, 1);
    assert_int_equal(runs[1].most, 7);
    assert_int_equal(runs[1].proposed_min_dwell, 3); /* 2 of 7 runs are shorter: 29 % */
    assert_int_equal(sp_run_lengths_collect(&training, 1, runs, &err), SP_EINVAL);
}

static void check_json(const sp_model *model)
{
    sp_error err;
    char *text;
    sp_model *again;
    assert_ok(sp_model_check(model, &err), &err);
    assert_ok(sp_model_to_json(model, &text, &err), &err);
    assert_ok(sp_model_from_json(text, "fitted", &again, &err), &err);
    assert_int_equal(again->row[again->n_states], model->row[model->n_states]);
    sp_model_free(again);
    free(text);
}

/* One recording, classes never seen, a class seen once, hardly any label, steps cut off: a model or a sentence, never nonsense.
 */
static void test_degenerate(void **state)
{
    (void)state;
    static const char *const methods[] = {"counts", "crf", "em"};
    sp_error err;
    sp_workers *workers = sp_workers_new(2);
    for (int v = 0; v < 6; v++)
        for (int m = 0; m < SP_N_FIT_METHODS; m++)
            for (int memory = 1; memory <= (m == SP_FIT_CRF ? 3 : 1); memory += 2) {
                learn_case c = learn_case_new(50 + (uint64_t)v, v == 0 ? 1 : 4, v == 5 ? 1 : 40,
                                              v == 1   ? 1
                                              : v == 2 ? 3
                                                       : 4,
                                              v == 4 ? 0.97 : 0);
                int64_t S = c.training.batch.scores.n_steps;
                for (int64_t t = 0; v == 3 && t < S; t++)
                    c.labels[t] = t == 7 ? 3 : c.labels[t] % 3; /* d once */
                c.labels[0] = 0;
                sp_fit_options options = sp_fit_options_default();
                options.method = (sp_fit_method)m;
                options.n_folds = 3;
                options.memory = memory;
                options.seen = v % 2;
                sp_model *model;
                sp_fit_report report;
                assert_ok(sp_fit(&c.training, &options, workers, &model, &report, &err), &err);
                check_json(model);
                const bool is_counts = m == SP_FIT_CRF && isinf(report.penalty);
                assert_non_null(strstr(model->description, is_counts
                                                               ? "counts, no random field tried being better"
                                                               : methods[m]));
                if (v == 0 && m == SP_FIT_COUNTS)
                    assert_true(isnan(report.after)); /* nothing to cross-validate with */
                sp_fit_report_clear(&report);
                sp_model_free(model);
                model = NULL;
                for (int64_t t = 0; t < S; t++)
                    c.labels[t] = -1;
                if (m != SP_FIT_EM) {
                    assert_int_equal(sp_fit(&c.training, &options, workers, &model, NULL, &err), SP_EINVAL);
                    assert_non_null(strstr(err.message, "no labelled step"));
                    c.training.labels = NULL;
                    assert_int_equal(sp_fit(&c.training, &options, workers, &model, NULL, &err), SP_EINVAL);
                    assert_null(model);
                }
                learn_case_free(&c);
            }
    sp_workers_free(workers);
}

/* Settings that gain nothing stay plain; a gain of many standard errors is taken; of two recordings, or groups, nothing is chosen. */
static void test_evidence(void **state)
{
    (void)state;
    enum { N = 12, T = 50, S = N * T };
    sp_error err;
    uint64_t random = 5;
    int32_t labels[S];
    int64_t offsets[N + 1];
    double e[S * 2];
    const int32_t two_groups[N] = {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
    for (int n = 0; n <= N; n++)
        offsets[n] = n * T;
    sp_training training = {
        .batch = {{e, SP_F64, 2, S, NULL, NULL, NULL}, N, offsets}, .labels = labels, .classes = names};
    sp_fit_options options = sp_fit_options_default();
    sp_workers *workers = sp_workers_new(1);
    for (int is_noisy = 0; is_noisy < 2; is_noisy++) {
        for (int t = 0; t < S; t++) {
            labels[t] = t % T == 0                      ? t / T % 2
                        : learn_uniform(&random) < 0.05 ? !labels[t - 1]
                                                        : labels[t - 1];
            const bool is_wrong =
                is_noisy && learn_uniform(&random) < 0.3; /* by 20 nats: plain settings follow it */
            e[2 * t + labels[t]] = is_wrong ? -20 : 0;
            e[2 * t + !labels[t]] = is_wrong ? 0 : -20;
        }
        sp_model *model;
        sp_fit_report report;
        assert_ok(sp_fit(&training, &options, workers, &model, &report, &err), &err);
        assert_null(report.untuned);
        if (is_noisy) {
            assert_true(model->temperature > 5 && report.after > report.before + 0.1);
        } else {
            assert_true(report.before == 1 && report.after == 1 && model->temperature == 1 &&
                        model->transition_weight == 1);
            assert_true(model->prior_weight == 0 &&
                        (!model->min_dwell || (model->min_dwell[0] == 1 && model->min_dwell[1] == 1)));
        }
        sp_fit_report_clear(&report);
        sp_model_free(model);
    }
    options.group = two_groups;
    sp_model *model;
    sp_fit_report report;
    assert_ok(sp_fit(&training, &options, workers, &model, &report, &err), &err);
    assert_non_null(report.untuned);
    assert_true(isnan(report.after) && isnan(report.before));
    assert_non_null(
        strstr(model->description, "; nothing was tuned: fewer than three labelled recordings (or groups)"));
    sp_fit_report_clear(&report);
    sp_model_free(model);
    sp_workers_free(workers);
}

/* Scores made three times too sharp: the temperature is found, and neither scaling makes the likelihood worse. */
static void test_calibration(void **state)
{
    (void)state;
    enum { S = 4000, K = 3 };
    sp_error err;
    double *scores = malloc(S * K * sizeof *scores);
    int32_t *labels = malloc(S * sizeof *labels);
    int64_t offsets[] = {0, S};
    uint64_t seed = 8;
    for (int t = 0; t < S; t++) {
        double e[K], sum = 0, u = learn_uniform(&seed);
        for (int k = 0; k < K; k++)
            sum += exp(e[k] = 4 * learn_uniform(&seed));
        labels[t] = -1;
        for (int k = 0; k < K; k++) {
            scores[t * K + k] = 3 * e[k];
            u -= exp(e[k]) / sum;
            if (u <= 0 && labels[t] < 0)
                labels[t] = k;
        }
    }
    sp_training training = {
        .batch = {{scores, SP_F64, K, S, NULL, NULL, NULL}, 1, offsets}, .labels = labels, .classes = names};
    sp_calibrated c;
    assert_ok(sp_calibrate(&training, &c, &err), &err);
    assert_close(c.temperature, 3, 0, 0.08);
    assert_true(c.by_temperature.nll < c.before.nll - 0.1);
    assert_true(c.by_vector.nll <= c.by_temperature.nll + 1e-9);
    assert_true(c.before.ece > 0.1 && c.by_temperature.ece < 0.03);
    for (int k = 0; k < K; k++) {
        assert_close(c.scale[k], 1.0 / 3, 0, 0.2);
        assert_close(c.bias[k], 0, 0.25, 0);
    }
    int64_t n = 0;
    for (int b = 0; b < SP_CALIBRATE_BINS; b++)
        n += c.by_vector.count[b];
    assert_int_equal(n, S);
    sp_calibrated_clear(&c);
    training.labels = NULL;
    assert_int_equal(sp_calibrate(&training, &c, &err), SP_EINVAL);
    free(scores);
    free(labels);
}

typedef struct attempt {
    learn_case c;
    sp_fit_options options;
    sp_workers *workers;
} attempt;

static sp_status try_fit(void *arg)
{
    attempt *a = arg;
    sp_model *model = NULL;
    sp_fit_report report = {.iterations = -5};
    sp_status status = sp_fit(&a->c.training, &a->options, a->workers, &model, &report, NULL);
    if (status == SP_OK) {
        sp_model_free(model);
        sp_fit_report_clear(&report);
    } else {
        assert_null(model);
        assert_int_equal(report.iterations, -5);
    }
    return status;
}

/* Tags of one type, decided badly. */
typedef struct tied_attempt {
    sp_training training;
    sp_workers *workers;
    sp_tied_aim aim;
} tied_attempt;

static sp_status try_tied(void *arg)
{
    tied_attempt *a = arg;
    sp_model *model = NULL;
    sp_tied_report report;
    const sp_status status = sp_fit_tied(&a->training, NULL, &a->aim, a->workers, &model, &report, NULL);
    assert_true((status == SP_OK) == (model != NULL));
    assert_true((status == SP_OK) == (report.points.types != NULL));
    sp_tied_report_clear(&report);
    sp_model_free(model);
    return status;
}

static void test_tied_memory(void **state)
{
    static const char *const tags[] = {"O", "B-A", "I-A", "E-A", "S-A"};
    static const int32_t labels[] = {0, 1, 3, 0, 4, 0, 0, 1, 2, 3, 0, 0};
    static const int64_t offsets[] = {0, 6, 12};
    enum { T = 12, K = 5 };
    double scores[T * K];
    (void)state;
    for (int i = 0; i < T * K; i++)
        scores[i] = i % K == labels[i / K] ? -1 : i % K ? -2.5 : -1.25;
    tied_attempt a = {.training = {.batch = {{scores, SP_F64, K, T, NULL, NULL, NULL}, 2, offsets},
                                   .labels = labels,
                                   .classes = tags},
                      .workers = sp_workers_new(1)};
    assert_int_equal(sp_tied_aim_read("f1", &a.aim, NULL), SP_OK);
    a.aim.scheme = "bioes";
    a.aim.with_curve = true;
    assert_true(assert_each_alloc_may_fail(try_tied, &a) > 20);
    sp_workers_free(a.workers);
}

static void test_memory(void **state)
{
    (void)state;
    for (int m = 0; m < SP_N_FIT_METHODS; m++) {
        attempt a = {learn_case_new(5, 3, 6, CASE_K, 0), sp_fit_options_default(), sp_workers_new(1)};
        a.options.method = (sp_fit_method)m;
        a.options.tune = SP_TUNE_NONE;
        a.options.seen = 1;
        assert_true(assert_each_alloc_may_fail(try_fit, &a) > 5);
        sp_workers_free(a.workers);
        learn_case_free(&a.c);
    }
}

/* Several classifiers: of two that are the same the first is taken as if it were alone; what says nothing of the labels plays no part; two
 * that err apart are better than each; what one calls impossible at a label is not learnt from. Each allocation may fail. */
static void test_fusion(void **state)
{
    (void)state;
    sp_error err;
    static const char *const classifiers[] = {"first", "second", "third"};
    learn_case c = learn_case_new(11, 20, 80, CASE_K, 0);
    const int64_t size = c.training.batch.scores.n_steps * CASE_K;
    double *apart = malloc((size_t)size * sizeof(double)), *noise = malloc((size_t)size * sizeof(double));
    sp_workers *workers = sp_workers_new(2);
    uint64_t seed = 3;
    for (int64_t i = 0; i < size; i++) {
        apart[i] = -3 * learn_uniform(&seed) + (i % CASE_K == c.labels[i / CASE_K] ? 0.8 : 0);
        noise[i] = -3 * learn_uniform(&seed);
    }
    sp_fit_options options = sp_fit_options_default();
    options.features = SP_FEATURES_NONE;
    sp_model *model, *alone;
    sp_fit_report report;
    assert_ok(sp_fit(&c.training, &options, workers, &alone, NULL, &err), &err);
    assert_null(alone->fusion);
    for (int v = 0; v < 2; v++) { /* the same, noise */
        c.training.n_beside = 1;
        c.training.beside = (const double *const[]){v ? noise : c.scores};
        c.training.classifiers = classifiers;
        assert_ok(sp_fit(&c.training, &options, workers, &model, &report, &err), &err);
        assert_int_equal(report.fusion.kept, SP_FUSION_ALONE);
        assert_int_equal(report.fusion.best, 0);
        assert_true(model->fusion->weights[0] == 1 && model->fusion->weights[1] == 0);
        assert_true(v ? report.fusion.learnt_weights[1] < 0.1
                      : fabs(report.fusion.learnt_weights[0] - 0.5) < 1e-3);
        assert_true(v ? report.fusion.figure[1] < report.fusion.figure[0] : report.fusion.mean_gain == 0);
        assert_int_equal(model->row[CASE_K], alone->row[CASE_K]);
        assert_memory_equal(model->weight, alone->weight, (size_t)model->row[CASE_K] * sizeof(double));
        assert_true(model->temperature == alone->temperature && model->prior_weight == alone->prior_weight);
        check_json(model);
        sp_fit_report_clear(&report);
        sp_model_free(model);
    }
    c.training.n_beside = 2;
    c.training.beside = (const double *const[]){apart, noise};
    assert_ok(sp_fit(&c.training, &options, workers, &model, &report, &err), &err);
    assert_int_equal(report.fusion.n, 3);
    assert_int_equal(report.fusion.kept, SP_FUSION_LEARNT);
    assert_true(report.fusion.learnt_gain > report.fusion.learnt_error &&
                report.fusion.learnt > report.fusion.mean);
    assert_true(report.fusion.weights[2] < 0.1 &&
                fabs(report.fusion.weights[0] - report.fusion.weights[1]) < 0.2);
    assert_memory_equal(model->fusion->weights, report.fusion.weights, 3 * sizeof(double));
    assert_string_equal(model->fusion->names[2], "third");
    sp_fit_report_clear(&report);
    sp_model_free(model);
    for (int64_t t = 0; t < size / CASE_K; t++) /* a label that is impossible by one of them */
        apart[t * CASE_K + c.labels[t]] = t % 9 ? apart[t * CASE_K + c.labels[t]] : -INFINITY;
    options.tune = SP_TUNE_NONE;
    assert_ok(sp_fit(&c.training, &options, workers, &model, &report, &err), &err);
    assert_int_equal(report.fusion.best, -1);
    assert_true(report.fusion.weights[1] > 0.2 && report.violations.impossible > size / CASE_K / 10);
    sp_fit_report_clear(&report);
    sp_model_free(model);
    model = NULL;
    options.method = SP_FIT_EM;
    assert_int_equal(sp_fit(&c.training, &options, workers, &model, NULL, &err), SP_EINVAL);
    c.training.n_beside = SP_MOST_CLASSIFIERS;
    options.method = SP_FIT_COUNTS;
    assert_int_equal(sp_fit(&c.training, &options, workers, &model, NULL, &err), SP_EINVAL);
    assert_non_null(strstr(err.message, "at most 16 are fused"));
    assert_null(model);
    free(apart);
    free(noise);
    sp_model_free(alone);
    sp_workers_free(workers);
    learn_case_free(&c);
}

static void test_fusion_memory(void **state)
{
    (void)state;
    attempt a = {learn_case_new(5, 2, 6, CASE_K, 0), sp_fit_options_default(), sp_workers_new(1)};
    a.c.training.n_beside = 1;
    a.c.training.beside = (const double *const[]){a.c.scores};
    a.c.training.classifiers = names;
    a.options.features = SP_FEATURES_NONE;
    a.options.n_folds = 2;
    assert_true(assert_each_alloc_may_fail(try_fit, &a) > 20);
    sp_workers_free(a.workers);
    learn_case_free(&a.c);
}

/* Recordings of even number are sure of what the rules forbid: no path without a floor. */
static void test_floor(void **state)
{
    enum { N = 8, T = 12, K = CASE_K };
    double scores[N * T * K];
    int32_t labels[N * T];
    int64_t offsets[N + 1] = {0};
    (void)state;
    for (int i = 0; i < N * T; i++) {
        const int t = i % T;
        labels[i] = t < 6 ? 0 : 1 + (i / T) % 2;
        for (int k = 0; k < K; k++)
            scores[i * K + k] = k == labels[i] ? log(0.7) : log(0.1);
        for (int k = 0; k < K && (i / T) % 2 == 0 && (t == 3 || t == 4); k++)
            scores[i * K + k] = k == (t == 3 ? 0 : 3) ? 0 : -INFINITY;
        offsets[i / T + 1] = i + 1;
    }
    sp_error err;
    sp_model *rules = sp_model_new("rules", K, names);
    assert_non_null(rules);
    assert_ok(sp_model_set_matrix(rules, (const uint8_t[]){1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
                                  NULL, &err),
              &err);
    attempt a = {.options = sp_fit_options_default(), .workers = sp_workers_new(1)};
    a.c.training = (sp_training){.batch = {{scores, SP_F64, K, N * T, NULL, NULL, NULL}, N, offsets},
                                 .labels = labels,
                                 .classes = names};
    a.options.rules = rules;
    a.options.features = SP_FEATURES_NONE;
    for (int may = 0; may < 2; may++) {
        sp_model *model;
        sp_fit_report report;
        a.c.training.may_have_floor = may;
        assert_ok(sp_fit(&a.c.training, &a.options, a.workers, &model, &report, &err), &err);
        assert_int_equal(report.n_lost, may ? N / 2 : 0);
        assert_true(may ? model->floor > 0 && model->floor == report.floor : isnan(model->floor));
        sp_fit_report_clear(&report);
        sp_model_free(model);
    }
    a.options.n_folds = 2;
    assert_true(assert_each_alloc_may_fail(try_fit, &a) > 20);
    sp_model_free(rules);
    sp_workers_free(a.workers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),      cmocka_unit_test(test_run_lengths),
        cmocka_unit_test(test_degenerate),  cmocka_unit_test(test_evidence),
        cmocka_unit_test(test_calibration), cmocka_unit_test(test_memory),
        cmocka_unit_test(test_tied_memory), cmocka_unit_test(test_floor),
        cmocka_unit_test(test_fusion),      cmocka_unit_test(test_fusion_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
