#include "io/arrays/array_map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/names.h"
#include "io/holes.h"

static const char hole[] = "{id}";

static void close_part(sp_array_part *part)
{
    free(part->path);
    free(part->each);
}

void sp_array_map_close(sp_array_map *map)
{
    sp_array_part *const parts[] = {&map->scores, &map->labels, &map->segments, &map->weights, &map->mask};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        close_part(parts[i]);
    for (int32_t i = 0; i < map->n_paths; i++)
        close_part(&map->paths[i]);
    free(map->paths);
    free(map->ids);
    free(map->offsets);
    free(map->kept);
    sp_stored_close(&map->file);
}

bool sp_array_part_is(const sp_array_part *part)
{
    return part->one || part->each;
}

/* ---- by name ---- */

/* What the file holds, for a sentence. */
static void list_arrays(sp_array_map *map, char *text, size_t size)
{
    char shape[SP_STORED_SHAPE];
    size_t used = 0;
    sp_error ignored;
    text[0] = '\0';
    for (int64_t i = 0; i < map->file.n && used + SP_STORED_SHAPE + 100 < size; i++) {
        sp_stored *array = map->file.by_name ? map->file.by_name[i] : &map->file.arrays[i];
        const bool is_known = sp_stored_look(&map->file, array, &ignored) == SP_OK;
        used += (size_t)snprintf(text + used, size - used, "%s%.40s", i ? ", " : "", array->name ? array->name : "one array");
        if (is_known)
            used += (size_t)snprintf(text + used, size - used, " %s %s", array->type, sp_stored_shape(array, shape));
        if (i == 5 && map->file.n > 6) {
            snprintf(text + used, size - used, " and %lld more", (long long)map->file.n - 6);
            break;
        }
    }
}

sp_status sp_array_named(sp_array_map *map, const char *given, const char *usual, const char *option, sp_stored **out,
                         sp_error *err)
{
    char list[700];
    *out = sp_stored_find(&map->file, given ? given : usual);
    if (*out)
        return sp_stored_look(&map->file, *out, err);
    if (!given)
        return SP_OK;
    if (!map->file.by_name)
        return sp_fail(err, SP_EINVAL, "%s: is one array without names, so `%s` %s finds nothing in it", map->file.file, option,
                       given);
    list_arrays(map, list, sizeof list);
    return sp_fail(err, SP_EFILE, "%s: there is no array %s; it holds %s", map->file.file, given, list);
}

/* The recording that a name speaks of by a pattern: where and how long its id is. False: another name. */
static bool match_pattern(const char *pattern, const char *name, const char **id, size_t *length)
{
    const char *at = strstr(pattern, hole), *after = at + strlen(hole);
    const size_t before = (size_t)(at - pattern), rest = strlen(after), n = strlen(name);
    if (n <= before + rest || memcmp(name, pattern, before) != 0 || strcmp(name + n - rest, after) != 0)
        return false;
    *id = name + before;
    *length = n - before - rest;
    return true;
}

/* The name of a recording's array by a pattern; the caller frees it. */
static char *fill_pattern(const char *pattern, const char *id)
{
    const char *at = strstr(pattern, hole);
    const size_t before = (size_t)(at - pattern);
    char *name = malloc(strlen(pattern) + strlen(id) + 1);
    if (name)
        sprintf(name, "%.*s%s%s", (int)before, pattern, id, at + strlen(hole));
    return name;
}

static bool is_float(const sp_stored *array)
{
    return array->form == SP_STORED_NUMBERS && array->element.kind == SP_ELEMENT_FLOAT;
}

static bool is_whole(const sp_stored *array)
{
    return array->form == SP_STORED_NUMBERS && array->element.kind != SP_ELEMENT_FLOAT;
}

/* ---- one array for each recording ---- */

/* Ids that complete the pattern, in natural order. */
static sp_status find_ids(sp_array_map *map, const char *pattern, sp_error *err)
{
    const int64_t n_arrays = map->file.n;
    sp_text_span *spans = malloc(((size_t)n_arrays + 1) * sizeof *spans);
    if (!spans)
        return sp_no_memory(err);
    int64_t n = 0;
    for (int64_t i = 0; i < n_arrays; i++)
        if (map->file.arrays[i].name && match_pattern(pattern, map->file.arrays[i].name, &spans[n].text, &spans[n].length))
            n++;
    map->ids = sp_texts_pack(spans, n);
    free(spans);
    if (!map->ids)
        return sp_no_memory(err);
    map->n_recordings = n;
    map->has_ids = true;
    sp_natural_sort(map->ids, n);
    return SP_OK;
}

/* The arrays that a pattern names for the recordings; those that are not there are NULL. */
static sp_status find_each(sp_array_map *map, sp_array_part *part, sp_error *err)
{
    part->each = calloc((size_t)map->n_recordings + 1, sizeof(sp_stored *));
    sp_status status = part->each ? SP_OK : sp_no_memory(err);
    for (int64_t n = 0; status == SP_OK && n < map->n_recordings; n++) {
        char *name = fill_pattern(part->path, map->ids[n]);
        if (!name)
            return sp_no_memory(err);
        part->each[n] = sp_stored_find(&map->file, name);
        part->n_absent += part->each[n] == NULL;
        if (part->each[n])
            status = sp_stored_look(&map->file, part->each[n], err);
        free(name);
    }
    return status;
}

/* ---- the reference: scores, or labels or paths where there are none ---- */

/* Stored [K,T] and wanted [T,K]: the same values, the first index running fastest. */
static void turn(sp_stored *array)
{
    const int64_t steps = array->dims[1];
    array->dims[1] = array->dims[0];
    array->dims[0] = steps;
    array->is_columns = !array->is_columns;
}

static sp_status check_scores(sp_array_map *map, sp_stored *array, int rank, sp_error *err)
{
    char where[300], shape[SP_STORED_SHAPE];
    sp_stored_where(&map->file, array, where, sizeof where);
    sp_stored_shape(array, shape);
    if (is_whole(array) && array->rank == 1)
        return sp_fail(
            err, SP_EDATA,
            "%s: holds %s %s: labels, not scores; scores are floats [steps, classes], beside which `labels` names these", where,
            array->type, shape);
    if (!is_float(array))
        return sp_fail(err, SP_EDATA,
                       "%s: holds %s, but scores must be float16, float32 or float64; write it again with .astype('float32')%s",
                       where, array->type,
                       is_whole(array) && array->rank == 2 ? ", or where it is one-hot with .argmax(1), which are labels" : "");
    if (array->rank != 2 && (rank || array->rank != 3))
        return sp_fail(err, SP_EDATA, "%s: has shape %s, but must have [steps, classes]%s; reshape it, or name another array",
                       where, shape, rank ? "" : " or [recordings, steps, classes]");
    if (map->is_turned && array->rank != 2)
        return sp_fail(err, SP_EINVAL, "%s: has shape %s; `transpose` is for one recording, [classes, steps]", where, shape);
    if (map->is_turned)
        turn(array);
    if (array->rank == 3 && array->is_columns)
        return sp_fail(err, SP_EDATA, "%s: has three dimensions in Fortran's order; write it again with numpy.ascontiguousarray",
                       where);
    const int64_t K = array->dims[array->rank - 1];
    if (K < 1 || K > INT32_MAX)
        return sp_fail(err, SP_EDATA, "%s: has shape %s: its last axis, the classes, must have at least one", where, shape);
    if (map->n_classes && map->n_classes != K)
        return sp_fail(err, SP_EDATA, "%s: has %lld classes (shape %s), but recording %s has %lld; all recordings need the same",
                       where, (long long)K, shape, map->ids[0], (long long)map->n_classes);
    map->n_classes = K;
    return SP_OK;
}

/* Words are taken for labels, and for paths, not for other numbers. */
static bool takes_words(const char *noun)
{
    return strcmp(noun, "label") == 0 || strcmp(noun, "class") == 0;
}

static sp_status check_whole(const sp_array_map *map, sp_stored *array, int rank, const char *noun, sp_error *err)
{
    char where[300], shape[SP_STORED_SHAPE];
    sp_stored_where(&map->file, array, where, sizeof where);
    if (array->form != SP_STORED_NUMBERS && !takes_words(noun))
        return sp_fail(err, SP_EDATA, "%s: holds %s; a %s is a number: write numbers", where, array->type, noun);
    if (array->rank > 1 && is_float(array))
        return sp_fail(err, SP_EDATA, "%s: holds %s %s, scores by their shape; a %s is the number of a class, one a step", where,
                       array->type, sp_stored_shape(array, shape), noun);
    if (array->rank < 1 || array->rank > 2 || (rank && array->rank != rank))
        return sp_fail(err, SP_EDATA, "%s: has shape %s, but must have %s; reshape it, or name another array", where,
                       sp_stored_shape(array, shape), rank ? "[steps]" : "[steps] or [recordings, steps]");
    if (array->rank == 2 && array->is_columns)
        return sp_fail(err, SP_EDATA, "%s: is in Fortran's order; write it again with numpy.ascontiguousarray", where);
    return array->form == SP_STORED_NUMBERS ? SP_OK : sp_stored_use_words(&map->file, array, err);
}

static sp_status lengths_to_offsets(sp_array_map *map, const sp_stored *array, const int64_t *lengths, sp_error *err)
{
    char where[300];
    const int64_t most = map->layout == SP_LAYOUT_PADDED ? map->padded_steps : map->n_steps;
    sp_stored_where(&map->file, array, where, sizeof where);
    for (int64_t n = 0; n < map->n_recordings; n++) {
        if (lengths[n] < 0 || lengths[n] > most)
            return sp_fail(err, SP_EDATA, "%s: recording %lld has length %lld, but lengths are 0 to %lld here", where,
                           (long long)n, (long long)lengths[n], (long long)most);
        map->offsets[n + 1] = map->offsets[n] + lengths[n];
    }
    if (map->layout == SP_LAYOUT_PADDED)
        map->n_steps = map->offsets[map->n_recordings];
    else if (map->offsets[map->n_recordings] != map->n_steps)
        return sp_fail(err, SP_EDATA, "%s: the lengths add up to %lld, but there are %lld steps", where,
                       (long long)map->offsets[map->n_recordings], (long long)map->n_steps);
    return SP_OK;
}

static sp_status check_offsets(sp_array_map *map, const sp_stored *array, sp_error *err)
{
    char where[300];
    const int64_t *o = map->offsets;
    sp_stored_where(&map->file, array, where, sizeof where);
    for (int64_t n = 0; n < map->n_recordings; n++)
        if (o[n + 1] < o[n])
            return sp_fail(err, SP_EDATA, "%s: offset %lld (%lld) is below the one before it (%lld); offsets ascend", where,
                           (long long)n + 1, (long long)o[n + 1], (long long)o[n]);
    if (o[0] != 0 || o[map->n_recordings] != map->n_steps)
        return sp_fail(err, SP_EDATA, "%s: goes from %lld to %lld, but must go from 0 to %lld, the number of steps", where,
                       (long long)o[0], (long long)o[map->n_recordings], (long long)map->n_steps);
    return SP_OK;
}

static sp_status map_packed(sp_array_map *map, const sp_source_options *options, sp_error *err)
{
    sp_stored *offsets = NULL, *lengths = NULL;
    map->n_steps = map->first->dims[0];
    if (options->offsets && options->lengths)
        return sp_fail(err, SP_EINVAL, "%s: `offsets` and `lengths` say the same thing; give one", map->file.file);
    sp_status status = options->lengths ? SP_OK : sp_array_named(map, options->offsets, "offsets", "offsets", &offsets, err);
    if (status == SP_OK && !offsets)
        status = sp_array_named(map, options->lengths, "lengths", "lengths", &lengths, err);
    if (status != SP_OK)
        return status;
    map->layout = offsets || lengths ? SP_LAYOUT_PACKED : SP_LAYOUT_SINGLE;
    map->n_recordings = offsets ? offsets->count - 1 : lengths ? lengths->count : 1;
    if (offsets) {
        if (offsets->count < 1)
            return sp_fail(err, SP_EDATA, "%s: array %s is empty; offsets go from 0 to the number of steps", map->file.file,
                           offsets->name);
        status = sp_stored_integers(&map->file, offsets, &map->offsets, err);
        return status == SP_OK ? check_offsets(map, offsets, err) : status;
    }
    if (!(map->offsets = calloc((size_t)map->n_recordings + 1, sizeof *map->offsets)))
        return sp_no_memory(err);
    if (!lengths) {
        map->offsets[1] = map->n_steps;
        return SP_OK;
    }
    int64_t *values = NULL;
    status = sp_stored_integers(&map->file, lengths, &values, err);
    if (status == SP_OK)
        status = lengths_to_offsets(map, lengths, values, err);
    free(values);
    return status;
}

/* Flags [N,T]: those that are 0, or of labels -100, in the array become 0. */
static sp_status keep_flagged(sp_array_map *map, sp_stored *array, bool are_labels, uint8_t *flags, sp_error *err)
{
    char where[300], shape[SP_STORED_SHAPE];
    const int64_t T = map->padded_steps;
    int64_t *row = malloc(((size_t)T + 1) * sizeof *row);
    sp_status status = row ? check_whole(map, array, 2, are_labels ? "label" : "value of valid", err) : sp_no_memory(err);
    sp_stored_where(&map->file, array, where, sizeof where);
    if (status == SP_OK && (array->dims[0] != map->n_recordings || array->dims[1] != T))
        status = sp_fail(err, SP_EDATA, "%s: has shape %s, but must have [%lld, %lld]", where, sp_stored_shape(array, shape),
                         (long long)map->n_recordings, (long long)T);
    for (int64_t n = 0; status == SP_OK && n < map->n_recordings; n++) {
        int64_t bad_at = -1;
        double bad = 0;
        status = sp_stored_read(&map->file, array, n * T, T, SP_TO_I64, 0, row, &bad_at, &bad, err);
        for (int64_t t = 0; status == SP_OK && bad_at < 0 && t < T; t++) {
            flags[n * T + t] &= are_labels ? row[t] != SP_LABEL_IGNORED : row[t] != 0;
            if (!are_labels && row[t] != 0 && row[t] != 1) {
                bad_at = t;
                bad = (double)row[t];
            }
        }
        if (status == SP_OK && bad_at >= 0)
            status = sp_fail(err, SP_EDATA, "%s, recording %lld, step %lld: %g is %s", where, (long long)n, (long long)bad_at,
                             bad, are_labels ? "no whole number" : "neither 0 nor 1");
    }
    free(row);
    return status;
}

/* Steps that take part: by valid or attention_mask; of labels, where they are given, those that are not -100. Without either only
 * the end of a recording is cut off. */
static sp_status find_kept(sp_array_map *map, sp_stored *valid, sp_stored *labels, bool with_holes, int64_t *lengths,
                           sp_error *err)
{
    const int64_t N = map->n_recordings, T = map->padded_steps;
    uint8_t *flags = malloc((size_t)(N * T) + 1), *ignored = NULL;
    if (!flags)
        return sp_no_memory(err);
    memset(flags, 1, (size_t)(N * T));
    sp_status status = valid ? keep_flagged(map, valid, false, flags, err) : SP_OK;
    if (status == SP_OK && labels)
        status = keep_flagged(map, labels, true, flags, err);
    map->kept_name = valid ? valid->name : labels ? labels->name : NULL;
    if (status == SP_OK)
        status = sp_holes_lengths(N, T, flags, lengths, with_holes ? &map->kept : &ignored, err);
    free(ignored);
    free(flags);
    return status;
}

static bool is_logits(const sp_array_map *map)
{
    const char *path = map->scores.path, *slash = path ? strrchr(path, '/') : NULL;
    return path && strcmp(slash ? slash + 1 : path, sp_kind_name(SP_KIND_LOGITS)) == 0;
}

static sp_status map_padded(sp_array_map *map, const sp_source_options *options, sp_error *err)
{
    char where[300], shape[SP_STORED_SHAPE];
    sp_stored *lengths = NULL, *valid = NULL, *labels = NULL;
    const sp_stored *array = map->first;
    map->layout = SP_LAYOUT_PADDED;
    map->n_recordings = array->dims[0];
    map->padded_steps = array->dims[1];
    sp_stored_where(&map->file, array, where, sizeof where);
    if (options->offsets)
        return sp_fail(err, SP_EINVAL, "%s: has shape %s, one row a recording; offsets do not apply, use `lengths`", where,
                       sp_stored_shape(array, shape));
    sp_status status = sp_array_named(map, options->lengths, "lengths", "lengths", &lengths, err);
    if (status == SP_OK && !lengths)
        status = sp_array_named(map, NULL, "valid", "", &valid, err);
    const bool may_be_tokens = !lengths && !valid && map->first == map->scores.one;
    if (status == SP_OK && may_be_tokens)
        status = sp_array_named(map, NULL, "attention_mask", "", &valid, err);
    if (status == SP_OK && !lengths && (options->ignores_100 || (may_be_tokens && is_logits(map))))
        status = sp_array_named(map, options->labels, "labels", "labels", &labels, err);
    if (status != SP_OK)
        return status;
    map->ignores_100 = options->ignores_100 || (may_be_tokens && is_logits(map) && (labels || valid));
    if (valid && options->gaps == SP_GAPS_ERROR)
        labels = NULL; /* they cut nothing off */
    if (!lengths && !valid && !labels && map->file.by_name)
        return sp_fail(err, SP_EDATA,
                       "%s: has shape %s, one row a recording, but nothing says how long each is; write an array lengths [%lld] "
                       "beside it (all %lld when nothing is padded), or name it with `lengths`",
                       where, sp_stored_shape(array, shape), (long long)map->n_recordings, (long long)map->padded_steps);
    if (!lengths && map->padded_steps == 0 && map->n_recordings > 0)
        return sp_fail(err, SP_EDATA, "%s: has shape %s: %lld recordings without a step", where, sp_stored_shape(array, shape),
                       (long long)map->n_recordings);
    int64_t *values = NULL;
    map->offsets = calloc((size_t)map->n_recordings + 1, sizeof *map->offsets);
    if (!map->offsets)
        return sp_no_memory(err);
    if (lengths) {
        if (lengths->count != map->n_recordings)
            return sp_fail(err, SP_EDATA, "%s: array %s has %lld lengths, but array %s has %lld recordings", map->file.file,
                           lengths->name, (long long)lengths->count, array->name, (long long)map->n_recordings);
        status = sp_stored_integers(&map->file, lengths, &values, err);
    } else {
        values = malloc(((size_t)map->n_recordings + 1) * sizeof *values);
        status = values ? SP_OK : sp_no_memory(err);
        for (int64_t n = 0; status == SP_OK && n < map->n_recordings; n++)
            values[n] = map->padded_steps;
        if (status == SP_OK && (valid || labels))
            status = find_kept(map, valid, labels, valid || options->gaps != SP_GAPS_ERROR, values, err);
    }
    if (status == SP_OK)
        status = lengths_to_offsets(map, lengths ? lengths : valid ? valid : array, values, err);
    free(values);
    return status;
}

static sp_status find_names(sp_array_map *map, const sp_source_options *options, sp_error *err)
{
    sp_stored *ids = NULL;
    sp_status status = sp_array_named(map, options->ids, "ids", "ids", &ids, err);
    if (status != SP_OK)
        return status;
    if (!ids && map->layout == SP_LAYOUT_SINGLE) {
        char *name = sp_file_stem(map->file.file);
        map->ids = name ? sp_texts_copy((const char *const *)&name, 1) : NULL;
        free(name);
    } else if (!ids) {
        map->ids = sp_texts_of_numbers(NULL, map->n_recordings);
    }
    if (!ids)
        return map->ids ? SP_OK : sp_no_memory(err);
    int64_t a = 0, b = 0;
    status = sp_stored_texts(&map->file, ids, &map->ids, err);
    if (status == SP_OK && ids->count != map->n_recordings)
        status = sp_fail(err, SP_EDATA, "%s: array %s has %lld ids, but there are %lld recordings", map->file.file, ids->name,
                         (long long)ids->count, (long long)map->n_recordings);
    else if (status == SP_OK && sp_texts_duplicate((const char *const *)map->ids, ids->count, &a, &b))
        status = sp_fail(err, SP_EDATA, "%s: array %s: recordings %lld and %lld are both called '%s'; give each its own id",
                         map->file.file, ids->name, (long long)a, (long long)b, map->ids[a]);
    else if (status == SP_OK && a == -2)
        status = sp_no_memory(err);
    map->has_ids = true;
    return status;
}

/* Layout, lengths and names by the reference: one array, or those of its pattern. */
static sp_status map_recordings(sp_array_map *map, sp_array_part *part, const sp_source_options *options, sp_error *err)
{
    if (part->one) {
        map->first = part->one;
        sp_status status =
            part->has_classes ? check_scores(map, part->one, 0, err) : check_whole(map, part->one, 0, part->noun, err);
        if (status == SP_OK)
            status = part->one->rank == 2 + part->has_classes ? map_padded(map, options, err) : map_packed(map, options, err);
        return status == SP_OK ? find_names(map, options, err) : status;
    }
    map->layout = SP_LAYOUT_GROUPS;
    sp_status status = find_ids(map, part->path, err);
    if (status == SP_OK && map->n_recordings == 0) {
        char list[700];
        list_arrays(map, list, sizeof list);
        status = sp_fail(err, SP_EFILE, "%s: no array is called %s; it holds %s", map->file.file, part->path, list);
    }
    if (status == SP_OK)
        status = find_each(map, part, err);
    if (status == SP_OK && !(map->offsets = calloc((size_t)map->n_recordings + 1, sizeof *map->offsets)))
        status = sp_no_memory(err);
    for (int64_t n = 0; status == SP_OK && n < map->n_recordings; n++) {
        sp_stored *array = part->each[n];
        status = part->has_classes ? check_scores(map, array, 2, err) : check_whole(map, array, 1, part->noun, err);
        if (status == SP_OK)
            map->offsets[n + 1] = map->offsets[n] + array->dims[0];
    }
    if (status == SP_OK) {
        map->n_steps = map->offsets[map->n_recordings];
        map->first = part->each[0];
    }
    return status;
}

static const char *const beside_names[] = {"labels", "segments", "weights",  "mask",          "offsets", "lengths",       "valid",
                                           "ids",    "classes",  "subjects", "epoch_seconds", "tokens",  "attention_mask"};

/* A name that stands beside scores: no recording. */
static bool is_beside(const char *name)
{
    for (size_t i = 0; i < sizeof beside_names / sizeof *beside_names; i++)
        if (strcmp(name, beside_names[i]) == 0)
            return true;
    return strncmp(name, "labels_", 7) == 0;
}

static sp_status set_path(sp_array_part *part, const char *path, sp_error *err)
{
    part->path = strdup(*path == '/' ? path + 1 : path);
    return part->path ? SP_OK : sp_no_memory(err);
}

/* Several of that name, one for each recording: in a folder each, or cells of one. */
static sp_status find_by_pattern(sp_array_map *map, const char *name, sp_array_part *part, sp_error *err)
{
    static const char *const folders[] = {"recordings/{id}/%s", "{id}/%s", "%s/{id}"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char pattern[64];
        const char *id;
        size_t length;
        snprintf(pattern, sizeof pattern, folders[i], name);
        for (int64_t j = 0; j < map->file.n; j++)
            if (match_pattern(pattern, map->file.arrays[j].name, &id, &length))
                return set_path(part, pattern, err);
    }
    return SP_OK;
}

/* By the names that say what the numbers are: as one array, or as the end of the names of several. */
static sp_status find_by_kind(sp_array_map *map, sp_kind kind, sp_array_part *part, sp_error *err)
{
    const char *name = sp_kind_name(kind);
    sp_stored *one = sp_stored_find(&map->file, name);
    if (one) {
        part->one = one;
        sp_status status = set_path(part, name, err);
        return status == SP_OK ? sp_stored_look(&map->file, one, err) : status;
    }
    return find_by_pattern(map, name, part, err);
}

/* Arrays without a known name: the only one of floats [T,K] or [N,T,K], or several [T,K]. is_scores false: of whole numbers [T].
 */
static sp_status find_by_shape(sp_array_map *map, bool is_scores, sp_array_part *part, sp_error *err)
{
    int64_t n_found = 0, n_flat = 0;
    const int flat = 1 + is_scores;
    sp_stored *one = NULL;
    sp_status status = SP_OK;
    for (int64_t i = 0; status == SP_OK && i < map->file.n; i++) {
        sp_stored *array = &map->file.arrays[i];
        if (map->file.by_name && is_beside(array->name))
            continue;
        status = sp_stored_look(&map->file, array, err);
        if (status != SP_OK)
            break;
        const bool fits = (is_scores ? is_float(array) : is_whole(array)) && (array->rank == flat || array->rank == flat + 1);
        n_found += fits;
        n_flat += fits && array->rank == flat;
        one = fits ? array : one;
    }
    if (status != SP_OK || n_found == 0)
        return status;
    if (n_found == 1) {
        part->one = one;
        return one->name ? set_path(part, one->name, err) : SP_OK;
    }
    return n_flat == n_found && n_found == map->file.n ? set_path(part, hole, err) : SP_OK;
}

static sp_status find_given(sp_array_map *map, const char *given, const char *option, sp_array_part *part, sp_error *err)
{
    sp_status status = set_path(part, given, err);
    if (status == SP_OK && !strstr(part->path, hole))
        status = sp_array_named(map, given, NULL, option, &part->one, err);
    return status;
}

static sp_status find_scores(sp_array_map *map, const sp_source_options *options, sp_error *err)
{
    sp_array_part *part = &map->scores;
    *part = (sp_array_part){.noun = "score", .has_classes = true};
    if (options->scores)
        return find_given(map, options->scores, "scores", part, err);
    if (!map->file.by_name) { /* one array: scores, whatever it is, where they are needed */
        sp_stored *one = map->file.arrays;
        if (options->needs_scores || (is_float(one) && one->rank > 1))
            part->one = one;
        return SP_OK;
    }
    sp_status status = options->has_kind ? find_by_kind(map, options->kind, part, err) : SP_OK;
    for (int kind = 0; status == SP_OK && kind < SP_N_KINDS && !part->path; kind++)
        status = find_by_kind(map, (sp_kind)kind, part, err);
    return status == SP_OK && !part->path ? find_by_shape(map, true, part, err) : status;
}

static sp_status no_scores(sp_array_map *map, sp_error *err)
{
    char list[700];
    list_arrays(map, list, sizeof list);
    return sp_fail(err, SP_EFILE,
                   "%s: has no array log_probs, probs, logits or scores, nor one array of floats [steps, classes]; say where the "
                   "scores are with `scores` NAME; it holds %s",
                   map->file.file, list);
}

static sp_status find_labels(sp_array_map *map, const sp_source_options *options, sp_error *err)
{
    sp_array_part *part = &map->labels;
    char list[700];
    *part = (sp_array_part){.noun = "label"};
    if (options->labels)
        return find_given(map, options->labels, "labels", part, err);
    if (!map->file.by_name) {
        part->one = map->file.arrays;
        return SP_OK;
    }
    sp_status status = sp_array_named(map, NULL, "labels", "", &part->one, err);
    if (status == SP_OK && part->one)
        return set_path(part, "labels", err);
    if (status == SP_OK)
        status = find_by_pattern(map, "labels", part, err);
    if (status == SP_OK && !part->path)
        status = find_by_shape(map, false, part, err);
    if (status == SP_OK && !part->path) {
        list_arrays(map, list, sizeof list);
        status = sp_fail(err, SP_EFILE, "%s: has no array labels; say where the labels are with `labels` NAME; it holds %s",
                         map->file.file, list);
    }
    return status;
}

/* ---- what stands beside ---- */

static sp_status check_shape(const sp_array_map *map, const sp_array_part *part, sp_stored *array, int64_t n, sp_error *err)
{
    char where[300], shape[SP_STORED_SHAPE], wanted[SP_STORED_SHAPE];
    sp_stored want = {.rank = 0};
    if (map->layout == SP_LAYOUT_PADDED) {
        want.dims[want.rank++] = map->n_recordings;
        want.dims[want.rank++] = map->padded_steps;
    } else {
        want.dims[want.rank++] = map->layout == SP_LAYOUT_GROUPS ? map->offsets[n + 1] - map->offsets[n] : map->n_steps;
    }
    if (part->has_classes)
        want.dims[want.rank++] = map->n_classes;
    bool is_same = array->rank == want.rank;
    for (int i = 0; is_same && i < want.rank; i++)
        is_same = array->dims[i] == want.dims[i];
    sp_stored_where(&map->file, array, where, sizeof where);
    if (is_same && array->form == SP_STORED_NUMBERS && !(array->is_columns && !(array->rank == 2 && part->has_classes)))
        return SP_OK;
    if (is_same)
        return array->is_columns
                   ? sp_fail(err, SP_EDATA, "%s: is in Fortran's order; write it again with numpy.ascontiguousarray", where)
                   : check_whole(map, array, 0, part->noun, err);
    const bool is_one_hot =
        !part->has_classes && map->n_classes > 1 && array->rank == want.rank + 1 && array->dims[want.rank] == map->n_classes;
    return sp_fail(err, SP_EDATA, "%s: has shape %s, but must have shape %s to go with the %s%s", where,
                   sp_stored_shape(array, shape), sp_stored_shape(&want, wanted), map->n_classes ? "scores" : "labels",
                   is_one_hot ? "; where it is one-hot write the index of the class (argmax over the last axis)"
                              : "; write one for each step, or name another array");
}

/* The name beside the reference: "labels" of "probs", "{id}/labels" of "{id}/probs", "labels/{id}" of "probs/{id}". NULL on lack
 * of memory, or (*is_none) where there is no such place. */
static char *name_beside(const char *path, const char *name, bool *is_none)
{
    const char *slash = strrchr(path, '/'), *last = slash ? slash + 1 : path;
    const bool is_cell = slash && slash == strchr(path, '/') && strcmp(last, hole) == 0;
    *is_none = strstr(last, hole) != NULL && !is_cell;
    if (*is_none)
        return NULL;
    if (is_cell) {
        char *cells = malloc(strlen(name) + sizeof hole + 1);
        if (cells)
            sprintf(cells, "%s/%s", name, hole);
        return cells;
    }
    char *out = malloc(strlen(path) + strlen(name) + 1);
    if (out)
        sprintf(out, "%.*s%s", (int)(last - path), path, name);
    return out;
}

/* Opens what is given, or where that is NULL what stands beside the reference, if it is there. */
static sp_status find_part(sp_array_map *map, const sp_array_part *reference, const char *given, const char *name,
                           const char *noun, bool has_classes, bool is_optional, sp_array_part *part, sp_error *err)
{
    bool is_none = false;
    *part = (sp_array_part){.noun = noun, .has_classes = has_classes};
    if (!given && !reference->path)
        return SP_OK;
    part->path = given ? strdup(*given == '/' ? given + 1 : given) : name_beside(reference->path, name, &is_none);
    if (!part->path)
        return is_none ? SP_OK : sp_no_memory(err);
    const bool is_pattern = strstr(part->path, hole) != NULL;
    if (is_pattern != (map->layout == SP_LAYOUT_GROUPS))
        return is_pattern
                   ? sp_fail(err, SP_EINVAL, "%s: the scores are one array, so %s cannot have {id}", map->file.file, part->path)
                   : sp_fail(err, SP_EINVAL, "%s: has one array a recording, so %s needs {id} too", map->file.file, part->path);
    sp_status status;
    if (!is_pattern) {
        status = sp_array_named(map, given, part->path, name, &part->one, err);
        return status == SP_OK && part->one ? check_shape(map, part, part->one, 0, err) : status;
    }
    status = find_each(map, part, err);
    if (status == SP_OK && part->n_absent == map->n_recordings && !given) {
        free(part->each);
        part->each = NULL;
        return SP_OK;
    }
    for (int64_t n = 0; status == SP_OK && n < map->n_recordings; n++)
        if (part->each[n])
            status = check_shape(map, part, part->each[n], n, err);
        else if (!is_optional || part->n_absent == map->n_recordings)
            status = sp_fail(err, SP_EFILE, "%s: recording %s has no array %s; write it for every recording, or name another",
                             map->file.file, map->ids[n], part->path);
    return status;
}

/* ---- paths ---- */

static sp_status add_paths(sp_array_map *map, const char *name, sp_stored *one, sp_error *err)
{
    sp_array_part *more = realloc(map->paths, ((size_t)map->n_paths + 1) * sizeof *more);
    if (!more)
        return sp_no_memory(err);
    map->paths = more;
    sp_array_part *part = &more[map->n_paths++];
    *part = (sp_array_part){.noun = "class", .one = one};
    return name ? set_path(part, name, err) : SP_OK;
}

static sp_status find_paths(sp_array_map *map, const char *given, sp_error *err)
{
    static const char folder[] = "paths/";
    sp_stored *one = NULL;
    sp_status status;
    if (given) {
        if (strstr(given, hole))
            return add_paths(map, given, NULL, err);
        status = sp_array_named(map, given, NULL, "paths", &one, err);
        return status == SP_OK ? add_paths(map, given, one, err) : status;
    }
    if (!map->file.by_name)
        return add_paths(map, NULL, map->file.arrays, err);
    status = SP_OK;
    for (int64_t i = 0; status == SP_OK && i < map->file.n; i++) {
        sp_stored *array = &map->file.arrays[i];
        if (strncmp(array->name, folder, sizeof folder - 1) != 0)
            continue;
        status = sp_stored_look(&map->file, array, err);
        if (status == SP_OK)
            status = add_paths(map, array->name, array, err);
    }
    if (status != SP_OK || map->n_paths)
        return status;
    sp_array_part found = {.noun = "class"};
    status = find_by_shape(map, false, &found, err);
    if (status == SP_OK && found.path)
        status = add_paths(map, found.path, found.one, err);
    else if (status == SP_OK) {
        char list[700];
        list_arrays(map, list, sizeof list);
        status =
            sp_fail(err, SP_EFILE, "%s: has no arrays paths/STRATEGY; say where the paths are with `paths` NAME; it holds %s",
                    map->file.file, list);
    }
    free(found.path);
    return status;
}

/* ---- all of it ---- */

static sp_status open_paths(sp_array_map *map, const sp_request *request, sp_error *err)
{
    const sp_source_options *options = request->options;
    sp_status status = find_paths(map, request->paths, err);
    if (status == SP_OK)
        status = map_recordings(map, map->paths, options, err);
    for (int32_t i = 1; status == SP_OK && i < map->n_paths; i++)
        status = check_shape(map, &map->paths[i], map->paths[i].one, 0, err);
    sp_array_part root = {.path = map->file.by_name && map->layout != SP_LAYOUT_GROUPS ? (char *)"paths" : NULL};
    if (status == SP_OK)
        status = find_part(map, &root, options->labels, "labels", "label", false, true, &map->labels, err);
    return status == SP_OK ? find_part(map, &root, NULL, "segments", "segment", false, false, &map->segments, err) : status;
}

static bool is_used(const sp_array_map *map, const sp_stored *array)
{
    const sp_array_part *const parts[] = {&map->scores, &map->labels, &map->segments, &map->weights, &map->mask};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (parts[i]->one == array || parts[i]->each) /* in groups nearly all are */
            return true;
    for (int32_t i = 0; i < map->n_paths; i++)
        if (map->paths[i].one == array || map->paths[i].each)
            return true;
    return false;
}

bool sp_array_is_unused(const sp_array_map *map, const sp_stored *array)
{
    return array->name && !is_used(map, array) && !is_beside(array->name);
}

/* Forgets what was unpacked only to be looked at. */
static void forget_others(sp_array_map *map)
{
    for (int64_t i = 0; i < map->file.n; i++)
        if (!is_used(map, &map->file.arrays[i]))
            sp_stored_forget(&map->file.arrays[i]);
}

static sp_status open_all(sp_array_map *map, const sp_request *request, sp_error *err)
{
    const sp_source_options *options = request->options;
    map->is_turned = options->transpose;
    if (request->is_paths)
        return open_paths(map, request, err);
    sp_status status = find_scores(map, options, err);
    const bool has_scores = map->scores.path || map->scores.one;
    if (status == SP_OK && !has_scores && options->needs_scores)
        status = no_scores(map, err);
    if (status == SP_OK && !has_scores)
        status = find_labels(map, options, err);
    const sp_array_part *reference = has_scores ? &map->scores : &map->labels;
    if (status == SP_OK)
        status = map_recordings(map, has_scores ? &map->scores : &map->labels, options, err);
    if (status == SP_OK && has_scores)
        status = find_part(map, reference, options->labels, "labels", "label", false, true, &map->labels, err);
    if (status == SP_OK)
        status = find_part(map, reference, NULL, "segments", "segment", false, false, &map->segments, err);
    if (status == SP_OK)
        status = find_part(map, reference, NULL, "weights", "weight", false, false, &map->weights, err);
    if (status == SP_OK && has_scores)
        status = find_part(map, reference, options->mask, "mask", "mask", true, false, &map->mask, err);
    return status;
}

sp_status sp_array_map_open(sp_array_map *map, const sp_request *request, sp_error *err)
{
    sp_status status = open_all(map, request, err);
    if (status == SP_OK)
        forget_others(map);
    return status;
}
