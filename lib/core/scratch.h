/* The memory of one thread: an arena of mark and release; not installed.
 *
 * Arrays are taken one after the other and stay until the scratch is released to a mark made before them. A function that decodes
 * releases what it took; one that prepares arrays for its caller (..._init, ..._start) leaves them, and the caller releases.
 */
#ifndef STATEPATH_CORE_SCRATCH_H
#define STATEPATH_CORE_SCRATCH_H

#include <stddef.h>

#include "statepath/context.h"

/* An array of `count` items of `size` bytes, aligned to 64, not cleared; NULL on lack of memory or overflow. count 0 gives a
 * valid pointer. */
void *sp_scratch_get(sp_scratch *scratch, size_t count, size_t size);

typedef struct sp_scratch_mark {
    size_t block, used;
} sp_scratch_mark;

sp_scratch_mark sp_scratch_here(const sp_scratch *scratch);
/* Gives back every array taken since the mark. The memory stays with the scratch: what fitted before fits again. */
void sp_scratch_release(sp_scratch *scratch, sp_scratch_mark mark);

/* The scratch of a thread of workers. */
sp_scratch *sp_scratch_new_for(int thread);

#endif
