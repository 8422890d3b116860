/* Items shared among threads, for work that needs no scratch of the decoders; not installed. */
#ifndef STATEPATH_PARALLEL_H
#define STATEPATH_PARALLEL_H

#include <stdint.h>

enum { SP_PARALLEL_MOST = 64 }; /* threads */

/* Does one item. thread: 0 .. threads-1, of the thread that does it. A thread gets its items in ascending order. */
typedef void sp_parallel_task(void *arg, int thread, int64_t item);

/* Calls task for each of 0 .. n_items-1 once, on up to n_threads threads (at most SP_PARALLEL_MOST), of which the calling one is
 * one; returns when all are done. It never fails: a thread that cannot be started only makes it slower. */
void sp_parallel(int n_threads, int64_t n_items, sp_parallel_task *task, void *arg);

#endif
