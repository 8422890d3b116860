#include "learn/signal_recipe.h"

#include <math.h>
#include <stdlib.h>

void sp_signal_recipe_free(sp_signal_recipe *signals)
{
    if (!signals)
        return;
    free(signals->first_tone);
    free(signals->tones);
    free(signals->channels);
    free(signals);
}

static sp_status check_numbers(const sp_recipe *recipe, sp_recipe_place *place, sp_error *err)
{
    const sp_signal_recipe *s = recipe->signals;
    place->row = -1;
    place->key = "rate";
    if (!(s->rate > 0 && s->rate <= 1e9))
        return sp_fail(err, SP_EINVAL, "key \"rate\": %g is not a number of samples per second, above 0", s->rate);
    place->key = "samples";
    if (s->n_samples < 1 || s->n_samples > 100000000)
        return sp_fail(err, SP_EINVAL, "key \"samples\": needs the number of samples of one step, from 1 to 100000000");
    place->key = "phase_jitter";
    if (!(s->phase_jitter >= 0 && s->phase_jitter <= 1))
        return sp_fail(err, SP_EINVAL, "key \"phase_jitter\": %g is not from 0 (every step begins alike) to 1 (any phase)",
                       s->phase_jitter);
    place->key = "amplitude_drift";
    if (!(s->amplitude_drift >= 0 && s->amplitude_drift <= 10))
        return sp_fail(err, SP_EINVAL, "key \"amplitude_drift\": %g is not a standard deviation of log amplitudes from 0 to 10",
                       s->amplitude_drift);
    place->key = "overlap";
    if (!(s->overlap >= 0 && s->overlap <= 1))
        return sp_fail(err, SP_EINVAL, "key \"overlap\": %g is not a share from 0 to 1", s->overlap);
    place->key = "overlap";
    if (s->overlap > 0 && recipe->n_classes < 2)
        return sp_fail(err, SP_EINVAL, "key \"overlap\": there is no other class to overlap with; leave it out");
    place->key = "test";
    if (s->n_test < 0 || s->n_test > recipe->n_recordings)
        return sp_fail(err, SP_EINVAL, "key \"test\": needs a number of recordings from 0 to %lld, as many as there are",
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
                return sp_fail(err, SP_EINVAL, "key \"tones\", class \"%s\": amplitude %g is beyond 1e6", recipe->classes[k],
                               tone->amplitude);
            if (!(tone->hertz >= 0 && tone->hertz <= s->rate / 2))
                return sp_fail(
                    err, SP_EINVAL,
                    "key \"tones\", class \"%s\": %g Hz is not from 0 to %g, half the sampling rate; faster tones would "
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
            return sp_fail(err, SP_EINVAL, "key \"channels\", channel %d: gain %g is beyond 1e6", c, s->channels[c].gain);
        if (!(s->channels[c].noise >= 0 && s->channels[c].noise <= 1e6))
            return sp_fail(err, SP_EINVAL, "key \"channels\", channel %d: noise %g is not a standard deviation from 0 to 1e6", c,
                           s->channels[c].noise);
    }
    return SP_OK;
}

sp_status sp_signal_recipe_check(const sp_recipe *recipe, sp_recipe_place *place, sp_error *err)
{
    sp_status status = check_numbers(recipe, place, err);
    if (status == SP_OK)
        status = check_tones(recipe, place, err);
    if (status == SP_OK)
        status = check_channels(recipe->signals, place, err);
    return status;
}
