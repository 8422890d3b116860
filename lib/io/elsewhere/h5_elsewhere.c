#include "io/elsewhere/h5_elsewhere.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/arrays/array_source.h"
#include "io/arrays/npy.h"
#include "io/hdf5/h5_formats.h"

/* One array's values, from the bytes of an .npy. */
static sp_status look_at(sp_stored_file *f, sp_stored *array, sp_error *err)
{
    unsigned char *bytes = NULL;
    int64_t n = 0;
    char where[SP_STORED_WHERE];
    sp_status status = sp_h5_elsewhere_array(f->file, array->name, &bytes, &n, err);
    if (status != SP_OK)
        return status;
    const int64_t length = sp_npy_header_length(bytes, n);
    sp_stored_where(f, array, where);
    status = length < 0 || length > n ? sp_fail(err, SP_EDATA, "%s: is no array of numbers or texts", where)
                                      : sp_npy_header_read(bytes, length, where, array, err);
    if (status == SP_OK && array->count * array->size != n - length)
        status = sp_fail(err, SP_EDATA, "%s: has other values than its type and shape say", where);
    if (status != SP_OK) {
        array->is_known = false;
        free(bytes);
        return status;
    }
    memmove(bytes, bytes + length, (size_t)(n - length));
    array->bytes = bytes;
    return SP_OK;
}

static sp_status add_arrays(sp_stored_file *f, const sp_texts names, int64_t n, sp_error *err)
{
    f->look = look_at;
    if (!(f->arrays = calloc((size_t)n + 1, sizeof *f->arrays)))
        return sp_no_memory(err);
    for (; f->n < n; f->n++) {
        f->arrays[f->n].is_packed = true; /* it can be read again */
        if (!(f->arrays[f->n].name = strdup(names[f->n])))
            return sp_no_memory(err);
    }
    return sp_stored_index(f, err);
}

static sp_status open_h5(sp_source *source, const sp_request *request, sp_error *err)
{
    const sp_source_options *options = request->options;
    const char *place = request->is_paths ? request->paths : options->scores;
    sp_stored_file *f = NULL;
    sp_texts names = NULL;
    int64_t n = 0;
    sp_status status = sp_array_source_new(source, "HDF5", &f, err);
    if (status != SP_OK)
        return status;
    const int fd = sp_stored_open(f->file, &f->file_size, err); /* for the sentence of a file that is not there */
    if (fd < 0)
        return SP_EFILE;
    close(fd);
    status = sp_h5_elsewhere_names(f->file, place, options->labels, &names, &n, err);
    if (status == SP_OK)
        status = add_arrays(f, names, n, err);
    free(names);
    return status == SP_OK ? sp_array_source_fill(source, request, err) : status;
}

/* In groups each recording says it; as from_recordings() of arrays/array_subjects.c. */
static sp_status subjects_of_groups(const sp_source_info *info, const char *name, bool is_asked, sp_subjects **out, sp_error *err)
{
    const char *pattern = info->scores_path ? info->scores_path : info->labels_path;
    const int64_t N = info->n_recordings;
    sp_texts texts = NULL;
    sp_status status = sp_h5_elsewhere_subjects(info->file, pattern, name, N, info->ids, &texts, err);
    if (status != SP_OK)
        return status;
    const bool is_there = N > 0 && (is_asked || *texts[0] || *texts[N - 1]);
    if (is_there)
        status = sp_subjects_of_recordings(N, info->ids, (const char *const *)texts, name, is_asked, info->file, out, err);
    free(texts);
    return status;
}

static sp_status find_subjects(sp_source *source, const char *groups, sp_subjects **out, sp_error *err)
{
    const bool by_ids = groups && (strcmp(groups, "none") == 0 || strncmp(groups, "prefix:", 7) == 0);
    *out = NULL;
    return source->info.layout == SP_LAYOUT_GROUPS && !by_ids
               ? subjects_of_groups(&source->info, groups ? groups : "subject", groups != NULL, out, err)
               : sp_array_source_subjects(source, groups, out, err);
}

static bool is_h5(const sp_file_look *look)
{
    static const char magic[] = "\x89HDF\r\n\x1a\n";
    return look->n >= sizeof magic - 1 && memcmp(look->head, magic, sizeof magic - 1) == 0;
}

const sp_format sp_h5_format = {.name = "an HDF5 file",
                                .endings = ".h5 .hdf5",
                                .recognise = is_h5,
                                .open = open_h5,
                                .close = sp_array_source_close,
                                .read = sp_array_source_read,
                                .read_path = sp_array_source_read_path,
                                .epoch_seconds = sp_array_source_epoch_seconds,
                                .subjects = find_subjects,
                                .list_unused = sp_array_source_list_unused};

const sp_format sp_matlab_format = {.name = "a MATLAB 7.3 file",
                                    .magic = "MATLAB 7.3",
                                    .n_magic = sizeof "MATLAB 7.3" - 1,
                                    .mend = "save it with -v7, or pack it with `statepath convert`"};
