/* A path on its way through a temporary file: written in pieces of any order, read back in any order. A byte a step for up to 256
 * classes, two for up to 65536. The file has no name and is gone with the spool; it stands in $TMPDIR, or in /tmp. */
#ifndef STATEPATH_CLI_SPOOL_H
#define STATEPATH_CLI_SPOOL_H

#include "cli.h"

typedef struct spool spool;

/* SP_OK, SP_EFILE (no temporary file can be made), SP_ENOMEM. */
sp_status spool_new(int32_t n_classes, spool **out, sp_error *err);
void spool_free(spool *s);

/* Classes 0..K-1 of steps first .. first+n-1. SP_OK, SP_EFILE (no room left, not written). */
sp_status spool_put(spool *s, int64_t first, int64_t n, const int32_t *path, sp_error *err);
sp_status spool_get(spool *s, int64_t first, int64_t n, int32_t *path, sp_error *err);

#endif
