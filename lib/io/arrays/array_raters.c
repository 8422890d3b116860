/* Labels by others, as a file of arrays says them: looked for only when asked. */
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "io/arrays/array_find.h"
#include "io/arrays/array_source.h"

/* Adds the names "x" of "labels_x" in a group of a store. */
static sp_status add_links(sp_array_opened *a, const char *group, sp_error *err)
{
    const sp_stored_file *f = &a->map.file;
    sp_texts links = NULL;
    int64_t n = 0;
    size_t length;
    sp_status status = SP_OK;
    if (sp_stored_what_is(f, group) == SP_STORED_GROUP)
        TRY(sp_stored_links(f, group, &links, &n, err));
    for (int64_t i = 0; i < n; i++) {
        const char *name = sp_rater_of(links[i], &length);
        if (name)
            TRY(sp_rater_names_add(&a->rater_names, name, length, f->file, err));
    }
done:
    free(links);
    return status;
}

/* In the groups of a store where the labels stand, and without labels the scores; of "/labels/{id}" in that of the folder. */
static sp_status add_stored_raters(sp_array_opened *a, sp_error *err)
{
    const sp_array_map *map = &a->map;
    const char *path = map->labels.path ? map->labels.path : map->reference, *last = strrchr(path, '/');
    char *folder = sp_array_group(path), *group = NULL;
    const bool is_each = folder && strstr(folder, SP_ARRAY_HOLE) != NULL;
    sp_status status = SP_OK;
    if (!folder)
        TRY(sp_no_memory(err));
    for (int64_t n = 0; n < (is_each ? map->n_recordings : 1); n++) {
        free(group);
        group = is_each                               ? sp_array_fill(folder, map->ids[n])
                : strstr(last, SP_ARRAY_HOLE) != NULL ? sp_array_group(folder)
                                                      : strdup(folder);
        if (!group)
            TRY(sp_no_memory(err));
        TRY(add_links(a, group, err));
    }
done:
    free(folder);
    free(group);
    return status;
}

static sp_status add_raters(sp_array_opened *a, sp_error *err)
{
    sp_status status = SP_OK;
    for (int64_t i = 0; a->map.file.by_name && i < a->map.file.n; i++) {
        size_t length;
        const char *path = a->map.file.arrays[i].name, *slash = strrchr(path, '/'),
                   *name = sp_rater_of(path, &length);
        if (!name && slash)
            name = sp_rater_of(slash + 1, &length);
        if (name)
            TRY(sp_rater_names_add(&a->rater_names, name, length, a->map.file.file, err));
    }
done:
    return status;
}

sp_status sp_array_source_find_raters(sp_source *source, sp_error *err)
{
    sp_array_opened *a = source->opened;
    sp_rater_names *found = &a->rater_names;
    sp_status status = SP_OK;
    TRY(a->map.file.store ? add_stored_raters(a, err) : add_raters(a, err));
    sp_rater_names_sort(found);
    for (int32_t i = 0; i < found->n;) {
        bool is_one = false;
        TRY(sp_array_rater(&a->map, found->names[i], &a->raters[i], &is_one, err));
        if (is_one) {
            i++;
        } else {
            sp_array_part_close(&a->raters[i]);
            sp_rater_names_drop(found, i);
        }
    }
    source->raters = (sp_raters_found){found->n, (const char *const *)found->names};
done:
    return status;
}
