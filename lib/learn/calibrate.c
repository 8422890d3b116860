/* Temperature and vector scaling. Both are convex in the scales (temperature: in 1 / T). */
#include "statepath/learn.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/windows.h"
#include "core/numbers.h"
#include "core/owned.h"
#include "core/try.h"
#include "learn/lbfgs.h"
#include "learn/learn.h"
#include "learn/training.h"

static const double penalty = 1e-3;

/* Labelled steps with a possible label, as rows of doubles less their maximum. */
typedef struct rows {
    sp_owned own;
    int32_t K;
    int64_t n;
    double *e;      /* [n,K] */
    int32_t *label; /* [n] */
    double *p;      /* [K] room */
    bool one_scale; /* x is [1] log of the scale; else [2K]: scales, then biases */
    const sp_training *training;
} rows;

/* p = softmax(scale e + bias) of a row; returns log of the sum. scale, bias step by `step` 0 or 1 from class to class. */
static double softmax(const rows *r, const double *e, const double *scale, const double *bias, int step,
                      double *p)
{
    double greatest = -INFINITY, sum = 0;
    for (int32_t k = 0; k < r->K; k++) {
        p[k] = e[k] == -INFINITY ? -INFINITY : scale[(size_t)k * (size_t)step] * e[k] + (bias ? bias[k] : 0);
        greatest = p[k] > greatest ? p[k] : greatest;
    }
    for (int32_t k = 0; k < r->K; k++) {
        p[k] = exp(p[k] - greatest);
        sum += p[k];
    }
    for (int32_t k = 0; k < r->K; k++)
        p[k] /= sum;
    return greatest + log(sum);
}

static sp_status objective(void *arg, const double *x, double *value, double *gradient, sp_error *err)
{
    rows *r = arg;
    const sp_status status = sp_training_go_on(r->training, err);
    if (status != SP_OK)
        return status;
    int32_t K = r->K;
    double one = r->one_scale ? exp(x[0]) : 0, f = 0;
    const double *scale = r->one_scale ? &one : x, *bias = r->one_scale ? NULL : x + K;
    memset(gradient, 0, (size_t)(r->one_scale ? 1 : 2 * K) * sizeof *gradient);
    for (int64_t t = 0; t < r->n; t++) {
        const double *e = r->e + t * K;
        int32_t y = r->label[t];
        double log_z = softmax(r, e, scale, bias, !r->one_scale, r->p);
        f += log_z - (scale[r->one_scale ? 0 : y] * e[y] + (bias ? bias[y] : 0));
        for (int32_t k = 0; k < K; k++) {
            double away = r->p[k] - (k == y);
            gradient[r->one_scale ? 0 : k] += e[k] > -INFINITY ? away * e[k] : 0;
            if (bias)
                gradient[K + k] += away;
        }
    }
    for (int32_t i = 0; i < (r->one_scale ? 1 : 2 * K); i++) {
        double away = (r->one_scale ? one : x[i]) - (i < K);
        f += penalty / 2 * away * away;
        gradient[i] += penalty * away;
    }
    if (r->one_scale)
        gradient[0] *= one;
    *value = f;
    return SP_OK;
}

static void assess(rows *r, const double *scale, const double *bias, int step, sp_calibrated_state *out)
{
    *out = (sp_calibrated_state){0};
    for (int64_t t = 0; t < r->n; t++) {
        softmax(r, r->e + t * r->K, scale, bias, step, r->p);
        int32_t best = 0;
        for (int32_t k = 1; k < r->K; k++)
            best = r->p[k] > r->p[best] ? k : best;
        int bin = (int)(r->p[best] * SP_CALIBRATE_BINS);
        bin = bin >= SP_CALIBRATE_BINS ? SP_CALIBRATE_BINS - 1 : bin;
        out->nll -= log(fmax(r->p[r->label[t]], 1e-300)) / (double)r->n;
        out->count[bin]++;
        out->accuracy[bin] += best == r->label[t];
        out->confidence[bin] += r->p[best];
    }
    for (int b = 0; b < SP_CALIBRATE_BINS; b++) {
        if (!out->count[b])
            continue;
        out->ece += fabs(out->accuracy[b] - out->confidence[b]) / (double)r->n;
        out->accuracy[b] /= (double)out->count[b];
        out->confidence[b] /= (double)out->count[b];
    }
}

/* Is step t labelled with a class whose score is finite? */
static bool is_usable(const sp_training *training, int64_t t)
{
    return training->labels[t] >= 0 &&
           sp_scores_at(&training->batch.scores, t, training->labels[t]) > -INFINITY;
}

static sp_status collect(const sp_training *training, rows *r, sp_calibrated *out, sp_error *err)
{
    const sp_scores *s = &training->batch.scores;
    size_t K = (size_t)s->n_classes;
    r->K = s->n_classes;
    r->e = sp_zeros(&r->own, (size_t)s->n_steps, K * sizeof *r->e);
    r->label = sp_zeros(&r->own, (size_t)s->n_steps, sizeof *r->label);
    r->p = sp_zeros(&r->own, K, sizeof *r->p);
    if (!r->p)
        return sp_no_memory(err);
    for (int64_t n = 0; n < training->batch.n_recordings; n++)
        for (int64_t t = training->batch.offsets[n];
             sp_training_uses(training, n) && t < training->batch.offsets[n + 1]; t++) {
            int32_t y = training->labels[t];
            if (y < 0)
                continue;
            out->n_steps++;
            if (!is_usable(training, t)) {
                out->impossible++;
                continue;
            }
            double *row = r->e + (size_t)r->n * K, greatest = sp_score_row(s, t, row);
            for (size_t k = 0; k < K; k++)
                row[k] -= greatest;
            r->label[r->n++] = y;
        }
    r->training = training;
    return r->n
               ? SP_OK
               : sp_fail(err, SP_EINVAL,
                         "no labelled step whose class has a finite score: there is nothing to calibrate by");
}

static sp_status run(rows *r, double *x, sp_calibrated *c, sp_error *err)
{
    int32_t K = r->K;
    double one = 1;
    sp_lbfgs_result result;
    assess(r, &one, NULL, 0, &c->before);
    r->one_scale = true;
    x[0] = 0;
    sp_status status = SP_OK;
    TRY(sp_lbfgs(1, x, objective, r, 1e-11, 200, &result, err));
    one = exp(x[0]);
    c->temperature = 1 / one;
    assess(r, &one, NULL, 0, &c->by_temperature);
    r->one_scale = false;
    for (int32_t k = 0; k < K; k++) {
        x[k] = one;
        x[K + k] = 0;
    }
    TRY(sp_lbfgs((int64_t)2 * K, x, objective, r, 1e-11, 1000, &result, err));
    double mean = 0;
    for (int32_t k = 0; k < K; k++)
        mean += x[K + k] / K;
    for (int32_t k = 0; k < K; k++) {
        c->scale[k] = x[k];
        c->bias[k] = x[K + k] - mean;
    }
    assess(r, c->scale, c->bias, 1, &c->by_vector);
done:
    return status;
}

sp_status sp_calibrate(const sp_training *training, sp_calibrated *out, sp_error *err)
{
    if (!training->batch.scores.data || !training->labels)
        return sp_fail(err, SP_EINVAL, "calibration needs scores and labels");
    size_t K = (size_t)training->batch.scores.n_classes;
    sp_calibrated made = {.scale = malloc(2 * K * sizeof *made.scale)};
    rows r = {0};
    double *x = sp_zeros(&r.own, 2 * K, sizeof *x);
    sp_status status = SP_OK;
    if (!made.scale || !x)
        TRY(sp_no_memory(err));
    TRY(collect(training, &r, &made, err));
    made.bias = made.scale + K;
    TRY(run(&r, x, &made, err));
    *out = made;
    made.scale = NULL;
done:
    sp_owned_free(&r.own);
    sp_calibrated_clear(&made);
    return status;
}

void sp_calibrate_rows(const sp_calibrated *c, bool by_vector, const sp_scores *scores, double *out)
{
    int32_t K = scores->n_classes;
    for (int64_t t = 0; t < scores->n_steps; t++) {
        double *row = out + t * K, greatest = sp_score_row(scores, t, row);
        for (int32_t k = 0; k < K; k++)
            if (row[k] > -INFINITY)
                row[k] = by_vector ? c->scale[k] * (row[k] - greatest) + c->bias[k]
                                   : (row[k] - greatest) / c->temperature;
    }
}

void sp_scale_rows(const sp_scores *scores, const sp_scores_scaling *s, double *out)
{
    int32_t K = scores->n_classes;
    for (int64_t t = 0; t < scores->n_steps; t++) {
        double *row = out + t * K;
        bool says_nothing = sp_score_row(scores, t, row) == 0;
        for (int32_t k = 0; k < K; k++)
            says_nothing &= row[k] == 0;
        for (int32_t k = 0; !says_nothing && k < K; k++) {
            if (row[k] == -INFINITY) /* impossible, whatever the prior says */
                continue;
            double prior = s->log_prior ? s->prior_weight * s->log_prior[k] : 0;
            row[k] = s->undo ? (row[k] + prior) * s->temperature : row[k] / s->temperature - prior;
        }
    }
}

bool sp_rows_by_model(const sp_model *model, const sp_scores *scores, double *out)
{
    const size_t K = (size_t)scores->n_classes;
    const bool has_prior = model->prior && model->prior_weight != 0 && !isnan(model->prior_weight);
    double *log_prior = NULL;
    sp_scores now = *scores;
    if (has_prior && !(log_prior = malloc(K * sizeof *log_prior)))
        return false;
    for (size_t k = 0; log_prior && k < K; k++)
        log_prior[k] = log(model->prior[k]);
    if (!isnan(model->floor)) {
        for (int64_t t = 0; t < scores->n_steps; t++)
            sp_score_row(scores, t, out + (size_t)t * K);
        number_raise(out, scores->n_steps * scores->n_classes, log(model->floor));
        now.data = out;
        now.dtype = SP_F64;
    }
    const bool is_whole = !model->windows || sp_windows_rows(model->windows, &now, out);
    if (model->windows) {
        now.data = out;
        now.dtype = SP_F64;
    }
    const sp_scores_scaling by = {isnan(model->temperature) ? 1 : model->temperature,
                                  has_prior ? model->prior_weight : 0, log_prior, false};
    if (is_whole)
        sp_scale_rows(&now, &by, out);
    free(log_prior);
    return is_whole;
}

void sp_calibrated_clear(sp_calibrated *calibration)
{
    free(calibration->scale);
    *calibration = (sp_calibrated){0};
}
