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

typedef struct moves {
    int32_t n;                /* classes */
    const int64_t *counts;    /* [n,n] */
    const uint8_t *forbidden; /* [n,n] */
    double log_most;
} moves;

static void move_cell(const void *arg, int32_t i, int32_t j, sp_buffer *out)
{
    const moves *m = arg;
    const int64_t *row = m->counts + (int64_t)i * m->n, count = row[j];
    const bool is_forbidden = m->forbidden[(int64_t)i * m->n + j];
    const int level = count == 0 ? 0 : m->log_most > 0 ? 1 + (int)(9 * log((double)count) / m->log_most) : 10;
    int64_t row_sum = 0;
    for (int32_t k = 0; k < m->n; k++)
        row_sum += row[k];
    if (is_forbidden)
        sp_buffer_format(out, "<td class=\"forbidden%s\"><b>", count ? " made" : "");
    else
        sp_buffer_format(out, "<td class=\"h%d\">", level);
    sp_buffer_say(out, "%jd%s", count, is_forbidden ? "</b>" : "");
    if (m->n <= SP_TWO_LINE_CLASSES && count) {
        sp_buffer_text(out, "<span>");
        sp_buffer_percent(out, count, row_sum);
        sp_buffer_text(out, "</span>");
    }
    sp_buffer_text(out, "</td>");
}

static void transitions_matrix(sp_page *page, int32_t strategy, const char *name,
                               const int64_t *transition_counts, const uint8_t *forbidden, int64_t most)
{
    const moves all = {page->comparison->n_classes, transition_counts, forbidden, log((double)most)};
    if (transition_counts)
        sp_page_matrix(page,
                       (sp_matrix){.corner = "from \\ to",
                                   .label = "All transitions from row to column",
                                   .counts = "transitions",
                                   .strategy = strategy,
                                   .cell = move_cell,
                                   .arg = &all},
                       "%s", name);
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
    sp_buffer_text(
        &page->out,
        "<details><summary>All transitions, the allowed ones too</summary>\n<div class=\"grid\">\n");
    transitions_matrix(page, c->n_strategies, "Reference", c->reference_transition_counts, forbidden, most);
    for (int32_t s = 0; s < c->n_strategies && s < limit; s++)
        transitions_matrix(page, s, c->strategies[s].name, c->strategies[s].transition_counts, forbidden,
                           most);
    sp_buffer_say(
        &page->out,
        "</div>\n<p class=\"small\">How often {a step} of the row’s class was followed by one of the "
        "column’s%s. "
        "The colour goes with the logarithm of the count, on one scale; hatched cells are forbidden.",
        c->n_classes <= SP_TWO_LINE_CLASSES ? ", and its share of the row" : "");
    if (c->n_strategies > limit)
        sp_buffer_format(&page->out, " The first %d strategies are shown.", (int)limit);
    sp_buffer_text(&page->out, "</p></details>\n");
}
