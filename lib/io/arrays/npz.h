/* numpy's .npz: arrays with names, members of a zip archive, stored or deflated. A row of the table of formats. Private to io/.
 */
#ifndef STATEPATH_IO_NPZ_H
#define STATEPATH_IO_NPZ_H

#include "io/format.h"

/* Stored members are read from the file as .npy is. Deflated ones are unpacked whole in memory, once one is wanted, and checked
 * against their checksum. */
extern const sp_format sp_npz_format;
extern const sp_path_format sp_npz_paths; /* (npz_paths.c) */

#endif
