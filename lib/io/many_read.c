/* Several files as one source: reading, with a few files open at a time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "io/many.h"
#include "io/raters.h"
#include "io/source.h"

enum { NO_RATER = -1 };

/* ---- members, open and closed ---- */

static void close_member(sp_many_member *m)
{
    sp_source_close(m->source);
    m->source = NULL;
}

static void close_many(void *opened)
{
    sp_many *a = opened;
    for (int64_t i = 0; a->members && i < a->list->n; i++) {
        close_member(&a->members[i]);
        free(a->members[i].result);
    }
    for (int64_t i = 0; a->files && i < a->list->n; i++)
        free((char *)a->files[i].fault);
    for (int64_t i = 0; a->ids && i < a->n_ids; i++)
        free(a->ids[i]);
    for (int64_t i = 0; i < a->n_own; i++)
        free(a->own_ids[i]);
    free(a->own_ids);
    void *const owned[] = {a->members, a->files,      a->offsets,         a->ids,         a->classes,
                           a->unread,  a->strategies, a->has_path_scores, a->rater_names, a->remark};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        free(owned[i]);
    sp_owned_free(&a->own);
    sp_file_list_free(a->list);
    free(a);
}

/* Makes member i open. One that was opened long ago is closed for it. */
sp_status sp_many_open_member(sp_many *a, int64_t i, sp_source **out, sp_error *err)
{
    sp_many_member *m = &a->members[i];
    if (!m->source) {
        const sp_request request = {.options = &a->options, .is_paths = a->is_paths, .paths = a->paths_text};
        sp_status status = sp_source_open_one(a->list->names[i], &request, &m->source, err);
        if (status != SP_OK)
            return status;
        if (a->n_threads)
            sp_source_use_threads(m->source, a->n_threads);
        const int64_t oldest = a->opened[a->next_place];
        if (oldest >= 0)
            close_member(&a->members[oldest]);
        a->opened[a->next_place] = i;
        a->next_place = (a->next_place + 1) % SP_MANY_OPEN_FILES;
    }
    *out = m->source;
    return SP_OK;
}

/* The same of a file that was looked at before: it must still be what it was. */
static sp_status reopen_member(const sp_source *source, int64_t i, sp_source **out, sp_error *err)
{
    sp_many *a = source->opened;
    const sp_many_member *m = &a->members[i];
    sp_status status = sp_many_open_member(a, i, out, err);
    if (status != SP_OK)
        return status;
    const sp_source_info *info = &(*out)->info;
    bool is_same =
        info->n_recordings == m->n && (!info->has_scores || info->n_classes == source->info.n_classes);
    for (int64_t n = 0; is_same && n <= m->n; n++)
        is_same = info->offsets[n] == a->offsets[m->first + n] - a->offsets[m->first];
    if (!is_same)
        return sp_fail(err, SP_EFILE, "%s: has changed since it was opened; run it again once it is complete",
                       a->list->names[i]);
    (*out)->codes = source->codes;
    (*out)->model = source->model;
    (*out)->path_codes = source->path_codes;
    return SP_OK;
}

int64_t sp_many_member_of(const sp_source *source, int64_t recording)
{
    const sp_many *a = source->opened;
    int64_t low = 0,
            high = a->list->n; /* the last member that begins at or before the recording and is not empty */
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
static bool next_piece(const sp_source *source, const sp_wanted *w, piece *p, sp_status *status,
                       sp_error *err)
{
    const sp_many *a = source->opened;
    const int64_t done =
        p->source ? a->members[p->member].first + p->wanted.first + p->wanted.count : w->first;
    if (done >= w->first + w->count)
        return false;
    p->at += p->source ? p->wanted.n_steps : 0;
    p->member = sp_many_member_of(source, done);
    const sp_many_member *m = &a->members[p->member];
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
    const sp_many *a = source->opened;
    const size_t K = (size_t)block->n_classes;
    piece p = {.source = NULL};
    sp_status status = SP_OK;
    int64_t n_pieces = 0;
    while (status == SP_OK && next_piece(source, wanted, &p, &status, err)) {
        const sp_many_member *m = &a->members[p.member];
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

static sp_status read_path(sp_source *source, int32_t strategy, const sp_wanted *wanted, int32_t *out,
                           sp_error *err)
{
    piece p = {.source = NULL};
    sp_status status = SP_OK;
    while (status == SP_OK && next_piece(source, wanted, &p, &status, err))
        status = p.source->format->read_path(p.source, strategy, &p.wanted, out + p.at, err);
    return status;
}

static sp_decoded result_of(const sp_source *source, int32_t strategy, int64_t recording, bool is_undecoded)
{
    const sp_many *a = source->opened;
    const int64_t i = sp_many_member_of(source, recording);
    const sp_many_member *m = &a->members[i];
    if (a->files[i].fault)
        return (sp_decoded){.status = SP_EUNREAD, .step = -1};
    if (m->result)
        return m->result[2 * (strategy * m->n + recording - m->first) + is_undecoded];
    return (sp_decoded){.status = is_undecoded ? SP_ENOPATH : SP_OK, .step = -1};
}

static void use_threads(sp_source *source, int n_threads)
{
    sp_many *a = source->opened;
    a->n_threads = n_threads;
    for (int64_t i = 0; i < a->list->n; i++)
        if (a->members[i].source)
            sp_source_use_threads(a->members[i].source, n_threads);
}

/* ---- what is looked for only when asked ---- */

static sp_status epoch_seconds(sp_source *source, double *seconds, sp_error *err)
{
    const sp_many *a = source->opened;
    if (a->seconds_status != SP_OK && err)
        *err = a->seconds_error;
    *seconds = a->members[a->first].seconds;
    return a->seconds_status;
}

/* Subjects of each file; where it names none, each of its recordings is one. */
static sp_status subjects_of_files(sp_source *source, const sp_groups *groups, const char **names,
                                   char *place, size_t place_size, sp_subjects **kept, sp_error *err)
{
    const sp_many *a = source->opened;
    sp_status status = SP_OK;
    for (int64_t i = 0; i < a->list->n; i++) {
        const sp_many_member *m = &a->members[i];
        sp_source *one = NULL;
        for (int64_t n = 0; n < m->n; n++)
            names[m->first + n] = a->ids[m->first + n];
        if (a->files[i].fault)
            continue;
        TRY(reopen_member(source, i, &one, err));
        if (one->format->subjects)
            TRY(one->format->subjects(one, groups, &kept[i], err));
        if (!kept[i])
            continue;
        if (!*place)
            snprintf(place, place_size, "%s", kept[i]->place);
        for (int64_t n = 0; n < m->n; n++)
            names[m->first + n] = kept[i]->names[kept[i]->of_recording[n]];
    }
done:
    return status;
}

static sp_status subjects(sp_source *source, const sp_groups *groups, sp_subjects **out, sp_error *err)
{
    const sp_many *a = source->opened;
    const sp_source_info *info = &source->info;
    const bool by_ids = groups->by == SP_GROUPS_NONE || groups->by == SP_GROUPS_PREFIX;
    bool has_any = false;
    for (int64_t i = 0; i < a->list->n && !has_any;
         i++) { /* formats that name subjects; a source that is closed may be of one */
        const sp_source *one = a->members[i].source;
        has_any = !a->files[i].fault && (!one || one->format->subjects);
    }
    if (by_ids || !has_any)
        return sp_subjects_from_ids(info->n_recordings, info->ids, groups, info->file, out, err);
    const char **names = calloc((size_t)info->n_recordings + 1, sizeof *names);
    sp_subjects **kept = calloc((size_t)a->list->n + 1, sizeof(sp_subjects *));
    char place[200] = "";
    sp_status status = SP_OK;
    if (!names || !kept)
        TRY(sp_no_memory(err));
    TRY(subjects_of_files(source, groups, names, place, sizeof place, kept, err));
    TRY(*place ? sp_subjects_from_names(info->n_recordings, names, '\0', place, out, err)
               : sp_subjects_from_ids(info->n_recordings, info->ids, groups, info->file, out, err));
done:
    for (int64_t i = 0; kept && i < a->list->n; i++)
        sp_subjects_free(kept[i]);
    free(kept);
    free(names);
    return status;
}

/* ---- labels by several raters ---- */

static int32_t index_of(const char *const *names, int32_t n, const char *name)
{
    for (int32_t i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return NO_RATER;
}

/* The names that any file has, sorted. */
static sp_status collect_raters(sp_source *source, sp_rater_names *names, sp_error *err)
{
    const sp_many *a = source->opened;
    sp_status status = SP_OK;
    for (int64_t i = 0; i < a->list->n; i++) {
        sp_source *one = NULL;
        sp_raters_found found = {0};
        if (a->files[i].fault)
            continue;
        TRY(reopen_member(source, i, &one, err));
        TRY(sp_source_find_raters(one, &found, err));
        for (int32_t s = 0; s < found.n_raters; s++)
            TRY(sp_rater_names_add(names, found.names[s], strlen(found.names[s]), source->info.file, err));
    }
done:
    sp_rater_names_sort(names);
    return status;
}

static sp_status find_raters(sp_source *source, sp_error *err)
{
    sp_many *a = source->opened;
    sp_rater_names names = {0};
    sp_status status = SP_OK;
    TRY(collect_raters(source, &names, err));
    if (names.n > 0 && !(a->rater_names = sp_texts_copy((const char *const *)names.names, names.n)))
        TRY(sp_no_memory(err));
    source->raters = (sp_raters_found){.n_raters = names.n, .names = (const char *const *)a->rater_names};
done:
    sp_rater_names_clear(&names);
    return status;
}

static sp_status read_rater(sp_source *source, int32_t rater, const sp_wanted *wanted, int32_t *out,
                            sp_error *err)
{
    piece p = {.source = NULL};
    sp_status status = SP_OK;
    while (next_piece(source, wanted, &p, &status, err)) {
        sp_raters_found found = {0};
        TRY(sp_source_find_raters(p.source, &found, err));
        const int32_t own =
            status == SP_OK ? index_of(found.names, found.n_raters, source->raters.names[rater]) : NO_RATER;
        if (own != NO_RATER)
            TRY(p.source->format->read_rater(p.source, own, &p.wanted, out + p.at, err));
        for (int64_t t = 0; own == NO_RATER && t < p.wanted.n_steps; t++)
            out[p.at + t] = -1;
    }
done:
    return status;
}

const sp_format sp_many_format = {.name = "several files",
                                  .close = close_many,
                                  .read = read_many,
                                  .read_path = read_path,
                                  .result = result_of,
                                  .find_raters = find_raters,
                                  .read_rater = read_rater,
                                  .epoch_seconds = epoch_seconds,
                                  .subjects = subjects,
                                  .use_threads = use_threads};
