/* The first picture: one recording before and after, argmax above the strategy that the page is about. The script shows either in
 * the place of the other. */
#include "report/html/steps.h"

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

/* argmax above the other. */
static void draw(const sp_step_view *view, const sp_trace *trace)
{
    sp_page *page = view->page;
    const int32_t both[] = {page->argmax, page->focus};
    sp_page_lane_shapes(page, &view->lanes);
    for (int i = 0; i < 2; i++) {
        const sp_step_path path = sp_step_path_of(view, trace, both[i]);
        sp_page_track(page, &view->lanes, trace, &path);
    }
    sp_page_step_axis(page, trace->n_steps);
}

static void add_figure(const sp_step_view *view, const sp_trace *trace)
{
    sp_page *page = view->page;
    const sp_comparison *c = page->comparison;
    sp_buffer *out = &page->out;
    const int64_t most_named = page->most_named;
    sp_page_lane_shapes(page, &view->lanes);
    page->most_named = page->n_named + SP_MARK_COLUMNS;
    sp_picture_open(page, NULL, "flip", "before-and-after-%s", c->ids[trace->recording]);
    do
        draw(view, trace);
    while (sp_picture_drawn(page));
    page->most_named = most_named;
    sp_buffer_words(out, "<figcaption>One {recording}, ");
    sp_page_link(page, trace->recording, -1);
    sp_html_say(
        out,
        ": %s above, %s below. <svg width=\"10\" height=\"10\" role=\"img\" aria-label=\"A triangle\"><use href=\"#ill\" x=\"5\" "
        "y=\"1\"/></svg> marks an illegal transition%s</figcaption></figure>\n",
        c->strategies[page->argmax].name, c->strategies[page->focus].name,
        trace->labels ? "; the strip is filled where the path differs from the reference." : ".");
}

void sp_page_before_after(sp_page *page)
{
    sp_step_view view;
    if (page->argmax < 0 || page->focus < 0 || page->argmax == page->focus || page->comparison->n_traces == 0)
        return;
    if (sp_step_view_fill(page, &view)) {
        const sp_trace *trace = choose(page->comparison, page->argmax, &view.ranking);
        if (trace)
            add_figure(&view, trace);
    }
    sp_step_view_free(&view);
}
