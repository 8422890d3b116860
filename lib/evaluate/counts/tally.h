/* Counts by key, for keys that are few among very many possible ones: forbidden pairs of classes, lengths of runs. */
#ifndef EVALUATE_TALLY_H
#define EVALUATE_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sp_tally_entry {
    int64_t key, count; /* count 0: empty */
} sp_tally_entry;

/* Open addressing with linear probing; {0} is empty. */
typedef struct sp_tally {
    sp_tally_entry *slots;
    size_t n_slots; /* 0 or a power of two */
    size_t n;       /* keys */
} sp_tally;

/* Where the search for a key begins; spreads neighbouring keys (Fibonacci hashing). */
static inline size_t sp_tally_slot(const sp_tally *t, int64_t key)
{
    return (size_t)(((uint64_t)key * UINT64_C(0x9E3779B97F4A7C15)) >> 20) & (t->n_slots - 1);
}

/* Adds `count` > 0 to a key >= 0. False on lack of memory: the tally is as before. */
bool sp_tally_put(sp_tally *t, int64_t key, int64_t count);
/* The same; a key that stands where it is looked for first, as nearly all do, costs no call. */
static inline bool sp_tally_add(sp_tally *t, int64_t key, int64_t count)
{
    sp_tally_entry *e = t->n_slots ? &t->slots[sp_tally_slot(t, key)] : NULL;
    if (!e || e->key != key || !e->count)
        return sp_tally_put(t, key, count);
    e->count += count;
    return true;
}
void sp_tally_free(sp_tally *t);

/* Packs the entries into the front of `slots`, sorted by key; returns them (t->n of them). Nothing can be added afterwards. */
const sp_tally_entry *sp_tally_sort(sp_tally *t);

#endif
