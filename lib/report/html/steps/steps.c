/* Recordings step by step: reference and strategies on one time axis. The worst, the median and the best stand open; the others
 * are folded away, as many as the page has room for. */
#include "report/html/steps/steps.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of step plots, without the densities, which have a budget of their own. The script draws any other recording from its
 * runs (data.c). */
enum { BUDGET = 100 * 1000, BUDGET_BESIDE_SCORES = 30 * 1000 /* a page that decodes has less room */ };

/* Marks of illegal transitions with a title of their own: of the recordings that stand open, and of all. */
enum { NAMED_OPEN = 3000, NAMED = 500 };
enum { FEW_RECORDINGS = 30 }; /* with more, only those that stand open have the arrows of their transitions */

typedef struct steps_section {
    sp_step_view view;
    int64_t most_steps;  /* of a recording that is drawn */
    int64_t n_in_page;   /* recordings whose steps the script has, */
    int64_t n_densities; /* and whose probabilities */
} steps_section;

/* ---- one recording ---- */

/* "night_004: accuracy 0.931 (viterbi), 3 illegal transitions of argmax" */
static void recording_title(const steps_section *s, int64_t recording, const char *word)
{
    sp_page *page = s->view.page;
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
    const sp_comparison *c = s->view.page->comparison;
    sp_table table = {.title = "This {recording} in numbers", .text.words = &c->words};
    sp_table_columns(&table, "strategy|changes|illegal");
    if (c->has_labels)
        sp_table_columns(&table, "right|scored|accuracy");
    for (int32_t i = 0; i < c->n_strategies; i++) {
        const sp_recording_result *result = &c->strategies[i].recordings[trace->recording];
        sp_table_cell_text(&table, SP_TONE_PLAIN, c->strategies[i].name);
        sp_table_cell_count(&table, SP_TONE_PLAIN, result->counts.changes);
        sp_table_cell_count(&table, result->counts.illegal ? SP_TONE_BAD : SP_TONE_PLAIN,
                            result->counts.illegal);
        if (c->has_labels) {
            sp_table_cell_count(&table, SP_TONE_PLAIN, result->correct);
            sp_table_cell_count(&table, SP_TONE_PLAIN, result->scored);
            sp_cell_value(&table, &result->accuracy, 3, SP_TONE_PLAIN);
        }
    }
    sp_buffer_text(&s->view.page->out, "<details class=\"screen\"><summary>In numbers</summary>\n");
    sp_page_table(s->view.page, &table, "");
    sp_buffer_text(&s->view.page->out, "</details>\n");
}

/* The tracks of a recording, for the page or a file; word: before its title, which stands in a file only. */
static void draw(const steps_section *s, const sp_trace *trace, const char *word)
{
    sp_page *page = s->view.page;
    const sp_comparison *c = page->comparison;
    const bool with_events = page->most_named == NAMED_OPEN || c->n_recordings <= FEW_RECORDINGS;
    if (trace->n_steps == 0) {
        sp_buffer_words(&page->out, page->is_file ? "" : "<p>This {recording} has no {steps}.</p>\n");
        return;
    }
    if (page->is_file) {
        sp_page_lane_shapes(page, &s->view.lanes);
        sp_buffer_text(&page->out, "<text y=\"16\" font-size=\"14\" font-weight=\"600\">");
        recording_title(s, trace->recording, word);
        sp_buffer_text(&page->out, "</text>\n");
    } else {
        sp_buffer_format(&page->out, "<div class=\"stepplot\" data-r=\"%lld\">\n",
                         (long long)trace->recording);
    }
    for (int32_t i = trace->labels ? -1 : 0; i < c->n_strategies; i++) { /* the reference first */
        const sp_step_path path = sp_step_path_of(&s->view, trace, i < 0 ? c->n_strategies : i);
        sp_page_track(page, &s->view.lanes, trace, &path);
        if (with_events && i == (trace->labels ? -1 : page->focus))
            sp_page_events(page, &s->view.lanes, &path, trace->n_steps);
    }
    sp_page_density(page, &s->view.lanes, trace);
    sp_page_step_axis(page, 0, trace->n_steps);
    sp_buffer_text(&page->out, page->is_file ? "" : "</div>\n");
}

static void recording_plot(const steps_section *s, const sp_trace *trace, const char *word)
{
    sp_picture_open(s->view.page, NULL, "", "step-plot-of-%s",
                    s->view.page->comparison->ids[trace->recording]);
    do
        draw(s, trace, word);
    while (sp_picture_drawn(s->view.page));
}

/* A recording with its title, open or folded until somebody asks for it or prints. True: it is drawn. */
static bool titled_figure(steps_section *s, int64_t recording, const char *word, bool is_open)
{
    sp_buffer *out = &s->view.page->out;
    const sp_trace *trace = sp_trace_of(s->view.page->comparison, recording);
    sp_buffer_text(out, is_open ? "<h3>" : "<details class=\"printed\"><summary><h3>");
    recording_title(s, recording, word);
    sp_buffer_text(out, is_open ? "</h3>\n" : "</h3></summary>\n");
    if (!trace) {
        sp_buffer_say(out,
                      "<p>Not drawn: it has %jd {steps}, more than are kept for pictures. The file of paths "
                      "holds them.</p>\n",
                      s->view.page->comparison->steps[recording]);
        sp_buffer_text(out, is_open ? "" : "</details>\n");
        return false;
    }
    s->view.page->most_named = NAMED_OPEN;
    recording_plot(s, trace, word);
    recording_table(s, trace);
    sp_buffer_text(out, is_open ? "</figure>\n" : "</figure></details>\n");
    s->most_steps = trace->n_steps > s->most_steps ? trace->n_steps : s->most_steps;
    return true;
}

/* False: its steps were not kept. */
static bool folded_figure(steps_section *s, int64_t place, bool is_first)
{
    const sp_trace *trace = sp_trace_of(s->view.page->comparison, s->view.ranking.recordings[place]);
    if (!trace)
        return false;
    if (is_first)
        sp_buffer_text(&s->view.page->out, sp_has_agreement(s->view.page->comparison)
                                               ? "<h3>The others, least accurate first</h3>\n"
                                               : "<h3>The others, most illegal transitions first</h3>\n");
    sp_buffer_text(&s->view.page->out, "<details class=\"screen\"><summary>");
    recording_title(s, trace->recording, "");
    sp_buffer_text(&s->view.page->out, "</summary>\n");
    s->view.page->most_named = NAMED;
    recording_plot(s, trace, "");
    sp_buffer_text(&s->view.page->out, "</figure></details>\n");
    s->most_steps = trace->n_steps > s->most_steps ? trace->n_steps : s->most_steps;
    return true;
}

/* "Drawn of 1,287 recordings: the least accurate, the median and the most accurate, and the 40 next to the least accurate" */
static void say_drawn(const steps_section *s, int64_t n_titled, int64_t n_folded)
{
    const sp_comparison *c = s->view.page->comparison;
    sp_buffer *out = &s->view.page->out;
    bool by_accuracy = sp_has_agreement(c);
    if (n_titled + n_folded >= c->n_recordings)
        return;
    sp_buffer_say(out, "<p class=\"small\">Drawn of %jd {recordings}: %s%s", c->n_recordings,
                  by_accuracy ? "the least accurate, the median and the most accurate"
                              : "those with most, median and fewest illegal transitions",
                  n_titled < 3 && c->n_recordings >= 3 ? ", as far as they are short enough" : "");
    if (c->n_asked)
        sp_buffer_text(out, ", those asked for");
    if (n_folded)
        sp_buffer_say(out, ", and the %jd%s", n_folded,
                      by_accuracy ? " next to the least accurate" : " next to the most illegal ones");
    sp_buffer_text(out, ".");
    if (s->n_in_page == c->n_recordings)
        sp_buffer_words(
            out, " With scripts switched on any other can be drawn: the {steps} of all are in the page.");
    else
        sp_buffer_say(out,
                      " With scripts switched on any of %jd can be drawn, whose {steps} are in the page; "
                      "there is no room for those "
                      "of the others. <code>{=draw ID,...}</code> chooses which come first. The file of "
                      "paths holds every {step}.",
                      s->n_in_page);
    sp_buffer_text(out, "</p>\n");
}

static bool has_density(const sp_comparison *c)
{
    for (int64_t i = 0; i < c->n_traces; i++)
        if (c->traces[i].density && c->n_classes <= SP_DENSITY_CLASSES)
            return true;
    return false;
}

/* What the pictures leave out: steps that share a column, titles of marks, probabilities. */
static void say_simplified(const steps_section *s)
{
    const sp_page *page = s->view.page;
    sp_buffer *out = &s->view.page->out;
    if (s->most_steps > SP_MARK_COLUMNS)
        sp_buffer_say(out,
                      "<p class=\"small\">Of {a recording} of more than %jd {steps} several share a place: "
                      "it shows their most frequent "
                      "class, "
                      "the strip below is the darker the more of them differ, and one triangle stands for "
                      "all illegal transitions there, "
                      "which its title counts.</p>\n",
                      (int64_t)SP_MARK_COLUMNS);
    if (page->has_bars)
        sp_buffer_text(out, "<p class=\"small\">Where triangles would cover each other, bars stand for them: "
                            "the higher, the more "
                            "illegal transitions.</p>\n");
    if (s->view.lanes.n_grouped)
        sp_buffer_say(out,
                      "<p class=\"small\">The %d most frequent classes have lanes of their own, the other %d "
                      "share the last one."
                      "</p>\n",
                      (int)s->view.lanes.n - 1, (int)s->view.lanes.n_grouped);
    if (page->n_unnamed)
        sp_buffer_say(out,
                      "<p class=\"small\">%jd triangles have titles of their own; the page has no room for "
                      "those of the other "
                      "%jd; the number of illegal transitions stands beside the path.</p>\n",
                      page->n_named, page->n_unnamed);
    if (has_density(page->comparison) && s->n_densities == 0)
        sp_buffer_text(out, "<p class=\"small\">The page has no room for exact probabilities: plots draw "
                            "them, the line below a plot "
                            "does not name them.</p>\n");
    else if (has_density(page->comparison) && s->n_densities < s->n_in_page)
        sp_buffer_say(out,
                      "<p class=\"small\">The page has room for the probabilities of each {step} of %jd "
                      "{recording(s)}, in the "
                      "same order.</p>\n",
                      s->n_densities);
}

/* Worst, median and best, of which the worst stands open, then those asked for; returns how many are drawn. */
static int64_t write_titled(steps_section *s)
{
    const sp_comparison *c = s->view.page->comparison;
    const int64_t *recordings = s->view.ranking.recordings, n = s->view.ranking.n;
    const int64_t shown[] = {recordings[0], recordings[n - 1], recordings[n / 2]};
    const bool by_accuracy = sp_has_agreement(c);
    int64_t n_drawn = titled_figure(s, shown[0],
                                    n < 2         ? ""
                                    : by_accuracy ? "Worst: "
                                                  : "Most illegal transitions: ",
                                    true);
    if (n > 2)
        n_drawn += titled_figure(s, shown[2], "Median: ", false);
    if (n > 1)
        n_drawn += titled_figure(s, shown[1], by_accuracy ? "Best: " : "Fewest illegal transitions: ", false);
    for (int64_t i = 0; i < c->n_asked; i++)
        if (!sp_is_among(shown, n > 2 ? 3 : n, c->asked[i]))
            n_drawn += titled_figure(s, c->asked[i], "Asked for: ", true);
    return n_drawn;
}

static void write_figures(steps_section *s)
{
    sp_page *page = s->view.page;
    const sp_comparison *c = page->comparison;
    const int64_t n = s->view.ranking.n, all = c->n_recordings, *recordings = s->view.ranking.recordings;
    const size_t start = page->out.length,
                 budget = sp_has_what_if(page->comparison) ? BUDGET_BESIDE_SCORES : BUDGET;
    int64_t n_titled = write_titled(s), folded = 0;
    sp_buffer_text(&page->out, "<div id=\"any\"></div>\n");
    for (int64_t i = 1;
         i < all && page->out.length - start - page->density_bytes < budget && !page->out.failed; i++) {
        if (i == n / 2 || i == n - 1 || sp_is_among(c->asked, c->n_asked, recordings[i]))
            continue;
        if (!folded_figure(s, i, folded == 0))
            break;
        folded++;
    }
    if (c->n_traces)
        s->n_in_page = sp_page_step_data(page, &s->view.lanes, &s->view.ranking, &s->n_densities);
    say_drawn(s, n_titled, folded);
    say_simplified(s);
}

void sp_page_steps(sp_page *page)
{
    steps_section s = {.most_steps = 0};
    sp_buffer_say(&page->out,
                  "<p>One lane a class, time from left to right. <svg width=\"10\" height=\"10\" "
                  "role=\"img\" aria-label=\"A "
                  "triangle\"><use href=\"#ill\" x=\"5\" y=\"1\"/></svg> marks an illegal transition%s%s; "
                  "hatched {steps} have no "
                  "class.</p>\n",
                  page->comparison->n_rules > 0 ? ", or where a path breaks another rule" : "",
                  page->comparison->has_labels
                      ? "; the strip below a path is filled where it differs from the reference"
                      : "");
    if (has_density(page->comparison))
        sp_buffer_text(
            &page->out,
            "<p>Under the paths stand the probabilities of the scores before any decoding, stacked in the "
            "colours and the order of the lanes. Where one colour fills the height, the scores were sure."
            "</p>\n");
    if (sp_step_view_fill(page, &s.view)) {
        if (s.view.lanes.style.sleep)
            sp_buffer_words(&page->out, "<p class=\"small\">Arrows below a hypnogram: sleep onset, and where "
                                        "deep sleep (N3) and REM begin, as "
                                        "far as there is room for their names. Beside it: minutes of the "
                                        "whole {recording} in each stage.</p>\n");
        if (page->comparison->n_traces)
            sp_page_lane_shapes(page, &s.view.lanes);
        write_figures(&s);
    }
    sp_step_view_free(&s.view);
}
