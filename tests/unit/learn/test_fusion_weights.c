/* Learning from several classifiers' scores, and biases of a tagger: weights by finite differences, at their minimum, kept or not; names of
 * the rules; each allocation failing once. */
#include "check.h"
#include "failing_alloc.h"
#include "learn_case.h"
#include "statepath/learn.h"
#include "statepath/model_json.h"

/* sp_fit() gives the weights, not the objective that they minimise; models of folds are not in the report. */
#include "core/model/fusion.h"
#include "evaluate/comparison.h"
#include "learn/crf/crf.h"
#include "learn/learn.h"
#include "learn/tune.h"

static const char *const names[CASE_K] = {"a", "b", "c", "d"};

enum { SETS = 3 };

/* Sets of scores of the same labels, the first that of the case; the last says nothing of them. */
typedef struct weighed {
    learn_case c;
    sp_model *declared;
    sp_rules rules;
    sp_crf *crf;
    double *sets[SETS], *theta;
} weighed;

static void weighed_open(weighed *w, int v, double sharpness)
{
    sp_error err;
    *w = (weighed){.c = learn_case_new(40 + (uint64_t)v, 14, 60, CASE_K, 0.05)};
    w->declared = learn_rules_model(&learn_rules_all[v % 2 ? 2 : 0], (uint64_t)v, false);
    assert_ok(sp_rules_init(&w->rules, w->declared, CASE_K, w->c.training.classes, &err), &err);
    const int64_t size = w->c.training.batch.scores.n_steps * CASE_K;
    uint64_t seed = 5 + (uint64_t)v;
    for (int i = 0; i < SETS; i++) {
        w->sets[i] = malloc((size_t)size * sizeof(double));
        for (int64_t j = 0; j < size; j++)
            w->sets[i][j] = sharpness * (-3 * learn_uniform(&seed) +
                                         (i < 2 && j % CASE_K == w->c.labels[j / CASE_K] ? 0.8 : 0));
    }
    memcpy(w->c.scores, w->sets[0], (size_t)size * sizeof(double));
    assert_ok(sp_crf_new(&w->c.training, &w->rules, 1, &w->crf, &err), &err);
    w->theta = malloc((size_t)sp_crf_n_parameters(w->crf) * sizeof(double));
    assert_ok(sp_crf_from_counts(w->crf, 0.5, &(sp_crf_weights){1, 1, 0}, NULL, w->theta, &err), &err);
}

static void weighed_free(weighed *w)
{
    for (int i = 0; i < SETS; i++)
        free(w->sets[i]);
    free(w->theta);
    sp_crf_free(w->crf);
    sp_rules_clear(&w->rules);
    sp_model_free(w->declared);
    learn_case_free(&w->c);
}

/* One set is the scale; several are one set of their weighted sum; the gradient by central differences, with impossible classes. */
static void test_weights_objective(void **state)
{
    (void)state;
    sp_error err;
    sp_workers *workers = sp_workers_new(2);
    for (int v = 0; v < 4; v++) {
        weighed w;
        weighed_open(&w, v, 1);
        const int64_t size = w.c.training.batch.scores.n_steps * CASE_K;
        for (int64_t j = 3; j < size; j += 17)
            w.sets[j % SETS][j] = j % CASE_K == w.c.labels[j / CASE_K] ? w.sets[0][j] : -INFINITY;
        memcpy(w.c.scores, w.sets[0], (size_t)size * sizeof(double));
        sp_crf_free(w.crf);
        assert_ok(sp_crf_new(&w.c.training, &w.rules, 1, &w.crf, &err), &err);
        double one, other, up, down, weight[SETS] = {0.7, 0.2, 0.4}, gradient[SETS];
        sp_crf_scores scores = {1, (const double *const *)w.sets, 0};
        w.theta[0] = 0.7;
        assert_ok(sp_crf_weights_objective(w.crf, w.theta, &scores, weight, workers, &one, NULL, &err), &err);
        assert_ok(sp_crf_objective(w.crf, w.theta, NULL, workers, &other, NULL, &err), &err);
        assert_close(one, other, 1e-9, 1e-12);
        scores.n = SETS;
        assert_ok(sp_crf_weights_objective(w.crf, w.theta, &scores, weight, workers, &one, gradient, &err),
                  &err);
        for (int c = 0; c < SETS; c++) {
            const double h = 1e-5, kept = weight[c];
            weight[c] = kept + h;
            assert_ok(sp_crf_weights_objective(w.crf, w.theta, &scores, weight, workers, &up, NULL, &err),
                      &err);
            weight[c] = kept - h;
            assert_ok(sp_crf_weights_objective(w.crf, w.theta, &scores, weight, workers, &down, NULL, &err),
                      &err);
            weight[c] = kept;
            assert_close((up - down) / (2 * h), gradient[c], 1e-6, 1e-6);
        }
        for (int64_t j = 0; j < size; j++)
            w.c.scores[j] = weight[0] * w.sets[0][j] + weight[1] * w.sets[1][j] + weight[2] * w.sets[2][j];
        sp_crf *sum;
        assert_ok(sp_crf_new(&w.c.training, &w.rules, 1, &sum, &err), &err);
        w.theta[0] = 1;
        assert_ok(sp_crf_objective(sum, w.theta, NULL, workers, &other, NULL, &err), &err);
        assert_close(one, other, 1e-9, 1e-12);
        scores.penalty = 3; /* draws to equal weights */
        assert_ok(sp_crf_weights_objective(w.crf, w.theta, &scores, weight, workers, &up, NULL, &err), &err);
        double away = 0;
        for (int c = 0; c < SETS; c++)
            away += 1.5 * (weight[c] - 1. / SETS) * (weight[c] - 1. / SETS);
        assert_close(up, one + away, 1e-9, 1e-12);
        sp_crf_free(sum);
        weighed_free(&w);
    }
    sp_workers_free(workers);
}

/* Weight 0 takes nothing of what is impossible; other weights leave it so; columns are told. */
static void test_fusion_add(void **state)
{
    (void)state;
    const double scores[2 * 3] = {-1, -INFINITY, -2, -3, -4, -INFINITY};
    double out[2 * 3] = {0};
    sp_fusion_add(0, scores, NULL, 2, 3, out);
    for (int i = 0; i < 6; i++)
        assert_true(out[i] == 0);
    sp_fusion_add(0.5, scores, (const int32_t[]){2, 0, 1}, 2, 3, out);
    const double want[2 * 3] = {-1, -0.5, -INFINITY, -INFINITY, -1.5, -2};
    assert_memory_equal(out, want, sizeof want);
    /* The floor is of each of a training set's classifiers; NULL: equal weights. */
    const double other[2 * 3] = {-INFINITY, -3, -1, -1, -9, -2}, weight[] = {0.25, 2};
    const sp_training training = {
        .batch = {.scores = {.data = scores, .dtype = SP_F64, .n_classes = 3, .n_steps = 2}},
        .n_beside = 1,
        .beside = (const double *const[]){other}};
    const double raised[2 * 3] = {-1, -5, -2, -3, -4, -5}, raised_other[2 * 3] = {-5, -3, -1, -1, -5, -2};
    sp_training_fuse(&training, weight, exp(-5), out);
    for (int i = 0; i < 6; i++)
        assert_close(out[i], 0.25 * raised[i] + 2 * raised_other[i], 1e-12, 1e-12);
    sp_training_fuse(&training, NULL, 0, out);
    assert_true(out[0] == -INFINITY && out[2] == -1.5 && out[4] == -6.5);
}

/* The minimum: no weight's change makes F smaller, of timid and of far too confident scores; equal sets have equal weights, and what says nothing
 * of the labels next to none. The same bytes on any number of threads. */
static void test_weights_minimum(void **state)
{
    (void)state;
    sp_error err;
    sp_workers *one = sp_workers_new(1), *three = sp_workers_new(3);
    static const double sharpness[] = {0.05, 1, 30};
    for (int v = 0; v < 12; v++) {
        weighed w;
        weighed_open(&w, v, sharpness[v % 3]);
        const int64_t size = w.c.training.batch.scores.n_steps * CASE_K;
        if (v >= 9)
            memcpy(w.sets[1], w.sets[0], (size_t)size * sizeof(double));
        const sp_crf_scores scores = {SETS, (const double *const *)w.sets, 1};
        double weight[SETS], again[SETS], value, gradient[SETS];
        assert_ok(sp_crf_weigh(w.crf, w.theta, &scores, 1e-10, one, weight, &err), &err);
        assert_ok(sp_crf_weigh(w.crf, w.theta, &scores, 1e-10, three, again, &err), &err);
        assert_memory_equal(weight, again, sizeof weight);
        assert_ok(sp_crf_weights_objective(w.crf, w.theta, &scores, weight, one, &value, gradient, &err),
                  &err);
        for (int c = 0; c < SETS; c++) {
            assert_true(weight[c] >= 0);
            assert_true(weight[c] * fabs(gradient[c]) < 1e-3);
            assert_true(gradient[c] > -1e-2 * sharpness[v % 3] - 1e-3);
        }
        if (v >= 9)
            assert_close(weight[0], weight[1], 1e-5, 1e-5);
        if (v % 3 > 0)
            assert_true(weight[2] < 0.2 * (weight[0] + weight[1]));
        weighed_free(&w);
    }
    sp_workers_free(one);
    sp_workers_free(three);
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
    alone = learn_fitted(&c.training, &options, NULL);
    assert_null(alone->fusion);
    for (int v = 0; v < 2; v++) { /* the same, noise */
        c.training.n_beside = 1;
        c.training.beside = (const double *const[]){v ? noise : c.scores};
        c.training.classifiers = classifiers;
        model = learn_fitted(&c.training, &options, &report);
        assert_int_equal(report.fusion.kept, SP_FUSION_ALONE);
        assert_int_equal(report.fusion.best, 0);
        assert_true(model->fusion->weights[0] == 1 && model->fusion->weights[1] == 0);
        assert_true(v ? report.fusion.learnt_weights[1] < 0.1
                      : fabs(report.fusion.learnt_weights[0] - 0.5) < 1e-3);
        assert_true(v ? report.fusion.figure[1] < report.fusion.figure[0] : report.fusion.mean_gain == 0);
        assert_int_equal(model->row[CASE_K], alone->row[CASE_K]);
        assert_memory_equal(model->weight, alone->weight, (size_t)model->row[CASE_K] * sizeof(double));
        assert_true(model->temperature == alone->temperature && model->prior_weight == alone->prior_weight);
        assert_ok(sp_model_check(model, &err), &err);
        sp_fit_report_clear(&report);
        sp_model_free(model);
    }
    c.training.n_beside = 2;
    c.training.beside = (const double *const[]){apart, noise};
    model = learn_fitted(&c.training, &options, &report);
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
    model = learn_fitted(&c.training, &options, &report);
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

/* ---- biases of a tagger ---- */

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
    const int64_t n = assert_each_alloc_may_fail(try_tied, &a);
    assert_true(n > 20);
    a.aim.with_curve = true; /* is nine times the same again: some of its allocations */
    for (int i = 0; i < 5; i++) {
        failing_alloc_arm(n + 40 * i);
        assert_int_equal(try_tied(&a), SP_ENOMEM);
        assert_true(failing_alloc_disarm());
    }
    assert_int_equal(try_tied(&a), SP_OK);
    sp_workers_free(a.workers);
}

/* Weights of tags are learnt under the scheme's rules; a rules model has other names for them. */
static void tied_weights_keep_names(void **state)
{
    (void)state;
    enum { T = 12, K = 5 };
    static const char *const tags[] = {"O", "B-A", "I-A", "E-A", "S-A"}, *const named[] = {"none", "B-A",
                                                                                           "I-A", "E-A",
                                                                                           "S-A"};
    static const int32_t labels[] = {0, 1, 3, 0, 4, 0, 0, 1, 2, 3, 0, 0};
    static const int64_t offsets[] = {0, 6, 12};
    double scores[T * K];
    int32_t fold[2], class_of[K];
    for (int i = 0; i < T * K; i++)
        scores[i] = i % K == labels[i / K] ? -1 : i % K ? -2.5 : -1.25;
    const sp_training training = learn_training(K, 2, offsets, scores, labels, tags);
    const sp_bootstrap_options bootstrap = sp_bootstrap_options_default();
    sp_fit_options options = sp_fit_options_default();
    sp_workers *workers = sp_workers_new(1);
    sp_model *rules, *model, *models[2] = {NULL};
    sp_operating_points points;
    sp_tied_report report;
    sp_tied_aim aim;
    sp_error err;
    assert_ok(sp_model_new_tags("bioes", K, tags, &rules, &err), &err);
    rules->aliases = calloc(1, sizeof *rules->aliases);
    rules->aliases[rules->n_aliases++] = (sp_alias){0, strdup("none")};
    options.rules = rules;
    options.n_folds = 2;
    assert_ok(sp_tied_aim_read("f1", &aim, &err), &err);
    aim.scheme = "bioes";
    assert_ok(sp_fit_tied(&training, &options, &aim, workers, &model, &report, &err), &err);
    assert_ok(sp_model_align(model, K, named, class_of, &err), &err);
    assert_ok(sp_cross_fit_tied(&training, &options, &aim, &bootstrap, workers, fold, models, &points, &err),
              &err);
    for (int f = 0; f < 2; f++) {
        assert_ok(sp_model_align(models[f], K, named, class_of, &err), &err);
        sp_model_free(models[f]);
    }
    sp_operating_points_clear(&points);
    sp_tied_report_clear(&report);
    sp_model_free(model);
    sp_model_free(rules);
    sp_workers_free(workers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weights_objective),  cmocka_unit_test(test_weights_minimum),
        cmocka_unit_test(test_fusion_add),         cmocka_unit_test(test_fusion),
        cmocka_unit_test(test_fusion_memory),      cmocka_unit_test(test_tied_memory),
        cmocka_unit_test(tied_weights_keep_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
