#include "io/hdf5/h5_put.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/hdf5/h5_file.h"

enum { CHUNK_ROWS = 4096 };

/* data NULL: it is only laid out. Takes the creation list over. */
static bool put_dataset(hid_t file, const char *path, hid_t file_type, hid_t memory_type, int rank,
                        const hsize_t *dims, hid_t plist, const void *data)
{
    hid_t space = plist >= 0 ? H5Screate_simple(rank, dims, NULL) : H5I_INVALID_HID;
    bool is_ok = space >= 0 && H5Pset_obj_track_times(plist, 0) >= 0;
    hid_t set =
        is_ok ? H5Dcreate2(file, path, file_type, space, H5P_DEFAULT, plist, H5P_DEFAULT) : H5I_INVALID_HID;
    is_ok = set >= 0 && (!data || H5Dwrite(set, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    if (set >= 0)
        is_ok &= H5Dclose(set) >= 0;
    sp_h5_close(plist);
    sp_h5_close(space);
    return is_ok;
}

bool sp_h5_put_numbers(hid_t file, const char *path, hid_t file_type, hid_t memory_type, int64_t n,
                       int32_t n_columns, const void *data)
{
    hsize_t dims[2] = {(hsize_t)n, (hsize_t)n_columns},
            chunk[2] = {n < CHUNK_ROWS ? (hsize_t)n : CHUNK_ROWS, (hsize_t)n_columns};
    const int rank = n_columns > 0 ? 2 : 1;
    hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
    if (plist >= 0 && n >= 256 && H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0 &&
        !(H5Pset_chunk(plist, rank, chunk) >= 0 && H5Pset_shuffle(plist) >= 0 &&
          H5Pset_deflate(plist, 6) >= 0)) {
        H5Pclose(plist);
        return false;
    }
    return put_dataset(file, path, file_type, memory_type, rank, dims, plist, data);
}

hid_t sp_h5_string_type(size_t size)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    if (type >= 0 && H5Tset_size(type, size) >= 0 && H5Tset_cset(type, H5T_CSET_UTF8) >= 0 &&
        (size == H5T_VARIABLE || H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0))
        return type;
    sp_h5_close(type);
    return H5I_INVALID_HID;
}

bool sp_h5_put_names(hid_t file, const char *path, int64_t n, const char *const *names)
{
    size_t width = 1;
    for (int64_t i = 0; i < n; i++)
        width = strlen(names[i]) > width ? strlen(names[i]) : width;
    char *packed = n >= 0 ? calloc((size_t)n, width) : NULL;
    if (!packed)
        errno = ENOMEM; /* sp_h5_put_failed() tells it from a full disk by this */
    hid_t type = packed ? sp_h5_string_type(width) : H5I_INVALID_HID;
    for (int64_t i = 0; packed && i < n; i++)
        memcpy(packed + (size_t)i * width, names[i], strlen(names[i]));
    bool is_ok = type >= 0 && sp_h5_put_numbers(file, path, type, type, n, 0, packed);
    sp_h5_close(type);
    free(packed);
    return is_ok;
}

hid_t sp_h5_bool_type(void)
{
    const int8_t no = 0, yes = 1;
    hid_t type = H5Tenum_create(H5T_STD_I8LE);
    if (type >= 0 && H5Tenum_insert(type, "FALSE", &no) >= 0 && H5Tenum_insert(type, "TRUE", &yes) >= 0)
        return type;
    sp_h5_close(type);
    return H5I_INVALID_HID;
}

bool sp_h5_put_attribute(hid_t file, const char *name, hid_t file_type, hid_t memory_type, const void *value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute =
        space >= 0 ? H5Acreate2(file, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT) : H5I_INVALID_HID;
    bool is_ok = attribute >= 0 && H5Awrite(attribute, memory_type, value) >= 0;
    if (attribute >= 0)
        is_ok &= H5Aclose(attribute) >= 0;
    sp_h5_close(space);
    return is_ok;
}

bool sp_h5_put_text(hid_t file, const char *name, const char *text)
{
    hid_t type = sp_h5_string_type(H5T_VARIABLE);
    bool is_ok = type >= 0 && sp_h5_put_attribute(file, name, type, type, &text);
    sp_h5_close(type);
    return is_ok;
}

bool sp_h5_put_array(hid_t file, const char *path, hid_t file_type, hid_t memory_type, int rank,
                     const hsize_t *dims, const void *data)
{
    return put_dataset(file, path, file_type, memory_type, rank, dims, H5Pcreate(H5P_DATASET_CREATE), data);
}

void sp_recording_ids_free(char **ids, int64_t n)
{
    for (int64_t i = 0; ids && i < n; i++)
        free(ids[i]);
    free(ids);
}

char **sp_recording_ids_new(int64_t n)
{
    char **ids = calloc((size_t)n, sizeof *ids);
    int digits = snprintf(NULL, 0, "%lld", (long long)n);
    for (int64_t i = 0; ids && i < n; i++) {
        char id[32];
        snprintf(id, sizeof id, "r%0*lld", digits, (long long)i + 1);
        if (!(ids[i] = strdup(id))) {
            sp_recording_ids_free(ids, i);
            return NULL;
        }
    }
    return ids;
}

hid_t sp_h5_create(const sp_output *output)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (access < 0)
        return access;
#if H5_VERSION_GE(1, 12, 1) || (H5_VERSION_GE(1, 10, 7) && !H5_VERSION_GE(1, 12, 0))
    (void)H5Pset_file_locking(access, 0, 1);
#endif
    hid_t file = H5Fcreate(output->temporary, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
    return file;
}

/* HDF5 tells the system's reason only in its words for people: "..., errno = 28, error message = ...". */
static herr_t note_entry(unsigned n, const H5E_error2_t *entry, void *arg)
{
    static const char key[] = "errno = ";
    sp_h5_failure *failure = arg;
    const char *text = entry->desc ? entry->desc : "", *found = strstr(text, key);
    if (n == 0)
        snprintf(failure->text, sizeof failure->text, "%s", text);
    if (found && failure->reason == 0)
        failure->reason = (int)strtol(found + sizeof key - 1, NULL, 10);
    return 0;
}

static herr_t note_failure(hid_t stack, void *arg)
{
    sp_h5_failure *failure = arg;
    if (!failure->text[0])
        (void)H5Ewalk2(stack, H5E_WALK_UPWARD, note_entry, failure);
    return 0;
}

void sp_h5_failure_watch(sp_h5_failure *failure)
{
    *failure = (sp_h5_failure){.reason = 0};
    errno = 0;
    (void)H5Eset_auto2(H5E_DEFAULT, note_failure, failure);
}

void sp_h5_failure_end(void)
{
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

sp_status sp_h5_put_failed(const sp_output *output, const sp_h5_failure *failure, sp_error *err)
{
    const int reason = failure->reason ? failure->reason : errno == ENOMEM ? ENOMEM : 0;
    if (reason)
        return sp_output_failed(output, reason, err);
    return sp_fail(err, SP_EFILE, "%s: cannot be written (HDF5: %s); %s", output->file,
                   failure->text[0] ? failure->text : "no reason given", sp_output_left(output));
}

sp_status sp_h5_save(sp_output *output, bool (*put)(hid_t file, void *arg), void *arg, sp_error *err)
{
    sp_h5_failure failure;
    sp_h5_failure_watch(&failure);
    hid_t h5 = sp_h5_create(output);
    sp_status status = h5 >= 0 && put(h5, arg) ? SP_OK : sp_h5_put_failed(output, &failure, err);
    if (h5 >= 0 && H5Fclose(h5) < 0 && status == SP_OK)
        status = sp_h5_put_failed(output, &failure, err);
    sp_h5_failure_end();
    if (status == SP_OK)
        return sp_output_commit(output, err);
    sp_output_abort(output);
    return status;
}
