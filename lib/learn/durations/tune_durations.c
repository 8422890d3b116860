/* Durations, learnt and judged. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "learn/durations/durations.h"
#include "learn/tune.h"

static const char no_runs[] =
    "no class has a run of which begin and end are seen, with lengths that can be tabled";

/* What the runs of a training set say of how long classes last: of all folds but one, and of all. */
typedef struct lengths {
    sp_owned own;
    sp_run_list runs;
    int32_t n_classes, n_folds;
    sp_learnt_duration *found; /* [K] */
    double *
        *p; /* [n_folds+1,K] tables without fold f, and at last of all; NULL: of a class nothing is learnt */
} lengths;

static void lengths_clear(lengths *l)
{
    sp_run_list_clear(&l->runs);
    sp_owned_free(&l->own);
}

static double **without(const lengths *l, int32_t fold)
{
    return l->p + (size_t)fold * (size_t)l->n_classes;
}

static double **of_all(const lengths *l)
{
    return without(l, l->n_folds);
}

static bool has_any(const lengths *l)
{
    for (int32_t k = 0; k < l->n_classes; k++)
        if (of_all(l)[k])
            return true;
    return false;
}

/* fold [N]: -1 in none. On failure it can (and must) still be cleared. */
static sp_status lengths_init(lengths *l, const sp_training *training, const int32_t *fold, int32_t n_folds,
                              sp_error *err)
{
    enum { NONE = -2 };
    const int32_t K = training->batch.scores.n_classes;
    *l = (lengths){.n_classes = K, .n_folds = n_folds};
    sp_status status = SP_OK;
    TRY(sp_run_list_collect(training, true, &l->runs, err));
    l->found = sp_zeros(&l->own, (size_t)K, sizeof *l->found);
    l->p = sp_zeros(&l->own, ((size_t)n_folds + 1) * (size_t)K, sizeof(double *));
    TRY(sp_owned_status(&l->own, err));
    TRY(sp_durations_choose(&l->runs, K, fold, n_folds, l->found, err));
    for (int32_t f = 0; f <= n_folds; f++) {
        TRY(sp_training_go_on(training, err));
        for (int32_t k = 0; k < K; k++) {
            if (l->found[k].n_lengths == 0)
                continue;
            if (!(without(l, f)[k] = sp_zeros(&l->own, (size_t)l->found[k].n_lengths, sizeof(double))))
                TRY(sp_no_memory(err));
            TRY(sp_durations_table(&l->runs, k, fold, f < n_folds ? f : NONE, &l->found[k], without(l, f)[k],
                                   err));
        }
    }
done:
    return status;
}

static sp_status keep_found(const lengths *l, sp_fit_report *report, sp_error *err)
{
    const size_t K = (size_t)l->n_classes;
    free(report->durations);
    report->n_durations = 0;
    if (!(report->durations = malloc(K * sizeof *report->durations)))
        return sp_no_memory(err);
    memcpy(report->durations, l->found, K * sizeof *report->durations);
    report->n_durations = l->n_classes;
    return SP_OK;
}

/* ---- judged ---- */

/* Counts with settings and, where there are tables (p), durations. */
static sp_status make(const sp_training *training, const sp_fit_options *options, const sp_rules *rules,
                      const sp_settings *settings, const lengths *l, double *const *p, sp_model **out,
                      sp_error *err)
{
    sp_model *model = NULL;
    sp_status status = SP_OK;
    TRY(sp_model_from_labels(training, rules, options->smoothing, NULL, options->name, &model, NULL, err));
    TRY(sp_settings_apply(settings, training, rules, model, err));
    if (p)
        TRY(sp_durations_set(model, l->found, p, settings->transition_weight, err));
    *out = model;
    model = NULL;
done:
    sp_model_free(model);
    return status;
}

/* What is tried on the recordings of inner folds. */
typedef struct trial {
    sp_tuner *tuner;
    const sp_rules *rules;
    const lengths *lengths;
    sp_evidence best;
} trial;

static sp_status decode(trial *t, const sp_settings *settings, bool has_durations, sp_evidence *out,
                        sp_error *err)
{
    sp_tuner *u = t->tuner;
    sp_status status = SP_OK;
    TRY(sp_training_go_on(u->training, err));
    for (int32_t f = 0; f < u->n_folds; f++) {
        const sp_training others = sp_tuner_without(u, f);
        sp_model_free(u->models[f]);
        u->models[f] = NULL;
        TRY(make(&others, u->options, t->rules, settings, t->lengths,
                 has_durations ? without(t->lengths, f) : NULL, &u->models[f], err));
    }
    TRY(sp_tuner_judge(u, u->models, out, err));
done:
    return status;
}

/* Tries settings with durations; *settings and the best so far become these where they are better. */
static sp_status attempt(trial *t, sp_settings tried, sp_settings *settings, bool *is_better, sp_error *err)
{
    sp_evidence now;
    sp_status status = SP_OK;
    TRY(decode(t, &tried, true, &now, err));
    *is_better = now.value > t->best.value + 1e-12;
    if (*is_better) {
        t->best = now;
        *settings = tried;
    }
done:
    return status;
}

/* The best settings with durations near those without, one after the other. */
static sp_status search(trial *t, sp_settings *settings, sp_error *err)
{
    bool is_better;
    sp_settings next;
    sp_status status = SP_OK;
    t->best.value = -INFINITY;
    if (settings->transition_weight == 0) /* what changes say is nothing, but not what durations do */
        settings->transition_weight = 1;
    TRY(attempt(t, *settings, settings, &is_better, err));
    next = *settings;
    next.dwell = 0; /* durations may say more of short runs */
    if (settings->dwell > 0)
        TRY(attempt(t, next, settings, &is_better, err));
    for (int c = 0; c < SP_SCALES; c++)
        for (int side = -1; side <= 1; side += 2)
            do {
                next = *settings;
                is_better = sp_settings_step(&next, c, side) && next.transition_weight > 0;
                if (is_better)
                    TRY(attempt(t, next, settings, &is_better, err));
            } while (is_better);
done:
    return status;
}

/* What the figure is better by with durations, and with which settings. */
static sp_status judge(sp_tuner *u, const sp_rules *rules, sp_settings *settings, sp_model *const *others,
                       const lengths *l, sp_fit_report *report, sp_error *err)
{
    trial t = {.tuner = u, .rules = rules, .lengths = l};
    sp_evidence base;
    sp_status status = SP_OK;
    TRY(others ? sp_tuner_judge(u, others, &base, err) : decode(&t, settings, false, &base, err));
    TRY(search(&t, settings, err));
    report->durations_gain = sp_evidence_gain(&t.best, &base, &report->durations_error);
    report->has_durations =
        u->options->durations == SP_DURATIONS_LEARN || report->durations_gain > report->durations_error;
    if (report->has_durations)
        report->after = t.best.value;
done:
    return status;
}

static bool can_judge(const sp_training *training, const sp_fit_options *options)
{
    return options->tune != SP_TUNE_NONE && training->batch.scores.data;
}

/* Why durations are not looked at; NULL: they are. */
static const char *reason_against(const sp_training *training, const sp_fit_options *options,
                                  const sp_rules *rules)
{
    for (int32_t k = 0; k < rules->n_classes; k++)
        if (rules->dwell_at_end && rules->dwell[k] > 1)
            return "the rules have a minimum dwell that holds at the end, too";
    if (rules->durations)
        return "the rules have durations of their own";
    if (rules->hidden)
        return rules->own ? "the labels leave the class of some steps open"
                          : "the rules have several states for a class";
    if (options->durations == SP_DURATIONS_AUTO && !can_judge(training, options))
        return "nothing is judged that they could be better for";
    return NULL;
}

sp_status sp_fit_durations(const sp_training *training, const sp_fit_options *options, const sp_rules *rules,
                           const sp_settings *settings, sp_model *const *others, sp_workers *workers,
                           sp_model **model, sp_fit_report *report, sp_error *err)
{
    const bool is_wanted = options->durations == SP_DURATIONS_LEARN;
    sp_settings best = *settings;
    sp_tuner u = {.training = training, .options = options, .workers = workers, .most_steps = SP_TUNED_STEPS};
    lengths l = {.n_classes = 0};
    sp_model *made = NULL;
    sp_status status = SP_OK;
    if (options->durations == SP_DURATIONS_NONE)
        return SP_OK;
    if (!(report->durations_untried = reason_against(training, options, rules))) {
        TRY(sp_tuner_init(&u, err));
        TRY(lengths_init(&l, training, u.fold, u.n_folds, err));
        report->durations_untried = !has_any(&l) ? no_runs : is_wanted ? NULL : sp_tuner_reason_against(&u);
    }
    if (is_wanted && report->durations_untried)
        TRY(sp_fail(err, SP_EINVAL, "`durations` learn: %s", report->durations_untried));
    if (report->durations_untried)
        goto done;
    report->has_durations = is_wanted;
    if (can_judge(training, options) && u.n_folds > 0)
        TRY(judge(&u, rules, &best, others, &l, report, err));
    report->n_candidates += u.n_done;
    TRY(keep_found(&l, report, err));
    if (report->has_durations) {
        TRY(make(training, options, rules, &best, &l, of_all(&l), &made, err));
        sp_model_free(*model);
        *model = made;
    }
done:
    lengths_clear(&l);
    sp_tuner_clear(&u);
    return status;
}

/* ---- beside rules that labels show ---- */

/* To five digits, more than runs of labels can tell. */
static double rounded(double x)
{
    char text[32];
    snprintf(text, sizeof text, "%.5g", x);
    return strtod(text, NULL);
}

static sp_status set_duration(sp_model *model, int32_t k, const sp_learnt_duration *found, const double *p,
                              sp_error *err)
{
    sp_duration *d = &model->durations[k];
    const size_t bytes = (size_t)found->n_lengths * sizeof *d->pmf;
    if (isinf(found->smoothing)) {
        *d = (sp_duration){.form = SP_DURATION_NEGATIVE_BINOMIAL,
                           .centre = {rounded(found->mean), false},
                           .spread = rounded(found->dispersion)};
        return SP_OK;
    }
    if (!(d->pmf = malloc(bytes)))
        return sp_no_memory(err);
    d->form = SP_DURATION_PMF;
    d->n_pmf = found->n_lengths;
    memcpy(d->pmf, p, bytes);
    return SP_OK;
}

sp_status sp_model_learn_durations(sp_model *model, const sp_training *training, int32_t n_folds,
                                   sp_learnt_duration *found, sp_error *err)
{
    const int32_t K = model->n_classes;
    sp_fit_options options = sp_fit_options_default();
    options.n_folds = n_folds;
    sp_tuner u = {.training = training, .options = &options};
    lengths l = {.n_classes = 0};
    sp_status status = SP_OK;
    if (model->durations || model->min_dwell || model->n_states > K)
        return sp_fail(err, SP_EINVAL,
                       "model %s: durations are learnt for a model that has one state per class, and says "
                       "nothing of how long they last",
                       model->name);
    TRY(sp_tuner_init(&u, err));
    TRY(lengths_init(&l, training, u.fold, u.n_folds, err));
    if (!has_any(&l))
        TRY(sp_fail(err, SP_EINVAL, "`durations`: %s", no_runs));
    if (!(model->durations = calloc((size_t)K, sizeof *model->durations)))
        TRY(sp_no_memory(err));
    for (int32_t k = 0; k < K; k++)
        if (of_all(&l)[k] && sp_model_edge(model, k, k) >= 0 &&
            model->row[k + 1] - model->row[k] > 1) /* it may stay, and be left */
            TRY(set_duration(model, k, &l.found[k], of_all(&l)[k], err));
    if (found)
        memcpy(found, l.found, (size_t)K * sizeof *found);
done:
    lengths_clear(&l);
    sp_tuner_clear(&u);
    return status;
}
