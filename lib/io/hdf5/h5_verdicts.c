/* What a file of paths says of its recordings beside the paths. */
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "io/arrays/array_find.h"
#include "io/hdf5/h5_file.h"
#include "io/hdf5/h5_source.h"
#include "io/hdf5/h5_text.h"

static sp_status read_scores(const sp_array_map *map, sp_stored *array, double **out, sp_error *err)
{
    const int64_t n = map->n_recordings;
    char where[SP_STORED_WHERE], shape[SP_STORED_SHAPE];
    int64_t bad_at;
    double bad;
    if (array->rank != 1 || array->count != n || array->form != SP_STORED_NUMBERS || array->element.kind != SP_ELEMENT_FLOAT)
        return sp_fail(err, SP_EDATA, "%s has shape %s, but there are %lld recordings, which need one float each",
                       sp_stored_subject(&map->file, array, where), sp_stored_shape(array, shape), (long long)n);
    if (!(*out = malloc(((size_t)n + 1) * sizeof **out)))
        return sp_no_memory(err);
    return sp_stored_read(&map->file, array, 0, n, SP_TO_F64, 0, *out, &bad_at, &bad, err);
}

static sp_status read_counts(const sp_array_map *map, sp_stored *array, int64_t most, int64_t **out, sp_error *err)
{
    char where[SP_STORED_WHERE];
    sp_status status = SP_OK;
    TRY(sp_stored_integers(&map->file, array, out, err));
    if (array->count != map->n_recordings)
        TRY(sp_fail(err, SP_EDATA, "%s has %lld values, but there are %lld recordings",
                    sp_stored_subject(&map->file, array, where), (long long)array->count, (long long)map->n_recordings));
    for (int64_t i = 0; i < array->count; i++)
        if ((*out)[i] < 0 || (*out)[i] > most)
            TRY(sp_fail(err, SP_EDATA, "%s, recording %s: %lld has no meaning here", sp_stored_where(&map->file, array, where),
                        map->ids[i], (long long)(*out)[i]));
done:
    return status;
}

/* Only statepath's own files, where /status stands beside /paths, have these. */
static sp_status read_verdicts(sp_array_map *map, const char *strategy, sp_h5_verdicts *v, sp_error *err)
{
    static const char *const groups[] = {"/path_scores", "/status", "/broken"};
    char *path = NULL;
    sp_status status = SP_OK;
    for (int i = 0; i < 3; i++) {
        free(path);
        if (!(path = sp_h5_path_join(groups[i], strategy)))
            TRY(sp_no_memory(err));
        sp_stored *array = sp_stored_find(&map->file, path);
        if (!array)
            continue;
        TRY(sp_stored_look(&map->file, array, err));
        TRY(i == 0   ? read_scores(map, array, &v->scores, err)
            : i == 1 ? read_counts(map, array, 3, &v->status, err)
                     : read_counts(map, array, INT64_MAX, &v->broken, err));
    }
done:
    free(path);
    return status;
}

sp_status sp_h5_verdicts_open(sp_source *source, const sp_request *request, sp_error *err)
{
    sp_array_map *map = sp_array_source_map(source);
    sp_h5_store *h = map->file.own;
    const int32_t n = source->paths.n_strategies;
    char *place = sp_h5_path(request->paths ? request->paths : "/paths");
    sp_status status = SP_OK;
    h->verdicts = calloc((size_t)n + 1, sizeof *h->verdicts);
    h->has_path_scores = calloc((size_t)n + 1, sizeof *h->has_path_scores);
    if (!place || !h->verdicts || !h->has_path_scores)
        TRY(sp_no_memory(err));
    h->n_verdicts = n;
    for (int32_t i = 0; i < n && strcmp(place, "/paths") == 0; i++) {
        TRY(read_verdicts(map, source->paths.strategies[i], &h->verdicts[i], err));
        h->has_path_scores[i] = h->verdicts[i].scores != NULL;
    }
    TRY(sp_h5_root_text(h->file, map->file.file, "model", &h->model_json, err));
    TRY(sp_h5_root_text(h->file, map->file.file, "input", &h->input, err));
    source->paths.has_path_scores = h->has_path_scores;
    source->paths.model_json = h->model_json;
    source->paths.input = h->input;
done:
    free(place);
    return status;
}

void sp_h5_verdicts_close(sp_h5_store *h)
{
    for (int32_t i = 0; h->verdicts && i < h->n_verdicts; i++) {
        free(h->verdicts[i].status);
        free(h->verdicts[i].broken);
        free(h->verdicts[i].scores);
    }
    free(h->verdicts);
    free(h->has_path_scores);
    free(h->model_json);
    free(h->input);
}

sp_decoded sp_h5_verdicts_result(const sp_source *source, int32_t strategy, int64_t recording, bool is_undecoded)
{
    const sp_h5_store *h = sp_array_source_map(source)->file.own;
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
