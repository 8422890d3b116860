#include "pass.h"

#include <stdlib.h>
#include <string.h>

/* ---- plan ---- */

static int64_t common_multiple(int64_t a, int64_t b)
{
    int64_t x = a, y = b;
    while (y) {
        int64_t rest = x % y;
        x = y;
        y = rest;
    }
    return a / x * b;
}

sp_status sp_plan_make(const sp_network_shape *shape, sp_plan *plan, sp_error *err)
{
    sp_plan p = {.real = {shape->n_samples}};
    int64_t even = 1, strides = 1;
    if (shape->n_channels < 1 || shape->n_classes < 1 || shape->n_samples < 1 ||
        shape->n_samples > 100000000 || !(shape->dropout >= 0 && shape->dropout < 1))
        return sp_fail(err, SP_EINVAL,
                       "a network needs channels, samples and classes, and a dropout from 0 to below 1");
    for (int i = 0; i < SP_NETWORK_LAYERS; i++) {
        const sp_network_layer *layer = &shape->layers[i];
        if (layer->kernel < 1 || layer->stride < 1 || layer->n_out < 1 || layer->kernel > p.real[i])
            return sp_fail(err, SP_EINVAL,
                           "layer %d of the network, kernel %d and stride %d, does not fit its %lld inputs",
                           i, layer->kernel, layer->stride, (long long)p.real[i]);
        p.n_in[i] = i == 0 ? shape->n_channels : shape->layers[i - 1].n_out;
        p.phases[i] = (layer->kernel + layer->stride - 1) / layer->stride;
        p.real[i + 1] = (p.real[i] - layer->kernel) / layer->stride + 1;
        even = common_multiple(even, strides * layer->stride * p.phases[i]);
        strides *= layer->stride;
        if (even > 100000000)
            return sp_fail(err, SP_EINVAL,
                           "the strides and kernels of the network have no common multiple below 1e8");
    }
    p.rows[0] = (shape->n_samples + even - 1) / even * even;
    for (int i = 0; i <= SP_NETWORK_LAYERS; i++) {
        int32_t width = i == 0 ? shape->n_channels : shape->layers[i - 1].n_out;
        int64_t beyond = i < SP_NETWORK_LAYERS ? shape->layers[i].kernel : 0;
        p.size[i] = ((size_t)p.rows[i] * SP_PASS_STEPS + (size_t)beyond) * (size_t)width;
        if (i < SP_NETWORK_LAYERS)
            p.rows[i + 1] = p.rows[i] / shape->layers[i].stride;
    }
    *plan = p;
    return SP_OK;
}

/* ---- memory ---- */

void sp_pass_clear(sp_pass *pass)
{
    for (int i = 0; i <= SP_NETWORK_LAYERS; i++) {
        free(pass->x[i]);
        free(pass->dx[i]);
    }
    free(pass->features);
    free(pass->logits);
    free(pass->d_logits);
    *pass = (sp_pass){0};
}

bool sp_pass_init(sp_pass *pass, const sp_network *network, const sp_plan *plan, bool with_gradient)
{
    const sp_network_shape *shape = &network->shape;
    size_t features = (size_t)shape->layers[SP_NETWORK_LAYERS - 1].n_out, k = (size_t)shape->n_classes;
    *pass = (sp_pass){.features = NULL};
    bool is_ok = sp_blas_find(&pass->blas) &&
                 (pass->features = malloc(SP_PASS_STEPS * features * sizeof *pass->features)) &&
                 (pass->logits = malloc(SP_PASS_STEPS * k * sizeof *pass->logits));
    /* Zeros: what patches read beyond the end must be numbers. */
    for (int i = 0; is_ok && i <= SP_NETWORK_LAYERS; i++)
        is_ok = (pass->x[i] = calloc(plan->size[i], sizeof(float))) &&
                (i == 0 || !with_gradient || (pass->dx[i] = calloc(plan->size[i], sizeof(float))));
    if (is_ok && with_gradient)
        is_ok = (pass->d_logits = malloc(SP_PASS_STEPS * k * sizeof *pass->d_logits)) != NULL;
    if (!is_ok)
        sp_pass_clear(pass);
    return is_ok;
}

void sp_pass_load(sp_pass *pass, const sp_network *network, const sp_plan *plan, int32_t at,
                  const float *step)
{
    size_t n_channels = (size_t)network->shape.n_channels, n_samples = (size_t)network->shape.n_samples;
    float *x = pass->x[0] + (size_t)at * (size_t)plan->rows[0] * n_channels;
    for (size_t c = 0; c < n_channels; c++) {
        float mean = network->mean[c], scale = network->scale[c];
        const float *samples = step + c * n_samples;
        for (size_t i = 0; i < n_samples; i++)
            x[i * n_channels + c] = (samples[i] - mean) * scale;
    }
}

/* ---- convolutions ---- */

/* y = max(0, y + bias), all rows. */
static void rectify(float *restrict y, const float *restrict bias, size_t n_rows, size_t n)
{
    for (size_t t = 0; t < n_rows; t++)
        for (size_t j = 0; j < n; j++) {
            float v = y[t * n + j] + bias[j];
            y[t * n + j] = v < 0 ? 0 : v; /* so that NaN stays NaN, to be seen */
        }
}

static void convolve(sp_pass *pass, const sp_network *network, const sp_plan *plan, int i, int32_t n_steps)
{
    const sp_network_layer *layer = &network->shape.layers[i];
    int c = plan->n_in[i], n = layer->n_out, m = plan->phases[i], hop = layer->stride * c;
    int rows = (int)(n_steps * plan->rows[i] / (m * layer->stride));
    const float *w = network->parameters + sp_network_weight_at(&network->shape, i);
    for (int p = 0; p < m; p++)
        pass->blas.sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, n, layer->kernel * c, 1,
                         pass->x[i] + p * hop, m * hop, w, n, 0, pass->x[i + 1] + p * n, m * n);
    rectify(pass->x[i + 1], network->parameters + sp_network_bias_at(&network->shape, i),
            (size_t)(n_steps * plan->rows[i + 1]), (size_t)n);
}

/* Gradient of a convolution's parameters and, from the second layer on, of its input; dx[i+1] is already that before max(0, ). */
static void convolve_back(sp_pass *pass, const sp_network *network, const sp_plan *plan, int i,
                          int32_t n_steps)
{
    const sp_network_layer *layer = &network->shape.layers[i];
    int c = plan->n_in[i], n = layer->n_out, m = plan->phases[i], hop = layer->stride * c,
        width = layer->kernel * c;
    int rows = (int)(n_steps * plan->rows[i] / (m * layer->stride));
    size_t at = sp_network_weight_at(&network->shape, i);
    const float *w = network->parameters + at, *dy = pass->dx[i + 1];
    for (int p = 0; p < m; p++)
        pass->blas.sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, width, n, rows, 1, pass->x[i] + p * hop,
                         m * hop, dy + p * n, m * n, 1, pass->gradient + at, n);
    float *d_bias = pass->gradient + sp_network_bias_at(&network->shape, i);
    size_t n_rows = (size_t)(n_steps * plan->rows[i + 1]);
    for (size_t t = 0; t < n_rows; t++)
        for (int j = 0; j < n; j++)
            d_bias[j] += dy[t * (size_t)n + (size_t)j];
    if (i == 0)
        return;
    memset(pass->dx[i], 0, plan->size[i] * sizeof(float));
    for (int p = 0; p < m; p++)
        pass->blas.sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, rows, width, n, 1, dy + p * n, m * n, w, n,
                         1, pass->dx[i] + p * hop, m * hop);
}

/* dy = dy where y > 0 on real rows, else 0. */
static void rectify_back(sp_pass *pass, const sp_network *network, const sp_plan *plan, int i,
                         int32_t n_steps)
{
    size_t n = (size_t)network->shape.layers[i - 1].n_out, rows = (size_t)plan->rows[i],
           real = (size_t)plan->real[i];
    for (size_t s = 0; s < (size_t)n_steps; s++) {
        const float *restrict y = pass->x[i] + s * rows * n;
        float *restrict dy = pass->dx[i] + s * rows * n;
        for (size_t j = 0; j < real * n; j++)
            dy[j] = y[j] > 0 ? dy[j] : 0;
        memset(dy + real * n, 0, (rows - real) * n * sizeof *dy);
    }
}

/* ---- the whole ---- */

void sp_pass_forward(sp_pass *pass, const sp_network *network, const sp_plan *plan, int32_t n_steps,
                     const float *keep)
{
    const sp_network_shape *shape = &network->shape;
    for (int i = 0; i < SP_NETWORK_LAYERS; i++)
        convolve(pass, network, plan, i, n_steps);
    size_t f = (size_t)shape->layers[SP_NETWORK_LAYERS - 1].n_out, k = (size_t)shape->n_classes;
    size_t rows = (size_t)plan->rows[SP_NETWORK_LAYERS], real = (size_t)plan->real[SP_NETWORK_LAYERS];
    const float *w = network->parameters + sp_network_weight_at(shape, SP_NETWORK_LAYERS);
    const float *b = network->parameters + sp_network_bias_at(shape, SP_NETWORK_LAYERS);
    for (size_t s = 0; s < (size_t)n_steps; s++) {
        float *h = pass->features + s * f;
        const float *y = pass->x[SP_NETWORK_LAYERS] + s * rows * f;
        memset(h, 0, f * sizeof *h);
        for (size_t t = 0; t < real; t++)
            for (size_t j = 0; j < f; j++)
                h[j] += y[t * f + j];
        double *logits = pass->logits + s * k;
        for (size_t c = 0; c < k; c++)
            logits[c] = b[c];
        for (size_t j = 0; j < f; j++) {
            h[j] *= (keep ? keep[s * f + j] : 1) / (float)real;
            for (size_t c = 0; c < k; c++)
                logits[c] += (double)h[j] * (double)w[j * k + c];
        }
    }
}

void sp_pass_backward(sp_pass *pass, const sp_network *network, const sp_plan *plan, int32_t n_steps,
                      const float *keep)
{
    const sp_network_shape *shape = &network->shape;
    size_t f = (size_t)shape->layers[SP_NETWORK_LAYERS - 1].n_out, k = (size_t)shape->n_classes;
    size_t rows = (size_t)plan->rows[SP_NETWORK_LAYERS], real = (size_t)plan->real[SP_NETWORK_LAYERS];
    const float *w = network->parameters + sp_network_weight_at(shape, SP_NETWORK_LAYERS);
    float *dw = pass->gradient + sp_network_weight_at(shape, SP_NETWORK_LAYERS);
    float *db = pass->gradient + sp_network_bias_at(shape, SP_NETWORK_LAYERS);
    for (size_t s = 0; s < (size_t)n_steps; s++) {
        const double *d = pass->d_logits + s * k;
        float *h = pass->features + s * f;
        for (size_t c = 0; c < k; c++)
            db[c] += (float)d[c];
        for (size_t j = 0; j < f; j++) {
            double dh = 0;
            for (size_t c = 0; c < k; c++) {
                dw[j * k + c] += (float)(d[c] * (double)h[j]);
                dh += d[c] * (double)w[j * k + c];
            }
            h[j] = (float)dh * (keep ? keep[s * f + j] : 1) /
                   (float)real; /* the feature is done with: its gradient */
        }
        const float *restrict y = pass->x[SP_NETWORK_LAYERS] + s * rows * f;
        float *restrict dy = pass->dx[SP_NETWORK_LAYERS] + s * rows * f;
        for (size_t t = 0; t < real; t++)
            for (size_t j = 0; j < f; j++)
                dy[t * f + j] = y[t * f + j] > 0 ? h[j] : 0;
        memset(dy + real * f, 0, (rows - real) * f * sizeof *dy);
    }
    for (int i = SP_NETWORK_LAYERS - 1; i >= 0; i--) {
        convolve_back(pass, network, plan, i, n_steps);
        if (i > 0)
            rectify_back(pass, network, plan, i, n_steps);
    }
}
