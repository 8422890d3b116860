/* sp_evaluate_file(): paths that are there already are read and evaluated. */
#include <stdlib.h>

#include "pipeline/evaluation.h"
#include "pipeline/judge.h"

/* Steps looked at at a time. */
enum { BLOCK_STEPS = 4 << 20 };

static sp_status judge_block(sp_judge *j, int64_t first, int64_t count, sp_block *block, sp_evaluation *evaluation, sp_error *err)
{
    const int64_t *stored = j->info->offsets + first, steps = sp_judge_room(j, first, count);
    const bool has_labels = j->has_labels;
    size_t S = (size_t)steps + 1, N = (size_t)count + 1;
    int64_t *offsets = malloc(N * sizeof *offsets), *segments = j->info->has_segments ? malloc(S * sizeof *segments) : NULL;
    int32_t *labels = has_labels ? malloc(S * sizeof *labels) : NULL, *paths[SP_RUN_STRATEGIES] = {NULL};
    sp_decoded *results[SP_RUN_STRATEGIES] = {NULL};
    bool has_memory = offsets && (segments || !j->info->has_segments) && (labels || !has_labels);
    for (int32_t s = 0; s < j->run.n_strategies; s++) {
        paths[s] = malloc(S * sizeof *paths[s]);
        results[s] = malloc(N * sizeof *results[s]);
        has_memory &= paths[s] && results[s];
    }
    sp_status status = has_memory ? SP_OK : sp_fail(err, SP_ENOMEM, "no memory for %lld steps", (long long)steps);
    for (int64_t n = 0; status == SP_OK && n <= count; n++)
        offsets[n] = j->offsets[first + n] - j->offsets[first];
    if (status == SP_OK && segments)
        status = sp_paths_reader_labels(j->reader, first, count, NULL, segments, err);
    if (status == SP_OK && segments)
        sp_judge_cut(j, first, count, stored, sizeof *segments, segments);
    if (status == SP_OK)
        status = sp_raters_reserve(&j->run.scorers, steps, err);
    if (status == SP_OK && labels)
        status = sp_judge_read_labels(j, first, count, block, labels, err);
    for (int32_t s = 0; status == SP_OK && s < j->run.n_strategies; s++) {
        status = j->csv ? sp_csv_paths_read(j->csv, first, count, paths[s], results[s], err)
                        : sp_paths_reader_read(j->reader, j->strategy[s], first, count, paths[s], results[s], err);
        for (int64_t n = 0; status == SP_OK && n < count; n++)
            j->run.undecoded[s] += results[s][n].status != SP_OK;
        if (status == SP_OK)
            sp_judge_cut(j, first, count, stored, sizeof *paths[s], paths[s]);
    }
    if (status == SP_OK) {
        sp_evaluation_block add = {.n_recordings = count,
                                   .offsets = offsets,
                                   .ids = j->info->ids ? j->info->ids + first : NULL,
                                   .labels = labels,
                                   .segments = segments,
                                   .paths = (const int32_t *const *)paths,
                                   .results = (const sp_decoded *const *)results,
                                   .scorers = (const int32_t *const *)j->run.scorers.labels,
                                   .subject = j->run.subjects ? j->run.subjects->of_recording + first : NULL,
                                   .cut_path_steps = j->cut_path_steps ? j->cut_path_steps + first : NULL,
                                   .cut_label_steps = j->cut_label_steps ? j->cut_label_steps + first : NULL};
        status = sp_evaluation_add(evaluation, &add, j->run.workers, err);
    }
    for (int32_t s = 0; s < j->run.n_strategies; s++) {
        free(paths[s]);
        free(results[s]);
    }
    free(labels);
    free(segments);
    free(offsets);
    return status;
}

/* Recordings first .. end-1: those that fit into memory in blocks, longer ones piece by piece. */
static sp_status judge_recordings(sp_judge *j, sp_block *block, int64_t first, int64_t end, sp_evaluation *evaluation,
                                  sp_error *err)
{
    sp_status status = SP_OK;
    while (status == SP_OK && first < end) {
        int64_t count = 1;
        while (!sp_judge_is_long(j, first) && first + count < end && !sp_judge_is_long(j, first + count) &&
               j->info->offsets[first + count + 1] - j->info->offsets[first] <= BLOCK_STEPS)
            count++;
        status = sp_judge_is_long(j, first) ? sp_judge_long(j, first, evaluation, err)
                                            : judge_block(j, first, count, block, evaluation, err);
        first += count;
        if (status == SP_OK)
            status = sp_run_go_on(j->run.opt, err);
        sp_run_progress(j->run.opt, "steps", j->info->offsets[first], j->info->n_steps);
    }
    return status;
}

static sp_status run(void *arg, int64_t n, const int64_t *recordings, sp_evaluation *evaluation, sp_error *err)
{
    sp_judge *j = arg, again = *j;
    sp_block *block = sp_block_new();
    sp_status status = block ? SP_OK : sp_fail(err, SP_ENOMEM, "no memory");
    if (status == SP_OK && n < 0)
        status = judge_recordings(j, block, 0, j->info->n_recordings, evaluation, err);
    sp_run_options quiet = *j->run.opt; /* once more, for their steps alone: what is counted stays as it is */
    quiet.hooks.progress = NULL;
    again.run.opt = &quiet;
    again.run.has_nll = false;
    again.run.wake_stages = NULL;
    again.run.scorers = (sp_raters){.found = {.n_scorers = 0}};
    again.run.subjects = NULL;
    for (int64_t i = 0; status == SP_OK && i < n; i++)
        status = judge_recordings(&again, block, recordings[i], recordings[i] + 1, evaluation, err);
    sp_block_free(block);
    return status;
}

sp_status sp_evaluate_file(const char *file, const sp_run_options *o, sp_comparison **out, sp_run_result *result, sp_error *err)
{
    const bool is_legal[SP_RUN_STRATEGIES] = {false}; /* of paths from elsewhere legality is counted, never assumed */
    sp_judge j = {.run = {.opt = o, .file = file}};
    sp_status status = sp_judge_open(&j, file, err);
    if (status == SP_OK) {
        sp_evaluated what = {.has_labels = j.has_labels,
                             .has_path_scores = !j.cut_path_steps, /* they are of whole paths */
                             .has_length_trim = j.cut_path_steps != NULL,
                             .is_legal = is_legal,
                             .source = j.labels.source,
                             .reader = j.reader,
                             .column_of_label = j.labels.column_of_label,
                             .file_size = j.info->file_size,
                             .input_classes = j.path_codes ? NULL : j.info->classes,
                             .path_codes = j.path_codes ? sp_codes_name(j.path_codes) : NULL,
                             .run = run,
                             .arg = &j};
        for (int s = 0; s < j.run.n_strategies; s++)
            what.has_path_scores &= j.info->has_path_scores[j.strategy[s]];
        status = sp_pipeline_evaluate(&j.run, &what, out, err);
    }
    sp_pipeline_count(&j.run, result);
    sp_judge_close(&j);
    return status;
}
