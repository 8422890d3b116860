/* The lanes of step plots, the same for every recording, and what all plots share. */
#include "report/html/steps/steps.h"
#include "report/tables/tables.h"
#include "sleep/stages.h"

#include <stdlib.h>
#include <string.h>

/* How often a class is the reference's, or where there is none a strategy's, in the recordings whose steps were kept. */
typedef struct class_count {
    int64_t n;
    int32_t k;
} class_count;

static int by_count(const void *a, const void *b)
{
    const class_count *x = a, *y = b;
    if (x->n != y->n)
        return x->n > y->n ? -1 : 1;
    return (x->k > y->k) - (x->k < y->k);
}

static void count_classes(const sp_comparison *c, class_count *counts)
{
    for (int32_t k = 0; k < c->n_classes; k++)
        counts[k].k = k;
    for (int64_t i = 0; i < c->n_traces; i++) {
        const sp_trace *trace = &c->traces[i];
        for (int32_t s = 0; s < (trace->labels ? 1 : c->n_strategies); s++) {
            const int32_t *path = trace->labels ? trace->labels : trace->paths[s];
            for (int64_t t = 0; t < trace->n_steps; t++)
                if (path[t] >= 0)
                    counts[path[t]].n++;
        }
    }
}

/* Marks the classes that have lanes of their own in lane_of: all, or the most frequent ones. False: no memory. */
static bool choose(const sp_comparison *c, int32_t *lane_of)
{
    const int32_t K = c->n_classes, n = K <= SP_CLASS_COLOURS ? K : SP_CLASS_COLOURS - 1;
    class_count *counts = calloc((size_t)K, sizeof *counts);
    if (!counts)
        return false;
    if (n < K) {
        count_classes(c, counts);
        qsort(counts, (size_t)K, sizeof *counts, by_count);
    }
    for (int32_t i = 0; i < n; i++)
        lane_of[n < K ? counts[i].k : i] = 1;
    free(counts);
    return true;
}

bool sp_lanes_fill(const sp_comparison *c, sp_lanes *lanes)
{
    const int32_t K = c->n_classes;
    const size_t room = (size_t)K;
    *lanes = (sp_lanes){.lane_of = calloc(room, sizeof *lanes->lane_of),
                        .class_of = calloc(room, sizeof *lanes->class_of)};
    if (!lanes->lane_of || !lanes->class_of || !choose(c, lanes->lane_of) ||
        !sp_class_style_fill((const char *const *)c->classes, K, &lanes->style)) {
        sp_lanes_free(lanes);
        return false;
    }
    for (int32_t k = 0; k < K; k++)
        if (lanes->lane_of[k])
            lanes->class_of[lanes->n++] = k;
    for (int32_t i = 1; i < lanes->n; i++) /* by rank; few, and mostly sorted already */
        for (int32_t j = i;
             j > 0 && lanes->style.rank[lanes->class_of[j - 1]] > lanes->style.rank[lanes->class_of[j]];
             j--) {
            int32_t swapped = lanes->class_of[j];
            lanes->class_of[j] = lanes->class_of[j - 1];
            lanes->class_of[j - 1] = swapped;
        }
    lanes->n_grouped = K - lanes->n;
    for (int32_t k = 0; k < K; k++)
        lanes->lane_of[k] = lanes->n; /* that of the others */
    for (int32_t i = 0; i < lanes->n; i++)
        lanes->lane_of[lanes->class_of[i]] = i;
    lanes->n += lanes->n_grouped > 0;
    lanes->height = lanes->n <= 6 ? 13 : 11;
    return true;
}

void sp_lanes_free(sp_lanes *lanes)
{
    free(lanes->lane_of);
    free(lanes->class_of);
    sp_class_style_free(&lanes->style);
    *lanes = (sp_lanes){0};
}

/* ---- paths to draw ---- */

static bool pair_set_fill(sp_pair_set *set, const sp_pair_count *pairs, int64_t n)
{
    set->pairs = malloc((size_t)(n ? n : 1) * sizeof *set->pairs);
    if (!set->pairs)
        return false;
    if (n)
        memcpy(set->pairs, pairs, (size_t)n * sizeof *pairs);
    set->n = n;
    qsort(set->pairs, (size_t)n, sizeof *set->pairs, sp_pair_by_index);
    return true;
}

bool sp_step_view_fill(sp_page *page, sp_step_view *view)
{
    const sp_comparison *c = page->comparison;
    const int32_t n = c->n_strategies;
    *view = (sp_step_view){.page = page, .illegal = calloc((size_t)n + 1, sizeof *view->illegal)};
    bool is_filled =
        view->illegal && sp_lanes_fill(c, &view->lanes) && sp_ranking_fill(c, &view->ranking) &&
        pair_set_fill(&view->illegal[n], c->reference_illegal_pairs, c->n_reference_illegal_pairs);
    for (int32_t s = 0; is_filled && s < n; s++)
        is_filled = pair_set_fill(&view->illegal[s], c->strategies[s].illegal_pairs,
                                  c->strategies[s].n_illegal_pairs);
    page->out.failed |= !is_filled;
    return is_filled;
}

void sp_step_view_free(sp_step_view *view)
{
    for (int32_t i = 0; view->illegal && i <= view->page->comparison->n_strategies; i++)
        free(view->illegal[i].pairs);
    free(view->illegal);
    sp_ranking_free(&view->ranking);
    sp_lanes_free(&view->lanes);
}

/* The first place that is not before those of this path. */
static int64_t first_place(const sp_comparison *c, int64_t recording, int32_t who)
{
    int64_t low = 0, high = c->n_rule_places;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        const sp_rule_place *place = &c->rule_places[middle];
        if (place->recording < recording || (place->recording == recording && place->who < who))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const sp_rule_place *sp_rule_places_of(const sp_comparison *c, int64_t recording, int32_t who, int64_t *n)
{
    const int64_t first = first_place(c, recording, who);
    *n = first_place(c, recording, who + 1) - first;
    return *n > 0 ? c->rule_places + first : NULL;
}

sp_step_path sp_step_path_of(const sp_step_view *view, const sp_trace *trace, int32_t who)
{
    const sp_comparison *c = view->page->comparison;
    const bool is_reference = who == c->n_strategies;
    sp_step_path path = {.name = is_reference ? "reference" : c->strategies[who].name,
                         .classes = is_reference ? trace->labels : trace->paths[who],
                         .labels = is_reference ? NULL : trace->labels,
                         .illegal = &view->illegal[who],
                         .result = is_reference ? NULL : &c->strategies[who].recordings[trace->recording],
                         .night = sp_night_of(c, &view->lanes, trace->recording, who)};
    path.rules = sp_rule_places_of(c, trace->recording, who, &path.n_rules);
    return path;
}

/* ---- minutes in stages ---- */

const sp_sleep_statistics *sp_night_of(const sp_comparison *c, const sp_lanes *lanes, int64_t recording,
                                       int32_t who)
{
    if (!lanes->style.sleep || !c->sleep)
        return NULL;
    if (who < c->n_strategies)
        return &c->sleep->strategies[who].nights[recording];
    return c->sleep->reference ? &c->sleep->reference[recording] : NULL;
}

void sp_add_lane_minutes(const sp_comparison *c, const sp_lanes *lanes, const sp_sleep_statistics *night,
                         int32_t lane, sp_buffer *out)
{
    const int measure = SP_SLEEP_WAKE + (int)sp_stage_name_find(c->classes[lanes->class_of[lane]])->stage;
    if (night->values[measure].undefined)
        sp_buffer_text(out, "–");
    else
        sp_buffer_fixed(out, night->values[measure].value, sp_sleep_decimals((sp_sleep_measure)measure));
}

/* ---- what all tracks share ---- */

int sp_lane_line(const sp_lanes *lanes, int32_t lane)
{
    return SP_LANES_TOP + lane * lanes->height + lanes->height / 2 + 3;
}

static void add_names(sp_page *page, const sp_lanes *lanes)
{
    sp_buffer *out = &page->out;
    for (int32_t lane = 0; lane < lanes->n; lane++) {
        sp_buffer name = {0};
        sp_buffer_format(out, "<text y=\"%d\">", sp_lane_line(lanes, lane));
        if (lanes->n_grouped && lane == lanes->n - 1)
            sp_buffer_format(&name, "%d others", (int)lanes->n_grouped);
        else
            sp_buffer_name(&name, page->comparison->classes[lanes->class_of[lane]], SP_LANE_NAME);
        sp_buffer_html(out, sp_buffer_string(&name));
        sp_buffer_drop(&name, out);
        sp_buffer_text(out, "</text>");
    }
}

void sp_page_lane_shapes(sp_page *page, const sp_lanes *lanes)
{
    sp_buffer *out = &page->out;
    if (page->has_lane_shapes && !page->is_file)
        return;
    page->has_lane_shapes = true;
    if (!page->is_file)
        sp_buffer_text(
            out, "<svg class=\"swatch\" width=\"0\" height=\"0\" aria-hidden=\"true\" focusable=\"false\">");
    sp_buffer_format(out,
                     "<defs><linearGradient id=\"lane\" gradientUnits=\"userSpaceOnUse\" x2=\"0\" y2=\"%d\">",
                     (int)(2 * lanes->n));
    for (int32_t lane = 0; lane < lanes->n; lane++)
        for (int side = 0; side < 2; side++)
            sp_buffer_say(out, "<stop class=\"%s\" offset=\"%.3f\"/>", sp_lane_style(lanes, 't', lane).text,
                          (double)(lane + side) / lanes->n);
    sp_buffer_format(out,
                     "</linearGradient><pattern id=\"lanes\" width=\"99\" height=\"%d\" y=\"%d\" "
                     "patternUnits=\"userSpaceOnUse\">"
                     "<path class=\"lane\" d=\"M0 %d.5H99\"/></pattern><g id=\"names\">",
                     lanes->height, SP_LANES_TOP, lanes->height / 2);
    add_names(page, lanes);
    sp_buffer_text(out, page->is_file ? "</g></defs>\n" : "</g></defs></svg>\n");
}

sp_style_name sp_lane_style(const sp_lanes *lanes, char use, int32_t lane)
{
    if (!lanes->n_grouped)
        return sp_class_style_name(&lanes->style, use, lanes->class_of[lane]);
    if (lane < lanes->n - 1)
        return sp_class_style_name(&lanes->style, use, lane);
    return (sp_style_name){{use, '-', 'r', 'e', 's', 't', '\0'}};
}

void sp_page_lane_names(sp_page *page, const sp_lanes *lanes, const sp_sleep_statistics *night)
{
    sp_track_classes(page);
    sp_buffer_format(&page->out, " aria-hidden=\"true\" height=\"%d\"><use href=\"#names\"/>",
                     SP_LANES_TOP + lanes->n * lanes->height);
    if (!night)
        return;
    sp_buffer_format(&page->out, "<g text-anchor=\"end\"><text x=\"100%%\" y=\"%d\">min</text>",
                     SP_LANES_TOP - 2);
    for (int32_t lane = 0; lane < lanes->n; lane++) {
        sp_buffer_format(&page->out, "<text x=\"100%%\" y=\"%d\">", sp_lane_line(lanes, lane));
        sp_add_lane_minutes(page->comparison, lanes, night, lane, &page->out);
        sp_buffer_text(&page->out, "</text>");
    }
    sp_buffer_text(&page->out, "</g>");
}
