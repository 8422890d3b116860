/* Streams: when a step is decided, what a failed push leaves, and what is refused. What they decide is in the
 * law of strategies. */
#include "check.h"
#include "decode_one.h"
#include "oracle.h"
#include "random_model.h"
#include "statepath/stream.h"

static const random_shape shapes[] = {
    /* classes, steps, states a class, dwell; up to so many */
    {4, 6, 1, 1, TIES, WEIGHTS, GAPS, .impossible = 0.3},
    {4, 6, 1, 1, NO, WEIGHTS, GAPS, .impossible = 0.2},
};

/* The best partial path of the first n steps into class k, wherever it may end; false: there is none. */
static bool find_survivor(const oracle_model *open, const sp_scores *scores, int64_t n, int32_t k,
                          int32_t *path)
{
    double data[ORACLE_STEPS * 4];
    sp_scores seen = *scores;
    seen.n_steps = n;
    seen.data = data;
    for (int64_t i = 0; i < n * scores->n_classes; i++)
        data[i] = i / scores->n_classes == n - 1 && i % scores->n_classes != k
                      ? -INFINITY
                      : ((const double *)scores->data)[i];
    return oracle_viterbi(open, &seen, false, path).status == SP_OK;
}

/* Steps on which all survivors agree, from the first. */
static int64_t count_agreed(const oracle_model *open, const sp_scores *scores, int64_t n)
{
    int32_t paths[4][ORACLE_STEPS];
    int n_paths = 0;
    for (int32_t k = 0; k < scores->n_classes; k++)
        n_paths += find_survivor(open, scores, n, k, paths[n_paths]);
    for (int64_t t = 0; t < n; t++)
        for (int p = 1; p < n_paths; p++)
            if (paths[p][t] != paths[0][t])
                return t;
    return n;
}

/* An exact stream decides not a step later than all survivors agree: models of one state a class. */
static void test_exact_stream_decides_at_once(void **state)
{
    (void)state;
    int64_t n_checked = 0;
    for (uint64_t seed = 0; seed < 600; seed++) {
        random_case c = random_case_new(seed, &shapes[seed % 2]);
        oracle_model *open = oracle_model_new(c.model, &c.options, ORACLE_STEPS);
        sp_online *online;
        sp_error err;
        int64_t done = 0;
        for (int32_t j = 0; j < open->n_states; j++)
            open->end[j] = 0;
        assert_ok(sp_online_new_exact(c.chain, -1, &online, &err), &err);
        for (int64_t t = 0; t < c.scores.n_steps; t++) {
            int32_t path[ORACLE_STEPS + 1], n;
            if (sp_online_push_exact(online, c.data + t * c.scores.n_classes, sp_scores_is_gap(&c.scores, t),
                                     path, &n, &err) != SP_OK)
                break;
            done += n;
            assert_int_equal(done, count_agreed(open, &c.scores, t + 1));
            n_checked++;
        }
        sp_online_free(online);
        oracle_model_free(open);
        random_case_free(&c);
    }
    assert_true(n_checked > 1000);
}

/* Each kind of stream has a call of its own. */
static void test_exact_calls(void **state)
{
    (void)state;
    random_case c = random_case_new(1, &shapes[0]);
    sp_online *fixed, *exact;
    sp_error err;
    int32_t classes[4], n;
    assert_ok(sp_online_new(c.chain, 1, &fixed, &err), &err);
    assert_ok(sp_online_new_exact(c.chain, -1, &exact, &err), &err);
    assert_int_equal(sp_online_push_exact(fixed, c.data, false, classes, &n, &err), SP_EINVAL);
    assert_int_equal(sp_online_push(exact, c.data, false, classes, &err), SP_EINVAL);
    assert_int_equal(sp_online_forced(exact), 0);
    sp_online_free(fixed);
    sp_online_free(exact);
    random_case_free(&c);
}

/* Two classes that never change into each other. */
static sp_chain *two_islands(void)
{
    const char *names[] = {"a", "b"};
    uint8_t allow[] = {1, 0, 0, 1};
    sp_model *model = sp_model_new("islands", 2, names);
    sp_error err;
    sp_chain *chain;
    assert_ok(sp_model_set_matrix(model, allow, NULL, &err), &err);
    assert_ok(sp_chain_new(model, NULL, &chain, &err), &err);
    sp_model_free(model);
    return chain;
}

/* A push that fails takes nothing: the stream can go on with another row, or after a gap. */
static void test_failed_push(void **state)
{
    (void)state;
    sp_chain *chain = two_islands();
    sp_online *online;
    sp_error err;
    int32_t k, rest[4], n_rest;
    double both[] = {0, -1}, only_b[] = {-INFINITY, 0}, none[] = {-INFINITY, -INFINITY}, bad[] = {0, NAN},
           worse[] = {INFINITY, 0};
    assert_int_equal(sp_online_new(chain, -1, &online, &err), SP_EINVAL);
    assert_ok(sp_online_new(chain, 1, &online, &err), &err);
    assert_ok(sp_online_push(online, both, false, &k, &err), &err);
    assert_int_equal(k, -1);
    assert_ok(sp_online_push(online, both, false, &k, &err), &err);
    assert_int_equal(k, 0); /* a, and with it for good */
    assert_int_equal(sp_online_push(online, only_b, false, &k, &err), SP_EDEADEND);
    assert_int_equal(err.step, 2);
    assert_int_equal(sp_online_push(online, none, false, &k, &err), SP_ENOPATH);
    assert_int_equal(sp_online_push(online, bad, false, &k, &err), SP_EDATA);
    assert_non_null(strstr(err.message, "class 1"));
    assert_int_equal(sp_online_push(online, worse, false, &k, &err), SP_EDATA);
    assert_int_equal(k, 0);
    assert_ok(sp_online_push(online, only_b, true, &k, &err), &err);
    assert_int_equal(k, 0);
    assert_ok(sp_online_push(online, both, false, &k, &err), &err);
    assert_int_equal(k, 1);
    assert_ok(sp_online_finish(online, rest, &n_rest, &err), &err);
    assert_true(n_rest == 1 && rest[0] == 1);
    assert_ok(sp_online_finish(online, rest, &n_rest, &err), &err); /* an empty recording */
    assert_int_equal(n_rest, 0);
    sp_online_free(online);
    sp_online_free(NULL);
    sp_chain_free(chain);
}

/* A stream as long as one likes: values stay small, decisions stay right. Scores of -1e12 a step would eat
 * all digits of a sum.
 */
static void test_endless_stream(void **state)
{
    (void)state;
    const char *names[] = {"a", "b"};
    uint8_t allow[] = {1, 1, 1, 1};
    double weight[] = {0, -0.5, -0.5, 0};
    sp_model *model = sp_model_new("sticky", 2, names);
    sp_error err;
    sp_chain *chain;
    assert_ok(sp_model_set_matrix(model, allow, weight, &err), &err);
    assert_ok(sp_chain_new(model, NULL, &chain, &err), &err);
    for (int32_t lag = 0; lag <= 4; lag += 2) {
        sp_online *online;
        assert_ok(sp_online_new(chain, lag, &online, &err), &err);
        for (int64_t t = 0; t < 20000; t++) {
            bool is_b = t / 10 % 2;
            double row[] = {is_b ? -1e12 - 1 : -1e12, is_b ? -1e12 : -1e12 - 1};
            int32_t k;
            assert_ok(sp_online_push(online, row, false, &k, &err), &err);
            if (t >= lag)
                assert_int_equal(k, (t - lag) / 10 % 2);
        }
        sp_online_free(online);
    }
    sp_model_free(model);
    sp_chain_free(chain);
}

static void test_bad_arguments(void **state)
{
    (void)state;
    sp_chain *chain = two_islands();
    sp_scratch *scratch = sp_scratch_new();
    double one[] = {0, 0}, score = 77;
    sp_scores scores = {one, SP_F64, 2, 1, NULL, NULL, NULL}, empty = {one, SP_F64, 2, 0, NULL, NULL, NULL},
              other = {one, SP_F64, 1, 2, NULL, NULL, NULL};
    int32_t path[2] = {77, 77};
    sp_error err;
    assert_int_equal(decode_beam(chain, &scores, 0, scratch, path, &score, &err), SP_EINVAL);
    assert_int_equal(decode_online(chain, &scores, -1, scratch, path, &score, &err), SP_EINVAL);
    assert_int_equal(decode_beam(chain, &other, 1, scratch, path, &score, &err), SP_EINVAL);
    assert_int_equal(decode_online(chain, &other, 1, scratch, path, &score, &err), SP_EINVAL);
    assert_true(score == 77 && path[0] == 77);
    assert_ok(decode_beam(chain, &empty, 1, scratch, path, &score, &err), &err);
    assert_true(score == 0);
    score = 77;
    assert_ok(decode_online(chain, &empty, 1, scratch, path, &score, &err), &err);
    assert_true(score == 0 && path[0] == 77);
    sp_scratch_free(scratch);
    sp_chain_free(chain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact_stream_decides_at_once),
        cmocka_unit_test(test_exact_calls),
        cmocka_unit_test(test_failed_push),
        cmocka_unit_test(test_endless_stream),
        cmocka_unit_test(test_bad_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
