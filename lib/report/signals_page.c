#include "statepath/report_signals.h"

#include <math.h>
#include <stdlib.h>

#include "report/buffer.h"
#include "report/page_assets.h"

enum { POINTS = 1000, STRIPS = 60, WIDTH = 900 };

typedef struct drawing {
    const sp_signals_report *r;
    sp_buffer out;
    int64_t *counts; /* [K,K] */
} drawing;

static void section(drawing *d, const char *id, const char *title)
{
    sp_buffer_format(&d->out, "<section aria-labelledby=\"%s\">\n<h2 id=\"%s\">%s</h2>\n", id, id, title);
}

static void number(drawing *d, double x, int decimals)
{
    if (isfinite(x))
        sp_buffer_fixed(&d->out, x, decimals);
    else
        sp_buffer_text(&d->out, "–");
}

static void class_key(drawing *d)
{
    sp_buffer_text(&d->out, "<ul class=\"key\">");
    for (int32_t k = 0; k < d->r->n_classes; k++) {
        sp_buffer_format(&d->out, "<li><svg aria-hidden=\"true\"><rect class=\"s%d\" width=\"14\" height=\"14\"/></svg>",
                         (int)k % 8);
        sp_buffer_html(&d->out, d->r->classes[k]);
        sp_buffer_text(&d->out, "</li>");
    }
    sp_buffer_text(&d->out, "</ul>\n");
}

/* ---- signals ---- */

static void trace(drawing *d, const float *x, int64_t n, int32_t k, double limit)
{
    sp_buffer *out = &d->out;
    sp_buffer_format(out, "<path class=\"k%d\" fill=\"none\" stroke-width=\"1\" vector-effect=\"non-scaling-stroke\" d=\"M",
                     (int)k % 8);
    int64_t shown = n < POINTS ? n : POINTS;
    for (int64_t i = 0; i < shown; i++) {
        int64_t at = i * n / shown;
        sp_buffer_text(out, i ? " " : "");
        sp_buffer_fixed(out, (double)WIDTH * (double)i / (double)(shown > 1 ? shown - 1 : 1), 1);
        sp_buffer_text(out, " ");
        sp_buffer_fixed(out, 30 - 28 * (double)x[at] / limit, 1);
    }
    sp_buffer_text(out, "\"/>");
}

static void signals(drawing *d)
{
    const sp_signals_report *r = d->r;
    double limit = 0;
    section(d, "signals", "Signals by class");
    for (int32_t k = 0; k < r->n_classes; k++)
        for (int64_t i = 0; r->examples[k] && i < r->n_channels * r->n_samples; i++)
            limit = fmax(limit, fabs((double)r->examples[k][i]));
    limit = limit > 0 ? limit : 1;
    for (int32_t k = 0; k < r->n_classes; k++) {
        sp_buffer_text(&d->out, "<figure><h3>");
        sp_buffer_html(&d->out, r->classes[k]);
        sp_buffer_text(&d->out, "</h3>\n");
        for (int32_t c = 0; r->examples[k] && c < r->n_channels && c < 8; c++) {
            sp_buffer_format(&d->out,
                             "<svg viewBox=\"0 0 %d 60\" width=\"100%%\" height=\"60\" preserveAspectRatio=\"none\" role=\"img\" "
                             "aria-label=\"Channel %d\"><path class=\"lane\" d=\"M0 30H%d\"/>",
                             WIDTH, (int)c + 1, WIDTH);
            trace(d, r->examples[k] + (size_t)c * (size_t)r->n_samples, r->n_samples, k, limit);
            sp_buffer_text(&d->out, "</svg>\n");
        }
        if (!r->examples[k])
            sp_buffer_text(&d->out, "<p class=\"sub\">No step of this class.</p>\n");
        sp_buffer_text(&d->out, "</figure>\n");
    }
    sp_buffer_text(&d->out, "<p class=\"small\">The first step of each class");
    if (r->rate > 0) {
        sp_buffer_text(&d->out, ", its first ");
        sp_buffer_fixed(&d->out, (double)r->n_samples / r->rate, 1);
        sp_buffer_text(&d->out, " seconds");
    }
    sp_buffer_text(&d->out, "; channels from top to bottom, all to one scale of ±");
    sp_buffer_fixed(&d->out, limit, 2);
    sp_buffer_text(&d->out, ".</p>\n</section>\n");
}

/* ---- classes, recordings ---- */

static void distribution(drawing *d)
{
    const sp_signals_report *r = d->r;
    int64_t total[2] = {0, 0};
    section(d, "distribution", "Classes");
    sp_buffer_text(&d->out, "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">class</th><th scope=\"col\" "
                            "class=\"n\">training</th><th scope=\"col\" class=\"n\">%</th>"
                            "<th scope=\"col\" class=\"n\">testing</th><th scope=\"col\" class=\"n\">%</th><th scope=\"col\" "
                            "class=\"strip\">share (training above testing)</th>"
                            "</tr></thead>\n<tbody>\n");
    for (int64_t n = 0; n < r->n_recordings; n++)
        for (int64_t t = r->offsets[n]; t < r->offsets[n + 1]; t++)
            total[r->is_test[n] != 0] += r->labels[t] >= 0;
    for (int32_t k = 0; k < r->n_classes; k++) {
        int64_t of[2] = {0, 0};
        for (int64_t n = 0; n < r->n_recordings; n++)
            for (int64_t t = r->offsets[n]; t < r->offsets[n + 1]; t++)
                of[r->is_test[n] != 0] += r->labels[t] == k;
        sp_buffer_text(&d->out, "<tr><th scope=\"row\">");
        sp_buffer_html(&d->out, r->classes[k]);
        sp_buffer_text(&d->out, "</th>");
        for (int part = 0; part < 2; part++) {
            sp_buffer_text(&d->out, "<td class=\"n\">");
            sp_buffer_count(&d->out, of[part]);
            sp_buffer_text(&d->out, "</td><td class=\"n\">");
            sp_buffer_percent(&d->out, of[part], total[part]);
            sp_buffer_text(&d->out, "</td>");
        }
        sp_buffer_text(&d->out, "<td class=\"strip\"><svg aria-hidden=\"true\">");
        for (int part = 0; part < 2; part++) {
            sp_buffer_format(&d->out, "<rect class=\"s%d\" height=\"11\" y=\"%d\" width=\"", (int)k % 8, 1 + 13 * part);
            sp_buffer_fixed(&d->out, total[part] ? 100.0 * (double)of[part] / (double)total[part] : 0, 2);
            sp_buffer_text(&d->out, "%\"/>");
        }
        sp_buffer_text(&d->out, "</svg></td></tr>\n");
    }
    sp_buffer_text(&d->out, "</tbody></table></div>\n</section>\n");
}

/* Runs of one class as rectangles, in units of steps. */
static void strip(drawing *d, const int32_t *classes, int64_t n)
{
    for (int64_t a = 0, b; a < n; a = b) {
        b = a + 1;
        while (b < n && classes[b] == classes[a])
            b++;
        if (classes[a] >= 0)
            sp_buffer_format(&d->out, "<rect class=\"s%d\" x=\"%lld\" width=\"%lld\" height=\"10\"/>", (int)classes[a] % 8,
                             (long long)a, (long long)(b - a));
    }
}

static void timeline(drawing *d)
{
    const sp_signals_report *r = d->r;
    int64_t longest = 1;
    for (int64_t n = 0; n < r->n_recordings; n++)
        longest = r->offsets[n + 1] - r->offsets[n] > longest ? r->offsets[n + 1] - r->offsets[n] : longest;
    section(d, "timeline", "Recordings");
    class_key(d);
    for (int64_t n = 0; n < r->n_recordings && n < STRIPS; n++) {
        sp_buffer_text(&d->out, "<div class=\"track\"><div class=\"name\">");
        sp_buffer_html(&d->out, r->ids[n]);
        sp_buffer_format(&d->out,
                         "<small>%s</small></div><svg viewBox=\"0 0 %lld 10\" height=\"14\" preserveAspectRatio=\"none\" "
                         "aria-hidden=\"true\">",
                         r->is_test[n] ? "testing" : "training", (long long)longest);
        strip(d, r->labels + r->offsets[n], r->offsets[n + 1] - r->offsets[n]);
        sp_buffer_text(&d->out, "</svg></div>\n");
    }
    if (r->n_recordings > STRIPS)
        sp_buffer_format(&d->out, "<p class=\"small\">The first %d of %lld recordings.</p>\n", STRIPS,
                         (long long)r->n_recordings);
    sp_buffer_text(&d->out, "</section>\n");
}

/* ---- rules ---- */

static void matrix_head(drawing *d, const char *caption, const char *corner)
{
    sp_buffer_text(&d->out, "<div class=\"scroll\"><table class=\"matrix\"><caption>");
    sp_buffer_html(&d->out, caption);
    sp_buffer_format(&d->out, "</caption><thead><tr><th scope=\"col\" class=\"corner\">%s</th>", corner);
    for (int32_t k = 0; k < d->r->n_classes; k++) {
        sp_buffer_text(&d->out, "<th scope=\"col\">");
        sp_buffer_html(&d->out, d->r->classes[k]);
        sp_buffer_text(&d->out, "</th>");
    }
    sp_buffer_text(&d->out, "</tr></thead>\n<tbody>\n");
}

static int heat(int64_t part, int64_t whole)
{
    return whole > 0 ? (int)(10 * part / whole) : 0;
}

static void transitions(drawing *d)
{
    const sp_signals_report *r = d->r;
    size_t k = (size_t)r->n_classes;
    for (size_t i = 0; i < k * k; i++)
        d->counts[i] = 0;
    for (int64_t n = 0; n < r->n_recordings; n++)
        for (int64_t t = r->offsets[n] + 1; t < r->offsets[n + 1]; t++)
            if (r->labels[t] >= 0 && r->labels[t - 1] >= 0)
                d->counts[(size_t)r->labels[t - 1] * k + (size_t)r->labels[t]]++;
    section(d, "transitions", "Transitions");
    matrix_head(d, r->model_name ? r->model_name : "no rules", "from \\ to");
    for (size_t i = 0; i < k; i++) {
        int64_t total = 0;
        for (size_t j = 0; j < k; j++)
            total += d->counts[i * k + j];
        sp_buffer_text(&d->out, "<tr><th scope=\"row\">");
        sp_buffer_html(&d->out, r->classes[i]);
        sp_buffer_text(&d->out, "</th>");
        for (size_t j = 0; j < k; j++) {
            int64_t count = d->counts[i * k + j];
            bool is_allowed = !r->allow || r->allow[i * k + j];
            sp_buffer_format(&d->out, "<td class=\"h%d%s\"><b>%s</b><span>", heat(count, total), is_allowed ? "" : " forbidden",
                             !is_allowed ? "forbidden"
                             : i == j    ? "stays"
                                         : "allowed");
            sp_buffer_percent(&d->out, count, total);
            sp_buffer_text(&d->out, "</span></td>");
        }
        sp_buffer_text(&d->out, "</tr>\n");
    }
    sp_buffer_text(
        &d->out,
        "</tbody></table></div>\n<p class=\"small\">What the rules say of each pair, and how often the labels do it.</p>\n"
        "</section>\n");
}

/* ---- learning ---- */

/* One curve over epochs; y from 0 (below) to 1 (above); dashes for what was tested. */
static void curve(drawing *d, int32_t n, const double *y, double low, double high, bool is_log, int network, bool is_test)
{
    bool is_open = false;
    for (int32_t e = 0; e < n; e++) {
        double value = is_log ? log10(fmax(y[e], 1e-12)) : y[e];
        if (!isfinite(value))
            continue;
        if (!is_open)
            sp_buffer_format(&d->out, "<path class=\"k%d\" fill=\"none\" stroke-width=\"2\"%s d=\"M", network % 8,
                             is_test ? " stroke-dasharray=\"5 3\"" : "");
        sp_buffer_text(&d->out, is_open ? " L" : "");
        sp_buffer_fixed(&d->out, 60 + 420 * (n > 1 ? (double)e / (n - 1) : 0), 1);
        sp_buffer_text(&d->out, " ");
        sp_buffer_fixed(&d->out, 200 - 180 * (high > low ? (value - low) / (high - low) : 0), 1);
        is_open = true;
    }
    sp_buffer_text(&d->out, is_open ? "\"/>" : "");
}

static void chart(drawing *d, const char *title, bool is_loss)
{
    const sp_signals_report *r = d->r;
    double low = is_loss ? INFINITY : 0, high = is_loss ? -INFINITY : 1;
    for (int32_t i = 0; is_loss && i < r->n_networks; i++)
        for (int32_t e = 0; e < r->networks[i].n_epochs; e++) {
            const double both[2] = {r->networks[i].loss[e], r->networks[i].test_loss[e]};
            for (int j = 0; j < 2; j++)
                if (isfinite(both[j])) {
                    low = fmin(low, floor(log10(fmax(both[j], 1e-12))));
                    high = fmax(high, ceil(log10(fmax(both[j], 1e-12))));
                }
        }
    if (!(high > low))
        high = (low = isfinite(low) ? low : 0) + 1;
    sp_buffer_format(
        &d->out, "<figure><svg viewBox=\"0 0 500 230\" width=\"100%%\" height=\"260\" role=\"img\" aria-label=\"%s by epoch\">",
        title);
    for (int i = 0; i <= 4; i++) {
        double y = 200 - 45.0 * i, value = low + (high - low) * i / 4;
        sp_buffer_format(&d->out,
                         "<path class=\"lane\" d=\"M60 %gH480\"/><text class=\"ticks\" x=\"54\" y=\"%g\" text-anchor=\"end\">", y,
                         y + 4);
        if (is_loss)
            sp_buffer_format(&d->out, "%.1e", pow(10, value));
        else
            sp_buffer_fixed(&d->out, value, 2);
        sp_buffer_text(&d->out, "</text>");
    }
    sp_buffer_text(&d->out, "<text class=\"ticks\" x=\"60\" y=\"220\">epoch 1</text>");
    for (int32_t i = 0; i < r->n_networks; i++) {
        const sp_trained *n = &r->networks[i];
        curve(d, n->n_epochs, is_loss ? n->loss : n->accuracy, low, high, is_loss, i, false);
        curve(d, n->n_epochs, is_loss ? n->test_loss : n->test_accuracy, low, high, is_loss, i, true);
    }
    sp_buffer_format(&d->out, "</svg><figcaption>%s</figcaption></figure>\n", title);
}

static void learning(drawing *d)
{
    const sp_signals_report *r = d->r;
    section(d, "learning", "Training");
    sp_buffer_text(&d->out, "<ul class=\"key\">");
    for (int32_t i = 0; i < r->n_networks; i++) {
        sp_buffer_format(&d->out, "<li><svg aria-hidden=\"true\"><rect class=\"s%d\" width=\"14\" height=\"14\"/></svg>",
                         (int)i % 8);
        sp_buffer_html(&d->out, r->networks[i].name);
        sp_buffer_text(&d->out, "</li>");
    }
    sp_buffer_text(&d->out, "</ul>\n<p class=\"small\">Solid: training steps. Dashed: testing steps.</p>\n");
    chart(d, "Loss, nats per step (logarithmic)", true);
    chart(d, "Accuracy", false);
    sp_buffer_text(
        &d->out,
        "<div class=\"scroll\"><table><caption>After the last epoch</caption><thead><tr><th scope=\"col\">network</th><th "
        "scope=\"col\" class=\"n\">epochs</th>"
        "<th scope=\"col\" class=\"n\">loss</th><th scope=\"col\" class=\"n\">accuracy</th><th scope=\"col\" class=\"n\">test "
        "loss</th>"
        "<th scope=\"col\" class=\"n\">test accuracy</th></tr></thead><tbody>\n");
    for (int32_t i = 0; i < r->n_networks; i++) {
        const sp_trained *n = &r->networks[i];
        const double *columns[4] = {n->loss, n->accuracy, n->test_loss, n->test_accuracy};
        sp_buffer_text(&d->out, "<tr><th scope=\"row\">");
        sp_buffer_html(&d->out, n->name);
        sp_buffer_format(&d->out, "</th><td class=\"n\">%d</td>", (int)n->n_epochs);
        for (int c = 0; c < 4; c++) {
            sp_buffer_text(&d->out, "<td class=\"n\">");
            number(d, n->n_epochs > 0 ? columns[c][n->n_epochs - 1] : NAN, 4);
            sp_buffer_text(&d->out, "</td>");
        }
        sp_buffer_text(&d->out, "</tr>\n");
    }
    sp_buffer_text(&d->out, "</tbody></table></div>\n</section>\n");
}

/* ---- what the networks say ---- */

/* The path of a recording as a staircase of lanes, illegal steps marked by triangles above. Returns their number. */
static int64_t hypnogram(drawing *d, const char *name, const int32_t *path, int64_t n)
{
    const sp_signals_report *r = d->r;
    int64_t illegal = 0;
    int height = 2 * r->n_classes;
    sp_buffer_text(&d->out, "<div class=\"track\"><div class=\"name\">");
    sp_buffer_html(&d->out, name);
    sp_buffer_format(&d->out, "</div><div><svg height=\"12\" role=\"presentation\">");
    for (int64_t t = 1; r->allow && t < n; t++) {
        if (path[t] < 0 || path[t - 1] < 0 || r->allow[(size_t)path[t - 1] * (size_t)r->n_classes + (size_t)path[t]])
            continue;
        illegal++;
        sp_buffer_text(&d->out, "<use href=\"#ill\" y=\"9\" x=\"");
        sp_buffer_fixed(&d->out, 100.0 * (double)t / (double)n, 2);
        sp_buffer_format(&d->out, "%%\"><title>step %lld: ", (long long)t);
        sp_buffer_html(&d->out, r->classes[path[t - 1]]);
        sp_buffer_text(&d->out, " → ");
        sp_buffer_html(&d->out, r->classes[path[t]]);
        sp_buffer_text(&d->out, "</title></use>");
    }
    sp_buffer_format(&d->out,
                     "</svg><svg viewBox=\"0 0 %lld %d\" height=\"%d\" preserveAspectRatio=\"none\" aria-hidden=\"true\">",
                     (long long)(n > 0 ? n : 1), height, 7 * height);
    for (int64_t a = 0, b; a < n; a = b) {
        b = a + 1;
        while (b < n && path[b] == path[a])
            b++;
        if (path[a] >= 0)
            sp_buffer_format(&d->out, "<rect class=\"s%d\" x=\"%lld\" y=\"%d\" width=\"%lld\" height=\"1.4\"/>", (int)path[a] % 8,
                             (long long)a, 2 * (int)path[a], (long long)(b - a));
    }
    sp_buffer_format(&d->out, "</svg><p class=\"small\">%lld illegal step%s</p></div></div>\n", (long long)illegal,
                     illegal == 1 ? "" : "s");
    return illegal;
}

static void hypnograms(drawing *d)
{
    const sp_signals_report *r = d->r;
    int64_t before = 0, n = 0;
    for (; n < r->n_recordings && !r->is_test[n]; n++)
        ;
    if (n == r->n_recordings)
        return;
    section(d, "hypnogram", "A recording that was not trained on");
    class_key(d);
    sp_buffer_text(&d->out, "<p class=\"sub\">Recording ");
    sp_buffer_html(&d->out, r->ids[n]);
    sp_buffer_text(&d->out, ", each step alone, not decoded; triangles mark what the rules forbid.</p>\n");
    hypnogram(d, "labels", r->labels + r->offsets[n], r->offsets[n + 1] - r->offsets[n]);
    for (int32_t i = 0; i < r->n_networks; i++)
        hypnogram(d, r->networks[i].name, r->networks[i].path + before, r->offsets[n + 1] - r->offsets[n]);
    sp_buffer_text(&d->out, "</section>\n");
}

static void confusion(drawing *d, const sp_trained *network)
{
    const sp_signals_report *r = d->r;
    size_t k = (size_t)r->n_classes;
    int64_t at = 0;
    for (size_t i = 0; i < k * k; i++)
        d->counts[i] = 0;
    for (int64_t n = 0; n < r->n_recordings; n++)
        for (int64_t t = r->offsets[n]; r->is_test[n] && t < r->offsets[n + 1]; t++, at++)
            if (r->labels[t] >= 0 && network->path[at] >= 0)
                d->counts[(size_t)r->labels[t] * k + (size_t)network->path[at]]++;
    sp_buffer_text(&d->out, "<section>");
    matrix_head(d, network->name, "label \\ said");
    for (size_t i = 0; i < k; i++) {
        int64_t total = 0;
        for (size_t j = 0; j < k; j++)
            total += d->counts[i * k + j];
        sp_buffer_text(&d->out, "<tr><th scope=\"row\">");
        sp_buffer_html(&d->out, r->classes[i]);
        sp_buffer_text(&d->out, "</th>");
        for (size_t j = 0; j < k; j++) {
            sp_buffer_format(&d->out, "<td class=\"h%d%s\">", heat(d->counts[i * k + j], total), i == j ? " diagonal" : "");
            sp_buffer_count(&d->out, d->counts[i * k + j]);
            sp_buffer_text(&d->out, "<span>");
            sp_buffer_percent(&d->out, d->counts[i * k + j], total);
            sp_buffer_text(&d->out, "</span></td>");
        }
        sp_buffer_text(&d->out, "</tr>\n");
    }
    sp_buffer_text(&d->out, "</tbody></table></div></section>\n");
}

/* ---- the page ---- */

static void head(drawing *d)
{
    sp_buffer *out = &d->out;
    sp_buffer_format(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" "
        "content=\"default-src 'none'; style-src 'sha256-%s'; base-uri 'none'; form-action 'none'\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"generator\" content=\"statepath %s\">\n<title>",
        sp_page_style_hash, sp_version());
    sp_buffer_html(out, d->r->file);
    sp_buffer_text(out, " – training – statepath</title>\n<style>");
    sp_buffer_text(out, sp_page_style);
    sp_buffer_text(out, "</style>\n</head>\n<body>\n<svg width=\"0\" height=\"0\" aria-hidden=\"true\" focusable=\"false\"><defs>"
                        "<path id=\"ill\" class=\"illegal\" d=\"M0-7L4 0H-4z\"/></defs></svg>\n<div class=\"page\">\n<header "
                        "class=\"top\"><div><h1>");
    sp_buffer_html(out, d->r->file);
    sp_buffer_text(out, "</h1>\n<p class=\"sub\">");
    sp_buffer_count(out, d->r->n_recordings);
    sp_buffer_text(out, " recordings, ");
    sp_buffer_count(out, d->r->n_steps);
    sp_buffer_format(out, " steps, %d channels.", (int)d->r->n_channels);
    sp_buffer_text(out, "</p></div></header>\n<main>\n");
}

sp_status sp_report_signals_html(const sp_signals_report *report, char **out, sp_error *err)
{
    drawing d = {.r = report, .counts = malloc((size_t)report->n_classes * (size_t)report->n_classes * sizeof *d.counts)};
    if (!d.counts)
        return sp_fail(err, SP_ENOMEM, "no memory for the page");
    head(&d);
    signals(&d);
    distribution(&d);
    timeline(&d);
    transitions(&d);
    learning(&d);
    hypnograms(&d);
    section(&d, "confusion", "Confusion on the testing recordings");
    sp_buffer_text(&d.out, "<div class=\"grid\">\n");
    for (int32_t i = 0; i < report->n_networks; i++)
        confusion(&d, &report->networks[i]);
    sp_buffer_text(&d.out, "</div>\n</section>\n</main>\n</div>\n</body>\n</html>\n");
    free(d.counts);
    return sp_buffer_finish(&d.out, out, err);
}
