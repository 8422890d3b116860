#include "io/elsewhere/h5_elsewhere.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/names.h"
#include "core/try.h"
#include "io/arrays/array_find.h"
#include "io/arrays/array_source.h"
#include "io/arrays/npy.h"
#include "io/hdf5/h5_formats.h"

/* A file that somebody else reads. */
typedef struct elsewhere {
    int64_t n;
    sp_stored **arrays; /* [n] that were found */
    sp_status status;   /* what ended a question that has no answer for it, and the sentence */
    sp_error said;
} elsewhere;

static elsewhere *of(const sp_stored_file *f)
{
    return f->own;
}

static void note(const sp_stored_file *f, sp_status status, const sp_error *said)
{
    if (status == SP_OK || of(f)->status != SP_OK)
        return;
    of(f)->status = status;
    of(f)->said = *said;
}

/* ---- finding ---- */

static sp_stored_what what_is(const sp_stored_file *f, const char *name)
{
    sp_error said;
    int what = SP_STORED_ABSENT;
    note(f, sp_h5_elsewhere_what(f->file, name, &what, &said), &said);
    return (sp_stored_what)what;
}

static sp_stored *find(const sp_stored_file *f, const char *name)
{
    elsewhere *e = of(f);
    sp_error said;
    char *path = sp_stored_path(name);
    for (int64_t i = 0; path && i < e->n; i++)
        if (strcmp(e->arrays[i]->name, path) == 0) {
            free(path);
            return e->arrays[i];
        }
    sp_stored *array = path && what_is(f, path) != SP_STORED_ABSENT ? calloc(1, sizeof *array) : NULL;
    sp_stored **grown = array ? realloc(e->arrays, ((size_t)e->n + 1) * sizeof(sp_stored *)) : NULL;
    if (!grown) {
        if (!path || array)
            note(f, sp_no_memory(&said), &said);
        free(array);
        free(path);
        return NULL;
    }
    e->arrays = grown;
    array->name = path;
    return grown[e->n++] = array;
}

static sp_status links(const sp_stored_file *f, const char *group, sp_texts *names, int64_t *n, sp_error *err)
{
    sp_status status = sp_h5_elsewhere_links(f->file, group, names, n, err);
    if (status == SP_OK)
        sp_natural_sort(*names, *n);
    return status;
}

static sp_status explain(const sp_stored_file *f, const char *name, const char *mend, sp_error *err)
{
    char *path = sp_stored_path(name);
    sp_status status = path ? sp_h5_elsewhere_explain(f->file, path, mend, err) : sp_no_memory(err);
    free(path);
    return status;
}

static void list(const sp_stored_file *f, char *text, size_t size, char *example, size_t n_example)
{
    sp_texts texts = NULL;
    sp_error said;
    int64_t n = 0;
    note(f, sp_h5_elsewhere_list(f->file, &texts, &n, &said), &said);
    snprintf(text, size, "%s", n > 0 ? texts[0] : "");
    snprintf(example, n_example, "%s", n > 1 ? texts[1] : "");
    free(texts);
}

/* ---- looking and reading ---- */

/* Type and shape, or with the values. */
static sp_status take_array(const sp_stored_file *f, sp_stored *array, bool has_values, sp_error *err)
{
    unsigned char *bytes = NULL;
    int64_t n = 0;
    char where[SP_STORED_WHERE];
    sp_status status = SP_OK;
    TRY(sp_h5_elsewhere_array(f->file, array->name, has_values, &bytes, &n, err));
    const int64_t length = sp_npy_header_length(bytes, n);
    sp_stored_where(f, array, where);
    if (length < 0 || length > n)
        TRY(sp_fail(err, SP_EDATA, "%s is no array of numbers or texts", where));
    if (!has_values) {
        TRY(sp_npy_header_read(bytes, length, where, array, err));
        goto done;
    }
    if (array->count * array->size != n - length)
        TRY(sp_fail(err, SP_EDATA, "%s has other values than its type and shape say", where));
    memmove(bytes, bytes + length, (size_t)(n - length));
    array->bytes = bytes;
    bytes = NULL;
done:
    free(bytes);
    return status;
}

static sp_status look(sp_stored_file *f, sp_stored *array, sp_error *err)
{
    const sp_stored_what what = what_is(f, array->name);
    if (what != SP_STORED_ARRAY)
        return explain(f, array->name, "name another dataset", err);
    sp_status status = take_array(f, array, false, err);
    array->is_known = status == SP_OK;
    return status;
}

static sp_status load(const sp_stored_file *f, sp_stored *array, sp_error *err)
{
    return take_array(f, array, true, err);
}

static sp_status attribute(const sp_stored_file *f, const char *place, const char *name, sp_texts *out,
                           int64_t *n, bool *is_number, sp_error *err)
{
    *out = NULL;
    sp_status status = sp_h5_elsewhere_attribute(f->file, place, name, out, n, err);
    if (status == SP_OK && *n > 0) {
        *is_number = strcmp((*out)[0], "1") == 0;
        memmove(*out, *out + 1, (size_t)*n * sizeof **out); /* with the NULL after the last */
        --*n;
    } else {
        free(*out);
        *out = NULL;
    }
    return status;
}

static bool number(const sp_stored_file *f, const char *place, const char *name, double *value)
{
    sp_texts texts = NULL;
    int64_t n = 0;
    bool is_number;
    char *end = NULL;
    sp_error said;
    const sp_status status = attribute(f, place, name, &texts, &n, &is_number, &said);
    note(f, status, &said);
    *value = NAN;
    if (texts && n == 1) {
        const double read = strtod(texts[0], &end);
        *value = end > texts[0] && !*end ? read : NAN;
    }
    const bool is_there = texts != NULL;
    free(texts);
    return is_there;
}

static sp_status describe(sp_stored_file *f, const sp_stored *first, sp_error *err)
{
    (void)f;
    (void)first;
    (void)err;
    return SP_OK;
}

/* ---- recordings of an array each ---- */

static void drop(sp_stored *array)
{
    free(array->name);
    free(array->bytes);
    sp_label_words_free(array->words);
    *array = (sp_stored){.name = NULL};
}

static sp_status take(const sp_stored_file *f, const char *name, sp_stored *array, sp_error *err)
{
    sp_status status = SP_OK;
    *array = (sp_stored){.name = sp_stored_path(name)};
    if (!array->name)
        return sp_no_memory(err);
    status = take_array(f, array, false, err);
    if (status != SP_OK)
        drop(array);
    return status;
}

typedef struct search {
    sp_array_search of;
    sp_status (*check)(void *arg, sp_stored *array, sp_error *err);
    void *arg;
} search;

static sp_status look_at(void *arg, const char *id, bool *is_one, sp_error *err)
{
    const search *s = arg;
    char *path = sp_array_fill(s->of.pattern, id);
    sp_stored array = {.name = NULL};
    sp_status status = SP_OK;
    if (!path)
        return sp_no_memory(err);
    *is_one = what_is(s->of.f, path) == SP_STORED_ARRAY;
    if (!*is_one)
        TRY(sp_array_search_missing(&s->of, id, path, err));
    else {
        TRY(take(s->of.f, path, &array, err));
        TRY(s->check(s->arg, &array, err));
    }
done:
    drop(&array);
    free(path);
    return status;
}

static sp_status each(sp_stored_file *f, const char *pattern, const char *mend, sp_texts *ids, int64_t *n,
                      sp_status (*check)(void *arg, sp_stored *array, sp_error *err), void *arg,
                      sp_error *err)
{
    search s = {.check = check, .arg = arg};
    int64_t n_found = 0;
    sp_status status = SP_OK;
    TRY(sp_array_search_open(&s.of, f, pattern, mend, err));
    TRY(links(f, s.of.group, ids, &n_found, err));
    TRY(sp_array_search_each(&s.of, *ids, n_found, look_at, &s, n, err));
done:
    sp_array_search_close(&s.of);
    return status;
}

static int64_t find_each(const sp_stored_file *f, const char *pattern, char *const *ids, int64_t n,
                         uint8_t *absent)
{
    sp_error said;
    int64_t n_absent = 0;
    for (int64_t i = 0; i < n; i++) {
        char *path = sp_array_fill(pattern, ids[i]);
        if (!path)
            note(f, sp_no_memory(&said), &said);
        absent[i] = !path || what_is(f, path) == SP_STORED_ABSENT;
        n_absent += absent[i];
        free(path);
    }
    return n_absent;
}

static sp_status read_each(const sp_stored_file *f, const sp_each_reading *r, sp_error *err)
{
    sp_stored array = {.name = NULL};
    char *path = NULL;
    sp_status status = SP_OK;
    for (int64_t n = r->first; n < r->first + r->count; n++) {
        const size_t step = (size_t)r->width * sp_target_size(r->target);
        unsigned char *out = (unsigned char *)r->out + (size_t)(r->offsets[n] - r->offsets[r->first]) * step;
        if (r->absent && r->absent[n]) {
            memset(out, 0xff, (size_t)(r->offsets[n + 1] - r->offsets[n]) * step); /* -1 */
            continue;
        }
        free(path);
        if (!(path = sp_array_fill(r->pattern, r->ids[n])))
            TRY(sp_no_memory(err));
        TRY(take(f, path, &array, err));
        TRY(r->one(r->arg, &array, n, out, err));
        drop(&array);
    }
done:
    drop(&array);
    free(path);
    return status;
}

/* ---- the file ---- */

static void close_elsewhere(sp_stored_file *f)
{
    elsewhere *e = of(f);
    for (int64_t i = 0; i < e->n; i++) {
        drop(e->arrays[i]);
        free(e->arrays[i]);
    }
    free(e->arrays);
    free(e);
}

static const sp_store store = {.what = what_is,
                               .find = find,
                               .links = links,
                               .explain = explain,
                               .list = list,
                               .attribute = attribute,
                               .number = number,
                               .describe = describe,
                               .take = take,
                               .drop = drop,
                               .each = each,
                               .find_each = find_each,
                               .read_each = read_each,
                               .close = close_elsewhere};

/* A file of labels that may have scores by another name: which is meant has to be said. */
static sp_status check_labels(const sp_stored_file *f, sp_error *err)
{
    char holds[1200], example[256];
    list(f, holds, sizeof holds, example, sizeof example);
    return example[0] ? sp_fail(err, SP_EFILE,
                                "%s: has labels, and %s that may be scores; say what is meant with `scores` "
                                "or `labels`, of a file "
                                "of labels with `labels` FILE:/DATASET",
                                f->file, example)
                      : SP_OK;
}

static sp_status open_h5(sp_source *source, const sp_request *request, sp_error *err)
{
    const sp_source_options *options = request->options;
    sp_stored_file *f = NULL;
    sp_status status = SP_OK;
    int fd = -1;
    TRY(sp_array_source_new(source, "HDF5", &f, err));
    if ((fd = sp_stored_open(f->file, &f->file_size, err)) <
        0) /* for the sentence of a file that is not there */
        TRY(SP_EFILE);
    TRY(sp_h5_elsewhere_open(f->file, err));
    elsewhere *e = f->own = calloc(1, sizeof *e);
    if (!e)
        TRY(sp_no_memory(err));
    f->store = &store;
    f->look = look;
    f->load = load;
    sp_status filled = sp_array_source_fill(source, request, err);
    if (e->status != SP_OK)
        TRY(sp_fail(err, e->status, "%s", e->said.message));
    TRY(filled);
    if (!request->is_paths && !source->info.has_scores && !options->scores && !options->labels)
        TRY(check_labels(f, err));
done:
    if (fd >= 0)
        close(fd);
    return status;
}

static bool is_h5(const sp_file_look *look_of)
{
    static const char magic[] = "\x89HDF\r\n\x1a\n";
    return look_of->n >= sizeof magic - 1 && memcmp(look_of->head, magic, sizeof magic - 1) == 0;
}

const sp_format sp_h5_format = {
    .name = "an HDF5 file", .endings = ".h5 .hdf5", .recognise = is_h5, .open = open_h5, SP_ARRAY_SOURCE_ROW};

const sp_format sp_matlab_format = {.name = "a MATLAB 7.3 file",
                                    .magic = "MATLAB 7.3",
                                    .n_magic = sizeof "MATLAB 7.3" - 1,
                                    .mend = "save it with -v7, or pack it with `statepath convert`"};
