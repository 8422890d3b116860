#include "decode/strategies/can_end.h"

#include <stdlib.h>
#include <string.h>

#include "core/owned.h"

/* Room for one set more. */
static bool make_room(sp_can_end *c)
{
    bool is_whole = true;
    if (c->n < c->capacity)
        return true;
    const int64_t capacity = c->capacity > 0 ? 2 * c->capacity : 64;
    c->sets = sp_grown(c->sets, capacity, sizeof *c->sets, &is_whole);
    c->capacity = is_whole ? capacity : c->capacity;
    return is_whole;
}

static uint8_t *new_set(sp_can_end *c)
{
    uint8_t *set = make_room(c) ? malloc((size_t)c->chain->n_states) : NULL;
    if (set)
        c->sets[c->n++] = set;
    return set;
}

bool sp_can_end_init(sp_can_end *c, const sp_chain *chain, uint8_t *last)
{
    *c = (sp_can_end){.chain = chain, .first = -1};
    if (!make_room(c))
        return false;
    c->sets[c->n++] = last;
    return true;
}

void sp_can_end_clear(sp_can_end *c)
{
    for (int64_t n = 0; n < c->n; n++)
        free(c->sets[n]);
    free(c->sets);
    *c = (sp_can_end){.chain = NULL};
}

/* The next set, unless it is one that there is already. */
static bool add_set(sp_can_end *c)
{
    const sp_chain *chain = c->chain;
    const size_t bytes = (size_t)chain->n_states;
    uint8_t *next = new_set(c);
    if (!next)
        return false;
    const uint8_t *before = c->sets[c->n - 2];
    for (int32_t i = 0; i < chain->n_states; i++) {
        next[i] = 0;
        for (int64_t s = chain->succ_row[i]; s < chain->succ_row[i + 1] && !next[i]; s++)
            next[i] = before[chain->succ[s]];
    }
    for (int64_t n = c->n - 2; n >= 0 && c->first < 0; n--)
        if (memcmp(c->sets[n], next, bytes) == 0)
            c->first = n;
    if (c->first >= 0)
        free(c->sets[--c->n]);
    return true;
}

const uint8_t *sp_can_end_in(sp_can_end *c, int64_t remaining)
{
    while (remaining >= c->n && c->first < 0)
        if (!add_set(c))
            return NULL;
    if (remaining >= c->n)
        remaining = c->first + (remaining - c->first) % (c->n - c->first);
    return c->sets[remaining];
}
