/* What decode and compare write beside the paths when asked: how sure each step is (confidence) and the N best paths (n_best).
 *
 *   /confidence/<strategy>       f32 [S]  marginal, given the rules, of the class that the path has; NaN where undecoded
 *   /path_posteriors/<strategy>  f64 [N]  exp(path score - log Z); NaN where undecoded
 *   /margins/<strategy>          f64 [N]  path score less that of the best other path; NaN where undecoded
 *   /log_partition               f64 [N]  log Z
 *   /nbest/paths                 as the paths [n,S], -1 where there are fewer; /nbest/scores f64 [n,N], -inf where there are
 * fewer
 */
#ifndef PIPELINE_BESIDE_H
#define PIPELINE_BESIDE_H

#include "pipeline/pipeline.h"

enum { MAX_EXTRAS = 2 * SP_RUN_STRATEGIES + 3 };

typedef struct sp_extra_outputs {
    int n_strategies;
    bool with_confidence;
    int32_t n_best;
    int nbest_of; /* the strategy that carries the N best: viterbi; -1 without */
    bool is_wide; /* int32 paths */
    /* The plan, for the writer's header. */
    int32_t n_extras;
    sp_paths_extra extras[MAX_EXTRAS];
    char names[MAX_EXTRAS][64];
    /* One block of one strategy; buffers that only grow. */
    float *confidence;
    double *log_partition, *margins, *best_scores, *row;
    int32_t *best_paths;
    int16_t *narrow;
    int64_t step_room, recording_room;
} sp_extra_outputs;

/* Plans what the options ask for. SP_OK, SP_EINVAL (n_best without viterbi, without an output, or out of range). */
sp_status sp_extra_outputs_plan(sp_extra_outputs *b, const sp_pipeline *p, sp_error *err);
void sp_extra_outputs_clear(sp_extra_outputs *b);

/* Points the output of strategy s at buffers for this block. SP_OK, SP_ENOMEM. */
sp_status sp_extra_outputs_reserve(sp_extra_outputs *b, int s, const sp_block *block, sp_decode_output *output, sp_error *err);

/* Writes what was decoded. SP_OK, SP_EFILE. */
sp_status sp_extra_outputs_write(sp_extra_outputs *b, int s, const sp_block *block, int64_t first_step,
                                 const sp_decode_output *output, sp_paths_writer *writer, sp_error *err);

#endif
