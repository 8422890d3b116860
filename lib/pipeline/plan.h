/* What a run's words mean: read once, by the call that takes the options, and handed on. What they say of files becomes
 * sp_source_options (files/reading.c); what they say of classes and recordings is looked up when these are there. */
#ifndef PIPELINE_PLAN_H
#define PIPELINE_PLAN_H

#include "core/subjects.h"
#include "statepath/comparison.h"
#include "statepath/decode.h"
#include "statepath/learn.h"
#include "statepath/metrics.h"
#include "statepath/pipeline.h"
#include "statepath/statistics.h"
#include "tags/tags.h"

/* Which shard of how many: i from 1 to n. */
typedef struct sp_shard {
    int64_t i, n;
} sp_shard;

/* "3/16"; "auto": the variables of Slurm, SGE, LSF and PBS arrays, then the ranks of Slurm, Open MPI and PMI.
 * NULL: 1/1. SP_OK; SP_EINVAL. (shard.c) */
sp_status sp_shard_read(const char *text, sp_shard *out, sp_error *err);

typedef struct sp_run_plan {
    /* decoding */
    int n_strategies; /* named, or the usual ones of the call; 0: of paths that are there already, whose names are read with them */
    sp_strategy strategies[SP_RUN_STRATEGIES];
    sp_infeasible_rule on_infeasible;
    sp_groups groups;
    sp_shard shard;
    /* fitting */
    bool rules_are_seen; /* `model` is "seen" */
    bool has_method, has_tune;
    sp_features_rule features;
    sp_fit_method method; /* with has_method */
    sp_tune tune;         /* with has_tune */
    bool has_tuned_for;
    sp_strategy tuned_for; /* with has_tuned_for */
    /* evaluation */
    sp_kappa_weights kappa_weights;
    const sp_tag_scheme *scheme; /* or NULL */
    bool has_work;
    sp_work work;          /* with has_work */
    int64_t what_if_bytes; /* of scores that a page holds; 0: it does not decode */
} sp_run_plan;

/* Checks the options first, sp_options_check(). SP_OK, SP_EINVAL, SP_ENOMEM. */
sp_status sp_run_plan_make(const sp_run_options *o, sp_run_call call, sp_run_plan *out, sp_error *err);

#endif
