#include "pipeline/unread.h"

#include <stdlib.h>
#include <string.h>

#include "core/prepare.h"
#include "core/try.h"
#include "pipeline/path_source.h"

enum { NAMED_FILES = 5, SCORES = 0, LABELS = 1, SIDES = 2 };

/* The files of one side. */
typedef struct side {
    const sp_source_info *info;
    int64_t n;        /* files; 0: it is one, whose fault is the run's */
    int64_t *file_of; /* [N] of each recording of the run; -1: none */
    char **fault;     /* [n] owned, or NULL */
    int64_t n_faulty;
    sp_source_file *faulty; /* [n_faulty] of the labels, once the run has ended */
} side;

struct sp_unread {
    int64_t n_recordings, n_unread;
    uint8_t *is_unread, *is_checked; /* [N] */
    int64_t *unit_end;               /* [N] of the unit of each recording */
    int64_t *read;                   /* [N - n_unread] recordings that are not, once the run has ended */
    side sides[SIDES];
    int64_t n_told;
    sp_error first_fault;
};

void sp_unread_free(sp_unread *u)
{
    if (!u)
        return;
    for (int k = 0; k < SIDES; k++) {
        for (int64_t i = 0; u->sides[k].fault && i < u->sides[k].n; i++)
            free(u->sides[k].fault[i]);
        free(u->sides[k].fault);
        free(u->sides[k].file_of);
        free(u->sides[k].faulty);
    }
    free(u->is_unread);
    free(u->is_checked);
    free(u->unit_end);
    free(u->read);
    free(u);
}

static void mark(sp_unread *u, int64_t recording)
{
    u->n_unread += !u->is_unread[recording];
    u->is_unread[recording] = 1;
}

bool sp_is_unread(const sp_unread *u, int64_t recording)
{
    return u && u->is_unread[recording];
}

int64_t sp_unread_count(const sp_unread *u)
{
    return u ? u->n_unread : 0;
}

int64_t sp_unread_count_files(const sp_unread *u)
{
    return u ? u->sides[SCORES].n_faulty + u->sides[LABELS].n_faulty : 0;
}

int64_t sp_unread_next(const sp_unread *u, bool is_unread, int64_t first, int64_t end)
{
    if (!u)
        return is_unread ? end : first;
    while (first < end && (u->is_unread[first] != 0) != is_unread)
        first++;
    return first;
}

int64_t sp_unread_place(const sp_unread *u, int64_t recording)
{
    if (!u || !u->read)
        return recording;
    int64_t low = 0, high = u->n_recordings - u->n_unread;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (u->read[middle] < recording)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int64_t sp_unread_recording(const sp_unread *u, int64_t place)
{
    return u && u->read ? u->read[place] : place;
}

/* ---- opening ---- */

/* Which file each recording of the side is of. */
static sp_status open_side(sp_unread *u, int k, const sp_source_info *info, const int64_t *beside,
                           sp_error *err)
{
    side *s = &u->sides[k];
    *s = (side){.info = info, .n = info->n_files};
    int64_t *own = malloc(((size_t)info->n_recordings + 1) * sizeof *own);
    s->file_of = malloc(((size_t)u->n_recordings + 1) * sizeof *s->file_of);
    s->fault = calloc((size_t)s->n + 1, sizeof *s->fault);
    const bool is_whole = own && s->file_of && s->fault;
    for (int64_t i = 0, n = 0; is_whole && i < s->n; i++)
        for (int64_t end = n + info->files[i].n_recordings; n < end; n++)
            own[n] = i;
    for (int64_t n = 0; is_whole && n < u->n_recordings; n++) {
        const int64_t m = beside ? beside[n] : n;
        s->file_of[n] = s->n && m >= 0 ? own[m] : -1;
        if (m < 0 || (info->unread && info->unread[m]))
            mark(u, n);
    }
    free(own);
    return is_whole ? SP_OK : sp_no_memory(err);
}

/* Units: a file goes from its first to its last recording. */
static sp_status find_units(sp_unread *u, sp_error *err)
{
    const int64_t N = u->n_recordings;
    for (int64_t n = 0; n < N; n++)
        u->unit_end[n] = n + 1;
    for (int k = 0; k < SIDES; k++) {
        const side *s = &u->sides[k];
        int64_t *last = malloc(((size_t)s->n + 1) * sizeof *last);
        if (!last)
            return sp_no_memory(err);
        for (int64_t n = 0; s->n && n < N; n++)
            if (s->file_of[n] >= 0)
                last[s->file_of[n]] = n;
        for (int64_t n = 0; s->n && n < N; n++)
            if (s->file_of[n] >= 0 && last[s->file_of[n]] >= u->unit_end[n])
                u->unit_end[n] = last[s->file_of[n]] + 1;
        free(last);
    }
    for (int64_t first = 0, end; first < N; first = end) {
        end = u->unit_end[first];
        for (int64_t n = first; n < end; n++)
            end = u->unit_end[n] > end ? u->unit_end[n] : end;
        for (int64_t n = first; n < end; n++)
            u->unit_end[n] = end;
    }
    return SP_OK;
}

static sp_status add_fault(const sp_pipeline *p, sp_unread *u, int k, int64_t i, const sp_error *fault,
                           sp_error *err)
{
    side *s = &u->sides[k];
    if (!(s->fault[i] = strdup(fault->message)))
        return sp_no_memory(err);
    if (sp_unread_count_files(u) == 0)
        u->first_fault = *fault;
    s->n_faulty++;
    if (u->n_told++ < NAMED_FILES)
        sp_run_notice(p->opt, SP_NOTICE_DATA, "%s; this file is left out", fault->message);
    return SP_OK;
}

/* SP_OK where some recording is left. */
static sp_status check_left(const sp_unread *u, sp_error *err)
{
    if (u->n_unread < u->n_recordings || u->n_recordings == 0)
        return SP_OK;
    return sp_unread_count_files(u)
               ? sp_fail_at(err, u->first_fault.status, u->first_fault.step, "%s", u->first_fault.message)
               : sp_fail(err, SP_EFILE, "%s: all of its recordings are unread", u->sides[SCORES].info->file);
}

sp_status sp_unread_new(const sp_pipeline *p, const sp_unread_input *input, sp_unread **out, sp_error *err)
{
    const int64_t N = input->info->n_recordings;
    if (!input->info->n_files && !(input->labels && input->labels->n_files) && !input->unread)
        return SP_OK;
    sp_unread *u = calloc(1, sizeof *u);
    sp_status status = SP_OK;
    if (!u)
        return sp_no_memory(err);
    *out = u;
    u->n_recordings = N;
    u->is_unread = calloc((size_t)N + 1, 1);
    u->is_checked = calloc((size_t)N + 1, 1);
    u->unit_end = malloc(((size_t)N + 1) * sizeof *u->unit_end);
    TRY(u->is_unread && u->is_checked && u->unit_end ? SP_OK : sp_no_memory(err));
    TRY(open_side(u, SCORES, input->info, NULL, err));
    if (input->labels)
        TRY(open_side(u, LABELS, input->labels, input->beside, err));
    for (int64_t n = 0; input->unread && n < N; n++)
        if (input->unread[n])
            mark(u, n);
    TRY(find_units(u, err));
    for (int k = 0; k < SIDES; k++)
        for (int64_t i = 0; i < u->sides[k].n; i++) {
            sp_error fault;
            if (!u->sides[k].info->files[i].fault)
                continue;
            sp_fail(&fault, SP_EFILE, "%s", u->sides[k].info->files[i].fault);
            TRY(add_fault(p, u, k, i, &fault, err));
        }
    TRY(check_left(u, err));
done:
    return status;
}

/* ---- the run ---- */

static int64_t steps_of(const sp_pipeline *p, int64_t first, int64_t end)
{
    return p->info->offsets[end] - p->info->offsets[first];
}

sp_part sp_unread_fit(const sp_pipeline *p, int64_t first, int64_t end, int64_t most)
{
    const sp_unread *u = p->unread;
    if (!u)
        return sp_recordings_fit(&p->from, first, end, most);
    const int64_t stop = sp_unread_next(u, true, first, end);
    int64_t last = u->unit_end[first];
    if (steps_of(p, first, last) > most)
        return sp_recordings_fit(&p->from, first, last < stop ? last : stop, most);
    while (last < stop && steps_of(p, first, u->unit_end[last]) <= most)
        last = u->unit_end[last];
    return (sp_part){.recording = first, .count = (last < stop ? last : stop) - first};
}

bool sp_unread_was_checked(const sp_unread *u, int64_t recording)
{
    return u->is_checked[recording];
}

bool sp_unread_is_to_check(const sp_pipeline *p, int64_t recording, int64_t most)
{
    const sp_unread *u = p->unread;
    return u && !u->is_checked[recording] && steps_of(p, recording, u->unit_end[recording]) > most;
}

/* Reads what the files of one side say of recordings; first .. end-1 follow one another. */
static sp_status look_through(sp_pipeline *p, int k, int64_t first, int64_t end, int64_t most,
                              sp_block *block, sp_answers *answers, sp_error *err)
{
    const bool has_labels_apart = p->unread->sides[LABELS].info != NULL;
    const unsigned of_labels = has_labels_apart ? p->source->labels_parts : 0u;
    sp_prepare_options how = p->prepare;
    how.clamp = how.clamp && !has_labels_apart;
    sp_rater_labels raters = {.found = {.n_raters = 0}};
    if (has_labels_apart == (k == LABELS))
        raters.found = p->raters.found;
    sp_status status = SP_OK;
    for (sp_part part; first < end; first += part.count) {
        part = sp_recordings_fit(&p->from, first, end, most);
        TRY(p->from.read(p->from.arg, &part, k == LABELS ? of_labels : SP_BLOCK_ALL & ~of_labels, block,
                         err));
        if (block->scores)
            TRY(sp_prepare(block, &how, p->workers, NULL, err));
        if (p->source->check_labels)
            TRY(p->source->check_labels(p, block, err));
        if (k == SCORES && p->source->read)
            TRY(p->source->read(p, block, answers, err));
        TRY(sp_rater_labels_read(&raters, &p->from, &part, steps_of(p, first, first + part.count), err));
        TRY(sp_run_go_on(p->opt, err) == SP_OK ? SP_OK : SP_EINVAL);
    }
done:
    sp_rater_labels_clear(&raters);
    return status;
}

/* All recordings of a file among those of its unit, first .. end-1. */
static sp_status look_at_file(sp_pipeline *p, int k, int64_t file, int64_t first, int64_t end, int64_t most,
                              sp_block *block, sp_answers *answers, sp_error *err)
{
    const int64_t *file_of = p->unread->sides[k].file_of;
    sp_status status = SP_OK;
    for (int64_t n = first, last; status == SP_OK && n < end; n = last) {
        for (last = n + 1; last < end && (file_of[last] == file) == (file_of[n] == file) &&
                           sp_is_unread(p->unread, last) == sp_is_unread(p->unread, n);)
            last++;
        if (file_of[n] == file && !sp_is_unread(p->unread, n))
            status = look_through(p, k, n, last, most, block, answers, err);
    }
    return status;
}

static sp_status check_file(sp_pipeline *p, int k, int64_t file, int64_t first, int64_t end, int64_t most,
                            sp_block *block, sp_answers *answers, int64_t *n_new, sp_error *err)
{
    sp_unread *u = p->unread;
    sp_error fault;
    sp_status status = look_at_file(p, k, file, first, end, most, block, answers, &fault);
    if (status == SP_OK)
        return SP_OK;
    if (status != SP_EDATA && status != SP_EFILE)
        return sp_fail_at(err, status, fault.step, "%s", fault.message);
    ++*n_new;
    for (int64_t n = first; n < end; n++)
        if (u->sides[k].file_of[n] == file)
            mark(u, n);
    status = add_fault(p, u, k, file, &fault, err);
    return status == SP_OK ? check_left(u, err) : status;
}

sp_status sp_unread_check(sp_pipeline *p, int64_t first, int64_t end, int64_t most, int64_t *n_new,
                          sp_error *err)
{
    sp_unread *u = p->unread;
    sp_block *block = sp_block_new();
    sp_answers answers = {.step_room = 0};
    sp_status status = SP_OK;
    TRY(block ? SP_OK : sp_no_memory(err));
    end = u->unit_end[end - 1];
    for (int64_t n = first; n < end; n++)
        for (int k = 0; k < SIDES; k++) {
            const side *s = &u->sides[k];
            const int64_t file = s->n ? s->file_of[n] : -1;
            if (sp_is_unread(u, n) || file < 0 || (n > first && s->file_of[n - 1] == file))
                continue;
            TRY(check_file(p, k, file, n, u->unit_end[n], most, block, &answers, n_new, err));
        }
    memset(u->is_checked + first, 1, (size_t)(end - first));
done:
    sp_answers_clear(&answers);
    sp_block_free(block);
    return status;
}

sp_status sp_unread_end(const sp_pipeline *p, sp_error *err)
{
    sp_unread *u = p->unread;
    if (!u)
        return SP_OK;
    const int64_t more = u->n_told - NAMED_FILES;
    if (more > 0)
        sp_run_notice(p->opt, SP_NOTICE_DATA, "%lld more file%s cannot be read and %s left out",
                      (long long)more, more == 1 ? "" : "s", more == 1 ? "is" : "are");
    side *labels = &u->sides[LABELS];
    u->read = malloc(((size_t)(u->n_recordings - u->n_unread) + 1) * sizeof *u->read);
    labels->faulty = malloc(((size_t)labels->n_faulty + 1) * sizeof *labels->faulty);
    if (!u->read || !labels->faulty)
        return sp_no_memory(err);
    for (int64_t n = 0, at = 0; n < u->n_recordings; n++)
        if (!u->is_unread[n])
            u->read[at++] = n;
    for (int64_t i = 0, at = 0; i < labels->n; i++)
        if (labels->fault[i]) {
            labels->faulty[at] = labels->info->files[i];
            labels->faulty[at++].fault = labels->fault[i];
        }
    return SP_OK;
}

const char *sp_unread_fault(const sp_unread *u, int64_t i)
{
    return u ? u->sides[SCORES].fault[i] : NULL;
}

const sp_source_file *sp_unread_labels(const sp_unread *u, int64_t i)
{
    return u && u->sides[LABELS].faulty && i < u->sides[LABELS].n_faulty ? &u->sides[LABELS].faulty[i] : NULL;
}
