/* Forward-backward in lanes for AVX512.
 * See lanes_forward_backward.h. */
#include "decode/lanes_forward_backward.h"

#include <math.h>
#include <string.h>

#if defined(__x86_64__)

#define LANE_W 8
#define LANE_G 2
#define LANE_TARGET SP_TARGET_AVX512
#include "decode/lanes_vector.h"

#include "decode/lanes_math.h"

#include "decode/lanes_forward_backward_body.h"

LANE_TARGET void sp_sum_lanes_avx512(sp_sum_group *group)
{
    sum_lanes_any(group);
}

#endif
