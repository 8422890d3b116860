#include "pipeline/pipeline.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/prepare.h"
#include "core/subjects.h"
#include "core/try.h"
#include "decode/lengths.h"
#include "evaluate/comparison.h"
#include "evaluate/evaluate.h"
#include "evaluate/work.h"
#include "pipeline/against.h"
#include "pipeline/path_source.h"
#include "statepath/model_json.h"

/* ---- opening ---- */

void sp_pipeline_use_plan(sp_pipeline *p, const sp_run_plan *plan)
{
    p->plan = *plan;
    p->n_strategies = plan->n_strategies;
    for (int s = 0; s < plan->n_strategies; s++) {
        p->strategies[s] = plan->strategies[s];
        p->names[s] = sp_strategy_format(&p->strategies[s], p->texts[s]);
    }
}

static sp_status read_decode_options(sp_pipeline *p, sp_error *err)
{
    const sp_run_options *o = p->opt;
    p->on_infeasible = p->plan.on_infeasible;
    p->log_prior = malloc((size_t)p->model->n_classes * sizeof *p->log_prior);
    if (!p->log_prior)
        return sp_no_memory(err);
    sp_status status = sp_run_prepare(o, p->model, p->class_of_column, p->log_prior, &p->prepare, err);
    p->prepare.kind = p->info->kind;
    if (status == SP_OK && p->prepare.clamp && !p->info->has_labels)
        return sp_fail(err, SP_EINVAL,
                       "`clamp` takes labels for certain, but %s has none; `labels` PATH says where they are",
                       p->file);
    return status == SP_OK ? sp_prepare_options_check(&p->prepare, err) : status;
}

sp_chain_options sp_pipeline_chain_options(const sp_pipeline *p, double transition_weight)
{
    sp_chain_options compile = sp_chain_options_default();
    compile.class_of_column = p->class_of_column;
    compile.transition_weight = transition_weight;
    compile.max_states = p->opt->max_states;
    if (p->opt->epoch_seconds > 0)
        compile.step_seconds = p->opt->epoch_seconds;
    else if (!p->about.step_seconds ||
             p->about.step_seconds(p->about.step_seconds_arg, &compile.step_seconds, NULL) != SP_OK)
        compile.step_seconds = 0;
    return compile;
}

sp_status sp_pipeline_new_chains(sp_pipeline *p, double transition_weight, sp_error *err)
{
    sp_chain_options compile = sp_pipeline_chain_options(p, transition_weight);
    sp_status status = sp_chain_new(p->model, &compile, &p->chain, err);
    compile.is_boolean = true;
    return status == SP_OK ? sp_chain_new(p->model, &compile, &p->rules, err) : status;
}

const char *const *sp_pipeline_columns(const sp_pipeline *p)
{
    return p->info->classes ? p->info->classes : (const char *const *)p->model->classes;
}

int sp_pipeline_lawful(const sp_pipeline *p)
{
    for (int s = 0; s < p->n_strategies; s++)
        if (sp_strategy_about(p->strategies[s].kind)->is_legal && p->strategies[s].kind != SP_GREEDY)
            return s;
    return p->n_strategies == 1 ? 0 : -1;
}

sp_status sp_pipeline_begin(sp_pipeline *p, const char *file, const sp_run_options *opt,
                            const sp_run_plan *plan, sp_error *err)
{
    *p = (sp_pipeline){.opt = opt, .file = file, .word = file, .source = &sp_decoding_source};
    if (!opt->model && !opt->model_text)
        return sp_fail(err, SP_EINVAL,
                       "`model` is missing: a file, or a shipped model (`statepath model list`)");
    sp_pipeline_use_plan(p, plan);
    return SP_OK;
}

/* Classes that were matched to the columns; or why not. Steps that are as many as the model has classes were meant to be them. */
static sp_status match_columns(const sp_pipeline *p, sp_error *err)
{
    const sp_source_info *info = p->info;
    const bool is_turned = !info->classes && info->layout == SP_LAYOUT_SINGLE && !p->opt->place.transpose &&
                           info->n_steps == p->model->n_classes && info->n_classes != p->model->n_classes;
    if (is_turned)
        return sp_fail(err, SP_EMODEL,
                       "%s has %lld steps of %d classes, model %s has %d classes: where it is [classes, "
                       "steps], %s",
                       p->file, (long long)info->n_steps, info->n_classes, p->model->name,
                       p->model->n_classes,
                       info->can_be_turned ? "`transpose` reads it so" : "write x.T instead (numpy)");
    return sp_model_align(p->model, info->n_classes, info->classes, p->class_of_column, err);
}

sp_status sp_pipeline_load_model(sp_pipeline *p, sp_error *err)
{
    p->info = p->from.info;
    p->step_bytes = (int64_t)p->info->dtype * p->info->n_classes;
    const sp_run_options *o = p->opt;
    sp_status status = p->model ? SP_OK : sp_run_load_model(o, NULL, NULL, &p->model, err);
    if (status != SP_OK)
        return status;
    p->class_of_column = malloc((size_t)p->info->n_classes * sizeof *p->class_of_column);
    return p->class_of_column ? match_columns(p, err) : sp_no_memory(err);
}

sp_status sp_pipeline_compile(sp_pipeline *p, sp_error *err)
{
    sp_status status = read_decode_options(p, err);
    if (status == SP_OK)
        status = sp_pipeline_new_chains(
            p, sp_first_given(p->opt->decode.transition_weight, p->model->transition_weight, 1), err);
    if (status != SP_OK)
        return status;
    if (p->workers) /* another classifier works with those of the first */
        return SP_OK;
    if (!isnan(p->opt->decode.transition_weight) && !p->model->weight)
        sp_run_notice(
            p->opt, SP_NOTICE_DATA,
            "note: `transition_weight` changes nothing: it multiplies log weights of transitions, and "
            "model %s has rules alone",
            p->model->name);
    p->workers = sp_workers_new(p->opt->decode.threads);
    return p->workers ? SP_OK : sp_no_memory(err);
}

sp_status sp_pipeline_open(sp_pipeline *p, const sp_recordings *from, const sp_run_options *opt,
                           const sp_run_plan *plan, sp_error *err)
{
    *p = (sp_pipeline){.opt = opt};
    if (opt->output || opt->codes || opt->map || opt->groups || opt->against || opt->shard)
        return sp_fail(err, SP_EINVAL,
                       "`output`, `codes`, `map`, `groups`, `against` and `shard` "
                       "are of files, not of recordings in memory");
    sp_status status = sp_pipeline_begin(p, from->info->file, opt, plan, err);
    p->from = *from;
    if (status == SP_OK)
        status = sp_pipeline_load_model(p, err);
    return status == SP_OK ? sp_pipeline_compile(p, err) : status;
}

void sp_pipeline_close(sp_pipeline *p)
{
    sp_rater_labels_clear(&p->raters);
    sp_reliability_sums_free(p->likelihood.reliability);
    free(p->likelihood.rows);
    sp_subjects_free(p->subjects);
    sp_unread_free(p->unread);
    sp_workers_free(p->workers);
    sp_chain_free(p->rules);
    sp_chain_free(p->chain);
    free(p->log_prior);
    free(p->class_of_column);
    sp_model_free(p->model);
}

/* ---- what could not be decoded ---- */

/* Is this failure to be named? That there is no path is a matter of the recording, so of several strategies the first says it
 * for all; one that knows no rules, as argmax, is named apart. */
static bool is_to_be_named(sp_pipeline *p, int s, int64_t recording, const sp_decoded *result,
                           bool *is_for_all)
{
    *is_for_all = p->n_strategies > 1 && result->status == SP_ENOPATH &&
                  sp_strategy_about(p->strategies[s].kind)->knows_rules;
    if (!*is_for_all)
        return p->done.undecoded[s] < NAMED_FAILURES;
    for (int i = 0; i < p->done.n_named; i++)
        if (p->done.named[i] == recording)
            return false;
    if (p->done.n_named == NAMED_FAILURES)
        return false;
    p->done.named[p->done.n_named++] = recording;
    return true;
}

static const char *id_of(const sp_pipeline *p, int64_t recording)
{
    return p->info->ids ? p->info->ids[recording] : "?";
}

/* Counts a path that failed its check (SP_EBUG), and says so in a notice, with how to report it. */
static void report_bug(sp_pipeline *p, int s, int64_t recording, const sp_decoded *result)
{
    char values[128] = "it breaks the model's rules";
    if (!isnan(result->recurrence))
        snprintf(values, sizeof values, "it adds up to %.17g, but the search that found it says %.17g",
                 result->along_path, result->recurrence);
    if (p->done.n_bugs < NAMED_FAILURES)
        sp_run_notice(p->opt, SP_NOTICE_BUG,
                      "%s: recording %s: the path that was found is wrong: %s. This is a bug of statepath, "
                      "not of your data; the path is "
                      "withheld (-1)",
                      p->names[s], id_of(p, recording), values);
    if (p->done.n_bugs++ == 0)
        sp_run_notice(p->opt, SP_NOTICE_BUG,
                      "please report it at the project's issue tracker: statepath %s, the lines above, the "
                      "command, and %s with the model, "
                      "or a part of it that shows the same",
                      sp_version(), p->file);
}

/* Where the durations of the rules leave no path of that length, adds which lengths they do leave. */
static void add_lengths(const sp_pipeline *p, int64_t recording, const sp_decoded *result, char *sentence,
                        size_t size)
{
    char why[400];
    const int64_t n_steps = p->info->offsets[recording + 1] - p->info->offsets[recording];
    const size_t n = strlen(sentence);
    const char *const *names =
        (const char *const *)(p->info->classes ? (char **)p->info->classes : p->model->classes);
    if (result->status == SP_ENOPATH && p->chain && !p->info->has_segments && !p->folds &&
        sp_say_lengths(p->chain, n_steps, names, why, sizeof why))
        snprintf(sentence + n, size - n, ": %s", why);
}

sp_status sp_pipeline_count_failures(sp_pipeline *p, int s, int64_t first, int64_t n,
                                     const sp_decoded *results, sp_error *err)
{
    for (int64_t r = 0; r < n; r++) {
        const sp_decoded *result = &results[r];
        p->done.relaxed[s] += result->status == SP_OK && result->n_broken > 0;
        p->done.undecoded[s] += result->status == SP_EBUG;
        if (result->status == SP_EBUG)
            report_bug(p, s, first + r, result);
        if (result->status == SP_OK || result->status == SP_EBUG)
            continue;
        bool is_for_all, is_named = is_to_be_named(p, s, first + r, result, &is_for_all);
        const char *who = !is_for_all ? p->names[s] : p->classifier ? p->classifier : "";
        char sentence[1024];
        snprintf(sentence, sizeof sentence,
                 result->status == SP_ENOPATH
                     ? "%s%s%s %s has no allowed path of finite score: no state reaches %s %lld"
                     : "%s%s%s %s: dead end at %s %lld, no allowed class has a finite score there",
                 who, *who ? ": " : "", sp_word_of(&sp_work_about(p->work)->words, SP_RECORDING),
                 id_of(p, first + r), sp_word_of(&sp_work_about(p->work)->words, SP_STEP),
                 (long long)sp_step_number(p->work, result->step));
        add_lengths(p, first + r, result, sentence, sizeof sentence);
        if (p->on_infeasible == SP_INFEASIBLE_ERROR)
            return sp_fail(
                err, result->status,
                "%s; nothing was written (`on_infeasible` error); report leaves it out, relax breaks the "
                "fewest rules",
                sentence);
        p->done.undecoded[s]++;
        if (is_named)
            sp_run_notice(p->opt, SP_NOTICE_DATA, "%s", sentence);
    }
    return SP_OK;
}

void sp_pipeline_result(const sp_pipeline *p, sp_run_result *result)
{
    if (!result)
        return;
    *result = (sp_run_result){.n_bugs = p->done.n_bugs,
                              .n_left_out = sp_unread_count_files(p->unread),
                              .n_unread = sp_unread_count(p->unread)};
    for (int s = 0; s < p->n_strategies; s++)
        result->n_undecoded += p->done.undecoded[s];
    for (int32_t i = 0; i < p->n_against; i++) {
        sp_run_result more;
        sp_pipeline_result(&p->against[i].p, &more);
        result->n_undecoded += more.n_undecoded;
        result->n_bugs += more.n_bugs;
    }
}

sp_status sp_pipeline_use_given(sp_pipeline *p, sp_error *err)
{
    p->raters.found = (sp_raters_found){p->from.n_raters, p->from.raters};
    return p->from.subjects ? sp_subjects_from_names(p->info->n_recordings, p->from.subjects, 0, "given",
                                                     &p->subjects, err)
                            : SP_OK;
}
