/* Which arrays of a file are paths. */
#include "io/arrays/array_find.h"

#include <stdlib.h>
#include <string.h>

#include "core/try.h"

static sp_status add_paths(sp_array_map *map, const char *name, sp_stored *one, sp_error *err)
{
    sp_array_part *more = realloc(map->paths, ((size_t)map->n_paths + 1) * sizeof *more);
    if (!more)
        return sp_no_memory(err);
    map->paths = more;
    sp_array_part *part = &more[map->n_paths++];
    *part = (sp_array_part){.noun = "class", .one = one};
    return name ? sp_array_set_path(map, part, name, err) : SP_OK;
}

/* Moves the names that the root's attribute `strategies` lists to the front, in its order. */
static sp_status order_names(const sp_array_map *map, char **names, int64_t n, sp_error *err)
{
    sp_texts order = NULL;
    int64_t n_order = 0, done = 0;
    bool is_number;
    sp_status status =
        map->file.store->attribute(&map->file, "/", "strategies", &order, &n_order, &is_number, err);
    for (int64_t i = 0; status == SP_OK && order && i < n_order; i++)
        for (int64_t j = done; j < n; j++)
            if (strcmp(names[j], order[i]) == 0) {
                char *found = names[j];
                memmove(&names[done + 1], &names[done], (size_t)(j - done) * sizeof *names);
                names[done++] = found;
                break;
            }
    free(order);
    return status;
}

/* The arrays in a group of a store, each a strategy. */
static sp_status add_group(sp_array_map *map, const char *group, sp_error *err)
{
    sp_texts names = NULL;
    int64_t n = 0, n_arrays = 0;
    char *path = NULL;
    sp_status status = SP_OK;
    TRY(sp_stored_links(&map->file, group, &names, &n, err));
    for (int64_t i = 0; i < n; i++) {
        free(path);
        if (!(path = sp_array_join(group, names[i])))
            TRY(sp_no_memory(err));
        if (!sp_array_is_beside(names[i]) && strcmp(names[i], "class_names") != 0 &&
            sp_stored_what_is(&map->file, path) == SP_STORED_ARRAY)
            names[n_arrays++] = names[i];
    }
    if (n_arrays == 0 || n_arrays > INT32_MAX)
        TRY(sp_fail(err, SP_EFILE,
                    "%s: group %s holds no dataset of paths; say where the paths are with `paths` PATH",
                    map->file.file, group));
    TRY(order_names(map, names, n_arrays, err));
    for (int64_t i = 0; i < n_arrays; i++) {
        sp_stored *one = NULL;
        free(path);
        if (!(path = sp_array_join(group, names[i])))
            TRY(sp_no_memory(err));
        TRY(sp_array_named(map, path, NULL, "paths", &one, err));
        TRY(add_paths(map, path, one, err));
    }
done:
    free(path);
    free(names);
    return status;
}

static sp_status find_stored_paths(sp_array_map *map, const char *given, sp_error *err)
{
    sp_array_part place = {.path = NULL};
    sp_stored *one = NULL;
    sp_status status = SP_OK;
    TRY(sp_array_set_path(map, &place, given ? given : "/paths", err));
    const bool has_id = strstr(place.path, SP_ARRAY_HOLE) != NULL;
    const sp_stored_what what = has_id ? SP_STORED_ARRAY : sp_stored_what_is(&map->file, place.path);
    if (what == SP_STORED_ABSENT && !given)
        TRY(sp_array_not_found(map, "group /paths", "`paths`", err));
    if (what == SP_STORED_GROUP) {
        TRY(add_group(map, place.path, err));
        goto done;
    }
    if (!has_id)
        TRY(sp_array_named(map, place.path, NULL, "paths", &one, err));
    TRY(add_paths(map, place.path, one, err));
done:
    free(place.path);
    return status;
}

sp_status sp_array_find_paths(sp_array_map *map, const char *given, sp_error *err)
{
    static const char folder[] = "paths/";
    sp_stored *one = NULL;
    sp_status status;
    if (map->file.store)
        return find_stored_paths(map, given, err);
    if (given) {
        if (strstr(given, SP_ARRAY_HOLE))
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
    status = sp_array_find_by_shape(map, false, &found, err);
    if (status == SP_OK && found.path)
        status = add_paths(map, found.path, found.one, err);
    else if (status == SP_OK) {
        char list[700];
        sp_array_list(map, list, sizeof list);
        status = sp_fail(
            err, SP_EFILE,
            "%s: has no arrays paths/STRATEGY; say where the paths are with `paths` NAME; it holds %s",
            map->file.file, list);
    }
    free(found.path);
    return status;
}
