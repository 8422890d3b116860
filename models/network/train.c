#include "train.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "learn/generator.h"
#include "pass.h"
#include "statepath/context.h"
#include "statepath/mask.h"

#define MASKED_OUT (-1e9) /* what random-previous writes over a logit */

/* ---- names and options ---- */

static const char *const masking_names[SP_N_MASKINGS] = {"none", "random-previous", "true-previous",
                                                         "step-mask"};

const char *sp_masking_name(sp_masking masking)
{
    return masking_names[masking];
}

bool sp_masking_needs_rules(sp_masking masking)
{
    return masking == SP_MASKING_RANDOM_PREVIOUS || masking == SP_MASKING_TRUE_PREVIOUS;
}

sp_status sp_masking_parse(const char *text, sp_masking *out, sp_error *err)
{
    for (int i = 0; i < SP_N_MASKINGS; i++)
        if (strcmp(text, masking_names[i]) == 0) {
            *out = (sp_masking)i;
            return SP_OK;
        }
    return sp_fail(err, SP_EINVAL, "`masking` %s: it is none, random-previous, true-previous or step-mask",
                   text);
}

sp_training_options sp_training_options_default(void)
{
    return (sp_training_options){.batch = 32, .rate = 0.001, .seed = 1};
}

/* ---- state ---- */

void sp_training_state_free(sp_training_state *state)
{
    if (!state)
        return;
    free(state->first);
    free(state->second);
    free(state->epochs);
    free(state);
}

sp_status sp_training_state_new(const sp_network *network, sp_training_state **out, sp_error *err)
{
    sp_training_state *state = calloc(1, sizeof *state);
    if (state) {
        state->n_parameters = network->n_parameters;
        state->first = calloc(state->n_parameters, sizeof *state->first);
        state->second = calloc(state->n_parameters, sizeof *state->second);
    }
    if (state && state->first && state->second) {
        *out = state;
        return SP_OK;
    }
    sp_training_state_free(state);
    return sp_no_memory(err);
}

/* ---- trainer ---- */

/* A batch on its way. Rows are those of the training data. */
typedef struct batch {
    int32_t n;
    const int64_t *rows; /* [n] */
    const float *keep;   /* [n, F] or NULL */
    const uint8_t *mask; /* [n, K], rows of steps that are not masked are all 1 */
    bool replaces;       /* masked logits become MASKED_OUT, not -INFINITY */
    double total_weight;
} batch;

struct sp_trainer {
    sp_network *network;
    sp_training_state *state;
    sp_training_data train, test;
    bool has_test;
    sp_training_options options;
    sp_plan plan;
    sp_workers *workers;
    int n_passes;
    sp_pass *passes; /* [threads] */
    batch now;
    int32_t n_pieces;  /* room: batch / SP_PASS_STEPS, rounded up */
    float *gradients;  /* [pieces, n_parameters] */
    double *loss;      /* [batch] */
    double *weight;    /* [batch] */
    uint8_t *is_right; /* [batch] */
    sp_status *status; /* [pieces] */
    double *weights;   /* [train.n] 0 where there is no label */
    int64_t n_order;
    int64_t *order; /* [n_order] training steps that count, shuffled */
    float *keep;    /* [batch, F] */
    uint8_t *mask;  /* [batch, K] */
    float *answers; /* [test.n, K] */
};

void sp_trainer_free(sp_trainer *t)
{
    if (!t)
        return;
    while (t->n_passes > 0)
        sp_pass_clear(&t->passes[--t->n_passes]);
    sp_workers_free(t->workers);
    free(t->passes);
    free(t->gradients);
    free(t->loss);
    free(t->weight);
    free(t->is_right);
    free(t->status);
    free(t->weights);
    free(t->order);
    free(t->keep);
    free(t->mask);
    free(t->answers);
    free(t);
}

static bool make_room(sp_trainer *t)
{
    size_t n = (size_t)t->options.batch, k = (size_t)t->network->shape.n_classes;
    size_t features = (size_t)t->network->shape.layers[SP_NETWORK_LAYERS - 1].n_out;
    t->n_pieces = (t->options.batch + SP_PASS_STEPS - 1) / SP_PASS_STEPS;
    if (!(t->workers = sp_workers_new(t->options.threads)))
        return false;
    int n_threads = sp_workers_count(t->workers);
    n_threads = n_threads > t->n_pieces ? t->n_pieces : n_threads; /* more get no work */
    if (!(t->passes = calloc((size_t)n_threads, sizeof *t->passes)))
        return false;
    while (t->n_passes < n_threads && sp_pass_init(&t->passes[t->n_passes], t->network, &t->plan, true))
        t->n_passes++;
    return t->n_passes == n_threads &&
           (t->gradients = malloc((size_t)t->n_pieces * t->network->n_parameters * sizeof *t->gradients)) &&
           (t->loss = malloc(n * sizeof *t->loss)) && (t->weight = malloc(n * sizeof *t->weight)) &&
           (t->is_right = malloc(n)) && (t->status = malloc((size_t)t->n_pieces * sizeof *t->status)) &&
           (t->weights = malloc(((size_t)t->train.n + 1) * sizeof *t->weights)) &&
           (t->order = malloc(((size_t)t->train.n + 1) * sizeof *t->order)) &&
           (t->keep = malloc(n * features * sizeof *t->keep)) && (t->mask = malloc(n * k)) &&
           (!t->has_test || (t->answers = malloc(((size_t)t->test.n + 1) * k * sizeof *t->answers)));
}

static sp_status check_options(const sp_training_options *o, sp_error *err)
{
    if (o->batch < 1 || o->batch > 1 << 20)
        return sp_fail(err, SP_EINVAL, "`batch` %d: steps of a batch, from 1 to 1048576", o->batch);
    if (!(o->rate > 0 && o->rate <= 10))
        return sp_fail(err, SP_EINVAL, "`rate` %g: a learning rate above 0, at most 10", o->rate);
    if (o->threads < 0)
        return sp_fail(err, SP_EINVAL, "`threads` %d: a number from 0 (all processors)", o->threads);
    if (sp_masking_needs_rules(o->masking) && !o->allow)
        return sp_fail(err, SP_EINVAL, "`masking` %s needs the rules: name a `model`",
                       sp_masking_name(o->masking));
    return SP_OK;
}

static const char *class_name(const sp_network *network, int32_t k, char *text, size_t size)
{
    if (network->classes)
        snprintf(text, size, "%s", network->classes[k]);
    else
        snprintf(text, size, "class %d", k);
    return text;
}

/* With step-mask: does each label that counts stand in its mask? first: err->step of the first step. */
static sp_status check_masks(const sp_trainer *t, const sp_training_data *d, int64_t first, sp_error *err)
{
    size_t k = (size_t)t->network->shape.n_classes;
    char name[64];
    if (t->options.masking != SP_MASKING_STEP_MASK)
        return SP_OK;
    if (!d->mask)
        return sp_fail(err, SP_EINVAL, "`masking` step-mask needs a mask of each step");
    for (int64_t i = 0; i < d->n; i++)
        if (d->labels[i] >= 0 && (!d->weights || d->weights[i] != 0) &&
            !d->mask[(size_t)i * k + (size_t)d->labels[i]])
            return sp_fail_at(
                err, SP_EDATA, first + i,
                "the mask forbids %s, which is the step's label, so its masked loss would be infinite; allow "
                "it in "
                "the mask, set the label to -1 or the weight to 0, or train with `masking` none",
                class_name(t->network, d->labels[i], name, sizeof name));
    return SP_OK;
}

/* Weights of all steps, and the list of those that count. */
static sp_status find_steps(sp_trainer *t, sp_error *err)
{
    const sp_training_data *d = &t->train;
    int32_t k = t->network->shape.n_classes;
    sp_loss_weights_from_labels(d->labels, -1, d->weights, d->n, t->weights);
    for (int64_t i = 0; i < d->n; i++) {
        if (d->labels[i] < 0 || (d->weights && d->weights[i] == 0))
            continue;
        if (d->weights && !(d->weights[i] > 0 && isfinite(d->weights[i])))
            return sp_fail_at(err, SP_EDATA, i, "a weight of %g; weights are finite and not negative",
                              d->weights[i]);
        int32_t before = d->previous ? d->previous[i] : -1;
        char from[64], to[64];
        if (t->options.masking == SP_MASKING_TRUE_PREVIOUS && before >= 0 &&
            !t->options.allow[(size_t)before * (size_t)k + (size_t)d->labels[i]])
            return sp_fail_at(
                err, SP_EDATA, i,
                "%s after %s is forbidden, so its masked loss would be infinite; allow the transition in "
                "the model, set the label to -1, or train with `masking` none",
                class_name(t->network, d->labels[i], to, sizeof to),
                class_name(t->network, before, from, sizeof from));
        t->order[t->n_order++] = i;
    }
    return t->n_order > 0 ? SP_OK : sp_fail(err, SP_EDATA, "no step with a label to learn from");
}

sp_status sp_trainer_new(sp_network *network, sp_training_state *state, const sp_training_data *train,
                         const sp_training_data *test, const sp_training_options *options, sp_trainer **out,
                         sp_error *err)
{
    sp_trainer *t = NULL;
    sp_plan plan;
    sp_status status = SP_OK;
    TRY(check_options(options, err));
    TRY(sp_plan_make(&network->shape, &plan, err));
    if (!(t = calloc(1, sizeof *t)))
        TRY(sp_no_memory(err));
    t->network = network;
    t->state = state;
    t->train = *train;
    t->has_test = test && test->n > 0;
    if (t->has_test)
        t->test = *test;
    t->options = *options;
    t->plan = plan;
    if (!make_room(t))
        TRY(sp_no_memory(err));
    TRY(find_steps(t, err));
    TRY(check_masks(t, &t->train, 0, err));
    if (t->has_test)
        TRY(check_masks(t, &t->test, t->train.n, err));
    *out = t;
    t = NULL;
done:
    sp_trainer_free(t);
    return status;
}

/* ---- one batch ---- */

/* Log probabilities of a step's logits, the loss, and its gradient for the logits, all times the step's share of the batch. */
static sp_status judge(sp_trainer *t, int32_t i, double *logits, double *d_logits)
{
    int32_t k = t->network->shape.n_classes, label = t->train.labels[t->now.rows[i]], best = label;
    const uint8_t *mask = t->now.mask ? t->now.mask + (size_t)i * (size_t)k : NULL;
    const uint8_t *own = t->options.masking == SP_MASKING_STEP_MASK ? mask : NULL;
    double share = t->weight[i] / t->now.total_weight;
    for (int32_t c = 0; c < k; c++)
        if (!own || own[c])
            best = logits[c] > logits[best] || (logits[c] == logits[best] && c < best) ? c : best;
    t->is_right[i] = best == label;
    for (int32_t c = 0; mask && t->now.replaces && c < k; c++)
        logits[c] = mask[c] ? logits[c] : MASKED_OUT;
    sp_scores row = {.data = logits, .dtype = SP_F64, .n_classes = k, .n_steps = 1};
    sp_status status =
        sp_masked_log_softmax(&row, t->now.replaces ? NULL : mask, SP_SOFTMAX_MASK_LOGITS, d_logits, NULL);
    if (status != SP_OK)
        return status;
    t->loss[i] = -d_logits[label];
    for (int32_t c = 0; c < k; c++) /* a logit that was replaced, or is -INFINITY, has no gradient */
        d_logits[c] = mask && !mask[c] ? 0 : share * (exp(d_logits[c]) - (c == label));
    return SP_OK;
}

static void do_piece(sp_trainer *t, sp_pass *pass, int64_t piece)
{
    const sp_network *network = t->network;
    size_t width = (size_t)network->shape.n_channels * (size_t)network->shape.n_samples,
           k = (size_t)network->shape.n_classes;
    size_t features = (size_t)network->shape.layers[SP_NETWORK_LAYERS - 1].n_out;
    int32_t first = (int32_t)piece * SP_PASS_STEPS;
    int32_t n = t->now.n - first < SP_PASS_STEPS ? t->now.n - first : SP_PASS_STEPS;
    const float *keep = t->now.keep ? t->now.keep + (size_t)first * features : NULL;
    pass->gradient = t->gradients + (size_t)piece * network->n_parameters;
    memset(pass->gradient, 0, network->n_parameters * sizeof *pass->gradient);
    for (int32_t s = 0; s < n; s++)
        sp_pass_load(pass, network, &t->plan, s, t->train.signals + (size_t)t->now.rows[first + s] * width);
    sp_pass_forward(pass, network, &t->plan, n, keep);
    t->status[piece] = SP_OK;
    for (int32_t s = 0; s < n && t->status[piece] == SP_OK; s++)
        t->status[piece] = judge(t, first + s, pass->logits + (size_t)s * k, pass->d_logits + (size_t)s * k);
    if (t->status[piece] == SP_OK)
        sp_pass_backward(pass, network, &t->plan, n, keep);
}

static void do_pieces(void *arg, sp_scratch *scratch, int64_t first, int64_t last)
{
    sp_trainer *t = arg;
    for (int64_t piece = first; piece < last; piece++)
        do_piece(t, &t->passes[sp_scratch_thread(scratch)], piece);
}

/* The loss of t->now and, in t->gradients[0], its gradient: those of the pieces added in their order. */
static sp_status do_batch(sp_trainer *t, double *loss, sp_error *err)
{
    int64_t n_pieces = (t->now.n + SP_PASS_STEPS - 1) / SP_PASS_STEPS;
    t->now.total_weight = 0;
    for (int32_t i = 0; i < t->now.n; i++) {
        t->weight[i] = t->weights[t->now.rows[i]];
        t->now.total_weight += t->weight[i];
    }
    int before = sp_blas_begin(&t->passes[0].blas);
    sp_workers_share(t->workers, n_pieces, do_pieces, t);
    sp_blas_end(&t->passes[0].blas, before);
    sp_status status = SP_OK;
    for (int64_t p = 0; p < n_pieces; p++)
        status = status == SP_OK ? t->status[p] : status;
    if (status == SP_OK)
        status = sp_loss_mean(t->loss, t->weight, t->now.n, loss, NULL);
    if (status != SP_OK || !isfinite(*loss))
        return sp_fail(
            err, SP_EDATA,
            "the loss is no number any more in epoch %d; lower `rate`, or look for signals of another size",
            t->state->n_epochs + 1);
    size_t n_parameters = t->network->n_parameters;
    float *restrict sum = t->gradients;
    for (int64_t p = 1; p < n_pieces; p++) {
        const float *restrict more = t->gradients + (size_t)p * n_parameters;
        for (size_t j = 0; j < n_parameters; j++)
            sum[j] += more[j];
    }
    return SP_OK;
}

sp_status sp_trainer_gradient(sp_trainer *t, const int64_t *rows, int32_t n, const uint8_t *mask,
                              double *loss, float *gradient, sp_error *err)
{
    double value = 0;
    if (n < 1 || n > t->options.batch)
        return sp_fail(err, SP_EINVAL, "%d steps are no batch of at most %d", n, t->options.batch);
    t->now = (batch){.n = n, .rows = rows, .mask = mask};
    sp_status status = do_batch(t, &value, err);
    if (status != SP_OK)
        return status;
    *loss = value;
    memcpy(gradient, t->gradients, t->network->n_parameters * sizeof *gradient);
    return SP_OK;
}

/*     m = b1 m + (1 - b1) g,  v = b2 v + (1 - b2) g^2,  theta -= rate / (1 - b1^t) * m / (sqrt(v / (1 - b2^t)) + epsilon) */
static void adam(sp_trainer *t)
{
    sp_training_state *state = t->state;
    state->n_updates++;
    double past = (double)state->n_updates;
    float step = (float)(t->options.rate / (1 - pow(0.9, past))),
          scale = (float)(1 / sqrt(1 - pow(0.999, past)));
    float *restrict theta = t->network->parameters, *restrict m = state->first, *restrict v = state->second;
    const float *restrict g = t->gradients;
    for (size_t j = 0; j < state->n_parameters; j++) {
        m[j] = 0.9F * m[j] + 0.1F * g[j];
        v[j] = 0.999F * v[j] + 0.001F * g[j] * g[j];
        theta[j] -= step * m[j] / (sqrtf(v[j]) * scale + 1e-8F);
    }
}

/* ---- one epoch ---- */

/* A generator for epoch `epoch`: seeds that neither repeat nor resemble each other (finaliser of splitmix64). */
static gsl_rng *epoch_rng(uint32_t seed, int32_t epoch)
{
    uint64_t z = ((uint64_t)seed << 32 | (uint32_t)epoch) + UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return sp_generator_new((uint32_t)(z ^ (z >> 31)));
}

/* The order of an epoch depends on its own generator alone, not on the order before. */
static void shuffle(sp_trainer *t, gsl_rng *rng)
{
    int64_t n = 0;
    for (int64_t i = 0; i < t->train.n; i++)
        if (t->weights[i] > 0)
            t->order[n++] = i;
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t j = (int64_t)gsl_rng_uniform_int(rng, (unsigned long)i + 1), swapped = t->order[i];
        t->order[i] = t->order[j];
        t->order[j] = swapped;
    }
}

static void draw_dropout(sp_trainer *t, gsl_rng *rng, int32_t n)
{
    double p = t->network->shape.dropout;
    size_t features = (size_t)t->network->shape.layers[SP_NETWORK_LAYERS - 1].n_out;
    float kept = (float)(1 / (1 - p));
    for (size_t i = 0; i < (size_t)n * features; i++)
        t->keep[i] = gsl_rng_uniform(rng) < p ? 0 : kept;
}

static void draw_masks(sp_trainer *t, gsl_rng *rng, const int64_t *rows, int32_t n)
{
    size_t k = (size_t)t->network->shape.n_classes;
    for (int32_t i = 0; i < n; i++) {
        int32_t from = -1;
        if (t->options.masking == SP_MASKING_RANDOM_PREVIOUS) {
            bool is_masked = gsl_rng_uniform(rng) < 0.5;
            int32_t drawn = (int32_t)gsl_rng_uniform_int(rng, k);
            from = is_masked ? drawn : -1;
        } else if (t->options.masking == SP_MASKING_TRUE_PREVIOUS && t->train.previous) {
            from = t->train.previous[rows[i]];
        }
        const uint8_t *own =
            t->options.masking == SP_MASKING_STEP_MASK ? t->train.mask + (size_t)rows[i] * k : NULL;
        for (size_t c = 0; c < k; c++)
            t->mask[(size_t)i * k + c] =
                own ? own[c] != 0 : from < 0 || t->options.allow[(size_t)from * k + c];
    }
}

/* Loss of one test step, and whether its best class is the label. mask NULL: every class can be. */
static double judge_test(const float *log_p, int32_t k, int32_t label, const uint8_t *mask, bool *is_right)
{
    double rest = 0; /* the probability that the mask leaves */
    int32_t best = label;
    for (int32_t c = 0; c < k; c++)
        if (!mask || mask[c]) {
            rest += exp((double)log_p[c] - (double)log_p[label]);
            best = log_p[c] > log_p[best] || (log_p[c] == log_p[best] && c < best) ? c : best;
        }
    *is_right = best == label;
    return mask ? log(rest) : -(double)log_p[label];
}

/* Loss and accuracy over the test steps that have a label and count. */
static sp_status test(sp_trainer *t, sp_epoch *epoch, sp_error *err)
{
    size_t k = (size_t)t->network->shape.n_classes;
    double loss = 0, weight = 0, right = 0, n = 0;
    epoch->test_loss = epoch->test_accuracy = NAN;
    if (!t->has_test)
        return SP_OK;
    sp_status status = SP_OK;
    TRY(sp_network_predict(t->network, t->test.n, t->test.signals, t->options.threads, t->answers, err));
    for (int64_t i = 0; i < t->test.n; i++) {
        double w = t->test.weights ? t->test.weights[i] : 1;
        int32_t label = t->test.labels[i];
        bool is_right = false;
        if (label < 0 || w == 0)
            continue;
        const uint8_t *mask =
            t->options.masking == SP_MASKING_STEP_MASK ? t->test.mask + (size_t)i * k : NULL;
        loss += w * judge_test(t->answers + (size_t)i * k, (int32_t)k, label, mask, &is_right);
        weight += w;
        right += is_right;
        n++;
    }
    if (weight > 0) {
        epoch->test_loss = loss / weight;
        epoch->test_accuracy = right / n;
    }
done:
    return status;
}

static sp_status learn(sp_trainer *t, gsl_rng *rng, sp_epoch *epoch, void (*done)(void *arg, int64_t n_steps),
                       void *arg, sp_error *err)
{
    double sum = 0, weight = 0, right = 0;
    for (int64_t first = 0; first < t->n_order; first += t->options.batch) {
        int32_t n = (int32_t)(t->n_order - first < t->options.batch ? t->n_order - first : t->options.batch);
        double loss = 0;
        draw_dropout(t, rng, n);
        draw_masks(t, rng, t->order + first, n);
        t->now = (batch){.n = n,
                         .rows = t->order + first,
                         .keep = t->network->shape.dropout > 0 ? t->keep : NULL,
                         .mask = t->options.masking == SP_MASKING_NONE ? NULL : t->mask,
                         .replaces = t->options.masking == SP_MASKING_RANDOM_PREVIOUS};
        sp_status status = do_batch(t, &loss, err);
        if (status != SP_OK)
            return status;
        adam(t);
        sum += loss * t->now.total_weight;
        weight += t->now.total_weight;
        for (int32_t i = 0; i < n; i++)
            right += t->is_right[i];
        if (done)
            done(arg, first + n);
    }
    epoch->loss = sum / weight;
    epoch->accuracy = right / (double)t->n_order;
    return SP_OK;
}

sp_status sp_trainer_epoch(sp_trainer *t, void (*told)(void *arg, int64_t n_steps), void *arg, sp_error *err)
{
    sp_training_state *state = t->state;
    sp_epoch *epochs = realloc(state->epochs, ((size_t)state->n_epochs + 1) * sizeof *epochs);
    if (!epochs)
        return sp_no_memory(err);
    state->epochs = epochs;
    gsl_rng *rng = epoch_rng(t->options.seed, state->n_epochs);
    if (!rng)
        return sp_no_memory(err);
    sp_epoch *epoch = &epochs[state->n_epochs];
    shuffle(t, rng);
    sp_status status = SP_OK;
    TRY(learn(t, rng, epoch, told, arg, err));
    TRY(test(t, epoch, err));
    state->n_epochs++;
done:
    gsl_rng_free(rng);
    return status;
}
