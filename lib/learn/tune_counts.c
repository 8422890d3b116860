/* Counts, and the settings that make the most of them. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "core/try.h"
#include "learn/training.h"
#include "learn/tune.h"

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

sp_status sp_settings_dwell(const sp_settings *settings, const sp_training *training, const sp_rules *rules,
                            int32_t *out, sp_error *err)
{
    enum { LONGEST = 200 };
    size_t K = (size_t)rules->n_classes;
    sp_run_lengths *runs = malloc(K * sizeof *runs);
    sp_status status =
        runs ? sp_run_lengths_collect(training, settings->dwell, runs, err) : sp_no_memory(err);
    for (size_t k = 0; status == SP_OK && k < K; k++) {
        const bool has_duration = rules->durations && rules->durations[k].form != SP_DURATION_FREE;
        const bool may_stay = settings->dwell > 0 && rules->allow[k * K + k] && !has_duration;
        int32_t wanted = may_stay ? runs[k].proposed_min_dwell : 1;
        wanted = wanted > LONGEST ? LONGEST : wanted;
        out[k] = wanted > rules->dwell[k] ? wanted : rules->dwell[k];
    }
    free(runs);
    return status;
}

/* Writes settings into a model of counts, whose classes are in column order. */
static sp_status apply(const sp_settings *s, const sp_training *training, const sp_rules *rules,
                       sp_model *model, sp_error *err)
{
    model->temperature = s->temperature;
    model->transition_weight = s->transition_weight;
    model->prior_weight = s->prior_weight;
    if (rules->hidden) /* states keep their own */
        return SP_OK;
    if (!model->min_dwell &&
        !(model->min_dwell = malloc((size_t)model->n_classes * sizeof *model->min_dwell)))
        return sp_no_memory(err);
    return sp_settings_dwell(s, training, rules, model->min_dwell, err);
}

/* ---- the search ---- */

static const sp_settings plain = {1, 1, 0, 0};

enum { N_COORDINATES = COUNT(coordinates), N_SUBSETS = 1 << N_COORDINATES, MOST_TRIED = 128 };

typedef struct tried {
    sp_settings settings;
    sp_evidence evidence;
} tried;

typedef struct trials {
    sp_tuner *tuner;
    const sp_rules *rules;
    int n, best; /* best: of greatest value, the first of equals */
    tried list[MOST_TRIED];
} trials;

static bool is_same(const sp_settings *a, const sp_settings *b)
{
    return a->temperature == b->temperature && a->transition_weight == b->transition_weight &&
           a->prior_weight == b->prior_weight && a->dwell == b->dwell;
}

/* Settings, where they have not been tried, are written into the models of counts of each fold, which are judged. */
static sp_status attempt(trials *t, const sp_settings *s, sp_error *err)
{
    sp_tuner *u = t->tuner;
    sp_status status = SP_OK;
    for (int i = 0; i < t->n; i++)
        if (is_same(&t->list[i].settings, s))
            return SP_OK;
    assert(t->n < MOST_TRIED);
    tried *now = &t->list[t->n];
    now->settings = *s;
    TRY(sp_training_go_on(u->training, err));
    for (int32_t f = 0; f < u->n_folds; f++) {
        const sp_training others = sp_tuner_without(u, f);
        TRY(apply(s, &others, t->rules, u->models[f], err));
    }
    TRY(sp_tuner_judge(u, u->models, &now->evidence, err));
    if (t->n == 0 || now->evidence.value > t->list[t->best].evidence.value + 1e-12)
        t->best = t->n;
    t->n++;
done:
    return status;
}

/* One setting after the other, twice round. */
static sp_status search(trials *t, sp_error *err)
{
    sp_status status = SP_OK;
    TRY(attempt(t, &plain, err));
    for (int round = 0; round < 2; round++)
        for (int c = 0; c < N_COORDINATES - (t->rules->hidden != NULL); c++) { /* the last one is the dwell */
            sp_settings s = t->list[t->best].settings;
            for (int i = 0; i < coordinates[c].n; i++) {
                *value_of(&s, &coordinates[c]) = coordinates[c].values[i];
                TRY(attempt(t, &s, err));
            }
        }
done:
    return status;
}

/* `from` where bit c of the subset is set, plain elsewhere. */
static sp_settings part_of(sp_settings from, int subset)
{
    sp_settings s = plain;
    for (int c = 0; c < N_COORDINATES; c++)
        if (subset >> c & 1)
            *value_of(&s, &coordinates[c]) = *value_of(&from, &coordinates[c]);
    return s;
}

static int n_changed(sp_settings s)
{
    int n = 0;
    sp_settings base = plain;
    for (int c = 0; c < N_COORDINATES; c++)
        n += *value_of(&s, &coordinates[c]) != *value_of(&base, &coordinates[c]);
    return n;
}

/* The simplest within one standard error of the best: as few settings as can be differ from the plain ones; among equals the better. */
static const tried *choose(const trials *t)
{
    const tried *best = &t->list[t->best], *chosen = best;
    for (int i = 0; i < t->n; i++) {
        const tried *other = &t->list[i];
        double error;
        const double loss = sp_evidence_gain(&best->evidence, &other->evidence, &error);
        const int simpler = n_changed(chosen->settings) - n_changed(other->settings);
        if (loss <= error &&
            (simpler > 0 || (simpler == 0 && other->evidence.value > chosen->evidence.value)))
            chosen = other;
    }
    return chosen;
}

static sp_status tune(sp_tuner *u, const sp_rules *rules, sp_settings *found, sp_evidence *evidence,
                      sp_fit_report *report, sp_error *err)
{
    trials *t = calloc(1, sizeof *t);
    sp_status status = SP_OK;
    TRY(t ? SP_OK : sp_no_memory(err));
    t->tuner = u;
    t->rules = rules;
    TRY(search(t, err));
    const sp_settings best = t->list[t->best].settings;
    for (int subset = 0; subset < N_SUBSETS; subset++) {
        const sp_settings s = part_of(best, subset);
        TRY(attempt(t, &s, err));
    }
    const tried *chosen = choose(t);
    *found = chosen->settings;
    report->before = t->list[0].evidence.value;
    report->after = chosen->evidence.value;
    if (evidence)
        *evidence = t->list[t->best].evidence;
done:
    free(t);
    return status;
}

sp_status sp_tune_counts(const sp_training *training, const sp_fit_options *options, const sp_rules *rules,
                         sp_workers *workers, sp_settings *best, sp_evidence *evidence, sp_fit_report *report,
                         sp_error *err)
{
    sp_settings found = plain;
    sp_tuner u = {.training = training, .options = options, .workers = workers, .most_steps = SP_TUNED_STEPS};
    sp_status status = SP_OK;
    if (options->tune != SP_TUNE_NONE && training->batch.scores.data) {
        TRY(sp_tuner_init(&u, err));
        for (int32_t f = 0; f < u.n_folds; f++) {
            sp_training others = sp_tuner_without(&u, f);
            TRY(sp_model_from_labels(&others, rules, options->smoothing, workers, "fold", &u.models[f], NULL,
                                     err));
        }
        if (!(report->untuned = sp_tuner_reason_against(&u)))
            TRY(tune(&u, rules, &found, evidence, report, err));
        report->n_candidates += u.n_done;
    }
    *best = found;
done:
    sp_tuner_clear(&u);
    return status;
}

sp_status sp_fit_counts(const sp_training *training, const sp_fit_options *options, const sp_rules *rules,
                        sp_workers *workers, sp_model **out, sp_fit_report *report, sp_error *err)
{
    sp_model *model = NULL;
    sp_settings best;
    sp_status status = SP_OK;
    TRY(sp_model_from_labels(training, rules, options->smoothing, workers, options->name, &model,
                             &report->violations, err));
    TRY(sp_tune_counts(training, options, rules, workers, &best, NULL, report, err));
    if (!isnan(report->after))
        TRY(apply(&best, training, rules, model, err));
    *out = model;
    model = NULL;
done:
    sp_model_free(model);
    return status;
}
