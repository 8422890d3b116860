/* The mask ceiling: the best accuracy that any allowed path could have. Viterbi over scores that are 1 where a class is the
 * reference and 0 elsewhere (an unscored step is 0 for every class), with every allowed transition weighing 0. */
#include "evaluate/evaluation.h"

static const int64_t max_bytes = INT64_C(64) << 20; /* of scores at a time */

/* Recordings from `first` on whose scores fit together; at least one. */
static int64_t group_end(const sp_evaluation_block *block, int64_t first, int64_t max_steps)
{
    int64_t last = first + 1;
    while (last < block->n_recordings && block->offsets[last + 1] - block->offsets[first] <= max_steps)
        last++;
    return last;
}

/* Room for one group. */
typedef struct group {
    float *scores;       /* [S,K] */
    int32_t *paths;      /* [S] */
    int64_t *offsets;    /* [N+1] */
    sp_decoded *results; /* [N] */
} group;

static bool group_open(group *g, int64_t n_steps, int64_t n_recordings, int32_t K)
{
    size_t S = (size_t)(n_steps > 0 ? n_steps : 1), N = (size_t)n_recordings;
    *g = (group){0};
    if (S > SIZE_MAX / sizeof *g->scores / (size_t)K)
        return false;
    g->scores = calloc(S * (size_t)K, sizeof *g->scores);
    g->paths = malloc(S * sizeof *g->paths);
    g->offsets = malloc((N + 1) * sizeof *g->offsets);
    g->results = malloc(N * sizeof *g->results);
    return g->scores && g->paths && g->offsets && g->results;
}

static void group_close(group *g)
{
    free(g->scores);
    free(g->paths);
    free(g->offsets);
    free(g->results);
}

static sp_status add_group(sp_evaluation *e, const sp_evaluation_block *block, int64_t first, int64_t last, sp_workers *workers,
                           sp_error *err)
{
    int64_t from = block->offsets[first], S = block->offsets[last] - from;
    const int32_t *labels = block->labels + from;
    group g;
    if (!group_open(&g, S, last - first, e->K)) {
        group_close(&g);
        return sp_fail(err, SP_ENOMEM, "no memory for the mask ceiling of %lld steps", (long long)S);
    }
    for (int64_t n = first; n <= last; n++)
        g.offsets[n - first] = block->offsets[n] - from;
    for (int64_t t = 0; t < S; t++)
        if (labels[t] >= 0)
            g.scores[(size_t)t * (size_t)e->K + (size_t)labels[t]] = 1;
    sp_batch batch = {.scores = {.data = g.scores,
                                 .dtype = SP_F32,
                                 .n_classes = e->K,
                                 .n_steps = S,
                                 .segments = block->segments ? block->segments + from : NULL},
                      .n_recordings = last - first,
                      .offsets = g.offsets};
    sp_decode_options options = {.strategy = {SP_VITERBI, 0}};
    sp_decode_output output = {.paths = g.paths, .results = g.results};
    sp_status status = sp_decode_batch(e->rules, &batch, &options, workers, &output, err);
    for (int64_t t = 0; status == SP_OK && t < S; t++)
        e->ceiling_correct += labels[t] >= 0 && g.paths[t] == labels[t];
    for (int64_t n = 0; status == SP_OK && n < last - first; n++)
        e->result->ceiling_infeasible += g.results[n].status != SP_OK;
    group_close(&g);
    return status;
}

sp_status sp_add_ceiling(sp_evaluation *e, const sp_evaluation_block *block, sp_workers *workers, sp_error *err)
{
    sp_workers *own = workers ? NULL : sp_workers_new(1);
    if (!workers && !own)
        return sp_fail(err, SP_ENOMEM, "no memory for the mask ceiling");
    int64_t max_steps = max_bytes / (int64_t)sizeof(float) / e->K;
    sp_status status = SP_OK;
    for (int64_t first = 0, last; status == SP_OK && first < block->n_recordings; first = last) {
        last = group_end(block, first, max_steps);
        status = add_group(e, block, first, last, workers ? workers : own, err);
    }
    sp_workers_free(own);
    return status;
}
