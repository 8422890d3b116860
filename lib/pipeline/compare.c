/* sp_compare() and sp_decode_recordings(): scores are decoded, the paths handed on, evaluated. */
#include "pipeline/compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evaluate/evaluate.h"
#include "pipeline/against.h"
#include "pipeline/evaluation.h"
#include "pipeline/long/long_recording.h"
#include "pipeline/run.h"

const char sp_usual_strategies[] = "argmax,greedy,viterbi";

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
    snprintf(sizes, sizeof sizes, " (%lld recordings, %lld steps", (long long)info->n_recordings, (long long)info->n_steps);
    snprintf(bytes, sizeof bytes, ", %lld bytes)", (long long)info->file_size);
    const char *at = strstr(model->source, sizes), *after = at ? at + strlen(sizes) : NULL;
    if (!at || (*after != ',' && *after != ')'))
        return false;
    return ends_with(model->source, at, name) || strncmp(after, bytes, strlen(bytes)) == 0;
}

sp_status sp_pipeline_check_decoding(const sp_pipeline *p, sp_error *err)
{
    if (!p->info->has_scores)
        return sp_fail(err, SP_EINVAL, "%s: there are no scores to decode", p->file);
    return sp_long_recording_warn(p, err);
}

/* Likelihood and calibration of one classifier, and whether it can be decoded. */
static sp_status open_figures(sp_pipeline *p, sp_error *err)
{
    p->has_path_scores = true;
    p->has_nll = p->info->has_labels && !p->prepare.clamp; /* clamped scores are the labels */
    sp_status status = p->has_nll ? sp_reliability_new(p->info->n_classes, &p->reliability, err) : SP_OK;
    return status == SP_OK ? sp_pipeline_check_decoding(p, err) : status;
}

sp_status sp_pipeline_open_comparison(sp_pipeline *p, calibration *scaled, sp_error *err)
{
    if (!p->folds && sp_is_fitted_on(p->model, p->info))
        sp_run_notice(p->opt, SP_NOTICE_DATA,
                      "note: model %s was fitted on this very file, so its figures here are too good; `cv` 5 decodes each "
                      "recording with a model that never saw it",
                      p->model->name);
    sp_status status = sp_calibration_open(scaled, p->folds, &p->prepare, p->info->n_classes, err);
    p->calibration = scaled;
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
    if (status != SP_OK || !made) /* of a part nothing is made */
        return status;
    made->n_folds = p->folds ? p->folds->n_folds : 0;
    made->fitted_on_input = !p->folds && sp_is_fitted_on(p->model, p->info);
    *out = made;
    return SP_OK;
}

/* The other classifiers in memory, of which there are `n`. `all` to be closed in any case. */
static sp_status open_against(sp_pipeline *p, const char *strategies, sp_rival *all, sp_error *err)
{
    const sp_run_options *o = p->opt;
    const int32_t n = o->n_against_recordings;
    sp_status status = SP_OK;
    for (int32_t i = 0; status == SP_OK && i < n; i++) {
        const sp_named_recordings *one = &o->against_recordings[i];
        status = sp_against_begin(&all[i], p, one->name, one->recordings->info->file, strategies, err);
        all[i].p.from = *one->recordings;
        if (status == SP_OK)
            status = sp_pipeline_load_model(&all[i].p, err);
        if (status == SP_OK)
            status = sp_against_match(&all[i], p, 0, 0, err);
        if (status == SP_OK)
            status = sp_against_compile(&all[i], p, err);
    }
    return status == SP_OK ? sp_pipeline_set_against(p, n, all, err) : status;
}

sp_status sp_compare(const sp_recordings *recordings, const sp_run_options *o, sp_comparison **out, sp_run_result *result,
                     sp_error *err)
{
    sp_pipeline p;
    calibration scaled = {.n = 0};
    const char *strategies = o->strategies ? o->strategies : sp_usual_strategies;
    sp_status status = sp_pipeline_open(&p, recordings, o, strategies, err);
    const int32_t n = o->n_against_recordings;
    sp_rival *against = calloc((size_t)(n > 0 ? n : 1), sizeof *against);
    if (status == SP_OK)
        status = against ? open_against(&p, strategies, against, err) : sp_no_memory(err);
    if (status == SP_OK)
        status = sp_pipeline_open_comparison(&p, &scaled, err);
    if (status == SP_OK)
        status = sp_pipeline_use_given(&p, err);
    if (status == SP_OK)
        status = sp_pipeline_compare(&p, out, err);
    sp_pipeline_result(&p, result);
    for (int32_t i = 0; against && i < n; i++)
        sp_against_close(&against[i]);
    free(against);
    sp_pipeline_close(&p);
    sp_calibration_close(&scaled);
    return status;
}

sp_status sp_decode_recordings(const sp_recordings *recordings, const sp_run_options *o, sp_run_result *result, sp_error *err)
{
    sp_pipeline p;
    sp_status status = sp_pipeline_open(&p, recordings, o, o->strategies ? o->strategies : "viterbi", err);
    if (status == SP_OK)
        status = sp_pipeline_check_decoding(&p, err);
    if (status == SP_OK)
        status = sp_pipeline_run(&p, NULL, err);
    sp_pipeline_result(&p, result);
    sp_pipeline_close(&p);
    return status;
}
