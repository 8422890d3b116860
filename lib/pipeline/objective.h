/* What settings of a model are chosen by, once the classes are known. */
#ifndef PIPELINE_OBJECTIVE_H
#define PIPELINE_OBJECTIVE_H

#include "pipeline/plan.h"
#include "statepath/learn.h"

/* Where `tune` does not say it the kind of work does: of tags entity F1, of actions accuracy, edit score and F1@50 together, of
 * others accuracy; with `cost` it is the mean cost of a step, an error that `cost`
 * does not name costing 1. `preset` says what the work is, else the names of the classes.
 *   has_scores  false: nothing is decoded, so there is nothing to choose by
 *   costs  out: [K,K] of out->costs, to be freed; NULL without `cost`
 * SP_OK, SP_EINVAL (`cost` names no such classes, or goes with another `tune`), SP_ENOMEM. */
sp_status sp_fit_objective(const sp_fit_words *words, const sp_run_plan *plan, bool has_scores, int32_t K,
                           const char *const *classes, sp_fit_options *out, double **costs, sp_error *err);

#endif
