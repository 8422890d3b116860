#include "pipeline/calibration.h"
#include "core/try.h"
#include "evaluate/evaluate.h"
#include "learn/learn.h"
#include "statepath/comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static sp_status add_stage(calibration *c, sp_scaling scaling, int32_t n_classes, sp_error *err)
{
    calibration_sums *sums = &c->sums[c->n];
    *sums = (calibration_sums){.scaling = scaling};
    sp_status status = sp_reliability_new(n_classes, &sums->reliability, err);
    c->n += status == SP_OK;
    return status;
}

/* What is most likely for each fold of the shard, on the recordings of the others. Where some fold of all has nothing to learn
 * from, there is none: so all shards have it, or none. */
static sp_status fit_folds(calibration *c, sp_error *err)
{
    const sp_folds *folds = c->folds;
    int64_t N = folds->training->batch.n_recordings;
    uint8_t *use = malloc((size_t)N + 1);
    sp_calibrated *fitted = calloc((size_t)folds->n_folds, sizeof *fitted);
    sp_status status = SP_OK;
    if (!use || !fitted) {
        free(use);
        free(fitted);
        return sp_no_memory(err);
    }
    for (int32_t f = 0; status == SP_OK && f < folds->n_folds; f++) {
        for (int64_t n = 0; n < N; n++)
            use[n] = folds->fold[n] != f;
        sp_training others = (*folds->training);
        others.use = use;
        if (folds->models[f])
            status = sp_calibrate(&others, &fitted[f], err);
        else
            status = sp_can_calibrate(&others) ? SP_OK : SP_EINVAL;
    }
    free(use);
    if (status == SP_OK) {
        c->fitted = fitted;
        return SP_OK;
    }
    for (int32_t f = 0; fitted && f < folds->n_folds; f++)
        sp_calibrated_clear(&fitted[f]);
    free(fitted);
    return status == SP_EINVAL ? SP_OK : status;
}

static sp_status open_folds(calibration *c, int32_t K, sp_error *err)
{
    const sp_folds *folds = c->folds;
    c->fold_log_prior = calloc((size_t)folds->n_folds * (size_t)K, sizeof *c->fold_log_prior);
    if (!c->fold_log_prior)
        return sp_no_memory(err);
    for (int32_t f = 0; f < folds->n_folds; f++) /* fitted models have their classes in the order of the columns */
        for (int32_t k = 0; folds->models[f] && folds->models[f]->prior && k < K; k++)
            c->fold_log_prior[(size_t)f * (size_t)K + (size_t)k] = log(folds->models[f]->prior[k]);
    sp_status status = SP_OK;
    TRY(add_stage(c, SP_SCALING_DECODED, K, err));
    if (!folds->training->decided)
        TRY(fit_folds(c, err));
    if (c->fitted)
        TRY(add_stage(c, SP_SCALING_TEMPERATURE, K, err));
    if (c->fitted)
        TRY(add_stage(c, SP_SCALING_VECTOR, K, err));
done:
    return status;
}

sp_status sp_calibration_open(calibration *c, const sp_folds *folds, const sp_prepare_options *prepare, int32_t n_classes,
                              sp_error *err)
{
    *c = (calibration){.folds = folds};
    if (folds)
        return open_folds(c, n_classes, err);
    bool has_prior = prepare->prior_weight != 0;
    if (prepare->temperature == 1 && !has_prior)
        return SP_OK;
    c->decoded = (sp_scores_scaling){prepare->temperature, prepare->prior_weight, has_prior ? prepare->log_prior : NULL, true};
    return add_stage(c, SP_SCALING_GIVEN, n_classes, err);
}

sp_status sp_calibration_open_parts(calibration *c, const sp_folds *folds, int64_t n, int32_t n_classes, sp_error *err)
{
    static const sp_scaling stages[] = {SP_SCALING_DECODED, SP_SCALING_TEMPERATURE, SP_SCALING_VECTOR};
    *c = (calibration){.folds = folds};
    sp_status status = SP_OK;
    for (int64_t i = 0; status == SP_OK && i < n && i < 3; i++)
        status = add_stage(c, stages[i], n_classes, err);
    return status;
}

void sp_calibration_close(calibration *c)
{
    for (int i = 0; i < c->n; i++)
        sp_reliability_sums_free(c->sums[i].reliability);
    for (int32_t f = 0; c->fitted && f < c->folds->n_folds; f++)
        sp_calibrated_clear(&c->fitted[f]);
    free(c->fitted);
    free(c->fold_log_prior);
    free(c->rows);
}

static void fill_rows(const calibration *c, sp_scaling scaling, const sp_scores *scores, int64_t recording, double *rows)
{
    int32_t f = c->folds ? c->folds->fold[recording] : 0;
    if (scaling == SP_SCALING_GIVEN) {
        sp_scale_rows(scores, &c->decoded, rows);
    } else if (scaling == SP_SCALING_DECODED) {
        const sp_model *model = c->folds->models[f];
        double weight = isnan(model->prior_weight) ? 0 : model->prior_weight;
        sp_scores_scaling by = {isnan(model->temperature) ? 1 : model->temperature, weight,
                                c->fold_log_prior + (size_t)f * (size_t)scores->n_classes, false};
        sp_scale_rows(scores, &by, rows);
    } else {
        sp_calibrate_rows(&c->fitted[f], scaling == SP_SCALING_VECTOR, scores, rows);
    }
}

/* A prepared block by these labels [S]. */
static sp_status add_calibrations(calibration *c, const sp_block *block, const int32_t *labels, sp_error *err)
{
    size_t K = (size_t)block->n_classes;
    if (c->n && c->room < block->n_steps) {
        free(c->rows);
        c->room = 0;
        if (!(c->rows = malloc(((size_t)block->n_steps * K + 1) * sizeof *c->rows)))
            return sp_no_memory(err);
        c->room = block->n_steps;
    }
    sp_batch batch = sp_block_batch(block);
    sp_status status = SP_OK;
    for (int i = 0; status == SP_OK && i < c->n; i++) {
        for (int64_t n = 0; n < block->n_recordings; n++) {
            sp_scores scores = sp_batch_recording(&batch, n);
            fill_rows(c, c->sums[i].scaling, &scores, block->first + n, c->rows + (size_t)block->offsets[n] * K);
        }
        sp_scores view = {c->rows, SP_F64, block->n_classes, block->n_steps, NULL, NULL};
        status = sp_probabilities_add(&c->sums[i].nll, c->sums[i].reliability, &view, labels, block->weights, err);
    }
    return status;
}

sp_status sp_calibration_finish(calibration *c, double level, sp_comparison *out, sp_error *err)
{
    sp_status status = SP_OK;
    out->scaling = c->folds ? SP_SCALING_GIVEN : SP_SCALING_DECODED;
    for (int i = 0; status == SP_OK && i < c->n; i++) {
        sp_calibration *made = &out->calibrations[out->n_calibrations];
        *made = (sp_calibration){.scaling = c->sums[i].scaling};
        const sp_nll nll = sp_nll_sums_value(&c->sums[i].nll);
        if (sp_nll_mean(&nll, &made->nll.value, NULL) != SP_OK || isinf(made->nll.value))
            made->nll = (sp_value){.undefined = "the scores give a labelled step probability 0"};
        if (sp_nll_clipped_mean(&nll, &made->nll_clipped.value, NULL) != SP_OK)
            made->nll_clipped = (sp_value){.undefined = nll.clip > 0 ? "no scored steps" : "not asked for"};
        status = sp_reliability_finish(c->sums[i].reliability, level, &made->reliability, err);
        out->n_calibrations += status == SP_OK;
    }
    return status;
}

/* ---- likelihood ---- */

/* Leaves the wake out that does not count. */
static void trim(const sp_pipeline *p, const sp_block *block, const sp_wake_bounds *sleep, int32_t *labels)
{
    if (sleep)
        sp_wake_trim_piece(sleep, p->wake.margin, block->first_step, block->n_steps, labels);
    for (int64_t r = 0; !sleep && r < block->n_recordings; r++) {
        int64_t first = block->offsets[r];
        sp_wake_trim(block->offsets[r + 1] - first, p->wake.stages, p->wake.margin, labels + first);
    }
}

static sp_status add(void *arg, const sp_block *block, const sp_wake_bounds *sleep, sp_error *err)
{
    sp_pipeline *p = arg;
    sp_likelihood *l = &p->likelihood;
    const sp_scores scores = sp_block_batch(block).scores;
    const int32_t *labels = block->labels;
    int32_t *kept = NULL;
    sp_status status = SP_OK;
    if (p->wake.stages) {
        size_t n = (size_t)block->n_steps;
        if (!(kept = malloc((n + 1) * sizeof *kept)))
            return sp_no_memory(err);
        memcpy(kept, labels, n * sizeof *kept);
        trim(p, block, sleep, kept);
        labels = kept;
    }
    TRY(l->reliability ? sp_probabilities_add(&l->nll, l->reliability, &scores, labels, block->weights, err)
                       : sp_nll_sums_add(&l->nll, &scores, labels, block->weights, err));
    if (l->calibration)
        TRY(add_calibrations(l->calibration, block, labels, err));
done:
    free(kept);
    return status;
}

void sp_pipeline_want_likelihood(sp_pipeline *p)
{
    const sp_consumer consumer = {.arg = p, .prepared = add};
    p->likelihood.is_wanted = true;
    sp_pipeline_add_consumer(p, &consumer);
}
