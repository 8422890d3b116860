#include "io/arrays/array_source.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/rows/rows_form.h"
#include "core/try.h"
#include "io/arrays/array_base.h"
#include "io/arrays/array_class_names.h"
#include "io/arrays/array_find.h"
#include "io/arrays/array_map.h"
#include "io/arrays/array_read.h"
#include "io/holes.h"
#include "io/raters.h"
#include "sleep/label_coding_use.h"

sp_status sp_array_source_new(sp_source *source, const char *storage, sp_stored_file **f, sp_error *err)
{
    sp_array_opened *a = source->opened = calloc(1, sizeof *a);
    if (!a)
        return sp_no_memory(err);
    a->map.file = (sp_stored_file){.file = source->file_name, .storage = storage, .fd = -1};
    a->map.source = source;
    *f = &a->map.file;
    return SP_OK;
}

void sp_array_source_close(void *opened)
{
    sp_array_opened *a = opened;
    for (int32_t i = 0; i < SP_SOURCE_MAX_RATERS; i++)
        sp_array_part_close(&a->raters[i]);
    sp_rater_names_clear(&a->rater_names);
    sp_array_verdicts_close(a);
    sp_array_map_close(&a->map);
    free(a->classes);
    free(a->tokens);
    free(a->strategies);
    free(a->has_path_scores);
    free(a);
}

/* ---- reading ---- */

static int32_t class_of_number(int64_t number, const sp_word_meaning *m)
{
    const int64_t limit = m->n_classes ? m->n_classes : (int64_t)INT32_MAX + 1;
    return m->codes                         ? sp_codes_number(m->codes, (double)number)
           : number >= -1 && number < limit ? (int32_t)number
                                            : SP_CODE_UNKNOWN;
}

static const char *explain(const sp_label_words *words, int64_t value, const sp_word_meaning *m,
                           char sentence[SP_CODES_SENTENCE])
{
    char number[32];
    snprintf(number, sizeof number, "%lld", (long long)value);
    return sp_label_words_explain(words ? words->words[value] : number, m, sentence);
}

/* Labels of one recording as words or codes tell them, from raw [n]: -1 unscored, or a class. first: the first step. */
static sp_status tell_classes(const sp_source *source, const sp_array_part *part, int64_t recording,
                              int64_t first, int64_t n, const int64_t *raw, const sp_word_meaning *meaning,
                              int32_t *out, sp_error *err)
{
    const sp_array_opened *a = source->opened;
    const sp_stored *array = sp_array_of(part, recording);
    sp_label_words *words = array ? array->words : NULL;
    char where[SP_STORED_WHERE], sentence[SP_CODES_SENTENCE];
    const bool is_absent = sp_array_is_absent(part, recording);
    if (words)
        sp_label_words_tell(words, meaning);
    for (int64_t t = 0; t < n;
         t++) { /* codes stay as they are for a while: those of the step before need no looking up */
        out[t] = is_absent || (!words && sp_source_label_is_none(source, raw[t])) ? -1
                 : t > 0 && raw[t] == raw[t - 1]                                  ? out[t - 1]
                 : words                                                          ? words->class_of[raw[t]]
                         : class_of_number(raw[t], meaning);
        if (!sp_code_is_known(out[t]))
            return sp_fail_at(err, SP_EDATA, first + t, "%s, recording %s, step %lld: %s",
                              sp_array_where(&a->map, part, recording, where), a->map.ids[recording],
                              (long long)first + t, explain(words, raw[t], meaning, sentence));
    }
    return SP_OK;
}

static sp_status read_coded(const sp_source *source, const sp_array_part *part, const sp_wanted *w,
                            const sp_word_meaning *meaning, int32_t *out, sp_error *err)
{
    const sp_array_opened *a = source->opened;
    const int64_t *offsets = a->map.offsets;
    int64_t *raw = malloc(((size_t)w->n_steps + 1) * sizeof *raw);
    sp_status status = SP_OK;
    if (!raw)
        TRY(sp_no_memory(err));
    TRY(sp_array_part_read(&a->map, part, w, SP_TO_I64, 0, raw, err));
    for (int64_t n = w->first; n < w->first + w->count;
         n++) { /* a part of one recording, or recordings one by one */
        const int64_t begin = w->is_part ? 0 : offsets[n] - offsets[w->first];
        TRY(tell_classes(source, part, n, w->is_part ? w->first_step : 0,
                         w->is_part ? w->n_steps : offsets[n + 1] - offsets[n], raw + begin, meaning,
                         out + begin, err));
    }
done:
    free(raw);
    return status;
}

static sp_status read_classes(const sp_source *source, const sp_array_part *part, const sp_wanted *w,
                              const sp_codes *codes, int32_t *out, sp_error *err)
{
    const sp_array_opened *a = source->opened;
    const sp_source_info *info = &source->info;
    const int64_t limit = info->n_classes ? info->n_classes : (int64_t)INT32_MAX + 1;
    const sp_word_meaning meaning = {codes, info->classes, info->n_classes, source->model};
    if (!out)
        return SP_OK;
    return codes || sp_array_has_words(&a->map, part)
               ? read_coded(source, part, w, &meaning, out, err)
               : sp_array_part_read(&a->map, part, w, sp_source_label_target(source), limit, out, err);
}

sp_status sp_array_source_read(sp_source *source, const sp_wanted *wanted, sp_block *block, sp_error *err)
{
    const sp_array_opened *a = source->opened;
    const sp_target target = block->dtype == SP_F32 ? SP_TO_F32 : SP_TO_F64;
    const sp_array_map *map = &a->map;
    sp_status status = SP_OK;
    TRY(sp_array_part_read(map, &map->scores, wanted, target, 0, block->scores, err));
    TRY(read_classes(source, &map->labels, wanted, source->codes, block->labels, err));
    TRY(sp_array_part_read(map, &map->segments, wanted, SP_TO_I64, 0, block->segments, err));
    TRY(sp_array_part_read(map, &map->weights, wanted, SP_TO_WEIGHT, 0, block->weights, err));
    TRY(sp_array_part_read(map, &map->mask, wanted, SP_TO_BOOL, 0, block->mask, err));
done:
    return status;
}

sp_status sp_array_source_read_path(sp_source *source, int32_t strategy, const sp_wanted *wanted,
                                    int32_t *out, sp_error *err)
{
    const sp_array_opened *a = source->opened;
    return read_classes(source, &a->map.paths[strategy], wanted, source->path_codes, out, err);
}

sp_status sp_array_source_read_rater(sp_source *source, int32_t rater, const sp_wanted *wanted, int32_t *out,
                                     sp_error *err)
{
    const sp_array_opened *a = source->opened;
    return read_classes(source, &a->raters[rater], wanted, source->codes, out, err);
}

/* ---- what the scores are ---- */

enum { MOST_ROWS = 1 << 17 /* of a recording, whose columns are summed for a sentence */ };

/* The kind that a name says: of an array, of the folder of arrays that are called by ids, or without a name of the file. */
static sp_status kind_of_name(const sp_array_map *map, sp_kind *kind, bool *is_known, sp_error *err)
{
    const char *path = map->scores.path, *slash = path ? strrchr(path, '/') : NULL;
    const bool is_in_folder = slash && strstr(slash, SP_ARRAY_HOLE);
    char *folder = is_in_folder ? sp_array_group(path) : NULL;
    if (is_in_folder && !folder)
        return sp_no_memory(err);
    slash = folder ? strrchr(folder, '/') : slash;
    path = folder ? folder : path;
    char *name = path ? strdup(slash ? slash + 1 : path) : sp_file_stem(map->file.file);
    free(folder);
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

/* Rows of the first recording that is not empty, whose kind no name says, or another than they look like. */
typedef struct first_rows {
    const sp_stored *array;
    sp_scores rows; /* SP_ROWS_LOOKED_AT of them at most */
    bool is_whole;  /* all of the recording */
    bool has_kind;
} first_rows;

/* Columns of the first rows that are distributions, and of a wide array, whose columns are steps. */
static bool are_turned(const sp_array_map *map, const first_rows *f)
{
    const int64_t K = f->rows.n_classes, T = f->rows.n_steps;
    sp_kind ignored;
    double *column = malloc((size_t)T * sizeof *column);
    const sp_scores turned = {.data = column, .dtype = SP_F64, .n_classes = (int32_t)T, .n_steps = 1};
    const bool is_wide = f->is_whole && T > 1 && T < K && !map->is_turned;
    bool are = column && is_wide;
    for (int64_t k = 0; are && k < K && k < SP_ROWS_LOOKED_AT; k++) {
        for (int64_t t = 0; t < T; t++)
            column[t] = sp_scores_at(&f->rows, t, (int32_t)k);
        are = sp_row_form(&turned, 0) == SP_ROWS_SILENT || sp_rows_kind(&turned, &ignored);
    }
    free(column);
    return are;
}

/* How arrays [classes, steps] are read, or written again where they are not. is_sure: it is one. */
static const char *mend_of_turned(const sp_array_map *map, const sp_stored *array, bool is_sure)
{
    const bool is_written_again = map->file.store || map->file.is_table;
    if (array->rank == 3)
        return sp_array_swap;
    if (is_sure)
        return is_written_again ? ": it is [classes, steps]; write x.T instead (numpy)"
                                : ": it is [classes, steps]; `transpose` reads it so";
    return is_written_again ? "; where it is [classes, steps], write x.T instead (numpy)"
                            : "; where it is [classes, steps], `transpose` reads it so";
}

/* The sentence for rows that are neither probabilities nor their logs. */
static sp_status refuse_rows(const sp_array_map *map, const first_rows *f, sp_error *err)
{
    char where[SP_STORED_WHERE], shape[SP_STORED_SHAPE], look[SP_ROWS_SENTENCE], mend[SP_ROWS_SENTENCE];
    const bool are_columns = f->is_whole && sp_rows_are_columns(&f->rows);
    sp_stored_subject(&map->file, f->array, where);
    sp_stored_shape(f->array, shape);
    if (are_turned(map, f))
        return sp_fail(err, SP_EDATA, "%s has shape %s, and its columns are probabilities, not its rows%s",
                       where, shape, mend_of_turned(map, f->array, true));
    if (f->has_kind && !are_columns) /* the rows are checked when they are read */
        return SP_OK;
    sp_rows_look(&f->rows, look);
    sp_rows_mend(&f->rows, 0, f->is_whole, mend);
    const bool may_be_turned =
        are_columns || (f->is_whole && f->rows.n_steps > 1 && f->rows.n_steps < f->rows.n_classes);
    const char *turn = may_be_turned && !map->is_turned ? mend_of_turned(map, f->array, false) : "";
    if (f->has_kind)
        return sp_fail(err, SP_EDATA, "%s %s: %s%s", where, look, mend, turn);
    if (map->file.store)
        return sp_fail(err, SP_EDATA, "%s: the name of dataset %s does not say what it holds, and %s: %s%s",
                       map->file.file, map->reference, look, mend, turn);
    return sp_fail(err, SP_EDATA, "%s no name says what it holds, and %s: %s%s", where, look, mend, turn);
}

/* Is that the last part of a path? */
static bool is_called(const char *path, const char *name)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return path && strcmp(slash ? slash + 1 : path, name) == 0;
}

/* Rows that are no probabilities, beside labels: what transformers' Trainer returns are logits. */
static bool is_of_trainer(const sp_array_map *map)
{
    return is_called(map->scores.path, SP_TRAINER_SCORES) && sp_array_part_is(&map->labels);
}

/* Rows in whose columns a network's labels stand, as transformers leaves them. */
static bool are_rows_of_trainer(const sp_array_map *map)
{
    const bool is_alone = !map->file.store && !map->file.by_name;
    return map->layout == SP_LAYOUT_PADDED &&
           (is_alone || map->holds_100 || is_called(map->scores.path, SP_TRAINER_SCORES) ||
            is_called(map->labels.path, SP_TRAINER_LABELS) || is_called(map->kept_name, "attention_mask") ||
            is_called(map->kept_name, "word_ids"));
}

/* The first rows of the recordings from `first` on, SP_ROWS_LOOKED_AT at most: rows [n,K]. */
static sp_status read_first_rows(const sp_array_map *map, int64_t first, double *rows, int64_t *n,
                                 sp_error *err)
{
    sp_status status = SP_OK;
    *n = 0;
    for (int64_t r = first; r < map->n_recordings && *n < SP_ROWS_LOOKED_AT; r++) {
        const int64_t length = map->offsets[r + 1] - map->offsets[r], left = SP_ROWS_LOOKED_AT - *n;
        const sp_wanted w = {
            .first = r, .count = 1, .is_part = true, .n_steps = length < left ? length : left};
        if (length > 0)
            TRY(sp_array_part_read(map, &map->scores, &w, SP_TO_F64, 0, rows + *n * map->n_classes, err));
        *n += w.n_steps;
    }
done:
    return status;
}

/* Logits by their name alone, whose rows are probabilities already: the softmax would be applied once more. One row alone may be so by
 * chance. */
static sp_status check_logits(const sp_array_map *map, int64_t first, sp_error *err)
{
    int64_t n = 0;
    double *rows = malloc((size_t)SP_ROWS_LOOKED_AT * (size_t)map->n_classes * sizeof *rows);
    sp_status status = rows ? read_first_rows(map, first, rows, &n, err) : sp_no_memory(err);
    const bool is_read = status == SP_OK && n > 1;
    const sp_scores first_of = {
        .data = rows, .dtype = SP_F64, .n_classes = (int32_t)map->n_classes, .n_steps = n};
    const bool are_probs = is_read && sp_rows_sum_to(&first_of, 1),
               are_percent = is_read && sp_rows_sum_to(&first_of, 100);
    if (are_probs || are_percent)
        status = sp_fail(err, SP_EDATA,
                         "%s: %s %s is called logits, and its rows are %s; %s, or `kind` logits applies the "
                         "softmax to them as they are",
                         map->file.file, map->file.store ? "dataset" : "array",
                         map->scores.path ? map->scores.path : "of the file",
                         are_probs ? "probabilities: they lie in 0 to 1 and sum to 1"
                                   : "per cent: they lie in 0 to 100 and sum to 100",
                         are_probs ? "`kind` probs reads them so" : "divide them by 100 and call them probs");
    free(rows);
    return status;
}

/* The first `steps` rows of a recording, into *rows, which is freed before, and as scores. */
static sp_status read_of(const sp_array_map *map, int64_t recording, int64_t steps, double **rows,
                         sp_scores *out, sp_error *err)
{
    const sp_wanted w = {.first = recording, .count = 1, .is_part = true, .n_steps = steps};
    free(*rows);
    if (!(*rows = malloc((size_t)(steps * map->n_classes) * sizeof **rows)))
        return sp_no_memory(err);
    *out =
        (sp_scores){.data = *rows, .dtype = SP_F64, .n_classes = (int32_t)map->n_classes, .n_steps = steps};
    return sp_array_part_read(map, &map->scores, &w, SP_TO_F64, 0, *rows, err);
}

static sp_status find_kind(sp_source *source, const sp_array_opened *a, const sp_source_options *options,
                           sp_error *err)
{
    const sp_array_map *map = &a->map;
    sp_source_info *info = &source->info;
    bool has_kind = options->has_kind;
    first_rows f = {.array = NULL};
    double *rows = NULL;
    int64_t n = 0;
    sp_status status = SP_OK;
    info->kind = options->kind;
    if (!has_kind)
        TRY(kind_of_name(map, &info->kind, &has_kind, err));
    info->kind_from_name = has_kind && !options->has_kind;
    while (n < map->n_recordings && map->offsets[n + 1] == map->offsets[n])
        n++;
    const bool are_logits = info->kind_from_name && info->kind == SP_KIND_LOGITS;
    const bool are_checked =
        !map->file.store && (info->kind == SP_KIND_PROBS || info->kind == SP_KIND_LOG_PROBS);
    if (are_logits && n < map->n_recordings)
        TRY(check_logits(map, n, err));
    if (n == map->n_recordings || (has_kind && !are_checked))
        goto done;
    const int64_t length = map->offsets[n + 1] - map->offsets[n];
    TRY(read_of(map, n, length < SP_ROWS_LOOKED_AT ? length : SP_ROWS_LOOKED_AT, &rows, &f.rows, err));
    sp_kind seen = info->kind;
    const bool is_seen = sp_rows_kind(&f.rows, &seen);
    if (!is_seen && !has_kind && is_of_trainer(map))
        info->kind = SP_KIND_LOGITS;
    else if (!is_seen || (has_kind && seen != info->kind)) {
        f.array = map->scores.is_taken ? map->first : sp_array_of(&map->scores, n);
        f.is_whole = length <= MOST_ROWS;
        f.has_kind = has_kind;
        if (length > SP_ROWS_LOOKED_AT && f.is_whole)
            TRY(read_of(map, n, length, &rows, &f.rows, err));
        TRY(refuse_rows(map, &f, err));
    } else if (!has_kind)
        info->kind = seen;
done:
    free(rows);
    return status;
}

static sp_status find_tokens(sp_source *source, sp_array_opened *a, sp_error *err)
{
    sp_array_map *map = &a->map;
    sp_stored *array = NULL;
    char where[SP_STORED_WHERE];
    const bool has_names = map->file.store ? map->layout != SP_LAYOUT_GROUPS : map->file.by_name != NULL;
    sp_status status = has_names ? sp_array_named(map, NULL, "tokens", "", &array, err) : SP_OK;
    if (status == SP_OK && array)
        status = sp_stored_texts(&map->file, array, &a->tokens, err);
    if (status == SP_OK && array && array->count != map->n_steps)
        status = sp_fail(
            err, SP_EDATA, "%s has %lld tokens, but there are %lld steps; write one for each step",
            sp_stored_where(&map->file, array, where), (long long)array->count, (long long)map->n_steps);
    source->tokens = (const char *const *)a->tokens;
    return status;
}

/* What paths that were written with holes say of them. */
static sp_status find_own_gaps(sp_array_opened *a, sp_gaps *gaps, sp_error *err)
{
    sp_stored *array = NULL;
    sp_texts words = NULL;
    const sp_store *store = a->map.file.store;
    int64_t n = 0;
    bool is_number = false;
    sp_status status = store ? store->attribute(&a->map.file, "/", "gaps", &words, &n, &is_number, err)
                       : a->map.file.by_name ? sp_array_named(&a->map, NULL, "gaps", "", &array, err)
                                             : SP_OK;
    if (status == SP_OK && array && array->form != SP_STORED_NUMBERS)
        status = sp_stored_texts(&a->map.file, array, &words, err);
    if (status == SP_OK && words && (store ? n : array->count) == 1)
        *gaps = sp_gaps_of(words[0]);
    free(words);
    return status;
}

/* ---- opening ---- */

static void describe(sp_array_opened *a, sp_source_info *info)
{
    const sp_array_map *map = &a->map;
    info->has_scores = sp_array_part_is(&map->scores);
    info->can_be_turned = !map->file.store && !map->file.is_table;
    snprintf(a->stored_type, sizeof a->stored_type, "%s%s", map->first->type,
             map->is_mixed ? " and others" : "");
    info->file_size = map->file.file_size;
    info->layout = map->layout;
    info->dtype = map->is_wide ? SP_F64 : SP_F32;
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
    info->n_unlabelled = info->has_labels ? map->labels.n_absent : 0;
}

/* The last part of a path that ends at `end`. */
static const char *last_of(const char *path, const char *end)
{
    while (end > path && end[-1] != '/')
        end--;
    return end;
}

/* Paths are called as their arrays, "viterbi" of "paths/viterbi", or the folder of one for each recording; one without a name as
 * its file. */
static sp_status name_strategies(sp_source *source, sp_array_opened *a, sp_error *err)
{
    const sp_array_map *map = &a->map;
    sp_text_span *spans = calloc((size_t)map->n_paths + 1, sizeof *spans);
    char *stem = sp_file_stem(map->file.file);
    a->has_path_scores = calloc((size_t)map->n_paths + 1, sizeof *a->has_path_scores);
    for (int32_t i = 0; spans && stem && i < map->n_paths; i++) {
        const char *path = map->paths[i].path, *end = path ? path + strlen(path) : NULL,
                   *name = path ? last_of(path, end) : NULL;
        if (name && strstr(name, SP_ARRAY_HOLE) && name > path) { /* that of the folder */
            end = name - 1;
            name = last_of(path, end);
        }
        const char *hole = name ? strstr(name, SP_ARRAY_HOLE) : NULL;
        const bool is_named = name && name < end && !(hole && hole < end);
        spans[i] = is_named ? (sp_text_span){name, (size_t)(end - name)} : (sp_text_span){stem, strlen(stem)};
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
    sp_array_opened *a = source->opened;
    sp_array_map *map = &a->map;
    sp_status status = SP_OK;
    TRY(sp_array_map_open(map, request, err));
    describe(a, &source->info);
    source->ignores_100 |= map->ignores_100;
    if (map->kept && !(source->kept_place = sp_kept_place(sp_stored_noun(&map->file), map->kept_name)))
        TRY(sp_no_memory(err));
    source->kept = map->kept;
    source->is_kept_by_labels = map->is_kept_by_labels;
    map->kept = NULL;
    if (source->kept)
        TRY(find_own_gaps(a, &source->own_gaps, err));
    source->is_unsized = map->is_unsized;
    source->is_of_trainer = are_rows_of_trainer(map);
    source->says_kept = map->kept_name || map->holds_100;
    source->has_words = sp_array_has_words(map, &map->labels);
    TRY(sp_array_find_classes(map, &a->classes, &source->info, a->classes_place, err));
    if (request->options->with_tokens)
        TRY(find_tokens(source, a, err));
    if (request->is_paths)
        TRY(name_strategies(source, a, err));
    if (request->is_paths)
        TRY(sp_array_verdicts_open(source, request, err));
    if (map->file.counts_from_1)
        TRY(sp_array_base_look(source, map, a->remark, err));
    source->info.remark = *a->remark ? a->remark : source->info.remark;
    if (source->info.has_scores)
        TRY(find_kind(source, a, request->options, err));
done:
    return status;
}

sp_array_map *sp_array_source_map(const sp_source *source)
{
    sp_array_opened *a = source->opened;
    return &a->map;
}

/* One number above 0, of an array or an attribute that `where` speaks of. */
static sp_status take_seconds(const sp_array_map *map, sp_stored *array, double value, const char *where,
                              double *seconds, sp_error *err)
{
    int64_t bad_at = -1;
    double bad = 0;
    sp_status status = SP_OK;
    if (array && array->form == SP_STORED_NUMBERS && array->count == 1)
        TRY(sp_stored_read(&map->file, array, 0, 1, SP_TO_WEIGHT, 0, &value, &bad_at, &bad, err));
    if (bad_at >= 0 || !(value > 0 && isfinite(value)))
        TRY(sp_fail(err, SP_EDATA, "%s is not one number above 0; `epoch_seconds` X says how long a step is",
                    where));
    *seconds = value;
done:
    return status;
}

/* At a place in a store: its attribute; of a group also the array in it. */
static sp_status seconds_at(const sp_array_map *map, const char *place, double *seconds, sp_error *err)
{
    static const char name[] = "epoch_seconds";
    const sp_stored_file *f = &map->file;
    char where[SP_STORED_WHERE];
    double value = 0;
    char *path = NULL;
    sp_status status = SP_OK;
    if (f->store->number(f, place, name, &value)) {
        snprintf(where, sizeof where, "%.300s: attribute %s of %.200s", f->file, name, place);
        TRY(take_seconds(map, NULL, value, where, seconds, err));
        goto done;
    }
    if (!(path = sp_array_join(place, name)))
        TRY(sp_no_memory(err));
    if (sp_stored_what_is(f, place) == SP_STORED_GROUP && sp_stored_what_is(f, path) == SP_STORED_ARRAY) {
        sp_stored *array = sp_stored_find(f, path);
        TRY(array ? sp_stored_look((sp_stored_file *)f, array, err) : sp_no_memory(err));
        snprintf(where, sizeof where, "%.300s: dataset %s of %.200s", f->file, name, place);
        TRY(take_seconds(map, array, 0, where, seconds, err));
    }
done:
    free(path);
    return status;
}

/* In a store the first of: the first recording's array, its group, the group of the recordings, the root. */
sp_status sp_array_source_epoch_seconds(sp_source *source, double *seconds, sp_error *err)
{
    sp_array_map *map = sp_array_source_map(source);
    sp_stored *array = NULL;
    char where[SP_STORED_WHERE], *group = NULL;
    sp_status status = SP_OK;
    *seconds = 0;
    if (!map->file.store) {
        TRY(sp_array_named(map, NULL, "epoch_seconds", "", &array, err));
        if (array)
            TRY(take_seconds(map, array, 0, sp_stored_where(&map->file, array, where), seconds, err));
        goto done;
    }
    if (!(group = sp_array_group(map->first->name)))
        TRY(sp_no_memory(err));
    const char *const places[] = {map->first->name, group, map->base, "/"};
    for (size_t i = 0; i < sizeof places / sizeof *places && *seconds == 0; i++)
        TRY(seconds_at(map, places[i], seconds, err));
done:
    free(group);
    return status;
}
