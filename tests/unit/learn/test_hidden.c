/* Learning where labels do not say the states: several states a class, durations, rules over more steps. Counts where they do say them,
 * a likelihood that never falls, exact gradients, the models that come out, and data whose states are known. */
#include "check.h"
#include "failing_alloc.h"
#include "learn_case.h"
#include "statepath/advanced.h"
#include "statepath/learn.h"

/* sp_fit() gives a model, neither the likelihoods on the way nor the objective and its gradient. */
#include "learn/crf/crf.h"
#include "learn/hidden/hidden.h"
#include "learn/training.h"
#include "learn/tune.h"

enum { HIDDEN_KINDS = 6 };

/* Rules over the classes of learn_case: kind 0 one state a class, 1 two of "a" and three of "c", 2 those with dwells, starts and ends,
 * 3 durations of one state, 4 durations of several, 5 rules over more steps. Weights are random where asked for. */
static sp_model *some_model(int kind, uint64_t seed, bool has_weights)
{
    static const char *const classes[CASE_K] = {"d", "c", "b", "a"}; /* another order than the columns */
    static const int32_t of_state[] = {3, 1, 2, 3, 1, 0, 1};
    sp_error err;
    sp_model *m = sp_model_new("some", CASE_K, classes);
    const bool has_states = kind == 1 || kind == 2 || kind == 4;
    const int32_t M = has_states ? 7 : CASE_K;
    uint8_t allow[49];
    double weight[49];
    if (has_states)
        learn_give_states(m, M, of_state);
    for (int i = 0; i < M * M; i++) {
        allow[i] = i / M == i % M || learn_uniform(&seed) < 0.8;
        weight[i] = 2 * learn_uniform(&seed) - 1;
    }
    assert_ok(sp_model_set_matrix(m, allow, has_weights ? weight : NULL, &err), &err);
    if (kind == 2) {
        m->min_dwell = calloc((size_t)M, sizeof *m->min_dwell);
        m->start = calloc((size_t)M, sizeof *m->start);
        m->end = calloc((size_t)M, sizeof *m->end);
        for (int32_t s = 0; s < M; s++)
            m->min_dwell[s] = 1 + s % 3;
        m->start[0] = m->end[2] = -INFINITY;
    }
    if (kind == 3 || kind == 4) {
        m->durations = calloc(CASE_K, sizeof *m->durations);
        m->durations[1] =
            (sp_duration){.form = SP_DURATION_RANGE, .min = {kind == 4 ? 2 : 1, false}, .max = {9, false}};
        m->durations[3] = (sp_duration){.form = SP_DURATION_POISSON, .centre = {4, false}};
        m->whole_at_start = m->whole_at_end = kind == 4;
    }
    if (kind == 5) {
        assert_ok(sp_model_add_rule(m, NULL, "at_most 4 runs of a", 0.8, false, &err), &err);
        assert_ok(sp_model_add_rule(m, NULL, "never b c b", INFINITY, false, &err), &err);
    }
    assert_ok(sp_model_check(m, &err), &err);
    return m;
}

static sp_rules rules_of(const sp_model *model, const sp_training *training)
{
    sp_error err;
    sp_rules rules;
    assert_ok(sp_rules_init(&rules, model, CASE_K, training->classes, &err), &err);
    rules.hidden = model;
    return rules;
}

/* Recordings of labels for which every kind of rules has breaks, gaps, steps without a label and impossible scores. */
static learn_case some_case(uint64_t seed, double unscored)
{
    learn_case c = learn_case_new(seed, 7, 40, CASE_K, unscored);
    for (int64_t t = 0; t < c.training.batch.scores.n_steps; t++) {
        c.segments[t] = t / 23;
        if (t % 4 == 3)
            c.scores[t * CASE_K + t % CASE_K] = -INFINITY;
    }
    c.training.batch.scores.segments = c.segments;
    return c;
}

/* ---- where labels say the states ---- */

static void one_step_gives_the_counts(void **state)
{
    (void)state;
    sp_workers *workers = sp_workers_new(2);
    int64_t n_illegal = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        sp_error err;
        learn_case c = some_case(seed, 0);
        sp_model *declared = some_model(0, seed, seed % 2), *counts, *found;
        sp_rules rules = rules_of(declared, &c.training);
        const double smoothing = seed % 3 ? 0.5 : 0.01;
        const sp_hidden_em_options once = {.has_labels = true, .smoothing = smoothing, .most_iterations = 1};
        sp_hidden_found em = {0};
        sp_violations violations, expected;
        assert_ok(sp_hidden_fit(&c.training, &rules, &once, workers, "x", &found, &violations, &em, &err),
                  &err);
        rules.hidden = NULL;
        assert_ok(sp_model_from_labels(&c.training, &rules, smoothing, NULL, "x", &counts, &expected, &err),
                  &err);
        assert_true(expected.impossible > 0);
        n_illegal += expected.illegal;
        assert_int_equal(violations.illegal, expected.illegal);
        assert_int_equal(violations.impossible, expected.impossible);
        assert_int_equal(violations.transitions, expected.transitions);
        assert_int_equal(violations.scored, expected.scored);
        assert_memory_equal(violations.illegal_pairs, expected.illegal_pairs,
                            CASE_K * CASE_K * sizeof(int64_t));
        for (int32_t i = 0; i < CASE_K; i++) {
            const int32_t at[] = {3, 2, 1, 0}; /* where the class stands that the columns have there */
            assert_string_equal(found->classes[i], declared->classes[at[i]]);
            assert_close(found->prior[i], counts->prior[i], 0, 1e-12);
            assert_close(exp(found->start[i]), exp(counts->start[i]), 1e-12, 1e-10);
            for (int32_t j = 0; j < CASE_K; j++) {
                const int64_t e = sp_model_edge(found, i, j), f = sp_model_edge(counts, i, j);
                assert_int_equal(e, f);
                if (e >= 0)
                    assert_close(exp(found->weight[e]), exp(counts->weight[f]), 1e-12, 1e-10);
            }
        }
        sp_violations_clear(&violations);
        sp_violations_clear(&expected);
        sp_model_free(found);
        sp_model_free(counts);
        sp_model_free(declared);
        sp_rules_clear(&rules);
        learn_case_free(&c);
    }
    assert_true(n_illegal > 20);
    sp_workers_free(workers);
}

/* ---- expectation-maximisation ---- */

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
    sp_workers *workers = sp_workers_new(1);
    for (int form = 0; form < 4; form++) {
        double e[2 * T] = {0};
        int32_t labels[T], set[T];
        sp_error err;
        sp_model *rules = sp_model_new("never left", 2, classes), *model;
        sp_training training = {
            .batch = {{e, SP_F64, 2, T, NULL, NULL, NULL}, 1, offsets}, .labels = labels, .classes = classes};
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
        assert_ok(sp_fit(&training, &options, workers, &model, &report, &err), &err);
        assert_close(report.log_likelihood, 1000, 0.01, 0);
        assert_true(model->start[1] > -1e-9 || (form == 1 && model->start[2] > -INFINITY));
        assert_true(model->start[0] < -900);
        sp_fit_report_clear(&report);
        sp_model_free(model);
        sp_model_free(rules);
    }
    sp_workers_free(workers);
}

/* log Z of the paths of a model that the labels allow (NULL: of all), over recordings that no label breaks. */
static double log_z_of(const sp_model *model, const sp_training *training, const int32_t *labels,
                       bool has_scores)
{
    sp_error err;
    sp_chain *chain;
    sp_scratch *scratch = sp_scratch_new();
    const int32_t K = model->n_classes;
    int32_t class_of_column[CASE_K];
    sp_chain_options options = sp_chain_options_default();
    double sum = 0, prior[CASE_K] = {0};
    options.class_of_column = class_of_column;
    assert_ok(sp_model_align(model, K, training->classes, class_of_column, &err), &err);
    assert_ok(sp_chain_new(model, &options, &chain, &err), &err);
    for (int32_t k = 0; k < K && model->prior_weight == 1; k++)
        prior[k] = log(model->prior[class_of_column[k]]);
    for (int64_t r = 0; r < training->batch.n_recordings; r++) {
        sp_scores s = sp_batch_recording(&training->batch, r);
        double *x = malloc((size_t)s.n_steps * (size_t)K * sizeof *x), log_z;
        for (int64_t i = 0; i < s.n_steps * K; i++) {
            const int32_t label = labels ? labels[training->batch.offsets[r] + i / K] : -1,
                          k = (int32_t)(i % K);
            const double e = s.data ? sp_scores_at(&s, i / K, k) : 0,
                         t = isnan(model->temperature) ? 1 : model->temperature;
            x[i] = (label >= 0 && label != k) || e == -INFINITY ? -INFINITY
                   : has_scores                                 ? e / t - prior[k]
                                                                : 0;
        }
        s.data = x;
        s.dtype = SP_F64;
        assert_ok(sp_forward_backward(chain, &s, scratch, NULL, &log_z, &err), &err);
        sum += log_z;
        free(x);
    }
    sp_chain_free(chain);
    sp_scratch_free(scratch);
    return sum;
}

/* Takes away the labels and the recordings that a model cannot follow. */
static void keep_what_is_legal(learn_case *c, const sp_model *model)
{
    sp_rules rules = rules_of(model, &c->training);
    for (int64_t t = 0; t < c->training.batch.scores.n_steps; t++)
        for (int32_t k = 0; k < CASE_K; k++)
            if (c->scores[t * CASE_K + k] == -INFINITY)
                c->scores[t * CASE_K + k] = -5;
    for (int64_t t = c->training.batch.scores.n_steps - 1; t >= 0;
         t--) { /* a label that breaks something becomes none */
        sp_error err;
        sp_hidden *h;
        assert_ok(sp_hidden_new(&c->training, &rules, &h, &err), &err);
        const sp_violations *v = sp_hidden_violations(h);
        const bool is_broken = v->illegal + v->illegal_start + v->illegal_end > 0 ||
                               sp_hidden_n_pieces(h) != c->training.batch.n_recordings;
        sp_hidden_free(h);
        if (!is_broken)
            break;
        c->labels[t] = -1;
    }
    sp_rules_clear(&rules);
}

static void the_likelihood_never_falls(void **state)
{
    (void)state;
    enum { MOST = 40 };
    sp_workers *workers = sp_workers_new(2);
    for (int v = 0; v < 4 * HIDDEN_KINDS; v++) {
        sp_error err;
        learn_case c = some_case(30 + (uint64_t)v, v % 2 ? 0.4 : 0.1);
        sp_model *declared = some_model(v % HIDDEN_KINDS, (uint64_t)v, v % 5 == 0), *found;
        double values[MOST + 1];
        const sp_hidden_em_options how = {.has_labels = true,
                                          .has_scores = v % 4 >= 2,
                                          .smoothing = v % 3 ? 0 : 0.5,
                                          .most_iterations = MOST};
        sp_hidden_found em = {.values = values};
        if (v % 2)
            keep_what_is_legal(&c, declared);
        sp_rules rules = rules_of(declared, &c.training);
        assert_ok(sp_hidden_fit(&c.training, &rules, &how, workers, "em", &found, NULL, &em, &err), &err);
        assert_true(em.n_iterations > 0 && em.n_iterations <= MOST);
        for (int i = 0; i < em.n_iterations; i++)
            if (values[i + 1] < values[i] - 1e-9 * fabs(values[i]))
                fail_msg("kind %d: %.17g after %.17g", v % HIDDEN_KINDS, values[i + 1], values[i]);
        assert_true(values[em.n_iterations] > values[0] + 0.1);
        assert_ok(sp_model_check(found, &err), &err);
        if (v % 2 &&
            how.has_scores) /* nothing was cut and each recording counts: the model is what was learnt */
            assert_close(log_z_of(found, &c.training, c.labels, true), em.log_z, 1e-7, 1e-9);
        sp_model_free(found);
        sp_model_free(declared);
        sp_rules_clear(&rules);
        learn_case_free(&c);
    }
    sp_workers_free(workers);
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
    const sp_training training = {.batch = {{NULL, SP_F64, 2, T, NULL, NULL, NULL}, 1, offsets},
                                  .labels = labels[0],
                                  .classes = classes};
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
    sp_workers *workers = sp_workers_new(1);
    assert_ok(sp_fit(&training, &options, workers, &one, NULL, &err), &err);
    options.rules = m;
    assert_ok(sp_fit(&training, &options, workers, &found, NULL, &err), &err);
    const double x1 = exp(found->weight[sp_model_edge(found, 0, 0)]),
                 x2 = exp(found->weight[sp_model_edge(found, 1, 1)]);
    assert_true(x1 < 0.3);
    assert_close(x2, 1 - 1. / 30, 0.02, 0);
    assert_close(exp(found->weight[sp_model_edge(found, 2, 2)]), 1 - 1. / 6, 0.02, 0);
    assert_true(log_z_of(found, &training, labels[1], false) >
                log_z_of(one, &training, labels[1], false) + 50);
    sp_workers_free(workers);
    sp_model_free(m);
    sp_model_free(one);
    sp_model_free(found);
}

/* ---- the random field ---- */

static void the_gradient_is_exact(void **state)
{
    (void)state;
    sp_workers *workers = sp_workers_new(2);
    int64_t n_illegal = 0;
    for (int v = 0; v < 2 * HIDDEN_KINDS; v++) {
        sp_error err;
        learn_case c = some_case(60 + (uint64_t)v, 0.3);
        sp_model *declared = some_model(v % HIDDEN_KINDS, (uint64_t)v, true);
        sp_rules rules = rules_of(declared, &c.training);
        sp_crf *crf;
        assert_ok(sp_crf_new(&c.training, &rules, 1, &crf, &err), &err);
        n_illegal += sp_crf_violations(crf)->illegal;
        assert_true(sp_crf_violations(crf)->impossible > 0);
        const int64_t n = sp_crf_n_parameters(crf);
        double *theta = learn_theta(n, 3), *gradient = malloc((size_t)n * sizeof *gradient), value, up, down;
        const sp_crf_penalty penalty = {.weight = 0.7};
        assert_ok(sp_crf_objective(crf, theta, &penalty, workers, &value, gradient, &err), &err);
        assert_true(value > 0);
        for (int64_t i = 0; i < n; i++) {
            const double h = 1e-5, kept = theta[i];
            theta[i] = kept + h;
            assert_ok(sp_crf_objective(crf, theta, &penalty, workers, &up, NULL, &err), &err);
            theta[i] = kept - h;
            assert_ok(sp_crf_objective(crf, theta, &penalty, workers, &down, NULL, &err), &err);
            theta[i] = kept;
            assert_close((up - down) / (2 * h), gradient[i], 1e-6, 1e-6);
        }
        free(theta);
        free(gradient);
        sp_crf_free(crf);
        sp_model_free(declared);
        sp_rules_clear(&rules);
        learn_case_free(&c);
    }
    assert_true(n_illegal > 10);
    sp_workers_free(workers);
}

/* The exported model gives the labels the probability that was learnt; and the optimum is likelier than the counts. */
static void the_model_is_the_field(void **state)
{
    (void)state;
    sp_workers *one = sp_workers_new(1), *three = sp_workers_new(3);
    for (int kind = 0; kind < HIDDEN_KINDS; kind++) {
        sp_error err;
        learn_case c = some_case(90 + (uint64_t)kind, 0.2);
        sp_model *declared = some_model(kind, 5, false), *model;
        keep_what_is_legal(&c, declared);
        sp_rules rules = rules_of(declared, &c.training);
        sp_crf *crf;
        assert_ok(sp_crf_new(&c.training, &rules, 1, &crf, &err), &err);
        const size_t n = (size_t)sp_crf_n_parameters(crf);
        double *theta = malloc(2 * n * sizeof *theta), *again = theta + n, counts, best;
        const sp_crf_penalty penalty = {.weight = 0.1};
        sp_minimised result;
        assert_ok(sp_crf_from_counts(crf, 0.5, NULL, three, theta, &err), &err);
        memcpy(again, theta, n * sizeof *again);
        assert_ok(sp_crf_objective(crf, theta, NULL, one, &counts, NULL, &err), &err);
        assert_ok(sp_crf_minimise(crf, theta, &penalty, 1e-7, one, &result, &err), &err);
        assert_ok(sp_crf_minimise(crf, again, &penalty, 1e-7, three, &result, &err), &err);
        assert_memory_equal(theta, again, n * sizeof *theta);
        assert_ok(sp_crf_objective(crf, theta, NULL, one, &best, NULL, &err), &err);
        assert_true(best < counts - 1);
        assert_ok(sp_crf_to_model(crf, theta, "field", &model, &err), &err);
        assert_close(log_z_of(model, &c.training, NULL, true) - log_z_of(model, &c.training, c.labels, true),
                     best, 1e-6, 1e-9);
        free(theta);
        sp_model_free(model);
        sp_model_free(declared);
        sp_crf_free(crf);
        sp_rules_clear(&rules);
        learn_case_free(&c);
    }
    sp_workers_free(one);
    sp_workers_free(three);
}

static void what_is_refused(void **state)
{
    (void)state;
    sp_error err;
    learn_case c = some_case(1, 0);
    sp_model *declared = some_model(1, 1, false), *model = NULL;
    sp_workers *workers = sp_workers_new(1);
    sp_fit_options options = sp_fit_options_default();
    options.rules = declared;
    options.method = SP_FIT_CRF;
    options.memory = 2;
    options.tune = SP_TUNE_NONE;
    assert_int_equal(sp_fit(&c.training, &options, workers, &model, NULL, &err), SP_EINVAL);
    assert_non_null(strstr(err.message, "`memory` 2: model some has states or durations of its own"));
    options.memory = 1;
    options.method = SP_FIT_COUNTS;
    options.durations = SP_DURATIONS_LEARN;
    assert_int_equal(sp_fit(&c.training, &options, workers, &model, NULL, &err), SP_EINVAL);
    assert_non_null(strstr(err.message, "the rules have several states for a class"));
    for (int64_t t = 0; t < c.training.batch.scores.n_steps; t++)
        c.labels[t] = -1;
    options.durations = SP_DURATIONS_NONE;
    assert_int_equal(sp_fit(&c.training, &options, workers, &model, NULL, &err), SP_EINVAL);
    assert_non_null(strstr(err.message, "no labelled step to learn from in 7 recordings"));
    assert_null(model);
    sp_workers_free(workers);
    sp_model_free(declared);
    learn_case_free(&c);
}

typedef struct fitting {
    learn_case c;
    sp_rules rules;
    sp_workers *workers;
} fitting;

static sp_status attempt(void *arg)
{
    const fitting *f = arg;
    sp_model *model = NULL;
    sp_fit_report report = {.before = NAN, .after = NAN};
    sp_fit_options options = sp_fit_options_default();
    options.tune = SP_TUNE_NONE;
    options.penalty = 1e6;
    const sp_status status =
        sp_fit_crf(&f->c.training, &options, &f->rules, f->workers, &model, &report, NULL);
    assert_true((status == SP_OK) == (model != NULL));
    sp_fit_report_clear(&report);
    sp_model_free(model);
    return status;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    sp_model *declared = some_model(4, 2, true);
    fitting f = {.c = learn_case_new(3, 2, 6, CASE_K, 0.2), .workers = sp_workers_new(1)};
    f.rules = rules_of(declared, &f.c.training);
    assert_true(assert_each_alloc_may_fail(attempt, &f) > 20);
    sp_workers_free(f.workers);
    sp_model_free(declared);
    sp_rules_clear(&f.rules);
    learn_case_free(&f.c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_step_gives_the_counts), cmocka_unit_test(the_likelihood_never_falls),
        cmocka_unit_test(a_class_that_comes_back),   cmocka_unit_test(states_become_different),
        cmocka_unit_test(the_gradient_is_exact),     cmocka_unit_test(the_model_is_the_field),
        cmocka_unit_test(what_is_refused),           cmocka_unit_test(each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
