#include "decode/scratch.h"

#include <stdint.h>
#include <stdlib.h>

struct sp_scratch {
    void *slot[SP_SCRATCH_SLOTS];
    size_t capacity[SP_SCRATCH_SLOTS];
};

sp_scratch *sp_scratch_new(void)
{
    return calloc(1, sizeof(sp_scratch));
}

void sp_scratch_free(sp_scratch *scratch)
{
    if (!scratch)
        return;
    for (int i = 0; i < SP_SCRATCH_SLOTS; i++)
        free(scratch->slot[i]);
    free(scratch);
}

void *sp_scratch_get(sp_scratch *scratch, int slot, size_t count, size_t size)
{
    if (size && count > (SIZE_MAX - 64) / size)
        return NULL;
    size_t need = (count * size + 63) / 64 * 64;
    if (need == 0)
        need = 64;
    if (need > scratch->capacity[slot]) {
        void *fresh = aligned_alloc(64, need);
        if (!fresh)
            return NULL;
        free(scratch->slot[slot]);
        scratch->slot[slot] = fresh;
        scratch->capacity[slot] = need;
    }
    return scratch->slot[slot];
}
