/* The parts of statepath mask: each reads its options, calls the library and prints. */
#ifndef STATEPATH_CLI_MASK_COMMANDS_H
#define STATEPATH_CLI_MASK_COMMANDS_H

#include "command.h"

/* word  the file; of padding, causal and attention also lengths with commas ("3,5,4") */
typedef sp_status mask_part(const char *word, const options *o, outcome *out, sp_error *err);

/* On rows of scores (mask_rows.c). */
mask_part mask_leak, mask_softmax, mask_apply;
/* On sequences, a file each (mask_padding.c ...; mask_arrays.h has what they share). */
mask_part mask_padding, mask_causal, mask_attention, mask_loss;

#endif
