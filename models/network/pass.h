/* One small batch of steps through the network, forwards and backwards. Private to the module.
 *
 * Activations are [rows, channels], time first: then the patch that a kernel sees is one piece of memory, and patches that lie m
 * strides apart do not overlap when m * stride >= kernel. So a convolution is m plain matrix products on the activations as they
 * are, one for each phase p = 0 .. m-1,
 *
 *     Y[p::m] = X[p stride :: m stride] W        X seen as [rows, kernel * channels] with rows m * stride * channels apart
 *
 * without copying patches out (im2col) or adding them up again (col2im): the gradients are the same views,
 *
 *     dW += X[p::]' dY[p::m]      dX[p::] += dY[p::m] W'
 *
 * The steps of a batch lie one behind the other; each has so many rows that every layer's phases come out even (sp_plan). The
 * rows between the last real one and the next step's first mix two steps. Nothing real is computed from them, and their dY is 0.
 */
#ifndef STATEPATH_NETWORK_PASS_H
#define STATEPATH_NETWORK_PASS_H

#include "blas.h"
#include "network.h"

enum { SP_PASS_STEPS = 4 }; /* steps of one small batch: its activations stay in the second-level cache */

typedef struct sp_plan {
    int32_t n_in[SP_NETWORK_LAYERS];     /* channels of the layer's input */
    int32_t phases[SP_NETWORK_LAYERS];   /* m */
    int64_t rows[SP_NETWORK_LAYERS + 1]; /* of one step: input, then outputs */
    int64_t real[SP_NETWORK_LAYERS + 1]; /* of them the first so many mean something */
    size_t size[SP_NETWORK_LAYERS +
                1]; /* floats of a small batch, with what the last patch reads beyond its end */
} sp_plan;

/* SP_OK, or SP_EINVAL (layers that do not fit). */
sp_status sp_plan_make(const sp_network_shape *shape, sp_plan *plan, sp_error *err);

/* Memory of one small batch. */
typedef struct sp_pass {
    sp_blas blas;
    float *x[SP_NETWORK_LAYERS + 1];  /* activations; x[0] is the scaled signal */
    float *dx[SP_NETWORK_LAYERS + 1]; /* their gradients; dx[0] is NULL */
    float *features;                  /* [steps, F] after dropout */
    double *logits, *d_logits;        /* [steps, K] */
    float *gradient;                  /* [n_parameters] borrowed: where sp_pass_backward() adds to */
} sp_pass;

/* with_gradient: false leaves out what only the way back needs. False on lack of memory, with nothing to clear. */
bool sp_pass_init(sp_pass *pass, const sp_network *network, const sp_plan *plan, bool with_gradient);
void sp_pass_clear(sp_pass *pass);

/* Puts step `row` of signals [n, C, samples] at place `at` of the batch, scaled. */
void sp_pass_load(sp_pass *pass, const sp_network *network, const sp_plan *plan, int32_t at,
                  const float *step);

/* Forwards: pass->logits of n_steps steps. keep [n_steps, F]: factors of dropout, or NULL. */
void sp_pass_forward(sp_pass *pass, const sp_network *network, const sp_plan *plan, int32_t n_steps,
                     const float *keep);

/* Backwards from pass->d_logits, after sp_pass_forward() with the same arguments; adds to pass->gradient. */
void sp_pass_backward(sp_pass *pass, const sp_network *network, const sp_plan *plan, int32_t n_steps,
                      const float *keep);

#endif
