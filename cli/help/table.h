/* The table of options, for programs. */
#ifndef STATEPATH_CLI_TABLE_H
#define STATEPATH_CLI_TABLE_H

#include "command.h"

/* `statepath help options`: an object a row, with its columns and the names of the commands that take it. */
void table_print(const command *const *commands, int n_commands);

#endif
