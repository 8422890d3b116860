/* What a file of paths says of its recordings beside the paths. */
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "io/arrays/array_find.h"
#include "io/arrays/array_source.h"

static sp_status read_scores(const sp_array_map *map, sp_stored *array, double **out, sp_error *err)
{
    const int64_t n = map->n_recordings;
    char where[SP_STORED_WHERE], shape[SP_STORED_SHAPE];
    int64_t bad_at;
    double bad;
    if (array->rank != 1 || array->count != n || array->form != SP_STORED_NUMBERS ||
        array->element.kind != SP_ELEMENT_FLOAT)
        return sp_fail(
            err, SP_EDATA, "%s has shape %s, but there are %lld recordings, which need one float each",
            sp_stored_subject(&map->file, array, where), sp_stored_shape(array, shape), (long long)n);
    if (!(*out = malloc(((size_t)n + 1) * sizeof **out)))
        return sp_no_memory(err);
    return sp_stored_read(&map->file, array, 0, n, SP_TO_F64, 0, *out, &bad_at, &bad, err);
}

static sp_status read_counts(const sp_array_map *map, sp_stored *array, int64_t most, int64_t **out,
                             sp_error *err)
{
    char where[SP_STORED_WHERE];
    sp_status status = SP_OK;
    TRY(sp_stored_integers(&map->file, array, out, err));
    if (array->count != map->n_recordings)
        TRY(sp_fail(err, SP_EDATA, "%s has %lld values, but there are %lld recordings",
                    sp_stored_subject(&map->file, array, where), (long long)array->count,
                    (long long)map->n_recordings));
    for (int64_t i = 0; i < array->count; i++)
        if ((*out)[i] < 0 || (*out)[i] > most)
            TRY(sp_fail(err, SP_EDATA, "%s, recording %s: %lld has no meaning here",
                        sp_stored_where(&map->file, array, where), map->ids[i], (long long)(*out)[i]));
done:
    return status;
}

/* Only statepath's own files, where /status stands beside /paths, have these. */
static sp_status read_verdicts(sp_array_map *map, const char *strategy, sp_verdicts *v, sp_error *err)
{
    static const char *const groups[] = {"/path_scores", "/status", "/broken"};
    char *path = NULL;
    sp_status status = SP_OK;
    for (int i = 0; i < 3; i++) {
        free(path);
        if (!(path = sp_array_join(groups[i], strategy)))
            TRY(sp_no_memory(err));
        sp_stored *array = sp_stored_find(&map->file, path);
        if (!array)
            continue;
        TRY(sp_stored_look(&map->file, array, err));
        TRY(i == 0   ? read_scores(map, array, &v->scores, err)
            : i == 1 ? read_counts(map, array, 4, &v->status, err)
                     : read_counts(map, array, INT64_MAX, &v->broken, err));
    }
done:
    free(path);
    return status;
}

/* A text of the root; *out NULL where there is none. */
static sp_status read_text(const sp_array_map *map, const char *name, char **out, sp_error *err)
{
    sp_texts texts = NULL;
    int64_t n = 0;
    bool is_number;
    if (!map->file.store) /* arrays without attributes */
        return SP_OK;
    const sp_status status = map->file.store->attribute(&map->file, "/", name, &texts, &n, &is_number, NULL);
    const bool failed = status == SP_ENOMEM || (texts && n == 1 && !(*out = strdup(texts[0])));
    free(texts);
    return failed ? sp_no_memory(err) : SP_OK; /* what is no text says nothing */
}

sp_status sp_array_verdicts_open(sp_source *source, const sp_request *request, sp_error *err)
{
    sp_array_opened *a = source->opened;
    const int32_t n = source->paths.n_strategies;
    char *place = sp_stored_path(request->paths ? request->paths : "/paths");
    sp_status status = SP_OK;
    if (!place || !(a->verdicts = calloc((size_t)n + 1, sizeof *a->verdicts)))
        TRY(sp_no_memory(err));
    a->n_verdicts = n;
    for (int32_t i = 0; i < n && strcmp(place, "/paths") == 0; i++) {
        TRY(read_verdicts(&a->map, source->paths.strategies[i], &a->verdicts[i], err));
        a->has_path_scores[i] = a->verdicts[i].scores != NULL;
    }
    TRY(read_text(&a->map, "model", &a->model_json, err));
    TRY(read_text(&a->map, "input", &a->input, err));
    source->paths.model_json = a->model_json;
    source->paths.input = a->input;
done:
    free(place);
    return status;
}

void sp_array_verdicts_close(sp_array_opened *a)
{
    for (int32_t i = 0; a->verdicts && i < a->n_verdicts; i++) {
        free(a->verdicts[i].status);
        free(a->verdicts[i].broken);
        free(a->verdicts[i].scores);
    }
    free(a->verdicts);
    free(a->model_json);
    free(a->input);
}

sp_decoded sp_array_source_result(const sp_source *source, int32_t strategy, int64_t recording,
                                  bool is_undecoded)
{
    const sp_array_opened *a = source->opened;
    const sp_verdicts nothing = {.status = NULL}, *v = a->verdicts ? &a->verdicts[strategy] : &nothing;
    sp_decoded result = {.status = SP_OK, .step = -1};
    if (v->status)
        result.status = v->status[recording] == 1   ? SP_ENOPATH
                        : v->status[recording] == 2 ? SP_EDEADEND
                        : v->status[recording] == 3 ? SP_EBUG
                        : v->status[recording] == 4 ? SP_EUNREAD
                                                    : SP_OK;
    else if (is_undecoded)
        result.status = SP_ENOPATH;
    if (v->broken)
        result.n_broken = v->broken[recording];
    if (v->scores)
        result.score = v->scores[recording];
    return result;
}
