#include "pipeline/evaluation.h"

#include <math.h>
#include <stdlib.h>

#include "evaluate/evaluate.h"
#include "pipeline/calibration.h"
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
                                 .label_codes = p->label_codes};
    sp_status status = sp_comparison_describe(comparison, &texts, err);
    if (p->has_nll)
        sp_comparison_set_nll(comparison, &p->nll);
    if (status == SP_OK && p->reliability)
        status = sp_reliability_finish(p->reliability, level, &comparison->reliability, err);
    if (status == SP_OK && p->reliability)
        status = sp_calibration_finish(p->calibration, level, comparison, err);
    return status;
}

static sp_status check_level(const sp_run_options *o, sp_bootstrap_options *bootstrap, sp_error *err)
{
    bootstrap->seed = o->seed;
    if (isnan(o->level))
        return SP_OK;
    if (!(o->level > 0 && o->level < 1))
        return sp_run_fail(o, err, SP_EINVAL, "@level %g: a number between 0 and 1; 0.95, the default, gives 95 %% intervals",
                           o->level);
    bootstrap->level = o->level;
    return SP_OK;
}

static void use_wake_trim(sp_pipeline *p, const sp_evaluation_options *how)
{
    if (!how->has_wake_trim)
        return;
    p->wake_margin = sp_wake_trim_steps(how->wake_trim_minutes, how->epoch_seconds);
    for (int32_t k = 0; k < SP_N_STAGES; k++)
        p->stages[k] = how->stage_of_class[p->column_of_label ? p->column_of_label[k] : k];
    p->wake_stages = p->stages;
}

sp_status sp_pipeline_evaluate(sp_pipeline *p, sp_comparison **out, sp_error *err)
{
    const sp_run_options *o = p->opt;
    const int32_t K = p->model->n_classes;
    bool is_legal[SP_RUN_STRATEGIES]; /* by construction; of paths that are there already legality is counted, never assumed */
    for (int s = 0; s < p->n_strategies; s++)
        is_legal[s] = !p->given && sp_strategy_about(p->strategies[s].kind)->is_legal && p->on_infeasible != SP_INFEASIBLE_RELAX;
    const char **classes = sp_names_in_columns(p->model, p->class_of_column);
    if (!classes)
        return sp_no_memory(err);
    sp_evaluation_options how = sp_evaluation_options_default();
    how.has_labels = p->info->has_labels;
    how.n_strategies = p->n_strategies;
    how.classes = classes;
    how.names = p->names;
    how.is_legal = is_legal;
    how.has_path_scores = p->has_path_scores;
    how.has_length_trim = p->cut_path_steps != NULL;
    how.trace_steps = o->trace_steps;
    how.n_scorers = p->raters.found.n_scorers;
    how.scorers = p->raters.found.names;
    if (p->subjects) {
        how.n_subjects = p->subjects->n_subjects;
        how.subjects = (const char *const *)p->subjects->names;
        how.subjects_place = p->subjects->place;
    }
    sp_gate_scope scope = {.n_strategies = p->n_strategies,
                           .strategies = p->names,
                           .n_classes = K,
                           .classes = classes,
                           .has_labels = p->info->has_labels};
    sp_evaluation *evaluation = NULL;
    sp_evaluation_words words = {0};
    sp_sleep_choice sleep = {.is_sleep = false};
    sp_status status = o->hooks.opened ? o->hooks.opened(o->hooks.arg, &scope, err) : SP_OK;
    if (status == SP_OK)
        status = sp_sleep_choose(p, classes, &sleep, err);
    sp_sleep_apply(&sleep, &how);
    if (status == SP_OK)
        status = sp_evaluation_words_read(&words, o, K, classes, &how, err);
    if (status == SP_OK)
        status = check_level(o, &how.bootstrap, err);
    if (status == SP_OK)
        status = sp_nll_clip_read(o, p->has_nll, &p->nll.clip, err);
    for (int i = 0; p->calibration && i < p->calibration->n; i++)
        p->calibration->sums[i].nll.clip = p->nll.clip;
    if (status == SP_OK)
        status = sp_evaluation_new(p->chain, p->rules, &how, &evaluation, err);
    if (status == SP_OK) {
        use_wake_trim(p, &how);
        status = sp_pipeline_run(p, evaluation, err);
    }
    sp_run_progress(o, NULL, 0, 0);
    sp_comparison *made = NULL;
    if (status == SP_OK)
        status = sp_evaluation_finish(evaluation, &made, err);
    if (status == SP_OK)
        status = fetch_steps(p, &how, made, err);
    if (status == SP_OK)
        status = describe(p, how.bootstrap.level, made, err);
    if (status == SP_OK)
        *out = made;
    else
        sp_comparison_free(made);
    free(classes);
    sp_evaluation_words_clear(&words);
    sp_evaluation_free(evaluation);
    return status;
}
