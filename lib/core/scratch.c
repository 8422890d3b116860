#include "core/scratch.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* With AddressSanitizer, memory that is not taken is poisoned, and so is a gap after each array. */
#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
enum { GAP = 64 };
#else
enum { GAP = 0 };
#define ASAN_POISON_MEMORY_REGION(data, size) ((void)(data), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(data, size) ((void)(data), (void)(size))
#endif

enum {
    ALIGNMENT = 64,
    EXACT_BLOCKS = 32 /* the size of one array each; further ones double the memory */,
    MOST_BLOCKS = 96
};

/* Arrays are taken from the block `at`, or the first after it that has room. */
struct sp_scratch {
    char *data[MOST_BLOCKS];
    size_t size[MOST_BLOCKS];
    size_t n_blocks;
    size_t at, used; /* blocks after `at` are empty; bytes taken of it */
    int thread;
};

sp_scratch *sp_scratch_new_for(int thread)
{
    sp_scratch *scratch = calloc(1, sizeof *scratch);
    if (scratch)
        scratch->thread = thread;
    return scratch;
}

sp_scratch *sp_scratch_new(void)
{
    return sp_scratch_new_for(0);
}

/* Frees the blocks from number `first` on; returns their size. */
static size_t free_blocks(sp_scratch *s, size_t first)
{
    size_t size = 0;
    while (s->n_blocks > first) {
        free(s->data[--s->n_blocks]);
        size += s->size[s->n_blocks];
    }
    return size;
}

void sp_scratch_free(sp_scratch *scratch)
{
    if (scratch)
        free_blocks(scratch, 0);
    free(scratch);
}

static size_t size_of_blocks(const sp_scratch *s)
{
    size_t size = 0;
    for (size_t i = 0; i < s->n_blocks; i++)
        size += s->size[i];
    return size;
}

/* Goes on to a block of at least `need` bytes: the first one that is large enough, else one in place of all that are empty, so
 * that a scratch soon is a few large blocks, and what has fitted into the empty ones fits into it. */
static bool next_block(sp_scratch *s, size_t need)
{
    size_t first = s->used > 0 ? s->at + 1 : s->at, at = first;
    while (at < s->n_blocks && s->size[at] < need)
        at++;
    if (at >= s->n_blocks) {
        size_t empty = free_blocks(s, first), size = need > empty ? need : empty;
        if (first >= EXACT_BLOCKS && size < size_of_blocks(s))
            size = size_of_blocks(s);
        char *data = first < MOST_BLOCKS ? aligned_alloc(ALIGNMENT, size) : NULL;
        if (!data)
            return false;
        ASAN_POISON_MEMORY_REGION(data, size);
        at = first;
        s->data[at] = data;
        s->size[at] = size;
        s->n_blocks = at + 1;
    }
    s->at = at;
    s->used = 0;
    return true;
}

void *sp_scratch_get(sp_scratch *s, size_t count, size_t size)
{
    if (size && count > (SIZE_MAX / 2) / size)
        return NULL;
    size_t bytes = count * size, need = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT + GAP;
    need = need ? need : ALIGNMENT;
    if ((s->at >= s->n_blocks || need > s->size[s->at] - s->used) && !next_block(s, need))
        return NULL;
    char *array = s->data[s->at] + s->used;
    s->used += need;
    ASAN_UNPOISON_MEMORY_REGION(array, bytes);
    return array;
}

sp_scratch_mark sp_scratch_here(const sp_scratch *s)
{
    return (sp_scratch_mark){s->at, s->used};
}

void sp_scratch_release(sp_scratch *s, sp_scratch_mark mark)
{
    for (size_t i = mark.block; i <= s->at && i < s->n_blocks; i++) {
        size_t used = i == mark.block ? mark.used : 0;
        ASAN_POISON_MEMORY_REGION(s->data[i] + used, s->size[i] - used);
    }
    s->at = mark.block;
    s->used = mark.used;
}

int sp_scratch_thread(const sp_scratch *s)
{
    return s->thread;
}
