/* Made signals: what a sensor would have measured while the classes of a recipe came true.
 *
 * How it is made. Lengths and classes c_t come from the recipe's Markov chain (simulate.h). At step t, `n_samples` samples at
 * `rate` per second are drawn, time tau from 0 within the step (tau_i = i / rate; with both_ends the samples are spread from 0
 * to samples / rate with both ends, tau_i = i (samples / rate) / (samples - 1), numpy's linspace):
 *
 *     clean[i] = sum over tones j of c_t: gain_t * amplitude_j * sin(2 pi hertz_j tau_i + phase_tj)
 *     x[0][i]  = channel gain_0 * clean[i] + noise_0 * z           z standard normal
 *     x[c][i]  = channel gain_c * x[0][i]  + noise_c * z           c = 1, 2, ...
 *
 * Three numbers make it harder than noise alone does; each is 0 by default:
 *     phase_jitter     phase_tj is uniform within +- phase_jitter * pi, drawn anew at each step for each tone
 *     amplitude_drift  log gain_t is a normal process of that standard deviation that forgets its past over 20 steps
 *                      (g_t = rho g_(t-1) + sqrt(1 - rho^2) drift z, rho = exp(-1/20)), one for each recording
 *     overlap          a step is part another class's: with w uniform in 0 .. overlap and another class d, all equally likely,
 *                      clean = (1 - w) clean_c + w clean_d. Above 0.5 no classifier can be right always
 *
 * Random numbers are GSL's mt19937, one generator each for lengths, classes, hidden labels, tones (gain, phase, overlap) and
 * noise: other signals belong to the same nights, and a change of the noise leaves the tones as they were. The same recipe gives
 * the same labels on every machine and the same signals but for the last bits of sin and exp.
 *
 * With is_numpy all numbers are those of numpy's legacy generator after np.random.seed(seed), in this order, so that an
 * experiment published as a few lines of Python can be had to its digits:
 *     1. n_unused - 1 times choice(K, p): a sequence that begins in the first class and is used for nothing
 *     2. for each recording: the first class by choice(classes with start > 0) where these are equally likely, else by
 *        choice(K, p=start); the others by choice(K, p), p = the row of the class before, divided by its sum; then for each of
 * its steps normal(0, noise_0, samples), normal(0, noise_1, samples), ... Channels 1, 2, ... take x[0] before it is rounded to
 * float32. Such a recipe has recordings of one length, and no unscored steps, jitter, drift or overlap: these would need draws
 * that the order does not have.
 */
#ifndef STATEPATH_SIGNALS_H
#define STATEPATH_SIGNALS_H

#include "statepath/simulate.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sp_tone {
    double amplitude; /* finite */
    double hertz;     /* 0 .. rate / 2 */
} sp_tone;

typedef struct sp_signal_channel {
    double gain;  /* finite */
    double noise; /* standard deviation, >= 0 */
} sp_signal_channel;

/* The part of a recipe that speaks of signals. Arrays are owned by it (malloc). */
typedef struct sp_signal_recipe {
    double rate;                 /* samples per second, > 0 */
    int64_t n_samples;           /* of a step, 1 .. 1e8 */
    int32_t *first_tone;         /* [K+1] the tones of class k are tones[first_tone[k]] .. tones[first_tone[k+1]-1] */
    sp_tone *tones;              /* [first_tone[K]] */
    int32_t n_channels;          /* C >= 1 */
    sp_signal_channel *channels; /* [C] */
    double phase_jitter;         /* 0 .. 1 */
    double amplitude_drift;      /* 0 .. 10 */
    double overlap;              /* 0 .. 1 */
    bool both_ends;              /* the last sample stands at samples / rate, not one sample before it */
    int64_t n_test;              /* so many recordings, the last ones, are kept for testing; 0 .. N */
} sp_signal_recipe;

/* A maker of signals. It holds labels for all steps, and signals for none: they are drawn on demand, in order. */
typedef struct sp_signal_maker sp_signal_maker;

/* SP_OK, SP_EINVAL (sp_recipe_check; a recipe without signals), SP_ENOMEM. The recipe is borrowed until _free. */
sp_status sp_signal_maker_new(const sp_recipe *recipe, sp_signal_maker **out, sp_error *err);
void sp_signal_maker_free(sp_signal_maker *maker);

/* What is made; borrowed. */
typedef struct sp_signal_nights {
    int64_t n_recordings, n_steps;
    const int64_t *offsets; /* [N+1] */
    const int32_t *labels;  /* [S] -1 .. K-1 */
} sp_signal_nights;
sp_signal_nights sp_signal_maker_nights(const sp_signal_maker *maker);

/* The signals of the next `n_steps` steps, from the first one of all on. Together not more than there are.
 *   out  [n_steps, C, samples]
 * O(n_steps C samples); the sines are the larger part. */
void sp_signal_maker_draw(sp_signal_maker *maker, int64_t n_steps, float *out);

#ifdef __cplusplus
}
#endif
#endif
