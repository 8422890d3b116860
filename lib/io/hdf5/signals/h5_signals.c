#include "statepath/signals_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/block.h"
#include "core/try.h"
#include "io/arrays/array_class_names.h"
#include "io/arrays/array_find.h"
#include "io/hdf5/h5_file.h"
#include "io/hdf5/h5_store.h"
#include "io/hdf5/h5_text.h"

struct sp_signals {
    char *file_name, *path;
    sp_array_map map; /* of the file and base, the group that /labels and the like stand in; no more of it */
    sp_stored *array; /* the signals */
    sp_texts ids, classes;
    int64_t *offsets;
    int32_t *labels;
    uint8_t *split, *mask;
    double *weights;
    unsigned char *raw; /* raw values on their way; only grows */
    size_t raw_size;
    sp_signals_info info;
};

void sp_signals_close(sp_signals *s)
{
    if (!s)
        return;
    sp_h5_quiet quiet;
    sp_h5_quiet_begin(&quiet);
    sp_array_map_close(&s->map);
    (void)sp_h5_quiet_end(&quiet, SP_OK, NULL);
    free(s->file_name);
    free(s->path);
    free(s->ids);
    free(s->classes);
    free(s->offsets);
    free(s->labels);
    free(s->split);
    free(s->weights);
    free(s->mask);
    free(s->raw);
    free(s);
}

const sp_signals_info *sp_signals_info_of(const sp_signals *signals)
{
    return &signals->info;
}

/* ---- what stands beside the signals ---- */

/* The array <base>/<name>, looked at; *array NULL where there is none. */
static sp_status find_beside(sp_signals *s, const char *name, sp_stored **array, sp_error *err)
{
    bool failed = false;
    *array = sp_array_find_in(&s->map, s->map.base, name, &failed);
    return failed ? sp_no_memory(err) : *array ? sp_stored_look(&s->map.file, *array, err) : SP_OK;
}

/* Its integers; *values NULL where there is none. */
static sp_status read_beside(sp_signals *s, const char *name, int64_t **values, int64_t *n, sp_error *err)
{
    sp_stored *array = NULL;
    sp_status status = SP_OK;
    *values = NULL;
    TRY(find_beside(s, name, &array, err));
    if (array)
        TRY(sp_stored_integers(&s->map.file, array, values, err));
    *n = array ? array->count : 0;
done:
    return status;
}

/* Whole numbers from `low` to `high`, n of them. `for_what`: "one for each step". */
static sp_status check_integers(const sp_signals *s, const char *name, const int64_t *values, int64_t n,
                                int64_t want, const char *for_what, int64_t low, int64_t high, sp_error *err)
{
    if (n != want)
        return sp_fail(err, SP_EDATA,
                       "%s: dataset %s%s%s has %lld values, but must have %lld to go with %s; write %s",
                       s->file_name, s->map.base, strcmp(s->map.base, "/") ? "/" : "", name, (long long)n,
                       (long long)want, s->path, for_what);
    for (int64_t i = 0; i < n; i++)
        if (values[i] < low || values[i] > high)
            return sp_fail_at(err, SP_EDATA, i,
                              "%s: dataset %s%s%s, value %lld is %lld; it must be from %lld to %lld",
                              s->file_name, s->map.base, strcmp(s->map.base, "/") ? "/" : "", name,
                              (long long)i, (long long)values[i], (long long)low, (long long)high);
    return SP_OK;
}

static sp_status read_offsets(sp_signals *s, sp_error *err)
{
    int64_t n = 0;
    sp_status status = read_beside(s, "offsets", &s->offsets, &n, err);
    if (status != SP_OK)
        return status;
    if (!s->offsets) {
        n = 2;
        if (!(s->offsets = calloc(2, sizeof *s->offsets)))
            return sp_no_memory(err);
        s->offsets[1] = s->info.n_steps;
    }
    for (int64_t i = 1; i < n; i++)
        if (s->offsets[i] < s->offsets[i - 1])
            return sp_fail(
                err, SP_EDATA, "%s: the offsets fall from %lld to %lld at place %lld; they must ascend",
                s->file_name, (long long)s->offsets[i - 1], (long long)s->offsets[i], (long long)i);
    if (n < 1 || s->offsets[0] != 0 || s->offsets[n - 1] != s->info.n_steps)
        return sp_fail(err, SP_EDATA, "%s: the offsets must go from 0 to %lld, the rows of %s", s->file_name,
                       (long long)s->info.n_steps, s->path);
    s->info.n_recordings = n - 1;
    s->info.offsets = s->offsets;
    return SP_OK;
}

/* The file's own ids, or "0", "1", ... */
static sp_status read_ids(sp_signals *s, sp_error *err)
{
    const int64_t n = s->info.n_recordings;
    char where[SP_STORED_WHERE];
    sp_stored *array = NULL;
    sp_status status = SP_OK;
    TRY(find_beside(s, "ids", &array, err));
    if (array)
        TRY(sp_stored_texts(&s->map.file, array, &s->ids, err));
    if (array && array->count != n)
        TRY(sp_fail(err, SP_EDATA, "%s names %lld recordings, but the offsets make %lld",
                    sp_stored_where(&s->map.file, array, where), (long long)array->count, (long long)n));
    if (!s->ids && !(s->ids = sp_texts_of_numbers(NULL, n)))
        TRY(sp_no_memory(err));
    s->info.ids = (const char *const *)s->ids;
done:
    return status;
}

static sp_status read_classes(sp_signals *s, sp_error *err)
{
    const sp_stored nameless = {.name = NULL};
    char place[SP_ARRAY_PLACE];
    sp_source_info info = {.n_classes = 0};
    sp_status status = SP_OK;
    s->map.first = &nameless;
    TRY(sp_array_find_classes(&s->map, &s->classes, &info, place, err));
    s->info.classes = (const char *const *)s->classes;
    s->info.n_classes = info.n_classes;
done:
    s->map.first = NULL;
    return status;
}

static sp_status read_labels(sp_signals *s, sp_error *err)
{
    int64_t *values = NULL, n = 0, steps = s->info.n_steps;
    const int64_t last = s->info.n_classes > 0 ? s->info.n_classes - 1 : 32767;
    int32_t highest = -1;
    sp_status status = SP_OK;
    TRY(read_beside(s, "labels", &values, &n, err));
    if (!values)
        goto done;
    TRY(check_integers(s, "labels", values, n, steps, "one for each step, -1 where it has none", -1, last,
                       err));
    if (!(s->labels = malloc(((size_t)steps + 1) * sizeof *s->labels)))
        TRY(sp_no_memory(err));
    for (int64_t i = 0; i < steps; i++) {
        s->labels[i] = (int32_t)values[i];
        highest = s->labels[i] > highest ? s->labels[i] : highest;
    }
    if (s->info.n_classes == 0)
        s->info.n_classes = highest + 1;
    s->info.labels = s->labels;
done:
    free(values);
    return status;
}

static sp_status read_split(sp_signals *s, sp_error *err)
{
    int64_t *values = NULL, n = 0;
    sp_status status = SP_OK;
    TRY(read_beside(s, "split", &values, &n, err));
    if (!values)
        goto done;
    TRY(check_integers(s, "split", values, n, s->info.n_recordings,
                       "one for each recording, 0 = training, 1 = testing", 0, 1, err));
    if (!(s->split = malloc((size_t)n + 1)))
        TRY(sp_no_memory(err));
    for (int64_t i = 0; i < n; i++)
        s->split[i] = (uint8_t)values[i];
    s->info.split = s->split;
done:
    free(values);
    return status;
}

/* Reads <base>/<name>, a number for each step or, where n_columns is not 0, for each step and class, as `target`; *out NULL where
 * there is none. must_be: what a value has to be. */
static sp_status read_numbers(sp_signals *s, const char *name, int32_t n_columns, sp_target target,
                              const char *must_be, void **out, sp_error *err)
{
    const sp_stored_file *f = &s->map.file;
    const int64_t width = n_columns ? n_columns : 1, n = s->info.n_steps * width;
    char where[SP_STORED_WHERE], shape[SP_STORED_SHAPE], classes[32];
    sp_stored *array = NULL;
    int64_t at = -1;
    double bad = 0;
    sp_status status = SP_OK;
    *out = NULL;
    TRY(find_beside(s, name, &array, err));
    if (!array)
        goto done;
    sp_stored_where(f, array, where);
    snprintf(classes, sizeof classes, ", %d", (int)n_columns);
    if (array->form != SP_STORED_NUMBERS)
        TRY(sp_stored_refuse_text(f, array, err));
    if (array->rank != 1 + (n_columns > 0) || array->dims[0] != s->info.n_steps ||
        (n_columns && array->dims[1] != n_columns))
        TRY(sp_fail(err, SP_EDATA, "%s has shape %s, but must have [%lld%s] to go with %s", where,
                    sp_stored_shape(array, shape), (long long)s->info.n_steps, n_columns ? classes : "",
                    s->path));
    if (!(*out = malloc((size_t)n * sp_target_size(target) + 1)))
        TRY(sp_no_memory(err));
    TRY(sp_stored_read(f, array, 0, n, target, 0, *out, &at, &bad, err));
    if (at < 0)
        goto done;
    const int64_t step = at / width, r = sp_recording_at(s->offsets, s->info.n_recordings, step);
    snprintf(classes, sizeof classes, ", class %lld", (long long)(at % width));
    status = sp_fail_at(err, SP_EDATA, step, "%s, recording %s, step %lld%s: %g is not %s", where, s->ids[r],
                        (long long)(step - s->offsets[r]), n_columns ? classes : "", bad, must_be);
done:
    return status;
}

/* What training asks of the steps. */
static sp_status read_weights_and_mask(sp_signals *s, sp_error *err)
{
    void *values = NULL;
    sp_status status = read_numbers(s, "weights", 0, SP_TO_WEIGHT, "a number from 0 up", &values, err);
    s->info.weights = s->weights = values;
    if (status != SP_OK || s->info.n_classes == 0)
        return status;
    status = read_numbers(s, "mask", s->info.n_classes, SP_TO_BOOL, "0 or 1", &values, err);
    s->info.mask = s->mask = values;
    return status;
}

/* ---- the signals ---- */

static sp_status open_signals(sp_signals *s, sp_error *err)
{
    sp_stored_file *f = &s->map.file;
    char shape[SP_STORED_SHAPE];
    sp_status status = SP_OK;
    if (sp_stored_what_is(f, s->path) != SP_STORED_ARRAY)
        TRY(f->store->explain(f, s->path, "name the signals with `signals`", err));
    if (!(s->array = sp_stored_find(f, s->path)))
        TRY(sp_no_memory(err));
    TRY(sp_stored_look(f, s->array, err));
    if (s->array->form != SP_STORED_NUMBERS)
        TRY(sp_stored_refuse_text(f, s->array, err));
    const int rank = s->array->rank;
    const int64_t *dims = s->array->dims, channels = rank == 3 ? dims[1] : 1,
                  samples = rank >= 2 ? dims[rank - 1] : 0;
    if (rank < 2 || rank > 3 || channels < 1 || samples < 1 || channels > 100000 || samples > 100000000)
        TRY(sp_fail(err, SP_EDATA,
                    "%s: dataset %s has shape %s, but signals are [steps, channels, samples], or [steps, "
                    "samples] of one channel",
                    s->file_name, s->path, sp_stored_shape(s->array, shape)));
    s->info.n_steps = dims[0];
    s->info.n_channels = (int32_t)channels;
    s->info.n_samples = samples;
done:
    return status;
}

static sp_status open_all(sp_signals *s, const sp_file_access *how, sp_error *err)
{
    double rate = 0;
    sp_status status = SP_OK;
    TRY(sp_format_check_h5(s->file_name, s->path, how, err));
    TRY(sp_h5_store_open(&s->map.file, how, err));
    TRY(open_signals(s, err));
    TRY(read_offsets(s, err));
    TRY(read_ids(s, err));
    TRY(read_classes(s, err));
    TRY(read_labels(s, err));
    TRY(read_split(s, err));
    TRY(read_weights_and_mask(s, err));
    if (s->map.file.store->number(&s->map.file, "/", "rate", &rate) && rate > 0 &&
        isfinite(rate)) /* else it is no rate */
        s->info.rate = rate;
done:
    return status;
}

sp_status sp_signals_open(const char *file, const char *path, const sp_file_access *how, sp_signals **out,
                          sp_error *err)
{
    sp_signals *s = calloc(1, sizeof *s);
    sp_status status = SP_OK;
    sp_h5_quiet quiet;
    if (!s)
        return sp_no_memory(err);
    s->file_name = strdup(file);
    s->path = sp_stored_path(path ? path : "/signals");
    s->map = (sp_array_map){
        .file = {.file = s->file_name, .fd = -1}, .layout = SP_LAYOUT_PACKED, .reference = s->path};
    s->map.base = s->path ? sp_array_group(s->path) : NULL;
    s->info.file = s->file_name;
    s->info.path = s->path;
    sp_h5_quiet_begin(&quiet);
    status = s->file_name && s->path && s->map.base ? open_all(s, how, err) : sp_no_memory(err);
    status = sp_h5_quiet_end(&quiet, status, err);
    if (status == SP_OK)
        *out = s;
    else
        sp_signals_close(s);
    return status;
}

/* Is every value finite? */
static sp_status check_values(const sp_signals *s, int64_t first, int64_t count, const float *values,
                              sp_error *err)
{
    size_t samples = (size_t)s->info.n_samples, width = (size_t)s->info.n_channels * samples;
    for (size_t i = 0; i < (size_t)count * width; i++) {
        if (isfinite(values[i]))
            continue;
        const int64_t step = first + (int64_t)(i / width),
                      n = sp_recording_at(s->offsets, s->info.n_recordings, step);
        return sp_fail_at(err, SP_EDATA, step - s->offsets[n],
                          "%s: %s, recording %s, step %lld, channel %lld, sample %lld is %g; signals must be "
                          "finite numbers of "
                          "float32: fill the gap (0 says nothing), or leave the step out",
                          s->file_name, s->path, s->ids[n], (long long)(step - s->offsets[n]),
                          (long long)(i % width / samples), (long long)(i % samples), (double)values[i]);
    }
    return SP_OK;
}

/* Raw values to float32: exact from 16 and 32 bits, rounded from float64 and integers. The element converter widens to 8 bytes
 * first; `raw` has room for that. */
static void narrow(const sp_element *element, unsigned char *raw, size_t n, float *out)
{
    double bad;
    if (element->kind == SP_ELEMENT_FLOAT && element->size < 8) {
        sp_element_convert(element, raw, (int64_t)n, SP_TO_F32, 0, out, &bad);
        return;
    }
    enum { PART = 512 };
    union {
        double real[PART];
        int64_t whole[PART];
    } wide;
    for (size_t i = 0; i < n; i += PART) {
        size_t count = n - i < PART ? n - i : PART;
        bool is_real = element->kind == SP_ELEMENT_FLOAT;
        int64_t at = sp_element_convert(element, raw + i * element->size, (int64_t)count,
                                        is_real ? SP_TO_F64 : SP_TO_I64, 0, &wide, &bad);
        for (size_t j = 0; j < count; j++)
            out[i + j] = at >= 0 && (int64_t)j >= at ? INFINITY
                         : is_real                   ? (float)wide.real[j]
                                                     : (float)wide.whole[j];
    }
}

sp_status sp_signals_read(sp_signals *s, int64_t first, int64_t count, float *out, sp_error *err)
{
    const sp_stored_file *f = &s->map.file;
    const size_t n = (size_t)count * (size_t)s->info.n_channels * (size_t)s->info.n_samples,
                 bytes = n * s->array->element.size;
    if (bytes > s->raw_size) {
        unsigned char *more = realloc(s->raw, bytes);
        if (!more)
            return sp_no_memory(err);
        s->raw = more;
        s->raw_size = bytes;
    }
    const int64_t start[SP_STORED_RANK] = {first},
                  size[SP_STORED_RANK] = {count, s->array->dims[1], s->array->dims[2]};
    sp_h5_quiet quiet;
    sp_h5_quiet_begin(&quiet);
    const sp_status status =
        sp_h5_quiet_end(&quiet, f->store->read(f, s->array, start, size, s->raw, err), err);
    if (status != SP_OK)
        return status;
    narrow(&s->array->element, s->raw, n, out);
    return check_values(s, first, count, out, err);
}
