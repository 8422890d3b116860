/* Paths that are there already: read, and told what their labels are in their columns. */
#include <string.h>

#include "core/try.h"
#include "pipeline/path_source.h"

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

const sp_path_source sp_given_source = {.labels_parts = SP_BLOCK_ALL & ~(unsigned)SP_BLOCK_SEGMENTS,
                                        .check_labels = check_labels,
                                        .read = read_paths,
                                        .block = tell_block};
