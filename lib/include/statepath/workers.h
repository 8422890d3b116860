/* Memory and threads that are made once and kept between calls.
 *
 * A scratch is memory that only grows, of one thread. Workers are a number of threads with a scratch each.
 */
#ifndef STATEPATH_WORKERS_H
#define STATEPATH_WORKERS_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sp_scratch sp_scratch;
sp_scratch *sp_scratch_new(void); /* NULL on lack of memory */
void sp_scratch_free(sp_scratch *scratch);

/* One call at a time. A program may fork() between calls: the child may use and free the workers too, with threads of its own. */
typedef struct sp_workers sp_workers;
/* n_threads >= 1, or 0 for the processors this process may use. The threads start when there is first work for them. NULL on lack
 * of memory. */
sp_workers *sp_workers_new(int n_threads);
void sp_workers_free(sp_workers *workers);
int sp_workers_count(const sp_workers *workers);

#ifdef __cplusplus
}
#endif
#endif
