/* Intervals of recordings' figures over paths drawn from the posterior, recording by recording, and how often they hold the reference. */
#include "report/html/page.h"

#include <math.h>

enum { ROWS = 60 };

bool sp_has_posterior(const sp_comparison *c)
{
    return c->posterior != NULL;
}

static int64_t rows_of(const sp_comparison *c)
{
    return c->n_recordings < ROWS ? c->n_recordings : ROWS;
}

/* ---- one figure ---- */

typedef struct interval_strips {
    const sp_posterior_figure *figure;
    sp_axis axis; /* around all that is drawn */
} interval_strips;

static interval_strips strips_of(const sp_comparison *c, const sp_posterior_figure *f)
{
    static const sp_draw_column drawn[] = {SP_DRAW_DECODED, SP_DRAW_LOW, SP_DRAW_HIGH, SP_DRAW_REFERENCE};
    double low = INFINITY, high = -INFINITY;
    for (int64_t n = 0; n < rows_of(c); n++)
        for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++) {
            const double value = f->columns[n * SP_DRAW_COLUMNS + drawn[i]];
            low = fmin(low, value); /* fmin() and fmax() pass NaN over */
            high = fmax(high, value);
        }
    return (interval_strips){f,
                             low <= high ? sp_axis_around(NULL, low, high) : (sp_axis){.low = 0, .high = 1}};
}

/* A line from end to end, a dot at the decoded path's, an upright line at the reference's. */
static void draw_strip(const void *arg, size_t row, sp_buffer *out)
{
    const interval_strips *s = arg;
    const double *columns = s->figure->columns + row * SP_DRAW_COLUMNS;
    if (!isnan(columns[SP_DRAW_LOW]))
        sp_strip_range(out, &s->axis, columns[SP_DRAW_LOW], columns[SP_DRAW_HIGH]);
    if (!isnan(columns[SP_DRAW_REFERENCE]))
        sp_strip_tick(out, &s->axis, "whisker", columns[SP_DRAW_REFERENCE]);
    if (!isnan(columns[SP_DRAW_DECODED]))
        sp_strip_dot(out, &s->axis, columns[SP_DRAW_DECODED]);
}

static void number_cell(sp_table *table, int decimals, double value, sp_cell_tone tone)
{
    if (isnan(value))
        sp_cell_none(table);
    else
        sp_buffer_fixed(sp_table_cell(table, tone), value, decimals);
}

/* options->strategy: the figure. */
static void fill_figure(const sp_comparison *c, const sp_fill_options *options, sp_table *table)
{
    const sp_posterior_figure *f = &c->posterior->figures[options->strategy];
    const int decimals = *f->unit ? 1 : 0;
    table->title = f->name;
    sp_table_columns(table, "{recording}");
    sp_table_holds(table, SP_HOLDS_RECORDING);
    sp_buffer_say(sp_table_head(table, SP_RIGHT), *f->unit ? "decoded, %s" : "decoded", f->unit);
    sp_buffer_say(sp_table_head(table, SP_RIGHT), "%g %% interval", 100 * c->posterior->level);
    if (c->has_labels)
        sp_table_columns(table, "reference");
    for (int64_t n = 0; n < rows_of(c); n++) {
        const double *columns = f->columns + n * SP_DRAW_COLUMNS;
        const double low = columns[SP_DRAW_LOW], high = columns[SP_DRAW_HIGH],
                     reference = columns[SP_DRAW_REFERENCE];
        sp_table_cell_text(table, SP_TONE_PLAIN, c->ids[n]);
        number_cell(table, decimals, columns[SP_DRAW_DECODED], SP_TONE_PLAIN);
        if (isnan(low))
            sp_cell_none(table);
        else
            sp_table_say(table, SP_TONE_PLAIN, "%.1f to %.1f", low, high);
        if (c->has_labels)
            number_cell(table, decimals, reference,
                        reference < low || reference > high ? SP_TONE_BAD : SP_TONE_PLAIN);
    }
}

/* "6 of 31 {recordings} (19 %; exact 95 % interval 7 to 37 %)" */
static void add_share(sp_page *page, const sp_posterior_figure *f)
{
    sp_buffer *out = &page->out;
    sp_buffer_say(out, "%lld of %jd {recording(s)} (%.0f %%", (long long)f->n_held, f->n_references,
                  100 * f->held.value);
    if (!f->held_low.undefined)
        sp_buffer_say(out, "; exact %g %% interval %.0f to %.0f %%", 100 * page->comparison->posterior->level,
                      100 * f->held_low.value, 100 * f->held_high.value);
    sp_buffer_text(out, ")");
}

static void add_figure(sp_page *page, int32_t i)
{
    const sp_comparison *c = page->comparison;
    const sp_posterior_figure *f = &c->posterior->figures[i];
    const interval_strips strips = strips_of(c, f);
    sp_buffer *out = &page->out;
    sp_html_say(out, "<details><summary>%s</summary>\n", f->name);
    if (f->n_references) {
        sp_html_say(out, "<p>The %g %% intervals of %s hold the reference in ", 100 * c->posterior->level,
                    f->name);
        add_share(page, f);
        sp_buffer_text(out,
                       sp_is_below_level(c, f) ? ": clearly less often than they say.</p>\n" : ".</p>\n");
    }
    sp_page_strips(page, fill_figure, &(sp_fill_options){.strategy = i}, "wide",
                   &(sp_strips){strips.axis, true, draw_strip, &strips});
    sp_buffer_text(out, "</details>\n");
}

/* ---- section ---- */

void sp_page_posterior(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    const sp_posterior_intervals *p = c->posterior;
    sp_buffer *out = &page->out;
    sp_html_say(out,
                "<p>How far the figures of {a recording} vary over %jd paths drawn from the posterior, "
                "beside those of the path of "
                "%s.</p>\n",
                (int64_t)p->n_draws, c->strategies[p->strategy].name);
    sp_page_document(page, "intervals", 0);
    sp_page_note(page, sp_note_posterior);
    sp_buffer_say(
        out,
        "<p class=\"small\">{Recording} by {recording}, line: the interval; dot: the decoded path%s. A "
        "figure that a "
        "path does not have, such as REM latency without REM, has no interval over such draws.</p>\n",
        c->has_labels ? "; upright line: the reference, red where it lies outside" : "");
    for (int32_t i = 0; i < p->n; i++)
        add_figure(page, i);
    if (rows_of(c) < c->n_recordings)
        sp_buffer_say(out,
                      "<p class=\"small\">The first %jd of %jd {recordings}; JSON and CSV list all.</p>\n",
                      rows_of(c), c->n_recordings);
}
