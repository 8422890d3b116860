/* Which recordings belong together, as an HDF5 file says it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/subjects.h"
#include "io/hdf5/h5_file.h"
#include "io/hdf5/h5_source.h"

/* A dataset of one text or integer a recording. */
static sp_status from_dataset(const sp_h5_map *map, const char *path, sp_subjects **out, sp_error *err)
{
    sp_texts names = NULL;
    int64_t n = 0;
    bool is_number;
    char place[300];
    sp_status status = sp_h5_texts_dataset(map->file, map->file_name, path, "`groups` names the dataset of the subjects", &names,
                                           &n, &is_number, err);
    if (status != SP_OK)
        return status;
    if (n != map->n_recordings)
        status = sp_fail(err, SP_EDATA,
                         "%s: dataset %s names the subjects of %lld recordings, but there are %lld; write one for each, or leave "
                         "them aside with `groups` none",
                         map->file_name, path, (long long)n, (long long)map->n_recordings);
    for (int64_t i = 0; status == SP_OK && i < n; i++)
        if (!names[i][0])
            status = sp_fail(err, SP_EDATA,
                             "%s: dataset %s: the subject of recording %s has no name; give it one, or leave them aside with "
                             "`groups` none",
                             map->file_name, path, map->ids[i]);
    snprintf(place, sizeof place, "dataset %s", path);
    if (status == SP_OK)
        status = sp_subjects_from_names(n, (const char *const *)names, '\0', place, out, err);
    free(names);
    return status;
}

/* Where recording n of the groups layout keeps what is said of it: its group, or where its dataset is called by the id, that.
 * The caller frees it. */
static char *place_of(const sp_h5_map *map, int64_t n)
{
    char *path = sp_h5_map_path(map, map->path, n);
    if (!path || sp_h5_path_has_id(sp_h5_path_name(map->path)))
        return path;
    char *group = sp_h5_path_group(path);
    free(path);
    return group;
}

/* The one text of recording n; *text stays NULL where it has none. */
static sp_status text_of(const sp_h5_map *map, int64_t n, const char *name, char **text, sp_error *err)
{
    sp_texts found = NULL;
    int64_t count = 0;
    bool is_number, is_pattern = sp_h5_path_has_id(name);
    char *place = is_pattern ? NULL : place_of(map, n), *path = is_pattern ? sp_h5_map_path(map, name, n) : NULL;
    if (place)
        path = sp_h5_path_join(place, name);
    sp_status status = path ? SP_OK : sp_no_memory(err);
    if (status == SP_OK && place && sp_h5_has_attribute(map->file, place, name))
        status = sp_h5_texts_attribute(map->file, map->file_name, place, name, &found, &count, &is_number, err);
    else if (status == SP_OK && sp_h5_look(map->file, path) == SP_H5_DATASET)
        status = sp_h5_text_dataset(map->file, map->file_name, path, "write it again", &found, &count, &is_number, err);
    if (status == SP_OK && found && (count != 1 || !found[0][0]))
        status = sp_fail(err, SP_EDATA,
                         "%s: recording %s: its %s must be one name or number; write it so, or leave subjects aside with "
                         "`groups` none",
                         map->file_name, map->ids[n], name);
    if (status == SP_OK && found && !(*text = strdup(found[0])))
        status = sp_no_memory(err);
    free(found);
    free(place);
    free(path);
    return status;
}

static sp_status from_groups(const sp_h5_map *map, const char *name, bool is_asked, sp_subjects **out, sp_error *err)
{
    int64_t N = map->n_recordings;
    char **names = calloc((size_t)N + 1, sizeof *names);
    sp_status status = names ? SP_OK : sp_no_memory(err);
    if (status == SP_OK && N > 0)
        status = text_of(map, 0, name, &names[0], err);
    if (status == SP_OK && N > 1)
        status = text_of(map, N - 1, name, &names[N - 1], err);
    bool is_there = status == SP_OK && N > 0 && (is_asked || names[0] || names[N - 1]);
    for (int64_t n = 0; is_there && status == SP_OK && n < N && (n == 0 || names[n - 1]); n++)
        if (!names[n])
            status = text_of(map, n, name, &names[n], err);
    if (status == SP_OK && is_there)
        status = sp_subjects_of_recordings(N, (const char *const *)map->ids, (const char *const *)names, name, is_asked,
                                           map->file_name, out, err);
    for (int64_t n = 0; names && n < N; n++)
        free(names[n]);
    free(names);
    return status;
}

/* A dataset `subjects` beside the ids or in the root. */
static sp_status find_dataset(const sp_h5_map *map, sp_subjects **out, sp_error *err)
{
    static const char in_root[] = "/subjects";
    char *path = sp_h5_path_join(map->base, "subjects");
    if (!path)
        return sp_no_memory(err);
    const char *const places[] = {path, in_root};
    sp_status status = SP_OK;
    for (int i = 0; status == SP_OK && !*out && i < 2; i++)
        if (sp_h5_look(map->file, places[i]) == SP_H5_DATASET)
            status = from_dataset(map, places[i], out, err);
    free(path);
    return status;
}

static sp_status find_subjects(const sp_h5_map *map, const char *groups, sp_subjects **out, sp_error *err)
{
    bool is_groups = map->layout == SP_LAYOUT_GROUPS;
    *out = NULL;
    if (!groups)
        return is_groups ? from_groups(map, "subject", false, out, err) : find_dataset(map, out, err);
    const bool is_prefix = strncmp(groups, "prefix:", 7) == 0;
    if (is_prefix && !map->has_ids && !is_groups)
        return sp_fail(err, SP_EINVAL, "`groups` %s: the recordings of %s have no ids; `ids` PATH says where they are", groups,
                       map->file_name);
    if (is_prefix || strcmp(groups, "none") == 0)
        return sp_subjects_from_ids(map->n_recordings, (const char *const *)map->ids, groups, map->file_name, out, err);
    if (is_groups && !sp_h5_path_has_id(groups))
        return from_groups(map, groups, true, out, err);
    char *path = sp_h5_path(groups);
    if (!path)
        return sp_no_memory(err);
    sp_status status = is_groups ? from_groups(map, path, true, out, err) : from_dataset(map, path, out, err);
    free(path);
    return status;
}

sp_status sp_h5_source_subjects(sp_source *source, const char *groups, sp_subjects **out, sp_error *err)
{
    const sp_h5_source *h = source->opened;
    sp_h5_quiet quiet;
    sp_h5_quiet_begin(&quiet);
    sp_subjects *found = NULL;
    sp_status status = sp_h5_quiet_end(&quiet, find_subjects(&h->map, groups, &found, err), err);
    if (status == SP_OK)
        *out = found;
    else
        sp_subjects_free(found);
    return status;
}
