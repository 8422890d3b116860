/* Writing small HDF5 files: datasets, names, attributes. Each returns false where HDF5 fails, and leaves nothing open. Private to
 * io/. Datasets carry no times: the same data, the same bytes. */
#ifndef STATEPATH_IO_H5_PUT_H
#define STATEPATH_IO_H5_PUT_H

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

#include "io/hdf5/h5_file.h"
#include "io/output_file.h"

/* A dataset of n rows (and n_columns > 0 columns), compressed where it is worth it. */
bool sp_h5_put_numbers(hid_t file, const char *path, hid_t file_type, hid_t memory_type, int64_t n,
                       int32_t n_columns, const void *data);
/* A dataset of any shape, not compressed; data NULL: it is only laid out. */
bool sp_h5_put_array(hid_t file, const char *path, hid_t file_type, hid_t memory_type, int rank,
                     const hsize_t *dims, const void *data);
/* A string type; size H5T_VARIABLE or bytes. Negative where HDF5 fails. */
hid_t sp_h5_string_type(size_t size);
/* Names as fixed strings as wide as the longest. */
bool sp_h5_put_names(hid_t file, const char *path, int64_t n, const char *const *names);
/* h5py's bool: an enum of int8; to be closed. Negative where HDF5 fails. */
hid_t sp_h5_bool_type(void);
bool sp_h5_put_attribute(hid_t file, const char *name, hid_t file_type, hid_t memory_type, const void *value);
bool sp_h5_put_text(hid_t file, const char *name, const char *text); /* attribute of the root */

/* Ids "r01", "r02", ...: as many digits as the last one needs. The caller frees the array and each name. NULL on lack of memory.
 */
char **sp_recording_ids_new(int64_t n);
void sp_recording_ids_free(char **ids, int64_t n);

/* Creates the HDF5 file of an output in its temporary file, without a lock of HDF5's own: the temporary file has one. Negative
 * where HDF5 fails. */
hid_t sp_h5_create(const sp_output *output);

/* The first failure of HDF5 while it writes. HDF5 forgets a failure with its next call, so it is noted when it happens. */
typedef struct sp_h5_failure {
    int reason; /* a value of errno; 0: not the system's */
    char text[SP_H5_REASON];
} sp_h5_failure;

/* Notes failures from here to sp_h5_failure_end(), both between sp_h5_quiet_begin() and sp_h5_quiet_end(). */
void sp_h5_failure_watch(sp_h5_failure *failure);
void sp_h5_failure_end(void);
/* The sentence for it, by sp_output_failed(). Memory of our own that lacked is told by errno (ENOMEM). SP_EFILE, SP_ENOMEM. */
sp_status sp_h5_put_failed(const sp_output *output, const sp_h5_failure *failure, sp_error *err);

/* Creates the HDF5 file of an output; puts everything; commits. `put` returns false where HDF5 fails, or memory (errno is ENOMEM
 * then). SP_OK, SP_EFILE, SP_ENOMEM. */
sp_status sp_h5_save(sp_output *output, bool (*put)(hid_t file, void *arg), void *arg, sp_error *err);

#endif
