/* Made data as an HDF5 file in the packed layout. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/h5_file.h"
#include "io/output_file.h"
#include "statepath/recipe_json.h"

enum { CHUNK_ROWS = 4096 };

/* ---- datasets; each returns false where HDF5 fails, and leaves nothing open ---- */

/* A dataset of n rows (and n_columns > 0 columns), compressed where it is worth it, without times: the same data, the same bytes.
 */
static bool put_numbers(hid_t file, const char *path, hid_t file_type, hid_t memory_type, int64_t n, int32_t n_columns,
                        const void *data)
{
    hsize_t dims[2] = {(hsize_t)n, (hsize_t)n_columns}, chunk[2] = {n < CHUNK_ROWS ? (hsize_t)n : CHUNK_ROWS, (hsize_t)n_columns};
    int rank = n_columns > 0 ? 2 : 1;
    hid_t space = H5Screate_simple(rank, dims, NULL), plist = H5Pcreate(H5P_DATASET_CREATE);
    bool is_ok = space >= 0 && plist >= 0 && H5Pset_obj_track_times(plist, 0) >= 0;
    if (is_ok && n >= 256 && H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0)
        is_ok = H5Pset_chunk(plist, rank, chunk) >= 0 && H5Pset_shuffle(plist) >= 0 && H5Pset_deflate(plist, 6) >= 0;
    hid_t set = is_ok ? H5Dcreate2(file, path, file_type, space, H5P_DEFAULT, plist, H5P_DEFAULT) : H5I_INVALID_HID;
    is_ok = set >= 0 && H5Dwrite(set, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
    if (set >= 0)
        is_ok &= H5Dclose(set) >= 0;
    if (plist >= 0)
        H5Pclose(plist);
    if (space >= 0)
        H5Sclose(space);
    return is_ok;
}

static hid_t string_type(size_t size)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    if (type >= 0 && H5Tset_size(type, size) >= 0 && H5Tset_cset(type, H5T_CSET_UTF8) >= 0 &&
        (size == H5T_VARIABLE || H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0))
        return type;
    if (type >= 0)
        H5Tclose(type);
    return H5I_INVALID_HID;
}

/* Names as fixed strings as wide as the longest. */
static bool put_names(hid_t file, const char *path, int64_t n, char *const *names)
{
    size_t width = 1;
    for (int64_t i = 0; i < n; i++)
        width = strlen(names[i]) > width ? strlen(names[i]) : width;
    char *packed = calloc((size_t)n, width);
    hid_t type = packed ? string_type(width) : H5I_INVALID_HID;
    for (int64_t i = 0; packed && i < n; i++)
        memcpy(packed + (size_t)i * width, names[i], strlen(names[i]));
    bool is_ok = type >= 0 && put_numbers(file, path, type, type, n, 0, packed);
    if (type >= 0)
        H5Tclose(type);
    free(packed);
    return is_ok;
}

static bool put_attribute(hid_t file, const char *name, hid_t file_type, hid_t memory_type, const void *value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = space >= 0 ? H5Acreate2(file, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT) : H5I_INVALID_HID;
    bool is_ok = attribute >= 0 && H5Awrite(attribute, memory_type, value) >= 0;
    if (attribute >= 0)
        is_ok &= H5Aclose(attribute) >= 0;
    if (space >= 0)
        H5Sclose(space);
    return is_ok;
}

/* ---- the file ---- */

/* "r01", "r02", ...: as many digits as the last one needs. The caller frees the array and each name. */
static char **make_ids(int64_t n)
{
    char **ids = calloc((size_t)n, sizeof *ids);
    int digits = snprintf(NULL, 0, "%lld", (long long)n);
    for (int64_t i = 0; ids && i < n; i++) {
        char id[32];
        snprintf(id, sizeof id, "r%0*lld", digits, (long long)i + 1);
        if (!(ids[i] = strdup(id))) {
            while (i-- > 0)
                free(ids[i]);
            free(ids);
            return NULL;
        }
    }
    return ids;
}

static bool put_all(hid_t file, const sp_simulated *s, const sp_recipe *recipe, char *const *ids, const char *text)
{
    hid_t label_type = s->n_classes <= 128 ? H5T_STD_I8LE : s->n_classes <= 32768 ? H5T_STD_I16LE : H5T_STD_I32LE;
    hid_t type = string_type(H5T_VARIABLE);
    bool is_ok = type >= 0 && put_attribute(file, "recipe", type, type, &text) &&
                 put_attribute(file, "seed", H5T_STD_I64LE, H5T_NATIVE_INT64, &recipe->seed) &&
                 put_names(file, "/classes", s->n_classes, recipe->classes) && put_names(file, "/ids", s->n_recordings, ids) &&
                 put_numbers(file, "/offsets", H5T_STD_I64LE, H5T_NATIVE_INT64, s->n_recordings + 1, 0, s->offsets) &&
                 put_numbers(file, "/labels", label_type, H5T_NATIVE_INT32, s->n_steps, 0, s->labels) &&
                 put_numbers(file, "/log_probs", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, s->n_steps, s->n_classes, s->log_probs);
    if (type >= 0)
        H5Tclose(type);
    return is_ok;
}

static sp_status save(const sp_simulated *simulated, const sp_recipe *recipe, const char *text, const char *file, bool force,
                      sp_error *err)
{
    char **ids = make_ids(simulated->n_recordings);
    if (!ids)
        return sp_fail(err, SP_ENOMEM, "%s: no memory for %lld ids", file, (long long)simulated->n_recordings);
    sp_output output;
    sp_status status = sp_output_begin(&output, file, force, NULL, err);
    if (status == SP_OK) {
        char reason[SP_H5_REASON] = "";
        hid_t h5 = H5Fcreate(output.temporary, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        bool is_ok = h5 >= 0 && put_all(h5, simulated, recipe, ids, text);
        if (!is_ok)
            sp_h5_reason(reason);
        if (h5 >= 0 && H5Fclose(h5) < 0 && is_ok) {
            is_ok = false;
            sp_h5_reason(reason);
        }
        if (is_ok)
            status = sp_output_commit(&output, err);
        else {
            status = sp_fail(err, SP_EFILE, "%s: cannot be written%s%s%s; is the disk full?", file, *reason ? " (" : "", reason,
                             *reason ? ")" : "");
            sp_output_abort(&output);
        }
    }
    for (int64_t i = 0; i < simulated->n_recordings; i++)
        free(ids[i]);
    free(ids);
    return status;
}

sp_status sp_simulated_save(const sp_simulated *simulated, const sp_recipe *recipe, const char *file, bool force, sp_error *err)
{
    char *text;
    sp_status status = sp_recipe_to_json(recipe, &text, err);
    if (status != SP_OK)
        return status;
    sp_h5_quiet quiet;
    sp_h5_quiet_begin(&quiet);
    status = save(simulated, recipe, text, file, force, err);
    sp_h5_quiet_end(&quiet);
    free(text);
    return status;
}
