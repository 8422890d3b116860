#include "io/hdf5/h5_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "io/hdf5/h5_data.h"
#include "io/hdf5/h5_file.h"
#include "io/hdf5/h5_heap.h"
#include "io/hdf5/h5_virtual.h"

/* Length of one fixed string of `size` bytes. */
static size_t fixed_length(const char *text, size_t size, H5T_str_t padding)
{
    const char *end = memchr(text, '\0', size);
    size_t n = end ? (size_t)(end - text) : size;
    if (padding == H5T_STR_SPACEPAD)
        while (n > 0 && text[n - 1] == ' ')
            n--;
    return n;
}

/* ---- reading ---- */

typedef struct holder {
    hid_t id; /* dataset or attribute */
    bool is_dataset;
    int most_rank; /* a single text without a dimension will do */
    hid_t type, space;
    const char *file_name, *what; /* for messages: "dataset /ids" */
} holder;

static herr_t holder_read(const holder *from, int64_t n, void *raw)
{
    if (!from->is_dataset)
        return H5Aread(from->id, from->type, raw);
    hid_t transfer = sp_h5_texts_transfer(n);
    herr_t done = H5Dread(from->id, from->type, H5S_ALL, H5S_ALL, transfer, raw);
    if (transfer != H5P_DEFAULT)
        H5Pclose(transfer);
    return done;
}

static sp_status texts_damaged(const holder *from, sp_error *err)
{
    return sp_fail(err, SP_EFILE, "%s: %s cannot be read; the file is damaged: copy or write it again",
                   from->file_name, from->what);
}

/* Are references of texts kept where HDF5 gives them as they are? Compact datasets may have a fill value, and asking how a
 * dataset was made makes HDF5 follow the reference of that; virtual ones have references into other files. *is_empty: never
 * written. */
static bool has_references(const holder *from, bool *is_empty)
{
    hsize_t n_chunks = 0;
    H5D_space_status_t space = H5D_SPACE_STATUS_ERROR;
    H5O_info_t info;
    const uint64_t external = UINT64_C(1) << 7; /* header message "external data files" */
    *is_empty = false;
    if (!from->is_dataset || sp_h5_position(from->id) != HADDR_UNDEF)
        return true;
    if (H5Oget_info2(from->id, &info, H5O_INFO_HDR) < 0 || (info.hdr.mesg.present & external))
        return false;
    if (H5Dget_num_chunks(from->id, from->space, &n_chunks) >= 0)
        return true;
    *is_empty = H5Dget_space_status(from->id, &space) >= 0 && space == H5D_SPACE_STATUS_NOT_ALLOCATED;
    return *is_empty;
}

/* The longest of all texts together: no file of ours has more than it has bytes; references to one text may be many. */
static bool is_too_much(const holder *from, uint64_t total)
{
    const sp_h5_vfile *file = sp_h5_vfile_of(from->id);
    return !file || total > sp_h5_vfile_size(file);
}

static sp_status references_follow(const holder *from, sp_h5_heap *heap, const unsigned char *references,
                                   int64_t n, sp_text_span *spans)
{
    uint64_t total = 0;
    for (int64_t i = 0; i < n; i++) {
        sp_status status = sp_h5_heap_text(heap, references + (size_t)i * sp_h5_heap_reference(heap),
                                           &spans[i].text, &spans[i].length);
        if (status != SP_OK)
            return status;
        total += spans[i].length;
    }
    return is_too_much(from, total) ? SP_EDATA : SP_OK;
}

static sp_status read_variable(const holder *from, int64_t n, sp_texts *out, sp_error *err)
{
    sp_h5_heap *heap = NULL;
    bool is_empty;
    if (!has_references(from, &is_empty))
        return sp_fail(err, SP_EDATA,
                       "%s: %s has texts of variable length in a compact, virtual or external dataset, which "
                       "are not read; write it "
                       "again as h5py does",
                       from->file_name, from->what);
    sp_status status = sp_h5_heap_new(from->id, &heap);
    if (status != SP_OK)
        return status == SP_ENOMEM ? sp_no_memory(err) : texts_damaged(from, err);
    unsigned char *references = calloc((size_t)n + 1, sp_h5_heap_reference(heap));
    sp_text_span *spans = calloc((size_t)n + 1, sizeof *spans);
    if (!references || !spans)
        status = SP_ENOMEM;
    else if (n > 0 && !is_empty &&
             sp_h5_heap_references(heap, from->id, from->is_dataset, from->type, n, references) < 0) {
        char reason[SP_H5_REASON];
        sp_h5_reason(reason);
        status =
            sp_fail(err, SP_EFILE, "%s: %s cannot be read (%s); the file is damaged: copy or write it again",
                    from->file_name, from->what, reason);
    } else {
        status = references_follow(from, heap, references, n, spans);
        if (status == SP_OK && !(*out = sp_texts_pack(spans, n)))
            status = SP_ENOMEM;
        if (status == SP_EDATA)
            status = texts_damaged(from, err);
    }
    if (status == SP_ENOMEM)
        (void)sp_no_memory(err);
    free(references);
    free(spans);
    sp_h5_heap_free(heap);
    return status;
}

/* Names of an enum's members for n of its values; a value without a name is its number. NULL: no memory. */
static sp_texts enum_names(hid_t type, const int64_t *values, int64_t n)
{
    const int n_members = H5Tget_nmembers(type);
    char **names = calloc((size_t)n_members + 1, sizeof *names);
    int64_t *named = calloc((size_t)n_members + 1, sizeof *named);
    sp_text_span *spans = malloc(((size_t)n + 1) * sizeof *spans);
    sp_texts made = NULL, numbers = NULL; /* all as numbers, once one has no name */
    sp_element element;
    bool has_memory = names && named && spans;
    sp_element_of(type, &element);
    for (int m = 0; has_memory && m < n_members; m++) {
        unsigned char raw[sizeof(int64_t)] = {0};
        double bad;
        has_memory = (names[m] = H5Tget_member_name(type, (unsigned)m)) != NULL;
        if (element.size <= (int64_t)sizeof raw && H5Tget_member_value(type, (unsigned)m, raw) >= 0)
            (void)sp_element_convert(&element, raw, 1, SP_TO_I64, 0, &named[m], &bad);
    }
    for (int64_t i = 0, last = 0; has_memory && i < n; i++) {
        if (i > 0 && values[i] == values[last]) { /* runs are long, and enums short */
            spans[i] = spans[last];
            continue;
        }
        int m = 0;
        while (m < n_members && named[m] != values[i])
            m++;
        last = i;
        if (m == n_members && !numbers)
            has_memory = (numbers = sp_texts_of_numbers(values, n)) != NULL;
        const char *text = m < n_members ? names[m] : numbers ? numbers[i] : "";
        spans[i] = (sp_text_span){text, strlen(text)};
    }
    if (has_memory)
        made = sp_texts_pack(spans, n);
    for (int m = 0; names && m < n_members; m++)
        H5free_memory(names[m]);
    free(names);
    free(named);
    free(spans);
    free(numbers);
    return made;
}

/* Fixed strings, integers and enums. */
static sp_status read_fixed(const holder *from, int64_t n, const sp_element *element, sp_texts *out,
                            sp_error *err)
{
    size_t size = H5Tget_size(from->type);
    char *raw = calloc((size_t)n + 1, size);
    sp_text_span *spans = calloc((size_t)n + 1, sizeof *spans);
    int64_t *values = malloc(((size_t)n + 1) * sizeof *values);
    sp_texts made = NULL;
    bool is_read = false;
    if (raw && spans && values) {
        is_read = n == 0 || holder_read(from, n, raw) >= 0;
        if (is_read && element->kind != SP_ELEMENT_NONE) {
            double bad;
            (void)sp_element_convert(element, raw, n, SP_TO_I64, 0, values, &bad);
            made = sp_element_is_named(from->type) ? enum_names(from->type, values, n)
                                                   : sp_texts_of_numbers(values, n);
        } else if (is_read) {
            H5T_str_t padding = H5Tget_strpad(from->type);
            for (int64_t i = 0; i < n; i++)
                spans[i] = (sp_text_span){raw + (size_t)i * size,
                                          fixed_length(raw + (size_t)i * size, size, padding)};
            made = sp_texts_pack(spans, n);
        }
    }
    bool has_memory = raw && spans && values && (!is_read || made);
    free(raw);
    free(spans);
    free(values);
    if (!has_memory)
        return sp_no_memory(err);
    if (!is_read)
        return texts_damaged(from, err);
    *out = made;
    return SP_OK;
}

static sp_status holder_texts(const holder *from, sp_texts *out, int64_t *n, bool *is_number, sp_error *err)
{
    hsize_t dims[H5S_MAX_RANK] = {0};
    char name[SP_ELEMENT_NAME], shape[SP_H5_SHAPE];
    int rank = H5Sget_simple_extent_dims(from->space, dims, NULL);
    bool is_null = H5Sget_simple_extent_type(from->space) == H5S_NULL;
    if (is_null || rank > from->most_rank || rank < 0)
        return sp_fail(err, SP_EDATA, "%s: %s has shape %s, but must be a list of texts (one dimension)",
                       from->file_name, from->what, sp_h5_shape(rank < 0 ? 0 : rank, dims, shape));
    int64_t count = 1;
    for (int i = 0; i < rank; i++) {
        if (dims[i] > (hsize_t)(INT64_MAX / (count ? count : 1)))
            return texts_damaged(from, err);
        count *= (int64_t)dims[i];
    }
    sp_element element;
    sp_element_of(from->type, &element);
    H5T_class_t class = H5Tget_class(from->type);
    if (class != H5T_STRING && (element.kind == SP_ELEMENT_NONE || element.kind == SP_ELEMENT_FLOAT))
        return sp_fail(err, SP_EDATA,
                       "%s: %s holds %s, but must hold texts; write them with .astype(str), numbers of "
                       "classes with .astype(int)",
                       from->file_name, from->what, sp_element_name(from->type, name));
    sp_status status = class == H5T_STRING && H5Tis_variable_str(from->type) > 0
                           ? read_variable(from, count, out, err)
                           : read_fixed(from, count, &element, out, err);
    if (status == SP_OK) {
        *n = count;
        *is_number = class != H5T_STRING && !sp_element_is_named(from->type);
    }
    return status;
}

static bool has_variable(hid_t type)
{
    return H5Tdetect_class(type, H5T_VLEN) > 0 ||
           (H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) > 0);
}

/* Storage and filters. */
static sp_status fixed_check(hid_t dataset, const char *file_name, const char *path, sp_error *err)
{
    hid_t created;
    sp_status status = sp_h5_created(dataset, file_name, path, &created, err);
    if (status != SP_OK)
        return status;
    status = sp_h5_storage_check(dataset, created, file_name, path, err);
    H5Pclose(created);
    return status == SP_OK ? sp_h5_filters_check(dataset, file_name, path, err) : status;
}

sp_status sp_h5_texts_table(hid_t file, const char *file_name, const char *path, sp_texts *out, int64_t *n,
                            sp_error *err)
{
    char what[512];
    bool is_number;
    const hid_t id = H5Dopen2(file, path, H5P_DEFAULT), type = id >= 0 ? H5Dget_type(id) : -1;
    holder from = {id, true, 2, type, -1, file_name, what};
    sp_status status = SP_OK;
    snprintf(what, sizeof what, "dataset %s", path);
    if (id < 0)
        TRY(sp_h5_explain(file, file_name, path, "write it again", err));
    if (type < 0)
        TRY(sp_fail(err, SP_EFILE, "%s: %s cannot be read", file_name, what));
    if (!has_variable(type)) /* of those HDF5 would follow the reference of a fill value: read_variable() */
        TRY(fixed_check(id, file_name, path, err));
    from.space = H5Dget_space(id);
    TRY(holder_texts(&from, out, n, &is_number, err));
done:
    sp_h5_close(from.space);
    sp_h5_close(type);
    if (id >= 0)
        H5Dclose(id);
    return status;
}

bool sp_h5_has_attribute(hid_t file, const char *path, const char *attribute)
{
    return H5Aexists_by_name(file, path, attribute, H5P_DEFAULT) > 0;
}

hid_t sp_h5_attribute_open(hid_t file, const char *path, const char *attribute, hid_t *object)
{
    hid_t id = -1;
    *object = H5Oopen(file, path, H5P_DEFAULT);
    if (*object >= 0 && (id = H5Aopen(*object, attribute, H5P_DEFAULT)) < 0)
        H5Oclose(*object);
    return id;
}

sp_status sp_h5_texts_attribute(hid_t file, const char *file_name, const char *path, const char *attribute,
                                sp_texts *out, int64_t *n, bool *is_number, sp_error *err)
{
    char what[512];
    snprintf(what, sizeof what, "attribute %s of %s", attribute, path);
    hid_t object, id = sp_h5_attribute_open(file, path, attribute, &object);
    if (id < 0)
        return sp_fail(err, SP_EFILE, "%s: %s cannot be opened", file_name, what);
    holder from = {id, false, 1, H5Aget_type(id), H5Aget_space(id), file_name, what};
    sp_status status = holder_texts(&from, out, n, is_number, err);
    H5Sclose(from.space);
    H5Tclose(from.type);
    H5Aclose(id);
    H5Oclose(object);
    return status;
}

/* ---- numbers ---- */

bool sp_h5_attribute_number(hid_t file, const char *path, const char *attribute, double *value)
{
    hid_t object, id = sp_h5_has_attribute(file, path, attribute)
                           ? sp_h5_attribute_open(file, path, attribute, &object)
                           : -1;
    *value = NAN;
    if (id < 0)
        return false;
    hid_t type = H5Aget_type(id), space = H5Aget_space(id);
    const H5T_class_t class = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;
    const bool is_one = (class == H5T_INTEGER || class == H5T_FLOAT) && space >= 0 &&
                        H5Sget_simple_extent_npoints(space) == 1;
    if (is_one && H5Aread(id, H5T_NATIVE_DOUBLE, value) < 0)
        *value = NAN;
    sp_h5_close(type);
    sp_h5_close(space);
    H5Aclose(id);
    H5Oclose(object);
    return true;
}
