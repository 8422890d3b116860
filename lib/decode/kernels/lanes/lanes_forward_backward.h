/* Forward-backward of many recordings side by side in the lanes of vectors; not installed.
 *
 * For plain chains of up to 16 classes, and for those of up to 16 states where classes tell the state (verify.h), without gaps. i and j
 * are states, e[t,j] the score of the class that j emits; marginals of states are added up to those of classes. Where the plain kernel (forward_backward.c) works in logs, this one works
 * on weights themselves, in float64:
 *
 *     p[t,j] = exp(e[t,j]) / 2^N[t]           N[t]: the greatest exponent of the step
 *     a[t,j] = p[t,j] sum_i a[t-1,i] W[i,j]    then divided by a power of two that brings sum_j a[t,j] into [1,2)
 *     b[t-1,i] = sum_j W[i,j] p[t,j] b[t,j]    likewise
 *     marginal = a[t,j] b[t,j] / sum_j a[t,j] b[t,j]
 *     log Z = ln 2 (all powers taken out) + log sum_j a[T-1,j] end[j]
 *
 * Dividing by powers of two rounds nothing, and the powers are counted in integers. Underflow must not lose what wins later. A
 * recording is left to the plain kernel when
 *   - a class is more than 2^400 below the best of its step, other than by -INFINITY;
 *   - a step keeps less than 2^-400 of its mass, or a[t] and b[t] overlap by less than 2^-400;
 *   - a number of a[s] and one of b[t], s <= t, are below 2^-400 and not 0: such numbers fade, and may be 0 soon. A path that fades
 *     on one side only is whole on the other side where it counts, and where it does not it is below 2^-400 of the sum. So rules
 *     that classes leave for good (a fades late, b early) stay here. Where there is only one pass, log Z, a[s] alone decides.
 * One step takes less than 2^-400 by the scores and 2^-200 by the weights (wider ones are not for these lanes), so what is above
 * 2^-400 before it is above 0 behind it. Marginals differ from the plain kernel's by rounding only (tests: 1e-9; seen: 1e-13).
 *
 * The lanes of a recording do not depend on what stands beside it, nor on the width of the vectors: every instruction set, every
 * batch and every number of threads gives the same bits.
 */
#ifndef STATEPATH_DECODE_LANES_FORWARD_BACKWARD_H
#define STATEPATH_DECODE_LANES_FORWARD_BACKWARD_H

#include "core/scratch.h"
#include "decode/kernels/lanes/lanes.h"
#include "decode/verify.h"

enum { SP_SUM_LANES_MOST = 16 /* lanes of the widest kernel */ };

/* What is wanted of the marginals. */
typedef enum sp_sum_use {
    SP_SUM_LOG_Z,      /* nothing: log Z only */
    SP_SUM_MARGINALS,  /* themselves */
    SP_SUM_PATH,       /* the class of the greatest one, as posterior chooses it */
    SP_SUM_CONFIDENCE, /* of the classes of a path */
    SP_SUM_MEA,        /* the scores that mea adds up */
    SP_SUM_PRODUCT     /* the scores of sp_posterior_viterbi() */
} sp_sum_use;

/* A chain as these lanes read it: weights, not logs. */
typedef struct sp_sum_rules {
    int32_t n_classes, n_states;
    int32_t emits[SP_LANES_MOST_CLASSES]; /* the class of each state, ascending */
    bool has_weights;                     /* false: every weight is 1 */
    int32_t pred_row[SP_LANES_MOST_CLASSES + 1], succ_row[SP_LANES_MOST_CLASSES + 1];
    int32_t pred[SP_LANES_MOST_CLASSES * SP_LANES_MOST_CLASSES],
        succ[SP_LANES_MOST_CLASSES * SP_LANES_MOST_CLASSES];
    double pred_weight[SP_LANES_MOST_CLASSES * SP_LANES_MOST_CLASSES]; /* exp(log weight - log_step) */
    double succ_weight[SP_LANES_MOST_CLASSES * SP_LANES_MOST_CLASSES];
    double start[SP_LANES_MOST_CLASSES],
        end[SP_LANES_MOST_CLASSES];      /* exp(. - log_start), exp(. - log_end) */
    double log_start, log_step, log_end; /* what was taken out, nats */

    /* For the paths. */
    sp_verifier verifier;
    sp_lane_rules bare; /* what is allowed, at no weight */
} sp_sum_rules;

/* Up to SP_SUM_LANES_MOST recordings, the longest first. */
typedef struct sp_sum_group {
    const sp_sum_rules *rules;
    sp_dtype dtype;
    sp_sum_use use;
    int32_t n_lanes;                         /* that have a recording, >= 1 */
    const void *rows[SP_SUM_LANES_MOST];     /* [length,K] scores */
    int64_t length[SP_SUM_LANES_MOST];       /* >= 1, descending; 0 in lanes without a recording */
    double *values[SP_SUM_LANES_MOST];       /* out [length,K]: MARGINALS, MEA, PRODUCT */
    int32_t *path[SP_SUM_LANES_MOST];        /* out [length]: PATH */
    const int32_t *given[SP_SUM_LANES_MOST]; /* [length] CONFIDENCE: the path; NULL: none wanted */
    float *confidence[SP_SUM_LANES_MOST];    /* out [length]: CONFIDENCE */
    double log_z[SP_SUM_LANES_MOST];         /* out */
    bool is_left
        [SP_SUM_LANES_MOST]; /* out: true: ask the plain kernel. Where it is known after the forward pass (always
                                                when there is no path) nothing has been written */
    bool has_written;        /* out: something has: it was not known then of all */
    int64_t block;           /* steps kept at a time, a multiple of SP_LANES_TILE */
    double *kept;            /* [block,M+K,lanes], aligned to 64 */
    double *starts;          /* [blocks,M,lanes], likewise; LOG_Z: one */
} sp_sum_group;

/* False when the chain is not one for these lanes: too many states, or weights that span more than 2^200. */
bool sp_sum_rules_init(sp_sum_rules *rules, const sp_chain *chain);

/* Lanes of an instruction set. */
int32_t sp_sum_lanes_count(sp_isa isa);

typedef void sp_sum_kernel(sp_sum_group *group);

/* One recording. Of group the caller sets use, and values[0], or given[0] and confidence[0]; log_z[0] is the answer. SP_OK;
 * SP_ENOPATH without a message: ask the plain kernel (is_left, or not a chain or a recording for these lanes); SP_ENOMEM. Nothing
 * is written on failure, but see is_left. */
sp_status sp_sum_recording(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch,
                           sp_sum_group *group);

#endif
