#include "pipeline/pipeline.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/calibration.h"
#include "pipeline/extra_outputs.h"
#include "pipeline/recordings.h"

/* ---- opening ---- */

static sp_status read_strategies(sp_pipeline *p, const char *list, sp_error *err)
{
    char *text = strdup(list), *parts[SP_RUN_STRATEGIES + 1];
    if (!text)
        return sp_fail(err, SP_ENOMEM, "no memory");
    int n = sp_split_list(text, SP_RUN_STRATEGIES + 1, parts);
    sp_status status = SP_OK;
    if (n == 0 || n > SP_RUN_STRATEGIES)
        status = sp_run_fail(p->opt, err, SP_EINVAL, "@strategies needs 1 to %d names, for example argmax,greedy,viterbi",
                             SP_RUN_STRATEGIES);
    for (int i = 0; status == SP_OK && i < n; i++) {
        status = sp_strategy_parse(parts[i], &p->strategies[i], err);
        if (status != SP_OK)
            break;
        p->names[i] = sp_strategy_format(&p->strategies[i], p->texts[i]);
        for (int j = 0; j < i; j++)
            if (strcmp(p->names[i], p->names[j]) == 0)
                status = sp_fail(err, SP_EINVAL, "strategy %s is named twice", p->names[i]);
    }
    p->n_strategies = n;
    free(text);
    return status;
}

static sp_status read_decode_options(sp_pipeline *p, sp_error *err)
{
    const sp_run_options *o = p->opt;
    sp_status status = sp_run_infeasible(o, &p->on_infeasible, err);
    if (status != SP_OK)
        return status;
    p->log_prior = malloc((size_t)p->model->n_classes * sizeof *p->log_prior);
    if (!p->log_prior)
        return sp_fail(err, SP_ENOMEM, "no memory");
    status = sp_run_prepare(p->opt, p->model, p->class_of_column, p->log_prior, &p->prepare, err);
    p->prepare.kind = p->info->kind;
    if (status == SP_OK && p->prepare.clamp && !p->info->has_labels)
        return sp_run_fail(p->opt, err, SP_EINVAL,
                           "@clamp takes labels for certain, but %s has none; @labels PATH says where they are", p->file);
    return status == SP_OK ? sp_prepare_options_check(&p->prepare, err) : status;
}

/* codes, map: labels are told in the columns of the scores. Columns without names are the model's, in order. */
static sp_status read_codes(sp_pipeline *p, sp_error *err)
{
    const sp_run_options *o = p->opt;
    if (!o->codes && !o->map)
        return SP_OK;
    if (!p->info->has_labels)
        return sp_run_fail(p->opt, err, SP_EINVAL,
                           "@codes and @map read labels, and %s has none; @labels PATH says where they are", p->file);
    sp_status status = sp_codes_new(o->codes, o->map, false, p->model, &p->codes, err);
    if (status == SP_OK && !p->info->classes && sp_codes_differ_from(p->codes, p->class_of_column))
        sp_run_notice(
            p->opt, SP_NOTICE_DATA,
            "note: the columns of %s have no names and are taken in the model's order, %s first; labels by %s are in another "
            "order: if the columns are too, write their names as attribute classes",
            p->file, p->model->classes[0], sp_codes_name(p->codes));
    if (status == SP_OK)
        status = sp_codes_use_columns(p->codes, p->class_of_column, err);
    sp_source_use_codes(p->source, p->codes);
    return status;
}

sp_status sp_pipeline_compile(sp_pipeline *p, double transition_weight, sp_error *err)
{
    sp_chain_options compile = sp_chain_options_default();
    compile.class_of_column = p->class_of_column;
    compile.transition_weight = transition_weight;
    sp_status status = sp_chain_new(p->model, &compile, &p->chain, err);
    compile.is_boolean = true;
    return status == SP_OK ? sp_chain_new(p->model, &compile, &p->rules, err) : status;
}

/* Once the source is there: its recordings, the model, what to decode and how. */
static sp_status open_rest(sp_pipeline *p, sp_error *err)
{
    const sp_run_options *opt = p->opt;
    sp_status status;
    p->info = p->from.info;
    p->step_bytes = (int64_t)p->info->dtype * p->info->n_classes;
    if ((status = sp_model_load(opt->model, &p->model, err)) != SP_OK)
        return status;
    p->class_of_column = malloc((size_t)p->info->n_classes * sizeof *p->class_of_column);
    if (!p->class_of_column)
        return sp_fail(err, SP_ENOMEM, "no memory");
    if ((status = sp_model_align(p->model, p->info->n_classes, p->info->classes, p->class_of_column, err)) != SP_OK ||
        (status = read_codes(p, err)) != SP_OK || (status = read_decode_options(p, err)) != SP_OK ||
        (status = sp_pipeline_compile(p, sp_first_given(opt->decode.transition_weight, p->model->transition_weight, 1), err)) !=
            SP_OK)
        return status;
    p->workers = sp_workers_new(opt->decode.threads);
    return p->workers ? SP_OK : sp_fail(err, SP_ENOMEM, "no memory for %d threads", opt->decode.threads);
}

static sp_status open_names(sp_pipeline *p, const char *strategies, sp_error *err)
{
    if (!p->opt->model)
        return sp_run_fail(p->opt, err, SP_EINVAL, "@model is missing: a file, or a shipped model (`statepath model list`)");
    return read_strategies(p, strategies, err);
}

sp_status sp_pipeline_open(sp_pipeline *p, const char *file, const sp_run_options *opt, const char *strategies, sp_error *err)
{
    *p = (sp_pipeline){.opt = opt, .file = file};
    sp_source_options places;
    sp_status status;
    if ((status = open_names(p, strategies, err)) != SP_OK || (status = sp_run_places(opt, &places, err)) != SP_OK ||
        (status = sp_source_open(file, &places, &p->source, err)) != SP_OK)
        return status;
    p->from = sp_recordings_of_source(p->source);
    status = open_rest(p, err);
    if (status == SP_OK)
        sp_source_use_threads(p->source, sp_workers_count(p->workers));
    return status;
}

sp_status sp_pipeline_open_recordings(sp_pipeline *p, const sp_recordings *from, const sp_run_options *opt,
                                      const char *strategies, sp_error *err)
{
    *p = (sp_pipeline){.opt = opt, .file = from->info->file, .from = *from};
    if (opt->output || opt->n_folds || opt->codes || opt->map || opt->groups)
        return sp_run_fail(opt, err, SP_EINVAL,
                           "@output, @cv, @codes, @map and @groups are of files, not of recordings in memory");
    sp_status status = open_names(p, strategies, err);
    return status == SP_OK ? open_rest(p, err) : status;
}

void sp_pipeline_close(sp_pipeline *p)
{
    sp_raters_clear(&p->scorers);
    sp_reliability_sums_free(p->reliability);
    sp_subjects_free(p->subjects);
    sp_workers_free(p->workers);
    sp_chain_free(p->rules);
    sp_chain_free(p->chain);
    free(p->log_prior);
    free(p->class_of_column);
    sp_model_free(p->model);
    sp_source_close(p->source);
    sp_codes_free(p->codes);
}

/* ---- what could not be decoded ---- */

/* Is this failure to be named? That there is no path is a matter of the recording, so of several strategies the first says it
 * for all; one that knows no rules, as argmax, is named apart. */
static bool is_to_be_named(sp_pipeline *p, int s, int64_t recording, const sp_decoded *result, bool *is_for_all)
{
    *is_for_all = p->n_strategies > 1 && result->status == SP_ENOPATH && sp_strategy_about(p->strategies[s].kind)->knows_rules;
    if (!*is_for_all)
        return p->undecoded[s] < NAMED_FAILURES;
    for (int i = 0; i < p->n_named; i++)
        if (p->named[i] == recording)
            return false;
    if (p->n_named == NAMED_FAILURES)
        return false;
    p->named[p->n_named++] = recording;
    return true;
}

void sp_pipeline_tell_of_bug(sp_pipeline *p, int s, const char *id, const sp_decoded *result)
{
    char values[128] = "it breaks the model's rules";
    if (!isnan(result->recurrence))
        snprintf(values, sizeof values, "it adds up to %.17g, but the search that found it says %.17g", result->along_path,
                 result->recurrence);
    if (p->n_bugs < NAMED_FAILURES)
        sp_run_notice(
            p->opt, SP_NOTICE_BUG,
            "%s: recording %s: the path that was found is wrong: %s. This is a bug of statepath, not of your data; the path is "
            "withheld (-1)",
            p->names[s], id, values);
    if (p->n_bugs++ == 0)
        sp_run_notice(
            p->opt, SP_NOTICE_BUG,
            "please report it at the project's issue tracker: statepath %s, the lines above, the command, and %s with the model, "
            "or a part of it that shows the same",
            sp_version(), p->file);
}

sp_status sp_pipeline_look_at_failures(sp_pipeline *p, int s, const sp_block *block, const sp_decoded *results, sp_error *err)
{
    for (int64_t n = 0; n < block->n_recordings; n++) {
        p->relaxed[s] += results[n].status == SP_OK && results[n].n_broken > 0;
        if (results[n].status == SP_OK)
            continue;
        if (results[n].status == SP_EBUG) {
            sp_pipeline_tell_of_bug(p, s, block->ids ? block->ids[n] : "?", &results[n]);
            p->undecoded[s]++;
            continue;
        }
        bool is_for_all, is_named = is_to_be_named(p, s, block->first + n, &results[n], &is_for_all);
        char sentence[512];
        const char *id = block->ids ? block->ids[n] : "?", *who = is_for_all ? "" : p->names[s], *colon = is_for_all ? "" : ": ";
        if (results[n].status == SP_ENOPATH)
            snprintf(sentence, sizeof sentence,
                     "%s%srecording %s has no allowed path of finite score: no state reaches step %lld", who, colon, id,
                     (long long)results[n].step);
        else
            snprintf(sentence, sizeof sentence,
                     "%s%srecording %s: dead end at step %lld, no allowed class has a finite score there", who, colon, id,
                     (long long)results[n].step);
        if (p->on_infeasible == SP_INFEASIBLE_ERROR)
            return sp_run_fail(p->opt, err, results[n].status,
                               "%s; nothing was written (@on-infeasible error); report leaves it out, relax breaks the "
                               "fewest rules",
                               sentence);
        p->undecoded[s]++;
        if (is_named)
            sp_run_notice(p->opt, SP_NOTICE_DATA, "%s", sentence);
    }
    return SP_OK;
}

void sp_pipeline_count(const sp_pipeline *p, sp_run_result *result)
{
    if (!result)
        return;
    *result = (sp_run_result){.n_bugs = p->n_bugs};
    for (int s = 0; s < p->n_strategies; s++)
        result->n_undecoded += p->undecoded[s];
}

sp_status sp_pipeline_use_given(sp_pipeline *p, sp_error *err)
{
    p->scorers.found = (sp_scorers_found){p->from.n_raters, p->from.raters};
    return p->from.subjects ? sp_subjects_from_names(p->info->n_recordings, p->from.subjects, 0, "given", &p->subjects, err)
                            : SP_OK;
}

sp_status sp_pipeline_to_columns(const sp_pipeline *p, int64_t n, const int32_t *in, int32_t *out, sp_error *err)
{
    for (int64_t t = 0; t < n; t++) {
        int32_t label = in[t];
        if (p->labels_file && label >= p->model->n_classes)
            return sp_run_fail(p->opt, err, SP_EDATA,
                               "%s: label %d, but model %s has %d classes; unscored steps are -1, and @label-codes or @label-map "
                               "reads others' numbers",
                               p->labels_file, label, p->model->name, p->model->n_classes);
        out[t] = label >= 0 && p->column_of_label ? p->column_of_label[label] : label;
    }
    return SP_OK;
}

sp_status sp_pipeline_put_paths(const sp_pipeline *p, sp_paths_writer *writer, int s, int64_t first, int64_t n_recordings,
                                int64_t first_step, int64_t n_steps, const sp_decode_output *output, sp_error *err)
{
    const sp_run_hooks *h = &p->opt->hooks;
    sp_status status = writer ? sp_paths_writer_add(writer, s, first, n_recordings, first_step, n_steps, output, err) : SP_OK;
    if (status == SP_OK && h->paths)
        status = h->paths(h->arg, s, first, n_recordings, first_step, n_steps, output, err);
    return status;
}

sp_status sp_pipeline_open_writer(const sp_pipeline *p, const sp_extra_outputs *extras, sp_paths_writer **out, sp_error *err)
{
    const char *names[SP_RUN_STRATEGIES];
    for (int s = 0; s < p->n_strategies; s++) {
        names[s] = sp_strategy_name(p->strategies[s].kind);
        for (int other = 0; other < s; other++)
            if (strcmp(names[s], names[other]) == 0)
                return sp_fail(err, SP_EINVAL,
                               "%s and %s would both be written to /paths/%s; write them to two files with `statepath decode`",
                               p->names[other], p->names[s], names[s]);
    }
    double seconds = p->opt->epoch_seconds;
    if (isnan(seconds) && sp_source_epoch_seconds(p->source, &seconds, NULL) != SP_OK)
        seconds = 0; /* an attribute that is something else is not passed on */
    char *model_json = NULL;
    sp_status status = sp_model_to_json(p->model, &model_json, err);
    if (status != SP_OK)
        return status;
    sp_paths_header header = {.n_strategies = p->n_strategies,
                              .strategies = names,
                              .n_recordings = p->info->n_recordings,
                              .n_steps = p->info->n_steps,
                              .offsets = p->info->offsets,
                              .n_classes = p->info->n_classes,
                              .ids = p->info->ids,
                              .subjects = p->subjects,
                              .classes = p->info->classes ? p->info->classes : (const char *const *)p->model->classes,
                              .with_labels = p->info->has_labels,
                              .with_segments = p->info->has_segments,
                              .with_broken = p->on_infeasible == SP_INFEASIBLE_RELAX,
                              .command = p->opt->command,
                              .model_json = model_json,
                              .input = p->file,
                              .input_size = p->info->file_size,
                              .epoch_seconds = seconds,
                              .force = p->opt->force,
                              .with_confidence = extras->with_confidence,
                              .n_extras = extras->n_extras,
                              .extras = extras->extras};
    status = sp_paths_writer_open(p->opt->output, &header, out, err);
    free(model_json);
    return status;
}
