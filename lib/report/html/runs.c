/* How long runs last: how many there are, class by class, and the share of runs that are at least so long, reference and
 * strategies. Where a strategy's curve lies right of the reference's, its runs are longer: it smooths too much. */
#include "evaluate/work.h"
#include "report/html/page.h"

#include <stdio.h>
#include <stdlib.h>

enum { SHOWN = 12, N_LENGTHS = 7 };
static const int64_t lengths[N_LENGTHS] = {2, 3, 5, 10, 20, 50, 100};

/* What a curve is of: -1 the reference, else a strategy. NULL: none. */
static const sp_class_runs *runs_of(const sp_comparison *c, int32_t who, int32_t k)
{
    const sp_class_runs *class_runs = who < 0 ? c->reference_runs : c->strategies[who].class_runs;
    return class_runs ? &class_runs[k] : NULL;
}

static int64_t longest(const sp_comparison *c)
{
    int64_t most = 2;
    for (int32_t k = 0; c->durations && k < c->n_classes; k++) { /* so that what is possible is in sight */
        const sp_duration_lengths *l = &c->durations[k].lengths;
        const int64_t needed = l->has_distribution ? l->high : 2 * l->min;
        most = c->durations[k].is_there && needed > most ? needed : most;
    }
    for (int32_t who = -1; who < c->n_strategies; who++)
        for (int32_t k = 0; k < c->n_classes; k++) {
            const sp_class_runs *b = runs_of(c, who, k);
            if (b && b->n_lengths && b->lengths[b->n_lengths - 1].length > most)
                most = b->lengths[b->n_lengths - 1].length;
        }
    return most;
}

/* Stairs: the share of runs of at least the length x, for x from 1. */
static void curve(sp_chart *chart, const sp_class_runs *b, int32_t who)
{
    int64_t left = b->count;
    sp_point *points = malloc((size_t)(b->n_lengths + 1) * sizeof *points);
    chart->out->failed |= !points;
    if (points) {
        points[0] = (sp_point){1, 1};
        for (int64_t i = 0; i < b->n_lengths; i++) {
            left -= b->lengths[i].count;
            points[i + 1] = (sp_point){(double)b->lengths[i].length, (double)left / (double)b->count};
        }
        sp_chart_stairs(chart, sp_series_curve(who).text, b->n_lengths + 1, points);
    }
    free(points);
}

static const char *name_of(const sp_comparison *c, int32_t who)
{
    return who < 0 ? "reference" : c->strategies[who].name;
}

/* What the model says: the area below its curve, in stairs as the curves are. */
static void model_area(sp_chart *chart, const sp_class_duration *d, double most)
{
    double x[2 * SP_DURATION_POINTS + 2], low[2 * SP_DURATION_POINTS + 2] = {0},
                                                                       high[2 * SP_DURATION_POINTS + 2];
    int64_t n = 0;
    double share = 1;
    x[n] = 1;
    high[n++] = 1;
    for (int32_t i = 0; i < d->n_points && x[n - 1] < most; i++) {
        const double length = (double)d->points[i].length;
        x[n] = x[n + 1] = length < most ? length : most;
        high[n++] = share;
        high[n++] = share = length < most ? d->points[i].share : share;
    }
    sp_chart_band(chart, n, x, low, high);
}

/* All lengths that are possible, where they weigh the same. */
static void possible_area(sp_chart *chart, const sp_class_duration *d, int64_t most)
{
    const double from = (double)d->lengths.min;
    const double to = d->lengths.max > 0 && d->lengths.max < most ? (double)d->lengths.max : (double)most;
    sp_chart_band(chart, 2, (const double[]){from, to}, (const double[]){0, 0}, (const double[]){1, 1});
}

static void describe_duration(sp_buffer *out, const sp_class_duration *d)
{
    sp_buffer_say(out, "; the model: %jd", d->lengths.min);
    if (d->lengths.max)
        sp_buffer_say(out, " to %jd", d->lengths.max);
    else
        sp_buffer_text(out, " and more");
    if (d->lengths.has_distribution)
        sp_buffer_say(out, ", median %jd", d->lengths.median);
}

static void panel(sp_page *page, int32_t k, int64_t most)
{
    const sp_comparison *c = page->comparison;
    sp_buffer *out = &page->out;
    const char *comma = "";
    const sp_axis x = {1,
                       (double)most,
                       10,
                       .is_log = true,
                       .format = SP_TICK_COUNT,
                       .name = sp_word_of(&c->words, SP_STEPS)};
    sp_chart chart = sp_page_chart(page, &sp_area_panel, x, (sp_axis){0, 1, 0.5, .format = SP_TICK_PERCENT});
    sp_buffer_format(&chart.title, "%s: share of runs at least so long", c->classes[k]);
    sp_buffer_text(&chart.description, "Runs and median length:");
    const sp_class_duration *d = c->durations && c->durations[k].is_there ? &c->durations[k] : NULL;
    for (int32_t who = -1; who < c->n_strategies; who++) {
        const sp_class_runs *b = runs_of(c, who, k);
        if (!b)
            continue;
        sp_buffer_say(&chart.description, "%s %s %jd", comma, name_of(c, who), b->count);
        comma = ",";
        if (!b->median.undefined)
            sp_buffer_say(&chart.description, " of %.1f", b->median.value);
    }
    sp_picture_open(page, chart.area, "panel", "run-lengths-of-%s", c->classes[k]);
    if (!page->is_file)
        sp_html_say(out, "<figcaption>%s</figcaption>", c->classes[k]);
    if (d)
        describe_duration(&chart.description, d);
    sp_chart_open(&chart);
    if (d && d->n_points)
        model_area(&chart, d, (double)most);
    else if (d)
        possible_area(&chart, d, most);
    for (int32_t who = c->n_strategies - 1; who >= -1; who--) { /* the reference on top */
        const sp_class_runs *b = runs_of(c, who, k);
        if (b && b->count)
            curve(&chart, b, who);
    }
    sp_page_chart_close(page, &chart);
    sp_buffer_text(out, "</figure>\n");
}

static void key(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    sp_buffer_text(&page->out, "<ul class=\"key\">");
    for (int32_t who = c->reference_runs ? -1 : 0; who < c->n_strategies; who++)
        sp_html_say(
            &page->out,
            "<li><svg class=\"long\" aria-hidden=\"true\"><path class=\"%s\" d=\"M0 7h34\"/></svg>%s</li>",
            sp_series_curve(who).text, name_of(c, who));
    if (c->durations)
        sp_buffer_text(
            &page->out,
            "<li><svg class=\"long\" aria-hidden=\"true\"><path class=\"band\" d=\"M0 0h34v14h-34z\"/></svg>"
            "the model</li>");
    sp_buffer_text(&page->out, "</ul>\n");
}

static int64_t number_of_runs(const sp_comparison *c, int32_t k)
{
    const sp_class_runs *b = runs_of(c, c->reference_runs ? -1 : 0, k);
    return b ? b->count : 0;
}

/* Has the class one of the SHOWN most frequent kinds of runs? The lower index first among equals. */
static bool is_shown(const sp_comparison *c, int32_t k)
{
    int32_t before = 0;
    for (int32_t j = 0; j < c->n_classes; j++)
        before += number_of_runs(c, j) > number_of_runs(c, k) ||
                  (number_of_runs(c, j) == number_of_runs(c, k) && j < k);
    return before < SHOWN;
}

static void cell_share(sp_table *table, const sp_class_runs *b, int64_t least)
{
    int64_t n = 0;
    for (int64_t i = 0; i < b->n_lengths; i++)
        n += b->lengths[i].length >= least ? b->lengths[i].count : 0;
    sp_buffer_percent(sp_table_cell(table, b->count ? SP_TONE_PLAIN : SP_TONE_MUTED), n, b->count);
}

/* Shares of runs that are at least 2, 3, 5, ... steps long. */
static void numbers(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    sp_table table = {.title = "Runs of at least so many {steps}", .text.words = &c->words};
    sp_table_columns(&table, "class|<path|runs|median");
    for (int i = 0; i < N_LENGTHS; i++) {
        char name[32];
        snprintf(name, sizeof name, "≥ %lld", (long long)lengths[i]);
        sp_table_column(&table, SP_RIGHT, name);
    }
    for (int32_t k = 0; k < c->n_classes; k++)
        for (int32_t who = -1; who < c->n_strategies && is_shown(c, k); who++) {
            const sp_class_runs *b = runs_of(c, who, k);
            if (!b)
                continue;
            sp_table_cell_text(&table, SP_TONE_PLAIN, c->classes[k]);
            sp_table_cell_text(&table, SP_TONE_PLAIN, name_of(c, who));
            sp_table_cell_count(&table, SP_TONE_PLAIN, b->count);
            sp_cell_value(&table, &b->median, 1, SP_TONE_PLAIN);
            for (int i = 0; i < N_LENGTHS; i++)
                cell_share(&table, b, lengths[i]);
        }
    sp_page_folded(page, "How long runs last, in numbers", &table, "sortable tall");
}

static void survival(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    sp_buffer *out = &page->out;
    int64_t most = longest(c);
    sp_buffer_text(
        out,
        "<h3>How long runs last</h3>\n<p class=\"small\">Share of runs that are at least so long, by class; "
        "lengths on a logarithmic axis. ");
    if (c->reference_runs)
        sp_buffer_text(
            out, "Right of the reference, runs are longer: the path is too smooth. Left of it, shorter: too "
                 "restless.");
    if (c->durations)
        sp_buffer_words(
            out, " Shaded: what the model expects, or, where all lengths it allows weigh the same, these.");
    if (c->n_classes > SHOWN)
        sp_buffer_format(out, " The %d classes with the most runs.", SHOWN);
    sp_buffer_text(out, "</p>\n");
    key(page);
    sp_buffer_text(out, "<div class=\"panels\">\n");
    for (int32_t k = 0; k < c->n_classes; k++)
        if ((number_of_runs(c, k) || (c->durations && c->durations[k].is_there)) && is_shown(c, k))
            panel(page, k, most);
    sp_buffer_text(out, "</div>\n");
    numbers(page);
}

/* ---- section ---- */

/* Opens the recording there. */
static void place_cell(const void *arg, size_t row, sp_buffer *out)
{
    const sp_page *page = arg;
    const sp_run_place *place = row ? &page->comparison->run_places[row - 1] : NULL;
    if (!place) {
        sp_buffer_words(out, "<th scope=\"col\">{step} by {step}</th>");
        return;
    }
    sp_buffer link = {0};
    sp_buffer_place(&link, page->comparison->ids[place->recording], place->step);
    sp_html_say(out, "<td><a href=\"%s\">see</a></td>", sp_buffer_string(&link));
    sp_buffer_drop(&link, out);
}

/* Runs that break the durations: how many by class, and the first ones. */
static void broken_runs(sp_page *page)
{
    enum { LISTED = 100 };
    const sp_comparison *c = page->comparison;
    sp_page_document(page, "durations", 0);
    if (c->n_run_places) {
        sp_table table = {.text.words = &c->words};
        sp_fill_run_places(c, &(sp_fill_options){.most_rows = LISTED}, &table);
        sp_buffer_text(&page->out, "<details><summary>Where these runs are</summary>\n");
        sp_table_html(&table, "sortable tall", &(sp_extra_column){place_cell, page}, &page->out);
        sp_buffer_text(&page->out, "</details>\n");
        sp_table_free(&table);
    }
    if (c->n_run_places > LISTED)
        sp_buffer_say(
            &page->out,
            "<p class=\"small\">The list has the first %d of %jd; the JSON and CSV files have %s.</p>\n",
            LISTED, c->n_run_places, c->run_places_cut ? "the first 20,000" : "all");
}

void sp_page_runs(sp_page *page)
{
    sp_buffer *out = &page->out;
    sp_buffer_words(out, "<p>A path may agree with the reference {step} by {step} and still be too smooth, "
                         "or too restless: fewer and longer "
                         "runs than the reference, or more and shorter ones.</p>\n");
    sp_page_document(page, "runs", 0);
    if (page->comparison->durations)
        broken_runs(page);
    sp_page_document(page, "boundaries", 0);
    if (sp_has_agreement(page->comparison))
        sp_buffer_words(out, "<p class=\"small\">A change is found when the path changes between the same "
                             "two classes at that {step}, or "
                             "within 1 or 2 {steps} of it. Edit score: 1 − edit distance between the "
                             "sequences of segments, which "
                             "are runs, divided by the longer; mean over {recordings}. F1@50: a segment is "
                             "right when the segment of its "
                             "class in the reference that it overlaps most does so by half of both together, "
                             "and is not taken; F1@10 and "
                             "F1@25 ask for a tenth and a quarter; pooled over {recordings}.</p>\n");
    survival(page);
}
