/* MATLAB's files of version 7.3: HDF5 after 512 bytes of MATLAB's header, matrices transposed, cells as references. What stands
 * in the root comes to memory as arrays (matlab/mat_arrays.h), turned to steps by classes without asking. Private to io/.
 */
#ifndef STATEPATH_IO_H5_MATLAB_H
#define STATEPATH_IO_H5_MATLAB_H

#include "io/format.h"

extern const sp_format sp_matlab_format;

#endif
