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

#ifdef __cplusplus
}
#endif
#endif
