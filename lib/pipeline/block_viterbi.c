#include "pipeline/block_viterbi.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/numbers.h"
#include "core/owned.h"
#include "core/prepare.h"
#include "core/try.h"
#include "decode/long.h"
#include "pipeline/memory.h"
#include "pipeline/path_source.h"
#include "statepath/stream.h"

enum {
    BLOCK_BYTES = 8 << 20,
    BLOCK_STEPS = 1 << 16,
    FILL_STEPS = 1 << 12 /* at a time, where nothing is known; and between two looks at the memory */
};

bool sp_block_viterbi_can(const sp_pipeline *p)
{
    bool can = p->source->is_decoded && p->from.read_steps && p->n_strategies == 1 &&
               p->strategies[0].kind == SP_VITERBI && p->on_infeasible != SP_INFEASIBLE_RELAX && !p->folds &&
               !p->prepare.windows && p->n_against == 0;
    for (int i = 0; i < p->n_consumers; i++)
        can &= p->consumers[i].steps != NULL;
    return can;
}

/* The stream, and the steps that it has not decided yet. */
typedef struct walk {
    sp_pipeline *p;
    int64_t recording, n_steps, n_put; /* steps whose class is known and handed on */
    double there;                      /* bytes */
    sp_online *online;
    sp_long_score *score;
    sp_block *block;
    int64_t last_segment;
    int64_t n_pending, room; /* steps */
    double *rows;            /* [room,K] their scores */
    int64_t *segments;       /* [room] */
    int32_t *path;           /* [room] */
} walk;

static sp_status lacks(const walk *w, sp_error *err)
{
    return sp_memory_lacks(w->p, w->recording, sp_memory_needed(w->p, w->n_steps), w->there, err);
}

/* Is there room for so many steps more in the stream, which doubles its own by a copy, beside what is held
 * here? */
static bool has_room(const walk *w, int64_t more)
{
    const double K = w->p->info->n_classes, M = sp_chain_n_states(w->p->chain);
    const double held = (double)w->room * (K * sizeof(double) + sizeof(int64_t) + sizeof(int32_t));
    const double step = K * sizeof(double) + 2 * M * sizeof(int32_t) + K * sizeof(int32_t) + 16;
    return held + 3 * step * (double)(sp_online_pending(w->online) + more) <= w->there;
}

static sp_status make_room(walk *w, int64_t n, sp_error *err)
{
    const size_t K = (size_t)w->p->info->n_classes;
    bool is_whole = true;
    if (n <= w->room)
        return SP_OK;
    const int64_t room = n + n / 2;
    w->rows = sp_grown(w->rows, room, K * sizeof *w->rows, &is_whole);
    w->segments = sp_grown(w->segments, room, sizeof *w->segments, &is_whole);
    w->path = sp_grown(w->path, room, sizeof *w->path, &is_whole);
    w->room = is_whole ? room : 0;
    return is_whole ? SP_OK : lacks(w, err);
}

static sp_status put_steps(const walk *w, int64_t first, int64_t n, const int32_t *path, sp_error *err)
{
    const sp_pipeline *p = w->p;
    return sp_consumers_steps(p, 0, p->info->offsets[w->recording] + first, n, path, err);
}

/* The first n of the steps that are pending are decided. */
static sp_status put_decided(walk *w, int64_t n, sp_error *err)
{
    const size_t K = (size_t)w->p->info->n_classes;
    const sp_scores scores = {.data = w->rows,
                              .dtype = SP_F64,
                              .n_classes = (int32_t)K,
                              .n_steps = n,
                              .segments = w->p->info->has_segments ? w->segments : NULL};
    sp_status status = SP_OK;
    if (n == 0)
        return SP_OK;
    TRY(sp_long_score_add(w->score, &scores, w->path, err));
    TRY(put_steps(w, w->n_put, n, w->path, err));
    w->n_put += n;
    w->n_pending -= n;
    memmove(w->rows, w->rows + (size_t)n * K, (size_t)w->n_pending * K * sizeof *w->rows);
    memmove(w->segments, w->segments + n, (size_t)w->n_pending * sizeof *w->segments);
done:
    return status;
}

/* The steps of a block, one by one. */
static sp_status push_block(walk *w, sp_error *err)
{
    const sp_block *b = w->block;
    const size_t K = (size_t)b->n_classes;
    int64_t n_decided = 0;
    sp_status status = SP_OK;
    TRY(make_room(w, w->n_pending + b->n_steps, err));
    for (int64_t t = 0; t < b->n_steps; t++, w->n_pending++) {
        double *row = w->rows + (size_t)w->n_pending * K;
        const int64_t segment = b->segments ? b->segments[t] : 0;
        const bool is_gap = b->first_step + t > 0 && segment != w->last_segment;
        int32_t n = 0;
        if (t % FILL_STEPS == 0 && !has_room(w, FILL_STEPS))
            return lacks(w, err);
        for (size_t k = 0; k < K; k++)
            row[k] = number_get(b->scores, b->dtype, (size_t)t * K + k);
        w->segments[w->n_pending] = w->last_segment = segment;
        status = sp_online_push_exact(w->online, row, is_gap, w->path + n_decided, &n, err);
        if (status == SP_ENOMEM)
            return lacks(w, err);
        TRY(status);
        n_decided += n;
    }
    TRY(put_decided(w, n_decided, err));
done:
    return status;
}

/* Steps to read at a time. */
static int64_t block_steps(const sp_pipeline *p)
{
    const int64_t most = BLOCK_BYTES / p->step_bytes + 1;
    return most < BLOCK_STEPS ? most : BLOCK_STEPS;
}

static sp_status read_block(walk *w, int64_t first, int64_t n, sp_error *err)
{
    sp_pipeline *p = w->p;
    const int64_t first_step = p->info->offsets[w->recording] + first;
    sp_status status = SP_OK;
    TRY(p->from.read_steps(p->from.arg, w->recording, first, n, SP_BLOCK_ALL, w->block, err));
    TRY(sp_prepare(w->block, &p->prepare, p->workers, &p->done.scores, err));
    TRY(sp_consumers_labels(p, first_step, n, w->block->labels, w->block->segments, err));
done:
    return status;
}

/* All steps, until one that no path reaches. */
static sp_status walk_through(walk *w, sp_error *err)
{
    const sp_pipeline *p = w->p;
    const int64_t most = block_steps(p);
    int32_t n = 0;
    sp_status status = SP_OK;
    for (int64_t first = 0, count; first < w->n_steps; first += count) {
        count = w->n_steps - first < most ? w->n_steps - first : most;
        TRY(read_block(w, first, count, err));
        TRY(push_block(w, err));
        sp_run_progress(p->opt, "steps", p->info->offsets[w->recording] + first + count, p->info->n_steps);
        TRY(sp_run_go_on(p->opt, err));
    }
    TRY(sp_online_finish(w->online, w->path, &n, err));
    TRY(put_decided(w, n, err));
done:
    return status;
}

/* Labels of the steps that were not looked at, and -1 for all. */
static sp_status give_up(walk *w, sp_error *err)
{
    const sp_pipeline *p = w->p;
    const int64_t most = block_steps(p), done = w->block->first_step + w->block->n_steps;
    int32_t none[FILL_STEPS];
    sp_status status = SP_OK;
    memset(none, 0xff, sizeof none);
    for (int64_t first = 0, n; first < w->n_steps; first += n) {
        n = w->n_steps - first < FILL_STEPS ? w->n_steps - first : FILL_STEPS;
        TRY(put_steps(w, first, n, none, err));
    }
    for (int64_t first = done, n; first < w->n_steps; first += n) {
        n = w->n_steps - first < most ? w->n_steps - first : most;
        TRY(read_block(w, first, n, err));
    }
done:
    return status;
}

sp_status sp_block_viterbi_run(sp_pipeline *p, int64_t recording, double there, sp_error *err)
{
    const int64_t *offsets = p->info->offsets + recording;
    walk w = {.p = p,
              .recording = recording,
              .n_steps = offsets[1] - offsets[0],
              .there = there,
              .block = sp_block_new(),
              .score = sp_long_score_new(p->chain)};
    sp_decoded result = {.status = SP_OK, .step = -1};
    sp_error fault;
    sp_status status = SP_OK;
    TRY(w.block && w.score ? SP_OK : sp_no_memory(err));
    TRY(sp_online_new_exact(p->chain, -1, &w.online, err));
    status = walk_through(&w, &fault);
    if (status == SP_OK) {
        result.score = sp_long_score_end(w.score);
    } else if (status == SP_ENOPATH || status == SP_EBUG) {
        result = (sp_decoded){.status = status,
                              .step = fault.step,
                              .score = -INFINITY,
                              .recurrence = fault.recurrence,
                              .along_path = fault.along_path};
        TRY(give_up(&w, err));
    } else {
        TRY(sp_fail_at(err, status, fault.step, "%s", fault.message));
    }
    TRY(sp_pipeline_count_failures(p, 0, recording, 1, &result, err));
    TRY(sp_consumers_ended(p, 0, recording, &result, err));
done:
    free(w.rows);
    free(w.segments);
    free(w.path);
    sp_online_free(w.online);
    sp_long_score_free(w.score);
    sp_block_free(w.block);
    return status;
}
