/* Memory and threads that calls share: each call takes a context, so calls from several Python threads never meet in one.
 *
 * The list is touched only by who holds the GIL; so a fork, which Python does while holding it, never sees the list half changed.
 * Threads of workers do not survive a fork, and workers know it (context.h). A context in use by another thread at the moment of
 * a fork is lost to the child. */
#include "extension.h"

enum { KEPT = 8 /* contexts at most that wait for a call */ };

static context *unused;

static void context_free(context *c)
{
    sp_workers_free(c->workers);
    sp_scratch_free(c->scratch);
    sp_block_free(c->block);
    PyMem_Free(c);
}

context *context_take(int n_threads)
{
    for (context **at = &unused; *at; at = &(*at)->next)
        if ((*at)->n_threads == n_threads) {
            context *found = *at;
            *at = found->next;
            return found;
        }
    context *c = PyMem_Calloc(1, sizeof *c);
    if (!c)
        return (context *)PyErr_NoMemory();
    c->n_threads = n_threads;
    c->workers = sp_workers_new(n_threads);
    c->scratch = sp_scratch_new();
    c->block = sp_block_new();
    if (c->workers && c->scratch && c->block)
        return c;
    context_free(c);
    return (context *)PyErr_NoMemory();
}

void context_give(context *c, bool is_large)
{
    int n = 0;
    for (const context *other = unused; other; other = other->next)
        n++;
    if (is_large || n >= KEPT) {
        context_free(c);
        return;
    }
    c->next = unused;
    unused = c;
}

bool threads_from(long n_threads)
{
    if (n_threads >= 0 && n_threads <= 4096)
        return true;
    PyErr_Format(PyExc_ValueError, "threads=%ld: a number from 0 (all processors) to 4096", n_threads);
    return false;
}
