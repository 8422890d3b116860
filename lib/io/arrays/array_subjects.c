/* Which recordings belong together, as a file of arrays says it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/subjects.h"
#include "core/try.h"
#include "io/arrays/array_find.h"
#include "io/arrays/array_source.h"

/* An array of one text or whole number a recording. */
static sp_status from_array(const sp_array_map *map, sp_stored *array, sp_subjects **out, sp_error *err)
{
    char place[320], where[SP_STORED_WHERE];
    sp_texts names = NULL;
    sp_status status = SP_OK;
    TRY(sp_stored_texts(&map->file, array, &names, err));
    sp_stored_where(&map->file, array, where);
    if (array->count != map->n_recordings)
        TRY(sp_fail(err, SP_EDATA,
                    "%s names the subjects of %lld recordings, but there are %lld; write one for each, or "
                    "leave them aside with "
                    "`groups` none",
                    where, (long long)array->count, (long long)map->n_recordings));
    for (int64_t i = 0; i < array->count; i++)
        if (!names[i][0])
            TRY(sp_fail(err, SP_EDATA,
                        "%s: the subject of recording %s has no name; give it one, or leave them aside with "
                        "`groups` none",
                        where, map->ids[i]));
    snprintf(place, sizeof place, "%s %.300s", sp_stored_noun(&map->file), array->name);
    TRY(sp_subjects_from_names(array->count, (const char *const *)names, '\0', place, out, err));
done:
    free(names);
    return status;
}

/* Where recording n of groups keeps what is said of it: its group, or where its array is called by the id, that. The caller frees
 * it. */
static char *place_of(const sp_array_map *map, int64_t n)
{
    char *path = sp_array_fill(map->reference, map->ids[n]);
    if (!path || strstr(strrchr(map->reference, '/'), SP_ARRAY_HOLE))
        return path;
    char *group = sp_array_group(path);
    free(path);
    return group;
}

/* The one text of recording n of a store; *text stays NULL where it has none. */
static sp_status text_of(const sp_array_map *map, int64_t n, const char *name, char **text, sp_error *err)
{
    const sp_store *store = map->file.store;
    const bool is_pattern = strstr(name, SP_ARRAY_HOLE) != NULL;
    char *place = is_pattern ? NULL : place_of(map, n);
    char *path = is_pattern ? sp_array_fill(name, map->ids[n]) : place ? sp_array_join(place, name) : NULL;
    sp_texts found = NULL;
    sp_stored array = {.name = NULL};
    int64_t count = 0;
    bool is_number;
    sp_status status = SP_OK;
    if (!path)
        TRY(sp_no_memory(err));
    if (place)
        TRY(store->attribute(&map->file, place, name, &found, &count, &is_number, err));
    if (!found && sp_stored_what_is(&map->file, path) == SP_STORED_ARRAY) {
        TRY(store->take(&map->file, path, &array, err));
        if (array.rank == 0) /* a single text without a dimension will do */
            array.dims[array.rank++] = 1;
        TRY(sp_stored_texts(&map->file, &array, &found, err));
        count = array.count;
    }
    if (found && (count != 1 || !found[0][0]))
        TRY(sp_fail(err, SP_EDATA,
                    "%s: recording %s: its %s must be one name or number; write it so, or leave subjects "
                    "aside with `groups` none",
                    map->file.file, map->ids[n], name));
    if (found && !(*text = strdup(found[0])))
        TRY(sp_no_memory(err));
done:
    store->drop(&array);
    free(found);
    free(place);
    free(path);
    return status;
}

/* Of each recording; where nobody asked, only if the first or the last has one. */
static sp_status from_recordings(const sp_array_map *map, const char *name, bool is_asked, sp_subjects **out,
                                 sp_error *err)
{
    const int64_t N = map->n_recordings;
    char **names = calloc((size_t)N + 1, sizeof *names);
    sp_status status = SP_OK;
    if (!names)
        TRY(sp_no_memory(err));
    if (N > 0)
        TRY(text_of(map, 0, name, &names[0], err));
    if (N > 1)
        TRY(text_of(map, N - 1, name, &names[N - 1], err));
    if (N == 0 || !(is_asked || names[0] || names[N - 1]))
        goto done;
    for (int64_t n = 0; n < N && (n == 0 || names[n - 1]); n++)
        if (!names[n])
            TRY(text_of(map, n, name, &names[n], err));
    TRY(sp_subjects_of_recordings(N, (const char *const *)map->ids, (const char *const *)names, name,
                                  is_asked, map->file.file, out, err));
done:
    for (int64_t n = 0; names && n < N; n++)
        free(names[n]);
    free(names);
    return status;
}

sp_status sp_array_source_subjects(sp_source *source, const sp_groups *groups, sp_subjects **out,
                                   sp_error *err)
{
    sp_array_map *map = sp_array_source_map(source);
    const bool are_stored = map->file.store && map->layout == SP_LAYOUT_GROUPS;
    const char *asked = groups->place;
    sp_stored *array = NULL;
    sp_array_part place = {.path = NULL};
    sp_status status = SP_OK;
    if (groups->by == SP_GROUPS_PREFIX && map->file.store && !map->has_ids)
        TRY(sp_fail(err, SP_EINVAL,
                    "`groups` prefix:%c: the recordings of %s have no ids; `ids` PATH says where they are",
                    groups->mark, map->file.file));
    if (groups->by == SP_GROUPS_PREFIX || groups->by == SP_GROUPS_NONE) {
        TRY(sp_subjects_from_ids(map->n_recordings, (const char *const *)map->ids, groups, map->file.file,
                                 out, err));
        goto done;
    }
    if (are_stored && asked && strstr(asked, SP_ARRAY_HOLE))
        TRY(sp_array_set_path(map, &place, asked, err));
    if (are_stored) {
        TRY(from_recordings(map,
                            place.path ? place.path
                            : asked    ? asked
                                       : "subject",
                            asked != NULL, out, err));
        goto done;
    }
    TRY(sp_array_named(map, asked, "subjects", "groups", &array, err));
    if (!array && map->file.store && sp_stored_what_is(&map->file, "/subjects") == SP_STORED_ARRAY)
        TRY(sp_array_named(map, "/subjects", NULL, "groups", &array, err));
    if (array)
        TRY(from_array(map, array, out, err));
    else if (!map->file.store)
        TRY(sp_subjects_from_ids(map->n_recordings, (const char *const *)map->ids, groups, map->file.file,
                                 out, err));
done:
    free(place.path);
    return status;
}
