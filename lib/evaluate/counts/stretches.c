#include "evaluate/counts/stretches.h"

#include <string.h>

/* Which of the 64 steps from `first` on are not as the step before, on any side or in their segment: bit i of
 * step first + i. Step 0 is as the one before. */
static uint64_t find_changes(int64_t first, int64_t n_steps, const int64_t *segments, int32_t n_sides,
                             const int32_t *const *sides)
{
    const int64_t from = first > 0 ? 0 : 1, n = n_steps - first < 64 ? n_steps - first : 64;
    uint32_t differs[64] = {0};
    for (int32_t i = 0; i < n_sides; i++) {
        const int32_t *side = sides[i] + first;
        for (int64_t t = from; t < n; t++)
            differs[t] |= (uint32_t)(side[t] ^ side[t - 1]);
    }
    for (int64_t t = from; segments && t < n; t++)
        differs[t] |= segments[first + t] != segments[first + t - 1];
    uint8_t is[64];
    for (int i = 0; i < 64; i++)
        is[i] = differs[i] != 0;
    uint64_t changes = 0;
    for (size_t i = 0; i < 8; i++) { /* eight bytes of 0 or 1 to eight bits */
        uint64_t bytes;
        memcpy(&bytes, is + 8 * i, sizeof bytes);
        changes |= (bytes * UINT64_C(0x0102040810204080) >> 56) << 8 * i;
    }
    return changes;
}

static int64_t first_of(uint64_t changes)
{
    return __builtin_ctzll(changes);
}

void sp_stretches_cut(int64_t n_steps, const int64_t *segments, int32_t n_sides, const int32_t *const *sides,
                      int64_t *ends)
{
    for (int64_t t = 0; t < n_steps; t += 64)
        for (uint64_t changes = find_changes(t, n_steps, segments, n_sides, sides); changes;
             changes &= changes - 1)
            *ends++ = t + first_of(changes);
    if (n_steps > 0)
        *ends = n_steps;
}

int64_t sp_stretch_look(sp_stretch *s)
{
    for (; s->changes == 0 && s->seen < s->n_steps; s->seen += 64)
        s->changes = find_changes(s->seen, s->n_steps, s->segments, s->sides[1] ? 2 : 1, s->sides);
    if (s->changes == 0)
        return s->n_steps;
    const int64_t end = s->seen - 64 + first_of(s->changes);
    s->changes &= s->changes - 1;
    return end;
}
