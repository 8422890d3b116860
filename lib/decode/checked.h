/* Decoding of scores whose numbers nothing has looked at yet; for the Python package, not installed. */
#ifndef STATEPATH_DECODE_CHECKED_H
#define STATEPATH_DECODE_CHECKED_H

#include "statepath/decode.h"

/* sp_prepare() with nothing but a kind, then sp_decode_batch(), in one call: the same answers and errors. Where many recordings
 * are decoded side by side, each thread looks at the rows of its recordings right after it decoded them, while they are in its
 * cache: that costs a few per cent of Viterbi, where a look beforehand costs a tenth.
 *   block    its scores, offsets and segments; they are only read
 *   kind     SP_KIND_LOG_PROBS or SP_KIND_SCORES: scores are nats as they stand
 *   output   not to be used where a row is bad
 * Returns what the two calls return; of several bad rows the first is named. */
sp_status sp_decode_checked(const sp_chain *chain, sp_block *block, sp_kind kind,
                            const sp_decode_options *options, sp_workers *workers,
                            const sp_decode_output *output, sp_error *err);

#endif
