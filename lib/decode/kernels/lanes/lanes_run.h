/* Runs of recordings of a batch, which go to the lanes in groups (lanes.h, lanes_forward_backward.h); not installed. */
#ifndef STATEPATH_DECODE_LANES_RUN_H
#define STATEPATH_DECODE_LANES_RUN_H

#include "decode/kernels/lanes/lanes_forward_backward.h"
#include "statepath/decode.h"

enum { SP_LANE_RUN_MOST = 1024 };

/* The recordings of a run that go to the lanes. */
typedef struct sp_lane_order {
    int32_t n, n_empty;
    int32_t place
        [SP_LANE_RUN_MOST]; /* n of at least one step, the longest first, equals in their order; then n_empty of none */
    int32_t length[SP_LANE_RUN_MOST]; /* of recording first + i */
} sp_lane_order;

/* Orders recordings first .. first+n-1 of a batch, n <= SP_LANE_RUN_MOST. Those of more than most_steps (<= INT32_MAX) or with a
 * gap go to left[n]; returns how many. */
int32_t sp_lane_order_fill(sp_lane_order *order, const sp_batch *batch, int64_t first, int32_t n,
                           int64_t most_steps, int32_t *left);

/* A run on its way. */
typedef struct sp_lane_run {
    const sp_batch *batch;
    const sp_decode_output *output;
    sp_scratch *scratch;
    int64_t first; /* recording */
    sp_lane_order order;
    int32_t *left; /* out: places of the recordings that are left */
    int32_t n_left;
} sp_lane_run;

/* Recording `place` has its path: its result and broken. */
void sp_lane_run_put(const sp_lane_run *run, int32_t place, double score);
/* Length and path of lanes 0 .. lanes-1 of a group: recordings order[0..group->n_lanes-1], and no more. */
void sp_lane_run_fill(const sp_lane_run *run, const int32_t *order, int32_t lanes, sp_lane_group *group);
/* What became of them: put, or left. */
void sp_lane_run_settle(sp_lane_run *run, const int32_t *order, const sp_lane_group *group);

/* What stays the same over a batch. */
typedef struct sp_lane_run_options {
    sp_isa isa;
    sp_strategy_kind strategy; /* viterbi, greedy or argmax */
    const sp_lane_rules *rules;
    const struct sp_dwell_rules *dwell; /* or NULL: by this, not by rules; viterbi only */
} sp_lane_run_options;

/* Decodes recordings first .. first+n-1 of a batch, n <= SP_LANE_RUN_MOST: path, result and broken of each, as the plain kernel
 * would, but for those it leaves alone: their places, 0 .. n-1, go to left[n]. Returns how many those are, or -1 on lack of
 * memory. */
int32_t sp_lanes_run(const sp_lane_run_options *options, const sp_batch *batch,
                     const sp_decode_output *output, sp_scratch *scratch, int64_t first, int32_t n,
                     int32_t *left);

/* The same of forward-backward. */
typedef struct sp_sum_run_options {
    sp_isa isa;
    sp_sum_use
        use; /* LOG_Z, CONFIDENCE: output->confidence and log_partition; PATH, MEA, PRODUCT: path, result, broken */
    const sp_sum_rules *rules;
} sp_sum_run_options;

/* Recordings first .. first+n-1 of a batch, n <= SP_LANE_RUN_MOST, but for those it leaves alone: their places, 0 .. n-1, go to
 * left[n]. Returns how many those are, -1 on lack of memory. */
int32_t sp_sum_run(const sp_sum_run_options *options, const sp_batch *batch, const sp_decode_output *output,
                   sp_scratch *scratch, int64_t first, int32_t n, int32_t *left);

#endif
