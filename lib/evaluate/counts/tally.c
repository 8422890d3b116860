#include "evaluate/counts/tally.h"

#include <stdlib.h>

/* n_slots is a power of two. */
static size_t slot_of(const sp_tally *t, int64_t key)
{
    size_t i = sp_tally_slot(t, key);
    while (t->slots[i].count && t->slots[i].key != key)
        i = (i + 1) & (t->n_slots - 1);
    return i;
}

static bool grow(sp_tally *t)
{
    sp_tally bigger = {.n_slots = t->n_slots ? 2 * t->n_slots : 16, .n = t->n};
    bigger.slots = calloc(bigger.n_slots, sizeof *bigger.slots);
    if (!bigger.slots)
        return false;
    for (size_t i = 0; i < t->n_slots; i++)
        if (t->slots[i].count)
            bigger.slots[slot_of(&bigger, t->slots[i].key)] = t->slots[i];
    free(t->slots);
    *t = bigger;
    return true;
}

bool sp_tally_put(sp_tally *t, int64_t key, int64_t count)
{
    if (4 * (t->n + 1) > t->n_slots && !grow(t))
        return false;
    sp_tally_entry *e = &t->slots[slot_of(t, key)];
    t->n += e->count == 0;
    e->key = key;
    e->count += count;
    return true;
}

void sp_tally_free(sp_tally *t)
{
    free(t->slots);
    *t = (sp_tally){0};
}

static int by_key(const void *a, const void *b)
{
    int64_t x = ((const sp_tally_entry *)a)->key, y = ((const sp_tally_entry *)b)->key;
    return (x > y) - (x < y);
}

const sp_tally_entry *sp_tally_sort(sp_tally *t)
{
    size_t n = 0;
    for (size_t i = 0; i < t->n_slots; i++)
        if (t->slots[i].count)
            t->slots[n++] = t->slots[i];
    if (n > 0)
        qsort(t->slots, n, sizeof *t->slots, by_key);
    return t->slots;
}
