#include "pipeline/plan.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/prepare.h"
#include "core/try.h"

enum { USUAL_PAGE_BYTES = 5000000 };

/* Number of the word that is given; `usual` where there is none. */
static int word(const sp_run_options *o, size_t place, int usual)
{
    const int i = sp_option_word(o, place);
    return i < 0 ? usual : i;
}

#define WORD(member, usual) word(o, offsetof(sp_run_options, member), usual)

/* "off" or a number of bytes. */
static sp_status read_what_if(const char *given, int64_t *bytes, sp_error *err)
{
    char *end = NULL;
    *bytes = USUAL_PAGE_BYTES;
    if (!given)
        return SP_OK;
    *bytes = strcmp(given, "off") == 0 ? 0 : strtoll(given, &end, 10);
    return *bytes >= 0 && *bytes <= INT32_MAX && (!end || (end != given && !*end))
               ? SP_OK
               : sp_fail(err, SP_EINVAL, "`what_if` %s: it is off, or a number of bytes, 0 to %d", given,
                         INT32_MAX);
}

/* ---- strategies ---- */

/* Those of the call where none are named: with `cv` without greedy, which decodes badly with learnt weights (lib/learn/measured.md). */
static const char *usual_strategies(const sp_run_options *o, sp_run_call call)
{
    if (call == SP_CALL_DECODE || call == SP_CALL_MASK)
        return "viterbi";
    return o->n_folds ? "argmax,viterbi" : "argmax,greedy,viterbi";
}

static bool is_same(const sp_strategy *a, const sp_strategy *b)
{
    char x[SP_STRATEGY_TEXT], y[SP_STRATEGY_TEXT];
    return strcmp(sp_strategy_format(a, x), sp_strategy_format(b, y)) == 0;
}

static sp_status add_strategy(sp_run_plan *plan, const char *text, sp_error *err)
{
    sp_strategy *one = &plan->strategies[plan->n_strategies];
    char name[SP_STRATEGY_TEXT];
    const sp_status status = sp_strategy_parse(text, one, err);
    if (status != SP_OK)
        return status;
    for (int before = 0; before < plan->n_strategies; before++)
        if (is_same(one, &plan->strategies[before]))
            return sp_fail(err, SP_EINVAL, "strategy %s is named twice", sp_strategy_format(one, name));
    plan->n_strategies++;
    return SP_OK;
}

static sp_status read_strategies(sp_run_plan *plan, const char *list, sp_error *err)
{
    char *text = strdup(list), *parts[SP_RUN_STRATEGIES + 1];
    if (!text)
        return sp_no_memory(err);
    const int n = sp_split_list(text, SP_RUN_STRATEGIES + 1, parts);
    sp_status status = SP_OK;
    if (n == 0 || n > SP_RUN_STRATEGIES)
        status =
            sp_fail(err, SP_EINVAL, "`strategies` needs 1 to %d names, for example argmax,greedy,viterbi",
                    SP_RUN_STRATEGIES);
    for (int i = 0; status == SP_OK && i < n; i++)
        status = add_strategy(plan, parts[i], err);
    free(text);
    return status;
}

/* ---- all of them ---- */

/* Words stand in the table in the order of their enums; where these have more values, that is said here. */
static sp_run_plan choices_of(const sp_run_options *o)
{
    static const sp_work works[] = {SP_WORK_SLEEP, SP_WORK_TAGS, SP_WORK_ACTIONS, SP_WORK_STEPS};
    return (sp_run_plan){
        .on_infeasible = sp_run_infeasible(o),
        .rules_are_seen = o->model && strcmp(o->model, "seen") == 0,
        .has_method = o->fit.method != NULL,
        .method = (sp_fit_method)WORD(fit.method, 0),
        .has_tune = o->fit.tune != NULL,
        .tune = (sp_tune)WORD(fit.tune, 0),
        .features = (sp_features_rule)WORD(fit.features, 0),
        .kappa_weights = (sp_kappa_weights)WORD(weighted_kappa, SP_KAPPA_UNWEIGHTED),
        .has_work = o->preset != NULL,
        .work = works[WORD(preset, 0)],
    };
}

sp_status sp_run_plan_make(const sp_run_options *o, sp_run_call call, sp_run_plan *out, sp_error *err)
{
    const bool decodes = call == SP_CALL_COMPARE || call == SP_CALL_DECODE || call == SP_CALL_MASK;
    sp_status status = SP_OK;
    TRY(sp_options_check(o, call, err));
    *out = choices_of(o);
    if (decodes)
        TRY(read_strategies(out, o->strategies ? o->strategies : usual_strategies(o, call), err));
    TRY(sp_groups_read(o->groups, &out->groups, err));
    TRY(sp_shard_read(o->shard, &out->shard, err));
    if ((out->has_tuned_for = o->fit.strategy != NULL))
        TRY(sp_strategy_parse(o->fit.strategy, &out->tuned_for, err));
    if (o->scheme)
        TRY(sp_tag_scheme_find(o->scheme, &out->scheme, err));
    TRY(read_what_if(o->what_if, &out->what_if_bytes, err));
done:
    return status;
}

/* ---- for programs that do the rest themselves ---- */

double sp_first_given(double option, double model, double usual)
{
    return !isnan(option) ? option : !isnan(model) ? model : usual;
}

sp_infeasible_rule sp_run_infeasible(const sp_run_options *o)
{
    return (sp_infeasible_rule)WORD(decode.on_infeasible, SP_INFEASIBLE_REPORT);
}

sp_prepare_options sp_run_prepare_plain(const sp_run_options *o)
{
    sp_prepare_options how = sp_prepare_options_default();
    how.missing_uniform = WORD(decode.missing, 0) == 1;
    how.floor = sp_first_given(o->decode.floor, NAN, 0);
    return how;
}

sp_status sp_run_prepare(const sp_run_options *o, const sp_model *model, const int32_t *class_of_column,
                         double *log_prior, sp_prepare_options *out, sp_error *err)
{
    *out = sp_run_prepare_plain(o);
    out->clamp = o->decode.clamp;
    out->floor = o->decode.floor;
    out->temperature = o->decode.temperature;
    out->prior_weight = o->decode.prior_weight;
    return sp_prepare_by_model(out, model, class_of_column, log_prior, err);
}
