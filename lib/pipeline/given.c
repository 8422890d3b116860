/* Paths that are there already: read, and told what their labels are in their columns. */
#include <string.h>

#include "core/try.h"
#include "pipeline/long/long_recording.h"
#include "pipeline/path_source.h"

enum { LOOK_STEPS = 1 << 12 /* of a long recording at a time */ };

/* SP_OK; SP_EDATA (no such class). */
static sp_status check(const sp_pipeline *p, const char *file, int64_t n, const int32_t *labels,
                       sp_error *err)
{
    for (int64_t t = 0; file && t < n; t++)
        if (labels[t] >= p->model->n_classes)
            return sp_fail(err, SP_EDATA,
                           "%s: label %d, but model %s has %d classes; unscored steps are -1, and "
                           "`codes` or `map` "
                           "reads others' numbers",
                           file, labels[t], p->model->name, p->model->n_classes);
    return SP_OK;
}

/* Labels as they come to columns of the paths; in place. SP_OK; SP_EDATA (no such class). */
static sp_status tell(const sp_pipeline *p, int64_t n, int32_t *labels, sp_error *err)
{
    const int32_t *column = p->about.column_of_label;
    const sp_status status = check(p, p->about.labels_file, n, labels, err);
    for (int64_t t = 0; status == SP_OK && column && t < n; t++)
        labels[t] = labels[t] >= 0 ? column[labels[t]] : labels[t];
    return status;
}

static sp_status tell_raters(const sp_pipeline *p, int64_t n, int32_t *const *raters, sp_error *err)
{
    sp_status status = SP_OK;
    for (int32_t i = 0; status == SP_OK && i < p->raters.found.n_raters; i++)
        status = tell(p, n, raters[i], err);
    return status;
}

static sp_status check_labels(const sp_pipeline *p, const sp_block *block, sp_error *err)
{
    const char *file = p->about.labels_file;
    return block->labels && file
               ? check(p, block->file ? block->file : file, block->n_steps, block->labels, err)
               : SP_OK;
}

static sp_status read_paths(sp_pipeline *p, const sp_block *block, sp_answers *a, sp_error *err)
{
    const sp_part part = {.recording = block->first, .count = block->n_recordings};
    sp_status status = SP_OK;
    TRY(sp_answers_reserve(a, p->n_strategies, block, err));
    for (int s = 0; s < p->n_strategies; s++)
        TRY(p->given->read(p->given->arg, s, &part, a->paths[s], a->results[s], err));
done:
    return status;
}

static sp_status tell_block(sp_pipeline *p, sp_block *block, int32_t *const *raters, sp_answers *a,
                            sp_error *err)
{
    sp_status status = SP_OK;
    for (int s = 0; s < p->n_strategies; s++)
        for (int64_t n = 0; n < block->n_recordings; n++)
            p->done.undecoded[s] += a->results[s][n].status != SP_OK;
    if (block->labels)
        TRY(tell(p, block->n_steps, block->labels, err));
    if (raters)
        TRY(tell_raters(p, block->n_steps, raters, err));
done:
    return status;
}

static bool takes_chunks(const sp_pipeline *p)
{
    return p->given->result != NULL;
}

/* Is there a path at all? */
static sp_status look_at(long_recording *r, sp_error *err)
{
    sp_pipeline *p = r->p;
    int32_t path[LOOK_STEPS];
    sp_status status = SP_OK;
    for (int s = 0; s < p->n_strategies; s++) {
        bool is_undecoded = true;
        for (int64_t first = 0; first < r->n_steps; first += LOOK_STEPS) {
            const int64_t rest = r->n_steps - first;
            const sp_part part = {
                .recording = r->recording, .first = first, .n = rest < LOOK_STEPS ? rest : LOOK_STEPS};
            TRY(p->given->read(p->given->arg, s, &part, path, NULL, err));
            for (int64_t t = 0; is_undecoded && t < part.n; t++)
                is_undecoded = path[t] == -1;
        }
        TRY(sp_run_go_on(p->opt, err));
        r->results[s] = p->given->result(p->given->arg, s, r->recording, is_undecoded);
        p->done.undecoded[s] += r->results[s].status != SP_OK;
    }
done:
    return status;
}

static sp_status read_chunk(long_recording *r, const sp_long_chunk *chunk, sp_error *err)
{
    sp_pipeline *p = r->p;
    const sp_block *around = chunk->around;
    const sp_part part = {.recording = r->recording, .first = around->first_step, .n = around->n_steps};
    sp_status status = SP_OK;
    if (around->labels) {
        memcpy(chunk->labels, around->labels, (size_t)around->n_steps * sizeof *chunk->labels);
        TRY(tell(p, around->n_steps, chunk->labels, err));
    }
    TRY(tell_raters(p, around->n_steps, p->raters.labels, err));
    for (int s = 0; s < p->n_strategies; s++)
        TRY(p->given->read(p->given->arg, s, &part, chunk->paths[s], NULL, err));
done:
    return status;
}

const sp_path_source sp_given_source = {.labels_parts = SP_BLOCK_ALL & ~(unsigned)SP_BLOCK_SEGMENTS,
                                        .check_labels = check_labels,
                                        .read = read_paths,
                                        .block = tell_block,
                                        .takes_chunks = takes_chunks,
                                        .recording = look_at,
                                        .chunk = read_chunk,
                                        .tell = tell};
