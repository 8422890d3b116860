#include "statepath/signals_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "io/arrays/array_class_names.h"
#include "io/hdf5/h5_file.h"
#include "io/hdf5/h5_store.h"
#include "io/hdf5/h5_text.h"

struct sp_signals {
    char *file_name, *path, *base; /* base: the group that /labels and the like stand in */
    hid_t file;
    sp_h5_data data;
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
    sp_h5_data_close(&s->data);
    if (s->file > 0)
        H5Fclose(s->file);
    (void)sp_h5_quiet_end(&quiet, SP_OK, NULL);
    free(s->file_name);
    free(s->path);
    free(s->base);
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

/* Reads the integers of <base>/<name>. *values NULL where there is no such dataset. */
static sp_status read_beside(const sp_signals *s, const char *name, int64_t **values, int64_t *n, sp_error *err)
{
    *values = NULL;
    char *path = sp_h5_path_join(s->base, name);
    if (!path)
        return sp_no_memory(err);
    sp_status status = SP_OK;
    if (sp_h5_has_link(s->file, path))
        status = sp_h5_read_integers(s->file, s->file_name, path, "write it again", values, n, err);
    free(path);
    return status;
}

/* Whole numbers from `low` to `high`, n of them. `for_what`: "one for each step". */
static sp_status check_integers(const sp_signals *s, const char *name, const int64_t *values, int64_t n, int64_t want,
                                const char *for_what, int64_t low, int64_t high, sp_error *err)
{
    if (n != want)
        return sp_fail(err, SP_EDATA, "%s: dataset %s%s%s has %lld values, but must have %lld to go with %s; write %s",
                       s->file_name, s->base, strcmp(s->base, "/") ? "/" : "", name, (long long)n, (long long)want, s->path,
                       for_what);
    for (int64_t i = 0; i < n; i++)
        if (values[i] < low || values[i] > high)
            return sp_fail_at(err, SP_EDATA, i, "%s: dataset %s%s%s, value %lld is %lld; it must be from %lld to %lld",
                              s->file_name, s->base, strcmp(s->base, "/") ? "/" : "", name, (long long)i, (long long)values[i],
                              (long long)low, (long long)high);
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
            return sp_fail(err, SP_EDATA, "%s: the offsets fall from %lld to %lld at place %lld; they must ascend", s->file_name,
                           (long long)s->offsets[i - 1], (long long)s->offsets[i], (long long)i);
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
    char *path = sp_h5_path_join(s->base, "ids");
    sp_status status = path ? SP_OK : sp_no_memory(err);
    int64_t n = s->info.n_recordings, found = n;
    bool is_number = false;
    if (status == SP_OK && sp_h5_has_link(s->file, path))
        status = sp_h5_texts_dataset(s->file, s->file_name, path, "write it again", &s->ids, &found, &is_number, err);
    if (status == SP_OK && found != n)
        status = sp_fail(err, SP_EDATA, "%s: dataset %s names %lld recordings, but the offsets make %lld", s->file_name, path,
                         (long long)found, (long long)n);
    if (status == SP_OK && !s->ids && !(s->ids = sp_texts_of_numbers(NULL, n)))
        status = sp_no_memory(err);
    free(path);
    s->info.ids = (const char *const *)s->ids;
    return status;
}

static sp_status read_classes(sp_signals *s, sp_error *err)
{
    const sp_stored nameless = {.name = NULL};
    sp_array_map map = {.file = {.file = s->file_name, .fd = -1},
                        .layout = SP_LAYOUT_PACKED,
                        .reference = s->path,
                        .base = s->base,
                        .first = &nameless};
    char place[SP_ARRAY_PLACE];
    sp_source_info info = {.n_classes = 0};
    sp_status status = SP_OK;
    TRY(sp_h5_store_borrow(&map.file, s->file, err));
    TRY(sp_array_find_classes(&map, &s->classes, &info, place, err));
    s->info.classes = (const char *const *)s->classes;
    s->info.n_classes = info.n_classes;
done:
    sp_stored_close(&map.file);
    return status;
}

static sp_status read_labels(sp_signals *s, sp_error *err)
{
    int64_t *values = NULL, n = 0, steps = s->info.n_steps;
    sp_status status = read_beside(s, "labels", &values, &n, err);
    if (status != SP_OK || !values)
        return status;
    int64_t last = s->info.n_classes > 0 ? s->info.n_classes - 1 : 32767;
    status = check_integers(s, "labels", values, n, steps, "one for each step, -1 where it has none", -1, last, err);
    if (status == SP_OK && !(s->labels = malloc(((size_t)steps + 1) * sizeof *s->labels)))
        status = sp_no_memory(err);
    int32_t highest = -1;
    for (int64_t i = 0; status == SP_OK && i < steps; i++) {
        s->labels[i] = (int32_t)values[i];
        highest = s->labels[i] > highest ? s->labels[i] : highest;
    }
    if (status == SP_OK && s->info.n_classes == 0)
        s->info.n_classes = highest + 1;
    free(values);
    s->info.labels = s->labels;
    return status;
}

static sp_status read_split(sp_signals *s, sp_error *err)
{
    int64_t *values = NULL, n = 0;
    sp_status status = read_beside(s, "split", &values, &n, err);
    if (status != SP_OK || !values)
        return status;
    status = check_integers(s, "split", values, n, s->info.n_recordings, "one for each recording, 0 = training, 1 = testing", 0,
                            1, err);
    if (status == SP_OK && !(s->split = malloc((size_t)n + 1)))
        status = sp_no_memory(err);
    for (int64_t i = 0; status == SP_OK && i < n; i++)
        s->split[i] = (uint8_t)values[i];
    free(values);
    s->info.split = s->split;
    return status;
}

/* Reads <base>/<name>, a number for each step or, where n_columns is not 0, for each step and class, as `target`; *out NULL where
 * there is none. must_be: what a value has to be. */
static sp_status read_numbers(const sp_signals *s, const char *name, int32_t n_columns, sp_target target, const char *must_be,
                              void **out, sp_error *err)
{
    char *path = sp_h5_path_join(s->base, name), shape[SP_H5_SHAPE], classes[32];
    *out = NULL;
    if (!path)
        return sp_no_memory(err);
    if (!sp_h5_has_link(s->file, path)) {
        free(path);
        return SP_OK;
    }
    sp_h5_data data = {0};
    const hsize_t start[2] = {0, 0}, size[2] = {(hsize_t)s->info.n_steps, (hsize_t)n_columns};
    const size_t n = (size_t)s->info.n_steps * (size_t)(n_columns ? n_columns : 1);
    int rank = n_columns ? 2 : 1;
    unsigned char *raw = NULL;
    sp_status status = sp_h5_data_open(s->file, s->file_name, path, "write it again", &data, err);
    snprintf(classes, sizeof classes, ", %d", (int)n_columns);
    if (status == SP_OK && (data.rank != rank || data.dims[0] != size[0] || (rank == 2 && data.dims[1] != size[1])))
        status = sp_fail(err, SP_EDATA, "%s: dataset %s has shape %s, but must have [%lld%s] to go with %s", s->file_name, path,
                         sp_h5_shape(data.rank, data.dims, shape), (long long)s->info.n_steps, n_columns ? classes : "", s->path);
    if (status == SP_OK && (!(raw = malloc(n * data.element.size + 1)) || !(*out = malloc(n * sp_target_size(target) + 1))))
        status = sp_no_memory(err);
    if (status == SP_OK && n > 0)
        status = sp_h5_data_read(&data, s->file_name, path, start, size, raw, err);
    double bad = 0;
    int64_t at = status == SP_OK ? sp_element_convert(&data.element, raw, (int64_t)n, target, 0, *out, &bad) : -1;
    if (at >= 0) {
        int64_t step = n_columns ? at / n_columns : at, r = 0;
        while (s->offsets[r + 1] <= step)
            r++;
        snprintf(classes, sizeof classes, ", class %lld", (long long)(n_columns ? at % n_columns : 0));
        status = sp_fail_at(err, SP_EDATA, step, "%s: dataset %s, recording %s, step %lld%s: %g is not %s", s->file_name, path,
                            s->ids[r], (long long)(step - s->offsets[r]), n_columns ? classes : "", bad, must_be);
    }
    sp_h5_data_close(&data);
    free(raw);
    free(path);
    return status;
}

/* What training asks of the steps. */
static sp_status read_weights_and_mask(sp_signals *s, sp_error *err)
{
    void *values = NULL;
    sp_status status = read_numbers(s, "weights", 0, SP_TO_WEIGHT, "a number from 0 up", &values, err);
    s->info.weights = s->weights = values;
    if (status == SP_OK && s->info.n_classes > 0) {
        status = read_numbers(s, "mask", s->info.n_classes, SP_TO_BOOL, "0 or 1", &values, err);
        s->info.mask = s->mask = values;
    }
    return status;
}

/* Attribute `rate` of the root: one number. Whatever else is there is not a rate. */
static void read_rate(sp_signals *s)
{
    if (!sp_h5_has_attribute(s->file, "/", "rate"))
        return;
    hid_t attribute = H5Aopen(s->file, "rate", H5P_DEFAULT), space = attribute >= 0 ? H5Aget_space(attribute) : -1;
    double rate = 0;
    if (space >= 0 && H5Sget_simple_extent_npoints(space) == 1 && H5Aread(attribute, H5T_NATIVE_DOUBLE, &rate) >= 0 && rate > 0 &&
        isfinite(rate))
        s->info.rate = rate;
    if (space >= 0)
        H5Sclose(space);
    if (attribute >= 0)
        H5Aclose(attribute);
}

/* ---- the signals ---- */

static sp_status open_signals(sp_signals *s, sp_error *err)
{
    sp_status status = sp_h5_data_open(s->file, s->file_name, s->path, "name the signals with `signals`", &s->data, err);
    if (status != SP_OK)
        return status;
    char shape[SP_H5_SHAPE];
    int rank = s->data.rank;
    hsize_t channels = rank == 3 ? s->data.dims[1] : 1, samples = rank >= 2 ? s->data.dims[rank - 1] : 0;
    if (rank < 2 || rank > 3 || channels < 1 || samples < 1 || channels > 100000 || samples > 100000000)
        return sp_fail(
            err, SP_EDATA,
            "%s: dataset %s has shape %s, but signals are [steps, channels, samples], or [steps, samples] of one channel",
            s->file_name, s->path, sp_h5_shape(rank, s->data.dims, shape));
    s->info.n_steps = (int64_t)s->data.dims[0];
    s->info.n_channels = (int32_t)channels;
    s->info.n_samples = (int64_t)samples;
    return sp_h5_data_tune(s->file, s->file_name, s->path, &s->data, err);
}

static sp_status open_all(sp_signals *s, const sp_file_access *how, sp_error *err)
{
    int64_t size = 0;
    sp_status status = sp_format_check_h5(s->file_name, s->path, how, err);
    if (status == SP_OK)
        status = sp_h5_open(s->file_name, how, &s->file, &size, err);
    if (status == SP_OK)
        status = open_signals(s, err);
    if (status == SP_OK)
        status = read_offsets(s, err);
    if (status == SP_OK)
        status = read_ids(s, err);
    if (status == SP_OK)
        status = read_classes(s, err);
    if (status == SP_OK)
        status = read_labels(s, err);
    if (status == SP_OK)
        status = read_split(s, err);
    if (status == SP_OK)
        status = read_weights_and_mask(s, err);
    if (status == SP_OK)
        read_rate(s);
    return status;
}

sp_status sp_signals_open(const char *file, const char *path, const sp_file_access *how, sp_signals **out, sp_error *err)
{
    sp_signals *s = calloc(1, sizeof *s);
    if (!s)
        return sp_no_memory(err);
    s->file_name = strdup(file);
    s->path = sp_h5_path(path ? path : "/signals");
    s->base = s->path ? sp_h5_path_group(s->path) : NULL;
    sp_status status = SP_OK;
    if (!s->file_name || !s->path || !s->base)
        status = sp_no_memory(err);
    s->info.file = s->file_name;
    s->info.path = s->path;
    sp_h5_quiet quiet;
    sp_h5_quiet_begin(&quiet);
    if (status == SP_OK)
        status = open_all(s, how, err);
    status = sp_h5_quiet_end(&quiet, status, err);
    if (status == SP_OK)
        *out = s;
    else
        sp_signals_close(s);
    return status;
}

/* Is every value finite? */
static sp_status check_values(const sp_signals *s, int64_t first, int64_t count, const float *values, sp_error *err)
{
    size_t samples = (size_t)s->info.n_samples, width = (size_t)s->info.n_channels * samples;
    for (size_t i = 0; i < (size_t)count * width; i++) {
        if (isfinite(values[i]))
            continue;
        int64_t step = first + (int64_t)(i / width), n = 0;
        while (s->offsets[n + 1] <= step)
            n++;
        return sp_fail_at(err, SP_EDATA, step - s->offsets[n],
                          "%s: %s, recording %s, step %lld, channel %lld, sample %lld is %g; signals must be finite numbers of "
                          "float32: fill the gap (0 says nothing), or leave the step out",
                          s->file_name, s->path, s->ids[n], (long long)(step - s->offsets[n]), (long long)(i % width / samples),
                          (long long)(i % samples), (double)values[i]);
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
        int64_t at =
            sp_element_convert(element, raw + i * element->size, (int64_t)count, is_real ? SP_TO_F64 : SP_TO_I64, 0, &wide, &bad);
        for (size_t j = 0; j < count; j++)
            out[i + j] = at >= 0 && (int64_t)j >= at ? INFINITY : is_real ? (float)wide.real[j] : (float)wide.whole[j];
    }
}

sp_status sp_signals_read(sp_signals *s, int64_t first, int64_t count, float *out, sp_error *err)
{
    size_t n = (size_t)count * (size_t)s->info.n_channels * (size_t)s->info.n_samples;
    if (n * s->data.element.size > s->raw_size) {
        unsigned char *more = realloc(s->raw, n * s->data.element.size);
        if (!more)
            return sp_no_memory(err);
        s->raw = more;
        s->raw_size = n * s->data.element.size;
    }
    hsize_t start[3] = {(hsize_t)first}, size[3] = {(hsize_t)count, s->data.dims[1], s->data.rank == 3 ? s->data.dims[2] : 1};
    sp_h5_quiet quiet;
    sp_h5_quiet_begin(&quiet);
    sp_status status = sp_h5_data_read(&s->data, s->file_name, s->path, start, size, s->raw, err);
    status = sp_h5_quiet_end(&quiet, status, err);
    if (status != SP_OK)
        return status;
    narrow(&s->data.element, s->raw, n, out);
    return check_values(s, first, count, out, err);
}
