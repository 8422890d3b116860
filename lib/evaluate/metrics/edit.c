/* Levenshtein distance of two sequences of runs, 64 rows of the table at a time.
 *
 * The table D[i,j] (edits from the first i of the pattern to the first j of the text) changes by -1, 0 or 1 between neighbours,
 * so a column is kept as two bit vectors, P (one more than the row above) and M (one less). For each symbol of the text and each
 * block of 64 rows, with Eq the rows whose symbol matches and h the change that enters from the block above:
 *     Xv = Eq | M;  Xh = (((Eq' & P) + P) ^ P) | Eq',  Eq' = Eq with bit 0 set when h = -1
 *     Ph = M | ~(Xh | P);  Mh = P & Xh                   the changes along the rows
 *     P = Mh << 1 | ~(Xv | Ph << 1);  M = Ph << 1 & Xv    h shifted in
 * Row 0 grows by one with each symbol: h = 1 enters the first block. The distance starts at m and follows the last row.
 * Source  Myers 1999, doi:10.1145/316542.316550; Hyyro 2003. */
#include "evaluate/metrics/edit.h"

#include "core/owned.h"

#include <math.h>

typedef struct block {
    uint64_t plus, minus;
} block;

/* One symbol through one block. `bottom` is the bit of the row whose change is returned. */
static int advance(block *b, uint64_t equal, int h, uint64_t bottom)
{
    uint64_t vertical = equal | b->minus;
    equal |= h < 0;
    uint64_t horizontal = (((equal & b->plus) + b->plus) ^ b->plus) | equal;
    uint64_t plus = b->minus | ~(horizontal | b->plus), minus = b->plus & horizontal;
    int out = (plus & bottom) ? 1 : (minus & bottom) ? -1 : 0;
    plus = plus << 1 | (h > 0);
    minus = minus << 1 | (h < 0);
    b->plus = minus | ~(vertical | plus);
    b->minus = plus & vertical;
    return out;
}

/* Where each symbol of the pattern stands: match[slot, block]; slot_of [K] -1 for symbols that the pattern has not. */
static int64_t count_symbols(int32_t K, int64_t m, const int32_t *pattern, int32_t *slot_of)
{
    int32_t n = 0;
    for (int32_t k = 0; k < K; k++)
        slot_of[k] = -1;
    for (int64_t i = 0; i < m; i++)
        if (slot_of[pattern[i]] < 0)
            slot_of[pattern[i]] = n++;
    return n;
}

static int64_t distance_of(int64_t m, int64_t n, const int32_t *text, const int32_t *slot_of,
                           const uint64_t *match, block *blocks)
{
    int64_t n_blocks = (m + 63) / 64, distance = m;
    uint64_t high = UINT64_C(1) << 63, last = UINT64_C(1) << ((m - 1) % 64);
    for (int64_t b = 0; b < n_blocks; b++)
        blocks[b] = (block){UINT64_MAX, 0};
    for (int64_t j = 0; j < n; j++) {
        int32_t slot = slot_of[text[j]];
        const uint64_t *equal = slot < 0 ? NULL : match + (size_t)slot * (size_t)n_blocks;
        int h = 1;
        for (int64_t b = 0; b < n_blocks; b++)
            h = advance(&blocks[b], equal ? equal[b] : 0, h, b + 1 < n_blocks ? high : last);
        distance += h;
    }
    return distance;
}

sp_status sp_edit_distance(int32_t K, int64_t m, const int32_t *a, int64_t n, const int32_t *b,
                           int64_t *distance, sp_error *err)
{
    /* What both share at the ends costs nothing. */
    while (m > 0 && n > 0 && a[0] == b[0])
        a++, b++, m--, n--;
    while (m > 0 && n > 0 && a[m - 1] == b[n - 1])
        m--, n--;
    if (m > n) { /* the pattern is the shorter one */
        const int32_t *classes = a;
        int64_t length = m;
        a = b;
        m = n;
        b = classes;
        n = length;
    }
    if (m == 0) {
        *distance = n;
        return SP_OK;
    }
    size_t n_blocks = (size_t)(m + 63) / 64;
    sp_owned own = {0};
    int32_t *slot_of = sp_zeros(&own, (size_t)K, sizeof *slot_of);
    block *blocks = sp_zeros(&own, n_blocks, sizeof *blocks);
    uint64_t *match =
        blocks ? sp_zeros(&own, (size_t)count_symbols(K, m, a, slot_of), n_blocks * sizeof *match) : NULL;
    for (int64_t i = 0; match && i < m; i++)
        match[(size_t)slot_of[a[i]] * n_blocks + (size_t)(i / 64)] |= UINT64_C(1) << (i % 64);
    if (match)
        *distance = distance_of(m, n, b, slot_of, match, blocks);
    sp_status status = sp_owned_status(&own, err);
    sp_owned_free(&own);
    return status;
}

sp_status sp_edit_score(int32_t K, int64_t m, const int32_t *a, int64_t n, const int32_t *b, double *score,
                        sp_error *err)
{
    static const int64_t most_cells = INT64_C(1) << 32;
    const int64_t longer = m > n ? m : n;
    int64_t distance = 0;
    *score = NAN;
    if (longer == 0 || (m > 0 && n > most_cells / m))
        return SP_OK;
    const sp_status status = sp_edit_distance(K, m, a, n, b, &distance, err);
    *score = 1 - (double)distance / (double)longer;
    return status;
}
