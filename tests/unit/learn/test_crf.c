/* Conditional random fields: probabilities that sum to one, exact gradient, optimum, the model that comes out. */
#include "check.h"
#include "learn/crf.h"
#include "learn/training.h"
#include "learn_case.h"

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

static double *random_theta(const sp_crf *crf, uint64_t seed)
{
    int64_t n = sp_crf_n_parameters(crf);
    double *theta = malloc((size_t)n * sizeof *theta);
    for (int64_t i = 0; i < n; i++)
        theta[i] = 2 * learn_uniform(&seed) - 1;
    theta[0] = 0.5 + learn_uniform(&seed);
    return theta;
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
        sp_training training = {
            .batch = {{scores, SP_F64, CASE_K, T, NULL}, 1, offsets}, .labels = labels, .classes = c.training.classes};
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
            if (broken->illegal + broken->illegal_start + broken->illegal_end + broken->short_runs + broken->impossible == 0) {
                double f, score, scaled[T * CASE_K];
                n_legal++;
                if (!theta) {
                    theta = random_theta(crf, 5);
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
                sp_scores s = {scaled, SP_F64, CASE_K, T, NULL};
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
        double *theta = random_theta(crf, 3), *gradient = malloc((size_t)n * sizeof *gradient);
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
    sp_training training = {
        .batch = {{scores, SP_F64, CASE_K, T, NULL}, 1, offsets}, .labels = labels, .classes = c.training.classes};
    sp_rules rules;
    assert_ok(sp_rules_init(&rules, NULL, CASE_K, NULL, &err), &err);
    memset(rules.allow, 0, CASE_K * CASE_K);
    for (int k = 0; k < CASE_K; k++)
        rules.allow[k * CASE_K + k] = rules.allow[k * CASE_K + (k + 1 < CASE_K ? k + 1 : k)] = 1; /* left to right */
    sp_crf *crf;
    assert_ok(sp_crf_new(&training, &rules, 1, &crf, &err), &err);
    int64_t n = sp_crf_n_parameters(crf);
    double *theta = calloc((size_t)n, sizeof *theta), *gradient = calloc((size_t)n, sizeof *gradient), value, up, down;
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
    double *a = random_theta(crf, 1), *b = malloc(bytes), *d = random_theta(crf, 1), *gradient = malloc(bytes), value;
    sp_workers *one = sp_workers_new(1), *three = sp_workers_new(3);
    sp_crf_penalty penalty = {.weight = 0.5};
    sp_minimised ra, rb, rd;
    assert_ok(sp_crf_from_counts(crf, 0.5, NULL, b, &err), &err);
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
    sp_training training = {
        .batch = {{scores, SP_F64, CASE_K, S, NULL}, N, offsets}, .labels = labels, .classes = c.training.classes};
    sp_rules rules;
    sp_crf *crf;
    assert_ok(sp_rules_init(&rules, NULL, CASE_K, NULL, &err), &err);
    assert_ok(sp_crf_new(&training, &rules, 1, &crf, &err), &err);
    int64_t n = sp_crf_n_parameters(crf), at = 1 + CASE_K;
    double *truth = calloc((size_t)n, sizeof *truth), *found = calloc((size_t)n, sizeof *found), best, true_value;
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
    for (int i = 0; i < CASE_K; i++)        /* staying against leaving for j and coming back: what biases cannot shift */
        for (int j = i + 1; j < CASE_K; j++) {
            int64_t ij = 1 + 2 * CASE_K + i * (CASE_K - 1) + j - 1, ji = 1 + 2 * CASE_K + j * (CASE_K - 1) + i;
            int64_t ii = 1 + CASE_K + i, jj = 1 + CASE_K + j;
            assert_close(found[ii] + found[jj] - found[ij] - found[ji], w[i][i] + w[j][j] - w[i][j] - w[j][i], 0.6, 0);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_probabilities), cmocka_unit_test(test_gradient), cmocka_unit_test(test_sharp_scores),
        cmocka_unit_test(test_optimum),       cmocka_unit_test(test_recovery), cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
