#include "pipeline/judging.h"
#include "options/options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/owned.h"
#include "core/try.h"
#include "evaluate/evaluate.h"
#include "pipeline/against.h"
#include "pipeline/calibration.h"
#include "pipeline/path_source.h"
#include "pipeline/rules/rule_costs.h"
#include "pipeline/rules/what_if.h"
#include "pipeline/run.h"
#include "report/drawn.h"
#include "statepath/comparison.h"
#include "statepath/report.h"

/* ---- the consumer ---- */

/* An evaluation, as a consumer of a run: its options, what they borrow, and what is needed to finish it. */
typedef struct judging {
    sp_pipeline *p;
    sp_evaluation_options how;
    sp_evaluation *evaluation;
    const char **classes; /* [K] in the order of the columns */
    const char **rules;   /* names of the model's rules over more steps */
    const char *names[SP_EVALUATION_MAX_STRATEGIES], *against[SP_MOST_AGAINST];
    int32_t classifiers[SP_EVALUATION_MAX_STRATEGIES];
    bool is_legal[SP_EVALUATION_MAX_STRATEGIES];
    sp_evaluation_words words;
    sp_sleep_choice sleep;
    int64_t *asked, n_asked; /* recordings that the page is asked to draw */
} judging;

static sp_status add_block(void *arg, const sp_evaluation_block *block, sp_error *err)
{
    const judging *j = arg;
    return sp_evaluation_add(j->evaluation, block, j->p->workers, err);
}

static sp_consumer consumer_of(judging *j)
{
    return (sp_consumer){.arg = j, .block = add_block};
}

/* ---- steps that a page draws ---- */

/* Gives the comparison the steps that its page draws; nothing to do where it has all, or no page is wanted. */
static sp_status fetch_steps(const judging *j, sp_comparison *comparison, sp_error *err)
{
    const sp_evaluation_options *how = &j->how;
    int64_t *recordings = NULL, *places = NULL, n = 0;
    judging steps = {.p = j->p, .how = sp_evaluation_options_default()};
    sp_status status = SP_OK;
    if (how->trace_steps)
        TRY(sp_report_drawn(comparison, how->trace_steps, &recordings, &n, err));
    if (n == 0)
        goto done;
    steps.how.has_labels = how->has_labels;
    steps.how.n_strategies = how->n_strategies;
    steps.how.names = how->names;
    steps.how.n_against = how->n_against;
    steps.how.against = how->against;
    steps.how.classifiers = how->classifiers;
    steps.how.trace_steps = how->trace_steps;
    steps.how.with_ceiling = false;
    TRY(sp_evaluation_new(j->p->chain, NULL, &steps.how, &steps.evaluation, err));
    const sp_consumer consumer = consumer_of(&steps);
    TRY((places = malloc((size_t)n * sizeof *places)) ? SP_OK : sp_no_memory(err));
    for (int64_t i = 0; i < n; i++)
        places[i] = sp_unread_recording(j->p->unread, recordings[i]);
    TRY(sp_pipeline_run_again(j->p, n, places, &consumer, err));
    sp_evaluation_move_traces(steps.evaluation, recordings, comparison);
done:
    sp_evaluation_free(steps.evaluation);
    free(recordings);
    free(places);
    return status;
}

/* ---- recordings that are asked for ---- */

static int64_t find_id(const sp_source_info *info, const char *id)
{
    for (int64_t r = 0; r < info->n_recordings; r++)
        if (strcmp(info->ids[r], id) == 0)
            return r;
    return -1;
}

/* Adds the recording of the longest id that `words` begins with, up to a comma or the end: an id may hold commas itself. Returns
 * what follows; NULL: there is none. Scratch: `words` is written to, and is as before afterwards. */
static char *read_id(const sp_source_info *info, char *words, int64_t *recordings, int64_t *n)
{
    int64_t found = -1;
    char *end = words + strlen(words) + 1;
    while (found < 0 && end > words + 1) {
        end--;
        if (*end && *end != ',')
            continue;
        const char mark = *end;
        *end = 0;
        found = find_id(info, words);
        *end = mark;
    }
    if (found < 0)
        return NULL;
    for (int64_t i = 0; i < *n; i++)
        if (recordings[i] == found)
            return end;
    recordings[(*n)++] = found;
    return end;
}

/* Which recordings @draw names: [*n], to be freed. */
static sp_status read_draw(const sp_pipeline *p, int64_t **recordings, int64_t *n, sp_error *err)
{
    const char *asked = p->opt->draw;
    if (!asked)
        return SP_OK;
    const size_t length = strlen(asked);
    char *words = strdup(asked), *at = words;
    *recordings = malloc((length + 1) * sizeof **recordings); /* no id is empty */
    if (!words || !*recordings) {
        free(words);
        return sp_no_memory(err);
    }
    sp_status status = SP_OK;
    while (status == SP_OK && at < words + length) {
        char *after = read_id(p->info, at, *recordings, n);
        if (!after)
            status =
                sp_fail(err, SP_EINVAL, "`draw`: there is no recording %.*s; `statepath inspect` names them",
                        (int)strcspn(at, ","), at);
        at = after ? after + 1 : at;
    }
    free(words);
    return status;
}

/* Texts, likelihood and calibration. */
static sp_status describe(const sp_pipeline *p, double level, sp_comparison *comparison, sp_error *err)
{
    sp_status status = SP_OK;
    sp_owned own = {0};
    const int64_t N = p->info->n_recordings, n_unread = sp_unread_count(p->unread);
    sp_source_file *files = sp_zeros(&own, (size_t)p->info->n_files + 1, sizeof *files);
    const char **unread = sp_zeros(&own, (size_t)n_unread + 1, sizeof *unread);
    TRY(sp_owned_status(&own, err));
    for (int64_t i = 0; i < p->info->n_files; i++) {
        files[i] = p->info->files[i];
        if (sp_unread_fault(p->unread, i))
            files[i] = (sp_source_file){.name = files[i].name, .fault = sp_unread_fault(p->unread, i)};
    }
    for (int64_t n = sp_unread_next(p->unread, true, 0, N), i = 0; n < N;
         n = sp_unread_next(p->unread, true, n + 1, N))
        unread[i++] = p->info->ids[n];
    int64_t n_label_files = 0;
    while (sp_unread_labels(p->unread, n_label_files))
        n_label_files++;
    const sp_comparison_texts texts = {.file = p->file,
                                       .file_size = p->info->file_size,
                                       .n_files = p->info->n_files,
                                       .files = files,
                                       .n_label_files = n_label_files,
                                       .label_files = sp_unread_labels(p->unread, 0),
                                       .n_unread = n_unread,
                                       .unread = unread,
                                       .command = p->opt->command,
                                       .input_classes = p->info->classes,
                                       .model = p->model,
                                       .class_of_column = p->class_of_column,
                                       .path_codes = p->about.path_codes,
                                       .label_codes = p->about.label_codes,
                                       .labels_file = p->about.labels_file};
    TRY(sp_comparison_describe(comparison, &texts, err));
    const sp_nll nll = sp_nll_sums_value(&p->likelihood.nll);
    if (p->likelihood.is_wanted)
        sp_comparison_set_nll(comparison, &nll);
    if (p->likelihood.reliability)
        TRY(sp_reliability_finish(p->likelihood.reliability, level, &comparison->reliability, err));
    if (p->likelihood.reliability)
        TRY(sp_calibration_finish(p->likelihood.calibration, level, comparison, err));
done:
    sp_owned_free(&own);
    return status;
}

/* Values of classes, told in the columns of the first classifier. */
static sp_status tell_classes(const int32_t *column, int32_t K, sp_value *values, sp_error *err)
{
    if (!column)
        return SP_OK;
    sp_value *own = malloc((size_t)K * sizeof *own);
    if (!own)
        return sp_no_memory(err);
    memcpy(own, values, (size_t)K * sizeof *own);
    for (int32_t k = 0; k < K; k++)
        values[column[k]] = own[k];
    free(own);
    return SP_OK;
}

/* What is said of the other classifiers, and of their scores. */
static sp_status describe_against(const sp_pipeline *p, double level, sp_comparison *comparison,
                                  sp_error *err)
{
    sp_status status = SP_OK;
    for (int32_t i = 0; i < p->n_against; i++) {
        const sp_pipeline *one = &p->against[i].p;
        const sp_nll nll = sp_nll_sums_value(&one->likelihood.nll);
        TRY(sp_against_describe(&comparison->against[i], one->file, one->info->file_size,
                                one->info->scores_path, one->likelihood.is_wanted ? &nll : NULL, err));
        if (one->likelihood.reliability)
            TRY(sp_reliability_finish(one->likelihood.reliability, level, &comparison->against[i].reliability,
                                      err));
        if (one->likelihood.reliability)
            TRY(tell_classes(p->against[i].column, one->info->n_classes,
                             comparison->against[i].reliability->class_ece, err));
    }
done:
    return status;
}

/* column  [K] of the first classifier for each label; NULL: the same */
static void use_wake_trim(sp_pipeline *p, const sp_evaluation_options *how, const int32_t *column)
{
    if (!how->has_wake_trim)
        return;
    p->wake.margin = sp_wake_trim_steps(how->wake_trim_minutes, how->epoch_seconds);
    for (int32_t k = 0; k < SP_N_STAGES; k++)
        p->wake.room[k] = how->stage_of_class[column ? column[k] : k];
    p->wake.stages = p->wake.room;
}

/* Names of all strategies and classifiers, whose strategies they are, and which are legal by construction: of paths that are there
 * already legality is counted, never assumed. */
static void list_everybody(judging *j)
{
    const sp_pipeline *p = j->p;
    int32_t at = 0;
    j->how.n_strategies = sp_pipeline_all_names(p, j->names);
    for (int32_t i = -1; i < p->n_against; i++) {
        const sp_pipeline *one = i < 0 ? p : &p->against[i].p;
        if (i >= 0)
            j->against[i] = p->against[i].name;
        for (int s = 0; s < one->n_strategies; s++, at++) {
            j->classifiers[at] = i + 1;
            j->is_legal[at] = one->source->is_decoded &&
                              sp_strategy_about(one->strategies[s].kind)->is_legal &&
                              one->on_infeasible != SP_INFEASIBLE_RELAX;
        }
    }
}

/* Who is compared, and what there is of them. */
static void describe_input(judging *j)
{
    const sp_pipeline *p = j->p;
    sp_evaluation_options *how = &j->how;
    *how = sp_evaluation_options_default();
    list_everybody(j);
    how->has_labels = p->info->has_labels;
    how->classes = j->classes;
    how->names = j->names;
    how->n_against = p->n_against;
    how->against = j->against;
    how->classifiers = j->classifiers;
    how->is_legal = j->is_legal;
    how->has_path_scores = p->about.has_path_scores;
    how->has_length_trim = p->about.cut_path_steps != NULL;
    how->trace_steps = p->opt->trace_steps;
    how->n_raters = p->raters.found.n_raters;
    how->raters = p->raters.found.names;
    if (p->subjects) {
        how->n_subjects = p->subjects->n_subjects;
        how->subjects = (const char *const *)p->subjects->names;
        how->subjects_place = p->subjects->place;
    }
}

/* Words and bounds that all classifiers share. */
static void share(judging *j)
{
    sp_pipeline *p = j->p;
    use_wake_trim(p, &j->how, p->about.column_of_label);
    for (int32_t i = 0; i < p->n_against; i++)
        use_wake_trim(&p->against[i].p, &j->how, p->against[i].column);
}

/* Reads the options and makes the evaluation, which takes what the pipeline then runs; `j` stays where it is. To be closed in any
 * case. SP_OK; SP_EINVAL (options), SP_ENOMEM; what the hook says that is told what there will be. */
static sp_status judging_open(judging *j, sp_pipeline *p, sp_error *err)
{
    const sp_run_options *o = p->opt;
    const int32_t K = p->model->n_classes;
    sp_status status = SP_OK;
    *j = (judging){.p = p, .classes = sp_names_in_columns(p->model, p->class_of_column)};
    if (!j->classes || !(j->rules = calloc((size_t)p->model->n_rules + 1, sizeof *j->rules)))
        return sp_no_memory(err);
    for (int32_t r = 0; r < p->model->n_rules; r++)
        j->rules[r] = p->model->rules[r].name;
    describe_input(j);
    const sp_gate_scope scope = {.n_strategies = j->how.n_strategies,
                                 .strategies = j->names,
                                 .n_against = p->n_against,
                                 .against = j->against,
                                 .classifiers = j->classifiers,
                                 .n_classes = K,
                                 .classes = j->classes,
                                 .has_labels = p->info->has_labels,
                                 .n_rules = p->model->n_rules,
                                 .rules = j->rules};
    TRY(sp_options_check_labels(o, p->file, p->info->has_labels, err));
    if (o->hooks.opened)
        TRY(o->hooks.opened(o->hooks.arg, &scope, err));
    TRY(read_draw(p, &j->asked, &j->n_asked, err));
    TRY(sp_rule_costs_check(p, err));
    TRY(sp_sleep_choose(p, j->classes, &j->sleep, err));
    sp_sleep_apply(&j->sleep, &j->how);
    TRY(sp_evaluation_words_read(&j->words, o, &p->plan, K, j->classes, &j->how, err));
    p->work = j->how.work;
    for (int32_t i = 0; i < p->n_against; i++)
        p->against[i].p.work = j->how.work;
    TRY(sp_evaluation_new(p->chain, p->rules, &j->how, &j->evaluation, err));
    share(j);
    const sp_consumer consumer = consumer_of(j);
    sp_pipeline_add_consumer(p, &consumer);
done:
    return status;
}

static void judging_close(judging *j)
{
    sp_pipeline_remove_consumer(j->p, j);
    free(j->classes);
    free(j->rules);
    free(j->asked);
    sp_evaluation_words_clear(&j->words);
    sp_evaluation_free(j->evaluation);
}

/* What a finished comparison lacks: the recordings asked for, which it takes over; drawn steps, costs of rules, texts. */
static sp_status complete(judging *j, sp_comparison *made, sp_error *err)
{
    sp_pipeline *p = j->p;
    const double level = j->how.bootstrap.level;
    sp_status status = SP_OK;
    made->is_simulated = p->info->is_simulated;
    made->asked = j->asked;
    for (int64_t i = 0; i < j->n_asked; i++)
        if (!sp_is_unread(p->unread, j->asked[i]))
            made->asked[made->n_asked++] = sp_unread_place(p->unread, j->asked[i]);
    j->asked = NULL;
    TRY(fetch_steps(j, made, err));
    TRY(sp_rule_costs_make(p, &j->how.bootstrap, made, err));
    TRY(sp_what_if_make(p, made, err));
    TRY(describe(p, level, made, err));
    TRY(describe_against(p, level, made, err));
done:
    return status;
}

/* The comparison of all that was counted: its steps, texts, likelihood, calibration. */
static sp_status judging_finish(judging *j, sp_comparison **out, sp_error *err)
{
    sp_comparison *made = NULL;
    sp_status status = SP_OK;
    TRY(sp_evaluation_finish(j->evaluation, &made, err));
    TRY(complete(j, made, err));
done:
    if (status == SP_OK)
        *out = made;
    else
        sp_comparison_free(made);
    return status;
}

sp_status sp_pipeline_evaluate(sp_pipeline *p, sp_comparison **out, sp_error *err)
{
    judging j;
    sp_status status = SP_OK;
    TRY(judging_open(&j, p, err));
    TRY(sp_pipeline_run(p, err));
    TRY(judging_finish(&j, out, err));
done:
    sp_run_progress(p->opt, NULL, 0, 0);
    judging_close(&j);
    return status;
}
