/* One recording alone: base. See single.h. */
#include "decode/single.h"

#define SINGLE_W 2
#define SINGLE_TARGET SP_TARGET_BASE
#include "decode/single_body.h"

#include "decode/chunks_look.h"

SINGLE_TARGET void sp_single_base(const sp_single_steps *steps)
{
    single_any(steps);
}

SINGLE_TARGET double sp_items_look_base(sp_dtype dtype, const void *items, int64_t n, double bit, bool *has_half)
{
    return look(dtype, items, n, bit, has_half);
}
