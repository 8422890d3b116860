/* Geometry of step plots. The drawing stretches with the page: a nested SVG with one unit a step and two a lane, lines that keep
 * their width; what must not be stretched (triangles, hatching) stands in the outer SVG at per cent of its width. */
#include "report/html_steps.h"

#include <stdlib.h>
#include <strings.h>

enum {
    COLUMNS = 3000, /* more steps than that: each column shows the most frequent class of its steps */
    ILLEGAL_MARKS = 300,
    STRIP = 7, /* pixels of the error strip */
    ABOVE = 9, /* pixels above the first lane, for the triangles */
};

/* ---- columns ---- */

static int64_t column_count(int64_t n_steps)
{
    return n_steps < COLUMNS ? n_steps : COLUMNS;
}

/* Class of each column: the most frequent of its steps, the lowest among equals; -1 where no step has one. counts [K] is 0 before
 * and after. */
static void fill_columns(const int32_t *path, int64_t n_steps, int64_t n_columns, int32_t *counts, int32_t *columns)
{
    for (int64_t c = 0; c < n_columns; c++) {
        int64_t from = c * n_steps / n_columns, to = (c + 1) * n_steps / n_columns;
        int32_t best = -1;
        for (int64_t t = from; t < to; t++)
            if (path[t] >= 0)
                counts[path[t]]++;
        for (int64_t t = from; t < to; t++) {
            int32_t k = path[t];
            if (k >= 0 && (best < 0 || counts[k] > counts[best] || (counts[k] == counts[best] && k < best)))
                best = k;
        }
        for (int64_t t = from; t < to; t++)
            if (path[t] >= 0)
                counts[path[t]] = 0;
        columns[c] = best;
    }
}

static int64_t run_end(const int32_t *columns, int64_t n, int64_t from)
{
    int64_t to = from + 1;
    while (to < n && columns[to] == columns[from])
        to++;
    return to;
}

/* ---- drawing ---- */

static void add_at(sp_buffer *out, const char *name, double steps, int64_t n_steps)
{
    sp_buffer_format(out, " %s=\"", name);
    sp_buffer_fixed(out, 100.0 * steps / (double)n_steps, 3);
    sp_buffer_text(out, "%\"");
}

/* Horizontal lines, one path a class, and the risers between runs. */
static void draw_runs(sp_page *page, const sp_class_look *look, const sp_lanes *lanes, const int32_t *columns, int64_t n)
{
    sp_buffer *out = &page->out;
    bool is_open = false;
    for (int64_t a = 0, b; a < n; a = b) {
        b = run_end(columns, n, a);
        if (b == n || columns[a] < 0 || columns[b] < 0)
            continue;
        int32_t from = lanes->lane_of[columns[a]], to = lanes->lane_of[columns[b]];
        sp_buffer_text(out, is_open ? "" : "<path class=\"rise\" d=\"");
        sp_buffer_format(out, "M%lld %dV%d", (long long)b, (int)(2 * from + 1), (int)(2 * to + 1));
        is_open = true;
    }
    sp_buffer_text(out, is_open ? "\"/>" : "");
    for (int32_t lane = 0; lane < lanes->n; lane++) {
        int32_t k = lanes->class_of[lane];
        is_open = false;
        for (int64_t a = 0, b; a < n; a = b) {
            b = run_end(columns, n, a);
            if (columns[a] != k)
                continue;
            if (!is_open && look->sleep)
                sp_buffer_format(out, "<path class=\"run k-%s\" d=\"", look->sleep[k]);
            else if (!is_open)
                sp_buffer_format(out, "<path class=\"run k%d\" d=\"", (int)k % 8);
            sp_buffer_format(out, "M%lld %dh%lld", (long long)a, (int)(2 * lane + 1), (long long)(b - a));
            is_open = true;
        }
        sp_buffer_text(out, is_open ? "\"/>" : "");
    }
}

static void draw_lanes(sp_page *page, const sp_lanes *lanes, int64_t n)
{
    sp_buffer_text(&page->out, "<path class=\"lane\" d=\"");
    for (int32_t lane = 0; lane < lanes->n; lane++)
        sp_buffer_format(&page->out, "M0 %dh%lld", (int)(2 * lane + 1), (long long)n);
    sp_buffer_text(&page->out, "\"/>");
}

/* Stretches without a class, hatched. */
static void draw_missing(sp_page *page, const int32_t *columns, int64_t n, int y, int height)
{
    for (int64_t a = 0, b; a < n; a = b) {
        b = run_end(columns, n, a);
        if (columns[a] >= 0)
            continue;
        sp_buffer_text(&page->out, "<rect class=\"hatched\"");
        add_at(&page->out, "x", (double)a, n);
        add_at(&page->out, "width", (double)(b - a), n);
        sp_buffer_format(&page->out, " y=\"%d\" height=\"%d\"/>", y, height);
    }
}

static int by_pair(const void *a, const void *b)
{
    const sp_pair_count *x = a, *y = b;
    return x->from != y->from ? (x->from < y->from ? -1 : 1) : (x->to > y->to) - (x->to < y->to);
}

static bool is_gap(const sp_trace *trace, int64_t t)
{
    return trace->segments && trace->segments[t] != trace->segments[t - 1];
}

/* Triangles above the illegal steps, with their names. Returns how many there are; beyond ILLEGAL_MARKS they are only counted. */
static int64_t draw_illegal(sp_page *page, const sp_trace *trace, const sp_step_path *path)
{
    const sp_comparison *c = page->comparison;
    int64_t n = 0;
    for (int64_t t = 1; t < trace->n_steps; t++) {
        sp_pair_count pair = {.from = path->classes[t - 1], .to = path->classes[t]};
        if (pair.from < 0 || pair.to < 0 || is_gap(trace, t) ||
            !bsearch(&pair, path->illegal->pairs, (size_t)path->illegal->n, sizeof pair, by_pair))
            continue;
        if (n++ >= ILLEGAL_MARKS)
            continue;
        sp_buffer_text(&page->out, "<use href=\"#ill\" y=\"7\"");
        add_at(&page->out, "x", (double)t, trace->n_steps);
        sp_buffer_format(&page->out, "><title>step %lld: ", (long long)t);
        sp_page_name(page, c->classes[pair.from]);
        sp_buffer_text(&page->out, " → ");
        sp_page_name(page, c->classes[pair.to]);
        sp_buffer_text(&page->out, "</title></use>");
    }
    return n;
}

static void draw_gaps(sp_page *page, const sp_trace *trace, int height)
{
    int n = 0;
    for (int64_t t = 1; t < trace->n_steps && n < ILLEGAL_MARKS; t++) {
        if (!is_gap(trace, t))
            continue;
        n++;
        sp_buffer_text(&page->out, "<line class=\"gap\"");
        add_at(&page->out, "x1", (double)t, trace->n_steps);
        add_at(&page->out, "x2", (double)t, trace->n_steps);
        sp_buffer_format(&page->out, " y1=\"%d\" y2=\"%d\"/>", ABOVE, height);
    }
}

/* Steps that differ from the reference; a column is marked when any of its steps does. Returns how many steps are wrong. */
static int64_t draw_errors(sp_page *page, const sp_trace *trace, const sp_step_path *path, int64_t n_columns, int top)
{
    sp_buffer *out = &page->out;
    int64_t wrong = 0, open = -1;
    sp_buffer_format(out, "<rect class=\"errors\" width=\"100%%\" y=\"%d\" height=\"%d\"/>", top, STRIP);
    sp_buffer_format(out,
                     "<svg y=\"%d\" height=\"%d\" width=\"100%%\" viewBox=\"0 0 %lld 1\" preserveAspectRatio=\"none\"><path "
                     "class=\"error\" d=\"",
                     top, STRIP, (long long)n_columns);
    for (int64_t c = 0; c <= n_columns; c++) {
        bool is_wrong = false;
        int64_t to = c < n_columns ? (c + 1) * trace->n_steps / n_columns : 0;
        for (int64_t t = c * trace->n_steps / n_columns; t < to; t++)
            if (path->labels[t] >= 0 && path->labels[t] != path->classes[t]) {
                is_wrong = true;
                wrong++;
            }
        if (is_wrong && open < 0)
            open = c;
        if (!is_wrong && open >= 0) {
            sp_buffer_format(out, "M%lld 0h%lldv1h-%lldz", (long long)open, (long long)(c - open), (long long)(c - open));
            open = -1;
        }
    }
    sp_buffer_text(out, "\"/></svg>");
    return wrong;
}

static void lane_names(sp_page *page, const sp_lanes *lanes)
{
    sp_buffer *out = &page->out;
    bool is_legible = lanes->height >= 10;
    sp_buffer_format(out, "<svg class=\"lane-names\" aria-hidden=\"true\" height=\"%d\">", ABOVE + lanes->n * lanes->height);
    for (int32_t lane = 0; lane < lanes->n; lane++) {
        int every = (12 + lanes->height - 1) / lanes->height;
        if (!is_legible && lane % every)
            continue;
        sp_buffer_format(out, "<text x=\"0\" y=\"%d\">", ABOVE + lane * lanes->height + lanes->height / 2 + 3);
        sp_buffer name = {0};
        sp_buffer_name(&name, page->comparison->classes[lanes->class_of[lane]], 9);
        sp_page_name(page, name.data ? name.data : "");
        out->failed |= name.failed;
        sp_buffer_free(&name);
        sp_buffer_text(out, "</text>");
    }
    sp_buffer_text(out, "</svg>");
}

static int64_t count_changes(const sp_trace *trace, const int32_t *path)
{
    int64_t n = 0;
    for (int64_t t = 1; t < trace->n_steps; t++)
        n += path[t] >= 0 && path[t - 1] >= 0 && path[t] != path[t - 1] && !is_gap(trace, t);
    return n;
}

static void track_figures(sp_page *page, const sp_step_path *path)
{
    sp_buffer *out = &page->out;
    if (!path->result)
        return;
    sp_buffer_text(out, "<small>");
    if (path->result->decoded.status != SP_OK) {
        sp_buffer_text(out, sp_undecoded_reason(path->result->decoded.status));
    } else {
        if (path->labels && !path->result->accuracy.undefined) {
            sp_buffer_fixed(out, path->result->accuracy.value, 3);
            sp_buffer_text(out, path->result->counts.illegal ? ", " : "");
        }
        if (path->result->counts.illegal || !path->labels) {
            sp_buffer_count(out, path->result->counts.illegal);
            sp_buffer_text(out, " illegal");
        }
    }
    sp_buffer_text(out, "</small>");
}

static void draw(sp_page *page, const sp_class_look *look, const sp_lanes *lanes, const sp_trace *trace, const sp_step_path *path,
                 int32_t *columns)
{
    sp_buffer *out = &page->out;
    int64_t n = column_count(trace->n_steps);
    int plot = lanes->n * lanes->height, height = ABOVE + plot + (path->labels ? STRIP + 3 : 0);
    sp_buffer_text(out, "<div class=\"track\"><div class=\"name\">");
    sp_page_name(page, path->name);
    track_figures(page, path);
    sp_buffer_format(out, "</div><div class=\"rows\"><svg height=\"%d\" role=\"img\"><title>", height);
    sp_page_name(page, path->name);
    sp_buffer_text(out, " over time: ");
    sp_buffer_count(out, count_changes(trace, path->classes));
    sp_buffer_text(out, " changes of class</title>");
    sp_buffer_format(out, "<svg y=\"%d\" width=\"100%%\" height=\"%d\" viewBox=\"0 0 %lld %d\" preserveAspectRatio=\"none\">",
                     ABOVE, plot, (long long)n, (int)(2 * lanes->n));
    draw_lanes(page, lanes, n);
    draw_runs(page, look, lanes, columns, n);
    sp_buffer_text(out, "</svg>");
    draw_missing(page, columns, n, ABOVE, plot);
    draw_gaps(page, trace, ABOVE + plot);
    if (path->labels)
        draw_errors(page, trace, path, n, ABOVE + plot + 3);
    draw_illegal(page, trace, path);
    sp_buffer_text(out, "</svg>");
    lane_names(page, lanes);
    sp_buffer_text(out, "</div></div>\n");
}

void sp_page_track(sp_page *page, const sp_class_look *look, const sp_lanes *lanes, const sp_trace *trace,
                   const sp_step_path *path)
{
    int64_t n = column_count(trace->n_steps);
    int32_t *columns = malloc((size_t)(n ? n : 1) * sizeof *columns);
    int32_t *counts = calloc((size_t)page->comparison->n_classes, sizeof *counts);
    if (columns && counts) {
        fill_columns(path->classes, trace->n_steps, n, counts, columns);
        draw(page, look, lanes, trace, path, columns);
    } else {
        page->out.failed = true;
    }
    free(columns);
    free(counts);
}

/* A round step between ticks, so that there are five to ten of them. */
static int64_t tick_step(int64_t n)
{
    int64_t step = 1;
    for (;;) {
        if (n / step <= 10)
            return step;
        if (n / (2 * step) <= 10)
            return 2 * step;
        if (n / (5 * step) <= 10)
            return 5 * step;
        step *= 10;
    }
}

void sp_page_step_axis(sp_page *page, int64_t n_steps)
{
    int64_t step = tick_step(n_steps);
    sp_buffer_text(&page->out, "<div class=\"track\"><div class=\"name\"></div><div class=\"rows\"><svg height=\"16\" "
                               "aria-hidden=\"true\">");
    for (int64_t t = 0; t <= n_steps; t += step) {
        if (t > n_steps - step / 3 && t != 0 && t != n_steps)
            break;
        sp_buffer_format(&page->out, "<text class=\"ticks\" y=\"11\" text-anchor=\"%s\"", t == 0 ? "start" : "middle");
        add_at(&page->out, "x", (double)t, n_steps);
        sp_buffer_text(&page->out, ">");
        sp_buffer_count(&page->out, t);
        sp_buffer_text(&page->out, t == 0 ? " steps</text>" : "</text>");
    }
    sp_buffer_text(&page->out, "</svg><svg class=\"lane-names\" height=\"16\" aria-hidden=\"true\"></svg></div></div>\n");
}
