#include "decode/strategies/history.h"

#include <string.h>

bool sp_backpointers_init(sp_backpointers *back, const sp_chain *chain, int64_t n_steps, sp_scratch *scratch)
{
    back->n_steps = (size_t)n_steps;
    back->n_states = (size_t)chain->n_states;
    back->size = chain->n_states <= 256 ? 1 : chain->n_states <= 65536 ? 2 : 4;
    back->data = NULL;
    if (back->n_steps > SIZE_MAX / back->n_states)
        return false;
    back->data = sp_scratch_get(scratch, back->n_steps * back->n_states, (size_t)back->size);
    return back->data != NULL;
}

void sp_backpointers_put(const sp_backpointers *back, int64_t t, const int32_t *from)
{
    size_t n = back->n_states, first = (size_t)t * n;
    if (back->size == 1) {
        uint8_t *row = (uint8_t *)back->data + first;
        for (size_t j = 0; j < n; j++)
            row[j] = (uint8_t)from[j];
    } else if (back->size == 2) {
        uint16_t *row = (uint16_t *)back->data + first;
        for (size_t j = 0; j < n; j++)
            row[j] = (uint16_t)from[j];
    } else {
        memcpy((int32_t *)back->data + first, from, n * sizeof *from);
    }
}

void sp_backpointers_trace(const sp_backpointers *back, int32_t last, int32_t *states)
{
    int32_t state = last;
    for (int64_t t = (int64_t)back->n_steps - 1; t >= 0; t--) {
        states[t] = state;
        if (t > 0)
            state = sp_backpointers_get(back, t, state);
    }
}

void sp_states_to_classes(const sp_chain *chain, int64_t n_steps, const int32_t *states, int32_t *classes)
{
    for (int64_t t = 0; t < n_steps; t++)
        classes[t] = chain->state_class[states[t]];
}

bool sp_tie_ranks_init(sp_tie_ranks *ranks, const sp_chain *chain, sp_scratch *scratch)
{
    *ranks = (sp_tie_ranks){.rank = chain->state_class};
    if (chain->is_plain)
        return true;
    size_t n = (size_t)chain->n_states, n_classes = (size_t)chain->n_classes;
    ranks->n_keys = chain->n_states > chain->n_classes ? chain->n_states
                                                       : chain->n_classes; /* some class may have no state */
    int32_t *room = sp_scratch_get(scratch, 4 * n + (size_t)ranks->n_keys + 1 + n_classes, sizeof *room);
    if (!room)
        return false;
    ranks->values = room;
    ranks->key = room + n;
    ranks->by_key = room + 2 * n;
    ranks->sorted = room + 3 * n;
    ranks->cursor = room + 4 * n;
    ranks->count = ranks->cursor + n_classes;
    return true;
}

void sp_tie_ranks_step(sp_tie_ranks *ranks, const sp_chain *chain, const int32_t *from)
{
    if (chain->is_plain)
        return;
    int32_t n = chain->n_states, *count = ranks->count, *cursor = ranks->cursor;

    /* By key: count, sum up, place. */
    memset(count, 0, ((size_t)ranks->n_keys + 1) * sizeof *count);
    for (int32_t j = 0; j < n; j++) {
        ranks->key[j] = ranks->rank[from[j]];
        count[ranks->key[j] + 1]++;
    }
    for (int32_t r = 0; r < ranks->n_keys; r++)
        count[r + 1] += count[r];
    for (int32_t j = 0; j < n; j++)
        ranks->by_key[count[ranks->key[j]]++] = j;

    /* By class, stable. The states of a class stand together already, so its place is known. */
    memcpy(cursor, chain->class_first, (size_t)chain->n_classes * sizeof *cursor);
    for (int32_t n_placed = 0; n_placed < n; n_placed++) {
        int32_t j = ranks->by_key[n_placed];
        ranks->sorted[cursor[chain->state_class[j]]++] = j;
    }

    /* Equal class and key: equal history, equal rank. */
    int32_t rank = 0;
    for (int32_t r = 0; r < n; r++) {
        int32_t j = ranks->sorted[r], before = ranks->sorted[r > 0 ? r - 1 : 0];
        if (chain->state_class[j] != chain->state_class[before] || ranks->key[j] != ranks->key[before])
            rank++;
        ranks->values[j] = rank;
    }
    ranks->rank = ranks->values;
}
