/* One dataset a recording: "/recordings/{id}/log_probs" and other patterns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/h5_file.h"
#include "io/h5_map.h"
#include "io/natural.h"

/* ---- links of a group ---- */

typedef struct names {
    char **items;
    int64_t n, capacity;
    bool failed; /* no memory */
} names;

static herr_t names_add(hid_t group, const char *name, const H5L_info_t *info, void *data)
{
    names *list = data;
    (void)group;
    (void)info;
    if (list->n == list->capacity) {
        int64_t capacity = list->capacity ? 2 * list->capacity : 64;
        char **grown = realloc(list->items, (size_t)capacity * sizeof *grown);
        if (!grown) {
            list->failed = true;
            return -1;
        }
        list->items = grown;
        list->capacity = capacity;
    }
    list->items[list->n] = strdup(name);
    list->failed = !list->items[list->n];
    if (list->failed)
        return -1;
    list->n++;
    return 0;
}

static void names_free(names *list)
{
    for (int64_t i = 0; i < list->n; i++)
        free(list->items[i]);
    free(list->items);
}

sp_status sp_h5_links(hid_t file, const char *file_name, const char *group, sp_texts *out, int64_t *n, sp_error *err)
{
    hid_t id = H5Gopen2(file, group, H5P_DEFAULT);
    if (id < 0)
        return sp_h5_explain(file, file_name, group, "name another place", err);
    names list = {0};
    herr_t done = H5Literate(id, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, names_add, &list);
    H5Gclose(id);
    sp_status status = SP_OK;
    if (list.failed) {
        status = sp_fail(err, SP_ENOMEM, "%s: not enough memory for the links of %s", file_name, group);
    } else if (done < 0) {
        status = sp_fail(err, SP_EFILE, "%s: the contents of %s cannot be listed; the file is damaged: copy or write it again",
                         file_name, group);
    } else {
        sp_natural_sort(list.items, list.n);
        *out = sp_texts_copy((const char *const *)list.items, list.n);
        *n = list.n;
        if (!*out)
            status = sp_fail(err, SP_ENOMEM, "%s: not enough memory for the links of %s", file_name, group);
    }
    names_free(&list);
    return status;
}

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

/* What stands in the same group as a dataset, as bits. */
static uint8_t look_beside(hid_t group)
{
    H5G_info_t info;
    if (H5Gget_info(group, &info) >= 0 && info.nlinks <= 1)
        return 0;
    uint8_t bits = 0;
    for (int i = 0; i < SP_H5_N_BESIDE; i++)
        if (H5Lexists(group, sp_h5_beside[i], H5P_DEFAULT) > 0)
            bits |= (uint8_t)(1u << i);
    return bits;
}

/* Opens what stands at a recording's path, by its group, and notes what is beside it. < 0: nothing. */
static hid_t object_open(const sp_h5_map *map, char *path, uint8_t *beside)
{
    const char *inside = path_inside(map, path);
    char *slash = strrchr(path, '/');
    *beside = 0;
    if (!map->beside || slash == path)
        return H5Oopen(map->file, path, H5P_DEFAULT);
    *slash = '\0';
    hid_t group = H5Gopen2(inside ? map->parent : map->file, inside ? inside : path, H5P_DEFAULT);
    *slash = '/';
    if (group < 0)
        return -1;
    hid_t object = H5Oopen(group, slash + 1, H5P_DEFAULT);
    if (object >= 0)
        *beside = look_beside(group);
    H5Gclose(group);
    return object;
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
        return sp_fail(err, SP_ENOMEM, "%s: not enough memory", map->file_name);
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

/* Where the values of a dataset lie in the file of the map, or -1. */
static int64_t position_of(const sp_h5_map *map, const sp_h5_data *data)
{
    H5O_info_t info;
    haddr_t position = map->fd >= 0 ? H5Dget_offset(data->id) : HADDR_UNDEF;
    if (position == HADDR_UNDEF || memcmp(&data->element, &map->positions_element, sizeof data->element) != 0 ||
        H5Oget_info2(data->id, &info, H5O_INFO_BASIC) < 0 || info.fileno != map->file_number)
        return -1; /* the last: by an external link the dataset is in another file */
    return (int64_t)position;
}

/* Looks at one recording's dataset. *is_one: it is a recording. */
static sp_status recording_look(sp_h5_map *map, const sp_h5_map_request *request, const pattern *p, const char *id, bool *is_one,
                                int64_t *n_steps, int64_t *position, uint8_t *beside, sp_error *err)
{
    char *path = sp_h5_path_fill(map->path, id);
    sp_h5_data data = {0};
    if (!path)
        return sp_fail(err, SP_ENOMEM, "%s: not enough memory", map->file_name);
    *is_one = false;
    hid_t object = object_open(map, path, beside);
    bool is_dataset = object >= 0 && H5Iget_type(object) == H5I_DATASET;
    if (object >= 0 && !is_dataset)
        H5Oclose(object);
    sp_status status =
        is_dataset ? sp_h5_data_adopt(object, map->file_name, path, &data, err) : not_there(map, request, p, id, path, err);
    if (status == SP_OK && is_dataset) {
        status = sp_h5_map_check(map, request, &data, path, 1 + request->has_class_axis, err);
        if (status == SP_OK && !map->first_path) {
            status = sp_h5_filters_check(data.id, map->file_name, path, err);
            sp_h5_map_describe(map, request, &data);
            map->positions_element = data.element;
            map->first_path = path;
            path = NULL;
        } else if (status == SP_OK && memcmp(&data.element, &map->element, sizeof data.element) != 0) {
            map->is_mixed = true;
            if (data.element.size > map->element.size)
                map->element = data.element;
        }
        *is_one = true;
        *n_steps = (int64_t)data.dims[0];
        *position = status == SP_OK ? position_of(map, &data) : -1;
    }
    sp_h5_data_close(&data);
    free(path);
    return status;
}

sp_status sp_h5_map_groups(sp_h5_map *map, const sp_h5_map_request *request, sp_error *err)
{
    sp_texts found = NULL;
    int64_t n_found = 0, n = 0;
    pattern p = {0};
    sp_status status = SP_OK;
    map->layout = SP_LAYOUT_GROUPS;
    map->has_ids = true;
    if (request->offsets || request->lengths || request->ids)
        return sp_fail(err, SP_EINVAL, "%s: %s has one dataset a recording ({id}); --offsets, --lengths and --ids do not apply",
                       map->file_name, map->path);
    if (!pattern_split(map->path, &p) || !(map->base = strdup(p.group)))
        status = sp_fail(err, SP_ENOMEM, "%s: not enough memory", map->file_name);
    if (status == SP_OK && sp_h5_look(map->file, p.group) != SP_H5_GROUP)
        status = sp_h5_look(map->file, p.group) == SP_H5_DATASET
                     ? sp_fail(err, SP_EFILE, "%s: %s is a dataset, not a group of recordings; %s", map->file_name, p.group,
                               request->mend)
                     : sp_h5_explain(map->file, map->file_name, p.group, request->mend, err);
    if (status == SP_OK)
        status = sp_h5_links(map->file, map->file_name, p.group, &found, &n_found, err);
    if (status == SP_OK) {
        H5O_info_t info = {0};
        map->offsets = calloc((size_t)n_found + 1, sizeof *map->offsets);
        map->positions = malloc(((size_t)n_found + 1) * sizeof *map->positions);
        map->fd = H5Oget_info2(map->file, &info, H5O_INFO_BASIC) >= 0 ? sp_h5_plain_fd(map->file) : -1;
        map->file_number = info.fileno;
        map->beside = p.is_leaf ? NULL : calloc((size_t)n_found + 1, 1);
        map->parent = H5Gopen2(map->file, p.group, H5P_DEFAULT);
        if (!map->offsets || !map->positions || (!p.is_leaf && !map->beside))
            status = sp_fail(err, SP_ENOMEM, "%s: not enough memory for %lld recordings", map->file_name, (long long)n_found);
    }
    map->ids = found; /* those that are recordings move to the front */
    for (int64_t i = 0; status == SP_OK && i < n_found; i++) {
        bool is_one = false;
        int64_t n_steps = 0, position = -1;
        uint8_t beside = 0;
        if (!pattern_match(&p, found[i]) || (p.is_leaf && is_reserved(found[i])))
            continue;
        status = recording_look(map, request, &p, found[i], &is_one, &n_steps, &position, &beside, err);
        if (status == SP_OK && is_one) {
            map->ids[n] = found[i];
            map->positions[n] = position;
            if (map->beside)
                map->beside[n] = beside;
            map->offsets[n + 1] = map->offsets[n] + n_steps;
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
