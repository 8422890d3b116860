/* What every decoder of one recording shares: its door, one row of scores, the end of a path, and the answer when there is none;
 * not installed. */
#ifndef STATEPATH_DECODE_RECORDING_H
#define STATEPATH_DECODE_RECORDING_H

#include "core/chain_states.h"
#include "core/scratch.h"
#include "decode/verify.h"
#include "statepath/scores.h"

/* Do scores and chain speak of the same number of classes? SP_OK or SP_EINVAL. */
sp_status sp_decode_check(const sp_chain *chain, const sp_scores *scores, sp_error *err);

/* Are the classes of steps first .. first+n-1 of a path classes of the chain? SP_OK or SP_EINVAL. */
sp_status sp_decode_check_path(const sp_chain *chain, int64_t first, int64_t n, const int32_t *path,
                               sp_error *err);

/* Row t of the scores as doubles: the row itself when it is f64, else a copy in buffer [K]. Exact for both types. */
static inline const double *sp_row(const sp_scores *scores, int64_t t, double *buffer)
{
    size_t n = (size_t)scores->n_classes;
    if (scores->dtype == SP_F64)
        return (const double *)scores->data + (size_t)t * n;
    const float *row = (const float *)scores->data + (size_t)t * n;
    for (size_t k = 0; k < n; k++)
        buffer[k] = row[k];
    return buffer;
}

/* Room for sp_row(); NULL on lack of memory. */
static inline double *sp_row_buffer(const sp_scores *scores, sp_scratch *scratch)
{
    return sp_scratch_get(scratch, (size_t)scores->n_classes, sizeof(double));
}

/* Is the chain broken anywhere in the recording? O(T) where it has segments. */
static inline bool sp_scores_have_gap(const sp_scores *scores)
{
    for (int64_t t = 1; scores->segments && t < scores->n_steps; t++)
        if (sp_scores_is_gap(scores, t))
            return true;
    return false;
}

/* How a path comes to a step: it is the first of the recording, follows the one before, or stands after a gap. */
typedef enum sp_reach { SP_REACH_START, SP_REACH_NEXT, SP_REACH_ENTRY } sp_reach;

/* The same for step t of a recording in memory. */
static inline sp_reach sp_scores_reach(const sp_scores *scores, int64_t t)
{
    return t == 0 ? SP_REACH_START : sp_scores_is_gap(scores, t) ? SP_REACH_ENTRY : SP_REACH_NEXT;
}

/* The chain whose transitions lead into a step: *how becomes SP_REACH_NEXT where a gap has transitions of its own. */
static inline const sp_chain *sp_chain_into(const sp_chain *chain, sp_reach *how)
{
    if (*how != SP_REACH_ENTRY || !chain->across)
        return chain;
    *how = SP_REACH_NEXT;
    return chain->across;
}

/* Hands out a finished path: its sp_path_score() to *score (when not NULL), then the path itself; nothing is written on failure.
 *   found         [T] classes; may be path itself only when a failure here may leave it written
 *   must_be_legal the strategy promises it: SP_EBUG when the path is not
 * SP_OK, SP_ENOMEM, SP_EBUG. */
sp_status sp_decode_finish(const sp_chain *chain, const sp_scores *scores, const int32_t *found,
                           bool must_be_legal, int32_t *path, double *score, sp_error *err);

/* For a decoder that looked at every path and found none of a finite score: SP_ENOPATH with err->step the first step that no
 * state reaches, or T-1 when states reach it but none may end, or a path exists whose sum left the range of a double. Never
 * SP_OK. SP_ENOMEM. */
sp_status sp_decode_no_path(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch,
                            sp_error *err);

#endif
