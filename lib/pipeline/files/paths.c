#include "pipeline/files/paths.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/owned.h"
#include "core/try.h"
#include "io/paths_writer.h"
#include "pipeline/files/label_order.h"
#include "statepath/model_json.h"

/* ---- the plan ---- */

static void plan_one(sp_path_file *b, const char *group, const char *name, sp_paths_type type,
                     bool is_per_step, int32_t n_rows)
{
    snprintf(b->names[b->n_extras], sizeof b->names[0], name ? "/%s/%s" : "/%s", group, name);
    b->extras[b->n_extras] = (sp_paths_extra){
        .path = b->names[b->n_extras], .type = type, .is_per_step = is_per_step, .n_rows = n_rows};
    b->n_extras++;
}

/* Places in the plan: two a strategy, then log_partition, then the draws, then the N best. */
enum { POSTERIOR, MARGIN, PER_STRATEGY };

static sp_status plan(sp_path_file *b, sp_error *err)
{
    const sp_pipeline *p = b->p;
    const sp_run_options *o = p->opt;
    b->is_wide = p->info->n_classes > INT16_MAX;
    if (!o->output)
        return SP_OK;
    const char *const needs_h5 = o->n_best       ? "nbest"
                                 : o->confidence ? "confidence"
                                 : o->n_draws    ? "draws"
                                                 : NULL;
    if (needs_h5 && !sp_paths_writer_is_h5(o->output))
        return sp_fail(err, SP_EINVAL, "`%s` is written in HDF5: `output` PATHS.h5, not %s", needs_h5,
                       o->output);
    for (int s = 0; s < p->n_strategies; s++)
        if (p->strategies[s].kind == SP_VITERBI)
            b->nbest_of = s;
    if (o->n_best && b->nbest_of < 0)
        return sp_fail(err, SP_EINVAL,
                       "`nbest` gives the best paths of viterbi, which is not among the strategies");
    if (o->n_draws && (b->draws_of = sp_pipeline_lawful(p)) < 0)
        return sp_fail(err, SP_EINVAL,
                       "`draws` stand beside a path that obeys the rules, and no strategy makes such; "
                       "`strategies` viterbi does");
    for (int s = 0; b->consumer.with_confidence && s < p->n_strategies; s++) {
        const char *name = sp_strategy_about(p->strategies[s].kind)->name;
        plan_one(b, "path_posteriors", name, SP_PATHS_F64, false, 0);
        plan_one(b, "margins", name, SP_PATHS_F64, false, 0);
    }
    if (b->consumer.with_confidence)
        plan_one(b, "log_partition", NULL, SP_PATHS_F64, false, 0);
    for (int s = 0; b->takes_spans && s < p->n_strategies; s++) {
        const char *name = sp_strategy_about(p->strategies[s].kind)->name;
        plan_one(b, "span_scores", name, SP_PATHS_F64, true, 0); /* SP_SPAN_SCORE, SP_SPAN_POSTERIOR */
        plan_one(b, "span_posteriors", name, SP_PATHS_F64, true, 0);
    }
    const sp_paths_type type = b->is_wide ? SP_PATHS_I32 : SP_PATHS_I16;
    b->draws_at = b->n_extras;
    if (b->consumer.n_draws)
        plan_one(b, "draws", NULL, type, true, b->consumer.n_draws);
    if (b->consumer.n_best) {
        plan_one(b, "nbest", "paths", type, true, b->consumer.n_best);
        plan_one(b, "nbest", "scores", SP_PATHS_F64, false, b->consumer.n_best);
    }
    return SP_OK;
}

static void free_room(sp_path_file *b)
{
    free(b->confidence);
    free(b->log_partition);
    free(b->margins);
    free(b->best_scores);
    free(b->best_paths);
    free(b->draws);
    free(b->narrow);
}

static bool make_room(sp_path_file *b, int64_t steps, int64_t recordings)
{
    size_t S = (size_t)steps, N = (size_t)recordings, n = (size_t)b->consumer.n_best,
           n_draws = (size_t)b->consumer.n_draws;
    free_room(b);
    b->confidence = malloc(S * sizeof *b->confidence);
    b->log_partition = malloc(N * sizeof *b->log_partition);
    b->margins = malloc(N * sizeof *b->margins);
    b->best_scores = malloc((n ? n * N : 1) * sizeof *b->best_scores);
    b->best_paths = malloc((n ? n * S : 1) * sizeof *b->best_paths);
    b->draws = malloc((n_draws ? n_draws * S : 1) * sizeof *b->draws);
    b->narrow = malloc(S * sizeof *b->narrow);
    b->step_room = steps;
    b->recording_room = recordings;
    return b->confidence && b->log_partition && b->margins && b->best_scores && b->best_paths && b->draws &&
           b->narrow;
}

static sp_status reserve(void *arg, int s, const sp_block *block, sp_decode_output *output, sp_error *err)
{
    sp_path_file *b = arg;
    b->block = block;
    if (!b->consumer.with_confidence && !b->consumer.n_best && !b->consumer.n_draws)
        return SP_OK;
    if (block->n_steps >= b->step_room || block->n_recordings >= b->recording_room) {
        int64_t steps = block->n_steps + 1, recordings = block->n_recordings + 1;
        if (!make_room(b, steps > b->step_room ? steps : b->step_room,
                       recordings > b->recording_room ? recordings : b->recording_room))
            return sp_no_memory(err);
    }
    if (b->consumer.with_confidence) {
        output->confidence = b->confidence;
        output->log_partition = b->log_partition;
        output->margins = b->margins;
    }
    if (b->consumer.n_best && s == b->nbest_of) {
        output->n_best = b->consumer.n_best;
        output->best_paths = b->best_paths;
        output->best_scores = b->best_scores;
    }
    if (b->consumer.n_draws && s == b->draws_of) {
        output->draw = (sp_draw_options){.n = b->consumer.n_draws,
                                         .seed = b->p->opt->draw_seed,
                                         .recording = b->p->about.first + block->first};
        output->draws = b->draws;
    }
    return SP_OK;
}

/* Room for a value a recording. NULL: no memory. */
static double *row_of(sp_path_file *b, int64_t n)
{
    if (n > b->row_room) {
        free(b->row);
        b->row = malloc((size_t)n * sizeof *b->row);
        b->row_room = b->row ? n : 0;
    }
    return b->row;
}

static sp_status write_confidence(sp_path_file *b, int s, int64_t first, int64_t N,
                                  const sp_decode_output *output, sp_error *err)
{
    double *row = row_of(b, N);
    if (!row)
        return sp_no_memory(err);
    for (int64_t n = 0; n < N;
         n++) /* an illegal path has score -inf and posterior 0; an undecoded recording has neither */
        row[n] = output->results[n].status != SP_OK ? NAN
                 : output->results[n].score == -INFINITY
                     ? 0
                     : exp(output->results[n].score - output->log_partition[n]);
    const int at = s * PER_STRATEGY;
    sp_status status = SP_OK;
    TRY(sp_paths_writer_put(b->writer, at + POSTERIOR, 0, first, N, row, err));
    TRY(sp_paths_writer_put(b->writer, at + MARGIN, 0, first, N, output->margins, err));
    if (s == 0)
        TRY(sp_paths_writer_put(b->writer, b->p->n_strategies * PER_STRATEGY, 0, first, N,
                                output->log_partition, err));
done:
    return status;
}

/* Row r of an extra dataset of paths. */
static sp_status write_path(sp_path_file *b, int32_t extra, int32_t r, int64_t first_step, int64_t S,
                            const int32_t *path, sp_error *err)
{
    for (int64_t t = 0; !b->is_wide && t < S; t++)
        b->narrow[t] = (int16_t)path[t];
    return sp_paths_writer_put(b->writer, extra, r, first_step, S,
                               b->is_wide ? (const void *)path : (const void *)b->narrow, err);
}

static sp_status write_draws(sp_path_file *b, int64_t first_step, int64_t S, sp_error *err)
{
    sp_status status = SP_OK;
    for (int32_t r = 0; status == SP_OK && r < b->consumer.n_draws; r++)
        status = write_path(b, b->draws_at, r, first_step, S, b->draws + (size_t)r * (size_t)S, err);
    return status;
}

static sp_status write_best(sp_path_file *b, int64_t first, int64_t N, int64_t first_step, int64_t S,
                            sp_error *err)
{
    const int32_t n_best = b->consumer.n_best;
    double *row = row_of(b, N);
    sp_status status = SP_OK;
    TRY(row ? SP_OK : sp_no_memory(err));
    for (int32_t r = 0; r < n_best; r++) {
        TRY(write_path(b, b->n_extras - 2, r, first_step, S, b->best_paths + (size_t)r * (size_t)S, err));
        for (int64_t n = 0; n < N; n++)
            row[n] = b->best_scores[(size_t)n * (size_t)n_best + (size_t)r];
        TRY(sp_paths_writer_put(b->writer, b->n_extras - 1, r, first, N, row, err));
    }
done:
    return status;
}

static sp_status write_span_values(sp_path_file *b, int s, const sp_decode_output *output, sp_error *err)
{
    sp_status status = sp_span_values_find(&b->spans, b->p, b->block, output, err);
    const int64_t first_step = b->p->info->offsets[b->block->first];
    for (int v = 0; status == SP_OK && v < SP_SPAN_VALUES; v++)
        status = sp_paths_writer_put(b->writer, s * SP_SPAN_VALUES + v, 0, first_step, b->block->n_steps,
                                     b->spans.values[v], err);
    return status;
}

static sp_status put(void *arg, int32_t s, int64_t first, int64_t n_recordings, int64_t first_step,
                     int64_t n_steps, const sp_decode_output *output, sp_error *err)
{
    sp_path_file *b = arg;
    sp_status status = SP_OK;
    TRY(sp_paths_writer_add(b->writer, s, first, n_recordings, first_step, n_steps, output, err));
    if (b->consumer.with_confidence)
        TRY(write_confidence(b, s, first, n_recordings, output, err));
    if (b->takes_spans)
        TRY(write_span_values(b, s, output, err));
    if (output->n_best)
        TRY(write_best(b, first, n_recordings, first_step, n_steps, err));
    if (output->draw.n)
        TRY(write_draws(b, first_step, n_steps, err));
done:
    return status;
}

static sp_status put_labels(void *arg, int64_t first_step, int64_t n_steps, const int32_t *labels,
                            const int64_t *segments, sp_error *err)
{
    const sp_path_file *b = arg;
    return sp_paths_writer_add_labels(b->writer, first_step, n_steps, labels, segments, err);
}

/* What an extra dataset has of n steps, or of one recording, of which nothing is known. */
static sp_status put_nothing(sp_path_file *b, int32_t extra, int64_t first, int64_t n, sp_error *err)
{
    const sp_paths_extra *e = &b->extras[extra];
    const bool are_numbers = e->type == SP_PATHS_F64;
    double *none = malloc(((size_t)n + 1) * sizeof *none);
    sp_status status = none ? SP_OK : sp_no_memory(err);
    for (int64_t i = 0; none && are_numbers && i < n; i++)
        none[i] = e->n_rows ? -INFINITY : NAN; /* scores of the N best; else what is undefined */
    if (none && !are_numbers)
        memset(none, 0xff, (size_t)n * sizeof *none); /* classes of -1 */
    for (int64_t row = 0; status == SP_OK && row < (e->n_rows ? e->n_rows : 1); row++)
        status = sp_paths_writer_put(b->writer, extra, row, first, n, none, err);
    free(none);
    return status;
}

/* A recording whose file cannot be read. */
static sp_status put_unread(void *arg, int64_t recording, sp_error *err)
{
    sp_path_file *b = arg;
    const sp_source_info *info = b->p->info;
    const int64_t first = info->offsets[recording], T = info->offsets[recording + 1] - first;
    sp_decoded result = {.status = SP_EUNREAD, .step = -1, .score = -INFINITY};
    sp_owned own = {0};
    int32_t *path = sp_zeros(&own, (size_t)T + 1, sizeof *path);
    int64_t *segments = sp_zeros(&own, (size_t)T + 1, sizeof *segments);
    float *confidence = sp_zeros(&own, (size_t)T + 1, sizeof *confidence);
    sp_status status = SP_OK;
    TRY(sp_owned_status(&own, err));
    for (int64_t t = 0; t < T; t++) {
        path[t] = -1;
        confidence[t] = NAN;
    }
    const sp_decode_output output = {.paths = path, .results = &result, .confidence = confidence};
    for (int s = 0; s < b->p->n_strategies; s++)
        TRY(sp_paths_writer_add(b->writer, s, recording, 1, first, T, &output, err));
    for (int32_t e = 0; e < b->n_extras; e++)
        TRY(put_nothing(b, e, b->extras[e].is_per_step ? first : recording, b->extras[e].is_per_step ? T : 1,
                        err));
    TRY(put_labels(b, first, T, info->has_labels ? path : NULL, info->has_segments ? segments : NULL, err));
done:
    sp_owned_free(&own);
    return status;
}

static sp_status put_steps(void *arg, int32_t s, int64_t first_step, int64_t n_steps, const int32_t *path,
                           sp_error *err)
{
    const sp_path_file *b = arg;
    return sp_paths_writer_add_steps(b->writer, s, first_step, n_steps, path, err);
}

static sp_status put_result(void *arg, int32_t s, int64_t recording, const sp_decoded *result, sp_error *err)
{
    const sp_path_file *b = arg;
    const int64_t *offsets = b->p->info->offsets + recording;
    return sp_paths_writer_end_steps(b->writer, s, recording, offsets[1] - offsets[0], result, err);
}

/* ---- opening and closing ---- */

static sp_status open_writer(void *arg, sp_error *err)
{
    sp_path_file *b = arg;
    const sp_pipeline *p = b->p;
    const char *names[SP_RUN_STRATEGIES];
    for (int s = 0; s < p->n_strategies; s++) {
        names[s] = sp_strategy_about(p->strategies[s].kind)->name;
        for (int other = 0; other < s; other++)
            if (strcmp(names[s], names[other]) == 0)
                return sp_fail(err, SP_EINVAL,
                               "%s and %s would both be written to /paths/%s; write them to two files with "
                               "`statepath decode`",
                               p->names[other], p->names[s], names[s]);
    }
    if (sp_paths_writer_takes_tokens(p->opt->output) && !sp_paths_writer_takes_spans(p->opt->output) &&
        p->info->has_segments)
        sp_run_notice(p->opt, SP_NOTICE_DATA,
                      "note: columns of CoNLL have no segments: in %s the steps before and after a gap are "
                      "neighbours; .h5 keeps "
                      "them apart",
                      p->opt->output);
    double seconds = p->opt->epoch_seconds;
    if (isnan(seconds) && p->about.step_seconds(p->about.step_seconds_arg, &seconds, NULL) != SP_OK)
        seconds = 0; /* an attribute that is something else is not passed on */
    char *model_json = NULL;
    sp_status status = sp_model_to_json(p->model, &model_json, err);
    if (status != SP_OK)
        return status;
    sp_paths_header header = {.n_strategies = p->n_strategies,
                              .strategies = names,
                              .n_recordings = p->info->n_recordings,
                              .n_steps = p->info->n_steps,
                              .offsets = p->info->offsets,
                              .n_classes = p->info->n_classes,
                              .ids = p->info->ids,
                              .subjects = p->subjects,
                              .classes = sp_pipeline_columns(p),
                              .other_order = !sp_columns_are_in_order(p),
                              .with_labels = p->info->has_labels,
                              .with_segments = p->info->has_segments,
                              .with_broken = p->on_infeasible == SP_INFEASIBLE_RELAX,
                              .command = p->opt->command,
                              .model_json = model_json,
                              .input = p->file,
                              .input_size = p->info->file_size,
                              .epoch_seconds = seconds,
                              .force = p->opt->force,
                              .together = p->opt->together,
                              .with_confidence = b->consumer.with_confidence,
                              .holes = p->about.holes,
                              .gaps = p->opt->place.gaps,
                              .tokens = p->about.tokens,
                              .texts = p->about.texts,
                              .n_extras = b->n_extras,
                              .extras = b->extras};
    status = sp_paths_writer_open(p->opt->output, &header, &b->writer, err);
    free(model_json);
    return status;
}

sp_status sp_path_file_open(sp_path_file *b, sp_pipeline *p, sp_error *err)
{
    const sp_run_options *o = p->opt;
    *b = (sp_path_file){.p = p, .nbest_of = -1, .draws_of = -1};
    b->takes_spans = o->output && sp_paths_writer_takes_spans(o->output);
    b->consumer = (sp_consumer){.with_confidence = o->confidence,
                                .n_best = o->n_best,
                                .n_draws = o->n_draws,
                                .open = open_writer,
                                .reserve = reserve,
                                .paths = put,
                                .unread = put_unread,
                                .labels = put_labels,
                                .arg = b};
    if (o->output && sp_paths_writer_is_h5(o->output) && !o->confidence && !o->n_best && !o->n_draws) {
        b->consumer.steps = put_steps;
        b->consumer.ended = put_result;
    }
    if (o->output)
        sp_pipeline_add_consumer(p, &b->consumer);
    return plan(b, err);
}

sp_status sp_path_file_close(sp_path_file *b, sp_status status, sp_error *err)
{
    if (status == SP_OK && b->writer)
        status = sp_paths_writer_commit(b->writer, err);
    else
        sp_paths_writer_abort(b->writer);
    free_room(b);
    sp_span_values_clear(&b->spans);
    free(b->row);
    return status;
}
