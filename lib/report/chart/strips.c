/* Strips: one scale in the last cell of each row of a table. */
#include "report/chart/chart.h"
#include "report/html/frame.h"

#include <math.h>

enum { STRIP_HEIGHT = 26 };

/* ` name="12.34%"` of a value, two per cent from either edge. */
static void percent(sp_buffer *out, const char *name, const sp_axis *axis, double value)
{
    sp_buffer_say(out, " %s=\"%.2f%%\"", name,
                  axis->high > axis->low ? 2 + 96 * sp_axis_share(axis, value) : 50);
}

void sp_strip_head(sp_buffer *out, const sp_axis *axis)
{
    sp_buffer_text(out, "<th scope=\"col\" class=\"strip\"><span class=\"axis\">");
    for (int end = 0; end < 2; end++) {
        sp_buffer_text(out, "<span>");
        if (axis->format == SP_TICK_SIGNED)
            sp_buffer_signed(out, end ? axis->high : axis->low, axis->decimals);
        else
            sp_buffer_fixed(out, end ? axis->high : axis->low, axis->decimals);
        sp_buffer_text(out, "</span>");
        if (end == 0 && axis->name)
            sp_buffer_format(out, "<span>%s</span>", axis->name);
    }
    sp_buffer_text(out, "</span></th>");
}

void sp_strip_open(sp_buffer *out, bool with_rule)
{
    sp_buffer_text(out, "<td class=\"strip\"><svg aria-hidden=\"true\">");
    if (with_rule)
        sp_buffer_text(out, "<line class=\"rule\" x1=\"2%\" x2=\"98%\" y1=\"13\" y2=\"13\"/>");
}

void sp_strip_close(sp_buffer *out)
{
    sp_buffer_text(out, "</svg></td>");
}

void sp_strip_tick(sp_buffer *out, const sp_axis *axis, const char *class, double value)
{
    sp_buffer_format(out, "<line class=\"%s\" y1=\"0\" y2=\"%d\"", class, STRIP_HEIGHT);
    percent(out, "x1", axis, value);
    percent(out, "x2", axis, value);
    sp_buffer_text(out, "/>");
}

void sp_strip_range(sp_buffer *out, const sp_axis *axis, double low, double high)
{
    sp_buffer_text(out, "<line class=\"whisker\" y1=\"13\" y2=\"13\"");
    percent(out, "x1", axis, low);
    percent(out, "x2", axis, high);
    sp_buffer_text(out, "/>");
}

void sp_strip_band(sp_buffer *out, const sp_axis *axis, double low, double high)
{
    sp_buffer_format(out, "<rect class=\"people\" height=\"%d\"", STRIP_HEIGHT);
    percent(out, "x", axis, low);
    sp_buffer_say(out, " width=\"%.2f%%\"/>", 96 * (sp_axis_share(axis, high) - sp_axis_share(axis, low)));
}

void sp_strip_dot(sp_buffer *out, const sp_axis *axis, double value)
{
    sp_buffer_text(out, "<circle class=\"dot\" cy=\"13\" r=\"5\"");
    percent(out, "cx", axis, value);
    sp_buffer_text(out, "/>");
}

void sp_strip_mark(sp_buffer *out, const sp_axis *axis, int32_t series, int32_t n, double value)
{
    sp_buffer_format(out, "<use class=\"mark s%d\" href=\"#m%d\"", (int)series % 8,
                     (int)series % SP_N_SHAPES);
    percent(out, "x", axis, value);
    sp_attribute(out, "y", STRIP_HEIGHT * (series + 1.0) / (n + 1));
    sp_buffer_text(out, "/>");
}
