/* The table of options that runs take (statepath/options.def), for whoever reads, writes or checks them all. */
#ifndef STATEPATH_OPTIONS_H
#define STATEPATH_OPTIONS_H

#include "statepath/pipeline.h"

enum { SP_OPTION_KEY = 32 };

/* All of them; one without a name ends them. */
extern const sp_option_row sp_option_rows[];

/* "weighted_kappa". Returns key. */
char *sp_option_key(const char *name, char key[SP_OPTION_KEY]);

/* The name of what is given of fitting and says nothing to a method (sp_fit_method); NULL: there is none. */
const char *sp_option_without_use(const sp_fit_words *words, int method);

/* SP_EINVAL where there are no labels, or scores, and an option is given that speaks of them
 * (SP_OPTION_OF_LABELS, SP_OPTION_OF_SCORES); `file` is for the sentence. */
sp_status sp_options_check_labels(const sp_run_options *o, const char *file, bool has_labels, sp_error *err);
sp_status sp_options_check_scores(const sp_run_options *o, const char *file, bool has_scores, sp_error *err);

#endif
