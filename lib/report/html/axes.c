#include "report/html/axes.h"

#include <math.h>

sp_axis sp_axis_around(double low, double high, int from, int to)
{
    double range = high - low > 1e-9 ? high - low : 0.01, power = pow(10, floor(log10(range / 4))), times = range / 4 / power;
    double step = power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
    sp_axis a = {.step = step, .from = from, .to = to};
    a.low = floor(low / step + 1e-9) * step;
    a.high = ceil(high / step - 1e-9) * step;
    if (!(a.high > a.low))
        a.high = a.low + step;
    a.decimals = (int)fmax(0, ceil(-log10(step) - 1e-9));
    return a;
}

double sp_axis_at(const sp_axis *a, double value)
{
    return a->from + (a->to - a->from) * (value - a->low) / (a->high - a->low);
}

void sp_svg_number(sp_buffer *out, const char *name, double value)
{
    sp_buffer_format(out, " %s=\"%.1f\"", name, value);
}

void sp_svg_text(sp_buffer *out, const char *anchor, double x, double y)
{
    sp_buffer_format(out, "<text text-anchor=\"%s\"", anchor);
    sp_svg_number(out, "x", x);
    sp_svg_number(out, "y", y);
    sp_buffer_text(out, ">");
}

void sp_draw_axes(sp_buffer *out, const sp_axis *x, const sp_axis *y, const char *x_name, const char *y_name, bool has_sign)
{
    int n = (int)lround((y->high - y->low) / y->step);
    for (int i = 0; i <= n; i++) {
        double value = y->low + i * y->step;
        sp_buffer_format(out, "<path class=\"rule\" d=\"M%d %.1fH%d\"/>", SP_LEFT_EDGE, sp_axis_at(y, value), SP_RIGHT_EDGE);
        sp_svg_text(out, "end", SP_LEFT_EDGE - 8, sp_axis_at(y, value) + 5);
        if (has_sign)
            sp_buffer_signed(out, fabs(value) < y->step / 2 ? 0 : value, y->decimals);
        else
            sp_buffer_fixed(out, value, y->decimals);
        sp_buffer_text(out, "</text>");
    }
    n = x ? (int)lround((x->high - x->low) / x->step) : -1;
    for (int i = 0; i <= n; i++) {
        sp_svg_text(out, "middle", sp_axis_at(x, x->low + i * x->step), SP_BOTTOM_EDGE + 22);
        sp_buffer_fixed(out, x->low + i * x->step, x->decimals);
        sp_buffer_text(out, "</text>");
    }
    sp_svg_text(out, "middle", (SP_LEFT_EDGE + SP_RIGHT_EDGE) / 2.0, SP_BOTTOM_EDGE + 48);
    sp_buffer_format(out, "%s</text><text text-anchor=\"middle\" transform=\"translate(18 %d) rotate(-90)\">%s</text>\n", x_name,
                     (SP_TOP_EDGE + SP_BOTTOM_EDGE) / 2, y_name);
}
