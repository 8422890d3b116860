#include "report/table.h"

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
    for (const char *at = clean.data ? clean.data : ""; *at;)
        add_letter(out, &at);
    out->failed |= clean.failed;
    sp_buffer_free(&clean);
}

/* The sign of a number is a minus, not a hyphen: cells that begin "-3" and hold "to -4". */
static void add_cell(sp_buffer *out, const char *text, bool is_number)
{
    sp_buffer signed_text = {0};
    for (const char *at = text; is_number && *at; at++) {
        bool is_sign = (*at == '-' || *at == '+') && at[1] >= '0' && at[1] <= '9' && (at == text || at[-1] == ' ');
        if (is_sign && *at == '-')
            sp_buffer_text(&signed_text, "−");
        else
            sp_buffer_add(&signed_text, at, 1);
    }
    sp_buffer_latex(out, is_number && signed_text.data ? signed_text.data : text);
    out->failed |= signed_text.failed;
    sp_buffer_free(&signed_text);
}

/* The space at which a header falls into the two shortest lines, or its length where it has none. */
static size_t break_of(const char *head)
{
    size_t n = strlen(head), best = n, least = n;
    for (size_t i = 1; i + 1 < n; i++) {
        size_t longer = i > n - i - 1 ? i : n - i - 1;
        if (head[i] == ' ' && longer < least) {
            least = longer;
            best = i;
        }
    }
    return best;
}

static void add_head(sp_buffer *out, const char *head, bool is_right)
{
    size_t n = strlen(head), at = break_of(head);
    sp_buffer first = {0};
    if (at == n) {
        sp_buffer_latex(out, head);
        return;
    }
    sp_buffer_add(&first, head, at);
    sp_buffer_format(out, "\\shortstack[%c]{", is_right ? 'r' : 'l');
    sp_buffer_latex(out, first.data ? first.data : "");
    sp_buffer_text(out, "\\\\");
    sp_buffer_latex(out, head + at + 1);
    sp_buffer_text(out, "}");
    out->failed |= first.failed;
    sp_buffer_free(&first);
}

/* Letters across: the longest cell of each column, headers in two lines or in one. */
static int width_of(const sp_table *table, bool is_broken)
{
    int width = 0;
    for (int32_t c = 0; c < table->n_columns; c++) {
        int most = 0;
        for (size_t r = 0; r <= sp_table_rows(table); r++) {
            const char *text = sp_table_get(table, r, c);
            int n = sp_text_width(text);
            if (r == 0 && is_broken) {
                int first = (int)break_of(text);
                n = first > n - first - 1 ? first : n - first - 1;
            }
            most = n > most ? n : most;
        }
        width += most;
    }
    return width;
}

void sp_table_latex(const sp_table *table, const char *label, const char *scope, sp_buffer *out)
{
    out->failed |= table->failed || table->text.failed;
    if (out->failed || sp_table_rows(table) == 0)
        return;
    sp_buffer_text(out, "\n\\begin{table}\n  \\centering\n  \\caption{");
    if (scope) {
        sp_buffer_latex(out, scope);
        sp_buffer_text(out, ": ");
    }
    sp_buffer_latex(out, table->title ? table->title : "");
    sp_buffer_format(out, "}\n  \\label{tab:%s}\n", label);
    /* A line of an article has room for about 70 letters, less a little for each column. */
    int gaps = 5 * table->n_columns / 2, width = width_of(table, false) + gaps;
    bool is_broken = width > 72;
    width = is_broken ? width_of(table, true) + gaps : width;
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
            sp_buffer_text(out, is_best ? "\\textbf{" : "");
            if (r == 0 && is_broken)
                add_head(out, sp_table_get(table, r, c), table->aligns[c] == SP_RIGHT);
            else
                add_cell(out, sp_table_get(table, r, c), r > 0 && c > 0 && table->aligns[c] == SP_RIGHT);
            sp_buffer_text(out, is_best ? "}" : "");
        }
        sp_buffer_text(out, r == 0 ? " \\\\\n    \\midrule\n" : " \\\\\n");
    }
    sp_buffer_text(out, "    \\bottomrule\n  \\end{tabular}\n\\end{table}\n");
}
