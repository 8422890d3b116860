/* One strategy against argmax, recording by recording: who gains, and how much. */
#include "report/html/axes.h"

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

/* What the figures of this file show, unless the table of recordings has to do. */
static void numbers(sp_page *page, const gain *gains, int64_t n)
{
    const sp_comparison *c = page->comparison;
    const sp_strategy_result *focus = &c->strategies[page->focus], *argmax = &c->strategies[page->argmax];
    sp_table table = {.title = "Accuracy by recording"};
    if (n > SP_NAMED) {
        sp_buffer_text(&page->out, " <a href=\"#recordings\">The numbers</a>");
        return;
    }
    sp_table_column(&table, SP_LEFT, "recording");
    sp_table_column(&table, SP_RIGHT, argmax->name);
    sp_table_column(&table, SP_RIGHT, focus->name);
    sp_table_column(&table, SP_RIGHT, "gain, points");
    for (int64_t i = 0; i < n; i++) {
        sp_table_cell_text(&table, SP_TONE_PLAIN, c->ids[gains[i].recording]);
        sp_cell_value(&table, &argmax->recordings[gains[i].recording].accuracy, 4, SP_TONE_PLAIN);
        sp_cell_value(&table, &focus->recordings[gains[i].recording].accuracy, 4, SP_TONE_PLAIN);
        sp_buffer_signed(sp_table_cell(&table, SP_TONE_PLAIN), gains[i].value, 2);
    }
    sp_page_numbers(page, &table);
}

static void draw_gains(sp_page *page, const gain *gains, int64_t n)
{
    const sp_comparison *c = page->comparison;
    sp_buffer *out = &page->out;
    sp_axis y = sp_axis_around(fmin(gains[0].value, 0), fmax(gains[n - 1].value, 0), SP_BOTTOM_EDGE, SP_TOP_EDGE);
    int64_t better = 0, worse = 0;
    sp_buffer_text(out, "<figure class=\"plot\">");
    sp_page_picture_begin(page, SP_PLOT_WIDTH, SP_PLOT_HEIGHT);
    sp_buffer_text(out, "Gains by recording");
    sp_page_picture_describe(page);
    sp_buffer_text(out, "Accuracy of ");
    sp_page_name(page, c->strategies[page->focus].name);
    sp_buffer_text(out, " less that of argmax, recording by recording in order.");
    sp_page_picture_open(page);
    sp_draw_axes(out, NULL, &y, "recordings, in order of their gain", "points of accuracy", true);
    sp_buffer_format(out, "<path class=\"zero\" d=\"M%d %.1fH%d\"/>", SP_LEFT_EDGE, sp_axis_at(&y, 0), SP_RIGHT_EDGE);
    sp_buffer_text(out, n > SP_NAMED ? "<path class=\"points\" d=\"" : "<g class=\"point\">");
    double x_before = -1, y_before = -1; /* of the last dot, in whole units: those of one place follow each other */
    for (int64_t i = 0; i < n; i++) {
        double x = SP_LEFT_EDGE + (SP_RIGHT_EDGE - SP_LEFT_EDGE) * ((double)i + 0.5) / (double)n;
        better += gains[i].value > 0;
        worse += gains[i].value < 0;
        if (n > SP_NAMED) {
            double at = rint(sp_axis_at(&y, gains[i].value));
            if (rint(x) != x_before || at != y_before)
                sp_page_dot(out, rint(x), at);
            x_before = rint(x);
            y_before = at;
            continue;
        }
        sp_buffer_format(out, "<circle r=\"5\" cx=\"%.1f\" cy=\"%.1f\"><title>", x, sp_axis_at(&y, gains[i].value));
        sp_page_name(page, c->ids[gains[i].recording]);
        sp_buffer_say(out, ": %+.2f</title></circle>", gains[i].value);
    }
    sp_buffer_text(out, n > SP_NAMED ? "\"/>" : "</g>");
    sp_buffer_text(out, "</svg><figcaption>What each recording gains or loses, in points of accuracy: ");
    sp_page_name(page, c->strategies[page->focus].name);
    sp_buffer_say(out, " is better than argmax in %jd, worse in %jd, the same in %jd.", better, worse, n - better - worse);
    numbers(page, gains, n);
    sp_buffer_text(out, "</figcaption></figure>\n");
}

/* Is there something to set against argmax, recording by recording? */
static bool has_pairs(const sp_page *page)
{
    return sp_has_agreement(page->comparison) && page->argmax >= 0 && page->focus >= 0 && page->focus != page->argmax &&
           page->comparison->n_recordings > 2;
}

/* Recordings where both have an accuracy, in their order; to be freed. NULL: no memory, then the page has failed. */
static gain *gains_of(sp_page *page, int64_t *n)
{
    const sp_comparison *c = page->comparison;
    gain *gains = malloc((size_t)(c->n_recordings ? c->n_recordings : 1) * sizeof *gains);
    *n = 0;
    page->out.failed |= !gains;
    for (int64_t r = 0; gains && r < c->n_recordings; r++) {
        const sp_value *a = &c->strategies[page->focus].recordings[r].accuracy,
                       *b = &c->strategies[page->argmax].recordings[r].accuracy;
        if (!a->undefined && !b->undefined)
            gains[(*n)++] = (gain){100 * (a->value - b->value), r};
    }
    return gains;
}

void sp_page_gains(sp_page *page)
{
    int64_t n = 0;
    gain *gains = has_pairs(page) ? gains_of(page, &n) : NULL;
    if (n > 1) {
        qsort(gains, (size_t)n, sizeof *gains, by_gain);
        draw_gains(page, gains, n);
    }
    free(gains);
}

/* ---- one strategy against the other ---- */

/* The scatter is square; beyond SP_NAMED recordings its points lie on each other, so it shows how many fall into each cell. */
enum { SQUARE = 400, SIDE = 308, CELLS = 44, SHADES = 5 };

typedef struct scatter_plot {
    sp_page *page;
    const sp_recording_result *x, *y; /* of argmax and of the focus */
    sp_axis across, up;
} scatter_plot;

static bool is_drawn(const scatter_plot *p, int64_t r)
{
    return !p->x[r].accuracy.undefined && !p->y[r].accuracy.undefined;
}

static int cell_of(const sp_axis *a, double value)
{
    int cell = (int)(CELLS * (value - a->low) / (a->high - a->low));
    return cell < 0 ? 0 : cell >= CELLS ? CELLS - 1 : cell;
}

/* Cells with 1, 2, 3 to 4, 5 to 8, ... of them in five shades on a scale of powers of two up to the fullest. */
static void draw_cells(const scatter_plot *p)
{
    sp_buffer *out = &p->page->out;
    int64_t most = 1, counts[CELLS][CELLS] = {{0}};
    for (int64_t r = 0; r < p->page->comparison->n_recordings; r++)
        if (is_drawn(p, r)) {
            int64_t *count = &counts[cell_of(&p->up, p->y[r].accuracy.value)][cell_of(&p->across, p->x[r].accuracy.value)];
            most = ++*count > most ? *count : most;
        }
    for (int shade = 1; shade <= SHADES; shade++) {
        sp_buffer_format(out, "<path class=\"shade%d\" d=\"", shade);
        for (int i = 0; i < CELLS; i++)
            for (int j = 0; j < CELLS; j++) {
                double depth = most > 1 ? log2((double)counts[i][j]) / log2((double)most) : 1;
                if (counts[i][j] && 1 + (int)lround((SHADES - 1) * depth) == shade)
                    sp_buffer_format(out, "M%d %dh7v-7h-7z", SP_LEFT_EDGE + 7 * j, SP_TOP_EDGE + SIDE - 7 * i);
            }
        sp_buffer_text(out, "\"/>");
    }
}

static void draw_points(const scatter_plot *p)
{
    sp_buffer *out = &p->page->out;
    sp_buffer_text(out, "<g class=\"point\">");
    for (int64_t r = 0; r < p->page->comparison->n_recordings; r++) {
        if (!is_drawn(p, r))
            continue;
        sp_buffer_format(out, "<circle r=\"5\" cx=\"%.1f\" cy=\"%.1f\"><title>", sp_axis_at(&p->across, p->x[r].accuracy.value),
                         sp_axis_at(&p->up, p->y[r].accuracy.value));
        sp_page_name(p->page, p->page->comparison->ids[r]);
        sp_buffer_say(out, ": %.3f against %.3f</title></circle>", p->y[r].accuracy.value, p->x[r].accuracy.value);
    }
    sp_buffer_text(out, "</g>");
}

static void draw_square(const scatter_plot *p)
{
    sp_buffer *out = &p->page->out;
    int n = (int)lround((p->up.high - p->up.low) / p->up.step);
    for (int i = 0; i <= n; i++) {
        double value = p->up.low + i * p->up.step;
        sp_buffer_format(out, "<path class=\"rule\" d=\"M%d %.1fh%d\"/>", SP_LEFT_EDGE, sp_axis_at(&p->up, value), SIDE);
        sp_svg_text(out, "end", SP_LEFT_EDGE - 8, sp_axis_at(&p->up, value) + 5);
        sp_buffer_fixed(out, value, p->up.decimals);
        sp_buffer_text(out, "</text>");
        sp_svg_text(out, "middle", sp_axis_at(&p->across, value), SP_TOP_EDGE + SIDE + 22);
        sp_buffer_fixed(out, value, p->up.decimals);
        sp_buffer_text(out, "</text>");
    }
    sp_svg_text(out, "middle", SP_LEFT_EDGE + SIDE / 2.0, SP_TOP_EDGE + SIDE + 48);
    sp_buffer_format(out, "accuracy of argmax</text><text text-anchor=\"middle\" transform=\"translate(18 %d) rotate(-90)\">",
                     SP_TOP_EDGE + SIDE / 2);
    sp_buffer_text(out, "accuracy of ");
    sp_page_name(p->page, p->page->comparison->strategies[p->page->focus].name);
    sp_buffer_format(out, "</text><path class=\"zero\" d=\"M%d %dl%d-%d\"/>\n", SP_LEFT_EDGE, SP_TOP_EDGE + SIDE, SIDE, SIDE);
}

static void draw_scatter(sp_page *page, const gain *gains, int64_t n)
{
    const sp_comparison *c = page->comparison;
    sp_buffer *out = &page->out;
    scatter_plot p = {.page = page, .x = c->strategies[page->argmax].recordings, .y = c->strategies[page->focus].recordings};
    double low = 1, high = 0;
    for (int64_t i = 0; i < n; i++) {
        double x = p.x[gains[i].recording].accuracy.value, y = p.y[gains[i].recording].accuracy.value;
        low = fmin(low, fmin(x, y));
        high = fmax(high, fmax(x, y));
    }
    p.across = sp_axis_around(low, high, SP_LEFT_EDGE, SP_LEFT_EDGE + SIDE);
    p.up = sp_axis_around(low, high, SP_TOP_EDGE + SIDE, SP_TOP_EDGE);
    sp_buffer_text(out, "<figure class=\"plot square\">");
    sp_page_picture_begin(page, SP_LEFT_EDGE + SQUARE - 72, SP_TOP_EDGE + SIDE + 64);
    sp_buffer_text(out, "Accuracy by recording, one strategy against the other");
    sp_page_picture_describe(page);
    sp_buffer_text(out, "Accuracy of ");
    sp_page_name(page, c->strategies[page->focus].name);
    sp_buffer_text(out, " (up) against argmax (across), a dot a recording.");
    sp_page_picture_open(page);
    draw_square(&p);
    if (n > SP_NAMED)
        draw_cells(&p);
    else
        draw_points(&p);
    sp_buffer_text(out, "</svg><figcaption>Accuracy by recording. Above the dashed line ");
    sp_page_name(page, c->strategies[page->focus].name);
    sp_buffer_format(out, " is better than argmax, below it worse.%s",
                     n > SP_NAMED ? " The darker a square, the more recordings." : "");
    numbers(page, gains, n);
    sp_buffer_text(out, "</figcaption></figure>\n");
}

void sp_page_scatter(sp_page *page)
{
    int64_t n = 0;
    gain *gains = has_pairs(page) ? gains_of(page, &n) : NULL;
    if (n > 1)
        draw_scatter(page, gains, n);
    free(gains);
}
