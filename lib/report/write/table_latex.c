#include "report/write/table.h"

#include <stdint.h>
#include <string.h>

/* Does pdfLaTeX know the letter, with T1 fonts? Latin-1 and Latin Extended-A but for nine of them, and a few signs. */
static bool is_known(uint32_t code)
{
    static const uint32_t missing[] = {0x126, 0x127, 0x138, 0x13f, 0x140, 0x149, 0x166, 0x167, 0x17f};
    static const uint32_t others[] = {0x2013, 0x2014, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x20ac};
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
        if (code == missing[i])
            return false;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (code == others[i])
            return true;
    return code >= 0xa0 && code <= 0x17f;
}

/* Every other letter goes through a macro that only XeLaTeX and LuaLaTeX set as it is: the file compiles everywhere. The text is
 * valid UTF-8. */
static void add_beyond_ascii(sp_buffer *out, const char **at)
{
    const unsigned char *byte = (const unsigned char *)*at;
    size_t n = byte[0] >= 0xf0 ? 4 : byte[0] >= 0xe0 ? 3 : 2;
    uint32_t code = byte[0] & (0xff >> (n + 1));
    for (size_t i = 1; i < n; i++)
        code = code << 6 | (byte[i] & 0x3f);
    sp_buffer_text(out, is_known(code) ? "" : "\\spchar{");
    sp_buffer_add(out, *at, n);
    if (!is_known(code))
        sp_buffer_format(out, "}{%04X}", (unsigned)code);
    *at += n;
}

static void add_letter(sp_buffer *out, const char **at)
{
    static const struct {
        const char *text, *latex;
    } letters[] = {{"\\", "\\textbackslash{}"},
                   {"{", "\\{"},
                   {"}", "\\}"},
                   {"$", "\\$"},
                   {"&", "\\&"},
                   {"#", "\\#"},
                   {"_", "\\_"},
                   {"%", "\\%"},
                   {"~", "\\textasciitilde{}"},
                   {"^", "\\textasciicircum{}"},
                   {"<", "\\textless{}"},
                   {">", "\\textgreater{}"},
                   {"|", "\\textbar{}"},
                   {"\"", "{''}"},
                   {"*", "{*}"},
                   {"--", "-{}"},
                   {"`", "\\textasciigrave{}"},
                   {"[", "{[}"},
                   {"]", "{]}"},
                   {"±", "$\\pm$"},
                   {"−", "$-$"},
                   {"–", "--"},
                   {"→", "$\\to$"},
                   {"…", "\\dots{}"},
                   {"κ", "$\\kappa$"}};
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++) {
        size_t n = strlen(letters[i].text);
        if (strncmp(*at, letters[i].text, n) == 0) {
            sp_buffer_text(out, letters[i].latex);
            *at += strcmp(letters[i].text, "--") == 0 ? 1 : n; /* the second one may be followed by a third */
            return;
        }
    }
    if ((unsigned char)**at >= 0x80)
        add_beyond_ascii(out, at);
    else
        sp_buffer_add(out, (*at)++, 1);
}

/* Cleaned as for a terminal first: no control characters, no line breaks, valid UTF-8. */
void sp_buffer_latex(sp_buffer *out, const char *text)
{
    sp_buffer clean = {0};
    sp_buffer_name(&clean, text, 0);
    for (const char *at = sp_buffer_string(&clean); *at;)
        add_letter(out, &at);
    sp_buffer_drop(&clean, out);
}

/* The sign of a number is a minus, not a hyphen: cells that begin "-3" and hold "to -4". */
static void add_cell(sp_buffer *out, const char *text, bool is_number)
{
    sp_buffer signed_text = {0};
    for (const char *at = text; is_number && *at; at++) {
        bool is_sign =
            (*at == '-' || *at == '+') && at[1] >= '0' && at[1] <= '9' && (at == text || at[-1] == ' ');
        if (is_sign && *at == '-')
            sp_buffer_text(&signed_text, "−");
        else
            sp_buffer_add(&signed_text, at, 1);
    }
    sp_buffer_latex(out, is_number && signed_text.data ? signed_text.data : text);
    sp_buffer_drop(&signed_text, out);
}

/* Letters across of the longest word. */
static int longest_word(const char *text)
{
    int most = 0, all = sp_text_width(text);
    for (const char *space; (space = strchr(text, ' ')) != NULL; text = space + 1) {
        int rest = sp_text_width(space + 1), word = all - rest - 1;
        most = word > most ? word : most;
        all = rest;
    }
    return all > most ? all : most;
}

/* Letters across a table: the longest cell of each column, a little for each column. */
static int width_of(const sp_table *table, bool is_stacked)
{
    int width = 5 * table->n_columns / 2;
    for (int32_t c = 0; c < table->n_columns; c++) {
        const char *head = sp_table_get(table, 0, c);
        int most = is_stacked ? longest_word(head) : sp_text_width(head);
        for (size_t r = 1; r <= sp_table_rows(table); r++) {
            int n = sp_text_width(sp_table_get(table, r, c));
            most = n > most ? n : most;
        }
        width += most;
    }
    return width;
}

/* A name of a column with one word a line. */
static void add_stacked(sp_buffer *out, const char *text, sp_align align)
{
    sp_buffer_text(out, align == SP_RIGHT ? "\\shortstack[r]{" : "\\shortstack[l]{");
    for (;;) {
        const char *space = strchr(text, ' ');
        sp_buffer word = {0};
        sp_buffer_add(&word, text, space ? (size_t)(space - text) : strlen(text));
        sp_buffer_latex(out, sp_buffer_string(&word));
        sp_buffer_drop(&word, out);
        if (!space)
            break;
        sp_buffer_text(out, "\\\\");
        text = space + 1;
    }
    sp_buffer_text(out, "}");
}

void sp_table_latex(const sp_table *table, const char *label, const char *scope, sp_buffer *out)
{
    sp_buffer title = {.words = table->text.words};
    out->failed |= sp_table_failed(table);
    if (out->failed || sp_table_rows(table) == 0)
        return;
    sp_buffer_text(out, "\n\\begin{table}\n  \\centering\n  \\caption{");
    if (scope) {
        sp_buffer_latex(out, scope);
        sp_buffer_text(out, ": ");
    }
    sp_buffer_words(&title, table->title ? table->title : "");
    sp_buffer_latex(out, sp_buffer_string(&title));
    sp_buffer_drop(&title, out);
    sp_buffer_format(out, "}\n  \\label{tab:%s}\n", label);
    /* A line of an article has room for about 70 letters, and for nearly 100 small ones; beyond, names of columns are stacked. */
    int width = width_of(table, false);
    bool is_stacked = width > 98;
    if (is_stacked)
        width = width_of(table, true);
    if (width > 72)
        sp_buffer_text(out, width > 88 ? "  \\scriptsize\\setlength{\\tabcolsep}{3pt}\n"
                                       : "  \\footnotesize\\setlength{\\tabcolsep}{4pt}\n");
    sp_buffer_text(out, "  \\begin{tabular}{");
    for (int32_t c = 0; c < table->n_columns; c++)
        sp_buffer_text(out, table->aligns[c] == SP_RIGHT ? "r" : "l");
    sp_buffer_text(out, "}\n    \\toprule\n");
    for (size_t r = 0; r <= sp_table_rows(table); r++) {
        sp_buffer_text(out, "    ");
        for (int32_t c = 0; c < table->n_columns; c++) {
            const sp_cell *cell = &table->cells[r * (size_t)table->n_columns + (size_t)c];
            bool is_best = r > 0 && cell->tone == SP_TONE_BEST;
            sp_buffer_text(out, c ? " & " : "");
            if (r == 0 && is_stacked) {
                add_stacked(out, sp_table_get(table, r, c), table->aligns[c]);
                continue;
            }
            sp_buffer_text(out, is_best ? "\\textbf{" : "");
            add_cell(out, sp_table_get(table, r, c), r > 0 && c > 0 && table->aligns[c] == SP_RIGHT);
            sp_buffer_text(out, is_best ? "}" : "");
        }
        sp_buffer_text(out, r == 0 ? " \\\\\n    \\midrule\n" : " \\\\\n");
    }
    sp_buffer_text(out, "    \\bottomrule\n  \\end{tabular}\n\\end{table}\n");
}
