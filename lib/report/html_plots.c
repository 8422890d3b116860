/* Two plots of whole recordings: what legality costs in accuracy, and who gains by it. */
#include "report/html_page.h"

#include <math.h>
#include <stdlib.h>

/* The plot area inside the picture, in its own units. */
enum { WIDTH = 560, HEIGHT = 350, LEFT = 92, RIGHT = 540, TOP = 14, BOTTOM = 286, NAMED = 60 };

/* ---- axes ---- */

typedef struct axis {
    double low, high, step; /* round numbers */
    int from, to;           /* pixels of low and high */
    int decimals;
} axis;

/* Round limits around the values, with about four steps of 1, 2 or 5 times a power of ten between them. */
static axis axis_around(double low, double high, int from, int to)
{
    double range = high - low > 1e-9 ? high - low : 0.01, power = pow(10, floor(log10(range / 4))), times = range / 4 / power;
    double step = power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
    axis a = {.step = step, .from = from, .to = to};
    a.low = floor(low / step + 1e-9) * step;
    a.high = ceil(high / step - 1e-9) * step;
    if (!(a.high > a.low))
        a.high = a.low + step;
    a.decimals = (int)fmax(0, ceil(-log10(step) - 1e-9));
    return a;
}

static double at(const axis *a, double value)
{
    return a->from + (a->to - a->from) * (value - a->low) / (a->high - a->low);
}

static void add(sp_buffer *out, const char *name, double value)
{
    sp_buffer_format(out, " %s=\"%.1f\"", name, value);
}

static void label(sp_buffer *out, const char *anchor, double x, double y)
{
    sp_buffer_format(out, "<text text-anchor=\"%s\"", anchor);
    add(out, "x", x);
    add(out, "y", y);
    sp_buffer_text(out, ">");
}

/* Lines across with their values; values below the other axis, or none. */
static void draw_axes(sp_buffer *out, const axis *x, const axis *y, const char *x_name, const char *y_name, bool has_sign)
{
    int n = (int)lround((y->high - y->low) / y->step);
    for (int i = 0; i <= n; i++) {
        double value = y->low + i * y->step;
        sp_buffer_format(out, "<path class=\"rule\" d=\"M%d %.1fH%d\"/>", LEFT, at(y, value), RIGHT);
        label(out, "end", LEFT - 8, at(y, value) + 5);
        if (has_sign)
            sp_buffer_signed(out, fabs(value) < y->step / 2 ? 0 : value, y->decimals);
        else
            sp_buffer_fixed(out, value, y->decimals);
        sp_buffer_text(out, "</text>");
    }
    n = x ? (int)lround((x->high - x->low) / x->step) : -1;
    for (int i = 0; i <= n; i++) {
        label(out, "middle", at(x, x->low + i * x->step), BOTTOM + 22);
        sp_buffer_fixed(out, x->low + i * x->step, x->decimals);
        sp_buffer_text(out, "</text>");
    }
    label(out, "middle", (LEFT + RIGHT) / 2.0, BOTTOM + 48);
    sp_buffer_format(out, "%s</text><text text-anchor=\"middle\" transform=\"translate(18 %d) rotate(-90)\">%s</text>\n", x_name,
                     (TOP + BOTTOM) / 2, y_name);
}

/* ---- accuracy and legality ---- */

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

void sp_page_plane(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    sp_buffer *out = &page->out;
    double limits[4] = {0, 0, 1, 0}; /* illegal from, to; accuracy from, to */
    bool with_recordings = c->n_recordings > 1 && c->n_recordings <= NAMED;
    if (!sp_has_agreement(c) || c->n_strategies < 2)
        return;
    for (int32_t s = 0; s < c->n_strategies; s++)
        widen(c, &c->strategies[s], with_recordings, limits);
    if (limits[1] <= 0 || limits[2] > limits[3]) /* nobody breaks a rule: one column of dots says nothing */
        return;
    double middle = (limits[2] + limits[3]) / 2, half = fmax((limits[3] - limits[2]) / 2, 0.005); /* a hair is not a hill */
    axis x = axis_around(0, limits[1], LEFT + 14, RIGHT - 14),
         y = axis_around(fmax(0, middle - half), fmin(1, middle + half), BOTTOM, TOP);
    sp_buffer_format(
        out,
        "<figure class=\"plot\"><svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Accuracy of each strategy against "
        "its share of illegal transitions; the numbers stand in the table above\">\n",
        WIDTH, HEIGHT);
    draw_axes(out, &x, &y, "illegal transitions, %", "accuracy", false);
    for (int32_t s = 0; with_recordings && s < c->n_strategies; s++) {
        sp_buffer_format(out, "<path class=\"faint k%d\" d=\"", (int)s % 8);
        for (int64_t r = 0; r < c->n_recordings; r++) {
            const sp_recording_result *one = &c->strategies[s].recordings[r];
            if (!one->accuracy.undefined)
                sp_page_dot(out, at(&x, per_cent_illegal(&one->counts)), at(&y, one->accuracy.value));
        }
        sp_buffer_text(out, "\"/>\n");
    }
    for (int32_t s = 0; s < c->n_strategies; s++) {
        const sp_strategy_result *one = &c->strategies[s];
        if (one->agreement.accuracy.undefined)
            continue;
        sp_buffer_format(out, "<g transform=\"translate(%.1f %.1f)\">", at(&x, per_cent_illegal(&one->counts)),
                         at(&y, one->agreement.accuracy.value));
        sp_page_mark(page, s, 0, 0);
        sp_buffer_text(out, "</g>");
    }
    sp_buffer_text(out, "</svg>");
    sp_page_key(page);
    sp_buffer_format(out,
                     "<figcaption>Up is more accurate, left keeps more rules: the best place is the upper left corner.%s"
                     "</figcaption></figure>\n",
                     with_recordings ? " Small dots are single recordings." : "");
}

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

static void draw_gains(sp_page *page, const gain *gains, int64_t n)
{
    const sp_comparison *c = page->comparison;
    sp_buffer *out = &page->out;
    axis y = axis_around(fmin(gains[0].value, 0), fmax(gains[n - 1].value, 0), BOTTOM, TOP);
    int64_t better = 0, worse = 0;
    sp_buffer_format(out, "<figure class=\"plot\"><svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Accuracy of ", WIDTH,
                     HEIGHT);
    sp_page_name(page, c->strategies[page->focus].name);
    sp_buffer_text(out, " less that of argmax, recording by recording in order; the numbers stand in the table below\">\n");
    draw_axes(out, NULL, &y, "recordings, in order of their gain", "points of accuracy", true);
    sp_buffer_format(out, "<path class=\"zero\" d=\"M%d %.1fH%d\"/>", LEFT, at(&y, 0), RIGHT);
    sp_buffer_text(out, n > NAMED ? "<path class=\"points\" d=\"" : "<g class=\"point\">");
    for (int64_t i = 0; i < n; i++) {
        double x = LEFT + (RIGHT - LEFT) * ((double)i + 0.5) / (double)n;
        better += gains[i].value > 0;
        worse += gains[i].value < 0;
        if (n > NAMED) {
            sp_page_dot(out, x, at(&y, gains[i].value));
            continue;
        }
        sp_buffer_format(out, "<circle r=\"5\" cx=\"%.1f\" cy=\"%.1f\"><title>", x, at(&y, gains[i].value));
        sp_page_name(page, c->ids[gains[i].recording]);
        sp_buffer_text(out, ": ");
        sp_buffer_signed(out, gains[i].value, 2);
        sp_buffer_text(out, "</title></circle>");
    }
    sp_buffer_text(out, n > NAMED ? "\"/>" : "</g>");
    sp_buffer_text(out, "</svg><figcaption>What each recording gains or loses, in points of accuracy: ");
    sp_page_name(page, c->strategies[page->focus].name);
    sp_buffer_text(out, " is better than argmax in ");
    sp_buffer_count(out, better);
    sp_buffer_text(out, ", worse in ");
    sp_buffer_count(out, worse);
    sp_buffer_text(out, ", the same in ");
    sp_buffer_count(out, n - better - worse);
    sp_buffer_text(out, ".</figcaption></figure>\n");
}

void sp_page_gains(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    int64_t n = 0;
    gain *gains = malloc((size_t)(c->n_recordings ? c->n_recordings : 1) * sizeof *gains);
    if (!gains) {
        page->out.failed = true;
        return;
    }
    for (int64_t r = 0; r < c->n_recordings; r++) {
        const sp_value *a = &c->strategies[page->focus].recordings[r].accuracy,
                       *b = &c->strategies[page->argmax].recordings[r].accuracy;
        if (!a->undefined && !b->undefined)
            gains[n++] = (gain){100 * (a->value - b->value), r};
    }
    qsort(gains, (size_t)n, sizeof *gains, by_gain);
    if (n > 1)
        draw_gains(page, gains, n);
    free(gains);
}
