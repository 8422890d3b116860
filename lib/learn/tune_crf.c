/* Conditional random fields drawn to the tuned counts.
 *
 * A classifier's errors come in runs, which a chain takes for independent evidence: the most likely scale and weights are then
 * good for probabilities and bad for paths. So the weights are drawn to those of the tuned counts, how much is chosen by what
 * becomes of recordings held out, and the scale is tried free and as the counts have it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "learn/crf.h"
#include "learn/crf_private.h"
#include "learn/training.h"
#include "learn/tune.h"

typedef struct candidate {
    bool fixes_scale;
    double penalty; /* INFINITY: the counts themselves */
} candidate;

static const double penalties[] = {300, 30};
static const double usual_penalty = 3;

typedef struct search_state {
    sp_tuner tuner;
    const sp_rules *rules;
    sp_crf_weights weights; /* of the tuned counts */
    double smoothing;
    sp_crf *crf;
    int64_t n;      /* parameters */
    double *centre; /* [n] from counts: what weights are drawn to */
    double *theta;  /* [n_folds + 1, n] of the last candidate: where the next one starts */
} search_state;

/* Fits one candidate on the recordings that count now, from theta. */
static sp_status fit_one(search_state *u, candidate c, double precision, double *theta, sp_minimised *result, sp_error *err)
{
    *result = (sp_minimised){0};
    sp_status status = sp_crf_from_counts(u->crf, u->smoothing, &u->weights, u->centre, err);
    if (status != SP_OK)
        return status;
    if (isinf(c.penalty)) {
        memcpy(theta, u->centre, (size_t)u->n * sizeof *theta);
        return SP_OK;
    }
    if (c.fixes_scale)
        theta[0] = u->centre[0];
    sp_crf_penalty penalty = {.weight = c.penalty, .centre = u->centre, .fixes_scale = c.fixes_scale};
    return sp_crf_minimise(u->crf, theta, &penalty, precision, u->tuner.workers, result, err);
}

static sp_status judge(search_state *u, candidate c, double *value, sp_error *err)
{
    sp_tuner *tuner = &u->tuner;
    sp_status status = SP_OK;
    for (int32_t f = 0; status == SP_OK && f < tuner->n_folds; f++) {
        sp_crf_use(u->crf, sp_tuner_without(tuner, f).use);
        sp_minimised result;
        double *theta = u->theta + (int64_t)f * u->n;
        sp_model *model = NULL;
        status = fit_one(u, c, 1e-4, theta, &result, err);
        if (status == SP_OK)
            status = sp_crf_to_model(u->crf, theta, "fold", &model, err);
        if (status == SP_OK) {
            sp_model_free(tuner->models[f]);
            tuner->models[f] = model;
        }
    }
    return status == SP_OK ? sp_tuner_judge(tuner, value, err) : status;
}

/* The counts first, which win ties; then fixed and free scale, from the strongest penalty to the weakest, until one does
 * worse than the best. */
static sp_status search(search_state *u, candidate *best, double *after, sp_error *err)
{
    double best_value, value;
    candidate c = {true, INFINITY};
    sp_status status = judge(u, c, &best_value, err);
    if (status == SP_OK && u->tuner.options->penalty == 0)
        *best = c;
    else
        best_value = -INFINITY;
    for (int is_free = 0; status == SP_OK && is_free < 2; is_free++) {
        int n_worse = 0;
        for (size_t i = 0; status == SP_OK && n_worse < 1 && i < sizeof penalties / sizeof *penalties; i++) {
            c = (candidate){!is_free, u->tuner.options->penalty > 0 ? u->tuner.options->penalty : penalties[i]};
            status = judge(u, c, &value, err);
            n_worse += status == SP_OK && value <= best_value;
            if (status == SP_OK && value > best_value) {
                best_value = value;
                *best = c;
            }
            if (u->tuner.options->penalty > 0)
                break;
        }
    }
    *after = best_value;
    return status;
}

static sp_status search_init(search_state *u, sp_error *err)
{
    sp_tuner *tuner = &u->tuner;
    sp_status status = sp_crf_new(tuner->training, u->rules, tuner->options->memory, &u->crf, err);
    if (status == SP_OK)
        status = sp_tuner_init(tuner, err);
    if (status != SP_OK)
        return status;
    u->n = sp_crf_n_parameters(u->crf);
    size_t rows = (size_t)tuner->options->n_folds + 2;
    u->theta = sp_zeros(&tuner->own, rows * (size_t)u->n, sizeof *u->theta);
    if (!u->theta)
        return sp_no_memory(err);
    u->centre = u->theta + (rows - 1) * (size_t)u->n;
    for (size_t i = 0; i < rows && status == SP_OK; i++)
        status = sp_crf_from_counts(u->crf, u->smoothing, &u->weights, u->theta + i * (size_t)u->n, err);
    return status;
}

sp_status sp_fit_crf(const sp_training *training, const sp_fit_options *options, const sp_rules *rules, sp_workers *workers,
                     sp_model **out, sp_fit_report *report, sp_error *err)
{
    sp_settings settings;
    sp_rules tuned = *rules; /* with the dwell of the settings */
    sp_status status = sp_tune_counts(training, options, rules, workers, &settings, report, err);
    if (status != SP_OK)
        return status;
    tuned.dwell = malloc((size_t)rules->n_classes * sizeof *tuned.dwell);
    if (!tuned.dwell)
        return sp_no_memory(err);
    bool is_tuned = !isnan(report->after);
    search_state u = {
        .tuner = {.training = training, .options = options, .workers = workers}, .rules = &tuned, .weights = {1, 1, 1}};
    u.smoothing = options->smoothing > 0 ? options->smoothing : 1e-3;
    if (is_tuned)
        u.weights = (sp_crf_weights){1 / settings.temperature, settings.transition_weight, settings.prior_weight};
    candidate best = {false, options->penalty > 0 ? options->penalty : usual_penalty};
    status = sp_settings_dwell(&settings, training, rules, tuned.dwell, err);
    if (status == SP_OK)
        status = search_init(&u, err);
    if (status == SP_OK && is_tuned && u.tuner.n_folds > 0)
        status = search(&u, &best, &report->after, err);
    sp_minimised result;
    if (status == SP_OK) {
        double *theta = u.theta + (int64_t)options->n_folds * u.n;
        sp_crf_use(u.crf, NULL);
        status = fit_one(&u, best, 1e-8, theta, &result, err);
        double value = 0;
        if (status == SP_OK)
            status = sp_crf_objective(u.crf, theta, NULL, workers, &value, NULL, err);
        if (status == SP_OK) {
            report->violations = u.crf->violations; /* moved */
            u.crf->violations = (sp_violations){0};
            report->scale = theta[0];
            report->penalty = best.penalty;
            report->iterations = result.iterations;
            report->log_likelihood = -value;
            report->n_candidates += u.tuner.n_done;
            status = sp_crf_to_model(u.crf, theta, options->name, out, err);
        }
    }
    sp_crf_free(u.crf);
    sp_tuner_clear(&u.tuner);
    free(tuned.dwell);
    return status;
}
