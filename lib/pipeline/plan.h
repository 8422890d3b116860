/* What a run's words mean: read once, by whoever opens the run, and handed on. What they say of files becomes sp_source_options
 * (files/reading.c). */
#ifndef PIPELINE_PLAN_H
#define PIPELINE_PLAN_H

#include "statepath/learn.h"
#include "statepath/metrics.h"
#include "statepath/pipeline.h"
#include "statepath/statistics.h"

typedef struct sp_run_plan {
    /* decoding */
    bool missing_is_uniform;
    sp_infeasible_rule on_infeasible;
    bool part_has_steps;
    /* fitting */
    bool has_method, has_tune;
    sp_fit_method method; /* with has_method */
    sp_tune tune;         /* with has_tune */
    /* evaluation */
    sp_kappa_weights kappa_weights;
    sp_absent_class absent_class;
    sp_interval_kind interval;
    sp_wilcoxon_zeros zeros;
    bool has_work;
    sp_work work; /* with has_work */
} sp_run_plan;

/* Checks the options first, sp_options_check(). SP_OK, SP_EINVAL. */
sp_status sp_run_plan_make(const sp_run_options *o, sp_run_plan *out, sp_error *err);

#endif
