/* Our own driver of HDF5 for files that are read: it opens and reads them as HDF5's does, or reads bytes in memory instead, and
 * it is asked for each file that a file links to (external links, sources of virtual datasets). Those are opened only when they
 * are regular files whose real path lies in the real folder of the file that was opened, or below it, at most SP_H5_MOST_LINKED
 * at once. Where allow_external is set they may lie anywhere. HDF5 would also look for them in the working directory: refused
 * always. Private to io/.
 */
#ifndef STATEPATH_IO_H5_DRIVER_H
#define STATEPATH_IO_H5_DRIVER_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "statepath/files.h"

enum { SP_H5_MOST_LINKED = 64 };

/* Why a file that is linked to was not opened. */
typedef enum sp_h5_refusal {
    SP_H5_NOT_REFUSED,
    SP_H5_NOT_THERE,
    SP_H5_OUTSIDE,
    SP_H5_NOT_REGULAR,
    SP_H5_TOO_MANY_FILES
} sp_h5_refusal;

typedef struct sp_h5_vfile sp_h5_vfile; /* one file that is open by the driver */

/* Makes an access list open `file`, a real path, or the bytes of how->image, by this driver. how may be NULL. False: no memory.
 */
bool sp_h5_driver_use(hid_t access, const char *file, const sp_file_access *how);

/* The file of the driver that holds an object; NULL where another driver does. Valid as long as the object is open. */
sp_h5_vfile *sp_h5_vfile_of(hid_t object);

uint64_t sp_h5_vfile_size(const sp_h5_vfile *file);
/* Reads n bytes. False where it cannot, or ends before. */
bool sp_h5_vfile_read(const sp_h5_vfile *file, void *out, uint64_t n, uint64_t position);

/* From here on raw values are read in pieces of exactly so many bytes or not at all; 0: of any size. HDF5 reads a chunk without
 * filters in the length that the file claims, whatever memory was given for it. Returns whether one was refused since the last
 * call. */
bool sp_h5_vfile_expect(sp_h5_vfile *file, size_t bytes);

/* Why the last file that this file, or one it links to, leads to was not opened; `forget` begins anew. */
sp_h5_refusal sp_h5_vfile_refusal(const sp_h5_vfile *file);
void sp_h5_vfile_forget(sp_h5_vfile *file);
/* What is to be said of it: "is not there; put that file beside this one". */
const char *sp_h5_refusal_text(sp_h5_refusal refusal);

#endif
