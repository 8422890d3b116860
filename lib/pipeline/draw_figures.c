#include "pipeline/draw_figures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/block.h"
#include "core/numbers.h"
#include "core/try.h"
#include "evaluate/comparison.h"
#include "evaluate/posterior.h"

/* ---- one recording ---- */

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

/* The figures of one path; NaN where the path is none. out [n] */
static void figures_of(const sp_draw_figures *f, int64_t n, const int32_t *path, const int64_t *segments,
                       double *out)
{
    double *next = out;
    if (n > 0 && path[0] < 0) {
        for (int i = 0; i < f->made->n; i++)
            out[i] = NAN;
        return;
    }
    if (f->sleep.is_sleep) {
        sp_sleep_statistics night;
        sp_sleep_statistics_of(n, path, NULL, segments, f->sleep.stage_of_class, f->sleep.epoch_seconds,
                               &night);
        for (int m = 0; m < SP_N_SLEEP_MEASURES; m++)
            *next++ = number_of(night.values[m]);
        *next++ = number_of(night.awakenings);
    }
    if (f->are_tags)
        *next++ = (double)sp_tagged_spans(f->tags, n, path, segments, f->spans);
    *next = count_runs(n, path, segments);
}

/* Of the draws of one figure, which are sorted here; no figure is less than 0. */
static void interval_of(int32_t n, double *values, double level, sp_value widening, double *columns)
{
    const double outside = (100 - 100 * level) / 200;
    int32_t n_defined = 0;
    for (int32_t r = 0; r < n; r++)
        if (!isnan(values[r]))
            values[n_defined++] = values[r];
    qsort(values, (size_t)n_defined, sizeof *values, number_compare);
    const bool is_known = n_defined && !widening.undefined;
    columns[SP_DRAW_LOW] =
        is_known ? fmax(number_quantile(values, n_defined, outside) - widening.value, 0) : NAN;
    columns[SP_DRAW_HIGH] = is_known ? number_quantile(values, n_defined, 1 - outside) + widening.value : NAN;
    columns[SP_DRAW_DEFINED] = (double)n_defined / n;
}

static bool are_whole(int64_t n, const int32_t *labels)
{
    bool are = labels && n > 0;
    for (int64_t t = 0; are && t < n; t++)
        are = labels[t] >= 0;
    return are;
}

/* The columns of recording n of the block, which has `path`; its draws begin at the same step. */
static void find_figures(sp_draw_figures *f, int64_t n, const int32_t *path)
{
    const sp_block *b = f->block;
    const int64_t at = b->offsets[n], n_steps = b->offsets[n + 1] - at;
    const int64_t *segments = b->segments ? b->segments + at : NULL;
    const int32_t *labels = b->labels ? b->labels + at : NULL;
    const int32_t n_draws = f->made->n_draws;
    double decoded[SP_MOST_DRAW_FIGURES], reference[SP_MOST_DRAW_FIGURES], drawn[SP_MOST_DRAW_FIGURES];
    figures_of(f, n_steps, path + at, segments, decoded);
    const bool has_reference = are_whole(n_steps, labels);
    f->has_reference |= has_reference;
    if (has_reference)
        figures_of(f, n_steps, labels, segments, reference);
    for (int32_t r = 0; r < n_draws; r++) {
        figures_of(f, n_steps, f->draws + r * b->n_steps + at, segments, drawn);
        for (int i = 0; i < f->made->n; i++)
            f->values[(size_t)i * (size_t)n_draws + (size_t)r] = drawn[i];
    }
    for (int i = 0; i < f->made->n; i++) {
        const sp_posterior_figure *figure = &f->made->figures[i];
        double *columns = figure->columns + (b->first + n) * SP_DRAW_COLUMNS;
        columns[SP_DRAW_DECODED] = decoded[i];
        columns[SP_DRAW_REFERENCE] = has_reference ? reference[i] : NAN;
        interval_of(n_draws, f->values + (size_t)i * (size_t)n_draws, f->made->level, figure->widening,
                    columns);
    }
}

/* ---- the run ---- */

static sp_status reserve(void *arg, int s, const sp_block *block, sp_decode_output *output, sp_error *err)
{
    sp_draw_figures *f = arg;
    const int32_t n_draws = f->made->n_draws;
    f->block = block;
    if (s != f->made->strategy)
        return SP_OK;
    if (block->n_steps >= f->draw_room) {
        free(f->draws);
        f->draws = malloc((size_t)n_draws * (size_t)(block->n_steps + 1) * sizeof *f->draws);
        f->draw_room = f->draws ? block->n_steps + 1 : 0;
    }
    if (f->are_tags && block->n_steps >= f->span_room) {
        free(f->spans);
        f->spans = malloc((size_t)(block->n_steps + 1) * sizeof *f->spans);
        f->span_room = f->spans ? block->n_steps + 1 : 0;
    }
    if (!f->draws || (f->are_tags && !f->spans))
        return sp_no_memory(err);
    output->draw =
        (sp_draw_options){.n = n_draws, .seed = f->made->seed, .recording = f->p->about.first + block->first};
    output->draws = f->draws;
    return SP_OK;
}

/* Recording by recording: a run has as many as its blocks hold, each with the work of all its draws. */
static sp_status take_paths(void *arg, int32_t s, int64_t first, int64_t n_recordings, int64_t first_step,
                            int64_t n_steps, const sp_decode_output *output, sp_error *err)
{
    sp_draw_figures *f = arg;
    (void)first;
    (void)first_step;
    (void)n_steps;
    (void)err;
    for (int64_t n = 0; s == f->made->strategy && n < n_recordings; n++)
        find_figures(f, n, output->paths);
    return SP_OK;
}

/* ---- opening and closing ---- */

static void add_figure(sp_draw_figures *f, const char *key, const char *name, const char *unit)
{
    sp_posterior_figure *figure = &f->made->figures[f->made->n++];
    figure->key = key;
    figure->name = name;
    figure->unit = unit;
}

static void add_figures(sp_draw_figures *f)
{
    f->made->n = 0;
    for (int m = 0; f->sleep.is_sleep && m < SP_N_SLEEP_MEASURES; m++)
        add_figure(f, sp_sleep_measure_key((sp_sleep_measure)m), sp_sleep_measure_name((sp_sleep_measure)m),
                   sp_sleep_measure_unit((sp_sleep_measure)m));
    if (f->sleep.is_sleep)
        add_figure(f, "awakenings", "awakenings", "");
    if (f->are_tags)
        add_figure(f, "entities", "entities", "");
    add_figure(f, "runs", "runs", "");
}

sp_status sp_draw_figures_open(sp_draw_figures *f, sp_pipeline *p, sp_error *err)
{
    const sp_run_options *o = p->opt;
    const char *const *classes = sp_pipeline_columns(p);
    const int32_t K = p->info->n_classes;
    *f = (sp_draw_figures){.p = p};
    f->consumer = (sp_consumer){.arg = f, .n_draws = o->n_draws, .reserve = reserve, .paths = take_paths};
    if (!o->n_draws)
        return SP_OK;
    sp_status status = SP_OK;
    const int strategy = sp_pipeline_lawful(p);
    if (strategy < 0)
        TRY(sp_fail(err, SP_EINVAL,
                    "`draws` stand beside a path that obeys the rules, and no strategy makes such; "
                    "`strategies` viterbi does"));
    TRY((f->tags = malloc(((size_t)K + 1) * sizeof *f->tags)) ? SP_OK : sp_no_memory(err));
    TRY(sp_sleep_choose(p, classes, &f->sleep, err));
    TRY(sp_tags_read(K, classes, f->tags, &f->are_tags, err));
    const int n = (f->sleep.is_sleep ? SP_N_SLEEP_MEASURES + 1 : 0) + f->are_tags + 1;
    f->values = malloc(((size_t)n * (size_t)o->n_draws + 1) * sizeof *f->values);
    f->made = sp_posterior_new(n, p->info->n_recordings);
    TRY(f->values && f->made ? SP_OK : sp_no_memory(err));
    add_figures(f);
    f->made->strategy = strategy;
    f->made->n_draws = o->n_draws;
    f->made->seed = o->draw_seed;
    f->made->level = sp_run_bootstrap(o, &p->plan).level;
    sp_pipeline_add_consumer(p, &f->consumer);
done:
    return status;
}

void sp_draw_figures_clear(sp_draw_figures *f)
{
    free(f->tags);
    free(f->spans);
    free(f->values);
    free(f->draws);
    sp_posterior_free(f->made);
    *f = (sp_draw_figures){.made = NULL};
}

/* How many of the references the intervals hold, and by how much wider they had to be. */
static void say(const sp_draw_figures *f, const sp_run_options *o)
{
    const sp_posterior_intervals *made = f->made;
    if (f->p->info->has_labels && !f->has_reference)
        sp_run_notice(o, SP_NOTICE_DATA,
                      "no recording has a label at every step: what intervals hold is not known");
    for (int i = 0; i < made->n; i++) {
        const sp_posterior_figure *figure = &made->figures[i];
        char text[96] = "";
        if (!figure->lacking.undefined && figure->lacking.value > 0)
            snprintf(text, sizeof text, "; %g wider on each side they would hold %g %%",
                     figure->lacking.value, 100 * made->level);
        if (figure->n_references)
            sp_run_notice(o, SP_NOTICE_DATA, "%g %% intervals of %s hold the reference in %lld of %lld%s",
                          100 * made->level, figure->key, (long long)figure->n_held,
                          (long long)figure->n_references, text);
    }
}

sp_status sp_draw_figures_finish(sp_draw_figures *f, sp_posterior_intervals **out, sp_error *err)
{
    if (!f->made)
        return SP_OK;
    const sp_status status = sp_posterior_judge(f->made, f->p->info->n_recordings, err);
    if (status != SP_OK)
        return status;
    if (out) {
        *out = f->made;
        f->made = NULL;
    } else {
        say(f, f->p->opt);
    }
    return SP_OK;
}
