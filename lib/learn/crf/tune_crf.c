/* Conditional random fields drawn to the tuned counts.
 *
 * A classifier's errors come in runs, which a chain takes for independent evidence: the most likely scale and weights are then
 * good for probabilities and bad for paths. So the weights are drawn to those of the tuned counts, how much is chosen by what
 * becomes of recordings held out, and the scale is tried free and as the counts have it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "learn/crf/crf.h"
#include "learn/crf/crf_private.h"
#include "learn/training.h"
#include "learn/tune.h"

typedef struct candidate {
    bool fixes_scale;
    double penalty; /* INFINITY: the counts themselves */
} candidate;

static const double penalties[] = {300, 30};
enum { N_PENALTIES = sizeof penalties / sizeof *penalties, MOST_CANDIDATES = 1 + 2 * N_PENALTIES };
static const double usual_penalty = 3;

typedef struct judged_candidate {
    candidate is;
    sp_evidence evidence;
} judged_candidate;

typedef struct search_state {
    sp_tuner tuner;
    const sp_rules *rules;
    sp_crf_weights weights; /* of the tuned counts */
    double smoothing;
    sp_crf *crf;
    int64_t n;      /* parameters */
    double *centre; /* [n] from counts: what weights are drawn to */
    double *theta;  /* [n_folds + 1, n] of the last candidate: where the next one starts */
    int n_judged;
    judged_candidate judged[MOST_CANDIDATES]; /* from the simplest on */
} search_state;

/* Fits one candidate on the recordings that count now, from theta. */
static sp_status fit_one(search_state *u, candidate c, double precision, double *theta, sp_minimised *result,
                         sp_error *err)
{
    *result = (sp_minimised){0};
    sp_status status = SP_OK;
    TRY(sp_crf_from_counts(u->crf, u->smoothing, &u->weights, u->tuner.workers, u->centre, err));
    if (isinf(c.penalty)) {
        memcpy(theta, u->centre, (size_t)u->n * sizeof *theta);
        return SP_OK;
    }
    if (c.fixes_scale)
        theta[0] = u->centre[0];
    sp_crf_penalty penalty = {.weight = c.penalty, .centre = u->centre, .fixes_scale = c.fixes_scale};
    TRY(sp_crf_minimise(u->crf, theta, &penalty, precision, u->tuner.workers, result, err));
done:
    return status;
}

/* The next candidate, and its models of the folds. */
static sp_status judge(search_state *u, candidate c, double *value, sp_error *err)
{
    sp_tuner *tuner = &u->tuner;
    judged_candidate *now = &u->judged[u->n_judged];
    sp_status status = SP_OK;
    for (int32_t f = 0; f < tuner->n_folds; f++) {
        sp_crf_use(u->crf, sp_tuner_without(tuner, f).use);
        sp_minimised result;
        double *theta = u->theta + (int64_t)f * u->n;
        TRY(fit_one(u, c, 1e-4, theta, &result, err));
        sp_model_free(tuner->models[f]);
        tuner->models[f] = NULL;
        TRY(sp_crf_to_model(u->crf, theta, "fold", &tuner->models[f], err));
    }
    now->is = c;
    TRY(sp_tuner_judge(tuner, tuner->models, &now->evidence, err));
    *value = now->evidence.value;
    u->n_judged++;
done:
    return status;
}

/* The counts first; then fixed and free scale, from the strongest penalty to the weakest, until one does worse than the best. Chosen is the
 * first of those within one standard error of the best. */
static sp_status search(search_state *u, int *chosen, sp_error *err)
{
    double best_value = -INFINITY, value;
    int best = 0;
    const double asked = u->tuner.options->penalty;
    sp_status status = SP_OK;
    if (asked == 0)
        TRY(judge(u, (candidate){true, INFINITY}, &best_value, err));
    for (int is_free = 0; is_free < 2; is_free++)
        for (int i = 0; i < (asked > 0 ? 1 : N_PENALTIES); i++) {
            TRY(judge(u, (candidate){!is_free, asked > 0 ? asked : penalties[i]}, &value, err));
            if (value <= best_value)
                break;
            best_value = value;
            best = u->n_judged - 1;
        }
    for (*chosen = 0; *chosen < best; (*chosen)++) {
        double error;
        if (sp_evidence_gain(&u->judged[best].evidence, &u->judged[*chosen].evidence, &error) <= error)
            break;
    }
done:
    return status;
}

static sp_status search_init(search_state *u, sp_error *err)
{
    sp_tuner *tuner = &u->tuner;
    sp_status status = SP_OK;
    TRY(sp_crf_new(tuner->training, u->rules, tuner->options->memory, &u->crf, err));
    TRY(sp_tuner_init(tuner, err));
    u->n = sp_crf_n_parameters(u->crf);
    size_t rows = (size_t)tuner->options->n_folds + 2;
    u->theta = sp_zeros(&tuner->own, rows * (size_t)u->n, sizeof *u->theta);
    if (!u->theta)
        return sp_no_memory(err);
    u->centre = u->theta + (rows - 1) * (size_t)u->n;
    for (size_t i = 0; i < rows; i++)
        TRY(sp_crf_from_counts(u->crf, u->smoothing, &u->weights, tuner->workers, u->theta + i * (size_t)u->n,
                               err));
done:
    return status;
}

sp_status sp_fit_crf(const sp_training *training, const sp_fit_options *options, const sp_rules *rules,
                     sp_workers *workers, sp_model **out, sp_fit_report *report, sp_error *err)
{
    sp_settings settings;
    sp_model *model = NULL;
    sp_rules tuned = *rules; /* with the dwell of the settings */
    search_state u = {
        .tuner = {.training = training, .options = options, .workers = workers, .most_steps = SP_TUNED_STEPS},
        .rules = &tuned,
        .weights = {1, 1, 1}};
    sp_status status = SP_OK;
    tuned.dwell = malloc((size_t)rules->n_classes * sizeof *tuned.dwell);
    if (!tuned.dwell)
        TRY(sp_no_memory(err));
    TRY(sp_tune_counts(training, options, rules, workers, &settings, NULL, report, err));
    const bool is_tuned = !isnan(report->after);
    u.smoothing = options->smoothing > 0 ? options->smoothing : 1e-3;
    if (is_tuned)
        u.weights =
            (sp_crf_weights){1 / settings.temperature, settings.transition_weight, settings.prior_weight};
    candidate best = {false, options->penalty > 0 ? options->penalty : usual_penalty};
    TRY(sp_settings_dwell(&settings, training, rules, tuned.dwell, err));
    TRY(search_init(&u, err));
    int chosen = 0;
    if (is_tuned && u.tuner.n_folds > 0) {
        TRY(search(&u, &chosen, err));
        best = u.judged[chosen].is;
        report->after = u.judged[chosen].evidence.value;
    }
    sp_minimised result;
    double *theta = u.theta + (int64_t)options->n_folds * u.n, value = 0;
    uint8_t *use = sp_zeros(&u.tuner.own, (size_t)training->batch.n_recordings, 1);
    TRY(sp_owned_status(&u.tuner.own, err));
    for (int64_t n = 0; n < training->batch.n_recordings; n++)
        use[n] = sp_training_uses(training, n);
    TRY(sp_thin_out(training, options->group, SP_FIELD_STEPS, use, err));
    sp_crf_use(u.crf, use);
    TRY(fit_one(&u, best, 1e-8, theta, &result, err));
    TRY(sp_crf_objective(u.crf, theta, NULL, workers, &value, NULL, err));
    report->violations = u.crf->violations; /* moved */
    u.crf->violations = (sp_violations){0};
    report->scale = theta[0];
    report->penalty = best.penalty;
    report->iterations = result.iterations;
    report->log_likelihood = -value;
    report->n_candidates += u.tuner.n_done;
    TRY(sp_crf_to_model(u.crf, theta, options->name, &model, err));
    *out = model;
    model = NULL;
done:
    sp_model_free(model);
    sp_crf_free(u.crf);
    sp_tuner_clear(&u.tuner);
    free(tuned.dwell);
    return status;
}
