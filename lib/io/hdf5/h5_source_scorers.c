/* Labels by several scorers: looked for only when asked. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/subjects.h"
#include "io/hdf5/h5_file.h"
#include "io/hdf5/h5_source.h"

static const char prefix[] = "labels_";
enum { PREFIX = sizeof prefix - 1 };

/* The scorers stand beside the labels, and without labels beside the scores. */
static const char *reference_of(const sp_h5_source *source)
{
    return source->labels.path ? source->labels.path : source->map.path;
}

/* Adds the names "x" of the links "labels_x" of a group that are not there yet. */
static sp_status add_links(sp_h5_source *source, const char *group, sp_error *err)
{
    sp_texts links = NULL;
    int64_t n = 0;
    sp_status status = sp_h5_links(source->file, source->file_name, group, &links, &n, NULL, err);
    for (int64_t i = 0; status == SP_OK && i < n; i++) {
        if (strncmp(links[i], prefix, PREFIX) != 0 || !links[i][PREFIX])
            continue;
        int32_t j = 0;
        while (j < source->n_scorers && strcmp(source->scorer_names[j], links[i] + PREFIX) != 0)
            j++;
        if (j < source->n_scorers)
            continue;
        if (source->n_scorers == SP_SOURCE_MAX_SCORERS)
            status = sp_fail(err, SP_EDATA, "%s: more than %d datasets are called %sX; they are taken for the labels of scorers",
                             source->file_name, SP_SOURCE_MAX_SCORERS, prefix);
        else if (!(source->scorer_names[j] = strdup(links[i] + PREFIX)))
            status = sp_no_memory(err);
        else
            source->n_scorers++;
    }
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

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
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
static sp_status open_scorer(sp_h5_source *source, char *name, bool *is_one, sp_error *err)
{
    char dataset[512];
    bool failed = false;
    *is_one = false;
    snprintf(dataset, sizeof dataset, "%s%s", prefix, name);
    char *path = sp_h5_source_beside(reference_of(source), dataset, &failed);
    if (failed)
        return sp_no_memory(err);
    if (!path)
        return SP_OK;
    if (strcmp(path, reference_of(source)) == 0) {
        free(path); /* the options name one of the scorers as labels: it is the reference */
        return SP_OK;
    }
    sp_h5_part part = {0};
    sp_status status = sp_h5_part_open(&source->map, path, "label", false, true, &part, NULL);
    if (status == SP_OK)
        *is_one = is_labels(source, &part, &failed);
    if (*is_one)
        source->scorers[source->n_open_scorers++] = part;
    else
        sp_h5_part_close(&part);
    return failed || status == SP_ENOMEM ? sp_no_memory(err) : SP_OK;
}

sp_status sp_h5_source_find_scorers(sp_source *opened, sp_error *err)
{
    sp_h5_source *source = opened->opened;
    sp_h5_quiet quiet;
    sp_h5_quiet_begin(&quiet);
    sp_status status = find_names(source, err);
    int32_t kept = 0;
    if (status == SP_OK)
        qsort(source->scorer_names, (size_t)source->n_scorers, sizeof *source->scorer_names, by_name);
    for (int32_t i = 0; status == SP_OK && i < source->n_scorers; i++) {
        bool is_one;
        char *name = source->scorer_names[i];
        status = open_scorer(source, name, &is_one, err);
        if (status != SP_OK || !is_one)
            continue;
        source->scorer_names[i] = source->scorer_names[kept]; /* the others stay behind, to be freed */
        source->scorer_names[kept++] = name;
    }
    status = sp_h5_quiet_end(&quiet, status, err);
    opened->scorers = (sp_scorers_found){source->n_open_scorers, (const char *const *)source->scorer_names};
    return status;
}
