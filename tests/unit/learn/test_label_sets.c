/* Labels that say several classes: sums over paths against their enumeration, a likelihood that never falls, exact gradients, and what becomes
 * of figures, settings and the model. */
#include "check.h"
#include "failing_alloc.h"
#include "learn_case.h"
#include "statepath/learn.h"

/* sp_fit() gives a model, neither the likelihoods on the way nor the objective and its gradient. */
#include "learn/crf/crf.h"
#include "learn/hidden/hidden.h"
#include "learn/training.h"
#include "learn/tune.h"

enum { N_SETS = 3, MOST_STATES = 2 * CASE_K };

static const uint8_t sets[N_SETS][CASE_K] = {{0, 1, 1, 0}, {1, 1, 1, 0}, {0, 0, 1, 1}};

/* Labels of a case, of which a share become sets that have them. */
typedef struct set_case {
    learn_case c;
    int32_t *label_set;
} set_case;

static set_case sets_new(uint64_t seed, int64_t n_recordings, int64_t longest, double unscored, double share)
{
    set_case s = {.c = learn_case_new(seed, n_recordings, longest, CASE_K, unscored)};
    const int64_t S = s.c.training.batch.scores.n_steps;
    uint64_t random = seed + 1;
    s.label_set = malloc((size_t)S * sizeof *s.label_set);
    for (int64_t t = 0; t < S; t++) {
        const int32_t set = (int32_t)(learn_uniform(&random) * N_SETS);
        const bool is_set = learn_uniform(&random) < share && s.c.labels[t] >= 0 && sets[set][s.c.labels[t]];
        s.label_set[t] = is_set ? set : -1;
        s.c.labels[t] = is_set ? -1 : s.c.labels[t];
    }
    s.c.training.label_set = s.label_set;
    s.c.training.label_sets = sets[0];
    s.c.training.n_label_sets = N_SETS;
    return s;
}

static void sets_free(set_case *s)
{
    learn_case_free(&s->c);
    free(s->label_set);
}

/* A model of so many states of each class, some transitions forbidden; in another order than the columns. */
static sp_model *states_model(uint64_t seed, int32_t n_each)
{
    static const char *const classes[CASE_K] = {"d", "c", "b", "a"};
    sp_error err;
    const int32_t M = CASE_K * n_each;
    uint8_t allow[MOST_STATES * MOST_STATES];
    int32_t of_state[MOST_STATES];
    sp_model *m = sp_model_new("some", CASE_K, classes);
    for (int32_t s = 0; s < M; s++)
        of_state[s] = s / n_each;
    if (n_each > 1)
        learn_give_states(m, M, of_state);
    for (int i = 0; i < M * M; i++)
        allow[i] = i / M == i % M || learn_uniform(&seed) < 0.8;
    assert_ok(sp_model_set_matrix(m, allow, NULL, &err), &err);
    return m;
}

/* ---- sums over paths ---- */

typedef struct weighed {
    const sp_model *model; /* its classes are the columns */
    const sp_training *training;
    const double *next, *start;
    int64_t first, n; /* steps of the recording */
} weighed;

/* Sum of exp(score) over all paths of states from step t on that come from state `from`. */
static double sum_of_paths(const weighed *w, int64_t t, int32_t from)
{
    double sum = 0;
    if (t == w->n)
        return 1;
    for (int32_t s = 0; s < w->model->n_states; s++) {
        const int32_t k = w->model->state_class ? w->model->state_class[s] : s;
        const int64_t e = t ? sp_model_edge(w->model, from, s) : -1;
        if ((t && e < 0) || !sp_training_may(w->training, w->first + t, k))
            continue;
        sum +=
            exp((t ? w->next[e] : w->start[s]) + sp_scores_at(&w->training->batch.scores, w->first + t, k)) *
            sum_of_paths(w, t + 1, s);
    }
    return sum;
}

static void sums_are_those_of_all_paths(void **state)
{
    (void)state;
    sp_workers *workers = sp_workers_new(2);
    int n_whole = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        sp_error err;
        set_case s = sets_new(seed, 3, 5, 0.2, 0.7);
        sp_model *declared = states_model(seed, 1 + (int32_t)(seed % 2));
        sp_rules rules;
        sp_hidden *h;
        assert_ok(sp_rules_init(&rules, declared, CASE_K, s.c.training.classes, &err), &err);
        assert_ok(sp_rules_hide(&rules, s.c.training.classes, &err), &err);
        assert_true((rules.own != NULL) == (seed % 2 == 0));
        assert_ok(sp_hidden_new(&s.c.training, &rules, &h, &err), &err);
        const sp_model *model = sp_hidden_model(h);
        const sp_violations *v = sp_hidden_violations(h);
        if (sp_hidden_n_pieces(h) == 3 &&
            v->illegal + v->illegal_start + v->illegal_end == 0) { /* nothing was cut */
            double next[MOST_STATES * MOST_STATES], start[MOST_STATES], sum = 0;
            uint64_t random = seed;
            for (int64_t e = 0; e < model->row[model->n_states]; e++)
                next[e] = 2 * learn_uniform(&random) - 1;
            for (int32_t i = 0; i < model->n_states; i++)
                start[i] = 2 * learn_uniform(&random) - 1;
            sp_hidden_weigh(h, &(sp_hidden_weights){next, start, NULL});
            const sp_hidden_pass pass = {.has_labels = true, .has_scores = true, .scale = 1};
            sp_hidden_sums found;
            assert_ok(sp_hidden_run(h, &pass, workers, &found, &err), &err);
            for (int64_t r = 0; r < 3; r++) {
                const int64_t first = s.c.offsets[r];
                sum += log(sum_of_paths(
                    &(weighed){model, &s.c.training, next, start, first, s.c.offsets[r + 1] - first}, 0, 0));
            }
            assert_close(*found.log_z, sum, 1e-10, 1e-12);
            free(found.all);
            n_whole++;
        }
        sp_hidden_free(h);
        sp_rules_clear(&rules);
        sp_model_free(declared);
        sets_free(&s);
    }
    assert_true(n_whole > 15);
    sp_workers_free(workers);
}

/* ---- learning ---- */

static void the_likelihood_never_falls(void **state)
{
    (void)state;
    enum { MOST = 40 };
    sp_workers *workers = sp_workers_new(2);
    for (int v = 0; v < 16; v++) {
        sp_error err;
        set_case s = sets_new(30 + (uint64_t)v, 7, 40, v % 2 ? 0.3 : 0, 0.6);
        sp_model *declared = states_model((uint64_t)v, 1 + v % 2), *found;
        double values[MOST + 1];
        const sp_hidden_em_options how = {.has_labels = true,
                                          .has_scores = v % 4 >= 2,
                                          .smoothing = v % 3 ? 0 : 0.5,
                                          .most_iterations = MOST};
        sp_hidden_found em = {.values = values};
        sp_rules rules;
        assert_ok(sp_rules_init(&rules, declared, CASE_K, s.c.training.classes, &err), &err);
        assert_ok(sp_rules_hide(&rules, s.c.training.classes, &err), &err);
        assert_ok(sp_hidden_fit(&s.c.training, &rules, &how, workers, "em", &found, NULL, &em, &err), &err);
        for (int i = 0; i < em.n_iterations; i++)
            if (values[i + 1] < values[i] - 1e-9 * fabs(values[i]))
                fail_msg("case %d: %.17g after %.17g", v, values[i + 1], values[i]);
        assert_true(values[em.n_iterations] > values[0] + 0.1);
        sp_model_free(found);
        sp_model_free(declared);
        sp_rules_clear(&rules);
        sets_free(&s);
    }
    sp_workers_free(workers);
}

static void the_gradient_is_exact(void **state)
{
    (void)state;
    sp_workers *workers = sp_workers_new(2);
    for (int v = 0; v < 8; v++) {
        sp_error err;
        set_case s = sets_new(60 + (uint64_t)v, 7, 30, 0.2, 0.6);
        sp_model *declared = states_model((uint64_t)v, 1 + v % 2);
        sp_rules rules;
        sp_crf *crf;
        for (int64_t t = 3; t < s.c.training.batch.scores.n_steps; t += 4)
            s.c.scores[t * CASE_K + t % CASE_K] = -INFINITY;
        assert_ok(sp_rules_init(&rules, declared, CASE_K, s.c.training.classes, &err), &err);
        assert_ok(sp_rules_hide(&rules, s.c.training.classes, &err), &err);
        assert_ok(sp_crf_new(&s.c.training, &rules, 1, &crf, &err), &err);
        const int64_t n = sp_crf_n_parameters(crf);
        double *theta = learn_theta(n, 3), *gradient = malloc((size_t)n * sizeof *gradient), value, up, down;
        assert_ok(sp_crf_objective(crf, theta, NULL, workers, &value, gradient, &err), &err);
        assert_true(value > 0);
        for (int64_t i = 0; i < n; i++) {
            const double h = 1e-5, kept = theta[i];
            theta[i] = kept + h;
            assert_ok(sp_crf_objective(crf, theta, NULL, workers, &up, NULL, &err), &err);
            theta[i] = kept - h;
            assert_ok(sp_crf_objective(crf, theta, NULL, workers, &down, NULL, &err), &err);
            theta[i] = kept;
            assert_close((up - down) / (2 * h), gradient[i], 1e-6, 1e-6);
        }
        free(theta);
        free(gradient);
        sp_crf_free(crf);
        sp_model_free(declared);
        sp_rules_clear(&rules);
        sets_free(&s);
    }
    sp_workers_free(workers);
}

/* ---- what sp_fit() makes of them ---- */

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
    set_case s = sets_new(3, 12, 60, 0, 0);
    sp_training plain = s.c.training;
    plain.label_set = NULL;
    for (int method = 0; method < SP_N_FIT_METHODS; method++) {
        sp_fit_report with = {.before = 0}, without = {.before = 0};
        sp_model *a = fitted(&s.c.training, (sp_fit_method)method, &with);
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
    for (int64_t t = 0; t < s.c.training.batch.scores.n_steps; t += 2) {
        s.label_set[t] = s.c.labels[t];
        s.c.labels[t] = -1;
    }
    s.c.training.label_sets = ones[0];
    s.c.training.n_label_sets = CASE_K;
    sp_model *found = fitted(&s.c.training, SP_FIT_COUNTS, &report);
    assert_same_weights(found, exact, 1e-9);
    assert_true(report.n_set_steps > 0 && report.n_steps + report.n_set_steps == of_classes.n_steps);
    assert_non_null(strstr(found->description, "labelled steps and "));
    assert_int_equal(report.violations.scored, of_classes.violations.scored);
    assert_int_equal(report.violations.transitions, of_classes.violations.transitions);
    sp_fit_report_clear(&report);
    sp_fit_report_clear(&of_classes);
    sp_model_free(exact);
    sp_model_free(found);
    sets_free(&s);
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
    sp_error err;
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
    sp_rules rules;
    sp_model *model;
    sp_hidden_found found = {0};
    const sp_hidden_em_options how = {.has_labels = true, .smoothing = 1e-9, .most_iterations = 5};
    sp_workers *workers = sp_workers_new(1);
    assert_ok(sp_rules_init(&rules, NULL, 3, names, &err), &err);
    assert_ok(sp_rules_hide(&rules, names, &err), &err);
    assert_ok(sp_hidden_fit(&training, &rules, &how, workers, "x", &model, NULL, &found, &err), &err);
    assert_close(model->prior[0], 0.75, 1e-6, 0);
    assert_close(model->prior[1], 0.25, 1e-6, 0);
    assert_true(model->prior[2] > 0);
    sp_model_free(model);
    sp_rules_clear(&rules);
    sp_workers_free(workers);
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
    for (int i = 0; i < 2; i++) {
        sp_rules rules;
        sp_hidden *h;
        assert_ok(sp_rules_init(&rules, rules_model, 3, names, &err), &err);
        assert_ok(sp_rules_hide(&rules, names, &err), &err);
        assert_ok(sp_hidden_new(&training, &rules, &h, &err), &err);
        const sp_violations *v = sp_hidden_violations(h);
        assert_int_equal(v->scored, 8);
        assert_int_equal(v->transitions, i ? 5 : 7); /* without an impossible step, and what follows it */
        assert_int_equal(v->illegal, 1); /* {c} after b; {a, b} between two c: a; {b, c} between a and b: b */
        for (int p = 0; p < 9; p++)
            assert_int_equal(v->illegal_pairs[p], 0);
        assert_int_equal(v->impossible, i);
        assert_int_equal(sp_hidden_n_steps(h, NULL), i ? 7 : 8);
        assert_int_equal(sp_hidden_n_pieces(h), i ? 3 : 2);
        sp_hidden_free(h);
        sp_rules_clear(&rules);
        scores[6 * 3 + 1] = scores[6 * 3 + 2] = -INFINITY; /* no class of the set is possible */
    }
    sp_model_free(rules_model);
}

/* Of sets alone there are no figures: nothing is tuned, and what is judged by figures is refused. */
static void sets_alone(void **state)
{
    (void)state;
    set_case s = sets_new(5, 8, 30, 0.1, 1);
    for (int64_t t = 0; t < s.c.training.batch.scores.n_steps; t++) {
        if (s.c.labels[t] >= 0)
            s.label_set[t] = s.c.labels[t] == 3 ? 2 : 1;
        s.c.labels[t] = -1;
    }
    sp_error err;
    for (int method = 0; method < SP_N_FIT_METHODS; method++) {
        sp_fit_report report = {.before = 0};
        sp_fit_options options = sp_fit_options_default();
        sp_workers *workers = sp_workers_new(1);
        sp_model *model = NULL;
        options.method = (sp_fit_method)method;
        const sp_status status = sp_fit(&s.c.training, &options, workers, &model, &report, &err);
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
    sets_free(&s);
}

/* Recordings whose steps have several classes are learnt from, never judged by, and not parted from their group. */
static void folds_have_them(void **state)
{
    (void)state;
    enum { N = 12 };
    sp_error err;
    set_case s = sets_new(7, N, 30, 0, 0);
    int32_t group[N];
    for (int64_t r = 0; r < N; r++) {
        group[r] = (int32_t)(r / 2);
        for (int64_t t = s.c.offsets[r]; r % 2 && t < s.c.offsets[r + 1]; t++) {
            s.c.labels[t] = -1;
            s.label_set[t] = 1;
        }
    }
    sp_fit_options options = sp_fit_options_default();
    options.group = group;
    sp_tuner u = {.training = &s.c.training, .options = &options};
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
    sets_free(&s);
}

/* Labels that stand alone: transitions are those of the steps between, too. Labels in a row, or too many transitions: recordings are cut. */
static void sparse_labels(void **state)
{
    (void)state;
    sp_error err;
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
    sp_training training = {
        .batch = {{NULL, SP_F64, 3, T, NULL, NULL, NULL}, N, offsets}, .labels = labels, .classes = names};
    for (int i = 0; i < 3; i++) {
        sp_fit_report report = {.before = 0};
        const sp_fit_options options = sp_fit_options_default();
        sp_workers *workers = sp_workers_new(1);
        sp_model *model;
        training.batch.scores.n_classes = i == 1 ? MANY : 3;
        for (int t = 0; i == 2 && t < T; t++)
            labels[t] = t % 30 < 15 ? t / 30 % 3 : -1; /* in a row */
        assert_ok(sp_fit(&training, &options, workers, &model, &report, &err), &err);
        assert_int_equal(report.has_sparse_labels, i == 0);
        for (int32_t a = 0; i == 0 && a < 3; a++)
            for (int32_t b = 0; b < 3; b++)
                assert_close(exp(model->weight[sp_model_edge(model, a, b)]), truth[a][b], 0.04, 0);
        sp_fit_report_clear(&report);
        sp_model_free(model);
        sp_workers_free(workers);
    }
    free(labels);
}

static void what_is_refused(void **state)
{
    (void)state;
    sp_error err;
    set_case s = sets_new(1, 8, 30, 0, 0.5);
    sp_workers *workers = sp_workers_new(1);
    sp_model *model = NULL;
    sp_fit_options options = sp_fit_options_default();
    options.features = SP_FEATURES_NONE;
    options.method = SP_FIT_CRF;
    options.memory = 3;
    options.tune = SP_TUNE_NONE;
    assert_int_equal(sp_fit(&s.c.training, &options, workers, &model, NULL, &err), SP_EINVAL);
    assert_non_null(strstr(
        err.message, "`memory` 3: how long a class has lasted is not known where labels leave classes open"));
    options.memory = 1;
    options.method = SP_FIT_COUNTS;
    options.durations = SP_DURATIONS_LEARN;
    assert_int_equal(sp_fit(&s.c.training, &options, workers, &model, NULL, &err), SP_EINVAL);
    assert_string_equal(err.message, "`durations` learn: the labels leave the class of some steps open");
    const sp_tied_aim aim = {.scheme = "bioes"};
    sp_tied_report tied;
    assert_int_equal(sp_fit_tied(&s.c.training, &options, &aim, workers, &model, &tied, &err), SP_EINVAL);
    assert_non_null(strstr(
        err.message, "`tied` is judged by whole entities, of which labels with several classes say nothing"));
    assert_null(model);
    sp_workers_free(workers);
    sets_free(&s);
}

static sp_status attempt(void *arg)
{
    const set_case *s = arg;
    sp_model *model = NULL;
    sp_fit_options options = sp_fit_options_default();
    sp_workers *workers = sp_workers_new(1);
    options.tune = SP_TUNE_NONE;
    const sp_status status =
        workers ? sp_fit(&s->c.training, &options, workers, &model, NULL, NULL) : SP_ENOMEM;
    assert_true((status == SP_OK) == (model != NULL));
    sp_model_free(model);
    sp_workers_free(workers);
    return status;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    set_case s = sets_new(3, 2, 6, 0, 0.5);
    assert_true(assert_each_alloc_may_fail(attempt, &s) > 20);
    sets_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_all_paths),
        cmocka_unit_test(the_likelihood_never_falls),
        cmocka_unit_test(the_gradient_is_exact),
        cmocka_unit_test(sets_of_one_class_are_classes),
        cmocka_unit_test(sets_are_learnt_from),
        cmocka_unit_test(shares_of_classes),
        cmocka_unit_test(sets_may_break_rules),
        cmocka_unit_test(sets_alone),
        cmocka_unit_test(folds_have_them),
        cmocka_unit_test(sparse_labels),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
