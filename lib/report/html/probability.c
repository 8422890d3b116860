/* How far the scores' own probabilities can be trusted: reliability diagram with the number of steps of each bin, and accuracy
 * against the share of steps that is kept by confidence. */
#include "report/html/page.h"

#include <math.h>

/* Bins of fewer steps would throw a line about. */
enum { LEAST_STEPS = 10 };
enum { WIDTH = 560, PLOT = 440, LEFT = 66, TOP = 14, COUNTS = 70, GAP = 34, AXIS = 58 };

bool sp_has_probabilities(const sp_comparison *comparison)
{
    return comparison->has_labels && comparison->reliability && !comparison->reliability->brier.undefined;
}

/* ---- SVG ---- */

static double x_of(double share)
{
    return LEFT + (WIDTH - LEFT - 24) * share;
}

static double y_of(double value, double low)
{
    return TOP + (PLOT - TOP) * (1 - (value - low) / (1 - low));
}

static void number(sp_buffer *out, const char *name, double value)
{
    sp_buffer_say(out, " %s=\"%.1f\"", name, value);
}

static void line(sp_buffer *out, const char *class, double x1, double y1, double x2, double y2)
{
    sp_buffer_format(out, "<line class=\"%s\"", class);
    number(out, "x1", x1);
    number(out, "y1", y1);
    number(out, "x2", x2);
    number(out, "y2", y2);
    sp_buffer_text(out, "/>");
}

static void text_at(sp_buffer *out, const char *anchor, double x, double y)
{
    sp_buffer_format(out, "<text text-anchor=\"%s\"", anchor);
    number(out, "x", x);
    number(out, "y", y);
    sp_buffer_text(out, ">");
}

/* Grid and labels: five heights from low to 1, five places from 0 to 1 under `bottom`. */
static void axes(sp_buffer *out, double low, double bottom, const char *below, const char *beside)
{
    for (int i = 0; i <= 5; i++) {
        double share = i / 5.0, value = low + (1 - low) * share;
        line(out, "rule", x_of(0), y_of(value, low), x_of(1), y_of(value, low));
        text_at(out, "end", x_of(0) - 8, y_of(value, low) + 6);
        sp_buffer_fixed(out, value, low > 0 ? 2 : 1);
        sp_buffer_text(out, "</text>");
        text_at(out, "middle", x_of(share), bottom + 22);
        sp_buffer_say(out, "%.1f</text>\n", share);
    }
    text_at(out, "middle", x_of(0.5), bottom + 46);
    sp_buffer_format(out, "%s</text><text text-anchor=\"middle\" transform=\"translate(16 %d) rotate(-90)\">%s</text>\n", below,
                     (TOP + PLOT) / 2, beside);
}

/* 950, 12k, 1.2M: what fits under a bar; the table has it all. */
static void short_count(sp_buffer *out, int64_t n)
{
    static const char units[] = {' ', 'k', 'M', 'G', 'T'};
    double value = (double)n;
    int unit = 0;
    while (value >= 999.5 && unit < 4) {
        value /= 1000;
        unit++;
    }
    sp_buffer_fixed(out, value, unit && value < 9.95 ? 1 : 0);
    if (unit)
        sp_buffer_format(out, "%c", units[unit]);
}

/* ---- reliability ---- */

static void reliability_bin(sp_buffer *out, const sp_reliability_bin *bin, double level)
{
    double left = x_of(bin->low) + 1, width = x_of(bin->high) - x_of(bin->low) - 2;
    if (!bin->n)
        return;
    sp_buffer_say(out, "<g><title>confidence %.3f to %.3f: %jd step%s, mean %.3f, accuracy %.3f", bin->low, bin->high, bin->n,
                  bin->n == 1 ? "" : "s", bin->confidence.value, bin->accuracy.value);
    if (!bin->accuracy_low.undefined) {
        sp_buffer_text(out, " (");
        sp_add_level(out, level);
        sp_buffer_text(out, " interval ");
        sp_buffer_fixed(out, bin->accuracy_low.value, 3);
        sp_buffer_text(out, " to ");
        sp_buffer_fixed(out, bin->accuracy_high.value, 3);
        sp_buffer_text(out, ")</title><rect class=\"band\"");
        number(out, "x", left);
        number(out, "width", width);
        number(out, "y", y_of(bin->accuracy_high.value, 0));
        number(out, "height", fmax(1, y_of(bin->accuracy_low.value, 0) - y_of(bin->accuracy_high.value, 0)));
        sp_buffer_text(out, "/>");
    } else {
        sp_buffer_text(out, "</title>");
    }
    line(out, "share", left, y_of(bin->accuracy.value, 0), left + width, y_of(bin->accuracy.value, 0));
    sp_buffer_text(out, "<circle class=\"dot\" r=\"5\"");
    number(out, "cx", x_of(bin->confidence.value));
    number(out, "cy", y_of(bin->accuracy.value, 0));
    sp_buffer_text(out, "/></g>\n");
}

static void reliability_counts(sp_buffer *out, const sp_reliability *c, double base)
{
    int64_t most = 1;
    for (int b = 0; b < SP_RELIABILITY_BINS; b++)
        most = c->bins[b].n > most ? c->bins[b].n : most;
    for (int b = 0; b < SP_RELIABILITY_BINS; b++) {
        const sp_reliability_bin *bin = &c->bins[b];
        double left = x_of(bin->low), width = x_of(bin->high) - left, height = COUNTS * (double)bin->n / (double)most;
        if (!bin->n)
            continue;
        sp_buffer_text(out, "<rect class=\"bar\"");
        number(out, "x", left + 1);
        number(out, "width", width - 2);
        number(out, "y", base - fmax(height, 1));
        number(out, "height", fmax(height, 1));
        sp_buffer_text(out, "/>");
        text_at(out, "middle", left + width / 2, base - height - 5);
        short_count(out, bin->n);
        sp_buffer_text(out, "</text>\n");
    }
}

/* Accuracy by confidence under another scaling: dots joined by a line of a colour and dashes of its own. */
static void scaled_curve(sp_buffer *out, const sp_reliability *c, int style)
{
    bool is_first = true;
    sp_buffer_format(out, "<polyline class=\"curve k%d d%d\" points=\"", style % 8, style % 4);
    for (int b = 0; b < SP_RELIABILITY_BINS; b++) {
        if (c->bins[b].n < LEAST_STEPS)
            continue;
        sp_buffer_say(out, "%s%.1f,%.1f", is_first ? "" : " ", x_of(c->bins[b].confidence.value),
                      y_of(c->bins[b].accuracy.value, 0));
        is_first = false;
    }
    sp_buffer_text(out, "\"/>\n");
}

static void scaled_curves(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    for (int32_t i = 0; i < c->n_calibrations; i++)
        if (!c->calibrations[i].reliability->brier.undefined)
            scaled_curve(&page->out, c->calibrations[i].reliability, i + 1);
}

static void scaled_legend(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    if (!c->n_calibrations)
        return;
    sp_buffer_format(&page->out, "<ul class=\"key\"><li>dots and bands: %s</li>\n", sp_scaling_name(c->scaling));
    for (int32_t i = 0; i < c->n_calibrations; i++)
        sp_buffer_format(
            &page->out,
            "<li><svg class=\"long\" aria-hidden=\"true\"><path class=\"curve k%d d%d\" d=\"M0 7h34\"/></svg> %s</li>\n",
            (int)(i + 1) % 8, (int)(i + 1) % 4, sp_scaling_name(c->calibrations[i].scaling));
    sp_buffer_format(
        &page->out,
        "</ul>\n<p class=\"small\">Lines: accuracy in bins of at least %d steps. As decoded: divided by the temperature, less "
        "the prior, as the model%s to get good paths, which need not be good probabilities.%s</p>\n",
        LEAST_STEPS, c->n_folds ? "s of the folds have them" : " has them",
        c->n_folds ? " One temperature, and a scale and a bias a class: by maximum likelihood on the recordings of the other "
                     "folds."
                   : "");
}

static void reliability(sp_page *page)
{
    const sp_reliability *c = page->comparison->reliability;
    sp_buffer *out = &page->out;
    int base = PLOT + GAP + COUNTS;
    sp_buffer_text(out, "<figure class=\"plot\">");
    sp_page_picture_begin(page, WIDTH, base + AXIS);
    sp_buffer_text(out, "Reliability diagram");
    sp_page_picture_describe(page);
    sp_buffer_format(out,
                     "Accuracy by confidence in %d bins, with the number of steps of each; the numbers stand in the table below.",
                     SP_RELIABILITY_BINS);
    sp_page_picture_open(page);
    axes(out, 0, base, "confidence; bars: steps", "accuracy");
    line(out, "zero", x_of(0), y_of(0, 0), x_of(1), y_of(1, 0));
    sp_buffer_text(out, "\n");
    scaled_curves(page);
    for (int b = 0; b < SP_RELIABILITY_BINS; b++)
        reliability_bin(out, &c->bins[b], c->level);
    sp_buffer_text(out, "<g class=\"tiny\">\n");
    reliability_counts(out, c, base);
    sp_buffer_text(out, "</g>\n</svg>\n<figcaption>Reliability. On the dashed line the scores are as right as they say; below it "
                        "they are too sure of themselves, above it not sure enough. Band: ");
    sp_add_level(out, c->level);
    sp_buffer_text(out,
                   " interval (Wilson) of the bin’s accuracy. It takes steps as independent, so it is too narrow.</figcaption>"
                   "</figure>\n");
}

/* ---- coverage ---- */

static void coverage(sp_page *page)
{
    const sp_reliability *c = page->comparison->reliability;
    sp_buffer *out = &page->out;
    double least = 0.9;
    for (int32_t i = 0; i < c->n_coverage; i++)
        least = fmin(least, c->coverage[i].accuracy);
    double low = floor(10 * least) / 10;
    sp_buffer_text(out, "<figure class=\"plot\">");
    sp_page_picture_begin(page, WIDTH, PLOT + AXIS);
    sp_buffer_text(out, "Confidence coverage");
    sp_page_picture_describe(page);
    sp_buffer_text(out, "Accuracy against the share of steps that is kept, most confident first; the numbers stand in the table "
                        "below.");
    sp_page_picture_open(page);
    axes(out, low, PLOT, "share of steps kept, most confident first", "accuracy");
    line(out, "zero", x_of(0), y_of(c->accuracy.value, low), x_of(1), y_of(c->accuracy.value, low));
    sp_buffer_text(out, "<polyline class=\"curve k0\" points=\"");
    for (int32_t i = 0; i < c->n_coverage; i++) {
        sp_buffer_say(out, "%s%.1f,%.1f", i ? " " : "", x_of(c->coverage[i].share), y_of(c->coverage[i].accuracy, low));
    }
    sp_buffer_text(out, "\"/>\n");
    for (int32_t i = 0; i < c->n_coverage; i++) {
        const sp_coverage_point *p = &c->coverage[i];
        sp_buffer_text(out, "<circle class=\"dot\" r=\"4.5\"");
        number(out, "cx", x_of(p->share));
        number(out, "cy", y_of(p->accuracy, low));
        sp_buffer_say(out, "><title>%.1f %% of steps, confidence from %.4f: accuracy %.4f</title></circle>\n", 100 * p->share,
                      p->confidence, p->accuracy);
    }
    sp_buffer_text(out, "</svg><figcaption>Confidence coverage: accuracy of the most probable class over the steps of greatest "
                        "confidence. Steps that are left out are those a person should look at. Dashed: all steps.</figcaption>"
                        "</figure>\n");
}

/* ---- section ---- */

static void folded(sp_page *page, const char *summary, sp_table *tables, int n)
{
    sp_buffer_format(&page->out, "<details><summary>%s</summary>\n", summary);
    for (int i = 0; i < n; i++) {
        sp_table_html(&tables[i], "", NULL, &page->out);
        sp_table_free(&tables[i]);
    }
    sp_buffer_text(&page->out, "</details>\n");
}

void sp_page_probabilities(sp_page *page)
{
    const sp_comparison *comparison = page->comparison;
    const sp_reliability *c = comparison->reliability;
    sp_buffer *out = &page->out;
    const sp_fill_options all = {.is_wide = true};
    sp_table bins[2] = {{.title = NULL}, {.title = NULL}}, kept = {0}, classes = {0};
    sp_page_section(page, "probabilities", "Probabilities");
    sp_buffer_say(out, "<p>How far the scores’ own probabilities can be trusted, over %jd scored step%s%s", c->n_steps,
                  c->n_steps == 1 ? "" : "s", c->is_weighted ? ", weighted by the file’s weights" : "");
    if (c->n_impossible) {
        sp_buffer_say(out, "; %jd more have no possible class and are left out", c->n_impossible);
    }
    sp_buffer_text(out, ".</p>\n");
    sp_page_document(page, "calibrations", 0);
    sp_page_document(page, "probabilities", 0);
    sp_buffer_text(out, "<div class=\"beside\">\n");
    reliability(page);
    coverage(page);
    sp_buffer_text(out, "</div>\n");
    scaled_legend(page);
    sp_fill_bins(comparison, &all, &bins[0]);
    sp_fill_adaptive_bins(comparison, &all, &bins[1]);
    folded(page, "Reliability in numbers", bins, 2);
    sp_fill_coverage(comparison, &all, &kept);
    folded(page, "Coverage in numbers", &kept, 1);
    sp_fill_class_calibration(comparison, &all, &classes);
    folded(page, "Calibration error by class", &classes, 1);
    sp_buffer_text(out, "</section>\n");
}
