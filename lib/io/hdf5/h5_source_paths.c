/* The paths of a file: which strategies, where their recordings begin, and what statepath's own files say of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/hdf5/h5_file.h"
#include "io/hdf5/h5_source.h"

/* ---- strategies ---- */

static const char mend[] = "say where the paths are with `paths` PATH";

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
static sp_status names_order(sp_h5_source *h, int64_t n, sp_error *err)
{
    sp_texts order = NULL;
    int64_t n_order = 0, done = 0;
    bool is_number;
    if (!sp_h5_has_attribute(h->file, "/", "strategies"))
        return SP_OK;
    sp_status status = sp_h5_texts_attribute(h->file, h->file_name, "/", "strategies", &order, &n_order, &is_number, err);
    if (status != SP_OK)
        return status;
    char **names = h->strategies;
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
static sp_status strategies_of_group(sp_h5_source *h, const char *group, sp_error *err)
{
    int64_t n = 0, n_datasets = 0;
    sp_status status = sp_h5_links(h->file, h->file_name, group, &h->strategies, &n, NULL, err);
    if (status != SP_OK)
        return status;
    for (int64_t i = 0; status == SP_OK && i < n; i++) {
        char *path = sp_h5_path_join(group, h->strategies[i]);
        if (!path)
            status = sp_no_memory(err);
        else if (!is_beside(h->strategies[i]) && sp_h5_look(h->file, path) == SP_H5_DATASET)
            h->strategies[n_datasets++] = h->strategies[i];
        free(path);
    }
    if (status == SP_OK && (n_datasets == 0 || n_datasets > INT32_MAX))
        return sp_fail(err, SP_EFILE, "%s: group %s holds no dataset of paths; %s", h->file_name, group, mend);
    h->n_paths = (int32_t)n_datasets;
    return status == SP_OK ? names_order(h, n_datasets, err) : status;
}

static sp_status strategy_of_dataset(sp_h5_source *h, const char *path, sp_error *err)
{
    const char *name = sp_h5_path_name(path);
    char *group = sp_h5_path_has_id(name) ? sp_h5_path_group(path) : NULL;
    if (group)
        name = sp_h5_path_name(group);
    h->strategies = sp_texts_copy(&name, 1);
    free(group);
    h->n_paths = 1;
    return h->strategies ? SP_OK : sp_no_memory(err);
}

static sp_status nothing_found(const sp_h5_source *h, sp_error *err)
{
    char holds[1200], example[256];
    sp_h5_list(h->file, holds, sizeof holds, example, sizeof example);
    return sp_fail(err, SP_EFILE, "%s: found no group /paths; it holds %s; %s ({id} in it stands for the recording)",
                   h->file_name, holds, mend);
}

/* Names the strategies; *group is where their datasets are, NULL for a single dataset or pattern *path. */
static sp_status find_strategies(sp_h5_source *h, const char *given, char **group, char **path, sp_error *err)
{
    char *place = sp_h5_path(given ? given : "/paths");
    *group = *path = NULL;
    if (!place)
        return sp_no_memory(err);
    sp_h5_what what = sp_h5_path_has_id(place) ? SP_H5_DATASET : sp_h5_look(h->file, place);
    if (what == SP_H5_GROUP) {
        *group = place;
        return strategies_of_group(h, place, err);
    }
    *path = place;
    if (what == SP_H5_ABSENT && !given)
        return nothing_found(h, err);
    return what == SP_H5_DATASET ? strategy_of_dataset(h, place, err) : sp_h5_explain(h->file, h->file_name, place, mend, err);
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

static char *strategy_path(const sp_h5_source *h, const char *group, const char *path, int32_t i)
{
    return group ? sp_h5_path_join(group, h->strategies[i]) : strdup(path);
}

static sp_status open_map(sp_h5_source *h, const sp_source_options *places, const char *group, const char *path, sp_error *err)
{
    char *first = strategy_path(h, group, path, 0);
    char *base = first && !sp_h5_path_has_id(first) ? find_base(h->file, first) : NULL;
    sp_status status;
    if (!first || (!base && !sp_h5_path_has_id(first))) {
        status = sp_no_memory(err);
    } else {
        const sp_h5_map_request request = {.path = first,
                                           .base = base,
                                           .mend = mend,
                                           .offsets = places->offsets,
                                           .lengths = places->lengths,
                                           .ids = places->ids,
                                           .ignores_100 = places->ignores_100};
        status = sp_h5_map_open(h->file, h->file_name, &request, &h->map, err);
    }
    free(base);
    free(first);
    return status;
}

/* ---- what is said of recordings ---- */

static sp_status read_scores(sp_h5_source *h, const char *path, double **out, sp_error *err)
{
    const int64_t n = h->map.n_recordings;
    const hsize_t start = 0;
    char shape[SP_H5_SHAPE];
    sp_h5_data data;
    sp_status status = sp_h5_data_open(h->file, h->file_name, path, mend, &data, err);
    if (status != SP_OK)
        return status;
    double *scores = malloc(((size_t)n + 1) * sizeof *scores);
    void *raw = sp_h5_map_scratch(&h->map, (size_t)n * data.element.size + 1);
    if (data.rank != 1 || (int64_t)data.dims[0] != n || data.element.kind != SP_ELEMENT_FLOAT)
        status = sp_fail(err, SP_EDATA, "%s: dataset %s has shape %s, but there are %lld recordings, which need one float each",
                         h->file_name, path, sp_h5_shape(data.rank, data.dims, shape), (long long)n);
    else if (!scores || !raw)
        status = sp_no_memory(err);
    else
        status = sp_h5_data_read(&data, h->file_name, path, &start, data.dims, raw, err);
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

static sp_status read_counts(sp_h5_source *h, const char *path, int64_t most, int64_t **out, sp_error *err)
{
    int64_t n = 0;
    sp_status status = sp_h5_read_integers(h->file, h->file_name, path, mend, out, &n, err);
    if (status != SP_OK)
        return status;
    if (n != h->map.n_recordings)
        return sp_fail(err, SP_EDATA, "%s: dataset %s has %lld values, but there are %lld recordings", h->file_name, path,
                       (long long)n, (long long)h->map.n_recordings);
    for (int64_t i = 0; i < n; i++)
        if ((*out)[i] < 0 || (*out)[i] > most)
            return sp_fail(err, SP_EDATA, "%s: dataset %s, recording %s: %lld has no meaning here", h->file_name, path,
                           h->map.ids[i], (long long)(*out)[i]);
    return SP_OK;
}

/* Only statepath's own files, where /status stands beside /paths, have these. */
static sp_status read_verdicts(sp_h5_source *h, int32_t strategy, sp_error *err)
{
    static const char *const groups[] = {"/path_scores", "/status", "/broken"};
    sp_h5_verdicts *v = &h->verdicts[strategy];
    sp_status status = SP_OK;
    for (int i = 0; status == SP_OK && i < 3; i++) {
        char *path = sp_h5_path_join(groups[i], h->strategies[strategy]);
        if (!path)
            status = sp_no_memory(err);
        else if (sp_h5_has_link(h->file, path))
            status = i == 0   ? read_scores(h, path, &v->scores, err)
                     : i == 1 ? read_counts(h, path, 3, &v->status, err)
                              : read_counts(h, path, INT64_MAX, &v->broken, err);
        free(path);
    }
    h->has_path_scores[strategy] = v->scores != NULL;
    return status;
}

/* ---- opening ---- */

static sp_status open_parts(sp_h5_source *h, const sp_request *request, const char *group, const char *path, sp_error *err)
{
    const int32_t n = h->n_paths;
    h->paths = calloc((size_t)n, sizeof *h->paths);
    h->verdicts = calloc((size_t)n, sizeof *h->verdicts);
    h->has_path_scores = calloc((size_t)n, sizeof *h->has_path_scores);
    if (!h->paths || !h->verdicts || !h->has_path_scores)
        return sp_no_memory(err);
    const bool is_own = group && strcmp(group, "/paths") == 0;
    sp_status status = SP_OK;
    for (int32_t i = 0; status == SP_OK && i < n; i++) {
        status = sp_h5_part_open(&h->map, strategy_path(h, group, path, i), "class", false, false, &h->paths[i], err);
        if (status == SP_OK && is_own)
            status = read_verdicts(h, i, err);
    }
    if (status == SP_OK)
        status = sp_h5_source_labels(h, request->options->labels, &h->labels, err);
    if (status == SP_OK)
        status = sp_h5_source_part(h, NULL, "segments", "segment", false, true, &h->segments, err);
    return status == SP_OK ? sp_h5_source_ignored(h, request->options, err) : status;
}

sp_status sp_h5_source_open_paths(sp_h5_source *h, const sp_request *request, sp_error *err)
{
    char *group = NULL, *path = NULL;
    sp_status status = find_strategies(h, request->paths, &group, &path, err);
    if (status == SP_OK)
        status = open_map(h, request->options, group, path, err);
    if (status == SP_OK)
        status = open_parts(h, request, group, path, err);
    if (status == SP_OK)
        status = sp_h5_source_classes(&h->map, 0, &h->classes, &h->n_classes, h->classes_place, sizeof h->classes_place, err);
    if (status == SP_OK)
        status = sp_h5_root_text(h->file, h->file_name, "model", &h->model_json, err);
    if (status == SP_OK)
        status = sp_h5_root_text(h->file, h->file_name, "input", &h->input, err);
    free(group);
    free(path);
    return status;
}

void sp_h5_source_close_paths(sp_h5_source *h)
{
    for (int32_t i = 0; i < h->n_paths; i++) {
        if (h->paths)
            sp_h5_part_close(&h->paths[i]);
        if (h->verdicts) {
            free(h->verdicts[i].status);
            free(h->verdicts[i].broken);
            free(h->verdicts[i].scores);
        }
    }
    free(h->paths);
    free(h->verdicts);
    free(h->has_path_scores);
    free(h->strategies);
    free(h->model_json);
    free(h->input);
}

sp_decoded sp_h5_source_result(const sp_source *source, int32_t strategy, int64_t recording, bool is_undecoded)
{
    const sp_h5_source *h = source->opened;
    const sp_h5_verdicts *v = &h->verdicts[strategy];
    sp_decoded result = {.status = SP_OK, .step = -1};
    if (v->status)
        result.status = v->status[recording] == 1   ? SP_ENOPATH
                        : v->status[recording] == 2 ? SP_EDEADEND
                        : v->status[recording] == 3 ? SP_EBUG
                                                    : SP_OK;
    else if (is_undecoded)
        result.status = SP_ENOPATH;
    if (v->broken)
        result.n_broken = v->broken[recording];
    if (v->scores)
        result.score = v->scores[recording];
    return result;
}
