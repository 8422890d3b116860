/* What HDF5's types of numbers are to us: floats and integers (io/element.h), enums of integers (h5py's bool). HDF5 converts
 * nothing: its conversion of 16-bit floats is 55 times slower than ours. Private to io/.
 */
#ifndef STATEPATH_IO_H5_ELEMENT_H
#define STATEPATH_IO_H5_ELEMENT_H

#include <hdf5.h>

#include "io/element.h"

/* What an HDF5 type is to us. Floats must be exactly IEEE half, single or double: bfloat16 and the like are NONE. */
void sp_element_of(hid_t type, sp_element *out);

/* Is it an enum whose members name the values, as h5py's enum_dtype makes one? A bool is none. */
bool sp_element_is_named(hid_t type);

/* Name of any HDF5 type for messages: "float32", "float16 big-endian", "uint8", "bool", "text", "compound", "bfloat16" ... */
enum { SP_ELEMENT_NAME = 48 };
const char *sp_element_name(hid_t type, char buffer[SP_ELEMENT_NAME]);

#endif
