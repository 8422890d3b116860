#include "io/h5_file.h"
#include "io/source_private.h"

/* What is to be read: recordings first .. first+count-1, or steps of the first. */
typedef struct wanted {
    int64_t first, count;
    bool is_part; /* these steps of it only */
    int64_t first_step, n_steps;
} wanted;

static sp_status read_part(sp_source *source, const sp_h5_part *part, const wanted *w, sp_target target, int64_t limit, void *out,
                           sp_error *err)
{
    if (!out)
        return SP_OK;
    if (w->is_part)
        return sp_h5_part_steps(&source->map, part, w->first, w->first_step, w->n_steps, target, limit, out, err);
    return sp_h5_part_read(&source->map, part, w->first, w->count, target, limit, out, err);
}

static sp_status read_parts(sp_source *source, const wanted *w, sp_block *block, sp_error *err)
{
    const int64_t any = (int64_t)INT32_MAX + 1;
    const int64_t limit = source->info.n_classes ? source->info.n_classes : any;
    const sp_target scores = block->dtype == SP_F32 ? SP_TO_F32 : SP_TO_F64;
    sp_status status = read_part(source, &source->scores, w, scores, 0, block->scores, err);
    if (status == SP_OK && source->codes && block->labels)
        status = sp_h5_part_codes(&source->map, &source->labels, w->first, w->count, w->first_step, w->is_part ? w->n_steps : -1,
                                  source->codes, block->labels, err);
    else if (status == SP_OK)
        status = read_part(source, &source->labels, w, SP_TO_I32, limit, block->labels, err);
    if (status == SP_OK)
        status = read_part(source, &source->segments, w, SP_TO_I64, 0, block->segments, err);
    if (status == SP_OK)
        status = read_part(source, &source->weights, w, SP_TO_WEIGHT, 0, block->weights, err);
    if (status == SP_OK)
        status = read_part(source, &source->mask, w, SP_TO_BOOL, 0, block->mask, err);
    return status;
}

static sp_status read_wanted(sp_source *source, const wanted *w, unsigned parts, sp_block *block, sp_error *err)
{
    const sp_source_info *info = &source->info;
    unsigned have = (info->has_scores ? SP_BLOCK_SCORES : 0u) | (info->has_labels ? SP_BLOCK_LABELS : 0u) |
                    (info->has_segments ? SP_BLOCK_SEGMENTS : 0u) | (info->has_weights ? SP_BLOCK_WEIGHTS : 0u) |
                    (info->has_mask ? SP_BLOCK_MASK : 0u);
    const int64_t *offsets = info->offsets + w->first;
    sp_status status = sp_block_reserve(block, w->count, w->n_steps, info->n_classes, info->dtype, parts & have, err);
    if (status != SP_OK)
        return status;
    block->offsets[0] = 0;
    for (int64_t n = 1; n <= w->count; n++)
        block->offsets[n] = w->is_part ? w->n_steps : offsets[n] - offsets[0];
    block->first = w->first;
    block->first_step = w->first_step;
    block->file = info->file;
    block->dataset = info->scores_path ? info->scores_path : info->labels_path;
    block->ids = info->ids + w->first;
    block->classes = info->classes;
    sp_h5_quiet quiet;
    sp_h5_quiet_begin(&quiet);
    status = read_parts(source, w, block, err);
    sp_h5_quiet_end(&quiet);
    return status;
}

sp_status sp_source_read(sp_source *source, int64_t first, int64_t count, unsigned parts, sp_block *block, sp_error *err)
{
    const sp_source_info *info = &source->info;
    if (first < 0 || count < 0 || first > info->n_recordings - count)
        return sp_fail(err, SP_EINVAL, "%s: recordings %lld to %lld asked for, but it has %lld", info->file, (long long)first,
                       (long long)(first + count - 1), (long long)info->n_recordings);
    const wanted w = {.first = first, .count = count, .n_steps = info->offsets[first + count] - info->offsets[first]};
    return read_wanted(source, &w, parts, block, err);
}

sp_status sp_source_read_steps(sp_source *source, int64_t recording, int64_t first, int64_t n, unsigned parts, sp_block *block,
                               sp_error *err)
{
    const sp_source_info *info = &source->info;
    if (recording < 0 || recording >= info->n_recordings)
        return sp_fail(err, SP_EINVAL, "%s: recording %lld asked for, but it has %lld", info->file, (long long)recording,
                       (long long)info->n_recordings);
    int64_t length = info->offsets[recording + 1] - info->offsets[recording];
    if (first < 0 || n < 0 || first > length - n)
        return sp_fail(err, SP_EINVAL, "%s: steps %lld to %lld of recording %s asked for, but it has %lld", info->file,
                       (long long)first, (long long)(first + n - 1), info->ids[recording], (long long)length);
    const wanted w = {.first = recording, .count = 1, .is_part = true, .first_step = first, .n_steps = n};
    return read_wanted(source, &w, parts, block, err);
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
    sp_h5_part *const parts[] = {&source->scores, &source->labels, &source->segments, &source->weights, &source->mask, NULL};
    for (sp_h5_part *const *part = parts; *part; part++)
        if ((*part)->data.direct)
            sp_h5_direct_use_threads((*part)->data.direct, n_threads);
    sp_chunk_jobs_free(source->map.jobs);
    source->map.jobs = NULL;
    source->map.n_threads = n_threads;
}

void sp_source_use_codes(sp_source *source, const sp_codes *codes)
{
    source->codes = codes;
}
