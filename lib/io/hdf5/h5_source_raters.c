/* Labels by several raters: looked for only when asked. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "io/hdf5/h5_file.h"
#include "io/hdf5/h5_source.h"

/* The raters stand beside the labels, and without labels beside the scores. */
static const char *reference_of(const sp_h5_source *source)
{
    return source->labels.path ? source->labels.path : source->map.path;
}

/* Adds the names "x" of the links "labels_x" of a group. */
static sp_status add_links(sp_h5_source *source, const char *group, sp_error *err)
{
    sp_status status = SP_OK;
    sp_texts links = NULL;
    int64_t n = 0;
    size_t length;
    TRY(sp_h5_links(source->file, source->file_name, group, &links, &n, NULL, err));
    for (int64_t i = 0; i < n; i++) {
        const char *name = sp_rater_of(links[i], &length);
        if (name)
            TRY(sp_rater_names_add(&source->rater_names, name, length, source->file_name, err));
    }
done:
    free(links);
    return status;
}

/* The group where the labels of recording n stand: in "/labels/{id}" the one that holds the folder of labels. */
static char *group_of(const sp_h5_source *source, int64_t n)
{
    const char *path = reference_of(source);
    if (sp_h5_path_has_id(sp_h5_path_name(path))) {
        char *folder = sp_h5_path_group(path), *out = folder ? sp_h5_path_group(folder) : NULL;
        free(folder);
        return out;
    }
    char *filled = sp_h5_path_has_id(path) ? sp_h5_map_path(&source->map, path, n) : strdup(path);
    char *out = filled ? sp_h5_path_group(filled) : NULL;
    free(filled);
    return out;
}

static sp_status find_names(sp_h5_source *source, sp_error *err)
{
    const char *path = reference_of(source);
    bool is_each = sp_h5_path_has_id(path) && !sp_h5_path_has_id(sp_h5_path_name(path));
    int64_t n_groups = is_each ? source->map.n_recordings : 1;
    sp_status status = SP_OK;
    for (int64_t n = 0; status == SP_OK && n < n_groups; n++) {
        char *group = group_of(source, n);
        if (!group)
            status = sp_no_memory(err);
        else if (sp_h5_look(source->file, group) == SP_H5_GROUP)
            status = add_links(source, group, err);
        free(group);
    }
    return status;
}

/* One integer a step, as far as the first recording that has it shows? In other layouts the shape was looked at already. */
static bool is_labels(const sp_h5_source *source, const sp_h5_part *part, bool *failed)
{
    const sp_h5_map *map = &source->map;
    if (part->words)
        return true;
    if (map->layout != SP_LAYOUT_GROUPS)
        return part->data.element.kind != SP_ELEMENT_FLOAT && part->data.element.kind != SP_ELEMENT_NONE;
    int64_t n = 0;
    while (n < map->n_recordings && part->absent && part->absent[n])
        n++;
    if (n == map->n_recordings)
        return false;
    char *path = sp_h5_map_path(map, part->path, n);
    sp_h5_data data = {0};
    bool is_one = path && sp_h5_map_dataset(map, path, &data, NULL) == SP_OK;
    *failed |= !path;
    if (is_one) {
        is_one = data.element.kind != SP_ELEMENT_FLOAT && data.element.kind != SP_ELEMENT_NONE && data.rank == 1 &&
                 (int64_t)data.dims[0] == map->offsets[n + 1] - map->offsets[n];
        sp_h5_data_close(&data);
    }
    free(path);
    return is_one;
}

/* Opens the datasets of one name; where they are not one integer a step they are something else that is called so. */
static sp_status open_rater(sp_h5_source *source, const char *name, bool *is_one, sp_error *err)
{
    char dataset[512];
    bool failed = false;
    *is_one = false;
    snprintf(dataset, sizeof dataset, SP_RATER_PREFIX "%s", name);
    char *path = sp_h5_source_beside(reference_of(source), dataset, &failed);
    if (failed)
        return sp_no_memory(err);
    if (!path)
        return SP_OK;
    if (strcmp(path, reference_of(source)) == 0) {
        free(path); /* the options name one of the raters as labels: it is the reference */
        return SP_OK;
    }
    sp_h5_part part = {0};
    sp_status status = sp_h5_part_open(&source->map, path, "label", false, true, &part, NULL);
    if (status == SP_OK)
        *is_one = is_labels(source, &part, &failed);
    if (*is_one)
        source->raters[source->n_open_raters++] = part;
    else
        sp_h5_part_close(&part);
    return failed || status == SP_ENOMEM ? sp_no_memory(err) : SP_OK;
}

sp_status sp_h5_source_find_raters(sp_source *opened, sp_error *err)
{
    sp_h5_source *source = opened->opened;
    sp_rater_names *found = &source->rater_names;
    sp_h5_quiet quiet;
    sp_h5_quiet_begin(&quiet);
    sp_status status = find_names(source, err);
    sp_rater_names_sort(found);
    for (int32_t i = 0; status == SP_OK && i < found->n;) {
        bool is_one = false;
        status = open_rater(source, found->names[i], &is_one, err);
        if (is_one)
            i++;
        else
            sp_rater_names_drop(found, i);
    }
    status = sp_h5_quiet_end(&quiet, status, err);
    opened->raters = (sp_raters_found){source->n_open_raters, (const char *const *)found->names};
    return status;
}
