/* One recording alone: avx2. See single.h. */
#include "decode/single.h"

#if defined(__x86_64__)

#define SINGLE_W 4
#define SINGLE_TARGET SP_TARGET_AVX2
#include "decode/single_body.h"

#include "decode/chunks_look.h"

SINGLE_TARGET void sp_single_avx2(const sp_single_steps *steps)
{
    single_any(steps);
}

SINGLE_TARGET double sp_items_look_avx2(sp_dtype dtype, const void *items, int64_t n, double bit, bool *has_half)
{
    return look(dtype, items, n, bit, has_half);
}

#endif
