/* The mass that unmasked scores put on what cannot occur. */
#include "check.h"
#include "failing_alloc.h"
#include "statepath/mask.h"

static sp_scores view(const void *data, sp_dtype dtype, int64_t rows, int32_t classes)
{
    sp_scores s = {.data = data, .dtype = dtype, .n_classes = classes, .n_steps = rows};
    return s;
}

static void test_mask_leak(void **state)
{
    (void)state;
    const double p[] = {0.5, 0.25, 0.25, 1, 0, 0, 0.2, 0.3, 0.5, 0, 0, 0, 0.1, 0.1, 0.8};
    const uint8_t mask[] = {1, 0, 1, 1, 0, 0, 1, 1, 1, 0, 1, 1, 0, 0, 0};
    const double expected[] = {0.25, 0, 0, SP_LEAK_NONE, 1};
    for (int type = 0; type < 2; type++) {
        double e[15], leak[5];
        float f[15];
        for (int i = 0; i < 15; i++) {
            e[i] = log(p[i]) + i / 3; /* a constant per row changes nothing */
            f[i] = (float)e[i];
        }
        sp_error err;
        sp_scores scores = type ? view(e, SP_F64, 5, 3) : view(f, SP_F32, 5, 3);
        assert_ok(sp_mask_leak(&scores, mask, leak, &err), &err);
        for (int t = 0; t < 5; t++)
            assert_close(leak[t], expected[t], type ? 1e-15 : 1e-7, 0);
    }
}

/* A leak far below the rounding of 1 is still seen. */
static void test_small_leak(void **state)
{
    (void)state;
    const double e[] = {1000, 1000 - 300, 999};
    const uint8_t mask[] = {1, 0, 1};
    double leak;
    sp_error err;
    sp_scores scores = view(e, SP_F64, 1, 3);
    assert_ok(sp_mask_leak(&scores, mask, &leak, &err), &err);
    assert_close(leak, exp(-300) / (1 + exp(-1)), 0, 1e-12);
}

static void test_mask_leak_failures(void **state)
{
    (void)state;
    const double bad[] = {NAN, INFINITY};
    for (int i = 0; i < 2; i++) {
        const double e[] = {0, 0, 0, 0, 0, bad[i]};
        const uint8_t mask[] = {1, 1, 1, 1, 1, 0};
        double leak[2] = {7, 7};
        sp_error err;
        sp_scores scores = view(e, SP_F64, 2, 3);
        assert_int_equal(sp_mask_leak(&scores, mask, leak, &err), SP_EDATA);
        assert_int_equal(err.step, 1);
        assert_string_equal(err.message,
                            i ? "row 1, class 2: +infinity is no score" : "row 1, class 2: NaN is no score");
        assert_true(leak[0] == 7 && leak[1] == 7);
    }
}

/* 0 -> 0,1; 1 -> 1,2; 2 -> 0 only (staying is forbidden); starts in 0 and 2. */
static sp_chain *three_class_chain(void)
{
    const char *names[] = {"a", "b", "c"};
    const uint8_t allow[] = {1, 1, 0, 0, 1, 1, 1, 0, 0};
    sp_error err;
    sp_chain *chain;
    sp_model *model = sp_model_new("three", 3, names);
    assert_ok(sp_model_set_matrix(model, allow, NULL, &err), &err);
    model->start = malloc(3 * sizeof(double));
    memcpy(model->start, (double[]){0, -INFINITY, 0}, 3 * sizeof(double));
    sp_chain_options options = sp_chain_options_default();
    assert_ok(sp_chain_new(model, &options, &chain, &err), &err);
    sp_model_free(model);
    return chain;
}

static void test_chain_leak(void **state)
{
    (void)state;
    sp_chain *chain = three_class_chain();
    double e[7 * 3], leak[7];
    for (int i = 0; i < 21; i++)
        e[i] = log((double[]){0.2, 0.3, 0.5}[i % 3]);
    for (int k = 0; k < 3; k++)
        e[9 + k] = -INFINITY; /* step 3 */
    const int64_t segments[] = {5, 5, 5, 5, 5, 5, 9};
    const int32_t path[] = {0, 1, 2, 1, -1, 0, 0};
    const double expected[] = {0.3, 0.5, 0.2, SP_LEAK_NONE, 0.2, SP_LEAK_NONE, SP_LEAK_NONE};
    sp_error err;
    sp_scores scores = view(e, SP_F64, 7, 3);
    scores.segments = segments;
    assert_ok(sp_chain_leak(chain, &scores, path, leak, &err), &err);
    for (int t = 0; t < 7; t++)
        assert_close(leak[t], expected[t], 1e-15, 0);
    scores.segments = NULL;
    assert_ok(sp_chain_leak(chain, &scores, path, leak, &err), &err);
    assert_close(leak[6], 0.5, 1e-15, 0); /* no gap now */
    const int32_t last[] = {0, 0, 2, 0, 0, 2, 2};
    assert_ok(sp_chain_leak(chain, &scores, last, leak, &err), &err);
    assert_close(leak[6], 0.8, 1e-15, 0); /* staying in c is forbidden, so it leaks too */
    sp_chain_free(chain);
}

static void test_chain_leak_failures(void **state)
{
    (void)state;
    sp_chain *chain = three_class_chain();
    const double e[] = {0, 0, 0, 0, NAN, 0};
    double leak[2] = {7, 7};
    sp_error err;
    sp_scores scores = view(e, SP_F64, 2, 3);
    assert_int_equal(sp_chain_leak(chain, &scores, (int32_t[]){0, 3}, leak, &err), SP_EINVAL);
    assert_string_equal(err.message, "step 1 of the path: class 3 is none of 0..2");
    assert_int_equal(sp_chain_leak(chain, &scores, (int32_t[]){-2, 0}, leak, &err), SP_EINVAL);
    assert_int_equal(sp_chain_leak(chain, &scores, (int32_t[]){0, 0}, leak, &err), SP_EDATA);
    assert_int_equal(err.step, 1);
    scores.n_classes = 2;
    assert_int_equal(sp_chain_leak(chain, &scores, (int32_t[]){0, 0}, leak, &err), SP_EINVAL);
    assert_string_equal(err.message, "the scores have 2 classes and the model 3");
    assert_true(leak[0] == 7 && leak[1] == 7);
    sp_chain_free(chain);
}

static void test_summary(void **state)
{
    (void)state;
    const double leak[] = {0.1, SP_LEAK_NONE, 0.4, 0, 0.4, 0.1}, p[] = {0, 0.5, 0.9, 1, 0.25};
    double q[5];
    sp_leak_summary s;
    sp_error err;
    assert_ok(sp_leak_summarise(leak, 6, p, 5, q, &s, &err), &err);
    assert_int_equal(s.n_rows, 5);
    assert_int_equal(s.n_left_out, 1);
    assert_int_equal(s.n_leaking, 4);
    assert_close(s.mean, 0.2, 1e-15, 0);
    assert_true(s.maximum == 0.4);
    assert_int_equal(s.maximum_row, 2); /* the first of two */
    assert_true(q[0] == 0 && q[1] == 0.1 && q[2] == 0.4 && q[3] == 0.4 && q[4] == 0.1);
    const double four[] = {4, 1, 3, 2}, at[] = {0.5, 0.25, 0.99};
    assert_ok(sp_leak_summarise(four, 4, at, 3, q, NULL, &err), &err);
    assert_true(q[0] == 2.5 && q[1] == 1.75);
    assert_close(q[2], 3.97, 1e-15, 0);

    const double none[] = {SP_LEAK_NONE};
    assert_ok(sp_leak_summarise(none, 1, p, 5, q, &s, &err), &err);
    assert_int_equal(s.n_rows, 0);
    assert_int_equal(s.maximum_row, -1);
    assert_true(s.mean == 0 && s.maximum == 0 && q[0] == 0 && q[4] == 0);
    assert_ok(sp_leak_summarise(NULL, 0, NULL, 0, NULL, &s, &err), &err);
    assert_int_equal(s.n_rows, 0);

    const double zeros[] = {0, 0};
    assert_ok(sp_leak_summarise(zeros, 2, NULL, 0, NULL, &s, &err), &err);
    assert_int_equal(s.maximum_row, 0);
    assert_int_equal(s.n_leaking, 0);
    const double bad[] = {0.5, 1.01, NAN};
    q[0] = 7;
    assert_int_equal(sp_leak_summarise(leak, 6, bad, 2, q, &s, &err), SP_EINVAL);
    assert_string_equal(err.message, "quantile 1.01: it must lie between 0 and 1");
    assert_int_equal(sp_leak_summarise(leak, 6, bad + 2, 1, q, &s, &err), SP_EINVAL);
    assert_true(q[0] == 7);
}

static sp_status summarise_some(void *arg)
{
    (void)arg;
    const double leak[] = {0.1, 0.2}, p[] = {0.5};
    double q[1] = {7};
    sp_leak_summary s = {.n_rows = 99};
    sp_status status = sp_leak_summarise(leak, 2, p, 1, q, &s, NULL);
    assert_true(status == SP_OK ? q[0] > 0.1 && s.n_rows == 2 : q[0] == 7 && s.n_rows == 99);
    return status;
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    assert_int_equal(assert_each_alloc_may_fail(summarise_some, NULL), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mask_leak),
        cmocka_unit_test(test_small_leak),
        cmocka_unit_test(test_mask_leak_failures),
        cmocka_unit_test(test_chain_leak),
        cmocka_unit_test(test_chain_leak_failures),
        cmocka_unit_test(test_summary),
        cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
