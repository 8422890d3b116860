/* Learning against its definition, for each form of the rules and of the labels: probabilities of all labels sum to one, gradients are
 * finite differences, the optimum is one, the likelihood of expectation-maximisation never falls, the model says what was learnt. */
#include "check.h"
#include "learn_case.h"
#include "statepath/advanced.h"
#include "statepath/decode.h"

/* sp_fit() gives a model: neither the objective, its gradient and the likelihoods on the way, nor what a choice was judged by. */
#include "learn/crf/crf.h"
#include "learn/hidden/hidden.h"
#include "learn/learn.h"
#include "learn/tune.h"

/* Labels of each step, of some, of which many are sets; scores of which classes fall thousands of nats behind, or single ones do. */
typedef enum data { WHOLE, SPARSE, SETS, DRIFT, FAR, N_DATA } data;

typedef struct field_case {
    const char *name;
    learn_case c;
    sp_model *declared;
    sp_rules rules;
    sp_crf *crf; /* or NULL */
    int64_t n;
    double *theta, *gradient; /* [n] */
} field_case;

static bool is_hidden(const learn_rules *form, data kind)
{
    return form->memory == 0 || kind == SETS;
}

/* Labels that obey the rules: the best paths of the scores. */
static void label_by_paths(learn_case *c, const sp_model *model)
{
    sp_error err;
    sp_chain *chain;
    int32_t class_of_column[CASE_K];
    sp_workers *workers = sp_workers_new(1);
    sp_chain_options options = sp_chain_options_default();
    const sp_decode_options viterbi = sp_decode_options_default();
    sp_decoded *results = calloc((size_t)c->training.batch.n_recordings, sizeof *results);
    const sp_decode_output out = {.paths = c->labels, .results = results};
    options.class_of_column = class_of_column;
    assert_ok(sp_model_align(model, CASE_K, c->training.classes, class_of_column, &err), &err);
    assert_ok(sp_chain_new(model, &options, &chain, &err), &err);
    assert_ok(sp_decode_batch(chain, &c->training.batch, &viterbi, workers, &out, &err), &err);
    free(results);
    sp_chain_free(chain);
    sp_workers_free(workers);
}

/* is_legal: the labels obey the rules, and nothing is cut. */
static field_case case_open(const learn_rules *form, data kind, uint64_t seed, bool is_legal)
{
    sp_error err;
    uint64_t random = seed + 7;
    const bool is_far = kind == DRIFT || kind == FAR,
               has_gaps = !is_far && (!is_legal || is_hidden(form, kind));
    field_case f = {.name = form->name,
                    .c = learn_case_new(seed, kind == DRIFT ? 1 : 6,
                                        kind == DRIFT ? 300
                                        : kind == FAR ? 12
                                                      : 40,
                                        CASE_K, is_legal || is_far ? 0 : 0.1),
                    .declared = learn_rules_model(form, seed, seed % 2)};
    const int64_t S = f.c.training.batch.scores.n_steps;
    if (has_gaps)
        learn_make_gaps(&f.c);
    if (kind == DRIFT)
        learn_make_drift(&f.c, seed);
    const double far = 20 + 400 * learn_uniform(&random);
    for (int64_t i = 0; kind == FAR && i < S * CASE_K; i++)
        f.c.scores[i] -= learn_uniform(&random) < 0.4 ? far : 0;
    if (is_legal || is_far)
        label_by_paths(&f.c, f.declared);
    for (int64_t t = 0; kind == SPARSE && t < S; t++)
        f.c.labels[t] = learn_uniform(&random) < 0.4 ? -1 : f.c.labels[t];
    if (kind == SETS)
        learn_make_sets(&f.c, seed, 0.6);
    assert_ok(sp_rules_init(&f.rules, f.declared, CASE_K, f.c.training.classes, &err), &err);
    if (form->memory == 0)
        f.rules.hidden = f.declared;
    else if (kind == SETS)
        assert_ok(sp_rules_hide(&f.rules, f.c.training.classes, &err), &err);
    return f;
}

/* Weights of which some are far below the others where scores are. */
static void case_make_field(field_case *f, const learn_rules *form, data kind)
{
    sp_error err;
    uint64_t seed = (uint64_t)f->c.training.batch.scores.n_steps;
    assert_ok(sp_crf_new(&f->c.training, &f->rules, form->memory ? form->memory : 1, &f->crf, &err), &err);
    f->n = sp_crf_n_parameters(f->crf);
    f->theta = learn_theta(f->n, 3);
    f->gradient = malloc((size_t)f->n * sizeof *f->gradient);
    const double far = 20 + 400 * learn_uniform(&seed);
    for (int64_t i = 1; kind == FAR && i < f->n; i++)
        f->theta[i] -= learn_uniform(&seed) < 0.4 ? far : 0;
}

static void case_close(field_case *f)
{
    free(f->theta);
    free(f->gradient);
    sp_crf_free(f->crf);
    sp_model_free(f->declared);
    sp_rules_clear(&f->rules);
    learn_case_free(&f->c);
}

/* ---- the random field ---- */

static bool are_broken(const sp_violations *v)
{
    return v->illegal + v->illegal_start + v->illegal_end + v->short_runs + v->impossible > 0;
}

/* -log probability of these labels of the case; NaN where they break the rules. */
static double objective_of(field_case *f, const learn_rules *form, const double *theta, sp_workers *workers)
{
    sp_error err;
    sp_crf *crf;
    double value = NAN;
    if (sp_crf_new(&f->c.training, &f->rules, form->memory ? form->memory : 1, &crf, &err) != SP_OK)
        return NAN;
    if (!are_broken(sp_crf_violations(crf)))
        assert_ok(sp_crf_objective(crf, theta, NULL, workers, &value, NULL, &err), &err);
    sp_crf_free(crf);
    return value;
}

/* Of all labels of five steps, of which one class is impossible in one; sets of classes are as likely as what they leave open. */
static void probabilities_sum_to_one(void **state)
{
    (void)state;
    enum { T = 5 };
    sp_workers *workers = sp_workers_new(1);
    for (int i = 0; i < LEARN_RULES; i++) {
        const learn_rules *form = &learn_rules_all[i];
        field_case f = case_open(form, is_hidden(form, WHOLE) || form->memory == 1 ? SETS : WHOLE, 7, false);
        int64_t offsets[] = {0, T};
        int32_t set[T] = {-1, 0, -1, 1, -1}, none[T] = {-1, -1, -1, -1, -1}, labels[T];
        const bool has_sets = f.c.training.label_set;
        const sp_training asked = f.c.training;
        double sum = 0, sum_of_set = 0, *theta = NULL;
        int n_legal = 0;
        f.c.scores[6] = -INFINITY;
        f.c.training = (sp_training){.batch = {{f.c.scores, SP_F64, CASE_K, T, NULL, NULL, NULL}, 1, offsets},
                                     .labels = labels,
                                     .label_set = has_sets ? none : NULL,
                                     .label_sets = asked.label_sets,
                                     .n_label_sets = asked.n_label_sets,
                                     .classes = asked.classes};
        for (int path = 0; path < 1 << (2 * T); path++) {
            bool is_in_set = true;
            for (int t = 0; t < T; t++) {
                labels[t] = path >> (2 * t) & 3;
                is_in_set &= set[t] < 0 ? t != 2 || labels[t] == 1
                                        : asked.label_sets && asked.label_sets[set[t] * CASE_K + labels[t]];
            }
            if (!theta) {
                case_make_field(&f, form, WHOLE);
                theta = f.theta;
            }
            const double value = objective_of(&f, form, theta, workers);
            n_legal += !isnan(value);
            sum += isnan(value) ? 0 : exp(-value);
            sum_of_set += isnan(value) || !is_in_set ? 0 : exp(-value);
        }
        if (!(fabs(sum - 1) < 1e-11 && n_legal > 15))
            fail_msg("%s: %d labels have probabilities of sum %.17g", form->name, n_legal, sum);
        if (has_sets) { /* the first step and the last are open, and those between of a set or of one class */
            memcpy(labels, (const int32_t[]){-1, -1, 1, -1, -1}, sizeof labels);
            f.c.training.label_set = set;
            if (!(fabs(exp(-objective_of(&f, form, theta, workers)) - sum_of_set) < 1e-11))
                fail_msg("%s: labels of several classes have probability %.17g, not %.17g", form->name,
                         exp(-objective_of(&f, form, theta, workers)), sum_of_set);
        }
        f.c.training = asked;
        case_close(&f);
    }
    sp_workers_free(workers);
}

/* With unscored steps, broken rules, gaps, impossible labels and a penalty; and far from the sharp end. */
static void gradients_are_differences(void **state)
{
    (void)state;
    sp_workers *workers = sp_workers_new(2);
    int64_t n_illegal = 0, n_impossible = 0;
    for (int v = 0; v < LEARN_RULES * N_DATA; v++) {
        sp_error err;
        const learn_rules *form = &learn_rules_all[v / N_DATA];
        const data kind = (data)(v % N_DATA);
        if (form->memory > 1 && kind == SETS) /* refused: see test_fit.c */
            continue;
        const double penalty_of[] = {0.7, 0}, tolerance = kind == DRIFT || kind == FAR ? 2e-3 : 1e-6;
        const sp_crf_penalty penalty = {.weight = penalty_of[v % 2]};
        field_case f = case_open(form, kind, 20 + (uint64_t)v, false);
        case_make_field(&f, form, kind);
        n_illegal += sp_crf_violations(f.crf)->illegal;
        n_impossible += sp_crf_violations(f.crf)->impossible;
        double value, up, down;
        assert_ok(sp_crf_objective(f.crf, f.theta, &penalty, workers, &value, f.gradient, &err), &err);
        for (int64_t i = 0; i < f.n; i++) {
            if (is_left_out(i, 10))
                continue;
            const double h = 1e-5, kept = f.theta[i], allowed = i > 0 ? tolerance : 100 * tolerance;
            f.theta[i] = kept + h;
            assert_ok(sp_crf_objective(f.crf, f.theta, &penalty, workers, &up, NULL, &err), &err);
            f.theta[i] = kept - h;
            assert_ok(sp_crf_objective(f.crf, f.theta, &penalty, workers, &down, NULL, &err), &err);
            f.theta[i] = kept;
            const double slope = (up - down) / (2 * h);
            if (!(fabs(slope - f.gradient[i]) <= allowed * (1 + fabs(slope))))
                fail_msg("%s, data %d, parameter %d: slope %.17g, gradient %.17g", f.name, kind, (int)i,
                         slope, f.gradient[i]);
        }
        case_close(&f);
    }
    assert_true(n_illegal > 30 && n_impossible > 30);
    sp_workers_free(workers);
}

/* The exported model gives the labels the probability that the objective says, whatever the weights are, and its marginals the gradient by
 * biases. Of scores and weights far apart there are many cases: each is lost, or not, at other steps. */
static void the_model_is_the_field(void **state)
{
    (void)state;
    enum { SEEDS = 3, FAR_SEEDS = 60 };
    sp_workers *workers = sp_workers_new(2);
    for (int v = 0; v < FAR_SEEDS * LEARN_RULES * N_DATA; v++) {
        sp_error err;
        const learn_rules *form = &learn_rules_all[v / N_DATA % LEARN_RULES];
        const data kind = (data)(v % N_DATA);
        if ((kind != FAR && v >= SEEDS * LEARN_RULES * N_DATA) || is_left_out(v / N_DATA / LEARN_RULES, 10))
            continue;
        if (form->memory > 0 && (kind == SPARSE || (form->memory > 1 && kind == SETS)))
            continue; /* what is not labelled is cut */
        sp_model *model;
        double value, all[CASE_K] = {0}, labelled[CASE_K] = {0};
        field_case f = case_open(form, kind, 90 + (uint64_t)v, true);
        case_make_field(&f, form, kind);
        assert_false(are_broken(sp_crf_violations(f.crf)));
        assert_ok(sp_crf_objective(f.crf, f.theta, NULL, workers, &value, f.gradient, &err), &err);
        assert_ok(sp_crf_to_model(f.crf, f.theta, "field", &model, &err), &err);
        assert_close(model->temperature, 1 / f.theta[0], 0, 1e-15);
        const double log_z = learn_log_z(model, &f.c.training, false, true, all),
                     by_model = log_z - learn_log_z(model, &f.c.training, true, true, labelled);
        if (!(fabs(by_model - value) <= 1e-9 + 1e-11 * fabs(log_z)))
            fail_msg("%s, data %d: %.17g by the field, %.17g by its model", f.name, kind, value, by_model);
        for (int k = 0; k < CASE_K; k++)
            if (!(fabs(all[k] - labelled[k] - f.gradient[1 + k]) <= 1e-7))
                fail_msg("%s, data %d, class %d: %.17g steps by the field, %.17g by its model", f.name, kind,
                         k, f.gradient[1 + k], all[k] - labelled[k]);
        sp_model_free(model);
        case_close(&f);
    }
    sp_workers_free(workers);
}

/* Two classes that are never left, each likely in one half alone: in the middle both paths are as far behind as numbers go, or one of them
 * just so far that it is lost, and yet both matter. The labels have the second. */
static void paths_far_behind_count(void **state)
{
    (void)state;
    enum { MOST_T = 12, MOST_K = 2 };
    static const char *const classes[] = {"a", "b"};
    static const uint8_t stay[MOST_K * MOST_K] = {1, 0, 0, 1};
    static const struct {
        int32_t K, T;
        double first[MOST_K], second[MOST_K]; /* scores of each step of a half */
    } cases[] = {{2, 4, {0, -334.5}, {-333, 0}}, {2, 12, {0, -111}, {-110, 0}}};
    for (int v = 0; v < 2; v++) {
        const int32_t K = cases[v].K, T = cases[v].T;
        double e[MOST_T * MOST_K], total[MOST_K], log_z = -INFINITY, along = 0, value;
        int32_t labels[MOST_T];
        const int64_t offsets[] = {0, T};
        for (int32_t t = 0; t < T; t++) {
            labels[t] = t ? -1 : K - 1;
            for (int32_t k = 0; k < K; k++)
                e[t * K + k] = t < T / 2 ? cases[v].first[k] : cases[v].second[k];
        }
        for (int32_t k = 0; k < K; k++) {
            total[k] = T / 2 * (cases[v].first[k] + cases[v].second[k]);
            log_z = k ? fmax(log_z, total[k]) + log1p(exp(-fabs(log_z - total[k]))) : total[0];
        }
        const sp_training training = learn_training(K, 1, offsets, e, labels, classes);
        sp_error err;
        sp_rules rules;
        sp_crf *crf;
        sp_model *model = sp_model_new("apart", K, classes);
        sp_workers *workers = sp_workers_new(1);
        assert_ok(sp_model_set_matrix(model, stay, NULL, &err), &err);
        assert_ok(sp_rules_init(&rules, model, K, classes, &err), &err);
        rules.hidden = model;
        assert_ok(sp_crf_new(&training, &rules, 1, &crf, &err), &err);
        const size_t n = (size_t)sp_crf_n_parameters(crf);
        double *theta = calloc(n, sizeof *theta), *gradient = calloc(n, sizeof *gradient);
        theta[0] = 1;
        assert_ok(sp_crf_objective(crf, theta, NULL, workers, &value, gradient, &err), &err);
        assert_close(value, log_z - total[K - 1], 1e-9, 0);
        for (int32_t k = 0; k < K; k++) {
            along += exp(total[k] - log_z) * total[k];
            assert_close(gradient[1 + k], T * (exp(total[k] - log_z) - (k == K - 1)), 1e-9, 0);
        }
        assert_close(gradient[0], along - total[K - 1], 1e-9, 0);
        free(theta);
        free(gradient);
        sp_crf_free(crf);
        sp_rules_clear(&rules);
        sp_model_free(model);
        sp_workers_free(workers);
    }
}

/* The same minimum on any number of threads; where states are not hidden from two starts, and the gradient vanishes there; a scale that is
 * kept stays. */
static void the_optimum_is_one(void **state)
{
    (void)state;
    sp_error err;
    sp_workers *one = sp_workers_new(1), *three = sp_workers_new(3);
    for (int i = 0; i < LEARN_RULES; i++) {
        if (is_left_out(i, 3))
            continue;
        const learn_rules *form = &learn_rules_all[i];
        const bool is_convex = !is_hidden(form, WHOLE);
        const double precision = is_convex ? 1e-14 : 1e-7;
        field_case f = case_open(form, WHOLE, 31 + (uint64_t)i, !is_convex);
        case_make_field(&f, form, WHOLE);
        const size_t bytes = (size_t)f.n * sizeof(double);
        double *a = malloc(bytes), *b = malloc(bytes), counts, best;
        sp_crf_penalty penalty = {.weight = 0.5};
        sp_minimised ra, rb, rc;
        assert_ok(sp_crf_from_counts(f.crf, 0.5, NULL, three, a, &err), &err);
        memcpy(b, a, bytes);
        assert_ok(sp_crf_objective(f.crf, a, NULL, one, &counts, NULL, &err), &err);
        assert_ok(sp_crf_minimise(f.crf, a, &penalty, precision, one, &ra, &err), &err);
        assert_ok(sp_crf_minimise(f.crf, b, &penalty, precision, three, &rb, &err), &err);
        assert_memory_equal(a, b, bytes);
        assert_ok(sp_crf_objective(f.crf, a, NULL, one, &best, NULL, &err), &err);
        assert_true(best < counts - 1);
        if (is_convex) {
            assert_ok(sp_crf_minimise(f.crf, f.theta, &penalty, precision, one, &rc, &err), &err);
            assert_close(rc.value, ra.value, 0, 1e-9);
            assert_ok(sp_crf_objective(f.crf, a, &penalty, one, &best, f.gradient, &err), &err);
            for (int64_t p = 0; p < f.n; p++) {
                assert_close(f.theta[p], a[p], 1e-3, 0);
                assert_close(f.gradient[p], 0, 2e-3, 0);
            }
        }
        penalty.fixes_scale = true;
        b[0] = 0.25;
        assert_ok(sp_crf_minimise(f.crf, b, &penalty, 1e-8, one, &rb, &err), &err);
        assert_close(b[0], 0.25, 0, 1e-12);
        assert_true(rb.value > ra.value);
        penalty.weight = 0;
        assert_int_equal(sp_crf_minimise(f.crf, b, &penalty, 1e-8, one, &rb, &err), SP_EINVAL);
        free(a);
        free(b);
        case_close(&f);
    }
    sp_workers_free(one);
    sp_workers_free(three);
}

/* ---- counts, and expectation-maximisation ---- */

/* Where labels say the states one iteration gives the counts, and what is forbidden or impossible is counted alike. */
static void one_step_gives_the_counts(void **state)
{
    (void)state;
    sp_workers *workers = sp_workers_new(2);
    int64_t n_illegal = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        sp_error err;
        field_case f = case_open(&learn_rules_all[4], WHOLE, seed, false);
        sp_model *counts, *found;
        const double smoothing = seed % 3 ? 0.5 : 0.01;
        const sp_hidden_em_options once = {.has_labels = true, .smoothing = smoothing, .most_iterations = 1};
        sp_hidden_found em = {0};
        sp_violations violations, expected;
        for (int64_t t = 0; t < f.c.training.batch.scores.n_steps; t++)
            f.c.labels[t] = f.c.labels[t] < 0 ? 0 : f.c.labels[t];
        assert_ok(sp_hidden_fit(&f.c.training, &f.rules, &once, workers, "x", &found, &violations, &em, &err),
                  &err);
        f.rules.hidden = NULL;
        assert_ok(
            sp_model_from_labels(&f.c.training, &f.rules, smoothing, NULL, "x", &counts, &expected, &err),
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
            assert_string_equal(found->classes[i], f.c.training.classes[i]);
            assert_close(found->prior[i], counts->prior[i], 0, 1e-12);
            assert_close(exp(found->start[i]), exp(counts->start[i]), 1e-12, 1e-10);
            for (int32_t j = 0; j < CASE_K; j++) {
                const int64_t e = sp_model_edge(found, i, j);
                assert_int_equal(e, sp_model_edge(counts, i, j));
                if (e >= 0)
                    assert_close(exp(found->weight[e]), exp(counts->weight[e]), 1e-12, 1e-10);
            }
        }
        sp_violations_clear(&violations);
        sp_violations_clear(&expected);
        sp_model_free(found);
        sp_model_free(counts);
        case_close(&f);
    }
    assert_true(n_illegal > 20);
    sp_workers_free(workers);
}

/* Zeros stay zero, and the model has the likelihood that was reached. */
static void the_likelihood_never_falls(void **state)
{
    (void)state;
    enum { MOST = 40 };
    sp_workers *workers = sp_workers_new(2);
    for (int v = 0; v < 4 * LEARN_RULES * N_DATA; v++) {
        sp_error err;
        const learn_rules *form = &learn_rules_all[v / N_DATA % LEARN_RULES];
        const data kind = (data)(v % N_DATA);
        if (form->memory > 1 || (kind != WHOLE && v / N_DATA / LEARN_RULES > 0 && kind != SETS))
            continue;
        if (is_left_out(v, 5))
            continue;
        const bool hidden = is_hidden(form, kind), is_legal = v % 2;
        const sp_hidden_em_options how = {.has_labels = true,
                                          .has_scores = !hidden || kind >= DRIFT || v % 4 >= 2,
                                          .smoothing = v % 3 ? 0 : 0.5,
                                          .most_iterations = MOST};
        field_case f = case_open(form, kind, 30 + (uint64_t)v, is_legal);
        double values[MOST + 1];
        sp_hidden_found em = {.values = values};
        sp_model *found;
        if (hidden)
            assert_ok(sp_hidden_fit(&f.c.training, &f.rules, &how, workers, "em", &found, NULL, &em, &err),
                      &err);
        else
            assert_ok(sp_model_from_em(&f.c.training, &f.rules, MOST, 0, workers, "em", &found, values,
                                       &em.n_iterations, &err),
                      &err);
        const double last = values[em.n_iterations];
        assert_true(em.n_iterations > 0 && em.n_iterations <= MOST);
        for (int i = 0; i < em.n_iterations; i++)
            if (values[i + 1] < values[i] - 1e-9 * fabs(values[i]))
                fail_msg("%s, data %d: %.17g after %.17g", f.name, kind, values[i + 1], values[i]);
        assert_true(kind >= DRIFT || last > values[0] + 0.1);
        assert_ok(sp_model_check(found, &err), &err);
        for (int32_t i = 0; i < found->n_states; i++)
            for (int32_t j = 0; j < found->n_states && found->n_states == CASE_K; j++)
                if (sp_model_edge(f.declared, CASE_K - 1 - i, CASE_K - 1 - j) < 0)
                    assert_int_equal(sp_model_edge(found, i, j), -1);
        const double reached =
            how.has_scores ? learn_log_z(found, &f.c.training, hidden && is_legal, true, NULL) : NAN;
        if (!hidden || (is_legal && how.has_scores))
            if (!(fabs(reached - (hidden ? em.log_z : last)) <= 1e-7 + 1e-9 * fabs(reached)))
                fail_msg("%s, data %d: %.17g, by the model %.17g", f.name, kind, last, reached);
        sp_model_free(found);
        case_close(&f);
    }
    sp_workers_free(workers);
}

/* ---- folds, and what is judged on them ---- */

/* Recordings whose steps have several classes are learnt from, never judged by, and not parted from their group. */
static void folds_have_them(void **state)
{
    (void)state;
    enum { N = 12 };
    sp_error err;
    learn_case c = learn_case_new(7, N, 30, CASE_K, 0);
    learn_make_sets(&c, 8, 0);
    int32_t group[N];
    for (int64_t r = 0; r < N; r++) {
        group[r] = (int32_t)(r / 2);
        for (int64_t t = c.offsets[r]; r % 2 && t < c.offsets[r + 1]; t++) {
            c.labels[t] = -1;
            c.label_set[t] = 1;
        }
    }
    sp_fit_options options = sp_fit_options_default();
    options.group = group;
    sp_tuner u = {.training = &c.training, .options = &options};
    assert_ok(sp_tuner_init(&u, &err), &err);
    assert_int_equal(u.n_folds, 5);
    assert_int_equal(u.n_groups, N / 2);
    for (int r = 0; r < N; r++) {
        assert_int_equal(u.judged[r], r % 2 == 0);
        assert_true(u.learnt[r] && u.fold[r] == u.fold[r / 2 * 2] && u.fold[r] >= 0);
        for (int32_t f = 0; f < u.n_folds; f++)
            assert_int_equal(u.use[f * N + r], u.fold[r] != f);
    }
    assert_null(sp_tuner_reason_against(&u));
    sp_tuner_clear(&u);
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
    const sp_training training = {.batch = {{scores, SP_F64, K, S, NULL, NULL, NULL}, 1, offsets},
                                  .labels = labels};
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

/* e / T - weight log prior and back; -inf stays, a row of zeros says nothing and stays. */
static void test_scaled_rows(void **state)
{
    (void)state;
    const double e[] = {-1, -2, -INFINITY, 0, 0, 0}, log_prior[] = {-0.5, -1.5, -1},
                 wanted[] = {-0.5 + 0.2, -1 + 0.6, -INFINITY, 0, 0, 0};
    double made[6], back[6];
    sp_scores_scaling by = {2, 0.4, log_prior, false};
    sp_scale_rows(&(sp_scores){e, SP_F64, 3, 2, NULL, NULL, NULL}, &by, made);
    by.undo = true;
    sp_scale_rows(&(sp_scores){made, SP_F64, 3, 2, NULL, NULL, NULL}, &by, back);
    for (int i = 0; i < 6; i++) {
        assert_true(made[i] == wanted[i] || fabs(made[i] - wanted[i]) < 1e-15);
        assert_true(back[i] == e[i] || fabs(back[i] - e[i]) < 1e-15);
    }
}

/* Every n-th recording, or group; few stay as they are. */
static void test_part_of_many(void **state)
{
    (void)state;
    enum { N = 100, T = 10 };
    int64_t offsets[N + 1];
    int32_t group[N];
    uint8_t use[N];
    sp_error err;
    for (int n = 0; n <= N; n++)
        offsets[n] = n * T;
    for (int n = 0; n < N; n++)
        group[n] = 2 * (n / 4) + 1; /* any numbers do */
    const sp_training training = {.batch = {{NULL, SP_F64, 2, N * T, NULL, NULL, NULL}, N, offsets}};
    const struct {
        int64_t most;
        const int32_t *group;
        int32_t wanted;
    } cases[] = {{N * T, NULL, N}, {500, NULL, 50}, {250, NULL, 25}, {10, NULL, 20}, {500, group, N}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        int32_t n = 0;
        memset(use, 1, N);
        assert_ok(sp_thin_out(&training, cases[c].group, cases[c].most, use, &err), &err);
        for (int r = 0; r < N; r++)
            n += use[r];
        assert_int_equal(n, cases[c].wanted);
    }
    for (int n = 0; n < N; n++)
        group[n] = 6 * (n % 50) + 3;
    memset(use, 1, N);
    use[4] = 0;
    assert_ok(sp_thin_out(&training, group, 500, use, &err), &err);
    for (
        int r = 0; r < N;
        r++) /* those of a group stay together, wherever they stand; group 4 comes by recording 54, the last */
        assert_int_equal(use[r], r != 4 && (r % 50 < 4    ? r % 2 == 0
                                            : r % 50 == 4 ? 49 % 2 == 0
                                                          : r % 50 % 2 == 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(probabilities_sum_to_one),   cmocka_unit_test(gradients_are_differences),
        cmocka_unit_test(the_model_is_the_field),     cmocka_unit_test(paths_far_behind_count),
        cmocka_unit_test(the_optimum_is_one),         cmocka_unit_test(one_step_gives_the_counts),
        cmocka_unit_test(the_likelihood_never_falls), cmocka_unit_test(folds_have_them),

        cmocka_unit_test(test_silent_step_in_a_fold), cmocka_unit_test(test_scaled_rows),
        cmocka_unit_test(test_part_of_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
