/* The lane kernels for AVX512.
 * See lanes.h. */
#include "decode/chunks.h"
#include "decode/dwell.h"
#include "decode/lanes.h"
#include "decode/path_sum.h"

#include <math.h>
#include <string.h>

#if defined(__x86_64__)

#define LANE_W 8
#define LANE_TARGET SP_TARGET_AVX512
#include "decode/lanes_vector.h"

#include "decode/lanes_few.h"

#include "decode/lanes_viterbi.h"

#include "decode/lanes_dwell.h"

#include "decode/lanes_choose.h"

#include "decode/path_sum_body.h"

#include "decode/chunks_body.h"

LANE_TARGET void sp_lanes_viterbi_avx512(sp_lane_group *group)
{
    lanes_viterbi_any(group);
}

LANE_TARGET void sp_lanes_dwell_avx512(sp_lane_group *group)
{
    lanes_dwell_any(group);
}

LANE_TARGET void sp_chunks_forward_avx512(const sp_chunk_band *band)
{
    chunks_forward_any(band);
}

LANE_TARGET void sp_chunks_trace_avx512(const sp_chunk_band *band)
{
    chunks_trace_any(band);
}

LANE_TARGET void sp_lanes_greedy_avx512(sp_lane_group *group)
{
    lanes_choose_any(group, true);
}

LANE_TARGET void sp_lanes_argmax_avx512(sp_lane_group *group)
{
    lanes_choose_any(group, false);
}

LANE_TARGET double sp_sum_f32_avx512(double s, const float *x, int64_t n)
{
    return sum_in_order(SP_F32, s, x, n);
}

LANE_TARGET double sp_sum_f64_avx512(double s, const double *x, int64_t n)
{
    return sum_in_order(SP_F64, s, x, n);
}

#endif
