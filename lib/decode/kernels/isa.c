/* The kernels of one instruction set. CMake compiles this file once for each: SP_ISA is its name, as in sp_isa_kernels_<name>,
 * and LANE_W the number of doubles in a vector.
 *
 * All but the table is static, also what headers bring: whatever the linker could see from here, compiled for AVX-512, it might
 * take for the rest of the program too, which must run on any machine.
 */
#include "decode/kernels/isa_kernels.h"

#include <math.h>
#include <string.h>

#include "decode/kernels/dwell.h"

#include "decode/kernels/lanes/lanes_vector.h"

#include "decode/kernels/lanes/lanes_few.h"

#include "decode/kernels/lanes/lanes_viterbi.h"

#include "decode/kernels/lanes/lanes_dwell.h"

#include "decode/kernels/lanes/lanes_choose.h"

#include "core/exp_log.h"

#include "decode/kernels/lanes/lanes_forward_backward_body.h"

#include "decode/kernels/field_body.h"

#include "decode/kernels/single_body.h"

#include "decode/kernels/path_allowed_body.h"

#include "decode/kernels/dense_body.h"

#include "decode/kernels/band_body.h"

static void lanes_greedy(sp_lane_group *group)
{
    lanes_choose_any(group, true);
}

static void lanes_argmax(sp_lane_group *group)
{
    lanes_choose_any(group, false);
}

#define TABLE_OF(isa) sp_isa_kernels_##isa
#define TABLE(isa) TABLE_OF(isa)
const sp_isa_kernels TABLE(SP_ISA) = {
    .viterbi = lanes_viterbi_any,
    .wide = lanes_wide_any,
    .greedy = lanes_greedy,
    .argmax = lanes_argmax,
    .dwell = lanes_dwell_any,
    .path_is_allowed = path_is_allowed,
    .forward_backward = sum_lanes_any,
    .single = single_any,
    .dense_step = dense_step_any,
    .dense_choice = dense_choice,
    .dense_add = dense_add,
    .dense_spread = dense_spread,
    .band_step = band_step,
    .field = field_any,
};
