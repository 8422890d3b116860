#include "pipeline/files/draw_figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/numbers.h"
#include "core/try.h"

sp_status sp_draw_figures_open(sp_draw_figures *f, const sp_pipeline *p, int32_t n_draws, sp_error *err)
{
    const char *const *classes = sp_pipeline_columns(p);
    const int32_t K = p->info->n_classes;
    *f = (sp_draw_figures){.tags = malloc(((size_t)K + 1) * sizeof *f->tags)};
    sp_status status = f->tags ? SP_OK : sp_no_memory(err);
    TRY(status);
    TRY(sp_sleep_choose(p, classes, &f->sleep, err));
    TRY(sp_tags_read(K, classes, f->tags, &f->are_tags, err));
    for (int m = 0; f->sleep.is_sleep && m < SP_N_SLEEP_MEASURES; m++)
        f->keys[f->n++] = sp_sleep_measure_key((sp_sleep_measure)m);
    if (f->sleep.is_sleep)
        f->keys[f->n++] = "awakenings";
    if (f->are_tags)
        f->keys[f->n++] = "entities";
    f->keys[f->n++] = "runs";
    f->values = malloc(((size_t)f->n * (size_t)n_draws + 1) * sizeof *f->values);
    TRY(f->values ? SP_OK : sp_no_memory(err));
done:
    return status;
}

void sp_draw_figures_clear(sp_draw_figures *f)
{
    free(f->tags);
    free(f->spans);
    free(f->values);
    *f = (sp_draw_figures){.n = 0};
}

static double count_runs(int64_t n, const int32_t *path, const int64_t *segments)
{
    int64_t runs = n > 0;
    for (int64_t t = 1; t < n; t++)
        runs += path[t] != path[t - 1] || (segments && segments[t] != segments[t - 1]);
    return (double)runs;
}

static double number_of(sp_value value)
{
    return value.undefined ? NAN : value.value;
}

/* The figures of one path, value i to out[i * stride]; NaN where the path is none. */
static void figures_of(const sp_draw_figures *f, int64_t n, const int32_t *path, const int64_t *segments, double *out,
                       size_t stride)
{
    double *next = out;
    if (n > 0 && path[0] < 0) {
        for (int i = 0; i < f->n; i++, next += stride)
            *next = NAN;
        return;
    }
    if (f->sleep.is_sleep) {
        sp_sleep_statistics night;
        sp_sleep_statistics_of(n, path, NULL, segments, f->sleep.stage_of_class, f->sleep.epoch_seconds, &night);
        for (int m = 0; m < SP_N_SLEEP_MEASURES; m++, next += stride)
            *next = number_of(night.values[m]);
        *next = number_of(night.awakenings);
        next += stride;
    }
    if (f->are_tags) {
        *next = (double)sp_tagged_spans(f->tags, n, path, segments, f->spans);
        next += stride;
    }
    *next = count_runs(n, path, segments);
}

/* Of the draws of one figure, which are sorted here. */
static void interval_of(int32_t n, double *values, double *columns)
{
    int32_t n_defined = 0;
    for (int32_t r = 0; r < n; r++)
        if (!isnan(values[r]))
            values[n_defined++] = values[r];
    qsort(values, (size_t)n_defined, sizeof *values, number_compare);
    columns[SP_DRAW_LOW] = n_defined ? number_quantile(values, n_defined, 0.025) : NAN;
    columns[SP_DRAW_HIGH] = n_defined ? number_quantile(values, n_defined, 0.975) : NAN;
    columns[SP_DRAW_DEFINED] = (double)n_defined / n;
}

sp_status sp_draw_figures_find(sp_draw_figures *f, int64_t n, const int32_t *path, const int64_t *segments, int32_t n_draws,
                               const int32_t *draws, int64_t stride, double *out, sp_error *err)
{
    if (f->are_tags && n > f->room) {
        free(f->spans);
        f->spans = malloc((size_t)n * sizeof *f->spans);
        f->room = f->spans ? n : 0;
        if (!f->spans)
            return sp_no_memory(err);
    }
    figures_of(f, n, path, segments, out + SP_DRAW_DECODED, SP_DRAW_COLUMNS);
    for (int32_t r = 0; r < n_draws; r++)
        figures_of(f, n, draws + r * stride, segments, f->values + r, (size_t)n_draws);
    for (int i = 0; i < f->n; i++)
        interval_of(n_draws, f->values + (size_t)i * (size_t)n_draws, out + (size_t)i * SP_DRAW_COLUMNS);
    return SP_OK;
}
