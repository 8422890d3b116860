/* A path on its way through a temporary file: written in pieces of any order, read back in any order. A byte a step for up to 256
 * classes, two for up to 65536. The file has no name and is gone with the spill; it stands in $TMPDIR, or in /tmp. */
#ifndef PIPELINE_SPOOL_H
#define PIPELINE_SPOOL_H

#include "pipeline/options.h"

typedef struct sp_path_spill sp_path_spill;

/* SP_OK, SP_EFILE (no temporary file can be made), SP_ENOMEM. */
sp_status sp_path_spill_new(int32_t n_classes, sp_path_spill **out, sp_error *err);
void sp_path_spill_free(sp_path_spill *s);

/* Classes 0..K-1 of steps first .. first+n-1. SP_OK, SP_EFILE (no room left, not written). */
sp_status sp_path_spill_put(sp_path_spill *s, int64_t first, int64_t n, const int32_t *path, sp_error *err);
sp_status sp_path_spill_get(sp_path_spill *s, int64_t first, int64_t n, int32_t *path, sp_error *err);

#endif
