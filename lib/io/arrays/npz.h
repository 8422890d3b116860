/* numpy's .npz: arrays with names, members of a zip archive, stored or deflated. A row of the table of formats. Private to io/.
 */
#ifndef STATEPATH_IO_NPZ_H
#define STATEPATH_IO_NPZ_H

#include "io/format.h"

/* A member's header is looked at first. Stored members are then read from the file as .npy is, deflated ones unpacked whole in
 * memory; either is compared with its checksum before any value of it is given. */
extern const sp_format sp_npz_format;
extern const sp_path_format sp_npz_paths; /* (npz_paths.c) */

#endif
