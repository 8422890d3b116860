#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/names.h"
#include "io/hdf5/fast/h5_element.h"
#include "io/hdf5/h5_driver.h"
#include "io/hdf5/h5_file.h"

/* ---- paths ---- */

const char *sp_h5_path_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* ---- links ---- */

/* H5Lexists wants every group on the way to exist, so it is asked component by component, in a copy of the path that is cut short
 * at each. `broken`, when not NULL, gets the length of the first prefix that is a link leading nowhere, else 0. */
static bool walk(hid_t file, char *path, size_t *broken)
{
    bool found = true;
    if (broken)
        *broken = 0;
    for (size_t i = 2; found && path[0] && path[1]; i++) {
        const char here = path[i];
        if (here != '/' && here != '\0')
            continue;
        path[i] = '\0';
        htri_t has = H5Lexists(file, path, H5P_DEFAULT);
        found = has > 0;
        if (found && broken) {
            hid_t object = H5Oopen(file, path, H5P_DEFAULT);
            found = object >= 0;
            if (found)
                H5Oclose(object);
            else
                *broken = i;
        }
        path[i] = here;
        if (here == '\0')
            break;
    }
    return found;
}

enum { LONGEST_PATH = 4096 };

static bool walk_copy(hid_t file, const char *path, size_t *broken)
{
    char copy[LONGEST_PATH];
    if (broken)
        *broken = 0;
    if (strlen(path) >= sizeof copy)
        return false; /* nobody has such a path; ids come from links, which are opened and not asked for */
    memcpy(copy, path, strlen(path) + 1);
    return walk(file, copy, broken);
}

bool sp_h5_has_link(hid_t file, const char *path)
{
    /* Nearly always the whole path can be asked about at once; where something on the way is missing that is an error. */
    htri_t has = H5Lexists(file, path, H5P_DEFAULT);
    return has >= 0 ? has > 0 : walk_copy(file, path, NULL);
}

sp_h5_what sp_h5_look(hid_t file, const char *path)
{
    if (!sp_h5_has_link(file, path)) {
        size_t broken;
        (void)walk_copy(file, path, &broken);
        return broken ? SP_H5_BROKEN : SP_H5_ABSENT;
    }
    hid_t object = H5Oopen(file, path, H5P_DEFAULT);
    if (object < 0)
        return SP_H5_BROKEN;
    H5I_type_t type = H5Iget_type(object);
    H5Oclose(object);
    return type == H5I_DATASET ? SP_H5_DATASET : type == H5I_GROUP ? SP_H5_GROUP : SP_H5_OTHER;
}

/* The sentence for a link that leads nowhere. */
static sp_status explain_link(hid_t file, const char *file_name, const char *link, sp_error *err)
{
    char reason[SP_H5_REASON] = "";
    sp_h5_vfile *opened = sp_h5_vfile_of(file);
    if (opened)
        sp_h5_vfile_forget(opened);
    hid_t object = H5Oopen(file, link, H5P_DEFAULT);
    if (object >= 0)
        H5Oclose(object);
    else
        sp_h5_reason(reason);
    const char *why = sp_h5_refusal_text(opened ? sp_h5_vfile_refusal(opened) : SP_H5_NOT_THERE);
    H5L_info_t info;
    if (H5Lget_info(file, link, &info, H5P_DEFAULT) >= 0 && info.type != H5L_TYPE_HARD &&
        info.u.val_size > 0) {
        sp_status status = SP_OK;
        char *value = calloc(info.u.val_size + 1, 1);
        const char *other = NULL, *target = NULL;
        if (!value)
            status = sp_no_memory(err);
        else if (H5Lget_val(file, link, value, info.u.val_size, H5P_DEFAULT) >= 0) {
            if (info.type == H5L_TYPE_SOFT && strstr(reason, "too many links"))
                status = sp_fail(
                    err, SP_EFILE,
                    "%s: %s is a link that leads back to itself; mend the link or name another dataset",
                    file_name, link);
            else if (info.type == H5L_TYPE_SOFT)
                status = sp_fail(
                    err, SP_EFILE,
                    "%s: %s is a link to %s, which is not there; mend the link or name another dataset",
                    file_name, link, value);
            else if (info.type == H5L_TYPE_EXTERNAL &&
                     H5Lunpack_elink_val(value, info.u.val_size, NULL, &other, &target) >= 0)
                status = sp_fail(err, SP_EFILE, "%s: %s is a link to %s in the file %s, which %s", file_name,
                                 link, target, other, why);
        }
        free(value);
        if (status != SP_OK)
            return status;
    }
    return sp_fail(err, SP_EFILE, "%s: %s cannot be opened (%s); the file is damaged: copy or write it again",
                   file_name, link, reason[0] ? reason : "no reason given");
}

sp_status sp_h5_explain(hid_t file, const char *file_name, const char *path, const char *mend, sp_error *err)
{
    switch (sp_h5_look(file, path)) {
    case SP_H5_GROUP:
        return sp_fail(err, SP_EFILE, "%s: %s is a group, not a dataset; %s", file_name, path, mend);
    case SP_H5_OTHER:
        return sp_fail(err, SP_EFILE, "%s: %s is not a dataset; %s", file_name, path, mend);
    case SP_H5_BROKEN:
    case SP_H5_DATASET: {
        size_t broken = 0;
        (void)walk_copy(file, path, &broken);
        char *link = strndup(path, broken ? broken : strlen(path));
        sp_status status = link ? explain_link(file, file_name, link, err) : sp_no_memory(err);
        free(link);
        return status;
    }
    case SP_H5_ABSENT:
        break;
    }
    return sp_fail(err, SP_EFILE, "%s: there is no dataset %s; %s", file_name, path, mend);
}

/* ---- links of a group ---- */

typedef struct names {
    char **items;
    int64_t n, capacity;
    bool failed; /* no memory */
    bool is_hard;
} names;

static herr_t names_add(hid_t group, const char *name, const H5L_info_t *info, void *data)
{
    names *list = data;
    (void)group;
    list->is_hard &= info->type == H5L_TYPE_HARD;
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

sp_status sp_h5_links(hid_t file, const char *file_name, const char *group, sp_texts *out, int64_t *n,
                      bool *is_hard, sp_error *err)
{
    hid_t id = H5Gopen2(file, group, H5P_DEFAULT);
    if (id < 0)
        return sp_h5_explain(file, file_name, group, "name another place", err);
    names list = {.is_hard = true};
    herr_t done = H5Literate(id, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, names_add, &list);
    H5Gclose(id);
    sp_status status = SP_OK;
    if (list.failed) {
        status = sp_no_memory(err);
    } else if (done < 0) {
        status =
            sp_fail(err, SP_EFILE,
                    "%s: the contents of %s cannot be listed; the file is damaged: copy or write it again",
                    file_name, group);
    } else {
        sp_natural_sort(list.items, list.n);
        *out = sp_texts_copy((const char *const *)list.items, list.n);
        *n = list.n;
        if (is_hard)
            *is_hard = list.is_hard;
        if (!*out)
            status = sp_no_memory(err);
    }
    names_free(&list);
    return status;
}

/* ---- what a file holds ---- */

/* HDF5 walks to each link from the root, so that what is deep costs its depth; nobody keeps scores there. */
enum { LIST_DATASETS = 10, LIST_DEPTH = 64, LIST_LINKS = 100000 };

typedef struct listing {
    char *text, *example;
    size_t size, used, example_size;
    int n_datasets, n_links;
    bool has_pattern;
} listing;

/* Do two paths differ in exactly one component, not the last? Then writes the path with {id} there. */
static bool find_pattern(const char *a, const char *b, char *out, size_t size)
{
    size_t used = 0;
    int n_different = 0;
    while (*a == '/' && *b == '/') {
        size_t m = strcspn(++a, "/"), n = strcspn(++b, "/");
        bool is_last = !a[m] || !b[n];
        if (is_last && (a[m] || b[n]))
            return false;
        bool is_same = m == n && memcmp(a, b, m) == 0;
        if (!is_same && (is_last || ++n_different > 1))
            return false;
        int added = is_same ? snprintf(out + used, size - used, "/%.*s", (int)m, a)
                            : snprintf(out + used, size - used, "/{id}");
        if (added < 0 || (used += (size_t)added) >= size)
            return false;
        a += m;
        b += n;
    }
    return n_different == 1 && !*a && !*b;
}

static void list_example(listing *list, const char *path, const sp_element *element, int rank)
{
    if (element->kind != SP_ELEMENT_FLOAT || rank < 2 || rank > 3)
        return;
    if (!list->example[0]) {
        snprintf(list->example, list->example_size, "%s", path);
    } else if (!list->has_pattern) {
        char pattern[1024];
        if (rank == 2 && find_pattern(list->example, path, pattern, sizeof pattern)) {
            snprintf(list->example, list->example_size, "%s", pattern);
            list->has_pattern = true;
        }
    }
}

static herr_t list_link(hid_t group, const char *name, const H5L_info_t *info, void *data)
{
    listing *list = data;
    int depth = 0;
    (void)info;
    for (const char *p = name; (p = strchr(p, '/')); p++)
        depth++;
    if (depth > LIST_DEPTH || ++list->n_links > LIST_LINKS) {
        snprintf(
            list->text + list->used, list->size - list->used, "%s%s", list->n_datasets ? "" : "no dataset",
            depth > LIST_DEPTH ? ", and groups within groups, more than 64 deep, where nothing was looked for"
                               : ", and more than 100000 links, where nothing was looked for");
        return 1;
    }
    hid_t dataset = H5Oopen(group, name, H5P_DEFAULT);
    if (dataset < 0)
        return 0;
    herr_t stop = 0;
    if (H5Iget_type(dataset) == H5I_DATASET) {
        char path[1024], type[SP_ELEMENT_NAME], shape[SP_H5_SHAPE];
        snprintf(path, sizeof path, "/%s", name);
        hid_t space = H5Dget_space(dataset), stored = H5Dget_type(dataset);
        hsize_t dims[H5S_MAX_RANK] = {0};
        int rank = H5Sget_simple_extent_dims(space, dims, NULL);
        sp_element element;
        sp_element_of(stored, &element);
        if (list->n_datasets < LIST_DATASETS && list->used < list->size - 300) {
            int added = snprintf(list->text + list->used, list->size - list->used, "%s%.120s %s %s",
                                 list->n_datasets ? ", " : "", path, sp_element_name(stored, type),
                                 sp_h5_shape(rank < 0 ? 0 : rank, dims, shape));
            list->used += (size_t)added;
            list->n_datasets++;
        } else {
            snprintf(list->text + list->used, list->size - list->used, ", and more");
            stop = 1;
        }
        list_example(list, path, &element, rank);
        H5Tclose(stored);
        H5Sclose(space);
    }
    H5Oclose(dataset);
    return stop;
}

void sp_h5_list(hid_t file, char *text, size_t size, char *example, size_t example_size)
{
    listing list = {.text = text, .size = size, .example = example, .example_size = example_size};
    example[0] = '\0';
    snprintf(text, size, "no dataset");
    (void)H5Lvisit(file, H5_INDEX_NAME, H5_ITER_INC, list_link, &list);
}
