/* What people read of nights: sleep statistics, with Bland-Altman plots. */
#include "report/html/page.h"

#include <math.h>

/* Strategies and nights drawn; the tables and the JSON hold all. */
enum { MOST_STRATEGIES = 4, MOST_NIGHTS = 100, NAMED_POINTS = 40 };

bool sp_has_sleep(const sp_comparison *comparison)
{
    return comparison->sleep && comparison->n_recordings > 0 && comparison->n_strategies > 0;
}

/* ---- Bland-Altman ---- */

/* Plot area inside the picture, in its own units. */
enum { WIDTH = 340, HEIGHT = 230, LEFT = 46, RIGHT = 286, TOP = 12, BOTTOM = 186 };

typedef struct bland_altman {
    const sp_comparison *comparison;
    sp_sleep_measure measure;
    double x_low, x_high, y_low, y_high;
} bland_altman;

/* 1, 2 or 5 times a power of ten: about four of it in the range. */
static double tick_step(double range)
{
    double raw = range / 4, power = pow(10, floor(log10(raw))), times = raw / power;
    return power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
}

/* Wider than nothing, with some air. */
static void pad(double *low, double *high)
{
    double range = *high - *low, air = range > 0 ? 0.06 * range : 1;
    *low -= air;
    *high += air;
}

/* The same scale for all strategies, so that they compare. False: there is no night to draw. */
static bool scale_find(bland_altman *b)
{
    const sp_sleep *sleep = b->comparison->sleep;
    b->x_low = b->y_low = INFINITY;
    b->x_high = b->y_high = -INFINITY;
    for (int32_t s = 0; s < sleep->n_strategies && s < MOST_STRATEGIES; s++) {
        const sp_sleep_agreement *a = &sleep->strategies[s].agreement[b->measure];
        for (int64_t n = 0; n < sleep->n_nights && n < MOST_NIGHTS; n++) {
            const sp_value *x = &sleep->reference[n].values[b->measure], *y = &sleep->strategies[s].nights[n].values[b->measure];
            if (x->undefined || y->undefined)
                continue;
            b->x_low = fmin(b->x_low, (x->value + y->value) / 2);
            b->x_high = fmax(b->x_high, (x->value + y->value) / 2);
            b->y_low = fmin(b->y_low, y->value - x->value);
            b->y_high = fmax(b->y_high, y->value - x->value);
        }
        if (!a->low.undefined && b->x_low <= b->x_high) {
            b->y_low = fmin(b->y_low, a->low.value);
            b->y_high = fmax(b->y_high, a->high.value);
        }
    }
    if (b->x_low > b->x_high)
        return false;
    b->y_low = fmin(b->y_low, 0);
    b->y_high = fmax(b->y_high, 0);
    pad(&b->x_low, &b->x_high);
    pad(&b->y_low, &b->y_high);
    return true;
}

static double x_of(const bland_altman *b, double x)
{
    return LEFT + (RIGHT - LEFT) * (x - b->x_low) / (b->x_high - b->x_low);
}

static double y_of(const bland_altman *b, double y)
{
    return BOTTOM - (BOTTOM - TOP) * (y - b->y_low) / (b->y_high - b->y_low);
}

static void add_attribute(sp_buffer *out, const char *name, double value)
{
    sp_buffer_say(out, " %s=\"%.1f\"", name, value);
}

static void add_text(sp_buffer *out, const char *anchor, double x, double y)
{
    sp_buffer_format(out, "<text text-anchor=\"%s\"", anchor);
    add_attribute(out, "x", x);
    add_attribute(out, "y", y);
    sp_buffer_text(out, ">");
}

static void add_axes(const bland_altman *b, sp_buffer *out)
{
    const char *unit = sp_sleep_measure_unit(b->measure);
    double x_step = tick_step(b->x_high - b->x_low), y_step = tick_step(b->y_high - b->y_low);
    int x_decimals = x_step < 1 ? 1 : 0, y_decimals = y_step < 1 ? 1 : 0;
    for (double x = ceil(b->x_low / x_step) * x_step; x <= b->x_high; x += x_step) {
        add_text(out, "middle", x_of(b, x), BOTTOM + 15);
        sp_buffer_fixed(out, x, x_decimals);
        sp_buffer_text(out, "</text>");
    }
    for (double y = ceil(b->y_low / y_step) * y_step; y <= b->y_high; y += y_step) {
        add_text(out, "end", LEFT - 6, y_of(b, y) + 4);
        sp_buffer_signed(out, fabs(y) < y_step / 2 ? 0 : y, y_decimals);
        sp_buffer_text(out, "</text>");
    }
    sp_buffer_format(out, "<path class=\"rule frame\" d=\"M%d %dV%dH%d\"/>", LEFT, TOP, BOTTOM, RIGHT);
    add_text(out, "middle", (LEFT + RIGHT) / 2.0, BOTTOM + 34);
    sp_buffer_format(out, "mean of both (%s)</text>", unit);
}

/* A line across with its value at the right. */
static void add_level(const bland_altman *b, double y, const char *class, const char *name, sp_buffer *out)
{
    sp_buffer_format(out, "<line class=\"%s\" x1=\"%d\" x2=\"%d\"", class, LEFT, RIGHT);
    add_attribute(out, "y1", y_of(b, y));
    add_attribute(out, "y2", y_of(b, y));
    sp_buffer_text(out, "/>");
    if (!name)
        return;
    add_text(out, "start", RIGHT + 5, y_of(b, y) + 4);
    sp_buffer_signed(out, y, sp_sleep_decimals(b->measure));
    sp_buffer_format(out, "<title>%s</title></text>", name);
}

static void add_points(const bland_altman *b, int32_t strategy, sp_buffer *out)
{
    const sp_sleep *sleep = b->comparison->sleep;
    int decimals = sp_sleep_decimals(b->measure);
    bool is_named = sleep->n_nights <= NAMED_POINTS;
    sp_buffer_text(out, is_named ? "<g class=\"point\">" : "<path class=\"points\" d=\"");
    for (int64_t n = 0; n < sleep->n_nights && n < MOST_NIGHTS; n++) {
        const sp_value *x = &sleep->reference[n].values[b->measure],
                       *y = &sleep->strategies[strategy].nights[n].values[b->measure];
        if (x->undefined || y->undefined)
            continue;
        if (!is_named) {
            sp_page_dot(out, x_of(b, (x->value + y->value) / 2), y_of(b, y->value - x->value));
            continue;
        }
        sp_buffer_text(out, "<circle r=\"4\"");
        add_attribute(out, "cx", x_of(b, (x->value + y->value) / 2));
        add_attribute(out, "cy", y_of(b, y->value - x->value));
        sp_buffer_text(out, "><title>");
        sp_buffer_html(out, b->comparison->ids[n]);
        sp_buffer_text(out, ": ");
        sp_buffer_fixed(out, x->value, decimals);
        sp_buffer_text(out, " to ");
        sp_buffer_fixed(out, y->value, decimals);
        sp_buffer_text(out, "</title></circle>");
    }
    sp_buffer_text(out, is_named ? "</g>" : "\"/>");
}

/* "argmax: bias +3.2 min, limits of agreement -12.0 to +18.4 (n 25)" */
static void add_summary(const bland_altman *b, int32_t strategy, sp_buffer *out)
{
    const sp_sleep_agreement *a = &b->comparison->sleep->strategies[strategy].agreement[b->measure];
    const char *unit = sp_sleep_measure_unit(b->measure);
    int decimals = sp_sleep_decimals(b->measure);
    sp_buffer_html(out, b->comparison->strategies[strategy].name);
    if (a->bias.undefined) {
        sp_buffer_format(out, ": %s", a->bias.undefined);
        return;
    }
    sp_buffer_text(out, ": bias ");
    sp_buffer_signed(out, a->bias.value, decimals);
    sp_buffer_format(out, " %s", unit);
    if (!a->low.undefined) {
        sp_buffer_text(out, ", limits ");
        sp_buffer_signed(out, a->low.value, decimals);
        sp_buffer_text(out, " to ");
        sp_buffer_signed(out, a->high.value, decimals);
    }
    sp_buffer_format(out, ", n = %lld", (long long)a->n);
}

static void add_figure(sp_page *page, const bland_altman *b, int32_t strategy)
{
    sp_buffer *out = &page->out;
    const sp_sleep_agreement *a = &b->comparison->sleep->strategies[strategy].agreement[b->measure];
    sp_buffer_text(out, "<figure>");
    sp_page_picture_begin(page, WIDTH, HEIGHT);
    sp_buffer_format(out, "Bland-Altman plot, %s", sp_sleep_measure_name(b->measure));
    sp_page_picture_describe(page);
    add_summary(b, strategy, out);
    sp_page_picture_open(page);
    add_axes(b, out);
    add_level(b, 0, "rule", NULL, out);
    if (!a->low.undefined) {
        add_level(b, a->low.value, "zero", "lower limit of agreement", out);
        add_level(b, a->high.value, "zero", "upper limit of agreement", out);
    }
    if (!a->bias.undefined)
        add_level(b, a->bias.value, "whisker", "bias", out);
    add_points(b, strategy, out);
    sp_buffer_text(out, "</svg><figcaption>");
    add_summary(b, strategy, out);
    sp_buffer_text(out, "</figcaption></figure>\n");
}

static void add_measure(sp_page *page, sp_sleep_measure measure)
{
    const sp_comparison *c = page->comparison;
    sp_buffer *out = &page->out;
    bland_altman b = {.comparison = c, .measure = measure};
    if (!scale_find(&b))
        return;
    sp_buffer_format(out, "<h3 id=\"ba-%s\">Decoded less reference: %s</h3>\n<div class=\"plots\">\n",
                     sp_sleep_measure_key(measure), sp_sleep_measure_name(measure));
    for (int32_t s = 0; s < c->n_strategies && s < MOST_STRATEGIES; s++)
        add_figure(page, &b, s);
    sp_buffer_format(out, "</div>\n<details class=\"screen\"><summary>%s of each recording (%s)</summary>\n",
                     sp_sleep_measure_name(measure), sp_sleep_measure_unit(measure));
    sp_table nights = {.title = sp_sleep_measure_name(measure)};
    sp_fill_sleep_nights(c, &(sp_fill_options){.measure = measure, .most_rows = MOST_NIGHTS}, &nights);
    sp_table_html(&nights, "sortable tall", NULL, out);
    sp_table_free(&nights);
    sp_buffer_text(out, "</details>\n");
}

void sp_page_sleep(sp_page *page)
{
    static const sp_sleep_measure plotted[] = {SP_SLEEP_TST, SP_SLEEP_SE, SP_SLEEP_WASO, SP_SLEEP_REM_LATENCY};
    const sp_comparison *c = page->comparison;
    sp_buffer *out = &page->out;
    sp_page_section(page, "sleep", "Sleep statistics");
    sp_buffer_text(out, "<div>\n<div>");
    sp_page_document(page, "sleep", 0);
    sp_buffer_say(out,
                  "<p class=\"small\">Steps of %g s%s. Minutes from the first to the last step with a reference; definitions of "
                  "the AASM, see <a href=\"#methods\">Methods</a>.</p>\n</div>\n",
                  c->sleep->epoch_seconds,
                  c->sleep->epoch_is_assumed ? ", which is <strong>assumed</strong>: the file does not say how long a step is"
                                             : "");
    const bool has_agreement = c->sleep->reference && c->n_scored_steps > 0;
    if (has_agreement) {
        sp_buffer_text(out, "<div>");
        sp_page_document(page, "sleep-agreement", 0);
        sp_buffer_text(out,
                       "<p class=\"small\">Bias: mean of decoded less reference. About 95 % of recordings lie within 1.96 "
                       "standard deviations of it, if differences are normal and do not depend on the size (Bland &amp; Altman "
                       "1986); the plots show whether they do.</p></div>\n");
    }
    sp_buffer_text(out, "</div>\n");
    if (has_agreement) {
        for (size_t i = 0; i < sizeof plotted / sizeof *plotted; i++)
            add_measure(page, plotted[i]);
        sp_buffer_format(
            out,
            "<p class=\"small\">Each dot is a recording%s, the line its strategy’s bias, the dashed lines the limits "
            "of agreement, the thin line no difference.",
            c->n_recordings <= NAMED_POINTS ? " (its title says the reference’s and the decoded figure)" : "");
        if (c->n_strategies > MOST_STRATEGIES)
            sp_buffer_format(out, " The first %d strategies are drawn.", MOST_STRATEGIES);
        if (c->n_recordings > MOST_NIGHTS)
            sp_buffer_format(out, " The first %d recordings are drawn and listed; the tables are over all.", MOST_NIGHTS);
        sp_buffer_text(out, "</p>\n");
    }
    sp_buffer_text(out, "</section>\n");
}
