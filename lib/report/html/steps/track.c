/* Geometry of step plots. The drawing stretches with the page: a nested SVG with some units a step and two a lane; what must not
 * be stretched (triangles, hatching) stands in the outer SVG at per cent of its width. Most of a page's bytes are made here, so
 * what is the same in every track stands once on the page (sp_page_lane_shapes) and numbers are relative. */
#include "evaluate/work.h"
#include "report/html/steps/steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    COLUMNS = 1000,   /* more steps than that: each column shows the most frequent class of its steps */
    STRIP = 7,        /* pixels of the error strip, whose style has the same stroke-width */
    UNITS = 500,      /* least width of a drawing in units, see draw_runs() */
    MANY_RUNS = 250,  /* of more than that the risers are faint */
    MANY_MARKS = 200, /* more than that are bars */
    SHARES = 4,       /* shades of the error strip */
};

/* ---- columns ---- */

static int64_t column_count(int64_t n_steps)
{
    return n_steps < COLUMNS ? n_steps : COLUMNS;
}

/* Class of each column: the most frequent of its steps, the lowest among equals; -1 where no step has one. counts [K] is 0 before
 * and after. */
static void fill_columns(const int32_t *path, int64_t n_steps, int64_t n_columns, int32_t *counts,
                         int32_t *columns)
{
    for (int64_t c = 0; c < n_columns; c++) {
        int64_t from = c * n_steps / n_columns, to = (c + 1) * n_steps / n_columns;
        int32_t best = -1;
        for (int64_t t = from; t < to; t++)
            if (path[t] >= 0)
                counts[path[t]]++;
        for (int64_t t = from; t < to; t++) {
            int32_t k = path[t];
            if (k >= 0 && (best < 0 || counts[k] > counts[best] || (k < best && counts[k] == counts[best])))
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
    sp_buffer_say(out, " %s=\"%.2f%%\"", name, 100.0 * steps / (double)n_steps);
}

/* The whole path as one line, relative, so that a run costs a few bytes: "h12v-4". It is drawn twice, thin and grey with a width
 * that does not stretch, and above that broad, coloured by height (each lane is a stop of one gradient, sp_page_lane_shapes). The
 * broad one does stretch: with `unit` units a column its risers stay thin. REM, in sleep, is a bar of its own. */
static void draw_runs(sp_page *page, const sp_lanes *lanes, const int32_t *columns, int64_t n, int64_t unit)
{
    sp_buffer *out = &page->out, line = {0};
    int at = -1, id = page->n_tracks++;
    int64_t n_runs = 0;
    for (int64_t a = 0; a < n; a = run_end(columns, n, a))
        n_runs++;
    for (int64_t a = 0, b; a < n; a = b) {
        b = run_end(columns, n, a);
        int y = columns[a] < 0 ? -1 : 2 * lanes->lane_of[columns[a]] + 1;
        if (y >= 0 && at < 0)
            sp_buffer_format(&line, "M%lld %d", (long long)a * unit, y);
        else if (y >= 0)
            sp_buffer_format(&line, "v%d", y - at);
        if (y >= 0)
            sp_buffer_format(&line, "h%lld", ((long long)b - a) * unit);
        at = y;
    }
    sp_buffer_format(out, "<g class=\"thin%s\"><path id=\"p%d\" class=\"run\" d=\"%s\"/></g>",
                     n_runs > MANY_RUNS ? " faint" : "", id, sp_buffer_string(&line));
    if (page->is_file) /* few programs know the styles of what <use> repeats */
        sp_buffer_format(out, "<path class=\"broad\" d=\"%s\"/>", sp_buffer_string(&line));
    else
        sp_buffer_format(out, "<use class=\"broad\" href=\"#p%d\"/>", id);
    sp_buffer_drop(&line, out);
    int64_t pen = -1;
    for (int64_t a = 0, b; lanes->style.sleep && a < n; a = b) {
        b = run_end(columns, n, a);
        if (columns[a] < 0 || strcmp(lanes->style.sleep[columns[a]], "rem") != 0)
            continue;
        if (pen < 0)
            sp_buffer_format(out, "<path class=\"rem\" d=\"M%lld %dh%lld", (long long)a * unit,
                             (int)(2 * lanes->lane_of[columns[a]] + 1), ((long long)b - a) * unit);
        else
            sp_buffer_format(out, "m%lld 0h%lld", ((long long)a - pen) * unit, ((long long)b - a) * unit);
        pen = b;
    }
    sp_buffer_text(out, pen < 0 ? "" : "\"/>");
}

/* Pixels that a class's name needs on its run, with what of the run is seen beside it; script.js has the same. */
static double room_of(const char *name)
{
    return 7.0 * sp_text_width(name) + 8;
}

/* The names of classes on those of their runs that are long enough. Not in a hypnogram: its lanes are known, and lie in an order. */
static void draw_run_names(const sp_comparison *c, const sp_lanes *lanes, const int32_t *columns, int64_t n,
                           sp_buffer *out)
{
    for (int64_t a = 0, b; !lanes->style.sleep && a < n; a = b) {
        b = run_end(columns, n, a);
        const char *name = columns[a] < 0 ? NULL : c->classes[columns[a]];
        const double width =
            name ? room_of(name) * (double)n / (double)(b - a) : INFINITY; /* of a plot in which it fits */
        if (width > SP_PLOT_WIDE)
            continue;
        sp_buffer_format(out, "<text class=\"on-run%s\" y=\"%d\"", width > SP_PLOT_NARROW ? " wide-only" : "",
                         sp_lane_line(lanes, lanes->lane_of[columns[a]]));
        add_at(out, "x", 0.5 * (double)(a + b), n);
        sp_html_say(out, ">%s</text>", name);
    }
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

static bool is_gap(const sp_trace *trace, int64_t t)
{
    return trace->segments && trace->segments[t] != trace->segments[t - 1];
}

/* At the first step: a class in which no recording may begin. */
static bool is_illegal(const sp_page *page, const sp_trace *trace, const sp_step_path *path, int64_t t)
{
    const uint8_t *may_start = page->comparison->start_allowed;
    if (t == 0)
        return trace->first_step == 0 && may_start && path->classes[0] >= 0 && !may_start[path->classes[0]];
    sp_pair_count pair = {.from = path->classes[t - 1], .to = path->classes[t]};
    return pair.from >= 0 && pair.to >= 0 && !is_gap(trace, t) &&
           bsearch(&pair, path->illegal->pairs, (size_t)path->illegal->n, sizeof pair, sp_pair_by_index);
}

/* The first violation of a rule over more steps at a step or after it, as an index. */
static int64_t rule_from(const sp_step_path *path, int64_t t)
{
    int64_t low = 0, high = path->n_rules;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (path->rules[middle].step < t)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static const sp_rule_place *rule_at(const sp_trace *trace, const sp_step_path *path, int64_t t)
{
    const int64_t step = trace->first_step + t, i = rule_from(path, step);
    return i < path->n_rules && path->rules[i].step == step ? &path->rules[i] : NULL;
}

/* The steps of one place of a plot at which rules are broken. */
typedef struct mark {
    int64_t place, n, first, last; /* first, last: steps */
} mark;

static int64_t place_count(const sp_trace *trace)
{
    return trace->n_steps < SP_MARK_COLUMNS ? trace->n_steps : SP_MARK_COLUMNS;
}

/* Those of all places that have some: [*n_marks], from left to right. NULL: no memory. */
static mark *find_marks(const sp_page *page, const sp_trace *trace, const sp_step_path *path,
                        int64_t *n_marks)
{
    int64_t places = place_count(trace), n = 0;
    mark *marks = malloc((size_t)places * sizeof *marks);
    for (int64_t c = 0; marks && c < places; c++) {
        int64_t from = c * trace->n_steps / places, to = (c + 1) * trace->n_steps / places;
        mark found = {.place = c};
        for (int64_t t = from; t < to; t++)
            if (is_illegal(page, trace, path, t) || rule_at(trace, path, t)) {
                found.first = found.n++ ? found.first : t;
                found.last = t;
            }
        if (found.n)
            marks[n++] = found;
    }
    *n_marks = n;
    return marks;
}

/* Of the recording, for a title. */
static long long step_of(const sp_page *page, const sp_trace *trace, int64_t t)
{
    return (long long)sp_step_number(page->comparison->work, trace->first_step + t);
}

static void draw_named(sp_page *page, const sp_trace *trace, const sp_step_path *path, const mark *m)
{
    sp_buffer *out = &page->out;
    sp_buffer_text(out, "<use href=\"#ill\"");
    add_at(out, "x", 0.5 * ((double)m->first + (double)m->last), trace->n_steps);
    if (m->n > 1) {
        sp_buffer_format(out, "><title>%lld to %lld: %lld %s</title></use>", step_of(page, trace, m->first),
                         step_of(page, trace, m->last), (long long)m->n,
                         path->n_rules > 0 ? "breaks of rules" : "illegal transitions");
        return;
    }
    if (!is_illegal(page, trace, path, m->first)) {
        sp_html_say(out, "><title>%lld: breaks rule %s</title></use>", step_of(page, trace, m->first),
                    page->comparison->rules[rule_at(trace, path, m->first)->rule].name);
        return;
    }
    if (m->first == 0) {
        sp_html_say(out, "><title>%lld: starts in %s</title></use>", step_of(page, trace, 0),
                    page->comparison->classes[path->classes[0]]);
        return;
    }
    sp_html_say(out, "><title>%lld: %s → %s</title></use>", step_of(page, trace, m->first),
                page->comparison->classes[path->classes[m->first - 1]],
                page->comparison->classes[path->classes[m->first]]);
}

/* All marks as one text, at a sixth of the bytes. */
static void draw_unnamed(sp_page *page, const sp_trace *trace, const sp_step_path *path, const mark *marks,
                         int64_t n)
{
    sp_buffer *out = &page->out;
    int64_t n_illegal = 0;
    sp_buffer_text(out, "<text class=\"illegal\" y=\"8\" x=\"");
    for (int64_t i = 0; i < n; i++) {
        sp_buffer_say(out, "%.1f%s",
                      50.0 * ((double)marks[i].first + (double)marks[i].last) / (double)trace->n_steps,
                      i + 1 < n ? "% " : "%\">");
        n_illegal += marks[i].n;
    }
    if (!path->result) /* else the name of the path says it */
        sp_buffer_format(out, "<title>%lld illegal</title>", (long long)n_illegal);
    for (int64_t i = 0; i < n; i++)
        sp_buffer_text(out, "▲");
    sp_buffer_text(out, "</text>");
}

/* Bars that grow with the number of illegal transitions of their place. */
static void draw_bars(sp_page *page, const sp_trace *trace, const mark *marks, int64_t n)
{
    enum { HEIGHT = SP_LANES_TOP - 1 };
    sp_buffer *out = &page->out;
    int64_t most = 0, all = 0;
    for (int64_t i = 0; i < n; i++) {
        most = marks[i].n > most ? marks[i].n : most;
        all += marks[i].n;
    }
    sp_buffer_format(
        out,
        "<svg width=\"100%%\" height=\"%d\" viewBox=\"0 0 %lld %d\" preserveAspectRatio=\"none\"><path "
        "class=\"bars\" d=\"",
        (int)HEIGHT, (long long)place_count(trace), (int)HEIGHT);
    for (int64_t i = 0; i < n; i++) {
        const int64_t height = (HEIGHT * marks[i].n + most - 1) / most;
        sp_buffer_format(out, "M%lld %dv-%lldh1v%lldz", (long long)marks[i].place, (int)HEIGHT,
                         (long long)height, (long long)height);
    }
    sp_buffer_say(out, "\"><title>%jd illegal, at most %jd a bar</title></path></svg>", all, most);
    page->has_bars = true;
}

/* A triangle above each place that has illegal transitions, or bars where these are many; with a title of its own where the page
 * has room for these. */
static void draw_illegal(sp_page *page, const sp_trace *trace, const sp_step_path *path)
{
    int64_t n;
    mark *marks = find_marks(page, trace, path, &n);
    if (!marks) {
        page->out.failed = true;
        return;
    }
    if (n > MANY_MARKS) {
        draw_bars(page, trace, marks, n);
        free(marks);
        return;
    }
    bool is_named = page->n_named + n <= page->most_named;
    *(is_named ? &page->n_named : &page->n_unnamed) += n;
    for (int64_t i = 0; is_named && i < n; i++)
        draw_named(page, trace, path, &marks[i]);
    if (!is_named)
        draw_unnamed(page, trace, path, marks, n);
    free(marks);
}

/* A dotted line from top to bottom in each column in which a gap ends. In units of the drawing. */
static void draw_gaps(sp_page *page, const sp_trace *trace, int64_t n_columns, int64_t unit, int32_t height)
{
    bool has_gap = false;
    for (int64_t c = 0; c < n_columns; c++) {
        int64_t from = c * trace->n_steps / n_columns, to = (c + 1) * trace->n_steps / n_columns,
                t = from > 0 ? from : 1;
        while (t < to && !is_gap(trace, t))
            t++;
        if (t >= to)
            continue;
        sp_buffer_say(&page->out, "%sM%lld 0V%d", has_gap ? "" : "<path class=\"gap\" d=\"",
                      (long long)c * unit, (int)height);
        has_gap = true;
    }
    sp_buffer_text(&page->out, has_gap ? "\"/>" : "");
}

/* How much of each column differs from the reference, in parts of SHARES: 0 nothing, 1 little, SHARES all of it. */
static void fill_shares(const sp_trace *trace, const sp_step_path *path, int64_t n_columns, int32_t *shares)
{
    for (int64_t c = 0; c < n_columns; c++) {
        const int64_t from = c * trace->n_steps / n_columns, to = (c + 1) * trace->n_steps / n_columns;
        int64_t n_wrong = 0;
        for (int64_t t = from; t < to; t++)
            n_wrong += path->labels[t] >= 0 && path->labels[t] != path->classes[t];
        shares[c] = (int32_t)((SHARES * n_wrong + to - from - 1) / (to - from));
    }
}

/* The columns of one share, as the dashes of one line: a gap, a dash, a gap, ... */
static void draw_share(sp_buffer *out, const int32_t *shares, int32_t share, int64_t n_columns, int64_t unit,
                       double y, double width)
{
    bool was_drawn = false;
    int64_t from = 0;
    sp_buffer_say(
        out, "<path class=\"error share%d\" stroke-width=\"%.2f\" d=\"M0 %.1fh%lld\" stroke-dasharray=\"0",
        (int)share, width, y, (long long)n_columns * unit);
    for (int64_t c = 0; c < n_columns; c++) {
        if ((shares[c] == share) == was_drawn)
            continue;
        sp_buffer_format(out, " %lld", ((long long)c - from) * unit);
        from = c;
        was_drawn = !was_drawn;
    }
    sp_buffer_format(out, " %lld%s\"/>", ((long long)n_columns - from) * unit, was_drawn ? " 0" : "");
}

/* Steps that differ from the reference. `shares` [n_columns] is room. y and width in units of the drawing. */
static void draw_errors(sp_page *page, const sp_trace *trace, const sp_step_path *path, int32_t *shares,
                        int64_t n_columns, int64_t unit, double y, double width)
{
    fill_shares(trace, path, n_columns, shares);
    for (int32_t share = 1; share <= SHARES; share++)
        for (int64_t c = 0; c < n_columns; c++)
            if (shares[c] == share) {
                draw_share(&page->out, shares, share, n_columns, unit, y, width);
                break;
            }
}

static int64_t count_changes(const sp_trace *trace, const int32_t *path)
{
    int64_t n = 0;
    for (int64_t t = 1; t < trace->n_steps; t++)
        n += path[t] >= 0 && path[t - 1] >= 0 && path[t] != path[t - 1] && !is_gap(trace, t);
    return n;
}

/* "0.931, 3 illegal, 45 changes" */
static void track_figures(const sp_trace *trace, const sp_step_path *path, sp_buffer *out)
{
    if (path->result && path->result->decoded.status != SP_OK) {
        sp_buffer_text(out, sp_undecoded_reason(path->result->decoded.status));
    } else {
        int64_t n = count_changes(trace, path->classes);
        if (path->result && path->labels && !path->result->accuracy.undefined)
            sp_buffer_say(out, "%.3f, ", path->result->accuracy.value);
        if (path->result && (path->result->counts.illegal || !path->labels))
            sp_buffer_say(out, "%jd illegal, ", path->result->counts.illegal);
        sp_buffer_say(out, "%jd%s", n, n == 1 ? " change" : " changes");
    }
}

/* ": 61.5 min Wake, 80.0 REM, ...", for those who hear what others see beside the lanes. */
static void add_minutes(sp_page *page, const sp_lanes *lanes, const sp_step_path *path)
{
    for (int32_t lane = 0; path->night && lane < lanes->n; lane++) {
        sp_buffer_text(&page->out, lane ? ", " : ": ");
        sp_add_lane_minutes(page->comparison, lanes, path->night, lane, &page->out);
        sp_html_say(&page->out, "%s %s", lane ? "" : " min",
                    page->comparison->classes[lanes->class_of[lane]]);
    }
}

static void draw(sp_page *page, const sp_lanes *lanes, const sp_trace *trace, const sp_step_path *path,
                 int32_t *columns)
{
    sp_buffer *out = &page->out, figures = {0}, names = {0};
    int64_t n = column_count(trace->n_steps), unit = (UNITS + n - 1) / n;
    int plot = lanes->n * lanes->height, strip = path->labels ? STRIP + 3 : 0;
    track_figures(trace, path, &figures);
    sp_track_open(page, path->name, sp_buffer_string(&figures));
    sp_buffer_drop(&figures, out);
    sp_html_say(out, " height=\"%d\" role=\"img\"><title>%s over time", SP_LANES_TOP + plot + strip,
                path->name);
    add_minutes(page, lanes, path);
    sp_buffer_format(out, "</title><rect class=\"lanes\" y=\"%d\" width=\"100%%\" height=\"%d\"/>",
                     SP_LANES_TOP, plot);
    if (strip)
        sp_buffer_format(out, "<rect class=\"errors\" y=\"%d\" width=\"100%%\" height=\"%d\"/>",
                         SP_LANES_TOP + plot + 3, STRIP);
    draw_missing(page, columns, n, SP_LANES_TOP, plot);
    sp_buffer_format(
        out,
        "<svg y=\"%d\" width=\"100%%\" height=\"%d\" viewBox=\"0 0 %lld %d\" preserveAspectRatio=\"none\">",
        SP_LANES_TOP, plot, (long long)n * unit, (int)(2 * lanes->n));
    draw_runs(page, lanes, columns, n, unit);
    draw_run_names(page->comparison, lanes, columns, n, &names);
    if (strip) /* the columns are drawn: their room takes the shares */
        draw_errors(page, trace, path, columns, n, unit, 2.0 * (plot + 3 + STRIP / 2.0) / lanes->height,
                    2.0 * STRIP / lanes->height);
    draw_gaps(page, trace, n, unit, 2 * lanes->n);
    sp_buffer_text(out, "</svg>");
    sp_buffer_text(out, sp_buffer_string(&names));
    sp_buffer_drop(&names, out);
    draw_illegal(page, trace, path);
    sp_page_lane_names(page, lanes, path->night);
    sp_track_close(page, SP_LANES_TOP + plot + strip);
}

void sp_page_track(sp_page *page, const sp_lanes *lanes, const sp_trace *trace, const sp_step_path *path)
{
    int64_t n = column_count(trace->n_steps);
    int32_t *columns = malloc((size_t)(n ? n : 1) * sizeof *columns);
    int32_t *counts = calloc((size_t)page->comparison->n_classes, sizeof *counts);
    if (columns && counts) {
        fill_columns(path->classes, trace->n_steps, n, counts, columns);
        draw(page, lanes, trace, path, columns);
    } else {
        page->out.failed = true;
    }
    free(columns);
    free(counts);
}
