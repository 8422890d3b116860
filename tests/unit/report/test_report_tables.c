/* CSV and Markdown: exact texts, quoting, escaping, sizes; and saving. */
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "golden.h"
#include "report/write/table.h"
#include "sample_comparison.h"

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

static void assert_written(void (*add)(sp_buffer *, const char *), const char *text, const char *expected)
{
    sp_buffer out = {0};
    add(&out, text);
    assert_string_equal(out.data ? out.data : "", expected);
    sp_buffer_free(&out);
}

static void test_bytes_that_are_no_utf8(void **state)
{
    (void)state;
    assert_written(sp_buffer_utf8, "ok \xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\xB4", "ok \xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\xB4");
    assert_written(sp_buffer_utf8, "\xC0\xAF", "\xEF\xBF\xBD\xEF\xBF\xBD");                 /* overlong */
    assert_written(sp_buffer_utf8, "\xED\xA0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"); /* surrogate */
    assert_written(sp_buffer_utf8, "a\xE2\x82", "a\xEF\xBF\xBD\xEF\xBF\xBD");               /* cut off */
    assert_written(sp_buffer_utf8, "\xF5\x80\x80\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
    assert_written(sp_buffer_html, "<a href=\"x\">'&\x01", "&lt;a href=&quot;x&quot;&gt;&#39;&amp;\xEF\xBF\xBD");
    assert_int_equal(sp_text_width("睡眠"), 4);
    assert_int_equal(sp_text_width("e\xCC\x81"), 1);
}

static void test_long_names_lose_their_middle(void **state)
{
    (void)state;
    static const char *const names[][2] = {{"night_0001_psg", "nigh\xE2\x80\xA6psg"},
                                           {"12345678", "12345678"},
                                           {"123456789", "1234\xE2\x80\xA6"
                                                         "789"},
                                           {"睡眠睡眠睡", "睡眠\xE2\x80\xA6睡"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        sp_buffer out = {0};
        sp_buffer_name(&out, names[i][0], 8);
        assert_string_equal(out.data, names[i][1]);
        assert_true(sp_text_width(out.data) <= 8);
        sp_buffer_free(&out);
    }
}

/* Columns that do not fit go on below, beside the names; names keep 28 columns, and longer ones are cut first. */
static void test_wide_tables_go_on_below(void **state)
{
    (void)state;
    sp_table table = {0};
    sp_buffer out = {0};
    sp_table_columns(&table, "measure|one|two|three");
    sp_table_cell_text(&table, SP_TONE_PLAIN, "wake after sleep onset (min)");
    sp_table_cell_text(&table, SP_TONE_BEST, "12345");
    sp_table_cell_text(&table, SP_TONE_PLAIN, "6");
    sp_table_cell_text(&table, SP_TONE_BEST, "7");
    sp_table_text(&table, &(sp_text_style){.width = 41}, &out);
    assert_string_equal(out.data, "measure                         one   two\n"
                                  "wake after sleep onset (min)  12345*    6\n"
                                  "\n"
                                  "measure                       three\n"
                                  "wake after sleep onset (min)      7*\n");
    sp_buffer_free(&out);
    out = (sp_buffer){0};
    sp_table_text(&table, &(sp_text_style){.width = 49}, &out);
    assert_string_equal(out.data, "measure                         one   two  three\n"
                                  "wake after sleep onset (min)  12345*    6      7*\n");
    sp_buffer_free(&out);
    sp_table_free(&table);
}

static void test_sentences(void **state)
{
    static const char *volatile nothing; /* the compiler is not to see that it is NULL */
    (void)state;
    sp_buffer out = {0};
    sp_buffer_say(&out, "%s has %jd of %d steps, %.3f (%+.2f, %g) in 100 %%", "a", (intmax_t)-1234567, 12, 1234.5, 0.016, 1e-6);
    assert_string_equal(out.data, "a has -1,234,567 of 12 steps, 1,234.500 (+0.02, 1e-06) in 100 %");
    sp_buffer_free(&out);
    sp_buffer_say(&out, "%.2f", -0.0);
    assert_string_equal(out.data, "0.00");
    sp_buffer_free(&out);
    sp_buffer_say(&out, "%.*f %+.*f %lld%s", 1, 1234.56, 3, 0.5, 1234567LL, nothing);
    assert_string_equal(out.data, "1,234.6 +0.500 1234567");
    sp_buffer_free(&out);
    sp_html_say(&out, "<b>%s</b> %jd & %s", "a<b>&\"'", (intmax_t)1000, nothing); /* the format is markup */
    assert_string_equal(out.data, "<b>a&lt;b&gt;&amp;&quot;&#39;</b> 1,000 & ");
    sp_buffer_free(&out);
}

static void test_numbers(void **state)
{
    (void)state;
    sp_buffer out = {0};
    sp_buffer_count(&out, 1234567);
    sp_buffer_text(&out, " ");
    sp_buffer_count(&out, INT64_MIN);
    sp_buffer_text(&out, " ");
    sp_buffer_fixed(&out, -0.00001, 2);
    sp_buffer_text(&out, " ");
    sp_buffer_fixed(&out, -12345.678, 1);
    sp_buffer_text(&out, " ");
    sp_buffer_signed(&out, 0.004, 2);
    sp_buffer_text(&out, " ");
    sp_buffer_signed(&out, 0.016, 2);
    sp_buffer_text(&out, " ");
    sp_buffer_percent(&out, 1, 1000000);
    sp_buffer_text(&out, " ");
    sp_buffer_percent(&out, 1, 8);
    sp_buffer_text(&out, " ");
    sp_buffer_p(&out, 0.0004);
    sp_buffer_text(&out, " ");
    sp_buffer_real(&out, 0.1 + 0.2);
    sp_buffer_text(&out, " ");
    sp_buffer_real(&out, 0.8776);
    assert_string_equal(out.data, "1,234,567 -9,223,372,036,854,775,808 0.00 -12,345.7 0.00 +0.02 < 0.01 % 12.5 % < 0.001 "
                                  "0.30000000000000004 0.8776");
    sp_buffer_free(&out);
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
        cmocka_unit_test(test_wide_tables_go_on_below),
        cmocka_unit_test(test_sentences),
        cmocka_unit_test(test_small_is_exactly_this),
        cmocka_unit_test(test_csv_quotes),
        cmocka_unit_test(test_markdown_escapes),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_bytes_that_are_no_utf8),
        cmocka_unit_test(test_long_names_lose_their_middle),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_saving),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
