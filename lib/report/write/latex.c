/* Tables for a paper. */
#include "report/document.h"
#include "statepath/report.h"

#include <stdio.h>

enum { MATRIX_CLASSES = 12, CLASSES = 40 };

typedef struct writer {
    const sp_comparison *comparison;
    sp_buffer out;
} writer;

static void add_table(void *arg, const sp_document_row *row, int32_t strategy, const sp_table *table)
{
    (void)strategy;
    writer *w = arg;
    if (table->n_left_out)
        sp_buffer_format(&w->out, "%% The %d most frequent of %lld illegal transitions:\n",
                         (int)sp_table_rows(table),
                         (long long)sp_table_rows(table) + (long long)table->n_left_out);
    sp_table_latex(table, row->key, w->comparison->file, &w->out);
}

/* "confusion-1", ... */
static void add_matrices(void *arg, const sp_document_row *row, const sp_table *tables, int32_t n)
{
    writer *w = arg;
    for (int32_t s = 0; s < n; s++) {
        char label[64];
        snprintf(label, sizeof label, "%s-%d", row->key, (int)s + 1);
        sp_table_latex(&tables[s], label, w->comparison->file, &w->out);
    }
}

/* A comment ends with its line: names must not begin a new one. */
static void add_comment(sp_buffer *out, const char *before, const char *text)
{
    sp_buffer_format(out, "%% %s ", before);
    sp_buffer_name(out, text, 0);
    sp_buffer_text(out, "\n");
}

sp_status sp_report_latex(const sp_comparison *comparison, char **out, sp_error *err)
{
    const sp_comparison *c = comparison;
    writer w = {.comparison = c, .out.words = &c->words};
    const sp_document_writer document = {.where = SP_LATEX,
                                         .options = {.most_classes = CLASSES, .most_matrix = MATRIX_CLASSES},
                                         .rows_index = 2,
                                         .table = add_table,
                                         .matrices = add_matrices,
                                         .arg = &w};
    sp_buffer_format(
        &w.out,
        "%% Made by statepath %s; needs \\usepackage{booktabs} and \\usepackage[T1]{fontenc}, and "
        "\\usepackage{textcomp} in LaTeX before 2020.\n",
        sp_version());
    add_comment(&w.out, "Input", c->file ? c->file : "scores");
    add_comment(&w.out, "Model", c->model_name ? c->model_name : "without a name");
    if (c->command)
        add_comment(&w.out, "Command", c->command);
    sp_buffer_text(
        &w.out,
        "% Letters that pdfLaTeX does not know; XeLaTeX and LuaLaTeX set them, if the font has them.\n"
        "\\ifdefined\\Umathchar\\providecommand{\\spchar}[2]{#1}\\else\\providecommand{\\spchar}[2]{[U+#2]}"
        "\\fi\n");
    w.out.failed |= !sp_document_write(c, &document);
    return sp_buffer_finish(&w.out, out, err);
}
