/* What legality costs in accuracy: strategies, and their recordings, in the plane of both. */
#include "report/html/axes.h"

#include <math.h>

static double per_cent_illegal(const sp_transition_counts *counts)
{
    return counts->transitions ? 100.0 * (double)counts->illegal / (double)counts->transitions : 0;
}

/* Widens the limits by a strategy and, unless they are many, its recordings. */
static void widen(const sp_comparison *c, const sp_strategy_result *s, bool with_recordings, double limits[4])
{
    for (int64_t r = -1; r < (with_recordings ? c->n_recordings : 0); r++) {
        const sp_value *y = r < 0 ? &s->agreement.accuracy : &s->recordings[r].accuracy;
        double x = per_cent_illegal(r < 0 ? &s->counts : &s->recordings[r].counts);
        if (y->undefined)
            continue;
        limits[0] = fmin(limits[0], x);
        limits[1] = fmax(limits[1], x);
        limits[2] = fmin(limits[2], y->value);
        limits[3] = fmax(limits[3], y->value);
    }
}

static void numbers(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    sp_table table = {.title = "Accuracy and legality"};
    sp_table_column(&table, SP_LEFT, "strategy");
    sp_table_column(&table, SP_RIGHT, "illegal transitions");
    sp_table_column(&table, SP_RIGHT, "transitions");
    sp_table_column(&table, SP_RIGHT, "illegal, %");
    sp_table_column(&table, SP_RIGHT, "accuracy");
    for (int32_t s = 0; s < c->n_strategies; s++) {
        const sp_strategy_result *one = &c->strategies[s];
        sp_table_cell_text(&table, SP_TONE_PLAIN, one->name);
        sp_table_cell_count(&table, SP_TONE_PLAIN, one->counts.illegal);
        sp_table_cell_count(&table, SP_TONE_PLAIN, one->counts.transitions);
        sp_buffer_fixed(sp_table_cell(&table, SP_TONE_PLAIN), per_cent_illegal(&one->counts), 3);
        sp_cell_value(&table, &one->agreement.accuracy, 4, SP_TONE_PLAIN);
    }
    sp_page_numbers(page, &table);
}

void sp_page_plane(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    sp_buffer *out = &page->out;
    double limits[4] = {0, 0, 1, 0}; /* illegal from, to; accuracy from, to */
    bool with_recordings = c->n_recordings > 1 && c->n_recordings <= SP_NAMED;
    if (!sp_has_agreement(c) || c->n_strategies < 2)
        return;
    for (int32_t s = 0; s < c->n_strategies; s++)
        widen(c, &c->strategies[s], with_recordings, limits);
    if (limits[1] <= 0 || limits[2] > limits[3]) /* nobody breaks a rule: one column of dots says nothing */
        return;
    double middle = (limits[2] + limits[3]) / 2, half = fmax((limits[3] - limits[2]) / 2, 0.005); /* a hair is not a hill */
    sp_axis x = sp_axis_around(0, limits[1], SP_LEFT_EDGE + 14, SP_RIGHT_EDGE - 14),
            y = sp_axis_around(fmax(0, middle - half), fmin(1, middle + half), SP_BOTTOM_EDGE, SP_TOP_EDGE);
    sp_buffer_text(out, "<figure class=\"plot\">");
    sp_page_picture_begin(page, SP_PLOT_WIDTH, SP_PLOT_HEIGHT);
    sp_buffer_text(out, "Accuracy and legality");
    sp_page_picture_describe(page);
    sp_buffer_text(out, "Accuracy of each strategy against its share of illegal transitions.");
    sp_page_picture_open(page);
    sp_draw_axes(out, &x, &y, "illegal transitions, %", "accuracy", false);
    for (int32_t s = 0; with_recordings && s < c->n_strategies; s++) {
        sp_buffer_format(out, "<path class=\"faint k%d\" d=\"", (int)s % 8);
        for (int64_t r = 0; r < c->n_recordings; r++) {
            const sp_recording_result *one = &c->strategies[s].recordings[r];
            if (!one->accuracy.undefined)
                sp_page_dot(out, sp_axis_at(&x, per_cent_illegal(&one->counts)), sp_axis_at(&y, one->accuracy.value));
        }
        sp_buffer_text(out, "\"/>\n");
    }
    for (int32_t s = 0; s < c->n_strategies; s++) {
        const sp_strategy_result *one = &c->strategies[s];
        if (one->agreement.accuracy.undefined)
            continue;
        sp_buffer_format(out, "<g transform=\"translate(%.1f %.1f)\">", sp_axis_at(&x, per_cent_illegal(&one->counts)),
                         sp_axis_at(&y, one->agreement.accuracy.value));
        sp_page_mark(page, s, 0, 0);
        sp_buffer_text(out, "</g>");
    }
    sp_buffer_text(out, "</svg>");
    sp_page_key(page);
    sp_buffer_format(out,
                     "<figcaption>What the rules cost. Up is more accurate, left keeps more rules: the best place is the upper "
                     "left corner.%s",
                     with_recordings ? " Small dots: single <a href=\"#recordings\">recordings</a>." : "");
    numbers(page);
    sp_buffer_text(out, "</figcaption></figure>\n");
}
