#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/hdf5/h5_file.h"
#include "io/hdf5/h5_source.h"

static const char *const attribute_names[] = {"classes", "class_names"};

/* Takes texts that were found at `place` if they can be names of K classes. Numbers of another count are something else that
 * happens to be called so (how many classes there are, a column of labels): no names, no error. */
static sp_status names_check(const sp_h5_map *map, int64_t n_classes, const char *place, bool is_number, sp_texts *texts,
                             int64_t n, sp_error *err)
{
    if (is_number && (n != n_classes || n == 1)) {
        free(*texts);
        *texts = NULL;
        return SP_OK;
    }
    int64_t a = 0, b = 0;
    if (n_classes > 0 && n != n_classes)
        return sp_fail(err, SP_EDATA,
                       "%s: %s names %lld class%s, but dataset %s has %lld columns; write one name for each column",
                       map->file_name, place, (long long)n, n == 1 ? "" : "es", map->path, (long long)n_classes);
    if (sp_texts_duplicate((const char *const *)*texts, n, &a, &b))
        return sp_fail(err, SP_EDATA, "%s: %s: classes %lld and %lld are both called '%s'; give each its own name",
                       map->file_name, place, (long long)a, (long long)b, (*texts)[a]);
    if (a == -2)
        return sp_no_memory(err);
    return SP_OK;
}

static sp_status try_dataset(const sp_h5_map *map, const char *group, int64_t n_classes, sp_texts *out, int64_t *n, char *place,
                             size_t place_size, sp_error *err)
{
    char *path = sp_h5_path_join(group, "classes");
    if (!path)
        return sp_no_memory(err);
    sp_status status = SP_OK;
    bool is_number = false;
    if (sp_h5_look(map->file, path) == SP_H5_DATASET) {
        snprintf(place, place_size, "dataset %s", path);
        status = sp_h5_texts_dataset(map->file, map->file_name, path, "write it again", out, n, &is_number, err);
        if (status == SP_OK)
            status = names_check(map, n_classes, place, is_number, out, *n, err);
    }
    free(path);
    return status;
}

static sp_status try_attribute(const sp_h5_map *map, const char *path, int64_t n_classes, sp_texts *out, int64_t *n, char *place,
                               size_t place_size, sp_error *err)
{
    for (size_t i = 0; i < sizeof attribute_names / sizeof *attribute_names; i++) {
        if (!sp_h5_has_attribute(map->file, path, attribute_names[i]))
            continue;
        bool is_number = false;
        snprintf(place, place_size, "attribute %s of %s", attribute_names[i], path);
        sp_status status = sp_h5_texts_attribute(map->file, map->file_name, path, attribute_names[i], out, n, &is_number, err);
        if (status == SP_OK)
            status = names_check(map, n_classes, place, is_number, out, *n, err);
        if (status != SP_OK || *out)
            return status;
    }
    return SP_OK;
}

/* Names on the scores of one recording, or on its group. */
static sp_status names_of_recording(const sp_h5_map *map, const char *path, int64_t n_classes, sp_texts *out, int64_t *n,
                                    char *place, size_t place_size, sp_error *err)
{
    sp_status status = try_attribute(map, path, n_classes, out, n, place, place_size, err);
    if (status != SP_OK || *out)
        return status;
    char *group = sp_h5_path_group(path);
    if (!group)
        return sp_no_memory(err);
    if (strcmp(group, map->base) != 0 && strcmp(group, "/") != 0) {
        status = try_dataset(map, group, n_classes, out, n, place, place_size, err);
        if (status == SP_OK && !*out)
            status = try_attribute(map, group, n_classes, out, n, place, place_size, err);
    }
    free(group);
    return status;
}

/* Where each recording names its classes, they must be the same in the same order: columns are matched once for the file. */
static sp_status recordings_agree(const sp_h5_map *map, const sp_texts names, int64_t n, sp_error *err)
{
    for (int64_t i = 1; i < map->n_recordings; i++) {
        char *path = sp_h5_map_path(map, map->path, i), place[256];
        sp_texts other = NULL;
        int64_t n_other = 0;
        sp_status status =
            path ? names_of_recording(map, path, n, &other, &n_other, place, sizeof place, err) : sp_no_memory(err);
        for (int64_t k = 0; status == SP_OK && other && k < n; k++)
            if (strcmp(names[k], other[k]) != 0)
                status = sp_fail(
                    err, SP_EDATA,
                    "%s: recording %s: class %lld is called '%s' (%s), but '%s' in recording %s; all recordings need the same "
                    "classes in the same order",
                    map->file_name, map->ids[i], (long long)k, other[k], place, names[k], map->ids[0]);
        free(other);
        free(path);
        if (status != SP_OK)
            return status;
    }
    return SP_OK;
}

sp_status sp_h5_source_classes(const sp_h5_map *map, int64_t n_classes, sp_texts *out, int64_t *n, char *place, size_t place_size,
                               sp_error *err)
{
    sp_texts found = NULL;
    const bool is_groups = map->layout == SP_LAYOUT_GROUPS;
    sp_status status = try_dataset(map, map->base, n_classes, &found, n, place, place_size, err);
    if (status == SP_OK && !found && strcmp(map->base, "/") != 0)
        status = try_dataset(map, "/", n_classes, &found, n, place, place_size, err);
    if (status == SP_OK && !found && map->first_path) {
        status = names_of_recording(map, map->first_path, n_classes, &found, n, place, place_size, err);
        if (status == SP_OK && found && is_groups)
            status = recordings_agree(map, found, *n, err);
    }
    if (status == SP_OK && !found)
        status = try_attribute(map, map->base, n_classes, &found, n, place, place_size, err);
    if (status == SP_OK && !found && strcmp(map->base, "/") != 0)
        status = try_attribute(map, "/", n_classes, &found, n, place, place_size, err);
    if (status != SP_OK) {
        free(found);
        return status;
    }
    *out = found;
    *n = found ? *n : 0;
    return SP_OK;
}
