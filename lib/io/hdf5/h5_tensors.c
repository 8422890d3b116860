#include "statepath/signals_file.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "io/format.h"
#include "io/hdf5/h5_file.h"
#include "io/hdf5/h5_put.h"
#include "io/hdf5/h5_store.h"

/* ---- types ---- */

static hid_t file_type(sp_tensor_type type)
{
    return type == SP_TENSOR_F32 ? H5T_IEEE_F32LE : type == SP_TENSOR_F64 ? H5T_IEEE_F64LE : H5T_STD_I64LE;
}

static hid_t memory_type(sp_tensor_type type)
{
    return type == SP_TENSOR_F32   ? H5T_NATIVE_FLOAT
           : type == SP_TENSOR_F64 ? H5T_NATIVE_DOUBLE
                                   : H5T_NATIVE_INT64;
}

static const char *type_name(sp_tensor_type type)
{
    return type == SP_TENSOR_F32 ? "float32" : type == SP_TENSOR_F64 ? "float64" : "int64";
}

/* ---- writing ---- */

static bool put_tensor(hid_t file, const sp_tensor *t)
{
    hsize_t dims[SP_TENSOR_RANK];
    for (int d = 0; d < t->rank; d++)
        dims[d] = (hsize_t)t->dims[d];
    if (t->type != SP_TENSOR_BOOL)
        return sp_h5_put_array(file, t->path, file_type(t->type), memory_type(t->type), t->rank, dims,
                               t->data);
    hid_t type = sp_h5_bool_type();
    bool is_ok = type >= 0 && sp_h5_put_array(file, t->path, type, type, t->rank, dims, t->data);
    sp_h5_close(type);
    return is_ok;
}

/* Makes the group of "/a/b" where there is none; one level is all that is used, names of ours. */
static bool make_group(hid_t file, const char *path)
{
    const char *end = strchr(path + 1, '/');
    if (!end)
        return true;
    char group[64];
    assert((size_t)(end - path) < sizeof group);
    memcpy(group, path, (size_t)(end - path));
    group[end - path] = 0;
    if (H5Lexists(file, group, H5P_DEFAULT) > 0)
        return true;
    hid_t id = H5Gcreate2(file, group, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    return id >= 0 && H5Gclose(id) >= 0;
}

static bool put_all(hid_t file, void *arg)
{
    const sp_tensors *all = arg;
    bool is_ok = true;
    for (int32_t i = 0; is_ok && i < all->n_texts; i++)
        is_ok = sp_h5_put_text(file, all->texts[i].key, all->texts[i].text);
    if (is_ok && all->classes)
        is_ok = sp_h5_put_names(file, "/classes", all->n_classes, all->classes);
    for (int32_t i = 0; is_ok && i < all->n_tensors; i++) {
        const sp_tensor *t = &all->tensors[i];
        is_ok = make_group(file, t->path) && put_tensor(file, t);
    }
    return is_ok;
}

sp_status sp_tensors_save(const sp_tensors *tensors, const char *file, bool force, sp_error *err)
{
    sp_output output;
    sp_tensors all = *tensors;
    sp_status status = sp_output_begin(&output, file, force, NULL, err);
    if (status != SP_OK)
        return status;
    sp_h5_quiet quiet;
    sp_h5_quiet_begin(&quiet);
    return sp_h5_quiet_end(&quiet, sp_h5_save(&output, put_all, &all, err), err);
}

/* ---- reading ---- */

struct sp_tensor_file {
    char *name;
    sp_stored_file f;
};

void sp_tensor_file_close(sp_tensor_file *tensors)
{
    if (!tensors)
        return;
    sp_h5_quiet quiet;
    sp_h5_quiet_begin(&quiet);
    sp_stored_close(&tensors->f);
    (void)sp_h5_quiet_end(&quiet, SP_OK, NULL);
    free(tensors->name);
    free(tensors);
}

/* A text of the root; *out NULL where there is none. */
static sp_status read_text(const sp_tensor_file *tensors, const char *key, char **out, sp_error *err)
{
    sp_texts texts = NULL;
    int64_t n = 0;
    bool is_number;
    *out = NULL;
    const sp_status status = tensors->f.store->attribute(&tensors->f, "/", key, &texts, &n, &is_number, NULL);
    const bool failed = status == SP_ENOMEM || (texts && n == 1 && !(*out = strdup(texts[0])));
    free(texts);
    return failed ? sp_no_memory(err) : SP_OK;
}

sp_status sp_tensor_file_open(const char *file, const char *key, const char *value, const char *mend,
                              const sp_file_access *how, sp_tensor_file **out, sp_error *err)
{
    sp_tensor_file *tensors = calloc(1, sizeof *tensors);
    if (!tensors || !(tensors->name = strdup(file))) {
        free(tensors);
        return sp_no_memory(err);
    }
    char *text = NULL;
    sp_status status = SP_OK;
    sp_h5_quiet quiet;
    sp_h5_quiet_begin(&quiet);
    tensors->f = (sp_stored_file){.file = tensors->name, .fd = -1};
    TRY(sp_format_check_h5(file, NULL, how, err));
    TRY(sp_h5_store_open(&tensors->f, how, err));
    TRY(read_text(tensors, key, &text, err));
    if (!text || strcmp(text, value) != 0)
        TRY(sp_fail(err, SP_EFILE, "%s: is no file of %s (its attribute %s is %s); %s", file, value, key,
                    text ? text : "missing", mend));
done:
    free(text);
    status = sp_h5_quiet_end(&quiet, status, err);
    if (status == SP_OK)
        *out = tensors;
    else
        sp_tensor_file_close(tensors);
    return status;
}

/* The array at a path, looked at; NULL: there is none that can be read. */
static sp_stored *find(const sp_tensor_file *tensors, const char *path, sp_status *status, sp_error *err)
{
    sp_stored_file f = tensors->f; /* what is found stays with the store */
    sp_stored *array = sp_stored_find(&f, path);
    *status = array ? sp_stored_look(&f, array, err)
              : sp_stored_what_is(&f, path) == SP_STORED_ARRAY
                  ? sp_no_memory(err)
                  : f.store->explain(&f, path, "the file is incomplete: make it again", err);
    return *status == SP_OK ? array : NULL;
}

static sp_status read_tensor(const sp_tensor_file *tensors, const sp_tensor *t, void *out, sp_error *err)
{
    const sp_element element = {.kind = t->type == SP_TENSOR_I64 ? SP_ELEMENT_INT : SP_ELEMENT_FLOAT,
                                .size = t->type == SP_TENSOR_F32 ? 4 : 8};
    const int64_t start[SP_STORED_RANK] = {0};
    char found[SP_STORED_SHAPE], wanted[SP_STORED_SHAPE];
    sp_stored want = {.rank = t->rank};
    sp_status status;
    sp_stored *array = find(tensors, t->path, &status, err);
    if (!array)
        return status;
    bool is_same = array->rank == t->rank && array->form == SP_STORED_NUMBERS &&
                   array->element.kind == element.kind && array->element.size == element.size &&
                   !array->element.is_big;
    for (int d = 0; d < t->rank; d++) {
        want.dims[d] = t->dims[d];
        is_same = is_same && array->dims[d] == want.dims[d];
    }
    return is_same ? tensors->f.store->read(&tensors->f, array, start, array->dims, out, err)
                   : sp_fail(err, SP_EFILE,
                             "%s: dataset %s has shape %s of %d bytes each, but must have shape %s of %s",
                             tensors->name, t->path, sp_stored_shape(array, found), (int)array->size,
                             sp_stored_shape(&want, wanted), type_name(t->type));
}

sp_status sp_tensor_file_read(const sp_tensor_file *tensors, const sp_tensor *t, void *out, sp_error *err)
{
    sp_h5_quiet quiet;
    sp_h5_quiet_begin(&quiet);
    return sp_h5_quiet_end(&quiet, read_tensor(tensors, t, out, err), err);
}

sp_status sp_tensor_file_classes(const sp_tensor_file *tensors, char ***classes, int64_t *n, sp_error *err)
{
    static const char place[] = "/classes";
    sp_stored *array = NULL;
    sp_status status = SP_OK;
    *classes = NULL;
    *n = 0;
    sp_h5_quiet quiet;
    sp_h5_quiet_begin(&quiet);
    if (sp_stored_what_is(&tensors->f, place) != SP_STORED_ABSENT &&
        (array = find(tensors, place, &status, err)))
        status = sp_stored_texts(&tensors->f, array, classes, err);
    *n = array ? array->count : 0;
    status = sp_h5_quiet_end(&quiet, status, err);
    if (status != SP_OK) {
        free(*classes);
        *classes = NULL;
        *n = 0;
    }
    return status;
}
