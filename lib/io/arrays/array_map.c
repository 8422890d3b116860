#include "io/arrays/array_map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/arrays/array_find.h"
#include "io/format.h"
#include "io/holes.h"
#include "io/raters.h"

const char sp_array_swap[] = "; where the scores are [recordings, classes, steps], write them again with .swapaxes(1, 2)";

void sp_array_part_close(sp_array_part *part)
{
    free(part->path);
    free(part->each);
}

void sp_array_map_close(sp_array_map *map)
{
    sp_array_part *const parts[] = {&map->scores, &map->labels, &map->segments, &map->weights, &map->mask};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        sp_array_part_close(parts[i]);
    for (int32_t i = 0; i < map->n_paths; i++)
        sp_array_part_close(&map->paths[i]);
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
    if (sp_stored_is_whole(array) && array->rank == 1)
        return sp_fail(
            err, SP_EDATA,
            "%s: holds %s %s: labels, not scores; scores are floats [steps, classes], beside which `labels` names these", where,
            array->type, shape);
    if (!sp_stored_is_float(array))
        return sp_fail(
            err, SP_EDATA,
            "%s: holds %s, but scores must be float16, float32 or float64; write it again with .astype('float32')%s", where,
            array->type,
            sp_stored_is_whole(array) && array->rank == 2 ? ", or where it is one-hot with .argmax(1), which are labels" : "");
    if (array->rank != 2 && (rank || array->rank != 3))
        return sp_fail(err, SP_EDATA, "%s: has shape %s, but must have [steps, classes]%s; reshape it, or name another array",
                       where, shape, rank ? "" : " or [recordings, steps, classes]");
    if (map->is_turned && array->rank != 2)
        return sp_fail(err, SP_EINVAL, "%s: has shape %s; `transpose` is for arrays [classes, steps]%s", where, shape,
                       sp_array_swap);
    if (map->is_turned)
        turn(array);
    if (array->rank == 3 && array->is_columns)
        return sp_fail(err, SP_EDATA, "%s: has three dimensions in Fortran's order; write it again with numpy.ascontiguousarray",
                       where);
    const int64_t K = array->dims[array->rank - 1];
    const bool may_be_turned = !map->is_turned && map->first && array->dims[0] == map->first->dims[0];
    if (K < 1 || K > INT32_MAX)
        return sp_fail(err, SP_EDATA, "%s: has shape %s: its last axis, the classes, must have at least one", where, shape);
    if (map->n_classes && map->n_classes != K)
        return sp_fail(err, SP_EDATA,
                       "%s: has %lld classes (shape %s), but recording %s has %lld; all recordings need the same%s", where,
                       (long long)K, shape, map->ids[0], (long long)map->n_classes,
                       may_be_turned ? "; where they are [classes, steps], `transpose` reads them so" : "");
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
    if (array->rank > 1 && sp_stored_is_float(array))
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
            return sp_fail(err, SP_EDATA, "%s: recording %lld has length %lld, but lengths are 0 to %lld here%s", where,
                           (long long)n, (long long)lengths[n], (long long)most,
                           lengths[n] > most && lengths[n] <= map->n_classes ? sp_array_swap : "");
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

/* Steps that take part: [N,T], and of packed steps [S], flags that are not 0. */
static sp_status read_valid(sp_array_map *map, sp_stored *array, uint8_t *flags, sp_error *err)
{
    char where[300], shape[SP_STORED_SHAPE], wanted[SP_STORED_SHAPE];
    const bool is_padded = map->layout == SP_LAYOUT_PADDED;
    const int64_t N = is_padded ? map->n_recordings : 1, T = is_padded ? map->padded_steps : map->n_steps;
    const sp_stored want = {.rank = 1 + is_padded, .dims = {is_padded ? N : T, T}};
    int64_t *row = malloc(((size_t)T + 1) * sizeof *row);
    sp_status status = row ? check_whole(map, array, want.rank, "value of valid", err) : sp_no_memory(err);
    sp_stored_where(&map->file, array, where, sizeof where);
    if (status == SP_OK && (array->dims[0] != want.dims[0] || (is_padded && array->dims[1] != T)))
        status = sp_fail(err, SP_EDATA, "%s: has shape %s, but must have %s", where, sp_stored_shape(array, shape),
                         sp_stored_shape(&want, wanted));
    for (int64_t n = 0; status == SP_OK && n < N; n++) {
        int64_t bad_at = -1;
        double bad = 0;
        status = sp_stored_read(&map->file, array, n * T, T, SP_TO_I64, 0, row, &bad_at, &bad, err);
        for (int64_t t = 0; status == SP_OK && bad_at < 0 && t < T; t++) {
            flags[n * T + t] = row[t] != 0;
            if (row[t] != 0 && row[t] != 1) {
                bad_at = t;
                bad = (double)row[t];
            }
        }
        if (status == SP_OK && bad_at >= 0)
            status = sp_fail(err, SP_EDATA, "%s, recording %lld, step %lld: %g is neither 0 nor 1", where, (long long)n,
                             (long long)bad_at, bad);
    }
    free(row);
    return status;
}

/* Of padded recordings their lengths, and where they have holes map->kept. What is read for other than scores keeps the width of
 * its rows, so that recordings of another file can be matched. */
static sp_status find_kept(sp_array_map *map, sp_stored *valid, bool cuts, int64_t *lengths, sp_error *err)
{
    const int64_t N = map->n_recordings, T = map->padded_steps;
    uint8_t *flags = malloc((size_t)(N * T) + 1);
    if (!flags)
        return sp_no_memory(err);
    map->kept_name = valid->name;
    sp_status status = read_valid(map, valid, flags, err);
    if (status == SP_OK && cuts)
        status = sp_holes_lengths(N, T, flags, lengths, &map->kept, err);
    if (status != SP_OK || cuts)
        free(flags);
    else
        map->kept = flags;
    return status;
}

/* Of packed recordings map->kept, where an array says which steps take part. */
static sp_status find_packed_kept(sp_array_map *map, sp_error *err)
{
    sp_stored *valid = NULL;
    sp_status status = map->file.by_name ? sp_array_named(map, NULL, "valid", "", &valid, err) : SP_OK;
    if (status != SP_OK || !valid)
        return status;
    map->kept_name = valid->name;
    map->kept = malloc((size_t)map->n_steps + 1);
    return map->kept ? read_valid(map, valid, map->kept, err) : sp_no_memory(err);
}

static sp_status map_padded(sp_array_map *map, const sp_source_options *options, sp_error *err)
{
    char where[300], shape[SP_STORED_SHAPE];
    sp_stored *lengths = NULL, *valid = NULL;
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
    const bool may_be_tokens = !lengths && !valid;
    if (status == SP_OK && may_be_tokens)
        status = sp_array_named(map, NULL, "attention_mask", "", &valid, err);
    if (status != SP_OK)
        return status;
    map->ignores_100 = options->ignores_100 || may_be_tokens;
    map->is_unsized = !lengths && !valid && map->file.by_name;
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
        if (status == SP_OK && valid)
            status = find_kept(map, valid, options->needs_scores, values, err);
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
        if (status == SP_OK && map->layout != SP_LAYOUT_PADDED)
            status = find_packed_kept(map, err);
        return status == SP_OK ? find_names(map, options, err) : status;
    }
    map->layout = SP_LAYOUT_GROUPS;
    sp_status status = sp_array_find_ids(map, part->path, err);
    if (status == SP_OK && map->n_recordings == 0) {
        char list[700];
        sp_array_list(map, list, sizeof list);
        status = sp_fail(err, SP_EFILE, "%s: no array is called %s; it holds %s", map->file.file, part->path, list);
    }
    if (status == SP_OK)
        status = sp_array_find_each(map, part, err);
    if (status == SP_OK && !(map->offsets = calloc((size_t)map->n_recordings + 1, sizeof *map->offsets)))
        status = sp_no_memory(err);
    for (int64_t n = 0; status == SP_OK && n < map->n_recordings; n++) {
        sp_stored *array = part->each[n];
        status = part->has_classes ? check_scores(map, array, 2, err) : check_whole(map, array, 1, part->noun, err);
        map->first = part->each[0];
        if (status == SP_OK)
            status = sp_steps_put(map->offsets, n, array->dims[0], map->file.file, err);
    }
    if (status == SP_OK)
        map->n_steps = map->offsets[map->n_recordings];
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
    const bool may_be_turned = map->layout == SP_LAYOUT_PADDED && array->rank == 2 && array->dims[1] == map->n_classes;
    return sp_fail(err, SP_EDATA, "%s: has shape %s, but must have shape %s to go with the %s%s", where,
                   sp_stored_shape(array, shape), sp_stored_shape(&want, wanted), map->n_classes ? "scores" : "labels",
                   may_be_turned ? sp_array_swap
                   : is_one_hot  ? "; where it is one-hot write the index of the class (argmax over the last axis)"
                                 : "; write one for each step, or name another array");
}

/* Opens what is given, or where that is NULL what stands beside the reference, if it is there. */
static sp_status find_part(sp_array_map *map, const sp_array_part *reference, const char *given, const char *name,
                           const char *noun, bool has_classes, bool is_optional, sp_array_part *part, sp_error *err)
{
    bool is_none = false;
    *part = (sp_array_part){.noun = noun, .has_classes = has_classes};
    if (!given && !reference->path)
        return SP_OK;
    part->path = given ? strdup(*given == '/' ? given + 1 : given) : sp_array_name_beside(reference->path, name, &is_none);
    if (!part->path)
        return is_none ? SP_OK : sp_no_memory(err);
    const bool is_pattern = strstr(part->path, SP_ARRAY_HOLE) != NULL;
    if (is_pattern != (map->layout == SP_LAYOUT_GROUPS))
        return is_pattern
                   ? sp_fail(err, SP_EINVAL, "%s: the scores are one array, so %s cannot have {id}", map->file.file, part->path)
                   : sp_fail(err, SP_EINVAL, "%s: has one array a recording, so %s needs {id} too", map->file.file, part->path);
    sp_status status;
    if (!is_pattern) {
        status = sp_array_named(map, given, part->path, name, &part->one, err);
        return status == SP_OK && part->one ? check_shape(map, part, part->one, 0, err) : status;
    }
    status = sp_array_find_each(map, part, err);
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

/* ---- labels of -100 ---- */

static bool are_logits(const sp_array_map *map)
{
    const char *path = map->scores.path, *slash = path ? strrchr(path, '/') : NULL, *name = slash ? slash + 1 : path;
    return name && (strcmp(name, sp_kind_name(SP_KIND_LOGITS)) == 0 || strcmp(name, SP_TRAINER_SCORES) == 0);
}

/* All labels as they are stored, [S]. */
static sp_status read_labels(const sp_array_map *map, int64_t *out, sp_error *err)
{
    sp_status status = SP_OK;
    for (int64_t n = 0; status == SP_OK && n < map->n_recordings; n++) {
        sp_stored *array = sp_array_of(&map->labels, n);
        const int64_t begin = map->offsets[n], steps = map->offsets[n + 1] - begin;
        const int64_t first = map->layout == SP_LAYOUT_PADDED   ? n * map->padded_steps
                              : map->layout == SP_LAYOUT_GROUPS ? 0
                                                                : begin;
        int64_t bad_at = -1;
        double bad = 0;
        if (array && !array->words)
            status = sp_stored_read(&map->file, array, first, steps, SP_TO_I64, 0, out + begin, &bad_at, &bad, err);
    }
    return status;
}

/* Steps whose label is -100: padding where they end a row, else holes. Of other layouts than rows only where `gaps` says what
 * becomes of them; else they are unscored. */
static sp_status find_ignored(sp_array_map *map, const sp_source_options *options, sp_error *err)
{
    const bool is_padded = map->layout == SP_LAYOUT_PADDED;
    const bool is_wanted = options->are_previous ? false
                           : is_padded           ? map->ignores_100
                                                 : options->ignores_100 && options->gaps != SP_GAPS_ERROR;
    const bool had_holes = map->kept != NULL;
    bool found = false;
    if (is_wanted && sp_array_part_is(&map->labels)) {
        int64_t *labels = calloc((size_t)map->n_steps + 1, sizeof *labels);
        sp_status status = labels ? read_labels(map, labels, err) : sp_no_memory(err);
        if (status == SP_OK)
            status = sp_holes_of_labels(map->n_recordings, map->offsets, labels, options, is_padded, &map->kept, &found, err);
        free(labels);
        if (status != SP_OK)
            return status;
        map->n_steps = map->offsets[map->n_recordings];
    }
    map->is_kept_by_labels = map->kept && !had_holes;
    if (map->is_kept_by_labels)
        map->kept_name = sp_array_of(&map->labels, 0) ? sp_array_of(&map->labels, 0)->name : SP_TRAINER_LABELS;
    map->ignores_100 = options->ignores_100 || found;
    if (!map->is_unsized || found || (are_logits(map) && sp_array_part_is(&map->labels)))
        return SP_OK;
    char where[300], shape[SP_STORED_SHAPE];
    return sp_fail(err, SP_EDATA,
                   "%s: has shape %s, one row a recording, but nothing says how long each is; write an array lengths [%lld] "
                   "beside it (all %lld when nothing is padded), or name it with `lengths`",
                   sp_stored_where(&map->file, map->first, where, sizeof where), sp_stored_shape(map->first, shape),
                   (long long)map->n_recordings, (long long)map->padded_steps);
}

/* ---- all of it ---- */

/* The array of labels beside the reference. */
static const char *labels_beside(const sp_array_map *map, const sp_array_part *reference)
{
    bool is_none = false;
    char *usual = reference->path ? sp_array_name_beside(reference->path, "labels", &is_none) : NULL;
    char *trainer = usual ? sp_array_name_beside(reference->path, SP_TRAINER_LABELS, &is_none) : NULL;
    const bool is_trainer = trainer && !sp_stored_find(&map->file, usual) && sp_stored_find(&map->file, trainer);
    free(usual);
    free(trainer);
    return is_trainer ? SP_TRAINER_LABELS : "labels";
}

static sp_status open_paths(sp_array_map *map, const sp_request *request, sp_error *err)
{
    const sp_source_options *options = request->options;
    sp_status status = sp_array_find_paths(map, request->paths, err);
    if (status == SP_OK)
        status = map_recordings(map, map->paths, options, err);
    for (int32_t i = 1; status == SP_OK && i < map->n_paths; i++)
        status = check_shape(map, &map->paths[i], map->paths[i].one, 0, err);
    sp_array_part root = {.path = map->file.by_name && map->layout != SP_LAYOUT_GROUPS ? (char *)"paths" : NULL};
    if (status == SP_OK)
        status = find_part(map, &root, options->labels, labels_beside(map, &root), "label", false, true, &map->labels, err);
    if (status == SP_OK)
        status = find_part(map, &root, NULL, "segments", "segment", false, false, &map->segments, err);
    return status == SP_OK ? find_ignored(map, options, err) : status;
}

bool sp_array_is_unused(const sp_stored *array)
{
    return array->name && !array->is_used && !sp_array_is_beside(array->name);
}

static sp_status load_part(const sp_array_map *map, const sp_array_part *part, sp_error *err)
{
    sp_status status = SP_OK;
    for (int64_t n = 0; status == SP_OK && n < (part->each ? map->n_recordings : 1); n++) {
        sp_stored *array = sp_array_of(part, n);
        if (array) {
            array->is_used = true;
            status = sp_stored_load(&map->file, array, err);
        }
    }
    return status;
}

/* Whole numbers, words, or of MATLAB the numbers that it has. */
static bool may_be_labels(const sp_array_map *map, const sp_array_part *part)
{
    for (int64_t n = 0; n < (part->each ? map->n_recordings : 1); n++) {
        const sp_stored *array = sp_array_of(part, n);
        if (array)
            return !sp_stored_is_float(array) || map->file.counts_from_1;
    }
    return false;
}

sp_status sp_array_rater(sp_array_map *map, const char *rater, sp_array_part *part, bool *is_one, sp_error *err)
{
    const sp_array_part *reference = map->labels.path ? &map->labels : &map->scores;
    char name[512];
    sp_error why;
    snprintf(name, sizeof name, SP_RATER_PREFIX "%s", rater);
    sp_status status = find_part(map, reference, NULL, name, "label", false, true, part, &why);
    *is_one = status == SP_OK && may_be_labels(map, part) && strcmp(part->path, reference->path) != 0;
    if (*is_one)
        status = load_part(map, part, &why);
    *is_one &= status == SP_OK;
    return status == SP_ENOMEM ? sp_no_memory(err) : SP_OK;
}

/* Damage of what is read is found here, not after some of it was used. What was unpacked only to be looked at is forgotten. */
static sp_status load_parts(sp_array_map *map, sp_error *err)
{
    const sp_array_part *const parts[] = {&map->scores, &map->labels, &map->segments, &map->weights, &map->mask};
    sp_status status = SP_OK;
    for (size_t i = 0; status == SP_OK && i < sizeof parts / sizeof parts[0]; i++)
        status = load_part(map, parts[i], err);
    for (int32_t i = 0; status == SP_OK && i < map->n_paths; i++)
        status = load_part(map, &map->paths[i], err);
    for (int64_t i = 0; i < map->file.n; i++)
        if (!map->file.arrays[i].is_used)
            sp_stored_forget(&map->file.arrays[i]);
    return status;
}

static sp_status open_all(sp_array_map *map, const sp_request *request, sp_error *err)
{
    const sp_source_options *options = request->options;
    map->is_turned = options->transpose;
    if (request->is_paths)
        return open_paths(map, request, err);
    sp_status status = sp_array_find_scores(map, options, err);
    const bool has_scores = map->scores.path || map->scores.one;
    if (status == SP_OK && !has_scores)
        status = sp_array_find_labels(map, options, err);
    const sp_array_part *reference = has_scores ? &map->scores : &map->labels;
    if (status == SP_OK)
        status = map_recordings(map, has_scores ? &map->scores : &map->labels, options, err);
    if (status == SP_OK && has_scores)
        status =
            find_part(map, reference, options->labels, labels_beside(map, reference), "label", false, true, &map->labels, err);
    if (status == SP_OK)
        status = find_part(map, reference, NULL, "segments", "segment", false, false, &map->segments, err);
    if (status == SP_OK)
        status = find_part(map, reference, NULL, "weights", "weight", false, false, &map->weights, err);
    if (status == SP_OK && has_scores)
        status = find_part(map, reference, options->mask, "mask", "mask", true, false, &map->mask, err);
    return status == SP_OK ? find_ignored(map, options, err) : status;
}

sp_status sp_array_map_open(sp_array_map *map, const sp_request *request, sp_error *err)
{
    sp_status status = open_all(map, request, err);
    return status == SP_OK ? load_parts(map, err) : status;
}
