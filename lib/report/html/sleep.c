/* What people read of nights: sleep statistics, with Bland-Altman plots. */
#include "report/html/page.h"

#include <math.h>

/* Strategies and nights drawn; the tables and the JSON hold all. */
enum { MOST_STRATEGIES = 4, MOST_NIGHTS = 100 };

/* Intervals of the limits that go further beyond them than this times their distance do not stretch the plot. */
enum { MOST_WIDER = 2 };

bool sp_has_sleep(const sp_comparison *c)
{
    return c->sleep && c->n_recordings > 0 && c->n_strategies > 0;
}

/* ---- Bland-Altman ---- */

typedef struct bland_altman {
    const sp_comparison *comparison;
    sp_sleep_measure measure;
    sp_axis x, y;    /* the same for all strategies, so that they compare */
    bool has_titles; /* of dots */
} bland_altman;

/* Mean of both and difference of a night; NAN where one is undefined. */
static sp_point point_of(const bland_altman *b, int32_t strategy, int64_t night)
{
    const sp_sleep *sleep = b->comparison->sleep;
    const sp_value *x = &sleep->reference[night].values[b->measure],
                   *y = &sleep->strategies[strategy].nights[night].values[b->measure];
    return x->undefined || y->undefined ? (sp_point){NAN, NAN}
                                        : (sp_point){(x->value + y->value) / 2, y->value - x->value};
}

/* False: there is no night to draw. */
static bool scale_find(bland_altman *b)
{
    const sp_sleep *sleep = b->comparison->sleep;
    double x_low = INFINITY, x_high = -INFINITY, y_low = 0, y_high = 0;
    for (int32_t s = 0; s < sleep->n_strategies && s < MOST_STRATEGIES; s++) {
        const sp_sleep_agreement *a = &sleep->strategies[s].agreement[b->measure];
        for (int64_t n = 0; n < sleep->n_nights && n < MOST_NIGHTS; n++) {
            sp_point p = point_of(b, s, n);
            x_low = fmin(x_low, p.x); /* fmin() and fmax() pass NAN over */
            x_high = fmax(x_high, p.x);
            y_low = fmin(y_low, p.y);
            y_high = fmax(y_high, p.y);
        }
        if (!a->low.undefined) {
            y_low = fmin(y_low, a->low.value);
            y_high = fmax(y_high, a->high.value);
        }
        if (!a->low_low.undefined &&
            a->low_low.value >= MOST_WIDER * a->low.value - (MOST_WIDER - 1) * a->high.value) {
            y_low = fmin(y_low, a->low_low.value);
            y_high = fmax(y_high, a->high_high.value);
        }
    }
    if (x_low > x_high)
        return false;
    b->x = sp_axis_around(NULL, x_low, x_high);
    b->y = sp_axis_around(NULL, y_low, y_high);
    b->y.format = SP_TICK_SIGNED;
    return true;
}

typedef struct night_names {
    const bland_altman *plot;
    int32_t strategy;
} night_names;

static void name_night(const void *arg, int64_t n, sp_buffer *out)
{
    const night_names *names = arg;
    const bland_altman *b = names->plot;
    const sp_sleep *sleep = b->comparison->sleep;
    int decimals = sp_sleep_decimals(b->measure);
    sp_html_say(out, "%s: %.*f to %.*f", b->comparison->ids[n], decimals,
                sleep->reference[n].values[b->measure].value, decimals,
                sleep->strategies[names->strategy].nights[n].values[b->measure].value);
}

static void draw_nights(const bland_altman *b, int32_t strategy, sp_chart *chart)
{
    const int64_t all = b->comparison->sleep->n_nights, n = all < MOST_NIGHTS ? all : MOST_NIGHTS;
    const night_names names = {b, strategy};
    sp_point points[MOST_NIGHTS];
    int64_t recordings[MOST_NIGHTS];
    for (int64_t i = 0; i < n; i++) {
        points[i] = point_of(b, strategy, i);
        recordings[i] = i;
    }
    chart->recordings = recordings;
    chart->has_plain_dots = !b->has_titles;
    sp_chart_dots(chart, n, points, name_night, &names);
    chart->recordings = NULL;
}

/* " (+1.2 to +5.2)", nothing where it is undefined */
static void add_interval(const sp_value *low, const sp_value *high, int decimals, sp_buffer *out)
{
    if (!low->undefined)
        sp_buffer_say(out, " (%+.*f to %+.*f)", decimals, low->value, decimals, high->value);
}

/* Across the whole plot, as far as it goes. */
static void draw_interval(const bland_altman *b, const sp_value *low, const sp_value *high, sp_chart *chart)
{
    if (low->undefined || low->value > b->y.high || high->value < b->y.low)
        return;
    const double x[] = {b->x.low, b->x.high}, from = fmax(low->value, b->y.low),
                 to = fmin(high->value, b->y.high);
    sp_chart_band(chart, 2, x, (const double[]){from, from}, (const double[]){to, to});
}

/* "argmax: bias +3.2 min (+1.2 to +5.2), limits -12.0 (-15.1 to -8.9) and +18.4 (+15.3 to +21.5), n = 25", plain text */
static void add_summary(const bland_altman *b, int32_t strategy, sp_buffer *out)
{
    const sp_sleep_agreement *a = &b->comparison->sleep->strategies[strategy].agreement[b->measure];
    int decimals = sp_sleep_decimals(b->measure);
    sp_buffer_text(out, b->comparison->strategies[strategy].name);
    if (a->bias.undefined) {
        sp_buffer_text(out, ": ");
        sp_buffer_term(out, a->bias.undefined);
        return;
    }
    sp_buffer_say(out, ": bias %+.*f %s", decimals, a->bias.value, sp_sleep_measure_unit(b->measure));
    add_interval(&a->bias_low, &a->bias_high, decimals, out);
    if (!a->low.undefined) {
        sp_buffer_say(out, ", limits %+.*f", decimals, a->low.value);
        add_interval(&a->low_low, &a->low_high, decimals, out);
        sp_buffer_say(out, " and %+.*f", decimals, a->high.value);
        add_interval(&a->high_low, &a->high_high, decimals, out);
    }
    sp_buffer_format(out, ", n = %lld", (long long)a->n);
}

static void add_figure(sp_page *page, const bland_altman *b, int32_t strategy)
{
    sp_buffer *out = &page->out, caption = {.words = out->words};
    const sp_sleep_agreement *a = &b->comparison->sleep->strategies[strategy].agreement[b->measure];
    int decimals = sp_sleep_decimals(b->measure);
    sp_chart chart = sp_page_chart(page, &sp_area_small, b->x, b->y);
    sp_buffer_format(&chart.x_name, "mean of both (%s)", sp_sleep_measure_unit(b->measure));
    sp_buffer_format(&chart.title, "Bland-Altman plot, %s", sp_sleep_measure_name(b->measure));
    add_summary(b, strategy, &chart.description);
    add_summary(b, strategy, &caption);
    sp_page_chart_open(page, &chart, "", "bland-altman-%s-of-%s", sp_sleep_measure_key(b->measure),
                       b->comparison->strategies[strategy].name);
    draw_interval(b, &a->low_low, &a->low_high, &chart);
    draw_interval(b, &a->bias_low, &a->bias_high, &chart);
    draw_interval(b, &a->high_low, &a->high_high, &chart);
    sp_chart_across(&chart, "zero", 0, NULL, 0);
    if (!a->low.undefined) {
        sp_chart_across(&chart, "whisker d2", a->low.value, "lower limit of agreement", decimals);
        sp_chart_across(&chart, "whisker d2", a->high.value, "upper limit of agreement", decimals);
    }
    if (!a->bias.undefined)
        sp_chart_across(&chart, "whisker", a->bias.value, "bias", decimals);
    draw_nights(b, strategy, &chart);
    sp_page_chart_close(page, &chart);
    sp_html_say(out, "<figcaption>%s</figcaption></figure>\n", sp_buffer_string(&caption));
    sp_buffer_drop(&caption, out);
}

static void add_measure(sp_page *page, sp_sleep_measure measure, bool has_titles)
{
    const sp_comparison *c = page->comparison;
    sp_buffer *out = &page->out;
    bland_altman b = {.comparison = c, .measure = measure, .has_titles = has_titles};
    if (!scale_find(&b))
        return;
    sp_buffer_format(out, "<h3 id=\"ba-%s\">Decoded minus reference: %s</h3>\n<div class=\"plots\">\n",
                     sp_sleep_measure_key(measure), sp_sleep_measure_name(measure));
    for (int32_t s = 0; s < c->n_strategies && s < MOST_STRATEGIES; s++)
        add_figure(page, &b, s);
    sp_buffer_text(out, "</div>\n");
    if (!has_titles) /* many, and folded: the JSON file holds the numbers */
        return;
    sp_buffer_say(out, "<details class=\"screen\"><summary>%s of each {recording} (%s)</summary>\n",
                  sp_sleep_measure_name(measure), sp_sleep_measure_unit(measure));
    sp_page_filled(page, NULL, sp_fill_sleep_nights,
                   &(sp_fill_options){.measure = measure, .most_rows = MOST_NIGHTS}, "sortable tall");
    sp_buffer_text(out, "</details>\n");
}

/* The measures that do not stand open, folded: the bed time is the reference's own, for all. */
static void add_others(sp_page *page, const sp_sleep_measure *open, size_t n_open)
{
    bool has_begun = false;
    for (int m = 0; m < SP_N_SLEEP_MEASURES; m++) {
        bland_altman b = {.comparison = page->comparison, .measure = (sp_sleep_measure)m};
        bool is_open = m == SP_SLEEP_TIB;
        for (size_t i = 0; i < n_open; i++)
            is_open |= open[i] == b.measure;
        if (is_open || !scale_find(&b))
            continue;
        if (!has_begun)
            sp_buffer_text(
                &page->out,
                "<details class=\"screen\"><summary>Bland-Altman plots of the other measures</summary>\n");
        has_begun = true;
        add_measure(page, b.measure, false);
    }
    sp_buffer_text(&page->out, has_begun ? "</details>\n" : "");
}

void sp_page_sleep(sp_page *page)
{
    static const sp_sleep_measure plotted[] = {SP_SLEEP_TST, SP_SLEEP_SE, SP_SLEEP_WASO,
                                               SP_SLEEP_REM_LATENCY};
    const sp_comparison *c = page->comparison;
    sp_buffer *out = &page->out;
    sp_buffer_text(out, "<div>\n<div>");
    sp_page_document(page, "sleep", 0);
    sp_buffer_say(out, "<p class=\"small\">{Steps} of %g s", c->sleep->epoch_seconds);
    if (c->sleep->epoch_is_assumed)
        sp_buffer_words(out,
                        ", which is <strong>assumed</strong>: the file does not say how long {a step} is");
    sp_buffer_words(
        out, ". Minutes from the first to the last {step} with a reference; definitions of the AASM, see <a "
             "href=\"#methods\">Methods</a>.</p>\n</div>\n");
    const bool has_agreement = c->sleep->reference && c->n_scored_steps > 0;
    if (has_agreement) {
        sp_buffer_text(out, "<div>");
        sp_page_document(page, "sleep-agreement", 0);
        sp_buffer_words(out, "<p class=\"small\">Bias: mean of decoded minus reference. About 95 % of "
                             "{recordings} lie within 1.96 "
                             "standard deviations of it, if differences are normal and do not depend on the "
                             "size (Bland &amp; Altman "
                             "1986); the plots show whether they do.</p></div>\n");
    }
    sp_buffer_text(out, "</div>\n");
    if (has_agreement) {
        for (size_t i = 0; i < sizeof plotted / sizeof *plotted; i++)
            add_measure(page, plotted[i], true);
        add_others(page, plotted, sizeof plotted / sizeof *plotted);
        sp_buffer_say(out,
                      "<p class=\"small no-print\">Each dot is {a recording}%s, the solid line its "
                      "strategy’s bias, the dotted lines the "
                      "limits of agreement, bands their %g %% intervals (Student’s t), the thin dashed line "
                      "no difference.",
                      c->n_recordings <= SP_NAMED_DOTS
                          ? " (its title says the reference’s and the decoded figure)"
                          : "",
                      100 * c->level);
        if (c->n_strategies > MOST_STRATEGIES)
            sp_buffer_format(out, " The first %d strategies are drawn.", MOST_STRATEGIES);
        if (c->n_recordings > MOST_NIGHTS)
            sp_buffer_say(out, " The first %d {recordings} are drawn and listed; the tables are over all.",
                          MOST_NIGHTS);
        sp_buffer_text(out, "</p>\n");
    }
}
