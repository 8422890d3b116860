#include <errno.h>
#include <hdf5.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/subjects.h"
#include "core/try.h"
#include "io/arrays/array_find.h"
#include "io/hdf5/h5_file.h"
#include "io/hdf5/h5_heap.h"
#include "io/hdf5/h5_paths_writer.h"
#include "io/hdf5/h5_put.h"
#include "io/holes.h"
#include "io/output_file.h"
#include "io/write_behind.h"
#include "statepath/files.h"

/* One dataset whose numbers are written after HDF5 has closed the file. */
typedef struct slot {
    char *path;
    sp_paths_type type;
    int64_t n_rows, length, n_columns; /* shape [n_rows, length, n_columns]; 0: no such axis */
    int64_t position;                  /* of the first value in the file */
    int64_t written;                   /* values so far, without those of holes */
    bool is_steps;                     /* its length are steps */
} slot;

/* Places in a strategy's run of slots, where it has all of them. */
enum { SLOT_PATHS, SLOT_SCORES, SLOT_STATUS, SLOTS_ALWAYS, SLOTS_MOST = SLOTS_ALWAYS + 3 };

struct sp_h5_paths {
    sp_output output;
    sp_write_behind *behind; /* the numbers on their way */
    slot *slots;
    int32_t n_slots, per_strategy, labels, segments,
        extras;                 /* the last three: index of the (first) slot, or -1 */
    int32_t confidence, broken; /* places in a strategy's run, or -1; broken_steps comes after broken */
    sp_paths_type path_type;
    void *scratch; /* WRITE_VALUES values of 8 bytes */
    /* Where steps have holes between them: the n_kept steps and their places; borrowed. */
    const sp_holes *holes;
    int64_t n_kept;
    unsigned char *spread; /* values with those of the holes; only grows */
    size_t spread_size;
};

enum { WRITE_VALUES = 1 << 15 };

static size_t type_size(sp_paths_type type)
{
    static const size_t sizes[] = {1, 2, 4, 8, 4, 8, 1};
    return sizes[type];
}

static hid_t type_h5(sp_paths_type type)
{
    const hid_t types[] = {H5T_NATIVE_UINT8, H5T_NATIVE_INT16,  H5T_NATIVE_INT32, H5T_NATIVE_INT64,
                           H5T_NATIVE_FLOAT, H5T_NATIVE_DOUBLE, H5I_INVALID_HID};
    return types[type];
}

static int64_t at_least_one(int64_t n)
{
    return n > 0 ? n : 1;
}

/* Values that have to be written: those of holes come by themselves. */
static int64_t slot_values(const sp_h5_paths *writer, const slot *s)
{
    const int64_t length = writer->holes && s->is_steps ? writer->n_kept : s->length;
    return at_least_one(s->n_rows) * length * at_least_one(s->n_columns);
}

static void writer_free(sp_h5_paths *writer)
{
    for (int32_t i = 0; i < writer->n_slots; i++)
        free(writer->slots[i].path);
    free(writer->slots);
    free(writer->scratch);
    free(writer->spread);
    free(writer);
}

void sp_h5_paths_abort(sp_h5_paths *writer)
{
    if (!writer)
        return;
    sp_write_behind_free(writer->behind); /* before its file goes */
    writer->behind = NULL;
    sp_output_abort(&writer->output);
    writer_free(writer);
}

/* ---- the plan: which datasets, how large ---- */

static bool slot_add(sp_h5_paths *writer, const char *group, const char *name, sp_paths_type type,
                     int64_t length)
{
    char *path = name ? sp_array_join(group, name) : sp_stored_path(group);
    if (!path)
        return false;
    writer->slots[writer->n_slots++] = (slot){.path = path, .type = type, .length = length};
    return true;
}

/* The same, of a value for each step. */
static bool slot_add_steps(sp_h5_paths *writer, const char *group, const char *name, sp_paths_type type)
{
    const bool done =
        slot_add(writer, group, name, type, writer->holes ? writer->holes->n_steps : writer->n_kept);
    if (done)
        writer->slots[writer->n_slots - 1].is_steps = true;
    return done;
}

static bool plan_strategy(sp_h5_paths *writer, const sp_paths_header *header, const char *name)
{
    const int64_t n = header->n_recordings;
    return slot_add_steps(writer, "/paths", name, writer->path_type) &&
           slot_add(writer, "/path_scores", name, SP_PATHS_F64, n) &&
           slot_add(writer, "/status", name, SP_PATHS_U8, n) &&
           (writer->confidence < 0 || slot_add_steps(writer, "/confidence", name, SP_PATHS_F32)) &&
           (writer->broken < 0 || (slot_add(writer, "/broken", name, SP_PATHS_I64, n) &&
                                   slot_add_steps(writer, "/broken_steps", name, SP_PATHS_U8)));
}

static sp_status plan(sp_h5_paths *writer, const sp_paths_header *header, sp_error *err)
{
    const int32_t most = header->n_strategies * SLOTS_MOST + 2 + header->n_extras;
    writer->slots = calloc((size_t)most, sizeof *writer->slots);
    writer->scratch = malloc(WRITE_VALUES * sizeof(int64_t));
    writer->behind = sp_write_behind_new(&writer->output);
    writer->path_type = header->n_classes > INT16_MAX ? SP_PATHS_I32 : SP_PATHS_I16;
    writer->per_strategy = SLOTS_ALWAYS;
    writer->confidence = header->with_confidence ? writer->per_strategy++ : -1;
    writer->broken = header->with_broken ? writer->per_strategy : -1;
    writer->per_strategy += header->with_broken ? 2 : 0;
    writer->labels = writer->segments = -1;
    writer->holes = header->holes;
    writer->n_kept = header->n_steps;
    bool has_memory = writer->slots && writer->scratch && writer->behind;
    for (int32_t i = 0; has_memory && i < header->n_strategies; i++)
        has_memory = plan_strategy(writer, header, header->strategies[i]);
    if (has_memory && header->with_labels) {
        writer->labels = writer->n_slots;
        has_memory = slot_add_steps(writer, "/labels", NULL, writer->path_type);
    }
    if (has_memory && header->with_segments) {
        writer->segments = writer->n_slots;
        has_memory = slot_add_steps(writer, "/segments", NULL, SP_PATHS_I64);
    }
    writer->extras = writer->n_slots;
    for (int32_t i = 0; has_memory && i < header->n_extras; i++) {
        const sp_paths_extra *extra = &header->extras[i];
        has_memory = extra->is_per_step
                         ? slot_add_steps(writer, extra->path, NULL, extra->type)
                         : slot_add(writer, extra->path, NULL, extra->type, header->n_recordings);
        if (has_memory) {
            writer->slots[writer->n_slots - 1].n_rows = extra->n_rows;
            writer->slots[writer->n_slots - 1].n_columns = extra->n_columns;
        }
    }
    return has_memory ? SP_OK : sp_no_memory(err);
}

/* Bytes the file will have, rather too many. */
static int64_t plan_size(const sp_h5_paths *writer, const sp_paths_header *header)
{
    int64_t bytes =
        65536 + 8 * (header->n_recordings + 1) + (header->holes ? 4096 + header->holes->n_steps : 0);
    for (int32_t i = 0; i < writer->n_slots; i++) {
        const slot *s = &writer->slots[i];
        bytes += 4096 + at_least_one(s->n_rows) * s->length * at_least_one(s->n_columns) *
                            (int64_t)type_size(s->type);
    }
    for (int64_t n = 0; header->ids && n < header->n_recordings; n++)
        bytes += 48 + (int64_t)strlen(header->ids[n]);
    for (int32_t k = 0; header->classes && k < header->n_classes; k++)
        bytes += 48 + (int64_t)strlen(header->classes[k]);
    bytes += header->command ? 2 * (int64_t)strlen(header->command) : 0;
    bytes += header->model_json ? 2 * (int64_t)strlen(header->model_json) : 0;
    return bytes;
}

/* ---- the skeleton: everything but the numbers ---- */

/* n < 0: a single text. */
static bool attribute_texts(hid_t object, const char *name, const char *const *texts, int64_t n)
{
    const hsize_t size = n < 0 ? 0 : (hsize_t)n;
    hid_t type = sp_h5_string_type(H5T_VARIABLE),
          space = n < 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &size, NULL);
    hid_t id = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool done = id >= 0 && (n == 0 || H5Awrite(id, type, texts) >= 0);
    if (id >= 0)
        done &= H5Aclose(id) >= 0;
    H5Sclose(space);
    H5Tclose(type);
    return done;
}

static bool attribute_text(hid_t object, const char *name, const char *text)
{
    return !text || attribute_texts(object, name, &text, -1);
}

/* Contiguous and in place from the start; no times, so that the same answers give the same bytes. */
static hid_t creation_list(hid_t type)
{
    hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    const htri_t are_texts = H5Tis_variable_str(type); /* they must be filled, HDF5 says */
    const bool done = list >= 0 && are_texts >= 0 && H5Pset_layout(list, H5D_CONTIGUOUS) >= 0 &&
                      H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY) >= 0 &&
                      (are_texts > 0 || H5Pset_fill_time(list, H5D_FILL_TIME_NEVER) >= 0) &&
                      H5Pset_obj_track_times(list, 0) >= 0;
    if (done || list < 0)
        return list;
    H5Pclose(list);
    return H5I_INVALID_HID;
}

static hid_t dataset_new(hid_t file, const char *path, hid_t type, int rank, const hsize_t *dims)
{
    hid_t space = H5Screate_simple(rank, dims, NULL), created = creation_list(type),
          links = H5Pcreate(H5P_LINK_CREATE);
    const bool done =
        space >= 0 && created >= 0 && links >= 0 && H5Pset_create_intermediate_group(links, 1) >= 0;
    hid_t id = done ? H5Dcreate2(file, path, type, space, links, created, H5P_DEFAULT) : H5I_INVALID_HID;
    sp_h5_close(links);
    sp_h5_close(created);
    sp_h5_close(space);
    return id;
}

static bool dataset_texts(hid_t file, const char *path, const char *const *texts, int64_t n)
{
    if (!texts)
        return true;
    const hsize_t size = (hsize_t)n;
    hid_t type = sp_h5_string_type(H5T_VARIABLE), id = dataset_new(file, path, type, 1, &size);
    const hid_t transfer = sp_h5_texts_transfer(n);
    bool done = id >= 0 && (n == 0 || H5Dwrite(id, type, H5S_ALL, H5S_ALL, transfer, texts) >= 0);
    if (transfer != H5P_DEFAULT)
        H5Pclose(transfer);
    if (id >= 0)
        done &= H5Dclose(id) >= 0;
    H5Tclose(type);
    return done;
}

static bool dataset_offsets(hid_t file, const int64_t *offsets, int64_t n)
{
    const hsize_t size = (hsize_t)n + 1;
    hid_t id = dataset_new(file, "/offsets", H5T_NATIVE_INT64, 1, &size);
    bool done = id >= 0 && H5Dwrite(id, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, offsets) >= 0;
    if (id >= 0)
        done &= H5Dclose(id) >= 0;
    return done;
}

static bool slot_create(hid_t file, slot *s, bool is_status)
{
    static const char *const names[] = {"ok", "no_path", "dead_end", "bug", "unread"};
    hsize_t dims[3];
    int rank = 0;
    if (s->n_rows)
        dims[rank++] = (hsize_t)s->n_rows;
    dims[rank++] = (hsize_t)s->length;
    if (s->n_columns)
        dims[rank++] = (hsize_t)s->n_columns;
    const bool is_bool = s->type == SP_PATHS_BOOL;
    const hid_t type = is_bool ? sp_h5_bool_type() : type_h5(s->type);
    hid_t id = type >= 0 ? dataset_new(file, s->path, type, rank, dims) : H5I_INVALID_HID;
    if (is_bool && type >= 0)
        H5Tclose(type);
    if (id < 0)
        return false;
    haddr_t position = H5Dget_offset(id);
    bool done =
        (position != HADDR_UNDEF || s->length == 0) && (!is_status || attribute_texts(id, "names", names, 5));
    s->position = position == HADDR_UNDEF ? 0 : (int64_t)position;
    return (H5Dclose(id) >= 0) & done;
}

/* One name a recording, as sp_source_subjects() reads it. */
static bool dataset_subjects(hid_t file, const sp_subjects *subjects, int64_t n)
{
    if (!subjects)
        return true;
    const char **names = malloc(((size_t)n + 1) * sizeof *names);
    for (int64_t i = 0; names && i < n; i++)
        names[i] = subjects->names[subjects->of_recording[i]];
    bool done = names && dataset_texts(file, "/subjects", names, n);
    if (!names)
        errno = ENOMEM; /* sp_h5_put_failed() tells it from a full disk by this */
    free(names);
    return done;
}

/* Which steps take part, and what became of the others. */
static bool dataset_holes(hid_t file, const sp_paths_header *header)
{
    if (!header->holes)
        return true;
    uint8_t *flags = sp_holes_flags(header->holes, header->n_steps);
    const hsize_t size = (hsize_t)header->holes->n_steps;
    const hid_t id = flags ? dataset_new(file, "/valid", H5T_NATIVE_UINT8, 1, &size) : H5I_INVALID_HID;
    bool done = id >= 0 && H5Dwrite(id, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, flags) >= 0;
    if (id >= 0)
        done &= H5Dclose(id) >= 0;
    if (!flags)
        errno = ENOMEM;
    free(flags);
    return done && attribute_text(file, "gaps", header->gaps ? header->gaps : "join");
}

static bool skeleton_fill(hid_t file, sp_h5_paths *writer, const sp_paths_header *header)
{
    bool done =
        dataset_offsets(file, header->holes ? header->holes->offsets : header->offsets,
                        header->n_recordings) &&
        dataset_holes(file, header) && dataset_texts(file, "/ids", header->ids, header->n_recordings) &&
        dataset_subjects(file, header->subjects, header->n_recordings) &&
        dataset_texts(file, "/classes", header->classes, header->n_classes) &&
        attribute_text(file, "statepath_version", sp_version()) &&
        attribute_text(file, "command", header->command) &&
        attribute_text(file, "model", header->model_json) && attribute_text(file, "input", header->input) &&
        sp_h5_put_attribute(file, "input_size", H5T_NATIVE_INT64, H5T_NATIVE_INT64, &header->input_size) &&
        (!(header->epoch_seconds > 0) || sp_h5_put_attribute(file, "epoch_seconds", H5T_NATIVE_DOUBLE,
                                                             H5T_NATIVE_DOUBLE, &header->epoch_seconds)) &&
        (header->n_strategies == 0 ||
         attribute_texts(file, "strategies", header->strategies, header->n_strategies));
    for (int32_t i = 0; done && i < writer->n_slots; i++) {
        bool is_status =
            i < header->n_strategies * writer->per_strategy && i % writer->per_strategy == SLOT_STATUS;
        done = slot_create(file, &writer->slots[i], is_status);
    }
    return done;
}

static sp_status skeleton_write(sp_h5_paths *writer, const sp_paths_header *header, sp_error *err)
{
    sp_h5_failure failure;
    sp_h5_failure_watch(&failure);
    hid_t file = sp_h5_create(&writer->output);
    sp_status status = file >= 0 && skeleton_fill(file, writer, header)
                           ? SP_OK
                           : sp_h5_put_failed(&writer->output, &failure, err);
    if (file >= 0 && H5Fclose(file) < 0 && status == SP_OK)
        status = sp_h5_put_failed(&writer->output, &failure, err);
    sp_h5_failure_end();
    return status;
}

sp_status sp_h5_paths_open(const char *file, const sp_paths_header *header, sp_h5_paths **out, sp_error *err)
{
    sp_h5_paths *writer = calloc(1, sizeof *writer);
    if (!writer)
        return sp_no_memory(err);
    writer->output.fd = -1;
    sp_status status = plan(writer, header, err);
    if (status == SP_OK)
        status = sp_output_begin(&writer->output, file, header->force, header->input, err);
    writer->output.together = header->together;
    if (status == SP_OK)
        status = sp_output_room(&writer->output, plan_size(writer, header), err);
    if (status == SP_OK) {
        sp_h5_quiet quiet;
        sp_h5_quiet_begin(&quiet);
        status = sp_h5_quiet_end(&quiet, skeleton_write(writer, header, err), err);
    }
    if (status != SP_OK) {
        sp_h5_paths_abort(writer);
        return status;
    }
    *out = writer;
    return SP_OK;
}

/* ---- the numbers ---- */

/* What stands in a hole: -1, NaN, 0 of bytes. */
static void fill_holes(sp_paths_type type, unsigned char *to, size_t size)
{
    const float none = NAN;
    const double nothing = NAN;
    if (type != SP_PATHS_F32 && type != SP_PATHS_F64)
        memset(to, type == SP_PATHS_U8 || type == SP_PATHS_BOOL ? 0 : 0xff, size);
    for (size_t i = 0; type == SP_PATHS_F32 && i < size; i += sizeof none)
        memcpy(to + i, &none, sizeof none);
    for (size_t i = 0; type == SP_PATHS_F64 && i < size; i += sizeof nothing)
        memcpy(to + i, &nothing, sizeof nothing);
}

/* Spreads steps first .. first+count-1 over their places, with the holes before them, and after the last step of all. *first and
 * *count become those of all. NULL: no memory. */
static const void *spread_steps(sp_h5_paths *writer, const slot *s, int64_t *first, int64_t *count,
                                const void *values, size_t size)
{
    const int64_t *step_at = writer->holes->step_at, from = *first, n = *count;
    const int64_t begin = from > 0 ? step_at[from - 1] + 1 : 0;
    const int64_t end = from + n == writer->n_kept ? writer->holes->n_steps : step_at[from + n - 1] + 1;
    const size_t bytes = (size_t)(end - begin) * size;
    if (bytes > writer->spread_size) {
        unsigned char *more = realloc(writer->spread, bytes);
        if (!more)
            return NULL;
        writer->spread = more;
        writer->spread_size = bytes;
    }
    fill_holes(s->type, writer->spread, bytes);
    for (int64_t i = 0; i < n; i++)
        memcpy(writer->spread + (size_t)(step_at[from + i] - begin) * size,
               (const char *)values + (size_t)i * size, size);
    *first = begin;
    *count = end - begin;
    return writer->spread;
}

static sp_status slot_write(sp_h5_paths *writer, slot *s, int64_t row, int64_t first, int64_t count,
                            const void *values, sp_error *err)
{
    const int64_t n_columns = at_least_one(s->n_columns), size = n_columns * (int64_t)type_size(s->type);
    const bool has_holes = writer->holes && s->is_steps;
    const int64_t length = has_holes ? writer->n_kept : s->length;
    if (first < 0 || count < 0 || first > length - count || row < 0 || row >= at_least_one(s->n_rows))
        return sp_fail(err, SP_EINVAL, "%s: %s: values %lld to %lld of row %lld do not fit its shape",
                       writer->output.file, s->path, (long long)first, (long long)(first + count - 1),
                       (long long)row);
    const int64_t written = count * n_columns;
    if (has_holes && count > 0 && !(values = spread_steps(writer, s, &first, &count, values, (size_t)size)))
        return sp_no_memory(err);
    sp_status status = sp_write_behind_put(writer->behind, values, (size_t)(count * size),
                                           s->position + (row * s->length + first) * size, err);
    if (status == SP_OK)
        s->written += written;
    return status;
}

/* Classes in the type of the file, a piece at a time. */
static sp_status classes_write(sp_h5_paths *writer, slot *s, int64_t first, int64_t count,
                               const int32_t *classes, sp_error *err)
{
    if (s->type == SP_PATHS_I32)
        return slot_write(writer, s, 0, first, count, classes, err);
    int16_t *narrow = writer->scratch;
    sp_status status = SP_OK;
    for (int64_t at = 0; status == SP_OK && at < count; at += WRITE_VALUES) {
        int64_t n = count - at < WRITE_VALUES ? count - at : WRITE_VALUES;
        for (int64_t i = 0; i < n; i++)
            narrow[i] = (int16_t)classes[at + i];
        status = slot_write(writer, s, 0, first + at, n, narrow, err);
    }
    return status;
}

static uint8_t status_code(sp_status status)
{
    return status == SP_ENOPATH    ? 1
           : status == SP_EDEADEND ? 2
           : status == SP_EBUG     ? 3
           : status == SP_EUNREAD  ? 4
                                   : 0;
}

/* Scores, statuses and counts of recordings, a piece at a time. */
static sp_status results_write(sp_h5_paths *writer, slot *slots, int64_t first, int64_t count,
                               const sp_decoded *results, sp_error *err)
{
    sp_status status = SP_OK;
    for (int64_t at = 0; at < count; at += WRITE_VALUES) {
        int64_t n = count - at < WRITE_VALUES ? count - at : WRITE_VALUES;
        double *scores = writer->scratch;
        for (int64_t i = 0; i < n; i++)
            scores[i] = results[at + i].score;
        TRY(slot_write(writer, &slots[SLOT_SCORES], 0, first + at, n, scores, err));
        uint8_t *codes = writer->scratch;
        for (int64_t i = 0; i < n; i++)
            codes[i] = status_code(results[at + i].status);
        TRY(slot_write(writer, &slots[SLOT_STATUS], 0, first + at, n, codes, err));
        int64_t *broken = writer->scratch;
        for (int64_t i = 0; writer->broken >= 0 && i < n; i++)
            broken[i] = results[at + i].n_broken;
        if (writer->broken >= 0)
            TRY(slot_write(writer, &slots[writer->broken], 0, first + at, n, broken, err));
    }
done:
    return status;
}

static sp_status zeros_write(sp_h5_paths *writer, slot *s, int64_t first, int64_t count, sp_error *err)
{
    memset(writer->scratch, 0, WRITE_VALUES);
    sp_status status = SP_OK;
    for (int64_t at = 0; status == SP_OK && at < count; at += WRITE_VALUES)
        status = slot_write(writer, s, 0, first + at, count - at < WRITE_VALUES ? count - at : WRITE_VALUES,
                            writer->scratch, err);
    return status;
}

sp_status sp_h5_paths_add(sp_h5_paths *writer, int32_t strategy, int64_t first, int64_t n_recordings,
                          int64_t first_step, int64_t n_steps, const sp_decode_output *output, sp_error *err)
{
    slot *slots = writer->slots + (size_t)strategy * (size_t)writer->per_strategy;
    sp_status status = SP_OK;
    TRY(classes_write(writer, &slots[SLOT_PATHS], first_step, n_steps, output->paths, err));
    TRY(results_write(writer, slots, first, n_recordings, output->results, err));
    if (writer->confidence >= 0)
        TRY(slot_write(writer, &slots[writer->confidence], 0, first_step, n_steps, output->confidence, err));
    if (writer->broken >= 0)
        TRY(output->broken
                ? slot_write(writer, &slots[writer->broken + 1], 0, first_step, n_steps, output->broken, err)
                : zeros_write(writer, &slots[writer->broken + 1], first_step, n_steps, err));
done:
    return status;
}

sp_status sp_h5_paths_add_steps(sp_h5_paths *writer, int32_t strategy, int64_t first_step, int64_t n_steps,
                                const int32_t *path, sp_error *err)
{
    slot *slots = writer->slots + (size_t)strategy * (size_t)writer->per_strategy;
    const int64_t written = slots[SLOT_PATHS].written;
    const sp_status status = classes_write(writer, &slots[SLOT_PATHS], first_step, n_steps, path, err);
    slots[SLOT_PATHS].written = written; /* counted when the recording ends */
    return status;
}

sp_status sp_h5_paths_end_steps(sp_h5_paths *writer, int32_t strategy, int64_t recording, int64_t n_steps,
                                const sp_decoded *result, sp_error *err)
{
    slot *slots = writer->slots + (size_t)strategy * (size_t)writer->per_strategy;
    slots[SLOT_PATHS].written += n_steps;
    return results_write(writer, slots, recording, 1, result, err);
}

sp_status sp_h5_paths_add_labels(sp_h5_paths *writer, int64_t first_step, int64_t n_steps,
                                 const int32_t *labels, const int64_t *segments, sp_error *err)
{
    sp_status status = SP_OK;
    if (writer->labels >= 0 && labels)
        TRY(classes_write(writer, &writer->slots[writer->labels], first_step, n_steps, labels, err));
    if (writer->segments >= 0 && segments)
        TRY(slot_write(writer, &writer->slots[writer->segments], 0, first_step, n_steps, segments, err));
done:
    return status;
}

sp_status sp_h5_paths_put(sp_h5_paths *writer, int32_t extra, int64_t row, int64_t first, int64_t count,
                          const void *values, sp_error *err)
{
    return slot_write(writer, &writer->slots[writer->extras + extra], row, first, count, values, err);
}

sp_status sp_h5_paths_commit(sp_h5_paths *writer, sp_error *err)
{
    sp_status status = SP_OK;
    for (int32_t i = 0; i < writer->n_slots; i++) {
        const slot *s = &writer->slots[i];
        int64_t all = slot_values(writer, s);
        if (s->written != all)
            TRY(sp_fail(err, SP_EINVAL,
                        "%s: %s is not complete, %lld of %lld values were written; the file is given up",
                        writer->output.file, s->path, (long long)s->written, (long long)all));
    }
    TRY(sp_write_behind_finish(writer->behind, err));
    TRY(sp_output_commit(&writer->output, err));
done:
    sp_h5_paths_abort(writer);
    return status;
}
