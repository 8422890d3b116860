/* A file that holds one block of bytes, its kind and its version: HDF5, an attribute named by the kind that holds the version, and
 * a compressed dataset of one dimension, /bytes. Not installed. */
#ifndef STATEPATH_IO_BYTES_FILE_H
#define STATEPATH_IO_BYTES_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "statepath/status.h"

/* Writes it aside and renames it. `version` is that of the kind of file. SP_OK; SP_EFILE, SP_ENOMEM, as all outputs. */
sp_status sp_bytes_save(const char *file, bool force, const char *kind, int version,
                        const unsigned char *bytes, size_t n, sp_error *err);

/* Reads such a file of that kind and version; the caller frees the n bytes. SP_OK; SP_EFILE (also: of another kind, cut short),
 * SP_EDATA (of another version, damaged), SP_ENOMEM. */
sp_status sp_bytes_load(const char *file, const char *kind, int version, unsigned char **bytes, size_t *n,
                        sp_error *err);

#endif
