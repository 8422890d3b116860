/* LZF, the quick compression that h5py brings ("compression='lzf'"). HDF5 has no decoder of its own for it, and the plugin of
 * Debian 12 cannot be loaded (it lacks its own library); the format is two kinds of items, so it is read here. No HDF5 but in
 * sp_lzf_register(). Private to io/.
 *
 * A byte c < 32 is followed by c + 1 bytes that stand for themselves. Any other stands for bytes again that were there before:
 * n = c >> 5, where that is 7 plus the next byte; then one byte d: n + 2 bytes from (c & 31) * 256 + d + 1 places back on.
 */
#ifndef STATEPATH_IO_LZF_H
#define STATEPATH_IO_LZF_H

#include <stdbool.h>
#include <stddef.h>

enum { SP_LZF_FILTER = 32000 }; /* as the HDF Group registers it */

/* Unpacks n bytes to exactly n_out. False: they are damaged, or make another number. */
bool sp_lzf_unpack(const unsigned char *packed, size_t n, unsigned char *out, size_t n_out);

/* Lets HDF5 read datasets with this filter, unless it already can. */
void sp_lzf_register(void);

#endif
