/* Operating points of a tagger: precision against recall. */
#include "report/html/page.h"

#include <math.h>
#include <stdio.h>

bool sp_has_operating_points(const sp_comparison *c)
{
    return c->operating_points != NULL;
}

static bool is_known(const sp_held_entities *held)
{
    return !held->precision.difference.undefined && !held->recall.difference.undefined;
}

static sp_point place(const sp_held_entities *held)
{
    return (sp_point){held->recall.difference.value, held->precision.difference.value};
}

static void say(sp_buffer *out, const char *name, const sp_held_entities *held)
{
    sp_buffer_say(out, "%s: precision %.4f, recall %.4f, F1 %.4f", name, held->precision.difference.value,
                  held->recall.difference.value, held->f1.difference.value);
}

static void name_point(const void *arg, int64_t i, sp_buffer *out)
{
    const sp_operating_point *const *shown = arg;
    char name[24];
    snprintf(name, sizeof name, "f%g", shown[i]->beta);
    say(out, name, &shown[i]->held);
}

static void widen(sp_point low[2], sp_point p)
{
    low[0] = (sp_point){fmin(low[0].x, p.x), fmin(low[0].y, p.y)};
    low[1] = (sp_point){fmax(low[1].x, p.x), fmax(low[1].y, p.y)};
}

/* The range of what is drawn: of points, and of their intervals along both axes. */
static void limits_of(const sp_comparison *c, sp_point limits[2])
{
    const sp_operating_points *points = c->operating_points;
    limits[0] = (sp_point){1, 1};
    limits[1] = (sp_point){0, 0};
    for (int i = -1; i < SP_OPERATING_POINTS; i++) {
        const sp_held_entities *held = i < 0 ? &points->held : &points->curve[i].held;
        if (!is_known(held))
            continue;
        widen(limits, place(held));
        if (!held->precision.low.undefined && !held->recall.low.undefined) {
            widen(limits, (sp_point){fmax(held->recall.low.value, 0), fmax(held->precision.low.value, 0)});
            widen(limits, (sp_point){fmin(held->recall.high.value, 1), fmin(held->precision.high.value, 1)});
        }
    }
    for (int32_t s = 0; c->has_entities && s < c->n_strategies; s++) {
        const sp_entity_counts *e = &c->strategies[s].entities.pooled;
        if (!e->precision.undefined && !e->recall.undefined)
            widen(limits, (sp_point){e->recall.value, e->precision.value});
    }
}

static void draw_intervals(sp_chart *chart, const sp_held_entities *held)
{
    const sp_point at = place(held);
    if (!held->recall.low.undefined)
        sp_chart_line(chart, "share", 2,
                      (const sp_point[]){{fmax(held->recall.low.value, 0), at.y},
                                         {fmin(held->recall.high.value, 1), at.y}});
    if (!held->precision.low.undefined)
        sp_chart_line(chart, "share", 2,
                      (const sp_point[]){{at.x, fmax(held->precision.low.value, 0)},
                                         {at.x, fmin(held->precision.high.value, 1)}});
}

static void draw(const sp_comparison *c, sp_chart *chart)
{
    const sp_operating_points *points = c->operating_points;
    const sp_operating_point *shown[SP_OPERATING_POINTS];
    sp_point at[SP_OPERATING_POINTS];
    int64_t n = 0;
    for (int i = 0; i < SP_OPERATING_POINTS; i++)
        if (is_known(&points->curve[i].held)) {
            shown[n] = &points->curve[i];
            at[n++] = place(&points->curve[i].held);
        }
    for (int64_t i = 0; i < n; i++)
        draw_intervals(chart, &shown[i]->held);
    sp_chart_line(chart, "curve k0", n, at);
    sp_chart_dots(chart, n, at, name_point, shown);
    for (int32_t s = 0; c->has_entities && s < c->n_strategies; s++) {
        const sp_entity_counts *e = &c->strategies[s].entities.pooled;
        if (!e->precision.undefined && !e->recall.undefined)
            sp_chart_mark(chart, s, (sp_point){e->recall.value, e->precision.value});
    }
}

void sp_page_operating_points(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    sp_point limits[2];
    limits_of(c, limits);
    if (limits[0].x <= limits[1].x) {
        sp_chart chart =
            sp_page_chart(page, &sp_area_plot, sp_axis_around("recall of entities", limits[0].x, limits[1].x),
                          sp_axis_around("precision of entities", limits[0].y, limits[1].y));
        sp_buffer_text(&chart.title, "Operating points");
        sp_buffer_words(
            &chart.description,
            "Precision against recall of entities, of {recordings} held out; the numbers stand in the "
            "table below.");
        sp_page_chart_open(page, &chart, "plot", "operating-points");
        draw(c, &chart);
        sp_page_chart_close(page, &chart);
        sp_page_key(page);
        sp_buffer_say(&page->out,
                      "<figcaption>What can be had of precision and recall. Each dot: biases chosen on the "
                      "other folds for "
                      "the greatest F of one weight, from precision (f0.125) to recall (f8); lines: %g %% "
                      "intervals. The "
                      "marks are this run’s strategies, Viterbi at the point that was asked "
                      "for.</figcaption></figure>\n",
                      100 * c->level);
    }
    sp_page_document(page, "operating-points", 0);
    sp_page_note(page, sp_note_operating_points);
    sp_page_document(page, "operating-types", 0);
}
