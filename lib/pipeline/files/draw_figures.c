#include "pipeline/files/draw_figures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/numbers.h"
#include "core/try.h"
#include "statepath/model_json.h"
#include "statepath/signals_file.h"

/* ---- how wide ---- */

/* By how much the reference lies outside of an interval, less than 0 within; NaN: one of them is not there. */
static double miss_of(const double *columns)
{
    const double reference = columns[SP_DRAW_REFERENCE];
    return isnan(reference) || isnan(columns[SP_DRAW_LOW])
               ? NAN
               : fmax(columns[SP_DRAW_LOW] - reference, reference - columns[SP_DRAW_HIGH]);
}

/* What 95 % of n misses do not exceed, with one more to come; they are sorted here. */
static double widening_of(double *misses, int64_t n)
{
    const int64_t rank = (int64_t)ceil(.95 * (double)(n + 1) - 1e-9);
    if (rank > n)
        return INFINITY;
    qsort(misses, (size_t)n, sizeof *misses, number_compare);
    return fmax(misses[rank - 1], 0);
}

static sp_status read_widening(sp_draw_figures *f, int i, const sp_run_options *o, sp_error *err)
{
    static const char mend[] = "`statepath decode` with `draws` writes it";
    char path[64];
    sp_array known = {.rank = 0};
    int64_t n_known = 0;
    sp_status status = SP_OK;
    snprintf(path, sizeof path, "/intervals/%s", f->keys[i]);
    TRY(sp_array_read(o->widen_by, path, SP_ARRAY_F64, NULL, mend, &known, err));
    if (known.rank != 2 || known.dims[1] != SP_DRAW_COLUMNS)
        TRY(sp_fail(err, SP_EDATA, "%s: dataset %s is not [N,%d]; %s", o->widen_by, path, SP_DRAW_COLUMNS, mend));
    double *rows = known.data;
    for (int64_t r = 0; r < known.dims[0]; r++) {
        const double miss = miss_of(rows + r * SP_DRAW_COLUMNS);
        if (!isnan(miss))
            rows[n_known++] = miss;
    }
    f->widening[i] = widening_of(rows, n_known);
    if (f->widening[i] == INFINITY)
        sp_run_notice(o, SP_NOTICE_DATA, "no intervals of %s: %s has a reference for %lld of the 19 recordings that 95 %% needs",
                      f->keys[i], o->widen_by, (long long)n_known);
done:
    sp_array_clear(&known);
    return status;
}

/* Other models draw otherwise: what their intervals lacked says nothing of these. */
static sp_status compare_models(const sp_pipeline *p, sp_error *err)
{
    char *text = NULL;
    sp_tensor_file *known = NULL;
    const sp_status status = sp_model_to_json(p->model, &text, err);
    if (status == SP_OK && sp_tensor_file_open(p->opt->widen_by, "model", text, "", NULL, &known, NULL) == SP_EFILE)
        sp_run_notice(p->opt, SP_NOTICE_DATA,
                      "%s was decoded with another model: how wide its intervals must be may not hold here", p->opt->widen_by);
    sp_tensor_file_close(known);
    free(text);
    return status;
}

/* ---- opening and closing ---- */

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
    for (int i = 0; p->opt->widen_by && i < f->n; i++)
        TRY(read_widening(f, i, p->opt, err));
    if (p->opt->widen_by)
        TRY(compare_models(p, err));
    f->n_recordings = p->info->n_recordings;
    f->values = malloc(((size_t)f->n * (size_t)n_draws + 1) * sizeof *f->values);
    if (p->info->has_labels)
        f->misses = malloc(((size_t)f->n * (size_t)f->n_recordings + 1) * sizeof *f->misses);
    TRY(f->values && (f->misses || !p->info->has_labels) ? SP_OK : sp_no_memory(err));
done:
    return status;
}

void sp_draw_figures_clear(sp_draw_figures *f)
{
    free(f->tags);
    free(f->spans);
    free(f->values);
    free(f->misses);
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

/* Of the draws of one figure, which are sorted here; no figure is less than 0. */
static void interval_of(int32_t n, double *values, double widening, double *columns)
{
    int32_t n_defined = 0;
    for (int32_t r = 0; r < n; r++)
        if (!isnan(values[r]))
            values[n_defined++] = values[r];
    qsort(values, (size_t)n_defined, sizeof *values, number_compare);
    const bool is_known = n_defined && widening < INFINITY;
    columns[SP_DRAW_LOW] = is_known ? fmax(number_quantile(values, n_defined, 0.025) - widening, 0) : NAN;
    columns[SP_DRAW_HIGH] = is_known ? number_quantile(values, n_defined, 0.975) + widening : NAN;
    columns[SP_DRAW_DEFINED] = (double)n_defined / n;
}

static bool are_whole(int64_t n, const int32_t *labels)
{
    bool are = labels && n > 0;
    for (int64_t t = 0; are && t < n; t++)
        are = labels[t] >= 0;
    return are;
}

/* Counts whether the intervals hold the references. */
static void compare(sp_draw_figures *f, const double *out)
{
    for (int i = 0; f->misses && i < f->n; i++) {
        const double miss = miss_of(out + (size_t)i * SP_DRAW_COLUMNS);
        if (isnan(miss))
            continue;
        f->misses[i * f->n_recordings + f->n_known[i]++] = miss;
        f->n_held[i] += miss <= 0;
    }
}

sp_status sp_draw_figures_find(sp_draw_figures *f, int64_t n, const int32_t *path, const int64_t *segments, const int32_t *labels,
                               int32_t n_draws, const int32_t *draws, int64_t stride, double *out, sp_error *err)
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
        interval_of(n_draws, f->values + (size_t)i * (size_t)n_draws, f->widening[i], out + (size_t)i * SP_DRAW_COLUMNS);
    const bool has_reference = are_whole(n, labels);
    f->has_reference |= has_reference;
    if (has_reference)
        figures_of(f, n, labels, segments, out + SP_DRAW_REFERENCE, SP_DRAW_COLUMNS);
    else
        for (int i = 0; i < f->n; i++)
            out[i * SP_DRAW_COLUMNS + SP_DRAW_REFERENCE] = NAN;
    compare(f, out);
    return SP_OK;
}

void sp_draw_figures_say(sp_draw_figures *f, const sp_run_options *o)
{
    if (f->misses && !f->has_reference)
        sp_run_notice(o, SP_NOTICE_DATA, "no recording has a label at every step: what intervals hold is not known");
    for (int i = 0; f->misses && i < f->n; i++) {
        const int64_t n = f->n_known[i];
        const double widening = n > 0 ? widening_of(f->misses + i * f->n_recordings, n) : INFINITY;
        char text[64] = "";
        if (widening < INFINITY && widening > 0)
            snprintf(text, sizeof text, "; %g wider on each side they would hold 95 %%", widening);
        if (n > 0)
            sp_run_notice(o, SP_NOTICE_DATA, "95 %% intervals of %s hold the reference in %lld of %lld%s", f->keys[i],
                          (long long)f->n_held[i], (long long)n, text);
    }
}
