/* Step masks and masked softmax in both forms. */
#include "check.h"
#include "statepath/mask.h"

static sp_scores view(const void *data, sp_dtype dtype, int64_t rows, int32_t classes)
{
    sp_scores s = {.data = data, .dtype = dtype, .n_classes = classes, .n_steps = rows};
    return s;
}

static void test_apply(void **state)
{
    (void)state;
    const uint8_t mask[] = {1, 0, 2, 0, 1, 0};
    const double e[] = {-1, -2, -3, -4, -INFINITY, -INFINITY};
    const double expected[] = {-1, -INFINITY, -3, -INFINITY, -INFINITY, -INFINITY};
    double out[6];
    sp_scores scores = view(e, SP_F64, 2, 3);
    assert_int_equal(sp_mask_apply(&scores, mask, out),
                     2); /* the third one forbidden was impossible before */
    assert_memory_equal(out, expected, sizeof out);

    float f[6];
    for (int i = 0; i < 6; i++)
        f[i] = (float)e[i];
    scores = view(f, SP_F32, 2, 3);
    assert_int_equal(sp_mask_apply(&scores, mask, f), 2); /* in place */
    for (int i = 0; i < 6; i++)
        assert_true((double)f[i] == expected[i]);
    assert_int_equal(sp_mask_apply(&scores, mask, f), 0);
    scores = view(NULL, SP_F32, 0, 3);
    assert_int_equal(sp_mask_apply(&scores, NULL, NULL), 0);
}

/* A published example: multiplying the logits by the mask gives the forbidden classes exp(0) each. */
static const double logits5[] = {1.2355, -0.1710, -0.6606, -0.2050, -1.4690};
static const uint8_t mask5[] = {1, 0, 1, 1, 0};
static const double right5[] = {0.7210, 0, 0.1083, 0.1707, 0};
static const double wrong5[] = {0.5080, 0.1477, 0.0763, 0.1203, 0.1477};

static void test_published_numbers(void **state)
{
    (void)state;
    sp_error err;
    for (int form = 0; form < SP_N_SOFTMAX_FORMS; form++) {
        double p[5], logs[5];
        sp_scores scores = view(logits5, SP_F64, 1, 5);
        assert_ok(sp_masked_softmax(&scores, mask5, (sp_softmax_form)form, p, &err), &err);
        assert_ok(sp_masked_log_softmax(&scores, mask5, (sp_softmax_form)form, logs, &err), &err);
        for (int k = 0; k < 5; k++) {
            assert_close(p[k], right5[k], 5e-5, 0);
            assert_close(exp(logs[k]), p[k], 1e-15, 0);
            assert_true(fabs(p[k] - wrong5[k]) > 0.03);
            if (!mask5[k]) {
                assert_true(p[k] == 0);
                assert_true(logs[k] == -INFINITY);
            }
        }
        float f[5], q[5];
        for (int k = 0; k < 5; k++)
            f[k] = (float)logits5[k];
        scores = view(f, SP_F32, 1, 5);
        assert_ok(sp_masked_softmax(&scores, mask5, (sp_softmax_form)form, q, &err), &err);
        for (int k = 0; k < 5; k++)
            assert_close((double)q[k], p[k], 1e-7, 0);
    }
}

static void test_another_mask_in_each_row(void **state)
{
    (void)state;
    double l[] = {0, 0, 0, 1, 2, 3, 5, 5, 5, -2, 700, -900};
    const uint8_t mask[] = {1, 1, 1, 0, 1, 1, 0, 0, 1, 1, 0, 1};
    const double third = 1.0 / 3, e = exp(1);
    const double expected[] = {third, third, third, 0, 1 / (1 + e), e / (1 + e), 0, 0, 1, 1, 0, 0};
    sp_error err;
    for (int form = 0; form < SP_N_SOFTMAX_FORMS; form++) {
        double p[12];
        sp_scores scores = view(l, SP_F64, 4, 3);
        assert_ok(sp_masked_softmax(&scores, mask, (sp_softmax_form)form, p, &err), &err);
        for (int i = 0; i < 12; i++)
            assert_close(p[i], expected[i], 1e-15, 0);
        assert_ok(sp_masked_log_softmax(&scores, mask, (sp_softmax_form)form, p, &err), &err);
        assert_close(p[11], -898, 1e-12, 0); /* no float64 as a probability, yet a finite log */
    }
    sp_scores scores = view(l, SP_F64, 4, 3); /* in place */
    assert_ok(sp_masked_softmax(&scores, mask, SP_SOFTMAX_RENORMALISE, l, &err), &err);
    for (int i = 0; i < 12; i++)
        assert_close(l[i], expected[i], 1e-15, 0);
}

/* The unmasked softmax leaves the allowed classes exp(-gap): below 1e-308 the second form has nothing to renormalise, and
 * must give the same answer all the same. */
static void test_allowed_mass_underflows(void **state)
{
    (void)state;
    sp_error err;
    const uint8_t mask[] = {1, 1, 0, 1};
    const double a = exp(0.25), expected[] = {1 / (1 + a), a / (1 + a), 0, 0};
    for (double gap = 0; gap < 5000; gap += 12.5) {
        const double l[] = {0.125 - gap, 0.375 - gap, 0, -INFINITY};
        sp_scores scores = view(l, SP_F64, 1, 4);
        for (int form = 0; form < SP_N_SOFTMAX_FORMS; form++) {
            double p[4], logs[4];
            assert_ok(sp_masked_softmax(&scores, mask, (sp_softmax_form)form, p, &err), &err);
            assert_ok(sp_masked_log_softmax(&scores, mask, (sp_softmax_form)form, logs, &err), &err);
            for (int k = 0; k < 4; k++) {
                assert_close(p[k], expected[k], 1e-12, 0);
                assert_close(logs[k], log(expected[k]), 1e-12, 0);
            }
        }
    }
}

static void test_forbidden_numbers_are_not_looked_at(void **state)
{
    (void)state;
    sp_error err;
    const double junk[] = {NAN, INFINITY, -INFINITY, 1e308};
    for (int form = 0; form < SP_N_SOFTMAX_FORMS; form++)
        for (int j = 0; j < 4; j++) {
            const double l[] = {1, junk[j], 2};
            const uint8_t mask[] = {1, 0, 1};
            double p[3], logs[3];
            sp_scores scores = view(l, SP_F64, 1, 3);
            assert_ok(sp_masked_softmax(&scores, mask, (sp_softmax_form)form, p, &err), &err);
            assert_ok(sp_masked_log_softmax(&scores, mask, (sp_softmax_form)form, logs, &err), &err);
            assert_close(p[0], 1 / (1 + exp(1)), 1e-15, 0);
            assert_close(logs[0], -log1p(exp(1)), 1e-15, 0);
            assert_true(p[1] == 0 && logs[1] == -INFINITY);
        }
}

/* Fails on row 2 of four with that sentence, in both functions and forms, and writes nothing. */
static void expect_failure(const double *row, const uint8_t *mask_row, const char *sentence)
{
    double l[12], out[12], before[12];
    uint8_t mask[12];
    for (int i = 0; i < 12; i++) {
        l[i] = i / 3 == 2 ? row[i % 3] : i;
        mask[i] = i / 3 == 2 && mask_row ? mask_row[i % 3] : 1;
        out[i] = before[i] = 7;
    }
    sp_scores scores = view(l, SP_F64, 4, 3);
    for (int form = 0; form < SP_N_SOFTMAX_FORMS; form++)
        for (int in_logs = 0; in_logs < 2; in_logs++) {
            sp_error err = {0};
            sp_status status = (in_logs ? sp_masked_log_softmax : sp_masked_softmax)(
                &scores, mask_row ? mask : NULL, (sp_softmax_form)form, out, &err);
            assert_int_equal(status, SP_EDATA);
            assert_int_equal(err.step, 2);
            assert_string_equal(err.message, sentence);
            assert_memory_equal(out, before, sizeof out);
        }
}

static void test_failures(void **state)
{
    (void)state;
    const double good[] = {1, 2, 3}, not_a_number[] = {1, NAN, 3}, infinite[] = {1, 2, INFINITY},
                 lost[] = {-INFINITY, 0, -INFINITY};
    const uint8_t none[] = {0, 0, 0}, outer[] = {1, 0, 1};
    expect_failure(good, none,
                   "row 2: the mask allows no class, so there is nothing to share the probability among; "
                   "allow at least one "
                   "class, or leave the row out");
    expect_failure(lost, outer,
                   "row 2: each of the 2 classes that the mask allows has the logit -infinity, so none of "
                   "them can have the "
                   "probability; mend the scores or the mask, or leave the row out");
    expect_failure(not_a_number, NULL,
                   "row 2, class 1: NaN is no logit; mend the scores, or forbid the class there");
    expect_failure(infinite, outer,
                   "row 2, class 2: +infinity is no logit; mend the scores, or forbid the class there");
}

static void test_checked_rows(void **state)
{
    (void)state;
    sp_error err;
    const uint8_t mask[] = {1, 0, 0, 0, 0, 9};
    assert_ok(sp_mask_check(mask, 1, 2, &err), &err);
    assert_int_equal(sp_mask_check(mask, 3, 2, &err), SP_EDATA);
    assert_int_equal(err.step, 1);
    assert_string_equal(err.message,
                        "row 1: the mask allows no class; allow at least one, or leave the row out");
}

/* A published example: five sleep stages, N2 before. */
static const uint8_t stages5[] = {1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 0, 0, 1, 1, 0, 1, 0, 1, 0, 1};

static void test_previous(void **state)
{
    (void)state;
    sp_error err;
    const double e[] = {2.1, -.5, 1.8, .3, -1.2, 2.1, -.5, 1.8, .3, -1.2},
                 expected[] = {-INFINITY, -.5, 1.8, .3, -1.2};
    const int32_t previous[] = {2, -1};
    const uint8_t rows[] = {0, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    double out[10];
    uint8_t mask[10];
    sp_scores scores = view(e, SP_F64, 2, 5);
    assert_ok(sp_apply_logit_masking(&scores, previous, stages5, out, &err), &err);
    assert_memory_equal(out, expected, sizeof expected);
    assert_memory_equal(out + 5, e + 5, sizeof expected);
    assert_ok(sp_mask_from_previous(previous, 2, stages5, 5, mask, &err), &err);
    assert_memory_equal(mask, rows, 10);
    for (int32_t none = -1; none > -1000;
         none -= 99) { /* as a class before, any negative number means none */
        assert_ok(sp_apply_logit_masking(&scores, (int32_t[]){2, none}, stages5, out, &err), &err);
        assert_memory_equal(out + 5, e + 5, sizeof expected);
    }

    float f[10];
    for (int i = 0; i < 10; i++)
        f[i] = (float)e[i];
    scores = view(f, SP_F32, 2, 5);
    assert_ok(sp_apply_logit_masking(&scores, previous, stages5, f, &err), &err); /* in place */
    for (int i = 0; i < 10; i++)
        assert_true(f[i] == (float)(i < 5 ? expected[i] : e[i]));

    out[0] = 7;
    scores = view(e, SP_F64, 2, 5);
    assert_int_equal(sp_apply_logit_masking(&scores, (int32_t[]){0, 5}, stages5, out, &err), SP_EDATA);
    assert_int_equal(err.step, 1);
    assert_string_equal(
        err.message, "row 1: the previous class 5 is none of 0..4; a negative one says that there is none");
    uint8_t empty[25] = {0};
    empty[0] = 1;
    assert_int_equal(sp_apply_logit_masking(&scores, (int32_t[]){0, 3}, empty, out, &err), SP_EDATA);
    assert_string_equal(err.message,
                        "row 1: the matrix lets nothing follow class 3; allow at least one class after it");
    mask[0] = 9;
    assert_int_equal(sp_mask_from_previous((int32_t[]){0, 3}, 2, empty, 5, mask, &err), SP_EDATA);
    assert_true(out[0] == 7 && mask[0] == 9);
    assert_ok(sp_apply_logit_masking(&scores, (int32_t[]){0, -100}, empty, out, &err), &err);
}

static void test_multiplied(void **state)
{
    (void)state;
    sp_error err;
    double p[5], left;
    sp_scores scores = view(logits5, SP_F64, 1, 5);
    assert_ok(sp_multiplied_softmax(&scores, mask5, p, &left, &err), &err);
    for (int k = 0; k < 5; k++)
        assert_close(p[k], wrong5[k], 5e-5, 0);
    assert_close(left, 0.2954, 5e-5, 0);
    assert_ok(sp_multiplied_softmax(&scores, (const uint8_t[]){1, 2, 1, 1, 1}, p, &left, &err), &err);
    assert_true(left == 0);
    const double lost[] = {0, -INFINITY, -INFINITY, -INFINITY};
    const uint8_t mask[] = {1, 0, 1, 1};
    p[0] = 7;
    scores = view(lost, SP_F64, 2, 2);
    assert_int_equal(sp_multiplied_softmax(&scores, mask, p, NULL, &err), SP_EDATA);
    assert_string_equal(err.message, "row 0, class 1: -inf times 0 is no logit");
    scores = view(lost + 2, SP_F64, 1, 2);
    assert_int_equal(sp_multiplied_softmax(&scores, mask + 2, p, NULL, &err), SP_EDATA);
    assert_string_equal(err.message,
                        "row 0: each class has the logit -infinity, so none can have the probability");
    assert_true(p[0] == 7);
}

static void test_no_rows(void **state)
{
    (void)state;
    sp_error err;
    sp_scores scores = view(NULL, SP_F32, 0, 3);
    assert_ok(sp_masked_softmax(&scores, NULL, SP_SOFTMAX_MASK_LOGITS, NULL, &err), &err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_apply),
        cmocka_unit_test(test_published_numbers),
        cmocka_unit_test(test_another_mask_in_each_row),
        cmocka_unit_test(test_allowed_mass_underflows),
        cmocka_unit_test(test_forbidden_numbers_are_not_looked_at),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_checked_rows),
        cmocka_unit_test(test_previous),
        cmocka_unit_test(test_multiplied),
        cmocka_unit_test(test_no_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
