#include "statepath/signals_file.h"

#include <stdio.h>
#include <stdlib.h>

#include "io/format.h"
#include "io/hdf5/h5_data.h"
#include "io/hdf5/h5_file.h"

void sp_array_clear(sp_array *array)
{
    free(array->data);
    *array = (sp_array){.rank = 0};
}

static sp_status open_file(const char *file, const char *path, const sp_file_access *how, hid_t *out, sp_error *err)
{
    int64_t size;
    sp_status status = sp_format_check_h5(file, path, how, err);
    return status == SP_OK ? sp_h5_open(file, how, out, &size, err) : status;
}

/* Shape of the dataset, where it is one that is read. */
static sp_status shape_of(const sp_h5_data *data, const char *file, const char *path, sp_array *out, sp_error *err)
{
    const int64_t most = INT64_C(1) << 31;
    char shape[SP_H5_SHAPE];
    if (data->rank > SP_ARRAY_RANK)
        return sp_fail(err, SP_EDATA, "%s: dataset %s has shape %s: more than %d dimensions are not read", file, path,
                       sp_h5_shape(data->rank, data->dims, shape), SP_ARRAY_RANK);
    out->rank = data->rank;
    out->count = 1;
    for (int d = 0; d < data->rank; d++) {
        if (data->dims[d] > (hsize_t)(out->count ? most / out->count : most))
            return sp_fail(err, SP_EDATA, "%s: dataset %s has shape %s: more than %lld values are not read at once", file, path,
                           sp_h5_shape(data->rank, data->dims, shape), (long long)most);
        out->dims[d] = (int64_t)data->dims[d];
        out->count *= out->dims[d];
    }
    return SP_OK;
}

/* "row 3, column 1" of value i. */
static void place_of(const sp_array *a, int64_t i, char *text, size_t size)
{
    int64_t at[SP_ARRAY_RANK];
    size_t used = 0;
    for (int d = a->rank - 1; d >= 0; i /= a->dims[d--])
        at[d] = i % a->dims[d];
    text[0] = 0;
    for (int d = 0; d < a->rank && used < size; d++)
        used += (size_t)snprintf(text + used, size - used, d ? ", %lld" : "row %lld", (long long)at[d]);
}

static sp_status convert(const sp_h5_data *data, const void *raw, sp_array_type type, const char *file, const char *path,
                         sp_array *a, sp_error *err)
{
    static const char *const wanted[] = {"a number", "a whole number", "neither 0 nor 1"};
    const bool is_float = data->element.kind == SP_ELEMENT_FLOAT;
    const sp_target target = type == SP_ARRAY_BOOL ? SP_TO_BOOL : type == SP_ARRAY_F64 && is_float ? SP_TO_F64 : SP_TO_I64;
    double bad = 0;
    const int64_t at = sp_element_convert(&data->element, raw, a->count, target, 0, a->data, &bad);
    if (at >= 0) {
        char place[100];
        place_of(a, at, place, sizeof place);
        return sp_fail_at(err, SP_EDATA, at, "%s: dataset %s, %s: %g is %s%s", file, path, place, bad,
                          type == SP_ARRAY_BOOL ? "" : "not ", wanted[type]);
    }
    if (type == SP_ARRAY_F64 && !is_float)
        for (int64_t i = 0; i < a->count; i++)
            ((double *)a->data)[i] = (double)((const int64_t *)a->data)[i];
    return SP_OK;
}

static sp_status read_array(hid_t h5, const char *file, const char *path, sp_array_type type, const char *mend, sp_array *out,
                            sp_error *err)
{
    const hsize_t start[SP_ARRAY_RANK] = {0};
    sp_h5_data data;
    sp_array a = {.rank = 0};
    void *raw = NULL;
    sp_status status = sp_h5_data_open(h5, file, path, mend, &data, err);
    if (status != SP_OK)
        return status;
    status = shape_of(&data, file, path, &a, err);
    if (status == SP_OK) {
        raw = malloc((size_t)a.count * data.element.size + 1);
        a.data = malloc((size_t)a.count * sizeof(double) + 1);
        status = raw && a.data ? sp_h5_data_read(&data, file, path, start, data.dims, raw, err) : sp_no_memory(err);
    }
    if (status == SP_OK)
        status = convert(&data, raw, type, file, path, &a, err);
    free(raw);
    sp_h5_data_close(&data);
    if (status == SP_OK)
        *out = a;
    else
        sp_array_clear(&a);
    return status;
}

sp_status sp_array_read(const char *file, const char *path, sp_array_type type, const sp_file_access *how, const char *mend,
                        sp_array *out, sp_error *err)
{
    hid_t h5 = H5I_INVALID_HID;
    sp_array a = {.rank = 0};
    char *normal = sp_h5_path(path);
    sp_h5_quiet quiet;
    sp_h5_quiet_begin(&quiet);
    sp_status status = normal ? open_file(file, normal, how, &h5, err) : sp_no_memory(err);
    if (status == SP_OK)
        status = read_array(h5, file, normal, type, mend, &a, err);
    if (h5 >= 0)
        H5Fclose(h5);
    status = sp_h5_quiet_end(&quiet, status, err);
    free(normal);
    if (status == SP_OK)
        *out = a;
    else
        sp_array_clear(&a);
    return status;
}

sp_status sp_array_exists(const char *file, const char *path, const sp_file_access *how, bool *exists, sp_error *err)
{
    hid_t h5 = H5I_INVALID_HID;
    char *normal = sp_h5_path(path);
    sp_h5_quiet quiet;
    sp_h5_quiet_begin(&quiet);
    sp_status status = normal ? open_file(file, normal, how, &h5, err) : sp_no_memory(err);
    if (status == SP_OK)
        *exists = sp_h5_has_link(h5, normal);
    if (h5 >= 0)
        H5Fclose(h5);
    status = sp_h5_quiet_end(&quiet, status, err);
    free(normal);
    return status;
}
