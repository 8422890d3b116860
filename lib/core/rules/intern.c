#include "core/rules/intern.h"

#include <stdlib.h>
#include <string.h>

#include "core/owned.h"

static uint64_t hash_of(const char *key, size_t size) /* FNV-1a, mixed */
{
    uint64_t h = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < size; i++)
        h = (h ^ (unsigned char)key[i]) * UINT64_C(1099511628211);
    return h ^ h >> 29;
}

/* The slot of a key, or the free one where it belongs. */
static int32_t *slot_of(const sp_intern *t, const char *key, size_t size)
{
    for (uint64_t at = hash_of(key, size);; at++) {
        int32_t *slot = &t->slots[at & (uint64_t)(t->n_slots - 1)];
        if (*slot < 0 || (t->begin[*slot + 1] - t->begin[*slot] == size &&
                          memcmp(t->bytes + t->begin[*slot], key, size) == 0))
            return slot;
    }
}

static bool make_room(sp_intern *t, size_t size)
{
    bool is_whole = true;
    if (t->n + 1 >= t->room) {
        t->room = t->room > 0 ? 2 * t->room : 64;
        t->begin = sp_grown(t->begin, t->room + 1, sizeof *t->begin, &is_whole);
        free(t->slots);
        t->n_slots = 4 * (int64_t)t->room;
        t->slots = is_whole ? malloc((size_t)t->n_slots * sizeof *t->slots) : NULL;
        if (!t->slots)
            return false;
        memset(t->slots, -1, (size_t)t->n_slots * sizeof *t->slots);
        t->begin[0] = 0;
        for (int32_t i = 0; i < t->n; i++)
            *slot_of(t, t->bytes + t->begin[i], t->begin[i + 1] - t->begin[i]) = i;
    }
    if (!t->bytes || t->n_bytes + size > t->byte_room) {
        t->byte_room = 2 * (t->byte_room + size) + 256;
        t->bytes = sp_grown(t->bytes, (int64_t)t->byte_room, 1, &is_whole);
    }
    return is_whole;
}

int32_t sp_intern_add(sp_intern *t, const void *key, size_t size)
{
    if (t->is_short || !make_room(t, size)) {
        t->is_short = true;
        return -1;
    }
    int32_t *slot = slot_of(t, key, size);
    if (*slot >= 0)
        return *slot;
    memcpy(t->bytes + t->n_bytes, key, size);
    t->n_bytes += size;
    t->begin[t->n + 1] = t->n_bytes;
    return *slot = t->n++;
}

const void *sp_intern_key(const sp_intern *t, int32_t number, size_t *size)
{
    *size = t->begin[number + 1] - t->begin[number];
    return t->bytes + t->begin[number];
}

void sp_intern_clear(sp_intern *t)
{
    free(t->begin);
    free(t->bytes);
    free(t->slots);
    *t = (sp_intern){0};
}
