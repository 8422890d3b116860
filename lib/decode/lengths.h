/* Which lengths of a recording the rules leave possible, in a sentence; not installed. */
#ifndef STATEPATH_DECODE_LENGTHS_H
#define STATEPATH_DECODE_LENGTHS_H

#include "statepath/model.h"

/* Where a chain with durations has no path of n_steps > 0 steps without gaps, whatever the scores: true, and which durations there are
 * and which lengths next to it are possible in `out`. False otherwise, and on lack of memory.
 *   classes  [K] names; NULL: they go by number */
bool sp_say_lengths(const sp_chain *chain, int64_t n_steps, const char *const *classes, char *out,
                    size_t size);

#endif
