/* Rules that recordings have of their own: `own_rules` of a run (models/rules.md). */
#ifndef PIPELINE_OWN_RULES_H
#define PIPELINE_OWN_RULES_H

#include "core/subjects.h"
#include "statepath/model.h"

/* The model with each set of rules, compiled. */
struct sp_own_rules {
    int32_t n;             /* sets; recordings with the same text share one */
    sp_chain **chains;     /* [n] as decoded */
    sp_chain **bounds;     /* [n] boolean */
    int32_t *of_recording; /* [N] 0..n-1 */
};

struct sp_pipeline;

/* Compiles them. texts: of each recording its rules, parted by ";", none where it is blank. They are called own, own2, ...
 * SP_OK; SP_EMODEL (a rule of the model has such a name; a text is no rule, or contradicts the model: the sentence names the
 * recording), SP_ENOMEM. */
sp_status sp_own_rules_open(struct sp_pipeline *p, const sp_subjects *texts, sp_error *err);
void sp_own_rules_free(struct sp_own_rules *own); /* NULL is fine */

#endif
