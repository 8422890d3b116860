#include "io/hdf5/h5_data.h"

#include <stdarg.h>
#include <stdio.h>

#include "io/hdf5/h5_file.h"
#include "io/hdf5/h5_virtual.h"

/* ---- filters ---- */

typedef struct filter_name {
    H5Z_filter_t id;
    const char *name;
} filter_name;

/* Ids as the HDF Group registers them. */
static const filter_name filter_names[] = {
    {H5Z_FILTER_DEFLATE, "gzip"},
    {H5Z_FILTER_SHUFFLE, "shuffle"},
    {H5Z_FILTER_FLETCHER32, "fletcher32"},
    {H5Z_FILTER_SZIP, "szip"},
    {H5Z_FILTER_NBIT, "nbit"},
    {H5Z_FILTER_SCALEOFFSET, "scaleoffset"},
    {305, "lzo"},
    {307, "bzip2"},
    {32000, "lzf"},
    {32001, "blosc"},
    {32004, "lz4"},
    {32008, "bitshuffle"},
    {32013, "zfp"},
    {32015, "zstd"},
    {32017, "sz"},
    {32019, "fcidecomp"},
    {32024, "sz3"},
    {32026, "blosc2"},
};

static const char *filter_find(H5Z_filter_t id, const char *stored)
{
    for (size_t i = 0; i < sizeof filter_names / sizeof *filter_names; i++)
        if (filter_names[i].id == id)
            return filter_names[i].name;
    return stored && stored[0] ? stored : "unknown";
}

static const char *filter_package(H5Z_filter_t id)
{
    switch (id) {
    case H5Z_FILTER_DEFLATE:
    case H5Z_FILTER_SZIP:
        return "install an HDF5 library built with it";
    case 32000:
        return "install hdf5-plugin-lzf";
    case 307:
    case 32004:
    case 32008:
        return "install hdf5-filter-plugin";
    case 32001:
        return "install hdf5-filter-plugin-blosc-serial";
    case 32013:
        return "install hdf5-filter-plugin-zfp-serial";
    default:
        return "install its plugin (pip install hdf5plugin brings it)";
    }
}

sp_status sp_h5_created(hid_t dataset, const char *file_name, const char *path, hid_t *out, sp_error *err)
{
    *out = H5Dget_create_plist(dataset);
    return *out >= 0 ? SP_OK : sp_h5_refused(file_name, path, err);
}

sp_status sp_h5_filters_check(hid_t dataset, const char *file_name, const char *path, sp_error *err)
{
    hid_t list;
    sp_status status = sp_h5_created(dataset, file_name, path, &list, err);
    if (status != SP_OK)
        return status;
    int n = H5Pget_nfilters(list);
    for (int i = 0; status == SP_OK && i < n; i++) {
        unsigned flags = 0, config = 0;
        size_t n_values = 0;
        char stored[64] = "";
        H5Z_filter_t id =
            H5Pget_filter2(list, (unsigned)i, &flags, &n_values, NULL, sizeof stored, stored, NULL);
        bool can = H5Zfilter_avail(id) > 0 &&
                   (H5Zget_filter_info(id, &config) < 0 || (config & H5Z_FILTER_CONFIG_DECODE_ENABLED));
        if (!can)
            status = sp_fail(err, SP_EFILE,
                             "%s: dataset %s is compressed with the filter %s (%d), which is not installed "
                             "here; %s and set "
                             "HDF5_PLUGIN_PATH to its folder, or write the file again with gzip (h5repack -f "
                             "GZIP=4 where the "
                             "filter is installed)",
                             file_name, path, filter_find(id, stored), (int)id, filter_package(id));
    }
    H5Pclose(list);
    return status;
}

/* Adds to a text that is cut to `size`; returns how long it would be. */
static size_t append(char *text, size_t size, size_t used, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int n = used < size ? vsnprintf(text + used, size - used, format, arguments) : 0;
    va_end(arguments);
    return used + (n > 0 ? (size_t)n : 0);
}

sp_status sp_h5_data_storage(const sp_h5_data *data, const char *file_name, const char *path, char *text,
                             size_t size, sp_error *err)
{
    hid_t list;
    size_t used = 0;
    sp_status status = sp_h5_created(data->id, file_name, path, &list, err);
    if (status != SP_OK)
        return status;
    switch (H5Pget_layout(list)) {
    case H5D_CHUNKED: {
        hsize_t chunk[H5S_MAX_RANK] = {0};
        int rank = H5Pget_chunk(list, H5S_MAX_RANK, chunk);
        for (int i = 0; i < rank; i++)
            used = append(text, size, used, i ? " x %llu" : "chunks %llu", (unsigned long long)chunk[i]);
        int n = H5Pget_nfilters(list);
        for (int i = 0; i < n; i++) {
            unsigned flags, values[8] = {0};
            size_t n_values = 8;
            char stored[64] = "";
            H5Z_filter_t id =
                H5Pget_filter2(list, (unsigned)i, &flags, &n_values, values, sizeof stored, stored, NULL);
            used = append(text, size, used, ", %s", filter_find(id, stored));
            if (id == H5Z_FILTER_DEFLATE && n_values > 0)
                used = append(text, size, used, " %u", values[0]);
        }
        break;
    }
    case H5D_COMPACT:
        append(text, size, 0, "compact");
        break;
    case H5D_VIRTUAL:
        append(text, size, 0, "virtual");
        break;
    default:
        append(text, size, 0, "%s",
               H5Pget_external_count(list) > 0 ? "contiguous in other files" : "contiguous");
        break;
    }
    H5Pclose(list);
    return SP_OK;
}

/* ---- opening and reading ---- */

void sp_h5_data_close(sp_h5_data *data)
{
    sp_h5_direct_free(data->direct);
    data->direct = NULL;
    sp_h5_close(data->created);
    sp_h5_close(data->type);
    if (data->id > 0)
        H5Dclose(data->id);
    data->created = data->type = data->id = 0;
}

sp_h5_request sp_h5_data_request(const sp_h5_data *data)
{
    return (sp_h5_request){.dataset = data->id,
                           .type = data->type,
                           .created = data->created,
                           .size = data->element.size,
                           .rank = data->rank,
                           .dims = data->dims};
}

sp_status sp_h5_data_open(hid_t file, const char *file_name, const char *path, const char *mend,
                          sp_h5_data *out, sp_error *err)
{
    hid_t id = H5Dopen2(file, path, H5P_DEFAULT);
    if (id < 0)
        return sp_h5_explain(file, file_name, path, mend, err);
    sp_h5_data data;
    sp_status status = sp_h5_data_adopt(id, file_name, path, false, &data, err);
    if (status == SP_OK && (status = sp_h5_filters_check(id, file_name, path, err)) != SP_OK)
        sp_h5_data_close(&data);
    if (status == SP_OK)
        *out = data;
    return status;
}

/* HDF5 writes no chunk larger than a dataset of fixed size. In a damaged file there can be one, and reading it (HDF5 1.10) runs
 * past the end of the memory that the unpacked chunk has. */
static bool are_chunks_sound(hid_t created, int rank, const hsize_t *largest)
{
    hsize_t chunk[H5S_MAX_RANK] = {0};
    if (created == 0 || H5Pget_layout(created) != H5D_CHUNKED)
        return true;
    bool is_sound = H5Pget_chunk(created, H5S_MAX_RANK, chunk) == rank;
    for (int i = 0; i < rank; i++)
        is_sound &= largest[i] == H5S_UNLIMITED || chunk[i] <= largest[i];
    return is_sound;
}

/* Rank and shape. */
static sp_status find_shape(sp_h5_data *data, const char *file_name, const char *path, hsize_t *largest,
                            sp_error *err)
{
    const hid_t space = H5Dget_space(data->id);
    data->rank = H5Sget_simple_extent_dims(space, data->dims, largest);
    const bool is_null = H5Sget_simple_extent_type(space) == H5S_NULL;
    sp_h5_close(space);
    if (is_null)
        return sp_fail(err, SP_EDATA,
                       "%s: dataset %s is empty: it has neither shape nor values; write it again", file_name,
                       path);
    return data->rank < 0 ? sp_h5_refused(file_name, path, err) : SP_OK;
}

sp_status sp_h5_data_adopt(hid_t dataset, const char *file_name, const char *path, bool takes_texts,
                           sp_h5_data *out, sp_error *err)
{
    sp_h5_data data = {.id = dataset, .type = H5Dget_type(dataset)};
    hsize_t largest[H5S_MAX_RANK] = {0};
    char name[SP_ELEMENT_NAME];
    sp_status status = SP_OK;
    sp_element_of(data.type, &data.element);
    const bool is_none = data.element.kind == SP_ELEMENT_NONE;
    if (data.type < 0) {
        status = sp_h5_refused(file_name, path, err);
    } else if (is_none && takes_texts && H5Tget_class(data.type) == H5T_STRING) {
        /* type and shape are all that may be asked for: sp_h5_texts_table() */
    } else if (is_none) {
        status =
            sp_fail(err, SP_EDATA,
                    "%s: dataset %s holds %s, which cannot be read as numbers here; write it again as %s",
                    file_name, path, sp_element_name(data.type, name),
                    H5Tget_class(data.type) == H5T_FLOAT ? "float32 or float64" : "integers or floats");
    } else if (sp_h5_position(dataset) ==
               HADDR_UNDEF) { /* else its values are in the file, and no properties are needed */
        status = sp_h5_created(dataset, file_name, path, &data.created, err);
        if (status == SP_OK)
            status = sp_h5_storage_check(dataset, data.created, file_name, path, err);
    }
    if (status == SP_OK) /* of a virtual dataset the sources say how long it is */
        status = find_shape(&data, file_name, path, largest, err);
    if (status == SP_OK && !are_chunks_sound(data.created, data.rank, largest))
        status = sp_fail(
            err, SP_EDATA,
            "%s: dataset %s has chunks larger than itself; the file is damaged: copy or write it again",
            file_name, path);
    if (status != SP_OK) {
        sp_h5_data_close(&data);
        return status;
    }
    *out = data;
    return SP_OK;
}

sp_status sp_h5_data_tune(hid_t file, const char *file_name, const char *path, sp_h5_data *data,
                          sp_error *err)
{
    const sp_h5_request request = sp_h5_data_request(data);
    if (sp_h5_direct_new(&request, &data->direct) != SP_OK)
        return sp_no_memory(err);
    if (data->direct)
        return SP_OK;
    hid_t list;
    sp_status status = sp_h5_created(data->id, file_name, path, &list, err);
    if (status != SP_OK)
        return status;
    hsize_t chunk[H5S_MAX_RANK] = {0};
    uint64_t bytes = data->element.size, n_chunks = 1;
    bool is_chunked =
        H5Pget_layout(list) == H5D_CHUNKED && H5Pget_chunk(list, H5S_MAX_RANK, chunk) == data->rank;
    bool has_filters = H5Pget_nfilters(list) > 0;
    H5Pclose(list);
    if (!is_chunked)
        return SP_OK;
    for (int i = 0; i < data->rank; i++) {
        bytes *= chunk[i];
        if (i > 0)
            n_chunks *= (data->dims[i] + chunk[i] - 1) / chunk[i];
    }
    /* HDF5's own default is 1 MiB. A chunk that does not fit is inflated again for each block that touches it, which is worse
     * than any memory: only chunks without filters, which can be read in part, are left to the default when they are large. */
    const uint64_t usual = 1 << 20, large = 64 << 20;
    uint64_t need = bytes * n_chunks;
    if (need <= usual || (!has_filters && need > large) || need > UINT64_C(1) << 34)
        return SP_OK;
    hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
    size_t slots = (size_t)n_chunks * 10 + 101;
    H5Pset_chunk_cache(access, slots, (size_t)need, 1.0); /* 1: a chunk read in full goes first */
    /* Closed first: a dataset that is open keeps the cache it was opened with. */
    H5Dclose(data->id);
    data->id = H5Dopen2(file, path, access);
    H5Pclose(access);
    return data->id < 0 ? sp_h5_explain(file, file_name, path, "name another dataset", err) : SP_OK;
}

sp_status sp_h5_data_read(const sp_h5_data *data, const char *file_name, const char *path,
                          const hsize_t *start, const hsize_t *count, void *raw, sp_error *err)
{
    hsize_t n = 1;
    for (int i = 0; i < data->rank; i++)
        n *= count[i];
    if (n == 0)
        return SP_OK;
    sp_h5_direct *direct = data->direct;
    sp_status status = SP_OK;
    if (!direct) { /* what is not tuned is read once: HDF5 itself does not see that a chunk is too short */
        const sp_h5_request request = sp_h5_data_request(data);
        status = sp_h5_direct_new(&request, &direct);
    }
    if (status == SP_OK)
        status = direct ? sp_h5_direct_read(direct, start, count, raw) : SP_EFILE;
    if (!data->direct)
        sp_h5_direct_free(direct);
    if (status == SP_ENOMEM)
        return sp_no_memory(err);
    if (status == SP_EDATA)
        return sp_fail(err, SP_EFILE, SP_H5_SHORT_CHUNK, file_name, path);
    if (status == SP_OK)
        return SP_OK;
    /* Of the same shape as the selection: HDF5 walks value by value through a chunk when the two differ. */
    hid_t space = H5Dget_space(data->id), memory = H5Screate_simple(data->rank, count, NULL);
    sp_h5_vfile *file = sp_h5_vfile_of(data->id);
    if (file)
        sp_h5_vfile_forget(file);
    herr_t done = -1;
    char reason[SP_H5_REASON] = "not enough memory";
    if (space >= 0 && memory >= 0 &&
        (data->rank == 0 || H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0)) {
        done = H5Dread(data->id, data->type, memory, space, H5P_DEFAULT, raw);
        if (done < 0)
            sp_h5_reason(reason);
    }
    sp_h5_close(memory);
    sp_h5_close(space);
    /* A source of a virtual dataset that HDF5 cannot open is zeros to it. They were all there when the dataset was opened. */
    if (done >= 0 && file && sp_h5_vfile_refusal(file) == SP_H5_TOO_MANY_FILES)
        return sp_fail(err, SP_EFILE, "%s: dataset %s: the file of one of its sources %s", file_name, path,
                       sp_h5_refusal_text(SP_H5_TOO_MANY_FILES));
    if (done < 0 && sp_h5_filters_check(data->id, file_name, path, err) != SP_OK)
        return SP_EFILE;
    if (done < 0)
        return sp_fail(err, SP_EFILE,
                       "%s: dataset %s cannot be read (%s); the file is damaged: copy or write it again",
                       file_name, path, reason);
    return SP_OK;
}
