/* What a recipe must be. */
#include "statepath/simulate.h"

#include "core/names.h"
#include "core/try.h"
#include "learn/learn.h"

#include <math.h>
#include <stdlib.h>

/* ---- signals ---- */

static void signals_free(sp_signal_recipe *signals)
{
    if (!signals)
        return;
    free(signals->first_tone);
    free(signals->tones);
    free(signals->channels);
    free(signals);
}

static sp_status check_signal_numbers(const sp_recipe *recipe, sp_recipe_place *place, sp_error *err)
{
    const sp_signal_recipe *s = recipe->signals;
    place->row = -1;
    place->key = "rate";
    if (!(s->rate > 0 && s->rate <= 1e9))
        return sp_fail(err, SP_EINVAL, "key \"rate\": %g is not a number of samples per second, above 0",
                       s->rate);
    place->key = "samples";
    if (s->n_samples < 1 || s->n_samples > 100000000)
        return sp_fail(err, SP_EINVAL,
                       "key \"samples\": needs the number of samples of one step, from 1 to 100000000");
    place->key = "phase_jitter";
    if (!(s->phase_jitter >= 0 && s->phase_jitter <= 1))
        return sp_fail(err, SP_EINVAL,
                       "key \"phase_jitter\": %g is not from 0 (every step begins alike) to 1 (any phase)",
                       s->phase_jitter);
    place->key = "amplitude_drift";
    if (!(s->amplitude_drift >= 0 && s->amplitude_drift <= 10))
        return sp_fail(
            err, SP_EINVAL,
            "key \"amplitude_drift\": %g is not a standard deviation of log amplitudes from 0 to 10",
            s->amplitude_drift);
    place->key = "overlap";
    if (!(s->overlap >= 0 && s->overlap <= 1))
        return sp_fail(err, SP_EINVAL, "key \"overlap\": %g is not a share from 0 to 1", s->overlap);
    place->key = "overlap";
    if (s->overlap > 0 && recipe->n_classes < 2)
        return sp_fail(err, SP_EINVAL,
                       "key \"overlap\": there is no other class to overlap with; leave it out");
    place->key = "test";
    if (s->n_test < 0 || s->n_test > recipe->n_recordings)
        return sp_fail(err, SP_EINVAL,
                       "key \"test\": needs a number of recordings from 0 to %lld, as many as there are",
                       (long long)recipe->n_recordings);
    return SP_OK;
}

static sp_status check_tones(const sp_recipe *recipe, sp_recipe_place *place, sp_error *err)
{
    const sp_signal_recipe *s = recipe->signals;
    place->key = "tones";
    for (int32_t k = 0; k < recipe->n_classes; k++) {
        place->row = k;
        for (int32_t j = s->first_tone[k]; j < s->first_tone[k + 1]; j++) {
            const sp_tone *tone = &s->tones[j];
            if (!isfinite(tone->amplitude) || fabs(tone->amplitude) > 1e6)
                return sp_fail(err, SP_EINVAL, "key \"tones\", class \"%s\": amplitude %g is beyond 1e6",
                               recipe->classes[k], tone->amplitude);
            if (!(tone->hertz >= 0 && tone->hertz <= s->rate / 2))
                return sp_fail(err, SP_EINVAL,
                               "key \"tones\", class \"%s\": %g Hz is not from 0 to %g, half the sampling "
                               "rate; faster tones would "
                               "come back as slower ones",
                               recipe->classes[k], tone->hertz, s->rate / 2);
        }
    }
    return SP_OK;
}

static sp_status check_channels(const sp_signal_recipe *s, sp_recipe_place *place, sp_error *err)
{
    place->key = "channels";
    place->row = -1;
    if (s->n_channels < 1)
        return sp_fail(err, SP_EINVAL, "key \"channels\": needs at least one channel");
    for (int32_t c = 0; c < s->n_channels; c++) {
        place->row = c;
        if (!isfinite(s->channels[c].gain) || fabs(s->channels[c].gain) > 1e6)
            return sp_fail(err, SP_EINVAL, "key \"channels\", channel %d: gain %g is beyond 1e6", c,
                           s->channels[c].gain);
        if (!(s->channels[c].noise >= 0 && s->channels[c].noise <= 1e6))
            return sp_fail(err, SP_EINVAL,
                           "key \"channels\", channel %d: noise %g is not a standard deviation from 0 to 1e6",
                           c, s->channels[c].noise);
    }
    return SP_OK;
}

/* What numpy's order of draws has no place for. */
static sp_status check_numpy(const sp_recipe *recipe, sp_recipe_place *place, sp_error *err)
{
    const sp_signal_recipe *s = recipe->signals;
    const double numbers[] = {recipe->unscored, s->phase_jitter, s->amplitude_drift, s->overlap};
    static const char *const keys[] = {"unscored", "phase_jitter", "amplitude_drift", "overlap"};
    place->row = -1;
    for (int i = 0; i < 4; i++) {
        place->key = keys[i];
        if (numbers[i] != 0)
            return sp_fail(err, SP_EINVAL,
                           "key \"%s\": with \"generator\": \"numpy\" this is 0, since the order of its "
                           "draws has no place for it",
                           keys[i]);
    }
    place->key = "steps";
    if (recipe->min_steps != recipe->max_steps)
        return sp_fail(
            err, SP_EINVAL,
            "key \"steps\": with \"generator\": \"numpy\" all recordings have one length; give one number");
    place->key = "unused";
    if (recipe->n_unused < 0 || recipe->n_unused > 1000000000)
        return sp_fail(err, SP_EINVAL, "key \"unused\": needs a whole number of steps from 0 to 1000000000");
    return SP_OK;
}

/* *place: key and, in "tones", the class; in "channels", the channel. */
static sp_status check_signals(const sp_recipe *recipe, sp_recipe_place *place, sp_error *err)
{
    sp_status status = SP_OK;
    TRY(check_signal_numbers(recipe, place, err));
    TRY(check_tones(recipe, place, err));
    TRY(check_channels(recipe->signals, place, err));
    if (recipe->is_numpy)
        TRY(check_numpy(recipe, place, err));
done:
    return status;
}

/* ---- all recipes ---- */

void sp_recipe_free(sp_recipe *recipe)
{
    if (!recipe)
        return;
    for (int32_t k = 0; recipe->classes && k < recipe->n_classes; k++)
        free(recipe->classes[k]);
    free(recipe->classes);
    free(recipe->name);
    free(recipe->description);
    free(recipe->model);
    signals_free(recipe->signals);
    free(recipe->start);
    free(recipe->transitions);
    free(recipe->confusion);
    free(recipe);
}

static sp_status check_classes(const sp_recipe *recipe, sp_recipe_place *place, sp_error *err)
{
    place->key = "classes";
    if (recipe->n_classes < 1)
        return sp_fail(err, SP_EINVAL, "key \"classes\": needs at least one name");
    sp_names seen;
    if (sp_names_init(&seen, recipe->n_classes) != SP_OK)
        return sp_no_memory(err);
    sp_status status = SP_OK;
    for (int32_t k = 0; k < recipe->n_classes; k++) {
        const char *name = recipe->classes[k];
        place->row = k;
        if (!name || !*name)
            TRY(sp_fail(err, SP_EINVAL, "key \"classes\": class %d has no name", k));
        if (sp_names_add(&seen, name, k) != k)
            TRY(sp_fail(err, SP_EINVAL, "key \"classes\", class \"%s\": listed twice; names must differ",
                        name));
    }
done:
    sp_names_clear(&seen);
    return status;
}

/* K probabilities that sum to 1. `row` is the class of a matrix's row, or -1. */
static sp_status check_distribution(const sp_recipe *recipe, const char *key, int32_t row, const double *p,
                                    sp_error *err)
{
    double sum = 0;
    const char *name = row < 0 ? "" : recipe->classes[row], *before = row < 0 ? "" : ", row \"",
               *after = row < 0 ? "" : "\"";
    for (int32_t k = 0; k < recipe->n_classes; k++) {
        if (!(p[k] >= 0 && p[k] <= 1))
            return sp_fail(err, SP_EINVAL,
                           "key \"%s\"%s%s%s, class \"%s\": %g is not a probability from 0 to 1", key, before,
                           name, after, recipe->classes[k], p[k]);
        sum += p[k];
    }
    if (fabs(sum - 1) <= 1e-6)
        return SP_OK;
    return sp_fail(err, SP_EINVAL, "key \"%s\"%s%s%s: sums to %.9g, not to 1", key, before, name, after, sum);
}

static sp_status check_matrix(const sp_recipe *recipe, const char *key, const double *p,
                              sp_recipe_place *place, sp_error *err)
{
    sp_status status = SP_OK;
    place->key = key;
    for (int32_t i = 0; i < recipe->n_classes; i++) {
        place->row = i;
        TRY(check_distribution(recipe, key, i, p + (size_t)i * (size_t)recipe->n_classes, err));
    }
done:
    return status;
}

static sp_status check_numbers(const sp_recipe *recipe, sp_recipe_place *place, sp_error *err)
{
    place->row = -1;
    place->key = "seed";
    if (recipe->seed < 1 || recipe->seed > UINT32_MAX)
        return sp_fail(err, SP_EINVAL, "key \"seed\": needs a whole number from 1 to 4294967295");
    place->key = "recordings";
    if (recipe->n_recordings < 1 || recipe->n_recordings > INT32_MAX)
        return sp_fail(err, SP_EINVAL, "key \"recordings\": needs a whole number from 1 to %d", INT32_MAX);
    place->key = "steps";
    if (recipe->min_steps < 1 || recipe->max_steps < recipe->min_steps || recipe->max_steps > 1000000000)
        return sp_fail(err, SP_EINVAL,
                       "key \"steps\": needs the least and the greatest length of a recording, whole numbers "
                       "from 1 to 1000000000, "
                       "as [700, 1100]");
    place->key = "generator";
    if (recipe->is_numpy && !recipe->signals)
        return sp_fail(err, SP_EINVAL,
                       "key \"generator\": numpy's draws are for recipes with \"signals\"; leave it out");
    place->key = "unused";
    if (recipe->n_unused != 0 && !recipe->is_numpy)
        return sp_fail(err, SP_EINVAL,
                       "key \"unused\": only \"generator\": \"numpy\" has unused steps; leave it out");
    place->key = "unscored";
    if (!(recipe->unscored >= 0 && recipe->unscored <= 1))
        return sp_fail(err, SP_EINVAL, "key \"unscored\": %g is not a share from 0 to 1", recipe->unscored);
    place->key = "epoch_seconds";
    if (!(recipe->epoch_seconds >= 0 && isfinite(recipe->epoch_seconds)))
        return sp_fail(err, SP_EINVAL, "key \"epoch_seconds\": %g is not the length of a step in seconds",
                       recipe->epoch_seconds);
    return SP_OK;
}

static sp_status check_classifier(const sp_recipe *recipe, sp_recipe_place *place, sp_error *err)
{
    place->row = -1;
    place->key = "error_run";
    if (!(recipe->error_run >= 1) || isinf(recipe->error_run))
        return sp_fail(err, SP_EINVAL, "key \"error_run\": %g is not a mean number of steps; needs 1 or more",
                       recipe->error_run);
    place->key = "noise";
    if (!(recipe->noise >= 0 && recipe->noise <= 1000))
        return sp_fail(err, SP_EINVAL, "key \"noise\": %g is not a standard deviation from 0 to 1000",
                       recipe->noise);
    place->key = "overconfidence";
    if (!(recipe->overconfidence > 0 && recipe->overconfidence <= 1000))
        return sp_fail(err, SP_EINVAL, "key \"overconfidence\": %g is not a factor above 0, at most 1000",
                       recipe->overconfidence);
    place->key = "floor";
    if (!(recipe->floor > 0 && recipe->floor <= 1.0 / recipe->n_classes))
        return sp_fail(err, SP_EINVAL,
                       "key \"floor\": %g is not a probability above 0, at most 1 / %d classes",
                       recipe->floor, recipe->n_classes);
    return SP_OK;
}

sp_status sp_recipe_check(const sp_recipe *recipe, sp_recipe_place *place, sp_error *err)
{
    sp_recipe_place here = {NULL, -1};
    sp_status status = SP_OK;
    TRY(check_classes(recipe, &here, err));
    TRY(check_numbers(recipe, &here, err));
    here.key = "start";
    TRY(check_distribution(recipe, here.key, -1, recipe->start, err));
    TRY(check_matrix(recipe, "transitions", recipe->transitions, &here, err));
    if (recipe->signals) {
        TRY(check_signals(recipe, &here, err));
    } else {
        TRY(check_classifier(recipe, &here, err));
        TRY(check_matrix(recipe, "confusion", recipe->confusion, &here, err));
    }
done:
    if (status != SP_OK && place)
        *place = here;
    return status;
}
