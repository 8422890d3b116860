#include "io/holes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const sp_shape_names[] = {"offsets", "lengths", "valid", "ids", NULL};

/* ---- finding ---- */

sp_status sp_holes_lengths(int64_t n, int64_t width, const uint8_t *flags, int64_t *lengths, uint8_t **kept,
                           sp_error *err)
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

/* The first step that takes no part while a later one of its recording does; -1: there is none. */
static int64_t first_hole(int64_t n, const int64_t *offsets, const uint8_t *kept, int64_t *recording)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t end = offsets[i + 1];
        while (end > offsets[i] && !kept[end - 1])
            end--;
        const uint8_t *hole =
            end > offsets[i] ? memchr(kept + offsets[i], 0, (size_t)(end - offsets[i])) : NULL;
        *recording = i;
        if (hole)
            return hole - (kept + offsets[i]);
    }
    return -1;
}

/* Recordings end with their last step that takes part; the flags move up. */
static void cut_ends(int64_t n, int64_t *offsets, uint8_t *kept)
{
    int64_t begin = 0, to = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t end = offsets[i + 1];
        while (end > begin && !kept[end - 1])
            end--;
        memmove(kept + to, kept + begin, (size_t)(end - begin));
        to += end - begin;
        begin = offsets[i + 1];
        offsets[i + 1] = to;
    }
}

sp_status sp_holes_of_labels(int64_t n, int64_t *offsets, const int64_t *labels,
                             const sp_source_options *options, bool is_padded, uint8_t **kept, bool *found,
                             sp_error *err)
{
    const int64_t S = offsets[n];
    int64_t t = 0, recording;
    while (t < S && labels[t] != SP_LABEL_IGNORED)
        t++;
    *found = t < S;
    uint8_t *flags = *kept;
    const bool is_refused =
        flags && options->gaps == SP_GAPS_ERROR && first_hole(n, offsets, flags, &recording) >= 0;
    if (!*found || is_refused)
        return SP_OK;
    if (!flags) {
        if (!(flags = *kept = malloc((size_t)S)))
            return sp_no_memory(err);
        memset(flags, 1, (size_t)S);
    }
    for (; t < S; t++)
        flags[t] &= labels[t] != SP_LABEL_IGNORED;
    if (is_padded && options->needs_scores)
        cut_ends(n, offsets, flags);
    if (!memchr(flags, 0, (size_t)offsets[n])) {
        free(flags);
        *kept = NULL;
    }
    return SP_OK;
}

sp_gaps sp_gaps_of(const char *word)
{
    return strcmp(word, "join") == 0    ? SP_GAPS_JOIN
           : strcmp(word, "break") == 0 ? SP_GAPS_BREAK
                                        : SP_GAPS_ERROR;
}

char *sp_kept_place(const char *what, const char *name)
{
    const char *first = name ? what : "the", *second = name ? name : what;
    const size_t size = strlen(first) + strlen(second) + 2;
    char *place = malloc(size);
    if (place)
        snprintf(place, size, "%s %s", first, second);
    return place;
}

sp_status sp_holes_check(const sp_source *source, sp_gaps gaps, sp_error *err)
{
    const sp_source_info *info = &source->info;
    int64_t n = 0;
    const bool is_said = gaps != SP_GAPS_ERROR || source->own_gaps != SP_GAPS_ERROR;
    const int64_t step =
        source->kept && !is_said ? first_hole(info->n_recordings, info->offsets, source->kept, &n) : -1;
    if (step < 0)
        return SP_OK;
    return sp_fail_at(err, SP_EDATA, step,
                      "%s: %s has a hole: step %lld of recording %s takes no part%s, and a later one does; "
                      "`gaps` join makes its "
                      "neighbours adjacent, `gaps` break begins a new segment after it",
                      info->file, source->kept_place, (long long)step, info->ids[n],
                      source->is_kept_by_labels ? " (-100)" : "");
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
    source->breaks = gaps == SP_GAPS_BREAK || source->own_gaps == SP_GAPS_BREAK;
    source->has_own_segments = info->has_segments;
    info->has_segments |= source->breaks;
    source->has_holes = true;
    info->offsets = offsets;
    info->n_steps = n_kept;
    return SP_OK;
}

sp_status sp_holes_use_others(sp_source *source, uint8_t *kept, sp_gaps gaps, sp_error *err)
{
    sp_source_info *info = &source->info;
    free(source->kept);
    source->kept = kept;
    if (source->has_holes) {
        info->offsets = source->holes.offsets;
        info->n_steps = source->holes.n_steps;
        info->has_segments = source->has_own_segments;
        free(source->kept_offsets);
        free(source->step_at);
    }
    return sp_holes_use(source, gaps, err);
}

void sp_holes_free(sp_source *source)
{
    free(source->kept);
    free(source->kept_place);
    free(source->kept_offsets);
    free(source->step_at);
    sp_block_free(source->with_holes);
}

uint8_t *sp_holes_flags(const sp_holes *holes, int64_t n)
{
    uint8_t *flags = calloc((size_t)holes->n_steps + 1, 1);
    for (int64_t t = 0; flags && t < n; t++)
        flags[holes->step_at[t]] = 1;
    return flags;
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
static void number_stretches(const sp_source *source, int64_t recording, int64_t kept, int64_t n,
                             int64_t *segments)
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
    sp_status status =
        sp_block_reserve(from, wide.count, wide.n_steps, block->n_classes, block->dtype, parts, err);
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
static sp_status
read_classes(sp_source *source, int32_t which, const sp_wanted *wanted, int32_t *out,
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

sp_status sp_holes_read_path(sp_source *source, int32_t strategy, const sp_wanted *wanted, int32_t *out,
                             sp_error *err)
{
    return read_classes(source, strategy, wanted, out, source->format->read_path, err);
}

sp_status sp_holes_read_rater(sp_source *source, int32_t rater, const sp_wanted *wanted, int32_t *out,
                              sp_error *err)
{
    return read_classes(source, rater, wanted, out, source->format->read_rater, err);
}
