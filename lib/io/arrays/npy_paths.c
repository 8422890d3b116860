/* Paths as .npy: one path of one recording, int32 [T], -1 where there is none. An array has no room for names of classes. */
#include "core/try.h"
#include "io/arrays/npy.h"
#include "io/paths_export.h"

static sp_status check(const char *file, const sp_paths_header *header, sp_error *err)
{
    if (header->n_strategies > 1)
        return sp_fail(
            err, SP_EINVAL,
            "`output` %s: an .npy holds one array, and there are paths of %d strategies; write .npz or .h5",
            file, (int)header->n_strategies);
    if (header->n_recordings != 1)
        return sp_fail(
            err, SP_EINVAL,
            "`output` %s: an .npy holds the path of one recording, and there are %lld; write .npz or .h5",
            file, (long long)header->n_recordings);
    if (header->other_order)
        return sp_fail(err, SP_EINVAL,
                       "`output` %s: its numbers would be columns of the scores, which are in another order "
                       "than the model's classes, "
                       "and an .npy has no names to say so; write .npz, .csv or .h5",
                       file);
    return SP_OK;
}

static sp_status write_npy(sp_paths_export *e, int32_t **paths, int64_t most, sp_error *err)
{
    const sp_paths_info *info = &e->kept.info;
    char header[SP_NPY_HEADER];
    const size_t n = sp_npy_header_write("i4", info->n_steps, header);
    sp_status status = SP_OK;
    (void)most;
    TRY(sp_output_write(&e->output, header, n, 0, err));
    TRY(sp_kept_paths_read(&e->kept, 0, 0, 1, paths[0], err));
    TRY(sp_output_write(&e->output, paths[0], (size_t)info->n_steps * sizeof **paths, (int64_t)n, err));
done:
    return status;
}

const sp_path_format sp_npy_paths = {.endings = ".npy", .check = check, .write = write_npy};
