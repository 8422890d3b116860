/* Counts by key, for keys that are few among very many possible ones: forbidden pairs of classes, lengths of runs. */
#ifndef EVALUATE_TALLY_H
#define EVALUATE_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sp_tally_entry {
    int64_t key, count; /* count 0: empty */
} sp_tally_entry;

enum { SP_TALLY_DIRECT = 4096 };

/* Small keys, as nearly all are, have a count each; others stand in a table with open addressing and
 * linear probing. {0} is empty. */
typedef struct sp_tally {
    int64_t *direct; /* [SP_TALLY_DIRECT], or NULL before the first key */
    sp_tally_entry *slots;
    size_t n_slots; /* 0 or a power of two */
    size_t n;       /* keys among them; once sorted: all keys */
} sp_tally;

/* Adds `count` > 0 to a key >= 0. False on lack of memory: the tally is as before. */
bool sp_tally_put(sp_tally *t, int64_t key, int64_t count);
/* The same; a small key costs no call. */
static inline bool sp_tally_add(sp_tally *t, int64_t key, int64_t count)
{
    if (key >= SP_TALLY_DIRECT || !t->direct)
        return sp_tally_put(t, key, count);
    t->direct[key] += count;
    return true;
}
void sp_tally_free(sp_tally *t);

/* All entries by key, t->n of them: in `slots`, where nothing can be added afterwards. False: no memory. */
bool sp_tally_sort(sp_tally *t);

#endif
