#include "learn/tune.h"

#include "core/labeller.h"
#include "core/try.h"
#include "learn/training.h"

enum { EVERY_COUNT_MORE = 1 }; /* so that nothing is impossible because it was not seen */

static void count(const sp_training *training, int64_t r, double *confusion)
{
    const int64_t *offsets = training->batch.offsets;
    sp_labeller_count(training->batch.scores.n_classes, offsets[r + 1] - offsets[r],
                      training->labels + offsets[r], training->decided + offsets[r], confusion);
}

static void score(const sp_training *training, int64_t r, const double *table, double *scores)
{
    const int64_t *offsets = training->batch.offsets;
    const int32_t K = training->batch.scores.n_classes;
    sp_labeller_scores(K, table, offsets[r + 1] - offsets[r], training->decided + offsets[r],
                       scores + offsets[r] * K);
}

/* Scores of the recordings of fold f (-1: of none), by the confusion of the others. */
static void score_fold(const sp_training *training, const int32_t *fold, int32_t f, const double *confusion,
                       double *table, double *scores)
{
    sp_labeller_table(training->batch.scores.n_classes, confusion, NULL, table);
    for (int64_t r = 0; r < training->batch.n_recordings; r++)
        if (fold[r] == f)
            score(training, r, table, scores);
}

sp_status sp_decided_scores(const sp_training *training, const sp_fit_options *options, double *scores,
                            double *confusion, sp_error *err)
{
    const int64_t N = training->batch.n_recordings;
    const size_t pairs = (size_t)training->batch.scores.n_classes * (size_t)training->batch.scores.n_classes;
    if (!training->labels)
        return sp_fail(err, SP_EINVAL,
                       "decided classes are learnt from by labels beside them, and there are none");
    int64_t n_steps, n_set_steps;
    sp_training_count(training, &n_steps, &n_set_steps);
    if (n_steps == 0 && n_set_steps > 0)
        return sp_fail(
            err, SP_EINVAL,
            "how often decided classes are right is counted at steps with one class, and every labelled "
            "step has several");
    sp_tuner folds = {.training = training, .options = options};
    sp_status status = SP_OK;
    TRY(sp_tuner_init(&folds, err));
    double *others = sp_zeros(&folds.own, pairs, sizeof *others),
           *table = sp_zeros(&folds.own, pairs, sizeof *table);
    TRY(sp_owned_status(&folds.own, err));
    for (int32_t f = -1; f < folds.n_folds; f++) {
        double *counts = f < 0 ? confusion : others;
        for (size_t i = 0; i < pairs; i++)
            counts[i] = EVERY_COUNT_MORE;
        for (int64_t r = 0; r < N; r++)
            if (sp_training_uses(training, r) && (f < 0 || folds.fold[r] != f))
                count(training, r, counts);
        score_fold(training, folds.fold, f, counts, table, scores);
    }
done:
    sp_tuner_clear(&folds);
    return status;
}
