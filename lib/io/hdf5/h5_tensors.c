#include "statepath/signals_file.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "io/format.h"
#include "io/hdf5/h5_data.h"
#include "io/hdf5/h5_file.h"
#include "io/hdf5/h5_put.h"
#include "io/hdf5/h5_text.h"

/* ---- types ---- */

static hid_t file_type(sp_tensor_type type)
{
    return type == SP_TENSOR_F32 ? H5T_IEEE_F32LE : type == SP_TENSOR_F64 ? H5T_IEEE_F64LE : H5T_STD_I64LE;
}

static hid_t memory_type(sp_tensor_type type)
{
    return type == SP_TENSOR_F32 ? H5T_NATIVE_FLOAT : type == SP_TENSOR_F64 ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64;
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
        return sp_h5_put_array(file, t->path, file_type(t->type), memory_type(t->type), t->rank, dims, t->data);
    hid_t type = sp_h5_bool_type();
    bool is_ok = type >= 0 && sp_h5_put_array(file, t->path, type, type, t->rank, dims, t->data);
    if (type >= 0)
        H5Tclose(type);
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
    hid_t file;
};

void sp_tensor_file_close(sp_tensor_file *tensors)
{
    if (!tensors)
        return;
    sp_h5_quiet quiet;
    sp_h5_quiet_begin(&quiet);
    if (tensors->file > 0)
        H5Fclose(tensors->file);
    (void)sp_h5_quiet_end(&quiet, SP_OK, NULL);
    free(tensors->name);
    free(tensors);
}

sp_status sp_tensor_file_open(const char *file, const char *key, const char *value, const char *mend, const sp_file_access *how,
                              sp_tensor_file **out, sp_error *err)
{
    sp_tensor_file *tensors = calloc(1, sizeof *tensors);
    if (!tensors || !(tensors->name = strdup(file))) {
        free(tensors);
        return sp_no_memory(err);
    }
    int64_t size;
    sp_h5_quiet quiet;
    sp_h5_quiet_begin(&quiet);
    sp_status status = sp_format_check_h5(file, NULL, how, err);
    if (status == SP_OK)
        status = sp_h5_open(file, how, &tensors->file, &size, err);
    if (status == SP_OK) {
        char *text = NULL;
        status = sp_h5_root_text(tensors->file, file, key, &text, err);
        if (status == SP_OK && (!text || strcmp(text, value) != 0))
            status = sp_fail(err, SP_EFILE, "%s: is no file of %s (its attribute %s is %s); %s", file, value, key,
                             text ? text : "missing", mend);
        free(text);
    }
    status = sp_h5_quiet_end(&quiet, status, err);
    if (status == SP_OK)
        *out = tensors;
    else
        sp_tensor_file_close(tensors);
    return status;
}

int64_t sp_tensor_file_length(const sp_tensor_file *tensors, const char *path)
{
    sp_h5_quiet quiet;
    sp_h5_quiet_begin(&quiet);
    sp_h5_data data;
    int64_t length = -1;
    sp_status status = sp_h5_data_open(tensors->file, tensors->name, path, "", &data, NULL);
    if (status == SP_OK) {
        length = data.rank > 0 ? (int64_t)data.dims[0] : -1;
        sp_h5_data_close(&data);
    }
    return sp_h5_quiet_end(&quiet, status, NULL) == SP_OK ? length : -1;
}

static sp_status read_tensor(const sp_tensor_file *tensors, const sp_tensor *t, void *out, sp_error *err)
{
    sp_h5_data data;
    sp_status status =
        sp_h5_data_open(tensors->file, tensors->name, t->path, "the file is incomplete: make it again", &data, err);
    if (status != SP_OK)
        return status;
    hsize_t start[SP_TENSOR_RANK] = {0}, want[SP_TENSOR_RANK] = {0};
    char found[SP_H5_SHAPE], wanted[SP_H5_SHAPE];
    const sp_element element = {t->type == SP_TENSOR_I64 ? SP_ELEMENT_INT : SP_ELEMENT_FLOAT, t->type == SP_TENSOR_F32 ? 4 : 8,
                                data.element.is_big};
    bool is_same = data.rank == t->rank;
    for (int d = 0; d < t->rank; d++) {
        want[d] = (hsize_t)t->dims[d];
        is_same = is_same && data.dims[d] == want[d];
    }
    if (!is_same || data.element.kind != element.kind || data.element.size != element.size || data.element.is_big)
        status = sp_fail(err, SP_EFILE, "%s: dataset %s has shape %s of %d bytes each, but must have shape %s of %s",
                         tensors->name, t->path, sp_h5_shape(data.rank, data.dims, found), data.element.size,
                         sp_h5_shape(t->rank, want, wanted), type_name(t->type));
    else
        status = sp_h5_data_read(&data, tensors->name, t->path, start, want, out, err);
    sp_h5_data_close(&data);
    return status;
}

sp_status sp_tensor_file_read(const sp_tensor_file *tensors, const sp_tensor *t, void *out, sp_error *err)
{
    sp_h5_quiet quiet;
    sp_h5_quiet_begin(&quiet);
    return sp_h5_quiet_end(&quiet, read_tensor(tensors, t, out, err), err);
}

sp_status sp_tensor_file_text(const sp_tensor_file *tensors, const char *key, char **text, sp_error *err)
{
    sp_h5_quiet quiet;
    sp_h5_quiet_begin(&quiet);
    sp_status status = sp_h5_root_text(tensors->file, tensors->name, key, text, err);
    status = sp_h5_quiet_end(&quiet, status, err);
    if (status != SP_OK) {
        free(*text);
        *text = NULL;
    }
    return status;
}

sp_status sp_tensor_file_classes(const sp_tensor_file *tensors, char ***classes, int64_t *n, sp_error *err)
{
    bool is_number;
    sp_status status = SP_OK;
    *classes = NULL;
    *n = 0;
    sp_h5_quiet quiet;
    sp_h5_quiet_begin(&quiet);
    if (sp_h5_has_link(tensors->file, "/classes"))
        status = sp_h5_texts_dataset(tensors->file, tensors->name, "/classes", "", classes, n, &is_number, err);
    status = sp_h5_quiet_end(&quiet, status, err);
    if (status != SP_OK) {
        free(*classes);
        *classes = NULL;
        *n = 0;
    }
    return status;
}
