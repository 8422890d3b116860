/* One array of an HDF5 file, whole, in memory: what the commands on masks of sequences read. Files of such arrays are written by
 * signals_file.h. Recordings of scores, which may be larger than memory, are read by files.h.
 */
#ifndef STATEPATH_ARRAY_FILE_H
#define STATEPATH_ARRAY_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "statepath/files.h"
#include "statepath/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SP_ARRAY_RANK = 4 };

/* What the values are read as. */
typedef enum sp_array_type {
    SP_ARRAY_F64,  /* double, from any number; NaN and infinities are kept */
    SP_ARRAY_I64,  /* int64_t; floats must be whole */
    SP_ARRAY_BOOL, /* uint8_t 0 or 1 */
} sp_array_type;

typedef struct sp_array {
    int rank; /* 0..SP_ARRAY_RANK */
    int64_t dims[SP_ARRAY_RANK];
    int64_t count; /* product of dims */
    void *data;    /* row-major, owned */
} sp_array;
void sp_array_clear(sp_array *array); /* fine on one that is {0} */

/* Reads a dataset.
 *   path  "losses" and "/losses" are the same
 *   how   may be NULL
 *   mend  completes the sentence where there is no such dataset: "name it with `losses`"
 *   out   cleared by the caller; untouched on failure
 * SP_OK; SP_EFILE (no such file or dataset, unreadable), SP_EDATA (not numbers, a value that is none of the type with its place,
 * more than SP_ARRAY_RANK dimensions, more than 2^31 values), SP_ENOMEM. */
sp_status sp_array_read(const char *file, const char *path, sp_array_type type, const sp_file_access *how, const char *mend,
                        sp_array *out, sp_error *err);

/* Is there a dataset, or anything else, of that path? SP_OK; SP_EFILE, SP_ENOMEM. */
sp_status sp_array_exists(const char *file, const char *path, const sp_file_access *how, bool *exists, sp_error *err);

#ifdef __cplusplus
}
#endif
#endif
