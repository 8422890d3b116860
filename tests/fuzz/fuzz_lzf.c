/* LZF: any bytes unpack to what was asked for or are refused, and nothing is written beyond. */
#include <stdint.h>
#include <stdlib.h>

#include "io/hdf5/fast/h5_lzf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    const size_t n = 1 + (data[0] | (size_t)(data[1] & 15) << 8);
    unsigned char *out = malloc(n);
    if (out)
        (void)sp_lzf_unpack(data + 2, size - 2, out, n);
    free(out);
    return 0;
}
