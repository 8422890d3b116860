/* How a file that is not HDF5 becomes one: for messages. */
#ifndef STATEPATH_IO_FILE_MEND_H
#define STATEPATH_IO_FILE_MEND_H

#include <stdbool.h>
#include <stddef.h>

/* For arrays of numpy (.npz of the kind that sp_file_kind() names, .npy) and MATLAB files before version 7.3 the command that
 * writes them with h5py, for the file's own name, as the end of a sentence. False for all others. `head` is the start of the
 * file, n bytes of it. */
bool sp_file_mend(const unsigned char *head, size_t n, const char *file, char *out, size_t size);

#endif
