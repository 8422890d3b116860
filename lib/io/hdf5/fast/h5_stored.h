/* How the values of a dataset lie in its file, where that is simple enough to take them from there without H5Dread. Private to
 * io/. */
#ifndef STATEPATH_IO_H5_STORED_H
#define STATEPATH_IO_H5_STORED_H

#include <hdf5.h>
#include <stdbool.h>

#include "io/hdf5/fast/chunk_jobs.h"

typedef struct sp_h5_request {
    hid_t dataset, type; /* open, borrowed */
    hid_t created;       /* its list of creation properties, borrowed; 0: not at hand */
    size_t size;         /* bytes of a value */
    int rank;
    const hsize_t *dims;
} sp_h5_request;

typedef struct sp_h5_stored {
    int rank;
    int64_t dims[3];    /* [rows, n1, n2]: [S] is [S,1,1], [S,K] is [S,1,K] */
    int64_t chunk[3];   /* the same of a chunk; 0: contiguous */
    uint64_t position;  /* contiguous: of the first value in the file */
    sp_chunk_form form; /* contiguous: only the size of a value */
} sp_h5_stored;

/* False where there is no such way: a rank beyond 1 to 3, other filters, virtual or external storage, nothing written yet ... */
bool sp_h5_stored_of(const sp_h5_request *request, sp_h5_stored *out);

/* Where the values of a dataset that is contiguous, and written, begin in its file; HADDR_UNDEF of any other. */
haddr_t sp_h5_position(hid_t dataset);

/* The axes of the dataset itself, from three. */
void sp_h5_own_axes(int rank, int64_t rows, int64_t n1, int64_t n2, hsize_t out[3]);

#endif
