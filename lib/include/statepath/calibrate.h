/* Calibration: how far the scores can be taken for probabilities, and what one temperature, or a scale and a bias for each class,
 * make of them, by maximum likelihood of the labels. Steps are taken one by one; rules and neighbours play no part.
 *
 *     as they are      p_k ~ exp(e_k)
 *     temperature      p_k ~ exp(e_k / T)
 *     vector scaling   p_k ~ exp(scale_k e_k + bias_k)
 *
 * Source  Guo, Pleiss, Sun, Weinberger 2017, "On calibration of modern neural networks", section 4.2; ECE with 15 bins of equal
 * width of the greatest probability.
 */
#ifndef STATEPATH_CALIBRATE_H
#define STATEPATH_CALIBRATE_H

#include "statepath/training.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SP_CALIBRATE_BINS = 15 };

/* How good probabilities are. Rows are normalised before. */
typedef struct sp_calibrated_state {
    double nll; /* mean of -log p(label), nats; labels of probability 0 are counted in `impossible` and left out */
    double ece; /* sum over bins of share * |accuracy - mean confidence| */
    int64_t count[SP_CALIBRATE_BINS];
    double accuracy[SP_CALIBRATE_BINS], confidence[SP_CALIBRATE_BINS]; /* means in the bin; 0 where it is empty */
} sp_calibrated_state;

typedef struct sp_calibrated {
    int64_t n_steps, impossible; /* labelled steps; of them with a label of score -INFINITY */
    sp_calibrated_state before, by_temperature, by_vector;
    double temperature;
    double *scale, *bias; /* [K] of the vector scaling; biases sum to 0 */
} sp_calibrated;

/* SP_OK (clear afterwards); SP_EINVAL (no scores, no labels, no labelled step of finite score); SP_ENOMEM. A weak penalty
 * (1e-3 / 2 times the squared distance from scale 1, bias 0) keeps classes never seen finite. O(steps K) per evaluation. */
sp_status sp_calibrate(const sp_training *training, sp_calibrated *out, sp_error *err);
void sp_calibrated_clear(sp_calibrated *calibration);

/* The rows of prepared scores as calibration makes them, not normalised: out [T,K]. by_vector: a scale and a bias for each class,
 * e_k being taken less the row's maximum as in the fit; else one temperature. -INFINITY stays. O(T K). */
void sp_calibrate_rows(const sp_calibrated *calibration, bool by_vector, const sp_scores *scores, double *out);

/* Temperature and prior taken in or out: e / temperature - prior_weight log_prior, or with `undo` what gives `scores` that way.
 * Rows of zeros say nothing and stay. log_prior [K], NULL: 0. */
typedef struct sp_scores_scaling {
    double temperature, prior_weight;
    const double *log_prior;
    bool undo;
} sp_scores_scaling;
void sp_scale_rows(const sp_scores *scores, const sp_scores_scaling *scaling, double *out);

#ifdef __cplusplus
}
#endif
#endif
