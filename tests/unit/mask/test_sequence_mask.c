/* Padding, causal masks, their sum, and attention that obeys them. */
#include "check.h"
#include "statepath/mask.h"

static const uint8_t padding35[] = {1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0}; /* lengths 3, 5, 4 of 5 */

static void test_padding(void **state)
{
    (void)state;
    sp_error err;
    uint8_t mask[15];
    assert_ok(sp_padding_mask_from_lengths((int64_t[]){3, 5, 4}, 3, 5, mask, &err), &err);
    assert_memory_equal(mask, padding35, 15);
    assert_ok(sp_padding_mask_from_lengths((int64_t[]){0, 2}, 2, 2, mask, &err), &err);
    assert_memory_equal(mask, ((uint8_t[]){0, 0, 1, 1}), 4);

    mask[0] = 7;
    assert_int_equal(sp_padding_mask_from_lengths((int64_t[]){1, 3}, 2, 2, mask, &err), SP_EINVAL);
    assert_string_equal(err.message, "sequence 1 has length 3, which does not fit into 2 steps");
    assert_int_equal(sp_padding_mask_from_lengths((int64_t[]){-1}, 1, 2, mask, &err), SP_EINVAL);
    assert_int_equal(mask[0], 7);
}

static void test_causal_and_additive(void **state)
{
    (void)state;
    const uint8_t causal[] = {1, 0, 0, 1, 1, 0, 1, 1, 1};
    uint8_t mask[9];
    sp_causal_mask(3, mask);
    assert_memory_equal(mask, causal, 9);
    double d[9];
    float f[9];
    sp_mask_to_additive(causal, 9, SP_F64, d);
    sp_mask_to_additive(causal, 9, SP_F32, f);
    for (int i = 0; i < 9; i++) {
        assert_true(d[i] == (causal[i] ? 0 : -INFINITY) && !signbit(causal[i] ? d[i] : 1));
        assert_true((double)f[i] == d[i]);
    }
}

static void test_sum_of_masks(void **state)
{
    (void)state;
    enum { N = 3, T = 5 };
    uint8_t causal[T * T], mask[N * T * T];
    double causal_add[T * T], padding_add[N * T], sum[N * T * T];
    float sum32[N * T * T];
    sp_causal_mask(T, causal);
    sp_mask_to_additive(causal, T * T, SP_F64, causal_add);
    sp_mask_to_additive(padding35, N * T, SP_F64, padding_add);
    sp_attention_mask(padding35, true, N, T, mask);
    sp_attention_mask_additive(padding35, true, N, T, SP_F64, sum);
    sp_attention_mask_additive(padding35, true, N, T, SP_F32, sum32);
    for (int n = 0; n < N; n++)
        for (int i = 0; i < T; i++)
            for (int j = 0; j < T; j++) {
                int at = (n * T + i) * T + j;
                assert_true(sum[at] == causal_add[i * T + j] + padding_add[n * T + j]);
                assert_true((double)sum32[at] == sum[at]);
                assert_int_equal(mask[at], sum[at] == 0);
            }
    sp_attention_mask(padding35, false, N, T, mask); /* padding only: every query sees the same keys */
    for (int i = 0; i < N * T; i++)
        assert_memory_equal(mask + i * T, padding35 + i / T * T, T);
    sp_attention_mask(NULL, false, N, T, mask);
    for (int i = 0; i < N * T * T; i++)
        assert_int_equal(mask[i], 1);
}

static void test_attention(void **state)
{
    (void)state;
    enum { N = 3, T = 5 };
    double scores[N * T * T], additive[N * T * T], p[N * T * T];
    float scores32[N * T * T], additive32[N * T * T], p32[N * T * T];
    for (int i = 0; i < N * T * T; i++)
        scores[i] = sin(i * 1.7) * 3;
    sp_attention_mask_additive(padding35, true, N, T, SP_F64, additive);
    for (int i = 0; i < N * T * T; i++) {
        if (additive[i] < 0)
            scores[i] = i % 2 ? NAN : 1e6; /* masked keys may hold anything */
        scores32[i] = (float)scores[i];
        additive32[i] = (float)additive[i];
    }
    sp_error err;
    sp_attention a = {
        .scores = scores, .dtype = SP_F64, .n_items = N, .n_queries = T, .n_keys = T, .additive = additive};
    assert_ok(sp_attention_softmax(&a, p, &err), &err);
    for (int row = 0; row < N * T; row++) {
        double sum = 0, total = 0;
        for (int j = 0; j < T; j++)
            total += additive[row * T + j] < 0 ? 0 : exp(scores[row * T + j]);
        for (int j = 0; j < T; j++) {
            double w = p[row * T + j];
            sum += w;
            if (additive[row * T + j] < 0)
                assert_true(w == 0);
            else
                assert_close(w, exp(scores[row * T + j]) / total, 1e-15, 0);
        }
        assert_close(sum, 1, 1e-15, 0);
    }
    a.dtype = SP_F32;
    a.scores = scores32;
    a.additive = additive32;
    assert_ok(sp_attention_softmax(&a, p32, &err), &err);
    for (int i = 0; i < N * T * T; i++)
        assert_close((double)p32[i], p[i], 1e-6, 0);
    a.dtype = SP_F64; /* in place */
    a.scores = scores;
    a.additive = additive;
    assert_ok(sp_attention_softmax(&a, scores, &err), &err);
    assert_memory_equal(scores, p, sizeof p);
}

/* A finite bias counts as it is; without a mask every key is seen. */
static void test_bias(void **state)
{
    (void)state;
    const double scores[] = {1, 2, 3, 4}, bias[] = {0, -1, 1, 0};
    double p[4];
    sp_error err;
    sp_attention a = {
        .scores = scores, .dtype = SP_F64, .n_items = 1, .n_queries = 2, .n_keys = 2, .additive = bias};
    assert_ok(sp_attention_softmax(&a, p, &err), &err);
    for (int i = 0; i < 4; i++)
        assert_true(p[i] == 0.5);
    a.additive = NULL;
    assert_ok(sp_attention_softmax(&a, p, &err), &err);
    assert_close(p[0], 1 / (1 + exp(1)), 1e-15, 0);
    assert_close(p[3], 1 / (1 + exp(-1)), 1e-15, 0);
}

/* Left padding under a causal mask: the first queries see nothing. Real ones are an error, padded ones become 0. */
static void test_queries_that_see_nothing(void **state)
{
    (void)state;
    enum { N = 2, T = 3 };
    const uint8_t padding[] = {1, 1, 1, 0, 0, 1};
    double scores[N * T * T], additive[N * T * T], p[N * T * T];
    for (int i = 0; i < N * T * T; i++) {
        scores[i] = i;
        p[i] = 7;
    }
    sp_attention_mask_additive(padding, true, N, T, SP_F64, additive);
    sp_error err;
    sp_attention a = {
        .scores = scores, .dtype = SP_F64, .n_items = N, .n_queries = T, .n_keys = T, .additive = additive};
    assert_int_equal(sp_attention_softmax(&a, p, &err), SP_EDATA);
    assert_int_equal(err.step, 3);
    assert_string_equal(err.message,
                        "item 1, query 0: every key is masked, so there is nothing to look at; let it see a "
                        "key, or mark the query as padding (real_queries)");
    assert_true(p[0] == 7); /* untouched */
    a.real_queries = padding;
    assert_ok(sp_attention_softmax(&a, p, &err), &err);
    for (int i = 9; i < 15; i++)
        assert_true(p[i] == 0);
    assert_true(p[15] == 0 && p[16] == 0 && p[17] == 1);
    assert_true(p[0] == 1 && p[1] == 0 && p[2] == 0);

    scores[17] = NAN;
    p[0] = 7;
    assert_int_equal(sp_attention_softmax(&a, p, &err), SP_EDATA);
    assert_string_equal(err.message, "item 1, query 2, key 2: the score with its mask is NaN");
    scores[17] = INFINITY;
    assert_int_equal(sp_attention_softmax(&a, p, &err), SP_EDATA);
    assert_string_equal(err.message, "item 1, query 2, key 2: the score with its mask is +infinity");
    scores[17] = 0;
    additive[0] = NAN;
    assert_int_equal(sp_attention_softmax(&a, p, &err), SP_EDATA);
    assert_int_equal(err.step, 0);
    assert_true(p[0] == 7);
}

static void test_ragged(void **state)
{
    (void)state;
    sp_error err;
    const int64_t lengths[] = {1, 0, 2};
    const double values[] = {1, 2, 3, 4, 5, 6}, expected[] = {1, 2, -9, -9, -9, -9, -9, -9, 3, 4, 5, 6};
    double out[12] = {7};
    int64_t last[3];
    uint8_t mask[6];
    assert_ok(sp_sequences_pad(values, lengths, 3, 2, 2, -9, out, &err), &err);
    assert_memory_equal(out, expected, sizeof out);
    out[0] = 7;
    assert_int_equal(sp_sequences_pad(values, lengths, 3, 1, 2, -9, out, &err), SP_EINVAL);
    assert_string_equal(err.message, "sequence 2 has length 2, which does not fit into 1 steps");
    assert_true(out[0] == 7);
    assert_ok(sp_padding_mask_from_lengths(lengths, 3, 2, mask, &err), &err);
    sp_last_real_steps(mask, 3, 2, last);
    assert_memory_equal(last, ((int64_t[]){0, -1, 1}), sizeof last);
    sp_last_real_steps((const uint8_t[]){0, 1, 0, 0, 0, 1}, 2, 3, last); /* padding on the left too */
    assert_memory_equal(last, ((int64_t[]){1, 2}), 2 * sizeof *last);
}

static void test_mix(void **state)
{
    (void)state;
    const double weights[] = {1, 0, 0.25, 0.75, 0.5, 0.5, 0, 1}, values[] = {1, 10, NAN, NAN, 3, 4, 5, 8};
    double out[8];
    sp_attention_mix(weights, values, 2, 2, 2, 2, out);
    assert_memory_equal(out, ((double[]){1, 10}), 2 * sizeof *out); /* a weight of 0 hides NaN */
    assert_true(isnan(out[2]) && isnan(out[3]));
    assert_memory_equal(out + 4, ((double[]){4, 6, 5, 8}), 4 * sizeof *out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_padding),      cmocka_unit_test(test_causal_and_additive),
        cmocka_unit_test(test_sum_of_masks), cmocka_unit_test(test_attention),
        cmocka_unit_test(test_bias),         cmocka_unit_test(test_queries_that_see_nothing),
        cmocka_unit_test(test_ragged),       cmocka_unit_test(test_mix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
