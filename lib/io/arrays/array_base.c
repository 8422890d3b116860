#include "io/arrays/array_base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/model.h"

char *sp_array_base_map(const sp_source *source, char text[SP_ARRAY_BASE])
{
    const sp_source_info *info = &source->info;
    const char *const *names = info->classes   ? info->classes
                               : source->model ? (const char *const *)source->model->classes
                                               : NULL;
    const int32_t K = !names ? 0 : info->classes ? info->n_classes : source->model->n_classes;
    enum { ROOM = SP_ARRAY_BASE - 200, END = 8 };
    size_t n = 1;
    strcpy(text, "'");
    for (int32_t k = 0; k < K; k++) {
        const int more = snprintf(text + n, ROOM - n, "%s%d=%s", k ? "," : "", k + 1, names[k]);
        if ((size_t)more >= ROOM - END - n) {
            strcpy(text + n, ",...");
            n += 4;
            break;
        }
        n += (size_t)more;
    }
    strcpy(text + n, K ? "'" : "1=FIRST,2=SECOND,...'");
    return text;
}

/* The least and the greatest number that is no -1. */
static sp_status find_range(const sp_array_map *map, sp_stored *array, int64_t *least, int64_t *most,
                            sp_error *err)
{
    int64_t bad_at = -1, *values = malloc(((size_t)array->count + 1) * sizeof *values);
    double bad = 0;
    sp_status status =
        values ? sp_stored_read(&map->file, array, 0, array->count, SP_TO_I64, 0, values, &bad_at, &bad, err)
               : sp_no_memory(err);
    const int64_t n = status == SP_OK && bad_at < 0 ? array->count
                                                    : 0; /* what is no whole number is said when it is read */
    for (int64_t i = 0; i < n; i++) {
        if (values[i] == -1)
            continue;
        *least = values[i] < *least ? values[i] : *least;
        *most = values[i] > *most ? values[i] : *most;
    }
    free(values);
    return status;
}

sp_status sp_array_base_look(const sp_source *source, const sp_array_map *map, char remark[SP_ARRAY_BASE],
                             sp_error *err)
{
    int64_t least = INT64_MAX, most = INT64_MIN;
    const sp_array_part *labels = &map->labels;
    char list[SP_ARRAY_BASE];
    sp_status status = SP_OK;
    remark[0] = '\0';
    for (int64_t n = 0; status == SP_OK && n < (labels->each ? map->n_recordings : 1); n++) {
        sp_stored *array = sp_array_of(labels, n);
        if (array && !array->words)
            status = find_range(map, array, &least, &most, err);
    }
    const int32_t K = source->info.n_classes;
    if (status == SP_OK && least >= 1 && most >= least && (K == 0 || most < K))
        snprintf(
            remark, SP_ARRAY_BASE,
            "labels are %lld to %lld and never 0; they are taken to count from 0, but MATLAB counts from "
            "1: `map` %s reads them so",
            (long long)least, (long long)most, sp_array_base_map(source, list));
    return status;
}
