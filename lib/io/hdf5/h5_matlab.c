#include "io/hdf5/h5_formats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "io/arrays/array_find.h"
#include "io/arrays/array_source.h"
#include "io/hdf5/h5_data.h"
#include "io/hdf5/h5_file.h"
#include "io/hdf5/h5_text.h"
#include "io/hdf5/h5_virtual.h"
#include "io/matlab/mat_arrays.h"

enum { CLASS = 24 };

typedef struct matlab_file {
    hid_t h5;
    const char *name; /* of the file */
    sp_stored_file *arrays;
    int64_t left; /* bytes of values that the file can hold beside those that were read */
} matlab_file;

/* HDF5 takes any size where no chunk was written, and any number of references to one matrix. */
static sp_status take_bytes(matlab_file *m, const char *path, int64_t n, sp_error *err)
{
    m->left -= n;
    return m->left >= 0
               ? SP_OK
               : sp_fail(err, SP_EDATA,
                         "%s: matrix %s: speaks of more values than the %lld bytes of the file can hold; "
                         "save it again",
                         m->name, path, (long long)m->arrays->file_size);
}

/* "double", "cell", "" where it is no matrix of MATLAB's, or an empty one. */
static sp_status read_class(const matlab_file *m, const char *path, char class[CLASS], sp_error *err)
{
    sp_texts texts = NULL;
    int64_t n = 0;
    bool is_number = false;
    class[0] = '\0';
    if (!sp_h5_has_attribute(m->h5, path, "MATLAB_class") || sp_h5_has_attribute(m->h5, path, "MATLAB_empty"))
        return SP_OK;
    sp_status status = SP_OK;
    TRY(sp_h5_texts_attribute(m->h5, m->name, path, "MATLAB_class", &texts, &n, &is_number, err));
    if (n == 1 && !is_number)
        snprintf(class, CLASS, "%s", texts[0]);
done:
    free(texts);
    return status;
}

/* HDF5 has the dimensions in the other order, so its rows are MATLAB's columns. rank 0: more than are read. */
static sp_mat_shape shape_of(const sp_h5_data *data)
{
    sp_mat_shape shape = {.rank = data->rank <= SP_MAT_RANK ? data->rank : 0, .count = 1};
    for (int d = 0; d < shape.rank; d++) {
        const hsize_t n = data->dims[data->rank - 1 - d];
        if (n > INT32_MAX || (n && shape.count > (INT64_C(1) << 32) / (int64_t)n))
            return (sp_mat_shape){.rank = 0};
        shape.dims[d] = (int64_t)n;
        shape.count *= (int64_t)n;
    }
    return shape;
}

/* Values as doubles, floats or int64, by the class. The caller frees *out. */
static sp_status read_values(const matlab_file *m, const sp_h5_data *data, const char *path, int64_t count,
                             sp_target target, void **out, sp_error *err)
{
    const hsize_t start[H5S_MAX_RANK] = {0};
    unsigned char *raw = malloc((size_t)count * data->element.size + 1),
                  *values = malloc((size_t)count * 8 + 1);
    sp_status status =
        raw && values ? sp_h5_data_read(data, m->name, path, start, data->dims, raw, err) : sp_no_memory(err);
    double bad = 0;
    const int64_t at =
        status == SP_OK ? sp_element_convert(&data->element, raw, count, target, 0, values, &bad) : -1;
    if (at >= 0)
        status = sp_fail(err, SP_EDATA,
                         "%s: matrix %s: value %lld is %g, which its class cannot hold; save it again",
                         m->name, path, (long long)at, bad);
    free(raw);
    if (status == SP_OK)
        *out = values;
    else
        free(values);
    return status;
}

static sp_status make_texts(const sp_mat_shape *shape, const int64_t *values, sp_stored *out, sp_error *err)
{
    uint32_t *letters = calloc((size_t)shape->count + 1, sizeof *letters);
    if (!letters)
        return sp_no_memory(err);
    for (int64_t i = 0; i < shape->count; i++)
        letters[i] = (uint32_t)values[i];
    sp_status status = sp_mat_texts(shape, letters, out, err);
    free(letters);
    return status;
}

/* Numbers or text; what is none leaves `out` without bytes. */
static sp_status read_plain(matlab_file *m, const char *path, const char *class, sp_stored *out,
                            sp_error *err)
{
    static const char *const wholes[] = {"logical", "int8",   "int16",  "int32", "int64",
                                         "uint8",   "uint16", "uint32", "uint64"};
    const int one = 1;
    const bool is_char = strcmp(class, "char") == 0, is_double = strcmp(class, "double") == 0,
               is_single = strcmp(class, "single") == 0;
    bool is_whole = false;
    sp_h5_data data;
    void *values = NULL;
    *out = (sp_stored){.name = NULL};
    for (size_t i = 0; i < sizeof wholes / sizeof *wholes; i++)
        is_whole |= strcmp(class, wholes[i]) == 0;
    if (!is_char && !is_double && !is_single && !is_whole)
        return SP_OK;
    sp_status status = sp_h5_data_open(m->h5, m->name, path, "save it again", &data, err);
    if (status != SP_OK)
        return status == SP_EDATA ? SP_OK : status; /* complex numbers and the like */
    const sp_mat_shape shape = shape_of(&data);
    const bool is_float = data.element.kind == SP_ELEMENT_FLOAT;
    const sp_element element = {.kind = is_double || is_single ? SP_ELEMENT_FLOAT : SP_ELEMENT_INT,
                                .size = is_single ? 4 : 8,
                                .is_big = *(const char *)&one == 0};
    const bool is_read = shape.rank >= 2 && is_float == (is_double || is_single);
    const sp_target target = is_double ? SP_TO_F64 : is_single ? SP_TO_F32 : SP_TO_I64;
    if (!is_read)
        goto done;
    TRY(take_bytes(m, path, shape.count * data.element.size, err));
    TRY(read_values(m, &data, path, shape.count, target, &values, err));
    TRY(is_char ? make_texts(&shape, values, out, err)
                : sp_mat_numbers(&shape, &element, values, class, out, err));
done:
    free(values);
    sp_h5_data_close(&data);
    return status;
}

/* ---- cells ---- */

/* The path that a reference leads to; "" where it leads nowhere. */
static void path_of(hid_t dataset, const hobj_ref_t *reference, char *path, size_t size)
{
    const ssize_t n = H5Rget_name(dataset, H5R_OBJECT, reference, path, size);
    if (n <= 0 || (size_t)n >= size)
        path[0] = '\0';
}

static sp_status read_references(matlab_file *m, hid_t dataset, const char *path, hobj_ref_t **out,
                                 int64_t *n, sp_error *err)
{
    enum { MOST = 1 << 24 };
    hid_t created = -1, type = H5Dget_type(dataset), space = H5Dget_space(dataset);
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    const bool are_references = H5Tget_class(type) == H5T_REFERENCE && H5Tequal(type, H5T_STD_REF_OBJ) > 0;
    sp_status status = SP_OK;
    *out = NULL;
    TRY(sp_h5_created(dataset, m->name, path, &created, err));
    TRY(sp_h5_storage_check(dataset, created, m->name, path, err));
    TRY(sp_h5_filters_check(dataset, m->name, path, err));
    *n = are_references && count > 0 && count < MOST ? (int64_t)count : 0;
    TRY(take_bytes(m, path, *n * (int64_t)sizeof **out, err));
    if (!(*out = calloc((size_t)*n + 1, sizeof **out)))
        TRY(sp_no_memory(err));
    if (*n && H5Dread(dataset, H5T_STD_REF_OBJ, H5S_ALL, H5S_ALL, H5P_DEFAULT, *out) < 0)
        TRY(sp_h5_refused(m->name, path, err));
done:
    sp_h5_close(created);
    H5Tclose(type);
    H5Sclose(space);
    return status;
}

static sp_status read_cells(matlab_file *m, const char *path, const char *name, sp_error *err)
{
    hid_t dataset = H5Dopen2(m->h5, path, H5P_DEFAULT);
    if (dataset < 0)
        return sp_h5_refused(m->name, path, err);
    hobj_ref_t *references = NULL;
    int64_t n = 0;
    const int64_t before = m->arrays->n;
    sp_status status = SP_OK;
    TRY(read_references(m, dataset, path, &references, &n, err));
    for (int64_t i = 0; i < n; i++) {
        char cell[256], class[CLASS];
        sp_stored array = {.name = NULL};
        path_of(dataset, &references[i], cell, sizeof cell);
        if (!*cell)
            continue;
        TRY(read_class(m, cell, class, err));
        TRY(read_plain(m, cell, class, &array, err));
        if (array.bytes)
            TRY(sp_mat_add_cell(m->arrays, name, i + 1, &array, err));
    }
    if (m->arrays->n - before == n)
        TRY(sp_mat_join_texts(m->arrays, name, n, err));
done:
    free(references);
    H5Dclose(dataset);
    return status;
}

/* ---- the file ---- */

static sp_status read_variable(matlab_file *m, const char *name, sp_error *err)
{
    char class[CLASS];
    sp_stored array;
    char *path = sp_array_join("/", name);
    if (!path)
        return sp_no_memory(err);
    sp_status status = SP_OK;
    if (sp_h5_look(m->h5, path) != SP_H5_DATASET)
        goto done;
    TRY(read_class(m, path, class, err));
    if (strcmp(class, "cell") == 0) {
        TRY(read_cells(m, path, name, err));
        goto done;
    }
    TRY(read_plain(m, path, class, &array, err)); /* "" is none that is read */
    if (array.bytes)
        TRY(sp_mat_add(m->arrays, name, &array, err));
done:
    free(path);
    return status;
}

static sp_status read_file(sp_stored_file *f, const sp_file_access *access, sp_error *err)
{
    matlab_file m = {.h5 = H5I_INVALID_HID, .name = f->file, .arrays = f};
    sp_texts names = NULL;
    int64_t n = 0;
    sp_h5_quiet quiet;
    sp_h5_quiet_begin(&quiet);
    sp_status status = SP_OK;
    TRY(sp_h5_open(f->file, access, &m.h5, &f->file_size, err));
    TRY(sp_h5_links(m.h5, f->file, "/", &names, &n, NULL, err));
    m.left = sp_stored_most(f->file_size);
    for (int64_t i = 0; i < n; i++)
        if (names[i][0] != '#')
            TRY(read_variable(&m, names[i], err));
done:
    free(names);
    if (m.h5 >= 0)
        H5Fclose(m.h5);
    status = sp_h5_quiet_end(&quiet, status, err);
    return status == SP_OK ? sp_mat_end(f, err) : status;
}

static sp_status open_matlab(sp_source *source, const sp_request *request, sp_error *err)
{
    sp_stored_file *f = NULL;
    sp_status status = SP_OK;
    TRY(sp_array_source_new(source, "MATLAB matrix (HDF5)", &f, err));
    f->counts_from_1 = true;
    TRY(read_file(f, &request->options->access, err));
    TRY(sp_array_source_fill(source, request, err));
done:
    return status;
}

const sp_format sp_matlab_format = {.name = "a MATLAB 7.3 file",
                                    .magic = "MATLAB 7.3",
                                    .n_magic = sizeof "MATLAB 7.3" - 1,
                                    .open = open_matlab,
                                    SP_ARRAY_SOURCE_ROW};
