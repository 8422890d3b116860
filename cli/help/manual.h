/* The manual pages (roff), from the commands' tables of options: statepath(1), and statepath-COMMAND(1) for each. */
#ifndef STATEPATH_CLI_MANUAL_H
#define STATEPATH_CLI_MANUAL_H

#include "program.h"

/* The page of the program: commands, strategies, exit status, environment. */
void manual_program(const program *p);

/* The page of one command. */
void manual_command(const command *c);

#endif
