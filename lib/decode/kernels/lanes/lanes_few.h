/* Body: Viterbi steps of up to five classes in lanes. Included after lanes_vector.h, before lanes_viterbi.h.
 *
 * What lane_step() does, but the deltas of two vectors of lanes stay in registers from step to step. Which class may precede
 * which is asked by branches, one for each pair: as they go the same way at every step they cost next to nothing.
 */

/* What lanes are at. */
typedef struct lane_tile {
    const void *scores; /* [TILE*K,L] */
    int64_t step;       /* of the tile */
    lane_ahead ahead;   /* what is to be asked for by the end of it */
} lane_tile;

#define FEW(OP) OP(4) OP(3) OP(2) OP(1) OP(0)

#define FEW_LOAD(i) vd a##i = now[i * G + g], b##i = now[i * G + g + 1];
#define FEW_SAVE(i) (now[i * G + g] = a##i, now[i * G + g + 1] = b##i);

#define FEW_FIRST(i, j)                                                                                      \
    best_a = a##i;                                                                                           \
    best_b = b##i;                                                                                           \
    if (has_weights) {                                                                                       \
        best_a += spread(r->few_weight[j][i]);                                                               \
        best_b += spread(r->few_weight[j][i]);                                                               \
    }                                                                                                        \
    code_a = code_b = spread_i(i);
#define FEW_OFFER(i, j)                                                                                      \
    if (from & 1U << i) {                                                                                    \
        vd offer_a = a##i, offer_b = b##i;                                                                   \
        if (has_weights) {                                                                                   \
            offer_a += spread(r->few_weight[j][i]);                                                          \
            offer_b += spread(r->few_weight[j][i]);                                                          \
        }                                                                                                    \
        vi is_better_a = (vi)(offer_a > best_a), is_better_b = (vi)(offer_b > best_b);                       \
        best_a = PICK(vd, is_better_a, offer_a, best_a);                                                     \
        best_b = PICK(vd, is_better_b, offer_b, best_b);                                                     \
        code_a = PICK(vi, is_better_a, spread_i(i), code_a);                                                 \
        code_b = PICK(vi, is_better_b, spread_i(i), code_b);                                                 \
    }

/* Class j, from 4 down to 0, so that the choice of class 0 stands in the lowest bits. */
#define FEW_CLASS(j)                                                                                         \
    vd x##j = a##j, y##j = b##j;                                                                             \
    if (j < K) {                                                                                             \
        uint32_t from = r->few_from[j];                                                                      \
        vd best_a, best_b;                                                                                   \
        vi code_a, code_b;                                                                                   \
        if (from & 1) {                                                                                      \
            FEW_FIRST(0, j)                                                                                  \
            FEW_OFFER(1, j)                                                                                  \
            FEW_OFFER(2, j)                                                                                  \
            FEW_OFFER(3, j)                                                                                  \
            FEW_OFFER(4, j)                                                                                  \
        } else if (from & 2) {                                                                               \
            FEW_FIRST(1, j)                                                                                  \
            FEW_OFFER(2, j)                                                                                  \
            FEW_OFFER(3, j)                                                                                  \
            FEW_OFFER(4, j)                                                                                  \
        } else if (from & 4) {                                                                               \
            FEW_FIRST(2, j)                                                                                  \
            FEW_OFFER(3, j)                                                                                  \
            FEW_OFFER(4, j)                                                                                  \
        } else if (from & 8) {                                                                               \
            FEW_FIRST(3, j)                                                                                  \
            FEW_OFFER(4, j)                                                                                  \
        } else {                                                                                             \
            FEW_FIRST(4, j)                                                                                  \
        }                                                                                                    \
        x##j = best_a + tile_vector(G, dtype, tile, m + j, g);                                               \
        y##j = best_b + tile_vector(G, dtype, tile, m + j, g + 1);                                           \
        word_a = word_a << 3 | code_a;                                                                       \
        word_b = word_b << 3 | code_b;                                                                       \
    }
#define FEW_NEXT(j) (a##j = x##j, b##j = y##j);

/* As lane_steps(). */
SP_ALWAYS_INLINE void few_steps(const sp_lane_rules *r, sp_dtype dtype, bool has_weights, vd *now,
                                const lane_tile *at, int64_t n, vi *words)
{
    const int32_t K = r->n_classes;
    const void *tile = at->scores;
    for (int g = 0; g < G; g += 2) {
        size_t m = (size_t)at->step * (size_t)K;
        FEW(FEW_LOAD)
        for (int64_t s = 0; s < n; s++, m += (size_t)K) {
            ask_ahead(&at->ahead, 2 * (at->step + s) + g / 2);
            vi word_a = {0}, word_b = {0};
            FEW(FEW_CLASS)
            FEW(FEW_NEXT)
            vi both = word_a | word_b << 16;
            if (g == 0)
                words[s] = both;
            else
                words[s] |= both << 32;
        }
        FEW(FEW_SAVE)
    }
}

/* Every kind its own code, once. */
#define FEW_KIND(name, dtype, has_weights)                                                                   \
    __attribute__((noinline)) static void name(const sp_lane_rules *r, vd *now, const lane_tile *at,         \
                                               int64_t n, vi *words)                                         \
    {                                                                                                        \
        few_steps(r, dtype, has_weights, now, at, n, words);                                                 \
    }
FEW_KIND(few_f32, SP_F32, false)
FEW_KIND(few_f32_weighted, SP_F32, true)
FEW_KIND(few_f64, SP_F64, false)
FEW_KIND(few_f64_weighted, SP_F64, true)
