/* One recording alone: base. See single.h. */
#include "decode/single.h"

#define SINGLE_W 2
#define SINGLE_TARGET
#include "decode/single_body.h"

SINGLE_TARGET void sp_single_base(const sp_single_steps *steps)
{
    single_any(steps);
}
