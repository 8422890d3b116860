/* HDF5 as rows of the table of formats. In a build without HDF5's library they are those of elsewhere/h5_elsewhere.c. Private to
 * io/.
 */
#ifndef STATEPATH_IO_H5_FORMATS_H
#define STATEPATH_IO_H5_FORMATS_H

#include "io/format.h"

extern const sp_format sp_h5_format;

/* MATLAB's files of version 7.3: HDF5 after 512 bytes of MATLAB's header, matrices transposed, cells as references. What stands
 * in the root comes to memory as arrays (matlab/mat_arrays.h), turned to steps by classes without asking. */
extern const sp_format sp_matlab_format;

#endif
