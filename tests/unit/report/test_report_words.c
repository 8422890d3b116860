/* What recordings and steps are called: the words of an option, where they are put into texts, and whole documents with them. */
#include "check.h"
#include "evaluate/work.h"
#include "golden.h"
#include "report/write/table.h"
#include "sample_people.h"

#include <ctype.h>

static sp_words words_of(const char *unit)
{
    sp_error err = {0};
    sp_words words = {0};
    assert_ok(sp_words_read(unit, &words, &err), &err);
    return words;
}

static void test_option(void **state)
{
    (void)state;
    static const struct {
        const char *unit, *words[SP_N_WORDS];
    } cases[] = {{NULL, {"recording", "recordings", "step", "steps"}},
                 {"night/epoch", {"night", "nights", "epoch", "epochs"}},
                 {"story/batch", {"story", "stories", "batch", "batches"}},
                 {"day/brush", {"day", "days", "brush", "brushes"}},
                 {"box/glass", {"box", "boxes", "glass", "glasses"}},
                 {"series:series/time step", {"series", "series", "time step", "time steps"}},
                 {"Child:Children/T", {"Child", "Children", "T", "Ts"}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const sp_words words = words_of(cases[i].unit);
        for (int w = 0; w < SP_N_WORDS; w++)
            assert_string_equal(sp_word_of(&words, (sp_word)w), cases[i].words[w]);
    }
    assert_string_equal(sp_word_of(NULL, SP_STEPS), "steps");
}

static void test_refusals(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",
                                        "night",
                                        "/",
                                        "night/",
                                        "/epoch",
                                        "night/epoch/x",
                                        "n1/epoch",
                                        "<b>/epoch",
                                        "a  b/epoch",
                                        "-a/epoch",
                                        "night /epoch",
                                        "night:/epoch",
                                        "night:nights:x/epoch",
                                        ("n\xC3\xA4"
                                         "cht/epoch"),
                                        "night/abcdefghijabcdefghijabcdefghijab",
                                        "night/abcdefghijabcdefghijabcdefghija"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        sp_error err = {0};
        sp_words words = {{"kept"}};
        assert_int_equal(sp_words_read(wrong[i], &words, &err), SP_EINVAL);
        assert_string_equal(words.text[0], "kept");
        assert_non_null(strstr(err.message, "such as night/epoch"));
    }
}

static void assert_says(sp_buffer *buffer, const char *text)
{
    assert_false(buffer->failed);
    assert_string_equal(buffer->data, text);
    sp_buffer_free(buffer);
}

static void test_placeholders(void **state)
{
    (void)state;
    const sp_words words = words_of("night/epoch");
    sp_buffer buffer = {.words = &words};
    sp_buffer_words(&buffer, "{Steps} of {a recording}, {A step}; {recordings} {step}. {Recording} {a stepp} {x} {step } 5 %");
    assert_says(&buffer, "Epochs of a night, An epoch; nights epoch. Night {a stepp} {x} {step } 5 %");
    sp_buffer_say(&buffer, "%jd {step(s)} in %d {recording(s)} of %s", (int64_t)1, 2, "{step}.h5");
    assert_says(&buffer, "1 epoch in 2 nights of {step}.h5");
    sp_buffer_say(&buffer, "%jd {step(s)}", (int64_t)0);
    assert_says(&buffer, "0 epochs");
    sp_html_say(&buffer, "<b>%s</b> %lld {recording(s)}", "<{step}>", 1LL);
    assert_says(&buffer, "<b>&lt;{step}&gt;</b> 1 night");
    sp_buffer_text(&buffer, "{step}");
    assert_says(&buffer, "{step}");
    sp_buffer_term(&buffer, "no scored steps: a step of one recording; stepwise, recordings' misstep");
    assert_says(&buffer, "no scored epochs: an epoch of one night; stepwise, nights' misstep");
    buffer.words = NULL;
    sp_buffer_words(&buffer, "{Steps} of {a recording}");
    assert_says(&buffer, "Steps of a recording");
}

static void test_heads(void **state)
{
    (void)state;
    const sp_words words = words_of("sentence/token");
    sp_table table = {.title = "By {recording}", .text.words = &words};
    sp_buffer out = {.words = &words};
    sp_table_columns(&table, "{recording}");
    sp_table_holds(&table, SP_HOLDS_RECORDING);
    sp_table_columns(&table, "{steps}|<the {step} before");
    for (int i = 0; i < 3; i++)
        sp_table_cell_text(&table, SP_TONE_PLAIN, "{step}");
    assert_string_equal(sp_table_get(&table, 0, 0), "sentence");
    assert_string_equal(sp_table_get(&table, 0, 2), "the token before");
    sp_table_html(&table, "", NULL, &out);
    assert_non_null(strstr(out.data, "<caption>By sentence</caption>"));
    assert_non_null(strstr(out.data, "<th scope=\"col\" data-holds=\"recording\">sentence</th>"));
    assert_non_null(strstr(out.data, ">tokens</th>"));
    assert_non_null(strstr(out.data, "<th scope=\"row\">{step}</th>"));
    sp_buffer_free(&out);
    sp_table_latex(&table, "x", NULL, &out);
    assert_non_null(strstr(out.data, "\\caption{By sentence}"));
    sp_buffer_free(&out);
    sp_table_free(&table);
}

/* ---- documents ---- */

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
    } files[] = {{write_text, "nights.txt"}, {sp_report_markdown, "nights.md"}, {sp_report_latex, "nights.tex"}};
    sample *s = sample_small();
    sample_add_sleep(s, 30, true);
    sample_add_scorers(s, 3);
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
            sample_add_scorers(s, 3);
        }
        sp_error err = {0};
        char *page = NULL;
        assert_ok(sp_report_html(&s->comparison, &page, &err), &err);
        char *text = visible(page);
        assert_non_null(strstr(text, i % 3 == 0 ? "Epoch by epoch" : i % 3 == 1 ? "Token by token" : "Frame by frame"));
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
        cmocka_unit_test(test_option),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_placeholders),
        cmocka_unit_test(test_heads),
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_machines_see_no_words),
        cmocka_unit_test(test_pages_have_no_other_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
