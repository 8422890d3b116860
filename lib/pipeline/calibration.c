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

/* What is most likely for each fold, on the recordings of the others. Where some fold has nothing to learn from, there is none. */
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
        status = sp_calibrate(&others, &fitted[f], err);
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

static bool is_scaled(const sp_prepare_options *prepare)
{
    return prepare->windows || prepare->temperature != 1 || prepare->prior_weight != 0;
}

sp_status sp_calibration_open(calibration *c, const sp_folds *folds, const sp_prepare_options *prepare,
                              int32_t n_classes, sp_error *err)
{
    *c = (calibration){.folds = folds};
    if (folds)
        return open_folds(c, n_classes, err);
    return is_scaled(prepare) ? add_stage(c, SP_SCALING_DECODED, n_classes, err) : SP_OK;
}

void sp_calibration_close(calibration *c)
{
    for (int i = 0; i < c->n; i++)
        sp_reliability_sums_free(c->sums[i].reliability);
    for (int32_t f = 0; c->fitted && f < c->folds->n_folds; f++)
        sp_calibrated_clear(&c->fitted[f]);
    free(c->fitted);
}

static bool fill_rows(const calibration *c, sp_scaling scaling, const sp_scores *scores, int64_t recording,
                      double *rows)
{
    const int32_t f = c->folds->fold[recording];
    if (scaling == SP_SCALING_DECODED)
        return sp_rows_by_model(c->folds->models[f], scores, rows);
    sp_calibrate_rows(&c->fitted[f], scaling == SP_SCALING_VECTOR, scores, rows);
    return true;
}

/* Room for the rows of a block. */
static bool has_room(sp_likelihood *l, const sp_block *block)
{
    if (l->room >= block->n_steps)
        return true;
    free(l->rows);
    l->rows = malloc(((size_t)block->n_steps * (size_t)block->n_classes + 1) * sizeof *l->rows);
    l->room = l->rows ? block->n_steps : 0;
    return l->rows;
}

static sp_scores rows_of(const sp_likelihood *l, const sp_block *block)
{
    return (sp_scores){
        .data = l->rows, .dtype = SP_F64, .n_classes = block->n_classes, .n_steps = block->n_steps};
}

/* A prepared block by these labels [S], as decoded and in other ways. */
static sp_status add_calibrations(sp_likelihood *l, const sp_block *block, const int32_t *labels,
                                  sp_error *err)
{
    calibration *c = l->calibration;
    const size_t K = (size_t)block->n_classes;
    const sp_batch batch = sp_block_batch(block);
    sp_status status = SP_OK;
    for (int i = 0; status == SP_OK && i < c->n; i++) {
        if (c->folds && !has_room(l, block))
            return sp_no_memory(err);
        for (int64_t n = 0; c->folds && n < block->n_recordings; n++) {
            const sp_scores scores = sp_batch_recording(&batch, n);
            if (!fill_rows(c, c->sums[i].scaling, &scores, block->first + n,
                           l->rows + (size_t)block->offsets[n] * K))
                return sp_no_memory(err);
        }
        const sp_scores view = c->folds ? rows_of(l, block) : batch.scores;
        status =
            sp_probabilities_add(&c->sums[i].nll, c->sums[i].reliability, &view, labels, block->weights, err);
    }
    return status;
}

/* The scores of a prepared block as they were given. */
static sp_status as_given(sp_pipeline *p, const sp_block *block, sp_scores *given, sp_error *err)
{
    const sp_prepare_options *by = &p->prepare;
    const sp_scores scores = sp_block_batch(block).scores;
    const sp_scores_scaling back = {by->temperature, by->prior_weight,
                                    by->prior_weight != 0 ? by->log_prior : NULL, true};
    *given = scores;
    if (!is_scaled(by))
        return SP_OK;
    if (block->given) {
        *given = (sp_scores){
            .data = block->given, .dtype = SP_F64, .n_classes = block->n_classes, .n_steps = block->n_steps};
        return SP_OK;
    }
    if (!has_room(&p->likelihood, block))
        return sp_no_memory(err);
    sp_scale_rows(&scores, &back, p->likelihood.rows);
    *given = rows_of(&p->likelihood, block);
    return SP_OK;
}

sp_status sp_calibration_finish(calibration *c, double level, sp_comparison *out, sp_error *err)
{
    sp_status status = SP_OK;
    out->scaling = c->folds || c->n ? SP_SCALING_GIVEN : SP_SCALING_DECODED;
    for (int i = 0; status == SP_OK && i < c->n; i++) {
        sp_calibration *made = &out->calibrations[out->n_calibrations];
        *made = (sp_calibration){.scaling = c->sums[i].scaling};
        const sp_nll nll = sp_nll_sums_value(&c->sums[i].nll);
        if (sp_nll_mean(&nll, &made->nll.value, NULL) != SP_OK || isinf(made->nll.value))
            made->nll = (sp_value){.undefined = "the scores give a labelled step probability 0"};
        status = sp_reliability_finish(c->sums[i].reliability, level, &made->reliability, err);
        out->n_calibrations += status == SP_OK;
    }
    return status;
}

/* ---- likelihood ---- */

/* Leaves the wake out that does not count. */
static void trim(const sp_pipeline *p, const sp_block *block, int32_t *labels)
{
    for (int64_t r = 0; r < block->n_recordings; r++) {
        int64_t first = block->offsets[r];
        sp_wake_trim(block->offsets[r + 1] - first, p->wake.stages, p->wake.margin, labels + first);
    }
}

static sp_status add(void *arg, const sp_block *block, sp_error *err)
{
    sp_pipeline *p = arg;
    sp_likelihood *l = &p->likelihood;
    sp_scores scores;
    const int32_t *labels = block->labels;
    int32_t *kept = NULL;
    sp_status status = SP_OK;
    if (p->wake.stages) {
        size_t n = (size_t)block->n_steps;
        if (!(kept = malloc((n + 1) * sizeof *kept)))
            return sp_no_memory(err);
        memcpy(kept, labels, n * sizeof *kept);
        trim(p, block, kept);
        labels = kept;
    }
    TRY(as_given(p, block, &scores, err));
    TRY(l->reliability ? sp_probabilities_add(&l->nll, l->reliability, &scores, labels, block->weights, err)
                       : sp_nll_sums_add(&l->nll, &scores, labels, block->weights, err));
    if (l->calibration)
        TRY(add_calibrations(l, block, labels, err));
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
