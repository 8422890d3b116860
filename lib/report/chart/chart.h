/* A plot: scales, ticks, axes, and what is drawn between them. Sections give data; no section knows a pixel.
 *
 * The order of calls: fill the struct, sp_chart_open(), any of the shapes, sp_chart_close(); the caption and the table of the
 * same numbers are the caller's. All values are in the units of the axes. A value that is not finite is left out: it interrupts a
 * line.
 */
#ifndef STATEPATH_REPORT_CHART_H
#define STATEPATH_REPORT_CHART_H

#include "report/write/buffer.h"

enum { SP_NAMED_DOTS = 60 /* up to so many dots have a title of their own; more are one plain path */ };

/* The plot area inside the picture, in the picture's own units. */
typedef struct sp_chart_area {
    int width, height;            /* of the picture */
    int left, right, top, bottom; /* of the area */
} sp_chart_area;
extern const sp_chart_area sp_area_plot, sp_area_square, sp_area_small;

typedef enum sp_tick_format { SP_TICK_NUMBER, SP_TICK_SIGNED } sp_tick_format;

typedef struct sp_axis {
    double low, high; /* low < high */
    double step;      /* between ticks; 0: no ticks */
    bool is_log;      /* low > 0; ticks at powers of ten */
    sp_tick_format format;
    int decimals;
    const char *name; /* beside the axis, plain text; NULL: none, or that of the chart */
} sp_axis;

/* Round limits around the values, with about four steps of 1, 2 or 5 times a power of ten between them. */
sp_axis sp_axis_around(const char *name, double low, double high);
/* From one power of ten to another around the values, which are > 0. */
sp_axis sp_axis_powers(const char *name, double low, double high);
/* Places 0..n-1 side by side, each in the middle of its share; no ticks. */
sp_axis sp_axis_places(const char *name, int64_t n);
double sp_axis_share(const sp_axis *axis, double value); /* 0 at `low`, 1 at `high` */

typedef struct sp_chart {
    sp_buffer *out;
    int *n_pictures; /* of the page so far: makes the ids of titles */
    const sp_chart_area *area;
    sp_axis x, y;
    int x_ticks_at; /* where the ticks of x stand; 0: below the area */
    const int64_t
        *recordings; /* [n] whose the points of dots are, for the script; NULL: they are of no recording */
    /* Plain text, escaped when written; freed by sp_chart_open(). Names stand beside axes that have none of their own. */
    sp_buffer title, description, x_name, y_name;
} sp_chart;

typedef struct sp_point {
    double x, y;
} sp_point;

/* <svg> with its title and description, and the axes. */
void sp_chart_open(sp_chart *chart);
void sp_chart_close(sp_chart *chart);

/* A line from point to point. class: of the path, such as "curve k1 d1". */
void sp_chart_line(sp_chart *chart, const char *class, int64_t n, const sp_point *points);
/* The same with a title, of one recording. */
void sp_chart_titled_line(sp_chart *chart, const char *title, int64_t recording, int64_t n,
                          const sp_point *points);
/* A straight line across the whole area, and the value with its unit at its right end (label: its title; NULL: no value). */
void sp_chart_across(sp_chart *chart, const char *class, double y, const char *label, int decimals);
/* The area between low[i] and high[i] at x[i]. */
void sp_chart_band(sp_chart *chart, int64_t n, const double *x, const double *low, const double *high);
/* Of a class, a dot a point. Up to SP_NAMED_DOTS points have titles: name(arg, i) writes the title's text, escaped. */
typedef void sp_point_name(const void *arg, int64_t i, sp_buffer *out);
void sp_chart_dots(sp_chart *chart, int64_t n, const sp_point *points, sp_point_name *name, const void *arg);
/* One, in the colour of text: the caller may put it and its <title> into a <g>. */
void sp_chart_dot(sp_chart *chart, sp_point point);
/* Small dots without titles, in the colour of series i. */
void sp_chart_faint_dots(sp_chart *chart, int32_t series, int64_t n, const sp_point *points);
/* The shape of series i; its name below the area (sp_axis_places). */
void sp_chart_mark(sp_chart *chart, int32_t series, sp_point point);
void sp_chart_place_name(sp_chart *chart, int64_t place, int64_t n, const char *name);
/* Squares of a lattice of `cells` by `cells`, the darker the more points are in them. */
void sp_chart_lattice(sp_chart *chart, int cells, int64_t n, const sp_point *points);
/* A rectangle between two x and two y. */
void sp_chart_box(sp_chart *chart, const char *class, sp_point from, sp_point to);
/* Bars above the line `base` (in pixels, as is `height` of the greatest): counts[i] between x = edges[i] and edges[i+1], the
 * count above each. Empty ones are left out. */
void sp_chart_bars(sp_chart *chart, int base, int height, int64_t n, const double *edges,
                   const int64_t *counts);

/* The class of the line of series i, with colour and dashes of its own, such as "curve k1 d1". Its shape
 * is #m1 in the colour s1. */
typedef struct sp_curve_class {
    char text[16];
} sp_curve_class;
sp_curve_class sp_series_curve(int32_t series);
void sp_series_mark(sp_buffer *out, int32_t series, const char *x, const char *y);
void sp_series_key(sp_buffer *out, int32_t series,
                   const char *name); /* <li> of a list that says whose a shape is */

/* ` name="12.3"`, pixels to a tenth. */
void sp_attribute(sp_buffer *out, const char *name, double value);

/* ---- strips (strips.c): one scale from axis->low to axis->high in the last cell of each row of a table ---- */

/* The header cell: both ends of the scale, its name between them. */
void sp_strip_head(sp_buffer *out, const sp_axis *axis);
/* The cell of a row; what follows is drawn in it, until sp_strip_close(). with_rule: a thin line along it. */
void sp_strip_open(sp_buffer *out, bool with_rule);
void sp_strip_close(sp_buffer *out);
void sp_strip_tick(sp_buffer *out, const sp_axis *axis, const char *class, double value);
void sp_strip_range(sp_buffer *out, const sp_axis *axis, double low, double high);
void sp_strip_band(sp_buffer *out, const sp_axis *axis, double low, double high);
void sp_strip_dot(sp_buffer *out, const sp_axis *axis, double value);
/* The shape of series i of n, each at a height of its own. */
void sp_strip_mark(sp_buffer *out, const sp_axis *axis, int32_t series, int32_t n, double value);

#endif
