/* Texts of variable length, read with bounds. HDF5 keeps them in "global heap collections" elsewhere in the file and leads there
 * by references {length, address of the collection, index in it}; HDF5 1.10 believes both, and crashes or never returns where
 * they are damaged. So it gives us the references as they are stored, and the collections are read here. Private to io/.
 */
#ifndef STATEPATH_IO_H5_HEAP_H
#define STATEPATH_IO_H5_HEAP_H

#include <hdf5.h>
#include <stddef.h>
#include <stdint.h>

#include "statepath/status.h"

typedef struct sp_h5_heap sp_h5_heap; /* of one file: the collections that were read */

/* For the file that holds a dataset or attribute, which must stay open. SP_OK; SP_EFILE (no such file of ours), SP_ENOMEM. */
sp_status sp_h5_heap_new(hid_t object, sp_h5_heap **out);
void sp_h5_heap_free(sp_h5_heap *heap);

/* Bytes of one reference as it is stored. */
size_t sp_h5_heap_reference(const sp_h5_heap *heap);

/* Reads the n references that a dataset (else attribute) of texts of variable length holds, from one that is not virtual.
 * references: room for them. < 0: HDF5 cannot. */
herr_t sp_h5_heap_references(const sp_h5_heap *heap, hid_t object, int is_dataset, hid_t type, int64_t n,
                             void *references);

/* The text of a reference, not ended by 0, which lives as long as the heap. SP_OK; SP_EDATA: damaged; SP_ENOMEM. Memory: each
 * collection that is used, and no more than the file has, in all. */
sp_status sp_h5_heap_text(sp_h5_heap *heap, const unsigned char *reference, const char **text,
                          size_t *length);

/* A list for reading or writing n variable texts: HDF5 converts them in two buffers, of 1 MiB each unless told otherwise, and
 * clears both first, which takes longer than everything else about a few names. H5Pclose() it; H5P_DEFAULT, which need not be
 * closed, on failure. */
hid_t sp_h5_texts_transfer(int64_t n);

#endif
