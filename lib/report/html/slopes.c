/* Accuracy of every recording under every strategy: a line a recording while they are few, else where the middle of them lies. */
#include "report/html/axes.h"

#include <math.h>
#include <stdlib.h>

enum { FEWEST = 3, MOST_STRATEGIES = 8 };

/* Shares of recordings with at most that accuracy: what is drawn of many, and the table. */
enum { LEAST, LOWER, QUARTER, MEDIAN, THREE_QUARTERS, UPPER, GREATEST, N_QUANTILES };
static const double shares[N_QUANTILES] = {0, 0.05, 0.25, 0.5, 0.75, 0.95, 1};
static const char *const share_names[N_QUANTILES] = {"least", "5 %", "25 %", "median", "75 %", "95 %", "greatest"};

typedef struct slopes {
    sp_page *page;
    int32_t n_strategies;
    int64_t n;         /* recordings that every strategy has an accuracy of */
    int64_t *of;       /* [n] which */
    double *quantiles; /* [n_strategies, N_QUANTILES] */
    sp_axis y;
} slopes;

static const sp_value *accuracy(const slopes *s, int64_t i, int32_t strategy)
{
    return &s->page->comparison->strategies[strategy].recordings[s->of[i]].accuracy;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Between neighbours by share: the value at place (n - 1) share of the sorted ones (Hyndman and Fan 1996, type 7). */
static double quantile(const double *sorted, int64_t n, double share)
{
    double place = (double)(n - 1) * share;
    int64_t low = (int64_t)floor(place), high = low + 1 < n ? low + 1 : low;
    return sorted[low] + (place - (double)low) * (sorted[high] - sorted[low]);
}

static void slopes_free(slopes *s)
{
    free(s->of);
    free(s->quantiles);
}

/* False: no memory. */
static bool slopes_fill(slopes *s)
{
    const sp_comparison *c = s->page->comparison;
    size_t room = (size_t)c->n_recordings;
    double *values = malloc(room * sizeof *values);
    s->of = malloc(room * sizeof *s->of);
    s->quantiles = malloc((size_t)s->n_strategies * N_QUANTILES * sizeof *s->quantiles);
    bool is_filled = values && s->of && s->quantiles;
    for (int64_t r = 0; is_filled && r < c->n_recordings; r++) {
        bool has_all = true;
        for (int32_t k = 0; k < s->n_strategies; k++)
            has_all &= !c->strategies[k].recordings[r].accuracy.undefined;
        if (has_all)
            s->of[s->n++] = r;
    }
    for (int32_t k = 0; is_filled && s->n >= FEWEST && k < s->n_strategies; k++) {
        for (int64_t i = 0; i < s->n; i++)
            values[i] = accuracy(s, i, k)->value;
        qsort(values, (size_t)s->n, sizeof *values, by_value);
        for (int q = 0; q < N_QUANTILES; q++)
            s->quantiles[k * N_QUANTILES + q] = quantile(values, s->n, shares[q]);
    }
    free(values);
    return is_filled;
}

/* Strategies stand at equal distances, the first and the last a little inside. */
static double x_of(const slopes *s, int32_t strategy)
{
    return SP_LEFT_EDGE + (SP_RIGHT_EDGE - SP_LEFT_EDGE) * (strategy + 0.5) / s->n_strategies;
}

static void draw_lines(const slopes *s)
{
    sp_buffer *out = &s->page->out;
    sp_buffer_text(out, "<g class=\"slope\">");
    for (int64_t i = 0; i < s->n; i++) {
        sp_buffer_text(out, "<path d=\"M");
        for (int32_t k = 0; k < s->n_strategies; k++)
            sp_buffer_format(out, "%s%.0f %.1f", k ? "L" : "", x_of(s, k), sp_axis_at(&s->y, accuracy(s, i, k)->value));
        sp_buffer_text(out, "\"><title>");
        sp_page_name(s->page, s->page->comparison->ids[s->of[i]]);
        sp_buffer_text(out, "</title></path>");
    }
    sp_buffer_text(out, "</g>\n");
}

/* Between two quantiles, from strategy to strategy. */
static void draw_band(const slopes *s, int low, int high)
{
    sp_buffer *out = &s->page->out;
    sp_buffer_text(out, "<path class=\"band\" d=\"M");
    for (int32_t k = 0; k < s->n_strategies; k++)
        sp_buffer_format(out, "%s%.0f %.1f", k ? "L" : "", x_of(s, k), sp_axis_at(&s->y, s->quantiles[k * N_QUANTILES + high]));
    for (int32_t k = s->n_strategies - 1; k >= 0; k--)
        sp_buffer_format(out, "L%.0f %.1f", x_of(s, k), sp_axis_at(&s->y, s->quantiles[k * N_QUANTILES + low]));
    sp_buffer_text(out, "z\"/>\n");
}

/* The median of each strategy in its shape, its name below. */
static void draw_medians(const slopes *s)
{
    sp_page *page = s->page;
    sp_buffer_text(&page->out, "<path class=\"whisker frame\" d=\"M");
    for (int32_t k = 0; k < s->n_strategies; k++)
        sp_buffer_format(&page->out, "%s%.0f %.1f", k ? "L" : "", x_of(s, k),
                         sp_axis_at(&s->y, s->quantiles[k * N_QUANTILES + MEDIAN]));
    sp_buffer_text(&page->out, "\"/>");
    for (int32_t k = 0; k < s->n_strategies; k++) {
        sp_buffer_format(&page->out, "<g transform=\"translate(%.0f %.1f)\">", x_of(s, k),
                         sp_axis_at(&s->y, s->quantiles[k * N_QUANTILES + MEDIAN]));
        sp_page_mark(page, k, 0, 0);
        sp_buffer_text(&page->out, "</g>");
        sp_svg_text(&page->out, "middle", x_of(s, k), SP_BOTTOM_EDGE + 22 + (k % 2 && s->n_strategies > 4 ? 19 : 0));
        sp_page_name(page, page->comparison->strategies[k].name);
        sp_buffer_text(&page->out, "</text>\n");
    }
}

static void numbers(const slopes *s)
{
    sp_table table = {.title = "Accuracy of recordings, from the least to the greatest"};
    sp_table_column(&table, SP_LEFT, "recordings");
    for (int32_t k = 0; k < s->n_strategies; k++)
        sp_table_column(&table, SP_RIGHT, s->page->comparison->strategies[k].name);
    for (int q = 0; q < N_QUANTILES; q++) {
        sp_table_cell_text(&table, SP_TONE_PLAIN, share_names[q]);
        for (int32_t k = 0; k < s->n_strategies; k++)
            sp_buffer_fixed(sp_table_cell(&table, SP_TONE_PLAIN), s->quantiles[k * N_QUANTILES + q], 4);
    }
    sp_page_numbers(s->page, &table);
}

static void draw(slopes *s)
{
    sp_page *page = s->page;
    sp_buffer *out = &page->out;
    double low = 1, high = 0;
    bool is_named = s->n <= SP_NAMED;
    for (int32_t k = 0; k < s->n_strategies; k++) {
        low = fmin(low, s->quantiles[k * N_QUANTILES + (is_named ? LEAST : LOWER)]);
        high = fmax(high, s->quantiles[k * N_QUANTILES + (is_named ? GREATEST : UPPER)]);
    }
    s->y = sp_axis_around(low, high, SP_BOTTOM_EDGE, SP_TOP_EDGE);
    sp_buffer_text(out, "<figure class=\"plot\">");
    sp_page_picture_begin(page, SP_PLOT_WIDTH, SP_PLOT_HEIGHT);
    sp_buffer_text(out, "Accuracy of recordings under each strategy");
    sp_page_picture_describe(page);
    sp_buffer_text(out, is_named ? "A line a recording, from strategy to strategy; the thick line joins the medians."
                                 : "Bands of the middle nine tenths and of the middle half of the recordings, from strategy to "
                                   "strategy; the thick line joins the medians.");
    sp_page_picture_open(page);
    sp_draw_axes(out, NULL, &s->y, "", "accuracy", false);
    if (is_named) {
        draw_lines(s);
    } else {
        draw_band(s, LOWER, UPPER);
        draw_band(s, QUARTER, THREE_QUARTERS);
    }
    draw_medians(s);
    sp_buffer_text(out, is_named
                            ? "</svg><figcaption>Each thin line is a recording; shapes and the thick line are the medians. "
                              "Lines that climb gain."
                            : "</svg><figcaption>Accuracy of recordings: nine tenths of them lie in the light band, the middle "
                              "half in the dark one; shapes and the line are the medians.");
    if (s->n_strategies < page->comparison->n_strategies)
        sp_buffer_format(out, " The first %d strategies are drawn.", (int)s->n_strategies);
    numbers(s);
    sp_buffer_text(out, "</figcaption></figure>\n");
}

void sp_page_slopes(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    slopes s = {.page = page, .n_strategies = c->n_strategies < MOST_STRATEGIES ? c->n_strategies : MOST_STRATEGIES};
    if (!sp_has_agreement(c) || c->n_strategies < 2 || c->n_recordings < FEWEST)
        return;
    if (!slopes_fill(&s))
        page->out.failed = true;
    else if (s.n >= FEWEST)
        draw(&s);
    slopes_free(&s);
}
