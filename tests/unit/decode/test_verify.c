/* The check that stays on: a path that is wrong in one step is found, by the plain form and by that of each instruction set. */
#include "check.h"
#include "random_model.h"
#include "statepath/decode.h"

/* No decoder hands out a wrong path: tests/faults has the whole program do so, for one set and a few lengths. */
#include "decode/kernels/isa_kernels.h"
#include "decode/verify.h"

enum { MOST_STEPS = 70 };

/* Paths of every length up to some vectors, all of whose transitions are allowed but for one or none. */
static void test_transitions(void **state)
{
    (void)state;
    random_source random = {1};
    for (int i = 0; i < 20000; i++) {
        const int32_t K = 1 + random_below(&random, SP_VERIFY_CLASSES),
                      n = 1 + random_below(&random, MOST_STEPS);
        uint32_t follows[SP_VERIFY_CLASSES] = {0};
        int32_t path[MOST_STEPS];
        for (int32_t from = 0; from < K; from++)
            follows[from] = (uint32_t)random_below(&random, 1 << K) | 1U << from;
        path[0] = random_below(&random, K);
        for (int32_t t = 1; t < n; t++) {
            const int32_t k = random_below(&random, K);
            path[t] = follows[path[t - 1]] >> k & 1 ? k : path[t - 1];
        }
        if (n > 1 && random_chance(&random, 0.7)) {
            const int32_t wrong[] = {-1,      K,         SP_VERIFY_CLASSES, 32,
                                     1 << 20, INT32_MIN, INT32_MAX,         random_below(&random, K)};
            path[1 + random_below(&random, n - 1)] = wrong[random_below(&random, 8)];
        }
        bool expected = true;
        for (int32_t t = 1; t < n && expected; t++)
            expected = path[t] >= 0 && path[t] < K && (follows[path[t - 1]] >> path[t] & 1);
        assert_int_equal(sp_path_is_allowed(follows, path, n), expected);
        for (sp_isa isa = SP_ISA_BASE; isa <= sp_isa_best(); isa++)
            assert_int_equal(sp_isa_kernels_of(isa)->path_is_allowed(follows, path, n), expected);
    }
}

/* What a step's class is replaced by. */
static int32_t other_class(random_source *random, int32_t n_classes, int32_t k)
{
    const int32_t none[] = {-1, n_classes, INT32_MAX};
    const int32_t i = random_below(random, n_classes + 2);
    return i < n_classes && i != k ? i : none[random_below(random, 3)];
}

/* Every kind of chain and of scores: the best path passes, and fails with another class at a step, unless that path is as good. */
static void test_one_wrong_step(void **state)
{
    (void)state;
    const random_shape shapes[] = {{16, MOST_STEPS, 1, 1, NO, NO, NO, .impossible = 0},
                                   {16, MOST_STEPS, 1, 1, NO, WEIGHTS, NO, .impossible = 0},
                                   {5, MOST_STEPS, 1, 1, NO, WEIGHTS, GAPS, .impossible = 0},
                                   {4, MOST_STEPS, 2, 2, NO, WEIGHTS, NO, .impossible = 0},
                                   {5, MOST_STEPS, 1, 1, TIES, NO, GAPS, .impossible = 0.1},
                                   {40, MOST_STEPS, 1, 1, NO, NO, NO, .impossible = 0}};
    random_source random = {2};
    sp_scratch *scratch = sp_scratch_new();
    sp_workers *workers = sp_workers_new(2);
    int n_wrong = 0;
    assert_true(scratch && workers);
    for (uint64_t seed = 0; seed < 1200; seed++) {
        random_case c = random_case_new(seed, &shapes[seed % (sizeof shapes / sizeof *shapes)]);
        const int64_t T = c.scores.n_steps;
        int32_t path[MOST_STEPS];
        double score, wrong_score = -INFINITY;
        sp_verifier v;
        sp_error err;
        sp_verifier_init(&v, c.chain);
        if (T > 0 && sp_viterbi(c.chain, &c.scores, scratch, path, &score, NULL) == SP_OK) {
            assert_ok(sp_verify(&v, &c.scores, path, score, &err), &err);
            assert_ok(sp_verify_long(&v, &c.scores, path, score, workers, &err), &err);
            assert_int_equal(sp_verify(&v, &c.scores, path, score + 1e-5, &err), SP_EBUG);
            const int64_t t = random_below(&random, (int32_t)T);
            path[t] = other_class(&random, c.scores.n_classes, path[t]);
            const bool is_path = path[t] >= 0 && path[t] < c.scores.n_classes;
            if (is_path)
                assert_ok(sp_path_score(c.chain, &c.scores, path, &wrong_score, &err), &err);
            const sp_status expected = is_path && fabs(wrong_score - score) <= 1e-9 ? SP_OK : SP_EBUG;
            n_wrong += expected == SP_EBUG;
            for (sp_isa isa = SP_ISA_PLAIN; isa <= sp_isa_best(); isa++) {
                v.is_allowed =
                    isa == SP_ISA_PLAIN ? sp_path_is_allowed : sp_isa_kernels_of(isa)->path_is_allowed;
                assert_int_equal(sp_verify(&v, &c.scores, path, score, &err), expected);
                assert_int_equal(sp_verify_long(&v, &c.scores, path, score, workers, &err), expected);
            }
        }
        random_case_free(&c);
    }
    assert_true(n_wrong > 600);
    sp_workers_free(workers);
    sp_scratch_free(scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_transitions),
                                       cmocka_unit_test(test_one_wrong_step)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
