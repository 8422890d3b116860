/* Fitting: counts by hand, EM, degenerate data, folds, tuning, calibration. */
#include "check.h"
#include "failing_alloc.h"
#include "learn/learn.h"
#include "learn/training.h"
#include "learn_case.h"

static const char *const names[CASE_K] = {"a", "b", "c", "d"};

/* Smoothed counts against numbers worked out by hand; a forbidden pair in the labels is counted and not learnt. */
static void test_counts(void **state)
{
    (void)state;
    sp_error err;
    /* a a b b b | c -1 a, with a -> c and c -> anything but c, a forbidden; c -> b seen in the third recording */
    int32_t labels[] = {0, 0, 1, 1, 1, 2, -1, 0, 2, 1};
    int64_t offsets[] = {0, 5, 8, 10};
    sp_training training = {.batch = {{NULL, SP_F64, 3, 10, NULL}, 3, offsets}, .labels = labels, .classes = names};
    sp_rules rules;
    assert_ok(sp_rules_init(&rules, NULL, 3, names, &err), &err);
    rules.allow[0 * 3 + 2] = 0;
    rules.allow[2 * 3 + 1] = 0;
    sp_model *model;
    sp_violations broken;
    assert_ok(sp_model_from_labels(&training, &rules, 0.5, "m", &model, &broken, &err), &err);
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
    sp_violations_clear(&broken);
    sp_model_free(model);
    sp_rules_clear(&rules);
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
    sp_training training = {.batch = {{NULL, SP_F64, 2, n, NULL}, 1, offsets}, .labels = labels, .classes = names};
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

/* The log likelihood never falls, zeros stay zero, and the truth is nearer at the end than at the beginning. */
static void test_em(void **state)
{
    (void)state;
    sp_error err;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        learn_case c = learn_case_new(seed, 20, 80, CASE_K, 0);
        sp_rules rules;
        assert_ok(sp_rules_init(&rules, NULL, CASE_K, NULL, &err), &err);
        rules.allow[0 * CASE_K + 2] = rules.allow[3 * CASE_K + 1] = 0;
        rules.start[3] = 0;
        if (seed % 2 == 0) {
            c.training.batch.scores.segments = c.segments;
            for (int64_t t = 0; t < c.training.batch.scores.n_steps; t++)
                c.segments[t] = t / 31;
        }
        double values[61];
        int n;
        sp_model *model;
        sp_workers *workers = sp_workers_new(2);
        assert_ok(sp_model_from_em(&c.training, &rules, 60, 0, workers, "em", &model, values, &n, &err), &err);
        assert_true(n >= 5);
        for (int i = 1; i <= n; i++)
            assert_true(values[i] >= values[i - 1] - 1e-9 * fabs(values[i]));
        assert_true(values[n] > values[0] + 1);
        assert_int_equal(sp_model_edge(model, 0, 2), -1);
        assert_int_equal(sp_model_edge(model, 3, 1), -1);
        assert_true(model->start[3] == -INFINITY);
        assert_ok(sp_model_check(model, &err), &err);
        sp_model_free(model);
        sp_workers_free(workers);
        sp_rules_clear(&rules);
        learn_case_free(&c);
    }
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
                assert_non_null(strstr(model->description, sp_fit_method_name(options.method)));
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

/* Groups stay together, every fold has something, too many folds are refused. */
static void test_folds(void **state)
{
    (void)state;
    sp_error err;
    int64_t offsets[] = {0, 10, 30, 31, 60, 61, 70, 100, 101, 130};
    sp_batch batch = {.n_recordings = 9, .offsets = offsets};
    int32_t group[] = {5, 5, 2, 2, 9, 9, 9, 1, 1}, fold[9];
    assert_ok(sp_folds_assign(&batch, group, 3, fold, &err), &err);
    bool has[3] = {false};
    for (int n = 0; n < 9; n++) {
        has[fold[n]] = true;
        for (int m = 0; m < n; m++)
            if (group[m] == group[n])
                assert_int_equal(fold[m], fold[n]);
    }
    assert_true(has[0] && has[1] && has[2]);
    assert_int_equal(sp_folds_assign(&batch, group, 5, fold, &err), SP_EINVAL);
    assert_ok(sp_folds_assign(&batch, NULL, 9, fold, &err), &err);
    for (int n = 0; n < 9; n++)
        for (int m = 0; m < n; m++)
            assert_int_not_equal(fold[m], fold[n]);
    assert_int_equal(sp_folds_assign(&batch, NULL, 1, fold, &err), SP_EINVAL);
}

/* A recording's model never saw it: turning its labels into nonsense changes neither its model nor its path. */
static void test_never_seen(void **state)
{
    (void)state;
    sp_error err;
    learn_case c = learn_case_new(77, 9, 40, CASE_K, 0);
    int64_t S = c.training.batch.scores.n_steps;
    int32_t fold[9], *paths[2] = {malloc((size_t)S * sizeof **paths), malloc((size_t)S * sizeof **paths)};
    sp_workers *workers = sp_workers_new(2);
    sp_fit_options options = sp_fit_options_default();
    options.n_folds = 3;
    assert_ok(sp_folds_assign(&c.training.batch, NULL, 3, fold, &err), &err);
    sp_decode_options viterbi = sp_decode_options_default();
    for (int round = 0; round < 2; round++) {
        sp_model *models[3];
        for (int32_t f = 0; f < 3; f++)
            assert_ok(sp_cross_fit(&c.training, &options, fold, f, workers, &models[f], &err), &err);
        sp_decode_output output = {.paths = paths[round]};
        assert_ok(sp_cross_decode(&c.training, (const sp_model *const *)models, fold, 3, &viterbi, workers, &output, &err), &err);
        for (int f = 0; f < 3; f++)
            sp_model_free(models[f]);
        for (int64_t n = 0; n < 9; n++)
            for (int64_t t = c.offsets[n]; fold[n] == 1 && t < c.offsets[n + 1]; t++)
                c.labels[t] = (int32_t)(t % CASE_K);
    }
    int64_t n_other = 0;
    for (int64_t n = 0; n < 9; n++)
        for (int64_t t = c.offsets[n]; t < c.offsets[n + 1]; t++)
            if (fold[n] == 1)
                assert_int_equal(paths[0][t], paths[1][t]);
            else
                n_other += paths[0][t] != paths[1][t];
    assert_true(n_other > 0); /* the others' models did see it */
    free(paths[0]);
    free(paths[1]);
    sp_workers_free(workers);
    learn_case_free(&c);
}

/* A step that says nothing (a row of zeros) is left alone by the prior of its fold's model, as outside of folds. */
static void test_silent_step_in_a_fold(void **state)
{
    (void)state;
    enum { S = 2, K = 2 };
    const char *classes[K] = {"common", "rare"};
    const double scores[S * K] = {0, 0, -0.7, -0.7};
    const int64_t offsets[] = {0, S};
    const int32_t labels[S] = {0, 0}, fold[] = {0};
    const uint8_t allow[K * K] = {1, 1, 1, 1};
    int32_t path[S];
    sp_error err;
    sp_model *model = sp_model_new("two", K, classes);
    assert_ok(sp_model_set_matrix(model, allow, NULL, &err), &err);
    model->prior = malloc(K * sizeof *model->prior);
    model->prior[0] = 0.9;
    model->prior[1] = 0.1;
    model->prior_weight = 1;
    const sp_training training = {.batch = {{scores, SP_F64, K, S, NULL}, 1, offsets}, .labels = labels};
    const sp_model *models[] = {model};
    const sp_decode_options options = sp_decode_options_default();
    const sp_decode_output output = {.paths = path};
    sp_workers *workers = sp_workers_new(1);
    assert_ok(sp_cross_decode(&training, models, fold, 1, &options, workers, &output, &err), &err);
    assert_int_equal(path[0], 0);
    assert_int_equal(path[1], 1); /* the prior is taken out: the rare class is the likelier one */
    sp_workers_free(workers);
    sp_model_free(model);
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
    sp_training training = {.batch = {{scores, SP_F64, K, S, NULL}, 1, offsets}, .labels = labels, .classes = names};
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

/* e / T - weight log prior and back; -inf stays, a row of zeros says nothing and stays. */
static void test_scaled_rows(void **state)
{
    (void)state;
    const double e[] = {-1, -2, -INFINITY, 0, 0, 0}, log_prior[] = {-0.5, -1.5, -1},
                 wanted[] = {-0.5 + 0.2, -1 + 0.6, -INFINITY, 0, 0, 0};
    double made[6], back[6];
    sp_scores_scaling by = {2, 0.4, log_prior, false};
    sp_scale_rows(&(sp_scores){e, SP_F64, 3, 2, NULL}, &by, made);
    by.undo = true;
    sp_scale_rows(&(sp_scores){made, SP_F64, 3, 2, NULL}, &by, back);
    for (int i = 0; i < 6; i++) {
        assert_true(made[i] == wanted[i] || fabs(made[i] - wanted[i]) < 1e-15);
        assert_true(back[i] == e[i] || fabs(back[i] - e[i]) < 1e-15);
    }
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_run_lengths),
        cmocka_unit_test(test_em),
        cmocka_unit_test(test_degenerate),
        cmocka_unit_test(test_folds),
        cmocka_unit_test(test_never_seen),
        cmocka_unit_test(test_silent_step_in_a_fold),
        cmocka_unit_test(test_calibration),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_scaled_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
