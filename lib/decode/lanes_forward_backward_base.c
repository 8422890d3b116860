/* Forward-backward in lanes for any machine: vectors of 16 bytes.
 * See lanes_forward_backward.h. */
#include "decode/lanes_forward_backward.h"

#include <math.h>
#include <string.h>

#define LANE_W 2
#define LANE_G 2
#define LANE_TARGET SP_TARGET_BASE
#include "decode/lanes_vector.h"

#include "decode/lanes_math.h"

#include "decode/lanes_forward_backward_body.h"

LANE_TARGET void sp_sum_lanes_base(sp_sum_group *group)
{
    sum_lanes_any(group);
}
