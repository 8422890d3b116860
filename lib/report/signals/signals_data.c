/* What was trained on: signals, classes, recordings, and what the rules say of the labels. */
#include "report/signals/signals.h"

#include <math.h>
#include <string.h>

enum { POINTS = 1000, CHANNELS = 8, STRIPS = 60, WIDTH = 900, STRIP = 20 };

/* ---- signals ---- */

static void trace(sp_drawing *d, const float *x, int64_t n, int32_t k, double limit)
{
    sp_buffer *out = &d->out;
    sp_buffer_say(
        out, "<path class=\"%s\" fill=\"none\" stroke-width=\"1\" vector-effect=\"non-scaling-stroke\" d=\"M",
        sp_class_style_name(&d->style, 'k', k).text);
    int64_t shown = n < POINTS ? n : POINTS;
    for (int64_t i = 0; i < shown; i++) {
        int64_t at = i * n / shown;
        sp_buffer_say(out, "%s%.1f %.1f", i ? " " : "",
                      (double)WIDTH * (double)i / (double)(shown > 1 ? shown - 1 : 1),
                      30 - 28 * (double)x[at] / limit);
    }
    sp_buffer_text(out, "\"/>");
}

void sp_drawing_signals(sp_drawing *d)
{
    const sp_signals_report *r = d->r;
    double limit = 0;
    for (int32_t k = 0; k < r->n_classes; k++)
        for (int64_t i = 0; r->examples[k] && i < r->n_channels * r->n_samples; i++)
            limit = fmax(limit, fabs((double)r->examples[k][i]));
    limit = limit > 0 ? limit : 1;
    sp_buffer_text(&d->out, "<div class=\"beside\">\n");
    for (int32_t k = 0; k < r->n_classes; k++) {
        sp_html_say(&d->out, "<figure><h3>%s</h3>\n", r->classes[k]);
        for (int32_t c = 0; r->examples[k] && c < r->n_channels && c < CHANNELS; c++) {
            sp_buffer_format(&d->out,
                             "<svg viewBox=\"0 0 %d 60\" width=\"100%%\" height=\"60\" "
                             "preserveAspectRatio=\"none\" role=\"img\" "
                             "aria-label=\"Channel %d\"><path class=\"lane\" d=\"M0 30H%d\"/>",
                             WIDTH, (int)c + 1, WIDTH);
            trace(d, r->examples[k] + (size_t)c * (size_t)r->n_samples, r->n_samples, k, limit);
            sp_buffer_text(&d->out, "</svg>\n");
        }
        if (!r->examples[k])
            sp_buffer_text(&d->out, "<p class=\"sub\">No step of this class.</p>\n");
        sp_buffer_text(&d->out, "</figure>\n");
    }
    sp_buffer_text(&d->out, "</div>\n<p class=\"small\">The first step of each class");
    if (r->rate > 0)
        sp_buffer_say(&d->out, ", its first %.1f seconds", (double)r->n_samples / r->rate);
    if (r->n_channels > CHANNELS)
        sp_buffer_format(&d->out, "; the first %d of %d channels from top to bottom", CHANNELS,
                         (int)r->n_channels);
    else
        sp_buffer_text(&d->out, "; channels from top to bottom");
    sp_buffer_say(&d->out, ", all to one scale of ±%.2f.", limit);
    if (r->n_samples > POINTS)
        sp_buffer_format(&d->out, " Of its %lld samples %d are drawn, at equal distances.",
                         (long long)r->n_samples, POINTS);
    sp_buffer_text(&d->out, "</p>\n");
}

/* ---- classes, recordings ---- */

void sp_drawing_distribution(sp_drawing *d)
{
    const sp_signals_report *r = d->r;
    int64_t total[2] = {0, 0};
    sp_buffer_text(
        &d->out,
        "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Classes\"><table "
        "class=\"wide\"><thead><tr><th scope=\"col\">class</th><th scope=\"col\" "
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
        sp_html_say(&d->out, "<tr><th scope=\"row\">%s</th>", r->classes[k]);
        for (int part = 0; part < 2; part++) {
            sp_buffer_say(&d->out, "<td class=\"n\">%jd</td><td class=\"n\">", of[part]);
            sp_buffer_percent(&d->out, of[part], total[part]);
            sp_buffer_text(&d->out, "</td>");
        }
        sp_buffer_text(&d->out, "<td class=\"strip\"><svg aria-hidden=\"true\">");
        for (int part = 0; part < 2; part++)
            sp_buffer_say(&d->out, "<rect class=\"%s\" height=\"11\" y=\"%d\" width=\"%.2f%%\"/>",
                          sp_class_style_name(&d->style, 's', k).text, 1 + 13 * part,
                          total[part] ? 100.0 * (double)of[part] / (double)total[part] : 0);
        sp_buffer_text(&d->out, "</svg></td></tr>\n");
    }
    sp_buffer_text(&d->out, "</tbody></table></div>\n");
}

/* Runs of one class as bars from the ground up, in units of steps; the first of the order is the highest, so that they are told
 * apart without colour. */
static void strip(sp_drawing *d, const int32_t *classes, int64_t n)
{
    int32_t ranks = 1;
    for (int32_t k = 0; k < d->r->n_classes; k++)
        ranks = d->style.rank[k] >= ranks ? d->style.rank[k] + 1 : ranks;
    for (int64_t a = 0, b; a < n; a = b) {
        b = a + 1;
        while (b < n && classes[b] == classes[a])
            b++;
        if (classes[a] < 0)
            continue;
        double top = (double)STRIP * d->style.rank[classes[a]] / ranks;
        sp_buffer_say(&d->out, "<rect class=\"%s", sp_class_style_name(&d->style, 's', classes[a]).text);
        sp_buffer_format(&d->out, "\" x=\"%lld\" width=\"%lld\" y=\"%.1f\" height=\"%.1f\"/>", (long long)a,
                         (long long)(b - a), top, STRIP - top);
    }
}

void sp_drawing_timeline(sp_drawing *d)
{
    const sp_signals_report *r = d->r;
    int64_t longest = 1;
    for (int64_t n = 0; n < r->n_recordings; n++)
        longest = r->offsets[n + 1] - r->offsets[n] > longest ? r->offsets[n + 1] - r->offsets[n] : longest;
    sp_drawing_class_key(d);
    for (int64_t n = 0; n < r->n_recordings && n < STRIPS; n++) {
        sp_html_say(
            &d->out,
            "<div class=\"track\"><div class=\"name\">%s<small>%s</small></div><svg viewBox=\"0 0 %lld %d\" "
            "height=\"%d\" preserveAspectRatio=\"none\" aria-hidden=\"true\">",
            r->ids[n], r->is_test[n] ? "testing" : "training", (long long)longest, STRIP, STRIP);
        strip(d, r->labels + r->offsets[n], r->offsets[n + 1] - r->offsets[n]);
        sp_buffer_text(&d->out, "</svg></div>\n");
    }
    if (r->n_recordings > STRIPS)
        sp_buffer_format(&d->out, "<p class=\"small\">The first %d of %lld recordings.</p>\n", STRIPS,
                         (long long)r->n_recordings);
}

/* ---- rules ---- */

static void transition_cell(const void *arg, int32_t i, int32_t j, sp_buffer *out)
{
    const sp_drawing *d = arg;
    const size_t at = (size_t)i * (size_t)d->r->n_classes + (size_t)j;
    const int64_t count = d->counts[at], total = sp_drawing_row(d, i);
    const bool is_allowed = !d->r->allow || d->r->allow[at];
    sp_buffer_format(out, "<td class=\"h%d%s\"><b>%s</b><span>", sp_drawing_heat(count, total),
                     is_allowed ? "" : " forbidden",
                     !is_allowed ? "forbidden"
                     : i == j    ? "stays"
                                 : "allowed");
    sp_buffer_percent(out, count, total);
    sp_buffer_text(out, "</span></td>");
}

void sp_drawing_transitions(sp_drawing *d)
{
    const sp_signals_report *r = d->r;
    const size_t k = (size_t)r->n_classes;
    memset(d->counts, 0, k * k * sizeof *d->counts);
    for (int64_t n = 0; n < r->n_recordings; n++)
        for (int64_t t = r->offsets[n] + 1; t < r->offsets[n + 1]; t++)
            if (r->labels[t] >= 0 && r->labels[t - 1] >= 0)
                d->counts[(size_t)r->labels[t - 1] * k + (size_t)r->labels[t]]++;
    sp_drawing_matrix(d, r->model_name ? r->model_name : "no rules", "from \\ to", transition_cell);
    sp_buffer_text(
        &d->out, "<p class=\"small\">What the rules say of each pair, and how often the labels do it.</p>\n");
}
