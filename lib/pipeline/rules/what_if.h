/* What a page needs to decode some recordings itself. */
#ifndef PIPELINE_WHAT_IF_H
#define PIPELINE_WHAT_IF_H

#include "pipeline/judging.h"

/* Gives the comparison, whose steps are kept, its what_if; nothing where no page is wanted, `what_if` is
 * off, this build's page does not decode or paths were read. Where a page could not repeat what was
 * decoded (a model a fold, rules by recording, no strategy that the page knows, more than
 * SP_WHAT_IF_CLASSES classes or states) it says why. Reads the recordings once more. SP_OK; SP_ENOMEM;
 * what reading says. */
sp_status sp_what_if_make(const sp_pipeline *p, sp_comparison *comparison, sp_error *err);

/* The model as JSON with its classes in the order of the columns, and states in the order of those, then as declared. Lists of
 * probabilities of durations are as long as recordings of so many steps can tell; *most_length: where they end, 0: none is cut. The caller
 * frees *text. SP_OK; SP_EINVAL (a name that is not UTF-8), SP_ENOMEM. (what_if_model.c) */
sp_status sp_what_if_model(const sp_pipeline *p, int64_t n_steps, int64_t *most_length, char **text,
                           sp_error *err);

/* So many lengths of a list of probabilities the page holds, of recordings of n_steps at most. */
int64_t sp_what_if_most_length(int64_t n_steps);

/* Options of `statepath decode` that the run was given and that no model can say, quoted for a shell: " --missing 'uniform'"; ""
 * without any. The caller frees it; NULL: no memory. */
char *sp_what_if_options(const sp_run_options *o);

#endif
