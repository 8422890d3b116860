/* A block of bytes in a file, in HDF5. */
#include <stdlib.h>

#include "core/try.h"
#include "io/bytes_file.h"
#include "io/hdf5/h5_data.h"
#include "io/hdf5/h5_file.h"
#include "io/hdf5/h5_put.h"
#include "io/output_file.h"

enum { MOST_PACKED = 1032 /* bytes that deflate can put into one */ };

static const char dataset[] = "/bytes";

/* ---- writing ---- */

typedef struct to_write {
    const char *kind;
    int32_t version;
    const unsigned char *bytes;
    int64_t n;
} to_write;

static bool put_all(hid_t file, void *arg)
{
    const to_write *w = arg;
    return sp_h5_put_attribute(file, w->kind, H5T_STD_I32LE, H5T_NATIVE_INT32, &w->version) &&
           sp_h5_put_numbers(file, dataset, H5T_STD_U8LE, H5T_NATIVE_UINT8, w->n, 0, w->bytes);
}

sp_status sp_bytes_save(const char *file, bool force, const char *kind, int version,
                        const unsigned char *bytes, size_t n, sp_error *err)
{
    sp_output output;
    sp_h5_quiet quiet;
    to_write w = {kind, version, bytes, (int64_t)n};
    sp_status status = sp_output_begin(&output, file, force, NULL, err);
    if (status != SP_OK)
        return status;
    sp_h5_quiet_begin(&quiet);
    status = sp_h5_save(&output, put_all, &w, err);
    return sp_h5_quiet_end(&quiet, status, err);
}

/* ---- reading ---- */

static sp_status check_kind(hid_t file, const char *name, const char *kind, int version, sp_error *err)
{
    int32_t found = -1;
    hid_t attribute = H5Aexists(file, kind) > 0 ? H5Aopen(file, kind, H5P_DEFAULT) : H5I_INVALID_HID;
    if (attribute < 0)
        return sp_fail(err, SP_EFILE, "%s: is HDF5, but not what it is taken for: it has no attribute %s",
                       name, kind);
    if (H5Aread(attribute, H5T_NATIVE_INT32, &found) < 0)
        found = -1;
    H5Aclose(attribute);
    return found == version
               ? SP_OK
               : sp_fail(err, SP_EDATA,
                         "%s: has version %d of its format, this program reads %d; make it again", name,
                         found, version);
}

/* Is it a dataset as put_all() writes one, and of no more bytes than those of the file can hold? */
static sp_status check_bytes(const char *name, int64_t size, const sp_h5_data *data, sp_error *err)
{
    if (data->rank != 1 || data->element.kind != SP_ELEMENT_UINT || data->element.size != 1)
        return sp_fail(err, SP_EDATA,
                       "%s: dataset %s is not a list of bytes; the file is damaged: make it again", name,
                       dataset);
    return data->dims[0] <= (hsize_t)size * MOST_PACKED
               ? SP_OK
               : sp_fail(
                     err, SP_EDATA,
                     "%s: dataset %s has more numbers than the file can hold; it is damaged: make it again",
                     name, dataset);
}

/* size: bytes of the file */
static sp_status read_bytes(hid_t file, const char *name, int64_t size, unsigned char **bytes, size_t *n,
                            sp_error *err)
{
    const hsize_t start = 0;
    sp_h5_data data;
    unsigned char *out = NULL;
    if (!sp_h5_has_link(file, dataset))
        return sp_fail(err, SP_EFILE, "%s: dataset %s is missing; the file is damaged: make it again", name,
                       dataset);
    sp_status status = sp_h5_data_open(file, name, dataset, "make it again", &data, err);
    if (status != SP_OK)
        return status;
    TRY(check_bytes(name, size, &data, err));
    out = malloc((size_t)data.dims[0] + 1);
    TRY(out ? sp_h5_data_read(&data, name, dataset, &start, data.dims, out, err) : sp_no_memory(err));
    *n = (size_t)data.dims[0];
    *bytes = out;
    out = NULL;
done:
    free(out);
    sp_h5_data_close(&data);
    return status;
}

sp_status sp_bytes_load(const char *name, const char *kind, int version, unsigned char **bytes, size_t *n,
                        sp_error *err)
{
    sp_h5_quiet quiet;
    hid_t file = H5I_INVALID_HID;
    int64_t size = 0;
    unsigned char *read = NULL;
    sp_h5_quiet_begin(&quiet);
    sp_status status = sp_h5_open(name, NULL, &file, &size, err);
    if (status == SP_OK) {
        status = check_kind(file, name, kind, version, err);
        if (status == SP_OK)
            status = read_bytes(file, name, size, &read, n, err);
        H5Fclose(file);
    }
    status = sp_h5_quiet_end(&quiet, status, err);
    if (status == SP_OK)
        *bytes = read;
    else
        free(read);
    return status;
}
