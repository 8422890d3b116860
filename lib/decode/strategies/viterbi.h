/* Viterbi as other strategies use it; not installed. */
#ifndef STATEPATH_DECODE_VITERBI_H
#define STATEPATH_DECODE_VITERBI_H

#include "decode/sequence.h"

/* The path of the greatest score (viterbi.c); as sp_strategy_row.decode. */
sp_status sp_viterbi_decode(sp_sequence *s, int32_t parameter, sp_error *err);

/* The paths that break the fewest rules (relaxed.c); as sp_strategy_row.relax. */
sp_status sp_viterbi_relax(sp_sequence *s, int32_t parameter, sp_error *err);
sp_status sp_greedy_relax(sp_sequence *s, int32_t parameter, sp_error *err);

#endif
