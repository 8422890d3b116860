/* The first picture: a stretch of a recording, the reference above argmax above the strategy that the page is about. */
#include "evaluate/work.h"
#include "report/html/steps/steps.h"

#include <stdint.h>
#include <stdlib.h>

enum { STRETCH = 80 /* steps: each can be seen */ };

/* What step t tells about the rules: argmax breaks one, the other path differs, right before wrong. */
static int64_t merit_of(const sp_page *page, const sp_pair_set *illegal, const sp_trace *trace, int64_t t)
{
    const int32_t *before = trace->paths[page->argmax], *after = trace->paths[page->focus];
    const int32_t label = trace->labels ? trace->labels[t] : -1;
    const sp_pair_count pair = {.from = t ? before[t - 1] : -1, .to = before[t]};
    const bool is_gap = t == 0 || (trace->segments && trace->segments[t] != trace->segments[t - 1]);
    const bool breaks =
        !is_gap && bsearch(&pair, illegal->pairs, (size_t)illegal->n, sizeof pair, sp_pair_by_index);
    const int64_t merit = breaks ? 2 : 0;
    return before[t] == after[t] ? merit
                                 : merit + (label < 0            ? 1
                                            : label == after[t]  ? 3
                                            : label == before[t] ? -1
                                                                 : 1);
}

static bool has_both(const sp_page *page)
{
    return page->argmax >= 0 && page->focus >= 0 && page->argmax != page->focus;
}

sp_stretch sp_stretch_of(const sp_step_view *view, const sp_trace *trace, int64_t first, int64_t n)
{
    const sp_page *page = view->page;
    const sp_pair_set *illegal = has_both(page) ? &view->illegal[page->argmax] : NULL;
    sp_stretch best = {trace, first, n < STRETCH ? n : STRETCH, 0};
    int64_t sum = 0;
    for (int64_t t = first; illegal && t < first + n; t++) {
        const int64_t begin = t + 1 - best.n_steps;
        sum += merit_of(page, illegal, trace, t) -
               (begin > first ? merit_of(page, illegal, trace, begin - 1) : 0);
        if (begin == first || (begin > first && sum > best.merit)) {
            best.merit = sum;
            best.first = begin;
        }
    }
    return best;
}

/* Of the first n recordings of What if, or with 0 of all whose steps are there, that of the greatest merit, the first of equals. */
static sp_stretch choose(const sp_step_view *view, int64_t n)
{
    const sp_comparison *c = view->page->comparison;
    sp_stretch best = {0};
    for (int64_t i = 0; i < (n ? n : c->n_traces); i++) {
        const sp_what_if_recording *held = n ? &c->what_if->recordings[i] : NULL;
        const sp_trace *trace = held ? sp_trace_of(c, held->recording) : &c->traces[i];
        if (!trace->n_steps)
            continue;
        const sp_stretch one =
            sp_stretch_of(view, trace, held ? held->first_step : 0, held ? held->n_steps : trace->n_steps);
        if (!best.trace || one.merit > best.merit ||
            (one.merit == best.merit && trace->recording < best.trace->recording))
            best = one;
    }
    return best;
}

/* The reference, argmax, the other. */
static void draw(const sp_step_view *view, const sp_trace *trace)
{
    sp_page *page = view->page;
    const int32_t reference = page->comparison->n_strategies, all[] = {reference, page->argmax, page->focus};
    sp_page_lane_shapes(page, &view->lanes);
    for (int i = trace->labels ? 0 : 1; i < 3; i++) {
        sp_step_path path = sp_step_path_of(view, trace, all[i]);
        path.result = NULL; /* figures are of the whole recording, */
        path.night = NULL;  /* and so are minutes */
        sp_page_track(page, &view->lanes, trace, &path);
    }
    sp_page_step_axis(page, trace->first_step, trace->n_steps);
}

/* The stretch as a trace of its own, whose paths are those of the whole. */
static bool cut(const sp_page *page, const sp_stretch *stretch, sp_trace *to)
{
    const int32_t n = page->comparison->n_strategies;
    const sp_trace *whole = stretch->trace;
    const int64_t first = stretch->first;
    *to = *whole;
    to->first_step = first;
    to->n_steps = stretch->n_steps;
    to->labels = whole->labels ? whole->labels + first : NULL;
    to->segments = whole->segments ? whole->segments + first : NULL;
    to->density = NULL;
    to->paths = malloc((size_t)n * sizeof *to->paths);
    for (int32_t s = 0; to->paths && s < n; s++)
        to->paths[s] = whole->paths[s] + first;
    return to->paths != NULL;
}

static void add_figure(const sp_step_view *view, const sp_stretch *stretch)
{
    sp_page *page = view->page;
    const sp_comparison *c = page->comparison;
    sp_buffer *out = &page->out;
    const int64_t most_named = page->most_named;
    sp_trace trace;
    if (!cut(page, stretch, &trace)) {
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
                ", {steps} %jd to %jd, where rules change most: %s%s, %s. <svg width=\"10\" height=\"10\" "
                "role=\"img\" "
                "aria-label=\"A triangle\"><use href=\"#ill\" x=\"5\" y=\"1\"/></svg> marks an illegal "
                "transition%s</figcaption></figure>\n",
                sp_step_number(c->work, trace.first_step),
                sp_step_number(c->work, trace.first_step + trace.n_steps - 1),
                trace.labels ? "the reference, " : "", c->strategies[page->argmax].name,
                c->strategies[page->focus].name,
                trace.labels ? "; the strip is filled where a path differs from the reference." : ".");
    free(trace.paths);
}

void sp_page_before_after(const sp_step_view *view, int64_t n_held)
{
    if (!has_both(view->page))
        return;
    const sp_stretch stretch = choose(view, n_held);
    if (stretch.trace)
        add_figure(view, &stretch);
}
