/* Which classes have a lane in step plots, and what all of these share. */
#include "report/html/steps.h"

#include <stdlib.h>

enum { FEW_CLASSES = SP_CLASS_COLOURS }; /* up to here every class has its lane */

static void note_classes(const int32_t *path, int64_t n, int32_t *seen)
{
    for (int64_t t = 0; path && t < n; t++)
        if (path[t] >= 0)
            seen[path[t]] = 1;
}

static int lane_height(int32_t n)
{
    return n <= 6 ? 13 : n <= SP_CLASS_COLOURS ? 11 : n <= 40 ? 6 : 4;
}

bool sp_lanes_fill(const sp_comparison *c, const sp_class_style *style, const sp_trace *trace, sp_lanes *lanes)
{
    int32_t n_classes = c->n_classes;
    size_t room = (size_t)n_classes;
    *lanes = (sp_lanes){.lane_of = calloc(room, sizeof *lanes->lane_of), .class_of = calloc(room, sizeof *lanes->class_of)};
    if (!lanes->lane_of || !lanes->class_of) {
        sp_lanes_free(lanes);
        return false;
    }
    note_classes(trace->labels, trace->n_steps, lanes->lane_of);
    for (int32_t s = 0; trace->paths && s < c->n_strategies; s++)
        note_classes(trace->paths[s], trace->n_steps, lanes->lane_of);
    for (int32_t k = 0; k < n_classes; k++)
        if (n_classes <= FEW_CLASSES || lanes->lane_of[k])
            lanes->class_of[lanes->n++] = k;
    for (int32_t i = 1; i < lanes->n; i++) /* by rank; few, and mostly sorted already */
        for (int32_t j = i; j > 0 && style->rank[lanes->class_of[j - 1]] > style->rank[lanes->class_of[j]]; j--) {
            int32_t swapped = lanes->class_of[j];
            lanes->class_of[j] = lanes->class_of[j - 1];
            lanes->class_of[j - 1] = swapped;
        }
    for (int32_t k = 0; k < n_classes; k++)
        lanes->lane_of[k] = -1;
    for (int32_t i = 0; i < lanes->n; i++)
        lanes->lane_of[lanes->class_of[i]] = i;
    lanes->height = lane_height(lanes->n);
    return true;
}

void sp_lanes_free(sp_lanes *lanes)
{
    free(lanes->lane_of);
    free(lanes->class_of);
    *lanes = (sp_lanes){0};
}

/* ---- what all tracks share ---- */

static void add_stop(sp_page *page, const sp_class_style *style, int32_t k, double from, double to)
{
    for (int side = 0; side < 2; side++)
        sp_buffer_say(&page->out, "<stop class=\"%s\" offset=\"%.3f\"/>", sp_class_style_name(style, 't', k).text,
                      side ? to : from);
}

static void add_names(sp_page *page, const int32_t *class_of, int32_t n, int height)
{
    sp_buffer *out = &page->out;
    int every = (10 + height - 1) / height;
    for (int32_t lane = 0; lane < n; lane += every) {
        sp_buffer name = {0};
        sp_buffer_format(out, "<text y=\"%d\">", SP_LANES_TOP + lane * height + height / 2 + 3);
        sp_buffer_name(&name, page->comparison->classes[class_of[lane]], 9);
        sp_buffer_html(&page->out, name.data ? name.data : "");
        out->failed |= name.failed;
        sp_buffer_free(&name);
        sp_buffer_text(out, "</text>");
    }
}

void sp_page_lane_shapes(sp_page *page, const sp_class_style *style)
{
    static const int heights[] = {13, 11, 6, 4};
    const sp_comparison *c = page->comparison;
    const sp_trace none = {0};
    sp_buffer *out = &page->out;
    sp_lanes lanes;
    bool is_same = c->n_classes <= FEW_CLASSES;
    if (page->has_lane_shapes)
        return;
    page->has_lane_shapes = true;
    if (!sp_lanes_fill(c, style, is_same ? &none : &c->traces[0], &lanes)) {
        out->failed = true;
        return;
    }
    int32_t n = style->sleep ? lanes.n : SP_CLASS_COLOURS; /* which take turns */
    sp_buffer_format(out,
                     "<svg class=\"swatch\" width=\"0\" height=\"0\" aria-hidden=\"true\" focusable=\"false\"><defs>"
                     "<linearGradient id=\"lane\" gradientUnits=\"userSpaceOnUse\" x2=\"0\" y2=\"%d\" spreadMethod=\"repeat\">",
                     (int)(2 * n));
    for (int32_t i = 0; i < n; i++)
        add_stop(page, style, style->sleep ? lanes.class_of[i] : i, (double)i / n, (i + 1.0) / n);
    sp_buffer_text(out, "</linearGradient>");
    for (size_t i = 0; i < sizeof heights / sizeof *heights; i++)
        sp_buffer_format(out,
                         "<pattern id=\"lanes%d\" width=\"99\" height=\"%d\" y=\"%d\" patternUnits=\"userSpaceOnUse\">"
                         "<path class=\"lane\" d=\"M0 %d.5H99\"/></pattern>",
                         heights[i], heights[i], SP_LANES_TOP, heights[i] / 2);
    if (is_same) {
        sp_buffer_text(out, "<g id=\"names\">");
        add_names(page, lanes.class_of, lanes.n, lanes.height);
        sp_buffer_text(out, "</g>");
    }
    sp_buffer_text(out, "</defs></svg>\n");
    sp_lanes_free(&lanes);
}

void sp_page_lane_names(sp_page *page, const sp_lanes *lanes)
{
    sp_buffer_format(&page->out, "<svg class=\"lane-names\" aria-hidden=\"true\" height=\"%d\">",
                     SP_LANES_TOP + lanes->n * lanes->height);
    if (page->comparison->n_classes <= FEW_CLASSES)
        sp_buffer_text(&page->out, "<use href=\"#names\"/>");
    else
        add_names(page, lanes->class_of, lanes->n, lanes->height);
    sp_buffer_text(&page->out, "</svg>");
}
