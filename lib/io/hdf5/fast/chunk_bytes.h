/* The bytes of one chunk of a dataset, from as the file has them to values in their places. No HDF5 here: what is done to chunks
 * on all threads at once must not call it. Private to io/.
 */
#ifndef STATEPATH_IO_CHUNK_BYTES_H
#define STATEPATH_IO_CHUNK_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Undoes HDF5's shuffle filter for a run of values. A shuffled chunk of n values of `size` bytes holds the first byte of each
 * value, then the second of each ...; this puts values first .. first+count-1 together again. out: count * size bytes. */
void sp_unshuffle(const unsigned char *shuffled, size_t n, size_t size, size_t first, size_t count,
                  unsigned char *out);

/* The checksum of HDF5's fletcher32 filter, which stands in 4 bytes, little-endian, behind the n bytes. */
uint32_t sp_fletcher32(const unsigned char *bytes, size_t n);

/* A box of rows of a dataset [rows, n1, n2], in memory or as a chunk: it holds rows row .. row+n_rows-1, and of them the part
 * that begins at (at1, at2) and has the shape [n1, n2]. Values in C order. */
typedef struct sp_box {
    int64_t row, n_rows;
    int64_t at1, n1, at2, n2;
} sp_box;

/* Where in the values of box `from` a common run of both boxes lies, when all that they have in common is one run in both of
 * them: the number of values, or -1. first_from, first_to: where it begins in each. */
int64_t sp_box_run(const sp_box *from, const sp_box *to, int64_t *first_from, int64_t *first_to);

/* Copies what the boxes have in common. size: bytes of a value. */
void sp_box_copy(const sp_box *from, const unsigned char *values, const sp_box *to, size_t size,
                 unsigned char *out);

#endif
