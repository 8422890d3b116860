/* sp_compare() and sp_decode_recordings(): scores are decoded, the paths handed on, evaluated. */
#include "pipeline/compare.h"

#include <stdio.h>
#include <string.h>

#include "evaluate/evaluate.h"
#include "pipeline/evaluation.h"
#include "pipeline/long_recording.h"
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
static bool is_fitted_on(const sp_model *model, const sp_source_info *info)
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

sp_status sp_pipeline_open_comparison(sp_pipeline *p, calibration *scaled, sp_error *err)
{
    if (!p->folds && is_fitted_on(p->model, p->info))
        sp_run_notice(p->opt, SP_NOTICE_DATA,
                      "note: model %s was fitted on this very file, so its figures here are too good; `cv` 5 decodes each "
                      "recording with a model that never saw it",
                      p->model->name);
    sp_status status = sp_calibration_open(scaled, p->folds, &p->prepare, p->info->n_classes, err);
    p->calibration = scaled;
    p->has_path_scores = true;
    p->has_nll = p->info->has_labels && !p->prepare.clamp; /* clamped scores are the labels */
    if (status == SP_OK && p->has_nll)
        status = sp_reliability_new(p->info->n_classes, &p->reliability, err);
    return status == SP_OK ? sp_pipeline_check_decoding(p, err) : status;
}

sp_status sp_pipeline_compare(sp_pipeline *p, sp_comparison **out, sp_error *err)
{
    sp_comparison *made = NULL;
    sp_status status = sp_pipeline_evaluate(p, &made, err);
    if (status != SP_OK)
        return status;
    made->n_folds = p->folds ? p->folds->n_folds : 0;
    made->fitted_on_input = !p->folds && is_fitted_on(p->model, p->info);
    *out = made;
    return SP_OK;
}

sp_status sp_compare(const sp_recordings *recordings, const sp_run_options *o, sp_comparison **out, sp_run_result *result,
                     sp_error *err)
{
    sp_pipeline p;
    calibration scaled = {.n = 0};
    sp_status status = sp_pipeline_open(&p, recordings, o, o->strategies ? o->strategies : sp_usual_strategies, err);
    if (status == SP_OK)
        status = sp_pipeline_open_comparison(&p, &scaled, err);
    if (status == SP_OK)
        status = sp_pipeline_use_given(&p, err);
    if (status == SP_OK)
        status = sp_pipeline_compare(&p, out, err);
    sp_pipeline_result(&p, result);
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
