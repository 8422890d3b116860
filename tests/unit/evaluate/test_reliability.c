/* Calibration by hand, on degenerate input, on scores whose calibration is known and by weights of any size; through comparisons.
 * Against numpy: tests/laws/test_figures.py. */
#include "check.h"
#include "statepath/comparison.h"
#include "statepath/pipeline.h"

/* A comparison of one recording of scores [T,K] in nats; its status, with *out untouched where it fails. */
static sp_status compare(const double *scores, int32_t K, int64_t T, const int32_t *labels,
                         const double *weights, sp_comparison **out, sp_error *err)
{
    static const char *const ids[] = {"r"};
    static const char *const classes[] = {"", "\"a\"", "\"a\",\"b\"", "\"a\",\"b\",\"c\"",
                                          "\"a\",\"b\",\"c\",\"d\""};
    char strategy[] = "argmax", model[160];
    const int64_t offsets[] = {0, T};
    sp_arrays arrays = {.info = {.file = "memory",
                                 .kind = SP_KIND_SCORES,
                                 .dtype = SP_F64,
                                 .n_recordings = 1,
                                 .n_classes = K,
                                 .ids = ids,
                                 .offsets = offsets},
                        .scores = scores,
                        .labels = labels,
                        .weights = weights};
    sp_run_options o = sp_run_options_default();
    snprintf(model, sizeof model,
             "{\"statepath_model\": 1, \"name\": \"m\", \"classes\": [%s], \"forbid\": {}}", classes[K]);
    o.model_text = model;
    o.strategies = strategy;
    o.decode.threads = 1;
    sp_recordings recordings = sp_recordings_of_arrays(&arrays);
    return sp_compare(&recordings, &o, out, NULL, err);
}

/* Fills `of`, which the caller frees, and returns its calibration. */
static const sp_reliability *calibration_of(const double *scores, int32_t K, int64_t T, const int32_t *labels,
                                            const double *weights, sp_comparison **of)
{
    sp_error err;
    assert_ok(compare(scores, K, T, labels, weights, of, &err), &err);
    return (*of)->reliability;
}

#define assert_near(v, expected)                                                                             \
    do {                                                                                                     \
        assert_null((v).undefined);                                                                          \
        assert_close((v).value, expected, 1e-14, 0);                                                         \
    } while (0)

/* p of class 0: 0.9 right, 0.9 wrong, 0.5 right (a tie: the lowest class), 0.2 (so class 1 with 0.8) right; one unscored. */
static void test_by_hand(void **state)
{
    (void)state;
    double p[] = {0.9, 0.1, 0.9, 0.1, 0.5, 0.5, 0.2, 0.8, 0.3, 0.7}, scores[10];
    const int32_t labels[] = {0, 1, 0, 1, -1};
    for (int i = 0; i < 10; i++)
        scores[i] = log(p[i]) + 3; /* the constant does not matter */
    sp_comparison *of_c = NULL;
    const sp_reliability *c = calibration_of(scores, 2, 5, labels, NULL, &of_c);
    assert_int_equal(c->n_steps, 4);
    assert_near(c->accuracy, 0.75);
    assert_near(c->confidence, 3.1 / 4);
    assert_near(c->brier, (2 * 0.01 + 2 * 0.81 + 2 * 0.25 + 2 * 0.04) / 4);
    /* Bins 7 (0.5), 12 (0.8), 13 (0.9): gaps 0.5, 0.2, 0.4 of weights 1, 1, 2. */
    assert_near(c->ece, (0.5 + 0.2 + 2 * 0.4) / 4);
    assert_near(c->mce, 0.5);
    assert_near(c->rmsce, sqrt((0.25 + 0.04 + 2 * 0.16) / 4));
    assert_int_equal(c->bins[13].n, 2);
    assert_near(c->bins[13].accuracy, 0.5);
    /* Wilson with z = 1.959964, 1 of 2: 0.5 -+ 0.4055. */
    assert_close(c->bins[13].accuracy_low.value, 0.0945, 5e-5, 0);
    assert_close(c->bins[13].accuracy_high.value, 0.9055, 5e-5, 0);
    assert_string_equal(c->bins[0].accuracy.undefined, "no steps");
    /* Class 0: bins 0.2, 0.5, 0.9 with shares 0, 1, 0.5; class 1 mirrors it. */
    assert_near(c->class_ece[0], (0.2 + 0.5 + 2 * 0.4) / 4);
    assert_near(c->classwise_ece, (0.2 + 0.5 + 2 * 0.4) / 4);
    assert_int_equal(c->n_adaptive, 3);
    assert_near(c->adaptive_ece, (0.5 + 0.2 + 2 * 0.4) / 4);
    assert_int_equal(c->n_coverage, 3);
    assert_close(c->coverage[0].share, 0.5, 1e-15, 0);
    assert_close(c->coverage[0].accuracy, 0.5, 1e-15, 0);
    assert_int_equal(c->coverage[1].n, 3);
    assert_close(c->coverage[1].accuracy, 2. / 3, 1e-15, 0);
    assert_true(c->coverage[2].share == 1);
    assert_true(c->coverage[2].confidence <= 0.5 && c->coverage[2].confidence > 0.497);
    sp_comparison_free(of_c);
}

static void test_degenerate(void **state)
{
    (void)state;
    const double sure[] = {0, -INFINITY, -INFINITY, 0}, none[] = {-INFINITY, -INFINITY};
    const int32_t right[] = {0, 1}, wrong[] = {1, 0}, unscored[] = {-1, -1};
    sp_comparison *of_c = NULL;
    const sp_reliability *c = calibration_of(sure, 2, 2, right, NULL, &of_c);
    assert_near(c->brier, 0);
    assert_near(c->ece, 0);
    assert_near(c->adaptive_ece, 0);
    assert_int_equal(c->bins[14].n, 2); /* a confidence of 1 is in the last bin */
    assert_int_equal(c->n_coverage, 1);
    sp_comparison_free(of_c);
    c = calibration_of(sure, 2, 2, wrong, NULL, &of_c);
    assert_near(c->brier, 2);
    assert_near(c->ece, 1);
    assert_near(c->mce, 1);
    assert_near(c->classwise_ece, 1);
    sp_comparison_free(of_c);
    c = calibration_of(sure, 2, 2, unscored, NULL, &of_c);
    assert_string_equal(c->ece.undefined, "no scored steps");
    assert_string_equal(c->class_ece[1].undefined, "no scored steps");
    assert_int_equal(c->n_coverage + c->n_adaptive, 0);
    sp_comparison_free(of_c);
    c = calibration_of(none, 2, 1, right, NULL, &of_c);
    assert_int_equal(c->n_impossible, 1);
    assert_int_equal(c->n_steps, 0);
    assert_string_equal(c->brier.undefined, "no scored steps");
    sp_comparison_free(of_c);
    const double nearly[] = {0, -50}; /* 1 - p of the sure class is 0 in doubles, and yet known */
    c = calibration_of(nearly, 2, 1, right, NULL, &of_c);
    assert_close(c->brier.value, 2 * exp(-100), 0, 1e-12);
    sp_comparison_free(of_c);
    const double one[] = {-3, -7};
    const int32_t zeros[] = {0, 0};
    c = calibration_of(one, 1, 2, zeros, NULL, &of_c); /* K = 1 */
    assert_near(c->ece, 0);
    assert_near(c->accuracy, 1);
    sp_comparison_free(of_c);
}

static uint32_t draw(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

/* Labels drawn from the probabilities themselves, T steps of K classes; with `power` the scores are then exaggerated. */
static void make_calibrated(int32_t K, int64_t T, double power, double *scores, int32_t *labels)
{
    uint64_t state = 11;
    for (int64_t t = 0; t < T; t++) {
        double sum = 0, u, below = 0;
        for (int32_t k = 0; k < K; k++) {
            scores[t * K + k] = pow((draw(&state) & 0xFFFF) / 65536. + 1e-6, 3);
            sum += scores[t * K + k];
        }
        u = (draw(&state) & 0xFFFFFF) / 16777216. * sum;
        labels[t] = K - 1;
        for (int32_t k = K - 1; k >= 0; k--) {
            below += scores[t * K + k];
            if (sum - below <= u) {
                labels[t] = k;
                break;
            }
        }
        for (int32_t k = 0; k < K; k++)
            scores[t * K + k] = power * log(scores[t * K + k]);
    }
}

enum { K = 4, T = 40000 };

static void test_calibrated_scores_have_a_small_error(void **state)
{
    (void)state;
    double *scores = malloc(sizeof *scores * K * T);
    int32_t *labels = malloc(sizeof *labels * T);
    make_calibrated(K, T, 1, scores, labels);
    sp_comparison *of_c = NULL;
    const sp_reliability *c = calibration_of(scores, K, T, labels, NULL, &of_c);
    assert_true(c->ece.value < 0.012);
    assert_true(c->classwise_ece.value < 0.012);
    assert_true(c->adaptive_ece.value < 0.015);
    assert_close(c->accuracy.value, c->confidence.value, 0.01, 0);
    assert_int_equal(c->n_adaptive, SP_RELIABILITY_BINS);
    for (int b = 0; b < SP_RELIABILITY_BINS; b++)
        assert_close(c->adaptive[b].weight, T / 15., 0.04 * T / 15, 0);
    assert_int_equal(c->n_coverage, SP_COVERAGE_POINTS);
    assert_true(c->coverage[0].accuracy > c->coverage[19].accuracy);
    sp_comparison_free(of_c);
    make_calibrated(K, T, 3, scores, labels);
    c = calibration_of(scores, K, T, labels, NULL, &of_c);
    assert_true(c->ece.value > 0.1);
    assert_true(c->confidence.value > c->accuracy.value + 0.1); /* too sure of itself */
    sp_comparison_free(of_c);
    free(scores);
    free(labels);
}

/* A weight of 2 is a step that counts twice. */
static void test_weights(void **state)
{
    (void)state;
    enum { N = 3000 };
    double *scores = malloc(sizeof *scores * K * 2 * N), *weights = malloc(sizeof *weights * N);
    int32_t *labels = malloc(sizeof *labels * 2 * N);
    make_calibrated(K, N, 2, scores, labels);
    int64_t m = N;
    for (int64_t t = 0; t < N; t++) {
        weights[t] = (double)(t % 3); /* 0, 1, 2 */
        if (t % 3 == 2) {
            memcpy(scores + m * K, scores + t * K, K * sizeof *scores);
            labels[m++] = labels[t];
        }
    }
    sp_comparison *of_weighted = NULL;
    const sp_reliability *weighted = calibration_of(scores, K, N, labels, weights, &of_weighted);
    for (int64_t t = 0; t < N; t += 3)
        labels[t] = -1;
    sp_comparison *of_twice = NULL;
    const sp_reliability *twice = calibration_of(scores, K, m, labels, NULL, &of_twice);
    assert_true(weighted->is_weighted && !twice->is_weighted);
    assert_int_equal(weighted->n_steps, N / 3 * 2);
    assert_near(weighted->brier, twice->brier.value);
    assert_near(weighted->ece, twice->ece.value);
    assert_near(weighted->classwise_ece, twice->classwise_ece.value);
    assert_near(weighted->adaptive_ece, twice->adaptive_ece.value);
    /* A step of weight 2 tells no more than one: the interval is wider than that of two steps. */
    assert_true(weighted->bins[14].accuracy_low.value < twice->bins[14].accuracy_low.value);
    sp_comparison_free(of_weighted);
    sp_comparison_free(of_twice);
    free(scores);
    free(weights);
    free(labels);
}

/* What holds for weights of any size. Weights of 40 decades: sums round, so that a part of the steps may weigh as much as all. */
static void check_weighted(const sp_reliability *c)
{
    double before = 0, weight = 0;
    assert_in_range(c->n_adaptive, 1, SP_RELIABILITY_BINS);
    assert_in_range(c->n_coverage, 1, SP_COVERAGE_POINTS);
    for (int32_t i = 0; i < c->n_coverage; i++) {
        const sp_coverage_point *point = &c->coverage[i];
        assert_true(point->share >= before && point->share <= 1 && point->accuracy >= 0 &&
                    point->accuracy <= 1);
        assert_true(i == 0 || point->n > c->coverage[i - 1].n);
        before = point->share;
    }
    assert_true(before == 1 && c->coverage[c->n_coverage - 1].n == c->n_steps);
    for (int32_t b = 0; b < c->n_adaptive; b++)
        weight += c->adaptive[b].weight;
    double total = 0;
    for (int b = 0; b < SP_RELIABILITY_BINS; b++)
        total += c->bins[b].weight;
    assert_close(weight, total, 1e-12 * total, 0);
    const sp_value shares[] = {c->accuracy, c->confidence, c->ece, c->mce, c->adaptive_ece};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        assert_true(!shares[i].undefined && shares[i].value >= 0 && shares[i].value <= 1 + 1e-12);
}

static void test_weights_of_forty_decades(void **state)
{
    (void)state;
    enum { N = 3000, TRIALS = 100 };
    double *scores = malloc(sizeof *scores * K * N), *weights = malloc(sizeof *weights * N);
    int32_t *labels = malloc(sizeof *labels * N);
    assert_true(scores && weights && labels);
    uint64_t seed = 7;
    make_calibrated(K, N, 1, scores, labels);
    for (int trial = 0; trial < TRIALS; trial++) {
        for (int64_t t = 0; t < N; t++)
            weights[t] = pow(10, 40. * draw(&seed) / 2147483648. - 20);
        sp_comparison *of_c = NULL;
        const int64_t n = trial < TRIALS / 2 ? N : 1 + trial % 40;
        const sp_reliability *c = calibration_of(scores, K, n, labels, weights, &of_c);
        check_weighted(c);
        sp_comparison_free(of_c);
    }
    /* The least confident step weighs next to nothing, and each cell before it is "all" by weight. */
    for (int64_t t = 0; t < N; t++) {
        weights[t] = t ? 1 : 1e-20;
        for (int32_t k = 0; k < K; k++)
            scores[t * K + k] = k || !t ? 0 : 1 + 3. * draw(&seed) / 2147483648.;
    }
    for (int trial = 0; trial < 2; trial++) {
        sp_comparison *of_c = NULL;
        const sp_reliability *c = calibration_of(scores, K, N, labels, weights, &of_c);
        check_weighted(c);
        sp_comparison_free(of_c);
        for (int64_t t = 0; t < N; t++)
            weights[t] = scores[t * K] > 3.99
                             ? 1e20
                             : 1; /* only the most confident count: the rest are lost in rounding */
    }
    free(scores);
    free(weights);
    free(labels);
}

static void test_wrong_input(void **state)
{
    (void)state;
    sp_error err;
    sp_comparison *c = NULL;
    const double scores[] = {0, 0, 0, 0, 0, 0}, negative[] = {1, -1, 1}, big[] = {1e200, 1e200, 1e200};
    const int32_t labels[] = {0, 1, 2}, good[] = {0, 1, 0};
    assert_int_equal(compare(scores, 2, 3, labels, NULL, &c, &err), SP_EDATA);
    assert_string_equal(err.message, "label 2 at step 2 of all: it is a class from 0 to 1, or -1");
    assert_int_equal(compare(scores, 2, 3, good, negative, &c, &err), SP_EDATA);
    assert_string_equal(
        err.message, "weight -1 at step 1 of all: weights are numbers from 0 to 1e290; 0 leaves a step out");
    assert_null(c);
    const sp_reliability *found = calibration_of(scores, 2, 3, good, big, &c);
    assert_near(found->accuracy, 2. / 3);
    assert_string_equal(found->bins[7].accuracy_low.undefined, "weights too large or too small");
    sp_comparison_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_degenerate),
        cmocka_unit_test(test_calibrated_scores_have_a_small_error),
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_weights_of_forty_decades),
        cmocka_unit_test(test_wrong_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
