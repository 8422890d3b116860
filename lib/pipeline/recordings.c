#include "pipeline/recordings.h"

#include "core/numbers.h"

#include <stdlib.h>
#include <string.h>

sp_part sp_recordings_fit(const sp_recordings *r, int64_t first, int64_t end, int64_t steps)
{
    const sp_source_info *info = r->info;
    int64_t n = 1;
    while (first + n < end && info->offsets[first + n + 1] - info->offsets[first] <= steps)
        n++;
    return (sp_part){.recording = first, .count = n};
}

static void copy(void *to, int64_t to_step, const void *from, int64_t from_step, int64_t n, size_t size)
{
    if (to && from)
        memcpy((char *)to + (size_t)to_step * size, (const char *)from + (size_t)from_step * size,
               (size_t)n * size);
}

void sp_copy_steps(sp_block *to, int64_t to_step, const sp_block *from, int64_t from_step, int64_t n)
{
    const size_t K = (size_t)to->n_classes;
    copy(to->scores, to_step, from->scores, from_step, n, K * (size_t)to->dtype);
    copy(to->labels, to_step, from->labels, from_step, n, sizeof *to->labels);
    copy(to->segments, to_step, from->segments, from_step, n, sizeof *to->segments);
    copy(to->weights, to_step, from->weights, from_step, n, sizeof *to->weights);
    copy(to->mask, to_step, from->mask, from_step, n, K);
}

unsigned sp_block_parts(const sp_block *b)
{
    return (b->scores ? SP_BLOCK_SCORES : 0u) | (b->labels ? SP_BLOCK_LABELS : 0u) |
           (b->segments ? SP_BLOCK_SEGMENTS : 0u) | (b->weights ? SP_BLOCK_WEIGHTS : 0u) |
           (b->mask ? SP_BLOCK_MASK : 0u);
}

unsigned sp_info_parts(const sp_source_info *info)
{
    return (info->has_scores ? SP_BLOCK_SCORES : 0u) | (info->has_labels ? SP_BLOCK_LABELS : 0u) |
           (info->has_segments ? SP_BLOCK_SEGMENTS : 0u) | (info->has_weights ? SP_BLOCK_WEIGHTS : 0u) |
           (info->has_mask ? SP_BLOCK_MASK : 0u);
}

sp_status sp_block_begin(sp_block *block, const sp_source_info *info, const sp_part *part, unsigned parts,
                         sp_error *err)
{
    const int64_t count = part->count, *offsets = info->offsets + part->recording;
    const int64_t n_steps = offsets[count] - offsets[0];
    const sp_status status = sp_block_reserve(block, count, n_steps, info->n_classes, info->dtype,
                                              parts & sp_info_parts(info), err);
    if (status != SP_OK)
        return status;
    block->first = part->recording;
    block->first_step = 0;
    for (int64_t r = 0; r <= count; r++)
        block->offsets[r] = offsets[r] - offsets[0];
    block->ids = info->ids ? info->ids + part->recording : NULL;
    return SP_OK;
}

/* ---- arrays ---- */

/* Step of the arrays that a part begins with, and its steps. */
static int64_t part_begin(const sp_source_info *info, const sp_part *part, int64_t *n)
{
    const int64_t *offsets = info->offsets + part->recording;
    *n = offsets[part->count] - offsets[0];
    return offsets[0];
}

static sp_status read_arrays(void *arg, const sp_part *part, unsigned parts, sp_block *block, sp_error *err)
{
    const sp_arrays *a = arg;
    const sp_source_info *info = &a->info;
    int64_t n, begin = part_begin(info, part, &n);
    sp_status status = sp_block_begin(block, info, part, parts, err);
    if (status != SP_OK)
        return status;
    const sp_block all = {.scores = (void *)a->scores,
                          .labels = (int32_t *)a->labels,
                          .segments = (int64_t *)a->segments,
                          .weights = (double *)a->weights,
                          .mask = (uint8_t *)a->mask}; /* only looked at */
    sp_copy_steps(block, 0, &all, begin, n);
    block->file = info->file;
    block->classes = info->classes;
    for (int64_t t = 0; block->labels && t < n; t++)
        if (block->labels[t] < -1 || block->labels[t] >= info->n_classes)
            return sp_fail(err, SP_EDATA, "label %d at step %lld of all: it is a class from 0 to %d, or -1",
                           block->labels[t], (long long)begin + t, info->n_classes - 1);
    for (int64_t t = 0; block->weights && t < n; t++)
        if (!(block->weights[t] >= 0 && block->weights[t] <= SP_WEIGHT_MOST))
            return sp_fail(
                err, SP_EDATA,
                "weight %.6g at step %lld of all: weights are numbers from 0 to 1e290; 0 leaves a step out",
                block->weights[t], (long long)begin + t);
    return SP_OK;
}

static sp_status read_array_rater(void *arg, int32_t rater, const sp_part *part, int32_t *labels,
                                  sp_error *err)
{
    const sp_arrays *a = arg;
    int64_t n, begin = part_begin(&a->info, part, &n);
    (void)err;
    memcpy(labels, a->rater_labels[rater] + begin, (size_t)n * sizeof *labels);
    return SP_OK;
}

sp_recordings sp_recordings_of_arrays(sp_arrays *a)
{
    a->info.n_steps = a->info.offsets[a->info.n_recordings];
    a->info.has_ids = a->info.ids != NULL;
    a->info.has_scores = a->scores != NULL;
    a->info.has_labels = a->labels != NULL;
    a->info.has_segments = a->segments != NULL;
    a->info.has_weights = a->weights != NULL;
    a->info.has_mask = a->mask != NULL;
    return (sp_recordings){.info = &a->info,
                           .n_raters = a->n_raters,
                           .raters = a->raters,
                           .subjects = a->subjects,
                           .read = read_arrays,
                           .read_rater = read_array_rater,
                           .arg = a};
}

/* ---- raters ---- */

void sp_rater_labels_clear(sp_rater_labels *s)
{
    for (int i = 0; i < SP_SOURCE_MAX_RATERS; i++) {
        free(s->labels[i]);
        s->labels[i] = NULL;
    }
    s->room = 0;
}

static sp_status reserve(sp_rater_labels *s, int64_t n_steps, sp_error *err)
{
    if (n_steps < s->room || s->found.n_raters == 0)
        return SP_OK;
    sp_rater_labels_clear(s);
    for (int i = 0; i < s->found.n_raters; i++)
        if (!(s->labels[i] = malloc(((size_t)n_steps + 1) * sizeof *s->labels[i])))
            return sp_no_memory(err);
    s->room = n_steps + 1;
    return SP_OK;
}

sp_status sp_rater_labels_read(sp_rater_labels *s, const sp_recordings *from, const sp_part *part,
                               int64_t n_steps, sp_error *err)
{
    sp_status status = reserve(s, n_steps, err);
    for (int32_t i = 0; status == SP_OK && i < s->found.n_raters; i++)
        status = from->read_rater(from->arg, i, part, s->labels[i], err);
    return status;
}
