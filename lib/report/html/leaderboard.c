/* The strategies side by side: the figures that decide, in one table that fits its page, and all of them behind a fold. */
#include "report/html/page.h"
#include "report/tables/columns.h"

void sp_page_leaderboard(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    sp_buffer *out = &page->out;
    sp_table table = {.title = c->n_against ? "Strategies on the scores of each classifier"
                                            : "Strategies on the same scores",
                      .text.words = &c->words},
             figures = {.title = "All figures of each strategy", .text.words = &c->words};
    sp_fill_columns(c, SP_IN_BOARD, SP_REFERENCE_LAST, &table);
    sp_page_table(page, &table, "sortable wide");
    sp_buffer_text(out, "<p class=\"small\">");
    if (c->has_labels)
        sp_buffer_words(
            out,
            "★ best of its column. Pooled: over all scored {steps} at once. Mean ± SD: over {recordings}. ");
    sp_buffer_words(out,
                    "Changes of class: {steps} whose class differs from that of the {step} before.</p>\n");
    sp_fill_figure_rows(c, SP_IN_ALL, &figures);
    sp_page_folded(page, "All figures of each strategy", &figures, "");
    sp_buffer_text(out, "<div class=\"beside\">\n");
    sp_page_plane(page);
    sp_page_slopes(page);
    sp_buffer_text(out, "</div>\n");
}
