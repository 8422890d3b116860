#include "io/text/cells.h"

#include <math.h>
#include <string.h>

#include "io/text/number_read.h"

/* ---- reading ---- */

size_t sp_text_mark(const void *bytes, size_t n)
{
    return n >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

bool sp_cells_is_end(const char *p)
{
    return *p == '\0' || *p == '\n' || (*p == '\r' && (p[1] == '\n' || p[1] == '\0'));
}

/* Is it a blank that belongs to no cell? */
static bool is_around(const sp_cells *c, char letter)
{
    return (letter == ' ' || letter == '\t') && (letter != c->delimiter || c->delimiter == ' ');
}

/* Where the letters before which a spreadsheet wants an apostrophe stand, behind those that are there. */
static bool is_formula(const char *text)
{
    text += strspn(text, "'");
    return *text && strchr("=+-@\t\r", *text);
}

/* Unquotes the cell from its first quote on: [*begin, *end). */
static const char *read_quoted(sp_cells *c, char **begin, char **end)
{
    char *from = c->at + 1, *close = strchr(from, '"'), *after;
    while (close && close[1] == '"')
        close = strchr(close + 2, '"');
    if (!close)
        return "a quoted cell does not end; close it with \"";
    for (after = close + 1; is_around(c, *after); after++)
        ;
    if (!sp_cells_is_end(after) && *after != c->delimiter && (c->delimiter != ' ' || after == close + 1))
        return "letters follow a closing quote; a quote inside a cell is written twice";
    *begin = *end = from;
    for (; from < close; from++) {
        from += *from == '"';
        c->next_line += *from == '\n';
        *(*end)++ = *from;
    }
    c->at = after;
    return NULL;
}

const char *sp_cells_next(sp_cells *c, char **cell, bool *is_last)
{
    while (is_around(c, *c->at))
        c->at++;
    char *begin = c->at, *end = NULL;
    const char *fault = *begin == '"' && !c->is_plain ? read_quoted(c, &begin, &end) : NULL;
    if (fault && !c->is_free)
        return fault;
    if (!end) {
        while (!sp_cells_is_end(c->at) && *c->at != c->delimiter && (c->delimiter != ' ' || *c->at != '\t'))
            c->at++;
        for (end = c->at; end > begin && is_around(c, end[-1]);)
            end--;
    }
    while (is_around(c, *c->at))
        c->at++;
    *is_last = sp_cells_is_end(c->at);
    c->at += *is_last && *c->at == '\r';
    c->next_line += *is_last && *c->at == '\n';
    c->at += *is_last ? *c->at != '\0' : c->delimiter != ' ';
    *end = '\0';
    *cell = *begin == '\'' && !c->is_plain && is_formula(begin) ? begin + 1 : begin;
    return NULL;
}

void sp_cells_skip_empty_lines(sp_cells *c)
{
    c->at += sp_text_mark(c->at, strnlen(c->at, 3));
    for (char *at = c->at; *at; c->at = at) {
        while (is_around(c, *at))
            at++;
        if (!*at || !sp_cells_is_end(at)) {
            c->at = *at ? c->at : at;
            return;
        }
        at += *at == '\r';
        c->next_line += *at == '\n';
        at += *at == '\n';
    }
}

/* Numbers with decimal commas between semicolons: both stand in such a line, and nothing else than digits. */
static bool has_decimal_commas(const char *line, size_t n)
{
    return strspn(line, "0123456789,;-+eE \"") >= n && memchr(line, ';', n) && memchr(line, ',', n);
}

char sp_cells_delimiter(const char *line)
{
    static const char order[] = {',', '\t', ';', ' '};
    const size_t n = strcspn(line, "\r\n");
    size_t best = sizeof order - 1;
    bool is_quoted = false;
    if (has_decimal_commas(line, n))
        return ';';
    for (size_t i = 0; i < n; i++) {
        is_quoted ^= line[i] == '"';
        for (size_t k = 0; k < best && !is_quoted; k++)
            best = line[i] == order[k] ? k : best;
    }
    return order[best];
}

bool sp_cell_whole(const char *cell, int64_t *out)
{
    double value;
    if (!sp_number_read(cell, &value) || value != floor(value) || fabs(value) > 1e15)
        return false;
    *out = (int64_t)value;
    return true;
}

/* ---- writing ---- */

void sp_cells_put(sp_text_buffer *out, const char *text, char delimiter)
{
    const bool has_apostrophe = is_formula(text) && strcmp(text, "-1") != 0;
    const char special[] = {delimiter, '"', '\n', '\r', '\0'};
    const size_t n = strlen(text);
    const bool has_blank = n > 0 && (strchr(" \t", text[0]) || strchr(" \t", text[n - 1]));
    if (!strpbrk(text, special) && !has_apostrophe && !has_blank) {
        sp_text_buffer_put(out, text, n);
        return;
    }
    sp_text_buffer_put(out, has_apostrophe ? "\"'" : "\"", has_apostrophe ? 2 : 1);
    for (; *text; text++)
        sp_text_buffer_put(out, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
    sp_text_buffer_put(out, "\"", 1);
}
