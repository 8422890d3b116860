#include "core/parallel.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct parallel_work {
    sp_parallel_task *task;
    void *arg;
    int64_t n_items;
    atomic_llong next_item;
    atomic_int next_thread;
} parallel_work;

static void *work(void *arg)
{
    parallel_work *w = arg;
    const int thread = atomic_fetch_add(&w->next_thread, 1);
    for (;;) {
        int64_t item = atomic_fetch_add(&w->next_item, 1);
        if (item >= w->n_items)
            return NULL;
        w->task(w->arg, thread, item);
    }
}

void sp_parallel(int n_threads, int64_t n_items, sp_parallel_task *task, void *arg)
{
    pthread_t threads[SP_PARALLEL_MOST];
    parallel_work w = {.task = task, .arg = arg, .n_items = n_items};
    int n_started = 1; /* this one */
    while (n_started < n_threads && n_started < SP_PARALLEL_MOST && n_started < n_items &&
           pthread_create(&threads[n_started], NULL, work, &w) == 0)
        n_started++;
    work(&w);
    for (int i = 1; i < n_started; i++)
        pthread_join(threads[i], NULL);
}
