/* sp_compare_file(), sp_decode_file() and sp_decode_files(): the file of scores is opened, paths are written, folds fitted. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/owned.h"
#include "core/try.h"
#include "io/paths_writer.h"
#include "io/source.h"
#include "learn/learn.h"
#include "pipeline/compare.h"
#include "pipeline/files/against_file.h"
#include "pipeline/files/open.h"
#include "pipeline/files/paths.h"
#include "pipeline/files/reading.h"
#include "pipeline/files/review_list.h"
#include "pipeline/judging.h"
#include "pipeline/run.h"
#include "pipeline/shard.h"
#include "statepath/comparison.h"

/* ---- folds ---- */

/* Models of the folds, and what they were fitted to: the whole file in memory. */
typedef struct fitted_folds {
    sp_folds folds;
    sp_run_options options;
    sp_fitting fit;
} fitted_folds;

static void folds_close(fitted_folds *c)
{
    sp_folds_clear(&c->folds);
    sp_fitting_close(&c->fit);
}

/* o->groups keeps recordings together. On failure the folds can (and must) still be closed. */
static sp_status decode_by_folds(fitted_folds *c, sp_pipeline *p, sp_error *err)
{
    const sp_run_options *o = p->opt;
    c->options = *o;
    if (o->fit.rules)
        c->options.model = o->fit.rules;
    const sp_status status = sp_fitting_open(&c->fit, p->word, &c->options, err);
    if (status != SP_OK)
        return status;
    if (!c->fit.training.labels)
        return sp_fail(err, SP_EINVAL,
                       "`cv` judges by labels, but %s has none; `labels` PATH says where they are", p->file);
    return sp_folds_fit(&c->folds, p, &c->fit.training, &c->fit.options, c->fit.workers, err);
}

/* ---- decoding and comparing ---- */

typedef struct file_run {
    sp_run_options options; /* as given, with the file of labels in its place */
    sp_pipeline p;
    sp_file_against against;
    sp_file_input in;
    sp_path_file paths;
    sp_review_list review;
    fitted_folds folds;
    calibration scaled;
    sp_share share;
    sp_holes holes; /* of the share */
    sp_owned own;
} file_run;

static sp_status close_run(file_run *r, sp_status status, sp_run_result *result, sp_error *err)
{
    status = sp_path_file_close(&r->paths, status, err);
    sp_review_list_close(&r->review);
    sp_pipeline_result(&r->p, result);
    sp_file_against_close(&r->against);
    sp_pipeline_close(&r->p);
    sp_share_close(&r->share);
    sp_owned_free(&r->own);
    sp_file_input_close(&r->in);
    sp_calibration_close(&r->scaled);
    folds_close(&r->folds);
    return status;
}

sp_status sp_compare_file(const char *file, const sp_run_options *given, sp_comparison **out,
                          sp_run_result *result, sp_error *err)
{
    file_run r = {.options = *given, .in = {.takes_decided = true}};
    sp_run_options *o = &r.options;
    sp_pipeline *p = &r.p;
    p->opt = o;
    sp_comparison *made = NULL;
    sp_run_plan plan;
    sp_status status = SP_OK;
    TRY(sp_run_plan_make(o, SP_CALL_COMPARE, &plan, err));
    TRY(sp_run_find_labels(o, &r.own, err));
    TRY(sp_pipeline_open_file(p, &r.in, file, o, &plan, !o->n_folds, err));
    if (o->n_folds)
        TRY(decode_by_folds(&r.folds, p, err));
    if (o->n_folds && r.in.is_decided)
        TRY(sp_decided_know_folds(&r.in.decided, &r.folds.folds, err));
    TRY(sp_file_against_open(&r.against, p, &r.in, err));
    TRY(sp_path_file_open(&r.paths, p, err));
    TRY(sp_review_list_open(&r.review, p, err));
    TRY(sp_pipeline_open_comparison(p, &r.scaled, err));
    TRY(sp_source_subjects(r.in.source, &p->plan.groups, &p->subjects, err));
    TRY(sp_pipeline_find_raters(p, o->labels_file ? r.in.reference.source : r.in.source, p->info->n_classes,
                                err));
    sp_use_tell_argmax(o, p->n_strategies, p->strategies, true);
    TRY(sp_pipeline_compare(p, &made, err));
    TRY(sp_review_list_write(&r.review, &made->review, err));
done:
    status = close_run(&r, status, result, err);
    if (status == SP_OK)
        *out = made;
    else
        sp_comparison_free(made);
    return status;
}

/* The share that `shard` says, in place of all recordings; with what stands beside their steps. */
static sp_status take_share(file_run *r, sp_error *err)
{
    sp_pipeline *p = &r->p;
    sp_input_about *about = &p->about;
    const sp_holes *holes = about->holes;
    const int64_t *offsets = p->info->offsets;
    sp_status status = SP_OK;
    if (!p->opt->shard)
        return SP_OK;
    TRY(sp_share_open(&r->share, p, err));
    const int64_t first = r->share.first, N = p->info->n_recordings;
    if (about->cut_path_steps) {
        about->cut_path_steps += first;
        about->cut_label_steps += first;
    }
    if (about->tokens)
        about->tokens += holes ? holes->offsets[first] : offsets[first];
    if (holes) {
        int64_t *places = sp_zeros(&r->own, (size_t)N + 1, sizeof *places);
        int64_t *step_at = sp_zeros(&r->own, (size_t)p->info->n_steps, sizeof *step_at);
        TRY(sp_owned_status(&r->own, err));
        for (int64_t n = 0; n <= N; n++)
            places[n] = holes->offsets[first + n] - holes->offsets[first];
        for (int64_t t = 0; t < p->info->n_steps; t++)
            step_at[t] = holes->step_at[offsets[first] + t] - holes->offsets[first];
        r->holes = (sp_holes){.n_steps = places[N], .offsets = places, .step_at = step_at};
        about->holes = &r->holes;
    }
done:
    return status;
}

/* Written with the paths, so that an evaluation of them alone knows whose they are. Decoding does not need them. */
static sp_status find_subjects(file_run *r, sp_error *err)
{
    sp_error own = {.status = SP_OK};
    sp_status status =
        sp_source_subjects(r->in.source, &(sp_groups){.by = SP_GROUPS_USUAL}, &r->p.subjects, &own);
    if (status == SP_ENOMEM)
        return sp_fail(err, status, "%s", own.message);
    if (status != SP_OK)
        sp_run_notice(r->p.opt, SP_NOTICE_DATA, "subjects are not passed on to the paths: %s", own.message);
    sp_subjects *subjects = r->p.subjects;
    if (subjects) { /* those of the share */
        subjects->n_recordings = r->p.info->n_recordings;
        memmove(subjects->of_recording, subjects->of_recording + r->share.first,
                (size_t)subjects->n_recordings * sizeof *subjects->of_recording);
    }
    return SP_OK;
}

/* What is given and changes no path, nor what is written beside it. */
static void tell_of_no_use(const sp_pipeline *p, const sp_file_input *in)
{
    const sp_run_options *o = p->opt;
    const bool has_events =
        sp_source_is_events(p->word) || (o->labels_file && sp_source_is_events(o->labels_file));
    sp_use_tell_argmax(o, p->n_strategies, p->strategies, false);
    sp_use_tell_seconds(o, p->model, has_events || sp_paths_writer_takes_seconds(o->output));
    if ((o->labels_file || o->place.labels) && !in->is_decided && !o->decode.clamp && !o->review &&
        !p->about.holes && !sp_paths_writer_takes_labels(o->output))
        sp_run_notice(o, SP_NOTICE_DATA,
                      "note: `labels` changes nothing: no labels are written to %s, and `clamp` is not given",
                      o->output);
}

static sp_status decode_file(const char *file, const sp_run_options *given, bool is_first,
                             sp_run_result *result, sp_error *err)
{
    file_run r = {.options = *given, .in = {.takes_decided = true}};
    sp_run_options *o = &r.options;
    sp_run_plan plan;
    sp_status status = SP_OK;
    r.p.opt = o;
    TRY(sp_run_plan_make(o, SP_CALL_DECODE, &plan, err));
    TRY(sp_run_find_labels(o, &r.own, err));
    /* All shards must see the same recordings. */
    TRY(sp_pipeline_open_file(&r.p, &r.in, file, o, &plan, !o->shard, err));
    TRY(take_share(&r, err));
    TRY(sp_path_file_open(&r.paths, &r.p, err));
    TRY(sp_review_list_open(&r.review, &r.p, err));
    TRY(sp_pipeline_open_decoding(&r.p, err));
    if (is_first)
        tell_of_no_use(&r.p, &r.in);
    TRY(find_subjects(&r, err));
    r.p.about.has_path_scores = true;
    TRY(sp_pipeline_run(&r.p, err));
    TRY(sp_review_list_write(&r.review, NULL, err));
done:
    return close_run(&r, status, result, err);
}

sp_status sp_decode_file(const char *file, const sp_run_options *o, sp_run_result *result, sp_error *err)
{
    return decode_file(file, o, true, result, err);
}

/* ---- a file of paths for each of several ---- */

enum { NAMED_FAULTS = 5 };

/* What an output has in common with an input: its inode. */
typedef struct known_file {
    bool is_there;
    struct stat info;
} known_file;

typedef struct each {
    sp_run_options options; /* as given, with the files of labels in their place */
    const sp_run_options *o;
    bool skip_existing;
    sp_file_list *list;
    char **outputs;     /* [n] in one allocation */
    char **labels;      /* likewise, of a pattern of files; or NULL */
    int64_t n_inputs;   /* the files, the model, the map of codes, the labels */
    known_file *inputs; /* [n_inputs] */
    sp_error first;     /* of the first file that failed */
    sp_decoded_files done;
    sp_owned own;
} each;

static known_file know(const char *file)
{
    known_file k = {.is_there = false};
    k.is_there = file && stat(file, &k.info) == 0;
    return k;
}

static sp_status name_files(each *e, sp_error *err)
{
    const int64_t n = e->list->n;
    sp_status status = sp_file_list_complete(e->list, e->o->output, &e->outputs, err);
    if (status != SP_OK)
        return status;
    const char *labels = e->o->labels_file;
    if (labels && strstr(labels, "{id}") &&
        (status = sp_file_list_complete(e->list, labels, &e->labels, err)) != SP_OK)
        return status;
    e->inputs = calloc(2 * (size_t)n + 2, sizeof *e->inputs);
    if (!e->inputs)
        return sp_no_memory(err);
    for (int64_t i = 0; i < n; i++)
        e->inputs[e->n_inputs++] = know(e->list->names[i]);
    e->inputs[e->n_inputs++] = know(e->o->model);
    e->inputs[e->n_inputs++] = know(e->o->map);
    for (int64_t i = 0; e->labels && i < n; i++)
        e->inputs[e->n_inputs++] = know(e->labels[i]);
    return SP_OK;
}

/* An output that is there is none of the inputs, and may be replaced or left as it is. */
static sp_status check_output(const each *e, int64_t i, sp_error *err)
{
    const known_file old = know(e->outputs[i]);
    for (int64_t k = 0; old.is_there && k < e->n_inputs; k++)
        if (e->inputs[k].is_there && e->inputs[k].info.st_dev == old.info.st_dev &&
            e->inputs[k].info.st_ino == old.info.st_ino)
            return sp_fail(err, SP_EINVAL,
                           "%s: is an input, which is never written to; give the outputs other names",
                           e->outputs[i]);
    if (old.is_there && old.info.st_size > 0 && !e->o->force && !e->skip_existing)
        return sp_fail(
            err, SP_EFILE,
            "%s: exists already; `force` replaces such files, `skip_existing` leaves them as they are",
            e->outputs[i]);
    return SP_OK;
}

static bool is_older(const struct stat *a, const struct stat *b)
{
    return a->st_mtim.tv_sec != b->st_mtim.tv_sec ? a->st_mtim.tv_sec < b->st_mtim.tv_sec
                                                  : a->st_mtim.tv_nsec < b->st_mtim.tv_nsec;
}

/* Outputs are there whole or not at all, so one that is there is done, unless its input was changed since. */
static sp_status decode_one(each *e, int64_t i, sp_run_result *result, bool *is_skipped, sp_error *err)
{
    const known_file old = know(e->outputs[i]);
    const bool is_done = e->skip_existing && old.is_there && old.info.st_size > 0;
    const bool is_outdated = is_done && e->inputs[i].is_there && is_older(&old.info, &e->inputs[i].info);
    *is_skipped = is_done && !is_outdated;
    if (is_outdated && !e->o->force)
        return sp_fail(err, SP_EFILE, "%s: was changed after %s was written; `force` decodes it again",
                       e->list->names[i], e->outputs[i]);
    if (*is_skipped)
        return SP_OK;
    sp_run_options o = *e->o;
    o.output = e->outputs[i];
    if (e->labels)
        o.labels_file = e->labels[i];
    o.place.more = NULL;
    o.hooks.progress = NULL;
    return decode_file(e->list->names[i], &o, i == 0, result, err);
}

/* A file that cannot be read or written is named, and the others go on. */
static sp_status decode_each(each *e, sp_run_result *result, sp_error *err)
{
    const sp_run_options *o = e->o;
    sp_status status = SP_OK;
    for (int64_t i = 0; status == SP_OK && i < e->list->n; i++) {
        sp_error own = {.status = SP_OK};
        sp_run_result one = {.n_undecoded = 0};
        bool is_skipped = false;
        status = decode_one(e, i, &one, &is_skipped, &own);
        result->n_undecoded += one.n_undecoded;
        result->n_bugs += one.n_bugs;
        e->done.n_skipped += is_skipped;
        e->done.n_written += status == SP_OK && !is_skipped;
        const bool goes_on = e->list->n > 1 && (status == SP_EFILE || status == SP_EDATA);
        if (status != SP_OK && !goes_on)
            return sp_fail(err, status, "%s", own.message);
        if (status != SP_OK && result->n_left_out++ == 0)
            e->first = own;
        if (status != SP_OK && result->n_left_out <= NAMED_FAULTS)
            sp_run_notice(o, SP_NOTICE_DATA, "%s; this file is left out", own.message);
        sp_run_progress(o, "files", i + 1, e->list->n);
        status = sp_run_go_on(o, err);
    }
    sp_run_progress(o, NULL, 0, 0);
    if (status == SP_OK && result->n_left_out > NAMED_FAULTS)
        sp_run_notice(o, SP_NOTICE_DATA, "%lld more files are left out",
                      (long long)result->n_left_out - NAMED_FAULTS);
    if (status == SP_OK && result->n_left_out == e->list->n)
        return sp_fail(err, e->first.status, "%s", e->first.message);
    return status;
}

sp_status sp_decode_files(const char *file, const sp_run_options *o, bool skip_existing,
                          sp_decoded_files *done, sp_run_result *result, sp_error *err)
{
    each e = {.options = *o, .o = &e.options, .skip_existing = skip_existing};
    *result = (sp_run_result){.n_undecoded = 0};
    sp_status status = SP_OK;
    TRY(sp_run_find_labels(&e.options, &e.own, err));
    TRY(sp_file_list_new(file, o->place.more, &e.list, err));
    TRY(name_files(&e, err));
    for (int64_t i = 0; i < e.list->n; i++)
        TRY(check_output(&e, i, err));
    TRY(decode_each(&e, result, err));
done:
    free(e.outputs);
    free(e.labels);
    free(e.inputs);
    sp_owned_free(&e.own);
    sp_file_list_free(e.list);
    *done = e.done;
    return status;
}
