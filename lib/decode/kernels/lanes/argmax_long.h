/* Argmax of one long recording in lanes; not installed.
 *
 * No step needs anything from another, so the recording is cut into chunks that stand side by side, on all
 * threads. Their score is that of the whole path: sp_path_score()'s.
 */
#ifndef STATEPATH_DECODE_ARGMAX_LONG_H
#define STATEPATH_DECODE_ARGMAX_LONG_H

#include "core/workers.h"
#include "decode/kernels/lanes/lanes.h"

/* Of a plain chain of up to SP_LANES_MOST_CLASSES classes and a recording without gaps of one step or
 * more: path [T], and its score. SP_OK; SP_ENOPATH without a message, path in pieces, where a step allows
 * no class; SP_ENOMEM. */
sp_status sp_argmax_long(sp_isa isa, const sp_chain *chain, const sp_scores *scores, sp_workers *workers,
                         int32_t *path, double *score);

#endif
