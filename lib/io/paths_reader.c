#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/h5_codes.h"
#include "io/h5_file.h"
#include "io/h5_map.h"
#include "io/h5_number.h"
#include "io/source_private.h"
#include "io/subjects_private.h"
#include "statepath/paths_file.h"

/* What a file says of a strategy's recordings; NULL where it does not. */
typedef struct verdicts {
    int64_t *status, *broken; /* [N] */
    double *scores;           /* [N] */
} verdicts;

struct sp_paths_reader {
    char *file_name;
    hid_t file;
    sp_h5_map map;
    sp_h5_part *paths; /* [n_strategies] */
    verdicts *verdicts;
    bool *has_path_scores;
    sp_h5_part labels, segments;
    sp_texts strategies, classes;
    char *model_json, *input;
    sp_paths_info info;
    const sp_codes *path_codes, *label_codes; /* or NULL; borrowed */
};

const sp_paths_info *sp_paths_reader_info(const sp_paths_reader *reader)
{
    return &reader->info;
}

static void reader_free(sp_paths_reader *reader)
{
    for (int32_t i = 0; i < reader->info.n_strategies; i++) {
        if (reader->paths)
            sp_h5_part_close(&reader->paths[i]);
        if (reader->verdicts) {
            free(reader->verdicts[i].status);
            free(reader->verdicts[i].broken);
            free(reader->verdicts[i].scores);
        }
    }
    sp_h5_part_close(&reader->labels);
    sp_h5_part_close(&reader->segments);
    sp_h5_map_close(&reader->map);
    if (reader->file > 0)
        H5Fclose(reader->file);
    free(reader->paths);
    free(reader->verdicts);
    free(reader->has_path_scores);
    free(reader->strategies);
    free(reader->classes);
    free(reader->model_json);
    free(reader->input);
    free(reader->file_name);
    free(reader);
}

void sp_paths_reader_close(sp_paths_reader *reader)
{
    if (!reader)
        return;
    sp_h5_quiet quiet;
    sp_h5_quiet_begin(&quiet);
    reader_free(reader);
    sp_h5_quiet_end(&quiet);
}

static sp_status no_memory(const sp_paths_reader *reader, sp_error *err)
{
    return sp_fail(err, SP_ENOMEM, "%s: not enough memory", reader->file_name);
}

/* ---- strategies ---- */

static const char mend[] = "say where the paths are with --paths PATH";

static bool is_beside(const char *name)
{
    static const char *const beside[] = {"offsets",     "lengths", "valid",    "ids",     "classes",
                                         "class_names", "labels",  "segments", "weights", "subjects"};
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++)
        if (strcmp(name, beside[i]) == 0)
            return true;
    return false;
}

/* Moves the names that the root attribute `strategies` lists to the front, in its order. */
static sp_status names_order(sp_paths_reader *reader, int64_t n, sp_error *err)
{
    sp_texts order = NULL;
    int64_t n_order = 0, done = 0;
    bool is_number;
    if (!sp_h5_has_attribute(reader->file, "/", "strategies"))
        return SP_OK;
    sp_status status =
        sp_h5_texts_attribute(reader->file, reader->file_name, "/", "strategies", &order, &n_order, &is_number, err);
    if (status != SP_OK)
        return status;
    char **names = reader->strategies;
    for (int64_t i = 0; i < n_order; i++)
        for (int64_t j = done; j < n; j++)
            if (strcmp(names[j], order[i]) == 0) {
                char *found = names[j];
                memmove(&names[done + 1], &names[done], (size_t)(j - done) * sizeof *names);
                names[done++] = found;
                break;
            }
    free(order);
    return SP_OK;
}

/* The datasets in a group, each a strategy. */
static sp_status strategies_of_group(sp_paths_reader *reader, const char *group, sp_error *err)
{
    int64_t n = 0, n_datasets = 0;
    sp_status status = sp_h5_links(reader->file, reader->file_name, group, &reader->strategies, &n, err);
    if (status != SP_OK)
        return status;
    for (int64_t i = 0; status == SP_OK && i < n; i++) {
        char *path = sp_h5_path_join(group, reader->strategies[i]);
        if (!path)
            status = no_memory(reader, err);
        else if (!is_beside(reader->strategies[i]) && sp_h5_look(reader->file, path) == SP_H5_DATASET)
            reader->strategies[n_datasets++] = reader->strategies[i];
        free(path);
    }
    if (status == SP_OK && (n_datasets == 0 || n_datasets > INT32_MAX))
        return sp_fail(err, SP_EFILE, "%s: group %s holds no dataset of paths; %s", reader->file_name, group, mend);
    reader->info.n_strategies = (int32_t)n_datasets;
    return status == SP_OK ? names_order(reader, n_datasets, err) : status;
}

static sp_status strategy_of_dataset(sp_paths_reader *reader, const char *path, sp_error *err)
{
    const char *name = sp_h5_path_name(path);
    char *group = sp_h5_path_has_id(name) ? sp_h5_path_group(path) : NULL;
    if (group)
        name = sp_h5_path_name(group);
    reader->strategies = sp_texts_copy(&name, 1);
    free(group);
    reader->info.n_strategies = 1;
    return reader->strategies ? SP_OK : no_memory(reader, err);
}

static sp_status nothing_found(const sp_paths_reader *reader, sp_error *err)
{
    char holds[1200], example[256];
    sp_h5_list(reader->file, holds, sizeof holds, example, sizeof example);
    return sp_fail(err, SP_EFILE, "%s: found no group /paths; it holds %s; %s ({id} in it stands for the recording)",
                   reader->file_name, holds, mend);
}

/* Names the strategies; *group is where their datasets are, NULL for a single dataset or pattern *path. */
static sp_status find_strategies(sp_paths_reader *reader, const char *given, char **group, char **path, sp_error *err)
{
    char *place = sp_h5_path(given ? given : "/paths");
    *group = *path = NULL;
    if (!place)
        return no_memory(reader, err);
    sp_h5_what what = sp_h5_path_has_id(place) ? SP_H5_DATASET : sp_h5_look(reader->file, place);
    if (what == SP_H5_GROUP) {
        *group = place;
        return strategies_of_group(reader, place, err);
    }
    *path = place;
    if (what == SP_H5_ABSENT && !given)
        return nothing_found(reader, err);
    return what == SP_H5_DATASET ? strategy_of_dataset(reader, place, err)
                                 : sp_h5_explain(reader->file, reader->file_name, place, mend, err);
}

/* The group that says where recordings begin: the one the paths stand in, or the nearest above that has offsets or lengths. */
static char *find_base(hid_t file, const char *path)
{
    char *base = sp_h5_path_group(path);
    char *start = base ? strdup(base) : NULL;
    bool failed = !start;
    while (!failed) {
        char *offsets = sp_h5_path_join(base, "offsets"), *lengths = sp_h5_path_join(base, "lengths");
        failed = !offsets || !lengths;
        bool found = !failed && (sp_h5_has_link(file, offsets) || sp_h5_has_link(file, lengths));
        free(offsets);
        free(lengths);
        if (found) {
            free(start);
            return base;
        }
        if (failed || strcmp(base, "/") == 0)
            break;
        char *above = sp_h5_path_group(base);
        failed = !above;
        free(base);
        base = above;
    }
    free(base);
    if (failed) {
        free(start);
        return NULL;
    }
    return start;
}

static char *strategy_path(const sp_paths_reader *reader, const char *group, const char *path, int32_t i)
{
    return group ? sp_h5_path_join(group, reader->strategies[i]) : strdup(path);
}

static sp_status open_map(sp_paths_reader *reader, const sp_source_options *places, const char *group, const char *path,
                          sp_error *err)
{
    char *first = strategy_path(reader, group, path, 0);
    char *base = first && !sp_h5_path_has_id(first) ? find_base(reader->file, first) : NULL;
    sp_status status;
    if (!first || (!base && !sp_h5_path_has_id(first))) {
        status = no_memory(reader, err);
    } else {
        const sp_h5_map_request request = {.path = first,
                                           .base = base,
                                           .mend = mend,
                                           .offsets = places->offsets,
                                           .lengths = places->lengths,
                                           .ids = places->ids};
        status = sp_h5_map_open(reader->file, reader->file_name, &request, &reader->map, err);
    }
    free(base);
    free(first);
    return status;
}

/* ---- what is said of recordings ---- */

static sp_status read_scores(sp_paths_reader *reader, const char *path, double **out, sp_error *err)
{
    const int64_t n = reader->map.n_recordings;
    const hsize_t start = 0;
    char shape[SP_H5_SHAPE];
    sp_h5_data data;
    sp_status status = sp_h5_data_open(reader->file, reader->file_name, path, mend, &data, err);
    if (status != SP_OK)
        return status;
    double *scores = malloc(((size_t)n + 1) * sizeof *scores);
    void *raw = sp_h5_map_scratch(&reader->map, (size_t)n * data.element.size + 1);
    if (data.rank != 1 || (int64_t)data.dims[0] != n || data.element.kind != SP_ELEMENT_FLOAT)
        status = sp_fail(err, SP_EDATA, "%s: dataset %s has shape %s, but there are %lld recordings, which need one float each",
                         reader->file_name, path, sp_h5_shape(data.rank, data.dims, shape), (long long)n);
    else if (!scores || !raw)
        status = no_memory(reader, err);
    else
        status = sp_h5_data_read(&data, reader->file_name, path, &start, data.dims, raw, err);
    if (status == SP_OK) {
        double bad;
        (void)sp_element_convert(&data.element, raw, n, SP_TO_F64, 0, scores, &bad);
        *out = scores;
    } else {
        free(scores);
    }
    sp_h5_data_close(&data);
    return status;
}

static sp_status read_counts(sp_paths_reader *reader, const char *path, int64_t most, int64_t **out, sp_error *err)
{
    int64_t n = 0;
    sp_status status = sp_h5_read_integers(reader->file, reader->file_name, path, mend, out, &n, err);
    if (status != SP_OK)
        return status;
    if (n != reader->map.n_recordings)
        return sp_fail(err, SP_EDATA, "%s: dataset %s has %lld values, but there are %lld recordings", reader->file_name, path,
                       (long long)n, (long long)reader->map.n_recordings);
    for (int64_t i = 0; i < n; i++)
        if ((*out)[i] < 0 || (*out)[i] > most)
            return sp_fail(err, SP_EDATA, "%s: dataset %s, recording %s: %lld has no meaning here", reader->file_name, path,
                           reader->map.ids[i], (long long)(*out)[i]);
    return SP_OK;
}

/* Only statepath's own files, where /status stands beside /paths, have these. */
static sp_status read_verdicts(sp_paths_reader *reader, int32_t strategy, sp_error *err)
{
    static const char *const groups[] = {"/path_scores", "/status", "/broken"};
    verdicts *v = &reader->verdicts[strategy];
    sp_status status = SP_OK;
    for (int i = 0; status == SP_OK && i < 3; i++) {
        char *path = sp_h5_path_join(groups[i], reader->strategies[strategy]);
        if (!path)
            status = no_memory(reader, err);
        else if (sp_h5_has_link(reader->file, path))
            status = i == 0   ? read_scores(reader, path, &v->scores, err)
                     : i == 1 ? read_counts(reader, path, 3, &v->status, err)
                              : read_counts(reader, path, INT64_MAX, &v->broken, err);
        free(path);
    }
    reader->has_path_scores[strategy] = v->scores != NULL;
    return status;
}

/* ---- opening ---- */

static sp_status open_beside(sp_paths_reader *reader, const char *given, const char *name, const char *noun, sp_h5_part *part,
                             sp_error *err)
{
    bool failed = false;
    char *path = given                                 ? sp_h5_path(given)
                 : sp_h5_path_has_id(reader->map.path) ? sp_source_beside(reader->map.path, name, &failed)
                                                       : sp_h5_path_join(reader->map.base, name);
    if (!path)
        return given || failed || !sp_h5_path_has_id(reader->map.path) ? no_memory(reader, err) : SP_OK;
    if (!given) {
        char *first = reader->map.n_recordings > 0 ? sp_h5_map_path(&reader->map, path, 0) : strdup(path);
        bool is_there = first && sp_h5_has_link(reader->file, first);
        failed = !first;
        free(first);
        if (!is_there) {
            free(path);
            return failed ? no_memory(reader, err) : SP_OK;
        }
    }
    return sp_h5_part_open(&reader->map, path, noun, false, !given, part, err);
}

static sp_status open_parts(sp_paths_reader *reader, const sp_source_options *places, const char *group, const char *path,
                            sp_error *err)
{
    const int32_t n = reader->info.n_strategies;
    reader->paths = calloc((size_t)n, sizeof *reader->paths);
    reader->verdicts = calloc((size_t)n, sizeof *reader->verdicts);
    reader->has_path_scores = calloc((size_t)n, sizeof *reader->has_path_scores);
    if (!reader->paths || !reader->verdicts || !reader->has_path_scores)
        return no_memory(reader, err);
    const bool is_own = group && strcmp(group, "/paths") == 0;
    sp_status status = SP_OK;
    for (int32_t i = 0; status == SP_OK && i < n; i++) {
        status =
            sp_h5_part_open(&reader->map, strategy_path(reader, group, path, i), "class", false, false, &reader->paths[i], err);
        if (status == SP_OK && is_own)
            status = read_verdicts(reader, i, err);
    }
    if (status == SP_OK)
        status = open_beside(reader, places->labels, "labels", "label", &reader->labels, err);
    return status == SP_OK ? open_beside(reader, NULL, "segments", "segment", &reader->segments, err) : status;
}

static void fill_info(sp_paths_reader *reader, int64_t n_classes)
{
    sp_paths_info *info = &reader->info;
    info->file = reader->file_name;
    info->strategies = (const char *const *)reader->strategies;
    info->n_recordings = reader->map.n_recordings;
    info->n_steps = reader->map.n_steps;
    info->offsets = reader->map.offsets;
    info->ids = (const char *const *)reader->map.ids;
    info->has_ids = reader->map.has_ids;
    info->n_classes = reader->classes ? (int32_t)n_classes : 0;
    info->classes = (const char *const *)reader->classes;
    info->has_path_scores = reader->has_path_scores;
    info->has_labels = reader->labels.path != NULL;
    info->has_segments = reader->segments.path != NULL;
    info->model_json = reader->model_json;
    info->input = reader->input;
}

static sp_status reader_fill(sp_paths_reader *reader, const char *given, const sp_source_options *places, sp_error *err)
{
    char *group = NULL, *path = NULL, place[256];
    int64_t n_classes = 0;
    sp_status status = sp_h5_open(reader->file_name, &places->access, &reader->file, &reader->info.file_size, err);
    if (status == SP_OK)
        status = find_strategies(reader, given, &group, &path, err);
    if (status == SP_OK)
        status = open_map(reader, places, group, path, err);
    if (status == SP_OK)
        status = open_parts(reader, places, group, path, err);
    if (status == SP_OK)
        status = sp_source_classes(&reader->map, 0, &reader->classes, &n_classes, place, sizeof place, err);
    if (status == SP_OK)
        status = sp_h5_root_text(reader->file, reader->file_name, "model", &reader->model_json, err);
    if (status == SP_OK)
        status = sp_h5_root_text(reader->file, reader->file_name, "input", &reader->input, err);
    if (status == SP_OK)
        fill_info(reader, n_classes);
    free(group);
    free(path);
    return status;
}

sp_status sp_paths_reader_open(const char *file, const char *paths, const sp_source_options *places, sp_paths_reader **out,
                               sp_error *err)
{
    const sp_source_options usual = sp_source_options_default();
    sp_paths_reader *reader = calloc(1, sizeof *reader);
    if (!reader || !(reader->file_name = strdup(file))) {
        free(reader);
        return sp_fail(err, SP_ENOMEM, "%s: not enough memory", file);
    }
    sp_h5_quiet quiet;
    sp_h5_quiet_begin(&quiet);
    sp_h5_lack_begin();
    sp_status status = reader_fill(reader, paths, places ? places : &usual, err);
    if (status == SP_OK && sp_h5_lack_met())
        status = sp_fail(err, SP_ENOMEM, "%s: not enough memory", file);
    if (status != SP_OK)
        reader_free(reader);
    sp_h5_quiet_end(&quiet);
    if (status == SP_OK)
        *out = reader;
    return status;
}

/* ---- reading ---- */

static bool is_undecoded(const int32_t *path, int64_t n_steps)
{
    for (int64_t t = 0; t < n_steps; t++)
        if (path[t] != -1)
            return false;
    return n_steps > 0;
}

static int64_t class_limit(const sp_paths_reader *reader)
{
    return reader->info.n_classes ? reader->info.n_classes : (int64_t)INT32_MAX + 1;
}

static sp_status check_range(const sp_paths_reader *reader, int64_t first, int64_t count, sp_error *err)
{
    if (first < 0 || count < 0 || first > reader->info.n_recordings - count)
        return sp_fail(err, SP_EINVAL, "%s: recordings %lld to %lld asked for, but it has %lld", reader->file_name,
                       (long long)first, (long long)(first + count - 1), (long long)reader->info.n_recordings);
    return SP_OK;
}

static sp_status check_steps(const sp_paths_reader *reader, int64_t recording, int64_t first, int64_t n, sp_error *err)
{
    sp_status status = check_range(reader, recording, 1, err);
    if (status != SP_OK)
        return status;
    int64_t length = reader->info.offsets[recording + 1] - reader->info.offsets[recording];
    if (first < 0 || n < 0 || first > length - n)
        return sp_fail(err, SP_EINVAL, "%s: steps %lld to %lld of recording %s asked for, but it has %lld", reader->file_name,
                       (long long)first, (long long)(first + n - 1), reader->info.ids[recording], (long long)length);
    return SP_OK;
}

sp_decoded sp_paths_reader_result(const sp_paths_reader *reader, int32_t strategy, int64_t recording, bool is_undecoded_path)
{
    const verdicts *v = &reader->verdicts[strategy];
    sp_decoded result = {.status = SP_OK, .step = -1};
    if (v->status)
        result.status = v->status[recording] == 1   ? SP_ENOPATH
                        : v->status[recording] == 2 ? SP_EDEADEND
                        : v->status[recording] == 3 ? SP_EBUG
                                                    : SP_OK;
    else if (is_undecoded_path)
        result.status = SP_ENOPATH;
    if (v->broken)
        result.n_broken = v->broken[recording];
    if (v->scores)
        result.score = v->scores[recording];
    return result;
}

sp_status sp_paths_reader_read(sp_paths_reader *reader, int32_t strategy, int64_t first, int64_t count, int32_t *paths,
                               sp_decoded *results, sp_error *err)
{
    sp_status status = check_range(reader, first, count, err);
    if (status != SP_OK)
        return status;
    const int64_t *offsets = reader->info.offsets;
    int32_t *own = paths ? NULL : malloc((size_t)(offsets[first + count] - offsets[first] + 1) * sizeof *own);
    int32_t *to = paths ? paths : own;
    if (!to)
        return no_memory(reader, err);
    sp_h5_quiet quiet;
    sp_h5_quiet_begin(&quiet);
    const sp_h5_part *part = &reader->paths[strategy];
    status = reader->path_codes ? sp_h5_part_codes(&reader->map, part, first, count, 0, -1, reader->path_codes, to, err)
                                : sp_h5_part_read(&reader->map, part, first, count, SP_TO_I32, class_limit(reader), to, err);
    sp_h5_quiet_end(&quiet);
    for (int64_t i = 0; status == SP_OK && results && i < count; i++)
        results[i] = sp_paths_reader_result(
            reader, strategy, first + i,
            is_undecoded(to + (offsets[first + i] - offsets[first]), offsets[first + i + 1] - offsets[first + i]));
    free(own);
    return status;
}

/* Labels or paths of some steps. */
static sp_status read_classes(sp_paths_reader *reader, const sp_h5_part *part, const sp_codes *codes, int64_t recording,
                              int64_t first, int64_t n, int32_t *out, sp_error *err)
{
    return codes ? sp_h5_part_codes(&reader->map, part, recording, 1, first, n, codes, out, err)
                 : sp_h5_part_steps(&reader->map, part, recording, first, n, SP_TO_I32, class_limit(reader), out, err);
}

sp_status sp_paths_reader_read_steps(sp_paths_reader *reader, int32_t strategy, int64_t recording, int64_t first, int64_t n,
                                     int32_t *path, sp_error *err)
{
    sp_status status = check_steps(reader, recording, first, n, err);
    if (status != SP_OK)
        return status;
    sp_h5_quiet quiet;
    sp_h5_quiet_begin(&quiet);
    status = read_classes(reader, &reader->paths[strategy], reader->path_codes, recording, first, n, path, err);
    sp_h5_quiet_end(&quiet);
    return status;
}

sp_status sp_paths_reader_epoch_seconds(sp_paths_reader *reader, double *seconds, sp_error *err)
{
    static const char *const root = "/";
    sp_h5_quiet quiet;
    sp_h5_quiet_begin(&quiet);
    sp_status status = sp_h5_epoch_seconds(reader->file, reader->file_name, 1, &root, seconds, err);
    sp_h5_quiet_end(&quiet);
    return status;
}

sp_status sp_paths_reader_subjects(sp_paths_reader *reader, const char *groups, sp_subjects **out, sp_error *err)
{
    sp_h5_quiet quiet;
    sp_h5_quiet_begin(&quiet);
    sp_status status = sp_h5_subjects(&reader->map, groups, out, err);
    sp_h5_quiet_end(&quiet);
    return status;
}

void sp_paths_reader_use_codes(sp_paths_reader *reader, const sp_codes *paths, const sp_codes *labels)
{
    reader->path_codes = paths;
    reader->label_codes = labels;
}

static sp_status check_beside(const sp_paths_reader *reader, bool labels, bool segments, sp_error *err)
{
    bool lacks_labels = labels && !reader->labels.path;
    if (lacks_labels || (segments && !reader->segments.path))
        return sp_fail(err, SP_EDATA, "%s: has no %s", reader->file_name, lacks_labels ? "labels" : "segments");
    return SP_OK;
}

sp_status sp_paths_reader_labels(sp_paths_reader *reader, int64_t first, int64_t count, int32_t *labels, int64_t *segments,
                                 sp_error *err)
{
    sp_status status = check_range(reader, first, count, err);
    if (status == SP_OK)
        status = check_beside(reader, labels != NULL, segments != NULL, err);
    if (status != SP_OK)
        return status;
    sp_h5_quiet quiet;
    sp_h5_quiet_begin(&quiet);
    if (labels && reader->label_codes)
        status = sp_h5_part_codes(&reader->map, &reader->labels, first, count, 0, -1, reader->label_codes, labels, err);
    else if (labels)
        status = sp_h5_part_read(&reader->map, &reader->labels, first, count, SP_TO_I32, class_limit(reader), labels, err);
    if (status == SP_OK && segments)
        status = sp_h5_part_read(&reader->map, &reader->segments, first, count, SP_TO_I64, 0, segments, err);
    sp_h5_quiet_end(&quiet);
    return status;
}

sp_status sp_paths_reader_label_steps(sp_paths_reader *reader, int64_t recording, int64_t first, int64_t n, int32_t *labels,
                                      int64_t *segments, sp_error *err)
{
    sp_status status = check_steps(reader, recording, first, n, err);
    if (status == SP_OK)
        status = check_beside(reader, labels != NULL, segments != NULL, err);
    if (status != SP_OK)
        return status;
    sp_h5_quiet quiet;
    sp_h5_quiet_begin(&quiet);
    if (labels)
        status = read_classes(reader, &reader->labels, reader->label_codes, recording, first, n, labels, err);
    if (status == SP_OK && segments)
        status = sp_h5_part_steps(&reader->map, &reader->segments, recording, first, n, SP_TO_I64, 0, segments, err);
    sp_h5_quiet_end(&quiet);
    return status;
}
