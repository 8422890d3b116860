/* Axes of a plot: round limits, where a value lies, lines across with their values. */
#ifndef STATEPATH_REPORT_HTML_AXES_H
#define STATEPATH_REPORT_HTML_AXES_H

#include "report/html/page.h"

/* The plot area inside the picture, in its own units. Up to SP_NAMED recordings are dots with a name; more are drawn plainly. */
enum {
    SP_PLOT_WIDTH = 560,
    SP_PLOT_HEIGHT = 350,
    SP_LEFT_EDGE = 92,
    SP_RIGHT_EDGE = 540,
    SP_TOP_EDGE = 14,
    SP_BOTTOM_EDGE = 286
};
enum { SP_NAMED = 60 };

typedef struct sp_axis {
    double low, high, step; /* round numbers */
    int from, to;           /* pixels of low and high */
    int decimals;
} sp_axis;

/* Round limits around the values, with about four steps of 1, 2 or 5 times a power of ten between them. */
sp_axis sp_axis_around(double low, double high, int from, int to);
double sp_axis_at(const sp_axis *axis, double value);

/* ` name="12.3"`, and <text> at a place, which the caller closes. */
void sp_svg_number(sp_buffer *out, const char *name, double value);
void sp_svg_text(sp_buffer *out, const char *anchor, double x, double y);

/* Lines across with their values; values below the other axis, or none (x NULL). */
void sp_draw_axes(sp_buffer *out, const sp_axis *x, const sp_axis *y, const char *x_name, const char *y_name, bool has_sign);

#endif
