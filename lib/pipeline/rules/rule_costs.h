/* What each rule costs: `rule_costs` of a run. */
#ifndef PIPELINE_RULE_COSTS_H
#define PIPELINE_RULE_COSTS_H

#include "pipeline/judging.h"

/* May the option be set? Asked before anything is decoded. SP_OK; SP_EINVAL (no labels, paths that were read, folds). */
sp_status sp_rule_costs_check(const sp_pipeline *p, sp_error *err);

/* Gives a finished comparison its rule_costs; nothing where the option is not set. All recordings are read and decoded once more,
 * by Viterbi with the model as it is and without each of the rules; the labels' own 0/1 scores likewise, for the ceilings. A
 * recording is read whole. SP_OK; SP_EFILE (stopped); SP_ENOMEM; what reading says. Cost: of Viterbi, twice for each rule. */
sp_status sp_rule_costs_make(sp_pipeline *p, const sp_bootstrap_options *bootstrap, sp_comparison *comparison,
                             sp_error *err);

#endif
