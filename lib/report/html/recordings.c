/* Recordings: the table of all, or of the worst where they are many. */
#include "report/html/steps.h"

#include <stdlib.h>

enum { ROWS = 1000 };

/* The whole table, or the rows of the recordings that the focus does worst, in their order. */
static void recordings_table(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    sp_table all = {0}, some = {0};
    sp_fill_recordings(c, &(sp_fill_options){.is_wide = true}, &all);
    if (c->n_recordings <= ROWS || sp_table_failed(&all)) {
        sp_table_html(&all, c->n_recordings > 25 ? "sortable wide tall" : "sortable wide", NULL, &page->out);
        sp_table_free(&all);
        return;
    }
    sp_ranking ranking;
    if (sp_ranking_fill(c, &ranking)) {
        qsort(ranking.recordings, ROWS, sizeof *ranking.recordings, sp_by_number);
        bool by_accuracy = sp_has_agreement(c);
        some.title = by_accuracy ? "Recordings with the lowest accuracy" : "Recordings with most illegal transitions";
        for (int32_t k = 0; k < all.n_columns; k++)
            sp_table_column(&some, all.aligns[k], sp_table_get(&all, 0, k));
        for (int64_t i = 0; i < ROWS; i++)
            for (int32_t k = 0; k < all.n_columns; k++) {
                size_t row = (size_t)ranking.recordings[i] + 1;
                sp_table_cell_text(&some, all.cells[row * (size_t)all.n_columns + (size_t)k].tone, sp_table_get(&all, row, k));
            }
        sp_table_html(&some, "sortable wide tall", NULL, &page->out);
        sp_html_say(&page->out, "<p class=\"small\">%d of %jd%s%s; the JSON file holds all.</p>\n", ROWS, c->n_recordings,
                    by_accuracy ? " recordings, those with the lowest accuracy of "
                                : " recordings, those with most illegal transitions of ",
                    c->strategies[by_accuracy || page->argmax < 0 ? page->focus : page->argmax].name);
        sp_ranking_free(&ranking);
    } else {
        page->out.failed = true;
    }
    sp_table_free(&all);
    sp_table_free(&some);
}

void sp_page_recordings(sp_page *page)
{
    sp_page_section(page, "recordings", "Recordings");
    recordings_table(page);
    sp_page_document(page, "undecoded", 0);
    sp_buffer_text(&page->out, "</section>\n");
}
