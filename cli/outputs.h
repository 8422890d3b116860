/* Writing a finished comparison wherever the options ask: the table on stdout, files beside. */
#ifndef STATEPATH_CLI_OUTPUTS_H
#define STATEPATH_CLI_OUTPUTS_H

#include "options.h"

/* Before hours of work: may each file that the options name be written? Names the first that may not. The files that are read, by
 * whatever name or link, never may: `input`, `also` (NULL: no other) and the model. */
sp_status outputs_check(const options *o, const char *input, const char *also, sp_error *err);

/* Writes them. The table goes to stdout unless one of the files is "-". */
sp_status outputs_write(const options *o, const sp_comparison *comparison, sp_error *err);

/* The bootstrap's seed and level from --seed and --level. */
sp_status outputs_bootstrap(const options *o, sp_bootstrap_options *bootstrap, sp_error *err);

#endif
