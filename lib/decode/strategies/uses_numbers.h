/* Expected uses in numbers, where rows are not too thin for that; not installed. */
#ifndef STATEPATH_DECODE_USES_NUMBERS_H
#define STATEPATH_DECODE_USES_NUMBERS_H

#include "decode/kernels/sum_steps.h"
#include "decode/strategies/uses.h"

/* exp of a weight, less the greatest of its side. */
static inline double sp_sum_weight(const sp_sum_side *side, int64_t n)
{
    return side->linear ? side->linear[n] : 1;
}

/* As sp_uses_add(), T > 0, of chains whose gaps have no transitions of their own. *is_known: false where rows are too thin, or no path is
 * found; nothing is added then. The scratch is released by the caller. SP_OK, SP_ENOMEM. */
sp_status sp_uses_in_numbers(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch,
                             const sp_uses *uses, double *log_z, bool *is_known, sp_error *err);

#endif
