/* sp_compare_file() and sp_decode_file(): scores are decoded, the paths written, evaluated. */
#include <math.h>
#include <string.h>

#include "pipeline/calibration.h"
#include "pipeline/evaluation.h"
#include "pipeline/long_recording.h"
#include "pipeline/run.h"

typedef struct comparing {
    sp_pipeline p;
    cross folds;
    calibration scaled;
    sp_extra_outputs extras;
    sp_paths_writer *writer; /* or NULL */
} comparing;

static sp_status open_outputs(comparing *c, sp_error *err)
{
    if (!c->p.info->has_scores)
        return sp_fail(err, SP_EINVAL, "%s: there are no scores to decode", c->p.file);
    sp_status status = sp_extra_outputs_plan(&c->extras, &c->p, err);
    return status == SP_OK ? sp_long_recording_warn(&c->p, &c->extras, err) : status;
}

static sp_status run(void *arg, int64_t n, const int64_t *recordings, sp_evaluation *evaluation, sp_error *err)
{
    comparing *c = arg;
    if (n >= 0)
        return sp_pipeline_run_again(&c->p, n, recordings, evaluation, err);
    sp_status status = c->p.opt->output ? sp_pipeline_open_writer(&c->p, &c->extras, &c->writer, err) : SP_OK;
    return status == SP_OK ? sp_pipeline_run(&c->p, evaluation, c->writer, &c->extras, err) : status;
}

/* Models of the folds; the scores then stay as they are, each model brings its own temperature. */
static sp_status fit_folds(comparing *c, sp_error *err)
{
    const sp_run_options *o = c->p.opt;
    if (o->decode.clamp || !isnan(o->decode.temperature) || !isnan(o->decode.transition_weight) || !isnan(o->decode.prior_weight))
        return sp_run_fail(o, err, SP_EINVAL,
                           "@cv fits temperature and weights itself, and @clamp would show it the answers; leave "
                           "@temperature, @transition-weight, @prior-weight and @clamp out");
    if (o->confidence || o->n_best)
        return sp_run_fail(o, err, SP_EINVAL,
                           "@confidence and @nbest speak of one model, @cv decodes with a model a fold; leave them out, or fit a "
                           "model and compare with that");
    sp_status status = sp_folds_open(&c->folds, c->p.file, o, err);
    if (status != SP_OK)
        return status;
    c->p.prepare.temperature = 1;
    c->p.prepare.prior_weight = 0;
    c->p.cross = &c->folds;
    return SP_OK;
}

static sp_status open_evaluation(comparing *c, sp_error *err)
{
    sp_pipeline *p = &c->p;
    const sp_run_options *o = p->opt;
    sp_status status = o->n_folds ? fit_folds(c, err) : SP_OK;
    if (status == SP_OK && !o->n_folds && sp_is_fitted_on(p->model, p->info))
        sp_run_notice(o, SP_NOTICE_DATA,
                      "note: model %s was fitted on this very file, so its figures here are too good; @cv 5 decodes each "
                      "recording with a model that never saw it",
                      p->model->name);
    if (status == SP_OK)
        status = sp_calibration_open(&c->scaled, p->cross, &p->prepare, p->info->n_classes, err);
    p->calibration = &c->scaled;
    p->has_nll = p->info->has_labels && !p->prepare.clamp; /* clamped scores are the labels */
    if (status == SP_OK && p->has_nll)
        status = sp_reliability_new(p->info->n_classes, &p->reliability, err);
    if (status == SP_OK)
        status = open_outputs(c, err);
    if (status != SP_OK)
        return status;
    if (!p->source)
        return sp_pipeline_use_given(p, err);
    status = sp_source_subjects(p->source, o->groups, &p->subjects, err);
    return status == SP_OK ? sp_raters_find(&p->scorers, o, p->source, p->info->n_classes, err) : status;
}

static sp_status finish(comparing *c, sp_status status, sp_run_result *result, sp_error *err)
{
    if (status == SP_OK && c->writer)
        status = sp_paths_writer_commit(c->writer, err);
    else
        sp_paths_writer_abort(c->writer);
    sp_pipeline_count(&c->p, result);
    sp_extra_outputs_clear(&c->extras);
    sp_pipeline_close(&c->p);
    sp_calibration_close(&c->scaled);
    sp_folds_close(&c->folds);
    return status;
}

static sp_status compare(comparing *c, sp_status status, sp_comparison **out, sp_run_result *result, sp_error *err)
{
    sp_pipeline *p = &c->p;
    bool is_legal[SP_RUN_STRATEGIES];
    sp_comparison *made = NULL;
    if (status == SP_OK)
        status = open_evaluation(c, err);
    if (status == SP_OK) {
        for (int s = 0; s < p->n_strategies; s++)
            is_legal[s] = sp_strategy_is_legal(p->strategies[s].kind) && p->on_infeasible != SP_INFEASIBLE_RELAX;
        sp_evaluated what = {.has_labels = p->info->has_labels,
                             .has_path_scores = true,
                             .is_legal = is_legal,
                             .source = p->source,
                             .file_size = p->info->file_size,
                             .input_classes = p->info->classes,
                             .run = run,
                             .arg = c};
        status = sp_pipeline_evaluate(p, &what, &made, err);
    }
    if (status == SP_OK) {
        made->n_folds = p->cross ? p->cross->n_folds : 0;
        made->fitted_on_input = !p->cross && sp_is_fitted_on(p->model, p->info);
    }
    status = finish(c, status, result, err);
    if (status == SP_OK)
        *out = made;
    else
        sp_comparison_free(made);
    return status;
}

static const char *strategies_of(const sp_run_options *o)
{
    return o->strategies ? o->strategies : "argmax,greedy,viterbi";
}

sp_status sp_compare(const sp_recordings *recordings, const sp_run_options *o, sp_comparison **out, sp_run_result *result,
                     sp_error *err)
{
    comparing c = {.writer = NULL};
    sp_status status = sp_pipeline_open_recordings(&c.p, recordings, o, strategies_of(o), err);
    return compare(&c, status, out, result, err);
}

sp_status sp_compare_file(const char *file, const sp_run_options *o, sp_comparison **out, sp_run_result *result, sp_error *err)
{
    comparing c = {.writer = NULL};
    sp_status status = sp_pipeline_open(&c.p, file, o, strategies_of(o), err);
    return compare(&c, status, out, result, err);
}

/* Written beside the paths, so that an evaluation of them alone knows whose they are. Decoding does not need them. */
static sp_status find_subjects(sp_pipeline *p, sp_error *err)
{
    sp_error own = {.status = SP_OK};
    sp_status status = sp_source_subjects(p->source, NULL, &p->subjects, &own);
    if (status == SP_ENOMEM)
        return sp_fail(err, status, "%s", own.message);
    if (status != SP_OK)
        sp_run_notice(p->opt, SP_NOTICE_DATA, "subjects are not passed on to the paths: %s", own.message);
    return SP_OK;
}

static sp_status decode(comparing *c, sp_status status, sp_run_result *result, sp_error *err)
{
    if (status == SP_OK)
        status = open_outputs(c, err);
    if (status == SP_OK && c->p.source)
        status = find_subjects(&c->p, err);
    if (status == SP_OK)
        status = run(c, -1, NULL, NULL, err);
    sp_run_progress(c->p.opt, NULL, 0, 0);
    return finish(c, status, result, err);
}

sp_status sp_decode_recordings(const sp_recordings *recordings, const sp_run_options *o, sp_run_result *result, sp_error *err)
{
    comparing c = {.writer = NULL};
    sp_status status = sp_pipeline_open_recordings(&c.p, recordings, o, o->strategies ? o->strategies : "viterbi", err);
    return decode(&c, status, result, err);
}

sp_status sp_decode_file(const char *file, const sp_run_options *o, sp_run_result *result, sp_error *err)
{
    comparing c = {.writer = NULL};
    sp_status status = sp_pipeline_open(&c.p, file, o, o->strategies ? o->strategies : "viterbi", err);
    return decode(&c, status, result, err);
}
