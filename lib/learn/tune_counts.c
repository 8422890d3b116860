/* Counts, and the settings that make the most of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "learn/cross.h"
#include "learn/tune.h"

/* ---- inner folds ---- */

static bool is_labelled(const sp_training *training, int64_t n)
{
    for (int64_t t = training->batch.offsets[n]; training->labels && t < training->batch.offsets[n + 1]; t++)
        if (training->labels[t] >= 0)
            return sp_training_uses(training, n);
    return false;
}

sp_status sp_inner_folds(const sp_training *training, const sp_fit_options *options, int32_t *n_folds, int32_t *fold,
                         sp_error *err)
{
    int64_t N = training->batch.n_recordings, n = 0, n_groups = 0;
    int64_t *offsets = malloc((size_t)(N + 1) * sizeof *offsets);
    int32_t *group = malloc((size_t)(N + 1) * sizeof *group), *inner = malloc((size_t)(N + 1) * sizeof *inner);
    sp_status status =
        offsets && group && inner ? SP_OK : sp_fail(err, SP_ENOMEM, "no memory for the folds of %lld recordings", (long long)N);
    if (status == SP_OK) {
        offsets[0] = 0;
        for (int64_t r = 0; r < N; r++) {
            if (!is_labelled(training, r))
                continue;
            offsets[n + 1] = offsets[n] + training->batch.offsets[r + 1] - training->batch.offsets[r];
            group[n] = options->group ? options->group[r] : (int32_t)n;
            bool is_new = true;
            for (int64_t q = 0; options->group && is_new && q < n; q++)
                is_new = group[q] != group[n];
            n_groups += is_new;
            n++;
        }
        sp_batch labelled = {.n_recordings = n, .offsets = offsets};
        *n_folds = n_groups < *n_folds ? (int32_t)n_groups : *n_folds;
        if (*n_folds < 2)
            *n_folds = 0;
        else
            status = sp_folds_assign(&labelled, group, *n_folds, inner, err);
        n = 0;
        for (int64_t r = 0; status == SP_OK && r < N; r++)
            fold[r] = *n_folds && is_labelled(training, r) ? inner[n++] : -1;
    }
    free(offsets);
    free(group);
    free(inner);
    return status;
}

/* ---- settings ---- */

static const double temperatures[] = {0.5, 0.7, 1, 1.5, 2, 3, 4, 6, 9, 14, 20, 30, 45, 70};
static const double transition_weights[] = {0, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4.5, 6};
static const double prior_weights[] = {-0.5, -0.25, 0, 0.25, 0.5, 0.75, 1, 1.5};
static const double dwells[] = {0, 0.01, 0.02, 0.05, 0.1, 0.2};

typedef struct coordinate {
    size_t offset; /* in sp_settings */
    int n;
    const double *values;
} coordinate;

#define COUNT(array) (int)(sizeof(array) / sizeof *(array))

static const coordinate coordinates[] = {
    {offsetof(sp_settings, temperature), COUNT(temperatures), temperatures},
    {offsetof(sp_settings, prior_weight), COUNT(prior_weights), prior_weights},
    {offsetof(sp_settings, transition_weight), COUNT(transition_weights), transition_weights},
    {offsetof(sp_settings, dwell), COUNT(dwells), dwells},
};

static double *value_of(sp_settings *s, const coordinate *c)
{
    return (double *)(void *)((char *)s + c->offset);
}

sp_status sp_settings_dwell(const sp_settings *settings, const sp_training *training, const sp_rules *rules, int32_t *out,
                            sp_error *err)
{
    enum { LONGEST = 200 };
    size_t K = (size_t)rules->n_classes;
    sp_run_lengths *runs = malloc(K * sizeof *runs);
    sp_status status = runs ? sp_run_lengths_collect(training, settings->dwell, runs, err)
                            : sp_fail(err, SP_ENOMEM, "no memory for the run lengths of %zu classes", K);
    for (size_t k = 0; status == SP_OK && k < K; k++) {
        bool may_stay = settings->dwell > 0 && rules->allow[k * K + k];
        int32_t wanted = may_stay ? runs[k].proposed_min_dwell : 1;
        wanted = wanted > LONGEST ? LONGEST : wanted;
        out[k] = wanted > rules->dwell[k] ? wanted : rules->dwell[k];
    }
    free(runs);
    return status;
}

/* Writes settings into a model of counts, whose classes are in column order. */
static sp_status apply(const sp_settings *s, const sp_training *training, const sp_rules *rules, sp_model *model, sp_error *err)
{
    model->temperature = s->temperature;
    model->transition_weight = s->transition_weight;
    model->prior_weight = s->prior_weight;
    if (!model->min_dwell && !(model->min_dwell = malloc((size_t)model->n_classes * sizeof *model->min_dwell)))
        return sp_fail(err, SP_ENOMEM, "no memory for the dwell of %d classes", model->n_classes);
    return sp_settings_dwell(s, training, rules, model->min_dwell, err);
}

/* The models of the inner folds, each with what it was made from. */
typedef struct tuner {
    const sp_training *training;
    const sp_fit_options *options;
    const sp_rules *rules;
    sp_workers *workers;
    int32_t n_folds;
    int32_t *fold;     /* [N] */
    uint8_t *use;      /* [n_folds,N] */
    uint8_t *labelled; /* [N] what is judged */
    sp_model **models; /* [n_folds] */
    int32_t n_done;
} tuner;

static sp_training without(const tuner *u, int32_t f)
{
    sp_training others = *u->training;
    others.use = u->use + (size_t)f * (size_t)u->training->batch.n_recordings;
    return others;
}

static sp_status judge(tuner *u, const sp_settings *s, double *value, sp_error *err)
{
    sp_status status = sp_training_go_on(u->training, err);
    for (int32_t f = 0; status == SP_OK && f < u->n_folds; f++) {
        sp_training others = without(u, f);
        status = apply(s, &others, u->rules, u->models[f], err);
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

/* One setting after the other, twice round; a new value must be better, so the plain ones win ties. */
static sp_status search(tuner *u, sp_settings *best, double *before, double *after, sp_error *err)
{
    double best_value;
    sp_status status = judge(u, best, &best_value, err);
    *before = best_value;
    for (int round = 0; status == SP_OK && round < 2; round++)
        for (int c = 0; status == SP_OK && c < COUNT(coordinates); c++) {
            sp_settings base = *best;
            for (int i = 0; status == SP_OK && i < coordinates[c].n; i++) {
                sp_settings s = base;
                if (*value_of(&s, &coordinates[c]) == coordinates[c].values[i])
                    continue;
                *value_of(&s, &coordinates[c]) = coordinates[c].values[i];
                double value;
                status = judge(u, &s, &value, err);
                if (status == SP_OK && value > best_value + 1e-12) {
                    best_value = value;
                    *best = s;
                }
            }
        }
    *after = best_value;
    return status;
}

static sp_status tuner_init(tuner *u, sp_error *err)
{
    size_t N = (size_t)u->training->batch.n_recordings;
    u->n_folds = u->options->n_folds;
    u->fold = malloc((N + 1) * sizeof *u->fold);
    u->use = malloc((size_t)u->n_folds * N + 1);
    u->labelled = malloc(N + 1);
    u->models = calloc((size_t)u->n_folds, sizeof(sp_model *));
    if (!u->fold || !u->use || !u->labelled || !u->models)
        return sp_fail(err, SP_ENOMEM, "no memory for the folds of %zu recordings", N);
    sp_status status = sp_inner_folds(u->training, u->options, &u->n_folds, u->fold, err);
    for (size_t n = 0; status == SP_OK && n < N; n++)
        u->labelled[n] = u->fold[n] >= 0;
    for (int32_t f = 0; status == SP_OK && f < u->n_folds; f++) {
        for (size_t n = 0; n < N; n++)
            u->use[(size_t)f * N + n] = u->labelled[n] && u->fold[n] != f;
        sp_training others = without(u, f);
        status = sp_model_from_labels(&others, u->rules, u->options->smoothing, "fold", &u->models[f], NULL, err);
    }
    return status;
}

static void tuner_clear(tuner *u)
{
    for (int32_t f = 0; u->models && f < u->options->n_folds; f++)
        sp_model_free(u->models[f]);
    free(u->models);
    free(u->fold);
    free(u->use);
    free(u->labelled);
}

sp_status sp_tune_counts(const sp_training *training, const sp_fit_options *options, const sp_rules *rules, sp_workers *workers,
                         sp_settings *best, sp_fit_report *report, sp_error *err)
{
    sp_settings found = {1, 1, 0, 0};
    sp_status status = SP_OK;
    if (options->tune != SP_TUNE_NONE && training->batch.scores.data) {
        tuner u = {.training = training, .options = options, .rules = rules, .workers = workers};
        status = tuner_init(&u, err);
        if (status == SP_OK && u.n_folds > 0)
            status = search(&u, &found, &report->before, &report->after, err);
        report->n_candidates += u.n_done;
        tuner_clear(&u);
    }
    if (status == SP_OK)
        *best = found;
    return status;
}

sp_status sp_fit_counts(const sp_training *training, const sp_fit_options *options, const sp_rules *rules, sp_workers *workers,
                        sp_model **out, sp_fit_report *report, sp_error *err)
{
    sp_model *model = NULL;
    sp_settings best;
    sp_status status = sp_model_from_labels(training, rules, options->smoothing, options->name, &model, &report->violations, err);
    if (status == SP_OK)
        status = sp_tune_counts(training, options, rules, workers, &best, report, err);
    if (status == SP_OK && !isnan(report->after))
        status = apply(&best, training, rules, model, err);
    if (status == SP_OK)
        *out = model;
    else
        sp_model_free(model);
    return status;
}
