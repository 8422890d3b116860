/* The scratch: arrays taken, released to a mark, and taken again; and the harness that makes allocations fail finds them all. */
#include "check.h"
#include "failing_alloc.h"
#include "statepath/context.h"

/* What a scratch hands out is for the library alone. */
#include "core/scratch.h"

static void test_arrays_are_apart_and_stay(void **state)
{
    (void)state;
    enum { N = 40 };
    sp_scratch *scratch = sp_scratch_new();
    assert_non_null(scratch);
    unsigned char *array[N];
    for (int round = 0; round < 3; round++) {
        const sp_scratch_mark mark = sp_scratch_here(scratch);
        for (int i = 0; i < N; i++) { /* of very different sizes */
            size_t n = (size_t)1 << (i % 20);
            array[i] = sp_scratch_get(scratch, n, 1);
            assert_non_null(array[i]);
            assert_int_equal((uintptr_t)array[i] % 64, 0);
            memset(array[i], i, n);
        }
        for (int i = 0; i < N; i++)
            for (size_t n = 0; n < (size_t)1 << (i % 20); n++)
                assert_int_equal(array[i][n], i);
        sp_scratch_release(scratch, mark);
    }
    assert_non_null(sp_scratch_get(scratch, 0, 8));
    sp_scratch_free(scratch);
    sp_scratch_free(NULL);
}

/* Takes some arrays, keeps the first, and takes the others again. */
static void test_released_memory_is_taken_again(void **state)
{
    (void)state;
    sp_scratch *scratch = sp_scratch_new();
    char *kept = sp_scratch_get(scratch, 100, 1);
    memset(kept, 7, 100);
    const sp_scratch_mark mark = sp_scratch_here(scratch);
    char *once = sp_scratch_get(scratch, 1000000, 8);
    assert_non_null(once);
    sp_scratch_release(scratch, mark);
    failing_alloc_arm(0); /* nothing more is asked for */
    for (int round = 0; round < 10; round++) {
        assert_ptr_equal(sp_scratch_get(scratch, 1000000, 8), once);
        sp_scratch_release(scratch, mark);
    }
    assert_false(failing_alloc_disarm());
    for (int i = 0; i < 100; i++)
        assert_int_equal(kept[i], 7);
    sp_scratch_free(scratch);
}

/* What fitted once fits again, though something larger stood there between. */
static void test_what_fitted_fits_again(void **state)
{
    (void)state;
    const size_t sizes[] = {100, 300000, 20, 900000, 70000, 5000000, 64};
    sp_scratch *scratch = sp_scratch_new();
    const sp_scratch_mark mark = sp_scratch_here(scratch);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        assert_non_null(sp_scratch_get(scratch, sizes[i], 1));
    sp_scratch_release(scratch, mark);
    assert_non_null(sp_scratch_get(scratch, 1000, 1));
    assert_non_null(sp_scratch_get(scratch, 20000000, 1));
    assert_non_null(sp_scratch_get(scratch, 400000, 1));
    sp_scratch_release(scratch, mark);
    failing_alloc_arm(0);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        assert_non_null(sp_scratch_get(scratch, sizes[i], 1));
    assert_false(failing_alloc_disarm());
    sp_scratch_free(scratch);
}

static void test_no_memory(void **state)
{
    (void)state;
    sp_scratch *scratch = sp_scratch_new();
    assert_non_null(scratch);
    assert_null(sp_scratch_get(scratch, SIZE_MAX / 4, 8));
    assert_null(sp_scratch_get(scratch, SIZE_MAX, 1));
    assert_non_null(sp_scratch_get(scratch, 8, 8));
    failing_alloc_arm(0);
    assert_null(sp_scratch_get(scratch, 10000000, 1));
    assert_true(failing_alloc_disarm());
    assert_non_null(sp_scratch_get(scratch, 10000000, 1));
    assert_non_null(sp_scratch_get(scratch, 8, 8));
    sp_scratch_free(scratch);
}

static sp_status make_three(void *arg)
{
    (void)arg;
    sp_scratch *scratch = sp_scratch_new();
    bool made = scratch && sp_scratch_get(scratch, 100, 1) && sp_scratch_get(scratch, 1000000, 1);
    sp_scratch_free(scratch);
    return made ? SP_OK : SP_ENOMEM;
}

static void test_each_allocation_fails_once(void **state)
{
    (void)state;
    assert_int_equal(assert_each_alloc_may_fail(make_three, NULL), 3);
    failing_alloc_arm(0);
    assert_null(sp_scratch_new());
    assert_true(failing_alloc_disarm());
    failing_alloc_arm(5);
    assert_int_equal(make_three(NULL), SP_OK);
    assert_false(failing_alloc_disarm());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arrays_are_apart_and_stay),
        cmocka_unit_test(test_released_memory_is_taken_again),
        cmocka_unit_test(test_what_fitted_fits_again),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_each_allocation_fails_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
