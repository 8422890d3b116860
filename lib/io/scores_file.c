/* Files of scores are laid out as files of paths are; this only gives the writer of those another skeleton. */
#include "statepath/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "io/paths_writer.h"

struct sp_scores_writer {
    sp_paths_writer *paths;
    sp_dtype dtype;
    int32_t weights, mask; /* which extra dataset; -1: none */
    int64_t *offsets;      /* [N+1] */
    void *converted;       /* CONVERTED values */
};

enum { CONVERTED = 1 << 15 };

static void writer_free(sp_scores_writer *writer)
{
    if (writer) {
        free(writer->offsets);
        free(writer->converted);
        free(writer);
    }
}

sp_status sp_scores_writer_open(const char *file, const sp_scores_header *header, sp_scores_writer **out,
                                sp_error *err)
{
    sp_scores_writer *writer = calloc(1, sizeof *writer);
    size_t size = ((size_t)header->n_recordings + 1) * sizeof *writer->offsets;
    if (writer) {
        writer->offsets = malloc(size);
        writer->converted = malloc(CONVERTED * sizeof(double));
    }
    if (!writer || !writer->offsets || !writer->converted) {
        writer_free(writer);
        return sp_no_memory(err);
    }
    memcpy(writer->offsets, header->offsets, size);
    writer->dtype = header->dtype;
    char path[32];
    snprintf(path, sizeof path, "/%s", sp_kind_name(header->kind));
    enum { SCORES, BESIDE, MOST_EXTRAS = BESIDE + 2 };
    sp_paths_extra extras[MOST_EXTRAS] = {
        [SCORES] = {.path = path,
                    .type = header->dtype == SP_F32 ? SP_PATHS_F32 : SP_PATHS_F64,
                    .is_per_step = true,
                    .n_columns = header->n_classes}};
    int32_t n_extras = BESIDE;
    writer->weights = writer->mask = -1;
    if (header->with_weights)
        extras[writer->weights = n_extras++] =
            (sp_paths_extra){.path = "/weights", .type = SP_PATHS_F64, .is_per_step = true};
    if (header->with_mask)
        extras[writer->mask = n_extras++] = (sp_paths_extra){
            .path = "/mask", .type = SP_PATHS_BOOL, .is_per_step = true, .n_columns = header->n_classes};
    const sp_paths_header skeleton = {.n_recordings = header->n_recordings,
                                      .n_steps = header->n_steps,
                                      .offsets = header->offsets,
                                      .n_classes = header->n_classes,
                                      .ids = header->ids,
                                      .classes = header->classes,
                                      .with_labels = header->with_labels,
                                      .with_segments = header->with_segments,
                                      .subjects = header->subjects,
                                      .epoch_seconds = header->epoch_seconds,
                                      .command = header->command,
                                      .input = header->input,
                                      .force = header->force,
                                      .n_extras = n_extras,
                                      .extras = extras};
    sp_status status = sp_paths_writer_open(file, &skeleton, &writer->paths, err);
    if (status == SP_OK)
        *out = writer;
    else
        writer_free(writer);
    return status;
}

/* Rows `first`.. of a block in the file's type, in writer->converted; returns how many rows fitted. */
static int64_t convert_rows(sp_scores_writer *writer, const sp_block *block, int64_t first)
{
    int64_t room = CONVERTED / block->n_classes,
            n = block->n_steps - first < room ? block->n_steps - first : room;
    size_t at = (size_t)first * (size_t)block->n_classes, count = (size_t)n * (size_t)block->n_classes;
    const float *narrow = block->scores;
    const double *wide = block->scores;
    for (size_t i = 0; i < count; i++)
        if (writer->dtype == SP_F32)
            ((float *)writer->converted)[i] = (float)wide[at + i];
        else
            ((double *)writer->converted)[i] = (double)narrow[at + i];
    return n;
}

sp_status sp_scores_writer_add(sp_scores_writer *writer, const sp_block *block, sp_error *err)
{
    int64_t first_step = writer->offsets[block->first];
    sp_status status = SP_OK;
    TRY(sp_paths_writer_add_labels(writer->paths, first_step, block->n_steps, block->labels, block->segments,
                                   err));
    if (writer->weights >= 0)
        TRY(sp_paths_writer_put(writer->paths, writer->weights, 0, first_step, block->n_steps, block->weights,
                                err));
    if (writer->mask >= 0)
        TRY(sp_paths_writer_put(writer->paths, writer->mask, 0, first_step, block->n_steps, block->mask,
                                err));
    if (block->dtype == writer->dtype)
        return sp_paths_writer_put(writer->paths, 0, 0, first_step, block->n_steps, block->scores, err);
    if (block->n_classes > CONVERTED)
        return sp_fail(err, SP_EINVAL,
                       "more than %d classes cannot be written in another type than they were read in",
                       CONVERTED);
    for (int64_t t = 0; t < block->n_steps;) {
        int64_t n = convert_rows(writer, block, t);
        TRY(sp_paths_writer_put(writer->paths, 0, 0, first_step + t, n, writer->converted, err));
        t += n;
    }
done:
    return status;
}

sp_status sp_scores_writer_commit(sp_scores_writer *writer, sp_error *err)
{
    sp_status status = sp_paths_writer_commit(writer->paths, err);
    writer_free(writer);
    return status;
}

void sp_scores_writer_abort(sp_scores_writer *writer)
{
    if (writer)
        sp_paths_writer_abort(writer->paths);
    writer_free(writer);
}
