/* What a file holds beside what was used of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "io/arrays/array_find.h"
#include "io/hdf5/h5_file.h"
#include "io/hdf5/h5_source.h"

/* Names that stand beside recordings and are looked for when they are needed. */
static bool is_usual(const char *name)
{
    return sp_array_is_asked_for(name) || strcmp(name, "recordings") == 0 || strcmp(name, "paths") == 0;
}

static const char hole[] = "{id}"; /* stands for the recording */

/* Is a path, as it stands in the file or with {id} in it, one that a pattern leads to, or a group on the way? */
static bool leads_to(const char *pattern, const char *path)
{
    while (*path) {
        const size_t wanted = strcspn(pattern, "/"), there = strcspn(path, "/");
        const char *id = strstr(pattern, hole);
        const size_t before = id && id < pattern + wanted ? (size_t)(id - pattern) : wanted,
                     after = before < wanted ? wanted - before - (sizeof hole - 1) : 0;
        if (before < wanted
                ? there < before + after || memcmp(path + there - after, pattern + wanted - after, after) != 0
                : there != wanted)
            return false;
        if (memcmp(path, pattern, before) != 0)
            return false;
        pattern += wanted + (pattern[wanted] == '/');
        path += there + (path[there] == '/');
    }
    return true;
}

static bool is_used(const sp_array_map *map, const char *path)
{
    const sp_array_part *const parts[] = {&map->scores, &map->labels, &map->segments, &map->weights,
                                          &map->mask};
    enum { N_PARTS = sizeof parts / sizeof(const sp_array_part *) };
    for (int i = 0; i < N_PARTS; i++)
        if (sp_array_part_is(parts[i]) && leads_to(parts[i]->path, path))
            return true;
    return map->reference && leads_to(map->reference, path);
}

/* The option that takes such a dataset: scores [T,K] or [N,T,K], labels [T] or [N,T]. */
static const char *option_of(const sp_element *element, int rank)
{
    if (element->kind == SP_ELEMENT_FLOAT && (rank == 2 || rank == 3))
        return "`scores`";
    return (element->kind == SP_ELEMENT_INT || element->kind == SP_ELEMENT_UINT) && (rank == 1 || rank == 2)
               ? "`labels`"
               : NULL;
}

/* ---- attributes ---- */

/* Attributes that are read, and those that HDF5, h5py and other libraries write for themselves. */
static bool is_known_attribute(const char *name)
{
    static const char *const known[] = {
        "classes", "class_names", "epoch_seconds", "subject",        "strategies",        "model",
        "input",   "input_size",  "command",       "recipe",         "statepath_version", "names",
        "gaps",    "CLASS",       "NAME",          "DIMENSION_LIST", "REFERENCE_LIST",    "DIMENSION_LABELS"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i]) == 0)
            return true;
    return strncmp(name, "_Netcdf4", 8) == 0 || strncmp(name, "MATLAB_", 7) == 0;
}

/* The option that says the same as an attribute of that name; in groups one of each recording may tell the subjects. */
static const char *option_of_attribute(const char *name, bool is_of_recording)
{
    static const struct {
        const char *part, *option;
    } parts[] = {{"epoch", "`epoch_seconds`"}, {"second", "`epoch_seconds`"}, {"kind", "`kind`"}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(name, parts[i].part))
            return parts[i].option;
    return is_of_recording ? "`groups`" : NULL;
}

static void list_attribute(hid_t object, const char *name, const char *shown, const char *option,
                           sp_unused_sink *sink, void *arg)
{
    char what[300], text[SP_ELEMENT_NAME + SP_H5_SHAPE + 1], type[SP_ELEMENT_NAME], shape[SP_H5_SHAPE];
    hsize_t dims[H5S_MAX_RANK] = {0};
    const hid_t id = H5Aopen(object, name, H5P_DEFAULT);
    const hid_t space = id >= 0 ? H5Aget_space(id) : -1, stored = id >= 0 ? H5Aget_type(id) : -1;
    const int rank = space >= 0 ? H5Sget_simple_extent_dims(space, dims, NULL) : -1;
    if (rank >= 0 && stored >= 0) {
        snprintf(what, sizeof what, "attribute %.100s of %.150s", name, shown);
        snprintf(text, sizeof text, "%s%s%s", sp_element_name(stored, type), rank ? " " : "",
                 rank ? sp_h5_shape(rank, dims, shape) : "");
        sink(arg, what, text, option);
    }
    sp_h5_close(stored);
    sp_h5_close(space);
    sp_h5_close(id);
}

/* Of the object at `path`, shown as `shown`. */
static void list_attributes(const sp_array_map *map, const char *path, const char *shown,
                            sp_unused_sink *sink, void *arg)
{
    enum { MOST = 64 };
    H5O_info_t info = {0};
    const hid_t object = H5Oopen(sp_h5_store_file(&map->file), path, H5P_DEFAULT);
    if (object < 0)
        return;
    const hsize_t n = H5Oget_info2(object, &info, H5O_INFO_NUM_ATTRS) >= 0 ? info.num_attrs : 0;
    for (hsize_t i = 0; i < n && i < MOST; i++) {
        char name[101];
        const ssize_t length =
            H5Aget_name_by_idx(object, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT);
        if (length > 0 && (size_t)length < sizeof name && !is_known_attribute(name))
            list_attribute(object, name, shown, option_of_attribute(name, strstr(shown, "{id}") != NULL),
                           sink, arg);
    }
    H5Oclose(object);
}

/* ---- datasets ---- */

/* shown: the path with {id}; path: where it stands. */
static void list_dataset(const sp_array_map *map, const char *path, const char *shown, sp_unused_sink *sink,
                         void *arg)
{
    char what[300], text[SP_ELEMENT_NAME + SP_H5_SHAPE + 1], type[SP_ELEMENT_NAME], shape[SP_H5_SHAPE];
    hsize_t dims[H5S_MAX_RANK] = {0};
    sp_element element;
    hid_t dataset = H5Dopen2(sp_h5_store_file(&map->file), path, H5P_DEFAULT);
    if (dataset < 0)
        return;
    hid_t space = H5Dget_space(dataset), stored = H5Dget_type(dataset);
    const int rank = H5Sget_simple_extent_dims(space, dims, NULL);
    sp_element_of(stored, &element);
    snprintf(what, sizeof what, "dataset %.250s", shown);
    snprintf(text, sizeof text, "%s %s", sp_element_name(stored, type),
             sp_h5_shape(rank < 0 ? 0 : rank, dims, shape));
    sink(arg, what, text, option_of(&element, rank));
    H5Tclose(stored);
    H5Sclose(space);
    H5Dclose(dataset);
}

/* The datasets of one group, and the groups in it by name. shown: what stands for the group in paths, "/recordings/{id}". */
static sp_status list_group(const sp_array_map *map, const char *group, const char *shown,
                            sp_unused_sink *sink, void *arg, sp_error *err)
{
    sp_texts names = NULL;
    int64_t n = 0;
    sp_status status =
        sp_h5_links(sp_h5_store_file(&map->file), map->file.file, group, &names, &n, NULL, err);
    for (int64_t i = 0; status == SP_OK && i < n; i++) {
        char *path = sp_array_join(group, names[i]), *as = sp_array_join(shown, names[i]);
        const sp_h5_what found = path && as ? sp_h5_look(sp_h5_store_file(&map->file), path) : SP_H5_ABSENT;
        if (!path || !as)
            status = sp_no_memory(err);
        const bool is_unused = status == SP_OK && !is_usual(names[i]) && !is_used(map, as);
        if (found == SP_H5_DATASET && is_unused)
            list_dataset(map, path, as, sink, arg);
        else if (found == SP_H5_GROUP && is_unused) {
            char what[300];
            snprintf(what, sizeof what, "group %.250s", as);
            sink(arg, what, "", NULL);
        }
        free(path);
        free(as);
    }
    free(names);
    return status;
}

sp_status sp_h5_source_list_unused(sp_source *source, sp_unused_sink *sink, void *arg, sp_error *err)
{
    const sp_array_map *map = sp_array_source_map(source);
    const char *first = map->first->name;
    char *group = sp_array_group(first), *shown = sp_array_group(map->reference);
    sp_h5_quiet quiet;
    sp_h5_quiet_begin(&quiet);
    sp_status status = SP_OK;
    if (!group || !shown)
        TRY(sp_no_memory(err));
    const bool has_group = strcmp(group, "/") != 0;
    TRY(list_group(map, "/", "/", sink, arg, err));
    if (has_group)
        TRY(list_group(map, group, shown, sink, arg, err));
    list_attributes(map, "/", "/", sink, arg);
    if (has_group)
        list_attributes(map, group, shown, sink, arg);
    list_attributes(map, first, map->reference, sink, arg);
    if (sp_array_part_is(&map->labels) && map->layout != SP_LAYOUT_GROUPS &&
        strcmp(map->labels.path, map->reference) != 0)
        list_attributes(map, map->labels.path, map->labels.path, sink, arg);
done:
    free(group);
    free(shown);
    return sp_h5_quiet_end(&quiet, status, err);
}
