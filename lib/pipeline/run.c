#include "pipeline/run.h"

#include <stdlib.h>

#include "evaluate/evaluate.h"
#include "evaluate/work.h"
#include "learn/learn.h"
#include "pipeline/against.h"
#include "pipeline/calibration.h"
#include "pipeline/long/long_recording.h"
#include "pipeline/parts/part_run.h"
#include "pipeline/read_ahead.h"

/* Scores read at a time. Large enough that starting threads costs nothing, small enough that what was read is still near the
 * processor when it is decoded. */
enum { BLOCK_BYTES = 8 << 20 };

/* The answers of all strategies for one block; buffers that only grow. */
typedef struct answers {
    int32_t *paths[SP_RUN_STRATEGIES];
    sp_decoded *results[SP_RUN_STRATEGIES];
    uint8_t *violations[SP_RUN_STRATEGIES];
    double seconds[SP_RUN_STRATEGIES];
    int64_t step_room, recording_room;
} answers;

static void answers_clear(answers *a)
{
    for (int s = 0; s < SP_RUN_STRATEGIES; s++) {
        free(a->paths[s]);
        free(a->results[s]);
        free(a->violations[s]);
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
        a->violations[s] = malloc((size_t)a->step_room);
        if (!a->paths[s] || !a->results[s] || !a->violations[s])
            return sp_no_memory(err);
    }
    return SP_OK;
}

sp_status sp_pipeline_decode(sp_pipeline *p, int s, const sp_block *block, const sp_long_recording *chunks,
                             const sp_decode_output *output, double *seconds, sp_error *err)
{
    sp_decode_options how = sp_decode_options_default();
    how.strategy = p->strategies[s];
    how.relax = p->on_infeasible == SP_INFEASIBLE_RELAX;
    const sp_batch batch = sp_block_batch(block);
    sp_status status;
    const double started = sp_now_seconds();
    if (chunks) {
        status = sp_decode_long(p->chain, chunks, &how, p->workers, output->results, err);
    } else if (p->folds && sp_strategy_about(how.strategy.kind)->knows_rules) { /* the others decode the scores as they are */
        const sp_training part = {.batch = batch, .labels = block->labels, .classes = p->folds->training->classes};
        status = sp_cross_decode(&part, (const sp_model *const *)p->folds->models, p->folds->fold + block->first,
                                 p->folds->n_folds, &how, p->workers, output, err);
    } else {
        status = sp_decode_batch(p->chain, &batch, &how, p->workers, output, err);
    }
    *seconds = sp_now_seconds() - started;
    return status == SP_OK ? sp_pipeline_count_failures(p, s, block->first, block->n_recordings, output->results, err) : status;
}

/* The block's paths by each strategy, decoded and handed on. */
static sp_status decode_block(sp_pipeline *p, const sp_block *block, answers *a, sp_error *err)
{
    const sp_path_sink *sink = p->sink;
    const int64_t first_step = p->info->offsets[block->first];
    sp_status status = SP_OK;
    for (int s = 0; status == SP_OK && s < p->n_strategies; s++) {
        sp_decode_output output = {.paths = a->paths[s],
                                   .results = a->results[s],
                                   .broken = p->on_infeasible == SP_INFEASIBLE_RELAX ? a->violations[s] : NULL};
        if (sink)
            status = sink->reserve(sink->arg, s, block, &output, err);
        if (status == SP_OK)
            status = sp_pipeline_decode(p, s, block, NULL, &output, &a->seconds[s], err);
        if (status == SP_OK)
            status = sp_pipeline_put_paths(p, s, block->first, block->n_recordings, first_step, block->n_steps, &output, err);
    }
    return status == SP_OK && sink ? sink->labels(sink->arg, first_step, block->n_steps, block->labels, block->segments, err)
                                   : status;
}

/* Paths that are there already, and the labels as the paths number them. */
static sp_status read_block(sp_pipeline *p, sp_block *block, int32_t *const *raters, answers *a, sp_error *err)
{
    const sp_part part = {.recording = block->first, .count = block->n_recordings};
    sp_status status = SP_OK;
    for (int s = 0; status == SP_OK && s < p->n_strategies; s++) {
        sp_decoded *results = a->results[s];
        status = p->given->read(p->given->arg, s, &part, a->paths[s], results, err);
        for (int64_t n = 0; status == SP_OK && results && n < block->n_recordings; n++)
            p->undecoded[s] += results[n].status != SP_OK;
    }
    if (status == SP_OK && block->labels)
        status = sp_pipeline_to_columns(p, block->n_steps, block->labels, block->labels, err);
    for (int32_t i = 0; status == SP_OK && raters && i < p->raters.found.n_raters; i++)
        status = sp_pipeline_to_columns(p, block->n_steps, raters[i], raters[i], err);
    return status;
}

/* Prepares the block, and the paths of all strategies of this classifier. */
static sp_status answer(sp_pipeline *p, sp_block *block, int32_t *const *raters, answers *a, sp_error *err)
{
    sp_status status = block->scores ? sp_prepare(block, &p->prepare, p->workers, &p->counts, err) : SP_OK;
    p->reading_failed |= status != SP_OK;
    if (status == SP_OK)
        status = answers_reserve(a, p->n_strategies, block, err);
    if (status == SP_OK && p->has_nll)
        status = sp_likelihood_add(p, block, NULL, err);
    return status != SP_OK ? status : p->given ? read_block(p, block, raters, a, err) : decode_block(p, block, a, err);
}

/* What is evaluated of a block, by all strategies on all classifiers. */
typedef struct all_answers {
    int32_t n;
    const int32_t *paths[SP_EVALUATION_MAX_STRATEGIES];
    const sp_decoded *results[SP_EVALUATION_MAX_STRATEGIES];
    const uint8_t *broken[SP_EVALUATION_MAX_STRATEGIES];
    double seconds[SP_EVALUATION_MAX_STRATEGIES];
    sp_scores against[SP_MOST_AGAINST];
} all_answers;

static void collect(all_answers *all, const sp_pipeline *p, const answers *a)
{
    for (int s = 0; s < p->n_strategies; s++, all->n++) {
        all->paths[all->n] = a->paths[s];
        all->results[all->n] = a->results[s];
        all->broken[all->n] = a->violations[s];
        all->seconds[all->n] = a->seconds[s];
    }
}

/* The other classifiers decode their own scores; what comes out is told in the first's columns. a [n_against] */
static sp_status answer_against(sp_pipeline *p, sp_block *const *blocks, answers *a, all_answers *all, sp_error *err)
{
    sp_status status = SP_OK;
    for (int32_t i = 0; status == SP_OK && i < p->n_against; i++) {
        sp_rival *one = &p->against[i];
        status = answer(&one->p, blocks[i], NULL, &a[i], err);
        const sp_scores scores = sp_block_batch(blocks[i]).scores;
        if (status == SP_OK)
            status = sp_against_tell_scores(one, &scores, &all->against[i], err);
        for (int s = 0; status == SP_OK && s < one->p.n_strategies; s++)
            sp_against_tell_path(one, blocks[i]->n_steps, a[i].paths[s]);
        if (status == SP_OK)
            collect(all, &one->p, &a[i]);
    }
    return status;
}

/* a  [1 + n_against] */
static sp_status run_block(sp_pipeline *p, const sp_slot *slot, answers *a, sp_evaluation *evaluation, sp_error *err)
{
    sp_block *block = slot->block;
    int32_t *const *raters = slot->raters.labels;
    all_answers all = {.n = 0};
    sp_status status = answer(p, block, raters, a, err);
    if (status != SP_OK || !evaluation)
        return status;
    collect(&all, p, a);
    status = answer_against(p, slot->more, a + 1, &all, err);
    if (status != SP_OK)
        return status;
    const sp_batch batch = sp_block_batch(block);
    const int64_t first = block->first;
    sp_evaluation_block add = {.n_recordings = block->n_recordings,
                               .offsets = block->offsets,
                               .ids = block->ids,
                               .labels = block->labels,
                               .segments = block->segments,
                               .scores = p->given ? NULL : &batch.scores,
                               .against = p->n_against ? all.against : NULL,
                               .paths = all.paths,
                               .results = all.results,
                               .broken = p->on_infeasible == SP_INFEASIBLE_RELAX && !p->given ? all.broken : NULL,
                               .seconds = p->given ? NULL : all.seconds,
                               .raters = (const int32_t *const *)raters,
                               .subject = p->subjects ? p->subjects->of_recording + first : NULL,
                               .cut_path_steps = p->cut_path_steps ? p->cut_path_steps + first : NULL,
                               .cut_label_steps = p->cut_label_steps ? p->cut_label_steps + first : NULL};
    return sp_evaluation_add(evaluation, &add, p->workers, err);
}

static void summarise(const sp_pipeline *p)
{
    char n[SP_COUNT_TEXT], all[SP_COUNT_TEXT];
    const char *recordings = sp_word_of(&p->words, SP_RECORDINGS);
    sp_count_text(p->info->n_recordings, all);
    for (int s = 0; s < p->n_strategies; s++) {
        if (p->undecoded[s])
            sp_run_notice(p->opt, SP_NOTICE_DATA, "%s: %s of %s %s could not be decoded; their paths are -1", p->names[s],
                          sp_count_text(p->undecoded[s], n), all, recordings);
        if (p->relaxed[s])
            sp_run_notice(p->opt, SP_NOTICE_DATA, "%s: %s of %s %s were decoded by breaking the fewest rules", p->names[s],
                          sp_count_text(p->relaxed[s], n), all, recordings);
    }
    if (p->counts.floored)
        sp_run_notice(p->opt, SP_NOTICE_DATA, "%s score%s raised to the floor %g", sp_count_text(p->counts.floored, n),
                      p->counts.floored == 1 ? " was" : "s were", p->prepare.floor);
    if (p->counts.missing)
        sp_run_notice(p->opt, SP_NOTICE_DATA, "%s %s with NaN say%s nothing (`missing` uniform)",
                      sp_count_text(p->counts.missing, n), sp_word_of(&p->words, p->counts.missing == 1 ? SP_STEP : SP_STEPS),
                      p->counts.missing == 1 ? "s" : "");
}

/* Decodes recordings first .. end-1 in blocks as the reader brings them. */
static sp_status run_blocks(sp_pipeline *p, int64_t first, int64_t end, sp_evaluation *evaluation, sp_error *err)
{
    const unsigned parts = SP_BLOCK_SCORES | SP_BLOCK_LABELS | SP_BLOCK_SEGMENTS | SP_BLOCK_MASK | SP_BLOCK_WEIGHTS;
    const int32_t n_against = evaluation ? p->n_against : 0;
    const sp_recordings *more[SP_MOST_AGAINST];
    for (int32_t i = 0; i < n_against; i++)
        more[i] = &p->against[i].p.from;
    sp_read_ahead ahead;
    answers a[1 + SP_MOST_AGAINST] = {{.step_room = 0}};
    bool is_there = sp_read_ahead_open(&ahead, &p->from, evaluation ? &p->raters.found : NULL, n_against, more), is_new;
    sp_status status = is_there ? SP_OK : sp_no_memory(err);
    for (sp_part part; status == SP_OK && first < end; first += part.count) {
        part = sp_recordings_fit(&p->from, first, end, BLOCK_BYTES / p->step_bytes);
        status = sp_read_ahead_get(&ahead, &part, parts, &is_new, err);
        p->reading_failed |= status != SP_OK;
        if (status == SP_OK && !p->given && first + part.count < end) { /* else paths are read from a file too */
            sp_part next = sp_recordings_fit(&p->from, first + part.count, end, BLOCK_BYTES / p->step_bytes);
            sp_read_ahead_start(&ahead, &next, parts);
        }
        if (status == SP_OK)
            status = run_block(p, &ahead.now, a, evaluation, err);
        if (status == SP_OK)
            sp_run_progress(p->opt, "steps", p->info->offsets[first + part.count], p->info->n_steps);
        if (status == SP_OK)
            status = sp_run_go_on(p->opt, err);
    }
    for (int32_t i = 0; i <= n_against; i++)
        answers_clear(&a[i]);
    sp_read_ahead_close(&ahead);
    return status;
}

/* Recordings first .. end-1: those that fit into memory in blocks, longer ones chunk by chunk where that can be done. */
static sp_status run_range(sp_pipeline *p, int64_t first, int64_t end, sp_evaluation *evaluation, sp_error *err)
{
    sp_status status = SP_OK;
    for (int64_t next; status == SP_OK && first < end; first = next) {
        next = sp_long_recording_next(p, first, end);
        if (next > first)
            status = run_blocks(p, first, next, evaluation, err);
        if (status == SP_OK && next < end)
            status = sp_long_recording_run(p, next++, evaluation, err);
    }
    return status;
}

sp_status sp_pipeline_run(sp_pipeline *p, sp_evaluation *evaluation, sp_error *err)
{
    sp_status status = p->sink ? p->sink->open(p->sink->arg, err) : SP_OK;
    int64_t first = p->first;
    for (int64_t end; status == SP_OK && (end = sp_part_next(p, &first)) > first; first = end)
        status = run_range(p, first, end, evaluation, err);
    sp_run_progress(p->opt, NULL, 0, 0);
    if (status == SP_OK && !p->given)
        summarise(p);
    for (int32_t i = 0; status == SP_OK && i < p->n_against; i++)
        summarise(&p->against[i].p);
    return status;
}

/* The pipeline as it decodes once more: quiet, and for the steps alone. */
static sp_pipeline again_of(const sp_pipeline *p, sp_run_options *quiet)
{
    *quiet = *p->opt;
    quiet->hooks = (sp_run_hooks){.arg = quiet->hooks.arg, .is_stopped = quiet->hooks.is_stopped};
    sp_pipeline again = *p;
    again.opt = quiet;
    again.sink = NULL;
    again.has_nll = false;
    again.raters = (sp_rater_labels){.found = {.n_raters = 0}};
    again.subjects = NULL;
    again.wake_stages = NULL;
    return again;
}

sp_status sp_pipeline_run_again(const sp_pipeline *p, int64_t n, const int64_t *recordings, sp_evaluation *evaluation,
                                sp_error *err)
{
    sp_run_options quiet;
    sp_pipeline again = again_of(p, &quiet);
    sp_status status = SP_OK;
    again.against = p->n_against ? malloc((size_t)p->n_against * sizeof *again.against) : NULL;
    if (p->n_against && !again.against)
        return sp_no_memory(err);
    for (int32_t i = 0; i < p->n_against; i++) {
        sp_rival *one = &again.against[i];
        *one = p->against[i];
        one->p = again_of(&p->against[i].p, &one->options);
        one->room = NULL;
        one->room_bytes = 0;
    }
    for (int64_t i = 0, next; status == SP_OK && i < n; i = next) {
        for (next = i + 1; next < n && recordings[next] == recordings[next - 1] + 1;)
            next++;
        status = run_range(&again, recordings[i], recordings[next - 1] + 1, evaluation, err);
    }
    for (int32_t i = 0; i < p->n_against; i++)
        free(again.against[i].room);
    free(again.against);
    return status;
}
