/* Blocks: room that only grows; what preparing does to them: widening in place, names of places. */
#include "check.h"
#include "failing_alloc.h"
#include "statepath/scores.h"

/* Doubles of floats, exactly: a prior that weighs nothing asks for them. At most 4 classes. */
static sp_status widen(sp_block *b, sp_error *err)
{
    static const double nothing[4] = {0};
    const sp_prepare_options o = {
        .kind = SP_KIND_SCORES, .temperature = 1, .prior_weight = 1, .log_prior = nothing};
    return sp_prepare(b, &o, NULL, NULL, err);
}

static void test_parts(void **state)
{
    (void)state;
    sp_error err;
    sp_block *b = sp_block_new();
    assert_non_null(b);
    assert_int_equal(b->n_steps, 0);
    assert_ok(sp_block_reserve(b, 2, 7, 3, SP_F64, SP_BLOCK_SCORES | SP_BLOCK_MASK, &err), &err);
    assert_int_equal(b->n_recordings, 2);
    assert_int_equal(b->n_steps, 7);
    assert_int_equal(b->n_classes, 3);
    assert_int_equal(b->dtype, SP_F64);
    assert_non_null(b->offsets);
    assert_non_null(b->scores);
    assert_non_null(b->mask);
    assert_null(b->labels);
    assert_null(b->segments);
    assert_null(b->weights);
    memset(b->scores, 1, 7 * 3 * sizeof(double)); /* AddressSanitizer watches the sizes */
    memset(b->mask, 1, 7 * 3);
    b->offsets[2] = 7;

    void *scores = b->scores, *mask = b->mask;
    assert_ok(
        sp_block_reserve(b, 1, 2, 3, SP_F32, SP_BLOCK_LABELS | SP_BLOCK_SEGMENTS | SP_BLOCK_WEIGHTS, &err),
        &err);
    assert_null(b->scores);
    assert_null(b->mask);
    memset(b->labels, 1, 2 * sizeof(int32_t));
    memset(b->segments, 1, 2 * sizeof(int64_t));
    memset(b->weights, 1, 2 * sizeof(double));
    assert_ok(sp_block_reserve(b, 1, 7, 3, SP_F64, SP_BLOCK_SCORES | SP_BLOCK_MASK, &err), &err);
    assert_ptr_equal(b->scores, scores); /* the memory was kept */
    assert_ptr_equal(b->mask, mask);
    sp_block_free(b);
    sp_block_free(NULL);
}

static void test_nothing_is_not_null(void **state)
{
    (void)state;
    sp_error err;
    sp_block *b = sp_block_new();
    assert_ok(sp_block_reserve(b, 0, 0, 0, SP_F32, SP_BLOCK_SCORES | SP_BLOCK_LABELS, &err), &err);
    assert_non_null(b->offsets);
    assert_non_null(b->scores);
    assert_non_null(b->labels);
    assert_ok(widen(b, &err), &err);
    assert_int_equal(b->dtype, SP_F64);
    sp_block_free(b);
}

/* Sizes that no machine has: an error and an empty block, and the block is still good for more. */
static void test_too_large(void **state)
{
    (void)state;
    sp_error err;
    sp_block *b = sp_block_new();
    assert_int_equal(sp_block_reserve(b, 1, INT64_MAX, INT32_MAX, SP_F64, SP_BLOCK_SCORES, &err), SP_ENOMEM);
    assert_non_null(strstr(err.message, "not enough memory"));
    assert_int_equal(b->n_steps, 0);
    assert_int_equal(b->n_recordings, 0);
    assert_null(b->scores);
    assert_null(b->offsets);
    assert_int_equal(sp_block_reserve(b, 1, INT64_MAX / 2, 1, SP_F64, SP_BLOCK_LABELS, NULL), SP_ENOMEM);
    assert_ok(sp_block_reserve(b, 1, 4, 2, SP_F32, SP_BLOCK_SCORES, &err), &err);
    assert_non_null(b->scores);
    sp_block_free(b);
}

static void fill_f32(sp_block *b, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        ((float *)b->scores)[i] = i % 7 == 3 ? -INFINITY : (float)i * -0.1f;
}

static void check_f64(const sp_block *b, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        double expected = i % 7 == 3 ? -INFINITY : (double)((float)i * -0.1f);
        if (((const double *)b->scores)[i] != expected)
            fail_msg("score %lld is %.17g, not %.17g", (long long)i, ((const double *)b->scores)[i],
                     expected);
    }
}

/* Around the piece of 512 that the loop works in, and when the room is there already. */
static void test_widen(void **state)
{
    (void)state;
    sp_error err;
    const int64_t steps[] = {1, 2, 3, 511, 512, 513, 1024, 1025, 5000};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        sp_block *b = sp_block_new();
        assert_ok(sp_block_reserve(b, 1, steps[i], 1, SP_F32, SP_BLOCK_SCORES, &err), &err);
        for (int again = 0; again < 2; again++) {
            fill_f32(b, steps[i]);
            assert_ok(widen(b, &err), &err);
            assert_int_equal(b->dtype, SP_F64);
            check_f64(b, steps[i]);
            assert_ok(widen(b, &err), &err); /* nothing to do */
            check_f64(b, steps[i]);
            assert_ok(sp_block_reserve(b, 1, steps[i], 1, SP_F32, SP_BLOCK_SCORES, &err), &err);
        }
        sp_block_free(b);
    }
}

/* Scores that a program put there itself are read, not freed. */
static void test_widen_borrowed(void **state)
{
    (void)state;
    sp_error err;
    float mine[3] = {1.5f, -INFINITY, 0.1f};
    sp_block *b = sp_block_new();
    b->scores = mine;
    b->n_steps = 1;
    b->n_classes = 3;
    assert_ok(widen(b, &err), &err);
    assert_ptr_not_equal(b->scores, mine);
    assert_int_equal(b->dtype, SP_F64);
    assert_true(mine[0] == 1.5f && mine[2] == 0.1f);
    const double *wide = b->scores;
    assert_true(wide[0] == 1.5 && wide[1] == -INFINITY && wide[2] == (double)0.1f);
    sp_block_free(b);
}

static sp_status reserve_everything(void *arg)
{
    (void)arg;
    sp_block *b = sp_block_new();
    if (!b)
        return SP_ENOMEM;
    sp_error err;
    sp_status status = sp_block_reserve(
        b, 3, 10, 4, SP_F32,
        SP_BLOCK_SCORES | SP_BLOCK_LABELS | SP_BLOCK_SEGMENTS | SP_BLOCK_WEIGHTS | SP_BLOCK_MASK, &err);
    if (status != SP_OK) {
        assert_int_equal(b->n_steps, 0);
        assert_int_equal(b->n_recordings, 0);
        assert_null(b->scores);
        assert_null(b->mask);
        assert_string_equal(err.message, "not enough memory");
    } else {
        fill_f32(b, 40);
        memset(b->mask, 1, 40);
        status = widen(b, &err);
        if (status != SP_OK) { /* unchanged */
            assert_int_equal(b->dtype, SP_F32);
            assert_true(((float *)b->scores)[39] == 39 * -0.1f);
            assert_string_equal(err.message, "not enough memory");
        } else {
            check_f64(b, 40);
        }
    }
    sp_block_free(b);
    return status;
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    assert_int_equal(assert_each_alloc_may_fail(reserve_everything, NULL), 9);
}

static void test_batch(void **state)
{
    (void)state;
    sp_error err;
    sp_block *b = sp_block_new();
    assert_ok(sp_block_reserve(b, 2, 5, 2, SP_F32, SP_BLOCK_SCORES | SP_BLOCK_SEGMENTS, &err), &err);
    b->offsets[0] = 0;
    b->offsets[1] = 2;
    b->offsets[2] = 5;
    for (int i = 0; i < 10; i++)
        ((float *)b->scores)[i] = (float)i;
    for (int t = 0; t < 5; t++)
        b->segments[t] = t / 3;
    sp_batch batch = sp_block_batch(b);
    sp_scores second = sp_batch_recording(&batch, 1);
    assert_int_equal(second.n_steps, 3);
    assert_true(sp_scores_at(&second, 0, 1) == 5);
    assert_true(sp_scores_is_gap(&second, 1));
    assert_false(sp_scores_is_gap(&second, 2));
    sp_block_free(b);
}

/* What is said of a NaN in that row and class. */
static int64_t nan_at(sp_block *b, int64_t row, int32_t k, char text[SP_ERROR_SIZE])
{
    const sp_prepare_options o = {.kind = SP_KIND_SCORES, .temperature = 1};
    sp_error err = {0};
    memset(b->scores, 0, (size_t)(b->n_steps * b->n_classes) * sizeof(float));
    ((float *)b->scores)[row * b->n_classes + k] = NAN;
    assert_int_equal(sp_prepare(b, &o, NULL, NULL, &err), SP_EDATA);
    memcpy(text, err.message, SP_ERROR_SIZE);
    return err.step;
}

static void assert_begins(const char *text, const char *begin)
{
    if (strncmp(text, begin, strlen(begin)) != 0)
        fail_msg("\"%s\" does not begin with \"%s\"", text, begin);
}

static void test_where(void **state)
{
    (void)state;
    sp_error err;
    char text[SP_ERROR_SIZE], longest[2 * SP_ERROR_SIZE];
    const char *ids[] = {"n1", "empty", "n{id}3"}, *classes[] = {"Wake", "REM"};
    sp_block *b = sp_block_new();
    assert_ok(sp_block_reserve(b, 3, 20, 2, SP_F32, SP_BLOCK_SCORES, &err), &err);
    memcpy(b->offsets, (int64_t[]){0, 2, 2, 20}, 4 * sizeof(int64_t));
    b->first = 40;
    assert_int_equal(nan_at(b, 19, 0, text), 17);
    assert_begins(text, "recording 42, step 17, class 0: ");
    assert_int_equal(nan_at(b, 1, 1, text), 1);
    assert_begins(text, "recording 40, step 1, class 1: ");
    b->file = "night.h5";
    b->dataset = "/r/{id}/x_{id}";
    b->ids = ids;
    b->classes = classes;
    assert_int_equal(nan_at(b, 2, 1, text), 0);
    assert_begins(text, "night.h5: /r/n{id}3/x_n{id}3, recording n{id}3, step 0, class REM: ");
    assert_int_equal(nan_at(b, 0, 0, text), 0);
    assert_begins(text, "night.h5: /r/n1/x_n1, recording n1, step 0, class Wake: ");
    b->dataset = "/log_probs";
    nan_at(b, 0, 1, text);
    assert_begins(text, "night.h5: /log_probs, recording n1, step 0, class REM: ");
    b->first_step = 1000; /* a part of n1, and whole recordings after it */
    assert_int_equal(nan_at(b, 1, 0, text), 1001);
    assert_begins(text, "night.h5: /log_probs, recording n1, step 1001, class Wake: ");
    assert_int_equal(nan_at(b, 5, 0, text), 3);
    b->first_step = 0;
    for (size_t n = 0; n < sizeof longest; n += 7) { /* cut, never past the end, always terminated */
        memset(longest, 'x', n);
        longest[n] = '\0';
        b->file = longest;
        nan_at(b, 0, 0, text);
        assert_true(strlen(text) < sizeof text);
        assert_memory_equal(text, longest, n < 200 ? n : 200);
    }
    sp_block_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts),          cmocka_unit_test(test_nothing_is_not_null),
        cmocka_unit_test(test_too_large),      cmocka_unit_test(test_widen),
        cmocka_unit_test(test_widen_borrowed), cmocka_unit_test(test_batch),
        cmocka_unit_test(test_where),          cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
