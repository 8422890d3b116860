/* The reference classifier: a small convolutional network that turns the signals of one step into log probabilities of classes.
 *
 *     x [C, samples], each channel minus its mean and divided by its deviation over the training set
 *     3 times   y[t,n] = max(0, b[n] + sum_{i,c} x[t stride + i, c] w[i,c,n])        kernel and stride of the layer, no padding
 *     h[n]    = mean over t of y[t,n];   in training dropout: h[n] = 0 with probability p, else h[n] / (1 - p)
 *     log p   = log-softmax(b + h W)
 *
 * For signals of 200 samples or more the layers are 32 of (50, 6), 64 of (8, 2) and 128 of (4, 2), as (kernel, stride).
 *
 * It exists to make scores for the rest of the project, and to show what training with masks does. The core library does not
 * need it. Its matrix products are those of CBLAS; sums are taken in an order that does not depend on the number of threads, so
 * the same seed gives the same weights for any of them (with the same BLAS library on the same kind of processor).
 */
#ifndef STATEPATH_NETWORK_H
#define STATEPATH_NETWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "statepath/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SP_NETWORK_LAYERS = 3 };

typedef struct sp_network_layer {
    int32_t kernel, stride, n_out;
} sp_network_layer;

typedef struct sp_network_shape {
    int32_t n_channels, n_classes;
    int64_t n_samples;
    sp_network_layer layers[SP_NETWORK_LAYERS];
    double dropout; /* 0 .. below 1 */
} sp_network_shape;

/* The shape above; for shorter signals with kernels and strides that fit. n_samples >= 1. */
sp_network_shape sp_network_shape_default(int32_t n_channels, int64_t n_samples, int32_t n_classes);

/* A network: its shape and its numbers. Open struct; owns what it points to. */
typedef struct sp_network {
    sp_network_shape shape;
    size_t n_parameters;
    float *
        parameters; /* layer by layer weights [kernel, channels in, n_out] and bias [n_out]; then W [features, K], b [K] */
    float *mean, *scale; /* [C] of the training signals; x is (x - mean) * scale */
    char **classes;      /* [K] or NULL */
} sp_network;

/* Weights uniform in +-1/sqrt(inputs of the unit), mean 0, scale 1. SP_OK; SP_EINVAL (a shape whose layers do not fit its
 * samples); SP_ENOMEM. */
sp_status sp_network_new(const sp_network_shape *shape, uint32_t seed, sp_network **out, sp_error *err);
void sp_network_free(sp_network *network);
/* Copies the names, [K]; NULL: none. SP_OK, SP_ENOMEM. */
sp_status sp_network_set_classes(sp_network *network, const char *const *classes, sp_error *err);

/* Where the parameters of a layer stand; layer SP_NETWORK_LAYERS is the last, linear one. */
size_t sp_network_weight_at(const sp_network_shape *shape, int layer);
size_t sp_network_bias_at(const sp_network_shape *shape, int layer);

/* Sets mean and scale from signals [n, C, samples]. A channel that never changes gets scale 1. */
void sp_network_fit_scale(sp_network *network, int64_t n, const float *signals);

/* Log probabilities of n steps.
 *   signals  [n, C, samples] finite
 *   out      [n, K] nats
 *   threads  0: as many as there are processors
 * SP_OK; SP_EDATA with err->step = the row, where weights or signals are so large that the answer is no number (out is undefined
 * then); SP_ENOMEM.
 * Cost: about 20 million multiplications a step for two channels of 3,000 samples. */
sp_status sp_network_predict(const sp_network *network, int64_t n, const float *signals, int threads,
                             float *out, sp_error *err);

#ifdef __cplusplus
}
#endif
#endif
