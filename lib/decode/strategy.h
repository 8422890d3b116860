/* A strategy's row: what the table of strategy.c lists; not installed. */
#ifndef STATEPATH_DECODE_STRATEGY_H
#define STATEPATH_DECODE_STRATEGY_H

#include "decode/sequence.h"

typedef struct sp_strategy_row {
    sp_strategy_info about;
    /* Fills s->path, and sets s->recurrence where it maximises something. SP_OK; SP_ENOPATH and
     * SP_EDEADEND as in decode.h; SP_ENOMEM. */
    sp_status (*decode)(sp_sequence *s, int32_t parameter, sp_error *err);
    /* The same where decode() has found no path: breaks the fewest rules, sets s->n_broken. NULL: Viterbi's. */
    sp_status (*relax)(sp_sequence *s, int32_t parameter, sp_error *err);
} sp_strategy_row;

const sp_strategy_row *sp_strategy_row_of(sp_strategy_kind kind);

/* Is this one of the strategies, and its parameter in range? SP_OK or SP_EINVAL. */
sp_status sp_strategy_check(const sp_strategy *strategy, sp_error *err);

#endif
