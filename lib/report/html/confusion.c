/* Matrices as tables: a screen reader walks them by row and column, a number stands in every cell, colour only helps. */
#include "report/html/page.h"

#include <stdlib.h>

enum {
    MATRIX_CLASSES = 60, /* up to here there is a matrix at all */
    OPEN_CLASSES = 7,    /* up to here the difference of the focus from argmax stands open */
    CONFUSIONS = 15,     /* listed of each strategy */
    LISTED_CLASSES = 20, /* more: the most frequent confusions first, the matrices of so many strategies behind a fold */
    MOST_MATRICES = 4,
};

static size_t cell(const sp_comparison *c, int32_t i, int32_t j)
{
    return (size_t)i * (size_t)c->n_classes + (size_t)j;
}

void sp_page_matrix_begin(sp_page *page, sp_matrix matrix)
{
    matrix.classes = (const char *const *)page->comparison->classes;
    matrix.n = page->comparison->n_classes;
    sp_matrix_begin(&page->out, &matrix);
}

/* ---- confusion ---- */

static void confusion_cell(sp_page *page, int64_t count, int64_t row_sum, bool is_diagonal)
{
    sp_buffer *out = &page->out;
    double share = row_sum ? (double)count / (double)row_sum : 0;
    int level = count == 0 ? 0 : 1 + (int)(share * 9.0 + 0.5);
    if (level == 0 && !is_diagonal && page->comparison->n_classes > SP_TWO_LINE_CLASSES)
        sp_buffer_text(out, "<td>"); /* thousands of them */
    else
        sp_buffer_format(out, "<td class=\"h%d%s\">", level > 10 ? 10 : level, is_diagonal ? " diagonal" : "");
    sp_buffer_count(out, count);
    if (page->comparison->n_classes <= SP_TWO_LINE_CLASSES) {
        sp_buffer_text(out, "<span>");
        if (row_sum)
            sp_buffer_fixed(out, 100 * share, 1);
        else
            sp_buffer_text(out, "–");
        sp_buffer_text(out, row_sum ? "&nbsp;%</span>" : "</span>");
    }
    sp_buffer_text(out, "</td>");
}

static void total_cell(sp_page *page, int64_t count)
{
    sp_buffer_say(&page->out, "<td class=\"total\">%jd</td>", count);
}

/* The last row: how often each class was decoded. */
static void confusion_totals(sp_page *page, const sp_strategy_result *strategy)
{
    const sp_comparison *c = page->comparison;
    int64_t all = 0, undecoded = 0;
    sp_buffer_text(&page->out, "<tr><th scope=\"row\">all</th>");
    for (int32_t j = 0; j < c->n_classes; j++) {
        int64_t sum = 0;
        for (int32_t i = 0; i < c->n_classes; i++)
            sum += strategy->confusion[cell(c, i, j)];
        total_cell(page, sum);
        undecoded += strategy->undecoded_steps[j];
        all += sum;
    }
    if (strategy->n_undecoded)
        total_cell(page, undecoded);
    total_cell(page, all + undecoded);
    sp_buffer_text(&page->out, "</tr>\n");
}

static void confusion_matrix(sp_page *page, const sp_strategy_result *strategy)
{
    const sp_comparison *c = page->comparison;
    sp_html_say(&page->out, "<section><h3>%s</h3>\n", strategy->name);
    sp_page_matrix_begin(page, (sp_matrix){.corner = "reference \\ decoded",
                                           .label = "Confusion matrix, reference by decoded",
                                           .last = strategy->n_undecoded ? "undecoded</th><th scope=\"col\">all" : "all",
                                           .counts = "confusion",
                                           .strategy = (int32_t)(strategy - c->strategies)});
    for (int32_t i = 0; i < c->n_classes; i++) {
        int64_t row_sum = strategy->classes[i].support;
        sp_matrix_row(&page->out, c->classes[i]);
        for (int32_t j = 0; j < c->n_classes; j++)
            confusion_cell(page, strategy->confusion[cell(c, i, j)], row_sum, i == j);
        if (strategy->n_undecoded)
            confusion_cell(page, strategy->undecoded_steps[i], row_sum, false);
        total_cell(page, row_sum);
        sp_buffer_text(&page->out, "</tr>\n");
    }
    confusion_totals(page, strategy);
    sp_matrix_end(&page->out);
    sp_buffer_text(&page->out, "</section>\n");
}

/* B - A: what moved. Coloured by share of the row, by sign. */
static void difference_matrix(sp_page *page, const sp_strategy_result *strategy, const sp_strategy_result *other)
{
    const sp_comparison *c = page->comparison;
    sp_html_say(&page->out, "<section><h3>%s − %s</h3>\n", strategy->name, other->name);
    sp_page_matrix_begin(page, (sp_matrix){.corner = "reference \\ decoded", .label = "Difference of the confusion matrices"});
    for (int32_t i = 0; i < c->n_classes; i++) {
        sp_matrix_row(&page->out, c->classes[i]);
        for (int32_t j = 0; j < c->n_classes; j++) {
            int64_t d = strategy->confusion[cell(c, i, j)] - other->confusion[cell(c, i, j)],
                    support = strategy->classes[i].support;
            double share = support ? 100.0 * (double)llabs(d) / (double)support : 0;
            int level = d == 0 ? 0 : share < 0.5 ? 1 : share < 2 ? 2 : 3;
            if (d == 0 && i != j && c->n_classes > SP_TWO_LINE_CLASSES) {
                sp_buffer_text(&page->out, "<td>0</td>");
                continue;
            }
            sp_buffer_say(&page->out, "<td class=\"%s%d%s\">%s%jd</td>",
                          d > 0   ? "more"
                          : d < 0 ? "less"
                                  : "h",
                          level, i == j ? " diagonal" : "", d > 0 ? "+" : "", d);
        }
        sp_buffer_text(&page->out, "</tr>\n");
    }
    sp_matrix_end(&page->out);
    sp_buffer_text(&page->out, "</section>\n");
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
        sp_buffer_percent(sp_table_cell(&table, SP_TONE_PLAIN), all[i].count, strategy->classes[all[i].i].support);
    }
    sp_html_say(&page->out, "<section><h3>%s</h3>\n", strategy->name);
    if (n)
        sp_table_html(&table, "sortable", NULL, &page->out);
    else
        sp_buffer_words(&page->out, "<p class=\"small\">No {step} is confused with another class.</p>\n");
    if (n > CONFUSIONS)
        sp_buffer_say(&page->out, "<p class=\"small\">The %d most frequent of %jd pairs; the JSON file holds all.</p>\n",
                      CONFUSIONS, (int64_t)n);
    sp_buffer_text(&page->out, "</section>\n");
    sp_table_free(&table);
    free(all);
}

/* What the focus moves stands beside the matrices while they are small. */
static bool has_open_difference(const sp_page *page)
{
    return page->comparison->n_classes <= OPEN_CLASSES && page->argmax >= 0 && page->focus >= 0 && page->focus != page->argmax;
}

static void explain_matrix(sp_page *page)
{
    sp_buffer_say(&page->out,
                  "<p class=\"small\">Rows: reference, columns: decoded. {Steps}%s; the colour is the share of the row, on the "
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
            sp_buffer_text(&page->out, has_open_difference(page)
                                           ? "<details><summary>Differences of the others from argmax</summary>\n"
                                             "<div class=\"grid\">\n"
                                           : "<details><summary>Differences from argmax</summary>\n<div class=\"grid\">\n");
        is_open = true;
        difference_matrix(page, &c->strategies[s], &c->strategies[argmax]);
    }
    if (is_open)
        sp_buffer_words(&page->out,
                        "</div>\n<p class=\"small\">{Steps} more (+) or fewer (-) than argmax has in the cell.</p></details>\n");
}

void sp_page_confusions(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    sp_buffer *out = &page->out;
    bool is_list = c->n_classes > LISTED_CLASSES, has_matrix = c->n_classes <= MATRIX_CLASSES;
    int32_t n_matrices = !is_list || c->n_strategies < MOST_MATRICES ? c->n_strategies : MOST_MATRICES;
    sp_frame_section(&page->out, "confusion", "Confusion");
    sp_buffer_text(out, "<div class=\"grid\">\n");
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
        sp_buffer_format(out, "<p class=\"small\">%d classes are too many for a matrix; the JSON file holds it.</p>\n",
                         (int)c->n_classes);
    } else if (is_list) {
        sp_buffer_text(out, "<details><summary>The whole matrices</summary>\n");
        for (int32_t s = 0; s < n_matrices; s++)
            confusion_matrix(page, &c->strategies[s]);
        explain_matrix(page);
        if (n_matrices < c->n_strategies)
            sp_buffer_format(out, "<p class=\"small\">Of the first %d strategies; the JSON file holds all.</p>\n",
                             (int)n_matrices);
        sp_buffer_text(out, "</details>\n");
    } else {
        explain_matrix(page);
    }
    if (has_matrix && page->argmax >= 0)
        differences(page, n_matrices);
    sp_buffer_text(out, "</section>\n");
}
