/* Markdown tables as GitHub shows them. */
#include "report/document.h"
#include "statepath/report.h"

enum { MATRIX_CLASSES = 20, CLASSES = 60 };

typedef struct writer {
    const sp_comparison *comparison;
    sp_buffer out;
} writer;

/* "\n### viterbi: each class ...\n\n" */
static void heading(writer *w, const char *name, const char *title)
{
    sp_buffer_text(&w->out, "\n### ");
    if (name) {
        sp_buffer_markdown(&w->out, name);
        sp_buffer_text(&w->out, ": ");
    }
    sp_buffer_words(&w->out, title);
    sp_buffer_text(&w->out, "\n\n");
}

static void add_table(void *arg, const sp_document_row *row, int32_t strategy, const sp_table *table)
{
    writer *w = arg;
    const char *title = sp_document_title(row, table);
    if (*title)
        heading(w, strategy < 0 ? NULL : w->comparison->strategies[strategy].name, title);
    sp_table_markdown(table, &w->out);
    if (table->n_left_out)
        sp_buffer_format(&w->out, "\nand %lld more pairs.\n", (long long)table->n_left_out);
}

static void add_note(void *arg, const char *line)
{
    writer *w = arg;
    sp_buffer_format(&w->out, "\n%s\n", line);
}

static void add_sentences(void *arg, const sp_document_row *row, const sp_table *lines)
{
    (void)row;
    writer *w = arg;
    sp_buffer_text(&w->out, "\n");
    for (size_t i = 1; i <= sp_table_rows(lines); i++) {
        sp_buffer_text(&w->out, "- ");
        sp_buffer_markdown(&w->out, sp_table_get(lines, i, 0));
        sp_buffer_text(&w->out, "\n");
    }
}

static void add_matrices(void *arg, const sp_document_row *row, const sp_table *tables, int32_t n)
{
    writer *w = arg;
    heading(w, NULL, row->title);
    for (int32_t s = 0; s < n; s++) {
        sp_buffer_text(&w->out, s ? "\n" : "");
        sp_table_markdown(&tables[s], &w->out);
    }
}

static void add_top(writer *w)
{
    const sp_comparison *c = w->comparison;
    sp_buffer prices = {0};
    sp_buffer_text(&w->out, "## ");
    sp_buffer_markdown(&w->out, c->file ? c->file : "scores");
    sp_buffer_text(&w->out, "\n\n");
    sp_buffer_sizes(&w->out, c);
    sp_buffer_text(&w->out, "; model ");
    sp_buffer_markdown(&w->out, c->model_name ? c->model_name : "without a name");
    sp_buffer_say(&w->out, ", %jd forbidden transition%s.\n\n", c->forbidden_count,
                  sp_plural(c->forbidden_count));
    sp_add_prices(c, &prices);
    if (prices.length) {
        sp_buffer_markdown(&w->out, prices.data);
        sp_buffer_text(&w->out, "\n\n");
    }
    sp_buffer_drop(&prices, &w->out);
}

sp_status sp_report_markdown(const sp_comparison *comparison, char **out, sp_error *err)
{
    writer w = {.comparison = comparison, .out.words = &comparison->words};
    const sp_document_writer document = {
        .where = SP_MARKDOWN,
        .options = {.is_wide = true, .most_classes = CLASSES, .most_matrix = MATRIX_CLASSES},
        .rows_index = 1,
        .table = add_table,
        .note = add_note,
        .sentences = add_sentences,
        .matrices = add_matrices,
        .arg = &w};
    add_top(&w);
    w.out.failed |= !sp_document_write(comparison, &document);
    return sp_buffer_finish(&w.out, out, err);
}
