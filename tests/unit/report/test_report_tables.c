/* CSV and Markdown: exact texts, quoting, escaping, sizes; and saving. */
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "golden.h"
#include "sample_comparison.h"
#include "statepath/files.h"
#include "statepath/report.h"

typedef sp_status (*writer)(const sp_comparison *comparison, char **out, sp_error *err);

static char *text_of(writer write, const sample *s)
{
    sp_error err = {0};
    char *out = NULL;
    assert_ok(write(&s->comparison, &out, &err), &err);
    return out;
}

static void test_small_is_exactly_this(void **state)
{
    (void)state;
    sample *s = sample_small();
    char *csv = text_of(sp_report_csv, s), *markdown = text_of(sp_report_markdown, s);
    char *csv_again = text_of(sp_report_csv, s), *markdown_again = text_of(sp_report_markdown, s);
    assert_golden("small.csv", csv);
    assert_golden("small.md", markdown);
    assert_string_equal(csv, csv_again);
    assert_string_equal(markdown, markdown_again);
    free(csv);
    free(markdown);
    free(csv_again);
    free(markdown_again);
    sample_free(s);
}

/* Fields of every line, counted as RFC 4180 reads them. */
static void assert_fields(const char *csv, int expected)
{
    bool in_quotes = false;
    int fields = 1, line = 1;
    for (; *csv; csv++) {
        if (*csv == '"')
            in_quotes = !in_quotes;
        else if (*csv == ',' && !in_quotes)
            fields++;
        else if (*csv == '\n' && !in_quotes) {
            if (fields != expected)
                fail_msg("line %d has %d fields", line, fields);
            fields = 1;
            line++;
        }
    }
    assert_false(in_quotes);
}

static void test_csv_quotes(void **state)
{
    (void)state;
    sample *s = sample_small();
    s->comparison.ids[0] = sample_text(s, "a,\"b\"\nc");
    s->comparison.classes[1] = sample_text(s, "x,y");
    char *csv = text_of(sp_report_csv, s);
    assert_non_null(strstr(csv, "argmax,\"a,\"\"b\"\"\nc\",,accuracy,0.875,8,,\r\n"));
    assert_non_null(strstr(csv, "argmax,,REM,\"decoded_as x,y\",1,,,\r\n"));
    assert_non_null(strstr(csv, "argmax,,,path_score,,2,,\r\n")); /* undefined: empty */
    assert_non_null(strstr(csv, "reference,,Wake -> REM,illegal,1,,,\r\n"));
    assert_fields(csv, 8);
    free(csv);
    sample_free(s);
}

/* Names that a spreadsheet would take for formulas are written with an apostrophe; test_csv_paths.c reads them again. */
static void test_csv_formulas(void **state)
{
    (void)state;
    const char *const ids[] = {"=1+1", "+a",       "-1", "@SUM(A1)", "\tx",    "'=x",
                               "''-1", "'quoted'", "'",  "a=b",      "-,\"x\""};
    const char *const cells[] = {"'=1+1",    "'+a", "'-1", "'@SUM(A1)",       "'\tx", "''=x", "'''-1",
                                 "'quoted'", "'",   "a=b", "\"'-,\"\"x\"\"\""};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        sample *s = sample_small();
        char line[64];
        s->comparison.ids[0] = sample_text(s, ids[i]);
        snprintf(line, sizeof line, "\nargmax,%s,,accuracy,", cells[i]);
        char *csv = text_of(sp_report_csv, s);
        assert_non_null(strstr(csv, line));
        free(csv);
        sample_free(s);
    }
}

static void test_markdown_escapes(void **state)
{
    (void)state;
    sample *s = sample_small();
    s->comparison.classes[1] = sample_text(s, "a|b\nc*<script>");
    char *markdown = text_of(sp_report_markdown, s);
    assert_non_null(strstr(markdown, "| a\\|b c\\*&lt;script&gt; |"));
    assert_null(strstr(markdown, "<script>"));
    free(markdown);
    sample_free(s);
}

static void test_sizes(void **state)
{
    (void)state;
    static const int64_t shapes[][3] = {{1, 1, 1}, {1, 0, 0}, {3, 2, 0}, {100, 2, 50}, {4, 1000, 3}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        sample *s = sample_band((int32_t)shapes[i][0], shapes[i][1], shapes[i][2]);
        char *csv = text_of(sp_report_csv, s), *markdown = text_of(sp_report_markdown, s);
        assert_fields(csv, 8);
        assert_null(strstr(csv, "nan"));
        assert_null(strstr(markdown, "nan"));
        free(csv);
        free(markdown);
        sample_free(s);
    }
}

static void test_saving(void **state)
{
    (void)state;
    sp_error err = {0};
    char folder[] = "/tmp/statepath_report_XXXXXX", file[64], text[16] = {0};
    assert_non_null(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/r.txt", folder);
    assert_ok(sp_text_save(file, "one\n", false, &err), &err);
    assert_int_equal(sp_text_save(file, "two\n", false, &err), SP_EFILE);
    assert_non_null(strstr(err.message, "`force`"));
    FILE *in = fopen(file, "r");
    assert_non_null(fgets(text, sizeof text, in));
    fclose(in);
    assert_string_equal(text, "one\n");
    assert_ok(sp_text_save(file, "two\n", true, &err), &err);
    in = fopen(file, "r");
    assert_non_null(fgets(text, sizeof text, in));
    fclose(in);
    assert_string_equal(text, "two\n");
    assert_ok(sp_text_save("/dev/null", "three\n", false, &err), &err);
    assert_int_equal(sp_text_save(folder, "x", true, &err), SP_EFILE);
    assert_int_equal(sp_text_save("/nowhere/at/all.txt", "x", true, &err), SP_EFILE);
    assert_non_null(strstr(err.message, "/nowhere/at/all.txt"));
    assert_int_equal(unlink(file), 0);
    assert_int_equal(rmdir(folder), 0); /* nothing else was left behind */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_is_exactly_this),
        cmocka_unit_test(test_csv_quotes),
        cmocka_unit_test(test_csv_formulas),
        cmocka_unit_test(test_markdown_escapes),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_saving),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
