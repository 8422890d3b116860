#include "io/hdf5/h5_store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "io/hdf5/h5_data.h"
#include "io/hdf5/h5_file.h"
#include "io/hdf5/h5_text.h"

static const char mend[] = "name another dataset";

static sp_h5_store *store_of(const sp_stored_file *f)
{
    return f->own;
}

hid_t sp_h5_store_file(const sp_stored_file *f)
{
    return store_of(f)->file;
}

sp_h5_data *sp_h5_array_data(const sp_stored *array)
{
    return &((sp_h5_array *)array->own)->data;
}

/* ---- finding ---- */

static sp_stored_what what_is(const sp_stored_file *f, const char *name)
{
    char *path = sp_stored_path(name);
    if (!path) {
        sp_h5_note_lack();
        return SP_STORED_ABSENT;
    }
    const sp_h5_what what = sp_h5_look(store_of(f)->file, path);
    free(path);
    return what == SP_H5_DATASET  ? SP_STORED_ARRAY
           : what == SP_H5_GROUP  ? SP_STORED_GROUP
           : what == SP_H5_OTHER  ? SP_STORED_OTHER
           : what == SP_H5_BROKEN ? SP_STORED_BROKEN
                                  : SP_STORED_ABSENT;
}

/* Adds an array of that path, which it takes over. NULL, and noted: no memory. */
static sp_stored *add_array(sp_h5_store *h, char *path)
{
    sp_h5_array *array = path ? calloc(1, sizeof *array) : NULL;
    if (array && h->n == h->room) {
        const int64_t room = 2 * h->room + 8;
        sp_h5_array **grown = realloc(h->arrays, (size_t)room * sizeof(sp_h5_array *));
        if (grown) {
            h->arrays = grown;
            h->room = room;
        }
    }
    if (!array || h->n == h->room) {
        sp_h5_note_lack();
        free(array);
        free(path);
        return NULL;
    }
    array->stored.name = path;
    array->stored.own = array;
    h->arrays[h->n++] = array;
    return &array->stored;
}

static sp_stored *find(const sp_stored_file *f, const char *name)
{
    sp_h5_store *h = store_of(f);
    char *path = sp_stored_path(name);
    sp_stored *found = NULL;
    for (int64_t i = 0; path && i < h->n && !found; i++)
        if (strcmp(h->arrays[i]->stored.name, path) == 0)
            found = &h->arrays[i]->stored;
    if (path && !found && sp_h5_has_link(h->file, path))
        return add_array(h, path);
    if (!path)
        sp_h5_note_lack();
    free(path);
    return found;
}

static sp_status links(const sp_stored_file *f, const char *group, sp_texts *names, int64_t *n, sp_error *err)
{
    return sp_h5_links(store_of(f)->file, f->file, group, names, n, NULL, err);
}

static sp_status explain(const sp_stored_file *f, const char *name, const char *what_to_do, sp_error *err)
{
    char *path = sp_stored_path(name);
    sp_status status =
        path ? sp_h5_explain(store_of(f)->file, f->file, path, what_to_do, err) : sp_no_memory(err);
    free(path);
    return status;
}

static void list(const sp_stored_file *f, char *text, size_t size, char *example, size_t n_example)
{
    sp_h5_list(store_of(f)->file, text, size, example, n_example);
}

/* ---- looking ---- */

/* What is known of a dataset in words of all formats. */
static sp_status describe_array(const sp_stored_file *f, const sp_h5_data *data, sp_stored *array,
                                sp_error *err)
{
    const int64_t MOST = INT64_MAX / 16;
    char type[SP_ELEMENT_NAME], shape[SP_H5_SHAPE];
    if (data->rank > SP_STORED_RANK)
        return sp_fail(err, SP_EDATA, "%s: dataset %s has shape %s: more than %d dimensions are not read",
                       f->file, array->name, sp_h5_shape(data->rank, data->dims, shape), SP_STORED_RANK);
    const bool are_texts = data->element.kind == SP_ELEMENT_NONE || sp_element_is_named(data->type);
    array->form = are_texts ? SP_STORED_BYTES : SP_STORED_NUMBERS;
    array->element = data->element;
    array->size = data->element.size;
    snprintf(array->type, sizeof array->type, "%s", sp_element_name(data->type, type));
    array->rank = data->rank;
    array->count = 1;
    for (int d = 0; d < data->rank; d++) { /* a file can claim any shape: memory for so many there is not */
        array->dims[d] = (int64_t)data->dims[d];
        array->count = data->dims[d] > (hsize_t)(MOST / (array->count ? array->count : 1))
                           ? MOST
                           : array->count * array->dims[d];
    }
    array->is_known = true;
    return SP_OK;
}

sp_status sp_h5_array_adopt(const sp_stored_file *f, hid_t object, sp_stored *array, sp_error *err)
{
    sp_h5_data *data = sp_h5_array_data(array);
    sp_status status = sp_h5_data_adopt(object, f->file, array->name, true, data, err);
    if (status == SP_OK && (status = describe_array(f, data, array, err)) != SP_OK)
        sp_h5_data_close(data);
    return status;
}

static sp_status look(sp_stored_file *f, sp_stored *array, sp_error *err)
{
    const hid_t object = H5Dopen2(store_of(f)->file, array->name, H5P_DEFAULT);
    sp_status status = SP_OK;
    if (object < 0)
        TRY(explain(f, array->name, mend, err));
    TRY(sp_h5_array_adopt(f, object, array, err));
    if (array->form == SP_STORED_NUMBERS)
        TRY(sp_h5_filters_check(sp_h5_array_data(array)->id, f->file, array->name, err));
done:
    if (status != SP_OK) {
        sp_h5_data_close(sp_h5_array_data(array));
        array->is_known = false;
    }
    return status;
}

static sp_status describe(sp_stored_file *f, const sp_stored *first, sp_error *err)
{
    sp_h5_store *h = store_of(f);
    f->storage = h->storage;
    snprintf(h->storage, sizeof h->storage, "texts"); /* whose storage nobody may ask for (h5_text.c) */
    return first->form == SP_STORED_NUMBERS
               ? sp_h5_data_storage(sp_h5_array_data(first), f->file, first->name, h->storage,
                                    sizeof h->storage, err)
               : SP_OK;
}

/* ---- reading ---- */

static void *room(const sp_stored_file *f, size_t size)
{
    sp_h5_store *h = store_of(f);
    if (h->scratch_size < size || !h->scratch) {
        unsigned char *grown = malloc(size + 64);
        if (!grown)
            return NULL;
        free(h->scratch);
        h->scratch = grown;
        h->scratch_size = size;
    }
    return h->scratch;
}

static sp_status read_values(const sp_stored_file *f, sp_stored *array, const int64_t *start,
                             const int64_t *count, void *raw, sp_error *err)
{
    sp_h5_store *h = store_of(f);
    sp_h5_array *own = array->own;
    hsize_t from[SP_STORED_RANK] = {0}, n[SP_STORED_RANK] = {0};
    for (int d = 0; d < array->rank; d++) {
        from[d] = (hsize_t)start[d];
        n[d] = (hsize_t)count[d];
    }
    if (&own->stored == array && !own->is_tuned) { /* what was taken for a while is read once */
        sp_status status = sp_h5_data_tune(h->file, f->file, array->name, &own->data, err);
        if (status != SP_OK)
            return status;
        own->is_tuned = true;
        if (own->data.direct)
            sp_h5_direct_use_threads(own->data.direct, h->n_threads);
    }
    return sp_h5_data_read(&own->data, f->file, array->name, from, n, raw, err);
}

static sp_status read_texts(const sp_stored_file *f, sp_stored *array, sp_texts *out, sp_error *err)
{
    int64_t n = 0;
    return sp_h5_texts_table(store_of(f)->file, f->file, array->name, out, &n, err);
}

static sp_status attribute(const sp_stored_file *f, const char *place, const char *name, sp_texts *out,
                           int64_t *n, bool *is_number, sp_error *err)
{
    const hid_t file = store_of(f)->file;
    *out = NULL;
    return sp_h5_has_attribute(file, place, name)
               ? sp_h5_texts_attribute(file, f->file, place, name, out, n, is_number, err)
               : SP_OK;
}

static bool number(const sp_stored_file *f, const char *place, const char *name, double *value)
{
    return sp_h5_attribute_number(store_of(f)->file, place, name, value);
}

void sp_h5_store_use_threads(sp_stored_file *f, int n_threads)
{
    sp_h5_store *h = store_of(f);
    h->n_threads = n_threads;
    for (int64_t i = 0; i < h->n; i++)
        if (h->arrays[i]->data.direct)
            sp_h5_direct_use_threads(h->arrays[i]->data.direct, n_threads);
    sp_chunk_jobs_free(h->each.jobs);
    h->each.jobs = NULL;
}

/* ---- opening and closing ---- */

static void close_store(sp_stored_file *f)
{
    sp_h5_store *h = store_of(f);
    for (int64_t i = 0; i < h->n; i++) {
        sp_h5_data_close(&h->arrays[i]->data);
        free(h->arrays[i]->stored.name);
        free(h->arrays[i]->stored.bytes);
        sp_label_words_free(h->arrays[i]->stored.words);
        free(h->arrays[i]);
    }
    sp_h5_each_close(&h->each);
    if (h->file > 0)
        H5Fclose(h->file);
    free(h->arrays);
    free(h->scratch);
    free(h);
}

static const sp_store h5_store = {.what = what_is,
                                  .find = find,
                                  .links = links,
                                  .read = read_values,
                                  .room = room,
                                  .texts = read_texts,
                                  .explain = explain,
                                  .list = list,
                                  .attribute = attribute,
                                  .number = number,
                                  .describe = describe,
                                  .take = sp_h5_each_take,
                                  .drop = sp_h5_each_drop,
                                  .each = sp_h5_each_find,
                                  .find_each = sp_h5_each_absent,
                                  .read_each = sp_h5_each_read,
                                  .close = close_store};

sp_status sp_h5_store_open(sp_stored_file *f, const sp_file_access *access, sp_error *err)
{
    sp_h5_store *h = f->own = calloc(1, sizeof *h);
    if (!h)
        return sp_no_memory(err);
    h->n_threads = 1;
    f->store = &h5_store;
    f->look = look;
    return sp_h5_open(f->file, access, &h->file, &f->file_size, err);
}
