/* Sums that do not depend on the order, and lists of counts. */
#include "check.h"

#include <math.h>
#include <stdlib.h>

/* Sums and counts of parts of a run: a result holds only what was made of them. */
#include "evaluate/counts/count_list.h"
#include "evaluate/counts/exact_sum.h"

enum { N = 5000 };

static uint64_t state = 1;

static double uniform(void) /* in (0,1) */
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

/* Magnitudes from 2^-300 to 2^300, both signs; or, narrow, those of probabilities. */
static void fill(double *x, bool is_wide)
{
    for (int i = 0; i < N; i++)
        x[i] = is_wide ? ldexp(uniform() - 0.5, (int)(600 * uniform()) - 300) : uniform();
}

static void shuffle(double *x)
{
    for (int i = N - 1; i > 0; i--) {
        int j = (int)(uniform() * (i + 1));
        double other = x[i];
        x[i] = x[j];
        x[j] = other;
    }
}

static sp_exact_sum sum_of(int n, const double *x)
{
    sp_exact_sum sum = {.place = 0};
    for (int i = 0; i < n; i++)
        sp_exact_add(&sum, x[i]);
    return sum;
}

static void test_order_and_groups(void **unused)
{
    double x[N];
    (void)unused;
    for (int wide = 0; wide < 2; wide++) {
        fill(x, wide);
        const sp_exact_sum whole = sum_of(N, x);
        for (int trial = 0; trial < 50; trial++) {
            shuffle(x);
            sp_exact_sum parts = {.place = 0};
            for (int first = 0, n; first < N; first += n) {
                n = 1 + (int)(uniform() * 1000);
                n = n < N - first ? n : N - first;
                const sp_exact_sum part = sum_of(n, x + first);
                sp_exact_join(&parts, &part);
            }
            assert_memory_equal(&whole, &parts, sizeof whole);
        }
    }
}

static void test_values(void **unused)
{
    (void)unused;
    sp_exact_sum none = {.place = 0};
    assert_true(sp_exact_value(&none) == 0);
    const double numbers[] = {
        1, -1, 0.1, 1e300, -1e300, 5e-324, -2.2250738585072014e-308, 1.7976931348623157e308, 3e-5};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        const sp_exact_sum one = sum_of(1, &numbers[i]);
        assert_true(sp_exact_value(&one) == numbers[i]);
        const double both[] = {numbers[i], -numbers[i]};
        const sp_exact_sum two = sum_of(2, both);
        assert_true(sp_exact_value(&two) == 0);
    }
    const double cancel[] = {1e20, 1, -1e20, 0.25},
                 greatest[] = {1.7976931348623157e308, 1.7976931348623157e308};
    sp_exact_sum sum = sum_of(4, cancel);
    assert_true(sp_exact_value(&sum) == 1.25);
    sum = sum_of(2, greatest);
    assert_true(sp_exact_value(&sum) == INFINITY);
    sp_exact_add(&none, INFINITY);
    assert_true(sp_exact_value(&none) == INFINITY);
    /* Ten million times 0.1: a plain sum is 1.6e-4 too great. */
    sum = (sp_exact_sum){.place = 0};
    for (int i = 0; i < 10000000; i++)
        sp_exact_add(&sum, 0.1);
    assert_true(fabs(sp_exact_value(&sum) - 1e6) <= 1e-10);
}

typedef struct object {
    int64_t counts[3];
    bool flag;
    double whole;
    sp_exact_sum sum;
} object;

static void visit(sp_counting *c, object *o)
{
    sp_count(c, o->counts, 3);
    sp_count_flag(c, &o->flag);
    sp_count_whole(c, &o->whole);
    sp_count_exact(c, &o->sum, 1);
}

static void test_lists(void **unused)
{
    (void)unused;
    object a = {{1, 2, 3}, true, 7, {.place = 0}}, b = {{10, 20, 30}, false, 70, {.place = 0}};
    sp_exact_add(&a.sum, 0.5);
    sp_exact_add(&b.sum, 1e9);
    sp_count_list list = {.n = 0};
    sp_counting to = {.to = &list}, from = {.from = &list};
    sp_error err;
    visit(&to, &a);
    assert_ok(sp_counting_end(&to, "list", &err), &err);
    visit(&from, &b);
    assert_ok(sp_counting_end(&from, "list", &err), &err);
    assert_true(b.counts[0] == 11 && b.counts[1] == 22 && b.counts[2] == 33 && b.flag && b.whole == 77);
    assert_true(sp_exact_value(&b.sum) == 1e9 + 0.5);
    /* One too few, one too many, one that overflows. */
    for (int64_t n = list.n - 1; n <= list.n + 1; n += 2) {
        sp_count_list odd = {.n = n, .at = calloc((size_t)n, sizeof *odd.at)};
        sp_counting other = {.from = &odd};
        object o = {.flag = false};
        visit(&other, &o);
        assert_int_equal(sp_counting_end(&other, "P.h5", &err), SP_EDATA);
        assert_string_equal(
            err.message,
            "P.h5: its counts are not those of such a run; it is damaged, or was made by another build");
        free(odd.at);
    }
    const int64_t wrong[] = {INT64_MAX, -1};
    for (int i = 0; i < 2; i++) {
        list.at[1] = wrong[i];
        from = (sp_counting){.from = &list};
        visit(&from, &b);
        assert_int_equal(sp_counting_end(&from, "P.h5", &err), SP_EDATA);
    }
    sp_count_list_free(&list);
}

/* Lists are held in the smallest type that has room for each number. */
static void test_narrow_lists(void **unused)
{
    (void)unused;
    const struct {
        int64_t low, high;
        int width;
    } cases[] = {{INT8_MIN, INT8_MAX, 1},   {INT8_MIN - 1, 0, 2},     {0, INT8_MAX + 1, 2},
                 {INT16_MIN, INT16_MAX, 2}, {INT16_MIN - 1, 0, 4},    {INT32_MIN, INT32_MAX, 4},
                 {0, 1LL << 31, 0},         {INT64_MIN, INT64_MAX, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const int64_t numbers[] = {3, cases[i].low, -1, cases[i].high, 0};
        sp_count_list list = {.n = 0};
        assert_true(sp_count_list_put(&list, numbers, 5));
        sp_count_list_narrow(&list);
        assert_int_equal(list.width, cases[i].width);
        sp_count_list_narrow(&list);
        for (int64_t n = 0; n < 5; n++)
            assert_true(sp_count_at(&list, n) == numbers[n]);
        sp_count_list_free(&list);
    }
    sp_count_list none = {.n = 0};
    sp_count_list_narrow(&none);
    assert_int_equal(none.n, 0);
    sp_count_list_free(&none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_order_and_groups), cmocka_unit_test(test_values),
                                       cmocka_unit_test(test_lists), cmocka_unit_test(test_narrow_lists)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
