/* The mask ceiling: the best accuracy that any allowed path could have. Viterbi over scores that are 1 where a class is the
 * reference and 0 elsewhere (an unscored step is 0 for every class), with every allowed transition weighing 0. */
#include "core/try.h"
#include "evaluate/evaluate.h"
#include "evaluate/evaluation.h"

#include <string.h>

static const int64_t max_bytes = INT64_C(1) << 20; /* of scores at a time, which stay in the cache */

/* Recordings from `first` on whose scores fit together; at least one. */
static int64_t group_end(const sp_evaluation_block *block, int64_t first, int64_t max_steps)
{
    int64_t last = first + 1;
    while (last < block->n_recordings && block->offsets[last + 1] - block->offsets[first] <= max_steps)
        last++;
    return last;
}

/* scores [n,K], all 0: 1 for the label of each scored step. */
static void set_scores(int32_t K, int64_t n, const int32_t *labels, float *scores)
{
    for (int64_t t = 0; t < n; t++)
        if (labels[t] >= 0)
            scores[(size_t)t * (size_t)K + (size_t)labels[t]] = 1;
}

static int64_t count_correct(int64_t n, const int32_t *labels, const int32_t *path)
{
    int64_t correct = 0;
    for (int64_t t = 0; t < n; t++)
        correct += labels[t] >= 0 && path[t] == labels[t];
    return correct;
}

static sp_status add_group(sp_evaluation *e, const sp_evaluation_block *block, int64_t first, int64_t last,
                           sp_workers *workers, sp_error *err)
{
    int64_t from = block->offsets[first], S = block->offsets[last] - from, N = last - first;
    sp_owned own = {0};
    float *scores = sp_zeros(&own, (size_t)S, (size_t)e->K * sizeof *scores);
    int32_t *labels = sp_zeros(&own, (size_t)S, sizeof *labels),
            *paths = sp_zeros(&own, (size_t)S, sizeof *paths);
    int64_t *offsets = sp_zeros(&own, (size_t)N + 1, sizeof *offsets);
    sp_decoded *results = sp_zeros(&own, (size_t)N, sizeof *results);
    sp_status status = SP_OK;
    TRY(sp_owned_status(&own, err));
    memcpy(labels, block->labels + from, (size_t)S * sizeof *labels);
    for (int64_t n = 0; n < N; n++) {
        offsets[n + 1] = block->offsets[first + n + 1] - from;
        if (e->result->has_wake_trim)
            sp_wake_trim(offsets[n + 1] - offsets[n], e->stage_of_class, e->wake_margin, labels + offsets[n]);
    }
    set_scores(e->K, S, labels, scores);
    sp_batch batch = {.scores = {.data = scores,
                                 .dtype = SP_F32,
                                 .n_classes = e->K,
                                 .n_steps = S,
                                 .segments = block->segments ? block->segments + from : NULL},
                      .n_recordings = N,
                      .offsets = offsets};
    sp_decode_options viterbi = sp_decode_options_default();
    sp_decode_output output = {.paths = paths, .results = results};
    TRY(sp_decode_batch(e->rules, &batch, &viterbi, workers, &output, err));
    e->ceiling_correct += count_correct(S, labels, paths);
    for (int64_t n = 0; n < N; n++)
        e->result->ceiling_infeasible += results[n].status != SP_OK;
done:
    sp_owned_free(&own);
    return status;
}

sp_status sp_add_ceiling(sp_evaluation *e, const sp_evaluation_block *block, sp_workers *workers,
                         sp_error *err)
{
    sp_workers *own = workers ? NULL : sp_workers_new(1);
    if (!workers && !own)
        return sp_no_memory(err);
    int64_t max_steps = max_bytes / (int64_t)sizeof(float) / e->K;
    sp_status status = SP_OK;
    for (int64_t first = 0, last; status == SP_OK && first < block->n_recordings; first = last) {
        last = group_end(block, first, max_steps);
        status = add_group(e, block, first, last, workers ? workers : own, err);
    }
    sp_workers_free(own);
    return status;
}
