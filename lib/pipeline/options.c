#include "pipeline/options.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "core/rules/rules.h"
#include "core/try.h"
#include "statepath/learn.h"
#include "statepath/model_json.h"
#include "tags/tags.h"

/* ---- messages and callbacks ---- */

void sp_run_notice(const sp_run_options *o, sp_notice kind, const char *format, ...)
{
    char sentence[2 * SP_ERROR_SIZE];
    va_list arguments;
    if (!o->hooks.notice)
        return;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    o->hooks.notice(o->hooks.arg, kind, sentence);
}

void sp_run_tell_slow(const sp_run_options *o, const sp_model *model, const sp_chain *chain)
{
    char states[SP_COUNT_TEXT], times[SP_COUNT_TEXT];
    const int64_t slowdown = sp_chain_slowdown(chain, model);
    if (slowdown >= SP_SLOW_CHAIN)
        sp_run_notice(o, SP_NOTICE_DATA,
                      "note: model %s: with its rules and durations it has %s states; decoding takes some %s "
                      "times as long as "
                      "with the matrix alone",
                      model->name, sp_count_text(sp_chain_n_states(chain), states),
                      sp_count_text(slowdown, times));
}

void sp_run_progress(const sp_run_options *o, const char *what, int64_t done, int64_t total)
{
    if (o->hooks.progress)
        o->hooks.progress(o->hooks.arg, what, done, total);
}

sp_status sp_run_go_on(const sp_run_options *o, sp_error *err)
{
    bool is_stopped = o->hooks.is_stopped && o->hooks.is_stopped(o->hooks.arg);
    return is_stopped ? sp_fail(err, SP_EFILE, "stopped by a signal; nothing was written") : SP_OK;
}

static void fitting_progress(void *arg, const char *what, int64_t done, int64_t total)
{
    sp_run_progress(arg, what, done, total);
}

static sp_status fitting_go_on(void *arg, sp_error *err)
{
    return sp_run_go_on(arg, err);
}

void sp_run_hook_fitting(const sp_run_options *o, sp_training *training, sp_fit_options *how)
{
    training->go_on = fitting_go_on;
    training->go_on_arg = (void *)o;
    how->progress = fitting_progress;
    how->progress_arg = (void *)o;
}

enum { RULE_NAME = 80 };

/* "RULE", "NAME: RULE" or "NAME=COST: RULE". */
static sp_status add_rule(sp_model *model, const char *words, sp_error *err)
{
    char name[RULE_NAME];
    const size_t n = strspn(words, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
    const char *rest = words + n;
    char *end;
    double cost = INFINITY;
    if (n > 0 && *rest == '=') {
        cost = strtod(rest + 1, &end);
        if (end == rest + 1 || *end != ':' || !(cost >= 0))
            return sp_fail(err, SP_EINVAL,
                           "`rule` '%s': NAME=COST: RULE has a number of nats, not below 0, for its cost",
                           words);
        rest = end;
    }
    if (n == 0 || *rest != ':')
        return sp_model_add_rule(model, NULL, words, INFINITY, false, err);
    if (n >= sizeof name)
        return sp_fail(err, SP_EINVAL, "`rule` '%s': a name has less than %d letters", words, RULE_NAME);
    memcpy(name, words, n);
    name[n] = 0;
    return sp_model_add_rule(model, name, rest + 1 + strspn(rest + 1, " "), cost, false, err);
}

sp_status sp_run_add_rules(const sp_run_options *o, sp_model *model, sp_error *err)
{
    sp_status status = SP_OK;
    for (int i = 0; status == SP_OK && o->rule && o->rule[i]; i++)
        status = add_rule(model, o->rule[i], err);
    return status;
}

/* The rules of a scheme for tags that `classes` names. */
static sp_status new_tags(const sp_run_options *o, sp_model **out, sp_error *err)
{
    sp_model *named = NULL, *model = NULL;
    sp_status status = SP_OK;
    if (!o->place.classes)
        return sp_fail(
            err, SP_EINVAL,
            "`model` %s is a scheme of tags; `classes` names these: a list A,B,C or the config.json of the "
            "classifier. `statepath model "
            "new %s` makes a model of types",
            o->model, o->model);
    TRY(sp_classes_load(o->place.classes, &named, err));
    TRY(sp_model_new_tags(o->model, named->n_classes, (const char *const *)named->classes, &model, err));
    if (model->n_classes != named->n_classes) /* it took them for types */
        TRY(sp_fail(err, SP_EINVAL,
                    "%s: names no tag such as O or B-%s; `statepath model new %s` makes tags of types",
                    o->place.classes, named->classes[0], o->model));
    *out = model;
    model = NULL;
done:
    sp_model_free(named);
    sp_model_free(model);
    return status;
}

static bool is_scheme(const char *model)
{
    const sp_tag_scheme *scheme;
    struct stat s;
    return model && sp_tag_scheme_find(model, &scheme, NULL) == SP_OK && stat(model, &s) != 0;
}

sp_status sp_run_load_model(const sp_run_options *o, const char *text, const char *text_name, sp_model **out,
                            sp_error *err)
{
    sp_model *model = NULL;
    sp_status status = text                  ? sp_model_from_json(text, text_name, &model, err)
                       : o->model_text       ? sp_model_from_json(o->model_text, "model", &model, err)
                       : is_scheme(o->model) ? new_tags(o, &model, err)
                                             : sp_model_load(o->model, &model, err);
    if (status == SP_OK)
        status = sp_run_add_rules(o, model, err);
    if (status != SP_OK) {
        sp_model_free(model);
        model = NULL;
    }
    *out = model ? model : *out;
    return status;
}

/* ---- options that say nothing to what is there ---- */

void sp_use_tell_argmax(const sp_run_options *o, int n, const sp_strategy *strategies, bool judges)
{
    const struct {
        const char *name;
        bool is_given;
    } options[] = {{"temperature", !judges && !isnan(o->decode.temperature)},
                   {"transition_weight", !isnan(o->decode.transition_weight)},
                   {"prior_weight", !judges && !isnan(o->decode.prior_weight)},
                   {"rule", !judges && o->rule}};
    char list[128] = "";
    int used = 0, n_given = 0;
    for (int s = 0; s < n; s++)
        if (strategies[s].kind != SP_ARGMAX)
            return;
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        if (options[i].is_given)
            used += snprintf(list + used, sizeof list - (size_t)used, "%s`%s`", n_given++ ? ", " : "",
                             options[i].name);
    if (n_given)
        sp_run_notice(o, SP_NOTICE_DATA,
                      "note: argmax takes the best class of each step as the scores are: %s change%s nothing",
                      list, n_given == 1 ? "s" : "");
}

static bool has_times(const sp_model *model)
{
    for (int32_t r = 0; r < model->n_rules; r++)
        if (sp_rule_has_time(model, r))
            return true;
    for (int32_t k = 0; model->durations && k < model->n_classes; k++)
        if (model->durations[k].min.is_seconds || model->durations[k].max.is_seconds ||
            model->durations[k].centre.is_seconds)
            return true;
    return false;
}

void sp_use_tell_seconds(const sp_run_options *o, const sp_model *model, bool asks)
{
    if (!isnan(o->epoch_seconds) && !asks && !(model && has_times(model)))
        sp_run_notice(
            o, SP_NOTICE_DATA,
            "note: `epoch_seconds` changes nothing: no rule or duration is in time, and %s%s does not "
            "say how long a step is",
            o->output ? "" : "the result", o->output ? o->output : "");
}

/* ---- numbers ---- */

double sp_now_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

char *sp_count_text(int64_t n, char buffer[SP_COUNT_TEXT])
{
    char digits[SP_COUNT_TEXT];
    int length = snprintf(digits, sizeof digits, "%lld", (long long)n), out = 0;
    for (int i = 0; i < length; i++) {
        if (i && digits[i - 1] != '-' && (length - i) % 3 == 0)
            buffer[out++] = ',';
        buffer[out++] = digits[i];
    }
    buffer[out] = 0;
    return buffer;
}

/* ---- lists ---- */

const char **sp_names_in_columns(const sp_model *model, const int32_t *class_of_column)
{
    const char **names = malloc((size_t)model->n_classes * sizeof *names);
    for (int32_t c = 0; names && c < model->n_classes; c++)
        names[c] = model->classes[class_of_column[c]];
    return names;
}

int sp_split_list(char *text, int max_parts, char **parts)
{
    int n = 0;
    char *rest = NULL;
    for (char *part = strtok_r(text, ",", &rest); part && n < max_parts; part = strtok_r(NULL, ",", &rest))
        parts[n++] = part;
    return n;
}
