/* How far the scores' own probabilities can be trusted: reliability diagram with the number of steps of each bin, and accuracy
 * against the share of steps that is kept by confidence. */
#include "report/html/page.h"

#include <math.h>
#include <stdlib.h>

/* Bins of fewer steps would throw a line about. */
enum { LEAST_STEPS = 10 };
enum { PLOT = 440, COUNTS = 70, GAP = 34, BASE = PLOT + GAP + COUNTS, AXIS = 58 };
static const sp_chart_area area_of_bins = {560, BASE + AXIS, 66, 536, 14, PLOT},
                           area_of_coverage = {560, PLOT + AXIS, 66, 536, 14, PLOT};

bool sp_has_probabilities(const sp_comparison *c)
{
    return c->has_labels && c->reliability && !c->reliability->brier.undefined;
}

/* ---- reliability ---- */

static void title_of_bin(sp_buffer *out, const sp_reliability_bin *bin, double level)
{
    sp_buffer_say(out, "<g><title>confidence %.3f to %.3f: %jd {step(s)}, mean %.3f, accuracy %.3f", bin->low,
                  bin->high, bin->n, bin->confidence.value, bin->accuracy.value);
    if (!bin->accuracy_low.undefined)
        sp_buffer_say(out, " (%g %% interval %.3f to %.3f)", 100 * level, bin->accuracy_low.value,
                      bin->accuracy_high.value);
    sp_buffer_text(out, "</title>");
}

static void draw_bin(sp_chart *chart, const sp_reliability_bin *bin, double level)
{
    sp_point at = {bin->confidence.value, bin->accuracy.value};
    if (!bin->n)
        return;
    title_of_bin(chart->out, bin, level);
    if (!bin->accuracy_low.undefined)
        sp_chart_box(chart, "band", (sp_point){bin->low, bin->accuracy_low.value},
                     (sp_point){bin->high, bin->accuracy_high.value});
    sp_chart_line(chart, "share", 2, (const sp_point[]){{bin->low, at.y}, {bin->high, at.y}});
    sp_chart_dot(chart, at);
    sp_buffer_text(chart->out, "</g>\n");
}

static void draw_counts(sp_chart *chart, const sp_reliability *c)
{
    double edges[SP_RELIABILITY_BINS + 1];
    int64_t counts[SP_RELIABILITY_BINS];
    for (int b = 0; b < SP_RELIABILITY_BINS; b++) {
        edges[b] = c->bins[b].low;
        edges[b + 1] = c->bins[b].high;
        counts[b] = c->bins[b].n;
    }
    sp_chart_bars(chart, BASE, COUNTS, SP_RELIABILITY_BINS, edges, counts);
}

/* Accuracy by confidence under the other scalings, each a line with colour and dashes of its own. */
static void draw_scaled(sp_chart *chart, const sp_comparison *c)
{
    for (int32_t i = 0; i < c->n_calibrations; i++) {
        const sp_reliability *scaled = c->calibrations[i].reliability;
        sp_point points[SP_RELIABILITY_BINS];
        int64_t n = 0;
        for (int b = 0; b < SP_RELIABILITY_BINS && !scaled->brier.undefined; b++)
            if (scaled->bins[b].n >= LEAST_STEPS)
                points[n++] = (sp_point){scaled->bins[b].confidence.value, scaled->bins[b].accuracy.value};
        if (n)
            sp_chart_line(chart, sp_series_curve(i + 1).text, n, points);
    }
}

static void scaled_legend(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    if (!c->n_calibrations)
        return;
    sp_buffer_format(&page->out, "<ul class=\"key\"><li>dots and bands: %s</li>\n",
                     sp_scaling_name(c->scaling));
    for (int32_t i = 0; i < c->n_calibrations; i++)
        sp_buffer_say(
            &page->out,
            "<li><svg class=\"long\" aria-hidden=\"true\"><path class=\"%s\" d=\"M0 7h34\"/></svg> %s</li>\n",
            sp_series_curve(i + 1).text, sp_scaling_name(c->calibrations[i].scaling));
    sp_buffer_say(&page->out,
                  "</ul>\n<p class=\"small\">Lines: accuracy in bins of at least %d {steps}. As decoded: "
                  "divided by the temperature, minus "
                  "the prior, as the model%s to get good paths, which need not be good probabilities.",
                  LEAST_STEPS, c->n_folds ? "s of the folds have them" : " has them");
    if (c->n_folds)
        sp_buffer_words(
            &page->out,
            " One temperature, and a scale and a bias a class: by maximum likelihood on the {recordings} "
            "of the other folds.");
    sp_buffer_text(&page->out, "</p>\n");
}

static sp_axis share_axis(const char *name)
{
    return (sp_axis){.high = 1, .step = 0.2, .decimals = 1, .name = name};
}

static void reliability(sp_page *page)
{
    const sp_reliability *c = page->comparison->reliability;
    sp_chart chart = sp_page_chart(page, &area_of_bins, share_axis(NULL), share_axis("accuracy"));
    chart.x_ticks_at = BASE;
    sp_buffer_words(&chart.x_name, "confidence; bars: {steps}");
    sp_buffer_text(&chart.title, "Reliability diagram");
    sp_buffer_say(&chart.description,
                  "Accuracy by confidence in %d bins, with the number of {steps} of each; the numbers stand "
                  "in the table below.",
                  SP_RELIABILITY_BINS);
    sp_page_chart_open(page, &chart, "plot", "reliability");
    sp_chart_line(&chart, "zero", 2, (const sp_point[]){{0, 0}, {1, 1}});
    draw_scaled(&chart, page->comparison);
    for (int b = 0; b < SP_RELIABILITY_BINS; b++)
        draw_bin(&chart, &c->bins[b], c->level);
    draw_counts(&chart, c);
    sp_page_chart_close(page, &chart);
    sp_buffer_say(
        &page->out,
        "<figcaption>Reliability. On the dashed line the confidence is the accuracy; below it the scores are "
        "overconfident, above it underconfident. Band: %g %% interval (Wilson) of the bin’s accuracy. It "
        "takes {steps} as "
        "independent, so it is too narrow.</figcaption></figure>\n",
        100 * c->level);
}

/* ---- coverage ---- */

static void name_coverage(const void *arg, int64_t i, sp_buffer *out)
{
    const sp_coverage_point *p = &((const sp_reliability *)arg)->coverage[i];
    sp_buffer_say(out, "%.1f %% of {steps}, confidence from %.4f: accuracy %.4f", 100 * p->share,
                  p->confidence, p->accuracy);
}

static void coverage(sp_page *page)
{
    const sp_reliability *c = page->comparison->reliability;
    sp_buffer *out = &page->out;
    sp_point *points = malloc(((size_t)c->n_coverage + 1) * sizeof *points);
    double least = 0.9;
    out->failed |= !points;
    for (int32_t i = 0; points && i < c->n_coverage; i++) {
        points[i] = (sp_point){c->coverage[i].share, c->coverage[i].accuracy};
        least = fmin(least, c->coverage[i].accuracy);
    }
    sp_chart chart = sp_page_chart(page, &area_of_coverage, share_axis(NULL),
                                   sp_axis_around("accuracy", floor(10 * least) / 10, 1));
    sp_buffer_words(&chart.x_name, "share of {steps} kept, most confident first");
    sp_buffer_text(&chart.title, "Confidence coverage");
    sp_buffer_words(&chart.description,
                    "Accuracy against the share of {steps} that is kept, most confident first; the numbers "
                    "stand in the table below.");
    sp_page_chart_open(page, &chart, "plot", "confidence-coverage");
    sp_chart_across(&chart, "zero", c->accuracy.value, NULL, 0);
    if (points) {
        sp_chart_line(&chart, "curve k0", c->n_coverage, points);
        sp_chart_dots(&chart, c->n_coverage, points, name_coverage, c);
    }
    sp_page_chart_close(page, &chart);
    sp_buffer_words(
        out,
        "<figcaption>Confidence coverage: accuracy of the most probable class over the {steps} of greatest "
        "confidence. {Steps} that are left out are those a person should look at. Dashed: all "
        "{steps}.</figcaption>"
        "</figure>\n");
    free(points);
}

/* ---- section ---- */

void sp_page_probabilities(sp_page *page)
{
    const sp_reliability *c = page->comparison->reliability;
    sp_buffer *out = &page->out;
    sp_buffer_say(out, "<p>How far the scores’ own probabilities can be trusted, over %jd scored {step(s)}%s",
                  c->n_steps, c->is_weighted ? ", weighted by the file’s weights" : "");
    if (c->n_impossible)
        sp_buffer_say(out, "; %jd more have no possible class and are left out", c->n_impossible);
    sp_buffer_text(out, ".</p>\n");
    sp_page_document(page, "calibrations", 0);
    sp_page_document(page, "probabilities", 0);
    sp_buffer_text(out, "<div class=\"beside\">\n");
    reliability(page);
    coverage(page);
    sp_buffer_text(out, "</div>\n");
    scaled_legend(page);
    sp_buffer_text(out, "<details><summary>Reliability in numbers</summary>\n");
    for (int is_adaptive = 0; is_adaptive < 2; is_adaptive++)
        sp_page_filled(page, NULL, sp_fill_bins, &(sp_fill_options){.is_adaptive = is_adaptive}, "");
    sp_buffer_text(out, "</details>\n");
    sp_page_filled(page, "Coverage in numbers", sp_fill_coverage, &(sp_fill_options){.is_wide = true}, "");
    sp_page_filled(page, "Calibration error by class", sp_fill_class_calibration,
                   &(sp_fill_options){.is_wide = true}, "");
}
