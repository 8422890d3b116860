#include "report/html/gzip.h"

#include <libdeflate.h>
#include <stdlib.h>

enum { LEVEL = 9 };

unsigned char *sp_gzip(const unsigned char *bytes, size_t n, size_t *n_packed)
{
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(LEVEL);
    const size_t bound = compressor ? libdeflate_gzip_compress_bound(compressor, n) : 0;
    unsigned char *packed = compressor ? malloc(bound) : NULL;
    *n_packed = packed ? libdeflate_gzip_compress(compressor, bytes, n, packed, bound) : 0;
    libdeflate_free_compressor(compressor);
    return packed;
}
