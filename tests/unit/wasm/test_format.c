/* The module's own vsnprintf() writes what that of the C library writes, and its strtod() reads what that reads. tests/CMakeLists.txt compiles
 * them under these names. */
#include "check.h"

#include <inttypes.h>

int small_vsnprintf(char *restrict buffer, size_t size, const char *restrict format, va_list arguments);
int small_snprintf(char *restrict buffer, size_t size, const char *restrict format, ...);
double small_strtod(const char *restrict text, char **restrict end);
#define SAME(...)                                                                                            \
    do {                                                                                                     \
        char own[80], right[80];                                                                             \
        int n = small_snprintf(own, sizeof own, __VA_ARGS__);                                                \
        assert_int_equal(snprintf(right, sizeof right, __VA_ARGS__), n);                                     \
        assert_string_equal(own, right);                                                                     \
    } while (0)

static void test_integers_and_texts(void **state)
{
    (void)state;
    SAME("plain");
    SAME("%d of %d%%", -3, 12);
    SAME("%lld, %" PRId64 ", %zu, %u", -9223372036854775807LL, INT64_C(7), (size_t)90, 4000000000u);
    SAME("%s|%.3s|%.*s|%c", "text", "abcdef", 2, "xyz", 'q');
    SAME("%jd and %d after it", (intmax_t)-5000000000, 3);
    SAME("%lld, then %s", 1LL << 40, "a text");
}

static void test_numbers(void **state)
{
    (void)state;
    const double all[] = {0,     1,    -1,     0.5,      0.1,  1.0 / 3, 100, 123456,  999999, 0.001, 12.5,
                          -2.25, 1e-3, 0.0625, 99999.95, 1e-4, 2.5e-5,  1e6, 1.25e12, 3e100,  1e-300};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        SAME("%g", all[i]);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        SAME("%.9g %.3g", all[i], all[i]);
    SAME("%g %g", INFINITY, -INFINITY);
}

static void test_cut(void **state)
{
    (void)state;
    char text[5];
    assert_int_equal(small_snprintf(text, sizeof text, "%s %d", "abc", 12), 6);
    assert_string_equal(text, "abc ");
    assert_int_equal(small_snprintf(NULL, 0, "%d", 1234), 4);
}

static void test_reading(void **state)
{
    (void)state;
    const char *const all[] = {"0",
                               "1min",
                               "1.5 min",
                               "0.1h",
                               ".5s",
                               "12.",
                               ".",
                               "x",
                               "",
                               "007",
                               "30e",
                               "2e3min",
                               "2e-3",
                               "2E+1 s",
                               "1e400",
                               "0e999",
                               "1e-400",
                               "4.9e-5",
                               "123456789012345",
                               "0.000123",
                               "1e22",
                               "3e-22",
                               "1.2.3",
                               "5e+"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char *own, *right;
        const double read = small_strtod(all[i], &own), value = strtod(all[i], &right);
        assert_true(read == value);
        assert_ptr_equal(own, right);
    }
    unsigned seed = 1;
    for (int i = 0; i < 100000; i++) { /* to the last bit with at most 15 digits, with more nearly */
        char text[40], *own;
        seed = seed * 1664525 + 1013904223;
        snprintf(text, sizeof text, "%u.%0*u%s", (seed >> 8) % 10000000, (int)(seed >> 4) % 8,
                 (seed >> 12) % 10, i % 2 ? "" : "00123456789");
        const double read = small_strtod(text, &own), value = strtod(text, NULL);
        assert_true(i % 2 ? read == value : fabs(read - value) <= 4e-16 * value);
        assert_int_equal(*own, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_integers_and_texts),
                                       cmocka_unit_test(test_numbers), cmocka_unit_test(test_cut),
                                       cmocka_unit_test(test_reading)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
