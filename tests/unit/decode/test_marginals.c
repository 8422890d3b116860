/* Forward-backward and what follows from it where the answer is known: long recordings, scores far apart, and
 * worked cases. */
#include "check.h"
#include "decode_one.h"
#include "statepath/advanced.h"

static sp_chain *two_classes(double stay, double change, bool is_left_right)
{
    const char *names[] = {"a", "b"};
    sp_model *model = sp_model_new("two", 2, names);
    uint8_t allow[] = {1, 1, !is_left_right, 1};
    double weight[] = {stay, change, change, stay};
    sp_error err;
    sp_chain *chain;
    assert_ok(sp_model_set_matrix(model, allow, weight, &err), &err);
    assert_ok(sp_chain_new(model, NULL, &chain, &err), &err);
    sp_model_free(model);
    return chain;
}

/* Two classes that only differ in when the one change comes: the marginals of 300,000 steps are known in
 * closed form. */
static void test_long_recording(void **state)
{
    (void)state;
    enum { STEPS = 300000 };
    sp_chain *chain = two_classes(0, 0, true);
    sp_scratch *scratch = sp_scratch_new();
    float *data = calloc(2 * STEPS, sizeof *data);
    double *marginals = calloc(2 * STEPS, sizeof *marginals), log_z;
    for (int64_t t = 0; t < STEPS; t++)
        data[2 * t] = data[2 * t + 1] = -1000;
    sp_scores scores = {data, SP_F32, 2, STEPS, NULL, NULL, NULL};
    sp_error err;
    assert_ok(sp_forward_backward(chain, &scores, scratch, marginals, &log_z, &err), &err);
    /* STEPS + 1 paths of equal weight: the first b at step 0, ..., STEPS (never) */
    assert_close(log_z, -1000.0 * STEPS + log(STEPS + 1.0), 0, 1e-15);
    for (int64_t t = 0; t < STEPS; t++)
        assert_close(marginals[2 * t + 1], (double)(t + 1) / (STEPS + 1), 0, 1e-9);
    free(data);
    free(marginals);
    sp_scratch_free(scratch);
    sp_chain_free(chain);
}

/* A tenth cannot be written in binary: a million of them, simply added up, are off by 1e-6. */
static void test_log_z_does_not_drift(void **state)
{
    (void)state;
    enum { STEPS = 1000000 };
    sp_chain *chain = two_classes(0, 0, true);
    sp_scratch *scratch = sp_scratch_new();
    double *data = malloc(2 * STEPS * sizeof *data), log_z;
    for (int64_t t = 0; t < STEPS; t++) {
        data[2 * t] = -0.1;
        data[2 * t + 1] = -INFINITY;
    }
    sp_scores scores = {data, SP_F64, 2, STEPS, NULL, NULL, NULL};
    sp_error err;
    assert_ok(sp_forward_backward(chain, &scores, scratch, NULL, &log_z, &err), &err);
    assert_close(log_z, -0.1 * STEPS, 0, 1e-15);
    free(data);
    sp_scratch_free(scratch);
    sp_chain_free(chain);
}

/* A state far behind the best may be the only one to survive; nothing may underflow on the way. */
static void test_extreme_scores(void **state)
{
    (void)state;
    sp_chain *chain = two_classes(0, -2000, true); /* a to b costs exp(-2000), no way back */
    sp_scratch *scratch = sp_scratch_new();
    double data[] = {0, -5000, 0, -5000, 0, -5000, -INFINITY, 0}, marginals[8], log_z, score = NAN;
    sp_scores scores = {data, SP_F64, 2, 4, NULL, NULL, NULL};
    int32_t path[4];
    sp_error err;
    assert_ok(sp_forward_backward(chain, &scores, scratch, marginals, &log_z, &err), &err);
    assert_true(log_z == -2000);
    assert_true(marginals[0] == 1 && marginals[6] == 0 && marginals[7] == 1);
    assert_ok(decode_mea(chain, &scores, scratch, path, &score, &err), &err);
    assert_true(score == -2000 && path[2] == 0 && path[3] == 1);
    data[4] = -INFINITY; /* now b, 5000 behind, must be taken a step earlier */
    assert_ok(decode_posterior_viterbi(chain, &scores, scratch, path, &score, &err), &err);
    assert_true(score == -7000 && path[1] == 0 && path[2] == 1);
    sp_chain_free(chain);
    sp_scratch_free(scratch);
}

/* Two states that never meet, b so far behind that its exponential has a few bits left, fewer than a double,
 * or none: a step
 * later b is all that there is. */
static void test_underflow_costs_no_digits(void **state)
{
    (void)state;
    const uint8_t allow[] = {1, 0, 0, 1};
    const double zero[4] = {0};
    const char *names[] = {"a", "b"};
    sp_scratch *scratch = sp_scratch_new();
    sp_model *model = sp_model_new("apart", 2, names);
    sp_chain *chain;
    sp_error err;
    assert_ok(sp_model_set_matrix(model, allow, zero, &err), &err);
    assert_ok(sp_chain_new(model, NULL, &chain, &err), &err);
    for (double behind = 600.25; behind < 760; behind += 0.25) {
        const double data[] = {0, -behind, -INFINITY, 0}, last_first[] = {-INFINITY, 0, 0, -behind};
        double marginals[4], log_z;
        for (int way = 0; way < 2; way++) {
            sp_scores scores = {way ? last_first : data, SP_F64, 2, 2, NULL, NULL, NULL};
            assert_ok(sp_forward_backward(chain, &scores, scratch, marginals, &log_z, &err), &err);
            assert_close(log_z, -behind, 0, 1e-13);
            assert_true(marginals[1] == 1 && marginals[3] == 1);
            assert_ok(sp_forward_backward(chain, &scores, scratch, NULL, &log_z, &err), &err);
            assert_close(log_z, -behind, 0, 1e-13);
        }
    }
    sp_chain_free(chain);
    sp_model_free(model);
    sp_scratch_free(scratch);
}

/* Four paths of equal weight. 0 stands first in two of them and 1 last in two others; together they would
 * have the greatest sum
 * of marginals by far, but the only way from 0 to 1 is a class that is impossible where it would be needed.
 * */
static void test_impossible_steps_are_never_taken(void **state)
{
    (void)state;
    enum { K = 7, T = 5 };
    const char *names[K] = {"first", "last", "bridge", "a", "b", "c", "d"};
    const uint8_t pairs[][2] = {{0, 0}, {0, 2}, {2, 1}, {1, 1}, {0, 3}, {0, 4},
                                {3, 3}, {4, 4}, {5, 5}, {6, 6}, {5, 1}, {6, 1}};
    const uint8_t possible[T][K] = {{1, 0, 0, 0, 0, 1, 1},
                                    {1, 0, 0, 0, 0, 1, 1},
                                    {0, 0, 0, 1, 1, 1, 1},
                                    {0, 1, 0, 1, 1, 0, 0},
                                    {0, 1, 0, 1, 1, 0, 0}};
    const int32_t expected[T] = {5, 5, 5, 1, 1}; /* 1.75, as all four; the lowest class at the last step */
    uint8_t allow[K * K] = {0};
    double data[T * K], marginals[T * K], score;
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++)
        allow[pairs[p][0] * K + pairs[p][1]] = 1;
    for (int i = 0; i < T * K; i++)
        data[i] = possible[i / K][i % K] ? 0 : -INFINITY;
    sp_model *model = sp_model_new("bridge", K, names);
    sp_scores scores = {data, SP_F64, K, T, NULL, NULL, NULL};
    sp_scratch *scratch = sp_scratch_new();
    sp_chain *chain;
    int32_t path[T];
    sp_error err;
    assert_ok(sp_model_set_matrix(model, allow, NULL, &err), &err);
    assert_ok(sp_chain_new(model, NULL, &chain, &err), &err);
    assert_ok(sp_forward_backward(chain, &scores, scratch, marginals, NULL, &err), &err);
    assert_true(marginals[0] == 0.5 && marginals[4 * K + 1] == 0.5 && marginals[2 * K + 2] == 0);
    assert_ok(decode_mea(chain, &scores, scratch, path, &score, &err), &err);
    assert_memory_equal(path, expected, sizeof path);
    assert_true(score == 0);
    assert_ok(decode_posterior_viterbi(chain, &scores, scratch, path, &score, &err), &err);
    assert_memory_equal(path, expected, sizeof path);
    sp_chain_free(chain);
    sp_model_free(model);
    sp_scratch_free(scratch);
}

/* b must stay for two steps, the last one too. a a a, a a c and a b b weigh 1, 1/2 and 4/3: a is the
 * likeliest class of step 1
 * and b that of step 2, but a b alone may not end. */
static void test_mea_keeps_the_end_of_a_dwell(void **state)
{
    (void)state;
    const uint8_t allow[] = {1, 1, 1, 0, 1, 0, 0, 0, 0};
    const double weight[] = {0, log(4.0 / 3), log(0.5), 0, 0, 0, 0, 0, 0}, data[9] = {0};
    const char *names[] = {"a", "b", "c"};
    const int32_t expected[] = {0, 1, 1};
    sp_model *model = sp_model_new("dwell", 3, names);
    sp_scratch *scratch = sp_scratch_new();
    sp_scores scores = {data, SP_F64, 3, 3, NULL, NULL, NULL};
    sp_chain *chain;
    sp_error err;
    assert_ok(sp_model_set_matrix(model, allow, weight, &err), &err);
    model->start = malloc(3 * sizeof *model->start);
    model->start[0] = 0;
    model->start[1] = model->start[2] = -INFINITY;
    model->min_dwell = malloc(3 * sizeof *model->min_dwell);
    memcpy(model->min_dwell, (int32_t[]){1, 2, 1}, 3 * sizeof *model->min_dwell);
    model->min_dwell_at_end = true;
    assert_ok(sp_chain_new(model, NULL, &chain, &err), &err);
    double marginals[9], score = NAN;
    int32_t path[3];
    assert_ok(sp_forward_backward(chain, &scores, scratch, marginals, NULL, &err), &err);
    assert_true(marginals[3] > marginals[4] && marginals[7] > marginals[6] && marginals[7] > marginals[8]);
    assert_ok(decode_mea(chain, &scores, scratch, path, &score, &err), &err);
    assert_memory_equal(path, expected, sizeof path);
    assert_close(score, log(4.0 / 3), 0, 1e-15);
    sp_chain_free(chain);
    sp_model_free(model);
    sp_scratch_free(scratch);
}

static void test_edges(void **state)
{
    (void)state;
    sp_chain *chain = two_classes(0, 0, false);
    sp_scratch *scratch = sp_scratch_new();
    sp_scores empty = {NULL, SP_F64, 2, 0, NULL, NULL, NULL};
    double log_z = 77, score = 77;
    sp_error err;
    assert_ok(sp_forward_backward(chain, &empty, scratch, NULL, &log_z, &err), &err);
    assert_true(log_z == 0);
    assert_ok(decode_posterior(chain, &empty, scratch, NULL, &score, &err), &err);
    assert_true(score == 0);
    score = 77;
    assert_ok(decode_mea(chain, &empty, scratch, NULL, &score, &err), &err);
    assert_true(score == 0);
    double one[] = {-1, -1};
    sp_scores other = {one, SP_F64, 1, 2, NULL, NULL, NULL}, single = {one, SP_F64, 2, 1, NULL, NULL, NULL};
    assert_int_equal(sp_forward_backward(chain, &other, scratch, NULL, &log_z, &err), SP_EINVAL);
    assert_int_equal(decode_mea(chain, &other, scratch, NULL, NULL, &err), SP_EINVAL);
    int32_t none = -1;
    float confidence = 7;
    assert_int_equal(sp_confidence(chain, &single, scratch, &none, &confidence, NULL, &err), SP_EINVAL);
    assert_true(confidence == 7);
    int32_t path = 7; /* a tie goes to the lowest class */
    assert_ok(decode_posterior(chain, &single, scratch, &path, &score, &err), &err);
    assert_int_equal(path, 0);
    sp_chain_free(chain);
    sp_scratch_free(scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_long_recording),
        cmocka_unit_test(test_log_z_does_not_drift),
        cmocka_unit_test(test_extreme_scores),
        cmocka_unit_test(test_underflow_costs_no_digits),
        cmocka_unit_test(test_impossible_steps_are_never_taken),
        cmocka_unit_test(test_mea_keeps_the_end_of_a_dwell),
        cmocka_unit_test(test_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
