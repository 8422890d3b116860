/* Masked softmax, leak and attention on random rows: what must hold for all of them. */
#include "check.h"
#include "random_model.h"
#include "statepath/mask.h"

enum { ROWS = 8, MOST = 40, ROUNDS = 600 };

static random_source source;

/* Logits of all widths, some impossible; masks of all densities with at least one class that is allowed and possible. */
static int32_t draw_case(double *l, uint8_t *mask)
{
    int32_t n_classes = 1 + random_below(&source, MOST);
    const double widths[] = {0.01, 3, 30, 300, 3000};
    double width = widths[random_below(&source, 5)], density = random_unit(&source);
    for (int t = 0; t < ROWS; t++) {
        for (int32_t k = 0; k < n_classes; k++) {
            l[t * n_classes + k] =
                random_below(&source, 10) ? (random_unit(&source) - 0.5) * width : -INFINITY;
            mask[t * n_classes + k] = random_unit(&source) < density;
        }
        int32_t sure = random_below(&source, n_classes);
        mask[t * n_classes + sure] = 1;
        l[t * n_classes + sure] = (random_unit(&source) - 0.5) * width;
    }
    return n_classes;
}

static sp_scores view(const void *data, sp_dtype dtype, int32_t n_classes)
{
    sp_scores s = {.data = data, .dtype = dtype, .n_classes = n_classes, .n_steps = ROWS};
    return s;
}

static void test_softmax(void **state)
{
    (void)state;
    static double l[ROWS * MOST], moved[ROWS * MOST], p[2][ROWS * MOST], logs[2][ROWS * MOST], q[ROWS * MOST];
    static uint8_t mask[ROWS * MOST];
    source.state = 1;
    for (int round = 0; round < ROUNDS; round++) {
        int32_t n_classes = draw_case(l, mask);
        sp_error err;
        sp_scores scores = view(l, SP_F64, n_classes);
        for (int form = 0; form < SP_N_SOFTMAX_FORMS; form++) {
            assert_ok(sp_masked_softmax(&scores, mask, (sp_softmax_form)form, p[form], &err), &err);
            assert_ok(sp_masked_log_softmax(&scores, mask, (sp_softmax_form)form, logs[form], &err), &err);
        }
        for (int t = 0; t < ROWS; t++) {
            double sum = 0;
            for (int32_t k = 0; k < n_classes; k++) {
                int i = t * n_classes + k;
                sum += p[0][i];
                assert_close(p[1][i], p[0][i], 1e-12, 0); /* both forms */
                assert_close(logs[1][i], logs[0][i], 1e-12, 1e-14);
                assert_close(exp(logs[0][i]), p[0][i], 1e-12, 0);
                if (!mask[i] || l[i] == -INFINITY) {
                    assert_true(p[0][i] == 0 && p[1][i] == 0);
                    assert_true(logs[0][i] == -INFINITY && logs[1][i] == -INFINITY);
                } else {
                    assert_true(isfinite(logs[0][i]) && isfinite(logs[1][i]));
                }
            }
            assert_close(sum, 1, 1e-12, 0);
        }
        /* A constant per row changes nothing, and neither does what stands at forbidden places. */
        for (int i = 0; i < ROWS * n_classes; i++)
            moved[i] = mask[i] ? l[i] + 64 * (i / n_classes) : random_unit(&source) * 1000;
        sp_scores other = view(moved, SP_F64, n_classes);
        for (int form = 0; form < SP_N_SOFTMAX_FORMS; form++) {
            assert_ok(sp_masked_softmax(&other, mask, (sp_softmax_form)form, q, &err), &err);
            for (int i = 0; i < ROWS * n_classes; i++)
                assert_close(q[i], p[0][i], 1e-12, 0);
        }
    }
}

/* f32: the rounded float64 answer for the same floats. */
static void test_f32(void **state)
{
    (void)state;
    static double l[ROWS * MOST], p[ROWS * MOST];
    static float f[ROWS * MOST], q[ROWS * MOST];
    static uint8_t mask[ROWS * MOST];
    source.state = 2;
    for (int round = 0; round < ROUNDS; round++) {
        int32_t n_classes = draw_case(l, mask);
        for (int i = 0; i < ROWS * n_classes; i++) {
            f[i] = (float)l[i];
            l[i] = (double)f[i];
        }
        sp_error err;
        sp_scores wide = view(l, SP_F64, n_classes), narrow = view(f, SP_F32, n_classes);
        for (int form = 0; form < SP_N_SOFTMAX_FORMS; form++) {
            assert_ok(sp_masked_softmax(&wide, mask, (sp_softmax_form)form, p, &err), &err);
            assert_ok(sp_masked_softmax(&narrow, mask, (sp_softmax_form)form, q, &err), &err);
            for (int i = 0; i < ROWS * n_classes; i++)
                assert_true(q[i] == (float)p[i]);
            assert_ok(sp_masked_log_softmax(&wide, mask, (sp_softmax_form)form, p, &err), &err);
            assert_ok(sp_masked_log_softmax(&narrow, mask, (sp_softmax_form)form, q, &err), &err);
            for (int i = 0; i < ROWS * n_classes; i++)
                assert_true(q[i] == (float)p[i]);
        }
    }
}

/* leak = 1 - what an unmasked softmax puts on the allowed classes; a masked row leaks nothing. */
static void test_leak(void **state)
{
    (void)state;
    static double l[ROWS * MOST], p[ROWS * MOST], leak[ROWS];
    static uint8_t mask[ROWS * MOST];
    source.state = 3;
    for (int round = 0; round < ROUNDS; round++) {
        int32_t n_classes = draw_case(l, mask);
        sp_error err;
        sp_scores scores = view(l, SP_F64, n_classes);
        assert_ok(sp_masked_softmax(&scores, NULL, SP_SOFTMAX_MASK_LOGITS, p, &err), &err);
        assert_ok(sp_mask_leak(&scores, mask, leak, &err), &err);
        for (int t = 0; t < ROWS; t++) {
            double allowed = 0;
            for (int32_t k = 0; k < n_classes; k++)
                allowed += mask[t * n_classes + k] ? p[t * n_classes + k] : 0;
            assert_close(leak[t], 1 - allowed, 1e-12, 0);
            assert_true(leak[t] >= 0 && leak[t] <= 1);
        }
        sp_mask_apply(&scores, mask, l);
        assert_ok(sp_mask_leak(&scores, mask, leak, &err), &err);
        for (int t = 0; t < ROWS; t++)
            assert_true(leak[t] == 0);
    }
}

/* Attention with a 0 / -INFINITY mask is the masked softmax of its rows. */
static void test_attention_is_masked_softmax(void **state)
{
    (void)state;
    static double l[ROWS * MOST], additive[ROWS * MOST], p[ROWS * MOST], q[ROWS * MOST];
    static uint8_t mask[ROWS * MOST];
    source.state = 4;
    for (int round = 0; round < ROUNDS; round++) {
        int32_t n_classes = draw_case(l, mask);
        sp_error err;
        sp_scores scores = view(l, SP_F64, n_classes);
        sp_mask_to_additive(mask, ROWS * n_classes, SP_F64, additive);
        sp_attention a = {.scores = l,
                          .dtype = SP_F64,
                          .n_items = 2,
                          .n_queries = ROWS / 2,
                          .n_keys = n_classes,
                          .additive = additive};
        assert_ok(sp_attention_softmax(&a, p, &err), &err);
        assert_ok(sp_masked_softmax(&scores, mask, SP_SOFTMAX_MASK_LOGITS, q, &err), &err);
        for (int i = 0; i < ROWS * n_classes; i++)
            assert_true(p[i] == q[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_softmax),
        cmocka_unit_test(test_f32),
        cmocka_unit_test(test_leak),
        cmocka_unit_test(test_attention_is_masked_softmax),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
