#include "core/try.h"
#include "pipeline/files/open.h"
#include "pipeline/objective.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/owned.h"
#include "core/prepare.h"
#include "core/subjects.h"
#include "evaluate/evaluate.h"
#include "io/source.h"
#include "learn/learn.h"
#include "options/options.h"
#include "pipeline/compare.h"
#include "pipeline/files/reading.h"
#include "pipeline/objective.h"
#include "pipeline/path_source.h"
#include "sleep/label_coding_use.h"
#include "statepath/metrics.h"
#include "statepath/model_json.h"

/* The file as a pipeline opens it, without a way of decoding. */
typedef struct sp_fitting_file {
    sp_run_options options; /* as given, with the file of labels in its place */
    sp_pipeline p;
    sp_file_input in;
    sp_owned own;
    uint8_t *sets;        /* [n_sets,K] of labels that say several classes */
    int32_t *set_of_step; /* [S] */
    bool has_sets;        /* some step has one */
    /* Where files cannot be read: the recordings of the others. */
    sp_recordings all;
    sp_source_info info;
    sp_block *run; /* scratch */
} fitting_file;

/* The coding of the labels, and where their columns are told otherwise, that. */
static const sp_codes *label_codes(const sp_fitting *f, const int32_t **column_of_label)
{
    const sp_file_input *in = &f->file->in;
    *column_of_label = in->reference.codes ? in->labelled.column_of_label : NULL;
    return in->reference.codes ? in->reference.codes : in->is_decided ? NULL : in->codes;
}

static int32_t n_sets(const sp_fitting *f)
{
    const int32_t *unused;
    const sp_codes *codes = label_codes(f, &unused);
    return codes ? sp_codes_n_sets(codes) : 0;
}

/* ---- words to options ---- */

static sp_status read_words(sp_fitting *f, sp_error *err)
{
    const sp_run_options *o = f->run;
    const sp_fit_words *w = &o->fit;
    sp_fit_options *out = &f->options;
    const bool has_labels = f->info->has_labels, has_scores = f->info->has_scores;
    sp_status status = sp_options_check_scores(o, f->info->file, has_scores || f->file->in.is_decided, err);
    if (status != SP_OK)
        return status;
    out->method = sp_fit_method_for(has_labels, n_sets(f) > 0, has_scores, f->rules);
    status = sp_fit_words_read(w, &f->file->p.plan, out, err);
    if (status != SP_OK)
        return status;
    if (out->method != SP_FIT_EM && !has_labels)
        return sp_fail(
            err, SP_EINVAL,
            "%s has no labels to learn from; `labels` PATH says where they are, `method` em does without",
            f->info->file);
    if (out->method != SP_FIT_COUNTS && !has_scores)
        return sp_fail(err, SP_EINVAL, "%s has no scores; `method` counts learns from labels alone",
                       f->info->file);
    out->rules = f->rules;
    out->seen = f->file->p.plan.rules_are_seen;
    return sp_fit_options_check(out, err);
}

/* Recordings of one subject are never parted. */
static sp_status read_groups(sp_fitting *f, const sp_groups *groups, sp_error *err)
{
    const bool is_em = f->options.method == SP_FIT_EM;
    if (groups->by != SP_GROUPS_USUAL && (is_em || f->options.tune == SP_TUNE_NONE)) /* there are no folds */
        return sp_fail(err, SP_EINVAL, "`groups` changes nothing where `%s` is %s; leave it out",
                       is_em ? "method" : "tune", is_em ? "em" : "none");
    sp_status status = sp_source_subjects(f->file->in.source, groups, &f->subjects, err);
    for (int64_t n = 0; f->subjects && n < f->info->n_recordings; n++)
        f->subjects->of_recording[n] = f->subjects->of_recording[sp_unread_recording(f->file->p.unread, n)];
    f->options.group = status == SP_OK && f->subjects ? f->subjects->of_recording : NULL;
    return status;
}

/* ---- the file ---- */

/* f->classes [K]: names of the file's, else of the rules'; made where neither has any. */
static sp_status name_classes(sp_fitting *f, int32_t K, sp_error *err)
{
    sp_owned *own = &f->file->own;
    if (!f->info->classes && f->rules && f->rules->n_classes != K)
        return sp_fail(err, SP_EMODEL,
                       "%s has %d classes without names, the rules %d; use rules of the same classes",
                       f->info->file, K, f->rules->n_classes);
    const char **classes = sp_zeros(own, (size_t)K, sizeof *classes);
    for (int32_t k = 0; classes && k < K; k++) {
        char made[24];
        snprintf(made, sizeof made, "class%d", k);
        classes[k] = f->info->classes ? f->info->classes[k]
                     : f->rules       ? f->rules->classes[k]
                                      : sp_owned_text(own, made);
    }
    f->classes = classes;
    return sp_owned_status(own, err);
}

/* `rule` without a model: everything is allowed, but for what it forbids. */
static sp_status allow_others(sp_fitting *f, sp_error *err)
{
    const sp_model *known = f->file->p.model;
    const int32_t K = known ? known->n_classes : f->info->n_classes;
    sp_status status = SP_OK;
    if (K == 0)
        return sp_fail(err, SP_EINVAL,
                       "%s names no classes, of which `rule` speaks; `rules` M or `classes` A,B,C names them",
                       f->info->file);
    TRY(name_classes(f, K, err));
    uint8_t *allow = sp_zeros(&f->file->own, (size_t)K * (size_t)K, 1);
    TRY(sp_owned_status(&f->file->own, err));
    memset(allow, 1, (size_t)K * (size_t)K);
    if (!(f->rules = sp_model_new("fitted", K, f->classes)))
        return sp_no_memory(err);
    TRY(sp_model_set_matrix(f->rules, allow, NULL, err));
    TRY(sp_run_add_rules(f->run, f->rules, err));
done:
    return status;
}

/* Labels alone, without names of classes, are classes of the rules. */
static sp_status use_rules_classes(sp_fitting *f, sp_error *err)
{
    const sp_block *block = f->block;
    const int32_t K = f->rules->n_classes;
    for (int64_t n = 0; n < block->n_recordings; n++)
        for (int64_t t = block->offsets[n]; block->labels && t < block->offsets[n + 1]; t++)
            if (block->labels[t] >= K)
                return sp_fail(err, SP_EDATA,
                               "%s: recording %s has label %d, but the rules have classes 0..%d; `codes` or "
                               "`map` reads others' "
                               "numbers",
                               f->info->file, block->ids[n], block->labels[t], K - 1);
    f->block->n_classes = K;
    return SP_OK;
}

/* What a file of decided classes holds, read as they are. */
static sp_status read_decided(sp_fitting *f, sp_error *err)
{
    const int32_t K = f->block->n_classes = f->file->p.model->n_classes;
    if (!(f->decided = sp_block_new()))
        return sp_no_memory(err);
    sp_status status =
        sp_source_read(f->file->in.source, 0, f->info->n_recordings, SP_BLOCK_LABELS, f->decided, err);
    if (status == SP_OK)
        status = sp_decided_check(f->decided, K, err);
    const int64_t *kept = f->block->offsets, *have = f->decided->offsets; /* fewer with trim_to_shortest */
    for (int64_t n = 0; status == SP_OK && n < f->info->n_recordings; n++)
        memmove(f->decided->labels + kept[n], f->decided->labels + have[n],
                (size_t)(kept[n + 1] - kept[n]) * sizeof(int32_t));
    return status;
}

/* Recordings of files that can be read, run by run of those that follow one another. */
static sp_status read_kept(void *arg, const sp_part *part, unsigned parts, sp_block *block, sp_error *err)
{
    fitting_file *file = arg;
    const sp_unread *unread = file->p.unread;
    const int64_t first = part->recording, end = first + part->count, *offsets = file->info.offsets;
    sp_status status = SP_OK;
    TRY(sp_block_begin(block, &file->info, part, parts, err));
    for (int64_t n = first, last; n < end; n = last) {
        const int64_t there = sp_unread_recording(unread, n);
        for (last = n + 1; last < end && sp_unread_recording(unread, last) == there + last - n;)
            last++;
        const sp_part some = {.recording = there, .count = last - n};
        TRY(file->all.read(file->all.arg, &some, parts, file->run, err));
        sp_copy_steps(block, offsets[n] - offsets[first], file->run, 0, offsets[last] - offsets[n]);
    }
    block->file = file->run->file;
    block->dataset = file->run->dataset;
    block->classes = file->info.classes;
done:
    return status;
}

/* The recordings of files that can be read in place of all: each file is read once to see which these are. */
static sp_status keep_readable(sp_fitting *f, const sp_run_options *o, sp_error *err)
{
    enum { BLOCK_STEPS = 1 << 16 };
    fitting_file *file = f->file;
    sp_pipeline *p = &file->p;
    const int64_t N = f->info->n_recordings, *offsets = f->info->offsets;
    int64_t n_new = 0;
    sp_status status = SP_OK;
    if (p->leaves_out && !p->unread)
        TRY(sp_unread_new(p, &(sp_unread_input){.info = f->info}, &p->unread, err));
    if (!p->unread || file->in.is_decided)
        return SP_OK;
    p->info = f->info;
    p->source = &sp_decoding_source;
    p->prepare = sp_run_prepare_plain(o);
    p->prepare.kind = f->info->kind;
    for (int64_t n = sp_unread_next(p->unread, false, 0, N); n < N;
         n = sp_unread_next(p->unread, false, n + 1, N))
        if (!sp_unread_was_checked(p->unread, n))
            TRY(sp_unread_check(p, n, n + 1, BLOCK_STEPS, &n_new, err));
    TRY(sp_unread_end(p, err));
    f->n_left_out = sp_unread_count_files(p->unread);
    f->n_unread = sp_unread_count(p->unread);
    file->all = p->from;
    file->info = *f->info;
    sp_source_info *info = &file->info;
    info->n_recordings = N - f->n_unread;
    int64_t *kept = sp_zeros(&file->own, (size_t)info->n_recordings + 1, sizeof *kept);
    const char **ids = sp_zeros(&file->own, (size_t)info->n_recordings + 1, sizeof *ids);
    TRY(sp_owned_status(&file->own, err));
    TRY((file->run = sp_block_new()) ? SP_OK : sp_no_memory(err));
    for (int64_t n = 0; n < info->n_recordings; n++) {
        const int64_t there = sp_unread_recording(p->unread, n);
        kept[n + 1] = kept[n] + offsets[there + 1] - offsets[there];
        ids[n] = f->info->ids[there];
    }
    info->offsets = kept;
    info->ids = ids;
    info->n_steps = kept[info->n_recordings];
    p->from = (sp_recordings){.info = info, .read = read_kept, .arg = file};
    p->info = f->info = info;
done:
    return status;
}

static sp_status read_all(sp_fitting *f, const sp_run_options *o, sp_error *err)
{
    const sp_recordings *from = &f->file->p.from;
    const sp_part all = {.count = f->info->n_recordings};
    const bool has_scores = f->info->has_scores && !f->file->in.is_decided;
    const unsigned parts =
        SP_BLOCK_LABELS | SP_BLOCK_SEGMENTS | (has_scores ? SP_BLOCK_SCORES | SP_BLOCK_MASK : 0u);
    if (!(f->block = sp_block_new()))
        return sp_no_memory(err);
    sp_prepare_options prepare = sp_run_prepare_plain(o);
    sp_status status = SP_OK;
    prepare.kind = f->info->kind;
    TRY(from->read(from->arg, &all, parts, f->block, err));
    if (f->file->in.is_decided)
        TRY(read_decided(f, err));
    if (f->rules && f->block->n_classes == 0)
        TRY(use_rules_classes(f, err));
    if (!has_scores)
        return SP_OK;
    TRY(sp_prepare_options_check(&prepare, err));
    TRY(sp_prepare(f->block, &prepare, NULL, NULL, err));
done:
    return status;
}

/* ---- labels that say several classes ---- */

/* Of the labels those that say several classes become unscored, beside which of which they are. */
static sp_status take_sets(sp_fitting *f, sp_error *err)
{
    const int32_t *column, K = f->block->n_classes;
    const sp_codes *codes = label_codes(f, &column);
    const int32_t n = n_sets(f);
    const size_t S = (size_t)f->block->n_steps, size = (size_t)n * (size_t)K;
    if (n == 0 || !f->block->labels)
        return SP_OK;
    uint8_t *told = malloc(size);
    f->file->sets = calloc(size, 1);
    f->file->set_of_step = malloc((S + 1) * sizeof *f->file->set_of_step);
    if (!told || !f->file->sets || !f->file->set_of_step) {
        free(told);
        return sp_no_memory(err);
    }
    sp_codes_sets(codes, told);
    for (size_t i = 0; i < size; i++)
        f->file->sets[i / (size_t)K * (size_t)K +
                      (size_t)(column ? column[i % (size_t)K] : (int32_t)(i % (size_t)K))] = told[i];
    free(told);
    for (size_t t = 0; t < S; t++) {
        const int32_t label = f->block->labels[t];
        const bool is_set = label <= SP_CODE_FIRST_SET;
        f->file->has_sets |= is_set;
        f->file->set_of_step[t] = is_set ? SP_CODE_FIRST_SET - label : -1;
        f->block->labels[t] = is_set ? -1 : label;
    }
    return SP_OK;
}

static sp_status open_file(sp_fitting *f, const char *file, sp_error *err)
{
    static const char mend[] = "`rules` M says which they are, for example sleep-permissive";
    sp_pipeline *p = &f->file->p;
    sp_file_input *in = &f->file->in;
    const sp_run_options *o = f->run;
    sp_source_options places;
    sp_status status = SP_OK;
    TRY(sp_run_places(o, file, &places, err));
    places.needs_scores = in->takes_decided =
        o->labels_file != NULL; /* without reference it may be the labels that are learnt from */
    places.takes_scores = true;
    p->leaves_out = places.leaves_out = !o->n_folds && !o->join;
    places.model = f->rules; /* of a text of labels, which has classes only where the rules do */
    if (o->labels_file && f->rules)
        TRY(sp_run_load_model(o, NULL, NULL, &p->model, err));
    if (f->rules && !o->labels_file && (o->codes || o->map) && sp_source_is_text(file))
        TRY(sp_reference_codes_new(p, f->rules, NULL, &in->codes, err));
    places.codes = in->codes;
    TRY(sp_file_input_open(p, in, &places, err));
    f->info = p->from.info;
    sp_run_tell_remark(o, f->info);
    TRY(o->labels_file ? sp_file_input_label_alone(p, in, mend, err)
                       : sp_file_input_read_codes(p, in, f->rules, mend, err));
    TRY(sp_file_input_check_gaps(p, in, err));
    f->info = p->from.info;
    TRY(keep_readable(f, o, err));
done:
    return status;
}

/* Of rules that cannot be compiled the learner says why. */
static sp_status tell_slow(const sp_fitting *f, sp_error *err)
{
    sp_chain_options compile = sp_chain_options_default();
    sp_chain *chain = NULL;
    sp_error own;
    compile.step_seconds = f->training.step_seconds;
    compile.max_states = f->training.max_states;
    const sp_status status = sp_chain_new(f->rules, &compile, &chain, &own);
    if (status == SP_OK)
        sp_run_tell_slow(f->run, f->rules, chain);
    sp_chain_free(chain);
    return status == SP_ENOMEM ? sp_no_memory(err) : SP_OK;
}

/* What makes it slow, and what is given in vain. */
static sp_status tell(const sp_fitting *f, const char *file, sp_error *err)
{
    const sp_run_options *o = f->run;
    const char *const labels = o->labels_file;
    if (labels && f->options.method == SP_FIT_EM)
        sp_run_notice(o, SP_NOTICE_DATA,
                      "note: `labels` changes nothing: `method` em learns from the scores alone");
    sp_run_tell_classes(o, f->info);
    sp_use_tell_seconds(o, f->rules, sp_source_is_events(file) || (labels && sp_source_is_events(labels)));
    return f->rules ? tell_slow(f, err) : SP_OK;
}

sp_status sp_fitting_open(sp_fitting *f, const char *file, const sp_run_options *given, sp_error *err)
{
    *f = (sp_fitting){.options = sp_fit_options_default()};
    if (!(f->file = calloc(1, sizeof *f->file)))
        return sp_no_memory(err);
    sp_run_options *o = &f->file->options;
    *o = *given;
    f->run = o;
    sp_pipeline *p = &f->file->p;
    *p = (sp_pipeline){.opt = o, .file = file, .learns = true};
    sp_status status = SP_OK;
    TRY(sp_run_plan_make(o, SP_CALL_FIT, &p->plan, err));
    TRY(sp_run_find_labels(o, &f->file->own, err));
    if (o->model && !p->plan.rules_are_seen)
        TRY(sp_run_load_model(o, NULL, NULL, &f->rules, err));
    if (o->rule && p->plan.rules_are_seen)
        TRY(sp_fail(err, SP_EINVAL,
                    "`rule` is added to the rules of a model, and `rules` is \"seen\"; leave one out"));
    TRY(open_file(f, file, err));
    if (o->rule && !f->rules)
        TRY(allow_others(f, err));
    TRY(read_words(f, err));
    TRY(read_all(f, o, err));
    TRY(take_sets(f, err));
    TRY(name_classes(f, f->block->n_classes, err));
    TRY(sp_fit_objective(&o->fit, &p->plan, f->info->has_scores || f->decided, f->block->n_classes,
                         f->classes, &f->options, &f->costs, err));
    TRY(read_groups(f, &p->plan.groups, err));
    if (!(f->workers = sp_workers_new(o->decode.threads)))
        return sp_no_memory(err);
    f->training = (sp_training){.batch = sp_block_batch(f->block),
                                .decided = f->decided ? f->decided->labels : NULL,
                                .labels = f->block->labels,
                                .label_set = f->file->has_sets ? f->file->set_of_step : NULL,
                                .label_sets = f->file->sets,
                                .n_label_sets = n_sets(f),
                                .classes = f->classes,
                                .step_seconds = sp_pipeline_chain_options(&f->file->p, 1).step_seconds,
                                .max_states = f->run->max_states,
                                .may_have_floor = f->info->kind != SP_KIND_SCORES && !f->info->has_mask};
    sp_run_hook_fitting(o, &f->training, &f->options);
    if (!o->n_folds)
        TRY(tell(f, file, err));
done:
    return status;
}

void sp_fitting_close(sp_fitting *f)
{
    free(f->costs);
    sp_subjects_free(f->subjects);
    sp_workers_free(f->workers);
    sp_model_free(f->rules);
    sp_block_free(f->block);
    sp_block_free(f->decided);
    if (f->file) {
        free(f->file->sets);
        free(f->file->set_of_step);
        sp_block_free(f->file->run);
        sp_file_input_close(&f->file->in);
        sp_pipeline_close(&f->file->p);
        sp_owned_free(&f->file->own);
    }
    free(f->file);
}
