/* Which array of a file is what: by the names that options give, by those that are usual, by shape. */
#include "io/arrays/array_find.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/names.h"
#include "io/holes.h"
#include "io/raters.h"

/* ---- by name ---- */

/* What stands beside the reference "night/probs": "night/offsets", else what stands in the root. */
static sp_stored *find_usual(const sp_array_map *map, const char *usual)
{
    if (!usual)
        return NULL;
    char beside[256];
    const char *name = map->first && map->layout != SP_LAYOUT_GROUPS ? map->first->name : NULL,
               *slash = name ? strrchr(name, '/') : NULL;
    snprintf(beside, sizeof beside, "%.*s%s", slash ? (int)(slash + 1 - name) : 0, slash ? name : "", usual);
    sp_stored *found = sp_stored_find(&map->file, beside);
    if (found && slash)
        found->is_used = true; /* in the root such names are never listed as unused */
    return found || !slash ? found : sp_stored_find(&map->file, usual);
}

sp_status sp_array_named(sp_array_map *map, const char *given, const char *usual, const char *option, sp_stored **out,
                         sp_error *err)
{
    char list[700];
    *out = given ? sp_stored_find(&map->file, given) : find_usual(map, usual);
    if (*out)
        return sp_stored_look(&map->file, *out, err);
    if (!given)
        return SP_OK;
    if (!map->file.by_name)
        return sp_fail(err, SP_EINVAL, "%s: is one array without names, so `%s` %s finds nothing in it", map->file.file, option,
                       given);
    sp_array_list(map, list, sizeof list);
    return sp_fail(err, SP_EFILE, "%s: there is no array %s; it holds %s", map->file.file, given, list);
}

/* ---- one array for each recording ---- */

static int compare_ids(const void *a, const void *b)
{
    return sp_natural_compare(*(char *const *)a, *(char *const *)b);
}

/* The recording that a name speaks of by a pattern: where and how long its id is. False: another name. */
static bool match_pattern(const char *pattern, const char *name, const char **id, size_t *length)
{
    const char *at = strstr(pattern, SP_ARRAY_HOLE), *after = at + strlen(SP_ARRAY_HOLE);
    const size_t before = (size_t)(at - pattern), rest = strlen(after), n = strlen(name);
    if (n <= before + rest || memcmp(name, pattern, before) != 0 || strcmp(name + n - rest, after) != 0)
        return false;
    *id = name + before;
    *length = n - before - rest;
    return true;
}

/* The name of a recording's array by a pattern; the caller frees it. */
static char *fill_pattern(const char *pattern, const char *id)
{
    const char *at = strstr(pattern, SP_ARRAY_HOLE);
    const size_t before = (size_t)(at - pattern);
    char *name = malloc(strlen(pattern) + strlen(id) + 1);
    if (name)
        sprintf(name, "%.*s%s%s", (int)before, pattern, id, at + strlen(SP_ARRAY_HOLE));
    return name;
}

/* Is a part of a name, between slashes, a recording? */
static bool is_recording(const sp_array_map *map, const char *part, size_t length)
{
    char *id = strndup(part, length);
    const char *key = id;
    const bool is_one = id && bsearch(&key, map->ids, (size_t)map->n_recordings, sizeof *map->ids, compare_ids);
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
    char *first = fill_pattern(title, map->n_recordings ? map->ids[0] : "1");
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
        used += (size_t)snprintf(text + used, size - used, "%s%.40s", n > 1 ? ", " : "", *title ? title : "one array");
        if (is_known)
            used += (size_t)snprintf(text + used, size - used, " %s %s", array->type, sp_stored_shape(array, shape));
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
        if (map->file.arrays[i].name && match_pattern(pattern, map->file.arrays[i].name, &spans[n].text, &spans[n].length))
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
        char *name = fill_pattern(part->path, map->ids[n]);
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

/* ---- scores and labels ---- */

static const char *const beside_names[] = {"labels",         "segments", "weights", "mask",     "offsets",       "lengths",
                                           "valid",          "ids",      "classes", "subjects", "epoch_seconds", "tokens",
                                           "attention_mask", "gaps"};

bool sp_array_is_beside(const char *name)
{
    for (size_t i = 0; i < sizeof beside_names / sizeof *beside_names; i++)
        if (strcmp(name, beside_names[i]) == 0)
            return true;
    return strncmp(name, SP_RATER_PREFIX, strlen(SP_RATER_PREFIX)) == 0;
}

static sp_status set_path(sp_array_part *part, const char *path, sp_error *err)
{
    part->path = strdup(*path == '/' ? path + 1 : path);
    return part->path ? SP_OK : sp_no_memory(err);
}

/* Does an array stand beside one that says that the other holds several recordings? */
static bool is_of_several(const sp_array_map *map, const char *name)
{
    const char *slash = strrchr(name, '/');
    for (size_t i = 0; slash && sp_shape_names[i]; i++) {
        char beside[SP_ARRAY_TITLE];
        snprintf(beside, sizeof beside, "%.*s%s", (int)(slash + 1 - name), name, sp_shape_names[i]);
        if (sp_stored_find(&map->file, beside))
            return true;
    }
    return false;
}

/* Several of that name, one for each recording: in a folder each, or cells of one. */
static sp_status find_by_pattern(sp_array_map *map, const char *name, sp_array_part *part, sp_error *err)
{
    static const char *const folders[] = {"recordings/{id}/%s", "{id}/%s", "%s/{id}"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char pattern[64];
        const char *id;
        size_t length;
        snprintf(pattern, sizeof pattern, folders[i], name);
        bool is_found = false, are_one_each = true;
        for (int64_t j = 0; j < map->file.n && are_one_each; j++)
            if (match_pattern(pattern, map->file.arrays[j].name, &id, &length)) {
                is_found = true;
                are_one_each = !is_of_several(map, map->file.arrays[j].name);
            }
        if (is_found && are_one_each)
            return set_path(part, pattern, err);
    }
    return SP_OK;
}

/* By the names that say what the numbers are: as one array, or as the end of the names of several. */
static sp_status find_by_kind(sp_array_map *map, sp_kind kind, sp_array_part *part, sp_error *err)
{
    const char *name = sp_kind_name(kind);
    sp_stored *one = sp_stored_find(&map->file, name);
    if (one) {
        part->one = one;
        sp_status status = set_path(part, name, err);
        return status == SP_OK ? sp_stored_look(&map->file, one, err) : status;
    }
    return find_by_pattern(map, name, part, err);
}

/* Arrays without a known name: the only one of floats [T,K] or [N,T,K], or several [T,K]. is_scores false: of whole numbers [T].
 */
static sp_status find_by_shape(sp_array_map *map, bool is_scores, sp_array_part *part, sp_error *err)
{
    int64_t n_found = 0, n_flat = 0;
    const int flat = 1 + is_scores;
    sp_stored *one = NULL;
    sp_status status = SP_OK;
    for (int64_t i = 0; i < map->file.n; i++) {
        sp_stored *array = &map->file.arrays[i];
        if (map->file.by_name && sp_array_is_beside(array->name))
            continue;
        sp_error error;
        const sp_status looked = sp_stored_look(&map->file, array, &error);
        if (looked != SP_OK && looked != SP_EDATA)
            return sp_fail(err, looked, "%s", error.message);
        if (looked != SP_OK) { /* another array may be what is looked for */
            status = status == SP_OK ? sp_fail(err, looked, "%s", error.message) : status;
            continue;
        }
        const bool fits = (is_scores ? sp_stored_is_float(array) : sp_stored_is_whole(array)) &&
                          (array->rank == flat || array->rank == flat + 1);
        n_found += fits;
        n_flat += fits && array->rank == flat;
        one = fits ? array : one;
    }
    if (n_found == 0)
        return status;
    if (n_found == 1) {
        part->one = one;
        return one->name ? set_path(part, one->name, err) : SP_OK;
    }
    return n_flat == n_found && n_found == map->file.n ? set_path(part, SP_ARRAY_HOLE, err) : SP_OK;
}

static sp_status find_given(sp_array_map *map, const char *given, const char *option, sp_array_part *part, sp_error *err)
{
    sp_status status = set_path(part, given, err);
    if (status == SP_OK && !strstr(part->path, SP_ARRAY_HOLE))
        status = sp_array_named(map, given, NULL, option, &part->one, err);
    return status;
}

/* The one title under which several arrays are floats [T,K], into title; or "NAME". */
static void guess_scores(sp_array_map *map, char title[SP_ARRAY_TITLE])
{
    char one[SP_ARRAY_TITLE];
    int64_t n = 0;
    for (int64_t i = 0; i < map->file.n; i++) {
        const sp_stored *array = &map->file.arrays[i];
        if (sp_array_title(map, array, one) && strstr(one, SP_ARRAY_HOLE) && sp_stored_is_float(array) && array->rank == 2 &&
            n++ == 0)
            snprintf(title, SP_ARRAY_TITLE, "'%.*s'", SP_ARRAY_TITLE - 3, one);
    }
    if (n != 1)
        strcpy(title, "NAME");
}

static sp_status no_scores(sp_array_map *map, sp_error *err)
{
    char list[700], title[SP_ARRAY_TITLE];
    sp_array_list(map, list, sizeof list);
    guess_scores(map, title);
    return sp_fail(err, SP_EFILE,
                   "%s: has no array log_probs, probs, logits or scores, nor one array of floats [steps, classes]; say where the "
                   "scores are with `scores` %s; it holds %s",
                   map->file.file, title, list);
}

/* What transformers' Trainer returns, saved under its own names. */
static sp_status find_trainers(sp_array_map *map, sp_array_part *part, sp_error *err)
{
    sp_stored *one = sp_stored_find(&map->file, SP_TRAINER_SCORES);
    sp_status status = one ? sp_stored_look(&map->file, one, err) : SP_OK;
    if (status != SP_OK || !one || !sp_stored_is_float(one) || one->rank < 2)
        return status;
    part->one = one;
    return set_path(part, SP_TRAINER_SCORES, err);
}

sp_status sp_array_find_scores(sp_array_map *map, const sp_source_options *options, sp_error *err)
{
    sp_array_part *part = &map->scores;
    *part = (sp_array_part){.noun = "score", .has_classes = true};
    if (options->scores)
        return find_given(map, options->scores, "scores", part, err);
    if (!map->file.by_name) { /* one array: scores, whatever it is, where they are needed */
        sp_stored *one = map->file.arrays;
        if (options->needs_scores || (sp_stored_is_float(one) && one->rank > 1))
            part->one = one;
        return SP_OK;
    }
    sp_status status = options->has_kind ? find_by_kind(map, options->kind, part, err) : SP_OK;
    for (int kind = 0; status == SP_OK && kind < SP_N_KINDS && !part->path; kind++)
        status = find_by_kind(map, (sp_kind)kind, part, err);
    if (status == SP_OK && !part->path)
        status = find_trainers(map, part, err);
    if (status == SP_OK && !part->path)
        status = find_by_shape(map, true, part, err);
    return status == SP_OK && !part->path && options->needs_scores ? no_scores(map, err) : status;
}

sp_status sp_array_find_labels(sp_array_map *map, const sp_source_options *options, sp_error *err)
{
    sp_array_part *part = &map->labels;
    char list[700];
    *part = (sp_array_part){.noun = "label"};
    if (options->labels)
        return find_given(map, options->labels, "labels", part, err);
    if (!map->file.by_name) {
        part->one = map->file.arrays;
        return SP_OK;
    }
    static const char *const usual[] = {"labels", SP_TRAINER_LABELS};
    sp_status status = SP_OK;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        status = sp_array_named(map, NULL, usual[i], "", &part->one, err);
        if (status != SP_OK || part->one)
            return status == SP_OK ? set_path(part, usual[i], err) : status;
    }
    if (status == SP_OK)
        status = find_by_pattern(map, "labels", part, err);
    if (status == SP_OK && !part->path)
        status = find_by_shape(map, false, part, err);
    if (status == SP_OK && !part->path) {
        sp_array_list(map, list, sizeof list);
        status = sp_fail(err, SP_EFILE, "%s: has no array labels; say where the labels are with `labels` NAME; it holds %s",
                         map->file.file, list);
    }
    return status;
}

char *sp_array_name_beside(const char *path, const char *name, bool *is_none)
{
    const char *slash = strrchr(path, '/'), *last = slash ? slash + 1 : path;
    const bool is_cell = slash && slash == strchr(path, '/') && strcmp(last, SP_ARRAY_HOLE) == 0;
    *is_none = strstr(last, SP_ARRAY_HOLE) != NULL && !is_cell;
    if (*is_none)
        return NULL;
    if (is_cell) {
        char *cells = malloc(strlen(name) + sizeof SP_ARRAY_HOLE + 1);
        if (cells)
            sprintf(cells, "%s/%s", name, SP_ARRAY_HOLE);
        return cells;
    }
    char *out = malloc(strlen(path) + strlen(name) + 1);
    if (out)
        sprintf(out, "%.*s%s", (int)(last - path), path, name);
    return out;
}

/* ---- paths ---- */

static sp_status add_paths(sp_array_map *map, const char *name, sp_stored *one, sp_error *err)
{
    sp_array_part *more = realloc(map->paths, ((size_t)map->n_paths + 1) * sizeof *more);
    if (!more)
        return sp_no_memory(err);
    map->paths = more;
    sp_array_part *part = &more[map->n_paths++];
    *part = (sp_array_part){.noun = "class", .one = one};
    return name ? set_path(part, name, err) : SP_OK;
}

sp_status sp_array_find_paths(sp_array_map *map, const char *given, sp_error *err)
{
    static const char folder[] = "paths/";
    sp_stored *one = NULL;
    sp_status status;
    if (given) {
        if (strstr(given, SP_ARRAY_HOLE))
            return add_paths(map, given, NULL, err);
        status = sp_array_named(map, given, NULL, "paths", &one, err);
        return status == SP_OK ? add_paths(map, given, one, err) : status;
    }
    if (!map->file.by_name)
        return add_paths(map, NULL, map->file.arrays, err);
    status = SP_OK;
    for (int64_t i = 0; status == SP_OK && i < map->file.n; i++) {
        sp_stored *array = &map->file.arrays[i];
        if (strncmp(array->name, folder, sizeof folder - 1) != 0)
            continue;
        status = sp_stored_look(&map->file, array, err);
        if (status == SP_OK)
            status = add_paths(map, array->name, array, err);
    }
    if (status != SP_OK || map->n_paths)
        return status;
    sp_array_part found = {.noun = "class"};
    status = find_by_shape(map, false, &found, err);
    if (status == SP_OK && found.path)
        status = add_paths(map, found.path, found.one, err);
    else if (status == SP_OK) {
        char list[700];
        sp_array_list(map, list, sizeof list);
        status =
            sp_fail(err, SP_EFILE, "%s: has no arrays paths/STRATEGY; say where the paths are with `paths` NAME; it holds %s",
                    map->file.file, list);
    }
    free(found.path);
    return status;
}
