/* Where values stand in a JSON text, the nearest of some names and their natural order, what is written for numbers and texts; and
 * UTF-8 by its definition (Unicode 15, table 3-7): what is read, what is replaced, and how far one moves on. */
#include "check.h"

/* Public functions only show these in sentences and documents, from the texts that they take there. */
#include "core/names.h"
#include "json/json_locate.h"
#include "json/json_write.h"
#include "json/utf8.h"

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
    sp_json_at root = {0}, a = {&root, "a", 0}, a0 = {&a, NULL, 0}, a1 = {&a, NULL, 1}, x = {&a1, "x}", 0},
               a2 = {&a, NULL, 2}, a21 = {&a2, NULL, 1}, e = {&root, "\xC3\xA9", 0},
               en = {&root, "\xC3\xA9\n", 0}, b = {&en, "b", 0};
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
    } cases[] = {
        {"Wke", 0},   {"wake", 0},     {"Wkae", 0},     {"REN", 3},           {"n2", 2}, {"N3", 1}, {"", -1},
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

static void natural_order(void **state)
{
    (void)state;
    char *names[] = {"n10", "n2",    "N3",   "n02", "n", "n1a", "n1", "", "n123456789012345678901234567890",
                     "n9",  "n2b10", "n2b9", "é"};
    const char *const sorted[] = {"",   "N3",   "n",     "n1", "n1a", "n02",
                                  "n2", "n2b9", "n2b10", "n9", "n10", "n123456789012345678901234567890",
                                  "é"};
    enum { N = sizeof names / sizeof *names };
    sp_natural_sort(names, N);
    for (int i = 0; i < N; i++)
        assert_string_equal(names[i], sorted[i]);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            int order = sp_natural_compare(sorted[i], sorted[j]);
            assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
        }
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

/* ---- UTF-8 ---- */

static void assert_reads(const char *text, size_t n, const uint32_t *codes)
{
    const char *at = text;
    for (size_t i = 0; i < n; i++)
        assert_int_equal(sp_utf8_next(&at), codes[i]);
    assert_int_equal(*at, 0);
}

static void test_characters(void **state)
{
    (void)state;
    assert_reads("A\x7f", 2, (uint32_t[]){0x41, 0x7F});
    assert_reads("\xC2\x80\xDF\xBF", 2, (uint32_t[]){0x80, 0x7FF});
    assert_reads("\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBF", 4,
                 (uint32_t[]){0x800, 0xD7FF, 0xE000, 0xFFFF});
    assert_reads("\xF0\x90\x80\x80\xF4\x8F\xBF\xBFz", 3, (uint32_t[]){0x10000, 0x10FFFF, 'z'});
}

/* Each byte of what is no UTF-8 is replaced by itself. */
static void test_replaced(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "\xC0\x80",
        "\xC1\xBF", /* two bytes for what takes one */
        "\xE0\x80\x80",
        "\xE0\x9F\xBF", /* three for two */
        "\xF0\x80\x80\x80",
        "\xF0\x8F\xBF\xBF", /* four for three */
        "\xED\xA0\x80",
        "\xED\xBF\xBF", /* halves of surrogate pairs */
        "\xF4\x90\x80\x80",
        "\xF8\x88\x80\x80\x80",
        "\xFF\xFE", /* beyond the last character */
        "\xC3",
        "\xE2\x82",
        "\xF0\x9F\x98",
        "\x80\xBF", /* cut off */
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        size_t n = 0;
        for (const char *at = texts[i]; *at; n++)
            assert_int_equal(sp_utf8_next(&at), SP_REPLACEMENT);
        assert_int_equal(n, strlen(texts[i]));
    }
    assert_reads("\xC3(\xE2\x82|", 5, (uint32_t[]){SP_REPLACEMENT, '(', SP_REPLACEMENT, SP_REPLACEMENT, '|'});
}

static void test_written(void **state)
{
    (void)state;
    static const uint32_t codes[] = {1, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF};
    static const size_t lengths[] = {1, 1, 2, 2, 3, 3, 3, 3, 4, 4};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        char bytes[SP_UTF8_MOST + 1] = {0};
        assert_int_equal(sp_utf8_put(codes[i], bytes), lengths[i]);
        assert_reads(bytes, 1, &codes[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_and_items), cmocka_unit_test(nearest_names),
        cmocka_unit_test(natural_order),     cmocka_unit_test(shortest_numbers),
        cmocka_unit_test(cleaned_texts),     cmocka_unit_test(test_characters),
        cmocka_unit_test(test_replaced),     cmocka_unit_test(test_written)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
