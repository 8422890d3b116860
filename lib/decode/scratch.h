/* Memory that only grows, one per thread; not installed. A slot is one array of a decoder; its contents do not survive a request
 * for more. Slots are shared by all strategies: a function that calls another decoder must not expect its slots to survive, save
 * those it alone uses. */
#ifndef STATEPATH_DECODE_SCRATCH_H
#define STATEPATH_DECODE_SCRATCH_H

#include <stddef.h>

#include "statepath/decode.h"

enum { SP_SCRATCH_SLOTS = 32 };

/* `count` items of `size` bytes, aligned to 64, not cleared; NULL on lack of memory or overflow. count 0 gives a valid pointer.
 */
void *sp_scratch_get(sp_scratch *scratch, int slot, size_t count, size_t size);

#endif
