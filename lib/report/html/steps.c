/* Recordings step by step: reference and strategies on one time axis. The worst, the median and the best stand open; the others
 * are folded away, as many as the page has room for. */
#include "report/html/steps.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of step plots, without the densities, which have a budget of their own. Of many recordings fewer are drawn: their table
 * takes the room. */
enum { BUDGET = 375 * 1000, BUDGET_OF_MANY = 150 * 1000, MANY = 60 };

/* Marks of illegal transitions with a title of their own: of the recordings that stand open, and of all. */
enum { NAMED_OPEN = 3000, NAMED = 500 };
enum { FEW_RECORDINGS = 30 }; /* with more, only those that stand open have the arrows of their transitions */

typedef struct steps_section {
    sp_page *page;
    sp_class_style style;
    sp_pair_set *sets; /* [n_strategies + 1], the reference last */
    sp_ranking ranking;
    int64_t most_steps; /* of a recording that is drawn */
} steps_section;

static bool copy_pairs(sp_pair_set *set, const sp_pair_count *pairs, int64_t n)
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

static void steps_free(steps_section *s)
{
    for (int32_t i = 0; s->sets && i <= s->page->comparison->n_strategies; i++)
        free(s->sets[i].pairs);
    free(s->sets);
    sp_ranking_free(&s->ranking);
    sp_class_style_free(&s->style);
}

static bool steps_fill(steps_section *s)
{
    const sp_comparison *c = s->page->comparison;
    s->sets = calloc((size_t)c->n_strategies + 1, sizeof *s->sets);
    if (!s->sets || !sp_class_style_fill((const char *const *)c->classes, c->n_classes, &s->style))
        return false;
    for (int32_t i = 0; i < c->n_strategies; i++)
        if (!copy_pairs(&s->sets[i], c->strategies[i].illegal_pairs, c->strategies[i].n_illegal_pairs))
            return false;
    return copy_pairs(&s->sets[c->n_strategies], c->reference_illegal_pairs, c->n_reference_illegal_pairs) &&
           sp_ranking_fill(c, &s->ranking);
}

/* ---- one recording ---- */

/* "night_004: accuracy 0.931 (viterbi), 3 illegal transitions of argmax" */
static void recording_title(const steps_section *s, int64_t recording, const char *word)
{
    sp_page *page = s->page;
    const sp_comparison *c = page->comparison;
    const sp_strategy_result *focus = &c->strategies[page->focus];
    const sp_value *accuracy = &focus->recordings[recording].accuracy;
    sp_buffer_text(&page->out, word);
    sp_buffer_html(&page->out, c->ids[recording]);
    if (c->has_labels && !accuracy->undefined)
        sp_html_say(&page->out, " – accuracy of %s %.3f", focus->name, accuracy->value);
    if (page->argmax >= 0)
        sp_buffer_say(&page->out, "%s%jd",
                      c->has_labels && !accuracy->undefined ? ", illegal transitions of argmax "
                                                            : " – illegal transitions of argmax ",
                      c->strategies[page->argmax].recordings[recording].counts.illegal);
}

static void recording_table(const steps_section *s, const sp_trace *trace)
{
    const sp_comparison *c = s->page->comparison;
    sp_table table = {.title = "This recording in numbers"};
    sp_table_columns(&table, "strategy|changes|illegal");
    if (c->has_labels)
        sp_table_columns(&table, "right|scored|accuracy");
    for (int32_t i = 0; i < c->n_strategies; i++) {
        const sp_recording_result *result = &c->strategies[i].recordings[trace->recording];
        sp_table_cell_text(&table, SP_TONE_PLAIN, c->strategies[i].name);
        sp_table_cell_count(&table, SP_TONE_PLAIN, result->counts.changes);
        sp_table_cell_count(&table, result->counts.illegal ? SP_TONE_BAD : SP_TONE_PLAIN, result->counts.illegal);
        if (c->has_labels) {
            sp_table_cell_count(&table, SP_TONE_PLAIN, result->correct);
            sp_table_cell_count(&table, SP_TONE_PLAIN, result->scored);
            sp_cell_value(&table, &result->accuracy, 3, SP_TONE_PLAIN);
        }
    }
    sp_buffer_text(&s->page->out, "<details class=\"screen\"><summary>In numbers</summary>\n");
    sp_table_html(&table, "", NULL, &s->page->out);
    sp_buffer_text(&s->page->out, "</details>\n");
    sp_table_free(&table);
}

static void recording_plot(const steps_section *s, const sp_trace *trace)
{
    sp_page *page = s->page;
    const sp_comparison *c = page->comparison;
    const bool with_events = page->most_named == NAMED_OPEN || c->n_recordings <= FEW_RECORDINGS;
    sp_lanes lanes;
    if (trace->n_steps == 0) {
        sp_buffer_text(&page->out, "<p>This recording has no steps.</p>\n");
        return;
    }
    if (!sp_lanes_fill(c, &s->style, trace, &lanes)) {
        page->out.failed = true;
        return;
    }
    if (trace->labels) {
        sp_step_path path = {.name = "reference", .classes = trace->labels, .illegal = &s->sets[c->n_strategies]};
        sp_page_track(page, &s->style, &lanes, trace, &path);
        if (with_events)
            sp_page_events(page, &s->style, &path, trace->n_steps);
    }
    for (int32_t i = 0; i < c->n_strategies; i++) {
        sp_step_path path = {.name = c->strategies[i].name,
                             .classes = trace->paths[i],
                             .labels = trace->labels,
                             .illegal = &s->sets[i],
                             .result = &c->strategies[i].recordings[trace->recording]};
        sp_page_track(page, &s->style, &lanes, trace, &path);
        if (with_events && !trace->labels && i == page->focus)
            sp_page_events(page, &s->style, &path, trace->n_steps);
    }
    sp_page_density(page, &s->style, &lanes, trace);
    sp_page_step_axis(page, trace->n_steps);
    sp_lanes_free(&lanes);
}

/* The steps of the recording at a place of the ranking; NULL: they were not kept. */
static const sp_trace *trace_at(const steps_section *s, int64_t place)
{
    const sp_comparison *c = s->page->comparison;
    int64_t recording = s->ranking.recordings[place], from = 0, to = c->n_traces;
    while (from < to) {
        int64_t middle = from + (to - from) / 2;
        if (c->traces[middle].recording < recording)
            from = middle + 1;
        else
            to = middle;
    }
    return from < c->n_traces && c->traces[from].recording == recording ? &c->traces[from] : NULL;
}

/* True: it is drawn. */
static bool open_figure(steps_section *s, int64_t place, const char *word)
{
    sp_buffer *out = &s->page->out;
    int64_t recording = s->ranking.recordings[place];
    const sp_trace *trace = trace_at(s, place);
    sp_buffer_text(out, "<h3>");
    recording_title(s, recording, word);
    sp_buffer_text(out, "</h3>\n");
    if (!trace) {
        sp_buffer_say(out, "<p>Not drawn: it has %jd steps, more than are kept for pictures. The file of paths holds them.</p>\n",
                      s->page->comparison->steps[recording]);
        return false;
    }
    sp_buffer_text(out, "<figure>");
    s->page->most_named = NAMED_OPEN;
    recording_plot(s, trace);
    recording_table(s, trace);
    sp_buffer_text(out, "</figure>\n");
    s->most_steps = trace->n_steps > s->most_steps ? trace->n_steps : s->most_steps;
    return true;
}

/* False: its steps were not kept. */
static bool folded_figure(steps_section *s, int64_t place)
{
    const sp_trace *trace = trace_at(s, place);
    if (!trace)
        return false;
    sp_buffer_text(&s->page->out, "<details class=\"screen\"><summary>");
    recording_title(s, trace->recording, "");
    sp_buffer_text(&s->page->out, "</summary>\n<figure>");
    s->page->most_named = NAMED;
    recording_plot(s, trace);
    sp_buffer_text(&s->page->out, "</figure></details>\n");
    s->most_steps = trace->n_steps > s->most_steps ? trace->n_steps : s->most_steps;
    return true;
}

/* "Drawn of 1,287 recordings: the least accurate, the median and the most accurate, and the 40 next to the least accurate" */
static void say_drawn(const steps_section *s, int64_t n_open, int64_t n_folded)
{
    const sp_comparison *c = s->page->comparison;
    sp_buffer *out = &s->page->out;
    bool by_accuracy = sp_has_agreement(c);
    if (n_open + n_folded >= c->n_recordings)
        return;
    sp_buffer_say(out, "<p class=\"small\">Drawn of %jd%s%s", c->n_recordings,
                  by_accuracy ? " recordings: the least accurate, the median and the most accurate"
                              : " recordings: those with most, median and fewest illegal transitions",
                  n_open < 3 && c->n_recordings >= 3 ? ", as far as they are short enough" : "");
    if (n_folded)
        sp_buffer_say(out, ", and the %jd%s", n_folded,
                      by_accuracy ? " next to the least accurate" : " next to the most illegal ones");
    sp_buffer_text(out, ". More would make the page heavy. The file of paths holds every step.</p>\n");
}

/* What the pictures leave out: steps that share a column, titles of marks, probabilities. */
static void say_simplified(const steps_section *s, int64_t n_drawn)
{
    const sp_page *page = s->page;
    sp_buffer *out = &s->page->out;
    if (s->most_steps > SP_MARK_COLUMNS)
        sp_buffer_format(
            out,
            "<p class=\"small\">Of a recording of more than %d steps several share a place: it shows their most frequent class, "
            "the "
            "strip below is filled where any of them differs, and one triangle stands for all illegal transitions there, which "
            "its title counts.</p>\n",
            SP_MARK_COLUMNS);
    if (page->n_unnamed)
        sp_buffer_say(out,
                      "<p class=\"small\">%jd triangles have titles of their own; the page has no room for those of the other "
                      "%jd; the number of illegal transitions stands beside the path.</p>\n",
                      page->n_named, page->n_unnamed);
    if (page->n_densities && page->n_densities < n_drawn)
        sp_buffer_text(out, "<p class=\"small\">Probabilities are drawn as far as the page has room for them, in the same "
                            "order.</p>\n");
}

static void write_figures(steps_section *s)
{
    sp_page *page = s->page;
    const sp_comparison *c = page->comparison;
    int64_t n = s->ranking.n, median = n / 2, best = n - 1, all = c->n_recordings, n_open, folded = 0;
    size_t start = page->out.length, budget = all > MANY ? BUDGET_OF_MANY : BUDGET;
    bool by_accuracy = sp_has_agreement(c);
    n_open = open_figure(s, 0, n < 2 ? "" : by_accuracy ? "Worst: " : "Most illegal transitions: ");
    if (n > 2)
        n_open += open_figure(s, median, "Median: ");
    if (n > 1)
        n_open += open_figure(s, best, by_accuracy ? "Best: " : "Fewest illegal transitions: ");
    if (all > 3)
        sp_buffer_text(&page->out, by_accuracy ? "<h3>The others, least accurate first</h3>\n"
                                               : "<h3>The others, most illegal transitions first</h3>\n");
    if (all > 3)
        sp_buffer_text(&page->out, "<p class=\"small paper\">Those that stand open when the page is printed.</p>\n");
    for (int64_t i = 1; i < all && page->out.length - start - page->density_bytes < budget && !page->out.failed; i++) {
        if (i == median || i == best)
            continue;
        if (!folded_figure(s, i))
            break;
        folded++;
    }
    say_drawn(s, n_open, folded);
    say_simplified(s, n_open + folded);
}

static bool has_density(const sp_comparison *c)
{
    for (int64_t i = 0; i < c->n_traces; i++)
        if (c->traces[i].density && c->n_classes <= SP_DENSITY_CLASSES)
            return true;
    return false;
}

void sp_page_steps(sp_page *page)
{
    steps_section s = {.page = page};
    sp_frame_section(&page->out, "steps", "Step by step");
    sp_buffer_say(&page->out,
                  "<p>One lane a class, time from left to right. <svg width=\"10\" height=\"10\" role=\"img\" aria-label=\"A "
                  "triangle\"><use href=\"#ill\" x=\"5\" y=\"1\"/></svg> marks an illegal transition%s</p>\n",
                  page->comparison->has_labels
                      ? "; the strip below a path is filled where it differs from the reference; hatched steps have no class."
                      : "; hatched steps have no class.");
    if (has_density(page->comparison))
        sp_buffer_text(&page->out, "<p>Under the paths stand the probabilities of the scores before any decoding, stacked in the "
                                   "colours and the order of the lanes. Where one colour fills the height, the scores were sure."
                                   "</p>\n");
    if (steps_fill(&s)) {
        if (s.style.sleep)
            sp_buffer_text(
                &page->out,
                "<p class=\"small\">Arrows below a hypnogram: sleep onset, and where deep sleep (N3) and REM begin, as "
                "far as there is room for their names.</p>\n");
        if (page->comparison->n_traces)
            sp_page_lane_shapes(page, &s.style);
        write_figures(&s);
    } else {
        page->out.failed = true;
    }
    steps_free(&s);
    sp_buffer_text(&page->out, "</section>\n");
}
