#include "io/arrays/array_class_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/model.h"
#include "core/try.h"
#include "io/arrays/array_find.h"
#include "io/source.h"
#include "io/text/cells.h"

/* Names of classes, and where they were found. */
typedef struct class_names {
    sp_texts names;
    int64_t n;
    char place[SP_ARRAY_PLACE];
} class_names;

/* Do the names only count the columns, 0 to K-1, as classes_ of scikit-learn does? Unless the model has a
 * class of such a name they name nothing, as in a table whose header is 0,1,2. Files of paths and of signals
 * are left as they are: nothing else says how many classes these have. */
static bool are_counted(const sp_array_map *map, const class_names *c)
{
    const sp_model *model = map->source ? map->source->model : NULL;
    bool are =
        map->source && c->n > 1 && map->n_paths == 0 && !(model && sp_model_class(model, "0", true) >= 0);
    for (int64_t k = 0, number; are && k < c->n; k++)
        are = sp_cell_whole(c->names[k], &number) && number == k;
    return are;
}

/* Takes texts that were found at `place` if they can be names of K classes (0: not known). Numbers of another count are something
 * else that happens to be called so (how many classes there are, a column of labels), or counted: no names,
 * no error. */
static sp_status check_names(const sp_array_map *map, int64_t K, bool is_number, class_names *c,
                             sp_error *err)
{
    int64_t a = 0, b = 0;
    const bool has_reference = map->file.store || map->first->name;
    if ((is_number && (c->n != K || c->n == 1)) || ((c->n == K || K == 0) && are_counted(map, c))) {
        free(c->names);
        c->names = NULL;
        return SP_OK;
    }
    if (K > 0 && c->n != K)
        return sp_fail(
            err, SP_EDATA,
            "%s: %s names %lld class%s, but %s%s%s has %lld columns; write one name for each column",
            map->file.file, c->place, (long long)c->n, c->n == 1 ? "" : "es",
            has_reference ? sp_stored_noun(&map->file) : "the array", has_reference ? " " : "",
            has_reference ? map->reference : "", (long long)K);
    if (sp_texts_duplicate((const char *const *)c->names, c->n, &a, &b))
        return sp_fail(err, SP_EDATA,
                       "%s: %s: classes %lld and %lld are both called '%s'; give each its own name",
                       map->file.file, c->place, (long long)a, (long long)b, c->names[a]);
    return a == -2 ? sp_no_memory(err) : SP_OK;
}

static sp_status take_array(sp_array_map *map, int64_t K, sp_stored *array, class_names *c, sp_error *err)
{
    sp_status status = SP_OK;
    snprintf(c->place, sizeof c->place, "%s %.300s", sp_stored_noun(&map->file), array->name);
    TRY(sp_stored_look(&map->file, array, err));
    TRY(sp_stored_texts(&map->file, array, &c->names, err));
    c->n = array->count;
    TRY(check_names(map, K, array->form == SP_STORED_NUMBERS, c, err));
done:
    return status;
}

/* The array `classes` in a group of a store. */
static sp_status try_array(sp_array_map *map, int64_t K, const char *group, class_names *c, sp_error *err)
{
    char *path = sp_array_join(group, "classes");
    sp_status status = SP_OK;
    if (!path)
        TRY(sp_no_memory(err));
    if (sp_stored_what_is(&map->file, path) == SP_STORED_ARRAY) {
        sp_stored *array = sp_stored_find(&map->file, path);
        TRY(array ? take_array(map, K, array, c, err) : sp_no_memory(err));
    }
done:
    free(path);
    return status;
}

static sp_status try_attributes(const sp_array_map *map, int64_t K, const char *path, class_names *c,
                                sp_error *err)
{
    static const char *const names[] = {"classes", "class_names"};
    sp_status status = SP_OK;
    for (size_t i = 0; i < sizeof names / sizeof *names && !c->names; i++) {
        bool is_number = false;
        snprintf(c->place, sizeof c->place, "attribute %s of %.280s", names[i], path);
        TRY(map->file.store->attribute(&map->file, path, names[i], &c->names, &c->n, &is_number, err));
        if (c->names)
            TRY(check_names(map, K, is_number, c, err));
    }
done:
    return status;
}

/* Names on the scores of one recording, or on its group. */
static sp_status names_of_recording(sp_array_map *map, int64_t K, const char *path, class_names *c,
                                    sp_error *err)
{
    char *group = sp_array_group(path);
    sp_status status = SP_OK;
    if (!group)
        TRY(sp_no_memory(err));
    const bool is_own = strcmp(group, map->base) != 0 && strcmp(group, "/") != 0;
    TRY(try_attributes(map, K, path, c, err));
    if (!c->names && is_own)
        TRY(try_array(map, K, group, c, err));
    if (!c->names && is_own)
        TRY(try_attributes(map, K, group, c, err));
done:
    free(group);
    return status;
}

/* Where each recording names its classes, they must be the same in the same order: columns are matched once for the file. */
static sp_status recordings_agree(sp_array_map *map, const class_names *c, sp_error *err)
{
    char *path = NULL;
    class_names other = {.names = NULL};
    sp_status status = SP_OK;
    for (int64_t i = 1; i < map->n_recordings; i++) {
        free(path);
        free(other.names);
        other.names = NULL;
        if (!(path = sp_array_fill(map->reference, map->ids[i])))
            TRY(sp_no_memory(err));
        TRY(names_of_recording(map, c->n, path, &other, err));
        for (int64_t k = 0; other.names && k < c->n; k++)
            if (strcmp(c->names[k], other.names[k]) != 0)
                TRY(sp_fail(err, SP_EDATA,
                            "%s: recording %s: class %lld is called '%s' (%s), but '%s' in recording %s; all "
                            "recordings need the "
                            "same classes in the same order",
                            map->file.file, map->ids[i], (long long)k, other.names[k], other.place,
                            c->names[k], map->ids[0]));
    }
done:
    free(path);
    free(other.names);
    return status;
}

static sp_status find_stored_classes(sp_array_map *map, int64_t K, class_names *c, sp_error *err)
{
    const bool has_above = strcmp(map->base, "/") != 0;
    sp_status status = SP_OK;
    TRY(try_array(map, K, map->base, c, err));
    if (!c->names && has_above)
        TRY(try_array(map, K, "/", c, err));
    if (!c->names && map->first->name) {
        TRY(names_of_recording(map, K, map->first->name, c, err));
        if (c->names && map->layout == SP_LAYOUT_GROUPS)
            TRY(recordings_agree(map, c, err));
    }
    if (!c->names)
        TRY(try_attributes(map, K, map->base, c, err));
    if (!c->names && has_above)
        TRY(try_attributes(map, K, "/", c, err));
done:
    return status;
}

sp_status sp_array_find_classes(sp_array_map *map, sp_texts *names, sp_source_info *info,
                                char place[SP_ARRAY_PLACE], sp_error *err)
{
    sp_stored *array = NULL;
    class_names c = {.names = NULL};
    sp_status status = SP_OK;
    if (map->file.classes) {
        info->classes = (const char *const *)map->file.classes;
        info->classes_place = "the first line";
        return SP_OK;
    }
    if (map->file.store)
        TRY(find_stored_classes(map, map->n_classes, &c, err));
    else
        TRY(sp_array_named(map, NULL, "classes", "", &array, err));
    if (array)
        TRY(take_array(map, map->n_classes, array, &c, err));
    if (!c.names)
        goto done;
    memcpy(place, c.place, SP_ARRAY_PLACE);
    *names = c.names;
    info->classes = (const char *const *)c.names;
    info->classes_place = place;
    info->n_classes = (int32_t)c.n;
    c.names = NULL;
done:
    free(c.names);
    return status;
}
