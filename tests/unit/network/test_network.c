/* The reference classifier: gradients, threads, masks, weights, and whether it learns. */
#include "check.h"
#include "failing_alloc.h"
#include "made_files.h"
#include "random_model.h"
#include "statepath/scores.h"

/* The network is a library of its own, whose headers are not installed. */
#include "train_file.h"
#include "weights.h"

#include <unistd.h>

/* ---- data ---- */

enum { CHANNELS = 2, SAMPLES = 60, CLASSES = 3 };

typedef struct data {
    sp_training_data d;
    float *signals;
    int32_t *labels, *previous;
} data;

/* Steps of three classes, sines of 4, 7 and 11 periods in noise, in runs that never go from class 0 to class 2. */
static data data_new(int64_t n, uint64_t seed, double noise)
{
    random_source random = {seed};
    data d = {.signals = malloc((size_t)n * CHANNELS * SAMPLES * sizeof(float)),
              .labels = malloc((size_t)n * sizeof(int32_t)),
              .previous = malloc((size_t)n * sizeof(int32_t))};
    const double periods[CLASSES] = {4, 7, 11};
    for (int64_t t = 0; t < n; t++) {
        int32_t before = t % 10 ? d.labels[t - 1] : -1;
        d.previous[t] = before;
        d.labels[t] = before < 0                    ? random_below(&random, CLASSES)
                      : random_chance(&random, 0.5) ? before
                      : before == 0                 ? 1
                                                    : random_below(&random, CLASSES);
        for (int c = 0; c < CHANNELS; c++)
            for (int i = 0; i < SAMPLES; i++)
                d.signals[(t * CHANNELS + c) * SAMPLES + i] =
                    (float)(5 + sin(2 * M_PI * periods[d.labels[t]] * i / SAMPLES) +
                            noise * (random_unit(&random) - 0.5));
    }
    d.d = (sp_training_data){.n = n, .signals = d.signals, .labels = d.labels, .previous = d.previous};
    return d;
}

static void data_free(data *d)
{
    free(d->signals);
    free(d->labels);
    free(d->previous);
}

static const uint8_t allow[CLASSES * CLASSES] = {1, 1, 0, 1, 1, 1, 1, 1, 1}; /* never 0 -> 2 */

static sp_network_shape small_shape(void)
{
    return (sp_network_shape){.n_channels = CHANNELS,
                              .n_classes = CLASSES,
                              .n_samples = SAMPLES,
                              .layers = {{9, 2, 4}, {3, 2, 5}, {4, 1, 6}},
                              .dropout = 0.25};
}

typedef struct rig {
    sp_network *network;
    sp_training_state *state;
    sp_trainer *trainer;
} rig;

static rig rig_new(const sp_network_shape *shape, const sp_training_data *train, const sp_training_data *test,
                   const sp_training_options *options)
{
    sp_error err;
    rig r = {0};
    assert_ok(sp_network_new(shape, options->seed, &r.network, &err), &err);
    sp_network_fit_scale(r.network, train->n, train->signals);
    assert_ok(sp_training_state_new(r.network, &r.state, &err), &err);
    assert_ok(sp_trainer_new(r.network, r.state, train, test, options, &r.trainer, &err), &err);
    return r;
}

static void rig_free(rig *r)
{
    sp_trainer_free(r->trainer);
    sp_training_state_free(r->state);
    sp_network_free(r->network);
}

static void train(rig *r, int epochs)
{
    sp_error err;
    for (int e = 0; e < epochs; e++)
        assert_ok(sp_trainer_epoch(r->trainer, NULL, NULL, &err), &err);
}

/* ---- the network by its definition ---- */

/* Log probabilities in double, straight from the header's formulas. */
static void plain_predict(const sp_network *n, const float *signals, double *out)
{
    const sp_network_shape *s = &n->shape;
    int64_t length = s->n_samples, channels = s->n_channels;
    double *x = malloc((size_t)(length * channels) * sizeof *x);
    for (int64_t i = 0; i < length; i++)
        for (int64_t c = 0; c < channels; c++)
            x[i * channels + c] = ((double)signals[c * length + i] - n->mean[c]) * n->scale[c];
    for (int l = 0; l < SP_NETWORK_LAYERS; l++) {
        int64_t kernel = s->layers[l].kernel, stride = s->layers[l].stride, units = s->layers[l].n_out;
        int64_t rows = (length - kernel) / stride + 1;
        const float *w = n->parameters + sp_network_weight_at(s, l),
                    *b = n->parameters + sp_network_bias_at(s, l);
        double *y = malloc((size_t)(rows * units) * sizeof *y);
        for (int64_t t = 0; t < rows; t++)
            for (int64_t u = 0; u < units; u++) {
                double sum = b[u];
                for (int64_t i = 0; i < kernel; i++)
                    for (int64_t c = 0; c < channels; c++)
                        sum += x[(t * stride + i) * channels + c] * (double)w[(i * channels + c) * units + u];
                y[t * units + u] = sum > 0 ? sum : 0;
            }
        free(x);
        x = y;
        length = rows;
        channels = units;
    }
    const float *w = n->parameters + sp_network_weight_at(s, 3),
                *b = n->parameters + sp_network_bias_at(s, 3);
    for (int32_t k = 0; k < s->n_classes; k++) {
        out[k] = b[k];
        for (int64_t u = 0; u < channels; u++) {
            double mean = 0;
            for (int64_t t = 0; t < length; t++)
                mean += x[t * channels + u] / (double)length;
            out[k] += mean * (double)w[u * s->n_classes + k];
        }
    }
    sp_log_softmax(out, s->n_classes, out);
    free(x);
}

static void it_computes_what_it_says(void **state)
{
    (void)state;
    sp_error err;
    const sp_network_shape shapes[] = {
        small_shape(),
        sp_network_shape_default(CHANNELS, SAMPLES, CLASSES),
        {2, 3, 60, {{5, 7, 3}, {1, 1, 2}, {2, 3, 4}}, 0}, /* strides above kernels */
        sp_network_shape_default(1, 120, 2),
        sp_network_shape_default(40, 3, 7),
        sp_network_shape_default(120, 1, 1)};
    data d = data_new(11, 7, 0.5); /* not a multiple of what is done at once */
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        sp_network *n = NULL;
        float *out = malloc(11 * (size_t)shapes[i].n_classes * sizeof *out);
        double row[8];
        assert_ok(sp_network_new(&shapes[i], 3, &n, &err), &err);
        sp_network_fit_scale(n, 11, d.signals);
        assert_ok(sp_network_predict(n, 11, d.signals, 2, out, &err), &err);
        for (int64_t t = 0; t < 11; t++) {
            plain_predict(n, d.signals + t * shapes[i].n_channels * shapes[i].n_samples, row);
            for (int32_t k = 0; k < shapes[i].n_classes; k++)
                assert_close(out[t * shapes[i].n_classes + k], row[k], 2e-6, 0);
        }
        free(out);
        sp_network_free(n);
    }
    data_free(&d);
}

static void the_usual_shape_is_that_of_the_story(void **state)
{
    (void)state;
    sp_network_shape s = sp_network_shape_default(2, 3000, 5);
    const sp_network_layer usual[] = {{50, 6, 32}, {8, 2, 64}, {4, 2, 128}};
    assert_memory_equal(s.layers, usual, sizeof usual);
    assert_true(s.dropout == 0.5);
    assert_int_equal(sp_network_weight_at(&s, 4),
                     100 * 32 + 32 + 256 * 64 + 64 + 256 * 128 + 128 + 128 * 5 + 5);
    sp_error err;
    sp_network *n = NULL;
    s.layers[1].kernel = 1000;
    assert_int_equal(sp_network_new(&s, 1, &n, &err), SP_EINVAL);
    assert_string_equal(err.message,
                        "layer 1 of the network, kernel 1000 and stride 2, does not fit its 492 inputs");
}

static void scale_is_mean_and_deviation(void **state)
{
    (void)state;
    sp_error err;
    sp_network *n = NULL;
    sp_network_shape s = sp_network_shape_default(2, 4, 2);
    const float x[2 * 2 * 4] = {1, 2, 3, 4, 7, 7, 7, 7, 1, 2, 3, 4, 7, 7, 7, 7};
    assert_ok(sp_network_new(&s, 1, &n, &err), &err);
    sp_network_fit_scale(n, 2, x);
    assert_true(n->mean[0] == 2.5F && n->mean[1] == 7 && n->scale[1] == 1);
    assert_close(n->scale[0], 1 / sqrt(1.25), 1e-6, 0);
    sp_network_free(n);
}

/* ---- gradients ---- */

/* The loss of some steps in double, from the definition. mask may be NULL. */
static double plain_loss(const sp_network *network, const sp_training_data *d, const int64_t *rows, int32_t n,
                         const uint8_t *mask)
{
    double sum = 0, total = 0;
    for (int32_t i = 0; i < n; i++) {
        double p[CLASSES], allowed = 0, weight = d->weights ? d->weights[rows[i]] : 1;
        plain_predict(network, d->signals + rows[i] * CHANNELS * SAMPLES, p);
        for (int k = 0; k < CLASSES; k++)
            allowed += !mask || mask[i * CLASSES + k] ? exp(p[k]) : 0;
        sum += weight * (log(allowed) - p[d->labels[rows[i]]]);
        total += weight;
    }
    return sum / total;
}

/* Central differences of the plain loss. Where a unit passes 0 in between, the loss has a kink: few do. */
static void check_gradient(const uint8_t *mask, const double *weights)
{
    sp_error err;
    data d = data_new(12, 3, 0.5);
    d.d.weights = weights;
    sp_network_shape shape = small_shape();
    sp_training_options options = sp_training_options_default();
    options.threads = 1;
    rig r = rig_new(&shape, &d.d, NULL, &options);
    const int64_t rows[7] = {2, 3, 5, 7, 8, 9, 11};
    size_t n = r.network->n_parameters, n_rough = 0, n_zero = 0;
    float *gradient = malloc(n * sizeof *gradient);
    double loss;
    assert_ok(sp_trainer_gradient(r.trainer, rows, 7, mask, &loss, gradient, &err), &err);
    assert_close(loss, plain_loss(r.network, &d.d, rows, 7, mask), 1e-6, 0);
    for (size_t j = 0; j < n; j++) {
        float *theta = &r.network->parameters[j], kept = *theta, high = kept + 0x1p-15F,
              low = kept - 0x1p-15F;
        *theta = high;
        double up = plain_loss(r.network, &d.d, rows, 7, mask);
        *theta = low;
        double down = plain_loss(r.network, &d.d, rows, 7, mask),
               slope = (up - down) / ((double)high - (double)low);
        *theta = kept;
        n_zero += gradient[j] == 0;
        n_rough += !(fabs(gradient[j] - slope) <= 3e-6 + 1e-3 * fabs(slope));
        assert_close(gradient[j], slope, 1e-3, 0.05);
    }
    assert_true(n_rough < n / 20);
    assert_true(n_zero < n / 4);
    free(gradient);
    rig_free(&r);
    data_free(&d);
}

static void gradients_are_differences(void **state)
{
    (void)state;
    const double weights[12] = {1, 1, 0.5, 2, 1, 0.25, 1, 3, 1, 1, 1, 0.5};
    check_gradient(NULL, NULL);
    check_gradient(NULL, weights);
}

static void gradients_with_masks_too(void **state)
{
    (void)state;
    data d = data_new(12, 3, 0.5); /* the same steps as there */
    const int64_t rows[7] = {2, 3, 5, 7, 8, 9, 11};
    uint8_t mask[7 * CLASSES];
    for (int i = 0; i < 7; i++)
        for (int k = 0; k < CLASSES; k++)
            mask[i * CLASSES + k] = k == d.labels[rows[i]] || (i + k) % 2;
    check_gradient(mask, NULL);
    data_free(&d);
}

/* ---- threads, seeds, interruptions ---- */

static void assert_same_network(const sp_network *a, const sp_network *b)
{
    assert_int_equal(a->n_parameters, b->n_parameters);
    assert_memory_equal(a->parameters, b->parameters, a->n_parameters * sizeof *a->parameters);
}

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    data d = data_new(90, 5, 0.5), test = data_new(20, 6, 0.5);
    sp_network_shape shape = sp_network_shape_default(CHANNELS, SAMPLES, CLASSES);
    sp_training_options options = sp_training_options_default();
    rig one, many;
    options.threads = 1;
    one = rig_new(&shape, &d.d, &test.d, &options);
    train(&one, 2);
    for (int threads = 2; threads <= 7; threads += 5) {
        options.threads = threads;
        many = rig_new(&shape, &d.d, &test.d, &options);
        train(&many, 2);
        assert_same_network(one.network, many.network);
        assert_memory_equal(one.state->epochs, many.state->epochs, 2 * sizeof(sp_epoch));
        rig_free(&many);
    }
    options.seed = 2;
    many = rig_new(&shape, &d.d, &test.d, &options);
    assert_memory_not_equal(one.network->parameters, many.network->parameters,
                            one.network->n_parameters * sizeof(float));
    rig_free(&many);
    rig_free(&one);
    data_free(&d);
    data_free(&test);
}

static void weights_are_read_as_they_were_written(void **state)
{
    (void)state;
    sp_error err;
    data d = data_new(70, 5, 0.5);
    sp_network_shape shape = small_shape();
    sp_training_options options = sp_training_options_default();
    options.masking = SP_MASKING_RANDOM_PREVIOUS;
    options.allow = allow;
    rig trained = rig_new(&shape, &d.d, NULL, &options);
    const char *names[CLASSES] = {"a", "b", "\xC3\xA7"};
    assert_ok(sp_network_set_classes(trained.network, names, &err), &err);
    train(&trained, 2);
    made_folder();
    const char *file = made_path("w.h5");
    const sp_weights_origin origin = {
        .batch = 32, .seed = 1, .rate = 0.001, .masking = options.masking, .model = (char *)"{}"};
    assert_ok(sp_weights_save(trained.network, trained.state, &origin, file, false, &err), &err);
    assert_int_equal(sp_weights_save(trained.network, trained.state, &origin, file, false, &err), SP_EFILE);
    sp_network *back = NULL;
    assert_ok(sp_weights_load(file, NULL, &back, &err), &err);
    assert_same_network(trained.network, back);
    assert_memory_equal(trained.network->mean, back->mean, CHANNELS * sizeof(float));
    assert_memory_equal(trained.network->scale, back->scale, CHANNELS * sizeof(float));
    assert_memory_equal(&trained.network->shape.layers, &back->shape.layers, sizeof shape.layers);
    assert_string_equal(back->classes[2], names[2]);
    sp_network_free(back);
    rig_free(&trained);
    data_free(&d);
    assert_h5_closed();
    made_folder_remove();
}

/* ---- masks ---- */

static void the_loss_is_a_weighted_mean(void **state)
{
    (void)state;
    sp_error err;
    data d = data_new(8, 3, 0.5);
    const double weights[8] = {1, 2, 0, 4, 1, 1, 1, 1};
    d.d.weights = weights;
    d.labels[4] = -1;
    sp_network_shape shape = small_shape();
    sp_training_options options = sp_training_options_default();
    rig r = rig_new(&shape, &d.d, NULL, &options);
    float *gradient = malloc(r.network->n_parameters * sizeof *gradient);
    const int64_t rows[4] = {0, 1, 3, 5};
    uint8_t mask[4 * CLASSES];
    memset(mask, 1, sizeof mask);
    mask[0 * CLASSES + (d.labels[0] + 1) % CLASSES] = 0;
    mask[2 * CLASSES + (d.labels[3] + 2) % CLASSES] = 0;
    double loss;
    assert_ok(sp_trainer_gradient(r.trainer, rows, 4, mask, &loss, gradient, &err), &err);
    assert_close(loss, plain_loss(r.network, &d.d, rows, 4, mask), 1e-6, 0);
    /* a masked target has no finite loss: an error, not a number */
    mask[0 * CLASSES + d.labels[0]] = 0;
    assert_int_equal(sp_trainer_gradient(r.trainer, rows, 4, mask, &loss, gradient, &err), SP_EDATA);
    free(gradient);
    rig_free(&r);
    data_free(&d);
}

/* Masks of the data: what they forbid gets no probability and no gradient, in training and in testing. */
static void step_masks_are_of_the_data(void **state)
{
    (void)state;
    sp_error err;
    data d = data_new(60, 9, 0.5);
    uint8_t mask[60 * CLASSES];
    double weights[60];
    for (int t = 0; t < 60; t++) {
        for (int c = 0; c < CLASSES; c++)
            mask[t * CLASSES + c] = c == d.labels[t] || c == (d.labels[t] + 1) % CLASSES;
        weights[t] = t % 3;
    }
    d.d.mask = mask;
    d.d.weights = weights;
    sp_network_shape shape = small_shape();
    sp_training_options options = sp_training_options_default();
    options.masking = SP_MASKING_STEP_MASK;
    rig r = rig_new(&shape, &d.d, &d.d, &options);
    train(&r, 1);
    double loss = 0, total = 0, right = 0, n = 0;
    for (int64_t t = 0; t < 60; t++) { /* after the epoch, by the definition */
        double p[CLASSES];
        int32_t label = d.labels[t], other = (label + 1) % CLASSES;
        plain_predict(r.network, d.signals + t * CHANNELS * SAMPLES, p);
        loss += weights[t] * log1p(exp(p[other] - p[label]));
        total += weights[t];
        right += weights[t] > 0 && (p[label] > p[other] || (p[label] == p[other] && label < other));
        n += weights[t] > 0;
    }
    assert_close(r.state->epochs[0].test_loss, loss / total, 1e-5, 1e-5);
    assert_close(r.state->epochs[0].test_accuracy, right / n, 1e-12, 0);
    assert_true(r.state->epochs[0].loss < 1.5);
    sp_trainer *trainer = NULL;
    mask[3 * CLASSES + d.labels[3]] = 0; /* its weight is 0: nobody asks */
    mask[7 * CLASSES + d.labels[7]] = 0;
    assert_int_equal(sp_trainer_new(r.network, r.state, &d.d, NULL, &options, &trainer, &err), SP_EDATA);
    assert_int_equal(err.step, 7);
    sp_training_data whole = d.d;
    whole.mask = memset(malloc(sizeof mask), 1, sizeof mask);
    assert_int_equal(sp_trainer_new(r.network, r.state, &whole, &d.d, &options, &trainer, &err), SP_EDATA);
    assert_int_equal(err.step, 67);
    free((void *)whole.mask);
    d.d.mask = NULL;
    assert_int_equal(sp_trainer_new(r.network, r.state, &d.d, NULL, &options, &trainer, &err), SP_EINVAL);
    rig_free(&r);
    data_free(&d);
}

static void random_masks_kill_the_target(void **state)
{
    (void)state;
    data d = data_new(200, 9, 0.5);
    sp_network_shape shape = small_shape();
    sp_training_options options = sp_training_options_default();
    options.masking = SP_MASKING_RANDOM_PREVIOUS;
    options.allow = allow;
    rig r = rig_new(&shape, &d.d, NULL, &options);
    train(&r, 1);
    double twos = 0;
    for (int t = 0; t < 200; t++)
        twos += d.labels[t] == 2;
    /* class 2 is forbidden after class 0 alone: one time in two there is a mask, one in three it is that one */
    assert_close(r.state->epochs[0].loss, 1e9 * twos / 200 / 6, 0, 0.5);
    rig_free(&r);
    data_free(&d);
}

static void true_masks_never_do(void **state)
{
    (void)state;
    sp_error err;
    data d = data_new(200, 9, 0.5);
    sp_network_shape shape = small_shape();
    sp_training_options options = sp_training_options_default();
    options.masking = SP_MASKING_TRUE_PREVIOUS;
    options.rate = 0.01;
    options.allow = allow;
    rig r = rig_new(&shape, &d.d, &d.d, &options);
    train(&r, 12);
    assert_true(r.state->epochs[0].loss < 2 && r.state->epochs[11].loss < 0.3);
    assert_true(r.state->epochs[11].test_accuracy > 0.9);
    rig_free(&r);
    int t = 1;
    while (d.previous[t] != 0)
        t++;
    d.labels[t] = 2;
    sp_network *n = NULL;
    sp_training_state *s = NULL;
    sp_trainer *trainer = NULL;
    assert_ok(sp_network_new(&shape, 1, &n, &err), &err);
    assert_ok(sp_training_state_new(n, &s, &err), &err);
    assert_int_equal(sp_trainer_new(n, s, &d.d, NULL, &options, &trainer, &err), SP_EDATA);
    assert_int_equal(err.step, t);
    options.allow = NULL;
    assert_int_equal(sp_trainer_new(n, s, &d.d, NULL, &options, &trainer, &err), SP_EINVAL);
    assert_string_equal(err.message, "`masking` true-previous needs the rules: name a `model`");
    options = sp_training_options_default();
    for (int i = 0; i < 200; i++)
        d.labels[i] = -1;
    assert_int_equal(sp_trainer_new(n, s, &d.d, NULL, &options, &trainer, &err), SP_EDATA);
    assert_string_equal(err.message, "no step with a label to learn from");
    sp_training_state_free(s);
    sp_network_free(n);
    data_free(&d);
}

static void a_rate_too_high_is_told(void **state)
{
    (void)state;
    sp_error err;
    data d = data_new(64, 9, 0.5);
    for (int64_t i = 0; i < 64 * CHANNELS * SAMPLES; i++)
        d.signals[i] *= 1e30F;
    sp_network_shape shape = small_shape();
    sp_training_options options = sp_training_options_default();
    options.rate = 10;
    rig r = rig_new(&shape, &d.d, NULL, &options);
    r.network->scale[0] = r.network->scale[1] = 1e30F;
    sp_status status = SP_OK;
    for (int e = 0; status == SP_OK && e < 3; e++)
        status = sp_trainer_epoch(r.trainer, NULL, NULL, &err);
    assert_int_equal(status, SP_EDATA);
    assert_non_null(strstr(err.message, "the loss is no number any more in epoch 1; lower `rate`"));
    rig_free(&r);
    data_free(&d);
}

/* ---- learning ---- */

static void it_learns(void **state)
{
    (void)state;
    data d = data_new(240, 11, 3), test = data_new(100, 12, 3);
    sp_network_shape shape = sp_network_shape_default(CHANNELS, SAMPLES, CLASSES);
    sp_training_options options = sp_training_options_default();
    options.rate = 0.003;
    rig r = rig_new(&shape, &d.d, &test.d, &options);
    train(&r, 10);
    assert_true(r.state->epochs[9].test_accuracy >= 0.97);
    assert_true(r.state->epochs[9].test_loss < 0.2 && r.state->epochs[9].loss < r.state->epochs[0].loss / 3);
    rig_free(&r);
    data_free(&d);
    data_free(&test);
}

/* ---- memory ---- */

typedef struct attempt {
    data *d;
    const char *file;
} attempt;

static sp_status attempt_all(void *arg)
{
    attempt *a = arg;
    sp_network_shape shape = small_shape();
    sp_training_options options = sp_training_options_default();
    options.threads = 1;
    const sp_weights_origin origin = {.batch = 32, .seed = 1, .rate = 0.001};
    sp_network *network = NULL, *read = NULL;
    sp_training_state *state = NULL;
    sp_trainer *trainer = NULL;
    const char *names[CLASSES] = {"a", "b", "c"};
    sp_status status = sp_network_new(&shape, 1, &network, NULL);
    if (status == SP_OK)
        status = sp_network_set_classes(network, names, NULL);
    if (status == SP_OK)
        status = sp_training_state_new(network, &state, NULL);
    if (status == SP_OK)
        status = sp_trainer_new(network, state, &a->d->d, &a->d->d, &options, &trainer, NULL);
    if (status == SP_OK)
        status = sp_trainer_epoch(trainer, NULL, NULL, NULL);
    if (status == SP_OK)
        status = sp_weights_save(network, state, &origin, a->file, true, NULL);
    if (status == SP_OK)
        status = sp_weights_load(a->file, NULL, &read, NULL);
    sp_trainer_free(trainer);
    sp_training_state_free(state);
    sp_network_free(network);
    sp_network_free(read);
    return status;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    data d = data_new(8, 3, 0.5);
    made_folder();
    attempt a = {&d, made_path("w.h5")};
    assert_true(assert_each_alloc_may_fail(attempt_all, &a) > 40);
    data_free(&d);
    assert_h5_closed();
    made_folder_remove();
}

/* ---- from a file to a file ---- */

static const char *write_signals(const data *d, int64_t n)
{
    enum { RECORDINGS = 2 };
    const int64_t offsets[RECORDINGS + 1] = {0, n / 2, n};
    const uint8_t split[RECORDINGS] = {0, 1};
    const char *const names[CLASSES] = {"a", "b", "c"};
    const sp_signals_header header = {.n_recordings = RECORDINGS,
                                      .n_steps = n,
                                      .n_channels = CHANNELS,
                                      .n_classes = CLASSES,
                                      .n_samples = SAMPLES,
                                      .offsets = offsets,
                                      .classes = names,
                                      .labels = d->labels,
                                      .split = split,
                                      .rate = 100};
    const char *file = made_path("signals.h5");
    sp_signals_writer *writer = NULL;
    sp_error err;
    assert_ok(sp_signals_writer_open(file, &header, &writer, &err), &err);
    assert_ok(sp_signals_writer_add(writer, n, d->signals, &err), &err);
    assert_ok(sp_signals_writer_commit(writer, &err), &err);
    return file;
}

/* What was told, a letter each. */
typedef struct told {
    char letters[64];
    size_t n;
} told;

static void listen(void *arg, const sp_train_news *news)
{
    static const char letters[] = {[SP_TRAIN_BEGINS] = 'B',
                                   [SP_TRAIN_EPOCH_BEGINS] = '(',
                                   [SP_TRAIN_STEPS] = '.',
                                   [SP_TRAIN_EPOCH_ENDS] = ')',
                                   [SP_TRAIN_WROTE] = 'W'};
    told *t = arg;
    if (t->n < sizeof t->letters - 1)
        t->letters[t->n++] = letters[news->what];
}

static void training_from_a_file(void **state)
{
    (void)state;
    sp_error err;
    data d = data_new(20, 3, 0.5);
    made_folder();
    told t = {.n = 0};
    sp_train_plan plan = {.file = write_signals(&d, 20),
                          .output = made_path("w.h5"),
                          .report = made_path("page.html"),
                          .epochs = 2,
                          .batch = 5,
                          .rate = NAN,
                          .threads = 1,
                          .told = listen,
                          .arg = &t};
    assert_ok(sp_train_file(&plan, &err), &err);
    assert_string_equal(t.letters, "B(..)(..)WW");
    assert_int_equal(sp_train_file(&plan, &err), SP_EFILE); /* the weights are there */
    plan.has_masking = true;
    plan.masking = SP_MASKING_TRUE_PREVIOUS;
    assert_int_equal(sp_train_file(&plan, &err), SP_EINVAL);
    assert_non_null(strstr(err.message, "`masking` true-previous needs the rules: `model` M is missing"));
    data_free(&d);
    assert_h5_closed();
    made_folder_remove();
}

static sp_status attempt_file(void *arg)
{
    return sp_train_file(arg, NULL);
}

static void training_from_a_file_without_memory(void **state)
{
    (void)state;
    data d = data_new(8, 3, 0.5);
    made_folder();
    sp_train_plan plan = {.file = write_signals(&d, 8),
                          .output = made_path("w.h5"),
                          .report = made_path("page.html"),
                          .epochs = 1,
                          .rate = NAN,
                          .threads = 1,
                          .force = true};
    assert_int_equal(attempt_file(&plan), SP_OK);
    assert_true(assert_each_alloc_may_fail(attempt_file, &plan) > 100);
    data_free(&d);
    assert_h5_closed();
    made_folder_remove();
}

static void what_is_no_file_of_weights(void **state)
{
    (void)state;
    sp_error err;
    sp_network *n = NULL;
    assert_int_equal(sp_weights_load(SOURCE_DIR "/datasets/sleep-demo.h5", NULL, &n, &err), SP_EFILE);
    assert_sentence(
        err.message,
        "FILE: is no file of network 1 (its attribute statepath_weights is missing); files of weights are "
        "made by `statepath train`",
        SOURCE_DIR "/datasets/sleep-demo.h5");
    assert_int_equal(sp_weights_load("/nowhere/w.h5", NULL, &n, &err), SP_EFILE);
    assert_null(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_computes_what_it_says),
        cmocka_unit_test(the_usual_shape_is_that_of_the_story),
        cmocka_unit_test(scale_is_mean_and_deviation),
        cmocka_unit_test(gradients_are_differences),
        cmocka_unit_test(gradients_with_masks_too),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(weights_are_read_as_they_were_written),
        cmocka_unit_test(the_loss_is_a_weighted_mean),
        cmocka_unit_test(step_masks_are_of_the_data),
        cmocka_unit_test(random_masks_kill_the_target),
        cmocka_unit_test(true_masks_never_do),
        cmocka_unit_test(a_rate_too_high_is_told),
        cmocka_unit_test(it_learns),
        cmocka_unit_test(each_allocation_may_fail),
        cmocka_unit_test(training_from_a_file),
        cmocka_unit_test(training_from_a_file_without_memory),
        cmocka_unit_test(what_is_no_file_of_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
