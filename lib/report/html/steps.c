/* Recordings step by step: reference and strategies on one time axis. The worst, the median and the best stand open; the others
 * are folded away, as many as the page has room for. */
#include "report/html/steps.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of step plots, without the densities, which have a budget of their own. Of many recordings fewer are drawn: their table
 * takes the room. */
enum { BUDGET = 370 * 1000, BUDGET_OF_MANY = 150 * 1000, MANY = 60 };

static int by_pair(const void *a, const void *b)
{
    const sp_pair_count *x = a, *y = b;
    return x->from != y->from ? (x->from < y->from ? -1 : 1) : (x->to > y->to) - (x->to < y->to);
}

typedef struct steps_section {
    sp_page *page;
    sp_class_look look;
    sp_pair_set *sets; /* [n_strategies + 1], the reference last */
    int64_t *order;    /* [n_traces] worst first */
} steps_section;

static bool copy_pairs(sp_pair_set *set, const sp_pair_count *pairs, int64_t n)
{
    set->pairs = malloc((size_t)(n ? n : 1) * sizeof *set->pairs);
    if (!set->pairs)
        return false;
    if (n)
        memcpy(set->pairs, pairs, (size_t)n * sizeof *pairs);
    set->n = n;
    qsort(set->pairs, (size_t)n, sizeof *set->pairs, by_pair);
    return true;
}

/* What recordings are ranked by: accuracy of the focus, or without labels the illegal transitions of argmax, most first. */
typedef struct merit {
    double value;
    int64_t trace;
} merit;

static int by_merit(const void *a, const void *b)
{
    const merit *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return (x->trace > y->trace) - (x->trace < y->trace);
}

static bool rank_traces(steps_section *s)
{
    const sp_comparison *c = s->page->comparison;
    merit *merits = malloc((size_t)c->n_traces * sizeof *merits);
    if (!merits)
        return false;
    int32_t plain = s->page->argmax >= 0 ? s->page->argmax : s->page->focus;
    for (int64_t i = 0; i < c->n_traces; i++) {
        int64_t r = c->traces[i].recording;
        const sp_value *accuracy = &c->strategies[s->page->focus].recordings[r].accuracy;
        bool has_accuracy = c->has_labels && !accuracy->undefined;
        merits[i].value = has_accuracy ? accuracy->value : -(double)c->strategies[plain].recordings[r].counts.illegal;
        merits[i].trace = i;
    }
    qsort(merits, (size_t)c->n_traces, sizeof *merits, by_merit);
    for (int64_t i = 0; i < c->n_traces; i++)
        s->order[i] = merits[i].trace;
    free(merits);
    return true;
}

static void steps_free(steps_section *s)
{
    for (int32_t i = 0; s->sets && i <= s->page->comparison->n_strategies; i++)
        free(s->sets[i].pairs);
    free(s->sets);
    free(s->order);
    sp_class_look_free(&s->look);
}

static bool steps_fill(steps_section *s)
{
    const sp_comparison *c = s->page->comparison;
    s->sets = calloc((size_t)c->n_strategies + 1, sizeof *s->sets);
    s->order = malloc((size_t)c->n_traces * sizeof *s->order);
    if (!s->sets || !s->order || !sp_class_look_fill((const char *const *)c->classes, c->n_classes, &s->look))
        return false;
    for (int32_t i = 0; i < c->n_strategies; i++)
        if (!copy_pairs(&s->sets[i], c->strategies[i].illegal_pairs, c->strategies[i].n_illegal_pairs))
            return false;
    return copy_pairs(&s->sets[c->n_strategies], c->reference_illegal_pairs, c->n_reference_illegal_pairs) && rank_traces(s);
}

/* ---- one recording ---- */

/* "night_004: accuracy 0.931 (viterbi), 3 illegal transitions of argmax" */
static void recording_title(const steps_section *s, const sp_trace *trace, const char *word)
{
    sp_page *page = s->page;
    const sp_comparison *c = page->comparison;
    const sp_strategy_result *focus = &c->strategies[page->focus];
    const sp_value *accuracy = &focus->recordings[trace->recording].accuracy;
    sp_buffer_text(&page->out, word);
    sp_page_name(page, c->ids[trace->recording]);
    if (c->has_labels && !accuracy->undefined) {
        sp_buffer_text(&page->out, " – accuracy of ");
        sp_page_name(page, focus->name);
        sp_buffer_text(&page->out, " ");
        sp_buffer_fixed(&page->out, accuracy->value, 3);
    }
    if (page->argmax >= 0) {
        sp_buffer_text(&page->out, c->has_labels && !accuracy->undefined ? ", illegal transitions of argmax "
                                                                         : " – illegal transitions of argmax ");
        sp_buffer_count(&page->out, c->strategies[page->argmax].recordings[trace->recording].counts.illegal);
    }
}

static void recording_table(const steps_section *s, const sp_trace *trace)
{
    const sp_comparison *c = s->page->comparison;
    sp_table table = {.title = "This recording in numbers"};
    sp_table_column(&table, SP_LEFT, "strategy");
    sp_table_column(&table, SP_RIGHT, "changes");
    sp_table_column(&table, SP_RIGHT, "illegal");
    if (c->has_labels) {
        sp_table_column(&table, SP_RIGHT, "right");
        sp_table_column(&table, SP_RIGHT, "scored");
        sp_table_column(&table, SP_RIGHT, "accuracy");
    }
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
    sp_lanes lanes;
    if (trace->n_steps == 0) {
        sp_buffer_text(&page->out, "<p>This recording has no steps.</p>\n");
        return;
    }
    if (!sp_lanes_fill(c, &s->look, trace, &lanes)) {
        page->out.failed = true;
        return;
    }
    if (trace->labels) {
        sp_step_path path = {.name = "reference", .classes = trace->labels, .illegal = &s->sets[c->n_strategies]};
        sp_page_track(page, &s->look, &lanes, trace, &path);
    }
    for (int32_t i = 0; i < c->n_strategies; i++) {
        sp_step_path path = {.name = c->strategies[i].name,
                             .classes = trace->paths[i],
                             .labels = trace->labels,
                             .illegal = &s->sets[i],
                             .result = &c->strategies[i].recordings[trace->recording]};
        sp_page_track(page, &s->look, &lanes, trace, &path);
    }
    sp_page_density(page, &s->look, &lanes, trace);
    sp_page_step_axis(page, trace->n_steps);
    sp_lanes_free(&lanes);
}

static void open_figure(const steps_section *s, int64_t place, const char *word)
{
    const sp_trace *trace = &s->page->comparison->traces[s->order[place]];
    sp_buffer_text(&s->page->out, "<h3>");
    recording_title(s, trace, word);
    sp_buffer_text(&s->page->out, "</h3>\n<figure>");
    recording_plot(s, trace);
    recording_table(s, trace);
    sp_buffer_text(&s->page->out, "</figure>\n");
}

static void folded_figure(const steps_section *s, int64_t place)
{
    const sp_trace *trace = &s->page->comparison->traces[s->order[place]];
    sp_buffer_text(&s->page->out, "<details class=\"screen\"><summary>");
    recording_title(s, trace, "");
    sp_buffer_text(&s->page->out, "</summary>\n<figure>");
    recording_plot(s, trace);
    sp_buffer_text(&s->page->out, "</figure></details>\n");
}

/* "The worst, the median, the best and the 40 next worst of 1,287 recordings are drawn" */
static void say_drawn(const steps_section *s, int64_t n_folded)
{
    const sp_comparison *c = s->page->comparison;
    sp_buffer *out = &s->page->out;
    bool by_accuracy = sp_has_agreement(c);
    if (n_folded + (c->n_traces < 3 ? c->n_traces : 3) >= c->n_recordings)
        return;
    sp_buffer_text(out, "<p class=\"small\">Drawn of ");
    sp_buffer_count(out, c->n_recordings);
    sp_buffer_text(out, by_accuracy ? " recordings: the least accurate, the median and the most accurate"
                                    : " recordings: those with most, median and fewest illegal transitions");
    if (n_folded) {
        sp_buffer_text(out, ", and the ");
        sp_buffer_count(out, n_folded);
        sp_buffer_text(out, by_accuracy ? " next to the least accurate" : " next to the most illegal ones");
    }
    sp_buffer_text(out, ". More would make the page heavy");
    if (c->n_traces < c->n_recordings) {
        sp_buffer_text(out, "; steps were kept of the first ");
        sp_buffer_count(out, c->n_traces);
        sp_buffer_text(out, " recordings for that");
    }
    sp_buffer_text(out, ". The file of paths holds every step.</p>\n");
}

static void write_figures(const steps_section *s)
{
    sp_page *page = s->page;
    const sp_comparison *c = page->comparison;
    int64_t n = c->n_traces, median = n / 2, best = n - 1, folded = 0;
    size_t start = page->out.length, budget = c->n_recordings > MANY ? BUDGET_OF_MANY : BUDGET;
    bool by_accuracy = sp_has_agreement(c);
    open_figure(s, 0, n == 1 ? "" : by_accuracy ? "Worst: " : "Most illegal transitions: ");
    if (n > 2)
        open_figure(s, median, "Median: ");
    if (n > 1)
        open_figure(s, best, by_accuracy ? "Best: " : "Fewest illegal transitions: ");
    if (n > 3)
        sp_buffer_text(&page->out, by_accuracy ? "<h3>The others, least accurate first</h3>\n"
                                               : "<h3>The others, most illegal transitions first</h3>\n");
    if (n > 3)
        sp_buffer_text(&page->out, "<p class=\"small paper\">Those that stand open when the page is printed.</p>\n");
    for (int64_t i = 1; i < best && page->out.length - start - page->density_bytes < budget && !page->out.failed; i++)
        if (i != median) {
            folded_figure(s, i);
            folded++;
        }
    say_drawn(s, folded);
    if (page->n_densities && page->n_densities < folded + (n < 3 ? n : 3))
        sp_buffer_text(&page->out, "<p class=\"small\">Probabilities are drawn as far as the page has room for them, in the same "
                                   "order.</p>\n");
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
    sp_page_section(page, "steps", "Step by step");
    sp_buffer_text(&page->out,
                   "<p>One lane a class, time from left to right. <svg width=\"10\" height=\"10\" role=\"img\" "
                   "aria-label=\"A triangle\"><use href=\"#ill\" x=\"5\" y=\"1\"/></svg> marks an illegal transition");
    sp_buffer_text(&page->out,
                   page->comparison->has_labels
                       ? "; the strip below a path is filled where it differs from the reference; hatched steps have no class."
                       : "; hatched steps have no class.");
    sp_buffer_text(&page->out, "</p>\n");
    if (has_density(page->comparison))
        sp_buffer_text(&page->out, "<p>Under the paths stand the probabilities of the scores before any decoding, stacked in the "
                                   "colours and the order of the lanes. Where one colour fills the height, the scores were sure."
                                   "</p>\n");
    if (steps_fill(&s)) {
        sp_page_lane_shapes(page, &s.look);
        write_figures(&s);
    } else {
        page->out.failed = true;
    }
    steps_free(&s);
    sp_buffer_text(&page->out, "</section>\n");
}
