/* Signals of the classes of a recipe. The process is described in simulate.h. */
#include "statepath/simulate.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>

#include "core/try.h"
#include "learn/label_sequences.h"
#include "learn/learn.h"
#include "learn/numpy_draws.h"

enum { DRIFT_STEPS = 20 };

struct sp_signal_maker {
    const sp_recipe *recipe;
    sp_label_sequences drawn;
    gsl_rng *tones, *noise;
    sp_numpy_draws numpy;    /* instead of these where the recipe asks for it */
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
    sp_numpy_draws_clear(&maker->numpy);
    free(maker->clean);
    free(maker);
}

/* ---- numpy's order of draws ---- */

/* The sequence that is used for nothing. */
static void skip_unused(sp_signal_maker *maker)
{
    const sp_recipe *r = maker->recipe;
    int32_t class = 0;
    for (int64_t t = 1; t < r->n_unused; t++)
        class = sp_numpy_choice_of(&maker->numpy, r->n_classes,
                                   r->transitions + (size_t) class * (size_t)r->n_classes);
}

/* The first class of a recording: one of those that may start, or by their probabilities where these differ. */
static int32_t draw_start(sp_signal_maker *maker)
{
    const sp_recipe *r = maker->recipe;
    int32_t n = 0, first = 0;
    bool is_equal = true;
    for (int32_t k = 0; k < r->n_classes; k++) {
        first = n == 0 ? k : first;
        is_equal = is_equal && (r->start[k] == 0 || r->start[k] == r->start[first]);
        n += r->start[k] > 0;
    }
    if (!is_equal)
        return sp_numpy_choice_of(&maker->numpy, r->n_classes, r->start);
    int32_t place = sp_numpy_choice(&maker->numpy, n), k = first;
    while (place > 0)
        place -= r->start[++k] > 0;
    return k;
}

/* The classes of the next recording. */
static void draw_recording(sp_signal_maker *maker, int32_t *classes)
{
    const sp_recipe *r = maker->recipe;
    classes[0] = draw_start(maker);
    for (int64_t t = 1; t < r->min_steps; t++)
        classes[t] = sp_numpy_choice_of(&maker->numpy, r->n_classes,
                                        r->transitions + (size_t)classes[t - 1] * (size_t)r->n_classes);
}

/* All classes. The noise of a recording is drawn between its classes and those of the next one, so it is drawn twice: here, to be
 * thrown away, and when the signals are asked for. */
static bool draw_nights(sp_signal_maker *maker)
{
    const sp_recipe *r = maker->recipe;
    sp_label_sequences *drawn = &maker->drawn;
    int64_t n_noise = r->min_steps * r->signals->n_channels * r->signals->n_samples;
    drawn->n_recordings = r->n_recordings;
    drawn->n_steps = r->n_recordings * r->min_steps;
    drawn->offsets = malloc(((size_t)r->n_recordings + 1) * sizeof *drawn->offsets);
    drawn->classes = malloc((size_t)drawn->n_steps * sizeof *drawn->classes);
    drawn->labels = malloc((size_t)drawn->n_steps * sizeof *drawn->labels);
    if (!drawn->offsets || !drawn->classes || !drawn->labels ||
        !sp_numpy_draws_init(&maker->numpy, (uint32_t)r->seed))
        return false;
    skip_unused(maker);
    for (int64_t n = 0; n < r->n_recordings; n++) {
        drawn->offsets[n] = n * r->min_steps;
        draw_recording(maker, drawn->classes + drawn->offsets[n]);
        for (int64_t i = 0; i < n_noise && n + 1 < r->n_recordings; i++)
            sp_numpy_normal(&maker->numpy);
    }
    drawn->offsets[r->n_recordings] = drawn->n_steps;
    for (int64_t t = 0; t < drawn->n_steps; t++)
        drawn->labels[t] = drawn->classes[t];
    sp_numpy_draws_seed(&maker->numpy, (uint32_t)r->seed);
    skip_unused(maker);
    return true;
}

/* ---- making ---- */

static bool prepare(sp_signal_maker *maker)
{
    const sp_recipe *r = maker->recipe;
    if (!(maker->clean = malloc((size_t)r->signals->n_samples * sizeof *maker->clean)))
        return false;
    if (r->is_numpy)
        return draw_nights(maker);
    return sp_label_sequences_draw(r, &maker->drawn) && (maker->tones = sp_draw_new(r, SP_DRAW_TONES)) &&
           (maker->noise = sp_draw_new(r, SP_DRAW_NOISE));
}

sp_status sp_signal_maker_new(const sp_recipe *recipe, sp_signal_maker **out, sp_error *err)
{
    sp_signal_maker *maker = NULL;
    sp_status status = SP_OK;
    TRY(sp_recipe_check(recipe, NULL, err));
    if (!recipe->signals)
        TRY(sp_fail(err, SP_EINVAL, "the recipe%s%s has no \"signals\"; it is one of scores",
                    recipe->name ? " " : "", recipe->name ? recipe->name : ""));
    if (!(maker = calloc(1, sizeof *maker)))
        TRY(sp_no_memory(err));
    maker->recipe = recipe;
    if (!prepare(maker))
        TRY(sp_no_memory(err));
    *out = maker;
    maker = NULL;
done:
    sp_signal_maker_free(maker);
    return status;
}

sp_signal_nights sp_signal_maker_nights(const sp_signal_maker *maker)
{
    const sp_label_sequences *n = &maker->drawn;
    return (sp_signal_nights){n->n_recordings, n->n_steps, n->offsets, n->labels};
}

/* ---- signals ---- */

/* Seconds between two samples. */
static double spacing(const sp_signal_recipe *s)
{
    return s->both_ends && s->n_samples > 1 ? (double)s->n_samples / s->rate / (double)(s->n_samples - 1)
                                            : 1 / s->rate;
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
        double angle = 2 * M_PI * s->tones[j].hertz * spacing(s), amplitude = weight * s->tones[j].amplitude;
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
    maker->log_gain = is_first ? s->amplitude_drift * z
                               : rho * maker->log_gain + sqrt(1 - rho * rho) * s->amplitude_drift * z;
    double w = s->overlap * gsl_rng_uniform(maker->tones), u = gsl_rng_uniform(maker->tones),
           gain = exp(maker->log_gain);
    for (int64_t i = 0; i < s->n_samples; i++)
        maker->clean[i] = 0;
    add_tones(maker, c, gain * (1 - w));
    if (w > 0) {
        int32_t n_others = maker->recipe->n_classes - 1, other = (int32_t)(u * n_others);
        add_tones(maker, other < c ? other : other + 1, gain * w);
    }
}

/* One step of class c by numpy's draws. Each operation is numpy's, in its order, so that results differ in nothing but the last
 * bit of a sine or logarithm. */
static void draw_by_numpy(sp_signal_maker *maker, int32_t c, float *out)
{
    const sp_signal_recipe *s = maker->recipe->signals;
    size_t n = (size_t)s->n_samples;
    double apart = spacing(s);
    for (size_t i = 0; i < n; i++) {
        bool is_end = s->both_ends && n > 1 && i == n - 1;
        double tau = is_end ? (double)s->n_samples / s->rate : (double)i * apart, x = 0;
        for (int32_t j = s->first_tone[c]; j < s->first_tone[c + 1]; j++)
            x += s->tones[j].amplitude * sin(2 * M_PI * s->tones[j].hertz * tau);
        maker->clean[i] = s->channels[0].gain * x + s->channels[0].noise * sp_numpy_normal(&maker->numpy);
        out[i] = (float)maker->clean[i];
    }
    for (int32_t channel = 1; channel < s->n_channels; channel++)
        for (size_t i = 0; i < n; i++)
            out[(size_t)channel * n + i] =
                (float)(s->channels[channel].gain * maker->clean[i] +
                        s->channels[channel].noise * sp_numpy_normal(&maker->numpy));
}

static void draw_steps_by_numpy(sp_signal_maker *maker, int64_t n_steps, float *out)
{
    const sp_signal_recipe *s = maker->recipe->signals;
    for (int64_t t = 0; t < n_steps; t++, maker->step++) {
        if (maker->step == maker->drawn.offsets[maker->recording])
            draw_recording(maker, maker->drawn.classes +
                                      maker->drawn.offsets[maker->recording++]); /* the same ones again */
        draw_by_numpy(maker, maker->drawn.classes[maker->step],
                      out + (size_t)(t * s->n_channels * s->n_samples));
    }
}

void sp_signal_maker_draw(sp_signal_maker *maker, int64_t n_steps, float *out)
{
    const sp_signal_recipe *s = maker->recipe->signals;
    size_t n = (size_t)s->n_samples;
    if (maker->recipe->is_numpy) {
        draw_steps_by_numpy(maker, n_steps, out);
        return;
    }
    for (int64_t t = 0; t < n_steps; t++, maker->step++) {
        bool is_first = maker->step == maker->drawn.offsets[maker->recording];
        draw_clean(maker, maker->drawn.classes[maker->step], is_first);
        maker->recording += is_first; /* recordings hold at least one step */
        for (int32_t c = 0; c < s->n_channels; c++) {
            float *x = out + ((size_t)t * (size_t)s->n_channels + (size_t)c) * n;
            const float *first = out + (size_t)t * (size_t)s->n_channels * n;
            for (size_t i = 0; i < n; i++) {
                double base = c == 0 ? maker->clean[i] : (double)first[i];
                x[i] = (float)(s->channels[c].gain * base +
                               s->channels[c].noise * gsl_ran_gaussian_ziggurat(maker->noise, 1));
            }
        }
    }
}
