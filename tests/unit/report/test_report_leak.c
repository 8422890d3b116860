/* What a classifier puts on forbidden classes, as text and as JSON. */
#include "check.h"
#include "failing_alloc.h"
#include "statepath/report.h"

static sp_leak_report full_report(void)
{
    return (sp_leak_report){
        .file = "night.h5",
        .what = "model sleep-strict",
        .summary = {.n_rows = 1200, .n_left_out = 3, .n_leaking = 17, .mean = 0.0125, .maximum = 0.75},
        .quantiles = {0, 0.03125, 0.25, 0.5},
        .recording = "n2",
        .step = 41};
}

static void expect_text(const sp_leak_report *report, const char *expected)
{
    sp_error err;
    char *text = NULL;
    assert_ok(sp_report_leak_text(report, &text, &err), &err);
    assert_string_equal(text, expected);
    free(text);
}

static void test_text_is_exactly_this(void **state)
{
    (void)state;
    sp_leak_report report = full_report();
    expect_text(&report, "Leak of night.h5: the probability on what is forbidden by model sleep-strict\n"
                         "rows      1,200, of them leaking 17; left out 3\n"
                         "mean      0.012500\n"
                         "50 %      0.000000\n"
                         "90 %      0.031250\n"
                         "99 %      0.250000\n"
                         "99.9 %    0.500000\n"
                         "maximum   0.750000 at recording n2, step 41\n");
    report.summary.n_left_out = 0;
    report.file = "a\033[31m.h5"; /* names cannot speak to the terminal */
    report.recording = "n\n2";
    sp_error err;
    char *text = NULL;
    assert_ok(sp_report_leak_text(&report, &text, &err), &err);
    assert_null(strstr(text, "left out"));
    assert_null(strchr(text, '\033'));
    assert_null(strstr(text, "n\n2"));
    free(text);
}

static void test_text_without_rows(void **state)
{
    (void)state;
    sp_leak_report report = {.file = "empty.h5", .what = "its own mask"};
    expect_text(
        &report,
        "Leak of empty.h5: the probability on what is forbidden by its own mask\nno row to speak of\n");
}

/* The value of a key, up to the end of its line, without the comma. */
static void expect_key(const char *json, const char *key, const char *expected)
{
    char wanted[160];
    snprintf(wanted, sizeof wanted, "\"%s\": %s", key, expected);
    const char *found = strstr(json, wanted);
    if (!found || !strchr(",\n}", found[strlen(wanted)]))
        fail_msg("%s is not in: %s", wanted, json);
}

static void test_json(void **state)
{
    (void)state;
    sp_leak_report report = full_report();
    sp_error err;
    char *json = NULL;
    assert_ok(sp_report_leak_json(&report, &json, &err), &err);
    const char *const pairs[][2] = {{"file", "\"night.h5\""},
                                    {"what", "\"model sleep-strict\""},
                                    {"rows", "1200"},
                                    {"left_out", "3"},
                                    {"leaking", "17"},
                                    {"mean", "0.0125"},
                                    {"0.5", "0.0"},
                                    {"0.9", "0.03125"},
                                    {"0.99", "0.25"},
                                    {"0.999", "0.5"},
                                    {"maximum", "0.75"},
                                    {"recording", "\"n2\""},
                                    {"step", "41"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        expect_key(json, pairs[i][0], pairs[i][1]);
    free(json);
}

static void test_json_without_rows(void **state)
{
    (void)state;
    sp_leak_report report = {.file = "empty.h5", .what = "its own mask", .summary = {.n_left_out = 2}};
    sp_error err;
    char *json = NULL;
    assert_ok(sp_report_leak_json(&report, &json, &err), &err);
    const char *const nulls[] = {"mean", "0.5", "0.9", "0.99", "0.999", "maximum", "recording", "step"};
    for (size_t i = 0; i < sizeof nulls / sizeof *nulls; i++)
        expect_key(json, nulls[i], "null");
    expect_key(json, "rows", "0");
    expect_key(json, "left_out", "2");
    free(json);
}

static sp_status write_text(void *arg)
{
    char *text = NULL;
    sp_status status = sp_report_leak_text(arg, &text, NULL);
    assert_true((status == SP_OK) == (text != NULL));
    free(text);
    return status;
}

static sp_status write_json(void *arg)
{
    char *text = NULL;
    sp_status status = sp_report_leak_json(arg, &text, NULL);
    assert_true((status == SP_OK) == (text != NULL));
    free(text);
    return status;
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    sp_leak_report report = full_report();
    assert_true(assert_each_alloc_may_fail(write_text, &report) > 0);
    assert_true(assert_each_alloc_may_fail(write_json, &report) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_text_is_exactly_this),
                                       cmocka_unit_test(test_text_without_rows), cmocka_unit_test(test_json),
                                       cmocka_unit_test(test_json_without_rows),
                                       cmocka_unit_test(test_each_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
