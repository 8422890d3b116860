/* Files of lists in HDF5. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/hdf5/h5_data.h"
#include "io/hdf5/h5_file.h"
#include "io/hdf5/h5_put.h"
#include "io/hdf5/h5_text.h"
#include "io/lists_file.h"
#include "io/output_file.h"

enum { NAME_BYTES = 64, MOST_PACKED = 1032 /* bytes of a list that deflate can put into one */ };

struct sp_lists {
    hid_t file;
    char *name;   /* of the file */
    int64_t size; /* its bytes */
};

/* ---- writing ---- */

typedef struct lists_to_write {
    const char *kind;
    int version;
    int64_t n;
    const sp_list *lists;
} lists_to_write;

/* The smallest type that holds all of them. */
static hid_t whole_type(int64_t n, const int64_t *numbers)
{
    int64_t low = 0, high = 0;
    for (int64_t i = 0; i < n; i++) {
        low = numbers[i] < low ? numbers[i] : low;
        high = numbers[i] > high ? numbers[i] : high;
    }
    return low >= INT8_MIN && high <= INT8_MAX     ? H5T_STD_I8LE
           : low >= INT16_MIN && high <= INT16_MAX ? H5T_STD_I16LE
           : low >= INT32_MIN && high <= INT32_MAX ? H5T_STD_I32LE
                                                   : H5T_STD_I64LE;
}

static bool put_list(hid_t file, const sp_list *list)
{
    char path[NAME_BYTES];
    snprintf(path, sizeof path, "/%s", list->name);
    if (list->kind == SP_LIST_TEXT)
        return sp_h5_put_names(file, path, list->n, list->texts);
    if (list->kind == SP_LIST_WHOLE)
        return sp_h5_put_numbers(file, path, whole_type(list->n, list->numbers), H5T_NATIVE_INT64, list->n, 0, list->numbers);
    return sp_h5_put_numbers(file, path, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, list->n, 0, list->numbers);
}

static bool put_lists(hid_t file, void *arg)
{
    const lists_to_write *w = arg;
    const int32_t version = w->version;
    bool is_ok = sp_h5_put_attribute(file, w->kind, H5T_STD_I32LE, H5T_NATIVE_INT32, &version);
    for (int64_t i = 0; is_ok && i < w->n; i++)
        is_ok = put_list(file, &w->lists[i]);
    return is_ok;
}

sp_status sp_lists_save(const char *file, bool force, const char *kind, int version, int64_t n, const sp_list *lists,
                        sp_error *err)
{
    sp_output output;
    sp_h5_quiet quiet;
    lists_to_write w = {kind, version, n, lists};
    sp_status status = sp_output_begin(&output, file, force, NULL, err);
    if (status != SP_OK)
        return status;
    sp_h5_quiet_begin(&quiet);
    status = sp_h5_save(&output, put_lists, &w, err);
    return sp_h5_quiet_end(&quiet, status, err);
}

/* ---- reading ---- */

void sp_lists_close(sp_lists *lists)
{
    sp_h5_quiet quiet;
    if (!lists)
        return;
    sp_h5_quiet_begin(&quiet);
    if (lists->file > 0)
        H5Fclose(lists->file);
    sp_h5_quiet_end(&quiet, SP_OK, NULL);
    free(lists->name);
    free(lists);
}

static sp_status check_kind(const sp_lists *lists, const char *kind, int version, sp_error *err)
{
    int32_t found = -1;
    hid_t attribute = H5Aexists(lists->file, kind) > 0 ? H5Aopen(lists->file, kind, H5P_DEFAULT) : H5I_INVALID_HID;
    if (attribute < 0)
        return sp_fail(err, SP_EFILE, "%s: is HDF5, but not what it is taken for: it has no attribute %s", lists->name, kind);
    if (H5Aread(attribute, H5T_NATIVE_INT32, &found) < 0)
        found = -1;
    H5Aclose(attribute);
    return found == version ? SP_OK
                            : sp_fail(err, SP_EDATA, "%s: has version %d of its format, this program reads %d; make it again",
                                      lists->name, found, version);
}

sp_status sp_lists_open(const char *file, const char *kind, int version, sp_lists **out, sp_error *err)
{
    sp_h5_quiet quiet;
    sp_lists *lists = calloc(1, sizeof *lists);
    if (lists)
        lists->name = strdup(file);
    if (!lists || !lists->name) {
        free(lists);
        return sp_no_memory(err);
    }
    sp_h5_quiet_begin(&quiet);
    sp_status status = sp_h5_open(file, NULL, &lists->file, &lists->size, err);
    if (status != SP_OK)
        lists->file = 0;
    else
        status = check_kind(lists, kind, version, err);
    status = sp_h5_quiet_end(&quiet, status, err);
    if (status == SP_OK)
        *out = lists;
    else
        sp_lists_close(lists);
    return status;
}

/* Is it a list as put_list() writes one, and of no more numbers than the bytes of the file can hold? */
static sp_status check_list(const sp_lists *lists, const char *path, sp_list_kind kind, const sp_h5_data *data, sp_error *err)
{
    const sp_element *element = &data->element;
    const bool is_kind =
        kind == SP_LIST_REAL ? element->kind == SP_ELEMENT_FLOAT && element->size == 8 : element->kind == SP_ELEMENT_INT;
    if (data->rank != 1 || !is_kind)
        return sp_fail(err, SP_EDATA, "%s: dataset %s is not a list of numbers; the file is damaged: make it again", lists->name,
                       path);
    return data->dims[0] <= (hsize_t)(lists->size * MOST_PACKED / element->size)
               ? SP_OK
               : sp_fail(err, SP_EDATA, "%s: dataset %s has more numbers than the file can hold; it is damaged: make it again",
                         lists->name, path);
}

static sp_status read_numbers(const sp_lists *lists, const char *path, sp_list_kind kind, void **numbers, int *width, int64_t *n,
                              sp_error *err)
{
    const hsize_t start = 0;
    sp_h5_data data;
    double bad;
    sp_status status = sp_h5_data_open(lists->file, lists->name, path, "make it again", &data, err);
    if (status != SP_OK)
        return status;
    status = check_list(lists, path, kind, &data, err);
    const size_t length = status == SP_OK ? (size_t)data.dims[0] : 0;
    const bool is_ours = data.element.is_big == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
    const sp_element bits = {.kind = SP_ELEMENT_INT, .size = data.element.size, .is_big = data.element.is_big};
    *width = is_ours ? data.element.size : 8;
    char *at = malloc((length + 1) * (size_t)*width), *raw = at ? at + length * ((size_t)*width - data.element.size) : NULL;
    if (status == SP_OK)
        status = at ? sp_h5_data_read(&data, lists->name, path, &start, data.dims, raw, err) : sp_no_memory(err);
    if (status == SP_OK && !is_ours)
        sp_element_convert(&bits, raw, (int64_t)length, SP_TO_I64, 0, at, &bad);
    sp_h5_data_close(&data);
    *n = (int64_t)length;
    *numbers = at;
    return status;
}

static sp_status find(const sp_lists *lists, const char *name, char path[NAME_BYTES], sp_error *err)
{
    snprintf(path, NAME_BYTES, "/%s", name);
    return sp_h5_has_link(lists->file, path)
               ? SP_OK
               : sp_fail(err, SP_EFILE, "%s: dataset %s is missing; the file is damaged: make it again", lists->name, path);
}

sp_status sp_lists_numbers(const sp_lists *lists, const char *name, sp_list_kind kind, void **numbers, int *width, int64_t *n,
                           sp_error *err)
{
    sp_h5_quiet quiet;
    char path[NAME_BYTES];
    sp_h5_quiet_begin(&quiet);
    *numbers = NULL;
    sp_status status = find(lists, name, path, err);
    if (status == SP_OK)
        status = read_numbers(lists, path, kind, numbers, width, n, err);
    status = sp_h5_quiet_end(&quiet, status, err);
    if (status != SP_OK) {
        free(*numbers);
        *numbers = NULL;
    }
    return status;
}

sp_status sp_lists_texts(const sp_lists *lists, const char *name, sp_texts *texts, int64_t *n, sp_error *err)
{
    sp_h5_quiet quiet;
    char path[NAME_BYTES];
    bool is_number = false;
    sp_texts read = NULL;
    sp_h5_quiet_begin(&quiet);
    sp_status status = find(lists, name, path, err);
    if (status == SP_OK)
        status = sp_h5_texts_dataset(lists->file, lists->name, path, "make it again", &read, n, &is_number, err);
    if (status == SP_OK && is_number)
        status = sp_fail(err, SP_EDATA, "%s: dataset %s is not a list of texts; the file is damaged: make it again", lists->name,
                         path);
    status = sp_h5_quiet_end(&quiet, status, err);
    if (status == SP_OK)
        *texts = read;
    else
        free(read);
    return status;
}
