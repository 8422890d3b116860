/* Fitting: counts by hand, degenerate data, figures that settings are chosen by, evidence, calibration; tests/laws/test_learning_law.c has
 * what is learnt. */
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
    sp_training training = learn_training(3, 3, offsets, NULL, labels, names);
    sp_model *rules = sp_model_new("rules", 3, names), *model;
    assert_non_null(rules);
    assert_ok(sp_model_set_matrix(rules, (const uint8_t[]){1, 1, 0, 1, 1, 1, 1, 0, 1}, NULL, &err), &err);
    sp_fit_options options = sp_fit_options_default();
    options.tune = SP_TUNE_NONE;
    options.rules = rules;
    options.smoothing = 0.5;
    sp_fit_report report;
    model = learn_fitted(&training, &options, &report);
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
    sp_training training = learn_training(2, 1, offsets, NULL, labels, names);
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
                sp_fit_report report;
                sp_model *model = learn_fitted(&c.training, &options, &report);
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
    uint64_t random = 5;
    int32_t labels[S] = {0};
    int64_t offsets[N + 1];
    double e[S * 2] = {0};
    const int32_t two_groups[N] = {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1},
                  three_groups[N] = {7, 5, 6, 7, 5, 6, 7, 5, 6, 7, 5, 6};
    for (int n = 0; n <= N; n++)
        offsets[n] = n * T;
    sp_training training = learn_training(2, N, offsets, e, labels, names);
    sp_fit_options options = sp_fit_options_default();
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
        sp_fit_report report;
        sp_model *model = learn_fitted(&training, &options, &report);
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
    /* A third of the recordings is better decoded by other settings, a third, of short runs, worse. Over twelve recordings that is evidence, over
     * three groups of them it is none. */
    for (int t = 0; t < S; t++) {
        const int third = t / T % 3;
        labels[t] = t % T == 0                                            ? t / T % 2
                    : learn_uniform(&random) < (third == 1 ? 0.12 : 0.05) ? !labels[t - 1]
                                                                          : labels[t - 1];
        const bool is_wrong = third == 0 && learn_uniform(&random) < 0.3;
        e[2 * t + labels[t]] = is_wrong ? -20 : 0;
        e[2 * t + !labels[t]] = is_wrong ? 0 : -20;
    }
    for (int is_grouped = 0; is_grouped < 2; is_grouped++) {
        sp_model *model;
        sp_fit_report report;
        options.group = is_grouped ? three_groups : NULL;
        options.features = SP_FEATURES_NONE;
        model = learn_fitted(&training, &options, &report);
        assert_int_equal(report.after == report.before, is_grouped);
        sp_fit_report_clear(&report);
        sp_model_free(model);
    }
    options.group = two_groups;
    sp_fit_report report;
    sp_model *model = learn_fitted(&training, &options, &report);
    assert_non_null(report.untuned);
    assert_true(isnan(report.after) && isnan(report.before));
    assert_non_null(
        strstr(model->description, "; nothing was tuned: fewer than three labelled recordings (or groups)"));
    sp_fit_report_clear(&report);
    sp_model_free(model);
}

/* The figure of plain settings in the folds, by hand: scores so sure that every model decodes the same path. Of several figures it is their
 * mean; a cost is of a labelled step. Each recording stands there twice, and one of a single
 * step without a segment. */
static void test_figures(void **state)
{
    (void)state;
    enum { N = 5, T = 10, S = 4 * T + 1, K = 3 };
    static const char *const actions[] = {"background", "pour", "stir"}, *const tags[] = {"O", "B-x", "I-x"};
    static const int32_t labels_of[2 * T] = {0, 0, 1, 1, 1, 2, 2, 0, 0, -1, 1, 1, 1, 2, 2, 2, 2, 1, 1, 1};
    static const int32_t path_of[2 * T] = {0, 1, 1, 1, 0, 2, 1, 0, 0, 2, 1, 1, 2, 2, 2, 2, 1, 1, 1, 0};
    static const double costs[] = {0, 1, 1, 5, 0, 1, 1, 2.5, 0};
    const int64_t offsets[] = {0, T, 2 * T, 3 * T, 4 * T, S};
    int32_t labels[S];
    double scores[S * K], figure[SP_N_TUNES];
    for (int i = 0; i < S; i++) {
        labels[i] = labels_of[i % (2 * T)];
        for (int k = 0; k < K; k++)
            scores[i * K + k] = k == path_of[i % (2 * T)] ? 0 : -1e4;
    }
    for (int tune = SP_TUNE_ACCURACY; tune < SP_N_TUNES; tune++) {
        sp_fit_options options = sp_fit_options_default();
        sp_fit_report report;
        sp_model *model;
        if (tune == SP_TUNE_NLL)
            continue;
        const sp_training training =
            learn_training(K, N, offsets, scores, labels, tune == SP_TUNE_ENTITY_F1 ? tags : actions);
        options.tune = (sp_tune)tune;
        options.costs = tune == SP_TUNE_COST ? costs : NULL;
        options.features = SP_FEATURES_NONE;
        model = learn_fitted(&training, &options, &report);
        figure[tune] = report.before;
        sp_fit_report_clear(&report);
        sp_model_free(model);
    }
    assert_close(figure[SP_TUNE_ACCURACY], 27. / 39, 1e-12, 0);
    assert_close(figure[SP_TUNE_STAGES],
                 (figure[SP_TUNE_ACCURACY] + figure[SP_TUNE_KAPPA] + figure[SP_TUNE_MACRO_F1]) / 3, 1e-12, 0);
    assert_close(figure[SP_TUNE_COST], -2 * (1 + 5 + 2.5 + 1 + 2.5 + 5) / 39, 1e-12, 0);
    /* Segments, background aside: pour, stir and pour, stir, pour of two of each; then pour, stir, pour on both sides. Of the first
     * pour 2 of 4 steps overlap, of stir 1 of 2, of the second's last pour 2 of 4. */
    const double edit = (1 - 1. / 3 + 1) / 2, f1 = 2. * 5 / (5 + 6);
    assert_close(figure[SP_TUNE_SEGMENTS], (27. / 39 + edit + f1) / 3, 1e-12, 0);
    /* All runs: 0 1 2 0 against 0 1 0 2 1 0, two more; 1 2 1 against 1 2 1 0, one more; 0 against 0. */
    assert_close(figure[SP_TUNE_EDIT], (2 * (1 - 2. / 6 + 1 - 1. / 4) + 1) / 5, 1e-12, 0);
    /* As tags O O B B B I I O O . against O B B B O I B O O ., 2 of 3 and 5 right; B B B I I I I B B B against
     * B B I I I I B B B O, 3 of 6 and 5. */
    assert_close(figure[SP_TUNE_ENTITY_F1], 2. * (2 + 3) / (3 + 5 + 6 + 5), 1e-12, 0);
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
    sp_training training = learn_training(K, 1, offsets, scores, labels, names);
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
        cmocka_unit_test(test_figures),     cmocka_unit_test(test_floor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
