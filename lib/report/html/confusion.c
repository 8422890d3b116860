/* Matrices as tables: a screen reader walks them by row and column, a number stands in every cell, colour only helps. */
#include "report/html/page.h"

#include <stdlib.h>

enum {
    MATRIX_CLASSES = 60, /* up to here there is a matrix at all */
    OPEN_CLASSES = 7,    /* up to here the difference of the focus from argmax stands open */
    CONFUSIONS = 15,     /* listed of each strategy */
    LISTED_CLASSES =
        20, /* more: the most frequent confusions first, the matrices of so many strategies behind a fold */
    MOST_MATRICES = 4,
};

static size_t cell(const sp_comparison *c, int32_t i, int32_t j)
{
    return (size_t)i * (size_t)c->n_classes + (size_t)j;
}

/* ---- a matrix of the page ---- */

void sp_page_matrix(sp_page *page, sp_matrix matrix, const char *title, ...)
{
    va_list arguments;
    va_start(arguments, title);
    matrix.classes = (const char *const *)page->comparison->classes;
    matrix.n = page->comparison->n_classes;
    sp_buffer_text(&page->out, "<section><h3>");
    sp_html_vsay(&page->out, title, arguments);
    sp_buffer_text(&page->out, "</h3>\n");
    sp_matrix_write(&page->out, &matrix);
    sp_frame_section_end(&page->out, SP_FRAME_OPEN);
    va_end(arguments);
}

/* ---- confusion ---- */

/* Of a strategy, or its difference from another. */
typedef struct confusion {
    const sp_comparison *c;
    const sp_strategy_result *strategy, *other;
} confusion;

static void total_cell(sp_buffer *out, int64_t count)
{
    sp_buffer_say(out, "<td class=\"total\">%jd</td>", count);
}

static void count_cell(const sp_comparison *c, int64_t count, int64_t row_sum, bool is_diagonal,
                       sp_buffer *out)
{
    double share = row_sum ? (double)count / (double)row_sum : 0;
    int level = count == 0 ? 0 : 1 + (int)(share * 9.0 + 0.5);
    if (level == 0 && !is_diagonal && c->n_classes > SP_TWO_LINE_CLASSES)
        sp_buffer_text(out, "<td>"); /* thousands of them */
    else
        sp_buffer_format(out, "<td class=\"h%d%s\">", level > 10 ? 10 : level,
                         is_diagonal ? " diagonal" : "");
    sp_buffer_count(out, count);
    if (c->n_classes <= SP_TWO_LINE_CLASSES && row_sum)
        sp_buffer_say(out, "<span>%.1f&nbsp;%%</span>", 100 * share);
    else if (c->n_classes <= SP_TWO_LINE_CLASSES)
        sp_buffer_text(out, "<span>–</span>");
    sp_buffer_text(out, "</td>");
}

/* Behind the classes stand steps that were not decoded, where there are any, and the sum of the row. */
static void confusion_cell(const void *arg, int32_t i, int32_t j, sp_buffer *out)
{
    const confusion *m = arg;
    const int64_t row_sum = m->strategy->classes[i].support;
    if (j < m->c->n_classes)
        count_cell(m->c, m->strategy->confusion[cell(m->c, i, j)], row_sum, i == j, out);
    else if (j == m->c->n_classes && m->strategy->n_undecoded)
        count_cell(m->c, m->strategy->undecoded_steps[i], row_sum, false, out);
    else
        total_cell(out, row_sum);
}

/* The last row: how often each class was decoded. */
static void confusion_totals(const void *arg, sp_buffer *out)
{
    const confusion *m = arg;
    int64_t all = 0, undecoded = 0;
    sp_buffer_text(out, "<tr><th scope=\"row\">all</th>");
    for (int32_t j = 0; j < m->c->n_classes; j++) {
        int64_t sum = 0;
        for (int32_t i = 0; i < m->c->n_classes; i++)
            sum += m->strategy->confusion[cell(m->c, i, j)];
        total_cell(out, sum);
        undecoded += m->strategy->undecoded_steps[j];
        all += sum;
    }
    if (m->strategy->n_undecoded)
        total_cell(out, undecoded);
    total_cell(out, all + undecoded);
    sp_buffer_text(out, "</tr>\n");
}

static void confusion_matrix(sp_page *page, const sp_strategy_result *strategy)
{
    const bool has_undecoded = strategy->n_undecoded > 0;
    sp_page_matrix(page,
                   (sp_matrix){.corner = "reference \\ decoded",
                               .label = "Confusion matrix, reference by decoded",
                               .last = has_undecoded ? "undecoded</th><th scope=\"col\">all" : "all",
                               .n_last = 1 + has_undecoded,
                               .counts = "confusion",
                               .strategy = (int32_t)(strategy - page->comparison->strategies),
                               .cell = confusion_cell,
                               .foot = confusion_totals,
                               .arg = &(confusion){page->comparison, strategy, NULL}},
                   "%s", strategy->name);
}

/* B - A: what moved. Coloured by share of the row, by sign. */
static void difference_cell(const void *arg, int32_t i, int32_t j, sp_buffer *out)
{
    const confusion *m = arg;
    const size_t at = cell(m->c, i, j);
    const int64_t d = m->strategy->confusion[at] - m->other->confusion[at],
                  support = m->strategy->classes[i].support;
    const double share = support ? 100.0 * (double)llabs(d) / (double)support : 0;
    const int level = d == 0 ? 0 : share < 0.5 ? 1 : share < 2 ? 2 : 3;
    if (d == 0 && i != j && m->c->n_classes > SP_TWO_LINE_CLASSES)
        sp_buffer_text(out, "<td>0</td>");
    else
        sp_buffer_say(out, "<td class=\"%s%d%s\">%s%jd</td>",
                      d > 0   ? "more"
                      : d < 0 ? "less"
                              : "h",
                      level, i == j ? " diagonal" : "", d > 0 ? "+" : "", d);
}

static void difference_matrix(sp_page *page, const sp_strategy_result *strategy,
                              const sp_strategy_result *other)
{
    sp_page_matrix(page,
                   (sp_matrix){.corner = "reference \\ decoded",
                               .label = "Difference of the confusion matrices",
                               .cell = difference_cell,
                               .arg = &(confusion){page->comparison, strategy, other}},
                   "%s − %s", strategy->name, other->name);
}

typedef struct confused {
    int32_t i, j;
    int64_t count;
} confused;

static int by_count(const void *a, const void *b)
{
    const confused *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return x->i != y->i ? (x->i < y->i ? -1 : 1) : (x->j > y->j) - (x->j < y->j);
}

/* Too many classes for a matrix: the most frequent confusions. */
static void confusion_list(sp_page *page, const sp_strategy_result *strategy)
{
    const sp_comparison *c = page->comparison;
    size_t n = 0, room = (size_t)c->n_classes * (size_t)c->n_classes;
    sp_table table = {.title = "Most frequent confusions", .text.words = &c->words};
    confused *all = malloc(room * sizeof *all);
    if (!all) {
        page->out.failed = true;
        return;
    }
    for (int32_t i = 0; i < c->n_classes; i++)
        for (int32_t j = 0; j < c->n_classes; j++)
            if (i != j && strategy->confusion[cell(c, i, j)])
                all[n++] = (confused){.i = i, .j = j, .count = strategy->confusion[cell(c, i, j)]};
    qsort(all, n, sizeof *all, by_count);
    sp_table_columns(&table, "reference|<decoded|{steps}|of the class");
    for (size_t i = 0; i < n && i < CONFUSIONS; i++) {
        sp_table_cell_text(&table, SP_TONE_PLAIN, c->classes[all[i].i]);
        sp_table_cell_text(&table, SP_TONE_PLAIN, c->classes[all[i].j]);
        sp_table_cell_count(&table, SP_TONE_PLAIN, all[i].count);
        sp_buffer_percent(sp_table_cell(&table, SP_TONE_PLAIN), all[i].count,
                          strategy->classes[all[i].i].support);
    }
    sp_html_say(&page->out, "<section><h3>%s</h3>\n", strategy->name);
    if (n)
        sp_table_html(&table, "sortable", NULL, &page->out);
    else
        sp_buffer_words(&page->out, "<p class=\"small\">No {step} is confused with another class.</p>\n");
    if (n > CONFUSIONS)
        sp_buffer_say(&page->out,
                      "<p class=\"small\">The %d most frequent of %jd pairs; the JSON file holds all.</p>\n",
                      CONFUSIONS, (int64_t)n);
    sp_frame_section_end(&page->out, SP_FRAME_OPEN);
    sp_table_free(&table);
    free(all);
}

/* What the focus moves stands beside the matrices while they are small. */
static bool has_open_difference(const sp_page *page)
{
    return page->comparison->n_classes <= OPEN_CLASSES && page->argmax >= 0 && page->focus >= 0 &&
           page->focus != page->argmax;
}

static void explain_matrix(sp_page *page)
{
    sp_buffer_say(&page->out,
                  "<p class=\"small\">Rows: reference, columns: decoded. {Steps}%s; the colour is the share "
                  "of the row, on the "
                  "same scale everywhere. Framed: right.",
                  page->comparison->n_classes <= SP_TWO_LINE_CLASSES ? ", and per cent of the row" : "");
    if (has_open_difference(page))
        sp_buffer_say(&page->out, " Difference: {steps} more (+) or fewer (-) than %s has in the cell.",
                      page->comparison->n_against ? "the other" : "argmax");
    sp_buffer_text(&page->out, "</p>\n");
}

/* Of the first n strategies, but for argmax and the one that stands open. */
static void differences(sp_page *page, int32_t n)
{
    const sp_comparison *c = page->comparison;
    bool is_open = false;
    for (int32_t s = 0; s < n; s++) {
        const int32_t argmax = c->strategies[s].argmax;
        if (argmax < 0 || s == argmax || (has_open_difference(page) && s == page->focus))
            continue;
        if (!is_open)
            sp_buffer_text(
                &page->out,
                has_open_difference(page)
                    ? "<details><summary>Differences of the others from argmax</summary>\n"
                      "<div class=\"grid\">\n"
                    : "<details><summary>Differences from argmax</summary>\n<div class=\"grid\">\n");
        is_open = true;
        difference_matrix(page, &c->strategies[s], &c->strategies[argmax]);
    }
    if (is_open)
        sp_buffer_words(&page->out, "</div>\n<p class=\"small\">{Steps} more (+) or fewer (-) than argmax "
                                    "has in the cell.</p></details>\n");
}

void sp_page_confusions(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    sp_buffer *out = &page->out;
    bool is_list = c->n_classes > LISTED_CLASSES, has_matrix = c->n_classes <= MATRIX_CLASSES;
    int32_t n_matrices = !is_list || c->n_strategies < MOST_MATRICES ? c->n_strategies : MOST_MATRICES;
    sp_buffer_text(out, "<div class=\"grid\">\n");
    for (int32_t s = 0; page->files && !is_list && s < c->n_strategies; s++)
        sp_page_confusion_picture(page, &c->strategies[s]);
    for (int32_t s = 0; s < c->n_strategies; s++) {
        if (is_list)
            confusion_list(page, &c->strategies[s]);
        else
            confusion_matrix(page, &c->strategies[s]);
    }
    if (has_open_difference(page))
        difference_matrix(page, &c->strategies[page->focus], &c->strategies[page->argmax]);
    for (int32_t i = 0; c->n_classes <= OPEN_CLASSES && page->focus >= 0 && i < c->n_against; i++) {
        const int32_t same = sp_same_strategy(c, page->focus, i);
        if (same >= 0)
            difference_matrix(page, &c->strategies[page->focus], &c->strategies[same]);
    }
    sp_buffer_text(out, "</div>\n");
    if (!has_matrix) {
        sp_buffer_format(
            out, "<p class=\"small\">%d classes are too many for a matrix; the JSON file holds it.</p>\n",
            (int)c->n_classes);
    } else if (is_list) {
        sp_buffer_text(out, "<details><summary>The whole matrices</summary>\n");
        for (int32_t s = 0; s < n_matrices; s++)
            confusion_matrix(page, &c->strategies[s]);
        explain_matrix(page);
        if (n_matrices < c->n_strategies)
            sp_buffer_format(out,
                             "<p class=\"small\">Of the first %d strategies; the JSON file holds all.</p>\n",
                             (int)n_matrices);
        sp_buffer_text(out, "</details>\n");
    } else {
        explain_matrix(page);
    }
    if (has_matrix && page->argmax >= 0)
        differences(page, n_matrices);
}
