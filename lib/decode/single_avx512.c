/* One recording alone: avx512. See single.h. */
#include "decode/single.h"

#if defined(__x86_64__)

#define SINGLE_W 8
#define SINGLE_TARGET __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq")))
#include "decode/single_body.h"

SINGLE_TARGET void sp_single_avx512(const sp_single_steps *steps)
{
    single_any(steps);
}

#endif
