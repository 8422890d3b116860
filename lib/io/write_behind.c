#include "io/write_behind.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* One buffer is filled, one is written, one is between them. */
enum { N_BUFFERS = 3, BUFFER_BYTES = 1 << 20, MOST_RUNS = 256 };

/* Bytes that lie one after the other in the file, and in a buffer after those of the run before. */
typedef struct run {
    int64_t position;
    size_t n;
} run;

typedef struct buffer {
    unsigned char *bytes; /* [BUFFER_BYTES], made as it is needed */
    size_t used;
    run runs[MOST_RUNS];
    int n_runs;
} buffer;

struct sp_write_behind {
    const sp_output *output;
    buffer
        buffers[N_BUFFERS]; /* buffer n stands in buffers[n % N_BUFFERS]; number n_filled is being filled */
    bool is_threaded;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* Under the lock. */
    int64_t n_filled, n_written;
    bool is_over;
    sp_status status; /* of writing; once it has failed nothing more is written */
    sp_error error;
};

sp_write_behind *sp_write_behind_new(const sp_output *output)
{
    sp_write_behind *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    w->output = output;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->changed, NULL);
    return w;
}

static sp_status buffer_write(const sp_output *output, buffer *b, sp_error *err)
{
    sp_status status = SP_OK;
    const unsigned char *bytes = b->bytes;
    for (int i = 0; status == SP_OK && i < b->n_runs; i++) {
        status = sp_output_write(output, bytes, b->runs[i].n, b->runs[i].position, err);
        bytes += b->runs[i].n;
    }
    b->used = 0;
    b->n_runs = 0;
    return status;
}

static void *write_all(void *arg)
{
    sp_write_behind *w = arg;
    pthread_mutex_lock(&w->lock);
    for (;;) {
        while (w->n_written == w->n_filled && !w->is_over)
            pthread_cond_wait(&w->changed, &w->lock);
        if (w->is_over)
            break;
        const sp_status status = w->status;
        sp_error error = {.status = SP_OK};
        buffer *b = &w->buffers[w->n_written % N_BUFFERS];
        pthread_mutex_unlock(&w->lock);
        if (status != SP_OK)
            b->n_runs = 0; /* no more of it */
        const sp_status now = buffer_write(w->output, b, &error);
        pthread_mutex_lock(&w->lock);
        if (now != SP_OK) {
            w->status = now;
            w->error = error;
        }
        w->n_written++;
        pthread_cond_broadcast(&w->changed);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

/* Hands the buffer that was filled to the thread, or writes it where there is none, and waits until `n_free` buffers are free. */
static sp_status hand_over(sp_write_behind *w, int n_free, sp_error *err)
{
    if (!w->is_threaded)
        w->is_threaded = pthread_create(&w->thread, NULL, write_all, w) == 0;
    if (!w->is_threaded)
        return buffer_write(w->output, &w->buffers[w->n_filled % N_BUFFERS], err);
    pthread_mutex_lock(&w->lock);
    w->n_filled++;
    pthread_cond_broadcast(&w->changed);
    while (w->n_filled - w->n_written > N_BUFFERS - n_free)
        pthread_cond_wait(&w->changed, &w->lock);
    const sp_status status = w->status;
    if (status != SP_OK && err)
        *err = w->error;
    pthread_mutex_unlock(&w->lock);
    return status;
}

sp_status sp_write_behind_put(sp_write_behind *w, const void *data, size_t n, int64_t position, sp_error *err)
{
    const unsigned char *from = data;
    while (n > 0) {
        buffer *b = &w->buffers[w->n_filled % N_BUFFERS];
        if (!b->bytes && !(b->bytes = malloc(BUFFER_BYTES)))
            return sp_no_memory(err);
        run *last = b->n_runs ? &b->runs[b->n_runs - 1] : NULL;
        const bool goes_on = last && last->position + (int64_t)last->n == position;
        if (b->used == BUFFER_BYTES || (!goes_on && b->n_runs == MOST_RUNS)) {
            sp_status status = hand_over(w, 1, err);
            if (status != SP_OK)
                return status;
            continue;
        }
        const size_t room = BUFFER_BYTES - b->used, these = n < room ? n : room;
        memcpy(b->bytes + b->used, from, these);
        b->used += these;
        if (goes_on)
            last->n += these;
        else
            b->runs[b->n_runs++] = (run){.position = position, .n = these};
        from += these;
        position += (int64_t)these;
        n -= these;
    }
    return SP_OK;
}

sp_status sp_write_behind_finish(sp_write_behind *w, sp_error *err)
{
    return w->is_threaded ? hand_over(w, N_BUFFERS, err) : buffer_write(w->output, &w->buffers[0], err);
}

void sp_write_behind_free(sp_write_behind *w)
{
    if (!w)
        return;
    if (w->is_threaded) {
        pthread_mutex_lock(&w->lock);
        w->is_over = true;
        pthread_cond_broadcast(&w->changed);
        pthread_mutex_unlock(&w->lock);
        pthread_join(w->thread, NULL);
    }
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->lock);
    for (int i = 0; i < N_BUFFERS; i++)
        free(w->buffers[i].bytes);
    free(w);
}
