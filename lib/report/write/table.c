#include "report/write/table.h"

#include <stdlib.h>
#include <string.h>

void sp_table_free(sp_table *table)
{
    sp_buffer_free(&table->text);
    free(table->cells);
    free(table->aligns);
    free(table->holds);
    *table = (sp_table){0};
}

sp_buffer *sp_table_cell(sp_table *table, sp_cell_tone tone)
{
    if (table->n_cells)
        sp_buffer_add(&table->text, "", 1); /* ends the cell before */
    if (table->n_cells == table->capacity) {
        size_t capacity = table->capacity ? 2 * table->capacity : 64;
        sp_cell *cells = realloc(table->cells, capacity * sizeof *cells);
        if (!cells) {
            table->text.failed = true; /* what is written into the returned buffer goes nowhere */
            table->failed = true;
            return &table->text;
        }
        table->cells = cells;
        table->capacity = capacity;
    }
    table->cells[table->n_cells++] = (sp_cell){.offset = table->text.length, .tone = tone};
    return &table->text;
}

sp_buffer *sp_table_head(sp_table *table, sp_align align)
{
    sp_align *aligns = realloc(table->aligns, ((size_t)table->n_columns + 1) * sizeof *aligns);
    sp_column_holds *holds = realloc(table->holds, ((size_t)table->n_columns + 1) * sizeof *holds);
    if (aligns)
        table->aligns = aligns;
    if (holds)
        table->holds = holds;
    if (aligns && holds) {
        table->aligns[table->n_columns] = align;
        table->holds[table->n_columns++] = SP_HOLDS_ANYTHING;
    }
    table->failed |= !aligns || !holds;
    return sp_table_cell(table, SP_TONE_PLAIN);
}

void sp_table_holds(sp_table *table, sp_column_holds what)
{
    if (table->n_columns)
        table->holds[table->n_columns - 1] = what;
}

void sp_table_define(sp_table *table, const char *definition)
{
    if (table->n_cells)
        table->cells[table->n_cells - 1].definition = definition;
}

void sp_table_column(sp_table *table, sp_align align, const char *name)
{
    sp_buffer_text(sp_table_head(table, align), name);
}

void sp_table_columns(sp_table *table, const char *names)
{
    while (*names) {
        const bool is_left = table->n_columns == 0 || *names == '<';
        names += *names == '<';
        const size_t n = strcspn(names, "|");
        sp_buffer *head = sp_table_head(table, is_left ? SP_LEFT : SP_RIGHT);
        for (const char *end = names + n; names < end;) {
            const size_t plain = strcspn(names, "|{");
            sp_buffer_add(head, names, plain);
            names += plain;
            if (*names == '{')
                names = sp_words_placeholder(head, names, 0);
        }
        names += *names == '|';
    }
}

void sp_table_cell_text(sp_table *table, sp_cell_tone tone, const char *text)
{
    sp_buffer_text(sp_table_cell(table, tone), text);
}

void sp_table_say(sp_table *table, sp_cell_tone tone, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    sp_buffer_vsay(sp_table_cell(table, tone), format, arguments);
    va_end(arguments);
}

void sp_table_cell_count(sp_table *table, sp_cell_tone tone, int64_t n)
{
    sp_buffer_count(sp_table_cell(table, tone), n);
}

bool sp_table_failed(const sp_table *table)
{
    return table->failed || table->text.failed;
}

size_t sp_table_rows(const sp_table *table)
{
    return table->n_columns && !sp_table_failed(table) ? table->n_cells / (size_t)table->n_columns - 1 : 0;
}

static const sp_cell *cell_at(const sp_table *table, size_t row, int32_t column)
{
    return &table->cells[row * (size_t)table->n_columns + (size_t)column];
}

const char *sp_table_get(const sp_table *table, size_t row, int32_t column)
{
    return table->text.data + cell_at(table, row, column)->offset;
}

/* False, and the buffer has failed, where the table has. */
static bool has_rows(const sp_table *table, sp_buffer *out)
{
    out->failed |= sp_table_failed(table);
    return !out->failed && sp_table_rows(table) > 0;
}

/* ---- terminal ---- */

enum { LEAST_NAME = 28 }; /* columns that names keep: the longest measure of sleep */

void sp_text_fit_free(sp_text_fit *fit)
{
    free(fit->widths);
    free(fit->has_star);
    *fit = (sp_text_fit){0};
}

/* Stars are part of the width. */
bool sp_table_fit(const sp_table *table, int width, int least_name, sp_text_fit *fit)
{
    const size_t n = (size_t)table->n_columns;
    *fit =
        (sp_text_fit){.widths = calloc(n, sizeof *fit->widths), .has_star = calloc(n, sizeof *fit->has_star)};
    if (!fit->widths || !fit->has_star) {
        sp_text_fit_free(fit);
        return false;
    }
    for (int32_t c = 0; c < table->n_columns; c++) {
        for (size_t r = 0; r <= sp_table_rows(table); r++) {
            const int w = sp_text_width(sp_table_get(table, r, c));
            fit->widths[c] = w > fit->widths[c] ? w : fit->widths[c];
            fit->has_star[c] |= cell_at(table, r, c)->tone == SP_TONE_BEST;
        }
        fit->total += fit->widths[c] + fit->has_star[c] + (c ? 2 : 0);
    }
    const int excess = fit->total - width;
    if (width > 0 && excess > 0) {
        const int least = fit->widths[0] < least_name ? fit->widths[0] : least_name, before = fit->widths[0];
        fit->widths[0] = before - excess > least ? before - excess : least;
        fit->total -= before - fit->widths[0];
    }
    return true;
}

static const char *tone_code(sp_cell_tone tone)
{
    return tone == SP_TONE_BEST    ? "\033[1m"
           : tone == SP_TONE_BAD   ? "\033[31m"
           : tone == SP_TONE_MUTED ? "\033[2m"
                                   : "";
}

void sp_text_plain(sp_buffer *out, const char *text, bool ascii)
{
    if (!ascii) {
        sp_buffer_text(out, text);
        return;
    }
    for (const unsigned char *s = (const unsigned char *)text; *s; s++) {
        if (*s < 0x80)
            sp_buffer_add(out, (const char *)s, 1);
        else if (!strncmp((const char *)s, "–", 3) || !strncmp((const char *)s, "−", 3))
            sp_buffer_text(out, "-");
        else if (!strncmp((const char *)s, "±", 2))
            sp_buffer_text(out, "+-");
        else if (!strncmp((const char *)s, "…", 3))
            sp_buffer_text(out, "~");
        else if ((*s & 0xC0) == 0xC0)
            sp_buffer_text(out, "?");
    }
}

static void add_cell(const sp_table *table, size_t row, int32_t column, bool is_last, const sp_text_fit *fit,
                     const sp_text_style *style, sp_buffer *out)
{
    const sp_cell *cell = cell_at(table, row, column);
    sp_buffer name = {0}, plain = {0};
    sp_buffer_name(&name, sp_table_get(table, row, column), column == 0 ? fit->widths[0] : 0);
    sp_text_plain(&plain, sp_buffer_string(&name), style->ascii);
    const char *text = sp_buffer_string(&plain);
    const char *code = !style->colour ? "" : row == 0 ? "\033[2m" : tone_code(cell->tone);
    int pad = fit->widths[column] - sp_text_width(text);
    if (column)
        sp_buffer_text(out, "  ");
    if (table->aligns[column] == SP_RIGHT)
        sp_buffer_repeat(out, ' ', pad);
    sp_buffer_say(out, "%s%s", code, text);
    if (fit->has_star[column] && (!is_last || cell->tone == SP_TONE_BEST))
        sp_buffer_text(out, cell->tone == SP_TONE_BEST ? "*" : " ");
    sp_buffer_text(out, *code ? "\033[0m" : "");
    if (table->aligns[column] == SP_LEFT && !is_last)
        sp_buffer_repeat(out, ' ', pad);
    out->failed |= name.failed || plain.failed;
    sp_buffer_free(&name);
    sp_buffer_free(&plain);
}

void sp_table_text_row(const sp_table *table, const sp_text_fit *fit, const sp_text_style *style, size_t row,
                       sp_buffer *out)
{
    for (int32_t c = 0; c < table->n_columns; c++)
        add_cell(table, row, c, c + 1 == table->n_columns, fit, style, out);
}

/* The column after the last one that fits beside the first column and `from`. */
static int32_t block_end(const sp_table *table, const sp_text_fit *fit, int width, int32_t from)
{
    int total = fit->widths[0] + fit->has_star[0];
    for (int32_t c = from; c < table->n_columns; c++) {
        total += 2 + fit->widths[c] + fit->has_star[c];
        if (width > 0 && total > width && c > from)
            return c;
    }
    return table->n_columns;
}

void sp_table_text(const sp_table *table, const sp_text_style *style, sp_buffer *out)
{
    sp_text_fit fit;
    if (!has_rows(table, out))
        return;
    if (!sp_table_fit(table, style->width, LEAST_NAME, &fit)) {
        out->failed = true;
        return;
    }
    int32_t from = 1, to;
    do {
        to = block_end(table, &fit, style->width, from);
        sp_buffer_text(out, from > 1 ? "\n" : "");
        for (size_t r = 0; r <= sp_table_rows(table); r++) {
            add_cell(table, r, 0, table->n_columns == 1, &fit, style, out);
            for (int32_t c = from; c < to; c++)
                add_cell(table, r, c, c + 1 == to, &fit, style, out);
            sp_buffer_text(out, "\n");
        }
        from = to;
    } while (from < table->n_columns);
    sp_text_fit_free(&fit);
}

/* ---- Markdown ---- */

void sp_table_markdown(const sp_table *table, sp_buffer *out)
{
    if (!has_rows(table, out))
        return;
    for (size_t r = 0; r <= sp_table_rows(table); r++) {
        for (int32_t c = 0; c < table->n_columns; c++) {
            sp_buffer_text(out, c ? " | " : "| ");
            bool is_best = r > 0 && cell_at(table, r, c)->tone == SP_TONE_BEST;
            sp_buffer_text(out, is_best ? "**" : "");
            sp_buffer_markdown(out, sp_table_get(table, r, c));
            sp_buffer_text(out, is_best ? "**" : "");
        }
        sp_buffer_text(out, " |\n");
        if (r > 0)
            continue;
        for (int32_t c = 0; c < table->n_columns; c++)
            sp_buffer_text(out, table->aligns[c] == SP_RIGHT ? "| ---: " : "| :--- ");
        sp_buffer_text(out, "|\n");
    }
}

/* ---- HTML ---- */

/* Are all columns but the first numbers? Then the table says so once, not each of its cells. */
static bool is_all_numbers(const sp_table *table)
{
    for (int32_t c = 1; c < table->n_columns; c++)
        if (table->aligns[c] != SP_RIGHT)
            return false;
    return table->n_columns > 1 && table->aligns[0] == SP_LEFT;
}

/* As a title, which a reader sees who rests on it. */
static void add_definition(const sp_table *table, const char *definition, sp_buffer *out)
{
    sp_buffer text = {.words = table->text.words};
    sp_buffer_term(&text, definition);
    sp_buffer_text(out, " title=\"");
    sp_buffer_html(out, sp_buffer_string(&text));
    sp_buffer_text(out, "\"");
    sp_buffer_drop(&text, out);
}

static void html_cell(const sp_table *table, size_t row, int32_t column, bool says_numbers, sp_buffer *out)
{
    static const char *const holds[] = {"", "recording", "worst", "place"}; /* assets/links.js */
    sp_cell_tone tone = cell_at(table, row, column)->tone;
    bool is_head = row == 0 || column == 0;
    sp_buffer_text(out, row == 0 ? "<th scope=\"col\"" : column == 0 ? "<th scope=\"row\"" : "<td");
    bool is_number = table->aligns[column] == SP_RIGHT && (row == 0 || !says_numbers);
    const char *class = tone == SP_TONE_BEST    ? "best"
                        : tone == SP_TONE_BAD   ? "bad"
                        : tone == SP_TONE_MUTED ? "muted"
                                                : NULL;
    if (is_number || class)
        sp_buffer_format(out, " class=\"%s%s%s\"", is_number ? "n" : "", is_number && class ? " " : "",
                         class ? class : "");
    if (row == 0 && table->holds[column])
        sp_buffer_format(out, " data-holds=\"%s\"", holds[table->holds[column]]);
    if (cell_at(table, row, column)->definition)
        add_definition(table, cell_at(table, row, column)->definition, out);
    sp_buffer_text(out, ">");
    sp_buffer_html(out, sp_table_get(table, row, column));
    if (tone == SP_TONE_BEST)
        sp_buffer_text(out, "<span class=\"star\" role=\"img\" aria-label=\", best\">★</span>");
    sp_buffer_text(out, is_head ? "</th>" : "</td>");
}

void sp_table_html(const sp_table *table, const char *classes, const sp_extra_column *extra, sp_buffer *out)
{
    if (!has_rows(table, out))
        return;
    bool says_numbers = is_all_numbers(table);
    sp_buffer_format(out, "<div class=\"scroll%s\" tabindex=\"0\" role=\"group\" aria-label=\"",
                     strstr(classes, "tall") ? " tall" : "");
    sp_buffer_words(out, table->title ? table->title : "Table");
    sp_buffer_format(out, "\"><table class=\"%s%s\">\n", classes,
                     !says_numbers ? ""
                     : *classes    ? " numbers"
                                   : "numbers");
    if (table->title) {
        sp_buffer_text(out, "<caption>");
        sp_buffer_words(out, table->title);
        sp_buffer_text(out, "</caption>\n");
    }
    for (size_t r = 0; r <= sp_table_rows(table); r++) {
        sp_buffer_text(out, r == 0 ? "<thead><tr>" : r == 1 ? "<tbody>\n<tr>" : "<tr>");
        for (int32_t c = 0; c < table->n_columns; c++)
            html_cell(table, r, c, says_numbers, out);
        if (extra)
            extra->cell(extra->arg, r, out);
        sp_buffer_text(out, r == 0 ? "</tr></thead>\n" : "</tr>\n");
    }
    sp_buffer_text(out, "</tbody></table></div>\n");
}
