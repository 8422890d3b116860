/* Evaluating paths that are there already: labels, the scores in their file, and paths, cut to the steps that are evaluated. */
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "io/source.h"
#include "pipeline/files/given.h"

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
    memcpy((char *)kept + (size_t)(j->kept.offsets[n] - j->kept.offsets[first]) * size, stored,
           (size_t)(j->kept.offsets[n + 1] - j->kept.offsets[n]) * size);
}

/* Reads all steps of a recording into a list. */
typedef sp_status read_stored(const sp_given *j, int32_t which, int64_t n, void *stored, sp_decoded *result,
                              sp_error *err);

/* Recordings that are cut: each is read whole, `stored` [.] steps of it, and the steps that are evaluated are kept.
 *   recording  [.] which recording of the list's file; NULL: the same */
static sp_status read_cut(const sp_given *j, const sp_part *part, read_stored *read, int32_t which,
                          const int64_t *stored_offsets, const int64_t *recording, size_t size, void *kept,
                          sp_decoded *results, sp_error *err)
{
    const int64_t first = part->recording;
    sp_status status = SP_OK;
    for (int64_t n = first; status == SP_OK && n < first + part->count; n++) {
        const int64_t m = recording ? recording[n] : n;
        void *stored = malloc(((size_t)(stored_offsets[m + 1] - stored_offsets[m]) + 1) * size);
        if (!stored)
            return sp_no_memory(err);
        status = read(j, which, m, stored, results ? results + (n - first) : NULL, err);
        if (status == SP_OK)
            keep(j, first, n, size, stored, kept);
        free(stored);
    }
    return status;
}

/* ---- paths ---- */

static sp_status read_one_path(const sp_given *j, int32_t s, int64_t n, void *stored, sp_decoded *result,
                               sp_error *err)
{
    return sp_paths_reader_read(j->reader, j->strategy[s], n, 1, stored, result, err);
}

sp_status sp_given_read_paths(void *arg, int32_t s, const sp_part *part, int32_t *paths, sp_decoded *results,
                              sp_error *err)
{
    const sp_given *j = arg;
    const int64_t first = part->recording;
    sp_status status =
        j->kept.cut_ours
            ? read_cut(j, part, read_one_path, s, j->info->offsets, NULL, sizeof *paths, paths, results, err)
            : sp_paths_reader_read(j->reader, j->strategy[s], first, part->count, paths, results, err);
    for (int64_t n = 0; status == SP_OK && results && j->are_labels && n < part->count; n++)
        results[n].status = SP_OK;
    return status;
}

static sp_status read_one_segments(const sp_given *j, int32_t which, int64_t n, void *stored,
                                   sp_decoded *result, sp_error *err)
{
    (void)which, (void)result;
    return sp_paths_reader_labels(j->reader, n, 1, NULL, stored, err);
}

static sp_status read_segments(const sp_given *j, const sp_part *part, int64_t *segments, sp_error *err)
{
    const int64_t first = part->recording;
    if (!j->kept.cut_ours)
        return sp_paths_reader_labels(j->reader, first, part->count, NULL, segments, err);
    return read_cut(j, part, read_one_segments, 0, j->info->offsets, NULL, sizeof *segments, segments, NULL,
                    err);
}

/* ---- labels, and the scores in their file ---- */

static sp_status read_source_labels(sp_given *j, const sp_part *part, unsigned parts, sp_block *block,
                                    sp_error *err)
{
    sp_source *source = j->labels.source;
    const int64_t first = part->recording, end = first + part->count;
    sp_status status = SP_OK;
    for (int64_t n = first, run; n < end; n += run) {
        run = run_length(j, n, end);
        TRY(sp_source_read(source, j->labels.recording[n], run, parts, j->read, err));
        for (int64_t r = n; r < n + run; r++)
            sp_copy_steps(block, j->kept.offsets[r] - j->kept.offsets[first], j->read,
                          j->read->offsets[r - n], j->kept.offsets[r + 1] - j->kept.offsets[r]);
    }
done:
    return status;
}

static sp_status read_labels(sp_given *j, const sp_part *part, unsigned parts, sp_block *block, sp_error *err)
{
    const int64_t first = part->recording;
    if (!j->labels.file)
        return sp_paths_reader_labels(j->reader, first, part->count, block->labels, NULL, err);
    return read_source_labels(j, part, parts, block, err);
}

sp_status sp_given_read(void *arg, const sp_part *part, unsigned parts, sp_block *block, sp_error *err)
{
    sp_given *j = arg;
    const sp_source_info *info = &j->shape;
    parts &= sp_info_parts(info);
    sp_status status = SP_OK;
    TRY(sp_block_begin(block, info, part, parts, err));
    if (block->segments)
        TRY(read_segments(j, part, block->segments, err));
    if (parts & ~(unsigned)SP_BLOCK_SEGMENTS)
        TRY(read_labels(j, part, parts & ~(unsigned)SP_BLOCK_SEGMENTS, block, err));
    block->file = j->labels.source ? j->read->file : NULL;
    block->dataset = j->labels.source ? j->read->dataset : NULL;
    block->classes = j->labels.source ? j->read->classes : NULL;
done:
    return status;
}

static sp_status read_one_rater(const sp_given *j, int32_t rater, int64_t n, void *stored, sp_decoded *result,
                                sp_error *err)
{
    (void)result;
    return sp_source_read_rater(j->labels.source, rater, n, 1, stored, err);
}

sp_status sp_given_read_rater(void *arg, int32_t rater, const sp_part *part, int32_t *labels, sp_error *err)
{
    const sp_given *j = arg;
    const sp_reference *l = &j->labels;
    return read_cut(j, part, read_one_rater, rater, l->offsets, l->recording, sizeof *labels, labels, NULL,
                    err);
}
