/* What people read of nights: sleep statistics, with four Bland-Altman plots of the strategy that the
 * verdict is about. */
#include "report/html/page.h"

#include <math.h>

/* Nights drawn; the tables and the JSON hold all. */
enum { MOST_NIGHTS = 100 };

/* Intervals of the limits that go further beyond them than this times their distance do not stretch the plot. */
enum { MOST_WIDER = 2 };

bool sp_has_sleep(const sp_comparison *c)
{
    return c->sleep && c->n_recordings > 0 && c->n_strategies > 0;
}

/* ---- Bland-Altman ---- */

typedef struct bland_altman {
    const sp_comparison *comparison;
    const sp_sleep_strategy *strategy;
    const sp_sleep_agreement *agreement;
    sp_sleep_measure measure;
    sp_axis x, y;
} bland_altman;

/* Mean of both and difference of a night; NAN where one is undefined. */
static sp_point point_of(const bland_altman *b, int64_t night)
{
    const sp_value *x = &b->comparison->sleep->reference[night].values[b->measure],
                   *y = &b->strategy->nights[night].values[b->measure];
    return x->undefined || y->undefined ? (sp_point){NAN, NAN}
                                        : (sp_point){(x->value + y->value) / 2, y->value - x->value};
}

/* False: there is no night to draw. */
static bool scale_find(bland_altman *b)
{
    const sp_sleep_agreement *a = b->agreement;
    double x_low = INFINITY, x_high = -INFINITY, y_low = 0, y_high = 0;
    for (int64_t n = 0; n < b->comparison->sleep->n_nights && n < MOST_NIGHTS; n++) {
        const sp_point p = point_of(b, n);
        x_low = fmin(x_low, p.x); /* fmin() and fmax() pass NAN over */
        x_high = fmax(x_high, p.x);
        y_low = fmin(y_low, p.y);
        y_high = fmax(y_high, p.y);
    }
    if (x_low > x_high)
        return false;
    if (!a->low.undefined) {
        y_low = fmin(y_low, a->low.value);
        y_high = fmax(y_high, a->high.value);
    }
    if (!a->low_low.undefined &&
        a->low_low.value >= MOST_WIDER * a->low.value - (MOST_WIDER - 1) * a->high.value) {
        y_low = fmin(y_low, a->low_low.value);
        y_high = fmax(y_high, a->high_high.value);
    }
    b->x = sp_axis_around(NULL, x_low, x_high);
    b->y = sp_axis_around(NULL, y_low, y_high);
    b->y.format = SP_TICK_SIGNED;
    return true;
}

static void name_night(const void *arg, int64_t n, sp_buffer *out)
{
    const bland_altman *b = arg;
    const int decimals = sp_sleep_decimals(b->measure);
    sp_html_say(out, "%s: %.*f to %.*f", b->comparison->ids[n], decimals,
                b->comparison->sleep->reference[n].values[b->measure].value, decimals,
                b->strategy->nights[n].values[b->measure].value);
}

static void draw_nights(const bland_altman *b, sp_chart *chart)
{
    const int64_t all = b->comparison->sleep->n_nights, n = all < MOST_NIGHTS ? all : MOST_NIGHTS;
    sp_point points[MOST_NIGHTS];
    int64_t recordings[MOST_NIGHTS];
    for (int64_t i = 0; i < n; i++) {
        points[i] = point_of(b, i);
        recordings[i] = i;
    }
    chart->recordings = recordings;
    sp_chart_dots(chart, n, points, name_night, b);
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

/* "total sleep time: bias +3.2 min (+1.2 to +5.2), limits -12.0 (-15.1 to -8.9) and +18.4 (+15.3 to
 * +21.5), n = 25" */
static void add_summary(const bland_altman *b, sp_buffer *out)
{
    const sp_sleep_agreement *a = b->agreement;
    const int decimals = sp_sleep_decimals(b->measure);
    sp_buffer_text(out, sp_sleep_measure_name(b->measure));
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

static void add_figure(sp_page *page, const bland_altman *b)
{
    sp_buffer *out = &page->out, caption = {.words = out->words};
    const sp_sleep_agreement *a = b->agreement;
    const char *strategy = b->comparison->strategies[page->focus].name;
    const int decimals = sp_sleep_decimals(b->measure);
    sp_chart chart = sp_page_chart(page, &sp_area_small, b->x, b->y);
    sp_buffer_format(&chart.x_name, "mean of both (%s)", sp_sleep_measure_unit(b->measure));
    sp_buffer_format(&chart.title, "Bland-Altman plot of %s, %s", strategy,
                     sp_sleep_measure_name(b->measure));
    add_summary(b, &chart.description);
    add_summary(b, &caption);
    sp_page_chart_open(page, &chart, "", "bland-altman-%s-of-%s", sp_sleep_measure_key(b->measure), strategy);
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
    draw_nights(b, &chart);
    sp_page_chart_close(page, &chart);
    sp_html_say(out, "<figcaption>%s</figcaption></figure>\n", sp_buffer_string(&caption));
    sp_buffer_drop(&caption, out);
}

static void explain_plots(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    sp_buffer *out = &page->out;
    sp_buffer_say(
        out,
        "<p class=\"small no-print\">Each dot is {a recording}%s, the solid line the bias, the "
        "dotted lines the "
        "limits of agreement, bands their %g %% intervals (Student’s t), the thin dashed line "
        "no difference.",
        c->n_recordings <= SP_NAMED_DOTS ? " (its title says the reference’s and the decoded figure)" : "",
        100 * c->level);
    if (c->n_recordings > MOST_NIGHTS)
        sp_buffer_say(out, " The first %d {recordings} are drawn and listed; the tables are over all.",
                      MOST_NIGHTS);
    sp_buffer_text(out, "</p>\n");
}

/* The plots, then a folded table for each. */
static void plots(sp_page *page)
{
    static const sp_sleep_measure plotted[] = {SP_SLEEP_TST, SP_SLEEP_SE, SP_SLEEP_WASO,
                                               SP_SLEEP_REM_LATENCY};
    enum { N_PLOTS = sizeof plotted / sizeof *plotted };
    const sp_comparison *c = page->comparison;
    const sp_sleep_strategy *strategy = &c->sleep->strategies[page->focus];
    sp_buffer *out = &page->out;
    bland_altman drawn[N_PLOTS];
    int n = 0;
    for (int i = 0; i < N_PLOTS; i++) {
        drawn[n] = (bland_altman){.comparison = c,
                                  .strategy = strategy,
                                  .agreement = &strategy->agreement[plotted[i]],
                                  .measure = plotted[i]};
        n += scale_find(&drawn[n]);
    }
    if (n == 0)
        return;
    sp_html_say(out, "<h3>%s minus reference, {recording} by {recording}</h3>\n<div class=\"plots\">\n",
                c->strategies[page->focus].name);
    for (int i = 0; i < n; i++)
        add_figure(page, &drawn[i]);
    sp_buffer_text(out, "</div>\n");
    explain_plots(page);
    for (int i = 0; i < n; i++) {
        sp_buffer_say(out, "<details class=\"screen\"><summary>%s of each {recording} (%s)</summary>\n",
                      sp_sleep_measure_name(drawn[i].measure), sp_sleep_measure_unit(drawn[i].measure));
        sp_page_filled(page, NULL, sp_fill_sleep_nights,
                       &(sp_fill_options){.measure = drawn[i].measure, .most_rows = MOST_NIGHTS},
                       "sortable tall");
        sp_buffer_text(out, "</details>\n");
    }
}

void sp_page_sleep(sp_page *page)
{
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
    if (has_agreement)
        plots(page);
}
