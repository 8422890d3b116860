#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "io/hdf5/h5_file.h"
#include "io/hdf5/h5_source.h"
#include "io/holes.h"

/* Order of preference where several stand beside each other. sp_kind_name() gives the same names; the order is this file's. */
static const struct {
    const char *name;
    sp_kind kind;
} score_names[] = {
    {"log_probs", SP_KIND_LOG_PROBS}, {"probs", SP_KIND_PROBS}, {"logits", SP_KIND_LOGITS}, {"scores", SP_KIND_SCORES}};
enum { N_SCORE_NAMES = sizeof score_names / sizeof *score_names };

static bool kind_of(const char *name, size_t n, sp_kind *kind)
{
    for (int i = 0; i < N_SCORE_NAMES; i++)
        if (strlen(score_names[i].name) == n && memcmp(score_names[i].name, name, n) == 0) {
            *kind = score_names[i].kind;
            return true;
        }
    return false;
}

/* The component before the last of a path like "/probs/{id}". */
static const char *component_before(const char *path, size_t *n)
{
    const char *last = sp_h5_path_name(path);
    if (last - path < 2)
        return NULL;
    const char *end = last - 1, *start = end;
    while (start[-1] != '/')
        start--;
    *n = (size_t)(end - start);
    return start;
}

bool sp_h5_source_kind_of_name(const char *path, sp_kind *kind)
{
    const char *name = sp_h5_path_name(path);
    size_t n = strlen(name);
    if (strstr(name, "{id}")) {
        name = component_before(path, &n);
        if (!name)
            return false;
    }
    return kind_of(name, n, kind);
}

char *sp_h5_source_beside(const char *scores, const char *name, bool *failed)
{
    char *out = NULL;
    if (!sp_h5_path_has_id(sp_h5_path_name(scores))) {
        char *group = sp_h5_path_group(scores);
        out = group ? sp_h5_path_join(group, name) : NULL;
        free(group);
        *failed = *failed || !out;
        return out;
    }
    /* "/probs/{id}": the group has the name of the dataset. */
    sp_kind kind;
    size_t n = 0;
    const char *component = component_before(scores, &n);
    if (!component || !(kind_of(component, n, &kind) || (n == 6 && memcmp(component, "labels", 6) == 0)))
        return NULL;
    size_t size = strlen(scores) + strlen(name) + 1;
    out = malloc(size);
    if (out)
        snprintf(out, size, "%.*s%s%s", (int)(component - scores), scores, name, component + n);
    *failed = *failed || !out;
    return out;
}

static bool are_floats(hid_t file, const char *path)
{
    const hid_t set = H5Dopen2(file, path, H5P_DEFAULT), type = set >= 0 ? H5Dget_type(set) : -1;
    const bool are = type >= 0 && H5Tget_class(type) == H5T_FLOAT;
    if (type >= 0)
        H5Tclose(type);
    if (set >= 0)
        H5Dclose(set);
    return are;
}

/* What transformers' Trainer returns, saved under its own names: the path, or NULL. */
static char *find_trainers(hid_t file, const char *group, bool *failed)
{
    char *path = sp_h5_path_join(group, SP_TRAINER_SCORES);
    *failed |= !path;
    if (path && sp_h5_look(file, path) == SP_H5_DATASET && are_floats(file, path))
        return path;
    free(path);
    return NULL;
}

/* The dataset in a group that holds scores (or is called `only`): its path, or NULL. With options->has_kind the dataset of that
 * name is preferred. */
static char *find_in_group(hid_t file, const char *group, const char *only, const sp_source_options *options, bool *failed)
{
    for (int i = -1; i < N_SCORE_NAMES; i++) {
        const char *name = only ? only : i < 0 ? (options->has_kind ? sp_kind_name(options->kind) : NULL) : score_names[i].name;
        if (!name)
            continue;
        char *path = sp_h5_path_join(group, name);
        if (!path)
            *failed = true;
        sp_h5_what what = path ? sp_h5_look(file, path) : SP_H5_ABSENT;
        if (what == SP_H5_DATASET || what == SP_H5_BROKEN)
            return path;
        free(path);
        if (only || *failed)
            return NULL;
    }
    return find_trainers(file, group, failed);
}

/* One recording's scores [T,K], or with `only` labels [T]? Files hold other things of these names, such as the scores of paths. */
static bool is_of_recording(hid_t file, const char *path, const char *only)
{
    const hid_t set = H5Dopen2(file, path, H5P_DEFAULT), space = set >= 0 ? H5Dget_space(set) : -1;
    const bool is_one = space >= 0 && H5Sget_simple_extent_ndims(space) == (only ? 1 : 2);
    if (space >= 0)
        H5Sclose(space);
    if (set >= 0)
        H5Dclose(set);
    return is_one && (only || are_floats(file, path));
}

/* A group whose scores are several recordings: lengths stand beside them. */
static bool holds_recordings(hid_t file, const char *group)
{
    const hid_t opened = H5Gopen2(file, group, H5P_DEFAULT);
    bool is_one = false;
    for (size_t i = 0; opened >= 0 && sp_shape_names[i] && !is_one; i++)
        is_one = H5Lexists(opened, sp_shape_names[i], H5P_DEFAULT) > 0;
    if (opened >= 0)
        H5Gclose(opened);
    return is_one;
}

/* <group>/{id}/<name>, where some group in it holds such a dataset; or NULL. is_sure: every group in it is a recording; else none
 * of them may hold several. */
static sp_status find_in_children(hid_t file, const char *file_name, const char *group, bool is_sure, const char *only,
                                  const sp_source_options *options, char **out, sp_error *err)
{
    sp_texts names = NULL;
    int64_t n = 0;
    bool failed = false;
    *out = NULL;
    sp_status status = sp_h5_links(file, file_name, group, &names, &n, NULL, err);
    bool are_one_each = true;
    for (int64_t i = 0; status == SP_OK && i < n && !(*out && is_sure) && are_one_each && !failed; i++) {
        char *child = sp_h5_path_join(group, names[i]);
        const bool is_group = child && sp_h5_look(file, child) == SP_H5_GROUP;
        char *found = is_group && !*out ? find_in_group(file, child, only, options, &failed) : NULL;
        are_one_each = is_sure || !is_group || !holds_recordings(file, child);
        if (found && (is_sure || is_of_recording(file, found, only))) {
            char *pattern = sp_h5_path_join(group, "{id}");
            *out = pattern ? sp_h5_path_join(pattern, sp_h5_path_name(found)) : NULL;
            failed = failed || !*out;
            free(pattern);
        }
        failed = failed || !child;
        free(found);
        free(child);
    }
    free(names);
    if (!are_one_each) {
        free(*out);
        *out = NULL;
    }
    return status == SP_OK && failed ? sp_no_memory(err) : status;
}

/* <group>/<name>/{id}, where the group of that name holds recordings; or NULL. */
static sp_status find_folder(hid_t file, const char *file_name, const char *group, const char *name, const char *only, char **out,
                             sp_error *err)
{
    sp_status status = SP_OK;
    sp_texts links = NULL;
    int64_t n = 0;
    char *folder = sp_h5_path_join(group, name), *first = NULL;
    if (!folder)
        TRY(sp_no_memory(err));
    if (sp_h5_look(file, folder) == SP_H5_GROUP)
        TRY(sp_h5_links(file, file_name, folder, &links, &n, NULL, err));
    if (n > 0 && !(first = sp_h5_path_join(folder, links[0])))
        TRY(sp_no_memory(err));
    if (first && sp_h5_look(file, first) == SP_H5_DATASET && is_of_recording(file, first, only) &&
        !(*out = sp_h5_path_join(folder, "{id}")))
        TRY(sp_no_memory(err));
done:
    free(links);
    free(first);
    free(folder);
    return status;
}

/* In a group: the dataset itself, else one for each recording, in places that array_find.c knows too. A file of paths has other
 * things of these names. */
static sp_status find_under(hid_t file, const char *file_name, const char *group, const char *only,
                            const sp_source_options *options, char **path, sp_error *err)
{
    sp_status status = SP_OK;
    bool failed = false;
    const bool is_root = strcmp(group, "/") == 0;
    char *recordings = sp_h5_path_join(group, "recordings");
    *path = find_in_group(file, group, only, options, &failed);
    if (failed || !recordings)
        TRY(sp_no_memory(err));
    if (!*path && sp_h5_look(file, recordings) == SP_H5_GROUP)
        TRY(find_in_children(file, file_name, recordings, true, only, options, path, err));
    if (!*path && is_root && sp_h5_look(file, "/paths") != SP_H5_ABSENT)
        goto done;
    if (!*path)
        TRY(find_in_children(file, file_name, group, !is_root, only, options, path, err));
    if (!*path && options->has_kind && !only)
        TRY(find_folder(file, file_name, group, sp_kind_name(options->kind), only, path, err));
    for (int i = 0; !*path && i < (only ? 1 : N_SCORE_NAMES); i++)
        TRY(find_folder(file, file_name, group, only ? only : score_names[i].name, only, path, err));
done:
    free(recordings);
    return status;
}

static sp_status nothing_found(hid_t file, const char *file_name, const char *what, const char *option, sp_error *err)
{
    char holds[1200], example[256];
    sp_h5_list(file, holds, sizeof holds, example, sizeof example);
    if (example[0])
        return sp_fail(err, SP_EFILE, "%s: found no %s; it holds %s; say where they are with %s PATH, for example %s '%s'",
                       file_name, what, holds, option, option, example);
    return sp_fail(err, SP_EFILE,
                   "%s: found no %s; it holds %s; say where they are with %s PATH ({id} in it stands for the recording)",
                   file_name, what, holds, option);
}

sp_status sp_h5_source_find(hid_t file, const char *file_name, const sp_source_options *options, char **path, bool *is_scores,
                            sp_error *err)
{
    char *found = NULL;
    *is_scores = true;
    sp_status status = SP_OK;
    if (options->scores) {
        char *given = sp_h5_path(options->scores);
        if (!given)
            return sp_no_memory(err);
        bool is_group = !sp_h5_path_has_id(given) && sp_h5_look(file, given) == SP_H5_GROUP;
        if (!is_group) {
            *path = given;
            return SP_OK;
        }
        status = find_under(file, file_name, given, NULL, options, &found, err);
        if (status == SP_OK && !found) {
            char what[300];
            snprintf(what, sizeof what, "scores in the group %.200s (log_probs, probs, logits or scores)", given);
            status = nothing_found(file, file_name, what, "`scores`", err);
        }
        free(given);
    } else {
        status = find_under(file, file_name, "/", NULL, options, &found, err);
        if (status == SP_OK && !found && !options->needs_scores) {
            *is_scores = false;
            if (options->labels && !(found = sp_h5_path(options->labels)))
                status = sp_no_memory(err);
            else if (!found)
                status = find_under(file, file_name, "/", "labels", options, &found, err);
            if (status == SP_OK && !found)
                status = find_under(file, file_name, "/", SP_TRAINER_LABELS, options, &found, err);
            if (status == SP_OK && !found)
                status = nothing_found(file, file_name, "labels (/labels or /recordings/<id>/labels)", "`labels`", err);
        } else if (status == SP_OK && !found) {
            status =
                nothing_found(file, file_name, "scores (log_probs, probs, logits or scores, in the root or in /recordings/<id>)",
                              "`scores`", err);
        }
    }
    if (status == SP_OK)
        *path = found;
    else
        free(found);
    return status;
}

/* ---- what stands beside the scores ---- */

/* In groups: does any recording have it? */
static bool beside_exists(const sp_h5_map *map, const char *path, bool *failed)
{
    if (map->layout != SP_LAYOUT_GROUPS)
        return sp_h5_has_link(map->file, path);
    for (int64_t n = 0; n < map->n_recordings && !*failed; n++)
        if (sp_h5_map_has(map, path, n, failed))
            return true;
    return false;
}

sp_status sp_h5_source_part(sp_h5_source *h, const char *given, const char *name, const char *noun, bool has_classes,
                            bool is_optional, sp_h5_part *part, sp_error *err)
{
    bool failed = false;
    const sp_h5_map *map = &h->map;
    const bool is_pattern = sp_h5_path_has_id(map->path);
    char *path = given        ? sp_h5_path(given)
                 : is_pattern ? sp_h5_source_beside(map->path, name, &failed)
                              : sp_h5_path_join(map->base, name);
    if (!path)
        return failed || given || !is_pattern ? sp_no_memory(err) : SP_OK;
    if (!given && !beside_exists(map, path, &failed)) {
        free(path);
        return failed ? sp_no_memory(err) : SP_OK;
    }
    return sp_h5_part_open(map, path, noun, has_classes, is_optional && !given, part, err);
}

sp_status sp_h5_source_labels(sp_h5_source *h, const char *given, sp_h5_part *part, sp_error *err)
{
    sp_status status = sp_h5_source_part(h, given, "labels", "label", false, true, part, err);
    return status == SP_OK && !part->path && !sp_h5_path_has_id(h->map.path)
               ? sp_h5_source_part(h, NULL, SP_TRAINER_LABELS, "label", false, true, part, err)
               : status;
}
