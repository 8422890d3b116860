#ifdef __linux__
#define _GNU_SOURCE /* sched_getaffinity() */
#include <sched.h>
#endif

#include "decode/workers.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

struct sp_workers {
    int n_threads;
    sp_scratch **scratch; /* [n_threads] */
    pthread_t *threads;   /* [n_threads], the first unused: the caller works too */
};

/* Processors that this process may run on. */
static int count_processors(void)
{
#ifdef __linux__
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0 && CPU_COUNT(&allowed) > 0)
        return CPU_COUNT(&allowed);
#endif
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}

sp_workers *sp_workers_new(int n_threads)
{
    assert(n_threads >= 0);
    sp_workers *workers = calloc(1, sizeof *workers);
    if (!workers)
        return NULL;
    workers->n_threads = n_threads > 0 ? n_threads : count_processors();
    workers->scratch = calloc((size_t)workers->n_threads, sizeof *workers->scratch);
    workers->threads = calloc((size_t)workers->n_threads, sizeof *workers->threads);
    bool is_complete = workers->scratch && workers->threads;
    for (int i = 0; is_complete && i < workers->n_threads; i++) {
        workers->scratch[i] = sp_scratch_new();
        is_complete = workers->scratch[i] != NULL;
    }
    if (!is_complete) {
        sp_workers_free(workers);
        return NULL;
    }
    return workers;
}

void sp_workers_free(sp_workers *workers)
{
    if (!workers)
        return;
    for (int i = 0; workers->scratch && i < workers->n_threads; i++)
        sp_scratch_free(workers->scratch[i]);
    free(workers->scratch);
    free(workers->threads);
    free(workers);
}

int sp_workers_count(const sp_workers *workers)
{
    return workers->n_threads;
}

sp_scratch *sp_workers_scratch(sp_workers *workers)
{
    return workers->scratch[0];
}

/* ---- sharing ---- */

enum { RUNS_PER_THREAD = 16, LONGEST_RUN = 1024 };

typedef struct shared_work {
    sp_workers *workers;
    sp_task *task;
    void *arg;
    int64_t n_items, run;
    atomic_llong next_item;
    atomic_int next_worker;
} shared_work;

static void *work(void *arg)
{
    shared_work *shared = arg;
    sp_scratch *scratch = shared->workers->scratch[atomic_fetch_add(&shared->next_worker, 1)];
    for (;;) {
        int64_t first = atomic_fetch_add(&shared->next_item, shared->run);
        if (first >= shared->n_items)
            return NULL;
        int64_t left = shared->n_items - first;
        shared->task(shared->arg, scratch, first, first + (left < shared->run ? left : shared->run));
    }
}

void sp_workers_share(sp_workers *workers, int64_t n_items, sp_task *task, void *arg)
{
    int64_t run = n_items / ((int64_t)workers->n_threads * RUNS_PER_THREAD);
    run = run < 1 ? 1 : run > LONGEST_RUN ? LONGEST_RUN : run;
    shared_work shared = {.workers = workers, .task = task, .arg = arg, .n_items = n_items, .run = run};
    int n_started = 1;
    while (n_started < workers->n_threads && n_started * run < n_items &&
           pthread_create(&workers->threads[n_started], NULL, work, &shared) == 0)
        n_started++;
    work(&shared);
    for (int i = 1; i < n_started; i++)
        pthread_join(workers->threads[i], NULL);
}
