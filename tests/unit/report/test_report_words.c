/* What recordings and steps are called: whole documents with the words of an option. test_report_write.c has the words alone. */
#include "check.h"
#include "evaluated.h"
#include "golden.h"
#include "sample_people.h"
#include "statepath/report.h"

#include <ctype.h>

static sp_words words_of(const char *unit)
{
    const char *const classes[] = {"a", "b"}, *const names[] = {"path"};
    const int64_t offsets[] = {0, 1};
    const int32_t path[] = {0}, *const paths[] = {path};
    char text[64];
    sp_run_options o = sp_run_options_default();
    snprintf(text, sizeof text, "%s", unit);
    o.unit = text;
    sp_model *model = model_of_all(2, classes);
    sp_comparison *c = evaluated(model, &(sp_arrays){.info = {.n_recordings = 1, .offsets = offsets}},
                                 &(sp_array_paths){1, names, paths, NULL}, &o);
    const sp_words words = c->words;
    sp_comparison_free(c);
    sp_model_free(model);
    return words;
}

static sample *in_words(sample *s, const char *unit)
{
    s->comparison.words = words_of(unit);
    return s;
}

static sp_status write_text(const sp_comparison *comparison, char **out, sp_error *err)
{
    return sp_report_text(comparison, &(sp_text_options){.width = 100, .verbose = true}, out, err);
}

static void test_golden(void **state)
{
    (void)state;
    static const struct {
        sp_status (*write)(const sp_comparison *comparison, char **out, sp_error *err);
        const char *name;
    } files[] = {
        {write_text, "nights.txt"}, {sp_report_markdown, "nights.md"}, {sp_report_latex, "nights.tex"}};
    sample *s = sample_small();
    sample_add_sleep(s, 30, true);
    sample_add_raters(s, 3);
    in_words(s, "night/epoch");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        sp_error err = {0};
        char *text = NULL;
        assert_ok(files[i].write(&s->comparison, &text, &err), &err);
        assert_golden(files[i].name, text);
        free(text);
    }
    sample_free(s);
}

/* JSON and CSV keep their names, whatever the words. */
static void test_machines_see_no_words(void **state)
{
    (void)state;
    sample *plain = sample_small(), *named = in_words(sample_small(), "night/epoch");
    sp_error err = {0};
    char *a = NULL, *b = NULL;
    assert_ok(sp_report_json(&plain->comparison, &a, &err), &err);
    assert_ok(sp_report_json(&named->comparison, &b, &err), &err);
    assert_string_equal(a, b);
    free(a);
    free(b);
    assert_ok(sp_report_csv(&plain->comparison, &a, &err), &err);
    assert_ok(sp_report_csv(&named->comparison, &b, &err), &err);
    assert_string_equal(a, b);
    free(a);
    free(b);
    sample_free(plain);
    sample_free(named);
}

/* Letters of the page that somebody reads, or hears: no scripts and styles, of tags the titles and labels alone. */
static char *visible(const char *page)
{
    char *text = malloc(strlen(page) + 1), *to = text;
    assert_non_null(text);
    for (const char *at = page; *at;) {
        const char *end = *at == '<' ? strchr(at, '>') : NULL;
        if (!end) {
            *to++ = *at++;
            continue;
        }
        if (!strncmp(at, "<script", 7) || !strncmp(at, "<style", 6)) {
            at = strstr(at, at[2] == 'c' ? "</script>" : "</style>");
            continue;
        }
        for (const char *label = at; (label = strstr(label, "aria-label=\"")) && label < end;) {
            label += strlen("aria-label=\"");
            const size_t n = strcspn(label, "\"");
            *to++ = ' ';
            memcpy(to, label, n);
            to += n;
        }
        at = end + 1;
        *to++ = ' ';
    }
    *to = '\0';
    return text;
}

/* Fails where a word that begins with `stem` stands in the text. */
static void assert_no_word(const char *text, const char *stem)
{
    for (const char *at = text; *at; at++) {
        size_t n = 0;
        while (stem[n] && tolower((unsigned char)at[n]) == stem[n])
            n++;
        if (!stem[n] && (at == text || !isalpha((unsigned char)at[-1])))
            fail_msg("%s is left: %.60s", stem, at > text + 20 ? at - 20 : at);
    }
}

static void test_pages_have_no_other_words(void **state)
{
    (void)state;
    static const char *const units[] = {"night/epoch", "sentence/token", "video/frame"};
    for (int i = 0; i < 9; i++) {
        sample *s = in_words(i / 3 == 0   ? sample_nights(4, 300)
                             : i / 3 == 1 ? sample_nights(70, 60)
                                          : sample_small(),
                             units[i % 3]);
        if (i / 3 == 0) {
            sample_add_sleep(s, 30, true);
            sample_add_raters(s, 3);
        }
        sp_error err = {0};
        char *page = NULL;
        assert_ok(sp_report_html(&s->comparison, &page, &err), &err);
        char *text = visible(page);
        assert_non_null(strstr(text, i % 3 == 0   ? "Epoch by epoch"
                                     : i % 3 == 1 ? "Token by token"
                                                  : "Frame by frame"));
        assert_no_word(text, "recording");
        assert_no_word(text, "step");
        assert_null(strchr(text, '{'));
        free(text);
        free(page);
        sample_free(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_machines_see_no_words),
        cmocka_unit_test(test_pages_have_no_other_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
