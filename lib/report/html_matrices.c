/* Matrices as tables: a screen reader walks them by row and column, a number stands in every cell, colour and hatching only help.
 * Confusion: count over row per cent. Legality: the cells that the model forbids are hatched and hold how often they happened. */
#include "report/html_page.h"

#include <stdlib.h>

enum {
    TWO_LINE_CLASSES = SP_TWO_LINE_CLASSES,
    MATRIX_CLASSES = 60, /* up to here there is a matrix at all */
    UPRIGHT_CLASSES = 7, /* more names stand turned above their columns */
    LEGALITY_CLASSES = 60,
    CONFUSIONS = 15,     /* listed of each strategy */
    LISTED_CLASSES = 20, /* more: the most frequent confusions first, the matrices of so many strategies behind a fold */
    MOST_MATRICES = 4,
    LISTED = 40, /* rows of a list that stands for a matrix */
};

static size_t cell(const sp_comparison *c, int32_t i, int32_t j)
{
    return (size_t)i * (size_t)c->n_classes + (size_t)j;
}

void sp_page_matrix_begin(sp_page *page, const char *corner, const char *label, const char *last)
{
    const sp_comparison *c = page->comparison;
    sp_buffer *out = &page->out;
    const char *look = c->n_classes > TWO_LINE_CLASSES ? " many" : c->n_classes > UPRIGHT_CLASSES ? " turned" : "";
    sp_buffer_format(
        out,
        "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"%s\"><table class=\"matrix%s\">\n<thead><tr>"
        "<th scope=\"col\" class=\"corner\">%s</th>",
        label, look, corner);
    for (int32_t j = 0; j < c->n_classes; j++) {
        sp_buffer_text(out, "<th scope=\"col\">");
        sp_page_name(page, c->classes[j]);
        sp_buffer_text(out, "</th>");
    }
    if (last)
        sp_buffer_format(out, "<th scope=\"col\">%s</th>", last);
    sp_buffer_text(out, "</tr></thead>\n<tbody>\n");
}

void sp_page_row_begin(sp_page *page, int32_t i)
{
    sp_buffer_text(&page->out, "<tr><th scope=\"row\">");
    sp_page_name(page, page->comparison->classes[i]);
    sp_buffer_text(&page->out, "</th>");
}

void sp_page_matrix_end(sp_page *page)
{
    sp_buffer_text(&page->out, "</tbody></table></div>\n");
}

/* ---- legality ---- */

bool sp_has_legality(const sp_comparison *comparison)
{
    return comparison->n_strategies > 0 && (comparison->forbidden_count > 0 || comparison->reference.illegal > 0);
}

uint8_t *sp_page_forbidden_matrix(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    if (c->n_classes > LEGALITY_CLASSES || c->n_forbidden < c->forbidden_count)
        return NULL;
    uint8_t *forbidden = calloc((size_t)c->n_classes * (size_t)c->n_classes, 1);
    if (!forbidden) {
        page->out.failed = true;
        return NULL;
    }
    for (int64_t i = 0; i < c->n_forbidden; i++)
        forbidden[cell(c, c->forbidden[i].from, c->forbidden[i].to)] = 1;
    return forbidden;
}

static void legality_matrix(sp_page *page, const uint8_t *forbidden, const sp_pair_count *pairs, int64_t n)
{
    const sp_comparison *c = page->comparison;
    sp_buffer *out = &page->out;
    int64_t *counts = calloc((size_t)c->n_classes * (size_t)c->n_classes, sizeof *counts);
    if (!counts) {
        out->failed = true;
        return;
    }
    for (int64_t i = 0; i < n; i++)
        counts[cell(c, pairs[i].from, pairs[i].to)] = pairs[i].count;
    sp_page_matrix_begin(page, "from \\ to", "Illegal transitions from row to column", NULL);
    for (int32_t i = 0; i < c->n_classes; i++) {
        sp_page_row_begin(page, i);
        for (int32_t j = 0; j < c->n_classes; j++) {
            int64_t count = counts[cell(c, i, j)];
            if (!forbidden[cell(c, i, j)] && count == 0) {
                sp_buffer_text(out, "<td></td>");
                continue;
            }
            sp_buffer_text(out, count ? "<td class=\"forbidden made\"><b>" : "<td class=\"forbidden\"><b>");
            sp_buffer_count(out, count);
            sp_buffer_text(out, "</b></td>");
        }
        sp_buffer_text(out, "</tr>\n");
    }
    sp_page_matrix_end(page);
    free(counts);
}

static void legality_block(sp_page *page, const char *name, const sp_transition_counts *counts, const uint8_t *forbidden,
                           const sp_pair_count *pairs, int64_t n)
{
    sp_buffer *out = &page->out;
    sp_buffer_text(out, "<section><h3>");
    sp_page_name(page, name);
    sp_buffer_text(out, ": ");
    sp_buffer_count(out, counts->illegal);
    sp_buffer_text(out, " of ");
    sp_buffer_count(out, counts->transitions);
    sp_buffer_text(out, "</h3>\n");
    legality_matrix(page, forbidden, pairs, n);
    sp_buffer_text(out, "</section>\n");
}

void sp_page_legality(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    sp_buffer *out = &page->out;
    uint8_t *forbidden = sp_page_forbidden_matrix(page);
    bool has_legal = false;
    sp_page_section(page, "legality", "Illegal transitions");
    sp_buffer_text(out, "<p>“Illegal” is what this model forbids, not what nature does: ");
    sp_buffer_text(out, c->has_labels ? "the reference’s own count stands beside. " : "there is no reference to compare with. ");
    for (int32_t s = 0; s < c->n_strategies; s++) {
        if (c->strategies[s].counts.illegal)
            continue;
        sp_buffer_text(out, has_legal ? ", " : "Without any: ");
        sp_page_name(page, c->strategies[s].name);
        has_legal = true;
    }
    sp_buffer_text(out, has_legal ? ".</p>\n" : "</p>\n");
    sp_table rates = {0}, changes = {0};
    sp_fill_illegal_rates(c, &rates);
    sp_table_html(&rates, "", NULL, out);
    sp_fill_change_rates(c, &changes);
    sp_table_html(&changes, "", NULL, out);
    sp_table_free(&rates);
    sp_table_free(&changes);
    if (forbidden) {
        sp_buffer_text(out, "<div class=\"grid\">\n");
        if (c->has_labels)
            legality_block(page, "Reference", &c->reference, forbidden, c->reference_illegal_pairs, c->n_reference_illegal_pairs);
        for (int32_t s = 0; s < c->n_strategies; s++) {
            const sp_strategy_result *strategy = &c->strategies[s];
            if (strategy->counts.illegal || (!c->has_labels && s == 0))
                legality_block(page, strategy->name, &strategy->counts, forbidden, strategy->illegal_pairs,
                               strategy->n_illegal_pairs);
        }
        sp_buffer_text(out, "</div>\n<p class=\"small\">Rows: from, columns: to. Hatched: forbidden, with the number of times it "
                            "happened. Empty: allowed.</p>\n");
        sp_page_transitions(page, forbidden);
    } else {
        sp_buffer_text(out, "<p>The model forbids ");
        sp_buffer_count(out, c->forbidden_count);
        sp_buffer_text(out, " pairs, too many for a matrix.</p>\n");
    }
    sp_table table = {0};
    int64_t n = sp_fill_illegal_pairs(c, LISTED, &table);
    sp_table_html(&table, n > 15 ? "sortable tall" : "sortable", NULL, out);
    if (n > LISTED)
        sp_buffer_format(out, "<p class=\"small\">The %d most frequent of %lld pairs; the JSON file holds all.</p>\n", LISTED,
                         (long long)n);
    sp_table_free(&table);
    sp_buffer_text(out, "</section>\n");
    free(forbidden);
}

/* ---- confusion ---- */

static void confusion_cell(sp_page *page, int64_t count, int64_t row_sum, bool is_diagonal)
{
    sp_buffer *out = &page->out;
    double share = row_sum ? (double)count / (double)row_sum : 0;
    int level = count == 0 ? 0 : 1 + (int)(share * 9.0 + 0.5);
    if (level == 0 && !is_diagonal && page->comparison->n_classes > TWO_LINE_CLASSES)
        sp_buffer_text(out, "<td>"); /* thousands of them */
    else
        sp_buffer_format(out, "<td class=\"h%d%s\">", level > 10 ? 10 : level, is_diagonal ? " diagonal" : "");
    sp_buffer_count(out, count);
    if (page->comparison->n_classes <= TWO_LINE_CLASSES) {
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
    sp_buffer_text(&page->out, "<td class=\"total\">");
    sp_buffer_count(&page->out, count);
    sp_buffer_text(&page->out, "</td>");
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
    sp_buffer_text(&page->out, "<section><h3>");
    sp_page_name(page, strategy->name);
    sp_buffer_text(&page->out, "</h3>\n");
    sp_page_matrix_begin(page, "reference \\ decoded", "Confusion matrix, reference by decoded",
                         strategy->n_undecoded ? "undecoded</th><th scope=\"col\">all" : "all");
    for (int32_t i = 0; i < c->n_classes; i++) {
        int64_t row_sum = strategy->classes[i].support;
        sp_page_row_begin(page, i);
        for (int32_t j = 0; j < c->n_classes; j++)
            confusion_cell(page, strategy->confusion[cell(c, i, j)], row_sum, i == j);
        if (strategy->n_undecoded)
            confusion_cell(page, strategy->undecoded_steps[i], row_sum, false);
        total_cell(page, row_sum);
        sp_buffer_text(&page->out, "</tr>\n");
    }
    confusion_totals(page, strategy);
    sp_page_matrix_end(page);
    sp_buffer_text(&page->out, "</section>\n");
}

/* B - A: what moved. Coloured by share of the row, by sign. */
static void difference_matrix(sp_page *page, const sp_strategy_result *strategy, const sp_strategy_result *argmax)
{
    const sp_comparison *c = page->comparison;
    sp_buffer_text(&page->out, "<section><h3>");
    sp_page_name(page, strategy->name);
    sp_buffer_text(&page->out, " − argmax</h3>\n");
    sp_page_matrix_begin(page, "reference \\ decoded", "Difference of the confusion matrices", NULL);
    for (int32_t i = 0; i < c->n_classes; i++) {
        sp_page_row_begin(page, i);
        for (int32_t j = 0; j < c->n_classes; j++) {
            int64_t d = strategy->confusion[cell(c, i, j)] - argmax->confusion[cell(c, i, j)],
                    support = strategy->classes[i].support;
            double share = support ? 100.0 * (double)llabs(d) / (double)support : 0;
            int level = d == 0 ? 0 : share < 0.5 ? 1 : share < 2 ? 2 : 3;
            if (d == 0 && i != j && c->n_classes > TWO_LINE_CLASSES) {
                sp_buffer_text(&page->out, "<td>0</td>");
                continue;
            }
            sp_buffer_format(&page->out, "<td class=\"%s%d%s\">%s",
                             d > 0   ? "more"
                             : d < 0 ? "less"
                                     : "h",
                             level, i == j ? " diagonal" : "", d > 0 ? "+" : "");
            sp_buffer_count(&page->out, d);
            sp_buffer_text(&page->out, "</td>");
        }
        sp_buffer_text(&page->out, "</tr>\n");
    }
    sp_page_matrix_end(page);
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
    sp_table table = {.title = "Most frequent confusions"};
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
    sp_table_column(&table, SP_LEFT, "reference");
    sp_table_column(&table, SP_LEFT, "decoded");
    sp_table_column(&table, SP_RIGHT, "steps");
    sp_table_column(&table, SP_RIGHT, "of the class");
    for (size_t i = 0; i < n && i < CONFUSIONS; i++) {
        sp_table_cell_text(&table, SP_TONE_PLAIN, c->classes[all[i].i]);
        sp_table_cell_text(&table, SP_TONE_PLAIN, c->classes[all[i].j]);
        sp_table_cell_count(&table, SP_TONE_PLAIN, all[i].count);
        sp_buffer_percent(sp_table_cell(&table, SP_TONE_PLAIN), all[i].count, strategy->classes[all[i].i].support);
    }
    sp_buffer_text(&page->out, "<section><h3>");
    sp_page_name(page, strategy->name);
    sp_buffer_text(&page->out, "</h3>\n");
    sp_table_html(&table, "sortable", NULL, &page->out);
    sp_buffer_text(&page->out, "</section>\n");
    sp_table_free(&table);
    free(all);
}

static void explain_matrix(sp_page *page)
{
    sp_buffer_format(&page->out,
                     "<p class=\"small\">Rows: reference, columns: decoded. Steps%s; the colour is the share of the row, on the "
                     "same scale everywhere. Framed: right.</p>\n",
                     page->comparison->n_classes <= TWO_LINE_CLASSES ? ", and per cent of the row" : "");
}

void sp_page_confusions(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    sp_buffer *out = &page->out;
    bool is_list = c->n_classes > LISTED_CLASSES, has_matrix = c->n_classes <= MATRIX_CLASSES;
    int32_t n_matrices = !is_list || c->n_strategies < MOST_MATRICES ? c->n_strategies : MOST_MATRICES;
    sp_page_section(page, "confusion", "Confusion");
    sp_buffer_text(out, "<div class=\"grid\">\n");
    for (int32_t s = 0; s < c->n_strategies; s++) {
        if (is_list)
            confusion_list(page, &c->strategies[s]);
        else
            confusion_matrix(page, &c->strategies[s]);
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
    if (has_matrix && page->argmax >= 0 && c->n_strategies > 1) {
        sp_buffer_text(out, "<details><summary>Differences from argmax</summary>\n<div class=\"grid\">\n");
        for (int32_t s = 0; s < n_matrices; s++)
            if (s != page->argmax)
                difference_matrix(page, &c->strategies[s], &c->strategies[page->argmax]);
        sp_buffer_text(out,
                       "</div>\n<p class=\"small\">Steps more (+) or fewer (-) than argmax has in the cell.</p></details>\n");
    }
    sp_buffer_text(out, "</section>\n");
}
