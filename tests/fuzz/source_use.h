/* What the fuzz targets of files of arrays share: all that is done with one. */
#ifndef STATEPATH_FUZZ_SOURCE_USE_H
#define STATEPATH_FUZZ_SOURCE_USE_H

#include <stddef.h>
#include <stdint.h>

/* Writes the bytes as a file of that name and opens it. What can be opened is read whole and in pieces, which must be the same.
 * Bits of `how`: 1 paths, else scores; 2 scores are needed; 4 transposed; 8 holes are joined, with 16 cut; 32 labels of -100 are
 * unscored; 128 there is no model. */
void source_use(const char *name, const uint8_t *bytes, size_t n, uint8_t how);

#endif
