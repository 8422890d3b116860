/* One strategy against argmax, and against itself on another classifier's scores, recording by recording: who gains, and how
 * much. */
#include "report/html/page.h"

#include <math.h>
#include <stdlib.h>

/* ---- gains by recording ---- */

typedef struct gain {
    double value;
    int64_t recording;
} gain;

static int by_gain(const void *a, const void *b)
{
    const gain *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return (x->recording > y->recording) - (x->recording < y->recording);
}

/* What the titles of dots need. */
typedef struct gain_names {
    const sp_comparison *comparison;
    const gain *gains;
    int64_t *recordings; /* of the points */
    const sp_strategy_result *focus, *other;
} gain_names;

/* What the figures of this file show, unless the table of recordings has to do. */
static void numbers(sp_page *page, const gain_names *names, int64_t n)
{
    const sp_comparison *c = page->comparison;
    const sp_strategy_result *focus = names->focus, *other = names->other;
    const gain *gains = names->gains;
    sp_table table = {.title = "Accuracy by {recording}", .text.words = &c->words};
    if (n > SP_NAMED_DOTS) {
        sp_buffer_text(&page->out, " <a href=\"#recordings\">The numbers</a>");
        return;
    }
    sp_table_columns(&table, "{recording}");
    sp_table_holds(&table, SP_HOLDS_RECORDING);
    sp_table_column(&table, SP_RIGHT, other->name);
    sp_table_column(&table, SP_RIGHT, focus->name);
    sp_table_column(&table, SP_RIGHT, "gain, points");
    for (int64_t i = 0; i < n; i++) {
        sp_table_cell_text(&table, SP_TONE_PLAIN, c->ids[gains[i].recording]);
        sp_cell_value(&table, &other->recordings[gains[i].recording].accuracy, 4, SP_TONE_PLAIN);
        sp_cell_value(&table, &focus->recordings[gains[i].recording].accuracy, 4, SP_TONE_PLAIN);
        sp_buffer_signed(sp_table_cell(&table, SP_TONE_PLAIN), gains[i].value, 2);
    }
    sp_page_numbers(page, &table);
}

static void name_gain(const void *arg, int64_t i, sp_buffer *out)
{
    const gain_names *names = arg;
    sp_html_say(out, "%s: %+.2f", names->comparison->ids[names->gains[i].recording], names->gains[i].value);
}

static void draw_gains(sp_page *page, const gain_names *names, int64_t n, sp_point *points)
{
    const gain *gains = names->gains;
    sp_buffer *out = &page->out;
    int64_t better = 0, worse = 0;
    sp_chart chart = sp_page_chart(
        page, &sp_area_plot, sp_axis_places(NULL, n),
        sp_axis_around("points of accuracy", fmin(gains[0].value, 0), fmax(gains[n - 1].value, 0)));
    chart.y.format = SP_TICK_SIGNED;
    sp_buffer_words(&chart.x_name, "{recordings}, in order of their gain");
    sp_buffer_words(&chart.title, "Gains by {recording}");
    sp_buffer_say(&chart.description, "Accuracy of %s minus that of %s, {recording} by {recording} in order.",
                  names->focus->name, names->other->name);
    for (int64_t i = 0; i < n; i++) {
        points[i] = (sp_point){(double)i, gains[i].value};
        names->recordings[i] = gains[i].recording;
        better += gains[i].value > 0;
        worse += gains[i].value < 0;
    }
    sp_page_chart_open(page, &chart, "plot", "gain-of-%s-over-%s", names->focus->name, names->other->name);
    sp_chart_across(&chart, "zero", 0, NULL, 0);
    chart.recordings = names->recordings;
    sp_chart_dots(&chart, n, points, name_gain, names);
    sp_page_chart_close(page, &chart);
    sp_html_say(out,
                "<figcaption>What each {recording} gains or loses, in points of accuracy: %s is better than "
                "%s in %jd, worse "
                "in %jd, the same in %jd.",
                names->focus->name, names->other->name, better, worse, n - better - worse);
    numbers(page, names, n);
    sp_buffer_text(out, "</figcaption></figure>\n");
}

/* Recordings where both have an accuracy, in their order; to be freed. NULL: no memory, then the page has failed. */
static gain *gains_of(sp_page *page, int32_t other, int64_t *n)
{
    const sp_comparison *c = page->comparison;
    gain *gains = malloc((size_t)(c->n_recordings ? c->n_recordings : 1) * sizeof *gains);
    *n = 0;
    page->out.failed |= !gains;
    for (int64_t r = 0; gains && r < c->n_recordings; r++) {
        const sp_value *a = &c->strategies[page->focus].recordings[r].accuracy,
                       *b = &c->strategies[other].recordings[r].accuracy;
        if (!a->undefined && !b->undefined)
            gains[(*n)++] = (gain){100 * (a->value - b->value), r};
    }
    return gains;
}

/* ---- one strategy against the other ---- */

enum { CELLS = 44 /* of the lattice that shows many recordings, whose dots would lie on each other */ };

static void name_point(const void *arg, int64_t i, sp_buffer *out)
{
    const gain_names *names = arg;
    int64_t r = names->gains[i].recording;
    sp_html_say(out, "%s: %.3f against %.3f", names->comparison->ids[r],
                names->focus->recordings[r].accuracy.value, names->other->recordings[r].accuracy.value);
}

static void draw_scatter(sp_page *page, const gain_names *names, int64_t n, sp_point *points)
{
    sp_buffer *out = &page->out;
    double low = 1, high = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t r = names->gains[i].recording;
        points[i] = (sp_point){names->other->recordings[r].accuracy.value,
                               names->focus->recordings[r].accuracy.value};
        names->recordings[i] = r;
        low = fmin(low, fmin(points[i].x, points[i].y));
        high = fmax(high, fmax(points[i].x, points[i].y));
    }
    sp_chart chart = sp_page_chart(page, &sp_area_square, sp_axis_around(NULL, low, high),
                                   sp_axis_around(NULL, low, high));
    sp_buffer_format(&chart.x_name, "accuracy of %s", names->other->name);
    sp_buffer_format(&chart.y_name, "accuracy of %s", names->focus->name);
    const sp_point diagonal[2] = {{chart.x.low, chart.x.low}, {chart.x.high, chart.x.high}};
    sp_buffer_words(&chart.title, "Accuracy by {recording}, one strategy against the other");
    sp_buffer_say(&chart.description, "Accuracy of %s (up) against %s (across), a dot {a recording}.",
                  names->focus->name, names->other->name);
    sp_page_chart_open(page, &chart, "plot square", "accuracy-of-%s-against-%s", names->focus->name,
                       names->other->name);
    chart.recordings = names->recordings;
    sp_chart_line(&chart, "zero", 2, diagonal);
    if (n > SP_NAMED_DOTS)
        sp_chart_lattice(&chart, CELLS, n, points);
    else
        sp_chart_dots(&chart, n, points, name_point, names);
    sp_page_chart_close(page, &chart);
    sp_html_say(
        out,
        "<figcaption>Accuracy by {recording}. Above the dashed line %s is better than %s, below it worse.",
        names->focus->name, names->other->name);
    if (n > SP_NAMED_DOTS)
        sp_buffer_words(out, " The darker a square, the more {recordings}.");
    numbers(page, names, n);
    sp_buffer_text(out, "</figcaption></figure>\n");
}

/* Nothing where there is nothing to set against the other. */
static void draw_pair(sp_page *page, int32_t other)
{
    const sp_comparison *c = page->comparison;
    int64_t n = 0;
    const bool has_pair =
        sp_has_agreement(c) && other >= 0 && page->focus >= 0 && page->focus != other && c->n_recordings > 2;
    gain *gains = has_pair ? gains_of(page, other, &n) : NULL;
    sp_point *points = n > 1 ? malloc((size_t)n * sizeof *points) : NULL;
    int64_t *recordings = n > 1 ? malloc((size_t)n * sizeof *recordings) : NULL;
    if (points && recordings) {
        gain_names names = {c, gains, recordings, &c->strategies[page->focus], &c->strategies[other]};
        draw_scatter(page, &names, n, points);
        qsort(gains, (size_t)n, sizeof *gains, by_gain);
        draw_gains(page, &names, n, points);
    }
    page->out.failed |= n > 1 && !(points && recordings);
    free(points);
    free(recordings);
    free(gains);
}

void sp_page_paired(sp_page *page)
{
    draw_pair(page, page->argmax);
    for (int32_t i = 0; page->focus >= 0 && i < page->comparison->n_against; i++)
        draw_pair(page, sp_same_strategy(page->comparison, page->focus, i));
}
