/* Made data: label sequences by a Markov chain, and the scores of a classifier that errs, from a recipe with a seed. (Signals
 * instead of scores: below.)
 *
 * How it is made. For each recording a length, then classes c_t by the chain. The classifier does not see c_t but d_t: mostly
 * c_t itself, with probability confusion[c,d] another class, and once wrong it goes on seeing the same wrong class for error_run
 * steps on average, or until it comes true. What it says is what Bayes' rule makes of seeing d, blurred:
 *     logit[t,k] = overconfidence * (log max(P(c = k | d_t), floor) + noise * z[t,k]),   z standard normal
 *     P(c = k | d) = frequency[k] confusion[k,d] / sum over k,   frequency: of the classes simulated
 *     log_probs[t,] = log-softmax of logit[t,]
 * so that without noise and with overconfidence 1 its probabilities are right on average. Last, a share of labels is hidden (-1).
 *
 * Random numbers are GSL's mt19937, one generator each for lengths, classes, classifier and hidden labels: another classifier
 * sees the same nights, and more recordings leave the first ones as they were but for `frequency`. The same recipe gives the
 * same labels on every machine, and the same scores to within one rounding of the machine's exp and log.
 * (Recipes of signals may ask for numpy's legacy generator instead, see below.)
 *
 *     sp_recipe_load("night.json", &recipe, &err);     model_json.h
 *     sp_simulate(recipe, &simulated, &err);
 *     sp_simulated_free(simulated);
 *     sp_recipe_free(recipe);
 */
#ifndef STATEPATH_SIMULATE_H
#define STATEPATH_SIMULATE_H

#include <stdbool.h>
#include <stdint.h>

#include "statepath/status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sp_signal_recipe; /* below */

/* A recipe. Arrays are owned by it (malloc). Sums are checked to within 1e-6. */
typedef struct sp_recipe {
    char *name, *description; /* or NULL */
    char *model;  /* or NULL: the model whose rules the transitions keep to; what it forbids is 0 in them */
    int64_t seed; /* 1 .. 4294967295 */
    int32_t n_classes;            /* K >= 1 */
    char **classes;               /* [K] distinct, not empty */
    double *start;                /* [K] probabilities, sum 1 */
    double *transitions;          /* [K,K] probabilities, rows = from, each sums to 1 */
    int64_t n_recordings;         /* N >= 1 */
    int64_t min_steps, max_steps; /* length of a recording: uniform between both, 1 .. 1e9 */
    double epoch_seconds;         /* length of a step, which the file then says; 0: it does not */
    double unscored;              /* share of steps whose label is -1, 0 .. 1 */
    bool is_numpy;    /* draws by numpy's legacy generator, in the order below; only with signals */
    int64_t n_unused; /* with is_numpy: steps drawn first and used for nothing, 0 .. 1e9 */
    struct sp_signal_recipe
        *signals;          /* or NULL: it is a recipe of scores. With signals, what follows is not used */
    double *confusion;     /* [K,K] share of steps of class c that are seen as class d; rows sum to 1 */
    double error_run;      /* mean length of a run of errors in a long stay, >= 1 */
    double noise;          /* standard deviation, nats, >= 0 */
    double overconfidence; /* 1 = calibrated but for the noise; > 1 too sharp; > 0 */
    double floor;          /* least probability before the noise, above 0, at most 1/K */
} sp_recipe;

void sp_recipe_free(sp_recipe *recipe);

/* One simulated file's worth. Owned; sp_simulated_free. */
typedef struct sp_simulated {
    int64_t n_recordings, n_steps;
    int32_t n_classes;
    int64_t *offsets; /* [N+1] */
    int32_t *labels;  /* [S] -1 .. K-1 */
    float *log_probs; /* [S,K] nats; each row is a log-softmax computed in double */
} sp_simulated;

/* SP_OK, SP_EINVAL (no recipe as above; one of signals), SP_ENOMEM. O(S K). */
sp_status sp_simulate(const sp_recipe *recipe, sp_simulated **out, sp_error *err);
void sp_simulated_free(sp_simulated *simulated);

/* ---- signals ----
 *
 * Made signals: what a sensor would have measured while the classes of a recipe came true.
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
 *        choice(K, p=start); the others by choice(K, p), p = the row of the class before, divided by its sum; then for each
 *        of its steps normal(0, noise_0, samples), normal(0, noise_1, samples), ...
 * Channels 1, 2, ... take x[0] before it is rounded to float32. Such a recipe has recordings of one length, and no unscored
 * steps, jitter, drift or overlap: these would need draws that the order does not have.
 */

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
    double rate;         /* samples per second, > 0 */
    int64_t n_samples;   /* of a step, 1 .. 1e8 */
    int32_t *first_tone; /* [K+1] the tones of class k are tones[first_tone[k]] .. tones[first_tone[k+1]-1] */
    sp_tone *tones;      /* [first_tone[K]] */
    int32_t n_channels;  /* C >= 1 */
    sp_signal_channel *channels; /* [C] */
    double phase_jitter;         /* 0 .. 1 */
    double amplitude_drift;      /* 0 .. 10 */
    double overlap;              /* 0 .. 1 */
    bool both_ends;              /* the last sample stands at samples / rate, not one sample before it */
    int64_t n_test;              /* so many recordings, the last ones, are kept for testing; 0 .. N */
} sp_signal_recipe;

/* A maker of signals. It holds labels for all steps, and signals for none: they are drawn on demand, in order. */
typedef struct sp_signal_maker sp_signal_maker;

/* SP_OK, SP_EINVAL (no recipe as above; one without signals), SP_ENOMEM. The recipe is borrowed until _free. */
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

/* ---- policies ----
 *
 * Made data in the shape of a policy: positions with thousands of moves, of which the rules allow a few, and the logits of a
 * network that has nearly learnt the rules. For the leak of a mask (mask.h). Nothing in it was played by anyone.
 *
 * How it is made. At each position t
 *     n_t legal moves    usual_legal * exp(legal_spread * z), rounded, no less than min_legal, no more than max_legal and n_moves
 *     which              n_t distinct moves, all sets equally likely
 *     logit[t,k]         sharpness * z of each move, then a constant is added to those of the forbidden moves, so that
 *     leak_t             their probability, leak_t / (1 - leak_t) = leak / (1 - leak) * exp(leak_spread * z)
 * z standard normal. So half of the positions leak less than `leak`, and leak_spread says how far the worst ones are from that.
 * Random numbers are GSL's mt19937, one generator for each of the four. A position where everything is legal leaks nothing.
 */

/* A recipe. model_json.h reads it. */
typedef struct sp_policy_recipe {
    char *name, *description;       /* or NULL; owned */
    int64_t seed;                   /* 1 .. 4294967295 */
    int64_t n_moves, n_positions;   /* K 2 .. 1e6, S 1 .. 1e9; K S at most 2^28 */
    int64_t min_legal, max_legal;   /* 1 <= min <= max <= K */
    double usual_legal;             /* median before it is cut, 1 .. K */
    double legal_spread, sharpness; /* 0 .. 100 */
    double leak;                    /* between 0 and 1 */
    double leak_spread;             /* 0 .. 100 */
} sp_policy_recipe;

void sp_policy_recipe_free(sp_policy_recipe *recipe);

/* SP_OK; SP_EINVAL: names the key in *key (static; may be NULL) and what it must be. */
sp_status sp_policy_recipe_check(const sp_policy_recipe *recipe, const char **key, sp_error *err);

typedef struct sp_policy {
    int64_t n_moves, n_positions;
    float *logits; /* [S,K] */
    uint8_t *mask; /* [S,K] 1 = legal */
} sp_policy;

/* SP_OK, SP_EINVAL (the check), SP_ENOMEM. O(S K). */
sp_status sp_policy_simulate(const sp_policy_recipe *recipe, sp_policy **out, sp_error *err);
void sp_policy_free(sp_policy *policy);

#ifdef __cplusplus
}
#endif
#endif
