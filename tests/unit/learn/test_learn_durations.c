/* How long classes last, learnt: lengths that are known come back, whatever is cut off; rules that say it
 * themselves are obeyed, or refused. */
#include "check.h"
#include "failing_alloc.h"
#include "learn_case.h"
#include "statepath/decode.h"
#include "statepath/learn.h"

static const char *const names[] = {"a", "b", "c"};

/* A length of at least 1. */
typedef int64_t draw(uint64_t *state);

static int64_t geometric(uint64_t *state, double stay)
{
    int64_t d = 1;
    while (learn_uniform(state) < stay)
        d++;
    return d;
}

/* Sum of three geometric ones from 0 on: negative binomial of mean 1 + 3 * 4 and size 3. */
static int64_t of_size_3(uint64_t *state)
{
    return geometric(state, .8) + geometric(state, .8) + geometric(state, .8) - 2;
}

static int64_t of_size_1(uint64_t *state)
{
    return geometric(state, .9);
}

static int64_t two_or_nine(uint64_t *state)
{
    return learn_uniform(state) < .4 ? 2 : 9;
}

static int64_t always_5(uint64_t *state)
{
    (void)state;
    return 5;
}

/* Recordings of T steps, each the piece of a long sequence of runs in which a and b alternate; a run of c now and then where K is 3. */
typedef struct runs_case {
    sp_training training;
    int32_t *labels;
    int64_t *offsets;
    double *scores;
} runs_case;

static runs_case runs_case_new(int64_t n, int64_t T, int32_t K, draw *of_a, draw *of_b, uint64_t seed)
{
    runs_case c = {.labels = malloc((size_t)(n * T) * sizeof *c.labels),
                   .offsets = malloc((size_t)(n + 1) * sizeof *c.offsets)};
    for (int64_t r = 0; r <= n; r++)
        c.offsets[r] = r * T;
    for (int64_t r = 0; r < n; r++) {
        int64_t t = -500 - (int64_t)(100 * learn_uniform(&seed)); /* by 0 it has forgotten how it began */
        for (int32_t k = 0; t < T; k = k == 0 ? (K == 3 && learn_uniform(&seed) < .3 ? 2 : 1) : 0)
            for (int64_t d = (k == 0 ? of_a : of_b)(&seed); d > 0 && t < T; d--, t++)
                if (t >= 0)
                    c.labels[r * T + t] = k;
    }
    c.training = (sp_training){.batch = {{NULL, SP_F64, K, n * T, NULL, NULL, NULL}, n, c.offsets},
                               .labels = c.labels,
                               .classes = names};
    return c;
}

/* Scores that like the label by `size` nats, in noise of 2. */
static void make_scores(runs_case *c, double size, uint64_t seed)
{
    const int64_t S = c->training.batch.scores.n_steps, K = c->training.batch.scores.n_classes;
    c->scores = malloc((size_t)(S * K) * sizeof *c->scores);
    for (int64_t i = 0; i < S * K; i++)
        c->scores[i] = 2 * learn_uniform(&seed) + (c->labels[i / K] == i % K ? size : 0);
    c->training.batch.scores.data = c->scores;
}

static void runs_case_free(runs_case *c)
{
    free(c->labels);
    free(c->offsets);
    free(c->scores);
}

/* Everything is allowed; NULL on lack of memory. */
static sp_model *free_model(int32_t K)
{
    uint8_t allow[9];
    memset(allow, 1, sizeof allow);
    sp_model *model = sp_model_new("free", K, names);
    if (model && sp_model_set_matrix(model, allow, NULL, NULL) == SP_OK)
        return model;
    sp_model_free(model);
    return NULL;
}

/* Recordings are hardly longer than the runs: the whole runs in them are short ones, but what is learnt is right. */
static void test_cut_runs_do_not_shorten(void **state)
{
    (void)state;
    sp_error err;
    sp_run_lengths seen[2];
    sp_learnt_duration found[2];
    runs_case c = runs_case_new(20000, 30, 2, of_size_3, of_size_1, 11);
    sp_model *model = free_model(2);
    assert_ok(sp_run_lengths_collect(&c.training, 0, seen, &err), &err);
    assert_true(seen[0].mean < 11 && seen[1].mean < 8);
    assert_ok(sp_model_learn_durations(model, &c.training, 5, found, &err), &err);
    assert_close(found[0].mean, 13, 0, .03);
    assert_close(found[0].dispersion, 3, 0, .1);
    assert_close(found[1].mean, 10, 0, .03);
    assert_close(found[1].dispersion, 1, 0, .1);
    assert_true(found[0].n_cut > 5000 && found[0].n_whole == seen[0].n);
    assert_ok(sp_model_check(model, &err), &err);
    sp_model_free(model);
    runs_case_free(&c);
}

/* What no negative binomial is like: the counts are taken. Lengths that were never seen stay possible. */
static void test_counts_of_lengths(void **state)
{
    (void)state;
    sp_error err;
    sp_learnt_duration found[2];
    runs_case c = runs_case_new(300, 60, 2, two_or_nine, of_size_1, 12);
    sp_model *model = free_model(2);
    assert_ok(sp_model_learn_durations(model, &c.training, 5, found, &err), &err);
    const sp_duration *d = &model->durations[0];
    assert_true(d->form == SP_DURATION_PMF && found[0].smoothing < 100);
    assert_close(d->pmf[1], .4, .03, 0);
    assert_close(d->pmf[8], .6, .03, 0);
    double sum = 0;
    for (int i = 0; i < d->n_pmf; i++) {
        assert_true(d->pmf[i] > 0);
        sum += d->pmf[i];
    }
    assert_close(sum, 1, 1e-12, 0);
    assert_true(d->n_pmf >= 18 && d->n_pmf == found[0].n_lengths);
    assert_true(model->durations[1].form == SP_DURATION_NEGATIVE_BINOMIAL && isinf(found[1].smoothing));
    assert_false(model->whole_at_start || model->whole_at_end);
    assert_int_equal(sp_model_learn_durations(model, &c.training, 5, found, &err),
                     SP_EINVAL); /* it has them */
    sp_model_free(model);
    runs_case_free(&c);
}

/* Labels between which unscored steps and gaps lie: a run beside one has no end, or no begin; by hand. */
static void test_what_is_cut(void **state)
{
    (void)state;
    sp_error err;
    /* a a b b b a | a a b - b a b b */
    int32_t labels[] = {0, 0, 1, 1, 1, 0, 0, 0, 1, -1, 1, 0, 1, 1};
    const int64_t segments[] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1}, offsets[] = {0, 14};
    const sp_training training = {.batch = {{NULL, SP_F64, 2, 14, segments, NULL, NULL}, 1, offsets},
                                  .labels = labels,
                                  .classes = names};
    sp_learnt_duration found[2];
    sp_model *model = free_model(2);
    assert_ok(sp_model_learn_durations(model, &training, 5, found, &err), &err);
    assert_int_equal(found[0].n_whole, 1); /* 1 step, near the end */
    assert_int_equal(found[0].n_cut, 1);   /* 1 before the gap */
    assert_int_equal(found[1].n_whole, 1);
    assert_int_equal(found[1].n_cut, 2);    /* before what is unscored, and at the end */
    assert_true(isinf(found[0].smoothing)); /* one recording: nothing to choose by */
    sp_model_free(model);
    for (int t = 0; t < 14; t++)
        labels[t] = 0;
    model = free_model(2);
    assert_int_equal(sp_model_learn_durations(model, &training, 5, found, &err), SP_EINVAL);
    assert_non_null(strstr(err.message, "no class has a run of which begin and end are seen"));
    assert_null(model->durations);
    sp_model_free(model);
}

/* Rules that say how long classes last, in another order and in time: they stand in the model, its transitions out are those of
 * changes, and its folds are decoded with them. */
static void test_rules_with_durations(void **state)
{
    (void)state;
    sp_error err;
    sp_fit_report report;
    sp_model *model = NULL;
    sp_workers *workers = sp_workers_new(1);
    runs_case c = runs_case_new(8, 60, 2, always_5, of_size_1, 20);
    make_scores(&c, .8, 21);
    sp_model *rules = sp_model_new("rules", 2, (const char *const[]){"b", "a"});
    assert_ok(sp_model_set_matrix(rules, (const uint8_t[]){1, 1, 1, 1}, NULL, &err), &err);
    rules->durations = calloc(2, sizeof *rules->durations);
    rules->durations[1] = (sp_duration){.form = SP_DURATION_RANGE, .min = {150, true}, .max = {150, true}};
    rules->whole_at_end = true;
    sp_fit_options options = sp_fit_options_default();
    options.rules = rules;
    assert_int_equal(sp_fit(&c.training, &options, workers, &model, NULL, &err), SP_EMODEL);
    assert_non_null(
        strstr(err.message, "the min of the duration of \"a\" is a time, 150 s, but how long a step"));
    c.training.step_seconds = 30;
    model = learn_fitted(&c.training, &options, &report);
    assert_true(model->durations[0].form == SP_DURATION_RANGE && model->durations[0].min.value == 150 &&
                model->durations[0].min.is_seconds);
    assert_true(model->durations[1].form == SP_DURATION_FREE && model->whole_at_end &&
                !model->whole_at_start);
    assert_close(exp(model->weight[sp_model_edge(model, 0, 1)]), 1, 1e-12, 0);
    assert_true(exp(model->weight[sp_model_edge(model, 1, 0)]) < .3);
    assert_true(report.after > .85);
    sp_fit_report_clear(&report);
    sp_model_free(model);
    model = NULL;
    for (int m = SP_FIT_CRF; m <= SP_FIT_EM; m++) {
        options.method = (sp_fit_method)m;
        options.penalty = 10;
        sp_model_free(model);
        model = learn_fitted(&c.training, &options, &report);
        assert_true(model->durations[0].form == SP_DURATION_RANGE && model->durations[0].min.value == 150);
        assert_int_equal(model->weight_form, SP_WEIGHTS_LOG);
        sp_fit_report_clear(&report);
    }
    sp_model_free(model);
    sp_model_free(rules);
    sp_workers_free(workers);
    runs_case_free(&c);
}

typedef struct attempt {
    runs_case c;
    sp_fit_options options;
    sp_workers *workers;
} attempt;

static sp_status try_labels(void *arg)
{
    attempt *a = arg;
    sp_model *model = free_model(2);
    const sp_status status =
        !model ? SP_ENOMEM : sp_model_learn_durations(model, &a->c.training, 2, NULL, NULL);
    sp_model_free(model);
    return status;
}

static sp_status try_rules(void *arg)
{
    attempt *a = arg;
    sp_model *rules = free_model(2), *model = NULL;
    if (!rules || !(rules->durations = calloc(2, sizeof *rules->durations))) {
        sp_model_free(rules);
        return SP_ENOMEM;
    }
    rules->durations[0] = (sp_duration){.form = SP_DURATION_RANGE, .min = {2, false}};
    a->options.rules = rules;
    const sp_status status = sp_fit(&a->c.training, &a->options, a->workers, &model, NULL, NULL);
    sp_model_free(model);
    sp_model_free(rules);
    return status;
}

static void test_memory(void **state)
{
    (void)state;
    attempt a = {runs_case_new(3, 20, 2, two_or_nine, always_5, 22), sp_fit_options_default(),
                 sp_workers_new(1)};
    assert_true(assert_each_alloc_may_fail(try_labels, &a) > 20);
    a.options.tune = SP_TUNE_NONE;
    assert_true(assert_each_alloc_may_fail(try_rules, &a) > 10);
    sp_workers_free(a.workers);
    runs_case_free(&a.c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cut_runs_do_not_shorten),
        cmocka_unit_test(test_counts_of_lengths),
        cmocka_unit_test(test_what_is_cut),
        cmocka_unit_test(test_rules_with_durations),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
