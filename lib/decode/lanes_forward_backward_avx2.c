/* Forward-backward in lanes for AVX2.
 * See lanes_forward_backward.h. */
#include "decode/lanes_forward_backward.h"

#include <math.h>
#include <string.h>

#if defined(__x86_64__)

#define LANE_W 4
#define LANE_G 2
#define LANE_TARGET SP_TARGET_AVX2
#include "decode/lanes_vector.h"

#include "decode/lanes_math.h"

#include "decode/lanes_forward_backward_body.h"

LANE_TARGET void sp_sum_lanes_avx2(sp_sum_group *group)
{
    sum_lanes_any(group);
}

#endif
