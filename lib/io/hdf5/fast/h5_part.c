#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/hdf5/h5_file.h"
#include "io/hdf5/h5_map.h"

void sp_h5_part_close(sp_h5_part *part)
{
    sp_h5_data_close(&part->data);
    free(part->path);
    free(part->absent);
    sp_label_words_free(part->words);
    free(part->word_at);
    *part = (sp_h5_part){0};
}

static int64_t part_width(const sp_h5_map *map, const sp_h5_part *part)
{
    return part->has_classes ? map->n_classes : 1;
}

sp_status sp_h5_part_check(const sp_h5_map *map, const sp_h5_part *part, const sp_h5_data *data, const char *path,
                           int64_t n_steps, sp_error *err)
{
    hsize_t want[3];
    int rank = 0;
    if (map->layout == SP_LAYOUT_PADDED) {
        want[rank++] = map->data.dims[0];
        want[rank++] = map->data.dims[1];
    } else {
        want[rank++] = (hsize_t)n_steps;
    }
    if (part->has_classes)
        want[rank++] = (hsize_t)map->n_classes;
    bool is_same = data->rank == rank;
    for (int i = 0; is_same && i < rank; i++)
        is_same = data->dims[i] == want[i];
    if (is_same)
        return SP_OK;
    char shape[SP_H5_SHAPE], wanted[SP_H5_SHAPE];
    bool is_one_hot =
        !part->has_classes && map->n_classes > 1 && data->rank == rank + 1 && data->dims[rank] == (hsize_t)map->n_classes;
    return sp_fail(err, SP_EDATA, "%s: dataset %s has shape %s, but must have shape %s to go with %s%s", map->file_name, path,
                   sp_h5_shape(data->rank, data->dims, shape), sp_h5_shape(rank, want, wanted), map->path,
                   is_one_hot ? "; where it is one-hot write the index of the class (argmax over the last axis)"
                              : "; write one for each step, or name another dataset");
}

/* Notes which recordings lack the part. */
static sp_status groups_look(const sp_h5_map *map, sp_h5_part *part, bool is_optional, sp_error *err)
{
    bool failed = false;
    for (int64_t n = 0; n < map->n_recordings && !failed; n++) {
        if (sp_h5_map_has(map, part->path, n, &failed) || failed)
            continue;
        if (!is_optional) {
            char *path = sp_h5_map_path(map, part->path, n);
            sp_status status =
                path ? sp_fail(err, SP_EFILE,
                               "%s: recording %s has no dataset %s; write it for every recording, or name another dataset",
                               map->file_name, map->ids[n], path)
                     : sp_no_memory(err);
            free(path);
            return status;
        }
        if (!part->absent && !(part->absent = calloc((size_t)map->n_recordings, 1))) {
            failed = true;
        } else {
            part->absent[n] = 1;
            part->n_absent++;
        }
    }
    return failed ? sp_no_memory(err) : SP_OK;
}

/* Is there one for each recording where there should be? */
static sp_status path_check(const sp_h5_map *map, const char *path, sp_error *err)
{
    const bool has_id = sp_h5_path_has_id(path);
    if (has_id == (map->layout == SP_LAYOUT_GROUPS))
        return SP_OK;
    return has_id ? sp_fail(err, SP_EINVAL, "%s: %s is one dataset, so %s cannot have {id}", map->file_name, map->path, path)
                  : sp_fail(err, SP_EINVAL, "%s: %s has one dataset a recording, so %s needs {id} too", map->file_name, map->path,
                            path);
}

static sp_status open_data(const sp_h5_map *map, sp_h5_part *part, sp_error *err)
{
    sp_status status = sp_h5_data_open(map->file, map->file_name, part->path, "name another dataset", &part->data, err);
    if (status == SP_OK)
        status = sp_h5_part_check(map, part, &part->data, part->path, map->n_steps, err);
    return status == SP_OK ? sp_h5_data_tune(map->file, map->file_name, part->path, &part->data, err) : status;
}

sp_status sp_h5_part_open(const sp_h5_map *map, char *path, const char *noun, bool has_classes, bool is_optional,
                          sp_h5_part *part, sp_error *err)
{
    *part = (sp_h5_part){.path = path, .noun = noun, .has_classes = has_classes};
    if (!path)
        return sp_no_memory(err);
    const bool may_be_words = strcmp(noun, "label") == 0 || strcmp(noun, "class") == 0;
    sp_status status = path_check(map, path, err);
    if (status == SP_OK && map->layout == SP_LAYOUT_GROUPS) {
        part->is_reference = strcmp(path, map->path) == 0; /* the map has seen all of them */
        status = part->is_reference ? SP_OK : groups_look(map, part, is_optional, err);
    }
    if (status == SP_OK && may_be_words)
        status = sp_h5_part_words(map, part, err);
    if (status == SP_OK && map->layout != SP_LAYOUT_GROUPS && !part->words)
        status = open_data(map, part, err);
    if (status != SP_OK)
        sp_h5_part_close(part);
    return status;
}

/* ---- reading ---- */

/* Reading one stretch of steps: of which recording, in which dataset. */
typedef struct stretch {
    const sp_h5_part *part;
    const char *path;
    sp_target target;
    int64_t limit;
} stretch;

/* The sentence for value `at` (counted in values) of steps that begin with `step` of recording n, or in packed layouts with row
 * `step` of the dataset. */
static sp_status bad_value(const sp_h5_map *map, const stretch *s, int64_t n, int64_t step, int64_t at, double bad, sp_error *err)
{
    const int64_t width = part_width(map, s->part);
    int64_t t = step + at / width;
    if (map->layout == SP_LAYOUT_PACKED || map->layout == SP_LAYOUT_SINGLE) {
        int64_t low = 0, high = map->n_recordings; /* the last recording that begins at or before row t and is not empty */
        while (high - low > 1) {
            int64_t middle = low + (high - low) / 2;
            if (map->offsets[middle] <= t)
                low = middle;
            else
                high = middle;
        }
        n = low;
        t -= map->offsets[n];
    }
    char what[SP_ELEMENT_REFUSAL], class[40] = "";
    sp_element_refuse(s->part->noun, s->target, s->limit, bad, what);
    if (s->part->has_classes)
        snprintf(class, sizeof class, ", class %lld", (long long)(at % width));
    return sp_fail_at(err, SP_EDATA, t, "%s: dataset %s, recording %s, step %lld%s: %s", map->file_name, s->path, map->ids[n],
                      (long long)t, class, what);
}

/* Reads `count` steps into out. Raw values no larger than the target's go where they end with it and grow in place; larger ones
 * go by the scratch. start: where the steps begin in the dataset (its first `rank_steps` dimensions). */
static sp_status read_stretch(sp_h5_map *map, const stretch *s, const sp_h5_data *data, int64_t n, const hsize_t *start,
                              int rank_steps, int64_t count, void *out, sp_error *err)
{
    const int64_t values = count * part_width(map, s->part);
    const size_t to = sp_target_size(s->target), from = data->element.size;
    hsize_t begin[3] = {0}, size[3] = {1, 1, 1};
    for (int i = 0; i < rank_steps; i++)
        begin[i] = start[i];
    size[rank_steps - 1] = (hsize_t)count;
    if (s->part->has_classes)
        size[rank_steps] = (hsize_t)map->n_classes;
    if (values == 0)
        return SP_OK;
    unsigned char *raw =
        from <= to ? (unsigned char *)out + (size_t)values * (to - from) : sp_h5_map_scratch(map, (size_t)values * from);
    if (!raw)
        return sp_no_memory(err);
    sp_status status = sp_h5_data_read(data, map->file_name, s->path, begin, size, raw, err);
    if (status != SP_OK)
        return status;
    double bad = 0;
    int64_t at = sp_element_convert(&data->element, raw, values, s->target, s->limit, out, &bad);
    return at < 0 ? SP_OK : bad_value(map, s, n, (int64_t)start[rank_steps - 1], at, bad, err);
}

/* Lets a recording's chunks be unpacked together with those of others. False: to be read by itself, which also finds the words
 * for what is wrong. */
static bool read_later(const stretch *s, const sp_h5_data *data, sp_chunk_jobs *jobs, unsigned char *out)
{
    const sp_h5_request request = sp_h5_data_request(data);
    return jobs && data->dims[0] > 0 && sp_element_is(&data->element, s->target) &&
           sp_h5_direct_gather(&request, jobs, out) == SP_OK;
}

/* ---- groups ---- */

/* Recordings of one dataset each on their way: by the places that were noted, by their chunks, or each opened by itself. */
typedef struct group_read {
    stretch s;
    int64_t first, count;
    const sp_h5_places *places; /* or NULL */
    sp_chunk_jobs *jobs;        /* NULL: no chunk has to wait */
    unsigned char *out, *wide;  /* wide: values of up to 8 bytes for all steps; made as it is needed */
} group_read;

static int64_t group_values(const sp_h5_map *map, const group_read *r, int64_t n)
{
    return (map->offsets[n] - map->offsets[r->first]) * part_width(map, r->s.part); /* that come before recording n */
}

static unsigned char *group_out(const sp_h5_map *map, const group_read *r, int64_t n)
{
    return r->out + (size_t)group_values(map, r, n) * sp_target_size(r->s.target);
}

/* Where recording n's values come to lie as they are stored: where they grow in place, as in read_stretch(), else by themselves.
 * NULL on lack of memory. */
static unsigned char *group_raw(sp_h5_map *map, group_read *r, int64_t n, const sp_element *element)
{
    const size_t to = sp_target_size(r->s.target), from = element->size;
    const int64_t before = group_values(map, r, n), values = group_values(map, r, n + 1) - before;
    if (from <= to)
        return group_out(map, r, n) + (size_t)values * (to - from);
    if (!r->wide)
        r->wide = sp_h5_map_wide(map, (size_t)group_values(map, r, r->first + r->count) * sizeof(int64_t));
    return r->wide ? r->wide + (size_t)before * sizeof(int64_t) : NULL;
}

/* Recording n's values, which are all there. False: there is something wrong with one of them. */
static bool group_convert(sp_h5_map *map, group_read *r, int64_t n, const sp_element *element)
{
    const int64_t values = group_values(map, r, n + 1) - group_values(map, r, n);
    const unsigned char *raw = group_raw(map, r, n, element);
    double bad;
    return raw && sp_element_convert(element, raw, values, r->s.target, r->s.limit, group_out(map, r, n), &bad) < 0;
}

/* Opens recording n's dataset and reads it, or lets its chunks wait. */
static sp_status group_open(sp_h5_map *map, group_read *r, int64_t n, sp_error *err)
{
    const int64_t n_steps = map->offsets[n + 1] - map->offsets[n];
    char *path = sp_h5_map_path(map, r->s.part->path, n);
    sp_h5_data data = {0};
    const hsize_t start = 0;
    stretch s = r->s;
    s.path = path;
    sp_status status = path ? sp_h5_map_dataset(map, path, &data, err) : sp_no_memory(err);
    if (status == SP_OK)
        status = sp_h5_part_check(map, s.part, &data, path, n_steps, err);
    if (status == SP_OK && !read_later(&s, &data, r->jobs, group_out(map, r, n)))
        status = read_stretch(map, &s, &data, n, &start, 1, n_steps, group_out(map, r, n), err);
    sp_h5_data_close(&data);
    free(path);
    return status;
}

/* One recording. *is_lost, and SP_EFILE without a word in err: chunks cannot be had this way. */
static sp_status group_one(sp_h5_map *map, group_read *r, int64_t n, bool *is_lost, sp_error *err)
{
    const int64_t n_steps = map->offsets[n + 1] - map->offsets[n];
    if (r->s.part->absent && r->s.part->absent[n]) {
        memset(group_out(map, r, n), 0xff, (size_t)(n_steps * part_width(map, r->s.part)) * sp_target_size(r->s.target)); /* -1 */
        return SP_OK;
    }
    const sp_element *element = r->places ? sp_h5_places_element(r->places, n) : NULL;
    if (!element)
        return group_open(map, r, n, err);
    unsigned char *raw = group_raw(map, r, n, element);
    bool is_there = true;
    sp_status status = raw ? sp_h5_places_fetch(r->places, n, map->vfile, r->jobs, raw, &is_there) : SP_ENOMEM;
    if (status == SP_ENOMEM)
        return sp_no_memory(err);
    *is_lost = status != SP_OK && !is_there;
    if (*is_lost || (status == SP_OK && (!is_there || group_convert(map, r, n, element))))
        return status;
    return group_open(map, r, n, err); /* which finds the words for what is wrong */
}

static sp_status group_each(sp_h5_map *map, group_read *r, bool *is_lost, sp_error *err)
{
    sp_status status = SP_OK;
    for (int64_t n = r->first; status == SP_OK && n < r->first + r->count; n++)
        status = group_one(map, r, n, is_lost, err);
    return status;
}

/* Converts what came in chunks. */
static sp_status group_finish(sp_h5_map *map, group_read *r, sp_error *err)
{
    sp_status status = SP_OK;
    r->jobs = NULL;
    for (int64_t n = r->first; status == SP_OK && r->places && n < r->first + r->count; n++) {
        const sp_element *element = sp_h5_places_element(r->places, n);
        if (element && sp_h5_places_is_chunked(r->places, n) && !(r->s.part->absent && r->s.part->absent[n]) &&
            !group_convert(map, r, n, element))
            status = group_open(map, r, n, err);
    }
    return status;
}

static sp_status read_groups(sp_h5_map *map, const stretch *s, int64_t first, int64_t count, unsigned char *out, sp_error *err)
{
    group_read r = {.s = *s, .first = first, .count = count, .places = sp_h5_map_places(map, s->part->path), .out = out};
    bool is_lost = false;
    if (!map->jobs && !(map->jobs = sp_chunk_jobs_new(map->n_threads)))
        return sp_no_memory(err);
    sp_chunk_jobs_drop(map->jobs);
    r.jobs = map->jobs;
    sp_status status = group_each(map, &r, &is_lost, err);
    if (status != SP_OK && !is_lost)
        return status;
    if (status == SP_OK)
        status = sp_chunk_jobs_do(map->jobs);
    if (status == SP_EDATA)
        return sp_fail(err, SP_EFILE, SP_H5_SHORT_CHUNK, map->file_name, s->part->path);
    if (status == SP_OK)
        return group_finish(map, &r, err);
    if (status == SP_ENOMEM)
        return sp_no_memory(err);
    sp_chunk_jobs_drop(map->jobs);
    r.places = NULL; /* opening each finds the words for what is wrong */
    r.jobs = NULL;
    return group_each(map, &r, &is_lost, err);
}

/* ---- padded ---- */

/* Recordings n .. n+count-1 of a padded dataset in one reading, the padding with them, then each packed. */
static sp_status read_slab(sp_h5_map *map, const stretch *s, int64_t n, int64_t count, int64_t longest, unsigned char *out,
                           sp_error *err)
{
    const sp_h5_data *data = &s->part->data;
    const int64_t width = part_width(map, s->part);
    const size_t raw_row = (size_t)width * data->element.size, row = (size_t)width * sp_target_size(s->target);
    const hsize_t start[3] = {(hsize_t)n, 0, 0}, size[3] = {(hsize_t)count, (hsize_t)longest, (hsize_t)width};
    unsigned char *raw = sp_h5_map_scratch(map, (size_t)(count * longest) * raw_row + 1);
    if (!raw)
        return sp_no_memory(err);
    sp_status status = sp_h5_data_read(data, map->file_name, s->path, start, size, raw, err);
    for (int64_t i = 0; status == SP_OK && i < count; i++) {
        const int64_t n_steps = map->offsets[n + i + 1] - map->offsets[n + i];
        double bad = 0;
        int64_t at = sp_element_convert(&data->element, raw + (size_t)(i * longest) * raw_row, n_steps * width, s->target,
                                        s->limit, out + (size_t)(map->offsets[n + i] - map->offsets[n]) * row, &bad);
        if (at >= 0)
            status = bad_value(map, s, n + i, 0, at, bad, err);
    }
    return status;
}

static sp_status read_padded(sp_h5_map *map, const stretch *s, int64_t first, int64_t count, unsigned char *out, sp_error *err)
{
    const int64_t width = part_width(map, s->part), slab_bytes = 4 << 20;
    const size_t row = (size_t)width * sp_target_size(s->target);
    const int64_t one = map->padded_steps * width * s->part->data.element.size;
    const int64_t slab = one > 0 && one < slab_bytes ? slab_bytes / one : 1;
    for (int64_t n = first; n < first + count; n += slab) {
        const int64_t these = n + slab < first + count ? slab : first + count - n;
        unsigned char *to = out + (size_t)(map->offsets[n] - map->offsets[first]) * row;
        int64_t longest = 0;
        for (int64_t i = 0; i < these; i++)
            if (map->offsets[n + i + 1] - map->offsets[n + i] > longest)
                longest = map->offsets[n + i + 1] - map->offsets[n + i];
        const hsize_t start[2] = {(hsize_t)n, 0};
        sp_status status = these == 1 ? read_stretch(map, s, &s->part->data, n, start, 2, longest, to, err)
                                      : read_slab(map, s, n, these, longest, to, err);
        if (status != SP_OK)
            return status;
    }
    return SP_OK;
}

sp_status sp_h5_part_read(sp_h5_map *map, const sp_h5_part *part, int64_t first, int64_t count, sp_target target, int64_t limit,
                          void *out, sp_error *err)
{
    stretch s = {.part = part, .path = part->path, .target = target, .limit = limit};
    if (map->layout == SP_LAYOUT_GROUPS)
        return read_groups(map, &s, first, count, out, err);
    if (map->layout == SP_LAYOUT_PADDED)
        return read_padded(map, &s, first, count, out, err);
    const hsize_t start = (hsize_t)map->offsets[first];
    return read_stretch(map, &s, &part->data, first, &start, 1, map->offsets[first + count] - map->offsets[first], out, err);
}

sp_status sp_h5_part_steps(sp_h5_map *map, const sp_h5_part *part, int64_t n, int64_t first_step, int64_t steps, sp_target target,
                           int64_t limit, void *out, sp_error *err)
{
    stretch s = {.part = part, .path = part->path, .target = target, .limit = limit};
    if (map->layout == SP_LAYOUT_PADDED) {
        const hsize_t start[2] = {(hsize_t)n, (hsize_t)first_step};
        return read_stretch(map, &s, &part->data, n, start, 2, steps, out, err);
    }
    const hsize_t start = (hsize_t)(map->layout == SP_LAYOUT_GROUPS ? first_step : map->offsets[n] + first_step);
    if (map->layout != SP_LAYOUT_GROUPS)
        return read_stretch(map, &s, &part->data, n, &start, 1, steps, out, err);
    if (part->absent && part->absent[n]) {
        memset(out, 0xff, (size_t)(steps * part_width(map, part)) * sp_target_size(target)); /* -1 */
        return SP_OK;
    }
    char *path = sp_h5_map_path(map, part->path, n);
    sp_h5_data data = {0};
    s.path = path;
    sp_status status = path ? sp_h5_map_dataset(map, path, &data, err) : sp_no_memory(err);
    if (status == SP_OK)
        status = sp_h5_part_check(map, part, &data, path, map->offsets[n + 1] - map->offsets[n], err);
    if (status == SP_OK)
        status = read_stretch(map, &s, &data, n, &start, 1, steps, out, err);
    sp_h5_data_close(&data);
    free(path);
    return status;
}
