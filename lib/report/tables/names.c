/* Names come from files and may hold anything: what reaches a terminal, a page or a table is made harmless here. */
#include "report/write/buffer.h"

#include <string.h>

#include "json/utf8.h"

static void add_code(sp_buffer *buffer, uint32_t code)
{
    char bytes[SP_UTF8_MOST];
    sp_buffer_add(buffer, bytes, sp_utf8_put(code, bytes));
}

static bool is_control(uint32_t code)
{
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x200E && code <= 0x200F) ||
           (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

/* Columns of one character. The ranges are the East Asian wide blocks and the emoji, and the common combining marks: enough for
 * names; wcwidth() would depend on the locale, and a report must not. */
static int code_width(uint32_t code)
{
    static const uint32_t zero[][2] = {{0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x0610, 0x061A},
                                       {0x064B, 0x065F}, {0x0E34, 0x0E3A}, {0x0E47, 0x0E4E}, {0x1AB0, 0x1AFF},
                                       {0x1DC0, 0x1DFF}, {0x200B, 0x200D}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F},
                                       {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}};
    static const uint32_t wide[][2] = {
        {0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0x33FF},   {0x3400, 0x4DBF},
        {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},   {0xA960, 0xA97C},   {0xAC00, 0xD7A3},
        {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},
        {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};
    if (code < 0x300)
        return 1;
    for (size_t i = 0; i < sizeof zero / sizeof *zero; i++)
        if (code >= zero[i][0] && code <= zero[i][1])
            return 0;
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        if (code >= wide[i][0] && code <= wide[i][1])
            return 2;
    return 1;
}

int sp_text_width(const char *text)
{
    int width = 0;
    while (*text)
        width += code_width(sp_utf8_next(&text));
    return width;
}

static uint32_t shown(uint32_t code)
{
    if (code == '\n' || code == '\t' || code == '\r')
        return ' ';
    return is_control(code) ? SP_REPLACEMENT : code;
}

/* Long names differ at their ends as often as at their beginnings ("night_0001_psg", "night_0002_psg"), so the middle goes. */
void sp_buffer_name(sp_buffer *buffer, const char *text, int width)
{
    int full = sp_text_width(text);
    bool is_cut = width > 0 && full > width;
    int head = is_cut ? width / 2 : full, tail = is_cut ? width - 1 - head : 0;
    int used = 0;
    bool cutting = false;
    while (*text) {
        if (is_cut && sp_text_width(text) <= tail) {
            is_cut = false; /* the rest is the tail */
            cutting = false;
            head = full;
        }
        uint32_t code = shown(sp_utf8_next(&text));
        int w = code_width(code);
        if (!cutting && used + w <= head) {
            add_code(buffer, code);
            used += w;
        } else if (!cutting) {
            sp_buffer_text(buffer, "…");
            cutting = true;
            used = head;
        }
    }
}

void sp_buffer_utf8(sp_buffer *buffer, const char *text)
{
    while (*text)
        add_code(buffer, sp_utf8_next(&text));
}

/* What stands for a character of markup; NULL: the character itself. */
static const char *entity_of(uint32_t code)
{
    return code == '&'    ? "&amp;"
           : code == '<'  ? "&lt;"
           : code == '>'  ? "&gt;"
           : code == '"'  ? "&quot;"
           : code == '\'' ? "&#39;"
                          : NULL;
}

void sp_buffer_html(sp_buffer *buffer, const char *text)
{
    while (*text) {
        const uint32_t code = sp_utf8_next(&text);
        if (entity_of(code))
            sp_buffer_text(buffer, entity_of(code));
        else
            add_code(buffer, shown(code));
    }
}

void sp_buffer_markdown(sp_buffer *buffer, const char *text)
{
    while (*text) {
        const uint32_t code = shown(sp_utf8_next(&text));
        if (code == '<' || code == '>' || code == '&') {
            sp_buffer_text(buffer, entity_of(code));
            continue;
        }
        if (code < 0x80 && strchr("|\\`*_~[]#$@", (int)code))
            sp_buffer_add(buffer, "\\", 1);
        add_code(buffer, code);
    }
}

void sp_buffer_csv(sp_buffer *buffer, const char *text)
{
    const char *first = text + strspn(text, "'");
    const bool is_formula = *first && strchr("=+-@\t\r", *first);
    if (!text[strcspn(text, ",\"\r\n")]) {
        if (is_formula)
            sp_buffer_add(buffer, "'", 1);
        sp_buffer_utf8(buffer, text);
        return;
    }
    sp_buffer_add(buffer, "\"", 1);
    if (is_formula)
        sp_buffer_add(buffer, "'", 1);
    while (*text) {
        uint32_t code = sp_utf8_next(&text);
        if (code == '"')
            sp_buffer_add(buffer, "\"", 1);
        add_code(buffer, code);
    }
    sp_buffer_add(buffer, "\"", 1);
}
