#include "evaluate/counts/tally.h"

#include <stdlib.h>

/* n_slots is a power of two. Fibonacci hashing spreads neighbouring keys. */
static size_t slot_of(const sp_tally *t, int64_t key)
{
    size_t i = (size_t)(((uint64_t)key * UINT64_C(0x9E3779B97F4A7C15)) >> 20) & (t->n_slots - 1);
    while (t->slots[i].count && t->slots[i].key != key)
        i = (i + 1) & (t->n_slots - 1);
    return i;
}

static bool grow(sp_tally *t, size_t n_slots)
{
    sp_tally bigger = {.direct = t->direct, .n_slots = n_slots, .n = t->n};
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
    if (key < SP_TALLY_DIRECT) {
        if (!t->direct && !(t->direct = calloc(SP_TALLY_DIRECT, sizeof *t->direct)))
            return false;
        t->direct[key] += count;
        return true;
    }
    if (4 * (t->n + 1) > t->n_slots && !grow(t, t->n_slots ? 2 * t->n_slots : 16))
        return false;
    sp_tally_entry *e = &t->slots[slot_of(t, key)];
    t->n += e->count == 0;
    e->key = key;
    e->count += count;
    return true;
}

void sp_tally_free(sp_tally *t)
{
    free(t->direct);
    free(t->slots);
    *t = (sp_tally){0};
}

static int by_key(const void *a, const void *b)
{
    int64_t x = ((const sp_tally_entry *)a)->key, y = ((const sp_tally_entry *)b)->key;
    return (x > y) - (x < y);
}

bool sp_tally_sort(sp_tally *t)
{
    sp_tally_entry *all = malloc((t->n + SP_TALLY_DIRECT) * sizeof *all);
    size_t n = 0;
    if (!all)
        return false;
    for (int64_t key = 0; t->direct && key < SP_TALLY_DIRECT; key++)
        if (t->direct[key])
            all[n++] = (sp_tally_entry){key, t->direct[key]};
    for (size_t i = 0; i < t->n_slots; i++)
        if (t->slots[i].count)
            all[n++] = t->slots[i];
    if (n > 0)
        qsort(all, n, sizeof *all, by_key);
    sp_tally_free(t);
    *t = (sp_tally){.slots = all, .n = n};
    return true;
}
