#include "pipeline/extra_outputs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_BEST = 1000 };

static void plan_one(sp_extra_outputs *b, const char *group, const char *name, sp_paths_type type, bool is_per_step,
                     int32_t n_rows)
{
    snprintf(b->names[b->n_extras], sizeof b->names[0], name ? "/%s/%s" : "/%s", group, name);
    b->extras[b->n_extras] =
        (sp_paths_extra){.path = b->names[b->n_extras], .type = type, .is_per_step = is_per_step, .n_rows = n_rows};
    b->n_extras++;
}

/* Places in the plan: two a strategy, then log_partition, then the N best. */
enum { POSTERIOR, MARGIN, PER_STRATEGY };

sp_status sp_extra_outputs_plan(sp_extra_outputs *b, const sp_pipeline *p, sp_error *err)
{
    const sp_run_options *o = p->opt;
    *b = (sp_extra_outputs){
        .n_strategies = p->n_strategies, .with_confidence = o->confidence, .n_best = o->n_best, .nbest_of = -1};
    b->is_wide = p->info->n_classes > INT16_MAX;
    if (o->n_best < 0 || o->n_best > MOST_BEST)
        return sp_run_fail(o, err, SP_EINVAL, "@nbest %d: a number from 1 to %d", o->n_best, MOST_BEST);
    if ((o->n_best || o->confidence) && !o->output)
        return sp_run_fail(o, err, SP_EINVAL, "@%s is written beside the paths: @output PATHS.h5 says where",
                           o->n_best ? "nbest" : "confidence");
    for (int s = 0; s < p->n_strategies; s++)
        if (p->strategies[s].kind == SP_VITERBI)
            b->nbest_of = s;
    if (o->n_best && b->nbest_of < 0)
        return sp_run_fail(o, err, SP_EINVAL, "@nbest gives the best paths of viterbi, which is not among the strategies");
    for (int s = 0; b->with_confidence && s < p->n_strategies; s++) {
        const char *name = sp_strategy_name(p->strategies[s].kind);
        plan_one(b, "path_posteriors", name, SP_PATHS_F64, false, 0);
        plan_one(b, "margins", name, SP_PATHS_F64, false, 0);
    }
    if (b->with_confidence)
        plan_one(b, "log_partition", NULL, SP_PATHS_F64, false, 0);
    if (b->n_best) {
        plan_one(b, "nbest", "paths", b->is_wide ? SP_PATHS_I32 : SP_PATHS_I16, true, b->n_best);
        plan_one(b, "nbest", "scores", SP_PATHS_F64, false, b->n_best);
    }
    return SP_OK;
}

void sp_extra_outputs_clear(sp_extra_outputs *b)
{
    free(b->confidence);
    free(b->log_partition);
    free(b->margins);
    free(b->best_scores);
    free(b->row);
    free(b->best_paths);
    free(b->narrow);
}

static bool make_room(sp_extra_outputs *b, int64_t steps, int64_t recordings)
{
    size_t S = (size_t)steps, N = (size_t)recordings, n = (size_t)b->n_best;
    sp_extra_outputs_clear(b);
    b->confidence = malloc(S * sizeof *b->confidence);
    b->log_partition = malloc(N * sizeof *b->log_partition);
    b->margins = malloc(N * sizeof *b->margins);
    b->row = malloc(N * sizeof *b->row);
    b->best_scores = malloc((n ? n * N : 1) * sizeof *b->best_scores);
    b->best_paths = malloc((n ? n * S : 1) * sizeof *b->best_paths);
    b->narrow = malloc(S * sizeof *b->narrow);
    b->step_room = steps;
    b->recording_room = recordings;
    return b->confidence && b->log_partition && b->margins && b->row && b->best_scores && b->best_paths && b->narrow;
}

sp_status sp_extra_outputs_reserve(sp_extra_outputs *b, int s, const sp_block *block, sp_decode_output *output, sp_error *err)
{
    if (b->n_extras == 0)
        return SP_OK;
    if (block->n_steps >= b->step_room || block->n_recordings >= b->recording_room) {
        int64_t steps = block->n_steps + 1, recordings = block->n_recordings + 1;
        if (!make_room(b, steps > b->step_room ? steps : b->step_room,
                       recordings > b->recording_room ? recordings : b->recording_room))
            return sp_fail(err, SP_ENOMEM, "no memory for confidences and best paths of %lld steps", (long long)block->n_steps);
    }
    if (b->with_confidence) {
        output->confidence = b->confidence;
        output->log_partition = b->log_partition;
        output->margins = b->margins;
    }
    if (b->n_best && s == b->nbest_of) {
        output->n_best = b->n_best;
        output->best_paths = b->best_paths;
        output->best_scores = b->best_scores;
    }
    return SP_OK;
}

static sp_status write_confidence(sp_extra_outputs *b, int s, const sp_block *block, const sp_decode_output *output,
                                  sp_paths_writer *writer, sp_error *err)
{
    int64_t N = block->n_recordings, first = block->first;
    for (int64_t n = 0; n < N; n++) /* an illegal path has score -inf and posterior 0; an undecoded recording has neither */
        b->row[n] = output->results[n].status != SP_OK      ? NAN
                    : output->results[n].score == -INFINITY ? 0
                                                            : exp(output->results[n].score - output->log_partition[n]);
    int at = s * PER_STRATEGY;
    sp_status status = sp_paths_writer_put(writer, at + POSTERIOR, 0, first, N, b->row, err);
    if (status == SP_OK)
        status = sp_paths_writer_put(writer, at + MARGIN, 0, first, N, output->margins, err);
    if (status == SP_OK && s == 0)
        status = sp_paths_writer_put(writer, b->n_strategies * PER_STRATEGY, 0, first, N, output->log_partition, err);
    return status;
}

static sp_status write_best(sp_extra_outputs *b, const sp_block *block, int64_t first_step, sp_paths_writer *writer,
                            sp_error *err)
{
    int64_t S = block->n_steps, N = block->n_recordings;
    sp_status status = SP_OK;
    for (int32_t r = 0; status == SP_OK && r < b->n_best; r++) {
        const int32_t *path = b->best_paths + (size_t)r * (size_t)S;
        for (int64_t t = 0; !b->is_wide && t < S; t++)
            b->narrow[t] = (int16_t)path[t];
        const void *values = b->is_wide ? (const void *)path : (const void *)b->narrow;
        status = sp_paths_writer_put(writer, b->n_extras - 2, r, first_step, S, values, err);
        for (int64_t n = 0; n < N; n++)
            b->row[n] = b->best_scores[(size_t)n * (size_t)b->n_best + (size_t)r];
        if (status == SP_OK)
            status = sp_paths_writer_put(writer, b->n_extras - 1, r, block->first, N, b->row, err);
    }
    return status;
}

sp_status sp_extra_outputs_write(sp_extra_outputs *b, int s, const sp_block *block, int64_t first_step,
                                 const sp_decode_output *output, sp_paths_writer *writer, sp_error *err)
{
    sp_status status = SP_OK;
    if (b->with_confidence)
        status = write_confidence(b, s, block, output, writer, err);
    if (status == SP_OK && b->n_best && s == b->nbest_of)
        status = write_best(b, block, first_step, writer, err);
    return status;
}
