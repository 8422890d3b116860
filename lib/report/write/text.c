#include "report/document.h"
#include "statepath/report.h"

#include <stdlib.h>
#include <string.h>

enum { DEFAULT_WIDTH = 100, LEAST_WIDTH = 40, MATRIX_CLASSES = 12, CLASSES = 30, MATRIX_NAME = 8 };

typedef struct writer {
    const sp_comparison *comparison;
    sp_text_style style;
    bool is_verbose;
    sp_buffer out;
} writer;

static void add_name(sp_buffer *out, const writer *w, const char *text, int width)
{
    sp_buffer name = {0};
    sp_buffer_name(&name, text, width);
    sp_text_plain(out, sp_buffer_string(&name), w->style.ascii);
    sp_buffer_drop(&name, out);
}

static void heading(writer *w, const char *name, const char *title)
{
    sp_buffer words = {.words = w->out.words};
    sp_buffer_text(&w->out, w->style.colour ? "\n\033[1m" : "\n");
    if (name) {
        add_name(&w->out, w, name, 0);
        sp_buffer_text(&w->out, ": ");
    }
    sp_buffer_words(&words, title);
    sp_text_plain(&w->out, sp_buffer_string(&words), w->style.ascii);
    sp_buffer_text(&w->out, w->style.colour ? "\033[0m\n" : "\n");
    sp_buffer_drop(&words, &w->out);
}

/* Adds a sentence broken at spaces, the following lines indented. */
static void wrapped(writer *w, const char *text, int indent)
{
    sp_buffer plain = {0};
    add_name(&plain, w, text, 0);
    int column = 0;
    for (char *word = plain.data; word && *word;) {
        size_t n = strcspn(word, " ");
        char end = word[n];
        word[n] = '\0';
        int width = sp_text_width(word);
        if (column > indent && column + 1 + width > w->style.width) {
            sp_buffer_text(&w->out, "\n");
            sp_buffer_repeat(&w->out, ' ', indent);
            column = indent;
        } else if (column) {
            sp_buffer_text(&w->out, " ");
            column++;
        }
        sp_buffer_text(&w->out, word);
        column += width;
        word += n + (end != '\0');
    }
    sp_buffer_text(&w->out, "\n");
    sp_buffer_drop(&plain, &w->out);
}

static void add_top(writer *w)
{
    const sp_comparison *c = w->comparison;
    sp_buffer line = {.words = &c->words};
    sp_buffer_format(&line, "%s: ", c->file ? c->file : "scores");
    sp_buffer_sizes(&line, c);
    wrapped(w, sp_buffer_string(&line), 2);
    sp_buffer_drop(&line, &w->out);
    sp_buffer_say(&line, "model %s: %d class%s, %jd forbidden transition%s",
                  c->model_name ? c->model_name : "?", (int)c->n_classes, c->n_classes == 1 ? "" : "es",
                  c->forbidden_count, sp_plural(c->forbidden_count));
    wrapped(w, sp_buffer_string(&line), 2);
    sp_buffer_drop(&line, &w->out);
    sp_add_prices(c, &line);
    if (line.length)
        wrapped(w, line.data, 2);
    sp_buffer_drop(&line, &w->out);
}

/* ---- confusion matrices, side by side ---- */

static void side_by_side(writer *w, const sp_table *tables, const sp_text_fit *fits, int32_t n)
{
    for (size_t r = 0; r <= sp_table_rows(&tables[0]); r++)
        for (int32_t i = 0; i < n; i++) {
            sp_table_text_row(&tables[i], &fits[i], &w->style, r, &w->out);
            sp_buffer_text(&w->out, i + 1 < n
                                        ? "    "
                                        : "\n"); /* the last column of a matrix is filled to its right end */
        }
}

static void add_matrices(void *arg, const sp_document_row *row, const sp_table *tables, int32_t n)
{
    writer *w = arg;
    sp_text_fit *fits = calloc((size_t)n, sizeof *fits);
    w->out.failed |= !fits;
    heading(w, NULL, row->title);
    for (int32_t s = 0; !w->out.failed && s < n; s++)
        w->out.failed = !sp_table_fit(&tables[s], w->style.width, MATRIX_NAME, &fits[s]);
    for (int32_t s = 0, m; !w->out.failed && s < n; s += m) {
        int width = fits[s].total;
        for (m = 1; s + m < n && width + 4 + fits[s + m].total <= w->style.width; m++)
            width += 4 + fits[s + m].total;
        sp_buffer_text(&w->out, s ? "\n" : "");
        side_by_side(w, tables + s, fits + s, m);
    }
    for (int32_t s = 0; fits && s < n; s++)
        sp_text_fit_free(&fits[s]);
    free(fits);
}

/* ---- tables and sentences ---- */

static bool has_star(const sp_table *table)
{
    for (size_t i = 0; i < table->n_cells; i++)
        if (table->cells[i].tone == SP_TONE_BEST)
            return true;
    return false;
}

/* The first table stands under the title of the report, and explains its stars. */
static void add_table(void *arg, const sp_document_row *row, int32_t strategy, const sp_table *table)
{
    writer *w = arg;
    const char *title = sp_document_title(row, table);
    if (*title)
        heading(w, strategy < 0 ? NULL : w->comparison->strategies[strategy].name, title);
    else
        sp_buffer_text(&w->out, "\n");
    sp_table_text(table, &w->style, &w->out);
    if (!*title && has_star(table))
        sp_buffer_text(&w->out, "* best of its column\n");
    if (table->n_left_out)
        sp_buffer_format(&w->out, "and %lld more pairs (a verbose report lists them, the JSON holds all)\n",
                         (long long)table->n_left_out);
}

static void add_note(void *arg, const char *line)
{
    wrapped(arg, line, 1);
}

static void add_sentences(void *arg, const sp_document_row *row, const sp_table *lines)
{
    writer *w = arg;
    sp_buffer_text(&w->out, row->title ? "\n" : ""); /* without one they belong to the table before */
    for (size_t i = 1; i <= sp_table_rows(lines); i++)
        wrapped(w, sp_table_get(lines, i, 0), 2);
}

/* What stands nowhere else: files with the same figures are to have the same bytes. */
static void add_seconds(writer *w)
{
    const sp_comparison *c = w->comparison;
    heading(w, NULL, "Time spent decoding");
    for (int32_t s = 0; s < c->n_strategies; s++) {
        add_name(&w->out, w, c->strategies[s].name, 0);
        sp_buffer_say(&w->out, "  %.3f s\n", c->strategies[s].seconds);
    }
}

sp_status sp_report_text(const sp_comparison *comparison, const sp_text_options *options, char **out,
                         sp_error *err)
{
    const sp_text_options how = options ? *options : (sp_text_options){.width = 0};
    const int width = how.width > 0 ? how.width : DEFAULT_WIDTH;
    writer w = {.comparison = comparison,
                .out.words = &comparison->words,
                .style = {.width = width < LEAST_WIDTH ? LEAST_WIDTH : width,
                          .colour = how.colour,
                          .ascii = how.ascii}};
    const sp_document_writer document = {.where = how.verbose ? SP_TERMINAL | SP_VERBOSE : SP_TERMINAL,
                                         .options = {.is_wide = how.verbose,
                                                     .is_brief = !how.verbose,
                                                     .is_compact = true,
                                                     .most_classes = how.verbose ? 0 : CLASSES,
                                                     .most_matrix = MATRIX_CLASSES},
                                         .rows_index = how.verbose ? -1 : 0,
                                         .table = add_table,
                                         .note = add_note,
                                         .sentences = add_sentences,
                                         .matrices = add_matrices,
                                         .arg = &w};
    add_top(&w);
    w.out.failed |= !sp_document_write(comparison, &document);
    if (how.verbose)
        add_seconds(&w);
    return sp_buffer_finish(&w.out, out, err);
}
