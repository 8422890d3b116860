/* Files of paths that are not HDF5: the paths are kept in a file without name until all are there, and then written in the order
 * of the format. */
#include "io/paths_export.h"
#include "core/try.h"

#include <stdlib.h>

bool sp_paths_writer_takes_tokens(const char *file)
{
    const sp_path_format *format = sp_format_of_paths(file);
    return format && format->takes_tokens;
}

/* ---- opening and closing ---- */

static void free_export(sp_paths_export *e)
{
    sp_kept_paths_close(&e->kept);
    free(e);
}

void sp_paths_export_abort(sp_paths_export *e)
{
    if (!e)
        return;
    sp_text_abort(e->text);
    if (e->has_output)
        sp_output_abort(&e->output);
    free_export(e);
}

sp_status sp_paths_export_open(const char *file, const sp_path_format *format, const sp_paths_header *header,
                               sp_paths_export **out, sp_error *err)
{
    sp_status status = format->check ? format->check(file, header, err) : SP_OK;
    if (status != SP_OK)
        return status;
    sp_paths_export *e = calloc(1, sizeof *e);
    if (!e)
        return sp_no_memory(err);
    e->file = file;
    e->format = format;
    e->kept.fd = -1;
    e->epoch_seconds = header->epoch_seconds;
    e->tokens = header->tokens;
    status = format->is_text ? sp_text_open(file, header->force, header->together, &e->text, err)
                             : sp_output_begin(&e->output, file, header->force, header->input, err);
    e->has_output = status == SP_OK && !format->is_text;
    e->output.together = header->together;
    if (status == SP_OK)
        status = sp_kept_paths_open(&e->kept, file, header, err);
    if (status == SP_OK)
        *out = e;
    else
        sp_paths_export_abort(e);
    return status;
}

/* ---- paths as they come ---- */

sp_status sp_paths_export_add(sp_paths_export *e, int32_t strategy, int64_t first, int64_t n_recordings, int64_t first_step,
                              int64_t n_steps, const sp_decode_output *output, sp_error *err)
{
    return sp_kept_paths_add(&e->kept, strategy, first, n_recordings, first_step, n_steps, output, err);
}

void sp_paths_export_forget(sp_paths_export *e, int64_t n_steps)
{
    e->kept.n_written -= n_steps;
}

sp_status sp_paths_export_add_labels(sp_paths_export *e, int64_t first_step, int64_t n_steps, const int32_t *labels,
                                     sp_error *err)
{
    return sp_kept_paths_add_labels(&e->kept, first_step, n_steps, labels, err);
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
    for (int32_t s = 0; paths && s < info->n_strategies; s++)
        if (!(paths[s] = malloc(((size_t)most + 1) * sizeof **paths)))
            status = sp_no_memory(err);
    if (!paths)
        status = sp_no_memory(err);
    if (status == SP_OK)
        status = e->format->write(e, paths, most, err);
    for (int32_t s = 0; paths && s < info->n_strategies; s++)
        free(paths[s]);
    free(paths);
    return status;
}

sp_status sp_paths_export_commit(sp_paths_export *e, sp_error *err)
{
    sp_status status = sp_kept_paths_check(&e->kept, err);
    if (status == SP_OK)
        status = write_all(e, err);
    if (status != SP_OK) {
        sp_paths_export_abort(e);
        return status;
    }
    status = e->format->is_text ? sp_text_close(e->text, err) : sp_output_commit(&e->output, err);
    free_export(e);
    return status;
}
