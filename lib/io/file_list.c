/* Which files a name stands for: itself, those of a folder, those of a pattern. */
#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "core/names.h"
#include "core/names/id_pattern.h"
#include "core/owned.h"
#include "core/try.h"
#include "io/file_list.h"
#include "io/format.h"
#include "io/text/cells.h"
#include "io/text/text_read.h"
#include "io/text/texts.h"
#include "statepath/files.h"

static const char hole[] = SP_ID_HOLE;

void sp_file_list_free(sp_file_list *list)
{
    if (!list)
        return;
    for (int64_t i = 0; i < list->n; i++) {
        free(list->names[i]);
        if (list->ids)
            free(list->ids[i]);
    }
    free(list->names);
    free(list->ids);
    free(list->about);
    free(list);
}

static bool is_folder(const char *file)
{
    struct stat info;
    return stat(file, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool is_there(const char *file)
{
    struct stat info;
    return stat(file, &info) == 0;
}

bool sp_file_is_pattern(const char *file)
{
    return (strstr(file, hole) || strchr(file, '*')) && !is_there(file);
}

/* Takes over a name (NULL: no memory), and its id where it has one. */
static sp_status add(sp_file_list *list, int64_t *room, char *name, char *id, sp_error *err)
{
    bool is_whole = name != NULL;
    if (is_whole && list->n == *room) {
        *room = *room ? 2 * *room : 16;
        list->names = sp_grown(list->names, *room, sizeof *list->names, &is_whole);
        if (id)
            list->ids = sp_grown(list->ids, *room, sizeof *list->ids, &is_whole);
    }
    if (!is_whole) {
        free(name);
        free(id);
        return sp_no_memory(err);
    }
    if (id)
        list->ids[list->n] = id;
    list->names[list->n++] = name;
    return SP_OK;
}

static char *join(const char *folder, const char *name)
{
    const size_t n = strlen(folder);
    char *out = malloc(n + strlen(name) + 2);
    if (out)
        sprintf(out, "%s%s%s", folder, n && folder[n - 1] == '/' ? "" : "/", name);
    return out;
}

/* ---- folders ---- */

/* Files of a folder must have one ending: which others are meant nobody can know. */
static sp_status check_endings(const sp_file_list *list, const char *folder, int64_t n_others,
                               int64_t n_folders, sp_error *err)
{
    char readable[300];
    if (list->n == 0 && n_folders)
        return sp_fail(err, SP_EFILE,
                       "%s: holds folders and no files of recordings; name these with a pattern, such as "
                       "'%s/{id}/scores.npy'",
                       folder, folder);
    if (list->n == 0)
        return sp_fail(
            err, SP_EFILE,
            n_others ? "%s: none of the %lld files in this folder is one of recordings, by their endings %s"
                     : "%s: this folder holds no files",
            folder, (long long)n_others, sp_format_endings(readable, sizeof readable));
    for (int64_t i = 1; i < list->n; i++)
        if (strcasecmp(sp_file_ending(list->names[0]), sp_file_ending(list->names[i])) != 0)
            return sp_fail(err, SP_EFILE,
                           "%s: this folder holds files *%s and *%s; name those that are meant with a "
                           "pattern, such as '%s/{id}%s'",
                           folder, sp_file_ending(list->names[0]), sp_file_ending(list->names[i]), folder,
                           sp_file_ending(list->names[0]));
    return SP_OK;
}

static sp_status add_folder(sp_file_list *list, const char *folder, sp_error *err)
{
    int64_t room = 0, n_others = 0, n_folders = 0;
    size_t length = strlen(folder);
    const struct dirent *entry;
    sp_status status = SP_OK;
    DIR *stream = opendir(folder);
    if (!stream)
        return sp_fail(err, SP_EFILE, "%s: the folder cannot be read: %s", folder, strerror(errno));
    while ((entry = readdir(stream)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        char *name = join(folder, entry->d_name);
        if (name && (!sp_format_is_readable(name) || is_folder(name))) {
            n_folders += is_folder(name);
            n_others++;
            free(name);
            continue;
        }
        TRY(add(list, &room, name, NULL, err));
    }
    sp_natural_sort(list->names, list->n);
    while (length > 1 && folder[length - 1] == '/')
        length--;
    if (!(list->about = strndup(folder, length)))
        TRY(sp_no_memory(err));
    TRY(check_endings(list, list->about, n_others, n_folders, err));
done:
    closedir(stream);
    return status;
}

/* ---- patterns ---- */

/* The pattern as glob() takes it: {id} becomes *, all letters but * are themselves. */
static char *as_glob(const char *pattern)
{
    char *out = malloc(2 * strlen(pattern) + 1), *to = out;
    for (const char *from = pattern; out && *from; from++) {
        if (strncmp(from, hole, strlen(hole)) == 0) {
            *to++ = '*';
            from += strlen(hole) - 1;
            continue;
        }
        if (strchr("?[]\\", *from))
            *to++ = '\\';
        *to++ = *from;
    }
    if (out)
        *to = '\0';
    return out;
}

typedef struct named_file {
    char *id, *name;
} named_file;

static int compare_named(const void *a, const void *b)
{
    return sp_natural_compare(((const named_file *)a)->id, ((const named_file *)b)->id);
}

static sp_status sort_by_id(sp_file_list *list, sp_error *err)
{
    named_file *files = malloc(((size_t)list->n + 1) * sizeof *files);
    if (!files)
        return sp_no_memory(err);
    for (int64_t i = 0; i < list->n; i++)
        files[i] = (named_file){list->ids[i], list->names[i]};
    qsort(files, (size_t)list->n, sizeof *files, compare_named);
    for (int64_t i = 0; i < list->n; i++) {
        list->ids[i] = files[i].id;
        list->names[i] = files[i].name;
    }
    free(files);
    return SP_OK;
}

static sp_status check_pattern(const char *pattern, sp_error *err)
{
    const char *at = strstr(pattern, hole), *rest = at ? at + strlen(hole) : NULL;
    if (at && strstr(rest, hole))
        return sp_fail(err, SP_EFILE, "%s: {id} stands for the recording once in a name", pattern);
    if (at && (*rest == '*' || (at > pattern && at[-1] == '*')))
        return sp_fail(err, SP_EFILE,
                       "%s: a letter between {id} and * must say where the recording's name ends", pattern);
    return SP_OK;
}

/* A file that glob() found, which may be none where {id} would be empty. */
static sp_status add_found(sp_file_list *list, int64_t *room, const char *pattern, const char *name,
                           sp_error *err)
{
    size_t first = 0, length = 0;
    char *id = NULL;
    if (strstr(pattern, hole)) {
        if (!sp_id_find(pattern, name, &first, &length))
            return SP_OK;
        if (!(id = strndup(name + first, length)))
            return sp_no_memory(err);
    }
    return add(list, room, strdup(name), id, err);
}

static sp_status add_pattern(sp_file_list *list, const char *pattern, sp_error *err)
{
    int64_t room = 0;
    sp_status status = check_pattern(pattern, err);
    if (status != SP_OK)
        return status;
    char *wild = as_glob(pattern);
    glob_t found = {.gl_pathc = 0};
    const int code = wild ? glob(wild, GLOB_NOSORT, NULL, &found) : GLOB_NOSPACE;
    free(wild);
    if (code == GLOB_NOSPACE)
        TRY(sp_no_memory(err));
    for (size_t i = 0; code == 0 && i < found.gl_pathc; i++)
        if (!is_folder(found.gl_pathv[i]))
            TRY(add_found(list, &room, pattern, found.gl_pathv[i], err));
    if (list->n == 0)
        TRY(sp_fail(err, SP_EFILE,
                    "%s: there are no files of such a name; {id} stands for the recording, * for anything",
                    pattern));
    if (list->ids)
        TRY(sort_by_id(list, err));
    else
        sp_natural_sort(list->names, list->n);
    if (!(list->about = strdup(pattern)))
        TRY(sp_no_memory(err));
done:
    globfree(&found);
    return status;
}

/* ---- files one by one ---- */

/* Folder, star and ending of files that lie in one folder with one ending, else "n1.npy and 3 more files". */
static char *about_files(const sp_file_list *list)
{
    const char *first = list->names[0], *slash = strrchr(first, '/');
    const size_t folder = slash ? (size_t)(slash - first) + 1 : 0;
    bool is_alike = true;
    for (int64_t i = 1; is_alike && i < list->n; i++) {
        const char *name = list->names[i];
        is_alike = strncmp(name, first, folder) == 0 && !strchr(name + folder, '/') &&
                   strcmp(sp_file_ending(name), sp_file_ending(first)) == 0;
    }
    char *out = malloc(strlen(first) + 64);
    if (out && is_alike)
        sprintf(out, "%.*s*%s", (int)folder, first, sp_file_ending(first));
    else if (out)
        sprintf(out, "%s and %lld more files", first, (long long)list->n - 1);
    return out;
}

static sp_status add_each(sp_file_list *list, const char *file, const char *const *more, sp_error *err)
{
    int64_t room = 0;
    sp_status status = SP_OK;
    TRY(add(list, &room, strdup(file), NULL, err));
    for (; more && *more; more++) {
        if (is_folder(*more) || sp_file_is_pattern(*more))
            return sp_fail(err, SP_EFILE,
                           "%s: give either one folder, or one pattern with {id}, or files one by one",
                           *more);
        TRY(add(list, &room, strdup(*more), NULL, err));
    }
    sp_natural_sort(list->names,
                    list->n); /* so that no result depends on the order in which they are named */
    if (!(list->about = list->n > 1 ? about_files(list) : strdup(file)))
        TRY(sp_no_memory(err));
done:
    return status;
}

sp_status sp_file_list_new(const char *file, const char *const *more, sp_file_list **out, sp_error *err)
{
    sp_file_list *list = calloc(1, sizeof *list);
    if (!list)
        return sp_no_memory(err);
    const bool has_more = more && *more;
    list->is_several = true;
    sp_status status;
    if (!has_more && is_folder(file)) {
        status = add_folder(list, file, err);
    } else if (!has_more && sp_file_is_pattern(file)) {
        status = add_pattern(list, file, err);
    } else if (has_more && (is_folder(file) || sp_file_is_pattern(file))) {
        status = sp_fail(err, SP_EFILE,
                         "%s: give either one folder, or one pattern with {id}, or files one by one", file);
    } else {
        list->is_several = has_more;
        status = add_each(list, file, more, err);
    }
    if (status == SP_OK)
        *out = list;
    else
        sp_file_list_free(list);
    return status;
}

/* ---- names of outputs ---- */

/* The pattern with an id in its place. NULL: no memory. */
static char *complete(const char *pattern, const char *at, const char *id)
{
    char *out = malloc(strlen(pattern) + strlen(id) + 1);
    if (out)
        sprintf(out, "%.*s%s%s", (int)(at - pattern), pattern, id, at + strlen(hole));
    return out;
}

sp_status sp_file_list_complete(const sp_file_list *list, const char *pattern, char ***names, sp_error *err)
{
    const char *at = strstr(pattern, hole);
    if (!at || strstr(at + 1, hole))
        return sp_fail(err, SP_EINVAL, "%s: {id} stands for the recording once in a name", pattern);
    char **made = calloc((size_t)list->n + 1, sizeof *made);
    bool is_whole = made != NULL;
    for (int64_t i = 0; is_whole && i < list->n; i++) {
        char *stem = list->ids ? strdup(list->ids[i]) : sp_file_stem(list->names[i]);
        made[i] = stem ? complete(pattern, at, stem) : NULL;
        is_whole = made[i] != NULL;
        free(stem);
    }
    *names = is_whole ? sp_texts_copy((const char *const *)made, list->n) : NULL;
    for (int64_t i = 0; made && i < list->n; i++)
        free(made[i]);
    free(made);
    int64_t a = 0, b = 0;
    if (*names && sp_texts_duplicate((const char *const *)*names, list->n, &a, &b)) {
        sp_status status = sp_fail(
            err, SP_EINVAL,
            "%s and %s would both be written to %s; where the folder tells them apart name the inputs with a "
            "pattern, such as '{id}/scores.npy'",
            list->names[a], list->names[b], (*names)[a]);
        free(*names);
        *names = NULL;
        return status;
    }
    return *names && a != -2 ? SP_OK : sp_no_memory(err);
}

/* ---- some of them ---- */

/* Numbers of the files by the names of their recordings, which are copied to `stems` [n]. */
static sp_status name_files(const sp_file_list *list, sp_names *numbers, char **stems, sp_error *err)
{
    sp_status status = sp_names_init(numbers, list->n);
    for (int64_t i = 0; status == SP_OK && i < list->n; i++) {
        stems[i] = list->ids ? strdup(list->ids[i]) : sp_file_stem(list->names[i]);
        if (!stems[i])
            status = sp_no_memory(err);
        else
            sp_names_add(numbers, stems[i], (int32_t)i);
    }
    return status;
}

/* The file that a line names, which loses its ending where that is needed; -1: none. */
static int32_t file_of_line(const sp_names *numbers, char *line)
{
    int32_t found = sp_names_find(numbers, line);
    char *dot = strrchr(line, '.');
    if (found < 0 && dot && dot > line) {
        *dot = '\0';
        found = sp_names_find(numbers, line);
        *dot = '.';
    }
    return found;
}

static sp_status mark_lines(const sp_file_list *list, const sp_names *numbers, const char *file, char *text,
                            bool *is_meant, sp_error *err)
{
    sp_cells in = {.at = text, .delimiter = '\n', .is_free = true, .next_line = 1};
    bool is_last, has_any = false;
    for (sp_cells_skip_empty_lines(&in); *in.at; sp_cells_skip_empty_lines(&in)) {
        char *name;
        in.line = in.next_line;
        sp_cells_next(&in, &name, &is_last);
        const int32_t found = file_of_line(numbers, name);
        if (found < 0)
            return sp_fail(err, SP_EFILE, "%s:%lld: none of the %lld files of %s is that of %.200s", file,
                           (long long)in.line, (long long)list->n, list->about, name);
        is_meant[found] = has_any = true;
    }
    return has_any ? SP_OK : sp_fail(err, SP_EFILE, "%s: names no recording; it has one a line", file);
}

static void drop_others(sp_file_list *list, const bool *is_meant)
{
    int64_t n = 0;
    for (int64_t i = 0; i < list->n; i++) {
        if (!is_meant[i]) {
            free(list->names[i]);
            if (list->ids)
                free(list->ids[i]);
            continue;
        }
        list->names[n] = list->names[i];
        if (list->ids)
            list->ids[n] = list->ids[i];
        n++;
    }
    list->n = n;
}

sp_status sp_file_list_keep(sp_file_list *list, const char *names, sp_error *err)
{
    if (!list->is_several)
        return sp_fail(err, SP_EINVAL,
                       "`only` chooses among the files of a folder, or several files; %s is one",
                       list->about);
    const int64_t n = list->n;
    char *text = NULL, **stems = calloc((size_t)n + 1, sizeof *stems);
    bool *is_meant = calloc((size_t)n + 1, sizeof *is_meant);
    sp_names numbers = {0};
    sp_status status = SP_OK;
    TRY(stems && is_meant ? sp_text_read(names, "a list of recordings, one a line", &text, err)
                          : sp_no_memory(err));
    TRY(name_files(list, &numbers, stems, err));
    TRY(mark_lines(list, &numbers, names, text, is_meant, err));
    drop_others(list, is_meant);
done:
    sp_names_clear(&numbers);
    for (int64_t i = 0; stems && i < n; i++)
        free(stems[i]);
    free(stems);
    free(is_meant);
    free(text);
    return status;
}
