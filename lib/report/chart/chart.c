#include "report/chart/chart.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/html/frame.h"

const sp_chart_area sp_area_plot = {560, 350, 92, 540, 14, 286};
const sp_chart_area sp_area_square = {420, 386, 92, 400, 14, 322};
const sp_chart_area sp_area_small = {340, 230, 46, 286, 12, 186};

/* ---- axes ---- */

static double x_of(const sp_chart *c, double x)
{
    return c->area->left + (c->area->right - c->area->left) * sp_axis_share(&c->x, x);
}

static double y_of(const sp_chart *c, double y)
{
    return c->area->bottom - (c->area->bottom - c->area->top) * sp_axis_share(&c->y, y);
}

/* "12.3", "12": pixels to a tenth. */
static void pixels(sp_buffer *out, double value)
{
    double tenths = rint(value * 10) / 10;
    sp_buffer_format(out, tenths == rint(tenths) ? "%.0f" : "%.1f", tenths + 0.0);
}

void sp_attribute(sp_buffer *out, const char *name, double value)
{
    sp_buffer_format(out, " %s=\"", name);
    pixels(out, value);
    sp_buffer_text(out, "\"");
}

/* The caller closes the element. anchor: NULL where the group says it. */
static void text_at(sp_buffer *out, const char *anchor, double x, double y)
{
    sp_buffer_text(out, "<text");
    if (anchor)
        sp_buffer_format(out, " text-anchor=\"%s\"", anchor);
    sp_attribute(out, "x", x);
    sp_attribute(out, "y", y);
    sp_buffer_text(out, ">");
}

static void tick_text(sp_buffer *out, const sp_axis *a, double value)
{
    if (!a->is_log && fabs(value) < a->step / 2)
        value = 0;
    if (a->format == SP_TICK_SIGNED)
        sp_buffer_signed(out, value, a->decimals);
    else if (a->is_log)
        sp_buffer_format(out, "%.6g", value);
    else
        sp_buffer_fixed(out, value, a->decimals);
    sp_buffer_text(out, "</text>");
}

/* The i-th tick; NAN beyond the last. */
static double tick(const sp_axis *a, int i)
{
    if (!(a->step > 0))
        return NAN;
    double first = a->is_log ? pow(10, ceil(log10(a->low) - 1e-9)) : ceil(a->low / a->step - 1e-9) * a->step;
    double value = a->is_log ? first * pow(10, i) : first + i * a->step,
           slack = a->is_log ? 1e-9 * a->high : 1e-9 * a->step;
    return value <= a->high + slack ? value : NAN;
}

/* Lines across with their values; values below. */
static void draw_axes(sp_chart *c)
{
    const sp_chart_area *area = c->area;
    sp_buffer *out = c->out;
    const char *x_name = c->x.name ? c->x.name : c->x_name.data,
               *y_name = c->y.name ? c->y.name : c->y_name.data;
    int below = c->x_ticks_at ? c->x_ticks_at : area->bottom, font = area->height > 300 ? 1 : 0;
    sp_buffer_text(out, "<path class=\"rule\" d=\"");
    for (int i = 0; isfinite(tick(&c->y, i)); i++) {
        sp_buffer_format(out, "M%d ", area->left);
        pixels(out, y_of(c, tick(&c->y, i)));
        sp_buffer_format(out, "H%d", area->right);
    }
    sp_buffer_text(out, "\"/><g text-anchor=\"end\">");
    for (int i = 0; isfinite(tick(&c->y, i)); i++) {
        text_at(out, NULL, area->left - 8, y_of(c, tick(&c->y, i)) + 4 + font);
        tick_text(out, &c->y, tick(&c->y, i));
    }
    sp_buffer_text(out, "</g><g text-anchor=\"middle\">");
    for (int i = 0; isfinite(tick(&c->x, i)); i++) {
        text_at(out, NULL, x_of(c, tick(&c->x, i)), below + (font ? 22 : 15));
        tick_text(out, &c->x, tick(&c->x, i));
    }
    if (x_name) {
        text_at(out, NULL, (area->left + area->right) / 2.0, below + (font ? 48 : 34));
        sp_html_say(out, "%s</text>", x_name);
    }
    sp_buffer_text(out, "</g>");
    if (y_name)
        sp_html_say(out,
                    "<text class=\"upright\" text-anchor=\"middle\" transform=\"translate(14 %d) "
                    "rotate(-90)\">%s</text>",
                    (area->top + area->bottom) / 2, y_name);
    sp_buffer_text(out, "\n");
}

void sp_chart_open(sp_chart *c)
{
    int id = (*c->n_pictures)++;
    sp_buffer *out = c->out;
    sp_html_say(out,
                "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-labelledby=\"pt%d pd%d\"><title "
                "id=\"pt%d\">%s</title><desc "
                "id=\"pd%d\">%s</desc>\n",
                c->area->width, c->area->height, id, id, id, c->title.data ? c->title.data : "", id,
                c->description.data ? c->description.data : "");
    draw_axes(c);
    sp_buffer *const texts[] = {&c->title, &c->description, &c->x_name, &c->y_name};
    for (size_t i = 0; i < sizeof texts / sizeof(sp_buffer *); i++)
        sp_buffer_drop(texts[i], out);
}

void sp_chart_close(sp_chart *c)
{
    sp_buffer_text(c->out, "</svg>");
}

/* ---- lines ---- */

static bool is_drawn(sp_point p)
{
    return isfinite(p.x) && isfinite(p.y);
}

static void move_to(const sp_chart *c, char command, sp_point p)
{
    sp_buffer_add(c->out, &command, 1);
    pixels(c->out, x_of(c, p.x));
    sp_buffer_text(c->out, " ");
    pixels(c->out, y_of(c, p.y));
}

static void polyline(sp_chart *c, int64_t n, const sp_point *points)
{
    bool is_open = false;
    for (int64_t i = 0; i < n; i++) {
        if (is_drawn(points[i]))
            move_to(c, is_open ? 'L' : 'M', points[i]);
        is_open = is_drawn(points[i]);
    }
}

void sp_chart_line(sp_chart *c, const char *class, int64_t n, const sp_point *points)
{
    sp_buffer_format(c->out, "<path class=\"%s\" d=\"", class);
    polyline(c, n, points);
    sp_buffer_text(c->out, "\"/>\n");
}

void sp_chart_titled_line(sp_chart *c, const char *title, int64_t recording, int64_t n,
                          const sp_point *points)
{
    sp_buffer_format(c->out, "<path data-r=\"%lld\" d=\"", (long long)recording);
    polyline(c, n, points);
    sp_html_say(c->out, "\"><title>%s</title></path>", title);
}

void sp_chart_across(sp_chart *c, const char *class, double y, const char *label, int decimals)
{
    sp_buffer_format(c->out, "<path class=\"%s\" d=\"M%d ", class, c->area->left);
    pixels(c->out, y_of(c, y));
    sp_buffer_format(c->out, "H%d\"/>", c->area->right);
    if (label) {
        text_at(c->out, "start", c->area->right + 5, y_of(c, y) + 4);
        sp_buffer_say(c->out, "%+.*f<title>%s</title></text>", decimals, y, label);
    }
    sp_buffer_text(c->out, "\n");
}

void sp_chart_band(sp_chart *c, int64_t n, const double *x, const double *low, const double *high)
{
    sp_buffer_text(c->out, "<path class=\"band\" d=\"");
    for (int64_t i = 0; i < n; i++)
        move_to(c, i ? 'L' : 'M', (sp_point){x[i], high[i]});
    for (int64_t i = n; i-- > 0;)
        move_to(c, 'L', (sp_point){x[i], low[i]});
    sp_buffer_text(c->out, "z\"/>\n");
}

/* ---- dots ---- */

/* Pieces of no length of a path with round ends: thousands of them cost little. Of neighbours in one place one is drawn. */
static void plain_dots(sp_chart *c, const char *class, int64_t n, const sp_point *points)
{
    double last_x = -1, last_y = -1;
    sp_buffer recordings = {0};
    sp_buffer_format(c->out, "<path class=\"%s\" d=\"", class);
    for (int64_t i = 0; i < n; i++) {
        double x = rint(x_of(c, points[i].x)), y = rint(y_of(c, points[i].y));
        if (!is_drawn(points[i]) || (x == last_x && y == last_y))
            continue;
        sp_buffer_format(c->out, "M%.0f %.0fh0", x, y);
        if (c->recordings)
            sp_buffer_format(&recordings, "%s%lld", recordings.length ? " " : "",
                             (long long)c->recordings[i]);
        last_x = x;
        last_y = y;
    }
    if (recordings.length)
        sp_buffer_format(c->out, "\" data-r=\"%s", recordings.data);
    sp_buffer_text(c->out, "\"/>\n");
    sp_buffer_drop(&recordings, c->out);
}

void sp_chart_faint_dots(sp_chart *c, int32_t series, int64_t n, const sp_point *points)
{
    char class[32] = "faint k0";
    class[7] = (char)('0' + series % 8);
    plain_dots(c, class, n, points);
}

void sp_chart_dots(sp_chart *c, int64_t n, const sp_point *points, sp_point_name *name, const void *arg)
{
    if (n > SP_NAMED_DOTS) {
        plain_dots(c, "points", n, points);
        return;
    }
    sp_buffer_text(c->out, "<g class=\"point\">");
    for (int64_t i = 0; i < n; i++) {
        if (!is_drawn(points[i]))
            continue;
        sp_buffer_format(c->out, "<circle r=\"%d\"", c->area->height > 300 ? 5 : 4);
        if (c->recordings)
            sp_buffer_format(c->out, " data-r=\"%lld\"", (long long)c->recordings[i]);
        sp_attribute(c->out, "cx", x_of(c, points[i].x));
        sp_attribute(c->out, "cy", y_of(c, points[i].y));
        sp_buffer_text(c->out, "><title>");
        name(arg, i, c->out);
        sp_buffer_text(c->out, "</title></circle>");
    }
    sp_buffer_text(c->out, "</g>\n");
}

void sp_chart_dot(sp_chart *c, sp_point point)
{
    sp_buffer_text(c->out, "<circle class=\"dot\" r=\"5\"");
    sp_attribute(c->out, "cx", x_of(c, point.x));
    sp_attribute(c->out, "cy", y_of(c, point.y));
    sp_buffer_text(c->out, "/>");
}

void sp_chart_lattice(sp_chart *c, int cells, int64_t n, const sp_point *points)
{
    enum { SHADES = 5 };
    int64_t most = 1, *counts = calloc((size_t)cells * (size_t)cells, sizeof *counts);
    double side = (double)(c->area->right - c->area->left) / cells;
    c->out->failed |= !counts;
    for (int64_t i = 0; counts && i < n; i++) {
        if (!is_drawn(points[i]))
            continue;
        int column = (int)(cells * sp_axis_share(&c->x, points[i].x)),
            row = (int)(cells * sp_axis_share(&c->y, points[i].y));
        int64_t *count =
            &counts[(row < cells ? row : cells - 1) * cells + (column < cells ? column : cells - 1)];
        most = ++*count > most ? *count : most;
    }
    /* Cells of 1, 2, 3 to 4, 5 to 8, ... points in five shades on a scale of powers of two up to the fullest. */
    for (int shade = 1; counts && shade <= SHADES; shade++) {
        sp_buffer_format(c->out, "<path class=\"shade%d\" d=\"", shade);
        for (int i = 0; i < cells * cells; i++) {
            const int row = i / cells;
            double depth = most > 1 ? log2((double)counts[i]) / log2((double)most) : 1;
            if (counts[i] && 1 + (int)lround((SHADES - 1) * depth) == shade)
                sp_buffer_format(c->out, "M%.0f %.0fh%.0fv-%.0fh-%.0fz", c->area->left + side * (i % cells),
                                 c->area->bottom - side * row, side, side, side);
        }
        sp_buffer_text(c->out, "\"/>");
    }
    free(counts);
}

/* ---- series ---- */

sp_curve_class sp_series_curve(int32_t series)
{
    sp_curve_class class;
    snprintf(class.text, sizeof class.text, "curve k%d d%d", (int)series % 8, (int)series % 4);
    return class;
}

void sp_series_mark(sp_buffer *out, int32_t series, const char *x, const char *y)
{
    sp_buffer_format(out, "<use class=\"mark s%d\" href=\"#m%d\" x=\"%s\" y=\"%s\"/>", (int)series % 8,
                     (int)series % SP_N_SHAPES, x, y);
}

void sp_series_key(sp_buffer *out, int32_t series, const char *name)
{
    sp_buffer_text(out, "<li><svg aria-hidden=\"true\">");
    sp_series_mark(out, series, "7", "7");
    sp_html_say(out, "</svg>%s</li>", name);
}

void sp_chart_mark(sp_chart *c, int32_t series, sp_point point)
{
    if (!is_drawn(point))
        return;
    sp_buffer_text(c->out, "<g transform=\"translate(");
    pixels(c->out, x_of(c, point.x));
    sp_buffer_text(c->out, " ");
    pixels(c->out, y_of(c, point.y));
    sp_buffer_text(c->out, ")\">");
    sp_series_mark(c->out, series, "0", "0");
    sp_buffer_text(c->out, "</g>");
}

void sp_chart_place_name(sp_chart *c, int64_t place, int64_t n, const char *name)
{
    text_at(c->out, "middle", x_of(c, (double)place), c->area->bottom + 22 + (place % 2 && n > 4 ? 19 : 0));
    sp_html_say(c->out, "%s</text>\n", name);
}

/* ---- boxes and bars ---- */

static void rectangle(sp_buffer *out, const char *class, double x, double y, double width, double height)
{
    sp_buffer_format(out, "<rect class=\"%s\"", class);
    sp_attribute(out, "x", x);
    sp_attribute(out, "y", y);
    sp_attribute(out, "width", width);
    sp_attribute(out, "height", fmax(1, height));
    sp_buffer_text(out, "/>");
}

void sp_chart_box(sp_chart *c, const char *class, sp_point from, sp_point to)
{
    double left = x_of(c, from.x) + 1, top = y_of(c, to.y);
    rectangle(c->out, class, left, top, x_of(c, to.x) - 1 - left, y_of(c, from.y) - top);
}

/* 950, 12k, 1.2M: what fits above a bar. */
static void short_count(sp_buffer *out, int64_t n)
{
    static const char units[] = {' ', 'k', 'M', 'G', 'T'};
    double value = (double)n;
    int unit = 0;
    while (value >= 999.5 && unit < 4) {
        value /= 1000;
        unit++;
    }
    sp_buffer_fixed(out, value, unit && value < 9.95 ? 1 : 0);
    if (unit)
        sp_buffer_format(out, "%c", units[unit]);
}

void sp_chart_bars(sp_chart *c, int base, int height, int64_t n, const double *edges, const int64_t *counts)
{
    int64_t most = 1;
    for (int64_t i = 0; i < n; i++)
        most = counts[i] > most ? counts[i] : most;
    sp_buffer_text(c->out, "<g class=\"tiny\">");
    for (int64_t i = 0; i < n; i++) {
        double left = x_of(c, edges[i]), width = x_of(c, edges[i + 1]) - left,
               tall = height * (double)counts[i] / (double)most;
        if (!counts[i])
            continue;
        rectangle(c->out, "bar", left + 1, base - fmax(tall, 1), width - 2, tall);
        text_at(c->out, "middle", left + width / 2, base - tall - 5);
        short_count(c->out, counts[i]);
        sp_buffer_text(c->out, "</text>\n");
    }
    sp_buffer_text(c->out, "</g>\n");
}
