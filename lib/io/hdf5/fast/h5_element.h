/* Numbers as files store them, read raw and turned into ours: floats of 16, 32 and 64 bits, integers of 1 to 8 bytes, enums of
 * integers (h5py's bool), either byte order. Private to io/.
 *
 * Values are read in the file's own type, so that HDF5 converts nothing (its conversion of 16-bit floats is 55 times slower
 * than the loop here), and converted in place: the raw values lie at the end of the place that they grow to fill.
 */
#ifndef STATEPATH_IO_H5_ELEMENT_H
#define STATEPATH_IO_H5_ELEMENT_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum sp_element_kind { SP_ELEMENT_NONE, SP_ELEMENT_FLOAT, SP_ELEMENT_INT, SP_ELEMENT_UINT } sp_element_kind;

typedef struct sp_element {
    sp_element_kind kind; /* NONE: nothing we can read as a number */
    uint8_t size;         /* bytes: 1, 2, 4, 8 */
    bool is_big;          /* big-endian */
} sp_element;

/* What an HDF5 type is to us. Floats must be exactly IEEE half, single or double: bfloat16 and the like are NONE. */
void sp_element_of(hid_t type, sp_element *out);

/* Name of any HDF5 type for messages: "float32", "float16 big-endian", "uint8", "bool", "text", "compound", "bfloat16" ... */
enum { SP_ELEMENT_NAME = 48 };
const char *sp_element_name(hid_t type, char buffer[SP_ELEMENT_NAME]);

/* What values are turned into, and what is asked of them. */
typedef enum sp_target {
    SP_TO_F32,    /* float; from floats of 16 and 32 bits, exact */
    SP_TO_F64,    /* double; from any float, exact */
    SP_TO_I32,    /* int32_t, -1 .. limit-1 (labels, paths); floats must be whole */
    SP_TO_I64,    /* int64_t; floats must be whole */
    SP_TO_WEIGHT, /* double >= 0, finite; from any number */
    SP_TO_BOOL    /* uint8_t, 0 or 1 */
} sp_target;

size_t sp_target_size(sp_target target); /* bytes of one value */
/* Is the stored form the wanted one, bit for bit, and nothing asked of the values? */
bool sp_element_is(const sp_element *element, sp_target target);

/* Turns n raw values into `target`. raw may overlap out only in this way: it ends where out ends. Returns -1, or the index of the
 * first value that cannot be one of the target's; *bad is that value (NaN where it is that). */
int64_t sp_element_convert(const sp_element *element, const void *raw, int64_t n, sp_target target, int64_t limit, void *out,
                           double *bad);

/* IEEE half precision to single, exact. Subnormals, infinities and NaN included. */
float sp_half_to_float(uint16_t half);

#endif
