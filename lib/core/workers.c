#ifdef __linux__
#define _GNU_SOURCE /* sched_getaffinity() */
#include <sched.h>
#endif

#include "core/workers.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

typedef struct shared_work shared_work;

/* A thread of the workers, with its place in their lists. */
typedef struct worker {
    sp_workers *workers;
    int index;
    pthread_t thread;
} worker;

/* Threads are started when there is first something to share with them, and stay: to start one takes as long as 50,000 steps.
 * They sleep between. The caller works too, and does not wait for a thread that wakes up when all is handed out. */
struct sp_workers {
    int n_threads;
    sp_scratch **scratch; /* [n_threads] */
    worker *threads;      /* [n_threads], the first unused: that is the caller */
    int n_started;        /* so far, the caller among them */
    pid_t process;        /* that the threads belong to: a forked child has none of them */
    pthread_mutex_t lock;
    pthread_cond_t has_work, is_done;
    /* Under the lock. */
    shared_work *work; /* NULL: none that one may join */
    int n_wanted;      /* threads that may still join */
    int n_joined;      /* at work, the caller apart */
    bool is_closing;
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

/* The state of workers that have started no thread, in this process. */
static void start_alone(sp_workers *workers)
{
    workers->process = getpid();
    workers->n_started = 1;
    workers->work = NULL;
    workers->n_wanted = 0;
    workers->n_joined = 0;
    pthread_mutex_init(&workers->lock, NULL);
    pthread_cond_init(&workers->has_work, NULL);
    pthread_cond_init(&workers->is_done, NULL);
}

/* A forked child inherits the memory of the workers, but not their threads: it forgets them, and starts its own when there is
 * work. A thread may have held the lock at the moment of the fork, and nobody is left to release it: lock and conditions begin
 * anew. */
static void forget_threads_of_parent(sp_workers *workers)
{
    if (workers->process != getpid())
        start_alone(workers);
}

sp_workers *sp_workers_new(int n_threads)
{
    assert(n_threads >= 0);
    sp_workers *workers = calloc(1, sizeof *workers);
    if (!workers)
        return NULL;
    workers->n_threads = n_threads > 0 ? n_threads : count_processors();
    workers->scratch = calloc((size_t)workers->n_threads, sizeof(sp_scratch *));
    workers->threads = calloc((size_t)workers->n_threads, sizeof *workers->threads);
    start_alone(workers);
    bool is_complete = workers->scratch && workers->threads;
    for (int i = 0; is_complete && i < workers->n_threads; i++) {
        workers->scratch[i] = sp_scratch_new_for(i);
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
    forget_threads_of_parent(workers);
    pthread_mutex_lock(&workers->lock);
    workers->is_closing = true;
    pthread_cond_broadcast(&workers->has_work);
    pthread_mutex_unlock(&workers->lock);
    for (int i = 1; i < workers->n_started; i++)
        pthread_join(workers->threads[i].thread, NULL);
    pthread_cond_destroy(&workers->is_done);
    pthread_cond_destroy(&workers->has_work);
    pthread_mutex_destroy(&workers->lock);
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

struct shared_work {
    sp_task *task;
    void *arg;
    int64_t n_items, run;
    atomic_llong next_item;
};

static void work(shared_work *shared, sp_scratch *scratch)
{
    for (;;) {
        int64_t first = atomic_fetch_add(&shared->next_item, shared->run);
        if (first >= shared->n_items)
            return;
        int64_t left = shared->n_items - first;
        sp_scratch_mark mark = sp_scratch_here(scratch);
        shared->task(shared->arg, scratch, first, first + (left < shared->run ? left : shared->run));
        sp_scratch_release(scratch, mark);
    }
}

static void *work_along(void *arg)
{
    const worker *self = arg;
    sp_workers *workers = self->workers;
    pthread_mutex_lock(&workers->lock);
    while (!workers->is_closing) {
        if (workers->n_wanted == 0) {
            pthread_cond_wait(&workers->has_work, &workers->lock);
            continue;
        }
        shared_work *shared = workers->work;
        workers->n_wanted--;
        workers->n_joined++;
        pthread_mutex_unlock(&workers->lock);
        work(shared, workers->scratch[self->index]);
        pthread_mutex_lock(&workers->lock);
        if (--workers->n_joined == 0)
            pthread_cond_signal(&workers->is_done);
    }
    pthread_mutex_unlock(&workers->lock);
    return NULL;
}

/* Starts threads up to so many, or as many as can be had. */
static void start_threads(sp_workers *workers, int64_t n)
{
    for (; workers->n_started < n && workers->n_started < workers->n_threads; workers->n_started++) {
        worker *next = &workers->threads[workers->n_started];
        *next = (worker){.workers = workers, .index = workers->n_started};
        if (pthread_create(&next->thread, NULL, work_along, next) != 0)
            return;
    }
}

void sp_workers_share(sp_workers *workers, int64_t n_items, sp_task *task, void *arg)
{
    if (!workers) {
        task(arg, NULL, 0, n_items);
        return;
    }
    int64_t run = n_items / ((int64_t)workers->n_threads * RUNS_PER_THREAD);
    run = run < 1 ? 1 : run > LONGEST_RUN ? LONGEST_RUN : run;
    shared_work shared = {.task = task, .arg = arg, .n_items = n_items, .run = run};
    int64_t useful = (n_items + run - 1) / run;
    forget_threads_of_parent(workers);
    start_threads(workers, useful);
    int64_t others = (useful < workers->n_started ? useful : workers->n_started) - 1;
    if (others > 0) {
        pthread_mutex_lock(&workers->lock);
        assert(!workers->work); /* a task shares nothing by itself */
        // cppcheck-suppress autoVariables ; all are done with it before this function returns
        workers->work = &shared;
        workers->n_wanted = (int)others;
        pthread_cond_broadcast(&workers->has_work);
        pthread_mutex_unlock(&workers->lock);
    }
    work(&shared, workers->scratch[0]);
    if (others > 0) {
        pthread_mutex_lock(&workers->lock);
        workers->work = NULL;
        workers->n_wanted = 0;
        while (workers->n_joined > 0)
            pthread_cond_wait(&workers->is_done, &workers->lock);
        pthread_mutex_unlock(&workers->lock);
    }
}
