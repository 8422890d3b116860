/* Maps of files with one dataset for all recordings: packed, padded, single. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/hdf5/h5_file.h"
#include "io/hdf5/h5_map.h"
#include "io/holes.h"

/* ---- where recordings begin ---- */

/* The place of offsets, lengths ...: as given, else beside the reference if it is there, else NULL. *failed on lack of memory. */
static char *place_find(const sp_h5_map *map, const char *given, const char *name, bool *failed)
{
    char *path = given ? sp_h5_path(given) : sp_h5_path_join(map->base, name);
    if (!path)
        *failed = true;
    if (path && !given && !sp_h5_has_link(map->file, path)) {
        free(path);
        path = NULL;
    }
    return path;
}

static sp_status use_offsets(sp_h5_map *map, const char *path, sp_error *err)
{
    int64_t *offsets = NULL, n = 0;
    sp_status status = sp_h5_read_integers(map->file, map->file_name, path, "name it with `offsets`", &offsets, &n, err);
    if (status != SP_OK)
        return status;
    map->offsets = offsets;
    if (n < 1)
        return sp_fail(err, SP_EDATA,
                       "%s: dataset %s is empty, but must hold where each recording begins and the end, from 0 to %lld",
                       map->file_name, path, (long long)map->n_steps);
    for (int64_t i = 1; i < n; i++)
        if (offsets[i] < offsets[i - 1])
            return sp_fail(
                err, SP_EDATA, "%s: dataset %s goes down from %lld to %lld at value %lld; it must ascend from 0 to %lld",
                map->file_name, path, (long long)offsets[i - 1], (long long)offsets[i], (long long)i, (long long)map->n_steps);
    if (offsets[0] != 0 || offsets[n - 1] != map->n_steps)
        return sp_fail(
            err, SP_EDATA,
            "%s: dataset %s goes from %lld to %lld, but dataset %s has %lld steps; it must begin with 0 and end with %lld "
            "(one value more than there are recordings)",
            map->file_name, path, (long long)offsets[0], (long long)offsets[n - 1], map->path, (long long)map->n_steps,
            (long long)map->n_steps);
    map->n_recordings = n - 1;
    return SP_OK;
}

/* Offsets from lengths [N]. limit: longest allowed, or -1. */
static sp_status offsets_of_lengths(sp_h5_map *map, const char *path, const int64_t *lengths, int64_t n, int64_t limit,
                                    sp_error *err)
{
    map->offsets = malloc(((size_t)n + 1) * sizeof *map->offsets);
    if (!map->offsets)
        return sp_no_memory(err);
    int64_t total = 0;
    map->offsets[0] = 0;
    for (int64_t i = 0; i < n; i++) {
        if (lengths[i] < 0 || (limit >= 0 && lengths[i] > limit))
            return sp_fail(err, SP_EDATA,
                           "%s: dataset %s, recording %lld: length %lld, but dataset %s has room for 0 to %lld steps",
                           map->file_name, path, (long long)i, (long long)lengths[i], map->path,
                           (long long)(limit >= 0 ? limit : map->n_steps));
        if (lengths[i] > INT64_MAX - total)
            return sp_fail(err, SP_EDATA, "%s: dataset %s, recording %lld: length %lld is too large", map->file_name, path,
                           (long long)i, (long long)lengths[i]);
        total += lengths[i];
        map->offsets[i + 1] = total;
    }
    map->n_recordings = n;
    if (limit >= 0)
        map->n_steps = total;
    else if (total != map->n_steps)
        return sp_fail(err, SP_EDATA,
                       "%s: dataset %s adds up to %lld steps, but dataset %s has %lld; the lengths of all recordings "
                       "must add up to its first axis",
                       map->file_name, path, (long long)total, map->path, (long long)map->n_steps);
    return SP_OK;
}

static sp_status use_lengths(sp_h5_map *map, const char *path, int64_t n_padded, sp_error *err)
{
    int64_t *lengths = NULL, n = 0;
    sp_status status = sp_h5_read_integers(map->file, map->file_name, path, "name it with `lengths`", &lengths, &n, err);
    if (status == SP_OK && n_padded >= 0 && n != n_padded) {
        char shape[SP_H5_SHAPE];
        status = sp_fail(err, SP_EDATA, "%s: dataset %s has %lld lengths, but dataset %s has shape %s, so %lld recordings",
                         map->file_name, path, (long long)n, map->path, sp_h5_shape(map->data.rank, map->data.dims, shape),
                         (long long)n_padded);
    }
    if (status == SP_OK)
        status = offsets_of_lengths(map, path, lengths, n, n_padded >= 0 ? map->padded_steps : -1, err);
    free(lengths);
    return status;
}

/* Steps that take part: flags that are not 0, of n padded recordings, or of n packed steps. */
static sp_status read_valid(sp_h5_map *map, const char *path, int64_t n, bool is_padded, uint8_t *flags, sp_error *err)
{
    char shape[SP_H5_SHAPE], other[SP_H5_SHAPE];
    sp_h5_data data;
    sp_status status = sp_h5_data_open(map->file, map->file_name, path, "name it with `lengths`", &data, err);
    if (status != SP_OK)
        return status;
    const int rank = is_padded ? 2 : 1;
    const int64_t width = is_padded ? map->padded_steps : 1;
    int64_t rows = width > 0 ? (1 << 20) / width + 1 : n;
    if (rows > n)
        rows = n;
    unsigned char *raw = malloc((size_t)(rows * width) * data.element.size + 1);
    int64_t *values = malloc(((size_t)(rows * width) + 1) * sizeof *values);
    if (data.rank != rank || (int64_t)data.dims[0] != n || (is_padded && (int64_t)data.dims[1] != width))
        status = sp_fail(err, SP_EDATA, "%s: dataset %s has shape %s, but dataset %s has %s; it must be one flag per %sstep",
                         map->file_name, path, sp_h5_shape(data.rank, data.dims, shape), map->path,
                         sp_h5_shape(map->data.rank, map->data.dims, other), is_padded ? "recording and " : "");
    else if (!raw || !values)
        status = sp_no_memory(err);
    for (int64_t first = 0; status == SP_OK && first < n; first += rows) {
        const int64_t count = first + rows < n ? rows : n - first;
        const hsize_t start[2] = {(hsize_t)first, 0}, size[2] = {(hsize_t)count, (hsize_t)width};
        double bad = 0;
        status = sp_h5_data_read(&data, map->file_name, path, start, size, raw, err);
        int64_t at = status == SP_OK ? sp_element_convert(&data.element, raw, count * width, SP_TO_I64, 0, values, &bad) : -1;
        for (int64_t i = 0; status == SP_OK && at < 0 && i < count * width; i++) {
            flags[first * width + i] = values[i] != 0;
            if (values[i] != 0 && values[i] != 1) {
                at = i;
                bad = (double)values[i];
            }
        }
        if (at >= 0 && is_padded)
            status = sp_fail_at(err, SP_EDATA, at % width, "%s: dataset %s, recording %lld, step %lld: %g is neither 0 nor 1",
                                map->file_name, path, (long long)first + at / width, (long long)at % width, bad);
        else if (at >= 0)
            status = sp_fail(err, SP_EDATA, "%s: dataset %s, step %lld: %g is neither 0 nor 1", map->file_name, path,
                             (long long)first + at, bad);
    }
    free(raw);
    free(values);
    sp_h5_data_close(&data);
    return status;
}

/* Of padded recordings their lengths, and where they have holes map->kept; valid: taken over. */
static sp_status use_kept(sp_h5_map *map, char *valid, int64_t n, bool cuts, sp_error *err)
{
    const size_t N = (size_t)n, T = (size_t)map->padded_steps;
    int64_t *lengths = malloc((N + 1) * sizeof *lengths);
    uint8_t *flags = malloc(N * T + 1);
    map->kept_name = valid;
    sp_status status = lengths && flags ? read_valid(map, valid, n, true, flags, err) : sp_no_memory(err);
    for (int64_t i = 0; status == SP_OK && i < n; i++)
        lengths[i] = map->padded_steps;
    if (status == SP_OK && cuts)
        status = sp_holes_lengths(n, map->padded_steps, flags, lengths, &map->kept, err);
    if (status == SP_OK)
        status = offsets_of_lengths(map, valid, lengths, n, map->padded_steps, err);
    free(lengths);
    if (status == SP_OK && !cuts)
        map->kept = flags;
    else
        free(flags);
    return status;
}

/* Of packed recordings map->kept, where a dataset says which steps take part. */
static sp_status find_packed_kept(sp_h5_map *map, sp_error *err)
{
    bool failed = false;
    map->kept_name = place_find(map, NULL, "valid", &failed);
    if (failed)
        return sp_no_memory(err);
    if (!map->kept_name)
        return SP_OK;
    map->kept = malloc((size_t)map->n_steps + 1);
    return map->kept ? read_valid(map, map->kept_name, map->n_steps, false, map->kept, err) : sp_no_memory(err);
}

/* Nothing says how long they are: as long as the rows. */
static sp_status use_rows(sp_h5_map *map, int64_t n, sp_error *err)
{
    int64_t *lengths = malloc(((size_t)n + 1) * sizeof *lengths);
    for (int64_t i = 0; lengths && i < n; i++)
        lengths[i] = map->padded_steps;
    map->is_unsized = true;
    sp_status status = lengths ? offsets_of_lengths(map, map->path, lengths, n, map->padded_steps, err) : sp_no_memory(err);
    free(lengths);
    return status;
}

sp_status sp_h5_map_unsized(const sp_h5_map *map, sp_error *err)
{
    char shape[SP_H5_SHAPE];
    return sp_fail(err, SP_EDATA,
                   "%s: dataset %s has shape %s, one row a recording, but nothing says how long each is; write a dataset lengths "
                   "[%lld] beside it (all %lld when nothing is padded), or name it with `lengths`",
                   map->file_name, map->path, sp_h5_shape(map->data.rank, map->data.dims, shape), (long long)map->data.dims[0],
                   (long long)map->padded_steps);
}

/* Words alone: what is empty at the end of a row is padding. */
static sp_status use_words(sp_h5_map *map, int64_t n, sp_error *err)
{
    int64_t *lengths = malloc(((size_t)n + 1) * sizeof *lengths);
    map->n_recordings = n;
    sp_status status = lengths ? sp_h5_words_lengths(map, lengths, err) : sp_no_memory(err);
    if (status == SP_OK)
        status = offsets_of_lengths(map, map->path, lengths, n, map->padded_steps, err);
    free(lengths);
    return status;
}

/* ---- layouts of one dataset ---- */

static sp_status map_padded(sp_h5_map *map, const sp_h5_map_request *request, sp_error *err)
{
    char shape[SP_H5_SHAPE];
    bool failed = false;
    const int64_t n = (int64_t)map->data.dims[0];
    map->layout = SP_LAYOUT_PADDED;
    map->padded_steps = (int64_t)map->data.dims[1];
    if (request->offsets)
        return sp_fail(err, SP_EINVAL, "%s: dataset %s has shape %s, one row a recording; offsets do not apply, use `lengths`",
                       map->file_name, map->path, sp_h5_shape(map->data.rank, map->data.dims, shape));
    char *lengths = place_find(map, request->lengths, "lengths", &failed);
    char *valid = lengths ? NULL : place_find(map, NULL, "valid", &failed);
    map->ignores_100 = request->ignores_100 || (!lengths && !valid);
    if (!lengths && !valid)
        valid = place_find(map, NULL, "attention_mask", &failed);
    sp_status status;
    if (failed)
        status = sp_no_memory(err);
    else if (lengths)
        status = use_lengths(map, lengths, n, err);
    else if (!valid && map->data.element.kind == SP_ELEMENT_NONE)
        status = use_words(map, n, err);
    else if (valid)
        return use_kept(map, valid, n, request->cuts, err);
    else
        status = use_rows(map, n, err);
    free(lengths);
    free(valid);
    return status;
}

static sp_status map_packed(sp_h5_map *map, const sp_h5_map_request *request, sp_error *err)
{
    bool failed = false;
    map->n_steps = (int64_t)map->data.dims[0];
    if (request->offsets && request->lengths)
        return sp_fail(err, SP_EINVAL, "%s: `offsets` and `lengths` say the same thing; give one", map->file_name);
    char *offsets = request->lengths ? NULL : place_find(map, request->offsets, "offsets", &failed);
    char *lengths = offsets ? NULL : place_find(map, request->lengths, "lengths", &failed);
    sp_status status = SP_OK;
    map->layout = offsets || lengths ? SP_LAYOUT_PACKED : SP_LAYOUT_SINGLE;
    if (!failed && map->layout == SP_LAYOUT_SINGLE)
        failed = !(map->offsets = calloc(2, sizeof *map->offsets));
    if (failed) {
        status = sp_no_memory(err);
    } else if (offsets) {
        status = use_offsets(map, offsets, err);
    } else if (lengths) {
        status = use_lengths(map, lengths, -1, err);
    } else {
        map->offsets[1] = map->n_steps;
        map->n_recordings = 1;
    }
    free(offsets);
    free(lengths);
    return status;
}

/* ---- names ---- */

static sp_status ids_made_up(sp_h5_map *map, sp_error *err)
{
    if (map->layout == SP_LAYOUT_SINGLE) {
        char *name = sp_file_stem(map->file_name);
        map->ids = name ? sp_texts_copy((const char *const *)&name, 1) : NULL;
        free(name);
    } else {
        map->ids = sp_texts_of_numbers(NULL, map->n_recordings);
    }
    return map->ids ? SP_OK : sp_no_memory(err);
}

static sp_status map_ids(sp_h5_map *map, const sp_h5_map_request *request, sp_error *err)
{
    bool failed = false, is_number;
    char *path = place_find(map, request->ids, "ids", &failed);
    if (failed)
        return sp_no_memory(err);
    if (!path)
        return ids_made_up(map, err);
    int64_t n = 0, a = 0, b = 0;
    sp_status status = sp_h5_texts_dataset(map->file, map->file_name, path, "name it with `ids`", &map->ids, &n, &is_number, err);
    if (status == SP_OK && n != map->n_recordings)
        status = sp_fail(err, SP_EDATA, "%s: dataset %s has %lld ids, but dataset %s has %lld recordings", map->file_name, path,
                         (long long)n, map->path, (long long)map->n_recordings);
    if (status == SP_OK && sp_texts_duplicate((const char *const *)map->ids, n, &a, &b))
        status = sp_fail(err, SP_EDATA, "%s: dataset %s: recordings %lld and %lld are both called '%s'; give each its own id",
                         map->file_name, path, (long long)a, (long long)b, map->ids[a]);
    else if (status == SP_OK && a == -2)
        status = sp_no_memory(err);
    map->has_ids = true;
    free(path);
    return status;
}

sp_status sp_h5_map_open(hid_t file, const char *file_name, const sp_h5_map_request *request, sp_h5_map *map, sp_error *err)
{
    *map = (sp_h5_map){.file = file, .file_name = file_name};
    map->path = strdup(request->path);
    if (!map->path)
        return sp_no_memory(err);
    if (sp_h5_path_has_id(request->path))
        return sp_h5_map_groups(map, request, err);
    map->base = request->base ? strdup(request->base) : sp_h5_path_group(request->path);
    map->first_path = strdup(request->path);
    if (!map->base || !map->first_path)
        return sp_no_memory(err);
    bool is_text = false;
    const hid_t object = H5Dopen2(file, map->path, H5P_DEFAULT);
    sp_status status = object < 0 ? sp_h5_explain(file, file_name, map->path, request->mend, err)
                                  : sp_h5_map_adopt(map, request, object, map->path, &is_text, &map->data, err);
    if (status == SP_OK && !is_text)
        status = sp_h5_filters_check(map->data.id, file_name, map->path, err);
    if (status == SP_OK)
        status = sp_h5_map_check(map, request, &map->data, map->path, 0, err);
    if (status == SP_OK && !is_text)
        status = sp_h5_data_tune(file, file_name, map->path, &map->data, err);
    if (status == SP_OK)
        status = sp_h5_map_describe(map, request, &map->data, map->path, err);
    if (status != SP_OK)
        return status;
    if (map->data.rank == 2 + request->has_class_axis)
        status = map_padded(map, request, err);
    else if ((status = map_packed(map, request, err)) == SP_OK)
        status = find_packed_kept(map, err);
    return status == SP_OK ? map_ids(map, request, err) : status;
}
