/* The first picture: a stretch of a recording, the reference above argmax above the strategy that the page is about. */
#include "report/html/steps.h"

#include <stdint.h>
#include <stdlib.h>

enum { STRETCH = 80 /* steps: each can be seen */ };

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

/* The stretch in which rules bite most: where argmax breaks them, and where the other path differs, right before wrong. -1: no memory. */
static int64_t find_stretch(const sp_page *page, const sp_trace *trace, const sp_pair_set *illegal)
{
    const int32_t *before = trace->paths[page->argmax], *after = trace->paths[page->focus];
    int64_t sum = 0, most = INT64_MIN, first = 0, *merits = calloc((size_t)trace->n_steps, sizeof *merits);
    for (int64_t t = 0; merits && t < trace->n_steps; t++) {
        const sp_pair_count pair = {.from = t ? before[t - 1] : -1, .to = before[t]};
        const bool breaks = t > 0 && bsearch(&pair, illegal->pairs, (size_t)illegal->n, sizeof pair, sp_pair_by_index);
        const int32_t label = trace->labels ? trace->labels[t] : -1;
        merits[t] = breaks ? 2 : 0;
        if (before[t] != after[t])
            merits[t] += label < 0 ? 1 : label == after[t] ? 3 : label == before[t] ? -1 : 1;
        sum += merits[t] - (t >= STRETCH ? merits[t - STRETCH] : 0);
        if (sum > most && (t >= STRETCH - 1 || t == trace->n_steps - 1)) {
            most = sum;
            first = t >= STRETCH ? t - STRETCH + 1 : 0;
        }
    }
    free(merits);
    return merits ? first : -1;
}

/* The reference, argmax, the other. */
static void draw(const sp_step_view *view, const sp_trace *trace)
{
    sp_page *page = view->page;
    const int32_t reference = page->comparison->n_strategies, all[] = {reference, page->argmax, page->focus};
    sp_page_lane_shapes(page, &view->lanes);
    for (int i = trace->labels ? 0 : 1; i < 3; i++) {
        sp_step_path path = sp_step_path_of(view, trace, all[i]);
        path.result = NULL; /* figures are of the whole recording */
        sp_page_track(page, &view->lanes, trace, &path);
    }
    sp_page_step_axis(page, trace->first_step, trace->n_steps);
}

/* The stretch as a trace of its own, whose paths are those of the whole. */
static bool cut(const sp_page *page, const sp_trace *whole, const sp_pair_set *illegal, sp_trace *to)
{
    const int32_t n = page->comparison->n_strategies;
    const int64_t first = find_stretch(page, whole, illegal);
    if (first < 0)
        return false;
    *to = *whole;
    to->first_step = first;
    to->n_steps = whole->n_steps - first < STRETCH ? whole->n_steps - first : STRETCH;
    to->labels = whole->labels ? whole->labels + first : NULL;
    to->segments = whole->segments ? whole->segments + first : NULL;
    to->density = NULL;
    to->paths = malloc((size_t)n * sizeof *to->paths);
    for (int32_t s = 0; to->paths && s < n; s++)
        to->paths[s] = whole->paths[s] + first;
    return to->paths != NULL;
}

static void add_figure(const sp_step_view *view, const sp_trace *whole)
{
    sp_page *page = view->page;
    const sp_comparison *c = page->comparison;
    sp_buffer *out = &page->out;
    const int64_t most_named = page->most_named;
    sp_trace trace;
    if (!cut(page, whole, &view->illegal[page->argmax], &trace)) {
        out->failed = true;
        return;
    }
    sp_page_lane_shapes(page, &view->lanes);
    page->most_named = page->n_named + SP_MARK_COLUMNS;
    sp_picture_open(page, NULL, "", "before-and-after-%s", c->ids[trace.recording]);
    do
        draw(view, &trace);
    while (sp_picture_drawn(page));
    page->most_named = most_named;
    sp_buffer_text(out, "<figcaption>");
    sp_page_link(page, trace.recording, trace.first_step);
    sp_html_say(out,
                ", {steps} %jd to %jd, where rules change most: %s%s, %s. <svg width=\"10\" height=\"10\" role=\"img\" "
                "aria-label=\"A triangle\"><use href=\"#ill\" x=\"5\" y=\"1\"/></svg> marks an illegal "
                "transition%s</figcaption></figure>\n",
                trace.first_step, trace.first_step + trace.n_steps - 1, trace.labels ? "the reference, " : "",
                c->strategies[page->argmax].name, c->strategies[page->focus].name,
                trace.labels ? "; the strip is filled where a path differs from the reference." : ".");
    free(trace.paths);
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
