/* Durations beside rules that labels show. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "learn/durations/durations.h"
#include "learn/probabilities.h"
#include "learn/tune.h"

/* What the runs of a training set say of how long classes last. */
typedef struct lengths {
    sp_owned own;
    sp_run_list runs;
    int32_t n_classes;
    sp_learnt_duration *found; /* [K] */
    double **p;                /* [K] tables; NULL: of a class nothing is learnt */
} lengths;

static void lengths_clear(lengths *l)
{
    sp_run_list_clear(&l->runs);
    sp_owned_free(&l->own);
}

static bool has_any(const lengths *l)
{
    for (int32_t k = 0; k < l->n_classes; k++)
        if (l->p[k])
            return true;
    return false;
}

/* On failure it can (and must) still be cleared. */
static sp_status lengths_init(lengths *l, const sp_training *training, const sp_tuner *folds, sp_error *err)
{
    const int32_t K = training->batch.scores.n_classes;
    *l = (lengths){.n_classes = K};
    sp_status status = SP_OK;
    TRY(sp_run_list_collect(training, true, &l->runs, err));
    l->found = sp_zeros(&l->own, (size_t)K, sizeof *l->found);
    l->p = sp_zeros(&l->own, (size_t)K, sizeof *l->p);
    TRY(sp_owned_status(&l->own, err));
    TRY(sp_durations_choose(&l->runs, K, folds->fold, folds->n_folds, l->found, err));
    TRY(sp_training_go_on(training, err));
    for (int32_t k = 0; k < K; k++) {
        if (l->found[k].n_lengths == 0)
            continue;
        if (!(l->p[k] = sp_zeros(&l->own, (size_t)l->found[k].n_lengths, sizeof **l->p)))
            TRY(sp_no_memory(err));
        TRY(sp_durations_table(&l->runs, k, &l->found[k], l->p[k], err));
    }
done:
    return status;
}

static sp_status set_duration(sp_model *model, int32_t k, const sp_learnt_duration *found, const double *p,
                              sp_error *err)
{
    sp_duration *d = &model->durations[k];
    const size_t bytes = (size_t)found->n_lengths * sizeof *d->pmf;
    if (isinf(found->smoothing)) {
        *d = (sp_duration){.form = SP_DURATION_NEGATIVE_BINOMIAL,
                           .centre = {sp_five_digits(found->mean), false},
                           .spread = sp_five_digits(found->dispersion)};
        return SP_OK;
    }
    if (!(d->pmf = malloc(bytes)))
        return sp_no_memory(err);
    d->form = SP_DURATION_PMF;
    d->n_pmf = found->n_lengths;
    memcpy(d->pmf, p, bytes);
    return SP_OK;
}

sp_status sp_model_learn_durations(sp_model *model, const sp_training *training, int32_t n_folds,
                                   sp_learnt_duration *found, sp_error *err)
{
    const int32_t K = model->n_classes;
    sp_fit_options options = sp_fit_options_default();
    options.n_folds = n_folds;
    sp_tuner u = {.training = training, .options = &options};
    lengths l = {.n_classes = 0};
    sp_status status = SP_OK;
    if (model->durations || model->min_dwell || model->n_states > K)
        return sp_fail(err, SP_EINVAL,
                       "model %s: durations are learnt for a model that has one state per class, and says "
                       "nothing of how long they last",
                       model->name);
    TRY(sp_tuner_init(&u, err));
    TRY(lengths_init(&l, training, &u, err));
    if (!has_any(&l))
        TRY(sp_fail(err, SP_EINVAL,
                    "`durations`: no class has a run of which begin and end are seen, with lengths that can "
                    "be tabled"));
    if (!(model->durations = calloc((size_t)K, sizeof *model->durations)))
        TRY(sp_no_memory(err));
    for (int32_t k = 0; k < K; k++)
        if (l.p[k] && sp_model_edge(model, k, k) >= 0 &&
            model->row[k + 1] - model->row[k] > 1) /* it may stay, and be left */
            TRY(set_duration(model, k, &l.found[k], l.p[k], err));
    if (found)
        memcpy(found, l.found, (size_t)K * sizeof *found);
done:
    lengths_clear(&l);
    sp_tuner_clear(&u);
    return status;
}
