/* Arrays beside the reference, in its shape: labels, segments, weights, masks, and labels by others. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "io/arrays/array_find.h"
#include "io/arrays/array_map.h"
#include "io/raters.h"

/* Words are taken for labels, and for paths, not for other numbers. */
bool sp_array_takes_words(const char *noun)
{
    return strcmp(noun, "label") == 0 || strcmp(noun, "class") == 0;
}

sp_status sp_array_refuse_bool(const sp_array_map *map, const sp_stored *array, const char *noun,
                               sp_error *err)
{
    char where[SP_STORED_WHERE];
    if (!sp_array_takes_words(noun) ||
        (strcmp(array->type, "bool") != 0 && strcmp(array->type, "logical") != 0))
        return SP_OK;
    return sp_fail(err, SP_EDATA,
                   "%s holds %s: true and false name no class; write the number of the class, or its name, "
                   "for each step",
                   sp_stored_subject(&map->file, array, where), array->type);
}

sp_status sp_array_check(const sp_array_map *map, const sp_array_part *part, sp_stored *array, int64_t n,
                         sp_error *err)
{
    char where[SP_STORED_WHERE], shape[SP_STORED_SHAPE], wanted[SP_STORED_SHAPE];
    sp_stored want = {.rank = 0};
    if (map->layout == SP_LAYOUT_PADDED) {
        want.dims[want.rank++] = map->first->dims[0];
        want.dims[want.rank++] = map->padded_steps;
    } else {
        want.dims[want.rank++] =
            map->layout == SP_LAYOUT_GROUPS ? map->offsets[n + 1] - map->offsets[n] : map->n_steps;
    }
    if (part->has_classes)
        want.dims[want.rank++] = map->n_classes;
    bool is_same = array->rank == want.rank;
    for (int i = 0; is_same && i < want.rank; i++)
        is_same = array->dims[i] == want.dims[i];
    sp_status status = sp_array_refuse_bool(map, array, part->noun, err);
    if (status != SP_OK)
        return status;
    sp_stored_subject(&map->file, array, where);
    if (is_same && array->is_columns && !(array->rank == 2 && part->has_classes))
        return sp_fail(err, SP_EDATA, "%s is in Fortran's order; write it again with numpy.ascontiguousarray",
                       where);
    if (is_same)
        return array->form == SP_STORED_NUMBERS || sp_array_takes_words(part->noun)
                   ? SP_OK
                   : sp_stored_refuse_text(&map->file, array, err);
    const bool is_one_hot = !part->has_classes && map->n_classes > 1 && array->rank == want.rank + 1 &&
                            array->dims[want.rank] == map->n_classes;
    const bool may_be_turned =
        map->layout == SP_LAYOUT_PADDED && array->rank == 2 && array->dims[1] == map->n_classes;
    const bool is_turned =
        map->layout == SP_LAYOUT_SINGLE && array->rank == 1 && array->dims[0] == map->n_classes;
    char rest[80];
    snprintf(rest, sizeof rest, "; write one for each step, or name another %s", sp_stored_noun(&map->file));
    return sp_fail(err, SP_EDATA, "%s has shape %s, but must have shape %s to go with %s%s", where,
                   sp_stored_shape(array, shape), sp_stored_shape(&want, wanted),
                   map->file.store  ? map->reference
                   : map->n_classes ? "the scores"
                                    : "the labels",
                   may_be_turned ? sp_array_swap
                   : is_turned   ? "; where the scores are [classes, steps], `transpose` reads them so"
                   : is_one_hot
                       ? "; where it is one-hot write the index of the class (argmax over the last axis)"
                       : rest);
}

/* The same, and texts are words from here on. */
sp_status sp_array_use_shape(const sp_array_map *map, const sp_array_part *part, sp_stored *array, int64_t n,
                             sp_error *err)
{
    sp_status status = sp_array_check(map, part, array, n, err);
    return status != SP_OK || array->form == SP_STORED_NUMBERS ? status
                                                               : sp_stored_use_words(&map->file, array, err);
}

/* The sentence for a recording without an array that all must have. */
static sp_status refuse_absent(const sp_array_map *map, const sp_array_part *part, int64_t n, sp_error *err)
{
    char *name = sp_array_fill(part->path, map->ids[n]);
    sp_status status =
        name ? sp_fail(err, SP_EFILE,
                       "%s: recording %s has no %s %s; write it for every recording, or name another%s",
                       map->file.file, map->ids[n], sp_stored_noun(&map->file), name,
                       map->file.store ? " dataset" : "")
             : sp_no_memory(err);
    free(name);
    return status;
}

/* Of a part in groups of a store whose first array holds words: reads those of all recordings. */
sp_status sp_array_use_words(sp_array_map *map, sp_array_part *part, sp_error *err)
{
    const sp_store *store = map->file.store;
    const int64_t N = map->n_recordings;
    sp_stored array = {.name = NULL};
    char *name = NULL;
    int64_t first = 0;
    sp_status status = SP_OK;
    while (first < N && sp_array_is_absent(part, first))
        first++;
    for (int64_t n = first; n < N; n++) {
        if (sp_array_is_absent(part, n))
            continue;
        free(name);
        if (!(name = sp_array_fill(part->path, map->ids[n])))
            TRY(sp_no_memory(err));
        sp_status looked = store->take(&map->file, name, &array, n == first ? NULL : err);
        if (n == first && looked != SP_OK && looked != SP_ENOMEM) /* said when it is read */
            goto done;
        TRY(looked == SP_ENOMEM ? sp_no_memory(err) : looked);
        if (n == first)
            TRY(sp_array_refuse_bool(map, &array, part->noun, err));
        if (n == first && array.form == SP_STORED_NUMBERS)
            goto done;
        if (n == first) {
            part->held = calloc((size_t)N + 1, sizeof *part->held);
            part->each = calloc((size_t)N + 1, sizeof(sp_stored *));
            if (!part->held || !part->each)
                TRY(sp_no_memory(err));
            part->n_held = N;
        }
        TRY(sp_array_check(map, part, &array, n, err));
        if (array.form == SP_STORED_NUMBERS)
            TRY(sp_fail(err, SP_EDATA,
                        "%s: dataset %s holds no text, but recording %s has labels that are words; write all "
                        "as words, or all as "
                        "numbers",
                        map->file.file, array.name, map->ids[first]));
        TRY(sp_stored_use_words(&map->file, &array, err));
        sp_stored *held = &part->held[n];
        *held = array;
        held->own = NULL;
        array.name = NULL;
        array.bytes = NULL;
        array.words = NULL;
        part->each[n] = held;
        store->drop(&array);
    }
    part->is_taken = part->is_taken && !part->each;
done:
    store->drop(&array);
    free(name);
    return status;
}

/* Which recordings have an array of a part, in groups of a store. */
static sp_status find_taken(sp_array_map *map, bool is_optional, bool is_given, sp_array_part *part,
                            sp_error *err)
{
    const int64_t N = map->n_recordings;
    sp_status status = SP_OK;
    if (!(part->absent = calloc((size_t)N + 1, 1)))
        TRY(sp_no_memory(err));
    part->n_absent = map->file.store->find_each(&map->file, part->path, map->ids, N, part->absent);
    part->is_taken = N > 0 && (is_given || part->n_absent < N);
    for (int64_t n = 0; part->is_taken && !is_optional && n < N; n++)
        if (part->absent[n])
            TRY(refuse_absent(map, part, n, err));
    if (part->is_taken && sp_array_takes_words(part->noun))
        TRY(sp_array_use_words(map, part, err));
done:
    return status;
}

/* Opens what is given, or where that is NULL what stands beside the reference, if it is there. */
sp_status sp_array_find_part(sp_array_map *map, const sp_array_part *reference, const char *given,
                             const char *name, const char *noun, bool has_classes, bool is_optional,
                             sp_array_part *part, sp_error *err)
{
    bool is_none = false;
    const bool is_in_base = map->file.store && map->layout != SP_LAYOUT_GROUPS;
    sp_status status = SP_OK;
    *part = (sp_array_part){.noun = noun, .has_classes = has_classes};
    if (!given && !reference->path && !is_in_base)
        goto done;
    if (given)
        TRY(sp_array_set_path(map, part, given, err));
    else if (!(part->path = is_in_base ? sp_array_join(map->base, name)
                                       : sp_array_name_beside(reference->path, name, &is_none)))
        TRY(is_none ? SP_OK : sp_no_memory(err));
    if (is_none)
        goto done;
    const bool is_pattern = strstr(part->path, SP_ARRAY_HOLE) != NULL;
    const char *first = map->file.store ? map->reference : "the scores";
    if (is_pattern && map->layout != SP_LAYOUT_GROUPS)
        TRY(sp_fail(err, SP_EINVAL,
                    "%s: %s is one %s, so %s cannot have {id}; write it in both patterns, or in none",
                    map->file.file, first, sp_stored_noun(&map->file), part->path));
    if (!is_pattern && map->layout == SP_LAYOUT_GROUPS)
        TRY(sp_fail(err, SP_EINVAL, "%s: %s has one %s a recording, so %s needs {id} too", map->file.file,
                    first, sp_stored_noun(&map->file), part->path));
    if (is_pattern && map->file.store) {
        TRY(find_taken(map, is_optional && !given, given != NULL, part, err));
        goto done;
    }
    if (!is_pattern) {
        if (given)
            TRY(sp_array_named(map, given, NULL, name, &part->one, err));
        else if ((part->one = sp_stored_find(&map->file, part->path)))
            TRY(sp_stored_look(&map->file, part->one, err));
        if (part->one)
            TRY(sp_array_use_shape(map, part, part->one, 0, err));
        goto done;
    }
    TRY(sp_array_find_each(map, part, err));
    if (part->n_absent == map->n_recordings && !given) {
        free(part->each);
        part->each = NULL;
        goto done;
    }
    for (int64_t n = 0; n < map->n_recordings; n++) {
        const bool is_absent = !part->each[n];
        if (is_absent && (!is_optional || part->n_absent == map->n_recordings))
            TRY(refuse_absent(map, part, n, err));
        if (!is_absent)
            TRY(sp_array_use_shape(map, part, part->each[n], n, err));
    }
done:
    return status;
}

/* ---- labels by others ---- */

/* Whole numbers, words, or of MATLAB the numbers that it has; in groups of a store as far as the first recording shows. */
static sp_status may_be_labels(const sp_array_map *map, const sp_array_part *part, bool *may, sp_error *err)
{
    int64_t n = 0;
    sp_stored taken = {.name = NULL};
    sp_status status = SP_OK;
    *may = false;
    while ((part->each || part->is_taken) && n < map->n_recordings && sp_array_is_absent(part, n))
        n++;
    if ((part->each || part->is_taken) && n == map->n_recordings)
        return SP_OK;
    if (part->is_taken) {
        char *name = sp_array_fill(part->path, map->ids[n]);
        status = name ? map->file.store->take(&map->file, name, &taken, NULL) : SP_ENOMEM;
        free(name);
        if (status == SP_OK)
            status = sp_array_check(map, part, &taken, n, NULL);
    }
    const sp_stored *array = part->is_taken ? &taken : sp_array_of(part, n);
    *may = status == SP_OK && array && (!sp_stored_is_float(array) || map->file.counts_from_1);
    if (part->is_taken)
        map->file.store->drop(&taken);
    return status == SP_ENOMEM ? sp_no_memory(err) : SP_OK;
}

sp_status sp_array_rater(sp_array_map *map, const char *rater, sp_array_part *part, bool *is_one,
                         sp_error *err)
{
    const sp_array_part *reference = map->labels.path ? &map->labels : &map->scores;
    char name[512], *place = NULL;
    sp_error why;
    bool is_none = false;
    *is_one = false;
    snprintf(name, sizeof name, SP_RATER_PREFIX "%s", rater);
    if (map->file.store && map->layout != SP_LAYOUT_GROUPS && reference->path &&
        !(place = sp_array_name_beside(reference->path, name, &is_none)))
        return sp_no_memory(err);
    sp_status status = sp_array_find_part(map, reference, place, name, "label", false, true, part, &why);
    free(place);
    if (status == SP_OK && sp_array_part_is(part) && strcmp(part->path, reference->path) != 0)
        status = may_be_labels(map, part, is_one, &why);
    if (*is_one)
        status = sp_array_load_part(map, part, &why);
    *is_one &= status == SP_OK;
    return status == SP_ENOMEM ? sp_no_memory(err) : SP_OK;
}
