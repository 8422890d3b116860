/* Reading a dataset's values past H5Dread, where what lies in the file is simple enough: contiguous values straight from the
 * file, chunks (plain, shuffled, deflated or LZF, with checksums) as they are stored, unpacked on several threads. What it cannot
 * do, or what goes wrong, is left to H5Dread, which then finds the words for it. Private to io/.
 *
 * HDF5 is called only from the thread that calls these functions.
 */
#ifndef STATEPATH_IO_H5_DIRECT_H
#define STATEPATH_IO_H5_DIRECT_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/hdf5/fast/h5_stored.h"
#include "io/hdf5/h5_driver.h"
#include "statepath/status.h"

typedef struct sp_h5_direct sp_h5_direct;

/* A reader for a dataset of rank 1 to 3. SP_OK, with *out NULL where there is no such way
 * (other filters, virtual or external storage, files that are not plain files ...); SP_ENOMEM. */
sp_status sp_h5_direct_new(const sp_h5_request *request, sp_h5_direct **out);
void sp_h5_direct_free(sp_h5_direct *direct);

/* Threads that may inflate; 1 unless said. */
void sp_h5_direct_use_threads(sp_h5_direct *direct, int n_threads);

/* Reads start[] .. start[]+count[] of each dimension, raw. Chunks that reach beyond the last row are kept, so that reading rows
 * in order inflates each chunk once. SP_OK; SP_ENOMEM; SP_EFILE: not done (out is undefined), ask H5Dread; SP_EDATA: a chunk is
 * too short or (without filters) too long, do not. Memory: the compressed chunks of a few MB of values, two chunks a thread, and
 * the chunks that one row touches, of large ones one for each thread. */
sp_status sp_h5_direct_read(sp_h5_direct *direct, const hsize_t *start, const hsize_t *count, void *out);

/* Begins to read all of one of many datasets: out is filled when the jobs are done; the dataset may be closed before. Returns as
 * sp_h5_direct_read(). */
sp_status sp_h5_direct_gather(const sp_h5_request *request, sp_chunk_jobs *jobs, void *out);

#endif
