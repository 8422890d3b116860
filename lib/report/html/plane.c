/* What legality costs in accuracy: strategies, and their recordings, in the plane of both. */
#include "report/html/page.h"

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
    sp_table_columns(&table, "strategy|illegal transitions|transitions|illegal, %|accuracy");
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

static void draw_recordings(const sp_comparison *c, sp_chart *chart)
{
    sp_point points[SP_NAMED_DOTS];
    int64_t recordings[SP_NAMED_DOTS];
    for (int64_t r = 0; r < c->n_recordings; r++)
        recordings[r] = r;
    chart->recordings = recordings;
    for (int32_t s = 0; s < c->n_strategies; s++) {
        for (int64_t r = 0; r < c->n_recordings; r++) {
            const sp_recording_result *one = &c->strategies[s].recordings[r];
            points[r] = (sp_point){per_cent_illegal(&one->counts),
                                   one->accuracy.undefined ? NAN : one->accuracy.value};
        }
        sp_chart_faint_dots(chart, s, c->n_recordings, points);
    }
    chart->recordings = NULL;
}

void sp_page_plane(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    double limits[4] = {0, 0, 1, 0}; /* illegal from, to; accuracy from, to */
    bool with_recordings = c->n_recordings > 1 && c->n_recordings <= SP_NAMED_DOTS;
    if (!sp_has_agreement(c) || c->n_strategies < 2)
        return;
    for (int32_t s = 0; s < c->n_strategies; s++)
        widen(c, &c->strategies[s], with_recordings, limits);
    if (limits[1] <= 0 || limits[2] > limits[3]) /* nobody breaks a rule: one column of dots says nothing */
        return;
    double middle = (limits[2] + limits[3]) / 2,
           half = fmax((limits[3] - limits[2]) / 2, 0.005); /* no tiny range */
    sp_chart chart =
        sp_page_chart(page, &sp_area_plot, sp_axis_around("illegal transitions, %", 0, limits[1]),
                      sp_axis_around("accuracy", fmax(0, middle - half), fmin(1, middle + half)));
    chart.x.low -= 0.03 * chart.x.high; /* room left of the strategies that break no rule */
    sp_buffer_text(&chart.title, "Accuracy and legality");
    sp_buffer_text(&chart.description, "Accuracy of each strategy against its share of illegal transitions.");
    sp_page_chart_open(page, &chart, "plot", "accuracy-and-legality");
    if (with_recordings)
        draw_recordings(c, &chart);
    for (int32_t s = 0; s < c->n_strategies; s++)
        if (!c->strategies[s].agreement.accuracy.undefined)
            sp_chart_mark(&chart, s,
                          (sp_point){per_cent_illegal(&c->strategies[s].counts),
                                     c->strategies[s].agreement.accuracy.value});
    sp_page_chart_close(page, &chart);
    sp_page_key(page);
    sp_buffer_say(&page->out, "<figcaption>What the rules cost. Up is more accurate, left keeps more rules: "
                              "the best place is the upper "
                              "left corner.");
    if (with_recordings)
        sp_buffer_words(&page->out, " Small dots: single <a href=\"#recordings\">{recordings}</a>.");
    numbers(page);
    sp_buffer_text(&page->out, "</figcaption></figure>\n");
}
