/* Files of paths: HDF5 takes them as they come; for any other format they are kept in a file without name until all are there, and
 * then written in the order of the format. */
#include "io/paths_writer.h"

#include <stdlib.h>

#include "core/try.h"
#include "io/hdf5/h5_paths_writer.h"
#include "io/paths_export.h"

struct sp_paths_writer {
    sp_h5_paths *h5; /* or NULL: another format */
    sp_paths_export other;
};

bool sp_paths_writer_is_h5(const char *file)
{
    return sp_format_of_paths(file) == NULL;
}

/* ---- opening and closing ---- */

void sp_paths_writer_abort(sp_paths_writer *w)
{
    if (!w)
        return;
    sp_h5_paths_abort(w->h5);
    sp_text_abort(w->other.text);
    if (w->other.has_output)
        sp_output_abort(&w->other.output);
    sp_kept_paths_close(&w->other.kept);
    free(w);
}

static sp_status open_other(sp_paths_export *e, const char *file, const sp_path_format *format,
                            const sp_paths_header *header, sp_error *err)
{
    sp_status status = SP_OK;
    e->file = file;
    e->format = format;
    e->epoch_seconds = header->epoch_seconds;
    e->tokens = header->tokens;
    TRY(format->is_text ? sp_text_open(file, header->force, header->together, &e->text, err)
                        : sp_output_begin(&e->output, file, header->force, header->input, err));
    e->has_output = !format->is_text;
    e->output.together = header->together;
    e->texts = header->texts;
    e->has_values = header->n_extras > 0;
    const bool with_values = format->takes_spans || (format->takes_segments && header->with_segments);
    TRY(sp_kept_paths_open(&e->kept, file, header, with_values, err));
done:
    return status;
}

sp_status sp_paths_writer_open(const char *file, const sp_paths_header *header, sp_paths_writer **out,
                               sp_error *err)
{
    const sp_path_format *format = header->n_strategies ? sp_format_of_paths(file) : NULL;
    sp_paths_writer *w = NULL;
    sp_status status = SP_OK;
    TRY(sp_output_name_check(file, header->n_strategies ? "paths" : NULL, err));
    if (format && format->check)
        TRY(format->check(file, header, err));
    if (!(w = calloc(1, sizeof *w)))
        return sp_no_memory(err);
    w->other.kept.fd = -1;
    TRY(format ? open_other(&w->other, file, format, header, err)
               : sp_h5_paths_open(file, header, &w->h5, err));
    *out = w;
    return SP_OK;
done:
    sp_paths_writer_abort(w);
    return status;
}

/* ---- paths as they come ---- */

sp_status sp_paths_writer_add(sp_paths_writer *w, int32_t strategy, int64_t first, int64_t n_recordings,
                              int64_t first_step, int64_t n_steps, const sp_decode_output *output,
                              sp_error *err)
{
    return w->h5 ? sp_h5_paths_add(w->h5, strategy, first, n_recordings, first_step, n_steps, output, err)
                 : sp_kept_paths_add(&w->other.kept, strategy, first, n_recordings, first_step, n_steps,
                                     output, err);
}

sp_status sp_paths_writer_add_steps(sp_paths_writer *w, int32_t strategy, int64_t first_step, int64_t n_steps,
                                    const int32_t *path, sp_error *err)
{
    return sp_h5_paths_add_steps(w->h5, strategy, first_step, n_steps, path, err);
}

sp_status sp_paths_writer_end_steps(sp_paths_writer *w, int32_t strategy, int64_t recording, int64_t n_steps,
                                    const sp_decoded *result, sp_error *err)
{
    return sp_h5_paths_end_steps(w->h5, strategy, recording, n_steps, result, err);
}

sp_status sp_paths_writer_add_labels(sp_paths_writer *w, int64_t first_step, int64_t n_steps,
                                     const int32_t *labels, const int64_t *segments, sp_error *err)
{
    return w->h5 ? sp_h5_paths_add_labels(w->h5, first_step, n_steps, labels, segments, err)
                 : sp_kept_paths_add_labels(&w->other.kept, first_step, n_steps, labels, segments, err);
}

sp_status sp_paths_writer_put(sp_paths_writer *w, int32_t extra, int64_t row, int64_t first, int64_t count,
                              const void *values, sp_error *err)
{
    return w->h5 ? sp_h5_paths_put(w->h5, extra, row, first, count, values, err)
           : w->other.format->takes_spans
               ? sp_kept_paths_put(&w->other.kept, extra, first, count, values, err)
               : sp_fail(err, SP_EINVAL, "such a file holds paths only; write .h5");
}

/* ---- writing ---- */

static sp_status write_all(sp_paths_export *e, sp_error *err)
{
    const sp_paths_info *info = &e->kept.info;
    sp_status status = SP_OK;
    int64_t most = 0;
    for (int64_t first = 0, n; first < info->n_recordings; first += n) {
        n = sp_kept_paths_fit(info, first);
        const int64_t steps = info->offsets[first + n] - info->offsets[first];
        most = steps > most ? steps : most;
    }
    int32_t **paths = calloc((size_t)info->n_strategies + 1, sizeof *paths);
    if (!paths)
        return sp_no_memory(err);
    for (int32_t s = 0; s < info->n_strategies; s++)
        if (!(paths[s] = malloc(((size_t)most + 1) * sizeof **paths)))
            TRY(sp_no_memory(err));
    TRY(e->format->write(e, paths, most, err));
done:
    for (int32_t s = 0; s < info->n_strategies; s++)
        free(paths[s]);
    free(paths);
    return status;
}

sp_status sp_paths_writer_commit(sp_paths_writer *w, sp_error *err)
{
    sp_paths_export *e = &w->other;
    sp_status status = SP_OK;
    if (w->h5) {
        status = sp_h5_paths_commit(w->h5, err);
        w->h5 = NULL;
    } else {
        TRY(sp_kept_paths_check(&e->kept, err));
        TRY(write_all(e, err));
        status = e->format->is_text ? sp_text_close(e->text, err) : sp_output_commit(&e->output, err);
        e->text = NULL; /* closed, whatever it said */
        e->has_output = false;
    }
done:
    sp_paths_writer_abort(w);
    return status;
}
