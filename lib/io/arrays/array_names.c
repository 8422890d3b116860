/* Names of arrays: paths, patterns, what is called so, and what people call them. */
#include "io/arrays/array_find.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/names.h"
#include "core/try.h"
#include "io/raters.h"

/* ---- by name ---- */

char *sp_array_join(const char *group, const char *name)
{
    const size_t n = strlen(group), size = n + strlen(name) + 2;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s%s%s", group, n == 0 || group[n - 1] == '/' ? "" : "/", name);
    return path;
}

char *sp_array_group(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == path ? strdup("/") : strndup(path, slash ? (size_t)(slash - path) : 0);
}

/* The array at <group>/<name>, or NULL. *failed: no memory. */
sp_stored *sp_array_find_in(const sp_array_map *map, const char *group, const char *name, bool *failed)
{
    char *path = sp_array_join(group, name);
    sp_stored *found = path ? sp_stored_find(&map->file, path) : NULL;
    *failed |= !path;
    free(path);
    return found;
}

/* What stands beside the reference: "night/offsets" of "night/probs". Of arrays that are not in a store else what stands in the
 * root. */
static sp_stored *find_usual(const sp_array_map *map, const char *usual, bool *failed)
{
    if (map->file.store)
        return sp_array_find_in(map, map->base ? map->base : "/", usual, failed);
    const char *name = map->first && map->layout != SP_LAYOUT_GROUPS ? map->first->name : NULL;
    if (!name || !strchr(name, '/'))
        return sp_stored_find(&map->file, usual);
    char *group = sp_array_group(name);
    sp_stored *found = group ? sp_array_find_in(map, group, usual, failed) : NULL;
    *failed |= !group;
    free(group);
    if (found)
        found->is_used = true; /* in the root such names are never listed as unused */
    return found ? found : sp_stored_find(&map->file, usual);
}

void sp_array_mend(const char *option, char text[SP_ARRAY_MEND])
{
    static const char *const references[] = {"scores", "paths"}, *const shapes[] = {"offsets", "lengths",
                                                                                    "ids"};
    snprintf(text, SP_ARRAY_MEND,
             strcmp(option, "groups") == 0 ? "`groups` names the dataset of the subjects"
                                           : "name another dataset");
    if (strcmp(option, "labels") == 0)
        snprintf(text, SP_ARRAY_MEND,
                 "`labels` takes a dataset of this file, another file, or FILE:/DATASET");
    for (size_t i = 0; i < sizeof references / sizeof *references; i++)
        if (strcmp(option, references[i]) == 0)
            snprintf(text, SP_ARRAY_MEND, "say where the %s are with `%s` PATH", option, option);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (strcmp(option, shapes[i]) == 0)
            snprintf(text, SP_ARRAY_MEND, "name it with `%s`", option);
}

sp_status sp_array_named(sp_array_map *map, const char *given, const char *usual, const char *option,
                         sp_stored **out, sp_error *err)
{
    char list[700], mend[SP_ARRAY_MEND];
    bool failed = false;
    *out = given ? sp_stored_find(&map->file, given) : usual ? find_usual(map, usual, &failed) : NULL;
    if (failed)
        return sp_no_memory(err);
    if (*out)
        return sp_stored_look(&map->file, *out, err);
    if (!given)
        return SP_OK;
    if (map->file.store && sp_stored_what_is(&map->file, given) == SP_STORED_ARRAY)
        return sp_no_memory(err);
    if (map->file.store && strcmp(option, "scores") == 0 &&
        sp_stored_what_is(&map->file, given) == SP_STORED_ABSENT) {
        char what[300];
        snprintf(what, sizeof what, "dataset %.280s", given);
        return sp_array_not_found(map, what, "`scores`", err);
    }
    if (map->file.store) {
        sp_array_mend(option, mend);
        return map->file.store->explain(&map->file, given, mend, err);
    }
    if (!map->file.by_name)
        return sp_fail(err, SP_EINVAL, "%s: is one array without names, so `%s` %s finds nothing in it",
                       map->file.file, option, given);
    sp_array_list(map, list, sizeof list);
    return sp_fail(err, SP_EFILE, "%s: there is no array %s; it holds %s", map->file.file, given, list);
}

/* ---- one array for each recording ---- */

static int compare_ids(const void *a, const void *b)
{
    return sp_natural_compare(*(char *const *)a, *(char *const *)b);
}

bool sp_array_match(const char *pattern, const char *name, const char **id, size_t *length)
{
    const char *at = strstr(pattern, SP_ARRAY_HOLE), *after = at + strlen(SP_ARRAY_HOLE);
    const size_t before = (size_t)(at - pattern), rest = strlen(after), n = strlen(name);
    if (n <= before + rest || memcmp(name, pattern, before) != 0 || strcmp(name + n - rest, after) != 0)
        return false;
    *id = name + before;
    *length = n - before - rest;
    return true;
}

char *sp_array_fill(const char *pattern, const char *id)
{
    enum { HOLE = sizeof SP_ARRAY_HOLE - 1 };
    size_t n = strlen(pattern) + 1, used = 0;
    for (const char *at = pattern; (at = strstr(at, SP_ARRAY_HOLE)); at += HOLE)
        n += strlen(id);
    char *name = malloc(n);
    for (const char *at; name && (at = strstr(pattern, SP_ARRAY_HOLE)); pattern = at + HOLE)
        used += (size_t)snprintf(name + used, n - used, "%.*s%s", (int)(at - pattern), pattern, id);
    if (name)
        snprintf(name + used, n - used, "%s", pattern);
    return name;
}

/* Is a part of a name, between slashes, a recording? */
static bool is_recording(const sp_array_map *map, const char *part, size_t length)
{
    char *id = strndup(part, length);
    const char *key = id;
    const bool is_one =
        id && bsearch(&key, map->ids, (size_t)map->n_recordings, sizeof *map->ids, compare_ids);
    free(id);
    return is_one;
}

/* Which part of a name is the recording, and how long it is; NULL: none. Cells of MATLAB are NAME/1, NAME/2 ... */
static const char *find_recording(const sp_array_map *map, const char *name, size_t *length)
{
    const char *slash = strrchr(name, '/');
    if (!slash || (!map->file.counts_from_1 && map->layout != SP_LAYOUT_GROUPS))
        return NULL;
    if (map->file.counts_from_1) {
        *length = strlen(slash + 1);
        return slash + 1;
    }
    for (const char *part = name; *part; part += *length + (part[*length] == '/')) {
        *length = strcspn(part, "/");
        if (is_recording(map, part, *length))
            return part;
    }
    return NULL;
}

bool sp_array_title(const sp_array_map *map, const sp_stored *array, char title[SP_ARRAY_TITLE])
{
    size_t length = 0;
    const char *name = array->name ? array->name : "", *part = find_recording(map, name, &length);
    snprintf(title, SP_ARRAY_TITLE, "%s", name);
    if (!part || strlen(name) + sizeof SP_ARRAY_HOLE > SP_ARRAY_TITLE)
        return true;
    snprintf(title, SP_ARRAY_TITLE, "%.*s" SP_ARRAY_HOLE "%s", (int)(part - name), name, part + length);
    char *first = sp_array_fill(title, map->n_recordings ? map->ids[0] : "1");
    const sp_stored *other = first ? sp_stored_find(&map->file, first) : NULL;
    free(first);
    return !other || other == array;
}

/* What the file holds; of arrays that go by one title the first. */
void sp_array_list(sp_array_map *map, char *text, size_t size)
{
    enum { MOST = 6 };
    char shape[SP_STORED_SHAPE], title[SP_ARRAY_TITLE];
    size_t used = 0;
    int64_t n = 0;
    sp_error ignored;
    text[0] = '\0';
    for (int64_t i = 0; i < map->file.n; i++) {
        sp_stored *array = map->file.by_name ? map->file.by_name[i] : &map->file.arrays[i];
        if (!sp_array_title(map, array, title) || n++ >= MOST || used + SP_STORED_SHAPE + 100 >= size)
            continue;
        const bool is_known = sp_stored_look(&map->file, array, &ignored) == SP_OK;
        used += (size_t)snprintf(text + used, size - used, "%s%.40s", n > 1 ? ", " : "",
                                 *title ? title : "one array");
        if (is_known)
            used += (size_t)snprintf(text + used, size - used, " %s %s", array->type,
                                     sp_stored_shape(array, shape));
    }
    if (n > MOST)
        snprintf(text + used, size - used, " and %lld more", (long long)n - MOST);
}

sp_status sp_array_find_ids(sp_array_map *map, const char *pattern, sp_error *err)
{
    const int64_t n_arrays = map->file.n;
    sp_text_span *spans = malloc(((size_t)n_arrays + 1) * sizeof *spans);
    if (!spans)
        return sp_no_memory(err);
    int64_t n = 0;
    for (int64_t i = 0; i < n_arrays; i++)
        if (map->file.arrays[i].name &&
            sp_array_match(pattern, map->file.arrays[i].name, &spans[n].text, &spans[n].length))
            n++;
    map->ids = sp_texts_pack(spans, n);
    free(spans);
    if (!map->ids)
        return sp_no_memory(err);
    map->n_recordings = n;
    map->has_ids = true;
    sp_natural_sort(map->ids, n);
    return SP_OK;
}

sp_status sp_array_find_each(sp_array_map *map, sp_array_part *part, sp_error *err)
{
    part->each = calloc((size_t)map->n_recordings + 1, sizeof(sp_stored *));
    sp_status status = part->each ? SP_OK : sp_no_memory(err);
    for (int64_t n = 0; status == SP_OK && n < map->n_recordings; n++) {
        char *name = sp_array_fill(part->path, map->ids[n]);
        if (!name)
            return sp_no_memory(err);
        part->each[n] = sp_stored_find(&map->file, name);
        part->n_absent += part->each[n] == NULL;
        if (part->each[n])
            status = sp_stored_look(&map->file, part->each[n], err);
        free(name);
    }
    return status;
}
static const char *const part_names[] = {"labels", "segments", "weights", "mask", NULL};
static const char *const asked_names[] = {
    "offsets", "lengths",        "valid", "ids",     "classes",  "subjects", "epoch_seconds",
    "tokens",  "attention_mask", "gaps",  "windows", "word_ids", NULL};

static bool is_one_of(const char *name, const char *const *names)
{
    while (*names && strcmp(name, *names) != 0)
        names++;
    return *names != NULL;
}

bool sp_array_is_asked_for(const char *name)
{
    return is_one_of(name, asked_names) || strncmp(name, SP_RATER_PREFIX, strlen(SP_RATER_PREFIX)) == 0;
}

bool sp_array_is_beside(const char *name)
{
    return is_one_of(name, part_names) || sp_array_is_asked_for(name);
}

sp_status sp_array_set_path(const sp_array_map *map, sp_array_part *part, const char *path, sp_error *err)
{
    part->path = map->file.store ? sp_stored_path(path) : strdup(*path == '/' ? path + 1 : path);
    return part->path ? SP_OK : sp_no_memory(err);
}

/* Is a part of a path, [n] letters, what arrays of scores or labels are called? */
static bool is_usual_folder(const char *name, size_t n)
{
    for (int kind = 0; kind < SP_N_KINDS; kind++)
        if (strlen(sp_kind_name((sp_kind)kind)) == n && memcmp(name, sp_kind_name((sp_kind)kind), n) == 0)
            return true;
    return n == strlen("labels") && memcmp(name, "labels", n) == 0;
}

char *sp_array_name_beside(const char *path, const char *name, bool *is_none)
{
    const char *slash = strrchr(path, '/'), *last = slash ? slash + 1 : path, *folder = slash ? slash : path;
    while (folder > path && folder[-1] != '/')
        folder--;
    const size_t n_folder = slash ? (size_t)(slash - folder) : 0;
    const bool is_of_id = strstr(last, SP_ARRAY_HOLE) != NULL;
    const bool is_in_folder =
        n_folder > 0 && (strcmp(last, SP_ARRAY_HOLE) == 0 || is_usual_folder(folder, n_folder));
    *is_none = is_of_id && !is_in_folder;
    if (*is_none)
        return NULL;
    const size_t size = strlen(path) + strlen(name) + 1;
    char *out = malloc(size);
    if (out && is_of_id)
        snprintf(out, size, "%.*s%s%s", (int)(folder - path), path, name, slash);
    else if (out)
        snprintf(out, size, "%.*s%s", (int)(last - path), path, name);
    return out;
}

/* ---- patterns of paths ---- */

sp_status sp_array_search_open(sp_array_search *s, const sp_stored_file *f, const char *pattern,
                               const char *mend, sp_error *err)
{
    const char *hole = strstr(pattern, SP_ARRAY_HOLE), *end = hole + strcspn(hole, "/");
    *s = (sp_array_search){.f = f, .pattern = pattern, .mend = mend, .is_leaf = !*end};
    s->until = strndup(pattern, (size_t)(end - pattern));
    s->group = s->until ? sp_array_group(s->until) : NULL;
    if (!s->group)
        return sp_no_memory(err);
    s->component = strrchr(s->until, '/') + 1;
    const sp_stored_what what = f->store->what(f, s->group);
    if (what == SP_STORED_ARRAY)
        return sp_fail(err, SP_EFILE, "%s: %s is a dataset, not a group of recordings; %s", f->file, s->group,
                       mend);
    return what == SP_STORED_GROUP ? SP_OK : f->store->explain(f, s->group, mend, err);
}

void sp_array_search_close(sp_array_search *s)
{
    free(s->group);
    free(s->until);
}

/* Cuts the name of what stands in the group down to the id, in place; false where it is no recording's. */
static bool cut_to_id(const sp_array_search *s, char *name)
{
    const char *id;
    size_t n;
    if (!sp_array_match(s->component, name, &id, &n) ||
        (s->is_leaf && (sp_array_is_beside(name) || strcmp(name, "class_names") == 0)))
        return false;
    memmove(name, id, n);
    name[n] = '\0';
    return true;
}

sp_status sp_array_search_each(const sp_array_search *s, sp_texts ids, int64_t n_found,
                               sp_status (*look)(void *arg, const char *id, bool *is_one, sp_error *err),
                               void *arg, int64_t *n, sp_error *err)
{
    sp_status status = SP_OK;
    for (int64_t i = 0; i < n_found; i++) {
        bool is_one = false;
        if (!cut_to_id(s, ids[i]))
            continue;
        ids[*n] = ids[i];
        TRY(look(arg, ids[i], &is_one, err));
        *n += is_one;
    }
    if (*n == 0)
        TRY(sp_fail(err, SP_EFILE, "%s: nothing in the file fits %s; %s", s->f->file, s->pattern, s->mend));
done:
    return status;
}

/* Is a group above the arrays of the pattern that says where labels are, "/hyp" of "/hyp/{id}"? */
static bool is_of_labels(const char *group, const char *labels)
{
    const char *hole = labels ? strstr(labels, SP_ARRAY_HOLE) : NULL, *name = group + (*group == '/');
    const size_t n = strlen(name);
    if (!hole)
        return false;
    labels += *labels == '/';
    return (size_t)(hole - labels) > n && strncmp(labels, name, n) == 0 && labels[n] == '/';
}

sp_status sp_array_search_missing(const sp_array_search *s, const char *id, const char *path, sp_error *err)
{
    const sp_stored_file *f = s->f;
    char *own = sp_array_fill(s->until, id);
    const sp_stored_what what = own ? f->store->what(f, own) : SP_STORED_ABSENT;
    sp_status status = own ? SP_OK : sp_no_memory(err);
    if (what == SP_STORED_BROKEN)
        status = f->store->explain(f, own, s->mend, err);
    else if (what == SP_STORED_GROUP && !s->is_leaf && !is_of_labels(own, f->labels))
        status = f->store->what(f, path) != SP_STORED_ABSENT
                     ? f->store->explain(f, path, s->mend, err)
                     : sp_fail(err, SP_EFILE,
                               "%s: recording %s has no dataset %s; write it, or take the group out of %s",
                               f->file, id, path, s->group);
    free(own);
    return status;
}
