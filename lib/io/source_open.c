#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/h5_file.h"
#include "io/source_private.h"

const char *sp_layout_name(sp_layout layout)
{
    static const char *const names[] = {"packed", "padded", "single", "groups"};
    return (unsigned)layout < sizeof names / sizeof *names ? names[layout] : "unknown";
}

sp_source_options sp_source_options_default(void)
{
    return (sp_source_options){.kind = SP_KIND_LOG_PROBS, .needs_scores = true};
}

const sp_source_info *sp_source_info_of(const sp_source *source)
{
    return &source->info;
}

static void source_free(sp_source *source)
{
    sp_h5_part_close(&source->scores);
    sp_h5_part_close(&source->labels);
    sp_h5_part_close(&source->segments);
    sp_h5_part_close(&source->weights);
    sp_h5_part_close(&source->mask);
    sp_source_scorers_close(source);
    sp_h5_map_close(&source->map);
    if (source->file > 0)
        H5Fclose(source->file);
    free(source->classes);
    free(source->file_name);
    free(source);
}

void sp_source_close(sp_source *source)
{
    if (!source)
        return;
    sp_h5_quiet quiet;
    sp_h5_quiet_begin(&quiet);
    source_free(source);
    sp_h5_quiet_end(&quiet);
}

/* ---- what stands beside the scores ---- */

/* In groups: does any recording have it? */
static bool beside_exists(const sp_h5_map *map, const char *path, bool *failed)
{
    if (map->layout != SP_LAYOUT_GROUPS)
        return sp_h5_has_link(map->file, path);
    for (int64_t n = 0; n < map->n_recordings && !*failed; n++)
        if (sp_h5_map_has(map, path, n, failed))
            return true;
    return false;
}

static sp_status open_beside(sp_source *source, const char *given, const char *name, const char *noun, bool has_classes,
                             bool is_optional, sp_h5_part *part, sp_error *err)
{
    bool failed = false;
    char *path = given ? sp_h5_path(given) : sp_source_beside(source->map.path, name, &failed);
    if (failed || (given && !path))
        return sp_fail(err, SP_ENOMEM, "%s: not enough memory", source->file_name);
    if (!path)
        return SP_OK;
    if (!given && !beside_exists(&source->map, path, &failed)) {
        free(path);
        return failed ? sp_fail(err, SP_ENOMEM, "%s: not enough memory", source->file_name) : SP_OK;
    }
    return sp_h5_part_open(&source->map, path, noun, has_classes, is_optional && !given, part, err);
}

static sp_status open_parts(sp_source *source, const sp_source_options *options, bool is_scores, sp_error *err)
{
    sp_h5_map *map = &source->map;
    sp_status status = SP_OK;
    if (is_scores)
        status = sp_h5_part_open(map, strdup(map->path), "score", true, false, &source->scores, err);
    if (status == SP_OK)
        status =
            open_beside(source, is_scores ? options->labels : map->path, "labels", "label", false, true, &source->labels, err);
    if (status == SP_OK)
        status = open_beside(source, NULL, "segments", "segment", false, false, &source->segments, err);
    if (status == SP_OK)
        status = open_beside(source, NULL, "weights", "weight", false, false, &source->weights, err);
    if (status == SP_OK && is_scores)
        status = open_beside(source, NULL, "mask", "mask", true, false, &source->mask, err);
    return status;
}

/* ---- kind ---- */

/* What one row looks like: 1 probs, 2 log_probs, 0 neither, -1 says nothing (NaN, all impossible). */
static int row_kind(const double *row, int64_t n_classes)
{
    double sum = 0, sum_exp = 0, low = INFINITY, high = -INFINITY;
    for (int64_t k = 0; k < n_classes; k++) {
        if (isnan(row[k]))
            return -1;
        sum += row[k];
        sum_exp += exp(row[k]);
        low = fmin(low, row[k]);
        high = fmax(high, row[k]);
    }
    const double tolerance = SP_ROW_TOLERANCE_PERCENT / 100.0;
    if (high == -INFINITY || (low == 0 && high == 0 && n_classes > 1))
        return -1;
    if (low >= 0 && high <= 1 + tolerance && fabs(sum - 1) <= tolerance)
        return 1;
    return high <= tolerance && fabs(log(sum_exp)) <= tolerance ? 2 : 0;
}

/* A dataset of a name that says nothing is taken for what its first row is. */
static sp_status guess_kind(sp_source *source, sp_kind *kind, sp_error *err)
{
    sp_h5_map *map = &source->map;
    int64_t n = 0;
    while (n < map->n_recordings && map->offsets[n + 1] == map->offsets[n])
        n++;
    if (n == map->n_recordings)
        return SP_OK; /* no row, no matter */
    const int64_t length = map->offsets[n + 1] - map->offsets[n], steps = length < 64 ? length : 64, width = map->n_classes;
    double *rows = malloc((size_t)(steps * width) * sizeof *rows);
    if (!rows)
        return sp_fail(err, SP_ENOMEM, "%s: not enough memory for recording %s", map->file_name, map->ids[n]);
    sp_status status = sp_h5_part_steps(map, &source->scores, n, 0, steps, SP_TO_F64, 0, rows, err);
    int found = -1;
    for (int64_t t = 0; status == SP_OK && found < 0 && t < steps; t++)
        found = row_kind(rows + t * width, width);
    free(rows);
    if (status != SP_OK)
        return status;
    if (found == 1)
        *kind = SP_KIND_PROBS;
    else if (found == 2)
        *kind = SP_KIND_LOG_PROBS;
    else
        return sp_fail(
            err, SP_EDATA,
            "%s: the name of dataset %s does not say what it holds, and its first row is neither probabilities nor log "
            "probabilities; say it with --kind logits or --kind scores",
            map->file_name, map->path);
    return SP_OK;
}

static sp_status find_kind(sp_source *source, const sp_source_options *options, sp_error *err)
{
    if (options->has_kind) {
        source->info.kind = options->kind;
        return SP_OK;
    }
    source->info.kind_from_name = sp_source_kind_of_name(source->map.path, &source->info.kind);
    return source->info.kind_from_name ? SP_OK : guess_kind(source, &source->info.kind, err);
}

/* ---- all of it ---- */

static void fill_info(sp_source *source, bool is_scores, int64_t n_classes)
{
    const sp_h5_map *map = &source->map;
    sp_source_info *info = &source->info;
    snprintf(source->stored_type, sizeof source->stored_type, "%s%s", map->type_name, map->is_mixed ? " and others" : "");
    info->file = source->file_name;
    info->layout = map->layout;
    info->has_scores = is_scores;
    info->dtype = map->element.size == 8 ? SP_F64 : SP_F32;
    info->stored_type = source->stored_type;
    info->storage = map->storage;
    info->scores_path = is_scores ? map->path : NULL;
    info->n_recordings = map->n_recordings;
    info->n_steps = map->n_steps;
    info->n_classes = (int32_t)n_classes;
    info->ids = (const char *const *)map->ids;
    info->has_ids = map->has_ids;
    info->offsets = map->offsets;
    info->classes = (const char *const *)source->classes;
    info->classes_place = source->classes ? source->classes_place : NULL;
    info->has_labels = source->labels.path != NULL;
    info->has_segments = source->segments.path != NULL;
    info->has_weights = source->weights.path != NULL;
    info->has_mask = source->mask.path != NULL;
    info->labels_path = source->labels.path;
    info->n_unlabelled = source->labels.n_absent;
}

static sp_status source_fill(sp_source *source, const sp_source_options *options, sp_error *err)
{
    const char *name = source->file_name;
    char *path = NULL;
    bool is_scores = true;
    sp_status status = sp_h5_open(name, &options->access, &source->file, &source->info.file_size, err);
    if (status == SP_OK)
        status = sp_source_find(source->file, name, options, &path, &is_scores, err);
    if (status != SP_OK)
        return status;
    const sp_h5_map_request request = {.path = path,
                                       .mend = is_scores ? "say where the scores are with --scores PATH"
                                                         : "say where the labels are with --labels PATH",
                                       .has_class_axis = is_scores,
                                       .offsets = options->offsets,
                                       .lengths = options->lengths,
                                       .ids = options->ids};
    status = sp_h5_map_open(source->file, name, &request, &source->map, err);
    free(path);
    int64_t n_classes = source->map.n_classes, n_names = 0;
    if (status == SP_OK)
        status = open_parts(source, options, is_scores, err);
    if (status == SP_OK)
        status = sp_source_classes(&source->map, n_classes, &source->classes, &n_names, source->classes_place,
                                   sizeof source->classes_place, err);
    if (status == SP_OK && is_scores)
        status = find_kind(source, options, err);
    if (status == SP_OK)
        fill_info(source, is_scores, is_scores ? n_classes : source->classes ? n_names : 0);
    return status;
}

sp_status sp_source_open(const char *file, const sp_source_options *options, sp_source **out, sp_error *err)
{
    const sp_source_options usual = sp_source_options_default();
    sp_source *source = calloc(1, sizeof *source);
    if (!source || !(source->file_name = strdup(file))) {
        free(source);
        return sp_fail(err, SP_ENOMEM, "%s: not enough memory", file);
    }
    sp_h5_quiet quiet;
    sp_h5_quiet_begin(&quiet);
    sp_h5_lack_begin();
    sp_status status = source_fill(source, options ? options : &usual, err);
    if (status == SP_OK && sp_h5_lack_met())
        status = sp_fail(err, SP_ENOMEM, "%s: not enough memory", file);
    if (status != SP_OK)
        source_free(source);
    sp_h5_quiet_end(&quiet);
    if (status == SP_OK)
        *out = source;
    return status;
}
