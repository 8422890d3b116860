/* Which writer a file of paths has: the format that the ending of its name asks for, else HDF5. */
#include "io/paths_writer.h"

#include <stdlib.h>

#include "io/hdf5/h5_paths_writer.h"
#include "io/paths_export.h"

/* One of them is there. */
struct sp_paths_writer {
    sp_h5_paths *h5;
    sp_paths_export *other;
};

bool sp_paths_writer_is_h5(const char *file)
{
    return sp_format_of_paths(file) == NULL;
}

sp_status sp_paths_writer_open(const char *file, const sp_paths_header *header, sp_paths_writer **out, sp_error *err)
{
    sp_paths_writer *w = calloc(1, sizeof *w);
    if (!w)
        return sp_no_memory(err);
    const sp_path_format *other = header->n_strategies ? sp_format_of_paths(file) : NULL;
    sp_status status =
        other ? sp_paths_export_open(file, other, header, &w->other, err) : sp_h5_paths_open(file, header, &w->h5, err);
    if (status == SP_OK)
        *out = w;
    else
        free(w);
    return status;
}

sp_status sp_paths_writer_add(sp_paths_writer *w, int32_t strategy, int64_t first, int64_t n_recordings, int64_t first_step,
                              int64_t n_steps, const sp_decode_output *output, sp_error *err)
{
    return w->h5 ? sp_h5_paths_add(w->h5, strategy, first, n_recordings, first_step, n_steps, output, err)
                 : sp_paths_export_add(w->other, strategy, first, n_recordings, first_step, n_steps, output, err);
}

void sp_paths_writer_forget(sp_paths_writer *w, int32_t strategy, int64_t n_steps)
{
    if (w->h5)
        sp_h5_paths_forget(w->h5, strategy, n_steps);
    else
        sp_paths_export_forget(w->other, n_steps);
}

sp_status sp_paths_writer_add_labels(sp_paths_writer *w, int64_t first_step, int64_t n_steps, const int32_t *labels,
                                     const int64_t *segments, sp_error *err)
{
    return w->h5 ? sp_h5_paths_add_labels(w->h5, first_step, n_steps, labels, segments, err)
                 : sp_paths_export_add_labels(w->other, first_step, n_steps, labels, err);
}

sp_status sp_paths_writer_put(sp_paths_writer *w, int32_t extra, int64_t row, int64_t first, int64_t count, const void *values,
                              sp_error *err)
{
    return w->h5 ? sp_h5_paths_put(w->h5, extra, row, first, count, values, err)
                 : sp_fail(err, SP_EINVAL, "such a file holds paths only; write .h5");
}

sp_status sp_paths_writer_commit(sp_paths_writer *w, sp_error *err)
{
    sp_status status = w->h5 ? sp_h5_paths_commit(w->h5, err) : sp_paths_export_commit(w->other, err);
    free(w);
    return status;
}

void sp_paths_writer_abort(sp_paths_writer *w)
{
    if (!w)
        return;
    sp_h5_paths_abort(w->h5);
    sp_paths_export_abort(w->other);
    free(w);
}
