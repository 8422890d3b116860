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

/* The property list to write its datasets with: without it HDF5 clears 1 MB for each that it converts. */
hid_t image_transfer(void);

/* Reads the image by this reader (one a run: to open the file is most of the work); what can be read is decoded (whole, in
 * pieces, streamed), evaluated and reported. Whatever fails must have a sentence. with_reports: also what takes longer. */
enum { AS_SCORES, AS_PATHS, AS_LABELS, AS_SIGNALS, AS_WEIGHTS, N_READERS };
void image_use(const void *bytes, size_t n, unsigned reader, bool with_reports);

#endif
