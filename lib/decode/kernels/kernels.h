/* The fast kernels beside the plain ones, and which of them a machine, a chain and a batch get; not
 * installed.
 *
 * | chain                      | Viterbi                                                                                     |
 * |----------------------------|---------------------------------------------------------------------------------------------|
 * | plain, 16 classes or fewer | lanes.h: recordings side by side; single.h: one recording, or a long one                     |
 * | plain, 64 classes or fewer | lanes.h where classes share what leads to them: recordings side by side; one as below       |
 * | plain, more classes        | dense.h, sparse.h, columns.h: maxima forward, the argmax again on the way back; one that is |
 * |                            | most of its batch on all threads: dense_team.h                                              |
 * | minimum dwells, 12 classes | dwell.h: recordings side by side                                                            |
 * | 16 states or fewer         | lanes.h                                                                                     |
 * | left-to-right              | band.h                                                                                      |
 * | more, and what those leave | dense.h, sparse.h                                                                           |
 * | any other                  | the plain kernel                                                                            |
 *
 * Where classes tell the state, chains of several states a class have lanes for the others too.
 *
 * Greedy and argmax have lanes, argmax also for one long recording (argmax_long.h); what those leave, and
 * models of up to SP_GREEDY_TABLE_MOST classes, greedy does by a table of weights (greedy_table.h).
 * Posterior, mea, posterior-viterbi, confidence and log Z have lanes (lanes_forward_backward.h).
 *
 * Which is used changes the time, never the answer: gaps, recordings without a path and whatever else is
 * rare go to the plain kernel, which is the oracle of the tests too.
 */
#ifndef STATEPATH_DECODE_KERNELS_H
#define STATEPATH_DECODE_KERNELS_H

#include "core/isa.h"
#include "core/workers.h"
#include "decode/kernels/band.h"
#include "decode/kernels/dense.h"
#include "decode/kernels/dwell.h"
#include "decode/kernels/greedy_table.h"
#include "decode/kernels/lanes/lanes_run.h"
#include "decode/kernels/single.h"
#include "decode/verify.h"

typedef enum sp_way {
    SP_WAY_PLAIN,
    SP_WAY_LANES,
    SP_WAY_WIDE,
    SP_WAY_DWELL,
    SP_WAY_STATES,
    SP_WAY_UNRULED,
    SP_WAY_SUMS,
    SP_WAY_DENSE
} sp_way;

typedef struct sp_kernels {
    sp_way way;
    sp_isa isa;
    const sp_chain *chain;
    sp_strategy_kind strategy;
    sp_lane_rules lanes;
    sp_verifier verifier; /* SP_WAY_UNRULED: argmax by no rules, its score by those of the chain */
    bool has_single;      /* single is a chain for single.h */
    sp_single_rules single;
    sp_dwell_rules dwell;
    bool has_dense; /* dense is made */
    sp_dense dense;
    sp_band band;           /* n = 0: none */
    sp_greedy_table greedy; /* n = 0: none */
    bool has_sums;          /* sums is a chain for forward-backward in lanes */
    sp_sum_rules sums;
} sp_kernels;

/* Chooses, and fills in what the choice uses; needs_sums: confidence or log Z is asked for beside the paths. Takes memory from the
 * workers: valid until the next. False on lack of memory. */
bool sp_kernels_init(sp_kernels *kernels, sp_isa isa, const sp_chain *chain, const sp_batch *batch,
                     sp_strategy_kind strategy, bool needs_sums, sp_workers *workers);

/* One recording by Viterbi, as sp_viterbi(). SP_OK; SP_ENOPATH without a message, path in pieces: ask sp_viterbi(); SP_ENOMEM. */
sp_status sp_kernels_viterbi(const sp_kernels *kernels, const sp_scores *scores, sp_scratch *scratch,
                             int32_t *path, double *score);

/* One recording by greedy, by its table of weights. SP_OK; SP_ENOPATH without a message, path untouched: ask the plain kernel;
 * SP_ENOMEM; SP_EBUG. */
sp_status sp_kernels_greedy(const sp_kernels *kernels, const sp_chain *chain, const sp_scores *scores,
                            sp_scratch *scratch, int32_t *path, double *score, sp_error *err);

/* What happens to recordings first .. last-1. */
typedef struct sp_leftover {
    sp_task *decode; /* those that are left: alone, each on its thread */
    sp_task *finish; /* those that are decoded */
    void *arg;
    /* Are the rows of recordings first .. last-1, decoded already, scores at all? NULL: they are. False:
     * neither is called for them. Asked of SP_WAY_LANES only. */
    bool (*is_fine)(void *arg, int64_t first, int64_t last);
} sp_leftover;

/* Can sp_kernels_share() ask leftover.is_fine? Where recordings go through lanes, whose arithmetic makes no difference between
 * NaN and a number. */
bool sp_kernels_look_along(const sp_kernels *kernels, const sp_batch *batch);

/* A whole batch (every way but SP_WAY_PLAIN), on all threads: path, result and broken of each recording. False on lack of memory.
 */
bool sp_kernels_share(const sp_kernels *kernels, const sp_batch *batch, const sp_decode_output *output,
                      sp_workers *workers, sp_leftover leftover);

/* Confidence and log Z of a whole batch whose paths and results are there, on all threads (has_sums only). leftover.finish may be
 * NULL. False on lack of memory. */
bool sp_kernels_share_confidence(const sp_kernels *kernels, const sp_batch *batch,
                                 const sp_decode_output *output, sp_workers *workers, sp_leftover leftover);

/* sp_decode_batch() with the kernels of `isa`, which the machine must have. */
sp_status sp_decode_batch_with(sp_isa isa, const sp_chain *chain, const sp_batch *batch,
                               const sp_decode_options *options, sp_workers *workers,
                               const sp_decode_output *output, sp_error *err);

#endif
