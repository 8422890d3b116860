/* Reading a dataset's values past H5Dread, where what lies in the file is simple enough: contiguous values straight from the
 * file, chunks (plain, shuffled, deflated) as they are stored, inflated by libdeflate on several threads. What it cannot do, or
 * what goes wrong, is left to H5Dread, which then finds the words for it. Private to io/.
 *
 * HDF5 is called only from the thread that calls these functions.
 */
#ifndef STATEPATH_IO_H5_DIRECT_H
#define STATEPATH_IO_H5_DIRECT_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct sp_h5_direct sp_h5_direct;

/* A reader for an open dataset of rank 1 to 3 with values of `size` bytes; NULL where there is no such way (other filters,
 * virtual or external storage, files that are not plain files ...) or no memory. It borrows the dataset, and the file. */
sp_h5_direct *sp_h5_direct_new(hid_t file, hid_t dataset, hid_t type, size_t size, int rank, const hsize_t *dims);
void sp_h5_direct_free(sp_h5_direct *direct);

/* Threads that may inflate; 1 unless said. */
void sp_h5_direct_use_threads(sp_h5_direct *direct, int n_threads);

/* Reads start[] .. start[]+count[] of each dimension, raw. Chunks that reach beyond the last row are kept, so that reading rows
 * in order inflates each chunk once. False: not done (out is undefined), ask H5Dread. Memory: the compressed chunks of a few MB
 * of values, two chunks a thread, and the chunks that one row touches. */
bool sp_h5_direct_read(sp_h5_direct *direct, const hsize_t *start, const hsize_t *count, void *out);

#endif
