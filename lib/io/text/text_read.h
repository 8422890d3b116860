/* A whole text file in memory; for JSON and CSV. Not installed. */
#ifndef STATEPATH_IO_TEXT_READ_H
#define STATEPATH_IO_TEXT_READ_H

#include "statepath/status.h"

/* Reads it; the caller frees *text, which ends in 0. `what` says what was wanted: "a model", "a recipe".
 * SP_OK; SP_EFILE (cannot be opened or read, a folder, an HDF5 file, not UTF-8 text); SP_ENOMEM. */
sp_status sp_text_read(const char *file, const char *what, char **text, sp_error *err);

#endif
