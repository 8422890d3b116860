#include "io/holes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- finding ---- */

sp_status sp_holes_lengths(int64_t n, int64_t width, const uint8_t *flags, int64_t *lengths, uint8_t **kept, sp_error *err)
{
    int64_t steps = 0, n_kept = 0;
    for (int64_t i = 0; i < n; i++) {
        const uint8_t *row = flags + i * width;
        lengths[i] = width;
        while (lengths[i] > 0 && !row[lengths[i] - 1])
            lengths[i]--;
        steps += lengths[i];
        for (int64_t t = 0; t < lengths[i]; t++)
            n_kept += row[t] != 0;
    }
    if (n_kept == steps)
        return SP_OK;
    uint8_t *to = *kept = malloc((size_t)steps);
    if (!to)
        return sp_no_memory(err);
    for (int64_t i = 0; i < n; to += lengths[i++])
        memcpy(to, flags + i * width, (size_t)lengths[i]);
    return SP_OK;
}

char *sp_kept_place(const char *what, const char *name)
{
    const size_t size = strlen(what) + strlen(name) + 2;
    char *place = malloc(size);
    if (place)
        snprintf(place, size, "%s %s", what, name);
    return place;
}

sp_status sp_holes_check(const sp_source *source, sp_gaps gaps, sp_error *err)
{
    const sp_source_info *info = &source->info;
    if (!source->kept || gaps != SP_GAPS_ERROR)
        return SP_OK;
    int64_t n = 0, at = 0;
    while (source->kept[at])
        at++;
    while (info->offsets[n + 1] <= at)
        n++;
    return sp_fail_at(err, SP_EDATA, at - info->offsets[n],
                      "%s: %s has a hole: step %lld of recording %s takes no part, and a later one does; `gaps` join makes its "
                      "neighbours adjacent, `gaps` break begins a new segment after it",
                      info->file, source->kept_place, (long long)(at - info->offsets[n]), info->ids[n]);
}

sp_status sp_holes_use(sp_source *source, sp_gaps gaps, sp_error *err)
{
    sp_source_info *info = &source->info;
    const int64_t N = info->n_recordings, S = info->n_steps, *all = info->offsets;
    if (!source->kept)
        return SP_OK;
    int64_t *offsets = source->kept_offsets = calloc((size_t)N + 1, sizeof *offsets);
    int64_t *step_at = source->step_at = malloc(((size_t)S + 1) * sizeof *step_at);
    if (!offsets || !step_at)
        return sp_no_memory(err);
    int64_t n_kept = 0;
    for (int64_t n = 0; n < N; n++) {
        for (int64_t t = all[n]; t < all[n + 1]; t++)
            if (source->kept[t])
                step_at[n_kept++] = t;
        offsets[n + 1] = n_kept;
    }
    free(source->kept);
    source->kept = NULL;
    source->holes = (sp_holes){.n_steps = S, .offsets = all, .step_at = step_at};
    source->breaks = gaps == SP_GAPS_BREAK;
    source->has_own_segments = info->has_segments;
    info->has_segments |= source->breaks;
    source->has_holes = true;
    info->offsets = offsets;
    info->n_steps = n_kept;
    return SP_OK;
}

void sp_holes_free(sp_source *source)
{
    free(source->kept);
    free(source->kept_place);
    free(source->kept_offsets);
    free(source->step_at);
    sp_block_free(source->with_holes);
}

/* ---- reading ---- */

/* What is wanted, with the holes. *first: its first step among all of the file, with them; *kept: without. */
static sp_wanted widen(const sp_source *source, const sp_wanted *w, int64_t *first, int64_t *kept)
{
    const sp_holes *holes = &source->holes;
    sp_wanted wide = *w;
    *kept = source->info.offsets[w->first] + w->first_step;
    *first = holes->offsets[w->first];
    if (!w->is_part) {
        wide.n_steps = holes->offsets[w->first + w->count] - *first;
    } else if (w->n_steps > 0) {
        wide.first_step = holes->step_at[*kept] - *first;
        wide.n_steps = holes->step_at[*kept + w->n_steps - 1] + 1 - holes->step_at[*kept];
        *first += wide.first_step;
    }
    return wide;
}

/* Rows of `size` bytes: those that take part. */
static void take(const int64_t *step_at, int64_t first, int64_t n, const void *from, void *to, size_t size)
{
    for (int64_t i = 0; to && i < n; i++)
        memcpy((char *)to + (size_t)i * size, (const char *)from + (size_t)(step_at[i] - first) * size, size);
}

/* Segments of steps [n] of `recording` and those after it, from `kept` on, in place of own ones: the step of its recording at
 * which the stretch without holes began, and the own id. At most 2^31 of each are told apart. */
static void number_stretches(const sp_source *source, int64_t recording, int64_t kept, int64_t n, int64_t *segments)
{
    const int64_t *step_at = source->holes.step_at, *offsets = source->info.offsets;
    int64_t begin = kept;
    while (begin > offsets[recording] && step_at[begin - 1] == step_at[begin] - 1)
        begin--;
    for (int64_t t = kept; t < kept + n; t++) {
        while (t >= offsets[recording + 1])
            recording++;
        if (t == offsets[recording] || (t > kept && step_at[t] != step_at[t - 1] + 1))
            begin = t;
        const uint64_t own = source->has_own_segments ? (uint64_t)segments[t - kept] : 0;
        segments[t - kept] = (int64_t)((own << 32) + (uint64_t)(begin - offsets[recording]));
    }
}

sp_status sp_holes_read(sp_source *source, const sp_wanted *wanted, sp_block *block, sp_error *err)
{
    if (!source->has_holes)
        return source->format->read(source, wanted, block, err);
    int64_t first, kept;
    const sp_wanted wide = widen(source, wanted, &first, &kept);
    const unsigned parts = (block->scores ? SP_BLOCK_SCORES : 0u) | (block->labels ? SP_BLOCK_LABELS : 0u) |
                           (block->segments && source->has_own_segments ? SP_BLOCK_SEGMENTS : 0u) |
                           (block->weights ? SP_BLOCK_WEIGHTS : 0u) | (block->mask ? SP_BLOCK_MASK : 0u);
    if (!source->with_holes && !(source->with_holes = sp_block_new()))
        return sp_no_memory(err);
    sp_block *from = source->with_holes;
    from->file = block->file;
    sp_status status = sp_block_reserve(from, wide.count, wide.n_steps, block->n_classes, block->dtype, parts, err);
    if (status == SP_OK)
        status = source->format->read(source, &wide, from, err);
    if (status != SP_OK)
        return status;
    block->file = from->file; /* of several, the one that all is of */
    const int64_t *step_at = source->holes.step_at + kept, n = wanted->n_steps;
    const size_t K = (size_t)block->n_classes;
    take(step_at, first, n, from->scores, block->scores, K * (size_t)block->dtype);
    take(step_at, first, n, from->labels, block->labels, sizeof *block->labels);
    take(step_at, first, n, from->segments, from->segments ? block->segments : NULL, sizeof *block->segments);
    take(step_at, first, n, from->weights, block->weights, sizeof *block->weights);
    take(step_at, first, n, from->mask, block->mask, K);
    if (block->segments && source->breaks)
        number_stretches(source, wanted->first, kept, n, block->segments);
    return SP_OK;
}

/* Classes by a function of the format. */
static sp_status read_classes(sp_source *source, int32_t which, const sp_wanted *wanted, int32_t *out,
                              sp_status (*read)(sp_source *, int32_t, const sp_wanted *, int32_t *, sp_error *), sp_error *err)
{
    if (!source->has_holes)
        return read(source, which, wanted, out, err);
    int64_t first, kept;
    const sp_wanted wide = widen(source, wanted, &first, &kept);
    int32_t *classes = malloc(((size_t)wide.n_steps + 1) * sizeof *classes);
    sp_status status = classes ? read(source, which, &wide, classes, err) : sp_no_memory(err);
    if (status == SP_OK)
        take(source->holes.step_at + kept, first, wanted->n_steps, classes, out, sizeof *out);
    free(classes);
    return status;
}

sp_status sp_holes_read_path(sp_source *source, int32_t strategy, const sp_wanted *wanted, int32_t *out, sp_error *err)
{
    return read_classes(source, strategy, wanted, out, source->format->read_path, err);
}

sp_status sp_holes_read_scorer(sp_source *source, int32_t scorer, const sp_wanted *wanted, int32_t *out, sp_error *err)
{
    return read_classes(source, scorer, wanted, out, source->format->read_scorer, err);
}
