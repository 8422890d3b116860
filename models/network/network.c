#include "network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "learn/generator.h"
#include "pass.h"
#include "statepath/context.h"
#include "statepath/scores.h"

/* ---- shape ---- */

static int32_t at_most(int64_t x, int32_t most)
{
    return x < 1 ? 1 : x < most ? (int32_t)x : most;
}

sp_network_shape sp_network_shape_default(int32_t n_channels, int64_t n_samples, int32_t n_classes)
{
    sp_network_shape shape = {
        .n_channels = n_channels, .n_classes = n_classes, .n_samples = n_samples, .dropout = 0.5};
    const sp_network_layer usual[SP_NETWORK_LAYERS] = {{50, 6, 32}, {8, 2, 64}, {4, 2, 128}};
    int64_t n = n_samples;
    for (int i = 0; i < SP_NETWORK_LAYERS; i++) {
        sp_network_layer *layer = &shape.layers[i];
        *layer = usual[i];
        layer->kernel = at_most(n / (i == 0 ? 4 : 2), usual[i].kernel);
        layer->stride = at_most(layer->kernel / 2, usual[i].stride);
        n = (n - layer->kernel) / layer->stride + 1;
    }
    return shape;
}

/* Units and inputs of each unit of a layer. */
static size_t layer_inputs(const sp_network_shape *shape, int layer)
{
    if (layer == SP_NETWORK_LAYERS)
        return (size_t)shape->layers[layer - 1].n_out;
    size_t channels = (size_t)(layer == 0 ? shape->n_channels : shape->layers[layer - 1].n_out);
    return channels * (size_t)shape->layers[layer].kernel;
}

static size_t layer_units(const sp_network_shape *shape, int layer)
{
    return (size_t)(layer == SP_NETWORK_LAYERS ? shape->n_classes : shape->layers[layer].n_out);
}

size_t sp_network_weight_at(const sp_network_shape *shape, int layer)
{
    size_t at = 0;
    for (int i = 0; i < layer; i++)
        at += (layer_inputs(shape, i) + 1) * layer_units(shape, i);
    return at;
}

size_t sp_network_bias_at(const sp_network_shape *shape, int layer)
{
    return sp_network_weight_at(shape, layer) + layer_inputs(shape, layer) * layer_units(shape, layer);
}

/* ---- making ---- */

void sp_network_free(sp_network *network)
{
    if (!network)
        return;
    sp_network_set_classes(network, NULL, NULL);
    free(network->parameters);
    free(network->mean);
    free(network->scale);
    free(network);
}

sp_status sp_network_set_classes(sp_network *network, const char *const *classes, sp_error *err)
{
    size_t k = (size_t)network->shape.n_classes;
    char **copy = classes ? calloc(k, sizeof *copy) : NULL;
    bool is_ok = copy || !classes;
    for (size_t i = 0; copy && is_ok && i < k; i++)
        is_ok = (copy[i] = strdup(classes[i])) != NULL;
    char **old = is_ok ? network->classes : copy;
    for (size_t i = 0; old && i < k; i++)
        free(old[i]);
    free(old);
    if (!is_ok)
        return sp_no_memory(err);
    network->classes = copy;
    return SP_OK;
}

sp_status sp_network_new(const sp_network_shape *shape, uint32_t seed, sp_network **out, sp_error *err)
{
    sp_plan plan;
    sp_network *network = NULL;
    gsl_rng *rng = NULL;
    sp_status status = SP_OK;
    TRY(sp_plan_make(shape, &plan, err));
    if (!(network = calloc(1, sizeof *network)))
        TRY(sp_no_memory(err));
    network->shape = *shape;
    network->n_parameters = sp_network_weight_at(shape, SP_NETWORK_LAYERS + 1);
    network->parameters = malloc(network->n_parameters * sizeof *network->parameters);
    network->mean = calloc((size_t)shape->n_channels, sizeof *network->mean);
    network->scale = malloc((size_t)shape->n_channels * sizeof *network->scale);
    if (!network->parameters || !network->mean || !network->scale || !(rng = sp_generator_new(seed)))
        TRY(sp_no_memory(err));
    for (int32_t c = 0; c < shape->n_channels; c++)
        network->scale[c] = 1;
    for (int i = 0; i <= SP_NETWORK_LAYERS; i++) {
        size_t from = sp_network_weight_at(shape, i), to = sp_network_weight_at(shape, i + 1);
        double bound = 1 / sqrt((double)layer_inputs(shape, i));
        for (size_t j = from; j < to; j++)
            network->parameters[j] = (float)(bound * (2 * gsl_rng_uniform(rng) - 1));
    }
    *out = network;
    network = NULL;
done:
    if (rng)
        gsl_rng_free(rng);
    sp_network_free(network);
    return status;
}

void sp_network_fit_scale(sp_network *network, int64_t n, const float *signals)
{
    size_t n_channels = (size_t)network->shape.n_channels, n_samples = (size_t)network->shape.n_samples;
    for (size_t c = 0; c < n_channels; c++) {
        double sum = 0, squares = 0, count = (double)n * (double)n_samples;
        for (size_t s = 0; s < (size_t)n; s++)
            for (size_t i = 0; i < n_samples; i++)
                sum += signals[(s * n_channels + c) * n_samples + i];
        double mean = count > 0 ? sum / count : 0;
        for (size_t s = 0; s < (size_t)n; s++)
            for (size_t i = 0; i < n_samples; i++) {
                double d = signals[(s * n_channels + c) * n_samples + i] - mean;
                squares += d * d;
            }
        double deviation = count > 0 ? sqrt(squares / count) : 0;
        network->mean[c] = (float)mean;
        network->scale[c] = deviation > 0 && isfinite((float)(1 / deviation)) ? (float)(1 / deviation) : 1;
    }
}

/* ---- predicting ---- */

typedef struct prediction {
    const sp_network *network;
    const sp_plan *plan;
    sp_pass *passes; /* [threads] */
    int64_t n;
    const float *signals;
    float *out;
} prediction;

static void predict_piece(const prediction *p, sp_pass *pass, int64_t i)
{
    const sp_network *network = p->network;
    size_t width = (size_t)network->shape.n_channels * (size_t)network->shape.n_samples,
           k = (size_t)network->shape.n_classes;
    int64_t first = i * SP_PASS_STEPS;
    int32_t n_steps = (int32_t)(p->n - first < SP_PASS_STEPS ? p->n - first : SP_PASS_STEPS);
    for (int32_t s = 0; s < n_steps; s++)
        sp_pass_load(pass, network, p->plan, s, p->signals + (size_t)(first + s) * width);
    sp_pass_forward(pass, network, p->plan, n_steps, NULL);
    for (int32_t s = 0; s < n_steps; s++) {
        double *row = pass->logits + (size_t)s * k;
        sp_log_softmax(row, network->shape.n_classes, row);
        for (size_t c = 0; c < k; c++)
            p->out[(size_t)(first + s) * k + c] = (float)row[c];
    }
}

static void predict_pieces(void *arg, sp_scratch *scratch, int64_t first, int64_t last)
{
    const prediction *p = arg;
    for (int64_t i = first; i < last; i++)
        predict_piece(p, &p->passes[sp_scratch_thread(scratch)], i);
}

sp_status sp_network_predict(const sp_network *network, int64_t n, const float *signals, int threads,
                             float *out, sp_error *err)
{
    const int64_t n_pieces = (n + SP_PASS_STEPS - 1) / SP_PASS_STEPS;
    sp_plan plan;
    sp_workers *workers = NULL;
    sp_pass *passes = NULL;
    int n_threads = 0, n_ready = 0;
    sp_status status = SP_OK;
    TRY(sp_plan_make(&network->shape, &plan, err));
    if (!(workers = sp_workers_new(threads)))
        TRY(sp_no_memory(err));
    n_threads = sp_workers_count(workers);
    n_threads = n_threads > n_pieces ? (int)n_pieces + (n_pieces == 0) : n_threads; /* more get no work */
    passes = calloc((size_t)n_threads, sizeof *passes);
    while (passes && n_ready < n_threads && sp_pass_init(&passes[n_ready], network, &plan, false))
        n_ready++;
    if (n_ready < n_threads)
        TRY(sp_no_memory(err));
    prediction p = {network, &plan, passes, n, signals, out};
    const int before = sp_blas_begin(&passes[0].blas);
    sp_workers_share(workers, n_pieces, predict_pieces, &p);
    sp_blas_end(&passes[0].blas, before);
    for (int64_t i = 0; i < n * network->shape.n_classes; i++)
        if (isnan(out[i]))
            TRY(sp_fail_at(err, SP_EDATA, i / network->shape.n_classes,
                           "the network's answer is no number; its weights or the signals are too large"));
done:
    while (n_ready > 0)
        sp_pass_clear(&passes[--n_ready]);
    free(passes);
    sp_workers_free(workers);
    return status;
}
