#include "decode/strategies/backpointers.h"

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
