/* What calls share: memory and threads that are made once and kept, and the instruction set.
 *
 * A scratch is memory that only grows, of one thread. Workers are a number of threads with a scratch each.
 *
 *     sp_scratch *scratch = sp_scratch_new();
 *     sp_workers *workers = sp_workers_new(0);
 *     ... sp_viterbi(chain, &scores, scratch, ...);
 *     ... sp_decode_batch(chain, &batch, &options, workers, ...);
 *     sp_workers_free(workers);
 *     sp_scratch_free(scratch);
 */
#ifndef STATEPATH_CONTEXT_H
#define STATEPATH_CONTEXT_H

#include <stdint.h>

#include "statepath/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sp_scratch sp_scratch;
sp_scratch *sp_scratch_new(void); /* NULL on lack of memory */
void sp_scratch_free(sp_scratch *scratch);

/* Threads. One call at a time. A program may fork() between calls: the child may use and free the workers too, with threads of
 * its own. */
typedef struct sp_workers sp_workers;
/* n_threads >= 1, or 0 for the processors this process may use. The threads start when there is first work for them. NULL on lack
 * of memory. */
sp_workers *sp_workers_new(int n_threads);
void sp_workers_free(sp_workers *workers);
int sp_workers_count(const sp_workers *workers);

/* The number of the thread of workers that a scratch is of: 0 .. threads-1; 0 for a scratch without workers. */
int sp_scratch_thread(const sp_scratch *scratch);

/* Does items first .. last-1. `scratch` is the thread's own; what the task takes of it is released when it returns. */
typedef void sp_task(void *arg, sp_scratch *scratch, int64_t first, int64_t last);

/* Calls task for runs of items that together are 0 .. n_items-1, each once, in no particular order, on as many threads as the
 * workers have and the items can use; returns when all is done. What task writes for one item must not depend on others. A thread
 * gets its runs in ascending order. workers NULL: one call on the calling thread, scratch NULL.
 *
 * It never fails: the calling thread works too, so a thread that cannot be started only makes it slower. Runs are handed out by
 * an atomic counter, short enough to even out items of different size, long enough for a million small ones. */
void sp_workers_share(sp_workers *workers, int64_t n_items, sp_task *task, void *arg);

/* ---- instruction sets: which of its compiled forms the library runs ----
 *
 * Whatever is worth it is compiled once for each instruction set below. Which one runs changes the time, never a bit of the
 * answer. The library takes the best that the processor has; it does not read the environment. A program that lets its users
 * choose calls sp_isa_set() before anything else, as `statepath` does by STATEPATH_ISA.
 */

/* Each a superset of the one before. Processors other than x86-64 have SP_ISA_BASE only. */
typedef enum sp_isa {
    SP_ISA_PLAIN,  /* scalar kernels only: the oracle of tests; cannot be set */
    SP_ISA_BASE,   /* vectors of 16 bytes: whatever the compiler's target has, SSE2 on x86-64 */
    SP_ISA_AVX2,   /* 32 bytes */
    SP_ISA_AVX512, /* 64 bytes: F, VL, BW, DQ */
    SP_N_ISAS
} sp_isa;

/* "base", "avx2" or "avx512" ("plain" for SP_ISA_PLAIN). Never NULL. */
const char *sp_isa_name(sp_isa isa);

/* Reads a name. SP_OK; SP_EINVAL: the sentence lists the names. */
sp_status sp_isa_parse(const char *name, sp_isa *out, sp_error *err);

/* The best that this processor has; it has all from SP_ISA_BASE up to it. */
sp_isa sp_isa_best(void);

/* The one in use by all threads: sp_isa_best() until another is set. */
sp_isa sp_isa_current(void);

/* Sets it. Any thread may, between calls of the library. SP_OK; SP_EINVAL: the processor lacks it, and nothing has changed. */
sp_status sp_isa_set(sp_isa isa, sp_error *err);

#ifdef __cplusplus
}
#endif
#endif
