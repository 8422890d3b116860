/* Fitting in one call: rules, learner, tuning. */
#include "statepath/learn.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/windows.h"
#include "core/names.h"
#include "core/try.h"
#include "evaluate/metrics/sequences.h"
#include "learn/learn.h"
#include "learn/training.h"
#include "learn/tune.h"
#include "statepath/metrics.h"
#include "tags/tags.h"

static const char *const method_names[SP_N_FIT_METHODS] = {"counts", "crf", "em"};
static const char *const tune_names[SP_N_TUNES] = {"none", "accuracy", "kappa",  "macro_f1", "entity_f1",
                                                   "edit", "nll",      "stages", "segments", "cost"};

const char *sp_fit_method_name(sp_fit_method method)
{
    return method_names[method];
}

const char *sp_tune_name(sp_tune tune)
{
    return tune_names[tune];
}

bool sp_tune_is_loss(sp_tune tune)
{
    return tune == SP_TUNE_NLL || tune == SP_TUNE_COST;
}

sp_fit_options sp_fit_options_default(void)
{
    return (sp_fit_options){.method = SP_FIT_COUNTS,
                            .tune = SP_TUNE_ACCURACY,
                            .strategy = {SP_VITERBI, 0},
                            .smoothing = 0.5,
                            .memory = 1,
                            .n_folds = 5,
                            .name = "fitted"};
}

sp_status sp_fit_options_check(const sp_fit_options *options, sp_error *err)
{
    if (options->rules && options->seen > 0)
        return sp_fail(err, SP_EINVAL,
                       "rules from a model and rules from the labels exclude each other; choose one");
    if (options->seen < 0)
        return sp_fail(err, SP_EINVAL, "transitions seen %lld times: the least count is 1",
                       (long long)options->seen);
    if (!(options->smoothing >= 0) || isinf(options->smoothing))
        return sp_fail(err, SP_EINVAL, "smoothing %g: it is added to every count, a number from 0 on",
                       options->smoothing);
    if (!(options->penalty >= 0) || isinf(options->penalty))
        return sp_fail(err, SP_EINVAL, "penalty %g: a number above 0, or 0 to choose it by cross-validation",
                       options->penalty);
    if (options->memory < 1 || options->memory > 1000)
        return sp_fail(err, SP_EINVAL, "memory %d: a number of steps from 1 to 1000", options->memory);
    if (options->n_folds < 2)
        return sp_fail(err, SP_EINVAL, "%d folds: cross-validation needs at least 2", options->n_folds);
    return SP_OK;
}

void sp_fit_report_clear(sp_fit_report *report)
{
    sp_violations_clear(&report->violations);
    *report = (sp_fit_report){0};
}

typedef sp_status learner(const sp_training *training, const sp_fit_options *options, const sp_rules *rules,
                          sp_workers *workers, sp_model **out, sp_fit_report *report, sp_error *err);

static sp_status fit_em(const sp_training *training, const sp_fit_options *options, const sp_rules *rules,
                        sp_workers *workers, sp_model **out, sp_fit_report *report, sp_error *err)
{
    enum { MOST = 200 };
    double values[MOST + 1];
    int n = 0;
    sp_status status = SP_OK;
    TRY(sp_model_from_em(training, rules, MOST, 1e-6, workers, options->name, out, values, &n, err));
    report->iterations = n;
    report->log_likelihood = values[n];
done:
    return status;
}

static bool goes_by_marginals(sp_strategy_kind kind)
{
    return kind == SP_POSTERIOR || kind == SP_MEA || kind == SP_POSTERIOR_VITERBI;
}

/* Bytes of a name that stand in a description: all, or whole letters of UTF-8. */
static int shown_bytes(const char *name)
{
    int n = 60;
    if (strlen(name) <= (size_t)n)
        return n;
    while (n > 0 && ((unsigned char)name[n] & 0xC0) == 0x80)
        n--;
    return n;
}

/* Adds "<what>: a, b, c and 2 more" to text, of the classes that are `in` [K]; nothing where there is none. */
static void name_classes(const char *what, const sp_training *training, const uint8_t *in, char *text,
                         size_t room)
{
    enum { NAMED = 3 };
    int64_t n = 0;
    for (int32_t k = 0; k < training->batch.scores.n_classes; k++) {
        const size_t used = strlen(text);
        if (in[k] && n++ < NAMED)
            snprintf(text + used, room - used, "%s%s%.*s", n == 1 ? what : "", n == 1 ? ": " : ", ",
                     shown_bytes(training->classes[k]), training->classes[k]);
    }
    if (n > NAMED)
        snprintf(text + strlen(text), room - strlen(text), " and %lld more", (long long)(n - NAMED));
}

/* Classes that the labels do not have, and, where rules are what the labels show, those that no path leaves: false on lack of
 * memory. */
static bool name_odd_classes(const sp_training *training, const sp_fit_options *options,
                             const sp_rules *rules, char *text, size_t room)
{
    const size_t K = (size_t)rules->n_classes;
    const sp_batch *batch = &training->batch;
    uint8_t *unseen = malloc(K), *final = calloc(K, 1);
    if (!unseen || !final) {
        free(unseen);
        free(final);
        return false;
    }
    memset(unseen, 1, K);
    for (int64_t n = 0; n < batch->n_recordings; n++)
        for (int64_t t = batch->offsets[n]; sp_training_uses(training, n) && t < batch->offsets[n + 1]; t++)
            for (size_t k = 0; sp_training_says(training, t) && k < K; k++)
                unseen[k] &= !sp_training_may(training, t, (int32_t)k);
    for (size_t i = 0; i < K && K > 1 && options->seen; i++) {
        final[i] = !unseen[i];
        for (size_t j = 0; j < K; j++)
            final[i] &= i == j || !rules->allow[i * K + j];
    }
    name_classes("; classes without a label, of which nothing is known", training, unseen, text, room);
    name_classes("; classes that the labels never leave, so no path does", training, final, text, room);
    free(unseen);
    free(final);
    return true;
}

static double signed_figure(const sp_fit_report *r, double figure)
{
    return sp_tune_is_loss(r->tune) ? -figure : figure;
}

/* How the model came to be, for a person: into its description. */
static sp_status describe(const sp_training *training, const sp_fit_options *options, const sp_rules *rules,
                          const sp_fit_report *r, sp_model *model, sp_error *err)
{
    char text[4096], how[256] = "";
    const sp_fit_method method =
        options->method == SP_FIT_CRF && isinf(r->penalty) ? SP_FIT_COUNTS : options->method;
    if (method == SP_FIT_COUNTS && options->method == SP_FIT_CRF)
        snprintf(how, sizeof how,
                 ", no random field tried being better by more than a standard error, scale %.4g, memory %d,",
                 r->scale, options->memory);
    else if (method == SP_FIT_CRF)
        snprintf(how, sizeof how, ", penalty %g, scale %.4g, memory %d", r->penalty, r->scale,
                 options->memory);
    else if (method == SP_FIT_COUNTS)
        snprintf(how, sizeof how, ", smoothing %g%s", options->smoothing,
                 !rules->hidden ? ""
                 : rules->own   ? ", classes that the labels leave open by expectation-maximisation,"
                                : ", states by expectation-maximisation,");
    else
        snprintf(how, sizeof how, ", %d iterations, log likelihood %.6g", r->iterations, r->log_likelihood);
    char several[96] = "";
    if (r->n_set_steps)
        snprintf(several, sizeof several, " and %lld that have several classes", (long long)r->n_set_steps);
    int used =
        snprintf(text, sizeof text, "fitted by %s%s on %lld labelled steps%s of %lld recordings",
                 sp_fit_method_name(method), how, (long long)r->n_steps, several, (long long)r->n_recordings);
    if (method == SP_FIT_EM)
        used = snprintf(text, sizeof text, "fitted by em%s on the scores%s of %lld recordings", how,
                        rules->hidden && r->n_steps + r->n_set_steps ? " and labels" : "",
                        (long long)r->n_recordings);
    if (r->has_windows)
        used += snprintf(text + used, sizeof text - (size_t)used,
                         ", scores weighed with those of neighbouring steps (windows)");
    if (!isnan(r->floor))
        used += snprintf(text + used, sizeof text - (size_t)used, ", probabilities below %g raised to it",
                         r->floor);
    if (!isnan(r->floor) && r->n_lost)
        used += snprintf(text + used, sizeof text - (size_t)used,
                         " (without that %lld recordings held out have no path)", (long long)r->n_lost);
    if (options->rules)
        used += snprintf(text + used, sizeof text - (size_t)used, ", rules of %.200s", options->rules->name);
    else if (options->seen)
        used += snprintf(text + used, sizeof text - (size_t)used,
                         ", rules: what the labels show at least %lld times", (long long)options->seen);
    if (r->violations.illegal)
        used +=
            snprintf(text + used, sizeof text - (size_t)used, " (the labels break them %lld times in %lld)",
                     (long long)r->violations.illegal, (long long)r->violations.transitions);
    if (!isnan(r->after))
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "; %s with %s in the folds that chose the settings %.4f, with plain settings %.4f",
                         sp_tune_name(r->tune), sp_strategy_about(options->strategy.kind)->name,
                         signed_figure(r, r->after), signed_figure(r, r->before));
    else if (r->untuned)
        used += snprintf(text + used, sizeof text - (size_t)used, "; nothing was tuned: %s", r->untuned);
    if (!isnan(r->after) && r->tune == SP_TUNE_NLL && !goes_by_marginals(options->strategy.kind))
        snprintf(text + used, sizeof text - (size_t)used,
                 "; nll judges marginals, not the paths of %s, which may be worse for it",
                 sp_strategy_about(options->strategy.kind)->name);
    char *copy = NULL;
    if (training->labels && !name_odd_classes(training, options, rules, text, sizeof text))
        return sp_no_memory(err);
    if (!(copy = strdup(text)))
        return sp_no_memory(err);
    free(model->description);
    model->description = copy;
    return SP_OK;
}

sp_fit_method sp_fit_method_for(bool has_labels, bool has_sets, bool has_scores, const sp_model *rules)
{
    if (!has_labels)
        return SP_FIT_EM;
    const bool is_convex = !has_sets && !(rules && rules->durations) && !sp_rules_hide_states(rules);
    return has_scores && is_convex ? SP_FIT_CRF : SP_FIT_COUNTS;
}

/* A class that is no tag, for the message; the first where all of them are, but without O or B. */
static const char *first_other(int32_t K, const char *const *classes)
{
    sp_tag_kind kind;
    const char *type;
    for (int32_t k = 0; k < K; k++)
        if (!sp_tag_parse(classes[k], &kind, &type))
            return classes[k];
    return classes[0];
}

static void count_used(const sp_training *training, sp_fit_report *report)
{
    report->n_recordings = 0;
    for (int64_t n = 0; n < training->batch.n_recordings; n++)
        report->n_recordings += sp_training_uses(training, n);
    sp_training_count(training, &report->n_steps, &report->n_set_steps);
}

/* Do more labelled steps follow one without a label than one with? Then labels in a row say little of what follows what. Of more steps times
 * transitions than SPARSE_MOST, what lies between would take minutes to learn from. */
static bool are_sparse(const sp_training *training, const sp_rules *rules)
{
    enum { SPARSE_MOST = 20000000 };
    const sp_batch *batch = &training->batch;
    const int64_t K = rules->n_classes;
    int64_t n_alone = 0, n_pairs = 0, n_transitions = 0;
    for (int64_t p = 0; p < K * K; p++)
        n_transitions += rules->allow[p];
    if (n_transitions > SPARSE_MOST / (batch->scores.n_steps + 1))
        return false;
    for (int64_t n = 0; n < batch->n_recordings; n++)
        for (int64_t t = batch->offsets[n] + 1; sp_training_uses(training, n) && t < batch->offsets[n + 1];
             t++)
            if (sp_training_says(training, t)) {
                const bool is_pair = sp_training_says(training, t - 1);
                n_pairs += is_pair;
                n_alone += !is_pair;
            }
    return n_alone > n_pairs;
}

/* Steps with several classes, and those between sparse labels, are learnt from with the rules as a model of states: a step has a state of
 * one of the classes that it may have. What says how long classes last needs labels in a row, and gets them. */
static sp_status hide_rules(const sp_training *training, const sp_fit_options *options, sp_rules *rules,
                            sp_fit_report *found, sp_error *err)
{
    if (rules->durations &&
        options->method != SP_FIT_COUNTS) /* counts need not look into runs: the labels say the states */
        rules->hidden = options->rules;
    if (options->method == SP_FIT_CRF && found->n_set_steps && !found->n_steps)
        return sp_fail(err, SP_EINVAL,
                       "`method` crf is judged beside the counts by steps with one class, and every labelled "
                       "step has several; "
                       "learn by `method` counts or em");
    found->has_sparse_labels =
        options->method != SP_FIT_EM && options->memory == 1 && !rules->hidden && are_sparse(training, rules);
    return found->n_set_steps || found->has_sparse_labels ? sp_rules_hide(rules, training->classes, err)
                                                          : SP_OK;
}

static sp_status fit_scores(const sp_training *training, const sp_fit_options *options, sp_workers *workers,
                            sp_model **out, sp_fit_report *report, sp_error *err)
{
    const int32_t K = training->batch.scores.n_classes;
    bool are_tags = true;
    sp_status status = options->tune == SP_TUNE_ENTITY_F1
                           ? sp_classes_are_tags(K, training->classes, &are_tags, err)
                           : SP_OK;
    if (status != SP_OK)
        return status;
    if (!are_tags)
        return sp_fail(err, SP_EINVAL,
                       "tuning by entity_f1 needs classes that are tags: O, B-TYPE, I-TYPE and, in BIOES, "
                       "E-TYPE and S-TYPE; these "
                       "are not all (%s); tune by macro_f1 instead",
                       first_other(K, training->classes));
    if (options->tune == SP_TUNE_COST && !options->costs)
        return sp_fail(err, SP_EINVAL, "tuning by cost needs the costs of errors");
    sp_fit_report found = {.floor = NAN,
                           .windows_gain = NAN,
                           .windows_error = NAN,
                           .windows_figure_gain = NAN,
                           .before = NAN,
                           .after = NAN,
                           .penalty = options->penalty,
                           .scale = 1,
                           .tune = options->tune};
    learner *fit = options->method == SP_FIT_EM    ? fit_em
                   : options->method == SP_FIT_CRF ? sp_fit_crf
                                                   : sp_fit_counts;
    sp_rules rules = {0};
    sp_training seen = *training;
    sp_windows *windows = NULL;
    double *raised = NULL, *scores = NULL;
    sp_model *model = NULL;
    count_used(training, &found);
    TRY(options->seen ? sp_rules_from_labels(&rules, training, options->seen, err)
                      : sp_rules_init(&rules, options->rules, K, training->classes, err));
    TRY(hide_rules(training, options, &rules, &found, err));
    TRY(sp_fit_floor(training, options, &rules, workers, &raised, &found, err));
    if (raised)
        sp_training_take_scores(&seen, raised);
    TRY(sp_fit_windows(&seen, options, &rules, workers, &windows, &scores, &found, err));
    found.has_windows = windows != NULL;
    if (windows)
        sp_training_take_scores(&seen, scores);
    TRY(fit(&seen, options, &rules, workers, &model, &found, err));
    model->windows = windows;
    windows = NULL;
    model->floor = found.floor;
    TRY(describe(training, options, &rules, &found, model, err));
    TRY(sp_model_check(model, err));
    *out = model;
    model = NULL;
    if (report) {
        *report = found;
        found = (sp_fit_report){0};
    }
done:
    sp_rules_clear(&rules);
    sp_windows_free(windows);
    free(raised);
    free(scores);
    sp_model_free(model);
    sp_fit_report_clear(&found);
    return status;
}

/* From what a labeller decided, as scores; the model keeps its confusion. */
static sp_status fit_decided(const sp_training *training, const sp_fit_options *options, sp_workers *workers,
                             sp_model **out, sp_fit_report *report, sp_error *err)
{
    const size_t K = (size_t)training->batch.scores.n_classes, S = (size_t)training->batch.scores.n_steps;
    double *scores = S <= SIZE_MAX / 16 / K ? malloc((S * K + 1) * sizeof *scores) : NULL;
    double *confusion = malloc(K * K * sizeof *confusion);
    sp_training seen = *training;
    sp_training_take_scores(&seen, scores);
    seen.decided = NULL;
    seen.may_have_floor = false;
    sp_status status = SP_OK;
    if (!scores || !confusion)
        TRY(sp_no_memory(err));
    TRY(sp_decided_scores(training, options, scores, confusion, err));
    sp_fit_options how = *options;
    if (how.features == SP_FEATURES_WINDOWS)
        TRY(sp_fail(err, SP_EINVAL,
                    "`features` windows: they are learnt from scores, and these are decided classes"));
    how.features = SP_FEATURES_NONE; /* of which steps around say too little */
    TRY(fit_scores(&seen, &how, workers, out, report, err));
    (*out)->labeller = confusion;
    confusion = NULL;
done:
    free(scores);
    free(confusion);
    return status;
}

sp_status sp_fit(const sp_training *training, const sp_fit_options *options, sp_workers *workers,
                 sp_model **out, sp_fit_report *report, sp_error *err)
{
    sp_fit_options defaults = sp_fit_options_default();
    if (!options)
        options = &defaults;
    sp_status status = SP_OK;
    TRY(sp_fit_options_check(options, err));
    TRY((training->decided ? fit_decided : fit_scores)(training, options, workers, out, report, err));
done:
    return status;
}

sp_status sp_cross_fit(const sp_training *training, const sp_fit_options *options, const int32_t *fold,
                       int32_t f, sp_workers *workers, sp_model **out, sp_error *err)
{
    const size_t N = (size_t)training->batch.n_recordings;
    uint8_t *use = malloc(N + 1);
    if (!use)
        return sp_no_memory(err);
    for (size_t n = 0; n < N; n++)
        use[n] = fold[n] != f && sp_training_uses(training, (int64_t)n);
    sp_training others = *training;
    others.use = use;
    const sp_status status = sp_fit(&others, options, workers, out, NULL, err);
    free(use);
    return status;
}
