/* Evaluating paths that are there already: labels, scores beside them, and paths, cut to the steps that are evaluated. */
#include <stdlib.h>
#include <string.h>

#include "pipeline/file_given.h"

/* Recordings from n on, before `end`, that follow one another in the file of labels too. */
static int64_t run_length(const sp_given *j, int64_t n, int64_t end)
{
    const int64_t *recording = j->labels.recording;
    int64_t run = 1;
    while (n + run < end && recording[n + run] == recording[n] + run)
        run++;
    return run;
}

/* Steps of recording n that are evaluated, from the `stored` ones of a list to their place in another, which begins with `first`.
 */
static void keep(const sp_given *j, int64_t first, int64_t n, size_t size, const void *stored, void *kept)
{
    memcpy((char *)kept + (size_t)(j->offsets[n] - j->offsets[first]) * size, stored,
           (size_t)(j->offsets[n + 1] - j->offsets[n]) * size);
}

/* ---- paths ---- */

static int64_t stored_steps(const sp_given *j, int64_t n)
{
    return j->info->offsets[n + 1] - j->info->offsets[n];
}

sp_status sp_given_read_paths(void *arg, int32_t s, const sp_part *part, int32_t *paths, sp_decoded *results, sp_error *err)
{
    const sp_given *j = arg;
    const int64_t first = part->recording;
    if (!part->count)
        return sp_paths_reader_read_steps(j->reader, j->strategy[s], first, part->first, part->n, paths, err);
    if (!j->cut_path_steps)
        return sp_paths_reader_read(j->reader, j->strategy[s], first, part->count, paths, results, err);
    sp_status status = SP_OK;
    for (int64_t n = first; status == SP_OK && n < first + part->count; n++) {
        int32_t *stored = malloc(((size_t)stored_steps(j, n) + 1) * sizeof *stored);
        if (!stored)
            return sp_no_memory(err);
        status = sp_paths_reader_read(j->reader, j->strategy[s], n, 1, stored, results + (n - first), err);
        if (status == SP_OK)
            keep(j, first, n, sizeof *stored, stored, paths);
        free(stored);
    }
    return status;
}

sp_decoded sp_given_result(void *arg, int32_t s, int64_t recording, bool is_undecoded)
{
    const sp_given *j = arg;
    return sp_paths_reader_result(j->reader, j->strategy[s], recording, is_undecoded);
}

static sp_status read_segments(const sp_given *j, const sp_part *part, int64_t *segments, sp_error *err)
{
    const int64_t first = part->recording;
    if (!part->count)
        return sp_paths_reader_label_steps(j->reader, first, part->first, part->n, NULL, segments, err);
    if (!j->cut_path_steps)
        return sp_paths_reader_labels(j->reader, first, part->count, NULL, segments, err);
    sp_status status = SP_OK;
    for (int64_t n = first; status == SP_OK && n < first + part->count; n++) {
        int64_t *stored = malloc(((size_t)stored_steps(j, n) + 1) * sizeof *stored);
        if (!stored)
            return sp_no_memory(err);
        status = sp_paths_reader_labels(j->reader, n, 1, NULL, stored, err);
        if (status == SP_OK)
            keep(j, first, n, sizeof *stored, stored, segments);
        free(stored);
    }
    return status;
}

/* ---- labels, and scores beside them ---- */

/* One recording of what was read, from step `at` on, to its place in the block that begins with recording `first`. */
static void keep_all(const sp_given *j, int64_t first, int64_t n, const sp_block *read, int64_t at, sp_block *block)
{
    const size_t K = (size_t)block->n_classes, row = K * (size_t)block->dtype, from = (size_t)at;
    if (block->labels)
        keep(j, first, n, sizeof *block->labels, read->labels + from, block->labels);
    if (block->scores)
        keep(j, first, n, row, (const char *)read->scores + from * row, block->scores);
    if (block->weights)
        keep(j, first, n, sizeof *block->weights, read->weights + from, block->weights);
    if (block->mask)
        keep(j, first, n, K, read->mask + from * K, block->mask);
}

static sp_status read_label_steps(sp_given *j, const sp_part *part, unsigned parts, sp_block *block, sp_error *err)
{
    sp_block *read = j->read;
    sp_status status =
        sp_source_read_steps(j->labels.source, j->labels.recording[part->recording], part->first, part->n, parts, read, err);
    if (status != SP_OK)
        return status;
    const size_t n = (size_t)part->n, K = (size_t)block->n_classes;
    if (block->labels)
        memcpy(block->labels, read->labels, n * sizeof *block->labels);
    if (block->scores)
        memcpy(block->scores, read->scores, n * K * (size_t)block->dtype);
    if (block->weights)
        memcpy(block->weights, read->weights, n * sizeof *block->weights);
    if (block->mask)
        memcpy(block->mask, read->mask, n * K);
    return SP_OK;
}

static sp_status read_source_labels(sp_given *j, const sp_part *part, unsigned parts, sp_block *block, sp_error *err)
{
    const int64_t first = part->recording, end = first + part->count;
    sp_status status = SP_OK;
    if (!part->count)
        return read_label_steps(j, part, parts, block, err);
    for (int64_t n = first, run; status == SP_OK && n < end; n += run) {
        run = run_length(j, n, end);
        status = sp_source_read(j->labels.source, j->labels.recording[n], run, parts, j->read, err);
        for (int64_t r = 0; status == SP_OK && r < run; r++)
            keep_all(j, first, n + r, j->read, j->read->offsets[r], block);
    }
    return status;
}

static sp_status read_labels(sp_given *j, const sp_part *part, unsigned parts, sp_block *block, sp_error *err)
{
    const int64_t first = part->recording;
    if (!j->labels.file)
        return part->count ? sp_paths_reader_labels(j->reader, first, part->count, block->labels, NULL, err)
                           : sp_paths_reader_label_steps(j->reader, first, part->first, part->n, block->labels, NULL, err);
    return read_source_labels(j, part, parts, block, err);
}

sp_status sp_given_read(void *arg, const sp_part *part, unsigned parts, sp_block *block, sp_error *err)
{
    sp_given *j = arg;
    const sp_source_info *info = &j->shape;
    const unsigned there = (info->has_labels ? SP_BLOCK_LABELS : 0u) | (info->has_segments ? SP_BLOCK_SEGMENTS : 0u) |
                           (info->has_scores ? SP_BLOCK_SCORES : 0u) | (info->has_weights ? SP_BLOCK_WEIGHTS : 0u) |
                           (info->has_mask ? SP_BLOCK_MASK : 0u);
    const int64_t count = part->count ? part->count : 1, *kept = j->offsets + part->recording;
    const int64_t n_steps = part->count ? kept[count] - kept[0] : part->n;
    parts &= there;
    sp_status status = sp_block_reserve(block, count, n_steps, info->n_classes, info->dtype, parts, err);
    if (status != SP_OK)
        return status;
    block->first = part->recording;
    block->first_step = part->count ? 0 : part->first;
    for (int64_t r = 0; r <= count; r++)
        block->offsets[r] = part->count ? kept[r] - kept[0] : r * n_steps;
    if (block->segments)
        status = read_segments(j, part, block->segments, err);
    if (status == SP_OK && (parts & ~(unsigned)SP_BLOCK_SEGMENTS))
        status = read_labels(j, part, parts & ~(unsigned)SP_BLOCK_SEGMENTS, block, err);
    block->file = j->labels.source ? j->read->file : NULL;
    block->dataset = j->labels.source ? j->read->dataset : NULL;
    block->classes = j->labels.source ? j->read->classes : NULL;
    block->ids = info->ids ? info->ids + part->recording : NULL;
    return status;
}

sp_status sp_given_read_rater(void *arg, int32_t rater, const sp_part *part, int32_t *labels, sp_error *err)
{
    const sp_given *j = arg;
    const reference *l = &j->labels;
    const int64_t first = part->recording;
    if (!part->count)
        return sp_source_read_scorer_steps(l->source, rater, l->recording[first], part->first, part->n, labels, err);
    sp_status status = SP_OK;
    for (int64_t n = first; status == SP_OK && n < first + part->count; n++) {
        const int64_t m = l->recording[n];
        int32_t *stored = malloc(((size_t)(l->offsets[m + 1] - l->offsets[m]) + 1) * sizeof *stored);
        if (!stored)
            return sp_no_memory(err);
        status = sp_source_read_scorer(l->source, rater, m, 1, stored, err);
        if (status == SP_OK)
            keep(j, first, n, sizeof *stored, stored, labels);
        free(stored);
    }
    return status;
}
