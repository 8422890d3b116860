/* Intervals of figures as `decode --draws` writes them beside paths (formats.md). Not installed. */
#ifndef STATEPATH_IO_INTERVALS_FILE_H
#define STATEPATH_IO_INTERVALS_FILE_H

#include <stdint.h>

#include "statepath/status.h"

/* Reads /intervals/<key> of a file of paths.
 *   n_columns  that it must have
 *   rows       out: [N,n_columns], to be freed
 * SP_OK; SP_EFILE (no such file or dataset, damaged), SP_EDATA (another shape or type), SP_ENOMEM. */
sp_status sp_intervals_read(const char *file, const char *key, int32_t n_columns, double **rows, int64_t *n, sp_error *err);

#endif
