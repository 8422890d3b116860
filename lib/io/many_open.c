/* Several files as one source: opening each once, and what all of them have. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/owned.h"
#include "core/try.h"
#include "io/holes.h"
#include "io/many.h"
#include "io/source.h"

/* ---- opening: what all files have ---- */

static sp_status copy_request(sp_many *a, const sp_request *request, sp_error *err)
{
    const sp_source_options *o = request->options;
    sp_source_options *to = &a->options;
    *to = *o;
    to->more = NULL;
    to->only = to->classes = NULL; /* classes: of all files together */
    to->scores = sp_owned_text(&a->own, o->scores);
    to->labels = sp_owned_text(&a->own, o->labels);
    to->offsets = sp_owned_text(&a->own, o->offsets);
    to->lengths = sp_owned_text(&a->own, o->lengths);
    to->ids = sp_owned_text(&a->own, o->ids);
    to->mask = sp_owned_text(&a->own, o->mask);
    a->paths_text = sp_owned_text(&a->own, request->paths);
    a->is_paths = request->is_paths;
    return sp_owned_status(&a->own, err);
}

/* Keeps what a later file is compared with; where the files differ in what only people read, nothing. */
static sp_status keep_texts(sp_many *a, sp_source_info *all, const sp_source_info *one, bool is_first,
                            sp_error *err)
{
    enum {
        TYPE = 2,
        STORAGE = 3,
        N_TEXTS = 5
    }; /* of files that differ these are the first one's, and that there are others */
    const char **const ours[N_TEXTS] = {&all->scores_path, &all->labels_path, &all->stored_type,
                                        &all->storage, &all->classes_place};
    const char *const theirs[N_TEXTS] = {one->scores_path, one->labels_path, one->stored_type, one->storage,
                                         one->classes_place};
    for (int i = 0; i < N_TEXTS; i++)
        if (is_first)
            *ours[i] = sp_owned_text(&a->own, theirs[i]);
        else if (*ours[i] && i != TYPE && i != STORAGE && (!theirs[i] || strcmp(*ours[i], theirs[i]) != 0))
            *ours[i] = NULL;
    return sp_owned_status(&a->own, err);
}

static sp_status check_classes(const sp_many *a, const sp_source_info *all, const sp_source_info *one,
                               int64_t i, sp_error *err)
{
    const char *file = a->list->names[i], *first = a->list->names[a->first];
    if (one->has_scores && all->has_scores && one->n_classes != all->n_classes)
        return sp_fail(err, SP_EDATA, "%s: has %d classes, but %s has %d; all files need the same%s", file,
                       one->n_classes, first, all->n_classes,
                       a->options.transpose || one->classes ? ""
                                                            : " (`transpose` reads arrays [classes, steps])");
    if ((one->classes != NULL) != (all->classes != NULL))
        return sp_fail(err, SP_EDATA,
                       "%s names its classes, but %s does not; name them in all files, or in none",
                       one->classes ? file : first, one->classes ? first : file);
    if (one->classes && one->n_classes != all->n_classes)
        return sp_fail(err, SP_EDATA, "%s: names %d classes, but %s names %d; all files need the same", file,
                       one->n_classes, first, all->n_classes);
    for (int32_t k = 0; one->classes && k < one->n_classes; k++)
        if (strcmp(one->classes[k], all->classes[k]) != 0)
            return sp_fail(err, SP_EDATA,
                           "%s: class %d is called '%s', but '%s' in %s; all files need the same classes in "
                           "the same order",
                           file, k, one->classes[k], all->classes[k], first);
    return SP_OK;
}

/* Segments, weights and masks are there in all files or in none. */
static sp_status check_parts(const sp_many *a, const sp_source_info *all, const sp_source_info *one,
                             int64_t i, sp_error *err)
{
    const struct {
        const char *what;
        bool all, one;
    } parts[] = {{"scores", all->has_scores, one->has_scores},
                 {"segments", all->has_segments, one->has_segments},
                 {"weights", all->has_weights, one->has_weights},
                 {"a mask", all->has_mask, one->has_mask}};
    const char *file = a->list->names[i], *first = a->list->names[a->first];
    for (size_t p = 0; p < sizeof parts / sizeof parts[0]; p++)
        if (parts[p].all != parts[p].one)
            return sp_fail(err, SP_EDATA, "%s has %s, but %s has none; all files need the same",
                           parts[p].one ? file : first, parts[p].what, parts[p].one ? first : file);
    if (one->has_scores && one->kind != all->kind)
        return sp_fail(err, SP_EDATA, "%s holds %s, but %s %s; say what all files are with `kind`", file,
                       sp_kind_name(one->kind), first, sp_kind_name(all->kind));
    return SP_OK;
}

/* Room for n more recordings, after those that are there. False: no memory. */
static bool make_room(sp_many *a, int64_t there, int64_t n)
{
    bool is_whole = true;
    if (there + n + 1 > a->room) {
        a->room = 2 * (there + n + 1);
        a->ids = sp_grown(a->ids, a->room, sizeof *a->ids, &is_whole);
        a->offsets = sp_grown(a->offsets, a->room, sizeof *a->offsets, &is_whole);
    }
    if (is_whole)
        a->offsets[0] = 0;
    return is_whole;
}

/* What the recordings of a file are called, or begin with. To be freed; NULL: no memory. */
static char *stem_of(const sp_many *a, int64_t i)
{
    return a->list->ids ? strdup(a->list->ids[i]) : sp_file_stem(a->list->names[i]);
}

/* Ids and offsets of one more file's recordings. */
static sp_status add_recordings(sp_many *a, const sp_source_info *one, int64_t i, sp_source_info *all,
                                sp_error *err)
{
    const int64_t first = all->n_recordings, n = one->n_recordings;
    char *stem = stem_of(a, i);
    sp_status status = SP_OK;
    TRY(stem && make_room(a, first, n) ? SP_OK : sp_no_memory(err));
    for (int64_t j = 0; j < n; j++) {
        const size_t size = strlen(stem) + strlen(one->ids[j]) + 2;
        char *id = malloc(size);
        if (!id)
            TRY(sp_no_memory(err));
        snprintf(id, size, n == 1 ? "%s" : "%s/%s", stem, one->ids[j]);
        a->ids[a->n_ids++] = id;
        TRY(sp_steps_put(a->offsets, first + j, one->offsets[j + 1] - one->offsets[j], a->list->names[i],
                         err));
    }
    a->members[i].first = first;
    a->members[i].n = n;
    a->files[i] = (sp_source_file){.name = a->list->names[i], .n_recordings = n, .n_steps = one->n_steps};
    all->n_recordings += n;
    all->n_steps += one->n_steps;
    all->file_size += one->file_size;
    all->dtype = one->dtype > all->dtype ? one->dtype : all->dtype;
done:
    free(stem);
    return status;
}

static sp_status begin_info(sp_many *a, const sp_source_info *one, sp_source_info *all, sp_error *err)
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

static sp_status keep_results(sp_many_member *m, const sp_source *one, int32_t n_strategies, sp_error *err)
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
static sp_status one_name(sp_many *a, sp_paths_info *all, sp_error *err)
{
    static const char *const name[] = {"paths"};
    free(a->strategies);
    a->strategies = sp_texts_copy(name, 1);
    all->strategies = (const char *const *)a->strategies;
    return a->strategies ? SP_OK : sp_no_memory(err);
}

/* What the file calls its recordings, where it and all before it are of one run. */
static sp_status keep_own_ids(sp_many *a, const sp_source *one, int64_t i, const sp_paths_info *all,
                              sp_error *err)
{
    const char *input = one->paths.input;
    a->are_shares = (i == a->first || a->are_shares) && one->info.has_ids && input && all->input &&
                    strcmp(input, all->input) == 0;
    if (!a->are_shares)
        return SP_OK;
    bool is_whole = true;
    a->own_ids = sp_grown(a->own_ids, a->n_own + one->info.n_recordings, sizeof *a->own_ids, &is_whole);
    for (int64_t j = 0; is_whole && j < one->info.n_recordings; j++) {
        is_whole = (a->own_ids[a->n_own] = strdup(one->info.ids[j])) != NULL;
        a->n_own += is_whole;
    }
    return is_whole ? SP_OK : sp_no_memory(err);
}

static sp_status add_paths(sp_many *a, const sp_source *one, int64_t i, sp_paths_info *all, sp_error *err)
{
    const sp_paths_info *theirs = &one->paths;
    const int32_t n = theirs->n_strategies;
    if (i == a->first) {
        a->strategies = sp_texts_copy(theirs->strategies, n);
        a->has_path_scores = calloc((size_t)n + 1, sizeof *a->has_path_scores);
        all->model_json = sp_owned_text(&a->own, theirs->model_json);
        all->input = sp_owned_text(&a->own, theirs->input);
        if (!a->strategies || !a->has_path_scores || sp_owned_status(&a->own, NULL) != SP_OK)
            return sp_no_memory(err);
        all->n_strategies = n;
        all->strategies = (const char *const *)a->strategies;
    }
    bool is_same = n == all->n_strategies;
    for (int32_t s = 0; is_same && s < n; s++)
        is_same = strcmp(theirs->strategies[s], all->strategies[s]) == 0;
    if (!is_same && (n != 1 || all->n_strategies != 1))
        return sp_fail(err, SP_EDATA,
                       "%s does not hold paths of the same strategies as %s; all files need the same",
                       a->list->names[i], a->list->names[a->first]);
    sp_status status = is_same ? SP_OK : one_name(a, all, err);
    for (int32_t s = 0; s < n; s++)
        a->has_path_scores[s] = theirs->has_path_scores[s] && (i == a->first || a->has_path_scores[s]);
    all->has_path_scores = a->has_path_scores;
    if (status == SP_OK)
        status = keep_own_ids(a, one, i, all, err);
    const bool is_other_model =
        all->model_json && (!theirs->model_json || strcmp(all->model_json, theirs->model_json) != 0);
    if (status == SP_OK && is_other_model && a->are_shares)
        status =
            sp_fail(err, SP_EDATA,
                    "%s and %s hold paths of one input by two models; decode all of its recordings with one",
                    a->list->names[a->first], a->list->names[i]);
    if (is_other_model)
        all->model_json = NULL;
    return status == SP_OK ? keep_results(&a->members[i], one, n, err) : status;
}

/* ---- opening ---- */

/* The length of a step is noted while the file is open; what is wrong with it is said when it is asked for. */
static void note_seconds(sp_many *a, int64_t i, sp_source *one)
{
    double *seconds = &a->members[i].seconds;
    sp_error error;
    if (a->seconds_status != SP_OK)
        return;
    a->seconds_status = sp_source_epoch_seconds(one, seconds, &error);
    if (a->seconds_status == SP_OK && i != a->first && *seconds != a->members[a->first].seconds)
        a->seconds_status =
            sp_fail(&error, SP_EDATA,
                    "%s: a step lasts %g s, but %g s in %s; all files need the same (0: it does not "
                    "say); `epoch_seconds` says it for all",
                    a->list->names[i], *seconds, a->members[a->first].seconds, a->list->names[a->first]);
    if (a->seconds_status != SP_OK)
        a->seconds_error = error;
}

/* Which of the file's steps take part, where this or an earlier file has holes. */
static sp_status add_kept(const sp_source *one, sp_source *source, int64_t first_step, sp_error *err)
{
    const int64_t n = source->info.n_steps - first_step;
    if (!one->kept && !source->kept)
        return SP_OK;
    if (one->own_gaps != SP_GAPS_ERROR)
        source->own_gaps = one->own_gaps;
    uint8_t *kept = realloc(source->kept, (size_t)source->info.n_steps + 1);
    if (!kept)
        return sp_no_memory(err);
    if (!source->kept)
        memset(kept, 1, (size_t)first_step);
    source->kept = kept;
    if (one->kept)
        memcpy(kept + first_step, one->kept, (size_t)n);
    else
        memset(kept + first_step, 1, (size_t)n);
    return SP_OK;
}

void sp_many_count_steps(sp_source *source)
{
    const sp_many *a = source->opened;
    const int64_t *offsets = source->info.offsets;
    for (int64_t i = 0; i < a->list->n; i++)
        a->files[i].n_steps = offsets[a->members[i].first + a->members[i].n] - offsets[a->members[i].first];
}

/* What the first file with a remark says, and in how many more there was something to say. */
static sp_status keep_remark(sp_many *a, int64_t i, const char *remark, sp_source_info *all, sp_error *err)
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
        snprintf(more, 64, "; remarks on %lld more file%s", (long long)a->n_remarks - 1,
                 a->n_remarks > 2 ? "s" : "");
    }
    all->remark = a->remark;
    return SP_OK;
}

/* A file that cannot be read is one recording without steps. */
static sp_status leave_out(sp_many *a, int64_t i, sp_source_info *all, const sp_error *fault, sp_error *err)
{
    bool is_whole = make_room(a, all->n_recordings, 1);
    char *copy = strdup(fault->message), *id = stem_of(a, i);
    a->files[i] = (sp_source_file){.name = a->list->names[i], .n_recordings = 1, .fault = copy};
    if (is_whole && id)
        a->ids[a->n_ids++] = id;
    if (is_whole && id && a->is_paths) {
        a->own_ids = sp_grown(a->own_ids, a->n_own + 1, sizeof *a->own_ids, &is_whole);
        is_whole = is_whole && (a->own_ids[a->n_own] = strdup(id)) != NULL;
        a->n_own += is_whole;
    }
    if (!is_whole || !copy || !id)
        return sp_no_memory(err);
    if (a->n_left_out++ == 0)
        a->first_fault = *fault;
    a->offsets[all->n_recordings + 1] = a->offsets[all->n_recordings];
    a->members[i].first = all->n_recordings++;
    a->members[i].n = 1;
    return SP_OK;
}

/* The recordings of files that were left out. */
static sp_status mark_unread(sp_many *a, sp_source_info *all, sp_error *err)
{
    if (a->n_left_out == 0)
        return SP_OK;
    if (!(a->unread = calloc((size_t)all->n_recordings + 1, 1)))
        return sp_no_memory(err);
    for (int64_t i = 0; i < a->list->n; i++)
        if (a->files[i].fault)
            a->unread[a->members[i].first] = 1;
    all->unread = a->unread;
    return SP_OK;
}

/* The file that others are compared with: the first that goes with the model where it is known, else the
 * first that can be opened at all. */
static sp_status find_first(sp_many *a, const sp_source_options *o, sp_source_info *all, sp_error *err)
{
    sp_source *one = NULL;
    int64_t opens = -1, fits = -1;
    const int64_t n = o->leaves_out ? a->list->n : 1;
    sp_status status = SP_OK;
    for (int64_t i = 0; i < n && fits < 0; i++) {
        sp_error own = {.status = SP_OK};
        status = sp_many_open_member(a, i, &one, &own);
        if (status != SP_OK && !(o->leaves_out && (status == SP_EFILE || status == SP_EDATA)))
            return sp_fail_at(err, status, own.step, "%s", own.message);
        if (status != SP_OK && a->first_fault.status == SP_OK)
            a->first_fault = own;
        if (status != SP_OK)
            continue;
        opens = opens < 0 ? i : opens;
        fits = !o->model || !one->info.has_scores || one->info.n_classes == o->model->n_classes ? i : -1;
        if (!o->leaves_out)
            fits = i;
    }
    a->first = fits >= 0 ? fits : opens;
    if (a->first < 0)
        return sp_fail_at(err, a->first_fault.status, a->first_fault.step, "%s", a->first_fault.message);
    status = sp_many_open_member(a, a->first, &one, err);
    return status == SP_OK ? begin_info(a, &one->info, all, err) : status;
}

/* Has it scores of another number of classes than all? */
static bool is_of_other_classes(const sp_source_info *all, const sp_source_info *one)
{
    return one->has_scores && all->has_scores && one->n_classes != all->n_classes;
}

static sp_status take_in(sp_many *a, int64_t i, const sp_source *one, sp_source *source, sp_error *err)
{
    sp_source_info *all = &source->info;
    sp_status status = SP_OK;
    if (i != a->first) {
        TRY(check_parts(a, all, &one->info, i, err));
        TRY(check_classes(a, all, &one->info, i, err));
    }
    TRY(keep_texts(a, all, &one->info, i == a->first, err));
    const int64_t first_step = all->n_steps;
    TRY(add_recordings(a, &one->info, i, all, err));
    TRY(add_kept(one, source, first_step, err));
done:
    return status;
}

static sp_status look_at(sp_many *a, int64_t i, sp_source *source, const sp_source_options *o, sp_error *err)
{
    sp_source *one = NULL;
    sp_source_info *all = &source->info;
    sp_error own = {.status = SP_OK};
    sp_status status = sp_many_open_member(a, i, &one, &own);
    if (status == SP_OK && o->leaves_out && is_of_other_classes(all, &one->info))
        status = check_classes(a, all, &one->info, i, &own);
    if (o->leaves_out && (status == SP_EFILE || status == SP_EDATA))
        return leave_out(a, i, all, &own, err);
    if (status != SP_OK && err)
        *err = own;
    if (status == SP_OK)
        status = take_in(a, i, one, source, err);
    if (status != SP_OK)
        return status;
    a->members[i].has_labels = one->info.has_labels;
    all->has_labels |= one->info.has_labels;
    all->n_unlabelled += one->info.has_labels ? one->info.n_unlabelled : one->info.n_recordings;
    source->has_words |= one->has_words;
    source->has_numbers |= one->has_numbers;
    source->says_kept |= one->says_kept;
    source->is_of_trainer |= one->is_of_trainer;
    source->has_chosen_columns |= one->has_chosen_columns;
    source->may_have_header = one->may_have_header && (i == 0 || source->may_have_header);
    note_seconds(a, i, one);
    if ((status = keep_remark(a, i, one->info.remark, all, err)) != SP_OK)
        return status;
    return a->is_paths ? add_paths(a, one, i, &source->paths, err) : SP_OK;
}

/* Two recordings of one name: which files they are of, and what names them apart. */
static sp_status check_ids(const sp_source *source, sp_error *err)
{
    sp_many *a = source->opened;
    int64_t p = 0, q = 0;
    if (a->are_shares) {
        char **stems = a->ids;
        a->ids = a->own_ids;
        a->own_ids = stems;
    }
    if (sp_texts_duplicate((const char *const *)a->ids, a->n_ids, &p, &q))
        return sp_fail(
            err, SP_EDATA,
            a->are_shares
                ? "%s and %s both hold paths of recording %s; leave one of them out"
                : "%s and %s both hold a recording %s; where the folder tells them apart name them with "
                  "a pattern, such as "
                  "'{id}/scores.npy'; another classifier of the same recordings is given with `against`",
            a->list->names[sp_many_member_of(source, p)], a->list->names[sp_many_member_of(source, q)],
            a->ids[p]);
    return p == -2 ? sp_no_memory(err) : SP_OK;
}

sp_status sp_many_open(sp_source *source, const sp_request *request, sp_file_list *list, sp_error *err)
{
    sp_many *a = source->opened = calloc(1, sizeof *a);
    source->format = &sp_many_format;
    if (!a) {
        sp_file_list_free(list);
        return sp_no_memory(err);
    }
    a->list = list;
    for (int i = 0; i < SP_MANY_OPEN_FILES; i++)
        a->opened[i] = -1;
    a->members = calloc((size_t)list->n, sizeof *a->members);
    a->files = calloc((size_t)list->n, sizeof *a->files);
    sp_status status = SP_OK;
    TRY(a->members && a->files ? copy_request(a, request, err) : sp_no_memory(err));
    sp_source_info *all = &source->info;
    TRY(find_first(a, request->options, all, err));
    a->first_fault.status = SP_OK;
    for (int64_t i = 0; i < list->n; i++)
        TRY(look_at(a, i, source, request->options, err));
    if (a->are_shares && a->n_left_out) /* nobody knows which recordings it holds */
        TRY(sp_fail_at(err, a->first_fault.status, a->first_fault.step, "%s", a->first_fault.message));
    TRY(check_ids(source, err));
    TRY(mark_unread(a, all, err));
    all->n_unlabelled = all->has_labels ? all->n_unlabelled : 0;
    all->ids = (const char *const *)a->ids;
    all->offsets = a->offsets;
    all->n_files = list->n;
    all->files = a->files;
    all->n_left_out = a->n_left_out;
    TRY(sp_holes_use(source, a->options.gaps, err));
    sp_many_count_steps(source);
done:
    return status;
}
