/* Loss masks, and the negative log-likelihood of a reference. */
#include "check.h"
#include "statepath/mask.h"

/* A published example: three sequences of lengths 3, 5, 4 in a batch of 5 steps. */
static const double losses[] = {.5135, .5513, .9017, .4005, .0784, .4215, .5581, .8376,
                                .8771, .9324, .2851, .7234, .5639, .6350, .9162};

static void test_published_numbers(void **state)
{
    (void)state;
    sp_error err;
    uint8_t mask[15];
    double weights[15], mean;
    const uint8_t real[] = {1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0};
    assert_ok(sp_padding_mask_from_lengths((int64_t[]){3, 5, 4}, 3, 5, mask, &err), &err);
    assert_memory_equal(mask, real, 15);
    sp_loss_weights_from_mask(mask, NULL, 15, weights);
    assert_ok(sp_loss_mean(losses, weights, 15, &mean, &err), &err);
    assert_close(mean, 7.8006 / 12, 1e-15, 0);
    assert_close(mean, 0.650, 0.0005, 0);

    const sp_position positions[] = {{0, 1}, {0, 4}, {1, 0}, {1, 2}, {2, 3}, {1, 2}}; /* the last one twice */
    const uint8_t masked[] = {0, 1, 0, 0, 1, 1, 0, 1, 0, 0, 0, 0, 0, 1, 0};
    assert_ok(sp_loss_mask_from_positions(positions, 6, 3, 5, mask, &err), &err);
    assert_memory_equal(mask, masked, 15);
    sp_loss_weights_from_mask(mask, NULL, 15, weights);
    assert_ok(sp_loss_mean(losses, weights, 15, &mean, &err), &err);
    assert_close(mean, 2.5238 / 5, 1e-15, 0);
    assert_close(mean, 0.505, 0.0005, 0);

    assert_ok(sp_loss_mean(losses, NULL, 15, &mean, &err), &err); /* with the padding it would be another */
    assert_close(mean, 9.1957 / 15, 1e-14, 0);
}

static void test_fractional_weights(void **state)
{
    (void)state;
    sp_error err;
    double mean, w[4];
    const double loss[] = {1, 2, 4, NAN}, weights[] = {0.5, 0.25, 0.25, 0};
    assert_ok(sp_loss_mean(loss, weights, 4, &mean, &err), &err); /* what has no weight may be NaN */
    assert_true(mean == 2);
    const double scaled[] = {2e300, 1e300, 1e300, 0};
    assert_ok(sp_loss_mean(loss, scaled, 4, &mean, &err), &err);
    assert_close(mean, 2, 1e-15, 0);
    sp_loss_weights_from_labels((int32_t[]){3, -100, 0, -100}, -100, weights, 4, w);
    assert_true(w[0] == 0.5 && w[1] == 0 && w[2] == 0.25 && w[3] == 0);
    sp_loss_weights_from_labels((int32_t[]){3, -1, 0, -1}, -1, NULL, 4, w);
    assert_true(w[0] == 1 && w[1] == 0 && w[2] == 1 && w[3] == 0);
    memcpy(w, weights, sizeof w);
    sp_loss_weights_from_mask((uint8_t[]){0, 1, 5, 1}, w, 4, w); /* in place */
    assert_true(w[0] == 0 && w[1] == 0.25 && w[2] == 0.25 && w[3] == 0);
    const double infinite[] = {1, INFINITY, 4, NAN};
    assert_ok(sp_loss_mean(infinite, weights, 4, &mean, &err), &err);
    assert_true(mean == INFINITY);
}

static void expect_mean_failure(const double *loss, const double *weights, int64_t step, const char *sentence)
{
    sp_error err;
    double mean = 7;
    assert_int_equal(sp_loss_mean(loss, weights, 3, &mean, &err), SP_EDATA);
    assert_string_equal(err.message, sentence);
    assert_int_equal(err.step, step);
    assert_true(mean == 7);
}

static void test_failures(void **state)
{
    (void)state;
    const double loss[] = {1, 2, 3};
    const char *bad = "weight %s at place 1: weights must be finite and not negative; 0 leaves a step out";
    const double numbers[] = {-0.5, NAN, INFINITY};
    const char *texts[] = {"-0.5", "nan", "inf"};
    for (int i = 0; i < 3; i++) {
        char sentence[128];
        snprintf(sentence, sizeof sentence, "weight %s%s", texts[i], bad + strlen("weight %s"));
        expect_mean_failure(loss, (double[]){1, numbers[i], 1}, 1, sentence);
    }
    expect_mean_failure(loss, (double[]){0, 0, -0.0}, -1,
                        "the weights of 3 losses sum to 0: there is no step to take the mean of");
    expect_mean_failure(loss, (double[]){1e308, 1e308, 1}, -1,
                        "the weights sum to more than a float64 holds: divide them by a constant, which "
                        "leaves the mean as it is");
    expect_mean_failure((double[]){1, 2, NAN}, NULL, 2,
                        "loss nan at place 2 counts with weight 1; give it the weight 0 to leave it out");
    expect_mean_failure((double[]){-INFINITY, 2, NAN}, NULL, 0,
                        "loss -inf at place 0 counts with weight 1; give it the weight 0 to leave it out");
    sp_error err;
    double mean;
    assert_int_equal(sp_loss_mean(NULL, NULL, 0, &mean, &err), SP_EDATA);

    uint8_t mask[4] = {7, 7, 7, 7};
    const sp_position outside[] = {{2, 0}, {-1, 0}, {0, 2}, {0, -1}};
    for (int i = 0; i < 4; i++) {
        const sp_position two[] = {{1, 1}, outside[i]};
        assert_int_equal(sp_loss_mask_from_positions(two, 2, 2, 2, mask, &err), SP_EINVAL);
        assert_int_equal(mask[3], 7);
    }
    assert_string_equal(err.message, "masked position (0, -1) lies outside of 2 sequences of 2 steps");
    assert_ok(sp_loss_mask_from_positions(NULL, 0, 2, 2, mask, &err), &err);
    assert_int_equal(mask[0] + mask[1] + mask[2] + mask[3], 0);
}

static void test_nll(void **state)
{
    (void)state;
    const double p[] = {0.5, 0.25, 0.25, 0.1, 0.8, 0.1, 0.2, 0.2, 0.6, 1, 0, 0};
    const int32_t labels[] = {0, 1, -1, 0};
    const double weights[] = {1, 0.5, 3, 2};
    for (int type = 0; type < 2; type++) {
        double e[12], mean;
        float f[12];
        for (int i = 0; i < 12; i++) {
            e[i] = log(p[i]) + 100 * (i / 3); /* a constant per row changes nothing */
            f[i] = (float)e[i];
        }
        sp_error err;
        sp_scores scores = {.data = type ? (void *)e : (void *)f,
                            .dtype = type ? SP_F64 : SP_F32,
                            .n_classes = 3,
                            .n_steps = 4};
        double tolerance = type ? 1e-13 : 1e-4;
        sp_nll nll = {0};
        assert_ok(sp_nll_add(&nll, &scores, labels, NULL, &err), &err);
        assert_ok(sp_nll_mean(&nll, &mean, &err), &err);
        assert_close(mean, -(log(0.5) + log(0.8)) / 3, tolerance, 0);
        assert_int_equal(nll.n_steps, 3);
        assert_int_equal(nll.n_impossible, 0);
        nll = (sp_nll){0};
        assert_ok(sp_nll_add(&nll, &scores, labels, weights, &err), &err);
        assert_ok(sp_nll_mean(&nll, &mean, &err), &err);
        assert_close(mean, -(log(0.5) + 0.5 * log(0.8)) / 3.5, tolerance, 0);
    }
}

/* In pieces or at once: the same bits. */
static void test_nll_in_pieces(void **state)
{
    (void)state;
    enum { T = 1000, K = 4 };
    double e[T * K], mean, mean_of_pieces;
    int32_t labels[T];
    for (int i = 0; i < T * K; i++)
        e[i] = sin(i * 0.77) * 4;
    for (int t = 0; t < T; t++)
        labels[t] = t % 5 - 1;
    sp_error err;
    sp_nll whole = {0}, pieces = {0};
    sp_scores scores = {.data = e, .dtype = SP_F64, .n_classes = K, .n_steps = T};
    assert_ok(sp_nll_add(&whole, &scores, labels, NULL, &err), &err);
    for (int first = 0; first < T; first += 77) {
        sp_scores piece = {.data = e + first * K,
                           .dtype = SP_F64,
                           .n_classes = K,
                           .n_steps = T - first < 77 ? T - first : 77};
        assert_ok(sp_nll_add(&pieces, &piece, labels + first, NULL, &err), &err);
    }
    assert_ok(sp_nll_mean(&whole, &mean, &err), &err);
    assert_ok(sp_nll_mean(&pieces, &mean_of_pieces, &err), &err);
    assert_true(mean == mean_of_pieces);
    assert_int_equal(whole.n_steps, 800);
}

static void test_nll_extremes(void **state)
{
    (void)state;
    sp_error err;
    double mean;
    const double rows[] = {0, -50, -INFINITY, 0, -800, -INFINITY, 0, 0, 0};
    sp_scores scores = {.data = rows, .dtype = SP_F64, .n_classes = 3, .n_steps = 1};
    sp_nll nll = {0};
    assert_ok(sp_nll_add(&nll, &scores, (int32_t[]){0}, NULL, &err), &err); /* nearly sure, but not 0 */
    assert_close(nll.sum, exp(-50), 0, 1e-12);
    scores.n_steps = 3;
    nll = (sp_nll){0};
    assert_ok(sp_nll_add(&nll, &scores, (int32_t[]){1, 1, 2}, NULL, &err), &err);
    assert_close(nll.sum, 50 + 800 + log(3), 1e-12, 0);
    assert_ok(sp_nll_add(&nll, &scores, (int32_t[]){2, -1, -1}, (double[]){0.25, 1, 1}, &err), &err);
    assert_int_equal(nll.n_impossible, 1);
    assert_int_equal(nll.n_steps, 4);
    assert_true(nll.impossible_weight == 0.25 && nll.weight == 3);
    assert_ok(sp_nll_mean(&nll, &mean, &err), &err);
    assert_true(mean == INFINITY);
    const double lost[] = {-INFINITY, -INFINITY, -INFINITY};
    scores = (sp_scores){.data = lost, .dtype = SP_F64, .n_classes = 3, .n_steps = 1};
    nll = (sp_nll){0};
    assert_ok(sp_nll_add(&nll, &scores, (int32_t[]){1}, NULL, &err), &err);
    assert_int_equal(nll.n_impossible, 1);
    const double single[] = {-3};
    scores = (sp_scores){.data = single, .dtype = SP_F64, .n_classes = 1, .n_steps = 1};
    nll = (sp_nll){0};
    assert_ok(sp_nll_add(&nll, &scores, (int32_t[]){0}, NULL, &err), &err);
    assert_true(nll.sum == 0 && nll.weight == 1);
}

static void test_nll_failures(void **state)
{
    (void)state;
    sp_error err;
    double mean = 7;
    const double rows[] = {0, -1, 0, -1};
    sp_scores scores = {.data = rows, .dtype = SP_F64, .n_classes = 2, .n_steps = 2};
    sp_nll nll = {.sum = 3, .weight = 2, .n_steps = 2}, before = nll;
    assert_int_equal(sp_nll_add(&nll, &scores, (int32_t[]){0, 2}, NULL, &err), SP_EDATA);
    assert_int_equal(err.step, 1);
    assert_string_equal(err.message, "label 2 at step 1 is none of the 2 classes; -1 leaves a step out");
    assert_int_equal(sp_nll_add(&nll, &scores, (int32_t[]){0, -2}, NULL, &err), SP_EDATA);
    assert_int_equal(sp_nll_add(&nll, &scores, (int32_t[]){0, 0}, (double[]){1, -1}, &err), SP_EDATA);
    assert_int_equal(sp_nll_add(&nll, &scores, (int32_t[]){0, 0}, (double[]){1, NAN}, &err), SP_EDATA);
    assert_memory_equal(&nll, &before, sizeof nll);
    nll = (sp_nll){0};
    assert_ok(sp_nll_add(&nll, &scores, (int32_t[]){-1, 0}, (double[]){1, 0}, &err), &err);
    assert_int_equal(sp_nll_mean(&nll, &mean, &err), SP_EDATA);
    assert_string_equal(
        err.message, "no step has a label and a weight above 0: there is no likelihood to take the mean of");
    assert_ok(sp_nll_add(&nll, &scores, (int32_t[]){1, 1}, (double[]){1e308, 1e308}, &err), &err);
    assert_int_equal(sp_nll_mean(&nll, &mean, &err), SP_EDATA);
    assert_true(mean == 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published_numbers), cmocka_unit_test(test_fractional_weights),
        cmocka_unit_test(test_failures),          cmocka_unit_test(test_nll),
        cmocka_unit_test(test_nll_in_pieces),     cmocka_unit_test(test_nll_extremes),
        cmocka_unit_test(test_nll_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
