/* sp_compare() and sp_decode_recordings(): scores are decoded, the paths handed on, evaluated. */
#include "pipeline/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/prepare.h"
#include "core/subjects.h"
#include "core/try.h"
#include "evaluate/evaluate.h"
#include "learn/learn.h"
#include "options/options.h"
#include "pipeline/against.h"
#include "pipeline/judging.h"
#include "pipeline/objective.h"
#include "pipeline/run.h"
#include "statepath/comparison.h"

/* Does what stands before `at` in the text end with the name? */
static bool ends_with(const char *text, const char *at, const char *name)
{
    size_t length = strlen(name);
    return (size_t)(at - text) >= length && memcmp(at - length, name, length) == 0;
}

/* Was the model fitted on these very recordings? Then its figures are too good. Known by what the model's source says: as many
 * recordings and steps, and the same name or, where the file was renamed, the same size. */
bool sp_is_fitted_on(const sp_model *model, const sp_source_info *info)
{
    char sizes[64], bytes[64];
    const char *slash = strrchr(info->file, '/'), *name = slash ? slash + 1 : info->file;
    if (!model->source || !model->description || strncmp(model->description, "fitted by ", 10) != 0)
        return false;
    snprintf(sizes, sizeof sizes, " (%lld recordings, %lld steps", (long long)info->n_recordings,
             (long long)info->n_steps);
    snprintf(bytes, sizeof bytes, ", %lld bytes)", (long long)info->file_size);
    const char *at = strstr(model->source, sizes), *after = at ? at + strlen(sizes) : NULL;
    if (!at || (*after != ',' && *after != ')'))
        return false;
    return ends_with(model->source, at, name) || strncmp(after, bytes, strlen(bytes)) == 0;
}

static sp_status open_decoding(sp_pipeline *p, sp_error *err)
{
    if (!p->info->has_scores)
        return sp_fail(err, SP_EINVAL, "%s: there are no scores to decode", p->file);
    sp_pipeline_add_hook(p);
    return SP_OK;
}

/* Some strategy walks through the compiled model. */
static bool goes_by_model(const sp_pipeline *p)
{
    for (int s = 0; s < p->n_strategies; s++)
        if (sp_strategy_about(p->strategies[s].kind)->knows_rules)
            return true;
    return false;
}

sp_status sp_pipeline_open_decoding(sp_pipeline *p, sp_error *err)
{
    if (goes_by_model(p))
        sp_run_tell_slow(p->opt, p->model, p->chain);
    return open_decoding(p, err);
}

/* Likelihood and calibration of one classifier, and whether it can be decoded. */
static sp_status open_figures(sp_pipeline *p, sp_error *err)
{
    sp_status status = SP_OK;
    p->about.has_path_scores = true;
    if (p->info->has_labels && !p->prepare.clamp) { /* clamped scores are the labels */
        TRY(sp_reliability_new(p->info->n_classes, &p->likelihood.reliability, err));
        sp_pipeline_want_likelihood(p);
    }
    TRY(open_decoding(p, err));
done:
    return status;
}

sp_status sp_pipeline_open_comparison(sp_pipeline *p, calibration *scaled, sp_error *err)
{
    if (!p->folds && sp_is_fitted_on(p->model, p->info))
        sp_run_notice(p->opt, SP_NOTICE_DATA,
                      "note: model %s was fitted on this very file, so its figures here are too good; `cv` 5 "
                      "decodes each "
                      "recording with a model that never saw it",
                      p->model->name);
    if (goes_by_model(p))
        sp_run_tell_slow(p->opt, p->model, p->chain);
    sp_status status = sp_calibration_open(scaled, p->folds, &p->prepare, p->info->n_classes, err);
    p->likelihood.calibration = scaled;
    if (status == SP_OK)
        status = open_figures(p, err);
    for (int32_t i = 0; status == SP_OK && i < p->n_against; i++)
        status = open_figures(&p->against[i].p, err);
    return status;
}

sp_status sp_pipeline_compare(sp_pipeline *p, sp_comparison **out, sp_error *err)
{
    sp_comparison *made = NULL;
    sp_status status = sp_pipeline_evaluate(p, &made, err);
    if (status != SP_OK)
        return status;
    made->n_folds = p->folds ? p->folds->n_folds : 0;
    made->fitted_on_input = !p->folds && sp_is_fitted_on(p->model, p->info);
    *out = made;
    return SP_OK;
}

/* ---- cross-validation ---- */

sp_status sp_fit_words_read(const sp_fit_words *words, const sp_run_plan *plan, sp_fit_options *out,
                            sp_error *err)
{
    char key[SP_OPTION_KEY];
    out->method = plan->has_method ? plan->method : out->method;
    out->tune = plan->has_tune ? plan->tune : out->tune;
    if (plan->has_tuned_for)
        out->strategy = plan->tuned_for;
    const char *unused = sp_option_without_use(words, (int)out->method);
    if (unused)
        return sp_fail(err, SP_EINVAL, "`%s` changes nothing where `method` is %s; leave it out",
                       sp_option_key(unused, key), sp_fit_method_name(out->method));
    out->smoothing = words->smoothing;
    out->penalty = words->penalty;
    out->memory = words->memory;
    out->n_folds = words->folds;
    out->features = plan->features;
    out->name = words->name ? words->name : "fitted";
    return SP_OK;
}

sp_status sp_run_fit_options(const sp_run_options *o, bool has_scores, int32_t K, const char *const *classes,
                             sp_fit_options *out, double **costs, sp_error *err)
{
    sp_run_plan plan;
    sp_status status = SP_OK;
    *costs = NULL;
    TRY(sp_run_plan_make(o, SP_CALL_FIT, &plan, err));
    TRY(sp_fit_words_read(&o->fit, &plan, out, err));
    TRY(sp_fit_objective(&o->fit, &plan, has_scores, K, classes, out, costs, err));
done:
    return status;
}

static sp_status fit_each(sp_folds *folds, const sp_training *training, const sp_fit_options *how,
                          sp_workers *workers, sp_error *err)
{
    const int32_t n = folds->n_folds;
    sp_status status = sp_folds_assign(&training->batch, how->group, n, folds->fold, err);
    for (int32_t f = 0; status == SP_OK && f < n; f++) {
        status = sp_cross_fit(training, how, folds->fold, f, workers, &folds->models[f], err);
        if (status == SP_OK && how->progress)
            how->progress(how->progress_arg, "folds", f + 1, n);
    }
    return status;
}

sp_status sp_folds_fit(sp_folds *folds, sp_pipeline *p, const sp_training *training,
                       const sp_fit_options *how, sp_workers *workers, sp_error *err)
{
    const sp_run_options *o = p->opt;
    folds->training = training;
    folds->fold = malloc((size_t)(training->batch.n_recordings + 1) * sizeof *folds->fold);
    folds->models = calloc((size_t)o->n_folds, sizeof(sp_model *));
    if (!folds->fold || !folds->models)
        return sp_no_memory(err);
    folds->n_folds = o->n_folds;
    const sp_status status = fit_each(folds, training, how, workers, err);
    sp_run_progress(o, NULL, 0, 0);
    if (status != SP_OK)
        return status;
    p->prepare.temperature = 1;
    p->prepare.prior_weight = 0;
    p->prepare.floor = sp_run_prepare_plain(o).floor;
    p->folds = folds;
    return SP_OK;
}

void sp_folds_clear(sp_folds *folds)
{
    for (int32_t f = 0; f < folds->n_folds; f++)
        sp_model_free(folds->models[f]);
    free(folds->models);
    free(folds->fold);
}

/* What folds in memory are fitted to: all recordings. */
typedef struct training_set {
    sp_folds folds;
    sp_block *block;
    sp_training training;
    double *costs;
} training_set;

static sp_status read_training_set(training_set *t, const sp_pipeline *p, sp_error *err)
{
    const unsigned parts = SP_BLOCK_LABELS | SP_BLOCK_SEGMENTS | SP_BLOCK_SCORES | SP_BLOCK_MASK;
    const sp_part all = {.count = p->info->n_recordings};
    sp_prepare_options how = sp_run_prepare_plain(p->opt);
    how.kind = p->prepare.kind;
    t->block = sp_block_new();
    sp_status status = t->block ? p->from.read(p->from.arg, &all, parts, t->block, err) : sp_no_memory(err);
    return status == SP_OK ? sp_prepare(t->block, &how, p->workers, NULL, err) : status;
}

/* As sp_fitting_open() for a file. Subjects are there by now; those of one are not parted. */
static sp_status open_folds(training_set *t, sp_pipeline *p, sp_error *err)
{
    const sp_run_options *o = p->opt;
    sp_fit_options how = sp_fit_options_default();
    how.method = sp_fit_method_for(true, false, true, p->model);
    how.rules = p->model;
    how.group = p->subjects ? p->subjects->of_recording : NULL;
    if (o->n_against_recordings)
        return sp_fail(err, SP_EINVAL, "`cv` fits models to one classifier's scores; leave `against` out");
    if (!p->info->has_labels)
        return sp_fail(err, SP_EINVAL, "`cv` judges by labels, but %s has none", p->file);
    sp_status status = SP_OK;
    TRY(sp_fit_words_read(&o->fit, &p->plan, &how, err));
    TRY(sp_fit_options_check(&how, err));
    TRY(read_training_set(t, p, err));
    t->training =
        (sp_training){.batch = sp_block_batch(t->block),
                      .labels = t->block->labels,
                      .classes = p->info->classes ? p->info->classes : (const char *const *)p->model->classes,
                      .step_seconds = sp_pipeline_chain_options(p, 1).step_seconds,
                      .max_states = o->max_states,
                      .may_have_floor = p->prepare.kind != SP_KIND_SCORES && !p->info->has_mask};
    TRY(sp_fit_objective(&o->fit, &p->plan, true, p->info->n_classes, t->training.classes, &how, &t->costs,
                         err));
    sp_run_hook_fitting(o, &t->training, &how);
    TRY(sp_folds_fit(&t->folds, p, &t->training, &how, p->workers, err));
done:
    return status;
}

/* ---- recordings in memory ---- */

/* The other classifiers in memory, of which there are `n`. `all` to be closed in any case. */
static sp_status open_against(sp_pipeline *p, sp_rival *all, sp_error *err)
{
    const sp_run_options *o = p->opt;
    const int32_t n = o->n_against_recordings;
    sp_status status = SP_OK;
    for (int32_t i = 0; i < n; i++) {
        const sp_named_recordings *one = &o->against_recordings[i];
        TRY(sp_against_begin(&all[i], p, one->name, one->recordings->info->file, err));
        all[i].p.from = *one->recordings;
        TRY(sp_pipeline_load_model(&all[i].p, err));
        TRY(sp_against_match(&all[i], p, 0, 0, err));
        TRY(sp_against_compile(&all[i], p, err));
    }
    TRY(sp_pipeline_set_against(p, n, all, err));
done:
    return status;
}

sp_status sp_compare(const sp_recordings *recordings, const sp_run_options *o, sp_comparison **out,
                     sp_run_result *result, sp_error *err)
{
    sp_pipeline p = {.opt = o};
    calibration scaled = {.n = 0};
    sp_comparison *made = NULL;
    training_set learnt = {.block = NULL};
    sp_run_plan plan;
    const int32_t n = o->n_against_recordings;
    sp_rival *against = calloc((size_t)(n > 0 ? n : 1), sizeof *against);
    sp_status status = SP_OK;
    TRY(sp_run_plan_make(o, SP_CALL_COMPARE, &plan, err));
    TRY(sp_pipeline_open(&p, recordings, o, &plan, err));
    TRY(against ? open_against(&p, against, err) : sp_no_memory(err));
    TRY(sp_pipeline_use_given(&p, err));
    if (o->n_folds)
        TRY(open_folds(&learnt, &p, err));
    TRY(sp_pipeline_open_comparison(&p, &scaled, err));
    TRY(sp_pipeline_compare(&p, &made, err));
    *out = made;
done:
    if (status != SP_OK)
        sp_comparison_free(made);
    sp_pipeline_result(&p, result);
    for (int32_t i = 0; against && i < n; i++)
        sp_against_close(&against[i]);
    free(against);
    sp_pipeline_close(&p);
    sp_calibration_close(&scaled);
    sp_folds_clear(&learnt.folds);
    sp_block_free(learnt.block);
    free(learnt.costs);
    return status;
}

sp_status sp_decode_recordings(const sp_recordings *recordings, const sp_run_options *o,
                               sp_run_result *result, sp_error *err)
{
    sp_pipeline p = {.opt = o};
    sp_run_plan plan;
    if (o->n_folds)
        return sp_fail(err, SP_EINVAL, "`cv` is of comparing, which has labels to judge by");
    sp_status status = SP_OK;
    TRY(sp_run_plan_make(o, SP_CALL_DECODE, &plan, err));
    TRY(sp_pipeline_open(&p, recordings, o, &plan, err));
    TRY(sp_pipeline_open_decoding(&p, err));
    TRY(sp_pipeline_run(&p, err));
done:
    sp_pipeline_result(&p, result);
    sp_pipeline_close(&p);
    return status;
}
