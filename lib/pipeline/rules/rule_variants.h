/* The rules whose costs are asked for, and the model without each of them. */
#ifndef PIPELINE_RULE_VARIANTS_H
#define PIPELINE_RULE_VARIANTS_H

#include "core/owned.h"
#include "pipeline/pipeline.h"
#include "statepath/comparison.h"

/* Decoding without one rule, or (rule -1) with all of them. */
typedef struct sp_rule_variant {
    int64_t rule;
    sp_chain *chain, *rules; /* as decoded; boolean */
    int64_t *correct;        /* [N] scored steps that are right */
    int64_t *kept;           /* [N] legal changes that the path has */
    int64_t ceiling, erased, restored;
} sp_rule_variant;

typedef struct sp_rule_run {
    sp_pipeline *p;
    sp_comparison *comparison;
    sp_rule_costs *to;
    int64_t n;                 /* variants: 1 + rules */
    sp_rule_variant *variants; /* [n] with all rules first */
    int64_t *scored, *changes; /* [N] */
    uint8_t *is_kept;          /* [steps of a block] changes that the path with all rules has */
    sp_owned own;
} sp_rule_run;

/* Fills to->rules: those that the reference and argmax break most. SP_OK, SP_ENOMEM. */
sp_status sp_rule_choose(sp_rule_run *w, sp_error *err);

/* Compiles the model without the variant's rule, and makes room for its counts, which is the run's. The chains are to be freed in
 * any case. SP_OK, SP_ENOMEM. */
sp_status sp_rule_variant_open(sp_rule_run *w, sp_rule_variant *v, sp_error *err);

#endif
