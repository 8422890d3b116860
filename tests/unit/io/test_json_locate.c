/* Where values stand in a JSON text, the nearest of some names, and what is written for numbers and texts. */
#include "check.h"

#include "core/name_hint.h"
#include "statepath/status.h"
#include "json/json_locate.h"
#include "json/json_write.h"

static void assert_place(const char *text, const sp_json_at *at, int line, int column)
{
    sp_json_place place = sp_json_locate(text, at);
    if (place.line != line || place.column != column)
        fail_msg("found at %d:%d, expected %d:%d", place.line, place.column, line, column);
}

static void members_and_items(void **state)
{
    (void)state;
    const char *text = " {\"a\": [1, {\"x}\": \"]\\\"\"}, [[2], 3]],\n"
                       "\t\"\xC3\xA9\" : null, \"\\u00e9\\n\":{\"a\":-1.5e3 ,\n"
                       "\"b\":true}}";
    sp_json_at root = {0}, a = {&root, "a", 0}, a0 = {&a, NULL, 0}, a1 = {&a, NULL, 1}, x = {&a1, "x}", 0}, a2 = {&a, NULL, 2},
               a21 = {&a2, NULL, 1}, e = {&root, "\xC3\xA9", 0}, en = {&root, "\xC3\xA9\n", 0}, b = {&en, "b", 0};
    assert_place(text, &root, 1, 2);
    assert_place(text, NULL, 1, 2);
    assert_place(text, &a, 1, 3);
    assert_place(text, &a0, 1, 9);
    assert_place(text, &a1, 1, 12);
    assert_place(text, &x, 1, 13);
    assert_place(text, &a2, 1, 27);
    assert_place(text, &a21, 1, 33);
    assert_place(text, &e, 2, 2);
    assert_place(text, &en, 2, 14); /* characters, not bytes */
    assert_place(text, &b, 3, 1);
    /* What is not there: the nearest on the way. */
    sp_json_at missing = {&a, NULL, 9}, deeper = {&missing, "q", 0}, scalar = {&a0, "q", 0};
    assert_place(text, &missing, 1, 3);
    assert_place(text, &deeper, 1, 3);
    assert_place(text, &scalar, 1, 9);
}

static void nearest_names(void **state)
{
    (void)state;
    const char *const names[] = {"Wake", "N1", "N2", "REM", "min_dwell", "min_dwell_at_end"};
    const struct {
        const char *word;
        int32_t nearest;
    } cases[] = {{"Wke", 0},   {"wake", 0},     {"Wkae", 0},     {"REN", 3},           {"n2", 2}, {"N3", 1}, {"", -1},
                 {"Deep", -1}, {"min_dwel", 4}, {"mindwell", 4}, {"min_dwell_end", 5}, {"x", -1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (sp_name_nearest(cases[i].word, 6, names) != cases[i].nearest)
            fail_msg("\"%s\" is near %d", cases[i].word, sp_name_nearest(cases[i].word, 6, names));
    char text[64], longest[300];
    assert_string_equal(sp_name_hint(text, sizeof text, "Wke", 6, names), "; did you mean \"Wake\"?");
    assert_string_equal(sp_name_hint(text, sizeof text, "Deep", 6, names), "");
    assert_string_equal(sp_name_list(text, sizeof text, 6, names), "Wake, N1, N2, REM, min_dwell and 1 more");
    memset(longest, 'w', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    const char *const long_names[] = {longest, longest};
    assert_string_equal(sp_name_list(text, sizeof text, 2, long_names), "2 of them");
    assert_int_equal(sp_name_nearest(longest, 2, long_names), 0);
}

static void shortest_numbers(void **state)
{
    (void)state;
    char buffer[32];
    assert_string_equal(sp_json_number(0.1, 15, buffer), "0.1");
    assert_string_equal(sp_json_number(-3, 15, buffer), "-3");
    assert_string_equal(sp_json_number(1e300, 15, buffer), "1e+300");
    assert_string_equal(sp_json_number(0.1 + 0.2, 15, buffer), "0.30000000000000004");
}

/* What a text becomes between quotes. */
static void assert_cleaned(const char *text, const char *expected)
{
    sp_json_writer writer;
    char *written = NULL;
    sp_json_writer_open(&writer);
    sp_json_put_cleaned(&writer, text);
    assert_int_equal(sp_json_writer_close(&writer, &written, NULL), SP_OK);
    assert_string_equal(written, expected);
    free(written);
}

static void cleaned_texts(void **state)
{
    (void)state;
    assert_cleaned("", "\"\"");
    assert_cleaned("a \"b\"\n", "\"a \\\"b\\\"\\n\"");
    assert_cleaned("\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80", "\"\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80\"");
    /* A cut character, bytes that begin none, overlong, a surrogate: U+FFFD for each byte. */
    assert_cleaned("\xC3", "\"\xEF\xBF\xBD\"");
    assert_cleaned("\xFF\x80x", "\"\xEF\xBF\xBD\xEF\xBF\xBDx\"");
    assert_cleaned("\xC0\xAF", "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");
    assert_cleaned("\xED\xA0\x80", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(members_and_items), cmocka_unit_test(nearest_names),
                                       cmocka_unit_test(shortest_numbers), cmocka_unit_test(cleaned_texts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
