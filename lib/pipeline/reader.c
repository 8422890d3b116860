#include "pipeline/reader.h"

#include <pthread.h>
#include <stdlib.h>

/* Two blocks: one is worked on, the other is read. */
enum { N_BLOCKS = 2 };

struct sp_reader {
    sp_source *source;
    unsigned parts;
    int64_t bytes, first, end; /* first: recording that the next block begins with */
    sp_block *blocks[N_BLOCKS];
    sp_raters people[N_BLOCKS];
    sp_status statuses[N_BLOCKS];
    sp_error errors[N_BLOCKS];
    bool is_threaded;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* Under the lock. Block n stands in blocks[n % N_BLOCKS]. */
    int64_t n_read, n_given; /* blocks so far */
    bool is_held;            /* the last one given is still the caller's */
    bool is_done, is_cancelled;
};

/* Recordings of the next block. */
static int64_t fit(const sp_reader *r)
{
    int64_t count = sp_source_fit(r->source, r->first, r->bytes), left = r->end - r->first;
    return count < left ? count : left;
}

/* Reads one more block. False: that was the last, or it failed. */
static bool read_one(sp_reader *r, int slot)
{
    int64_t count = fit(r);
    sp_error *err = &r->errors[slot];
    sp_status status = sp_source_read(r->source, r->first, count, r->parts, r->blocks[slot], err);
    if (status == SP_OK)
        status = sp_raters_reserve(&r->people[slot], r->blocks[slot]->n_steps, err);
    if (status == SP_OK)
        status = sp_raters_read(&r->people[slot], r->source, r->first, count, 0, err);
    r->statuses[slot] = status;
    r->first += count;
    return status == SP_OK && r->first < r->end;
}

static void *read_all(void *arg)
{
    sp_reader *r = arg;
    bool more = true;
    pthread_mutex_lock(&r->lock);
    while (more && !r->is_cancelled) {
        if (r->n_read - r->n_given + r->is_held == N_BLOCKS) {
            pthread_cond_wait(&r->changed, &r->lock);
            continue;
        }
        int slot = (int)(r->n_read % N_BLOCKS);
        pthread_mutex_unlock(&r->lock);
        more = read_one(r, slot);
        pthread_mutex_lock(&r->lock);
        r->n_read++;
        r->is_done = !more;
        pthread_cond_signal(&r->changed);
    }
    pthread_mutex_unlock(&r->lock);
    return NULL;
}

sp_reader *sp_reader_new(sp_source *source, int64_t first, int64_t end, unsigned parts, int64_t bytes,
                         const sp_scorers_found *found)
{
    sp_reader *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    *r = (sp_reader){.source = source, .parts = parts, .bytes = bytes, .first = first, .end = end};
    for (int i = 0; i < N_BLOCKS; i++) {
        r->blocks[i] = sp_block_new();
        if (found)
            r->people[i].found = *found;
    }
    r->is_done = first == end;
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->changed, NULL);
    for (int i = 0; i < N_BLOCKS; i++)
        if (!r->blocks[i]) {
            sp_reader_free(r);
            return NULL;
        }
    /* What is one block is read sooner than a thread starts. */
    r->is_threaded = !r->is_done && fit(r) < end - first && pthread_create(&r->thread, NULL, read_all, r) == 0;
    return r;
}

void sp_reader_free(sp_reader *r)
{
    if (!r)
        return;
    if (r->is_threaded) {
        pthread_mutex_lock(&r->lock);
        r->is_cancelled = true;
        pthread_cond_signal(&r->changed);
        pthread_mutex_unlock(&r->lock);
        pthread_join(r->thread, NULL);
    }
    pthread_cond_destroy(&r->changed);
    pthread_mutex_destroy(&r->lock);
    for (int i = 0; i < N_BLOCKS; i++) {
        sp_block_free(r->blocks[i]);
        sp_raters_clear(&r->people[i]);
    }
    free(r);
}

sp_status sp_reader_next(sp_reader *r, sp_block **block, sp_error *err)
{
    pthread_mutex_lock(&r->lock);
    r->is_held = false;
    pthread_cond_signal(&r->changed);
    if (!r->is_threaded && !r->is_done) {
        r->is_done = !read_one(r, (int)(r->n_read % N_BLOCKS));
        r->n_read++;
    }
    while (r->n_read == r->n_given && !r->is_done)
        pthread_cond_wait(&r->changed, &r->lock);
    sp_status status = SP_OK;
    *block = NULL;
    if (r->n_read > r->n_given) {
        int slot = (int)(r->n_given % N_BLOCKS);
        r->n_given++;
        r->is_held = true;
        status = r->statuses[slot];
        if (status == SP_OK)
            *block = r->blocks[slot];
        else if (err)
            *err = r->errors[slot];
    }
    pthread_mutex_unlock(&r->lock);
    return status;
}

const int32_t *const *sp_reader_scorers(const sp_reader *r)
{
    return (const int32_t *const *)r->people[(r->n_given + N_BLOCKS - 1) % N_BLOCKS].labels;
}
