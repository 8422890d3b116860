/* The parts of statepath mask: each reads its options, calls the library and prints. */
#ifndef STATEPATH_CLI_MASK_COMMANDS_H
#define STATEPATH_CLI_MASK_COMMANDS_H

#include "command.h"

typedef sp_status mask_part(const char *file, const options *o, outcome *out, sp_error *err);

mask_part mask_leak, mask_softmax, mask_apply; /* mask_rows.c */

#endif
