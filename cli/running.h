/* A long call of the library as a command runs it: notices and progress on stderr, signals, conditions, the exit status. */
#ifndef STATEPATH_CLI_RUNNING_H
#define STATEPATH_CLI_RUNNING_H

#include "options.h"
#include "progress.h"

typedef struct running {
    const options *opt;
    char *command;
    progress line;
    bool has_line;
    sp_gate *gate; /* of --fail-if, or NULL */
} running;

/* Makes the run's calls come here; from here on signals are watched (cli.h). `o` and `r` stay until running_end(). */
void running_start(running *r, options *o, int argc, const char **argv);

/* Prints the error, or which conditions trip; returns the exit status. `comparison` may be NULL. */
int running_end(running *r, sp_status status, const sp_error *err, const sp_comparison *comparison, const sp_run_result *result);

#endif
