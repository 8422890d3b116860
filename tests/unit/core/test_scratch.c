/* The scratch of many calls: recordings of very different lengths one after the other, also after a call that
 * lacked memory; and the harness that makes allocations fail finds each of them. */
#include "check.h"
#include "failing_alloc.h"
#include "random_model.h"
#include "statepath/decode.h"

#include <stdlib.h>

enum { SIZES = 4 };

static void test_one_scratch_for_many_calls(void **state)
{
    (void)state;
    static const int32_t longest[SIZES] = {40, 3000, 5, 9000};
    random_case cases[SIZES];
    int32_t *path[SIZES], again[9000];
    double score[SIZES], score_again;
    sp_scratch *scratch = sp_scratch_new();
    sp_error err;
    assert_non_null(scratch);
    for (int i = 0; i < SIZES; i++) {
        const random_shape shape = {6, longest[i], 3, 1, NO, WEIGHTS, NO, .impossible = 0};
        for (uint64_t seed = 50;; seed++) { /* of a good length, with a path */
            cases[i] = random_case_new(seed, &shape);
            path[i] = malloc((size_t)longest[i] * sizeof *path[i]);
            if (cases[i].scores.n_steps > longest[i] / 2 &&
                sp_viterbi(cases[i].chain, &cases[i].scores, scratch, path[i], &score[i], NULL) == SP_OK)
                break;
            free(path[i]);
            random_case_free(&cases[i]);
        }
    }
    for (int i = 0; i < SIZES; i++) {
        assert_ok(sp_viterbi(cases[i].chain, &cases[i].scores, scratch, again, &score_again, &err), &err);
        assert_memory_equal(again, path[i], (size_t)cases[i].scores.n_steps * sizeof *again);
        assert_true(score_again == score[i]);
    }
    sp_scratch *other = sp_scratch_new();
    assert_ok(sp_viterbi(cases[0].chain, &cases[0].scores, other, again, NULL, &err), &err);
    failing_alloc_arm(0); /* the next is larger */
    assert_int_equal(sp_viterbi(cases[3].chain, &cases[3].scores, other, again, NULL, &err), SP_ENOMEM);
    assert_true(failing_alloc_disarm());
    for (int i = SIZES - 1; i >= 0; i--) {
        assert_ok(sp_viterbi(cases[i].chain, &cases[i].scores, other, again, NULL, &err), &err);
        assert_memory_equal(again, path[i], (size_t)cases[i].scores.n_steps * sizeof *again);
    }
    for (int i = 0; i < SIZES; i++) {
        free(path[i]);
        random_case_free(&cases[i]);
    }
    sp_scratch_free(other);
    sp_scratch_free(scratch);
    sp_scratch_free(NULL);
}

static sp_status allocate_three(void *arg)
{
    (void)arg;
    void *a = malloc(10), *b = a ? calloc(10, 10) : NULL, *c = b ? realloc(a, 1000) : NULL;
    free(c ? c : a);
    free(b);
    return c ? SP_OK : SP_ENOMEM;
}

static void test_each_allocation_fails_once(void **state)
{
    (void)state;
    assert_int_equal(assert_each_alloc_may_fail(allocate_three, NULL), 3);
    failing_alloc_arm(0);
    assert_null(sp_scratch_new());
    assert_true(failing_alloc_disarm());
    failing_alloc_arm(5);
    assert_int_equal(allocate_three(NULL), SP_OK);
    assert_false(failing_alloc_disarm());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_scratch_for_many_calls),
        cmocka_unit_test(test_each_allocation_fails_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
