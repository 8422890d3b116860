#include "evaluate/counts/stretches.h"

#include <string.h>

/* differs[i]: step first + i is not as the one before; n steps, first > 0. */
static void mark_changes(const int32_t *side, int64_t n, uint8_t *differs)
{
    for (int64_t i = 0; i < n; i++)
        differs[i] |= side[i] != side[i - 1];
}

static void mark_gaps(const int64_t *segments, int64_t n, uint8_t *differs)
{
    for (int64_t i = 0; i < n; i++)
        differs[i] |= segments[i] != segments[i - 1];
}

uint64_t sp_stretch_look(const sp_stretch *s)
{
    const int64_t first = s->seen > 0 ? s->seen : 1,
                  end = s->seen + 64 < s->n_steps ? s->seen + 64 : s->n_steps;
    uint8_t differs[64] = {0}, *at = differs + (first - s->seen);
    uint64_t marks = 0;
    for (int i = 0; i < s->n_sides; i++)
        mark_changes(s->sides[i] + first, end - first, at);
    if (s->segments)
        mark_gaps(s->segments + first, end - first, at);
    for (size_t i = 0; i < 8; i++) { /* eight bytes of 0 or 1 to eight bits */
        uint64_t bytes;
        memcpy(&bytes, differs + 8 * i, sizeof bytes);
        marks |= (bytes * UINT64_C(0x0102040810204080) >> 56) << 8 * i;
    }
    return marks;
}
