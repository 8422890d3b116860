/* statepath evaluate: a recording whose paths and labels are too many to be held in memory. */
#include <stdlib.h>

#include "pipeline/judge.h"
#include "pipeline/likelihood.h"
#include "pipeline/long_steps.h"
#include "pipeline/options.h"

enum { AROUND = 4 /* steps of the neighbours that an evaluation looks at */, PIECE_STEPS = 1 << 19 };

typedef struct long_judge {
    sp_judge *j;
    int64_t recording, n_steps, piece_steps;
    bool has_gap;
    sp_wake_bounds sleep;
    sp_block *block; /* of the labels' file */
    int32_t *labels, *paths[SP_RUN_STRATEGIES];
    int64_t *segments;
    sp_decoded results[SP_RUN_STRATEGIES];
} long_judge;

bool sp_judge_is_long(const sp_judge *j, int64_t recording)
{
    if (!j->reader || j->labels.csv || j->cut_path_steps)
        return false;
    const sp_source_info *info = j->labels.info;
    int64_t step = (int64_t)sizeof(int32_t) * (j->run.n_strategies + 1 + j->run.scorers.found.n_scorers) +
                   (j->info->has_segments ? 8 : 0) + (j->run.has_nll ? (int64_t)info->dtype * info->n_classes : 0);
    return j->info->offsets[recording + 1] - j->info->offsets[recording] > sp_long_whole_bytes() / step;
}

static bool long_init(long_judge *l)
{
    size_t room = (size_t)l->piece_steps + 2 * AROUND;
    l->block = sp_block_new();
    l->labels = malloc(room * sizeof *l->labels);
    l->segments = malloc(room * sizeof *l->segments);
    bool is_whole = l->block && l->labels && l->segments;
    for (int32_t s = 0; s < l->j->run.n_strategies; s++)
        is_whole &= (l->paths[s] = malloc(room * sizeof *l->paths[s])) != NULL;
    return is_whole;
}

static void long_clear(long_judge *l)
{
    sp_block_free(l->block);
    free(l->labels);
    free(l->segments);
    for (int32_t s = 0; s < SP_RUN_STRATEGIES; s++)
        free(l->paths[s]);
}

/* ---- reading ---- */

/* Labels as their file numbers the classes: *raw; the block holds `parts` where they have a file of their own. */
static sp_status read_raw(long_judge *l, int64_t first, int64_t n, unsigned parts, const int32_t **raw, sp_error *err)
{
    const sp_judge *j = l->j;
    *raw = l->labels;
    if (!j->labels.file)
        return sp_paths_reader_label_steps(j->reader, l->recording, first, n, l->labels, NULL, err);
    sp_status status = sp_source_read_steps(j->labels.source, j->labels.recording[l->recording], first, n,
                                            parts | SP_BLOCK_LABELS, l->block, err);
    *raw = l->block->labels;
    return status;
}

/* Steps of the file numbered like the paths' columns. */
static sp_status read_labels(long_judge *l, int64_t first, int64_t n, unsigned parts, sp_error *err)
{
    const int32_t *raw;
    sp_status status = read_raw(l, first, n, parts, &raw, err);
    return status == SP_OK && l->j->labels.file ? sp_judge_to_columns(l->j, n, raw, l->labels, err) : status;
}

static sp_status read_for_ceiling(void *arg, int64_t first, int64_t n, const int32_t **labels, const int64_t **segments,
                                  sp_error *err)
{
    long_judge *l = arg;
    const bool has_segments = l->j->info->has_segments;
    if (sp_run_go_on(l->j->run.opt, err) != SP_OK)
        return SP_EFILE;
    if (n > l->piece_steps) { /* pieces of the decoder are its own affair */
        int32_t *more = realloc(l->labels, (size_t)(n + 2 * AROUND) * sizeof *more);
        int64_t *more_segments = more ? realloc(l->segments, (size_t)(n + 2 * AROUND) * sizeof *more_segments) : NULL;
        l->labels = more ? more : l->labels;
        l->segments = more_segments ? more_segments : l->segments;
        if (!more || !more_segments)
            return sp_fail(err, SP_ENOMEM, "no memory for %lld labels", (long long)n);
    }
    sp_status status = read_labels(l, first, n, 0, err);
    if (status == SP_OK && has_segments)
        status = sp_paths_reader_label_steps(l->j->reader, l->recording, first, n, NULL, l->segments, err);
    *labels = l->labels;
    *segments = has_segments ? l->segments : NULL;
    return status;
}

/* What must be known before the first piece: gaps, where sleep begins and ends, whether there is a path at all. */
static sp_status look_through(long_judge *l, sp_error *err)
{
    sp_judge *j = l->j;
    bool is_undecoded[SP_RUN_STRATEGIES];
    int64_t last_segment = 0;
    sp_status status = SP_OK;
    for (int32_t s = 0; s < j->run.n_strategies; s++)
        is_undecoded[s] = true;
    for (int64_t first = 0, n; status == SP_OK && first < l->n_steps; first += n) {
        n = l->n_steps - first < l->piece_steps ? l->n_steps - first : l->piece_steps;
        const int32_t *raw = NULL;
        if (j->has_labels)
            status = read_raw(l, first, n, 0, &raw, err);
        if (status == SP_OK && j->run.wake_stages)
            sp_wake_look(&l->sleep, first, n, j->run.wake_stages, raw);
        if (status == SP_OK && j->info->has_segments)
            status = sp_paths_reader_label_steps(j->reader, l->recording, first, n, NULL, l->segments, err);
        for (int64_t t = 0; status == SP_OK && j->info->has_segments && t < n; t++) {
            l->has_gap |= first + t > 0 && l->segments[t] != last_segment;
            last_segment = l->segments[t];
        }
        for (int32_t s = 0; status == SP_OK && s < j->run.n_strategies; s++) {
            status = sp_paths_reader_read_steps(j->reader, j->strategy[s], l->recording, first, n, l->paths[s], err);
            for (int64_t t = 0; status == SP_OK && is_undecoded[s] && t < n; t++)
                is_undecoded[s] = l->paths[s][t] == -1;
        }
        if (status == SP_OK)
            status = sp_run_go_on(j->run.opt, err);
        sp_run_progress(j->run.opt, "steps", j->info->offsets[l->recording] + (first + n) / 3, j->info->n_steps);
    }
    for (int32_t s = 0; s < j->run.n_strategies; s++) {
        l->results[s] = sp_paths_reader_result(j->reader, j->strategy[s], l->recording, is_undecoded[s]);
        j->run.undecoded[s] += l->results[s].status != SP_OK;
    }
    return status;
}

/* ---- judging ---- */

/* Steps begin .. end-1, of which the piece is those from `first` on. */
static sp_status judge_piece(long_judge *l, sp_evaluation *evaluation, int64_t first, int64_t n, sp_error *err)
{
    sp_judge *j = l->j;
    int64_t begin = first < AROUND ? 0 : first - AROUND, end = first + n + AROUND, before = first - begin;
    end = end < l->n_steps ? end : l->n_steps;
    const unsigned scores = j->run.has_nll ? SP_BLOCK_SCORES | SP_BLOCK_MASK | SP_BLOCK_WEIGHTS : 0;
    sp_status status = j->has_labels ? read_labels(l, begin, end - begin, scores, err) : SP_OK;
    if (status == SP_OK && j->run.has_nll)
        status = sp_judge_prepare(j, l->block, err);
    if (status == SP_OK && j->run.has_nll) {
        int64_t offsets[2];
        sp_block part = sp_long_part(l->block, before, n, offsets);
        status = sp_likelihood_add(&j->run, &part, &l->sleep, err);
    }
    if (status == SP_OK && j->info->has_segments)
        status = sp_paths_reader_label_steps(j->reader, l->recording, begin, end - begin, NULL, l->segments, err);
    if (status == SP_OK)
        status = sp_raters_reserve(&j->run.scorers, end - begin, err);
    const int32_t *paths[SP_RUN_STRATEGIES], *others[SP_SOURCE_MAX_SCORERS];
    for (int32_t i = 0; status == SP_OK && i < j->run.scorers.found.n_scorers; i++) {
        int32_t *labels = j->run.scorers.labels[i];
        status =
            sp_source_read_scorer_steps(j->labels.source, i, j->labels.recording[l->recording], begin, end - begin, labels, err);
        if (status == SP_OK)
            status = sp_judge_to_columns(j, end - begin, labels, labels, err);
        others[i] = labels + before;
    }
    for (int32_t s = 0; status == SP_OK && s < j->run.n_strategies; s++) {
        status = sp_paths_reader_read_steps(j->reader, j->strategy[s], l->recording, begin, end - begin, l->paths[s], err);
        paths[s] = l->paths[s] + before;
    }
    sp_evaluation_piece piece = {.n_steps = n,
                                 .before = before,
                                 .after = end - first - n,
                                 .labels = j->has_labels ? l->labels + before : NULL,
                                 .segments = j->info->has_segments ? l->segments + before : NULL,
                                 .paths = paths,
                                 .scorers = others};
    return status == SP_OK ? sp_evaluation_add_piece(evaluation, &piece, err) : status;
}

static sp_status judge_pieces(long_judge *l, sp_evaluation *evaluation, sp_error *err)
{
    const sp_judge *j = l->j;
    sp_evaluation_recording recording = {.n_steps = l->n_steps,
                                         .id = j->info->ids ? j->info->ids[l->recording] : NULL,
                                         .results = l->results,
                                         .subject = j->run.subjects ? j->run.subjects->of_recording[l->recording] : 0,
                                         .sleep = l->sleep};
    sp_status status = sp_evaluation_begin(evaluation, &recording, err);
    if (status == SP_OK)
        status = sp_evaluation_ceiling(evaluation, l->has_gap, read_for_ceiling, l, j->run.workers, err);
    for (int64_t first = 0; status == SP_OK && first < l->n_steps; first += l->piece_steps) {
        int64_t n = l->n_steps - first < l->piece_steps ? l->n_steps - first : l->piece_steps;
        status = judge_piece(l, evaluation, first, n, err);
        if (status == SP_OK)
            status = sp_run_go_on(j->run.opt, err);
        sp_run_progress(j->run.opt, "steps", j->info->offsets[l->recording] + (l->n_steps + 2 * (first + n)) / 3,
                        j->info->n_steps);
    }
    return status == SP_OK ? sp_evaluation_end(evaluation, err) : status;
}

sp_status sp_judge_long(sp_judge *j, int64_t recording, sp_evaluation *evaluation, sp_error *err)
{
    const int64_t given = sp_long_whole_bytes();
    long_judge l = {.j = j,
                    .recording = recording,
                    .n_steps = j->info->offsets[recording + 1] - j->info->offsets[recording],
                    .piece_steps = given < LONG_WHOLE_BYTES ? 16 + given / 64 : PIECE_STEPS,
                    .sleep = {-1, -1}};
    sp_status status = long_init(&l) ? look_through(&l, err)
                                     : sp_fail(err, SP_ENOMEM, "no memory for pieces of %lld steps", (long long)l.piece_steps);
    if (status == SP_OK)
        status = judge_pieces(&l, evaluation, err);
    long_clear(&l);
    return status;
}
