/* Forward-backward that lacks memory leaves its outputs alone, also where the lanes have written before they give up. */
#include "check.h"
#include "decode/kernels/lanes/lanes_forward_backward.h"
#include "decode/strategies/marginals.h"
#include "failing_alloc.h"
#include "random_model.h"

enum { N_STEPS = 700 };

/* Two classes that are never left: the first half speaks for the one and the second as much for the other, so that forward and
 * backward rows hardly overlap in the middle: e^-350 is too little for the lanes. */
typedef struct overlap {
    sp_chain *chain;
    sp_scores scores;
    double data[2 * N_STEPS], marginals[2 * N_STEPS], expected[2 * N_STEPS];
    int32_t path[N_STEPS];
    float confidence[N_STEPS];
    bool asks_confidence;
} overlap;

static sp_status call(overlap *o, double *log_z)
{
    sp_scratch *scratch = sp_scratch_new();
    sp_error err;
    if (!scratch)
        return SP_ENOMEM;
    sp_status status = o->asks_confidence ? sp_confidence(o->chain, &o->scores, scratch, o->path, o->confidence, log_z, &err)
                                          : sp_forward_backward(o->chain, &o->scores, scratch, o->marginals, log_z, &err);
    sp_scratch_free(scratch);
    return status;
}

static sp_status attempt(void *arg)
{
    overlap *o = arg;
    double log_z = -7;
    for (int i = 0; i < 2 * N_STEPS; i++)
        o->marginals[i] = -7;
    for (int t = 0; t < N_STEPS; t++)
        o->confidence[t] = -7;
    sp_status status = call(o, &log_z);
    for (int i = 0; i < 2 * N_STEPS && !o->asks_confidence; i++)
        assert_true(o->marginals[i] == (status == SP_OK ? o->expected[i] : -7));
    for (int t = 0; t < N_STEPS && o->asks_confidence; t++)
        assert_true(o->confidence[t] == (status == SP_OK ? (float)o->expected[2 * t] : -7));
    assert_true((log_z == -7) == (status != SP_OK));
    return status;
}

static void ignore_row(void *arg, int64_t t, const double *marginal, const double *log_marginal)
{
    (void)t, (void)marginal, (void)log_marginal;
    ++*(int *)arg;
}

/* What is reserved is all that the plain kernel asks for in blocks of the least size. */
static void reserved_is_enough(void **state)
{
    (void)state;
    const random_shape shape = {6, 300, 2, 2, false, true, true, 0};
    for (uint64_t seed = 0; seed < 60; seed++) {
        random_case c = random_case_new(seed, &shape);
        sp_scratch *scratch = sp_scratch_new();
        int n_rows = 0;
        sp_marginal_sink sink = {ignore_row, &n_rows, true, sp_marginal_least_block(c.scores.n_steps)};
        sp_error err;
        assert_non_null(scratch);
        assert_true(sp_marginal_reserve(c.chain, &c.scores, scratch));
        failing_alloc_arm(0);
        sp_status status = sp_marginal_rows(c.chain, &c.scores, scratch, &sink, NULL, &err);
        bool has_asked = failing_alloc_disarm();
        if (has_asked) /* only to find the step that no path passes */
            assert_int_equal(sp_marginal_rows(c.chain, &c.scores, scratch, &sink, NULL, &err), SP_ENOPATH);
        assert_true(status != SP_OK || n_rows == c.scores.n_steps);
        sp_scratch_free(scratch);
        random_case_free(&c);
    }
}

static void outputs_stay(void **state)
{
    (void)state;
    static overlap o;
    const char *names[] = {"a", "b"};
    const uint8_t allow[] = {1, 0, 0, 1};
    sp_error err;
    sp_model *model = sp_model_new("overlap", 2, names);
    assert_non_null(model);
    assert_ok(sp_model_set_matrix(model, allow, NULL, &err), &err);
    assert_ok(sp_chain_new(model, NULL, &o.chain, &err), &err);
    sp_model_free(model);
    for (int t = 0; t < N_STEPS; t++)
        o.data[2 * t + (t < N_STEPS / 2)] = -1;
    o.scores = (sp_scores){.data = o.data, .dtype = SP_F64, .n_classes = 2, .n_steps = N_STEPS};

    /* The lanes do write and then leave it. */
    sp_scratch *scratch = sp_scratch_new();
    assert_non_null(scratch);
    o.marginals[2 * N_STEPS - 1] = -7;
    sp_sum_group group = {.use = SP_SUM_MARGINALS, .values = {o.marginals}};
    assert_int_equal(sp_sum_recording(o.chain, &o.scores, scratch, &group), SP_ENOPATH);
    assert_true(o.marginals[2 * N_STEPS - 1] != -7);

    assert_ok(sp_forward_backward(o.chain, &o.scores, scratch, o.expected, NULL, &err), &err);
    sp_scratch_free(scratch);
    assert_close(o.expected[0], 0.5, 0, 1e-9);
    for (int asks = 0; asks < 2; asks++) {
        o.asks_confidence = asks;
        assert_true(assert_each_alloc_may_fail(attempt, &o) > 5);
    }
    sp_chain_free(o.chain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(reserved_is_enough), cmocka_unit_test(outputs_stay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
