#include "io/many.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/source.h"
#include "io/text/texts.h"

enum { OPEN_FILES = 16 /* at a time; texts of labels, which are in memory, beside them */ };

enum { NO_SCORER = -1 };

typedef struct member {
    int64_t first, n;  /* recordings of all files */
    sp_source *source; /* or NULL: closed */
    bool has_labels;
    double seconds;     /* length of a step; 0: the file does not say */
    sp_decoded *result; /* [n_strategies][n][2] decoded and undecoded, of files that say what became of recordings; or NULL */
} member;

typedef struct many {
    sp_file_list *list;
    member *members;
    sp_source_file *files; /* [n] */
    /* The request again, for files that are opened once more; texts are our own. */
    sp_source_options options;
    char *texts[6], *paths_text;
    bool is_paths;
    int n_threads;
    int64_t opened[OPEN_FILES]; /* members that are open, in a ring; -1 */
    int next_place;
    /* What info points to. */
    int64_t *offsets;
    char **ids; /* [N] owned */
    int64_t n_ids;
    sp_texts classes, strategies;
    char *scores_path, *labels_path, *stored_type, *storage, *classes_place, *model_json, *input, *remark;
    int64_t n_remarks;
    bool *has_path_scores;
    sp_texts scorer_names;
    sp_status seconds_status; /* the first file that says something that is no length */
    sp_error seconds_error;
} many;

/* ---- members, open and closed ---- */

static void close_member(member *m)
{
    sp_source_close(m->source);
    m->source = NULL;
}

static void close_many(void *opened)
{
    many *a = opened;
    for (int64_t i = 0; a->members && i < a->list->n; i++) {
        close_member(&a->members[i]);
        free(a->members[i].result);
    }
    for (int64_t i = 0; a->ids && i < a->n_ids; i++)
        free(a->ids[i]);
    for (size_t i = 0; i < sizeof a->texts / sizeof a->texts[0]; i++)
        free(a->texts[i]);
    void *const owned[] = {a->members,    a->files,         a->paths_text,      a->offsets,      a->ids,   a->classes,
                           a->strategies, a->storage,       a->scores_path,     a->labels_path,  a->input, a->stored_type,
                           a->model_json, a->classes_place, a->has_path_scores, a->scorer_names, a->remark};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        free(owned[i]);
    sp_file_list_free(a->list);
    free(a);
}

/* Makes member i open. One that was opened long ago is closed for it. */
static sp_status open_member(many *a, int64_t i, sp_source **out, sp_error *err)
{
    member *m = &a->members[i];
    if (!m->source) {
        const sp_request request = {.options = &a->options, .is_paths = a->is_paths, .paths = a->paths_text};
        sp_status status = sp_source_open_one(a->list->names[i], &request, &m->source, err);
        if (status != SP_OK)
            return status;
        if (a->n_threads)
            sp_source_use_threads(m->source, a->n_threads);
        if (!m->source->format->is_in_memory) {
            const int64_t oldest = a->opened[a->next_place];
            if (oldest >= 0)
                close_member(&a->members[oldest]);
            a->opened[a->next_place] = i;
            a->next_place = (a->next_place + 1) % OPEN_FILES;
        }
    }
    *out = m->source;
    return SP_OK;
}

/* The same of a file that was looked at before: it must still be what it was. */
static sp_status reopen_member(const sp_source *source, int64_t i, sp_source **out, sp_error *err)
{
    many *a = source->opened;
    const member *m = &a->members[i];
    sp_status status = open_member(a, i, out, err);
    if (status != SP_OK)
        return status;
    const sp_source_info *info = &(*out)->info;
    bool is_same = info->n_recordings == m->n && (!info->has_scores || info->n_classes == source->info.n_classes);
    for (int64_t n = 0; is_same && n <= m->n; n++)
        is_same = info->offsets[n] == a->offsets[m->first + n] - a->offsets[m->first];
    if (!is_same)
        return sp_fail(err, SP_EFILE, "%s: has changed since it was opened; run it again once it is complete", a->list->names[i]);
    (*out)->codes = source->codes;
    (*out)->model = source->model;
    (*out)->path_codes = source->path_codes;
    return SP_OK;
}

static int64_t member_of(const sp_source *source, int64_t recording)
{
    const many *a = source->opened;
    int64_t low = 0, high = a->list->n; /* the last member that begins at or before the recording and is not empty */
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (a->members[middle].first <= recording)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* ---- reading ---- */

/* The next piece of what is wanted that lies in one file. */
typedef struct piece {
    sp_source *source;
    int64_t member;
    sp_wanted wanted;
    int64_t at; /* its first step in what is read */
} piece;

/* Goes on to the next piece; false: that was the last one, or (*status) the file cannot be opened. */
static bool next_piece(const sp_source *source, const sp_wanted *w, piece *p, sp_status *status, sp_error *err)
{
    const many *a = source->opened;
    const int64_t done = p->source ? a->members[p->member].first + p->wanted.first + p->wanted.count : w->first;
    if (done >= w->first + w->count)
        return false;
    p->at += p->source ? p->wanted.n_steps : 0;
    p->member = member_of(source, done);
    const member *m = &a->members[p->member];
    const int64_t left = w->first + w->count - done, here = m->first + m->n - done;
    p->wanted = *w;
    p->wanted.first = done - m->first;
    p->wanted.count = left < here ? left : here;
    if (!w->is_part)
        p->wanted.n_steps = a->offsets[done + p->wanted.count] - a->offsets[done];
    *status = reopen_member(source, p->member, &p->source, err);
    return *status == SP_OK;
}

static void *moved(void *values, int64_t steps, size_t size)
{
    return values ? (char *)values + (size_t)steps * size : NULL;
}

static sp_status read_many(sp_source *source, const sp_wanted *wanted, sp_block *block, sp_error *err)
{
    const many *a = source->opened;
    const size_t K = (size_t)block->n_classes;
    piece p = {.source = NULL};
    sp_status status = SP_OK;
    int64_t n_pieces = 0;
    while (status == SP_OK && next_piece(source, wanted, &p, &status, err)) {
        const member *m = &a->members[p.member];
        sp_block part = {.n_classes = block->n_classes,
                         .dtype = block->dtype,
                         .scores = moved(block->scores, p.at, K * (size_t)block->dtype),
                         .labels = moved(block->labels, p.at, sizeof *block->labels),
                         .segments = moved(block->segments, p.at, sizeof *block->segments),
                         .weights = moved(block->weights, p.at, sizeof *block->weights),
                         .mask = moved(block->mask, p.at, K)};
        for (int64_t t = 0; part.labels && !m->has_labels && t < p.wanted.n_steps; t++)
            part.labels[t] = -1;
        if (!m->has_labels)
            part.labels = NULL;
        /* Labels of files without names of classes are classes of all files. */
        p.source->info.n_classes = source->info.n_classes;
        status = p.source->format->read(p.source, &p.wanted, &part, err);
        n_pieces++;
    }
    if (n_pieces == 1)
        block->file = a->list->names[p.member];
    return status;
}

static sp_status read_path(sp_source *source, int32_t strategy, const sp_wanted *wanted, int32_t *out, sp_error *err)
{
    piece p = {.source = NULL};
    sp_status status = SP_OK;
    while (status == SP_OK && next_piece(source, wanted, &p, &status, err))
        status = p.source->format->read_path(p.source, strategy, &p.wanted, out + p.at, err);
    return status;
}

static sp_decoded result_of(const sp_source *source, int32_t strategy, int64_t recording, bool is_undecoded)
{
    const many *a = source->opened;
    const member *m = &a->members[member_of(source, recording)];
    if (m->result)
        return m->result[2 * (strategy * m->n + recording - m->first) + is_undecoded];
    return (sp_decoded){.status = is_undecoded ? SP_ENOPATH : SP_OK, .step = -1};
}

static void use_threads(sp_source *source, int n_threads)
{
    many *a = source->opened;
    a->n_threads = n_threads;
    for (int64_t i = 0; i < a->list->n; i++)
        if (a->members[i].source)
            sp_source_use_threads(a->members[i].source, n_threads);
}

/* ---- opening: what all files have ---- */

static sp_status copy_text(const char *from, char **to, const char **field, sp_error *err)
{
    if (!from)
        return SP_OK;
    *to = strdup(from);
    *field = *to;
    return *to ? SP_OK : sp_no_memory(err);
}

static sp_status copy_request(many *a, const sp_request *request, sp_error *err)
{
    const sp_source_options *o = request->options;
    const char *const from[] = {o->scores, o->labels, o->offsets, o->lengths, o->ids, o->mask};
    a->options = *o;
    a->options.more = NULL;
    const char **const fields[] = {&a->options.scores,  &a->options.labels, &a->options.offsets,
                                   &a->options.lengths, &a->options.ids,    &a->options.mask};
    sp_status status = SP_OK;
    for (size_t i = 0; status == SP_OK && i < sizeof from / sizeof from[0]; i++)
        status = copy_text(from[i], &a->texts[i], fields[i], err);
    const char *unused = NULL;
    a->is_paths = request->is_paths;
    return status == SP_OK ? copy_text(request->paths, &a->paths_text, &unused, err) : status;
}

/* Keeps what a later file is compared with; where the files differ in what only people read, nothing. */
static sp_status keep_texts(many *a, sp_source_info *all, const sp_source_info *one, bool is_first, sp_error *err)
{
    char **const mine[] = {&a->scores_path, &a->labels_path, &a->stored_type, &a->storage, &a->classes_place};
    const char **const shown[] = {&all->scores_path, &all->labels_path, &all->stored_type, &all->storage, &all->classes_place};
    const char *const theirs[] = {one->scores_path, one->labels_path, one->stored_type, one->storage, one->classes_place};
    for (size_t i = 0; i < sizeof mine / sizeof mine[0]; i++) {
        if (is_first && theirs[i]) {
            *mine[i] = strdup(theirs[i]);
            if (!*mine[i])
                return sp_no_memory(err);
        }
        const bool is_shown = i == 2 || i == 3; /* of files that differ the first one's, and that there are others */
        if (!is_first && *mine[i] && (!theirs[i] || strcmp(*mine[i], theirs[i]) != 0) && !is_shown) {
            free(*mine[i]);
            *mine[i] = NULL;
        }
        *shown[i] = *mine[i];
    }
    return SP_OK;
}

static sp_status check_classes(const many *a, const sp_source_info *all, const sp_source_info *one, int64_t i, sp_error *err)
{
    const char *file = a->list->names[i], *first = a->list->names[0];
    if (one->has_scores && all->has_scores && one->n_classes != all->n_classes)
        return sp_fail(err, SP_EDATA, "%s: has %d classes, but %s has %d; all files need the same%s", file, one->n_classes, first,
                       all->n_classes,
                       a->options.transpose || one->classes ? "" : " (`transpose` reads arrays [classes, steps])");
    if ((one->classes != NULL) != (all->classes != NULL))
        return sp_fail(err, SP_EDATA, "%s names its classes, but %s does not; name them in all files, or in none",
                       one->classes ? file : first, one->classes ? first : file);
    if (one->classes && one->n_classes != all->n_classes)
        return sp_fail(err, SP_EDATA, "%s: names %d classes, but %s names %d; all files need the same", file, one->n_classes,
                       first, all->n_classes);
    for (int32_t k = 0; one->classes && k < one->n_classes; k++)
        if (strcmp(one->classes[k], all->classes[k]) != 0)
            return sp_fail(err, SP_EDATA,
                           "%s: class %d is called '%s', but '%s' in %s; all files need the same classes in the same order", file,
                           k, one->classes[k], all->classes[k], first);
    return SP_OK;
}

/* Segments, weights and masks are there in all files or in none. */
static sp_status check_parts(const many *a, const sp_source_info *all, const sp_source_info *one, int64_t i, sp_error *err)
{
    const struct {
        const char *what;
        bool all, one;
    } parts[] = {{"scores", all->has_scores, one->has_scores},
                 {"segments", all->has_segments, one->has_segments},
                 {"weights", all->has_weights, one->has_weights},
                 {"a mask", all->has_mask, one->has_mask}};
    const char *file = a->list->names[i], *first = a->list->names[0];
    for (size_t p = 0; p < sizeof parts / sizeof parts[0]; p++)
        if (parts[p].all != parts[p].one)
            return sp_fail(err, SP_EDATA, "%s has %s, but %s has none; all files need the same", parts[p].one ? file : first,
                           parts[p].what, parts[p].one ? first : file);
    if (one->has_scores && one->kind != all->kind)
        return sp_fail(err, SP_EDATA, "%s holds %s, but %s %s; say what all files are with `kind`", file, sp_kind_name(one->kind),
                       first, sp_kind_name(all->kind));
    return SP_OK;
}

/* Ids and offsets of one more file's recordings. */
static sp_status add_recordings(many *a, const sp_source_info *one, int64_t i, sp_source_info *all, int64_t *room, sp_error *err)
{
    const int64_t first = all->n_recordings, n = one->n_recordings;
    if (first + n + 1 > *room) {
        const int64_t more = 2 * (first + n + 1);
        char **ids = realloc(a->ids, (size_t)more * sizeof *ids);
        if (ids)
            a->ids = ids;
        int64_t *offsets = realloc(a->offsets, (size_t)more * sizeof *offsets);
        if (offsets)
            a->offsets = offsets;
        if (!ids || !offsets)
            return sp_no_memory(err);
        *room = more;
    }
    char *stem = a->list->ids ? strdup(a->list->ids[i]) : sp_file_stem(a->list->names[i]);
    if (!stem)
        return sp_no_memory(err);
    a->offsets[0] = 0;
    for (int64_t j = 0; j < n; j++) {
        const size_t size = strlen(stem) + strlen(one->ids[j]) + 2;
        char *id = malloc(size);
        if (!id) {
            free(stem);
            return sp_no_memory(err);
        }
        snprintf(id, size, n == 1 ? "%s" : "%s/%s", stem, one->ids[j]);
        a->ids[a->n_ids++] = id;
        a->offsets[first + j + 1] = a->offsets[first] + one->offsets[j + 1];
    }
    free(stem);
    a->members[i].first = first;
    a->members[i].n = n;
    a->files[i] = (sp_source_file){.name = a->list->names[i], .n_recordings = n, .n_steps = one->n_steps};
    all->n_recordings += n;
    all->n_steps += one->n_steps;
    all->file_size += one->file_size;
    all->dtype = one->dtype > all->dtype ? one->dtype : all->dtype;
    return SP_OK;
}

static sp_status begin_info(many *a, const sp_source_info *one, sp_source_info *all, sp_error *err)
{
    const char *file = all->file;
    *all = *one;
    all->file = file;
    all->file_size = all->n_recordings = all->n_steps = all->n_unlabelled = 0;
    all->layout = SP_LAYOUT_GROUPS;
    all->remark = NULL;
    all->has_ids = true;
    all->has_labels = false;
    all->classes = NULL;
    if (one->classes && !(a->classes = sp_texts_copy(one->classes, one->n_classes)))
        return sp_no_memory(err);
    all->classes = (const char *const *)a->classes;
    /* Rows that were seen to be probabilities are checked as such in the other files too. */
    if (one->has_scores && !a->options.has_kind && !one->kind_from_name) {
        a->options.has_kind = true;
        a->options.kind = one->kind;
    }
    return SP_OK;
}

/* ---- opening: paths ---- */

static sp_status keep_results(member *m, const sp_source *one, int32_t n_strategies, sp_error *err)
{
    if (!one->format->result)
        return SP_OK;
    m->result = malloc(((size_t)n_strategies * (size_t)m->n * 2 + 1) * sizeof *m->result);
    if (!m->result)
        return sp_no_memory(err);
    for (int32_t s = 0; s < n_strategies; s++)
        for (int64_t n = 0; n < m->n; n++)
            for (int undecoded = 0; undecoded < 2; undecoded++)
                m->result[2 * (s * m->n + n) + undecoded] = one->format->result(one, s, n, undecoded);
    return SP_OK;
}

/* What the paths of several files are called that have one each, and another name each. */
static sp_status one_name(many *a, sp_paths_info *all, sp_error *err)
{
    static const char *const name[] = {"paths"};
    free(a->strategies);
    a->strategies = sp_texts_copy(name, 1);
    all->strategies = (const char *const *)a->strategies;
    return a->strategies ? SP_OK : sp_no_memory(err);
}

static sp_status add_paths(many *a, const sp_source *one, int64_t i, sp_paths_info *all, sp_error *err)
{
    const sp_paths_info *theirs = &one->paths;
    const int32_t n = theirs->n_strategies;
    if (i == 0) {
        a->strategies = sp_texts_copy(theirs->strategies, n);
        a->has_path_scores = calloc((size_t)n + 1, sizeof *a->has_path_scores);
        a->model_json = theirs->model_json ? strdup(theirs->model_json) : NULL;
        a->input = theirs->input ? strdup(theirs->input) : NULL;
        if (!a->strategies || !a->has_path_scores || (theirs->model_json && !a->model_json) || (theirs->input && !a->input))
            return sp_no_memory(err);
        all->n_strategies = n;
        all->strategies = (const char *const *)a->strategies;
    }
    bool is_same = n == all->n_strategies;
    for (int32_t s = 0; is_same && s < n; s++)
        is_same = strcmp(theirs->strategies[s], all->strategies[s]) == 0;
    if (!is_same && (n != 1 || all->n_strategies != 1))
        return sp_fail(err, SP_EDATA, "%s does not hold paths of the same strategies as %s; all files need the same",
                       a->list->names[i], a->list->names[0]);
    sp_status status = is_same ? SP_OK : one_name(a, all, err);
    for (int32_t s = 0; s < n; s++)
        a->has_path_scores[s] = theirs->has_path_scores[s] && (i == 0 || a->has_path_scores[s]);
    all->has_path_scores = a->has_path_scores;
    if (a->model_json && (!theirs->model_json || strcmp(a->model_json, theirs->model_json) != 0)) {
        free(a->model_json);
        a->model_json = NULL;
    }
    all->model_json = a->model_json;
    all->input = a->input;
    return status == SP_OK ? keep_results(&a->members[i], one, n, err) : status;
}

/* ---- opening ---- */

/* The length of a step is noted while the file is open; what is wrong with it is said when it is asked for. */
static void note_seconds(many *a, int64_t i, sp_source *one)
{
    double *seconds = &a->members[i].seconds;
    sp_error error;
    if (a->seconds_status != SP_OK)
        return;
    a->seconds_status = sp_source_epoch_seconds(one, seconds, &error);
    if (a->seconds_status == SP_OK && i > 0 && *seconds != a->members[0].seconds)
        a->seconds_status = sp_fail(&error, SP_EDATA,
                                    "%s: a step lasts %g s, but %g s in %s; all files need the same (0: it does not "
                                    "say); `epoch_seconds` says it for all",
                                    a->list->names[i], *seconds, a->members[0].seconds, a->list->names[0]);
    if (a->seconds_status != SP_OK)
        a->seconds_error = error;
}

/* What the first file with a remark says, and in how many more there was something to say. */
static sp_status keep_remark(many *a, int64_t i, const char *remark, sp_source_info *all, sp_error *err)
{
    if (!remark)
        return SP_OK;
    if (a->n_remarks++ == 0) {
        const size_t size = strlen(a->list->names[i]) + strlen(remark) + 64;
        if (!(a->remark = malloc(size)))
            return sp_no_memory(err);
        snprintf(a->remark, size, "%s: %s", a->list->names[i], remark);
    } else {
        char *more = a->n_remarks > 2 ? strrchr(a->remark, ';') : a->remark + strlen(a->remark);
        snprintf(more, 64, "; remarks on %lld more file%s", (long long)a->n_remarks - 1, a->n_remarks > 2 ? "s" : "");
    }
    all->remark = a->remark;
    return SP_OK;
}

static sp_status look_at(many *a, int64_t i, sp_source *source, int64_t *room, sp_error *err)
{
    sp_source *one = NULL;
    sp_source_info *all = &source->info;
    sp_status status = open_member(a, i, &one, err);
    if (status == SP_OK && i == 0)
        status = begin_info(a, &one->info, all, err);
    if (status == SP_OK && i > 0)
        status = check_parts(a, all, &one->info, i, err);
    if (status == SP_OK && i > 0)
        status = check_classes(a, all, &one->info, i, err);
    if (status == SP_OK)
        status = keep_texts(a, all, &one->info, i == 0, err);
    if (status == SP_OK)
        status = add_recordings(a, &one->info, i, all, room, err);
    if (status != SP_OK)
        return status;
    a->members[i].has_labels = one->info.has_labels;
    all->has_labels |= one->info.has_labels;
    all->n_unlabelled += one->info.has_labels ? one->info.n_unlabelled : one->info.n_recordings;
    source->has_words |= one->has_words;
    note_seconds(a, i, one);
    if ((status = keep_remark(a, i, one->info.remark, all, err)) != SP_OK)
        return status;
    return a->is_paths ? add_paths(a, one, i, &source->paths, err) : SP_OK;
}

/* Two recordings of one name: which files they are of, and what names them apart. */
static sp_status check_ids(const sp_source *source, sp_error *err)
{
    const many *a = source->opened;
    int64_t p = 0, q = 0;
    if (sp_texts_duplicate((const char *const *)a->ids, a->n_ids, &p, &q))
        return sp_fail(err, SP_EDATA,
                       "%s and %s both hold a recording %s; where the folder tells them apart name them with a pattern, such as "
                       "'{id}/scores.npy'",
                       a->list->names[member_of(source, p)], a->list->names[member_of(source, q)], a->ids[p]);
    return p == -2 ? sp_no_memory(err) : SP_OK;
}

static const sp_format many_format;

sp_status sp_many_open(sp_source *source, const sp_request *request, sp_file_list *list, sp_error *err)
{
    many *a = source->opened = calloc(1, sizeof *a);
    source->format = &many_format;
    if (!a) {
        sp_file_list_free(list);
        return sp_no_memory(err);
    }
    a->list = list;
    for (int i = 0; i < OPEN_FILES; i++)
        a->opened[i] = -1;
    a->members = calloc((size_t)list->n, sizeof *a->members);
    a->files = calloc((size_t)list->n, sizeof *a->files);
    sp_status status = a->members && a->files ? copy_request(a, request, err) : sp_no_memory(err);
    int64_t room = 0;
    for (int64_t i = 0; status == SP_OK && i < list->n; i++)
        status = look_at(a, i, source, &room, err);
    if (status == SP_OK)
        status = check_ids(source, err);
    if (status != SP_OK)
        return status;
    sp_source_info *all = &source->info;
    all->n_unlabelled = all->has_labels ? all->n_unlabelled : 0;
    all->ids = (const char *const *)a->ids;
    all->offsets = a->offsets;
    all->n_files = list->n;
    all->files = a->files;
    return SP_OK;
}

/* ---- what is looked for only when asked ---- */

static sp_status epoch_seconds(sp_source *source, double *seconds, sp_error *err)
{
    const many *a = source->opened;
    if (a->seconds_status != SP_OK && err)
        *err = a->seconds_error;
    *seconds = a->members[0].seconds;
    return a->seconds_status;
}

/* Subjects of each file; where it names none, each of its recordings is one. */
static sp_status subjects_of_files(sp_source *source, const char *groups, const char **names, char *place, size_t place_size,
                                   sp_subjects **kept, sp_error *err)
{
    const many *a = source->opened;
    sp_status status = SP_OK;
    for (int64_t i = 0; status == SP_OK && i < a->list->n; i++) {
        const member *m = &a->members[i];
        sp_source *one = NULL;
        for (int64_t n = 0; n < m->n; n++)
            names[m->first + n] = a->ids[m->first + n];
        status = reopen_member(source, i, &one, err);
        if (status == SP_OK && one->format->subjects)
            status = one->format->subjects(one, groups, &kept[i], err);
        if (status != SP_OK || !kept[i])
            continue;
        if (!*place)
            snprintf(place, place_size, "%s", kept[i]->place);
        for (int64_t n = 0; n < m->n; n++)
            names[m->first + n] = kept[i]->names[kept[i]->of_recording[n]];
    }
    return status;
}

static sp_status subjects(sp_source *source, const char *groups, sp_subjects **out, sp_error *err)
{
    const many *a = source->opened;
    const sp_source_info *info = &source->info;
    const bool by_ids = groups && (strcmp(groups, "none") == 0 || strncmp(groups, "prefix:", 7) == 0);
    bool has_any = false;
    for (int64_t i = 0; i < a->list->n && !has_any; i++) { /* formats that name subjects; a source that is closed may be of one */
        const sp_source *one = a->members[i].source;
        has_any = !one || one->format->subjects;
    }
    if (by_ids || !has_any)
        return sp_subjects_from_ids(info->n_recordings, info->ids, groups, info->file, out, err);
    const char **names = calloc((size_t)info->n_recordings + 1, sizeof *names);
    sp_subjects **kept = calloc((size_t)a->list->n + 1, sizeof(sp_subjects *));
    char place[200] = "";
    sp_status status =
        names && kept ? subjects_of_files(source, groups, names, place, sizeof place, kept, err) : sp_no_memory(err);
    if (status == SP_OK && *place)
        status = sp_subjects_from_names(info->n_recordings, names, '\0', place, out, err);
    else if (status == SP_OK)
        status = sp_subjects_from_ids(info->n_recordings, info->ids, groups, info->file, out, err);
    for (int64_t i = 0; kept && i < a->list->n; i++)
        sp_subjects_free(kept[i]);
    free(kept);
    free(names);
    return status;
}

/* ---- labels by several scorers ---- */

static int32_t index_of(const char *const *names, int32_t n, const char *name)
{
    for (int32_t i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return NO_SCORER;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names that any file has, sorted, in a list of copies. */
static sp_status collect_scorers(sp_source *source, char *names[SP_SOURCE_MAX_SCORERS], int32_t *n, sp_error *err)
{
    const many *a = source->opened;
    sp_status status = SP_OK;
    for (int64_t i = 0; status == SP_OK && i < a->list->n; i++) {
        sp_source *one = NULL;
        sp_scorers_found found = {0};
        status = reopen_member(source, i, &one, err);
        if (status == SP_OK)
            status = sp_source_find_scorers(one, &found, err);
        for (int32_t s = 0; status == SP_OK && s < found.n_scorers; s++) {
            if (index_of((const char *const *)names, *n, found.names[s]) >= 0)
                continue;
            if (*n == SP_SOURCE_MAX_SCORERS)
                return sp_fail(err, SP_EDATA, "%s: the files have labels by more than %d scorers", source->info.file,
                               SP_SOURCE_MAX_SCORERS);
            if (!(names[(*n)++] = strdup(found.names[s])))
                return sp_no_memory(err);
        }
    }
    qsort(names, (size_t)*n, sizeof *names, compare_texts);
    return status;
}

static sp_status find_scorers(sp_source *source, sp_error *err)
{
    many *a = source->opened;
    char *names[SP_SOURCE_MAX_SCORERS] = {NULL};
    int32_t n = 0;
    sp_status status = collect_scorers(source, names, &n, err);
    if (status == SP_OK && n > 0 && !(a->scorer_names = sp_texts_copy((const char *const *)names, n)))
        status = sp_no_memory(err);
    for (int32_t s = 0; s < SP_SOURCE_MAX_SCORERS; s++)
        free(names[s]);
    if (status == SP_OK)
        source->scorers = (sp_scorers_found){.n_scorers = n, .names = (const char *const *)a->scorer_names};
    return status;
}

static sp_status read_scorer(sp_source *source, int32_t scorer, const sp_wanted *wanted, int32_t *out, sp_error *err)
{
    piece p = {.source = NULL};
    sp_status status = SP_OK;
    while (status == SP_OK && next_piece(source, wanted, &p, &status, err)) {
        sp_scorers_found found = {0};
        status = sp_source_find_scorers(p.source, &found, err);
        const int32_t own = status == SP_OK ? index_of(found.names, found.n_scorers, source->scorers.names[scorer]) : NO_SCORER;
        if (status == SP_OK && own != NO_SCORER)
            status = p.source->format->read_scorer(p.source, own, &p.wanted, out + p.at, err);
        for (int64_t t = 0; own == NO_SCORER && t < p.wanted.n_steps; t++)
            out[p.at + t] = -1;
    }
    return status;
}

static const sp_format many_format = {.name = "several files",
                                      .close = close_many,
                                      .read = read_many,
                                      .read_path = read_path,
                                      .result = result_of,
                                      .find_scorers = find_scorers,
                                      .read_scorer = read_scorer,
                                      .epoch_seconds = epoch_seconds,
                                      .subjects = subjects,
                                      .use_threads = use_threads};
