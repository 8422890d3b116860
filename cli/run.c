#include "run.h"

#include <stdlib.h>

#include "cross.h"
#include "long_recording.h"
#include "probabilities.h"
#include "progress.h"
#include "reader.h"

/* Scores read at a time. Large enough that starting threads costs nothing, small enough that what was read is still near the
 * processor when it is decoded. */
enum { BLOCK_BYTES = 8 << 20 };

/* The answers of all strategies for one block; buffers that only grow. */
typedef struct answers {
    int32_t *paths[MAX_STRATEGIES];
    sp_decoded *results[MAX_STRATEGIES];
    uint8_t *broken[MAX_STRATEGIES];
    double seconds[MAX_STRATEGIES];
    int64_t step_room, recording_room;
} answers;

static void answers_clear(answers *a)
{
    for (int s = 0; s < MAX_STRATEGIES; s++) {
        free(a->paths[s]);
        free(a->results[s]);
        free(a->broken[s]);
    }
    *a = (answers){.step_room = 0};
}

static sp_status answers_reserve(answers *a, int n_strategies, const sp_block *block, sp_error *err)
{
    if (block->n_steps < a->step_room && block->n_recordings < a->recording_room)
        return SP_OK;
    int64_t steps = block->n_steps > a->step_room ? block->n_steps : a->step_room;
    int64_t recordings = block->n_recordings > a->recording_room ? block->n_recordings : a->recording_room;
    answers_clear(a);
    a->step_room = steps + 1; /* never nothing */
    a->recording_room = recordings + 1;
    for (int s = 0; s < n_strategies; s++) {
        a->paths[s] = malloc((size_t)a->step_room * sizeof *a->paths[s]);
        a->results[s] = malloc((size_t)a->recording_room * sizeof *a->results[s]);
        a->broken[s] = malloc((size_t)a->step_room);
        if (!a->paths[s] || !a->results[s] || !a->broken[s])
            return sp_fail(err, SP_ENOMEM, "no memory for paths of %lld steps", (long long)steps);
    }
    return SP_OK;
}

static sp_status run_block(pipeline *p, sp_block *block, const int32_t *const *people, answers *a, sp_evaluation *evaluation,
                           sp_paths_writer *writer, beside *extras, sp_error *err)
{
    sp_status status = sp_prepare_threads(block, &p->prepare, sp_workers_count(p->workers), &p->counts, err);
    if (status == SP_OK)
        status = answers_reserve(a, p->n_strategies, block, err);
    sp_batch batch = sp_block_batch(block);
    if (status == SP_OK && p->has_nll)
        status = probabilities_add(p, block, NULL, err);
    for (int s = 0; status == SP_OK && s < p->n_strategies; s++) {
        sp_decode_options decode = sp_decode_options_default();
        decode.strategy = p->strategies[s];
        decode.relax = p->on_infeasible == INFEASIBLE_RELAX;
        sp_decode_output output = {.paths = a->paths[s], .results = a->results[s], .broken = decode.relax ? a->broken[s] : NULL};
        if (writer)
            status = beside_reserve(extras, s, block, &output, err);
        if (status != SP_OK)
            break;
        double started = now_seconds();
        if (p->cross && sp_strategy_about(decode.strategy.kind)->knows_rules)
            status = cross_decode(p->cross, block, &decode, p->workers, &output, err);
        else
            status = sp_decode_batch(p->chain, &batch, &decode, p->workers, &output, err);
        a->seconds[s] = now_seconds() - started;
        if (status == SP_OK)
            status = pipeline_look_at_failures(p, s, block, a->results[s], err);
        if (status == SP_OK && writer)
            status = sp_paths_writer_add(writer, s, block->first, block->n_recordings, p->info->offsets[block->first],
                                         block->n_steps, &output, err);
        if (status == SP_OK && writer)
            status = beside_write(extras, s, block, p->info->offsets[block->first], &output, writer, err);
    }
    if (status == SP_OK && writer)
        status = sp_paths_writer_add_labels(writer, p->info->offsets[block->first], block->n_steps, block->labels,
                                            block->segments, err);
    if (status == SP_OK && evaluation) {
        sp_evaluation_block add = {.n_recordings = block->n_recordings,
                                   .offsets = block->offsets,
                                   .ids = block->ids,
                                   .labels = block->labels,
                                   .segments = block->segments,
                                   .scores = &batch.scores,
                                   .paths = (const int32_t *const *)a->paths,
                                   .results = (const sp_decoded *const *)a->results,
                                   .seconds = a->seconds,
                                   .scorers = people,
                                   .subject = p->subjects ? p->subjects->of_recording + block->first : NULL};
        status = sp_evaluation_add(evaluation, &add, p->workers, err);
    }
    return status;
}

static void summarise(const pipeline *p)
{
    char n[COUNT_TEXT], all[COUNT_TEXT];
    if (p->opt->talk.quiet)
        return;
    count_text(p->info->n_recordings, all);
    for (int s = 0; s < p->n_strategies; s++) {
        if (p->undecoded[s])
            complain("%s: %s of %s recordings could not be decoded; their paths are -1", p->names[s],
                     count_text(p->undecoded[s], n), all);
        if (p->relaxed[s])
            complain("%s: %s of %s recordings were decoded by breaking the fewest rules", p->names[s],
                     count_text(p->relaxed[s], n), all);
    }
    if (p->counts.floored)
        complain("%s score%s raised to the floor %g", count_text(p->counts.floored, n),
                 p->counts.floored == 1 ? " was" : "s were", p->prepare.floor);
    if (p->counts.missing)
        complain("%s step%s with NaN say%s nothing (--missing uniform)", count_text(p->counts.missing, n),
                 p->counts.missing == 1 ? "" : "s", p->counts.missing == 1 ? "s" : "");
}

/* Decodes recordings first .. end-1 in blocks as the reader brings them. */
static sp_status run_blocks(pipeline *p, int64_t first, int64_t end, progress *line, sp_evaluation *evaluation,
                            sp_paths_writer *writer, beside *extras, sp_error *err)
{
    const unsigned parts = SP_BLOCK_SCORES | SP_BLOCK_LABELS | SP_BLOCK_SEGMENTS | SP_BLOCK_MASK | SP_BLOCK_WEIGHTS;
    reader *ahead = reader_new(p->source, first, end, parts, BLOCK_BYTES, evaluation ? &p->scorers.found : NULL);
    if (!ahead)
        return sp_fail(err, SP_ENOMEM, "no memory");
    answers a = {.step_room = 0};
    sp_status status = SP_OK;
    sp_block *block;
    while (status == SP_OK && (status = reader_next(ahead, &block, err)) == SP_OK && block) {
        status = run_block(p, block, reader_scorers(ahead), &a, evaluation, writer, extras, err);
        if (status == SP_OK)
            progress_show(line, p->info->offsets[block->first + block->n_recordings]);
        if (status == SP_OK && is_interrupted())
            status = sp_fail(err, SP_EFILE, "stopped by a signal; nothing was written");
    }
    answers_clear(&a);
    reader_free(ahead);
    return status;
}

/* All recordings: those that fit into memory in blocks, longer ones piece by piece where that can be done. */
static sp_status run_all(pipeline *p, progress *line, sp_evaluation *evaluation, sp_paths_writer *writer, beside *extras,
                         sp_error *err)
{
    const int64_t n_recordings = p->info->n_recordings;
    const bool by_pieces = long_recording_can(p, extras);
    sp_status status = SP_OK;
    for (int64_t first = 0; status == SP_OK && first < n_recordings;) {
        int64_t end = by_pieces ? long_recording_next(p, first) : n_recordings;
        if (end > first)
            status = run_blocks(p, first, end, line, evaluation, writer, extras, err);
        if (status == SP_OK && end < n_recordings)
            status = long_recording_run(p, end++, evaluation, writer, extras, line, err);
        first = end;
    }
    return status;
}

sp_status run_pipeline(pipeline *p, sp_evaluation *evaluation, sp_paths_writer *writer, beside *extras, sp_error *err)
{
    p->has_nll = evaluation && p->info->has_labels && !p->prepare.clamp; /* clamped scores are the labels */
    progress line;
    progress_start(&line, "steps", p->info->n_steps, p->opt->talk.quiet);
    sp_status status = p->has_nll ? sp_reliability_new(p->info->n_classes, &p->reliability, err) : SP_OK;
    if (status == SP_OK)
        status = run_all(p, &line, evaluation, writer, extras, err);
    progress_end(&line);
    if (status == SP_OK)
        summarise(p);
    return status;
}

sp_status run_again(const pipeline *p, int64_t n, const int64_t *recordings, sp_evaluation *evaluation, sp_error *err)
{
    options quiet = *p->opt;
    quiet.talk.quiet = true;
    pipeline again = *p;
    again.opt = &quiet;
    again.has_nll = false;
    again.scorers = (scorers){.found = {.n_scorers = 0}};
    again.subjects = NULL;
    again.wake_stages = NULL;
    beside none = {.n_best = 0};
    progress line;
    progress_start(&line, "steps", p->info->n_steps, true);
    sp_status status = SP_OK;
    for (int64_t i = 0; status == SP_OK && i < n; i++) {
        bool is_long = long_recording_can(&again, &none) && long_recording_next(&again, recordings[i]) == recordings[i];
        status = is_long ? long_recording_run(&again, recordings[i], evaluation, NULL, &none, &line, err)
                         : run_blocks(&again, recordings[i], recordings[i] + 1, &line, evaluation, NULL, &none, err);
    }
    progress_end(&line);
    return status;
}
