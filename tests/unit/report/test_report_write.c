/* What documents are written with: bytes, names, numbers, sentences, tables; what recordings and steps are called in
 * them, and which of them a page draws. */
#include "check.h"
#include "sample_comparison.h"

/* Public functions write whole documents, which are compared in the other tests of this folder. */
#include "evaluate/work.h"
#include "report/drawn.h"
#include "report/write/table.h"

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
    assert_written(sp_buffer_utf8, "ok \xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\xB4",
                   "ok \xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\xB4");
    assert_written(sp_buffer_utf8, "\xC0\xAF", "\xEF\xBF\xBD\xEF\xBF\xBD");                 /* overlong */
    assert_written(sp_buffer_utf8, "\xED\xA0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"); /* surrogate */
    assert_written(sp_buffer_utf8, "a\xE2\x82", "a\xEF\xBF\xBD\xEF\xBF\xBD");               /* cut off */
    assert_written(sp_buffer_utf8, "\xF5\x80\x80\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
    assert_written(sp_buffer_html, "<a href=\"x\">'&\x01",
                   "&lt;a href=&quot;x&quot;&gt;&#39;&amp;\xEF\xBF\xBD");
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
    sp_buffer_say(&out, "%s has %jd of %d steps, %.3f (%+.2f, %g) in 100 %%", "a", (intmax_t)-1234567, 12,
                  1234.5, 0.016, 1e-6);
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
    assert_string_equal(
        out.data, "1,234,567 -9,223,372,036,854,775,808 0.00 -12,345.7 0.00 +0.02 < 0.01 % 12.5 % < 0.001 "
                  "0.30000000000000004 0.8776");
    sp_buffer_free(&out);
}

/* ---- what recordings and steps are called ---- */

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
        sp_words words = {.text = {"kept"}};
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
    sp_buffer_words(
        &buffer,
        "{Steps} of {a recording}, {A step}; {recordings} {step}. {Recording} {a stepp} {x} {step } 5 %");
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
    static const char options[] = "{=margin}, {=wake-trim 30}, {=nll-clip }0.1 {=";
    sp_buffer_words(&buffer, options);
    assert_says(&buffer, "--margin, --wake-trim 30, --nll-clip 0.1 --");
    const sp_words python = {.in_python = true};
    buffer.words = &python;
    sp_buffer_words(&buffer, options);
    assert_says(&buffer, "margin=, wake_trim=30, nll_clip=0.1 =");
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

/* ---- the recordings that a page draws ---- */

static void assert_drawn(const sp_comparison *c, int64_t most_steps, int64_t n, const int64_t *expected)
{
    int64_t *chosen = NULL, found;
    sp_error err = {0};
    assert_ok(sp_report_drawn(c, most_steps, &chosen, &found, &err), &err);
    assert_int_equal(found, n);
    if (n > 0)
        assert_memory_equal(chosen, expected, (size_t)n * sizeof *expected);
    else
        assert_null(chosen);
    free(chosen);
}

static void test_drawn(void **state)
{
    (void)state;
    sample *s = sample_ranked();
    sp_comparison *c = &s->comparison;
    int64_t all[1000], *most = NULL, n, n_low = 0, n_high = 0;
    sp_error err = {0};
    for (int64_t r = 0; r < 1000; r++)
        all[r] = r;
    assert_drawn(c, 2000, 0, NULL); /* the comparison has the steps of all */
    c->n_traces = 0;
    assert_drawn(c, 20 * 10, 10, (int64_t[]){0, 1, 2, 3, 5, 11, 17, 499, 500, 700});
    assert_ok(sp_report_drawn(c, c->n_steps - 1, &most, &n, &err), &err);
    assert_int_equal(n, SP_REPORT_DRAWN);
    for (int64_t i = 0; i < n; i++) {
        n_low += most[i] < 190;
        n_high += most[i] > 400;
    }
    assert_int_equal(n_low, 190);     /* those next to the worst, */
    assert_in_range(n_high, 90, 110); /* and some spread over the others */
    free(most);
    assert_drawn(c, c->n_steps, 1000, all); /* of a merge: as an evaluation keeps them */
    c->steps[500] = 3000000;
    assert_drawn(c, 40, 2, (int64_t[]){499, 700});
    sample_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes_that_are_no_utf8),
        cmocka_unit_test(test_long_names_lose_their_middle),
        cmocka_unit_test(test_wide_tables_go_on_below),
        cmocka_unit_test(test_sentences),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_option),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_placeholders),
        cmocka_unit_test(test_heads),
        cmocka_unit_test(test_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
