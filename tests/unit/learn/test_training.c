/* Learning from the inside. Conditional random fields: probabilities that sum to one, exact gradient, optimum, the model that comes
 * out. EM and cross-validation: the likelihood never falls, folds never see their own recordings. */
#include "check.h"
#include "learn_case.h"
#include "statepath/advanced.h"
#include "statepath/learn.h"

/* sp_fit() gives a model, not the objective and its gradient, the likelihoods on the way, nor which recordings are in a fold. */
#include "core/logmath.h"
#include "core/model/fusion.h"
#include "learn/crf/crf.h"
#include "learn/crf/crf_pass.h"
#include "learn/learn.h"
#include "learn/training.h"
#include "learn/tune.h"

static sp_rules some_rules(bool with_dwell)
{
    sp_error err;
    sp_rules r;
    assert_ok(sp_rules_init(&r, NULL, CASE_K, NULL, &err), &err);
    r.allow[0 * CASE_K + 3] = 0;
    r.allow[2 * CASE_K + 1] = 0;
    r.start[2] = 0;
    r.end[1] = 0;
    if (with_dwell) {
        r.dwell[1] = 2;
        r.dwell[3] = 3;
        r.dwell_at_end = true;
    }
    return r;
}

/* Over all label paths that the rules allow, probabilities sum to one; and a path's score in the exported model differs from
 * another's as their log probabilities do. */
static void test_probabilities(void **state)
{
    (void)state;
    enum { T = 5 };
    for (int v = 0; v < 4; v++) {
        int32_t memory = v % 2 ? 3 : 1, labels[T];
        sp_error err;
        sp_rules rules = some_rules(v >= 2);
        learn_case c = learn_case_new(7 + (uint64_t)v, 1, 1, CASE_K, 0);
        double scores[T * CASE_K];
        uint64_t seed = 99;
        for (int i = 0; i < T * CASE_K; i++)
            scores[i] = i == 6 ? -INFINITY : -4 * learn_uniform(&seed);
        int64_t offsets[2] = {0, T};
        sp_training training = {.batch = {{scores, SP_F64, CASE_K, T, NULL, NULL, NULL}, 1, offsets},
                                .labels = labels,
                                .classes = c.training.classes};
        sp_workers *workers = sp_workers_new(1);
        double sum = 0, first = NAN, first_score = 0, *theta = NULL;
        sp_chain *chain = NULL;
        int n_legal = 0;
        for (int path = 0; path < 1 << (2 * T); path++) {
            for (int t = 0; t < T; t++)
                labels[t] = path >> (2 * t) & 3;
            sp_crf *crf;
            sp_status status = sp_crf_new(&training, &rules, memory, &crf, &err);
            if (status != SP_OK)
                continue;
            const sp_violations *broken = sp_crf_violations(crf);
            if (broken->illegal + broken->illegal_start + broken->illegal_end + broken->short_runs +
                    broken->impossible ==
                0) {
                double f, score, scaled[T * CASE_K];
                n_legal++;
                if (!theta) {
                    theta = learn_theta(sp_crf_n_parameters(crf), 5);
                    sp_model *model;
                    assert_ok(sp_crf_to_model(crf, theta, "m", &model, &err), &err);
                    assert_close(model->temperature, 1 / theta[0], 0, 1e-15);
                    assert_ok(sp_chain_new(model, NULL, &chain, &err), &err);
                    sp_model_free(model);
                }
                assert_ok(sp_crf_objective(crf, theta, NULL, workers, &f, NULL, &err), &err);
                sum += exp(-f);
                for (int i = 0; i < T * CASE_K; i++)
                    scaled[i] = scores[i] * theta[0];
                sp_scores s = {scaled, SP_F64, CASE_K, T, NULL, NULL, NULL};
                assert_ok(sp_path_score(chain, &s, labels, &score, &err), &err);
                if (isnan(first)) {
                    first = f;
                    first_score = score;
                }
                assert_close(score - first_score, first - f, 1e-10, 0);
            }
            sp_crf_free(crf);
        }
        assert_close(sum, 1, 1e-12, 0);
        assert_true(n_legal > 20);
        free(theta);
        sp_chain_free(chain);
        sp_workers_free(workers);
        sp_rules_clear(&rules);
        learn_case_free(&c);
    }
}

/* By central differences, with unscored steps, broken rules, gaps, impossible labels, a penalty; and far from the sharp end. */
static void test_gradient(void **state)
{
    (void)state;
    for (int v = 0; v < 6; v++) {
        sp_error err;
        learn_case c = learn_case_new(20 + (uint64_t)v, 6, 50, CASE_K, 0.1);
        sp_rules rules = some_rules(v >= 3);
        for (int64_t t = 0; t < c.training.batch.scores.n_steps; t++) {
            c.segments[t] = t / 23;
            if (t % 7 == 3)
                c.scores[t * CASE_K + t % CASE_K] = -INFINITY;
        }
        c.training.batch.scores.segments = c.segments;
        sp_crf *crf;
        assert_ok(sp_crf_new(&c.training, &rules, 1 + 3 * (v % 3), &crf, &err), &err);
        assert_true(sp_crf_violations(crf)->illegal > 0 && sp_crf_violations(crf)->impossible > 0);
        int64_t n = sp_crf_n_parameters(crf);
        double *theta = learn_theta(sp_crf_n_parameters(crf), 3),
               *gradient = malloc((size_t)n * sizeof *gradient);
        sp_workers *workers = sp_workers_new(2);
        sp_crf_penalty penalty = {.weight = 0.7};
        double value, up, down;
        assert_ok(sp_crf_objective(crf, theta, &penalty, workers, &value, gradient, &err), &err);
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
        sp_workers_free(workers);
        sp_crf_free(crf);
        sp_rules_clear(&rules);
        learn_case_free(&c);
    }
}

/* ---- weights of several sets of scores ---- */

enum { SETS = 3 };

/* Sets of scores of the same labels, the first that of the case; the last says nothing of them. */
typedef struct weighed {
    learn_case c;
    sp_rules rules;
    sp_crf *crf;
    double *sets[SETS], *theta;
} weighed;

static void weighed_open(weighed *w, int v, double sharpness)
{
    sp_error err;
    *w = (weighed){.c = learn_case_new(40 + (uint64_t)v, 14, 60, CASE_K, 0.05), .rules = some_rules(v % 2)};
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

/* Scores thousands of nats apart that fight the rules: nothing becomes NaN, and the gradient still adds up. */
static void test_sharp_scores(void **state)
{
    (void)state;
    sp_error err;
    learn_case c = learn_case_new(4, 1, 1, CASE_K, 0);
    enum { T = 60 };
    double scores[T * CASE_K];
    int32_t labels[T];
    for (int t = 0; t < T; t++) {
        labels[t] = t < T / 2 ? 0 : 1;
        for (int k = 0; k < CASE_K; k++)
            scores[t * CASE_K + k] = k == t % CASE_K ? 0 : -900.0 * (k + 1);
    }
    int64_t offsets[2] = {0, T};
    sp_training training = {.batch = {{scores, SP_F64, CASE_K, T, NULL, NULL, NULL}, 1, offsets},
                            .labels = labels,
                            .classes = c.training.classes};
    sp_rules rules;
    assert_ok(sp_rules_init(&rules, NULL, CASE_K, NULL, &err), &err);
    memset(rules.allow, 0, CASE_K * CASE_K);
    for (int k = 0; k < CASE_K; k++)
        rules.allow[k * CASE_K + k] = rules.allow[k * CASE_K + (k + 1 < CASE_K ? k + 1 : k)] =
            1; /* left to right */
    sp_crf *crf;
    assert_ok(sp_crf_new(&training, &rules, 1, &crf, &err), &err);
    int64_t n = sp_crf_n_parameters(crf);
    double *theta = calloc((size_t)n, sizeof *theta), *gradient = calloc((size_t)n, sizeof *gradient), value,
           up, down;
    sp_workers *workers = sp_workers_new(1);
    theta[0] = 1;
    assert_ok(sp_crf_objective(crf, theta, NULL, workers, &value, gradient, &err), &err);
    assert_true(isfinite(value));
    for (int64_t i = 0; i < n; i++)
        assert_true(isfinite(gradient[i]));
    theta[0] = 1.001;
    assert_ok(sp_crf_objective(crf, theta, NULL, workers, &up, NULL, &err), &err);
    theta[0] = 0.999;
    assert_ok(sp_crf_objective(crf, theta, NULL, workers, &down, NULL, &err), &err);
    assert_close((up - down) / 0.002, gradient[0], 1, 1e-3);
    free(theta);
    free(gradient);
    sp_workers_free(workers);
    sp_crf_free(crf);
    sp_rules_clear(&rules);
    learn_case_free(&c);
}

/* The same optimum from two starts, a vanishing gradient there, the same bytes on any number of threads, fixed scale kept. */
static void test_optimum(void **state)
{
    (void)state;
    sp_error err;
    learn_case c = learn_case_new(31, 12, 60, CASE_K, 0.05);
    sp_rules rules = some_rules(false);
    sp_crf *crf;
    assert_ok(sp_crf_new(&c.training, &rules, 1, &crf, &err), &err);
    int64_t n = sp_crf_n_parameters(crf);
    size_t bytes = (size_t)n * sizeof(double);
    double *a = learn_theta(sp_crf_n_parameters(crf), 1), *b = malloc(bytes),
           *d = learn_theta(sp_crf_n_parameters(crf), 1), *gradient = malloc(bytes), value;
    sp_workers *one = sp_workers_new(1), *three = sp_workers_new(3);
    sp_crf_penalty penalty = {.weight = 0.5};
    sp_minimised ra, rb, rd;
    assert_ok(sp_crf_from_counts(crf, 0.5, NULL, NULL, b, &err), &err);
    assert_ok(sp_crf_minimise(crf, a, &penalty, 1e-14, one, &ra, &err), &err);
    assert_ok(sp_crf_minimise(crf, b, &penalty, 1e-14, one, &rb, &err), &err);
    assert_ok(sp_crf_minimise(crf, d, &penalty, 1e-14, three, &rd, &err), &err);
    assert_memory_equal(a, d, bytes);
    assert_close(ra.value, rb.value, 0, 1e-9);
    for (int64_t i = 0; i < n; i++)
        assert_close(a[i], b[i], 1e-3, 0);
    assert_ok(sp_crf_objective(crf, a, &penalty, one, &value, gradient, &err), &err);
    for (int64_t i = 0; i < n; i++)
        assert_close(gradient[i], 0, 2e-3, 0);
    penalty.fixes_scale = true;
    d[0] = 0.25;
    assert_ok(sp_crf_minimise(crf, d, &penalty, 1e-8, one, &rd, &err), &err);
    assert_close(d[0], 0.25, 0, 1e-12);
    assert_true(rd.value > ra.value);
    penalty.weight = 0;
    assert_int_equal(sp_crf_minimise(crf, d, &penalty, 1e-8, one, &rd, &err), SP_EINVAL);
    free(a);
    free(b);
    free(d);
    free(gradient);
    sp_workers_free(one);
    sp_workers_free(three);
    sp_crf_free(crf);
    sp_rules_clear(&rules);
    learn_case_free(&c);
}

/* Labels drawn from a known field: the likelihood ratio of truth and optimum is that of the number of parameters, and the scale
 * is found. */
static void test_recovery(void **state)
{
    (void)state;
    enum { N = 60, T = 100, S = N * T };
    sp_error err;
    learn_case c = learn_case_new(1, 1, 1, CASE_K, 0);
    double *scores = malloc(S * CASE_K * sizeof *scores), *alpha = malloc(T * CASE_K * sizeof *alpha);
    int32_t *labels = malloc(S * sizeof *labels);
    int64_t offsets[N + 1];
    double w[CASE_K][CASE_K], scale = 0.7;
    uint64_t seed = 17;
    for (int i = 0; i < CASE_K * CASE_K; i++)
        w[i / CASE_K][i % CASE_K] = (i / CASE_K == i % CASE_K ? 1.5 : 0) + learn_uniform(&seed) - 0.5;
    for (int r = 0; r < N; r++) { /* forward in probabilities, then drawn backwards */
        double *e = scores + r * T * CASE_K;
        offsets[r] = r * T;
        for (int i = 0; i < T * CASE_K; i++)
            e[i] = -4 * learn_uniform(&seed);
        for (int t = 0; t < T; t++) {
            double sum = 0;
            for (int k = 0; k < CASE_K; k++) {
                double in = t == 0;
                for (int j = 0; t > 0 && j < CASE_K; j++)
                    in += alpha[(t - 1) * CASE_K + j] * exp(w[j][k]);
                sum += alpha[t * CASE_K + k] = in * exp(scale * e[t * CASE_K + k]);
            }
            for (int k = 0; k < CASE_K; k++)
                alpha[t * CASE_K + k] /= sum;
        }
        for (int t = T - 1; t >= 0; t--) {
            double p[CASE_K], sum = 0, u;
            for (int k = 0; k < CASE_K; k++)
                sum += p[k] = alpha[t * CASE_K + k] * (t + 1 < T ? exp(w[k][labels[r * T + t + 1]]) : 1);
            u = learn_uniform(&seed) * sum;
            int k = 0;
            while (k < CASE_K - 1 && (u -= p[k]) > 0)
                k++;
            labels[r * T + t] = k;
        }
    }
    offsets[N] = S;
    sp_training training = {.batch = {{scores, SP_F64, CASE_K, S, NULL, NULL, NULL}, N, offsets},
                            .labels = labels,
                            .classes = c.training.classes};
    sp_rules rules;
    sp_crf *crf;
    assert_ok(sp_rules_init(&rules, NULL, CASE_K, NULL, &err), &err);
    assert_ok(sp_crf_new(&training, &rules, 1, &crf, &err), &err);
    int64_t n = sp_crf_n_parameters(crf), at = 1 + CASE_K;
    double *truth = calloc((size_t)n, sizeof *truth), *found = calloc((size_t)n, sizeof *found), best,
           true_value;
    truth[0] = scale;
    for (int k = 0; k < CASE_K; k++)
        truth[at++] = w[k][k];
    for (int i = 0; i < CASE_K; i++)
        for (int j = 0; j < CASE_K; j++)
            if (i != j)
                truth[at++] = w[i][j];
    sp_workers *workers = sp_workers_new(2);
    sp_crf_penalty penalty = {.weight = 1e-3};
    sp_minimised result;
    found[0] = 1;
    assert_ok(sp_crf_minimise(crf, found, &penalty, 1e-9, workers, &result, &err), &err);
    assert_ok(sp_crf_objective(crf, found, NULL, workers, &best, NULL, &err), &err);
    assert_ok(sp_crf_objective(crf, truth, NULL, workers, &true_value, NULL, &err), &err);
    double ratio = 2 * (true_value - best); /* chi-square with at most n degrees of freedom */
    assert_true(ratio > 0 && ratio < (double)n + 5 * sqrt(2.0 * (double)n));
    assert_close(found[0], scale, 0.05, 0); /* about 3 standard errors of 6,000 steps */
    for (int i = 0; i < CASE_K;
         i++) /* staying against leaving for j and coming back: what biases cannot shift */
        for (int j = i + 1; j < CASE_K; j++) {
            int64_t ij = 1 + 2 * CASE_K + i * (CASE_K - 1) + j - 1,
                    ji = 1 + 2 * CASE_K + j * (CASE_K - 1) + i;
            int64_t ii = 1 + CASE_K + i, jj = 1 + CASE_K + j;
            assert_close(found[ii] + found[jj] - found[ij] - found[ji], w[i][i] + w[j][j] - w[i][j] - w[j][i],
                         0.6, 0);
        }
    free(truth);
    free(found);
    free(scores);
    free(alpha);
    free(labels);
    sp_workers_free(workers);
    sp_crf_free(crf);
    sp_rules_clear(&rules);
    learn_case_free(&c);
}

static void test_refusals(void **state)
{
    (void)state;
    sp_error err;
    learn_case c = learn_case_new(2, 2, 5, CASE_K, 0);
    sp_rules rules;
    assert_ok(sp_rules_init(&rules, NULL, CASE_K, NULL, &err), &err);
    sp_crf *crf = NULL;
    sp_training t = c.training;
    t.labels = NULL;
    assert_int_equal(sp_crf_new(&t, &rules, 1, &crf, &err), SP_EINVAL);
    t = c.training;
    t.batch.scores.data = NULL;
    assert_int_equal(sp_crf_new(&t, &rules, 1, &crf, &err), SP_EINVAL);
    assert_int_equal(sp_crf_new(&c.training, &rules, 0, &crf, &err), SP_EINVAL);
    for (int64_t i = 0; i < c.training.batch.scores.n_steps; i++)
        c.labels[i] = -1;
    assert_int_equal(sp_crf_new(&c.training, &rules, 1, &crf, &err), SP_EINVAL);
    assert_null(crf);
    sp_rules_clear(&rules);
    learn_case_free(&c);
}

/* What the passes add with. */
static void test_logaddexp(void **state)
{
    (void)state;
    assert_close(sp_logaddexp(log(0.25), log(0.5)), log(0.75), 1e-15, 0);
    assert_true(sp_logaddexp(-INFINITY, -3) == -3);
    assert_true(sp_logaddexp(-INFINITY, -INFINITY) == -INFINITY);
}

/* ---- EM, and folds ---- */

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
        assert_ok(sp_model_from_em(&c.training, &rules, 60, 0, workers, "em", &model, values, &n, &err),
                  &err);
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
        assert_ok(sp_cross_decode(&c.training, (const sp_model *const *)models, fold, 3, &viterbi, workers,
                                  &output, &err),
                  &err);
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

/* Classes that fall thousands of nats behind and win in the end: the expected steps in each, and log Z, are
 * those of forward-backward, with one position of a run and with several. */
static void test_classes_that_come_back(void **state)
{
    (void)state;
    enum { T = 300 };
    static const char *const names[CASE_K] = {"a", "b", "c", "d"};
    sp_scratch *scratch = sp_scratch_new();
    for (uint64_t seed = 0; seed < 120; seed++) {
        const int32_t D = seed % 2 ? 3 : 1, dwell[CASE_K] = {D, 1, D, 1};
        static double e[T * CASE_K], marginals[T * CASE_K];
        double drift[CASE_K] = {0}, log_z;
        uint8_t allow[CASE_K * CASE_K];
        uint64_t random = seed + 17;
        sp_error err;
        sp_factors f;
        sp_chain *chain;
        sp_model *model = sp_model_new("drifting", CASE_K, names);
        for (int t = 0; t < T; t++)
            for (int k = 0; k < CASE_K; k++) {
                if (t == 0 || learn_uniform(&random) < 0.02)
                    drift[k] = 60 * (learn_uniform(&random) - 0.5);
                e[t * CASE_K + k] = seed < 2 ? k == 1 ? (t < 100 || t >= 200 ? -20 : 50) : k * -50 : drift[k];
            }
        for (int p = 0; p < CASE_K * CASE_K; p++)
            allow[p] = p % (CASE_K + 1) == 0 || (seed > 1 && learn_uniform(&random) < 0.15);
        assert_ok(sp_model_set_matrix(model, allow, NULL, &err), &err);
        assert_non_null(model->min_dwell = malloc(sizeof dwell));
        memcpy(model->min_dwell, dwell, sizeof dwell);
        assert_ok(sp_chain_new(model, NULL, &chain, &err), &err);
        const sp_scores scores = {.data = e, .dtype = SP_F64, .n_classes = CASE_K, .n_steps = T};
        assert_ok(sp_forward_backward(chain, &scores, scratch, marginals, &log_z, &err), &err);
        assert_ok(sp_factors_init(&f, CASE_K, D, &err), &err);
        f.dwell = dwell;
        f.is_even = true;
        for (int p = 0; p < CASE_K * CASE_K; p++)
            f.exit[p] = allow[p] && p % (CASE_K + 1) ? 0 : -INFINITY;
        sp_factors_prepare(&f);
        double *all = calloc((size_t)sp_expected_size(CASE_K, D), sizeof *all);
        assert_non_null(all);
        sp_expected sum = sp_expected_over(all, CASE_K, D);
        const double *const rows[] = {e};
        const sp_stretch stretch = {.n_steps = T, .is_start = true, .is_end = true, .is_entry = true};
        assert_true(sp_crf_pass(&f, rows, &stretch, true, scratch, &sum));
        assert_close(*sum.log_z, log_z, 1e-8, 1e-12);
        if (seed < 2)
            assert_close(*sum.log_z, 1000, 1e-8, 0);
        for (int k = 0; k < CASE_K; k++) {
            double steps = 0, moves = sum.start[k];
            for (int t = 0; t < T; t++)
                steps += marginals[t * CASE_K + k];
            for (int32_t i = 0; i < D; i++)
                moves += sum.stay[k * D + i];
            for (int j = 0; j < CASE_K; j++)
                moves += sum.exit[j * CASE_K + k];
            assert_close(sum.bias[k], steps, 1e-7, 1e-9);
            assert_close(moves, steps, 1e-7, 1e-9);
        }
        free(all);
        sp_factors_clear(&f);
        sp_chain_free(chain);
        sp_model_free(model);
    }
    sp_scratch_free(scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_probabilities),
        cmocka_unit_test(test_gradient),
        cmocka_unit_test(test_weights_objective),
        cmocka_unit_test(test_weights_minimum),
        cmocka_unit_test(test_fusion_add),
        cmocka_unit_test(test_sharp_scores),
        cmocka_unit_test(test_optimum),
        cmocka_unit_test(test_recovery),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_logaddexp),
        cmocka_unit_test(test_em),
        cmocka_unit_test(test_folds),
        cmocka_unit_test(test_never_seen),
        cmocka_unit_test(test_silent_step_in_a_fold),
        cmocka_unit_test(test_scaled_rows),
        cmocka_unit_test(test_classes_that_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
