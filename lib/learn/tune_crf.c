/* Conditional random fields drawn to the tuned counts.
 *
 * A classifier's errors come in runs, which a chain takes for independent evidence: the most likely scale and weights are then
 * good for probabilities and bad for paths. So the weights are drawn to those of the tuned counts, how much is chosen by what
 * becomes of recordings held out, and the scale is tried free and as the counts have it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "learn/cross.h"
#include "learn/tune.h"
#include "statepath/crf.h"

typedef struct candidate {
    bool fixes_scale;
    double penalty; /* INFINITY: the counts themselves */
} candidate;

static const double penalties[] = {300, 30};
static const double usual_penalty = 3;

typedef struct tuner {
    const sp_training *training;
    const sp_fit_options *options;
    const sp_rules *rules;
    sp_crf_weights weights; /* of the tuned counts */
    double smoothing;
    sp_workers *workers;
    sp_crf *crf;
    int64_t n;      /* parameters */
    double *centre; /* [n] from counts: what weights are drawn to */
    int32_t n_folds, n_done;
    int32_t *fold; /* [N] */
    uint8_t *use;  /* [N] */
    uint8_t *labelled;
    double *theta; /* [n_folds + 1, n] of the last candidate: where the next one starts */
    sp_model **models;
} tuner;

/* Fits one candidate on the recordings that count now, from theta. */
static sp_status fit_one(tuner *u, candidate c, double precision, double *theta, sp_minimised *result, sp_error *err)
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
    return sp_crf_minimise(u->crf, theta, &penalty, precision, u->workers, result, err);
}

static sp_status judge(tuner *u, candidate c, double *value, sp_error *err)
{
    size_t N = (size_t)u->training->batch.n_recordings;
    sp_status status = SP_OK;
    for (int32_t f = 0; status == SP_OK && f < u->n_folds; f++) {
        for (size_t n = 0; n < N; n++)
            u->use[n] = u->labelled[n] && u->fold[n] != f;
        sp_crf_use(u->crf, u->use);
        sp_minimised result;
        double *theta = u->theta + (int64_t)f * u->n;
        if ((status = fit_one(u, c, 1e-4, theta, &result, err)) != SP_OK)
            break;
        sp_model *model = NULL;
        status = sp_crf_to_model(u->crf, theta, "fold", &model, err);
        if (status == SP_OK) {
            sp_model_free(u->models[f]);
            u->models[f] = model;
        }
    }
    sp_training judged = *u->training;
    judged.use = u->labelled;
    if (status == SP_OK)
        status = sp_cross_judge(&judged, (const sp_model *const *)u->models, u->fold, u->n_folds, &u->options->strategy,
                                u->options->tune, u->workers, value, err);
    u->n_done++;
    if (status == SP_OK && u->options->progress)
        u->options->progress(u->options->progress_arg, "settings", u->n_done, 0);
    return status;
}

/* The counts first, which win ties; then fixed and free scale, from the strongest penalty to the weakest, until one does
 * worse than the best. */
static sp_status search(tuner *u, candidate *best, double *after, sp_error *err)
{
    double best_value, value;
    candidate c = {true, INFINITY};
    sp_status status = judge(u, c, &best_value, err);
    if (status == SP_OK && u->options->penalty == 0)
        *best = c;
    else
        best_value = -INFINITY;
    for (int is_free = 0; status == SP_OK && is_free < 2; is_free++) {
        int n_worse = 0;
        for (size_t i = 0; status == SP_OK && n_worse < 1 && i < sizeof penalties / sizeof *penalties; i++) {
            c = (candidate){!is_free, u->options->penalty > 0 ? u->options->penalty : penalties[i]};
            status = judge(u, c, &value, err);
            n_worse += status == SP_OK && value <= best_value;
            if (status == SP_OK && value > best_value) {
                best_value = value;
                *best = c;
            }
            if (u->options->penalty > 0)
                break;
        }
    }
    *after = best_value;
    return status;
}

static sp_status tuner_init(tuner *u, sp_error *err)
{
    size_t N = (size_t)u->training->batch.n_recordings;
    sp_status status = sp_crf_new(u->training, u->rules, u->options->memory, &u->crf, err);
    if (status != SP_OK)
        return status;
    u->n = sp_crf_n_parameters(u->crf);
    u->n_folds = u->options->n_folds;
    size_t rows = (size_t)u->n_folds + 2;
    u->theta = malloc(rows * (size_t)u->n * sizeof *u->theta);
    u->fold = malloc((N + 1) * sizeof *u->fold);
    u->use = malloc(2 * N + 1);
    u->models = calloc((size_t)u->n_folds, sizeof(sp_model *));
    if (!u->theta || !u->fold || !u->use || !u->models)
        return sp_fail(err, SP_ENOMEM, "no memory for the folds of %zu recordings", N);
    u->centre = u->theta + (rows - 1) * (size_t)u->n;
    u->labelled = u->use + N;
    for (size_t i = 0; i < rows && status == SP_OK; i++)
        status = sp_crf_from_counts(u->crf, u->smoothing, &u->weights, u->theta + i * (size_t)u->n, err);
    if (status == SP_OK)
        status = sp_inner_folds(u->training, u->options, &u->n_folds, u->fold, err);
    for (size_t n = 0; status == SP_OK && n < N; n++)
        u->labelled[n] = u->fold[n] >= 0;
    return status;
}

static void tuner_clear(tuner *u)
{
    for (int32_t f = 0; u->models && f < u->options->n_folds; f++)
        sp_model_free(u->models[f]);
    free(u->models);
    free(u->theta);
    free(u->fold);
    free(u->use);
    sp_crf_free(u->crf);
}

static sp_status copy_violations(const sp_violations *from, int32_t n_classes, sp_violations *to, sp_error *err)
{
    size_t bytes = (size_t)n_classes * (size_t)n_classes * sizeof *to->illegal_pairs;
    int64_t *pairs = malloc(bytes);
    if (!pairs)
        return sp_fail(err, SP_ENOMEM, "no memory for the pairs of %d classes", n_classes);
    memcpy(pairs, from->illegal_pairs, bytes);
    *to = *from;
    to->illegal_pairs = pairs;
    return SP_OK;
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
        return sp_fail(err, SP_ENOMEM, "no memory for the dwell of %d classes", rules->n_classes);
    bool is_tuned = !isnan(report->after);
    tuner u = {.training = training, .options = options, .rules = &tuned, .workers = workers, .weights = {1, 1, 1}};
    u.smoothing = options->smoothing > 0 ? options->smoothing : 1e-3;
    if (is_tuned)
        u.weights = (sp_crf_weights){1 / settings.temperature, settings.transition_weight, settings.prior_weight};
    candidate best = {false, options->penalty > 0 ? options->penalty : usual_penalty};
    status = sp_settings_dwell(&settings, training, rules, tuned.dwell, err);
    if (status == SP_OK)
        status = tuner_init(&u, err);
    if (status == SP_OK && is_tuned && u.n_folds > 0)
        status = search(&u, &best, &report->after, err);
    sp_minimised result;
    if (status == SP_OK) {
        double *theta = u.theta + (int64_t)options->n_folds * u.n;
        sp_crf_use(u.crf, NULL);
        status = fit_one(&u, best, 1e-8, theta, &result, err);
        double value = 0;
        if (status == SP_OK)
            status = sp_crf_objective(u.crf, theta, NULL, workers, &value, NULL, err);
        sp_violations violations;
        if (status == SP_OK)
            status = copy_violations(sp_crf_violations(u.crf), rules->n_classes, &violations, err);
        if (status == SP_OK) {
            report->violations = violations;
            report->scale = theta[0];
            report->penalty = best.penalty;
            report->iterations = result.iterations;
            report->log_likelihood = -value;
            report->n_candidates += u.n_done;
            status = sp_crf_to_model(u.crf, theta, options->name, out, err);
        }
    }
    tuner_clear(&u);
    free(tuned.dwell);
    return status;
}
