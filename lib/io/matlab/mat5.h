/* MATLAB's files before version 7.3 ("level 5"): 128 bytes of header, then elements of eight bytes of tag and their values,
 * compressed or not. Read whole into memory. Private to io/.
 *
 * Our own reader: libmatio would bring a second HDF5 into the process. Source: The MathWorks, MAT-File Format (2024).
 */
#ifndef STATEPATH_IO_MAT5_H
#define STATEPATH_IO_MAT5_H

#include "io/format.h"

extern const sp_format sp_mat5_format;

#endif
