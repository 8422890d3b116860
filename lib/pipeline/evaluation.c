#include "pipeline/evaluation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "evaluate/evaluate.h"
#include "pipeline/against.h"
#include "pipeline/calibration.h"
#include "pipeline/parts/merge.h"
#include "pipeline/parts/part_run.h"
#include "pipeline/rules/rule_costs.h"
#include "pipeline/rules/what_if.h"
#include "pipeline/run.h"
#include "report/drawn.h"
#include "statepath/report.h"

/* Gives the comparison the steps that its page draws; nothing to do where it has all, or no page is wanted. */
static sp_status fetch_steps(const sp_pipeline *p, const sp_evaluation_options *how, sp_comparison *comparison, sp_error *err)
{
    int64_t *recordings = NULL, n = 0;
    sp_status status = how->trace_steps ? sp_report_drawn(comparison, how->trace_steps, &recordings, &n, err) : SP_OK;
    if (status != SP_OK || n == 0) {
        free(recordings);
        return status;
    }
    sp_evaluation_options steps = sp_evaluation_options_default();
    steps.has_labels = how->has_labels;
    steps.n_strategies = how->n_strategies;
    steps.names = how->names;
    steps.n_against = how->n_against;
    steps.against = how->against;
    steps.trace_steps = how->trace_steps;
    steps.with_ceiling = false;
    sp_evaluation *evaluation = NULL;
    status = sp_evaluation_new(p->chain, NULL, &steps, &evaluation, err);
    if (status == SP_OK)
        status = sp_pipeline_run_again(p, n, recordings, evaluation, err);
    if (status == SP_OK)
        sp_evaluation_move_traces(evaluation, recordings, comparison);
    sp_evaluation_free(evaluation);
    free(recordings);
    return status;
}

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
            status = sp_fail(err, SP_EINVAL, "`draw`: there is no recording %.*s; `statepath inspect` names them",
                             (int)strcspn(at, ","), at);
        at = after ? after + 1 : at;
    }
    free(words);
    return status;
}

/* Texts, likelihood and calibration. */
static sp_status describe(const sp_pipeline *p, double level, sp_comparison *comparison, sp_error *err)
{
    sp_comparison_texts texts = {.file = p->file,
                                 .file_size = p->info->file_size,
                                 .n_files = p->info->n_files,
                                 .files = p->info->files,
                                 .command = p->opt->command,
                                 .input_classes = p->info->classes,
                                 .model = p->model,
                                 .class_of_column = p->class_of_column,
                                 .path_codes = p->path_codes,
                                 .label_codes = p->label_codes,
                                 .labels_file = p->labels_file};
    sp_status status = sp_comparison_describe(comparison, &texts, err);
    const sp_nll nll = sp_nll_sums_value(&p->nll);
    if (p->has_nll)
        sp_comparison_set_nll(comparison, &nll);
    if (status == SP_OK && p->reliability)
        status = sp_reliability_finish(p->reliability, level, &comparison->reliability, err);
    if (status == SP_OK && p->reliability)
        status = sp_calibration_finish(p->calibration, level, comparison, err);
    return status;
}

/* Values of classes, told in the columns of the first classifier. */
static sp_status tell_classes(const int32_t *column, int32_t K, sp_value *values, sp_error *err)
{
    sp_value *own = column ? malloc((size_t)K * sizeof *own) : NULL;
    if (column && !own)
        return sp_no_memory(err);
    for (int32_t k = 0; own && k < K; k++)
        own[k] = values[k];
    for (int32_t k = 0; own && k < K; k++)
        values[column[k]] = own[k];
    free(own);
    return SP_OK;
}

/* What is said of the other classifiers, and of their scores. */
static sp_status describe_against(const sp_pipeline *p, double level, sp_comparison *comparison, sp_error *err)
{
    sp_status status = SP_OK;
    for (int32_t i = 0; status == SP_OK && i < p->n_against; i++) {
        const sp_pipeline *one = &p->against[i].p;
        const sp_nll nll = sp_nll_sums_value(&one->nll);
        status = sp_against_describe(&comparison->against[i], one->file, one->info->file_size, one->info->scores_path,
                                     one->has_nll ? &nll : NULL, err);
        if (status == SP_OK && one->reliability)
            status = sp_reliability_finish(one->reliability, level, &comparison->against[i].reliability, err);
        if (status == SP_OK && one->reliability)
            status = tell_classes(p->against[i].column, one->info->n_classes, comparison->against[i].reliability->class_ece, err);
    }
    return status;
}

static sp_status check_level(const sp_run_options *o, sp_bootstrap_options *bootstrap, sp_error *err)
{
    bootstrap->seed = o->seed;
    if (isnan(o->level))
        return SP_OK;
    if (!(o->level > 0 && o->level < 1))
        return sp_fail(err, SP_EINVAL, "`level` %g: a number between 0 and 1; 0.95, the default, gives 95 %% intervals",
                       o->level);
    bootstrap->level = o->level;
    return SP_OK;
}

/* column  [K] of the first classifier for each label; NULL: the same */
static void use_wake_trim(sp_pipeline *p, const sp_evaluation_options *how, const int32_t *column)
{
    if (!how->has_wake_trim)
        return;
    p->wake_margin = sp_wake_trim_steps(how->wake_trim_minutes, how->epoch_seconds);
    for (int32_t k = 0; k < SP_N_STAGES; k++)
        p->stages[k] = how->stage_of_class[column ? column[k] : k];
    p->wake_stages = p->stages;
}

/* Names of all strategies and classifiers, and which strategies are legal by construction: of paths that are there already
 * legality is counted, never assumed. */
typedef struct everybody {
    int32_t n;
    const char *names[SP_EVALUATION_MAX_STRATEGIES], *against[SP_MOST_AGAINST];
    bool is_legal[SP_EVALUATION_MAX_STRATEGIES];
} everybody;

static void list_everybody(const sp_pipeline *p, everybody *all)
{
    int32_t at = 0;
    all->n = sp_pipeline_all_names(p, all->names);
    for (int32_t i = -1; i < p->n_against; i++) {
        const sp_pipeline *one = i < 0 ? p : &p->against[i].p;
        if (i >= 0)
            all->against[i] = p->against[i].name;
        for (int s = 0; s < one->n_strategies; s++)
            all->is_legal[at++] =
                !one->given && sp_strategy_about(one->strategies[s].kind)->is_legal && one->on_infeasible != SP_INFEASIBLE_RELAX;
    }
}

/* Counts all recordings, or what parts have counted of them. For a part *is_done: there is no comparison to be made. */
static sp_status count(sp_pipeline *p, const sp_evaluation_options *how, sp_evaluation *evaluation, bool *is_done, sp_error *err)
{
    sp_part_run *part = p->part;
    *is_done = part != NULL;
    if (p->merging)
        return sp_merging_join(p, evaluation, err);
    bool is_there = false;
    sp_status status = part ? part->begin(part, p, how, &is_there, err) : SP_OK;
    if (status == SP_OK && !is_there)
        status = sp_pipeline_run(p, evaluation, err);
    if (status != SP_OK || !part || is_there)
        return status;
    status = sp_evaluation_counted(evaluation, &part->content.counted, err);
    sp_counting run = {.to = &part->content.run};
    sp_part_count_run(&run, p);
    return status == SP_OK ? sp_counting_end(&run, "the part", err) : status;
}

/* What a finished comparison lacks: the recordings asked for, which it takes over; drawn steps, costs of rules, texts. */
static sp_status complete(sp_pipeline *p, const sp_evaluation_options *how, int64_t **asked, int64_t n_asked, sp_comparison *made,
                          sp_error *err)
{
    const sp_pipeline *again = p->merging && p->merging->again ? p->merging->again : p;
    made->is_simulated = p->info->is_simulated;
    made->asked = *asked;
    made->n_asked = n_asked;
    *asked = NULL;
    sp_status status = fetch_steps(again, how, made, err);
    if (status == SP_OK)
        status = sp_rule_costs_make(p, &how->bootstrap, made, err);
    if (status == SP_OK)
        status = sp_what_if_make(again, made, err);
    if (status == SP_OK)
        status = describe(p, how->bootstrap.level, made, err);
    return status == SP_OK ? describe_against(p, how->bootstrap.level, made, err) : status;
}

sp_status sp_pipeline_evaluate(sp_pipeline *p, sp_comparison **out, sp_error *err)
{
    const sp_run_options *o = p->opt;
    const int32_t K = p->model->n_classes;
    everybody all;
    list_everybody(p, &all);
    const char **classes = sp_names_in_columns(p->model, p->class_of_column);
    if (!classes)
        return sp_no_memory(err);
    sp_evaluation_options how = sp_evaluation_options_default();
    how.has_labels = p->info->has_labels;
    how.n_strategies = all.n;
    how.classes = classes;
    how.names = all.names;
    how.n_against = p->n_against;
    how.against = all.against;
    how.is_legal = all.is_legal;
    how.has_path_scores = p->has_path_scores;
    how.has_length_trim = p->cut_path_steps != NULL;
    how.trace_steps = p->part || (p->merging && !p->merging->again) ? 0 : o->trace_steps;
    how.is_part = p->part || p->merging;
    how.keeps_steps = p->part && p->part->with_steps;
    how.n_raters = p->raters.found.n_raters;
    how.raters = p->raters.found.names;
    if (p->subjects) {
        how.n_subjects = p->subjects->n_subjects;
        how.subjects = (const char *const *)p->subjects->names;
        how.subjects_place = p->subjects->place;
    }
    sp_gate_scope scope = {.n_strategies = all.n,
                           .strategies = all.names,
                           .n_against = p->n_against,
                           .against = all.against,
                           .n_classes = K,
                           .classes = classes,
                           .has_labels = p->info->has_labels};
    sp_evaluation *evaluation = NULL;
    sp_evaluation_words words = {0};
    sp_sleep_choice sleep = {.is_sleep = false};
    int64_t *asked = NULL, n_asked = 0;
    bool is_done = false;
    sp_status status = o->hooks.opened ? o->hooks.opened(o->hooks.arg, &scope, err) : SP_OK;
    if (status == SP_OK)
        status = read_draw(p, &asked, &n_asked, err);
    if (status == SP_OK)
        status = sp_rule_costs_check(p, err);
    if (status == SP_OK)
        status = sp_sleep_choose(p, classes, &sleep, err);
    sp_sleep_apply(&sleep, &how);
    if (status == SP_OK)
        status = sp_evaluation_words_read(&words, o, K, classes, &how, err);
    p->words = how.words;
    for (int32_t i = 0; i < p->n_against; i++)
        p->against[i].p.words = how.words;
    if (status == SP_OK)
        status = check_level(o, &how.bootstrap, err);
    if (status == SP_OK)
        status = sp_nll_clip_read(o, p->has_nll, &p->nll.clip, err);
    for (int i = 0; p->calibration && i < p->calibration->n; i++)
        p->calibration->sums[i].nll.clip = p->nll.clip;
    for (int32_t i = 0; i < p->n_against; i++)
        p->against[i].p.nll.clip = p->nll.clip;
    if (status == SP_OK)
        status = sp_evaluation_new(p->chain, p->rules, &how, &evaluation, err);
    if (status == SP_OK) {
        use_wake_trim(p, &how, p->column_of_label);
        for (int32_t i = 0; i < p->n_against; i++)
            use_wake_trim(&p->against[i].p, &how, p->against[i].column);
        if (p->merging && p->merging->again)
            use_wake_trim(p->merging->again, &how, p->merging->again->column_of_label);
        status = count(p, &how, evaluation, &is_done, err);
    }
    sp_run_progress(o, NULL, 0, 0);
    sp_comparison *made = NULL;
    if (status == SP_OK && !is_done)
        status = sp_evaluation_finish(evaluation, &made, err);
    if (status == SP_OK && !is_done)
        status = complete(p, &how, &asked, n_asked, made, err);
    if (status == SP_OK)
        *out = made;
    else
        sp_comparison_free(made);
    free(classes);
    free(asked);
    sp_evaluation_words_clear(&words);
    sp_evaluation_free(evaluation);
    return status;
}
