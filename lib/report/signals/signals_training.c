/* What was learned: curves over epochs, a recording that was not trained on, and confusion. */
#include "report/signals/signals.h"

#include "report/chart/chart.h"
#include "report/write/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 0.0365, 12.3456, 2.01 × 10⁸; "–" of what is no number. */
static void number(sp_buffer *out, double x)
{
    static const char *const raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    char digits[32];
    if (!isfinite(x)) {
        sp_buffer_text(out, "–");
        return;
    }
    if (fabs(x) < 1000) {
        sp_buffer_fixed(out, x, 4);
        return;
    }
    snprintf(digits, sizeof digits, "%.2e", x); /* "2.01e+08" */
    char *power = digits + (x < 0 ? 5 : 4);     /* the e */
    *power = 0;
    power += strspn(power + 1, "+0") + 1;
    sp_buffer_format(out, "%s × 10", digits);
    for (; *power; power++)
        sp_buffer_text(out, raised[*power - '0']);
}

/* ---- what came of it ---- */

static bool is_judged(const sp_signals_report *r, int64_t t)
{
    return r->labels[t] >= 0 && (!r->weights || r->weights[t] > 0);
}

/* What a network says of the testing steps. */
typedef struct answers {
    int64_t n, right; /* steps that are judged */
    int32_t only;     /* the class that it says of all of them, or -1 */
} answers;

static answers count_answers(const sp_signals_report *r, const sp_trained *network)
{
    answers a = {.only = -1};
    bool is_one = true;
    int64_t at = 0;
    for (int64_t n = 0; n < r->n_recordings; n++)
        for (int64_t t = r->offsets[n]; r->is_test[n] && t < r->offsets[n + 1]; t++) {
            int32_t said = network->path[at++];
            if (!is_judged(r, t))
                continue;
            is_one = is_one && (a.n == 0 || said == a.only);
            a.only = said;
            a.n++;
            a.right += said == r->labels[t];
        }
    a.only = is_one && a.n > 1 ? a.only : -1;
    return a;
}

void sp_drawing_outcome(sp_drawing *d)
{
    const sp_signals_report *r = d->r;
    const sp_trained *network = r->network;
    sp_buffer *out = &d->out;
    answers a = count_answers(r, network);
    sp_html_say(out, "Trained %s", network->how);
    sp_buffer_format(out, "%s, the network", network->is_meant_to_fail ? ", which is meant to fail" : "");
    if (a.n > 0) {
        sp_buffer_say(out, " is right at %jd of %jd testing steps (", a.right, a.n);
        sp_buffer_percent(out, a.right, a.n);
        sp_buffer_text(out, ")");
        if (a.only >= 0)
            sp_html_say(out, " and says %s for all of them", r->classes[a.only]);
    } else {
        sp_buffer_format(out, " has an accuracy of ");
        number(out, network->n_epochs > 0 ? network->accuracy[network->n_epochs - 1] : NAN);
        sp_buffer_text(out, " over the training steps, and none were kept for testing");
    }
    sp_buffer_text(out, ".");
}

/* ---- learning ---- */

/* One curve over epochs, dashed for what was tested. */
static void curve(sp_drawing *d, sp_chart *chart, int32_t n, const double *y, bool is_test)
{
    sp_point *points = malloc(((size_t)n + 1) * sizeof *points);
    if (!points) {
        d->out.failed = true;
        return;
    }
    for (int32_t e = 0; e < n; e++)
        points[e] = (sp_point){e + 1, chart->y.is_log ? fmax(y[e], chart->y.low) : y[e]};
    if (n) {
        sp_chart_line(chart, is_test ? "curve k0 d1" : "curve k0", n, points);
        sp_chart_mark(chart, 0, points[n - 1]);
    }
    free(points);
}

/* Limits of the losses above zero. */
static sp_axis loss_axis(const sp_trained *network)
{
    double low = INFINITY, high = 0;
    for (int32_t e = 0; e < network->n_epochs; e++) {
        const double both[2] = {network->loss[e], network->test_loss[e]};
        for (int j = 0; j < 2; j++)
            if (isfinite(both[j]) && both[j] > 0) {
                low = fmin(low, fmax(both[j], 1e-12));
                high = fmax(high, both[j]);
            }
    }
    return high > 0 ? sp_axis_powers("nats per step", low, high) : sp_axis_powers("nats per step", 0.1, 1);
}

static void chart(sp_drawing *d, const char *title, bool is_loss)
{
    const sp_trained *n = d->r->network;
    const int32_t last = n->n_epochs > 2 ? n->n_epochs : 2;
    sp_chart plot = {.out = &d->out, .n_pictures = &d->n_pictures, .area = &sp_area_plot};
    plot.x = sp_axis_around("epoch", 1, last);
    plot.x.step = fmax(1, plot.x.step);
    plot.x.decimals = 0;
    plot.x.low = 1;
    plot.x.high = last;
    plot.y = is_loss ? loss_axis(n) : (sp_axis){.high = 1, .step = 0.2, .decimals = 1};
    sp_buffer_format(&plot.title, "%s by epoch", title);
    sp_buffer_format(&plot.description, "Network: %s", n->name);
    sp_buffer_text(&d->out, "<figure class=\"plot\">");
    sp_chart_open(&plot);
    curve(d, &plot, n->n_epochs, is_loss ? n->loss : n->accuracy, false);
    curve(d, &plot, n->n_epochs, is_loss ? n->test_loss : n->test_accuracy, true);
    sp_chart_close(&plot);
    sp_buffer_format(&d->out, "<figcaption>%s</figcaption></figure>\n", title);
}

void sp_drawing_learning(sp_drawing *d)
{
    const sp_trained *n = d->r->network;
    const double *columns[4] = {n->loss, n->accuracy, n->test_loss, n->test_accuracy};
    sp_table table = {.title = "After the last epoch"};
    sp_buffer_text(&d->out, "<ul class=\"key\">");
    sp_series_key(&d->out, 0, n->name);
    sp_buffer_text(&d->out, "</ul>\n<p class=\"small\">Solid: training steps. Dashed: testing "
                            "steps.</p>\n<div class=\"beside\">\n");
    chart(d, "Loss, nats per step (logarithmic)", true);
    chart(d, "Accuracy", false);
    sp_buffer_text(&d->out, "</div>\n");
    sp_table_columns(&table, "network|epochs|loss|accuracy|test loss|test accuracy");
    sp_table_cell_text(&table, SP_TONE_PLAIN, n->name);
    sp_table_cell_count(&table, SP_TONE_PLAIN, n->n_epochs);
    for (int c = 0; c < 4; c++)
        number(sp_table_cell(&table, SP_TONE_PLAIN), n->n_epochs > 0 ? columns[c][n->n_epochs - 1] : NAN);
    sp_table_html(&table, "wide", NULL, &d->out);
    sp_table_free(&table);
    if (n->is_meant_to_fail)
        sp_html_say(&d->out,
                    "<p class=\"small\">%s is meant to fail. Where the drawn class forbids the step's "
                    "own label, that logit is a "
                    "constant, -10⁹, without gradient: the loss is 10⁹ whatever the network says, and "
                    "training can only push the "
                    "other logits down.</p>\n",
                    n->name);
}

/* ---- what the network says ---- */

/* The path of a recording as a staircase of lanes, illegal steps marked by triangles above. Returns their number. */
static int64_t hypnogram(sp_drawing *d, const char *name, const int32_t *path, int64_t n)
{
    const sp_signals_report *r = d->r;
    int64_t illegal = 0;
    int height = 2 * r->n_classes;
    sp_html_say(
        &d->out,
        "<div class=\"track\"><div class=\"name\">%s</div><div><svg height=\"12\" role=\"presentation\">",
        name);
    for (int64_t t = 1; r->allow && t < n; t++) {
        if (path[t] < 0 || path[t - 1] < 0 ||
            r->allow[(size_t)path[t - 1] * (size_t)r->n_classes + (size_t)path[t]])
            continue;
        illegal++;
        sp_html_say(
            &d->out, "<use href=\"#ill\" y=\"3\" x=\"%.2f%%\"><title>step %lld: %s → %s</title></use>",
            100.0 * (double)t / (double)n, (long long)t, r->classes[path[t - 1]], r->classes[path[t]]);
    }
    sp_buffer_format(
        &d->out,
        "</svg><svg viewBox=\"0 0 %lld %d\" height=\"%d\" preserveAspectRatio=\"none\" aria-hidden=\"true\">",
        (long long)(n > 0 ? n : 1), height, 7 * height);
    for (int64_t a = 0, b; a < n; a = b) {
        b = a + 1;
        while (b < n && path[b] == path[a])
            b++;
        if (path[a] < 0)
            continue;
        sp_buffer_say(&d->out, "<rect class=\"%s\" x=\"%lld\" y=\"%d\" width=\"%lld\" height=\"1.4\"/>",
                      sp_class_style_name(&d->style, 's', path[a]).text, (long long)a,
                      2 * (int)d->style.rank[path[a]], (long long)(b - a));
    }
    sp_buffer_format(&d->out, "</svg><p class=\"small\">%lld illegal step%s</p></div></div>\n",
                     (long long)illegal, sp_plural(illegal));
    return illegal;
}

void sp_drawing_hypnograms(sp_drawing *d)
{
    const sp_signals_report *r = d->r;
    int64_t n = 0;
    for (; !r->is_test[n]; n++) /* the section is there where one is */
        ;
    sp_drawing_class_key(d);
    sp_html_say(&d->out,
                "<p class=\"sub\">Recording %s, each step alone, not decoded; triangles mark what the rules "
                "forbid.</p>\n",
                r->ids[n]);
    hypnogram(d, "labels", r->labels + r->offsets[n], r->offsets[n + 1] - r->offsets[n]);
    hypnogram(d, r->network->name, r->network->path, r->offsets[n + 1] - r->offsets[n]);
}

static void confusion_cell(const void *arg, int32_t i, int32_t j, sp_buffer *out)
{
    const sp_drawing *d = arg;
    const int64_t count = d->counts[(size_t)i * (size_t)d->r->n_classes + (size_t)j],
                  total = sp_drawing_row(d, i);
    sp_buffer_say(out, "<td class=\"h%d%s\">%jd<span>", sp_drawing_heat(count, total),
                  i == j ? " diagonal" : "", count);
    sp_buffer_percent(out, count, total);
    sp_buffer_text(out, "</span></td>");
}

static void confusion(sp_drawing *d, const sp_trained *network)
{
    const sp_signals_report *r = d->r;
    const size_t k = (size_t)r->n_classes;
    int64_t at = 0;
    memset(d->counts, 0, k * k * sizeof *d->counts);
    for (int64_t n = 0; n < r->n_recordings; n++)
        for (int64_t t = r->offsets[n]; r->is_test[n] && t < r->offsets[n + 1]; t++, at++)
            if (is_judged(r, t) && network->path[at] >= 0)
                d->counts[(size_t)r->labels[t] * k + (size_t)network->path[at]]++;
    sp_buffer_text(&d->out, "<section>");
    sp_drawing_matrix(d, network->name, "label \\ said", confusion_cell);
    sp_frame_section_end(&d->out, SP_FRAME_OPEN);
}

void sp_drawing_confusions(sp_drawing *d)
{
    sp_buffer_text(&d->out, "<div class=\"grid\">\n");
    confusion(d, d->r->network);
    sp_buffer_text(&d->out, "</div>\n");
}
