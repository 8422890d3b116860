/* One dataset a recording: "/recordings/{id}/log_probs" and other patterns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/format.h"
#include "io/hdf5/h5_file.h"
#include "io/hdf5/h5_map.h"

/* ---- patterns ---- */

/* "/night/rec_{id}/softmax": group "/night", before "rec_", after "", is_leaf false. */
typedef struct pattern {
    char *group, *before, *after;
    bool is_leaf; /* nothing follows the component with {id} */
} pattern;

static void pattern_free(pattern *p)
{
    free(p->group);
    free(p->before);
    free(p->after);
}

static bool pattern_split(const char *path, pattern *out)
{
    const char *mark = strstr(path, "{id}"), *start = mark, *end = mark + strlen("{id}");
    while (start[-1] != '/')
        start--;
    const char *stop = end + strcspn(end, "/");
    out->group = start - 1 == path ? strdup("/") : strndup(path, (size_t)(start - 1 - path));
    out->before = strndup(start, (size_t)(mark - start));
    out->after = strndup(end, (size_t)(stop - end));
    out->is_leaf = !*stop;
    return out->group && out->before && out->after;
}

/* Cuts a link's name down to the id in place; false when it does not fit the pattern. */
static bool pattern_match(const pattern *p, char *name)
{
    size_t n = strlen(name), before = strlen(p->before), after = strlen(p->after);
    if (n <= before + after || memcmp(name, p->before, before) != 0 || memcmp(name + n - after, p->after, after) != 0)
        return false;
    memmove(name, name + before, n - before - after);
    name[n - before - after] = '\0';
    return true;
}

/* Datasets that stand beside recordings without being one. */
static bool is_reserved(const char *name)
{
    static const char *const reserved[] = {"classes", "class_names", "ids", "offsets", "lengths"};
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strcmp(name, reserved[i]) == 0)
            return true;
    return false;
}

/* ---- recordings ---- */

const char *const sp_h5_beside[SP_H5_N_BESIDE] = {"labels", "segments", "weights", "mask"};

/* Which bit of map->beside stands for a pattern; -1: none. */
static int beside_bit(const sp_h5_map *map, const char *path)
{
    const char *name = sp_h5_path_name(path);
    const size_t n = (size_t)(name - path);
    if (!map->beside || n != (size_t)(sp_h5_path_name(map->path) - map->path) || memcmp(path, map->path, n) != 0)
        return -1;
    for (int i = 0; i < SP_H5_N_BESIDE; i++)
        if (strcmp(name, sp_h5_beside[i]) == 0)
            return i;
    return -1;
}

const sp_h5_places *sp_h5_map_places(const sp_h5_map *map, const char *path)
{
    const int bit = beside_bit(map, path);
    return map->layout != SP_LAYOUT_GROUPS || !map->vfile ? NULL
           : strcmp(path, map->path) == 0                 ? &map->places[0]
           : bit >= 0                                     ? &map->places[1 + bit]
                                                          : NULL;
}

bool sp_h5_map_has(const sp_h5_map *map, const char *path, int64_t n, bool *failed)
{
    if (strcmp(path, map->path) == 0)
        return true; /* the reference itself */
    int bit = beside_bit(map, path);
    if (bit >= 0)
        return map->beside[n] >> bit & 1;
    char *filled = sp_h5_map_path(map, path, n);
    *failed = !filled;
    bool is_there = filled && sp_h5_has_link(map->file, filled);
    free(filled);
    return is_there;
}

/* `path` from the group that is open anyway, which saves walking there. */
static const char *path_inside(const sp_h5_map *map, const char *path)
{
    const size_t n = strlen(map->base);
    return map->parent > 0 && n > 1 && strncmp(path, map->base, n) == 0 && path[n] == '/' ? path + n + 1 : NULL;
}

sp_status sp_h5_map_dataset(const sp_h5_map *map, const char *path, sp_h5_data *out, sp_error *err)
{
    const char *inside = path_inside(map, path);
    hid_t id = H5Dopen2(inside ? map->parent : map->file, inside ? inside : path, H5P_DEFAULT);
    return id < 0 ? sp_h5_explain(map->file, map->file_name, path, "write it for every recording", err)
                  : sp_h5_data_adopt(id, map->file_name, path, out, err);
}

/* What stands in the group of a recording. */
typedef struct neighbours {
    const char *reference; /* its name there */
    uint8_t beside;        /* sp_h5_beside, bit by bit */
    bool is_hard;          /* they and the reference are hard links */
    int n;
} neighbours;

enum { FEW_LINKS = 64 };

static herr_t neighbour_add(hid_t group, const char *name, const H5L_info_t *info, void *data)
{
    neighbours *seen = data;
    (void)group;
    bool is_ours = strcmp(name, seen->reference) == 0;
    for (int i = 0; !is_ours && i < SP_H5_N_BESIDE; i++)
        if (strcmp(name, sp_h5_beside[i]) == 0) {
            seen->beside |= (uint8_t)(1u << i);
            is_ours = true;
        }
    seen->is_hard &= !is_ours || info->type == H5L_TYPE_HARD;
    return ++seen->n > FEW_LINKS; /* stop: asking for the names is quicker */
}

/* Going through the links of a group once is quicker than asking for five names. */
static neighbours look_beside(hid_t group, const char *reference)
{
    neighbours seen = {.reference = reference, .is_hard = true};
    if (H5Literate(group, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, neighbour_add, &seen) == 0)
        return seen;
    seen = (neighbours){.reference = reference};
    for (int i = 0; i < SP_H5_N_BESIDE; i++)
        if (strcmp(reference, sp_h5_beside[i]) == 0 || H5Lexists(group, sp_h5_beside[i], H5P_DEFAULT) > 0)
            seen.beside |= (uint8_t)(1u << i);
    return seen;
}

/* Opens the group that a recording's path leads into, where the recording has one of its own; *name is what is left of the path.
 * 0: it has none; < 0: it cannot be opened. */
static hid_t group_open(const sp_h5_map *map, char *path, const char **name)
{
    const char *inside = path_inside(map, path);
    char *slash = strrchr(path, '/');
    if (!map->beside || slash == path)
        return 0;
    *slash = '\0';
    hid_t group = H5Gopen2(inside ? map->parent : map->file, inside ? inside : path, H5P_DEFAULT);
    *slash = '/';
    *name = slash + 1;
    return group;
}

/* A link that has not the dataset: is it a recording at all? A group without the dataset is (an error); anything else that stands
 * among groups is not. */
static sp_status not_there(const sp_h5_map *map, const sp_h5_map_request *request, const pattern *p, const char *id,
                           const char *path, sp_error *err)
{
    char component[1024];
    snprintf(component, sizeof component, "%s%s%s", p->before, id, p->after);
    char *link = sp_h5_path_join(p->group, component);
    if (!link)
        return sp_no_memory(err);
    sp_h5_what what = sp_h5_look(map->file, link);
    sp_status status = SP_OK;
    if (what == SP_H5_BROKEN)
        status = sp_h5_explain(map->file, map->file_name, link, request->mend, err);
    else if (what == SP_H5_GROUP && !p->is_leaf) {
        if (sp_h5_look(map->file, path) == SP_H5_ABSENT)
            status = sp_fail(err, SP_EFILE, "%s: recording %s has no dataset %s; write it, or take the group out of %s",
                             map->file_name, id, path, p->group);
        else
            status = sp_h5_explain(map->file, map->file_name, path, request->mend, err);
    }
    free(link);
    return status;
}

/* Is an object in the file of the map? By a link that is not hard it may be in another one. */
static bool is_here(const sp_h5_map *map, hid_t object, bool is_hard)
{
    H5O_info_t info;
    return is_hard || (H5Oget_info2(object, &info, H5O_INFO_BASIC) >= 0 && info.fileno == map->file_number);
}

/* Notes the datasets that stand beside recording n's, one value a step (mask: a class and step) as they should; what is wrong
 * with others is said when they are read. */
static sp_status beside_note(sp_h5_map *map, hid_t group, const neighbours *seen, bool is_hard, int64_t n, int64_t n_steps)
{
    sp_status status = SP_OK;
    for (int i = 0; status == SP_OK && i < SP_H5_N_BESIDE; i++) {
        const bool is_reference = strcmp(seen->reference, sp_h5_beside[i]) == 0, is_mask = strcmp(sp_h5_beside[i], "mask") == 0;
        sp_h5_data data = {0};
        if (is_reference || !(seen->beside >> i & 1))
            continue;
        hid_t object = H5Oopen(group, sp_h5_beside[i], H5P_DEFAULT);
        if (object >= 0 && H5Iget_type(object) != H5I_DATASET) {
            H5Oclose(object);
            continue;
        }
        if (object < 0 || (status = sp_h5_data_adopt(object, map->file_name, sp_h5_beside[i], &data, NULL)) != SP_OK) {
            status = status == SP_ENOMEM ? status : SP_OK;
            continue;
        }
        if (data.rank == 1 + is_mask && (int64_t)data.dims[0] == n_steps &&
            (!is_mask || (int64_t)data.dims[1] == map->n_classes) && is_here(map, data.id, is_hard))
            status = sp_h5_places_note(&map->places[1 + i], n, &data);
        sp_h5_data_close(&data);
    }
    return status;
}

/* What was found out about one recording. */
typedef struct look {
    bool is_one; /* it is a recording */
    int64_t n_steps;
    uint8_t beside;
} look;

/* Looks at the dataset of what would be recording n; takes it over. */
static sp_status reference_look(sp_h5_map *map, const sp_h5_map_request *request, hid_t object, const char *path, int64_t n,
                                bool is_hard, look *out, sp_error *err)
{
    sp_h5_data data;
    bool is_text;
    sp_status status = sp_h5_map_adopt(map, request, object, path, &is_text, &data, err);
    if (status != SP_OK)
        return status;
    status = sp_h5_map_check(map, request, &data, path, 1 + request->has_class_axis, err);
    if (status == SP_OK && !map->first_path) {
        status = is_text ? SP_OK : sp_h5_filters_check(data.id, map->file_name, path, err);
        if (status == SP_OK)
            status = sp_h5_map_describe(map, request, &data, path, err);
        if (!(map->first_path = strdup(path)))
            status = sp_no_memory(err);
    } else if (status == SP_OK && (data.element.kind != map->element.kind || data.element.size != map->element.size ||
                                   data.element.is_big != map->element.is_big)) {
        map->is_mixed = true;
        if (data.element.size > map->element.size)
            map->element = data.element;
    }
    out->is_one = true;
    out->n_steps = (int64_t)data.dims[0];
    if (status == SP_OK && !is_text && map->vfile && is_here(map, data.id, is_hard) &&
        sp_h5_places_note(map->places, n, &data) != SP_OK)
        status = sp_no_memory(err);
    sp_h5_data_close(&data);
    return status;
}

/* Looks at what would be recording n: each object is opened here, once. */
static sp_status recording_look(sp_h5_map *map, const sp_h5_map_request *request, const pattern *p, const char *id, int64_t n,
                                look *out, sp_error *err)
{
    char *path = sp_h5_path_fill(map->path, id);
    const char *name = path;
    *out = (look){.is_one = false};
    if (!path)
        return sp_no_memory(err);
    hid_t group = group_open(map, path, &name);
    hid_t object = group < 0 ? -1 : H5Oopen(group > 0 ? group : map->file, name, H5P_DEFAULT);
    bool is_dataset = object >= 0 && H5Iget_type(object) == H5I_DATASET;
    if (object >= 0 && !is_dataset)
        H5Oclose(object);
    sp_status status;
    if (!is_dataset) {
        status = not_there(map, request, p, id, path, err);
    } else if (group == 0) {
        status = reference_look(map, request, object, path, n, map->is_hard, out, err);
    } else {
        const neighbours seen = look_beside(group, name);
        const bool is_hard = map->is_hard && seen.is_hard;
        out->beside = seen.beside;
        status = reference_look(map, request, object, path, n, is_hard, out, err);
        if (status == SP_OK && map->vfile && beside_note(map, group, &seen, is_hard, n, out->n_steps) != SP_OK)
            status = sp_no_memory(err);
    }
    if (group > 0)
        H5Gclose(group);
    free(path);
    return status;
}

/* Whether what links lead to can be read past HDF5. `are_hard`: the links of the group of recordings are. */
static void open_file(sp_h5_map *map, const pattern *p, bool are_hard)
{
    H5O_info_t file = {0}, parent = {0};
    const bool is_known = H5Oget_info2(map->file, &file, H5O_INFO_BASIC) >= 0 && map->parent >= 0 &&
                          H5Oget_info2(map->parent, &parent, H5O_INFO_BASIC) >= 0;
    const char *rest = strstr(map->path, "{id}");
    rest += strcspn(rest, "/");
    const bool is_near = p->is_leaf || strchr(rest + 1, '/') == NULL; /* a recording's dataset is in its group, not deeper */
    map->vfile = is_known ? sp_h5_vfile_of(map->file) : NULL;
    map->file_number = file.fileno;
    map->is_hard = are_hard && is_near && file.fileno == parent.fileno;
}

sp_status sp_h5_map_groups(sp_h5_map *map, const sp_h5_map_request *request, sp_error *err)
{
    sp_texts found = NULL;
    int64_t n_found = 0, n = 0;
    bool are_hard = false;
    pattern p = {0};
    sp_status status = SP_OK;
    map->layout = SP_LAYOUT_GROUPS;
    map->has_ids = true;
    if (request->offsets || request->lengths || request->ids)
        return sp_fail(err, SP_EINVAL, "%s: %s has one dataset a recording ({id}); `offsets`, `lengths` and `ids` do not apply",
                       map->file_name, map->path);
    if (!pattern_split(map->path, &p) || !(map->base = strdup(p.group)))
        status = sp_no_memory(err);
    if (status == SP_OK && sp_h5_look(map->file, p.group) != SP_H5_GROUP)
        status = sp_h5_look(map->file, p.group) == SP_H5_DATASET
                     ? sp_fail(err, SP_EFILE, "%s: %s is a dataset, not a group of recordings; %s", map->file_name, p.group,
                               request->mend)
                     : sp_h5_explain(map->file, map->file_name, p.group, request->mend, err);
    if (status == SP_OK)
        status = sp_h5_links(map->file, map->file_name, p.group, &found, &n_found, &are_hard, err);
    if (status == SP_OK) {
        map->offsets = calloc((size_t)n_found + 1, sizeof *map->offsets);
        map->beside = p.is_leaf ? NULL : calloc((size_t)n_found + 1, 1);
        map->parent = H5Gopen2(map->file, p.group, H5P_DEFAULT);
        open_file(map, &p, are_hard);
        if (!map->offsets || (!p.is_leaf && !map->beside))
            status = sp_no_memory(err);
    }
    map->ids = found; /* those that are recordings move to the front */
    for (int64_t i = 0; status == SP_OK && i < n_found; i++) {
        look seen;
        if (!pattern_match(&p, found[i]) || (p.is_leaf && is_reserved(found[i])))
            continue;
        status = recording_look(map, request, &p, found[i], n, &seen, err);
        if (status == SP_OK && seen.is_one) {
            map->ids[n] = found[i];
            if (map->beside)
                map->beside[n] = seen.beside;
            status = sp_steps_put(map->offsets, n, seen.n_steps, map->file_name, err);
            n++;
        }
    }
    if (status == SP_OK && n == 0)
        status = sp_fail(err, SP_EFILE, "%s: nothing in the file fits %s; %s", map->file_name, map->path, request->mend);
    if (status == SP_OK) {
        map->n_recordings = n;
        map->n_steps = map->offsets[n];
    }
    pattern_free(&p);
    return status;
}
