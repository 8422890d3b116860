/* Recordings: the table of all, or of the worst where they are many. */
#include "report/html/page.h"

#include <stdlib.h>

enum { ROWS = 1000 };

typedef struct ranked {
    int64_t recording;
    double merit; /* least first */
} ranked;

static int by_merit(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->merit != y->merit)
        return x->merit < y->merit ? -1 : 1;
    return (x->recording > y->recording) - (x->recording < y->recording);
}

static int by_recording(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    return (x->recording > y->recording) - (x->recording < y->recording);
}

/* The whole table, or the rows of the recordings that the focus does worst, in their order. */
static void recordings_table(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    const sp_strategy_result *focus = &c->strategies[page->focus];
    sp_table all = {0}, some = {0};
    sp_fill_recordings(c, &(sp_fill_options){.is_wide = true}, &all);
    if (c->n_recordings <= ROWS || all.failed || all.text.failed) {
        sp_table_html(&all, c->n_recordings > 25 ? "sortable wide tall" : "sortable wide", NULL, &page->out);
        sp_table_free(&all);
        return;
    }
    ranked *order = malloc((size_t)c->n_recordings * sizeof *order);
    if (order) {
        for (int64_t r = 0; r < c->n_recordings; r++) {
            const sp_recording_result *recording = &focus->recordings[r];
            order[r].recording = r;
            order[r].merit = recording->accuracy.undefined ? -(double)recording->counts.illegal : recording->accuracy.value;
        }
        qsort(order, (size_t)c->n_recordings, sizeof *order, by_merit);
        qsort(order, ROWS, sizeof *order, by_recording);
        some.title = "Recordings with the lowest accuracy";
        for (int32_t k = 0; k < all.n_columns; k++)
            sp_table_column(&some, all.aligns[k], sp_table_get(&all, 0, k));
        for (int64_t i = 0; i < ROWS; i++)
            for (int32_t k = 0; k < all.n_columns; k++) {
                size_t row = (size_t)order[i].recording + 1;
                sp_table_cell_text(&some, all.cells[row * (size_t)all.n_columns + (size_t)k].tone, sp_table_get(&all, row, k));
            }
        sp_table_html(&some, "sortable wide tall", NULL, &page->out);
        sp_buffer_say(&page->out, "<p class=\"small\">%d of %jd recordings, those where ", ROWS, c->n_recordings);
        sp_page_name(page, focus->name);
        sp_buffer_text(&page->out, " does worst; the JSON file holds all.</p>\n");
    }
    page->out.failed |= !order;
    free(order);
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
