/* What the model forbids and who does it: as shares with every denominator, by pair of classes, and where it is worst. The cells
 * of a matrix that the model forbids are hatched and hold how often they happened. */
#include "report/html/page.h"

#include <stdlib.h>

enum {
    LEGALITY_CLASSES = 60, /* up to here there is a matrix at all */
    FEW_CLASSES = 7,       /* up to here the matrices say it all */
    LISTED = 40,           /* rows of a list of pairs */
};

static size_t cell(const sp_comparison *c, int32_t i, int32_t j)
{
    return (size_t)i * (size_t)c->n_classes + (size_t)j;
}

bool sp_has_legality(const sp_comparison *c)
{
    return c->n_strategies > 0 && (c->forbidden_count > 0 || c->reference.illegal > 0 || c->n_rules > 0);
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

typedef struct made {
    const sp_comparison *c;
    const uint8_t *forbidden; /* [K,K] */
    const int64_t *counts;    /* [K,K] */
} made;

static void legality_cell(const void *arg, int32_t i, int32_t j, sp_buffer *out)
{
    const made *m = arg;
    const int64_t count = m->counts[cell(m->c, i, j)];
    if (!m->forbidden[cell(m->c, i, j)] && count == 0)
        sp_buffer_text(out, "<td></td>");
    else
        sp_buffer_say(out, "%s%jd</b></td>",
                      count ? "<td class=\"forbidden made\"><b>" : "<td class=\"forbidden\"><b>", count);
}

/* strategy: n_strategies is the reference. */
static void legality_matrix(sp_page *page, int32_t strategy, const char *name,
                            const sp_transition_counts *total, const uint8_t *forbidden,
                            const sp_pair_count *pairs, int64_t n)
{
    const sp_comparison *c = page->comparison;
    int64_t *counts = calloc((size_t)c->n_classes * (size_t)c->n_classes, sizeof *counts);
    if (!counts) {
        page->out.failed = true;
        return;
    }
    for (int64_t i = 0; i < n; i++)
        counts[cell(c, pairs[i].from, pairs[i].to)] = pairs[i].count;
    sp_page_matrix(page,
                   (sp_matrix){.corner = "from \\ to",
                               .label = "Illegal transitions from row to column",
                               .counts = "transitions",
                               .strategy = strategy,
                               .cell = legality_cell,
                               .arg = &(made){c, forbidden, counts}},
                   "%s: %jd of %jd", name, total->illegal, total->transitions);
    free(counts);
}

/* ---- section ---- */

/* Matrices of those who make any; a reference without any shows what is forbidden where nobody else does. */
static void matrices(sp_page *page, const uint8_t *forbidden)
{
    const sp_comparison *c = page->comparison;
    bool any = false;
    for (int32_t s = 0; s < c->n_strategies; s++)
        any |= c->strategies[s].counts.illegal > 0;
    if (c->has_labels && (c->reference.illegal || c->n_classes <= FEW_CLASSES || !any))
        legality_matrix(page, c->n_strategies, "Reference", &c->reference, forbidden,
                        c->reference_illegal_pairs, c->n_reference_illegal_pairs);
    for (int32_t s = 0; s < c->n_strategies; s++) {
        const sp_strategy_result *strategy = &c->strategies[s];
        if (strategy->counts.illegal || (!c->has_labels && s == 0))
            legality_matrix(page, s, strategy->name, &strategy->counts, forbidden, strategy->illegal_pairs,
                            strategy->n_illegal_pairs);
    }
}

/* The pairs once more as a list: where the matrices are small, behind a fold. */
static void pairs(sp_page *page, bool is_folded)
{
    sp_buffer *out = &page->out;
    sp_table table = {0};
    sp_fill_illegal_pairs(page->comparison, &(sp_fill_options){.most_rows = LISTED}, &table);
    const int64_t n = (int64_t)sp_page_rows(page, &table) + table.n_left_out;
    if (n)
        sp_buffer_text(out, is_folded ? "<details><summary>Pair by pair</summary>\n" : "<div>\n");
    sp_page_table(page, &table, n > 12 ? "sortable tall" : "sortable");
    if (n > LISTED)
        sp_buffer_say(out,
                      "<p class=\"small\">The %d most frequent of %jd pairs; the JSON file holds all.</p>\n",
                      LISTED, n);
    if (n)
        sp_buffer_text(out, is_folded ? "</details>\n" : "</div>\n");
}

void sp_page_legality(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    sp_buffer *out = &page->out;
    uint8_t *forbidden = sp_page_forbidden_matrix(page);
    sp_buffer_format(out, "<p>“Illegal” is what this model forbids, not what nature does: %s</p>\n",
                     c->has_labels ? "the reference’s own count stands beside."
                                   : "there is no reference to compare with.");
    sp_page_document(page, "violations", 0);
    if (c->forbidden_count == 0 && c->reference.illegal == 0)
        goto done; /* rules alone */
    sp_page_document(page, "counts", 0);
    sp_page_document(page, "change-rates", 0);
    sp_buffer_text(out, "<div class=\"grid\">\n");
    if (forbidden)
        matrices(page, forbidden);
    bool is_folded = forbidden && c->n_classes <= FEW_CLASSES;
    if (!is_folded)
        pairs(page, false);
    sp_buffer_text(out, "</div>\n");
    if (forbidden) {
        sp_buffer_text(
            out,
            "<p class=\"small\">Rows: from, columns: to. Hatched: forbidden, with the number of times it "
            "happened. Empty: allowed.</p>\n");
        if (is_folded)
            pairs(page, true);
    } else {
        sp_buffer_say(out, "<p>The model forbids %jd pairs, too many for a matrix.</p>\n",
                      c->forbidden_count);
    }
done:
    free(forbidden);
}
