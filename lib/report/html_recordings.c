/* Recordings: accuracy of two strategies against each other, and the table of all. */
#include "report/html_page.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS = 1000, SIZE = 300, MARGIN = 44, NAMED_POINTS = 60 };

/* ---- scatter ---- */

static double position(double value, double low)
{
    return MARGIN + (SIZE - MARGIN - 10) * (value - low) / (1 - low);
}

static void add_xy(sp_buffer *out, const char *x, double at_x, const char *y, double at_y)
{
    sp_buffer_format(out, " %s=\"", x);
    sp_buffer_fixed(out, at_x, 1);
    sp_buffer_format(out, "\" %s=\"", y);
    sp_buffer_fixed(out, SIZE - at_y, 1);
    sp_buffer_text(out, "\"");
}

static void axis_label(sp_buffer *out, double x, double y, const char *anchor, double value)
{
    sp_buffer_format(out, "<text text-anchor=\"%s\"", anchor);
    add_xy(out, "x", x, "y", y);
    sp_buffer_text(out, ">");
    sp_buffer_fixed(out, value, 1);
    sp_buffer_text(out, "</text>");
}

static void points(sp_page *page, const sp_strategy_result *a, const sp_strategy_result *b, double low)
{
    const sp_comparison *c = page->comparison;
    sp_buffer *out = &page->out;
    bool is_named = c->n_recordings <= NAMED_POINTS;
    sp_buffer_text(out, is_named ? "" : "<path class=\"points\" d=\"");
    for (int64_t r = 0; r < c->n_recordings; r++) {
        const sp_value *x = &b->recordings[r].accuracy, *y = &a->recordings[r].accuracy;
        if (x->undefined || y->undefined)
            continue;
        if (!is_named) {
            sp_page_dot(out, position(x->value, low), SIZE - position(y->value, low));
            continue;
        }
        sp_buffer_text(out, "<circle class=\"point\" r=\"4\"");
        add_xy(out, "cx", position(x->value, low), "cy", position(y->value, low));
        sp_buffer_text(out, "><title>");
        sp_page_name(page, c->ids[r]);
        sp_buffer_text(out, ": ");
        sp_buffer_fixed(out, y->value, 3);
        sp_buffer_text(out, " against ");
        sp_buffer_fixed(out, x->value, 3);
        sp_buffer_text(out, "</title></circle>\n");
    }
    sp_buffer_text(out, is_named ? "" : "\"/>\n");
}

/* Accuracy of the focus against argmax, one point a recording; above the line the focus is better. */
static void scatter(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    sp_buffer *out = &page->out;
    const sp_strategy_result *a = &c->strategies[page->focus], *b = &c->strategies[page->argmax];
    double low = 1;
    for (int64_t r = 0; r < c->n_recordings; r++) {
        low = a->recordings[r].accuracy.undefined ? low : fmin(low, a->recordings[r].accuracy.value);
        low = b->recordings[r].accuracy.undefined ? low : fmin(low, b->recordings[r].accuracy.value);
    }
    low = fmin(0.9, floor(low * 10) / 10);
    sp_buffer_format(out, "<figure class=\"scatter\"><svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Accuracy of ", SIZE,
                     SIZE);
    sp_page_name(page, a->name);
    sp_buffer_text(out, " (up) against argmax (right), one point a recording; the numbers stand in the table below\">\n");
    double zero = position(low, low), one = position(1, low);
    sp_buffer_text(out, "<line class=\"rule\"");
    add_xy(out, "x1", zero, "y1", zero);
    add_xy(out, "x2", one, "y2", zero);
    sp_buffer_text(out, "/><line class=\"rule\"");
    add_xy(out, "x1", zero, "y1", zero);
    add_xy(out, "x2", zero, "y2", one);
    sp_buffer_text(out, "/><line class=\"zero\"");
    add_xy(out, "x1", zero, "y1", zero);
    add_xy(out, "x2", one, "y2", one);
    sp_buffer_text(out, "/>\n");
    axis_label(out, zero, zero - 16, "middle", low);
    axis_label(out, one, zero - 16, "middle", 1);
    axis_label(out, zero - 6, zero - 3, "end", low);
    axis_label(out, zero - 6, one - 3, "end", 1);
    sp_buffer_text(out, "<text text-anchor=\"middle\"");
    add_xy(out, "x", (zero + one) / 2, "y", zero - 30);
    sp_buffer_text(out, ">argmax</text><text text-anchor=\"middle\" transform=\"translate(14 ");
    sp_buffer_fixed(out, SIZE - (zero + one) / 2, 1);
    sp_buffer_text(out, ") rotate(-90)\">");
    sp_page_name(page, a->name);
    sp_buffer_text(out, "</text>\n");
    points(page, a, b, low);
    sp_buffer_text(out, "</svg><figcaption>Accuracy by recording. Above the dashed line ");
    sp_page_name(page, a->name);
    sp_buffer_text(out, " is better than argmax, below it worse.</figcaption></figure>\n");
}

/* ---- table ---- */

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
    sp_fill_recordings(c, false, &all);
    if (c->n_recordings <= ROWS || all.failed || all.text.failed) {
        sp_table_html(&all, c->n_recordings > 25 ? "sortable tall" : "sortable", NULL, &page->out);
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
        sp_table_html(&some, "sortable tall", NULL, &page->out);
        sp_buffer_format(&page->out, "<p class=\"small\">%d of ", ROWS);
        sp_buffer_count(&page->out, c->n_recordings);
        sp_buffer_text(&page->out, " recordings, those where ");
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
    const sp_comparison *c = page->comparison;
    enum { UNDECODED = 100 };
    sp_table undecoded = {0};
    sp_page_section(page, "recordings", "Recordings");
    if (sp_has_agreement(c) && page->argmax >= 0 && page->focus >= 0 && page->focus != page->argmax && c->n_recordings > 2) {
        sp_buffer_text(&page->out, "<div class=\"side-by-side\">\n");
        scatter(page);
        sp_page_gains(page);
        sp_buffer_text(&page->out, "</div>\n");
    }
    recordings_table(page);
    int64_t n = sp_fill_undecoded(c, UNDECODED, &undecoded);
    sp_table_html(&undecoded, "sortable", NULL, &page->out);
    if (n > UNDECODED)
        sp_buffer_format(&page->out, "<p class=\"small\">The first %d of %lld.</p>\n", UNDECODED, (long long)n);
    sp_table_free(&undecoded);
    sp_buffer_text(&page->out, "</section>\n");
}
