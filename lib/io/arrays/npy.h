/* numpy's .npy: one array. Its header is also that of the members of an .npz. Private to io/. */
#ifndef STATEPATH_IO_NPY_H
#define STATEPATH_IO_NPY_H

#include "io/arrays/stored.h"
#include "io/format.h"

/* A row of the table of formats. */
extern const sp_format sp_npy_format;
extern const sp_path_format sp_npy_paths; /* (npy_paths.c) */

enum { SP_NPY_FIRST = 12 /* bytes that say how long the header is */ };

/* How long the header is, from the first n bytes (at least SP_NPY_FIRST where the file has them); -1: it is none. */
int64_t sp_npy_header_length(const unsigned char *bytes, int64_t n);

/* Reads a header: bytes [length]. Fills in type, order and shape; not the place. `where` names the array in sentences, with the
 * byte. SP_OK; SP_EDATA (no header, damaged, a type or a rank that is not read). */
sp_status sp_npy_header_read(const unsigned char *bytes, int64_t length, const char *where, sp_stored *out,
                             sp_error *err);

enum { SP_NPY_HEADER = 256 /* room for a header of one dimension */ };
/* Writes the header of an array of one dimension, in this machine's order of bytes. type: "i4", "f8", "u1", "U12", "S3". Returns its bytes, a
 * multiple of 64. */
size_t sp_npy_header_write(const char *type, int64_t count, char out[SP_NPY_HEADER]);

#endif
