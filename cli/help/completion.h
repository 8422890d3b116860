/* Completion of the shells: a short function of the shell asks the program, which knows its own tables of options. */
#ifndef STATEPATH_CLI_COMPLETION_H
#define STATEPATH_CLI_COMPLETION_H

#include "command.h"

/* bash.completion, zsh.completion and fish.completion, compiled in (models/embed.cmake). */
typedef struct completion_function {
    const char *shell; /* NULL ends the table */
    const char *text;
} completion_function;
extern const completion_function completion_functions[];

/* Prints the function for `shell` ("bash", "zsh", "fish"). Returns an exit status: EXIT_USAGE for another shell. */
int completion_print(const char *shell);

/* What that function asks: prints what may stand in place of the last of n words after the program's name, a line each:
 *     WORD<tab>DESCRIPTION
 *     <tab>files PATTERN     files of that pattern too
 *     <tab>nospace           no blank follows
 * Returns an exit status. */
int completion_offer(int n, const char *const *words, const command *const *commands, int n_commands);

#endif
