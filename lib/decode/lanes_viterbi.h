/* Body: Viterbi in lanes. Included after lanes_vector.h.
 *
 *     delta[0,j] = start[j] + e[0,j]
 *     delta[t,j] = max_i (delta[t-1,i] + log_trans[i,j]) + e[t,j]        in every lane
 *
 * A word holds the back-pointers of all classes at a step; they are or-ed together from constants, so nothing is packed.
 */

enum { MOST = SP_LANES_MOST_CLASSES };

/* One step: now[K,L] and the tile's rows of this step, starting at row m, to next[K,L] and words[L]. */
LANE_FN void lane_step(const sp_lane_rules *r, sp_dtype dtype, int32_t word_size, bool has_weights, const vd *now, vd *next,
                       const void *tile, size_t m, char *words)
{
#define DECLARE(g) vi word##g = {0};
    EACH(DECLARE)
    for (int32_t j = 0; j < r->n_classes; j++) {
        int32_t p = r->row[j], end = r->row[j + 1];
        const vd *before = now + (ptrdiff_t)r->from[p] * G;
        vd weight = spread(has_weights ? r->weight[p] : 0);
#define FIRST(g)                                                                                                                 \
    vd best##g = before[g];                                                                                                      \
    if (has_weights)                                                                                                             \
        best##g += weight;                                                                                                       \
    vi code##g = spread_i(r->code[p]);
        EACH(FIRST)
        for (p++; p < end; p++) {
            vi code = spread_i(r->code[p]);
            before = now + (ptrdiff_t)r->from[p] * G;
            weight = spread(has_weights ? r->weight[p] : 0);
#define OFFER(g)                                                                                                                 \
    {                                                                                                                            \
        vd candidate = before[g];                                                                                                \
        if (has_weights)                                                                                                         \
            candidate += weight;                                                                                                 \
        vi is_better = (vi)(candidate > best##g);                                                                                \
        best##g = PICK(vd, is_better, candidate, best##g);                                                                       \
        code##g = PICK(vi, is_better, code, code##g);                                                                            \
    }
            EACH(OFFER)
        }
#define FINISH(g)                                                                                                                \
    next[j * G + g] = best##g + tile_at(dtype, tile, m + (size_t)j, g);                                                          \
    word##g |= code##g;
        EACH(FINISH)
    }
    if (word_size == 2) {
#define STORE2(g) ((vu16 *)words)[g] = __builtin_convertvector((vu64)word##g, vu16);
        EACH(STORE2)
    } else if (word_size == 4) {
#define STORE4(g) ((vu32 *)words)[g] = __builtin_convertvector((vu64)word##g, vu32);
        EACH(STORE4)
    } else {
#define STORE8(g) ((vi *)words)[g] = word##g;
        EACH(STORE8)
    }
}

/* The first of the best classes of a lane, end weights added; its score to *best. */
LANE_FN int32_t lane_best(const sp_lane_rules *r, const double *now, int32_t lane, double *best)
{
    int32_t state = 0;
    *best = -INFINITY;
    for (int32_t j = 0; j < r->n_classes; j++) {
        double value = now[j * L + lane] + r->end[j];
        if (value > *best) {
            *best = value;
            state = j;
        }
    }
    return state;
}

/* Fills group->words and score, and last[L] with the class of each lane's last step. */
LANE_FN void lanes_forward(sp_lane_group *group, sp_dtype dtype, int32_t word_size, bool has_weights, int32_t *last)
{
    const sp_lane_rules *r = group->rules;
    _Alignas(64) double delta[2][MOST * L];
    _Alignas(64) char tile[SP_LANES_TILE * MOST * L * sizeof(double)];
    double *now = delta[0], *next = delta[1];
    size_t K = (size_t)r->n_classes;
    int32_t ending = group->n_lanes - 1;
    char *words = group->words;
    for (int64_t t = 0; t < group->length[0]; t++, words += word_size * L) {
        size_t m = (size_t)(t % SP_LANES_TILE) * K;
        if (m == 0)
            gather_tile(dtype, group->rows, (size_t)t * K, SP_LANES_TILE * K, tile);
        if (t == 0)
            for (size_t j = 0; j < K; j++)
                for (size_t g = 0; g < G; g++)
                    ((vd *)next)[j * G + g] = spread(r->start[j]) + tile_at(dtype, tile, j, g);
        else
            lane_step(r, dtype, word_size, has_weights, (vd *)now, (vd *)next, tile, m, words);
        double *before = now;
        now = next;
        next = before;
        for (; ending >= 0 && group->length[ending] == t + 1; ending--)
            last[ending] = lane_best(r, now, ending, &group->score[ending]);
    }
}

/* block[TILE,L] holds the classes of steps first .. first+TILE-1. */
LANE_FN void lanes_write(const sp_lane_group *group, const int32_t *block, int64_t first)
{
    for (int32_t lane = 0; lane < group->n_lanes; lane += P32) {
        if (group->length[lane + P32 - 1] >= first + SP_LANES_TILE) {
            for (int32_t s = 0; s < SP_LANES_TILE; s += P32)
                scatter32(block + s * L + lane, L, group->path + lane, first + s);
            continue;
        }
        for (int32_t l = lane; l < lane + P32; l++)
            for (int64_t t = first; t < first + SP_LANES_TILE && t < group->length[l]; t++)
                group->path[l][t] = block[(t - first) * L + l];
    }
}

/* The states before `state`, given the words of its step. */
LANE_FN void lanes_back(int32_t word_size, const char *words, int32_t *state)
{
    for (int g = 0; g < G; g++) {
        vu32 s = ((vu32 *)state)[g];
        if (word_size == 2)
            s = (__builtin_convertvector(((const vu16 *)words)[g], vu32) >> (s + (s << 1))) & 7;
        else if (word_size == 4)
            s = (((const vu32 *)words)[g] >> (s << 2)) & 15;
        else
            s = __builtin_convertvector((((const vu64 *)words)[g] >> (__builtin_convertvector(s, vu64) << 2)) & 15, vu32);
        ((vu32 *)state)[g] = s;
    }
}

LANE_FN void lanes_trace(const sp_lane_group *group, int32_t word_size, const int32_t *last)
{
    _Alignas(64) int32_t state[L] = {0}, block[SP_LANES_TILE * L];
    int32_t n_begun = 0;
    for (int64_t t = group->length[0] - 1; t >= 0; t--) {
        for (; n_begun < group->n_lanes && group->length[n_begun] == t + 1; n_begun++)
            state[n_begun] = last[n_begun];
        int64_t s = t % SP_LANES_TILE;
        for (int g = 0; g < G; g++)
            ((vu32 *)block)[s * G + g] = ((vu32 *)state)[g];
        if (s == 0)
            lanes_write(group, block, t);
        if (t > 0)
            lanes_back(word_size, (const char *)group->words + t * word_size * L, state);
    }
}

LANE_FN void lanes_viterbi(sp_lane_group *group, sp_dtype dtype, int32_t word_size, bool has_weights)
{
    int32_t last[L] = {0};
    lanes_forward(group, dtype, word_size, has_weights, last);
    lanes_trace(group, word_size, last);
}

/* Every kind its own code. */
LANE_TARGET static void lanes_viterbi_any(sp_lane_group *group)
{
    const sp_lane_rules *r = group->rules;
#define KIND(dtype_, size, weights)                                                                                              \
    if (group->dtype == dtype_ && r->word_size == size && r->has_weights == weights)                                             \
        lanes_viterbi(group, dtype_, size, weights);
#define SIZES(dtype_, weights) KIND(dtype_, 2, weights) KIND(dtype_, 4, weights) KIND(dtype_, 8, weights)
    SIZES(SP_F32, false)
    SIZES(SP_F32, true)
    SIZES(SP_F64, false)
    SIZES(SP_F64, true)
}
