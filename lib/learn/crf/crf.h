/* Linear-chain conditional random field over given scores: transition weights, biases and one scale that make the labels most
 * likely, given the scores and the rules.
 *
 *     p(y | e) = exp(score(y)) / Z,   score(y) = sum_t (scale e[t,y_t] + bias[y_t]) + start[y_0] + sum_t>0 w[y_(t-1),y_t] +
 * end[y_(T-1)]
 *
 * over the paths that the rules allow. The penalised negative log-likelihood
 *
 *     F = sum over stretches of (log Z - score(labels)) + penalty / 2 sum_i (theta_i - centre_i)^2
 *
 * is convex in (scale, bias, w, start, end) and, with a penalty above 0, has one minimum. With `memory` D > 1 the weight of
 * staying may depend on how long the class has lasted, up to D steps, in bins that widen: 1, 2, 3, 4, 5-6, 7-8, 9-12, 13-16,
 * 17-24, ... Recordings are cut at steps that are not labelled, whose label is impossible by its score, or where labels break the
 * rules (training.h); the stretches are learnt from. Minimum dwell in the rules is obeyed exactly. Source  Lafferty, McCallum,
 * Pereira 2001; Sutton and McCallum 2012, doi:10.1561/2200000013.
 * Where labels do not say the states, what is minimised is that of hidden/hidden_field.h.
 * Not installed.
 */
#ifndef STATEPATH_LEARN_CRF_H
#define STATEPATH_LEARN_CRF_H

#include "learn/training.h"
#include "statepath/decode.h"

/* The problem: labelled stretches, rules and parameters' places. Opaque. */
typedef struct sp_crf sp_crf;

/* Prepares. Copies the scores as float64, each row minus its maximum (which changes no path and no optimum).
 *   training  needs scores and labels; borrowed until sp_crf_free()
 *   rules     copied; the models that it names are borrowed as long
 *   memory    D >= 1
 * SP_OK; SP_EINVAL (no scores, no labelled step that can be learnt from, memory < 1); SP_ENOMEM.
 * Memory  S K doubles. */
sp_status sp_crf_new(const sp_training *training, const sp_rules *rules, int32_t memory, sp_crf **out,
                     sp_error *err);
void sp_crf_free(sp_crf *crf);

/* Parameters: theta[0] = scale, then bias [K], staying and its bins (classes that may stay), allowed changes, allowed starts,
 * allowed ends. */
int64_t sp_crf_n_parameters(const sp_crf *crf);
int64_t sp_crf_n_steps(const sp_crf *crf); /* labelled steps learnt from */
const sp_violations *sp_crf_violations(const sp_crf *crf);

/* Which recordings' stretches count, from now on. use [N] or NULL: all that take part in the training set. Borrowed. */
void sp_crf_use(sp_crf *crf, const uint8_t *use);

/* F (penalty NULL: without it) and its gradient (NULL: not wanted).
 *   theta, gradient  [n]
 * The same bytes for every number of threads. SP_OK; SP_EINVAL (scale not above 0); SP_ENOMEM. Cost O(steps (K^2 + K D)). */
typedef struct sp_crf_penalty {
    double weight;        /* 0: none */
    const double *centre; /* [n] what weights are drawn to; NULL: scale 1, all else 0 */
    bool fixes_scale;     /* sp_crf_minimise() leaves the scale as it is */
} sp_crf_penalty;
sp_status sp_crf_objective(const sp_crf *crf, const double *theta, const sp_crf_penalty *penalty,
                           sp_workers *workers, double *value, double *gradient, sp_error *err);

/* The counts of the labels as parameters: scale; bias = - prior * log class frequency; w = transitions * log smoothed
 * probability; start = log smoothed probability. A centre to be drawn to, and a start.
 *   smoothing  above 0
 *   weights    NULL: all 1
 * SP_OK, SP_ENOMEM. */
typedef struct sp_crf_weights {
    double scale, transitions, prior;
} sp_crf_weights;
sp_status sp_crf_from_counts(const sp_crf *crf, double smoothing, const sp_crf_weights *weights,
                             sp_workers *workers, double *theta, sp_error *err);

typedef struct sp_minimised {
    double value;
    int iterations, evaluations;
    bool is_converged; /* to the precision asked for; false: stopped by the limit of iterations */
} sp_minimised;

/* Minimises F from theta (in: the start, out: the minimum), by L-BFGS.
 * Where states are hidden sp_crf_from_counts() has been called for the same recordings.
 *   penalty    weight > 0
 *   precision  stops when ten iterations made F smaller by less than this share of it, or the gradient is that small; 1e-5 to
 *              choose among penalties, 1e-8 for a model, 1e-13 for a test
 * SP_OK, SP_EINVAL, SP_ENOMEM. */
sp_status sp_crf_minimise(const sp_crf *crf, double *theta, const sp_crf_penalty *penalty, double precision,
                          sp_workers *workers, sp_minimised *result, sp_error *err);

/* The model that decodes like these parameters: biases are added to the weights of everything that enters or stays in their class
 * and to start; the scale becomes the decoding temperature 1 / scale. With memory 1 one state per class; else D states per class,
 * "Wake.1", "Wake.2", ...
 * At the first step after a gap no weight applies, so a bias does not either.
 * SP_OK, SP_EINVAL (scale not above 0), SP_ENOMEM. */
sp_status sp_crf_to_model(const sp_crf *crf, const double *theta, const char *name, sp_model **out,
                          sp_error *err);

#endif
