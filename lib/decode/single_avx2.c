/* One recording alone: avx2. See single.h. */
#include "decode/single.h"

#if defined(__x86_64__)

#define SINGLE_W 4
#define SINGLE_TARGET __attribute__((target("avx2")))
#include "decode/single_body.h"

SINGLE_TARGET void sp_single_avx2(const sp_single_steps *steps)
{
    single_any(steps);
}

#endif
