/* MATLAB's files before version 7.3. The first byte says what is looked for (source_use.h); the rest is the file. By 64 all that
 * follows the file's header is packed as MATLAB packs a matrix, so that the fuzzer changes what is inside. */
#include <assert.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "source_use.h"

enum { HEADER = 128, TAG = 8, COMPRESSED = 15 };
static char name[] = "/tmp/statepath-fuzz-XXXXXX.mat";

/* The file with one element, which holds all others. The caller frees it. */
static uint8_t *pack(const uint8_t *file, size_t n, size_t *packed)
{
    struct libdeflate_compressor *deflater = libdeflate_alloc_compressor(1);
    const size_t room = libdeflate_zlib_compress_bound(deflater, n - HEADER);
    uint8_t *out = malloc(HEADER + TAG + room);
    assert(deflater && out);
    memcpy(out, file, HEADER);
    const uint32_t tag[2] = {COMPRESSED, (uint32_t)libdeflate_zlib_compress(
                                             deflater, file + HEADER, n - HEADER, out + HEADER + TAG, room)};
    memcpy(out + HEADER, tag, TAG);
    libdeflate_free_compressor(deflater);
    *packed = HEADER + TAG + tag[1];
    return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int has_name;
    if (size == 0)
        return 0;
    if (!has_name)
        close(mkstemps(name, 4));
    has_name = 1;
    if (!(data[0] & 64) || size - 1 < HEADER) {
        source_use(name, data + 1, size - 1, data[0]);
        return 0;
    }
    size_t n = 0;
    uint8_t *packed = pack(data + 1, size - 1, &n);
    source_use(name, packed, n, data[0]);
    free(packed);
    return 0;
}
