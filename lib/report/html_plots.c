/* Plots of whole recordings: what legality costs in accuracy, who gains by it, and how much. */
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
    sp_buffer_text(out, "<figure class=\"plot\">");
    sp_page_picture_begin(page, WIDTH, HEIGHT);
    sp_buffer_text(out, "Accuracy and legality");
    sp_page_picture_describe(page);
    sp_buffer_text(out,
                   "Accuracy of each strategy against its share of illegal transitions. The numbers stand in the table above");
    sp_buffer_text(out, with_recordings ? ", those of the recordings in the table of recordings." : ".");
    sp_page_picture_open(page);
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
                     "<figcaption>What the rules cost. Up is more accurate, left keeps more rules: the best place is the upper "
                     "left corner.%s</figcaption></figure>\n",
                     with_recordings ? " Small dots: single <a href=\"#recordings\">recordings</a>." : "");
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
    sp_buffer_text(out, "<figure class=\"plot\">");
    sp_page_picture_begin(page, WIDTH, HEIGHT);
    sp_buffer_text(out, "Gains by recording");
    sp_page_picture_describe(page);
    sp_buffer_text(out, "Accuracy of ");
    sp_page_name(page, c->strategies[page->focus].name);
    sp_buffer_text(out, " less that of argmax, recording by recording in order. The numbers stand in the table of recordings.");
    sp_page_picture_open(page);
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
    sp_buffer_text(out, ". <a href=\"#recordings\">The numbers</a></figcaption></figure>\n");
}

/* Is there something to set against argmax, recording by recording? */
static bool has_pairs(const sp_page *page)
{
    return sp_has_agreement(page->comparison) && page->argmax >= 0 && page->focus >= 0 && page->focus != page->argmax &&
           page->comparison->n_recordings > 2;
}

void sp_page_gains(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    int64_t n = 0;
    if (!has_pairs(page))
        return;
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

/* ---- one strategy against the other ---- */

/* The scatter is square; beyond NAMED recordings its points lie on each other, so it shows how many fall into each cell. */
enum { SQUARE = 400, SIDE = 308, CELLS = 44, SHADES = 5 };

typedef struct scatter_plot {
    sp_page *page;
    const sp_recording_result *x, *y; /* of argmax and of the focus */
    axis across, up;
} scatter_plot;

static bool is_drawn(const scatter_plot *p, int64_t r)
{
    return !p->x[r].accuracy.undefined && !p->y[r].accuracy.undefined;
}

static int cell_of(const axis *a, double value)
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
                    sp_buffer_format(out, "M%d %dh7v-7h-7z", LEFT + 7 * j, TOP + SIDE - 7 * i);
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
        sp_buffer_format(out, "<circle r=\"5\" cx=\"%.1f\" cy=\"%.1f\"><title>", at(&p->across, p->x[r].accuracy.value),
                         at(&p->up, p->y[r].accuracy.value));
        sp_page_name(p->page, p->page->comparison->ids[r]);
        sp_buffer_text(out, ": ");
        sp_buffer_fixed(out, p->y[r].accuracy.value, 3);
        sp_buffer_text(out, " against ");
        sp_buffer_fixed(out, p->x[r].accuracy.value, 3);
        sp_buffer_text(out, "</title></circle>");
    }
    sp_buffer_text(out, "</g>");
}

static void draw_square(const scatter_plot *p)
{
    sp_buffer *out = &p->page->out;
    int n = (int)lround((p->up.high - p->up.low) / p->up.step);
    for (int i = 0; i <= n; i++) {
        double value = p->up.low + i * p->up.step;
        sp_buffer_format(out, "<path class=\"rule\" d=\"M%d %.1fh%d\"/>", LEFT, at(&p->up, value), SIDE);
        label(out, "end", LEFT - 8, at(&p->up, value) + 5);
        sp_buffer_fixed(out, value, p->up.decimals);
        sp_buffer_text(out, "</text>");
        label(out, "middle", at(&p->across, value), TOP + SIDE + 22);
        sp_buffer_fixed(out, value, p->up.decimals);
        sp_buffer_text(out, "</text>");
    }
    label(out, "middle", LEFT + SIDE / 2.0, TOP + SIDE + 48);
    sp_buffer_format(out, "accuracy of argmax</text><text text-anchor=\"middle\" transform=\"translate(18 %d) rotate(-90)\">",
                     TOP + SIDE / 2);
    sp_buffer_text(out, "accuracy of ");
    sp_page_name(p->page, p->page->comparison->strategies[p->page->focus].name);
    sp_buffer_format(out, "</text><path class=\"zero\" d=\"M%d %dl%d-%d\"/>\n", LEFT, TOP + SIDE, SIDE, SIDE);
}

void sp_page_scatter(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    sp_buffer *out = &page->out;
    double low = 1, high = 0;
    int64_t n = 0;
    if (!has_pairs(page))
        return;
    scatter_plot p = {.page = page, .x = c->strategies[page->argmax].recordings, .y = c->strategies[page->focus].recordings};
    for (int64_t r = 0; r < c->n_recordings; r++)
        if (is_drawn(&p, r)) {
            low = fmin(low, fmin(p.x[r].accuracy.value, p.y[r].accuracy.value));
            high = fmax(high, fmax(p.x[r].accuracy.value, p.y[r].accuracy.value));
            n++;
        }
    if (n < 2)
        return;
    p.across = axis_around(low, high, LEFT, LEFT + SIDE);
    p.up = axis_around(low, high, TOP + SIDE, TOP);
    sp_buffer_text(out, "<figure class=\"plot square\">");
    sp_page_picture_begin(page, LEFT + SQUARE - 72, TOP + SIDE + 64);
    sp_buffer_text(out, "Accuracy by recording, one strategy against the other");
    sp_page_picture_describe(page);
    sp_buffer_text(out, "Accuracy of ");
    sp_page_name(page, c->strategies[page->focus].name);
    sp_buffer_text(out, " (up) against argmax (across), by recording. The numbers stand in the table of recordings.");
    sp_page_picture_open(page);
    draw_square(&p);
    if (n > NAMED)
        draw_cells(&p);
    else
        draw_points(&p);
    sp_buffer_text(out, "</svg><figcaption>Accuracy by recording. Above the dashed line ");
    sp_page_name(page, c->strategies[page->focus].name);
    sp_buffer_format(out,
                     " is better than argmax, below it worse.%s <a href=\"#recordings\">The numbers</a></figcaption></figure>\n",
                     n > NAMED ? " The darker a square, the more recordings." : "");
}
