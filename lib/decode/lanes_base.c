/* The lane kernels for any machine: vectors of 16 bytes.
 * See lanes.h. */
#include "decode/lanes.h"

#include <math.h>

#define LANE_W 2
#define LANE_TARGET
#include "decode/lanes_vector.h"

#include "decode/lanes_viterbi.h"

LANE_TARGET void sp_lanes_viterbi_base(sp_lane_group *group)
{
    lanes_viterbi_any(group);
}
