/* The scratch grows and keeps; and the harness that makes allocations fail finds them all. */
#include "check.h"
#include "decode/scratch.h"
#include "failing_alloc.h"

static void test_slots_grow_and_are_apart(void **state)
{
    (void)state;
    sp_scratch *scratch = sp_scratch_new();
    assert_non_null(scratch);
    char *a = sp_scratch_get(scratch, 0, 100, 1), *b = sp_scratch_get(scratch, 1, 100, 1);
    assert_true(a != b);
    assert_int_equal((uintptr_t)a % 64, 0);
    memset(a, 1, 100);
    memset(b, 2, 100);
    assert_ptr_equal(sp_scratch_get(scratch, 0, 10, 8), a); /* smaller: the same memory */
    assert_int_equal(a[99], 1);
    char *grown = sp_scratch_get(scratch, 0, 100000, 8);
    assert_non_null(grown);
    memset(grown, 3, 800000);
    assert_int_equal(b[99], 2);
    assert_non_null(sp_scratch_get(scratch, 2, 0, 8));
    sp_scratch_free(scratch);
    sp_scratch_free(NULL);
}

static void test_overflow_is_lack_of_memory(void **state)
{
    (void)state;
    sp_scratch *scratch = sp_scratch_new();
    assert_non_null(scratch);
    assert_null(sp_scratch_get(scratch, 0, SIZE_MAX / 4, 8));
    assert_null(sp_scratch_get(scratch, 0, SIZE_MAX, 1));
    assert_non_null(sp_scratch_get(scratch, 0, 8, 8));
    sp_scratch_free(scratch);
}

static sp_status make_three(void *arg)
{
    (void)arg;
    sp_scratch *scratch = sp_scratch_new();
    bool made = scratch && sp_scratch_get(scratch, 0, 100, 1) && sp_scratch_get(scratch, 1, 100, 1);
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
        cmocka_unit_test(test_slots_grow_and_are_apart),
        cmocka_unit_test(test_overflow_is_lack_of_memory),
        cmocka_unit_test(test_each_allocation_fails_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
