#include "io/h5_file.h"
#include "io/source_private.h"

static sp_status read_parts(sp_source *source, int64_t first, int64_t count, sp_block *block, sp_error *err)
{
    sp_h5_map *map = &source->map;
    const int64_t any = (int64_t)INT32_MAX + 1;
    const int64_t limit = source->info.n_classes ? source->info.n_classes : any;
    sp_status status = SP_OK;
    if (block->scores)
        status = sp_h5_part_read(map, &source->scores, first, count, block->dtype == SP_F32 ? SP_TO_F32 : SP_TO_F64, 0,
                                 block->scores, err);
    if (status == SP_OK && block->labels)
        status = sp_h5_part_read(map, &source->labels, first, count, SP_TO_I32, limit, block->labels, err);
    if (status == SP_OK && block->segments)
        status = sp_h5_part_read(map, &source->segments, first, count, SP_TO_I64, 0, block->segments, err);
    if (status == SP_OK && block->weights)
        status = sp_h5_part_read(map, &source->weights, first, count, SP_TO_WEIGHT, 0, block->weights, err);
    if (status == SP_OK && block->mask)
        status = sp_h5_part_read(map, &source->mask, first, count, SP_TO_BOOL, 0, block->mask, err);
    return status;
}

sp_status sp_source_read(sp_source *source, int64_t first, int64_t count, unsigned parts, sp_block *block, sp_error *err)
{
    const sp_source_info *info = &source->info;
    if (first < 0 || count < 0 || first > info->n_recordings - count)
        return sp_fail(err, SP_EINVAL, "%s: recordings %lld to %lld asked for, but it has %lld", info->file, (long long)first,
                       (long long)(first + count - 1), (long long)info->n_recordings);
    unsigned have = (info->has_scores ? SP_BLOCK_SCORES : 0u) | (info->has_labels ? SP_BLOCK_LABELS : 0u) |
                    (info->has_segments ? SP_BLOCK_SEGMENTS : 0u) | (info->has_weights ? SP_BLOCK_WEIGHTS : 0u) |
                    (info->has_mask ? SP_BLOCK_MASK : 0u);
    const int64_t *offsets = info->offsets + first;
    sp_status status =
        sp_block_reserve(block, count, offsets[count] - offsets[0], info->n_classes, info->dtype, parts & have, err);
    if (status != SP_OK)
        return status;
    for (int64_t n = 0; n <= count; n++)
        block->offsets[n] = offsets[n] - offsets[0];
    block->first = first;
    block->file = info->file;
    block->dataset = info->scores_path ? info->scores_path : info->labels_path;
    block->ids = info->ids + first;
    block->classes = info->classes;
    sp_h5_quiet quiet;
    sp_h5_quiet_begin(&quiet);
    status = read_parts(source, first, count, block, err);
    sp_h5_quiet_end(&quiet);
    return status;
}

int64_t sp_source_fit(const sp_source *source, int64_t first, int64_t bytes)
{
    const sp_source_info *info = &source->info;
    int64_t row = (int64_t)(info->n_classes > 0 ? info->n_classes : 1) * (info->has_scores ? (int64_t)info->dtype : 4);
    int64_t steps = bytes / row, n = 0;
    while (first + n < info->n_recordings && info->offsets[first + n + 1] - info->offsets[first] <= steps)
        n++;
    return n > 0 ? n : 1;
}

void sp_source_use_threads(sp_source *source, int n_threads)
{
    sp_h5_part *const parts[] = {&source->scores, &source->labels, &source->segments, &source->weights, &source->mask};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i]->data.direct)
            sp_h5_direct_use_threads(parts[i]->data.direct, n_threads);
    sp_chunk_jobs_free(source->map.jobs);
    source->map.jobs = NULL;
    source->map.n_threads = n_threads;
}
