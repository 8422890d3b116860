#include "pipeline/plan.h"

#include <stddef.h>

/* Number of the word that is given; `usual` where there is none. */
static int word(const sp_run_options *o, size_t place, int usual)
{
    const int i = sp_option_word(o, place);
    return i < 0 ? usual : i;
}

#define WORD(member, usual) word(o, offsetof(sp_run_options, member), usual)

/* Words stand in the table in the order of their enums; where these have more values, that is said here. */
sp_status sp_run_plan_make(const sp_run_options *o, sp_run_plan *out, sp_error *err)
{
    static const sp_work works[] = {SP_WORK_SLEEP, SP_WORK_TAGS, SP_WORK_ACTIONS, SP_WORK_STEPS};
    sp_status status = sp_options_check(o, err);
    if (status != SP_OK)
        return status;
    *out = (sp_run_plan){
        .missing_is_uniform = WORD(decode.missing, 0) == 1,
        .on_infeasible = (sp_infeasible_rule)WORD(decode.on_infeasible, SP_INFEASIBLE_REPORT),
        .part_has_steps = WORD(part.steps, 0) == 0,
        .has_method = o->fit.method != NULL,
        .method = (sp_fit_method)WORD(fit.method, 0),
        .has_tune = o->fit.tune != NULL,
        .tune = (sp_tune)WORD(fit.tune, 0),
        .kappa_weights = (sp_kappa_weights)WORD(weighted_kappa, SP_KAPPA_UNWEIGHTED),
        .absent_class = (sp_absent_class)WORD(absent_class, SP_ABSENT_EXCLUDE),
        .interval = (sp_interval_kind)WORD(interval, SP_INTERVAL_STUDENTISED),
        .zeros = (sp_wilcoxon_zeros)WORD(zeros, 0),
        .has_work = o->preset != NULL,
        .work = works[WORD(preset, 0)],
    };
    return SP_OK;
}
