/* Models judged by recordings that they did not see, inside a training set. */

#include "learn/tune.h"

#include <stdlib.h>

#include "core/try.h"
#include "learn/learn.h"
#include "learn/training.h"

const char *sp_tuner_reason_against(const sp_tuner *u)
{
    enum { LEAST_GROUPS = 3 };
    if (u->n_folds > 0 && u->n_groups >= LEAST_GROUPS)
        return NULL;
    return u->n_groups == 0 && u->training->label_set
               ? "every labelled step has several classes, and figures are of steps with one"
               : "fewer than three labelled recordings (or groups) are too few to judge by";
}

void sp_training_count(const sp_training *training, int64_t *n_steps, int64_t *n_set_steps)
{
    *n_steps = *n_set_steps = 0;
    for (int64_t n = 0; n < training->batch.n_recordings; n++)
        for (int64_t t = training->batch.offsets[n];
             sp_training_uses(training, n) && t < training->batch.offsets[n + 1]; t++) {
            const bool is_one = training->labels && training->labels[t] >= 0;
            *n_steps += is_one;
            *n_set_steps += !is_one && sp_training_says(training, t);
        }
}

/* Has a recording that takes part a step with one class; or, with_sets, any label? */
static bool is_labelled(const sp_training *training, int64_t n, bool with_sets)
{
    for (int64_t t = training->batch.offsets[n]; training->labels && t < training->batch.offsets[n + 1]; t++)
        if (training->labels[t] >= 0 || (with_sets && sp_training_says(training, t)))
            return sp_training_uses(training, n);
    return false;
}

sp_status sp_thin_out(const sp_training *training, const int32_t *group, int64_t most_steps, uint8_t *use,
                      sp_error *err)
{
    enum { LEAST = 20 };
    const int64_t N = training->batch.n_recordings, *offsets = training->batch.offsets;
    int32_t *number = malloc(((size_t)N + 1) * sizeof *number);
    int64_t steps = 0, n_groups = 0;
    sp_status status = number ? sp_groups_number(N, group, use, number, &n_groups, err) : sp_no_memory(err);
    for (int64_t r = 0; r < N; r++)
        steps += use[r] ? offsets[r + 1] - offsets[r] : 0;
    int64_t stride = (steps + most_steps - 1) / most_steps;
    stride = stride > n_groups / LEAST ? n_groups / LEAST : stride;
    for (int64_t r = 0; status == SP_OK && stride > 1 && r < N; r++)
        use[r] = use[r] && number[r] % stride == 0;
    free(number);
    return status;
}

/* Shares the recordings that are learnt from out into folds, at most n_folds and as many as there are judged groups. */
static sp_status assign_folds(sp_tuner *u, sp_error *err)
{
    const int64_t N = u->training->batch.n_recordings, *of = u->training->batch.offsets;
    int64_t *offsets = sp_zeros(&u->own, (size_t)N + 1, sizeof *offsets), n = 0, n_learnt;
    int32_t *number = sp_zeros(&u->own, (size_t)N, sizeof *number),
            *group = sp_zeros(&u->own, (size_t)N, sizeof *group),
            *inner = sp_zeros(&u->own, (size_t)N, sizeof *inner);
    sp_status status = SP_OK;
    TRY(sp_owned_status(&u->own, err));
    TRY(sp_groups_number(N, u->options->group, u->judged, number, &u->n_groups, err));
    u->n_folds = u->n_groups < u->n_folds ? (int32_t)u->n_groups : u->n_folds;
    u->n_folds = u->n_folds < 2 ? 0 : u->n_folds;
    TRY(sp_groups_number(N, u->options->group, u->learnt, number, &n_learnt, err));
    for (int64_t r = 0; r < N; r++) {
        u->judged[r] = u->judged[r] && u->n_folds;
        u->learnt[r] = u->learnt[r] && u->n_folds;
        u->fold[r] = -1;
        if (!u->learnt[r])
            continue;
        offsets[n + 1] = offsets[n] + of[r + 1] - of[r];
        group[n++] = number[r];
    }
    if (u->n_folds)
        TRY(sp_folds_assign(&(sp_batch){.n_recordings = n, .offsets = offsets}, group, u->n_folds, inner,
                            err));
    n = 0;
    for (int64_t r = 0; r < N; r++)
        if (u->learnt[r])
            u->fold[r] = inner[n++];
done:
    return status;
}

sp_status sp_tuner_init(sp_tuner *u, sp_error *err)
{
    size_t N = (size_t)u->training->batch.n_recordings;
    u->n_folds = u->options->n_folds;
    u->fold = sp_zeros(&u->own, N, sizeof *u->fold);
    u->judged = sp_zeros(&u->own, N, 1);
    u->learnt = sp_zeros(&u->own, N, 1);
    u->use = sp_zeros(&u->own, (size_t)u->n_folds * N, 1);
    u->models = sp_zeros(&u->own, (size_t)u->n_folds, sizeof(sp_model *));
    if (!u->models)
        return sp_no_memory(err);
    for (size_t n = 0; n < N; n++) {
        u->judged[n] = is_labelled(u->training, (int64_t)n, false);
        u->learnt[n] = !u->judged[n] && is_labelled(u->training, (int64_t)n, true);
    }
    sp_status status = SP_OK;
    if (u->most_steps) {
        TRY(sp_thin_out(u->training, u->options->group, u->most_steps, u->judged, err));
        TRY(sp_thin_out(u->training, u->options->group, u->most_steps, u->learnt, err));
    }
    for (size_t n = 0; n < N; n++)
        u->learnt[n] |= u->judged[n];
    TRY(assign_folds(u, err));
    for (int32_t f = 0; f < u->n_folds; f++)
        for (size_t n = 0; n < N; n++)
            u->use[(size_t)f * N + n] = u->learnt[n] && u->fold[n] != f;
done:
    return status;
}

void sp_tuner_clear(sp_tuner *u)
{
    for (int32_t f = 0; u->models && f < u->options->n_folds; f++)
        sp_model_free(u->models[f]);
    sp_owned_free(&u->own);
}

sp_training sp_tuner_without(const sp_tuner *u, int32_t f)
{
    sp_training others = *u->training;
    others.use = u->use + (size_t)f * (size_t)u->training->batch.n_recordings;
    return others;
}

static sp_training judged_by(const sp_tuner *u)
{
    sp_training judged = *u->training;
    judged.use = u->judged;
    return judged;
}

/* One more setting has been tried. */
static void tell(sp_tuner *u)
{
    u->n_done++;
    if (u->options->progress)
        u->options->progress(u->options->progress_arg, "settings", u->n_done, 0);
}

sp_status sp_tuner_judge(sp_tuner *u, sp_model *const *models, sp_evidence *out, sp_error *err)
{
    const sp_training judged = judged_by(u);
    const sp_fit_options *o = u->options;
    sp_owned own = {0};
    sp_judged found;
    sp_status status = SP_OK;
    TRY(sp_training_go_on(u->training, err));
    TRY(sp_judged_new(&own, &judged, o->tune, &found) ? SP_OK : sp_no_memory(err));
    TRY(sp_cross_run(&judged, (const sp_model *const *)models, u->fold, u->n_folds, &o->strategy, u->workers,
                     &found, err));
    TRY(sp_evidence_of(&judged, o, &found, out, err));
    tell(u);
done:
    sp_owned_free(&own);
    return status;
}
