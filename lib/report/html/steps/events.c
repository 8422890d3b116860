/* Below a hypnogram: arrows to where it falls asleep, into deep sleep and into REM, with their names, where there is room. */
#include "evaluate/work.h"
#include "report/html/steps/steps.h"

#include <string.h>

enum {
    LETTER = 6, /* pixels of a letter, a little more than most */
    MOST_EVENTS = 24,
    APART =
        20 /* a stage is entered again when it has been left for this part of the recording: cycles, not each short stay */
};

typedef struct event {
    const char *name;
    int64_t step;
    bool is_first, is_placed, is_wide;
} event;

typedef struct event_list {
    int n;
    event events[MOST_EVENTS];
} event_list;

static void add(event_list *list, const char *name, int64_t step, bool is_first)
{
    if (list->n < MOST_EVENTS)
        list->events[list->n++] = (event){.name = name, .step = step, .is_first = is_first};
}

static void find(const sp_lanes *lanes, const int32_t *path, int64_t n_steps, event_list *list)
{
    static const struct {
        const char *stage, *name;
    } entered[] = {{"n3", "deep sleep"}, {"rem", "REM"}};
    int64_t last[2] = {-1, -1};
    bool is_asleep = false;
    for (int64_t t = 0; t < n_steps; t++) {
        const char *stage = path[t] >= 0 ? lanes->style.sleep[path[t]] : NULL;
        if (!stage)
            continue;
        if (!is_asleep && strcmp(stage, "wake") != 0) {
            is_asleep = true;
            add(list, "sleep onset", t, true);
        }
        for (int i = 0; i < 2; i++)
            if (strcmp(stage, entered[i].stage) == 0) {
                if (last[i] < 0 || t - last[i] > n_steps / APART)
                    add(list, entered[i].name, t, last[i] < 0);
                last[i] = t;
            }
    }
}

/* From where to where the words of an event reach in a plot of so many pixels; they stand to the right of the arrow, at the right
 * end to its left. */
static bool reaches_left(const event *e, int64_t n_steps, int width, double *from, double *to)
{
    const double at = (double)e->step / (double)n_steps * width,
                 length = LETTER * (double)(strlen(e->name) + 2);
    const bool is_left = at + length > width;
    *from = is_left ? at - length : at;
    *to = is_left ? at + LETTER : at + length;
    return is_left;
}

/* Those of one turn, first ones or others, that overlap none before them. */
static void place(event_list *list, int64_t n_steps, bool is_first, int width)
{
    for (int i = 0; i < list->n; i++) {
        event *e = &list->events[i];
        double from, to, a, b;
        reaches_left(e, n_steps, width, &from, &to);
        bool has_room = !e->is_placed && e->is_first == is_first && from >= 0;
        for (int j = 0; has_room && j < list->n; j++) {
            reaches_left(&list->events[j], n_steps, width, &a, &b);
            has_room = !list->events[j].is_placed || b <= from || to <= a;
        }
        if (has_room) {
            e->is_placed = true;
            e->is_wide = width == SP_PLOT_WIDE;
        }
    }
}

void sp_page_events(sp_page *page, const sp_lanes *lanes, const sp_step_path *path, int64_t n_steps)
{
    sp_buffer *out = &page->out;
    event_list list = {.n = 0};
    if (!lanes->style.sleep || page->is_file)
        return;
    find(lanes, path->classes, n_steps, &list);
    for (int i = 0; i < 4; i++)
        place(&list, n_steps, i % 2 == 0, i < 2 ? SP_PLOT_NARROW : SP_PLOT_WIDE);
    if (list.n == 0)
        return;
    sp_html_say(out,
                "<div class=\"track below\"><div class=\"name\"></div><div class=\"rows\"><svg "
                "class=\"events\" height=\"13\" "
                "role=\"img\">"
                "<title>%s:",
                path->name);
    for (int i = 0; i < list.n; i++)
        sp_buffer_say(out, "%s %s at {step} %jd", i ? "," : "", list.events[i].name,
                      sp_step_number(page->comparison->work, list.events[i].step));
    sp_buffer_text(out, "</title>");
    for (int i = 0; i < list.n; i++) {
        const event *e = &list.events[i];
        double from, to;
        if (!e->is_placed)
            continue;
        const bool is_left = reaches_left(e, n_steps, e->is_wide ? SP_PLOT_WIDE : SP_PLOT_NARROW, &from, &to);
        sp_buffer_say(out, "<text y=\"10\"%s%s x=\"%.2f%%\" dx=\"%d\">",
                      e->is_wide ? " class=\"wide-only\"" : "", is_left ? " text-anchor=\"end\"" : "",
                      100.0 * (double)e->step / (double)n_steps, is_left ? 3 : -3);
        sp_buffer_say(out, is_left ? "%s ↑</text>" : "↑ %s</text>", e->name);
    }
    sp_buffer_text(out,
                   "</svg><svg class=\"lane-names\" height=\"13\" aria-hidden=\"true\"></svg></div></div>\n");
}
