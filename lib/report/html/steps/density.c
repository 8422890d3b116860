/* Score density: the probabilities of all classes over time as stacked areas, under the paths that were made of them. What a path
 * hides, how sure the scores were, is in it. */
#include "report/html/steps/steps.h"

#include <math.h>
#include <stdlib.h>

enum {
    COLUMNS = 240,       /* more steps than that: each column shows the mean of its steps */
    LEVELS = 48,         /* heights that a column can have */
    HEIGHT = 48,         /* pixels */
    BUDGET = 100 * 1000, /* bytes of all densities of a page */
};

/* Probability of each class (sum of 255ths) in each column [C,K]; the row is 0 where no step has one. */
static double *fill_columns(const sp_trace *trace, int32_t n_classes, int64_t n_columns)
{
    double *columns = calloc((size_t)n_columns * (size_t)n_classes, sizeof *columns);
    for (int64_t c = 0; columns && c < n_columns; c++) {
        int64_t to = (c + 1) * trace->n_steps / n_columns;
        for (int64_t t = c * trace->n_steps / n_columns; t < to; t++)
            for (int32_t k = 0; k < n_classes; k++)
                columns[c * n_classes + k] += trace->density[t * n_classes + k];
    }
    return columns;
}

static double row_sum(const double *row, int32_t n)
{
    double sum = 0;
    for (int32_t k = 0; k < n; k++)
        sum += row[k];
    return sum;
}

/* Where the area of a lane begins in a column, in levels from the top: what the lanes above it have. */
static int top_of(const double *row, const sp_lanes *lanes, int32_t n_classes, int32_t lane)
{
    double above = 0, sum = row_sum(row, n_classes);
    for (int32_t i = 0; i < lane; i++)
        above += row[lanes->class_of[i]];
    return sum > 0 ? (int)lround(LEVELS * above / sum) : LEVELS;
}

static void open_shape(sp_page *page, const sp_lanes *lanes, const char *element, int32_t k)
{
    sp_buffer_say(&page->out, "<%s class=\"area %s\"", element,
                  sp_class_style_name(&lanes->style, 's', k).text);
}

/* Painted over each other from the top lane down, so that each lane needs its upper edge only. */
static void draw_areas(sp_page *page, const sp_lanes *lanes, const double *columns, int64_t n)
{
    sp_buffer *out = &page->out;
    int32_t K = page->comparison->n_classes;
    open_shape(page, lanes, "rect", lanes->class_of[0]);
    sp_buffer_format(out, " width=\"%lld\" height=\"%d\"/>", (long long)n, LEVELS);
    for (int32_t lane = 1; lane < lanes->n; lane++) {
        bool is_seen = false;
        for (int64_t c = 0; c < n && !is_seen; c++)
            is_seen = top_of(columns + c * K, lanes, K, lane) < LEVELS;
        if (!is_seen)
            continue;
        int at = top_of(columns, lanes, K, lane);
        int64_t from = 0;
        open_shape(page, lanes, "path", lanes->class_of[lane]);
        sp_buffer_format(out, " d=\"M0 %dV%d", LEVELS, at);
        for (int64_t c = 1; c < n; c++) {
            int top = top_of(columns + c * K, lanes, K, lane);
            if (top == at)
                continue;
            sp_buffer_format(out, "h%lldv%d", (long long)(c - from), top - at);
            at = top;
            from = c;
        }
        sp_buffer_format(out, "H%lldV%dz\"/>", (long long)n, LEVELS);
    }
}

/* Columns in which no class is possible, hatched. */
static void draw_missing(sp_page *page, const double *columns, int64_t n)
{
    int32_t K = page->comparison->n_classes;
    for (int64_t a = 0, b; a < n; a = b) {
        bool is_missing = row_sum(columns + a * K, K) == 0;
        for (b = a + 1; b < n && (row_sum(columns + b * K, K) == 0) == is_missing; b++)
            ;
        for (int layer = 0; is_missing && layer < 2; layer++)
            sp_buffer_say(&page->out, "<rect class=\"%s\" height=\"%d\" x=\"%.2f%%\" width=\"%.2f%%\"/>",
                          layer ? "hatched" : "errors", HEIGHT, 100.0 * (double)a / (double)n,
                          100.0 * (double)(b - a) / (double)n);
    }
}

/* "mean over the recording: Wake 0.21, REM 0.18, ..." */
static void describe(sp_page *page, const sp_lanes *lanes, const double *columns, int64_t n)
{
    int32_t K = page->comparison->n_classes;
    double all = 0;
    for (int64_t c = 0; c < n; c++)
        all += row_sum(columns + c * K, K);
    sp_buffer_text(&page->out, "probabilities of the classes over time, stacked; mean");
    for (int32_t lane = 0; lane < lanes->n; lane++) {
        int32_t k = lanes->class_of[lane];
        double sum = 0;
        for (int64_t c = 0; c < n; c++)
            sum += columns[c * K + k];
        sp_html_say(&page->out, "%s%s %.2f", lane ? ", " : " ", page->comparison->classes[k],
                    all > 0 ? sum / all : 0);
    }
}

bool sp_page_density(sp_page *page, const sp_lanes *lanes, const sp_trace *trace)
{
    sp_buffer *out = &page->out;
    int64_t n = trace->n_steps < COLUMNS ? trace->n_steps : COLUMNS;
    size_t before = out->length;
    if (!trace->density || lanes->n < page->comparison->n_classes || n == 0 || page->density_bytes >= BUDGET)
        return false;
    double *columns = fill_columns(trace, page->comparison->n_classes, n);
    if (!columns) {
        out->failed = true;
        return false;
    }
    sp_track_open(page, "scores", "probabilities");
    sp_buffer_format(out, " height=\"%d\" role=\"img\"><title>", HEIGHT);
    describe(page, lanes, columns, n);
    sp_buffer_format(
        out,
        "</title><svg width=\"100%%\" height=\"%d\" viewBox=\"0 0 %lld %d\" preserveAspectRatio=\"none\">",
        HEIGHT, (long long)n, LEVELS);
    draw_areas(page, lanes, columns, n);
    sp_buffer_text(out, "</svg>");
    draw_missing(page, columns, n);
    sp_track_classes(page);
    sp_buffer_format(out,
                     " aria-hidden=\"true\" height=\"%d\"><text x=\"0\" y=\"9\">100 %%</text><text x=\"0\" "
                     "y=\"%d\">0 %%</text>",
                     HEIGHT, HEIGHT - 1);
    sp_track_close(page, HEIGHT);
    free(columns);
    page->density_bytes += out->length - before;
    page->n_densities++;
    return true;
}
