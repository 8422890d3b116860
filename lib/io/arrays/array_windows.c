/* Which windows of which texts the recordings are, as a file of arrays says it: whole numbers [N], the step of the text at which each
 * begins, or [N,2], the text's number before it. */
#include <stdlib.h>

#include "core/try.h"
#include "io/arrays/array_find.h"
#include "io/arrays/array_source.h"

sp_status sp_array_source_windows(sp_source *source, const char *place, int64_t **start, int64_t **text,
                                  sp_error *err)
{
    sp_array_map *map = sp_array_source_map(source);
    sp_stored *array = NULL;
    char where[SP_STORED_WHERE];
    int64_t *values = NULL, *texts = NULL, *starts = NULL, bad_at = -1;
    double bad = 0;
    sp_status status = SP_OK;
    TRY(sp_array_named(map, place, "windows", "windows", &array, err));
    if (!array)
        goto done;
    const bool has_texts = array->rank == 2 && array->dims[1] == 2;
    if (!sp_stored_is_whole(array) || array->dims[0] != map->n_recordings || (array->rank != 1 && !has_texts))
        TRY(sp_fail(err, SP_EDATA,
                    "%s must be whole numbers, of each of the %lld recordings the step of its text at which "
                    "it begins, or [%lld,2], with "
                    "the text's number before it",
                    sp_stored_where(&map->file, array, where), (long long)map->n_recordings,
                    (long long)map->n_recordings));
    const int64_t N = map->n_recordings;
    values = malloc(((size_t)array->count + 1) * sizeof *values);
    starts = malloc(((size_t)N + 1) * sizeof *starts);
    texts = has_texts ? malloc(((size_t)N + 1) * sizeof *texts) : NULL;
    if (!values || !starts || (has_texts && !texts))
        TRY(sp_no_memory(err));
    TRY(sp_stored_read(&map->file, array, 0, array->count, SP_TO_I64, 0, values, &bad_at, &bad, err));
    for (int64_t n = 0; n < N; n++) {
        if (texts)
            texts[n] = values[array->is_columns ? n : 2 * n];
        starts[n] = values[!has_texts ? n : array->is_columns ? N + n : 2 * n + 1];
    }
    *start = starts;
    *text = texts;
    starts = texts = NULL;
done:
    free(values);
    free(starts);
    free(texts);
    return status;
}
