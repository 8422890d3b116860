/* All transitions of the reference and of each strategy, from row to column, the forbidden ones hatched. Staying is far more
 * frequent than moving, so the colour goes with the logarithm of the count, on one scale for all of them. */
#include "report/html/page.h"

#include <math.h>

static int64_t greatest(const sp_comparison *c, const int64_t *transition_counts, int64_t most)
{
    for (int64_t i = 0; transition_counts && i < (int64_t)c->n_classes * c->n_classes; i++)
        most = transition_counts[i] > most ? transition_counts[i] : most;
    return most;
}

static void move_cell(sp_page *page, int64_t count, int64_t row_sum, bool is_forbidden, double log_most)
{
    sp_buffer *out = &page->out;
    int level = count == 0 ? 0 : log_most > 0 ? 1 + (int)(9 * log((double)count) / log_most) : 10;
    if (is_forbidden)
        sp_buffer_format(out, "<td class=\"forbidden%s\"><b>", count ? " made" : "");
    else
        sp_buffer_format(out, "<td class=\"h%d\">", level);
    sp_buffer_say(out, "%jd%s", count, is_forbidden ? "</b>" : "");
    if (page->comparison->n_classes <= SP_TWO_LINE_CLASSES && count && row_sum) {
        sp_buffer_text(out, "<span>");
        sp_buffer_percent(out, count, row_sum);
        sp_buffer_text(out, "</span>");
    }
    sp_buffer_text(out, "</td>");
}

static void transitions_block(sp_page *page, int32_t strategy, const char *name, const int64_t *transition_counts,
                              const uint8_t *forbidden, int64_t most)
{
    int32_t K = page->comparison->n_classes;
    if (!transition_counts)
        return;
    sp_html_say(&page->out, "<section><h3>%s</h3>\n", name);
    sp_page_matrix_begin(page, (sp_matrix){.corner = "from \\ to",
                                           .label = "All transitions from row to column",
                                           .counts = "transitions",
                                           .strategy = strategy});
    for (int32_t i = 0; i < K; i++) {
        const int64_t *row = transition_counts + (int64_t)i * K;
        int64_t sum = 0;
        for (int32_t j = 0; j < K; j++)
            sum += row[j];
        sp_matrix_row(&page->out, page->comparison->classes[i]);
        for (int32_t j = 0; j < K; j++)
            move_cell(page, row[j], sum, forbidden[(int64_t)i * K + j], log((double)most));
        sp_buffer_text(&page->out, "</tr>\n");
    }
    sp_matrix_end(&page->out);
    sp_buffer_text(&page->out, "</section>\n");
}

void sp_page_transitions(sp_page *page, const uint8_t *forbidden)
{
    const sp_comparison *c = page->comparison;
    enum { MOST_MATRICES = 8, FEW = 20, MOST_OF_MANY = 3 };
    int32_t limit = c->n_classes <= FEW ? MOST_MATRICES : MOST_OF_MANY;
    int64_t most = greatest(c, c->reference_transition_counts, 1);
    bool has_any = c->reference_transition_counts != NULL;
    for (int32_t s = 0; s < c->n_strategies; s++) {
        most = greatest(c, c->strategies[s].transition_counts, most);
        has_any |= c->strategies[s].transition_counts != NULL;
    }
    if (!has_any)
        return;
    sp_buffer_text(&page->out, "<details><summary>All transitions, the allowed ones too</summary>\n<div class=\"grid\">\n");
    transitions_block(page, c->n_strategies, "Reference", c->reference_transition_counts, forbidden, most);
    for (int32_t s = 0; s < c->n_strategies && s < limit; s++)
        transitions_block(page, s, c->strategies[s].name, c->strategies[s].transition_counts, forbidden, most);
    sp_buffer_say(&page->out,
                  "</div>\n<p class=\"small\">How often {a step} of the row’s class was followed by one of the column’s%s. "
                  "The colour goes with the logarithm of the count, on one scale; hatched cells are forbidden.",
                  c->n_classes <= SP_TWO_LINE_CLASSES ? ", and its share of the row" : "");
    if (c->n_strategies > limit)
        sp_buffer_format(&page->out, " The first %d strategies are shown.", (int)limit);
    sp_buffer_text(&page->out, "</p></details>\n");
}
