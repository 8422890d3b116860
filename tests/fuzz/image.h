/* What the fuzz targets of HDF5 files share: files as bytes in memory, and all that is done with one. */
#ifndef STATEPATH_FUZZ_IMAGE_H
#define STATEPATH_FUZZ_IMAGE_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The next of the fuzzer's bytes, below a limit; 0 when there are none left. */
typedef struct fuzz_bytes {
    const uint8_t *data;
    size_t left;
} fuzz_bytes;
unsigned fuzz_take(fuzz_bytes *b, unsigned below);

typedef struct image {
    unsigned char *bytes;
    size_t n;
} image;

/* A file in memory, to be written; and its bytes once it is complete, which closes it. The caller frees bytes. */
hid_t image_begin(bool is_latest);
image image_end(hid_t file);

/* Reads the image by these readers; what can be read is decoded (whole, in pieces, streamed), evaluated and
 * reported. Whatever fails must have a sentence. with_reports: also what takes longer. */
enum { AS_SCORES = 1, AS_PATHS = 2, AS_LABELS = 4, AS_SIGNALS = 8, AS_WEIGHTS = 16, AS_ALL = 31 };
void image_use(const void *bytes, size_t n, unsigned readers, bool with_reports);

#endif
