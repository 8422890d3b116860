#include "stream.h"

#include <pthread.h>
#include <stdbool.h>

typedef struct part {
    const uint64_t *words;
    size_t n;
    uint64_t sum;
} part;

static void *read_part(void *arg)
{
    part *p = arg;
    uint64_t sum = 0;
    for (size_t i = 0; i < p->n; i++)
        sum += p->words[i];
    p->sum = sum;
    return NULL;
}

uint64_t stream_read(const void *data, size_t bytes, int threads)
{
    const uint64_t *words = data;
    size_t n = bytes / sizeof *words, half = threads > 1 ? n / 2 : n;
    part mine = {words, half, 0}, other = {words + half, n - half, 0};
    pthread_t thread;
    bool is_shared = threads > 1 && pthread_create(&thread, NULL, read_part, &other) == 0;
    if (!is_shared)
        read_part(&other);
    read_part(&mine);
    if (is_shared)
        pthread_join(thread, NULL);
    return mine.sum + other.sum;
}
