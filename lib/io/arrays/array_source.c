#include "io/arrays/array_source.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "io/arrays/array_base.h"
#include "io/arrays/array_find.h"
#include "io/arrays/array_map.h"
#include "io/holes.h"
#include "io/raters.h"
#include "io/row_kind.h"
#include "sleep/label_coding_use.h"

typedef struct array_source {
    sp_array_map map;
    sp_texts classes, tokens;
    char stored_type[SP_STORED_TYPE + 16];
    char remark[SP_ARRAY_BASE];
    sp_texts strategies;        /* [n_paths] */
    bool *has_path_scores;      /* [n_paths] */
    sp_rater_names rater_names; /* once asked for */
    sp_array_part raters[SP_SOURCE_MAX_RATERS];
} array_source;

sp_status sp_array_source_new(sp_source *source, const char *storage, sp_stored_file **f, sp_error *err)
{
    array_source *a = source->opened = calloc(1, sizeof *a);
    if (!a)
        return sp_no_memory(err);
    a->map.file = (sp_stored_file){.file = source->file_name, .storage = storage, .fd = -1};
    *f = &a->map.file;
    return SP_OK;
}

void sp_array_source_close(void *opened)
{
    array_source *a = opened;
    for (int32_t i = 0; i < SP_SOURCE_MAX_RATERS; i++)
        sp_array_part_close(&a->raters[i]);
    sp_rater_names_clear(&a->rater_names);
    sp_array_map_close(&a->map);
    free(a->classes);
    free(a->tokens);
    free(a->strategies);
    free(a->has_path_scores);
    free(a);
}

/* ---- reading ---- */

/* What is read of a part: as what. */
typedef struct reading {
    const sp_array_part *part;
    sp_target target;
    int64_t limit;
} reading;

/* Values of rows `row` .. of an array whose first index runs fastest: column by column. */
static sp_status read_columns(const array_source *a, const reading *r, sp_stored *array, int64_t row, int64_t rows, void *out,
                              int64_t *bad_at, double *bad, sp_error *err)
{
    const int64_t width = a->map.n_classes;
    const size_t size = sp_target_size(r->target);
    unsigned char *column = malloc((size_t)rows * size + 1), *to = out;
    sp_status status = column ? SP_OK : sp_no_memory(err);
    for (int64_t k = 0; status == SP_OK && *bad_at < 0 && k < width; k++) {
        status =
            sp_stored_read(&a->map.file, array, k * array->dims[0] + row, rows, r->target, r->limit, column, bad_at, bad, err);
        if (status == SP_OK && *bad_at >= 0)
            *bad_at = *bad_at * width + k;
        else if (status == SP_OK && size == 4)
            for (int64_t t = 0; t < rows; t++)
                memcpy(to + (size_t)(t * width + k) * 4, column + (size_t)t * 4, 4);
        else if (status == SP_OK)
            for (int64_t t = 0; t < rows; t++)
                memcpy(to + (size_t)(t * width + k) * size, column + (size_t)t * size, size);
    }
    free(column);
    return status;
}

/* Steps first .. first+n-1 of recording `recording`; of packed layouts n may go on into the next ones. */
static sp_status read_steps(const sp_source *source, const reading *r, int64_t recording, int64_t first, int64_t n, void *out,
                            sp_error *err)
{
    const array_source *a = source->opened;
    const sp_array_map *map = &a->map;
    sp_stored *array = sp_array_of(r->part, recording);
    const int64_t width = r->part->has_classes ? map->n_classes : 1;
    const int64_t before = map->layout == SP_LAYOUT_PADDED   ? recording * map->padded_steps
                           : map->layout == SP_LAYOUT_PACKED ? map->offsets[recording]
                                                             : 0;
    int64_t bad_at = -1;
    double bad = 0;
    if (!array) { /* labels of a recording that has none */
        for (int64_t t = 0; t < n; t++)
            ((int32_t *)out)[t] = -1;
        return SP_OK;
    }
    sp_status status = array->is_columns && width > 1 ? read_columns(a, r, array, before + first, n, out, &bad_at, &bad, err)
                                                      : sp_stored_read(&map->file, array, (before + first) * width, n * width,
                                                                       r->target, r->limit, out, &bad_at, &bad, err);
    if (status != SP_OK || bad_at < 0)
        return status;
    char where[300], what[SP_ELEMENT_REFUSAL], class[40] = "", list[SP_ARRAY_BASE];
    int64_t step = first + bad_at / width;
    while (step >= map->offsets[recording + 1] - map->offsets[recording]) {
        step -= map->offsets[recording + 1] - map->offsets[recording];
        recording++;
    }
    if (r->part->has_classes)
        snprintf(class, sizeof class, ", class %lld", (long long)(bad_at % width));
    sp_element_refuse(r->part->noun, r->target, r->limit, bad, what);
    const bool is_base = map->file.counts_from_1 && strcmp(r->part->noun, "label") == 0 && bad == (double)r->limit;
    return sp_fail_at(err, SP_EDATA, step, "%s, recording %s, step %lld%s: %s%s%s%s",
                      sp_stored_where(&map->file, array, where, sizeof where), map->ids[recording], (long long)step, class, what,
                      is_base ? "; MATLAB counts from 1: `map` " : "", is_base ? sp_array_base_map(source, list) : "",
                      is_base ? " reads labels that do" : "");
}

static sp_status read_part(const sp_source *source, const sp_array_part *part, const sp_wanted *w, sp_target target,
                           int64_t limit, void *out, sp_error *err)
{
    const array_source *a = source->opened;
    const sp_array_map *map = &a->map;
    const reading r = {.part = part, .target = target, .limit = limit};
    if (!out || w->n_steps == 0)
        return SP_OK;
    if (w->is_part || map->layout == SP_LAYOUT_PACKED || map->layout == SP_LAYOUT_SINGLE)
        return read_steps(source, &r, w->first, w->first_step, w->n_steps, out, err);
    sp_status status = SP_OK;
    const size_t step_bytes = sp_target_size(target) * (size_t)(part->has_classes ? map->n_classes : 1);
    for (int64_t n = w->first; status == SP_OK && n < w->first + w->count; n++)
        status = read_steps(source, &r, n, 0, map->offsets[n + 1] - map->offsets[n],
                            (char *)out + (size_t)(map->offsets[n] - map->offsets[w->first]) * step_bytes, err);
    return status;
}

static int32_t class_of_number(int64_t number, const sp_word_meaning *m)
{
    const int64_t limit = m->n_classes ? m->n_classes : (int64_t)INT32_MAX + 1;
    return m->codes                         ? sp_codes_number(m->codes, (double)number)
           : number >= -1 && number < limit ? (int32_t)number
                                            : SP_CODE_UNKNOWN;
}

static const char *explain(const sp_label_words *words, int64_t value, const sp_word_meaning *m, char sentence[SP_CODES_SENTENCE])
{
    char number[32];
    snprintf(number, sizeof number, "%lld", (long long)value);
    return sp_label_words_explain(words ? words->words[value] : number, m, sentence);
}

/* Labels as words or codes tell them: -1 unscored, or a class. */
static sp_status read_coded(const sp_source *source, const sp_array_part *part, const sp_wanted *w,
                            const sp_word_meaning *meaning, int32_t *out, sp_error *err)
{
    const array_source *a = source->opened;
    const sp_array_map *map = &a->map;
    int64_t *raw = malloc(((size_t)w->n_steps + 1) * sizeof *raw);
    if (!raw)
        return sp_no_memory(err);
    for (int64_t n = w->first; n < w->first + w->count; n++) { /* a part of one recording, or recordings one by one */
        const int64_t begin = w->is_part ? 0 : map->offsets[n] - map->offsets[w->first];
        const int64_t steps = w->is_part ? w->n_steps : map->offsets[n + 1] - map->offsets[n];
        const sp_wanted one = {.first = n, .count = 1, .is_part = true, .first_step = w->first_step, .n_steps = steps};
        if (!sp_array_of(part, n)) {
            for (int64_t t = 0; t < steps; t++)
                out[begin + t] = -1;
            continue;
        }
        sp_label_words *words = sp_array_of(part, n)->words;
        if (words)
            sp_label_words_tell(words, meaning);
        sp_status status = read_part(source, part, &one, SP_TO_I64, 0, raw, err);
        for (int64_t t = 0; status == SP_OK && t < steps; t++) {
            char where[300], sentence[SP_CODES_SENTENCE];
            out[begin + t] = !words && sp_source_label_is_none(source, raw[t]) ? -1
                             : t > 0 && raw[t] == raw[t - 1]                   ? out[begin + t - 1]
                             : words                                           ? words->class_of[raw[t]]
                                                                               : class_of_number(raw[t], meaning);
            if (out[begin + t] < SP_CODE_UNSCORED)
                status = sp_fail_at(err, SP_EDATA, w->first_step + t, "%s, recording %s, step %lld: %s",
                                    sp_stored_where(&map->file, sp_array_of(part, n), where, sizeof where), map->ids[n],
                                    (long long)w->first_step + t, explain(words, raw[t], meaning, sentence));
        }
        if (status != SP_OK) {
            free(raw);
            return status;
        }
    }
    free(raw);
    return SP_OK;
}

static bool has_words(const sp_array_part *part, int64_t n_recordings)
{
    for (int64_t n = 0; part->each && n < n_recordings; n++)
        if (part->each[n] && part->each[n]->words)
            return true;
    return part->one && part->one->words;
}

static sp_status read_classes(const sp_source *source, const sp_array_part *part, const sp_wanted *w, const sp_codes *codes,
                              int32_t *out, sp_error *err)
{
    const sp_source_info *info = &source->info;
    const int64_t limit = info->n_classes ? info->n_classes : (int64_t)INT32_MAX + 1;
    const sp_word_meaning meaning = {codes, info->classes, info->n_classes, source->model};
    if (!out)
        return SP_OK;
    return codes || has_words(part, info->n_recordings)
               ? read_coded(source, part, w, &meaning, out, err)
               : read_part(source, part, w, sp_source_label_target(source), limit, out, err);
}

sp_status sp_array_source_read(sp_source *source, const sp_wanted *wanted, sp_block *block, sp_error *err)
{
    const array_source *a = source->opened;
    const sp_target target = block->dtype == SP_F32 ? SP_TO_F32 : SP_TO_F64;
    sp_status status = read_part(source, &a->map.scores, wanted, target, 0, block->scores, err);
    if (status == SP_OK)
        status = read_classes(source, &a->map.labels, wanted, source->codes, block->labels, err);
    if (status == SP_OK)
        status = read_part(source, &a->map.segments, wanted, SP_TO_I64, 0, block->segments, err);
    if (status == SP_OK)
        status = read_part(source, &a->map.weights, wanted, SP_TO_WEIGHT, 0, block->weights, err);
    return status == SP_OK ? read_part(source, &a->map.mask, wanted, SP_TO_BOOL, 0, block->mask, err) : status;
}

sp_status sp_array_source_read_path(sp_source *source, int32_t strategy, const sp_wanted *wanted, int32_t *out, sp_error *err)
{
    const array_source *a = source->opened;
    return read_classes(source, &a->map.paths[strategy], wanted, source->path_codes, out, err);
}

/* ---- what the scores are ---- */

/* The kind that a name says: of an array, or where it has none of the file. */
static sp_status kind_of_name(const sp_array_map *map, sp_kind *kind, bool *is_known, sp_error *err)
{
    const char *path = map->scores.path, *slash = path ? strrchr(path, '/') : NULL;
    char *name = path ? strdup(slash ? slash + 1 : path) : sp_file_stem(map->file.file);
    if (!name)
        return sp_no_memory(err);
    *is_known = false;
    for (int k = 0; k < SP_N_KINDS; k++)
        if (strcmp(name, sp_kind_name((sp_kind)k)) == 0) {
            *kind = (sp_kind)k;
            *is_known = true;
        }
    free(name);
    return SP_OK;
}

/* The sentence for scores whose columns sum to 1, and not their rows; or whose rows say nothing. */
static sp_status refuse_rows(const sp_array_map *map, const sp_stored *array, bool has_kind, const double *rows, int64_t steps,
                             sp_error *err)
{
    char where[300], shape[SP_STORED_SHAPE];
    sp_kind ignored;
    const bool are_many = array->rank == 3;
    const int64_t K = map->n_classes, T = array->dims[are_many];
    const bool is_wide = T > 1 && T < K && steps == T && !map->is_turned;
    sp_stored_where(&map->file, array, where, sizeof where);
    sp_stored_shape(array, shape);
    if (is_wide && sp_row_kind_known(sp_row_kind_of(rows, K < SP_ROW_KIND_ROWS ? K : SP_ROW_KIND_ROWS, T, 1, K), &ignored))
        return sp_fail(err, SP_EDATA, "%s: has shape %s, and its columns are probabilities, not its rows%s", where, shape,
                       are_many ? sp_array_swap : ": it is [classes, steps]; `transpose` reads it so");
    if (has_kind) /* the rows are checked when they are read */
        return SP_OK;
    return sp_fail(
        err, SP_EDATA,
        "%s: no name says what it holds, and its first row is neither probabilities nor log probabilities; say it with "
        "`kind` logits or `kind` scores%s",
        where,
        !is_wide   ? ""
        : are_many ? sp_array_swap
                   : ", and `transpose` where it is [classes, steps]");
}

/* Rows that are no probabilities, beside labels: what transformers' Trainer returns are logits. */
static bool is_of_trainer(const sp_array_map *map)
{
    return map->scores.path && strcmp(map->scores.path, SP_TRAINER_SCORES) == 0 && sp_array_part_is(&map->labels);
}

static sp_status find_kind(sp_source *source, const array_source *a, const sp_source_options *options, sp_error *err)
{
    const sp_array_map *map = &a->map;
    sp_source_info *info = &source->info;
    bool has_kind = options->has_kind;
    info->kind = options->kind;
    sp_status status = has_kind ? SP_OK : kind_of_name(map, &info->kind, &has_kind, err);
    info->kind_from_name = has_kind && !options->has_kind;
    int64_t n = 0;
    while (n < map->n_recordings && map->offsets[n + 1] == map->offsets[n])
        n++;
    if (status != SP_OK || n == map->n_recordings || (has_kind && info->kind != SP_KIND_PROBS && info->kind != SP_KIND_LOG_PROBS))
        return status;
    const int64_t length = map->offsets[n + 1] - map->offsets[n], steps = length < SP_ROW_KIND_ROWS ? length : SP_ROW_KIND_ROWS;
    double *rows = malloc((size_t)(steps * map->n_classes) * sizeof *rows);
    const reading r = {.part = &map->scores, .target = SP_TO_F64};
    if (!rows)
        return sp_no_memory(err);
    status = read_steps(source, &r, n, 0, steps, rows, err);
    if (status == SP_OK) {
        sp_kind seen = info->kind;
        const bool is_seen = sp_row_kind_known(sp_row_kind_of(rows, steps, map->n_classes, map->n_classes, 1), &seen);
        if (!is_seen && !has_kind && is_of_trainer(map))
            info->kind = SP_KIND_LOGITS;
        else if (!is_seen || (has_kind && seen != info->kind))
            status = refuse_rows(map, sp_array_of(&map->scores, n), has_kind, rows, steps, err);
        else if (!has_kind)
            info->kind = seen;
    }
    free(rows);
    return status;
}

static sp_status find_classes(array_source *a, sp_source_info *info, sp_error *err)
{
    sp_array_map *map = &a->map;
    sp_stored *classes = NULL;
    int64_t first = 0, second = 0;
    if (map->file.classes) {
        info->classes = (const char *const *)map->file.classes;
        info->classes_place = "the first line";
        return SP_OK;
    }
    sp_status status = sp_array_named(map, NULL, "classes", "", &classes, err);
    if (status != SP_OK || !classes)
        return status;
    status = sp_stored_texts(&map->file, classes, &a->classes, err);
    if (status == SP_OK && map->n_classes && classes->count != map->n_classes)
        status = sp_fail(err, SP_EDATA, "%s: array classes has %lld names, but the scores have %lld classes", map->file.file,
                         (long long)classes->count, (long long)map->n_classes);
    else if (status == SP_OK && sp_texts_duplicate((const char *const *)a->classes, classes->count, &first, &second))
        status = sp_fail(err, SP_EDATA, "%s: array classes: two classes are called '%s'", map->file.file, a->classes[first]);
    else if (status == SP_OK && first == -2)
        status = sp_no_memory(err);
    if (status != SP_OK)
        return status;
    info->classes = (const char *const *)a->classes;
    info->classes_place = "array classes";
    info->n_classes = (int32_t)classes->count;
    return SP_OK;
}

static sp_status find_tokens(sp_source *source, array_source *a, sp_error *err)
{
    sp_array_map *map = &a->map;
    sp_stored *array = NULL;
    sp_status status = map->file.by_name ? sp_array_named(map, NULL, "tokens", "", &array, err) : SP_OK;
    if (status == SP_OK && array)
        status = sp_stored_texts(&map->file, array, &a->tokens, err);
    if (status == SP_OK && array && array->count != map->n_steps)
        status = sp_fail(err, SP_EDATA, "%s: array tokens has %lld tokens, but there are %lld steps; write one for each step",
                         map->file.file, (long long)array->count, (long long)map->n_steps);
    source->tokens = (const char *const *)a->tokens;
    return status;
}

/* What paths that were written with holes say of them. */
static sp_status find_own_gaps(array_source *a, sp_gaps *gaps, sp_error *err)
{
    sp_stored *array = NULL;
    sp_texts words = NULL;
    sp_status status = a->map.file.by_name ? sp_array_named(&a->map, NULL, "gaps", "", &array, err) : SP_OK;
    if (status == SP_OK && array && array->form != SP_STORED_NUMBERS)
        status = sp_stored_texts(&a->map.file, array, &words, err);
    if (status == SP_OK && words && array->count == 1)
        *gaps = sp_gaps_of(words[0]);
    free(words);
    return status;
}

/* ---- opening ---- */

static void describe(array_source *a, sp_source_info *info)
{
    const sp_array_map *map = &a->map;
    bool is_wide = false, is_mixed = false;
    info->has_scores = sp_array_part_is(&map->scores);
    for (int64_t n = 0; info->has_scores && n < (map->scores.each ? map->n_recordings : 1); n++) {
        const sp_stored *array = sp_array_of(&map->scores, n);
        is_wide |= array->size == 8;
        is_mixed |= strcmp(array->type, map->first->type) != 0;
    }
    snprintf(a->stored_type, sizeof a->stored_type, "%s%s", map->first->type, is_mixed ? " and others" : "");
    info->file_size = map->file.file_size;
    info->layout = map->layout;
    info->dtype = is_wide ? SP_F64 : SP_F32;
    info->stored_type = a->stored_type;
    info->storage = map->file.storage;
    info->scores_path = info->has_scores ? map->scores.path : NULL;
    info->n_recordings = map->n_recordings;
    info->n_steps = map->n_steps;
    info->n_classes = (int32_t)map->n_classes;
    info->ids = (const char *const *)map->ids;
    info->has_ids = map->has_ids;
    info->offsets = map->offsets;
    info->has_labels = sp_array_part_is(&map->labels);
    info->has_segments = sp_array_part_is(&map->segments);
    info->has_weights = sp_array_part_is(&map->weights);
    info->has_mask = sp_array_part_is(&map->mask);
    info->labels_path = info->has_labels ? map->labels.path : NULL;
    info->n_unlabelled = map->labels.n_absent;
}

/* Paths are called as their arrays, "viterbi" of "paths/viterbi"; one without a name as its file. */
static sp_status name_strategies(sp_source *source, array_source *a, sp_error *err)
{
    const sp_array_map *map = &a->map;
    sp_text_span *spans = calloc((size_t)map->n_paths + 1, sizeof *spans);
    char *stem = sp_file_stem(map->file.file);
    a->has_path_scores = calloc((size_t)map->n_paths + 1, sizeof *a->has_path_scores);
    for (int32_t i = 0; spans && stem && i < map->n_paths; i++) {
        const char *path = map->paths[i].path, *slash = path ? strrchr(path, '/') : NULL, *name = slash ? slash + 1 : path;
        const bool is_named = name && !strstr(name, "{id}");
        spans[i] = (sp_text_span){is_named ? name : stem, strlen(is_named ? name : stem)};
    }
    a->strategies = spans && stem ? sp_texts_pack(spans, map->n_paths) : NULL;
    free(spans);
    free(stem);
    if (!a->strategies || !a->has_path_scores)
        return sp_no_memory(err);
    source->paths.n_strategies = map->n_paths;
    source->paths.strategies = (const char *const *)a->strategies;
    source->paths.has_path_scores = a->has_path_scores;
    return SP_OK;
}

sp_status sp_array_source_fill(sp_source *source, const sp_request *request, sp_error *err)
{
    array_source *a = source->opened;
    sp_status status = sp_array_map_open(&a->map, request, err);
    if (status != SP_OK)
        return status;
    describe(a, &source->info);
    source->ignores_100 |= a->map.ignores_100;
    if (a->map.kept && !(source->kept_place = sp_kept_place("array", a->map.kept_name)))
        return sp_no_memory(err);
    source->kept = a->map.kept;
    source->is_kept_by_labels = a->map.is_kept_by_labels;
    a->map.kept = NULL;
    if (source->kept && (status = find_own_gaps(a, &source->own_gaps, err)) != SP_OK)
        return status;
    source->has_words = has_words(&a->map.labels, a->map.n_recordings);
    status = find_classes(a, &source->info, err);
    if (status == SP_OK && request->options->with_tokens)
        status = find_tokens(source, a, err);
    if (status == SP_OK && request->is_paths)
        status = name_strategies(source, a, err);
    if (status == SP_OK && a->map.file.counts_from_1)
        status = sp_array_base_look(source, &a->map, a->remark, err);
    source->info.remark = *a->remark ? a->remark : source->info.remark;
    return status == SP_OK && source->info.has_scores ? find_kind(source, a, request->options, err) : status;
}

/* ---- what is looked for only when asked ---- */

sp_status sp_array_source_find_raters(sp_source *source, sp_error *err)
{
    array_source *a = source->opened;
    sp_rater_names *found = &a->rater_names;
    sp_status status = SP_OK;
    for (int64_t i = 0; status == SP_OK && a->map.file.by_name && i < a->map.file.n; i++) {
        size_t length;
        const char *path = a->map.file.arrays[i].name, *slash = strrchr(path, '/'), *name = sp_rater_of(path, &length);
        if (!name && slash)
            name = sp_rater_of(slash + 1, &length);
        if (name)
            status = sp_rater_names_add(found, name, length, source->file_name, err);
    }
    sp_rater_names_sort(found);
    for (int32_t i = 0; status == SP_OK && i < found->n;) {
        bool is_one = false;
        status = sp_array_rater(&a->map, found->names[i], &a->raters[i], &is_one, err);
        if (is_one) {
            i++;
        } else {
            sp_array_part_close(&a->raters[i]);
            a->raters[i] = (sp_array_part){.path = NULL};
            sp_rater_names_drop(found, i);
        }
    }
    source->raters = (sp_raters_found){found->n, (const char *const *)found->names};
    return status;
}

sp_status sp_array_source_read_rater(sp_source *source, int32_t rater, const sp_wanted *wanted, int32_t *out, sp_error *err)
{
    const array_source *a = source->opened;
    return read_classes(source, &a->raters[rater], wanted, source->codes, out, err);
}

sp_status sp_array_source_epoch_seconds(sp_source *source, double *seconds, sp_error *err)
{
    array_source *a = source->opened;
    sp_stored *array = NULL;
    int64_t bad_at = -1;
    double bad = 0, value = 0;
    char where[300];
    sp_status status = sp_array_named(&a->map, NULL, "epoch_seconds", "", &array, err);
    if (status != SP_OK || !array)
        return status;
    if (array->form == SP_STORED_NUMBERS && array->count == 1)
        status = sp_stored_read(&a->map.file, array, 0, 1, SP_TO_WEIGHT, 0, &value, &bad_at, &bad, err);
    if (status == SP_OK && !(value > 0 && isfinite(value)))
        return sp_fail(err, SP_EDATA, "%s: must be one number above 0, the length of a step in seconds",
                       sp_stored_where(&a->map.file, array, where, sizeof where));
    *seconds = status == SP_OK ? value : 0;
    return status;
}

sp_status sp_array_source_subjects(sp_source *source, const char *groups, sp_subjects **out, sp_error *err)
{
    array_source *a = source->opened;
    const sp_source_info *info = &source->info;
    sp_stored *array = NULL;
    sp_texts names = NULL;
    char place[120];
    const bool by_ids = groups && (strcmp(groups, "none") == 0 || strncmp(groups, "prefix:", 7) == 0);
    sp_status status = by_ids ? SP_OK : sp_array_named(&a->map, groups, "subjects", "groups", &array, err);
    if (status != SP_OK)
        return status;
    if (!array)
        return sp_subjects_from_ids(info->n_recordings, info->ids, by_ids ? groups : NULL, info->file, out, err);
    if ((status = sp_stored_texts(&a->map.file, array, &names, err)) != SP_OK)
        return status;
    snprintf(place, sizeof place, "array %.80s", array->name);
    status = array->count == info->n_recordings
                 ? sp_subjects_from_names(info->n_recordings, (const char *const *)names, '\0', place, out, err)
                 : sp_fail(err, SP_EDATA, "%s: %s has %lld names, but there are %lld recordings", info->file, place,
                           (long long)array->count, (long long)info->n_recordings);
    free(names);
    return status;
}

/* A column of a table of scores that was passed over. A text of labels, which `labels` names, has labels in one called so. */
static void list_column(const char *file, const char *column, sp_unused_sink *sink, void *arg)
{
    char what[120], option[300];
    const bool are_labels = strcasecmp(column, "stage") == 0 || strcasecmp(column, "class") == 0;
    snprintf(what, sizeof what, *column ? "column %.100s" : "a column without a name", column);
    snprintf(option, sizeof option, "`labels` %.250s", file);
    sink(arg, what, "", are_labels ? option : NULL);
}

/* An array that is not used, and the option that takes it. What cannot be read is no fault of the others. */
static void list_array(array_source *a, sp_stored *array, const char *title, sp_unused_sink *sink, void *arg)
{
    char what[SP_ARRAY_TITLE + 8], option[SP_ARRAY_TITLE + 16], text[SP_STORED_TYPE + SP_STORED_SHAPE + 40],
        shape[SP_STORED_SHAPE];
    sp_error ignored;
    snprintf(what, sizeof what, "array %s", title);
    if (sp_stored_look(&a->map.file, array, &ignored) != SP_OK) {
        snprintf(text, sizeof text, "%s%swhich is not read", array->type, *array->type ? ", " : "");
        sink(arg, what, text, NULL);
        return;
    }
    const bool is_float = sp_stored_is_float(array);
    const bool are_scores = is_float && (array->rank == 2 || array->rank == 3);
    const bool are_labels = !is_float && (array->rank == 1 || array->rank == 2);
    snprintf(text, sizeof text, "%s %s", array->type, sp_stored_shape(array, shape));
    snprintf(option, sizeof option, strstr(title, SP_ARRAY_HOLE) ? "%s '%s'" : "%s", are_scores ? "`scores`" : "`labels`", title);
    sink(arg, what, text, are_scores || are_labels ? option : NULL);
    sp_stored_forget(array);
}

sp_status sp_array_source_list_unused(sp_source *source, sp_unused_sink *sink, void *arg, sp_error *err)
{
    array_source *a = source->opened;
    char title[SP_ARRAY_TITLE];
    (void)err;
    for (int64_t i = 0; i < a->map.file.n; i++) {
        sp_stored *array = &a->map.file.arrays[i];
        if (sp_array_is_unused(array) && sp_array_title(&a->map, array, title))
            list_array(a, array, title, sink, arg);
    }
    for (char **column = a->map.file.passed_over; column && *column; column++)
        list_column(source->file_name, *column, sink, arg);
    return SP_OK;
}
