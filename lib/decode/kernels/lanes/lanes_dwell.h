/* Body: Viterbi of chains with minimum dwells in lanes, see dwell.h. Included after lanes_viterbi.h. */

enum { DWELL_RINGS = SP_DWELL_MOST_STATES };

/* What goes on from step to step. */
typedef struct dwell_lanes {
    _Alignas(64) double last[2][SP_DWELL_MOST_CLASSES * L]; /* delta of the last states, in turn */
    _Alignas(64) double ring[DWELL_RINGS * L];              /* delta of the others */
    _Alignas(64) char tile[sizeof(double) * SP_LANES_TILE * MOST * L];
    int32_t oldest[SP_DWELL_MOST_CLASSES]; /* place in each ring: state dwell-1 of the step before */
    double *now, *next;
} dwell_lanes;

/* The choices of a step, one word for each lane, as lane_step() lays them out. */
SP_ALWAYS_INLINE void put_words(int32_t word_size, vi word0, vi word1, vi word2, vi word3, vi *words)
{
    if (word_size == 2) {
        words[0] = (word0 | word1 << 16) | (word2 << 32 | word3 << 48);
    } else if (word_size == 4) {
        words[0] = word0 | word1 << 32;
        words[1] = word2 | word3 << 32;
    } else {
        words[0] = word0;
        words[1] = word1;
        words[2] = word2;
        words[3] = word3;
    }
}

SP_ALWAYS_INLINE void dwell_start(const sp_dwell_rules *r, sp_dtype dtype, dwell_lanes *d)
{
    for (int32_t i = 0; i < DWELL_RINGS * L; i++)
        d->ring[i] = -INFINITY;
    for (int32_t j = 0; j < r->n_classes; j++) {
        vd *out = (vd *)d->next + (size_t)j * G, *ring = (vd *)d->ring + (size_t)r->ring[j] * G, e[G];
        d->oldest[j] = r->dwell[j] > 2;
        for (int pair = 0; pair < G / 2; pair++)
            tile_pair(G, dtype, d->tile, (size_t)j, pair, &e[2 * (size_t)pair], &e[2 * pair + 1]);
        for (int g = 0; g < G; g++) {
            vd value = spread(r->start[j]) + e[g];
            out[g] = r->dwell[j] == 1 ? value : spread(-INFINITY);
            if (r->dwell[j] > 1)
                ring[g] = value;
        }
    }
}

/* One step, the rows of the tile from m on. */
SP_ALWAYS_INLINE void dwell_step(const sp_dwell_rules *r, sp_dtype dtype, int32_t word_size, bool has_weights,
                                 dwell_lanes *d, size_t m, vi *words)
{
    const vd *now = (const vd *)d->now;
    vd *next = (vd *)d->next;
#define DECLARE_DWELL(g) vi word##g = {0};
    EACH(DECLARE_DWELL)
    for (int32_t j = 0; j < r->n_classes; j++) {
        int32_t p = r->row[j], end = r->row[j + 1], dwell = r->dwell[j], shift = j * (r->from_bits + 1);
        const vd *before = now + (ptrdiff_t)r->from[p] * G;
        vd weight = spread(has_weights ? r->weight[p] : 0);
#define ENTER_FIRST(g)                                                                                       \
    vd best##g = before[g];                                                                                  \
    if (has_weights)                                                                                         \
        best##g += weight;                                                                                   \
    vi code##g = spread_i(r->code[p]);
        EACH(ENTER_FIRST)
        for (p++; p < end; p++) {
            vi code = spread_i(r->code[p]);
            before = now + (ptrdiff_t)r->from[p] * G;
            weight = spread(has_weights ? r->weight[p] : 0);
            EACH(OFFER)
        }
        vd e0, e1, e2, e3;
        tile_pair(G, dtype, d->tile, m + (size_t)j, 0, &e0, &e1);
        tile_pair(G, dtype, d->tile, m + (size_t)j, 1, &e2, &e3);
#define ENTER(g)                                                                                             \
    best##g += e##g;                                                                                         \
    word##g |= code##g;
        EACH(ENTER)
        if (dwell == 1) {
#define ALONE(g) next[j * G + g] = best##g;
            EACH(ALONE)
            continue;
        }
        vd *ring = (vd *)d->ring + (size_t)r->ring[j] * G, *oldest = ring + (size_t)d->oldest[j] * G,
           stay = spread(r->stay[j]);
        const vi by_row = spread_i(INT64_C(1) << (shift + r->from_bits));
#define LEAVE_ROW(g)                                                                                         \
    {                                                                                                        \
        vd arrives = oldest[g], stays = now[j * G + g];                                                      \
        if (has_weights) {                                                                                   \
            arrives += stay;                                                                                 \
            stays += stay;                                                                                   \
        }                                                                                                    \
        vi is_arrival = (vi)(arrives >= stays);                                                              \
        next[j * G + g] = PICK(vd, is_arrival, arrives, stays) + e##g;                                       \
        word##g |= is_arrival & by_row;                                                                      \
    }
        EACH(LEAVE_ROW)
        for (int32_t k = 0; k < dwell - 1; k++) {
#define MOVE_ON(g)                                                                                           \
    {                                                                                                        \
        vd moved = ring[k * G + g];                                                                          \
        if (has_weights)                                                                                     \
            moved += stay;                                                                                   \
        ring[k * G + g] = moved + e##g;                                                                      \
    }
            EACH(MOVE_ON)
        }
#define PUT_IN(g) oldest[g] = best##g;
        EACH(PUT_IN)
        d->oldest[j] = d->oldest[j] + 1 < dwell - 1 ? d->oldest[j] + 1 : 0;
    }
    put_words(word_size, word0, word1, word2, word3, words);
}

/* The best state of a lane after a step that is not the first of all, end weights added; the lowest among
 * equals. */
SP_ALWAYS_INLINE lane_state dwell_best(const sp_dwell_rules *r, const dwell_lanes *d, int32_t lane,
                                       double *score)
{
    lane_state best = {0, 1};
    *score = -INFINITY;
    for (int32_t j = 0; j < r->n_classes; j++) {
        int32_t n = r->dwell[j] - 1;
        for (int32_t place = 1; place <= n + 1; place++) {
            /* The newest stands before the place of the oldest. */
            int32_t at = n > 0 ? r->ring[j] + (d->oldest[j] - place + 2 * n) % n : 0;
            double value =
                place > n ? d->now[j * L + lane] + r->end[j] : d->ring[at * L + lane] + r->end_early[j];
            if (value > *score) {
                *score = value;
                best = (lane_state){j, place};
            }
        }
    }
    return best;
}

SP_ALWAYS_INLINE void dwell_forward(sp_lane_group *group, sp_dtype dtype, int32_t word_size, bool has_weights,
                                    lane_state *last)
{
    const sp_dwell_rules *r = group->dwell;
    dwell_lanes d;
    size_t K = (size_t)r->n_classes;
    int32_t ending = group->n_lanes - 1;
    char *words = group->words;
    d.now = d.last[0];
    d.next = d.last[1];
    for (int64_t t = 0; t < group->length[0]; t++, words += (size_t)word_size * L) {
        size_t m = (size_t)(t % SP_LANES_TILE) * K;
        if (m == 0)
            gather_tile_ahead(L, dtype, group->rows, (size_t)t * K, SP_LANES_TILE * K, d.tile);
        if (t == 0)
            dwell_start(r, dtype, &d);
        else
            dwell_step(r, dtype, word_size, has_weights, &d, m, (vi *)words);
        double *before = d.now;
        d.now = d.next;
        d.next = before;
        for (; ending >= 0 && group->length[ending] == t + 1; ending--) {
            last[ending] = dwell_best(r, &d, ending, &group->score[ending]);
            group->is_left[ending] = group->score[ending] == -INFINITY;
        }
    }
}

/* The dwells of a vector of classes. */
SP_ALWAYS_INLINE vu64 dwell_of(const sp_dwell_rules *r, bool is_wide, vu64 s)
{
    vu64 dwell = (vu64)spread_i((int64_t)r->dwell_bytes[0]) >> ((s << 3) & 63);
    if (is_wide) {
        vi is_high = (vi)(s > 7);
        dwell = PICK(vu64, is_high, (vu64)spread_i((int64_t)r->dwell_bytes[1]) >> ((s << 3) & 63), dwell);
    }
    return dwell & 255;
}

/* As lane_steps_back() says: state[L] classes, place[L] places in them. */
SP_ALWAYS_INLINE void dwell_steps_back(const sp_lane_group *group, int32_t word_size, const char *words,
                                       int64_t n, uint64_t *state, uint64_t *place, void *block)
{
    const sp_dwell_rules *r = group->dwell;
    bool is_wide = word_size == 8;
    uint64_t bits = is_wide ? 4 : 3;
#define LOAD_STATE(g)                                                                                        \
    vu64 s##g = ((vu64 *)state)[g], k##g = ((vu64 *)place)[g], d##g = dwell_of(r, is_wide, s##g);
    EACH(LOAD_STATE)
    for (int64_t t = n - 1; t >= 0; t--) {
        put_classes(s0, s1, s2, s3, block, t);
        const vu64 *at = (const vu64 *)(words + t * word_size * L);
#define BACK_STATE(g)                                                                                        \
    {                                                                                                        \
        vu64 word = word_size == 2   ? at[0] >> (s##g * (bits + 1) + (uint64_t)(16 * g))                     \
                    : word_size == 4 ? at[g / 2] >> (s##g * (bits + 1) + (uint64_t)(32 * (g % 2)))           \
                                     : at[g] >> (s##g * (bits + 1));                                         \
        vi is_first = (vi)(k##g == 1), is_last = (vi)(k##g == d##g);                                         \
        vu64 by_row = word >> bits & 1;                                                                      \
        k##g -= PICK(vu64, is_last, by_row, (vu64)spread_i(1));                                              \
        s##g = PICK(vu64, is_first, word & ((1U << bits) - 1), s##g);                                        \
        d##g = dwell_of(r, is_wide, s##g);                                                                   \
        k##g = PICK(vu64, is_first, d##g, k##g);                                                             \
    }
        EACH(BACK_STATE)
    }
#define SAVE_STATE(g)                                                                                        \
    ((vu64 *)state)[g] = s##g;                                                                               \
    ((vu64 *)place)[g] = k##g;
    EACH(SAVE_STATE)
}

SP_ALWAYS_INLINE void lanes_dwell(sp_lane_group *group, sp_dtype dtype, int32_t word_size, bool has_weights)
{
    lane_state last[L] = {{0, 1}};
    dwell_forward(group, dtype, word_size, has_weights, last);
    lanes_trace(group, word_size, last, dwell_steps_back);
}

/* Every kind its own code. */
static void lanes_dwell_any(sp_lane_group *group)
{
    const sp_dwell_rules *r = group->dwell;
#define DWELL_KIND(dtype_, size, weights)                                                                    \
    if (group->dtype == dtype_ && r->word_size == size && r->has_weights == weights)                         \
        lanes_dwell(group, dtype_, size, weights);
#define DWELL_SIZES(dtype_, weights)                                                                         \
    DWELL_KIND(dtype_, 2, weights) DWELL_KIND(dtype_, 4, weights) DWELL_KIND(dtype_, 8, weights)
    DWELL_SIZES(SP_F32, false)
    DWELL_SIZES(SP_F32, true)
    DWELL_SIZES(SP_F64, false)
    DWELL_SIZES(SP_F64, true)
}
