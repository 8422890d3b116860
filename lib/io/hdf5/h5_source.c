/* HDF5 as a format of sources: its store (h5_store.h), what is what (arrays/array_map.h), and what only its files say. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/try.h"
#include "io/hdf5/h5_file.h"
#include "io/hdf5/h5_formats.h"
#include "io/hdf5/h5_source.h"
#include "io/hdf5/h5_text.h"

static sp_status open_h5(sp_source *source, const sp_request *request, sp_error *err)
{
    sp_stored_file *f = NULL;
    sp_h5_quiet quiet;
    sp_h5_quiet_begin(&quiet);
    sp_status status = SP_OK;
    TRY(sp_array_source_new(source, "HDF5", &f, err));
    TRY(sp_h5_store_open(f, &request->options->access, err));
    source->info.file_size = f->file_size;
    if (request->options->transpose && !request->is_paths)
        TRY(sp_fail(err, SP_EINVAL,
                    "%s: `transpose` is for arrays of .npy and .npz, and this is an HDF5 file", f->file));
    TRY(sp_array_source_fill(source, request, err));
    source->info.is_simulated = sp_h5_has_attribute(sp_h5_store_file(f), "/", "recipe");
done:
    return sp_h5_quiet_end(&quiet, status, err);
}

static void close_h5(void *opened)
{
    sp_h5_quiet quiet;
    sp_h5_quiet_begin(&quiet);
    sp_array_source_close(opened);
    (void)sp_h5_quiet_end(&quiet, SP_OK, NULL);
}

static sp_status read_block(sp_source *source, const sp_wanted *wanted, sp_block *block, sp_error *err)
{
    sp_h5_quiet quiet;
    sp_h5_quiet_begin(&quiet);
    return sp_h5_quiet_end(&quiet, sp_array_source_read(source, wanted, block, err), err);
}

static sp_status read_path(sp_source *source, int32_t strategy, const sp_wanted *wanted, int32_t *out,
                           sp_error *err)
{
    sp_h5_quiet quiet;
    sp_h5_quiet_begin(&quiet);
    return sp_h5_quiet_end(&quiet, sp_array_source_read_path(source, strategy, wanted, out, err), err);
}

static sp_status find_raters(sp_source *source, sp_error *err)
{
    sp_h5_quiet quiet;
    sp_h5_quiet_begin(&quiet);
    return sp_h5_quiet_end(&quiet, sp_array_source_find_raters(source, err), err);
}

static sp_status read_rater(sp_source *source, int32_t rater, const sp_wanted *wanted, int32_t *out,
                            sp_error *err)
{
    sp_h5_quiet quiet;
    sp_h5_quiet_begin(&quiet);
    return sp_h5_quiet_end(&quiet, sp_array_source_read_rater(source, rater, wanted, out, err), err);
}

static sp_status find_subjects(sp_source *source, const sp_groups *groups, sp_subjects **out, sp_error *err)
{
    sp_h5_quiet quiet;
    sp_h5_quiet_begin(&quiet);
    sp_subjects *found = NULL;
    sp_status status = sp_h5_quiet_end(&quiet, sp_array_source_subjects(source, groups, &found, err), err);
    if (status == SP_OK)
        *out = found;
    else
        sp_subjects_free(found);
    return status;
}

static sp_status find_windows(sp_source *source, const char *place, int64_t **start, int64_t **text,
                              sp_error *err)
{
    sp_h5_quiet quiet;
    sp_h5_quiet_begin(&quiet);
    return sp_h5_quiet_end(&quiet, sp_array_source_windows(source, place, start, text, err), err);
}

static void use_threads(sp_source *source, int n_threads)
{
    sp_h5_store_use_threads(&sp_array_source_map(source)->file, n_threads);
}

static sp_status epoch_seconds(sp_source *source, double *seconds, sp_error *err)
{
    sp_h5_quiet quiet;
    sp_h5_quiet_begin(&quiet);
    return sp_h5_quiet_end(&quiet, sp_array_source_epoch_seconds(source, seconds, err), err);
}

/* HDF5's eight bytes stand at the begin, or after a block of the user's: at 512, 1024, 2048 ... */
static bool is_h5(const sp_file_look *look)
{
    static const char magic[] = "\x89HDF\r\n\x1a\n";
    const size_t length = sizeof magic - 1;
    char at[sizeof magic];
    if (look->n >= length && memcmp(look->head, magic, length) == 0)
        return true;
    int fd = look->n == sizeof look->head ? open(look->file, O_RDONLY | O_CLOEXEC) : -1;
    bool is_found = false;
    for (off_t place = sizeof look->head;
         fd >= 0 && !is_found && pread(fd, at, length, place) == (ssize_t)length; place *= 2)
        is_found = memcmp(at, magic, length) == 0;
    if (fd >= 0)
        close(fd);
    return is_found;
}

const sp_format sp_h5_format = {.name = "an HDF5 file",
                                .endings = ".h5 .hdf5",
                                .recognise = is_h5,
                                .open = open_h5,
                                .close = close_h5,
                                .read = read_block,
                                .read_path = read_path,
                                .result = sp_array_source_result,
                                .find_raters = find_raters,
                                .read_rater = read_rater,
                                .epoch_seconds = epoch_seconds,
                                .subjects = find_subjects,
                                .windows = find_windows,
                                .list_unused = sp_h5_source_list_unused,
                                .use_threads = use_threads};
