/* Work shared among threads; not installed. */
#ifndef STATEPATH_CORE_WORKERS_H
#define STATEPATH_CORE_WORKERS_H

#include <stdint.h>

#include "core/scratch.h"

/* Does items first .. last-1. `scratch` is the thread's own; what the task takes of it is released when it returns. */
typedef void sp_task(void *arg, sp_scratch *scratch, int64_t first, int64_t last);

/* Calls task for runs of items that together are 0 .. n_items-1, each once, in no particular order, on as many threads as the
 * workers have and the items can use; returns when all is done. What task writes for one item must not depend on others. A thread
 * gets its runs in ascending order. workers NULL: one call on the calling thread, scratch NULL.
 *
 * It never fails: the calling thread works too, so a thread that cannot be started only makes it slower. Runs are handed out by
 * an atomic counter, short enough to even out items of different size, long enough for a million small ones. */
void sp_workers_share(sp_workers *workers, int64_t n_items, sp_task *task, void *arg);

/* The scratch of thread 0, which is the caller of sp_workers_share(). */
sp_scratch *sp_workers_scratch(sp_workers *workers);

#endif
