/* What is the same in all formats: ranges, shapes, memory. */
#include "io/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/subjects.h"
#include "io/file_list.h"
#include "io/format.h"
#include "io/holes.h"
#include "io/many.h"
#include "io/text/cells.h"
#include "statepath/model_json.h"
#include "tags/tags.h"

/* ---- opening ---- */

sp_source_options sp_source_options_default(void)
{
    return (sp_source_options){.kind = SP_KIND_LOG_PROBS, .needs_scores = true};
}

void sp_source_close(sp_source *source)
{
    if (!source)
        return;
    if (source->opened)
        source->format->close(source->opened);
    sp_holes_free(source);
    sp_model_free(source->named);
    free(source->file_name);
    free(source);
}

static sp_source *new_source(const char *name, const sp_request *request)
{
    sp_source *source = calloc(1, sizeof *source);
    if (!source || !(source->file_name = strdup(name))) {
        free(source);
        return NULL;
    }
    source->info.file = source->file_name;
    source->model = request->options->model;
    source->codes = request->options->codes;
    source->path_codes = request->options->codes;
    source->ignores_100 = request->options->ignores_100;
    source->are_previous = request->options->are_previous;
    return source;
}

sp_status sp_source_open_one(const char *file, const sp_request *request, sp_source **out, sp_error *err)
{
    sp_source *source = new_source(file, request);
    if (!source)
        return sp_no_memory(err);
    sp_status status = sp_format_find(file, request, &source->format, err);
    if (status == SP_OK)
        status = source->format->open(source, request, err);
    if (status == SP_OK)
        status = sp_holes_check(source, request->options->gaps, err);
    if (status == SP_OK)
        *out = source;
    else
        sp_source_close(source);
    return status;
}

/* Takes the names that were loaded. */
static void use_names(sp_source *source, const char *place)
{
    source->info.classes = (const char *const *)source->named->classes;
    source->info.classes_place = place;
    source->info.n_classes = source->named->n_classes;
}

/* Columns of tags in rows that transformers' Trainer left have no names: their order is that of the network's config.json. One
 * beside the file is taken; without it scores are refused. */
static sp_status name_by_config(sp_source *source, const sp_source_options *options, sp_error *err)
{
    const sp_source_info *info = &source->info;
    const sp_model *model = options->model;
    if (!source->is_of_trainer || info->classes || !info->has_scores || !model ||
        model->n_classes != info->n_classes)
        return SP_OK;
    const char *file = info->n_files > 0 ? info->files[0].name : info->file, *slash = strrchr(file, '/');
    const size_t folder = slash ? (size_t)(slash + 1 - file) : 0, size = folder + sizeof "config.json";
    sp_tag *tags = malloc((size_t)model->n_classes * sizeof *tags);
    char *config = malloc(size);
    bool are_tags = false;
    sp_error ignored;
    sp_status status = tags && config ? SP_OK : sp_no_memory(err);
    if (status == SP_OK)
        status = sp_tags_read(model->n_classes, (const char *const *)model->classes, tags, &are_tags, err);
    if (status == SP_OK && are_tags) {
        snprintf(config, size, "%.*sconfig.json", (int)folder, file);
        const sp_status loaded = sp_classes_load(config, &source->named, &ignored);
        if (loaded == SP_ENOMEM)
            status = sp_no_memory(err);
        else if (loaded == SP_OK && source->named->n_classes == info->n_classes) {
            use_names(source, "config.json beside it");
            bool is_same = true;
            for (int32_t k = 0; k < info->n_classes; k++)
                is_same &= strcmp(info->classes[k], model->classes[k]) == 0;
            if (!is_same && !info->remark)
                source->info.remark = "the columns are named by config.json beside it";
        } else if (options->needs_scores ||
                   options->takes_scores) /* of labels alone their order is told elsewhere */
            status = sp_fail(
                err, SP_EDATA,
                "%s: its columns have no names, and tags are hardly ever in the order of model %s, %s first; "
                "`classes` config.json of the network names them (id2label), or a list of names, or the "
                "model's own "
                "file where they are in its order",
                info->file, model->name, model->classes[0]);
    }
    free(config);
    free(tags);
    return status;
}

/* Are all names whole numbers? */
static bool are_whole(const char *const *names, int32_t n)
{
    int64_t number;
    int32_t k = 0;
    while (k < n && sp_cell_whole(names[k], &number))
        k++;
    return k == n;
}

/* Names of the columns that the options give. Those that a file has must be the same, in whatever order,
 * unless they are numbers. */
static sp_status name_classes(sp_source *source, const sp_source_options *options, sp_error *err)
{
    const char *classes = options->classes;
    sp_source_info *info = &source->info;
    if (!classes || source->has_chosen_columns)
        return name_by_config(source, options, err);
    sp_status status = sp_classes_load(classes, &source->named, err);
    if (status != SP_OK)
        return status;
    const int32_t n = source->named->n_classes;
    if (info->n_classes && info->n_classes != n)
        return sp_fail(err, SP_EDATA, "%s: has %d classes, and `classes` %s names %d", info->file,
                       info->n_classes, classes, n);
    const bool are_numbers = info->classes && are_whole(info->classes, n);
    for (int32_t k = 0; info->classes && !are_numbers && k < n; k++) {
        bool is_named = false;
        for (int32_t j = 0; j < n; j++)
            is_named |= strcmp(info->classes[k], source->named->classes[j]) == 0;
        if (!is_named)
            return sp_fail(
                err, SP_EDATA,
                "%s: names its classes itself, among them %s, which `classes` %s does not name; leave it out",
                info->file, info->classes[k], classes);
    }
    if (!info->classes || are_numbers)
        use_names(source, "`classes`");
    return SP_OK;
}

static sp_status open_alone(const char *file, const sp_request *request, sp_source **out, sp_error *err)
{
    sp_source *source = NULL;
    sp_status status = sp_source_open_one(file, request, &source, err);
    if (status == SP_OK)
        status = sp_holes_use(source, request->options->gaps, err);
    if (status == SP_OK)
        status = name_classes(source, request->options, err);
    if (status == SP_OK)
        *out = source;
    else
        sp_source_close(source);
    return status;
}

static sp_status open_source(const char *file, const sp_request *request, sp_source **out, sp_error *err)
{
    sp_file_list *list = NULL;
    if (request->options->access.image)
        return open_alone(file, request, out, err);
    sp_status status = sp_file_list_new(file, request->options->more, &list, err);
    if (status == SP_OK && request->options->only)
        status = sp_file_list_keep(list, request->options->only, err);
    if (status != SP_OK) {
        sp_file_list_free(list);
        return status;
    }
    if (!list->is_several) {
        sp_file_list_free(list);
        return open_alone(file, request, out, err);
    }
    sp_source *source = new_source(list->about, request);
    if (!source) {
        sp_file_list_free(list);
        return sp_no_memory(err);
    }
    status = sp_many_open(source, request, list, err);
    if (status == SP_OK)
        status = name_classes(source, request->options, err);
    if (status == SP_OK)
        *out = source;
    else
        sp_source_close(source);
    return status;
}

sp_status sp_source_open(const char *file, const sp_source_options *options, sp_source **out, sp_error *err)
{
    const sp_source_options usual = sp_source_options_default();
    const sp_request request = {.options = options ? options : &usual};
    return open_source(file, &request, out, err);
}

const sp_holes *sp_source_holes(const sp_source *source)
{
    return source->has_holes ? &source->holes : NULL;
}

const char *const *sp_source_tokens(const sp_source *source)
{
    return source->tokens;
}

sp_status sp_source_check_tokens(const sp_source *ours, const sp_source *theirs, const int64_t *recording,
                                 sp_error *err)
{
    if (!ours->token_lines || !theirs->token_lines)
        return SP_OK;
    for (int64_t n = 0; n < ours->info.n_recordings; n++) {
        if (recording[n] < 0)
            continue;
        const int64_t a = ours->info.offsets[n], b = theirs->info.offsets[recording[n]];
        const int64_t steps = ours->info.offsets[n + 1] - a,
                      others = theirs->info.offsets[recording[n] + 1] - b;
        for (int64_t t = 0; t < steps && t < others; t++)
            if (strcmp(ours->tokens[a + t], theirs->tokens[b + t]) != 0)
                return sp_fail_at(err, SP_EDATA, t,
                                  "%s: line %lld has the token \"%.60s\", and %s in its place, line %lld, "
                                  "\"%.60s\"; both must be "
                                  "tags of the same tokens; a file without tokens is matched by place",
                                  ours->info.file, (long long)ours->token_lines[a + t], ours->tokens[a + t],
                                  theirs->info.file, (long long)theirs->token_lines[b + t],
                                  theirs->tokens[b + t]);
    }
    return SP_OK;
}

sp_status sp_source_open_labels(const char *file, const sp_source_options *options, sp_status status,
                                sp_source **out, sp_error *err)
{
    sp_error other = {.status = SP_OK};
    sp_source_options labels = options ? *options : sp_source_options_default();
    sp_source *source = NULL;
    labels.needs_scores = labels.takes_scores = false;
    const sp_status found = sp_source_open(file, &labels, &source, &other);
    if (found == SP_OK && source->info.has_labels && !source->info.has_scores) {
        *out = source;
        return SP_OK;
    }
    sp_source_close(source);
    const bool are_at_fault = found == SP_ENOMEM || (found == SP_EDATA && status == SP_EFILE &&
                                                     other.step >= 0); /* labels, and no scores */
    return are_at_fault ? sp_fail(err, found, "%s", other.message) : status;
}

sp_status sp_source_list_unused(sp_source *source, sp_unused_sink *sink, void *arg, sp_error *err)
{
    return source->format && source->format->list_unused ? source->format->list_unused(source, sink, arg, err)
                                                         : SP_OK;
}

const sp_source_info *sp_source_info_of(const sp_source *source)
{
    return &source->info;
}

bool sp_source_has_words(const sp_source *source)
{
    return source->has_words;
}

bool sp_source_has_numbers(const sp_source *source)
{
    return source->has_numbers || (!source->has_words && !source->codes && !source->info.classes);
}

bool sp_source_says_kept(const sp_source *source)
{
    return source->says_kept || source->has_holes || source->kept;
}

bool sp_source_is_unsized(const sp_source *source)
{
    return source->is_unsized;
}

bool sp_source_may_have_header(const sp_source *source)
{
    return source->may_have_header;
}

void sp_source_use_model(sp_source *source, const sp_model *model)
{
    source->model = model;
}

void sp_source_use_codes(sp_source *source, const sp_codes *codes)
{
    source->codes = codes;
}

void sp_source_use_threads(sp_source *source, int n_threads)
{
    if (source->format->use_threads)
        source->format->use_threads(source, n_threads);
}

/* ---- reading ---- */

static sp_status want_recordings(const sp_source *source, int64_t first, int64_t count, sp_wanted *out,
                                 sp_error *err)
{
    const sp_source_info *info = &source->info;
    if (first < 0 || count < 0 || first > info->n_recordings - count)
        return sp_fail(err, SP_EINVAL, "%s: recordings %lld to %lld asked for, but it has %lld", info->file,
                       (long long)first, (long long)(first + count - 1), (long long)info->n_recordings);
    *out = (sp_wanted){
        .first = first, .count = count, .n_steps = info->offsets[first + count] - info->offsets[first]};
    return SP_OK;
}

static sp_status want_steps(const sp_source *source, int64_t recording, int64_t first, int64_t n,
                            sp_wanted *out, sp_error *err)
{
    const sp_source_info *info = &source->info;
    if (recording < 0 || recording >= info->n_recordings)
        return sp_fail(err, SP_EINVAL, "%s: recording %lld asked for, but it has %lld", info->file,
                       (long long)recording, (long long)info->n_recordings);
    const int64_t length = info->offsets[recording + 1] - info->offsets[recording];
    if (first < 0 || n < 0 || first > length - n)
        return sp_fail(err, SP_EINVAL, "%s: steps %lld to %lld of recording %s asked for, but it has %lld",
                       info->file, (long long)first, (long long)(first + n - 1), info->ids[recording],
                       (long long)length);
    *out = (sp_wanted){.first = recording, .count = 1, .is_part = true, .first_step = first, .n_steps = n};
    return SP_OK;
}

static sp_status read_wanted(sp_source *source, const sp_wanted *w, unsigned parts, sp_block *block,
                             sp_error *err)
{
    const sp_source_info *info = &source->info;
    unsigned have = (info->has_scores ? SP_BLOCK_SCORES : 0u) | (info->has_labels ? SP_BLOCK_LABELS : 0u) |
                    (info->has_segments ? SP_BLOCK_SEGMENTS : 0u) |
                    (info->has_weights ? SP_BLOCK_WEIGHTS : 0u) | (info->has_mask ? SP_BLOCK_MASK : 0u);
    const int64_t *offsets = info->offsets + w->first;
    sp_status status =
        sp_block_reserve(block, w->count, w->n_steps, info->n_classes, info->dtype, parts & have, err);
    if (status != SP_OK)
        return status;
    block->offsets[0] = 0;
    for (int64_t n = 1; n <= w->count; n++)
        block->offsets[n] = w->is_part ? w->n_steps : offsets[n] - offsets[0];
    block->first = w->first;
    block->first_step = w->first_step;
    block->file = info->file;
    block->dataset = info->scores_path ? info->scores_path : info->labels_path;
    block->ids = info->ids + w->first;
    block->classes = info->classes;
    return sp_holes_read(source, w, block, err);
}

sp_status sp_source_read(sp_source *source, int64_t first, int64_t count, unsigned parts, sp_block *block,
                         sp_error *err)
{
    sp_wanted w;
    sp_status status = want_recordings(source, first, count, &w, err);
    return status == SP_OK ? read_wanted(source, &w, parts, block, err) : status;
}

sp_status sp_source_read_steps(sp_source *source, int64_t recording, int64_t first, int64_t n, unsigned parts,
                               sp_block *block, sp_error *err)
{
    sp_wanted w;
    sp_status status = want_steps(source, recording, first, n, &w, err);
    return status == SP_OK ? read_wanted(source, &w, parts, block, err) : status;
}

int64_t sp_source_fit(const sp_source *source, int64_t first, int64_t bytes)
{
    const sp_source_info *info = &source->info;
    int64_t row =
        (int64_t)(info->n_classes > 0 ? info->n_classes : 1) * (info->has_scores ? (int64_t)info->dtype : 4);
    int64_t steps = bytes / row, n = 0;
    while (first + n < info->n_recordings && info->offsets[first + n + 1] - info->offsets[first] <= steps)
        n++;
    return n > 0 ? n : 1;
}

/* ---- what is looked for only when asked ---- */

sp_status sp_source_epoch_seconds(sp_source *source, double *seconds, sp_error *err)
{
    *seconds = 0;
    return source->format->epoch_seconds ? source->format->epoch_seconds(source, seconds, err) : SP_OK;
}

sp_status sp_source_subjects(sp_source *source, const sp_groups *groups, sp_subjects **out, sp_error *err)
{
    const sp_source_info *info = &source->info;
    return source->format->subjects
               ? source->format->subjects(source, groups, out, err)
               : sp_subjects_from_ids(info->n_recordings, info->ids, groups, info->file, out, err);
}

sp_status sp_source_windows(sp_source *source, const char *place, int64_t **start, int64_t **text,
                            sp_error *err)
{
    *start = *text = NULL;
    if (source->format->windows)
        return source->format->windows(source, place, start, text, err);
    return place ? sp_fail(err, SP_EINVAL, "`windows` %s is an array beside the scores, and %s holds none",
                           place, source->file_name)
                 : SP_OK;
}

sp_status sp_source_find_raters(sp_source *source, sp_raters_found *out, sp_error *err)
{
    if (!source->has_looked_for_raters && source->format->find_raters) {
        sp_status status = source->format->find_raters(source, err);
        if (status != SP_OK)
            return status;
    }
    source->has_looked_for_raters = true;
    *out = source->raters;
    return SP_OK;
}

sp_status sp_source_read_rater(sp_source *source, int32_t rater, int64_t first, int64_t count,
                               int32_t *labels, sp_error *err)
{
    sp_wanted w;
    if (rater < 0 || rater >= source->raters.n_raters ||
        want_recordings(source, first, count, &w, NULL) != SP_OK)
        return sp_fail(err, SP_EINVAL, "%s: there is no scorer %d of recordings %lld and on",
                       source->file_name, rater, (long long)first);
    return sp_holes_read_rater(source, rater, &w, labels, err);
}

/* ---- paths: a source that was opened for them ---- */

sp_status sp_paths_reader_open(const char *file, const char *paths, const sp_source_options *places,
                               sp_paths_reader **out, sp_error *err)
{
    sp_source_options options = places ? *places : sp_source_options_default();
    options.needs_scores = false;
    const sp_request request = {.options = &options, .is_paths = true, .paths = paths};
    sp_status status = open_source(file, &request, out, err);
    if (status == SP_OK)
        sp_paths_reader_refresh(*out);
    return status;
}

void sp_paths_reader_refresh(sp_source *source)
{
    const sp_source_info *info = &source->info;
    sp_paths_info *p = &source->paths;
    p->file = info->file;
    p->file_size = info->file_size;
    p->n_recordings = info->n_recordings;
    p->n_steps = info->n_steps;
    p->offsets = info->offsets;
    p->ids = info->ids;
    p->has_ids = info->has_ids;
    p->n_classes = info->n_classes;
    p->classes = info->classes;
    p->has_labels = info->has_labels;
    p->has_segments = info->has_segments;
}

const sp_paths_info *sp_paths_reader_info(const sp_paths_reader *reader)
{
    return &reader->paths;
}

void sp_paths_reader_use_codes(sp_paths_reader *reader, const sp_codes *paths, const sp_codes *labels)
{
    reader->path_codes = paths;
    reader->codes = labels;
}

sp_decoded sp_paths_reader_result(const sp_paths_reader *reader, int32_t strategy, int64_t recording,
                                  bool is_undecoded)
{
    if (reader->format->result)
        return reader->format->result(reader, strategy, recording, is_undecoded);
    return (sp_decoded){.status = is_undecoded ? SP_ENOPATH : SP_OK, .step = -1};
}

static bool is_undecoded(const int32_t *path, int64_t n_steps)
{
    for (int64_t t = 0; t < n_steps; t++)
        if (path[t] != -1)
            return false;
    return n_steps > 0;
}

sp_status sp_paths_reader_read(sp_paths_reader *reader, int32_t strategy, int64_t first, int64_t count,
                               int32_t *paths, sp_decoded *results, sp_error *err)
{
    sp_wanted w;
    sp_status status = want_recordings(reader, first, count, &w, err);
    if (status != SP_OK)
        return status;
    int32_t *own = paths ? NULL : malloc((size_t)(w.n_steps + 1) * sizeof *own);
    const int32_t *path = paths ? paths : own;
    if (!path)
        return sp_no_memory(err);
    status = sp_holes_read_path(reader, strategy, &w, paths ? paths : own, err);
    const int64_t *offsets = reader->info.offsets + first;
    for (int64_t i = 0; status == SP_OK && results && i < count; i++)
        results[i] = sp_paths_reader_result(
            reader, strategy, first + i,
            is_undecoded(path + (offsets[i] - offsets[0]), offsets[i + 1] - offsets[i]));
    free(own);
    return status;
}

static sp_status read_beside(sp_paths_reader *reader, const sp_wanted *w, int32_t *labels, int64_t *segments,
                             sp_error *err)
{
    const bool lacks_labels = labels && !reader->info.has_labels;
    if (lacks_labels || (segments && !reader->info.has_segments))
        return sp_fail(err, SP_EDATA, "%s: has no %s", reader->file_name,
                       lacks_labels ? "labels" : "segments");
    sp_block block = {.dtype = SP_F32, .labels = labels, .segments = segments};
    return sp_holes_read(reader, w, &block, err);
}

sp_status sp_paths_reader_labels(sp_paths_reader *reader, int64_t first, int64_t count, int32_t *labels,
                                 int64_t *segments, sp_error *err)
{
    sp_wanted w;
    sp_status status = want_recordings(reader, first, count, &w, err);
    return status == SP_OK ? read_beside(reader, &w, labels, segments, err) : status;
}

const char *sp_layout_name(sp_layout layout)
{
    static const char *const names[] = {"packed", "padded", "single", "groups"};
    return (unsigned)layout < sizeof names / sizeof *names ? names[layout] : "unknown";
}
