#include "io/arrays/array_map.h"

#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "io/arrays/array_find.h"
#include "io/arrays/array_read.h"
#include "io/format.h"
#include "io/holes.h"

const char sp_array_swap[] =
    "; where the scores are [recordings, classes, steps], write them again with .swapaxes(1, 2)";

void sp_array_part_close(sp_array_part *part)
{
    for (int64_t n = 0; part->held && n < part->n_held; n++) {
        free(part->held[n].name);
        free(part->held[n].bytes);
        sp_label_words_free(part->held[n].words);
    }
    free(part->held);
    free(part->absent);
    free(part->path);
    free(part->each);
    *part = (sp_array_part){.path = NULL};
}

void sp_array_map_close(sp_array_map *map)
{
    sp_array_part *const parts[] = {&map->scores, &map->labels, &map->segments, &map->weights, &map->mask};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        sp_array_part_close(parts[i]);
    for (int32_t i = 0; i < map->n_paths; i++)
        sp_array_part_close(&map->paths[i]);
    free(map->first_taken.name);
    free(map->base);
    free(map->paths);
    free(map->ids);
    free(map->offsets);
    free(map->kept);
    sp_stored_close(&map->file);
}

bool sp_array_part_is(const sp_array_part *part)
{
    return part->one || part->each || part->is_taken;
}

bool sp_array_has_words(const sp_array_map *map, const sp_array_part *part)
{
    for (int64_t n = 0; part->each && n < map->n_recordings; n++)
        if (part->each[n] && part->each[n]->words)
            return true;
    return part->one && part->one->words;
}

char *sp_array_where(const sp_array_map *map, const sp_array_part *part, int64_t recording,
                     char text[SP_STORED_WHERE])
{
    const sp_stored *array = sp_array_of(part, recording);
    if (array)
        return sp_stored_where(&map->file, array, text);
    char *name = sp_array_fill(part->path, map->ids[recording]);
    const sp_stored named = {.name = name ? name : part->path};
    sp_stored_where(&map->file, &named, text);
    free(name);
    return text;
}
/* ---- labels of -100 ---- */

/* Steps whose label is -100: padding where they end a row, else holes. Of other layouts than rows only where `gaps` says what
 * becomes of them; else they are unscored. */
static sp_status find_ignored(sp_array_map *map, const sp_source_options *options, sp_error *err)
{
    const bool is_padded = map->layout == SP_LAYOUT_PADDED;
    const bool is_wanted = options->are_previous ? false
                           : is_padded           ? map->ignores_100
                                                 : options->ignores_100 && options->gaps != SP_GAPS_ERROR;
    const bool had_holes = map->kept != NULL;
    char where[SP_STORED_WHERE], shape[SP_STORED_SHAPE];
    int64_t *labels = NULL;
    bool found = false;
    sp_status status = SP_OK;
    if (is_wanted && sp_array_part_is(&map->labels) && !sp_array_has_words(map, &map->labels)) {
        const sp_wanted all = {.count = map->n_recordings, .n_steps = map->n_steps};
        if (!(labels = malloc(((size_t)map->n_steps + 1) * sizeof *labels)))
            TRY(sp_no_memory(err));
        TRY(sp_array_part_read(map, &map->labels, &all, SP_TO_I64, 0, labels,
                               err)); /* -1 where a recording has none */
        TRY(sp_holes_of_labels(map->n_recordings, map->offsets, labels, options, is_padded, &map->kept,
                               &found, err));
        map->n_steps = map->offsets[map->n_recordings];
    }
    map->is_kept_by_labels = map->kept && !had_holes;
    if (map->is_kept_by_labels)
        map->kept_name = map->labels.path;
    map->ignores_100 = options->ignores_100 || found;
    map->holds_100 = found;
    map->is_unsized &= !found;
    if (map->is_unsized && (map->file.store || map->file.by_name))
        TRY(sp_fail(err, SP_EDATA,
                    "%s has shape %s, one row a recording, but nothing says how long each is; write %s %s "
                    "lengths [%lld] beside "
                    "it (all %lld when nothing is padded), or name it with `lengths`",
                    sp_stored_subject(&map->file, map->first, where), sp_stored_shape(map->first, shape),
                    map->file.store ? "a" : "an", sp_stored_noun(&map->file), (long long)map->first->dims[0],
                    (long long)map->padded_steps));
done:
    free(labels);
    return status;
}

/* ---- all of it ---- */

/* Labels beside the reference: at `given`, else called so, else as transformers' Trainer calls them. */
static sp_status find_labels(sp_array_map *map, const sp_array_part *reference, const char *given,
                             sp_error *err)
{
    sp_status status = SP_OK;
    TRY(sp_array_find_part(map, reference, given, "labels", "label", false, true, &map->labels, err));
    if (given || sp_array_part_is(&map->labels) || map->layout == SP_LAYOUT_GROUPS)
        goto done;
    sp_array_part_close(&map->labels);
    TRY(sp_array_find_part(map, reference, NULL, SP_TRAINER_LABELS, "label", false, true, &map->labels, err));
done:
    return status;
}

static sp_status open_paths(sp_array_map *map, const sp_request *request, sp_error *err)
{
    const sp_source_options *options = request->options;
    sp_status status = SP_OK;
    TRY(sp_array_find_paths(map, request->paths, err));
    TRY(sp_array_map_recordings(map, map->paths, options, err));
    const bool are_groups = map->layout == SP_LAYOUT_GROUPS;
    for (int32_t i = 1; i < map->n_paths; i++)
        TRY(sp_array_use_shape(map, &map->paths[i], map->paths[i].one, 0, err));
    sp_array_part root = {.path = are_groups          ? map->paths[0].path
                                  : map->file.by_name ? (char *)"paths"
                                                      : NULL};
    TRY(find_labels(map, &root, options->labels, err));
    TRY(sp_array_find_part(map, &root, NULL, "segments", "segment", false, true, &map->segments, err));
    TRY(find_ignored(map, options, err));
done:
    return status;
}

bool sp_array_is_unused(const sp_stored *array)
{
    return array->name && !array->is_used && !sp_array_is_beside(array->name);
}

sp_status sp_array_load_part(const sp_array_map *map, const sp_array_part *part, sp_error *err)
{
    sp_status status = SP_OK;
    for (int64_t n = 0; n < (part->each ? map->n_recordings : 1); n++) {
        sp_stored *array = sp_array_of(part, n);
        if (!array)
            continue;
        array->is_used = true;
        TRY(sp_stored_load(&map->file, array, err));
    }
done:
    return status;
}
/* Damage of what is read is found here, not after some of it was used. What was unpacked only to be looked at is forgotten. */
static sp_status load_parts(sp_array_map *map, sp_error *err)
{
    const sp_array_part *const parts[] = {&map->scores, &map->labels, &map->segments, &map->weights,
                                          &map->mask};
    sp_status status = SP_OK;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        TRY(sp_array_load_part(map, parts[i], err));
    for (int32_t i = 0; i < map->n_paths; i++)
        TRY(sp_array_load_part(map, &map->paths[i], err));
    for (int64_t i = 0; i < map->file.n; i++)
        if (!map->file.arrays[i].is_used)
            sp_stored_forget(&map->file.arrays[i]);
done:
    return status;
}

static sp_status open_all(sp_array_map *map, const sp_request *request, sp_error *err)
{
    const sp_source_options *options = request->options;
    sp_status status = SP_OK;
    map->is_turned = options->transpose;
    if (request->is_paths)
        return open_paths(map, request, err);
    TRY(sp_array_find_scores(map, options, err));
    const bool has_scores = map->scores.path || map->scores.one;
    if (!has_scores)
        TRY(sp_array_find_labels(map, options, err));
    sp_array_part *reference = has_scores ? &map->scores : &map->labels;
    TRY(sp_array_map_recordings(map, reference, options, err));
    if (has_scores)
        TRY(find_labels(map, reference, options->labels, err));
    TRY(sp_array_find_part(map, reference, NULL, "segments", "segment", false, false, &map->segments, err));
    TRY(sp_array_find_part(map, reference, NULL, "weights", "weight", false, false, &map->weights, err));
    if (has_scores)
        TRY(sp_array_find_part(map, reference, options->mask, "mask", "mask", true, false, &map->mask, err));
    TRY(find_ignored(map, options, err));
done:
    return status;
}

sp_status sp_array_map_open(sp_array_map *map, const sp_request *request, sp_error *err)
{
    sp_status status = open_all(map, request, err);
    return status == SP_OK ? load_parts(map, err) : status;
}
