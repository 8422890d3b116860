/* Figures of what models made of recordings that they did not see. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "evaluate/metrics/sequences.h"
#include "learn/training.h"
#include "learn/tune.h"
#include "statepath/metrics.h"

static sp_status judge_steps(const sp_training *training, sp_tune tune, const int32_t *paths, sp_value *value, sp_error *err)
{
    size_t K = (size_t)training->batch.scores.n_classes;
    int64_t *confusion = calloc(K * K + K, sizeof *confusion);
    if (!confusion)
        return sp_no_memory(err);
    int64_t *undecoded = confusion + K * K;
    for (int64_t r = 0; r < training->batch.n_recordings; r++)
        for (int64_t t = training->batch.offsets[r]; sp_training_uses(training, r) && t < training->batch.offsets[r + 1]; t++)
            if (training->labels[t] >= 0) {
                if (paths[t] >= 0)
                    confusion[(size_t)training->labels[t] * K + (size_t)paths[t]]++;
                else
                    undecoded[training->labels[t]]++;
            }
    sp_agreement a;
    sp_agreement_from_confusion((int32_t)K, confusion, undecoded, &a, NULL);
    *value = tune == SP_TUNE_KAPPA ? a.kappa : tune == SP_TUNE_MACRO_F1 ? a.macro_f1 : a.accuracy;
    free(confusion);
    return SP_OK;
}

static sp_status judge_paths(const sp_training *training, sp_tune tune, const int32_t *paths, double *value, sp_error *err)
{
    sp_labelled_paths view = {.n_classes = training->batch.scores.n_classes,
                              .n_recordings = training->batch.n_recordings,
                              .offsets = training->batch.offsets,
                              .segments = training->batch.scores.segments,
                              .labels = training->labels,
                              .paths = paths,
                              .use = training->use};
    sp_value v;
    sp_status status = SP_OK;
    TRY(tune == SP_TUNE_ENTITY_F1 ? sp_entity_f1(&view, training->classes, &v, err)
        : tune == SP_TUNE_EDIT    ? sp_edit_score(&view, &v, err)
                                  : judge_steps(training, tune, paths, &v, err));
    *value = v.undefined ? 0 : v.value;
done:
    return status;
}

static double judge_nll(const sp_training *training, const double *nll)
{
    double sum = 0, n_scored = 0;
    for (int64_t r = 0; r < training->batch.n_recordings; r++) {
        if (!sp_training_uses(training, r))
            continue;
        sum += nll[r];
        for (int64_t t = training->batch.offsets[r]; t < training->batch.offsets[r + 1]; t++)
            n_scored += training->labels[t] >= 0;
    }
    return n_scored > 0 ? -sum / n_scored : 0;
}

bool sp_judged_new(sp_owned *own, const sp_training *training, sp_tune tune, sp_judged *out)
{
    const bool is_nll = tune == SP_TUNE_NLL;
    *out = (sp_judged){0};
    if (is_nll)
        out->nll = sp_zeros(own, (size_t)training->batch.n_recordings, sizeof *out->nll);
    else
        out->paths = sp_zeros(own, (size_t)training->batch.scores.n_steps, sizeof *out->paths);
    return out->nll || out->paths;
}

sp_status sp_judged_value(const sp_training *training, sp_tune tune, const sp_judged *judged, double *value, sp_error *err)
{
    if (!judged->nll)
        return judge_paths(training, tune, judged->paths, value, err);
    *value = judge_nll(training, judged->nll);
    return SP_OK;
}

/* Blocks of groups, in their order, one after the other: the recordings of a block are left out together. */
static int32_t share_out(const sp_training *training, const int32_t *group, int32_t *block)
{
    enum { MOST_BLOCKS = 50 };
    int32_t n_groups = 0;
    for (int64_t r = 0; r < training->batch.n_recordings; r++) {
        block[r] = -1;
        if (!sp_training_uses(training, r))
            continue;
        for (int64_t q = 0; group && block[r] < 0 && q < r; q++)
            if (block[q] >= 0 && group[q] == group[r])
                block[r] = block[q];
        if (block[r] < 0)
            block[r] = n_groups++ % MOST_BLOCKS;
    }
    return n_groups < MOST_BLOCKS ? n_groups : MOST_BLOCKS;
}

sp_status sp_judged_difference(const sp_training *training, const int32_t *group, sp_tune tune, const sp_judged *with,
                               const sp_judged *without, double *difference, double *error, sp_error *err)
{
    const size_t N = (size_t)training->batch.n_recordings;
    double value[2], sum = 0, squares = 0;
    sp_owned own = {0};
    int32_t *block = sp_zeros(&own, N, sizeof *block);
    uint8_t *use = sp_zeros(&own, N, 1);
    sp_training rest = *training;
    sp_status status = SP_OK;
    TRY(sp_owned_status(&own, err));
    const int32_t n = share_out(training, group, block);
    TRY(sp_judged_value(training, tune, with, &value[1], err));
    TRY(sp_judged_value(training, tune, without, &value[0], err));
    *difference = value[1] - value[0];
    rest.use = use;
    for (int32_t b = 0; b < n; b++) {
        for (size_t r = 0; r < N; r++)
            use[r] = block[r] >= 0 && block[r] != b;
        TRY(sp_judged_value(&rest, tune, with, &value[1], err));
        TRY(sp_judged_value(&rest, tune, without, &value[0], err));
        const double d = value[1] - value[0];
        sum += d;
        squares += d * d;
    }
    *error = n > 1 ? sqrt((double)(n - 1) / n * fmax(0, squares - sum * sum / n)) : INFINITY;
done:
    sp_owned_free(&own);
    return status;
}

sp_status sp_cross_judge(const sp_training *training, const sp_model *const *models, const int32_t *fold, int32_t n_folds,
                         const sp_strategy *strategy, sp_tune tune, sp_workers *workers, double *value, sp_error *err)
{
    sp_owned own = {0};
    sp_judged judged;
    sp_status status = SP_OK;
    TRY(sp_judged_new(&own, training, tune, &judged) ? SP_OK : sp_no_memory(err));
    TRY(sp_cross_run(training, models, fold, n_folds, strategy, workers, &judged, err));
    TRY(sp_judged_value(training, tune, &judged, value, err));
done:
    sp_owned_free(&own);
    return status;
}
