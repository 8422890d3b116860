#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/hdf5/h5_file.h"
#include "io/hdf5/h5_formats.h"
#include "io/hdf5/h5_source.h"
#include "io/holes.h"
#include "io/row_kind.h"
#include "sleep/label_coding_use.h"

static sp_status open_parts(sp_h5_source *h, const sp_source_options *options, bool is_scores, sp_error *err)
{
    sp_h5_map *map = &h->map;
    sp_status status = SP_OK;
    if (is_scores)
        status = sp_h5_part_open(map, strdup(map->path), "score", true, false, &h->scores, err);
    if (status == SP_OK)
        status = sp_h5_source_labels(h, is_scores ? options->labels : map->path, &h->labels, err);
    if (status == SP_OK)
        status = sp_h5_source_part(h, NULL, "segments", "segment", false, false, &h->segments, err);
    if (status == SP_OK)
        status = sp_h5_source_part(h, NULL, "weights", "weight", false, false, &h->weights, err);
    if (status == SP_OK && is_scores)
        status = sp_h5_source_part(h, options->mask, "mask", "mask", true, false, &h->mask, err);
    return status;
}

/* ---- labels of -100 ---- */

sp_status sp_h5_source_ignored(sp_h5_source *h, const sp_source_options *options, sp_error *err)
{
    sp_h5_map *map = &h->map;
    const bool is_padded = map->layout == SP_LAYOUT_PADDED;
    const bool is_wanted = options->are_previous ? false
                           : is_padded           ? map->ignores_100
                                                 : options->ignores_100 && options->gaps != SP_GAPS_ERROR;
    const bool had_holes = map->kept != NULL;
    bool found = false;
    if (is_wanted && h->labels.path && !h->labels.words) {
        int64_t *labels = malloc(((size_t)map->n_steps + 1) * sizeof *labels); /* -1 where a recording has none */
        sp_status status =
            labels ? sp_h5_part_read(map, &h->labels, 0, map->n_recordings, SP_TO_I64, 0, labels, err) : sp_no_memory(err);
        if (status == SP_OK)
            status = sp_holes_of_labels(map->n_recordings, map->offsets, labels, options, is_padded, &map->kept, &found, err);
        free(labels);
        if (status != SP_OK)
            return status;
        map->n_steps = map->offsets[map->n_recordings];
    }
    map->ignores_100 = options->ignores_100 || found;
    h->is_kept_by_labels = map->kept && !had_holes;
    if (h->is_kept_by_labels) {
        free(map->kept_name);
        if (!(map->kept_name = strdup(h->labels.path)))
            return sp_no_memory(err);
    }
    const char *name = sp_h5_path_name(map->path);
    const bool are_logits = strcmp(name, sp_kind_name(SP_KIND_LOGITS)) == 0 || strcmp(name, SP_TRAINER_SCORES) == 0;
    return !map->is_unsized || found || (are_logits && h->labels.path) ? SP_OK : sp_h5_map_unsized(map, err);
}

/* ---- kind ---- */

/* A dataset of a name that says nothing is taken for what its first row is. */
static sp_status guess_kind(sp_h5_source *h, sp_kind *kind, sp_error *err)
{
    sp_h5_map *map = &h->map;
    int64_t n = 0;
    while (n < map->n_recordings && map->offsets[n + 1] == map->offsets[n])
        n++;
    if (n == map->n_recordings)
        return SP_OK; /* no row, no matter */
    const int64_t length = map->offsets[n + 1] - map->offsets[n], width = map->n_classes;
    const int64_t steps = length < SP_ROW_KIND_ROWS ? length : SP_ROW_KIND_ROWS;
    double *rows = malloc((size_t)(steps * width) * sizeof *rows);
    if (!rows)
        return sp_no_memory(err);
    sp_status status = sp_h5_part_steps(map, &h->scores, n, 0, steps, SP_TO_F64, 0, rows, err);
    const sp_row_kind found = status == SP_OK ? sp_row_kind_of(rows, steps, width, width, 1) : SP_ROW_OTHER;
    const bool is_of_trainer = strcmp(sp_h5_path_name(map->path), SP_TRAINER_SCORES) == 0 && h->labels.path;
    free(rows);
    if (status == SP_OK && !sp_row_kind_known(found, kind) && is_of_trainer)
        *kind = SP_KIND_LOGITS;
    else if (status == SP_OK && !sp_row_kind_known(found, kind))
        return sp_fail(
            err, SP_EDATA,
            "%s: the name of dataset %s does not say what it holds, and its first row is neither probabilities nor log "
            "probabilities; say it with `kind` logits or `kind` scores",
            map->file_name, map->path);
    return status;
}

static sp_status find_kind(sp_source *source, sp_h5_source *h, const sp_source_options *options, sp_error *err)
{
    if (options->has_kind) {
        source->info.kind = options->kind;
        return SP_OK;
    }
    source->info.kind_from_name = sp_h5_source_kind_of_name(h->map.path, &source->info.kind);
    return source->info.kind_from_name ? SP_OK : guess_kind(h, &source->info.kind, err);
}

/* ---- opening ---- */

static void fill_info(sp_source *source, sp_h5_source *h)
{
    const sp_h5_map *map = &h->map;
    sp_source_info *info = &source->info;
    snprintf(h->stored_type, sizeof h->stored_type, "%s%s", map->type_name, map->is_mixed ? " and others" : "");
    info->layout = map->layout;
    info->has_scores = h->scores.path != NULL;
    info->dtype = map->element.size == 8 ? SP_F64 : SP_F32;
    info->stored_type = h->stored_type;
    info->storage = map->storage;
    info->scores_path = info->has_scores ? map->path : NULL;
    info->n_recordings = map->n_recordings;
    info->n_steps = map->n_steps;
    info->n_classes = (int32_t)(info->has_scores ? map->n_classes : h->n_classes);
    info->ids = (const char *const *)map->ids;
    info->has_ids = map->has_ids;
    info->offsets = map->offsets;
    info->classes = (const char *const *)h->classes;
    info->classes_place = h->classes ? h->classes_place : NULL;
    info->has_labels = h->labels.path != NULL;
    info->has_segments = h->segments.path != NULL;
    info->has_weights = h->weights.path != NULL;
    info->has_mask = h->mask.path != NULL;
    source->tokens = (const char *const *)h->tokens;
    info->is_simulated = sp_h5_has_attribute(h->file, "/", "recipe");
    info->labels_path = h->labels.path;
    info->n_unlabelled = h->labels.n_absent;
    source->paths.n_strategies = h->n_paths;
    source->paths.strategies = (const char *const *)h->strategies;
    source->paths.has_path_scores = h->has_path_scores;
    source->paths.model_json = h->model_json;
    source->paths.input = h->input;
}

static sp_status find_tokens(sp_h5_source *h, sp_error *err)
{
    bool failed = false, is_number;
    int64_t n = 0;
    char *path = sp_h5_source_beside(h->map.path, "tokens", &failed);
    sp_status status = failed ? sp_no_memory(err) : SP_OK;
    if (path && h->map.layout != SP_LAYOUT_GROUPS && sp_h5_look(h->file, path) == SP_H5_DATASET) {
        status = sp_h5_texts_dataset(h->file, h->file_name, path, "write it again", &h->tokens, &n, &is_number, err);
        if (status == SP_OK && n != h->map.n_steps)
            status = sp_fail(err, SP_EDATA, "%s: dataset %s has %lld tokens, but there are %lld steps; write one for each step",
                             h->file_name, path, (long long)n, (long long)h->map.n_steps);
    }
    free(path);
    return status;
}

static sp_status open_scores(sp_source *source, sp_h5_source *h, const sp_source_options *options, sp_error *err)
{
    char *path = NULL;
    bool is_scores = true;
    if (options->transpose)
        return sp_fail(err, SP_EINVAL, "%s: `transpose` is for arrays of .npy and .npz, and this is an HDF5 file", h->file_name);
    sp_status status = sp_h5_source_find(h->file, h->file_name, options, &path, &is_scores, err);
    if (status != SP_OK)
        return status;
    const sp_h5_map_request request = {.path = path,
                                       .mend = is_scores ? "say where the scores are with `scores` PATH"
                                                         : "say where the labels are with `labels` PATH",
                                       .has_class_axis = is_scores,
                                       .offsets = options->offsets,
                                       .lengths = options->lengths,
                                       .ids = options->ids,
                                       .cuts = options->needs_scores,
                                       .ignores_100 = options->ignores_100};
    status = sp_h5_map_open(h->file, h->file_name, &request, &h->map, err);
    free(path);
    if (status == SP_OK)
        status = open_parts(h, options, is_scores, err);
    if (status == SP_OK)
        status = sp_h5_source_ignored(h, options, err);
    if (status == SP_OK)
        status = sp_h5_source_classes(&h->map, h->map.n_classes, &h->classes, &h->n_classes, h->classes_place,
                                      sizeof h->classes_place, err);
    if (status == SP_OK && options->with_tokens)
        status = find_tokens(h, err);
    return status == SP_OK && is_scores ? find_kind(source, h, options, err) : status;
}

/* What paths that were written with holes say of them. */
static sp_status find_own_gaps(sp_source *source, sp_h5_source *h, sp_error *err)
{
    char *word = NULL;
    sp_status status = source->kept ? sp_h5_root_text(h->file, h->file_name, "gaps", &word, err) : SP_OK;
    if (status == SP_OK && word)
        source->own_gaps = sp_gaps_of(word);
    free(word);
    return status;
}

static sp_status open_h5(sp_source *source, const sp_request *request, sp_error *err)
{
    sp_h5_source *h = source->opened = calloc(1, sizeof *h);
    if (!h)
        return sp_no_memory(err);
    h->file_name = source->file_name;
    sp_h5_quiet quiet;
    sp_h5_quiet_begin(&quiet);
    sp_status status = sp_h5_open(h->file_name, &request->options->access, &h->file, &source->info.file_size, err);
    if (status == SP_OK)
        status = request->is_paths ? sp_h5_source_open_paths(h, request, err) : open_scores(source, h, request->options, err);
    if (status == SP_OK)
        fill_info(source, h);
    source->has_words = h->labels.words != NULL;
    if (status == SP_OK && h->map.kept && !(source->kept_place = sp_kept_place("dataset", h->map.kept_name)))
        status = sp_no_memory(err);
    source->ignores_100 |= h->map.ignores_100;
    source->kept = h->map.kept;
    source->is_kept_by_labels = h->is_kept_by_labels;
    h->map.kept = NULL;
    if (status == SP_OK)
        status = find_own_gaps(source, h, err);
    return sp_h5_quiet_end(&quiet, status, err);
}

static void close_h5(void *opened)
{
    sp_h5_source *h = opened;
    sp_h5_quiet quiet;
    sp_h5_quiet_begin(&quiet);
    sp_h5_part *const parts[] = {&h->scores, &h->labels, &h->segments, &h->weights, &h->mask};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        sp_h5_part_close(parts[i]);
    for (int32_t i = 0; i < h->n_open_raters; i++)
        sp_h5_part_close(&h->raters[i]);
    sp_rater_names_clear(&h->rater_names);
    sp_h5_source_close_paths(h);
    sp_h5_map_close(&h->map);
    if (h->file > 0)
        H5Fclose(h->file);
    free(h->classes);
    free(h->tokens);
    free(h);
    (void)sp_h5_quiet_end(&quiet, SP_OK, NULL);
}

/* ---- reading ---- */

static sp_status read_part(sp_h5_source *h, const sp_h5_part *part, const sp_wanted *w, sp_target target, int64_t limit,
                           void *out, sp_error *err)
{
    if (!out)
        return SP_OK;
    if (w->is_part)
        return sp_h5_part_steps(&h->map, part, w->first, w->first_step, w->n_steps, target, limit, out, err);
    return sp_h5_part_read(&h->map, part, w->first, w->count, target, limit, out, err);
}

static sp_status fail_label(const sp_h5_map *map, const sp_h5_part *part, int64_t n, int64_t step, const char *label,
                            const sp_word_meaning *meaning, sp_error *err)
{
    char sentence[SP_CODES_SENTENCE], *path = sp_h5_map_path(map, part->path, n);
    if (!path)
        return sp_no_memory(err);
    sp_status status = sp_fail_at(err, SP_EDATA, step, "%s: dataset %s, recording %s, step %lld: %s", map->file_name, path,
                                  map->ids[n], (long long)step, sp_label_words_explain(label, meaning, sentence));
    free(path);
    return status;
}

/* Words, which were read when the part was opened. */
static sp_status read_words(const sp_h5_map *map, const sp_h5_part *part, const sp_wanted *w, const sp_word_meaning *meaning,
                            int32_t *out, sp_error *err)
{
    const int64_t begin = map->offsets[w->first] + (w->is_part ? w->first_step : 0);
    sp_label_words_tell(part->words, meaning);
    for (int64_t t = begin, n = w->first; t < begin + w->n_steps; t++) {
        const int32_t word = part->word_at[t];
        const int32_t class = out[t - begin] = word < 0 ? -1 : part->words->class_of[word];
        if (class >= SP_CODE_UNSCORED)
            continue;
        while (map->offsets[n + 1] <= t)
            n++;
        return fail_label(map, part, n, t - map->offsets[n], part->words->words[word], meaning, err);
    }
    return SP_OK;
}

/* As classes of the codes' model. A code that means nothing: SP_EDATA with recording, step, and the codes that are known. */
static sp_status read_coded(const sp_source *source, const sp_h5_part *part, const sp_wanted *w, const sp_codes *codes,
                            int32_t *out, sp_error *err)
{
    sp_h5_source *h = source->opened;
    const int64_t *offsets = h->map.offsets;
    int64_t *raw = malloc(((size_t)w->n_steps + 1) * sizeof *raw);
    if (!raw)
        return sp_no_memory(err);
    sp_status status = read_part(h, part, w, SP_TO_I64, 0, raw, err);
    for (int64_t n = w->first; status == SP_OK && n < w->first + w->count; n++) {
        const int64_t begin = w->is_part ? 0 : offsets[n] - offsets[w->first],
                      end = w->is_part ? w->n_steps : offsets[n + 1] - offsets[w->first];
        const bool is_absent = part->absent && part->absent[n];
        for (int64_t t = begin; status == SP_OK && t < end; t++) {
            /* codes stay as they are for a while: those of the step before need no looking up */
            out[t] = is_absent || sp_source_label_is_none(source, raw[t]) ? -1
                     : t > begin && raw[t] == raw[t - 1]                  ? out[t - 1]
                                                                          : sp_codes_number(codes, (double)raw[t]);
            if (out[t] < SP_CODE_UNSCORED) {
                char code[32];
                snprintf(code, sizeof code, "%lld", (long long)raw[t]);
                status = fail_label(&h->map, part, n, w->first_step + t - begin, code, &(sp_word_meaning){.codes = codes}, err);
            }
        }
    }
    free(raw);
    return status;
}

/* Labels and the like: -1 unscored, else as they stand or by codes, or what their words mean. */
static sp_status read_classes(sp_source *source, const sp_h5_part *part, const sp_wanted *wanted, const sp_codes *codes,
                              int32_t *out, sp_error *err)
{
    const sp_source_info *info = &source->info;
    const sp_word_meaning meaning = {codes, info->classes, info->n_classes, source->model};
    const int64_t limit = info->n_classes ? info->n_classes : (int64_t)INT32_MAX + 1;
    sp_h5_source *h = source->opened;
    sp_h5_quiet quiet;
    sp_h5_quiet_begin(&quiet);
    sp_status status = !out          ? SP_OK
                       : part->words ? read_words(&h->map, part, wanted, &meaning, out, err)
                       : codes       ? read_coded(source, part, wanted, codes, out, err)
                                     : read_part(h, part, wanted, sp_source_label_target(source), limit, out, err);
    return sp_h5_quiet_end(&quiet, status, err);
}

static sp_status read_block(sp_source *source, const sp_wanted *wanted, sp_block *block, sp_error *err)
{
    sp_h5_source *h = source->opened;
    sp_h5_quiet quiet;
    sp_h5_quiet_begin(&quiet);
    const sp_target target = block->dtype == SP_F32 ? SP_TO_F32 : SP_TO_F64;
    sp_status status = read_part(h, &h->scores, wanted, target, 0, block->scores, err);
    if (status == SP_OK)
        status = read_classes(source, &h->labels, wanted, source->codes, block->labels, err);
    if (status == SP_OK)
        status = read_part(h, &h->segments, wanted, SP_TO_I64, 0, block->segments, err);
    if (status == SP_OK)
        status = read_part(h, &h->weights, wanted, SP_TO_WEIGHT, 0, block->weights, err);
    if (status == SP_OK)
        status = read_part(h, &h->mask, wanted, SP_TO_BOOL, 0, block->mask, err);
    return sp_h5_quiet_end(&quiet, status, err);
}

static sp_status read_path(sp_source *source, int32_t strategy, const sp_wanted *wanted, int32_t *out, sp_error *err)
{
    sp_h5_source *h = source->opened;
    return read_classes(source, &h->paths[strategy], wanted, source->path_codes, out, err);
}

static sp_status read_rater(sp_source *source, int32_t rater, const sp_wanted *wanted, int32_t *out, sp_error *err)
{
    sp_h5_source *h = source->opened;
    return read_classes(source, &h->raters[rater], wanted, source->codes, out, err);
}

static void use_threads(sp_source *source, int n_threads)
{
    sp_h5_source *h = source->opened;
    sp_h5_part *const parts[] = {&h->scores, &h->labels, &h->segments, &h->weights, &h->mask};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (parts[i]->data.direct)
            sp_h5_direct_use_threads(parts[i]->data.direct, n_threads);
    sp_chunk_jobs_free(h->map.jobs);
    h->map.jobs = NULL;
    h->map.n_threads = n_threads;
}

static sp_status epoch_seconds(sp_source *source, double *seconds, sp_error *err)
{
    sp_h5_source *h = source->opened;
    const char *first = h->map.first_path;
    char *group = first ? sp_h5_path_group(first) : NULL;
    if (first && !group)
        return sp_no_memory(err);
    const char *const places[] = {first, group, h->map.base, "/"};
    sp_h5_quiet quiet;
    sp_h5_quiet_begin(&quiet);
    sp_status status = sp_h5_epoch_seconds(h->file, h->file_name, 4, places, seconds, err);
    status = sp_h5_quiet_end(&quiet, status, err);
    free(group);
    return status;
}

/* HDF5's eight bytes stand at the begin, or after a block of the user's: at 512, 1024, 2048 ... */
static bool is_h5(const sp_file_look *look)
{
    static const char magic[] = "\x89HDF\r\n\x1a\n";
    const size_t length = sizeof magic - 1;
    char at[sizeof magic];
    if (look->n >= length && memcmp(look->head, magic, length) == 0)
        return true;
    int fd = look->n == sizeof look->head ? open(look->file, O_RDONLY | O_CLOEXEC) : -1;
    bool is_found = false;
    for (off_t place = sizeof look->head; fd >= 0 && !is_found && pread(fd, at, length, place) == (ssize_t)length; place *= 2)
        is_found = memcmp(at, magic, length) == 0;
    if (fd >= 0)
        close(fd);
    return is_found;
}

const sp_format sp_h5_format = {.name = "an HDF5 file",
                                .endings = ".h5 .hdf5",
                                .recognise = is_h5,
                                .open = open_h5,
                                .close = close_h5,
                                .read = read_block,
                                .read_path = read_path,
                                .result = sp_h5_source_result,
                                .find_raters = sp_h5_source_find_raters,
                                .read_rater = read_rater,
                                .epoch_seconds = epoch_seconds,
                                .subjects = sp_h5_source_subjects,
                                .list_unused = sp_h5_source_list_unused,
                                .use_threads = use_threads};
