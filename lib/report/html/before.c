/* The first picture: one recording before and after, argmax above the strategy that the page is about. The script shows either in
 * the place of the other. */
#include "report/html/steps.h"

#include <stdlib.h>
#include <string.h>

/* Of the recordings whose steps are there the one in the middle of the ranking, if argmax breaks a rule in it, else the one in
 * which it breaks most. NULL: there is none. */
static const sp_trace *choose(const sp_comparison *c, int32_t argmax, const sp_ranking *ranking)
{
    const sp_recording_result *rows = c->strategies[argmax].recordings;
    const sp_trace *chosen = ranking->n ? sp_trace_of(c, ranking->recordings[ranking->n / 2]) : NULL;
    if (chosen && chosen->n_steps && rows[chosen->recording].counts.illegal)
        return chosen;
    chosen = NULL;
    for (int64_t i = 0; i < c->n_traces; i++) {
        const sp_trace *one = &c->traces[i];
        if (one->n_steps && (!chosen || rows[one->recording].counts.illegal > rows[chosen->recording].counts.illegal))
            chosen = one;
    }
    return chosen;
}

static void add_track(sp_page *page, const sp_class_style *style, const sp_lanes *lanes, const sp_trace *trace, int32_t s)
{
    const sp_strategy_result *strategy = &page->comparison->strategies[s];
    sp_pair_set illegal = {0};
    if (!sp_pair_set_fill(&illegal, strategy->illegal_pairs, strategy->n_illegal_pairs)) {
        page->out.failed = true;
        return;
    }
    const sp_step_path path = {.name = strategy->name,
                               .classes = trace->paths[s],
                               .labels = trace->labels,
                               .illegal = &illegal,
                               .result = &strategy->recordings[trace->recording]};
    sp_page_track(page, style, lanes, trace, &path);
    free(illegal.pairs);
}

/* argmax above the other. */
static void draw(sp_page *page, const sp_class_style *style, const sp_lanes *lanes, const sp_trace *trace)
{
    sp_page_lane_shapes(page, style, lanes);
    add_track(page, style, lanes, trace, page->argmax);
    add_track(page, style, lanes, trace, page->focus);
    sp_page_step_axis(page, trace->n_steps);
}

static void add_figure(sp_page *page, const sp_class_style *style, const sp_trace *trace)
{
    const sp_comparison *c = page->comparison;
    sp_buffer *out = &page->out, link = {0};
    sp_lanes lanes;
    const int64_t most_named = page->most_named;
    if (!sp_lanes_fill(c, style, &lanes)) {
        out->failed = true;
        return;
    }
    sp_page_lane_shapes(page, style, &lanes);
    page->most_named = page->n_named + SP_MARK_COLUMNS;
    sp_picture_open(page, NULL, "flip", "before-and-after-%s", c->ids[trace->recording]);
    do
        draw(page, style, &lanes, trace);
    while (sp_picture_drawn(page));
    page->most_named = most_named;
    sp_buffer_place(&link, c->ids[trace->recording], -1);
    sp_html_say(
        out,
        "<figcaption>One {recording}, <a href=\"%s\">%s</a>: %s above, %s below. <svg width=\"10\" height=\"10\" role=\"img\" "
        "aria-label=\"A triangle\"><use href=\"#ill\" x=\"5\" y=\"1\"/></svg> marks an illegal transition%s</figcaption>",
        sp_buffer_string(&link), c->ids[trace->recording], c->strategies[page->argmax].name, c->strategies[page->focus].name,
        trace->labels ? "; the strip is filled where the path differs from the reference." : ".");
    sp_buffer_text(out, "</figure>\n");
    sp_buffer_drop(&link, out);
    sp_lanes_free(&lanes);
}

void sp_page_before_after(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    sp_class_style style = {0};
    sp_ranking ranking = {0};
    if (page->argmax < 0 || page->focus < 0 || page->argmax == page->focus || c->n_traces == 0)
        return;
    if (sp_class_style_fill((const char *const *)c->classes, c->n_classes, &style) && sp_ranking_fill(c, &ranking)) {
        const sp_trace *trace = choose(c, page->argmax, &ranking);
        if (trace)
            add_figure(page, &style, trace);
    } else {
        page->out.failed = true;
    }
    sp_class_style_free(&style);
    sp_ranking_free(&ranking);
}
