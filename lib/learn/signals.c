/* Signals of the classes of a recipe. The process is described in simulate.h. */
#include "statepath/simulate.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>

#include "learn/label_sequences.h"
#include "learn/learn.h"

enum { DRIFT_STEPS = 20 };

struct sp_signal_maker {
    const sp_recipe *recipe;
    sp_label_sequences drawn;
    gsl_rng *tones, *noise;
    int64_t step, recording; /* the next one to be drawn, and the recording it belongs to */
    double log_gain;         /* of the step before, where there is one in the recording */
    double *clean;           /* [samples] */
};

void sp_signal_maker_free(sp_signal_maker *maker)
{
    if (!maker)
        return;
    sp_label_sequences_clear(&maker->drawn);
    if (maker->tones)
        gsl_rng_free(maker->tones);
    if (maker->noise)
        gsl_rng_free(maker->noise);
    free(maker->clean);
    free(maker);
}

sp_status sp_signal_maker_new(const sp_recipe *recipe, sp_signal_maker **out, sp_error *err)
{
    sp_status status = sp_recipe_check(recipe, NULL, err);
    if (status != SP_OK)
        return status;
    if (!recipe->signals)
        return sp_fail(err, SP_EINVAL, "the recipe%s%s has no \"signals\"; it is one of scores", recipe->name ? " " : "",
                       recipe->name ? recipe->name : "");
    sp_signal_maker *maker = calloc(1, sizeof *maker);
    if (maker && sp_label_sequences_draw(recipe, &maker->drawn) &&
        (maker->clean = malloc((size_t)recipe->signals->n_samples * sizeof *maker->clean)) &&
        (maker->tones = sp_draw_new(recipe, SP_DRAW_TONES)) && (maker->noise = sp_draw_new(recipe, SP_DRAW_NOISE))) {
        maker->recipe = recipe;
        *out = maker;
        return SP_OK;
    }
    sp_signal_maker_free(maker);
    return sp_no_memory(err);
}

sp_signal_nights sp_signal_maker_nights(const sp_signal_maker *maker)
{
    const sp_label_sequences *n = &maker->drawn;
    return (sp_signal_nights){n->n_recordings, n->n_steps, n->offsets, n->labels};
}

/* clean += weight * the tones of class k, each with a phase of its own.
 *
 * sin(a i + phase) by the rotation (s, c) -> (s cos a + c sin a, c cos a - s sin a), set right every 64 samples: the error stays
 * below 1e-13, and a sine is computed 64 times less often. */
static void add_tones(sp_signal_maker *maker, int32_t k, double weight)
{
    const sp_signal_recipe *s = maker->recipe->signals;
    for (int32_t j = s->first_tone[k]; j < s->first_tone[k + 1]; j++) {
        double u = gsl_rng_uniform(maker->tones), phase = s->phase_jitter * M_PI * (2 * u - 1);
        double angle = 2 * M_PI * s->tones[j].hertz / s->rate, amplitude = weight * s->tones[j].amplitude;
        double turn_sin = sin(angle), turn_cos = cos(angle), now_sin = 0, now_cos = 0;
        for (int64_t i = 0; i < s->n_samples; i++) {
            if (i % 64 == 0) {
                now_sin = sin(angle * (double)i + phase);
                now_cos = cos(angle * (double)i + phase);
            }
            maker->clean[i] += amplitude * now_sin;
            double next = now_sin * turn_cos + now_cos * turn_sin;
            now_cos = now_cos * turn_cos - now_sin * turn_sin;
            now_sin = next;
        }
    }
}

/* The tones of a step of class c, and of what else it is part of. */
static void draw_clean(sp_signal_maker *maker, int32_t c, bool is_first)
{
    const sp_signal_recipe *s = maker->recipe->signals;
    double z = gsl_ran_gaussian_ziggurat(maker->tones, 1), rho = exp(-1.0 / DRIFT_STEPS);
    maker->log_gain = is_first ? s->amplitude_drift * z : rho * maker->log_gain + sqrt(1 - rho * rho) * s->amplitude_drift * z;
    double w = s->overlap * gsl_rng_uniform(maker->tones), u = gsl_rng_uniform(maker->tones), gain = exp(maker->log_gain);
    for (int64_t i = 0; i < s->n_samples; i++)
        maker->clean[i] = 0;
    add_tones(maker, c, gain * (1 - w));
    if (w > 0) {
        int32_t n_others = maker->recipe->n_classes - 1, other = (int32_t)(u * n_others);
        add_tones(maker, other < c ? other : other + 1, gain * w);
    }
}

void sp_signal_maker_draw(sp_signal_maker *maker, int64_t n_steps, float *out)
{
    const sp_signal_recipe *s = maker->recipe->signals;
    size_t n = (size_t)s->n_samples;
    for (int64_t t = 0; t < n_steps; t++, maker->step++) {
        bool is_first = maker->step == maker->drawn.offsets[maker->recording];
        draw_clean(maker, maker->drawn.classes[maker->step], is_first);
        maker->recording += is_first; /* recordings hold at least one step */
        for (int32_t c = 0; c < s->n_channels; c++) {
            float *x = out + ((size_t)t * (size_t)s->n_channels + (size_t)c) * n;
            const float *first = out + (size_t)t * (size_t)s->n_channels * n;
            for (size_t i = 0; i < n; i++) {
                double base = c == 0 ? maker->clean[i] : (double)first[i];
                x[i] = (float)(s->channels[c].gain * base + s->channels[c].noise * gsl_ran_gaussian_ziggurat(maker->noise, 1));
            }
        }
    }
}
