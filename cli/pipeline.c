#include "pipeline.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "beside.h"
#include "calibration.h"

/* ---- opening ---- */

static sp_status read_strategies(pipeline *p, const char *list, sp_error *err)
{
    char *text = strdup(list), *parts[MAX_STRATEGIES + 1];
    if (!text)
        return sp_fail(err, SP_ENOMEM, "no memory");
    int n = split_list(text, MAX_STRATEGIES + 1, parts);
    sp_status status = SP_OK;
    if (n == 0 || n > MAX_STRATEGIES)
        status = sp_fail(err, SP_EINVAL, "--strategies needs 1 to %d names, for example argmax,greedy,viterbi", MAX_STRATEGIES);
    for (int i = 0; status == SP_OK && i < n; i++) {
        status = sp_strategy_parse(parts[i], &p->strategies[i], err);
        if (status != SP_OK)
            break;
        sp_strategy_format(&p->strategies[i], p->names[i]);
        for (int j = 0; j < i; j++)
            if (strcmp(p->names[i], p->names[j]) == 0)
                status = sp_fail(err, SP_EINVAL, "strategy %s is named twice", p->names[i]);
    }
    p->n_strategies = n;
    free(text);
    return status;
}

static sp_status read_decode_options(pipeline *p, sp_error *err)
{
    int rule;
    sp_status status = infeasible_from(p->opt, &rule, err);
    if (status != SP_OK)
        return status;
    p->on_infeasible = (infeasible_rule)rule;
    p->log_prior = malloc((size_t)p->model->n_classes * sizeof *p->log_prior);
    if (!p->log_prior)
        return sp_fail(err, SP_ENOMEM, "no memory");
    status = prepare_options_from(p->opt, p->model, p->class_of_column, p->log_prior, &p->prepare, err);
    p->prepare.kind = p->info->kind;
    if (status == SP_OK && p->prepare.clamp && !p->info->has_labels)
        return sp_fail(err, SP_EINVAL, "--clamp takes labels for certain, but %s has none; --labels PATH says where they are",
                       p->file);
    return status == SP_OK ? sp_prepare_options_check(&p->prepare, err) : status;
}

/* --codes, --map: labels are told in the columns of the scores. Columns without names are the model's, in order. */
static sp_status read_codes(pipeline *p, sp_error *err)
{
    const options *o = p->opt;
    if (!o->codes && !o->map)
        return SP_OK;
    if (!p->info->has_labels)
        return sp_fail(err, SP_EINVAL, "--codes and --map read labels, and %s has none; --labels PATH says where they are",
                       p->file);
    sp_status status = sp_codes_new(o->codes, o->map, false, p->model, &p->codes, err);
    if (status == SP_OK && !p->info->classes && sp_codes_differ_from(p->codes, p->class_of_column) && !o->talk.quiet)
        complain(
            "note: the columns of %s have no names and are taken in the model's order, %s first; labels by %s are in another "
            "order: if the columns are too, write their names as attribute classes",
            p->file, p->model->classes[0], sp_codes_name(p->codes));
    if (status == SP_OK)
        status = sp_codes_use_columns(p->codes, p->class_of_column, err);
    sp_source_use_codes(p->source, p->codes);
    return status;
}

sp_status pipeline_open(pipeline *p, const char *file, const options *opt, const char *strategies, sp_error *err)
{
    *p = (pipeline){.opt = opt, .file = file};
    sp_source_options places;
    sp_status status;
    if (!opt->model)
        return sp_fail(err, SP_EINVAL, "--model is missing: a file, or a shipped model (`statepath model list`)");
    if ((status = read_strategies(p, strategies, err)) != SP_OK || (status = source_options_from(opt, &places, err)) != SP_OK ||
        (status = sp_source_open(file, &places, &p->source, err)) != SP_OK)
        return status;
    p->info = sp_source_info_of(p->source);
    if ((status = sp_model_load(opt->model, &p->model, err)) != SP_OK)
        return status;
    p->class_of_column = malloc((size_t)p->info->n_classes * sizeof *p->class_of_column);
    if (!p->class_of_column)
        return sp_fail(err, SP_ENOMEM, "no memory");
    if ((status = sp_model_align(p->model, p->info->n_classes, p->info->classes, p->class_of_column, err)) != SP_OK ||
        (status = read_codes(p, err)) != SP_OK || (status = read_decode_options(p, err)) != SP_OK)
        return status;
    sp_chain_options compile = sp_chain_options_default();
    compile.class_of_column = p->class_of_column;
    compile.transition_weight = first_given(opt->decode.transition_weight, p->model->transition_weight, 1);
    if ((status = sp_chain_new(p->model, &compile, &p->chain, err)) != SP_OK)
        return status;
    compile.is_boolean = true;
    if ((status = sp_chain_new(p->model, &compile, &p->rules, err)) != SP_OK)
        return status;
    watch_signals();
    p->workers = sp_workers_new(opt->decode.threads);
    if (!p->workers)
        return sp_fail(err, SP_ENOMEM, "no memory for %d threads", opt->decode.threads);
    sp_source_use_threads(p->source, sp_workers_count(p->workers));
    return SP_OK;
}

void pipeline_close(pipeline *p)
{
    scorers_clear(&p->scorers);
    sp_reliability_sums_free(p->reliability);
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
static bool is_to_be_named(pipeline *p, int s, int64_t recording, const sp_decoded *result, bool *is_for_all)
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

void pipeline_tell_of_bug(pipeline *p, int s, const char *id, const sp_decoded *result)
{
    char values[128] = "it breaks the model's rules";
    if (!isnan(result->recurrence))
        snprintf(values, sizeof values, "it adds up to %.17g, but the search that found it says %.17g", result->along_path,
                 result->recurrence);
    if (p->n_bugs < NAMED_FAILURES)
        complain(
            "%s: recording %s: the path that was found is wrong: %s. This is a bug of statepath, not of your data; the path is "
            "withheld (-1)",
            p->names[s], id, values);
    if (p->n_bugs++ == 0)
        complain(
            "please report it at the project's issue tracker: statepath %s, the lines above, the command, and %s with the model, "
            "or a part of it that shows the same",
            sp_version(), p->file);
}

sp_status pipeline_look_at_failures(pipeline *p, int s, const sp_block *block, const sp_decoded *results, sp_error *err)
{
    for (int64_t n = 0; n < block->n_recordings; n++) {
        p->relaxed[s] += results[n].status == SP_OK && results[n].n_broken > 0;
        if (results[n].status == SP_OK)
            continue;
        if (results[n].status == SP_EBUG) {
            pipeline_tell_of_bug(p, s, block->ids ? block->ids[n] : "?", &results[n]);
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
        if (p->on_infeasible == INFEASIBLE_ERROR)
            return sp_fail(err, results[n].status,
                           "%s; nothing was written (--on-infeasible error); report leaves it out, relax breaks the "
                           "fewest rules",
                           sentence);
        p->undecoded[s]++;
        if (is_named && !p->opt->talk.quiet)
            complain("%s", sentence);
    }
    return SP_OK;
}

int pipeline_exit_status(const pipeline *p)
{
    if (p->n_bugs)
        return EXIT_FAILED;
    for (int s = 0; s < p->n_strategies; s++)
        if (p->undecoded[s])
            return EXIT_UNDECODED;
    return EXIT_DONE;
}

sp_status pipeline_open_writer(const pipeline *p, const beside *extras, const char *command, sp_paths_writer **out, sp_error *err)
{
    const char *names[MAX_STRATEGIES];
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
                              .with_broken = p->on_infeasible == INFEASIBLE_RELAX,
                              .command = command,
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
