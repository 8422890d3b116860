/* What was learned: curves over epochs, a recording that was not trained on, and confusion. */
#include "report/html/signals.h"

#include "report/html/frame.h"

#include <math.h>

static void number(sp_drawing *d, double x, int decimals)
{
    if (isfinite(x))
        sp_buffer_fixed(&d->out, x, decimals);
    else
        sp_buffer_text(&d->out, "–");
}

/* ---- learning ---- */

/* One curve over epochs; y from 0 (below) to 1 (above); dashes for what was tested. */
static void curve(sp_drawing *d, int32_t n, const double *y, double low, double high, bool is_log, int network, bool is_test)
{
    bool is_open = false;
    double x = 0, place = 0;
    for (int32_t e = 0; e < n; e++) {
        double value = is_log ? log10(fmax(y[e], 1e-12)) : y[e];
        if (!isfinite(value))
            continue;
        if (!is_open)
            sp_buffer_format(&d->out, "<path class=\"k%d\" fill=\"none\" stroke-width=\"2\"%s d=\"M", network % 8,
                             is_test ? " stroke-dasharray=\"5 3\"" : "");
        sp_buffer_text(&d->out, is_open ? " L" : "");
        x = 60 + 420 * (n > 1 ? (double)e / (n - 1) : 0);
        place = 200 - 180 * (high > low ? (value - low) / (high - low) : 0);
        sp_buffer_say(&d->out, "%.1f %.1f", x, place);
        is_open = true;
    }
    if (is_open) /* ends in the shape of its network */
        sp_buffer_format(&d->out, "\"/><use class=\"mark s%d\" href=\"#m%d\" x=\"%.1f\" y=\"%.1f\"/>", network % 8,
                         network % SP_N_SHAPES, x, place);
}

static void chart(sp_drawing *d, const char *title, bool is_loss)
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
    sp_buffer_format(&d->out, "<figure class=\"chart\"><svg viewBox=\"0 0 500 230\" role=\"img\" aria-label=\"%s by epoch\">",
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
    int32_t last = 0;
    for (int32_t i = 0; i < r->n_networks; i++)
        last = r->networks[i].n_epochs > last ? r->networks[i].n_epochs : last;
    sp_buffer_text(&d->out, "<text class=\"ticks\" x=\"60\" y=\"220\">epoch 1</text>");
    if (last > 1)
        sp_buffer_format(&d->out, "<text class=\"ticks\" x=\"480\" y=\"220\" text-anchor=\"end\">%d</text>", (int)last);
    for (int32_t i = 0; i < r->n_networks; i++) {
        const sp_trained *n = &r->networks[i];
        curve(d, n->n_epochs, is_loss ? n->loss : n->accuracy, low, high, is_loss, i, false);
        curve(d, n->n_epochs, is_loss ? n->test_loss : n->test_accuracy, low, high, is_loss, i, true);
    }
    sp_buffer_format(&d->out, "</svg><figcaption>%s</figcaption></figure>\n", title);
}

void sp_drawing_learning(sp_drawing *d)
{
    const sp_signals_report *r = d->r;
    sp_drawing_section(d, "learning", "Training");
    sp_buffer_text(&d->out, "<ul class=\"key\">");
    for (int32_t i = 0; i < r->n_networks; i++) {
        sp_buffer_format(&d->out, "<li><svg aria-hidden=\"true\"><use class=\"mark s%d\" href=\"#m%d\" x=\"7\" y=\"7\"/></svg>",
                         (int)i % 8, (int)i % SP_N_SHAPES);
        sp_buffer_html(&d->out, r->networks[i].name);
        sp_buffer_text(&d->out, "</li>");
    }
    sp_buffer_text(&d->out,
                   "</ul>\n<p class=\"small\">Solid: training steps. Dashed: testing steps.</p>\n<div class=\"beside\">\n");
    chart(d, "Loss, nats per step (logarithmic)", true);
    chart(d, "Accuracy", false);
    sp_buffer_text(
        &d->out,
        "</div>\n<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"After the last epoch\"><table "
        "class=\"wide\"><caption>After the last epoch</caption><thead><tr><th scope=\"col\">network</th><th scope=\"col\" "
        "class=\"n\">epochs</th><th scope=\"col\" class=\"n\">loss</th><th scope=\"col\" class=\"n\">accuracy</th><th "
        "scope=\"col\" class=\"n\">test loss</th><th scope=\"col\" class=\"n\">test accuracy</th></tr></thead><tbody>\n");
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
static int64_t hypnogram(sp_drawing *d, const char *name, const int32_t *path, int64_t n)
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
        sp_buffer_text(&d->out, "<use href=\"#ill\" y=\"3\" x=\"");
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
        if (path[a] < 0)
            continue;
        sp_buffer_text(&d->out, "<rect class=\"");
        sp_class_style(&d->out, &d->look, 's', path[a]);
        sp_buffer_format(&d->out, "\" x=\"%lld\" y=\"%d\" width=\"%lld\" height=\"1.4\"/>", (long long)a,
                         2 * (int)d->look.rank[path[a]], (long long)(b - a));
    }
    sp_buffer_format(&d->out, "</svg><p class=\"small\">%lld illegal step%s</p></div></div>\n", (long long)illegal,
                     illegal == 1 ? "" : "s");
    return illegal;
}

void sp_drawing_hypnograms(sp_drawing *d)
{
    const sp_signals_report *r = d->r;
    int64_t before = 0, n = 0;
    for (; n < r->n_recordings && !r->is_test[n]; n++)
        ;
    if (n == r->n_recordings)
        return;
    sp_drawing_section(d, "hypnogram", "A recording that was not trained on");
    sp_drawing_class_key(d);
    sp_buffer_text(&d->out, "<p class=\"sub\">Recording ");
    sp_buffer_html(&d->out, r->ids[n]);
    sp_buffer_text(&d->out, ", each step alone, not decoded; triangles mark what the rules forbid.</p>\n");
    hypnogram(d, "labels", r->labels + r->offsets[n], r->offsets[n + 1] - r->offsets[n]);
    for (int32_t i = 0; i < r->n_networks; i++)
        hypnogram(d, r->networks[i].name, r->networks[i].path + before, r->offsets[n + 1] - r->offsets[n]);
    sp_buffer_text(&d->out, "</section>\n");
}

static void confusion(sp_drawing *d, const sp_trained *network)
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
    sp_drawing_matrix_head(d, network->name, "label \\ said");
    for (size_t i = 0; i < k; i++) {
        int64_t total = 0;
        for (size_t j = 0; j < k; j++)
            total += d->counts[i * k + j];
        sp_buffer_text(&d->out, "<tr><th scope=\"row\">");
        sp_buffer_html(&d->out, r->classes[i]);
        sp_buffer_text(&d->out, "</th>");
        for (size_t j = 0; j < k; j++) {
            sp_buffer_say(&d->out, "<td class=\"h%d%s\">%jd<span>", sp_drawing_heat(d->counts[i * k + j], total),
                          i == j ? " diagonal" : "", d->counts[i * k + j]);
            sp_buffer_percent(&d->out, d->counts[i * k + j], total);
            sp_buffer_text(&d->out, "</span></td>");
        }
        sp_buffer_text(&d->out, "</tr>\n");
    }
    sp_buffer_text(&d->out, "</tbody></table></div></section>\n");
}

void sp_drawing_confusions(sp_drawing *d)
{
    sp_drawing_section(d, "confusion", "Confusion on the testing recordings");
    sp_buffer_text(&d->out, "<div class=\"grid\">\n");
    for (int32_t i = 0; i < d->r->n_networks; i++)
        confusion(d, &d->r->networks[i]);
    sp_buffer_text(&d->out, "</div>\n</section>\n");
}
