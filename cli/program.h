/* What the program does around its commands. */
#ifndef STATEPATH_CLI_PROGRAM_H
#define STATEPATH_CLI_PROGRAM_H

#include "command.h"

enum { MOST_COMMANDS = 32 };

typedef struct program {
    const char *summary, *start; /* of the list of commands: its first line, and its end */
    int n_commands;              /* at most MOST_COMMANDS */
    const command *const *commands;
    const char *const *description; /* paragraphs of the manual page; end with NULL */
} program;

/* Prepares the process, chooses the instruction set, runs the command that argv[1] names. Returns an exit status. */
int program_main(const program *p, int argc, const char **argv);

#endif
