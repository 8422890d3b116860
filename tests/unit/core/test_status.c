/* Statuses, error sentences, names that are near, log softmax. */
#include "check.h"
#include "statepath/scores.h"

static void test_names(void **state)
{
    (void)state;
    assert_string_equal(sp_status_name(SP_OK), "ok");
    assert_string_equal(sp_status_name(SP_ENOPATH), "no_path");
    assert_string_equal(sp_status_name(SP_EDEADEND), "dead_end");
    assert_string_equal(sp_status_name(SP_EUNREAD), "unread");
    assert_string_equal(sp_status_name((sp_status)99), "unknown");
    assert_string_equal(sp_version(), "1.0.0");
}

static void test_fail(void **state)
{
    (void)state;
    sp_error err;
    assert_int_equal(sp_fail(NULL, SP_EDATA, "nobody listens %d", 1), SP_EDATA);
    assert_int_equal(sp_fail(&err, SP_EDATA, "step %d", 7), SP_EDATA);
    assert_int_equal(err.status, SP_EDATA);
    assert_int_equal(err.step, -1);
    assert_string_equal(err.message, "step 7");
    assert_int_equal(sp_fail_at(&err, SP_ENOPATH, 12, "%s, again", err.message), SP_ENOPATH);
    assert_int_equal(err.step, 12);
    assert_string_equal(err.message, "step 7, again");
}

static void test_long_messages_are_cut(void **state)
{
    (void)state;
    static char word[2 * SP_ERROR_SIZE];
    memset(word, 'x', sizeof word - 1);
    sp_error err;
    sp_fail(&err, SP_EINVAL, "%s", word);
    assert_int_equal(strlen(err.message), SP_ERROR_SIZE - 1);
    assert_string_equal(err.message + SP_ERROR_SIZE - 4, "...");
}

static void test_nearest_names(void **state)
{
    (void)state;
    const char *const names[] = {"Wake", "N1", "N2", "REM", "min_dwell", "min_dwell_at_end"};
    const struct {
        const char *word;
        int32_t nearest;
    } cases[] = {
        {"Wke", 0},   {"wake", 0},     {"Wkae", 0},     {"REN", 3},           {"n2", 2}, {"N3", 1}, {"", -1},
        {"Deep", -1}, {"min_dwel", 4}, {"mindwell", 4}, {"min_dwell_end", 5}, {"x", -1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (sp_name_nearest(cases[i].word, 6, names) != cases[i].nearest)
            fail_msg("\"%s\" is near %d", cases[i].word, sp_name_nearest(cases[i].word, 6, names));
    char text[64], longest[300] = "";
    assert_string_equal(sp_name_hint(text, sizeof text, "Wke", 6, names), "; did you mean \"Wake\"?");
    assert_string_equal(sp_name_hint(text, sizeof text, "Deep", 6, names), "");
    memset(longest, 'w', sizeof longest - 1);
    const char *const long_names[] = {longest, longest};
    assert_int_equal(sp_name_nearest(longest, 2, long_names), 0);
    assert_int_equal(sp_name_nearest("q", 2, long_names), -1);
}

/* What it returns, the sum. */
static double logsumexp(const double *x, int64_t n)
{
    double out[4];
    return sp_log_softmax(x, n, out);
}

static void test_logsumexp(void **state)
{
    (void)state;
    const double x[] = {log(0.2), log(0.3), log(0.5)}, none[] = {-INFINITY, -INFINITY},
                 large[] = {1000, 1000}, small[] = {-2000, -INFINITY};
    assert_close(logsumexp(x, 3), 0, 1e-15, 0);
    assert_true(logsumexp(none, 2) == -INFINITY);
    assert_true(logsumexp(x, 0) == -INFINITY);
    assert_close(logsumexp(large, 2), 1000 + log(2), 0, 1e-15);
    assert_true(logsumexp(small, 2) == -2000);
}

static void test_log_softmax(void **state)
{
    (void)state;
    double x[] = {1, 2, -INFINITY, 3}, none[] = {-INFINITY, -INFINITY};
    double total = sp_log_softmax(x, 4, x);
    assert_close(total, log(exp(1) + exp(2) + exp(3)), 1e-14, 0);
    assert_close(logsumexp(x, 4), 0, 1e-15, 0);
    assert_true(x[2] == -INFINITY);
    assert_close(x[3] - x[0], 2, 1e-15, 0);
    assert_true(sp_log_softmax(none, 2, none) == -INFINITY);
    assert_true(none[0] == -INFINITY && none[1] == -INFINITY);
    double large[] = {1e300, -1e300, 1e300}; /* log 2 beside 1e300 is nothing, and yet each has half */
    sp_log_softmax(large, 3, large);
    assert_true(large[0] == -log(2) && large[2] == -log(2) && large[1] == -2e300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_names),
                                       cmocka_unit_test(test_fail),
                                       cmocka_unit_test(test_long_messages_are_cut),
                                       cmocka_unit_test(test_nearest_names),
                                       cmocka_unit_test(test_logsumexp),
                                       cmocka_unit_test(test_log_softmax)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
