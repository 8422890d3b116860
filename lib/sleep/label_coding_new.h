/* Making a label coding of texts that are in memory. Not installed; sp_codes_new() (io) reads files, too. */
#ifndef STATEPATH_SLEEP_LABEL_CODING_NEW_H
#define STATEPATH_SLEEP_LABEL_CODING_NEW_H

#include "statepath/sleep.h"

/* As sp_codes_new(); `entries` are those of `map`, or of the file that it names. */
sp_status sp_label_coding_new(const char *preset, const char *map, const char *entries, const sp_model *model,
                              sp_codes **out, sp_error *err);

#endif
