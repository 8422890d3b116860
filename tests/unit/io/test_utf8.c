/* UTF-8 by its definition (Unicode 15, table 3-7): what is read, what is replaced, and how far one moves on. */
#include "check.h"
#include "json/utf8.h"

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
    assert_reads("\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBF", 4, (uint32_t[]){0x800, 0xD7FF, 0xE000, 0xFFFF});
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
        cmocka_unit_test(test_characters),
        cmocka_unit_test(test_replaced),
        cmocka_unit_test(test_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
