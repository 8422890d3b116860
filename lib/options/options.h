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

#endif
