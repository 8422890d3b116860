/* The table for a terminal: exact texts, widths, names that could do harm. */
#include "check.h"
#include "golden.h"
#include "sample_comparison.h"
#include "statepath/report.h"

static char *text_of(const sample *s, sp_text_options options)
{
    sp_error err = {0};
    char *out = NULL;
    assert_ok(sp_report_text(&s->comparison, &options, &out, &err), &err);
    return out;
}

static void test_small_table_is_exactly_this(void **state)
{
    (void)state;
    sample *s = sample_small();
    char *text = text_of(s, (sp_text_options){.width = 100});
    assert_golden("small.txt", text);
    free(text);
    text = text_of(s, (sp_text_options){.width = 100, .ascii = true});
    for (const char *c = text; *c; c++)
        assert_in_range((unsigned char)*c, 1, 127);
    free(text);
    text = text_of(s, (sp_text_options){.width = 100, .colour = true});
    assert_non_null(strstr(text, "\033[31m2\033[0m"));
    assert_non_null(strstr(text, "\033[1m0.8426*\033[0m"));
    free(text);
    sample_free(s);
}

static void test_no_colour_unless_asked(void **state)
{
    (void)state;
    sample *s = sample_nights(4, 60);
    char *text = text_of(s, (sp_text_options){.width = 100, .verbose = true});
    assert_null(strchr(text, '\033'));
    assert_non_null(strstr(text, "night_004"));
    assert_non_null(strstr(text, "Time spent decoding"));
    free(text);
    sample_free(s);
}

/* Display columns, for text without marks of its own. */
static int widest_line(const char *text)
{
    int widest = 0, width = 0;
    for (; *text; text++) {
        if (*text == '\n')
            width = 0;
        else if (((unsigned char)*text & 0xC0) != 0x80)
            width++;
        widest = width > widest ? width : widest;
    }
    return widest;
}

static void test_keeps_to_the_width(void **state)
{
    (void)state;
    static const int widths[] = {80, 100, 120};
    sample *s = sample_nights(12, 400);
    for (int i = 0; i < 3; i++) {
        char *text = text_of(s, (sp_text_options){.width = widths[i]});
        assert_true(widest_line(text) <= widths[i]);
        free(text);
    }
    s->comparison.strategies[2].name =
        sample_text(s, "a-strategy-with-a-name-that-nobody-would-ever-want-to-write-in-full");
    char *text = text_of(s, (sp_text_options){.width = 100, .verbose = false});
    assert_non_null(strstr(text, "\xE2\x80\xA6")); /* the ellipsis */
    free(text);
    sample_free(s);
}

static void test_names_cannot_speak_to_the_terminal(void **state)
{
    (void)state;
    sample *s = sample_small();
    s->comparison.ids[1] = sample_text(s, "a\033[2Jb\nc\xFF");
    s->comparison.classes[1] = sample_text(s, "睡眠");
    char *text = text_of(s, (sp_text_options){.width = 100});
    assert_null(strchr(text, '\033'));
    assert_non_null(strstr(text, "a\xEF\xBF\xBD[2Jb c\xEF\xBF\xBD"));
    assert_non_null(
        strstr(text, "睡眠       0     3")); /* a wide name takes its four columns, not its six bytes */
    free(text);
    sample_free(s);
}

static void test_absent_data_disappears(void **state)
{
    (void)state;
    sample *s = sample_small();
    sample_drop_labels(s);
    s->comparison.n_reference_illegal_pairs = 0;
    char *text = text_of(s, (sp_text_options){.width = 100});
    assert_golden("unlabelled.txt", text);
    free(text);
    sample_free(s);
}

static void test_many_classes_are_summarised(void **state)
{
    (void)state;
    sample *s = sample_band(100, 2, 200);
    char *text = text_of(s, (sp_text_options){.width = 100});
    assert_null(strstr(text, "Confusion (rows"));
    assert_non_null(strstr(text, "100 classes are too many for a terminal"));
    assert_null(strstr(text, "F1 by class"));
    assert_non_null(strstr(text, "more pairs (a verbose report lists them"));
    free(text);
    text = text_of(s, (sp_text_options){.width = 100, .verbose = true});
    assert_non_null(strstr(text, "F1 by class"));
    assert_null(strstr(text, "more pairs"));
    free(text);
    sample_free(s);
}

static void test_one_class_and_no_recording(void **state)
{
    (void)state;
    sample *s = sample_band(1, 1, 5);
    char *text = text_of(s, (sp_text_options){0});
    assert_non_null(strstr(text, "kappa is undefined for argmax, greedy, viterbi: one class only."));
    free(text);
    sample_free(s);
    s = sample_band(2, 0, 0);
    text = text_of(s, (sp_text_options){0});
    assert_non_null(strstr(text, "0 recordings, 0 steps"));
    free(text);
    sample_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_table_is_exactly_this),
        cmocka_unit_test(test_no_colour_unless_asked),
        cmocka_unit_test(test_keeps_to_the_width),
        cmocka_unit_test(test_names_cannot_speak_to_the_terminal),
        cmocka_unit_test(test_absent_data_disappears),
        cmocka_unit_test(test_many_classes_are_summarised),
        cmocka_unit_test(test_one_class_and_no_recording),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
