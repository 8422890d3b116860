/* A path on its way through a temporary file: written in chunks of any order, read back in any order. A byte a step for up to 256
 * classes, two for up to 65536; half as many classes where violations are kept too. The file has no name and is gone with the
 * spill; it stands in $TMPDIR, or in /tmp. */
#ifndef PIPELINE_PATH_SPILL_H
#define PIPELINE_PATH_SPILL_H

#include "pipeline/options.h"

typedef struct sp_path_spill sp_path_spill;

/* SP_OK, SP_EFILE (no temporary file can be made), SP_ENOMEM. */
sp_status sp_path_spill_new(int32_t n_classes, bool with_violations, sp_path_spill **out, sp_error *err);
void sp_path_spill_free(sp_path_spill *s);

/* Classes 0..K-1 of steps first .. first+n-1, and which of them break a rule: violations [n], 0 or 1; NULL: none (put), not
 * wanted (get). SP_OK, SP_EFILE (no room left, not written). */
sp_status sp_path_spill_put(sp_path_spill *s, int64_t first, int64_t n, const int32_t *path,
                            const uint8_t *violations, sp_error *err);
sp_status sp_path_spill_get(sp_path_spill *s, int64_t first, int64_t n, int32_t *path, uint8_t *violations,
                            sp_error *err);

#endif
