/* Which array of a file is what: by the names that options give, by those that are usual, by shape. */
#include "io/arrays/array_find.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "io/holes.h"
/* The names that are looked for, in order of preference. */
typedef struct wanted_names {
    int n;
    const char *names[SP_N_KINDS + 1];
    bool are_scores;
} wanted_names;

static wanted_names score_names(const sp_source_options *options)
{
    wanted_names wanted = {.are_scores = true};
    if (options->has_kind)
        wanted.names[wanted.n++] = sp_kind_name(options->kind);
    for (int kind = 0; kind < SP_N_KINDS; kind++)
        if (!options->has_kind || kind != (int)options->kind)
            wanted.names[wanted.n++] = sp_kind_name((sp_kind)kind);
    return wanted;
}

/* One recording's scores [T,K], or labels [T]? Files hold other things of these names, such as the scores of paths. rank 0: any
 * floats from [T,K] on. SP_OK, SP_ENOMEM. */
static sp_status fits(sp_array_map *map, const char *path, bool are_scores, int rank, bool *is_one,
                      sp_error *err)
{
    sp_stored *array = sp_stored_find(&map->file, path);
    const sp_status looked = array ? sp_stored_look(&map->file, array, NULL) : SP_EFILE;
    *is_one = looked == SP_OK && (rank ? array->rank == rank : array->rank > 1) &&
              (!are_scores || sp_stored_is_float(array));
    return looked == SP_ENOMEM ? sp_no_memory(err) : SP_OK;
}

/* The array in a group that has one of the names, or what transformers' Trainer returns, saved under its own names; *out NULL:
 * there is none. The caller frees it. */
static sp_status find_in_group(sp_array_map *map, const char *group, const wanted_names *wanted, char **out,
                               sp_error *err)
{
    sp_status status = SP_OK;
    bool is_one;
    *out = NULL;
    for (int i = 0; i <= wanted->n; i++) {
        if (i == wanted->n && !wanted->are_scores)
            return SP_OK;
        char *path = sp_array_join(group, i < wanted->n ? wanted->names[i] : SP_TRAINER_SCORES);
        if (!path)
            return sp_no_memory(err);
        const sp_stored_what what = sp_stored_what_is(&map->file, path);
        is_one = what == SP_STORED_ARRAY || what == SP_STORED_BROKEN;
        if (is_one && i == wanted->n)
            status = fits(map, path, true, 0, &is_one, err);
        if (status == SP_OK && is_one) {
            *out = path;
            return SP_OK;
        }
        free(path);
        if (status != SP_OK)
            return status;
    }
    return SP_OK;
}

/* Do the arrays of a group hold several recordings? Lengths stand beside them. */
static bool holds_recordings(const sp_array_map *map, const char *group, bool *failed)
{
    for (size_t i = 0; sp_shape_names[i]; i++)
        if (sp_array_find_in(map, group, sp_shape_names[i], failed))
            return true;
    return false;
}

/* <group>/{id}/<name>, where some group in it holds such an array; or NULL. is_sure: every group in it is a recording; else none
 * of them may hold several. */
static sp_status find_in_children(sp_array_map *map, const char *group, bool is_sure,
                                  const wanted_names *wanted, char **out, sp_error *err)
{
    sp_texts names = NULL;
    int64_t n = 0;
    bool failed = false, are_one_each = true;
    char *child = NULL, *found = NULL, *pattern = NULL;
    sp_status status = SP_OK;
    *out = NULL;
    TRY(sp_stored_links(&map->file, group, &names, &n, err));
    for (int64_t i = 0; i < n && !(*out && is_sure) && are_one_each; i++) {
        bool is_one = false;
        free(child);
        if (!(child = sp_array_join(group, names[i])))
            TRY(sp_no_memory(err));
        if (sp_stored_what_is(&map->file, child) != SP_STORED_GROUP)
            continue;
        if (!*out)
            TRY(find_in_group(map, child, wanted, &found, err));
        are_one_each = is_sure || !holds_recordings(map, child, &failed);
        if (found && !is_sure)
            TRY(fits(map, found, wanted->are_scores, 1 + wanted->are_scores, &is_one, err));
        if (found && (is_sure || is_one)) {
            const char *slash = strrchr(found, '/');
            pattern = sp_array_join(group, SP_ARRAY_HOLE);
            if (failed || !pattern || !(*out = sp_array_join(pattern, slash + 1)))
                TRY(sp_no_memory(err));
        }
        free(found);
        found = NULL;
    }
    if (failed)
        status = sp_no_memory(err);
done:
    free(names);
    free(child);
    free(found);
    free(pattern);
    if (status != SP_OK || !are_one_each) {
        free(*out);
        *out = NULL;
    }
    return status;
}

/* <group>/<name>/{id}, where the group of that name holds recordings; or NULL. Cells of MATLAB are so. */
static sp_status find_folder(sp_array_map *map, const char *group, const char *name, bool are_scores,
                             char **out, sp_error *err)
{
    sp_status status = SP_OK;
    sp_texts links = NULL;
    int64_t n = 0;
    bool is_one = false;
    char *folder = sp_array_join(group, name), *first = NULL;
    if (!folder)
        TRY(sp_no_memory(err));
    if (sp_stored_what_is(&map->file, folder) == SP_STORED_GROUP)
        TRY(sp_stored_links(&map->file, folder, &links, &n, err));
    if (n > 0 && !(first = sp_array_join(folder, links[0])))
        TRY(sp_no_memory(err));
    if (first && sp_stored_what_is(&map->file, first) == SP_STORED_ARRAY)
        TRY(fits(map, first, are_scores, 1 + are_scores, &is_one, err));
    if (is_one && !(*out = sp_array_join(folder, SP_ARRAY_HOLE)))
        TRY(sp_no_memory(err));
done:
    free(links);
    free(first);
    free(folder);
    return status;
}

/* In a group ("" or "/": the root): the array itself, else one for each recording. A file of paths has other things of these
 * names. *out NULL: there is neither. */
static sp_status find_under(sp_array_map *map, const char *group, const wanted_names *wanted, char **out,
                            sp_error *err)
{
    sp_status status = SP_OK;
    const bool is_root = !*group || strcmp(group, "/") == 0;
    char *recordings = sp_array_join(group, "recordings"), *paths = sp_array_join(group, "paths");
    *out = NULL;
    if (!recordings || !paths)
        TRY(sp_no_memory(err));
    TRY(find_in_group(map, group, wanted, out, err));
    if (!*out && sp_stored_what_is(&map->file, recordings) == SP_STORED_GROUP)
        TRY(find_in_children(map, recordings, true, wanted, out, err));
    if (!*out && is_root && sp_stored_what_is(&map->file, paths) != SP_STORED_ABSENT)
        goto done;
    if (!*out)
        TRY(find_in_children(map, group, !is_root, wanted, out, err));
    for (int i = 0; !*out && i < wanted->n; i++)
        TRY(find_folder(map, group, wanted->names[i], wanted->are_scores, out, err));
done:
    free(recordings);
    free(paths);
    return status;
}

static const char *root_of(const sp_array_map *map)
{
    return map->file.store ? "/" : "";
}

/* Fills in the part by what find_under() found: a path or a pattern. */
static sp_status find_place(sp_array_map *map, const char *group, const wanted_names *wanted,
                            sp_array_part *part, sp_error *err)
{
    char *path = NULL;
    sp_status status = SP_OK;
    TRY(find_under(map, group, wanted, &path, err));
    if (path)
        TRY(sp_array_set_path(map, part, path, err));
    if (path && !strstr(path, SP_ARRAY_HOLE)) {
        part->one = sp_stored_find(&map->file, path);
        TRY(part->one ? sp_stored_look(&map->file, part->one, err) : sp_no_memory(err));
    }
done:
    free(path);
    return status;
}

/* Arrays without a known name: the only one of floats [T,K] or [N,T,K], or several [T,K]. is_scores false: of whole numbers [T].
 */
sp_status sp_array_find_by_shape(sp_array_map *map, bool is_scores, sp_array_part *part, sp_error *err)
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
        const bool is_one = (is_scores ? sp_stored_is_float(array) : sp_stored_is_whole(array)) &&
                            (array->rank == flat || array->rank == flat + 1);
        n_found += is_one;
        n_flat += is_one && array->rank == flat;
        one = is_one ? array : one;
    }
    if (n_found == 0)
        return status;
    if (n_found == 1) {
        part->one = one;
        return one->name ? sp_array_set_path(map, part, one->name, err) : SP_OK;
    }
    return n_flat == n_found && n_found == map->file.n ? sp_array_set_path(map, part, SP_ARRAY_HOLE, err)
                                                       : SP_OK;
}

static sp_status find_given(sp_array_map *map, const char *given, const char *option, sp_array_part *part,
                            sp_error *err)
{
    sp_status status = sp_array_set_path(map, part, given, err);
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
        if (sp_array_title(map, array, one) && strstr(one, SP_ARRAY_HOLE) && sp_stored_is_float(array) &&
            array->rank == 2 && n++ == 0)
            snprintf(title, SP_ARRAY_TITLE, "'%.*s'", SP_ARRAY_TITLE - 3, one);
    }
    if (n != 1)
        strcpy(title, "NAME");
}

/* Of a store: what was looked for, what there is, and how to say where it is. */
sp_status sp_array_not_found(const sp_array_map *map, const char *what, const char *option, sp_error *err)
{
    char holds[1200], example[256];
    map->file.store->list(&map->file, holds, sizeof holds, example, sizeof example);
    if (example[0] && strcmp(option, "`paths`") != 0)
        return sp_fail(err, SP_EFILE,
                       "%s: found no %s; it holds %s; say where they are with %s PATH, for example %s '%s'",
                       map->file.file, what, holds, option, option, example);
    return sp_fail(
        err, SP_EFILE,
        "%s: found no %s; it holds %s; say where %s are with %s PATH ({id} in it stands for the recording)",
        map->file.file, what, holds, strcmp(option, "`paths`") == 0 ? "the paths" : "they", option);
}

static sp_status no_scores(sp_array_map *map, sp_error *err)
{
    char list[700], title[SP_ARRAY_TITLE];
    if (map->file.store)
        return sp_array_not_found(
            map, "scores (log_probs, probs, logits or scores, in the root or in /recordings/<id>)",
            "`scores`", err);
    sp_array_list(map, list, sizeof list);
    guess_scores(map, title);
    return sp_fail(err, SP_EFILE,
                   "%s: has no array log_probs, probs, logits or scores, nor one array of floats [steps, "
                   "classes]; say where the "
                   "scores are with `scores` %s; it holds %s",
                   map->file.file, title, list);
}

/* Scores in a group that was named. */
static sp_status find_given_group(sp_array_map *map, const char *group, const wanted_names *wanted,
                                  sp_array_part *part, sp_error *err)
{
    char what[300], list[700];
    sp_array_part clean = {.path = NULL};
    sp_status status = SP_OK;
    TRY(sp_array_set_path(map, &clean, group, err));
    TRY(find_place(map, clean.path, wanted, part, err));
    if (part->path)
        goto done;
    snprintf(what, sizeof what, "scores in the group %.200s (log_probs, probs, logits or scores)",
             clean.path);
    if (map->file.store)
        TRY(sp_array_not_found(map, what, "`scores`", err));
    sp_array_list(map, list, sizeof list);
    status = sp_fail(err, SP_EFILE, "%s: found no %s; it holds %s", map->file.file, what, list);
done:
    free(clean.path);
    return status;
}

sp_status sp_array_find_scores(sp_array_map *map, const sp_source_options *options, sp_error *err)
{
    sp_array_part *part = &map->scores;
    *part = (sp_array_part){.noun = "score", .has_classes = true};
    map->file.labels = options->labels;
    const wanted_names wanted = score_names(options);
    const bool has_id = options->scores && strstr(options->scores, SP_ARRAY_HOLE);
    if (options->scores && !has_id && sp_stored_what_is(&map->file, options->scores) == SP_STORED_GROUP)
        return find_given_group(map, options->scores, &wanted, part, err);
    if (options->scores)
        return find_given(map, options->scores, "scores", part, err);
    if (!map->file.store &&
        !map->file.by_name) { /* one array: scores, whatever it is, where they are needed */
        sp_stored *one = map->file.arrays;
        if (options->needs_scores || (sp_stored_is_float(one) && one->rank > 1))
            part->one = one;
        return SP_OK;
    }
    sp_status status = find_place(map, root_of(map), &wanted, part, err);
    if (status == SP_OK && !part->path && !map->file.store)
        status = sp_array_find_by_shape(map, true, part, err);
    return status == SP_OK && !part->path && options->needs_scores ? no_scores(map, err) : status;
}

sp_status sp_array_find_labels(sp_array_map *map, const sp_source_options *options, sp_error *err)
{
    sp_array_part *part = &map->labels;
    char list[700];
    *part = (sp_array_part){.noun = "label"};
    if (options->labels)
        return find_given(map, options->labels, "labels", part, err);
    if (!map->file.store && !map->file.by_name) {
        part->one = map->file.arrays;
        return SP_OK;
    }
    static const wanted_names usual[] = {{1, {"labels"}, false}, {1, {SP_TRAINER_LABELS}, false}};
    sp_status status = SP_OK;
    for (size_t i = 0; i < sizeof usual / sizeof *usual && !part->path; i++)
        TRY(find_place(map, root_of(map), &usual[i], part, err));
    if (!part->path && map->file.store)
        TRY(sp_array_not_found(map, "labels (/labels or /recordings/<id>/labels)", "`labels`", err));
    if (!part->path)
        TRY(sp_array_find_by_shape(map, false, part, err));
    if (!part->path) {
        sp_array_list(map, list, sizeof list);
        status = sp_fail(err, SP_EFILE,
                         "%s: has no array labels; say where the labels are with `labels` NAME; it holds %s",
                         map->file.file, list);
    }
done:
    return status;
}
