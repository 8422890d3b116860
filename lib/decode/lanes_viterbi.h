/* Body: Viterbi in lanes. Included after lanes_vector.h.
 *
 *     delta[0,j] = start[j] + e[0,j]
 *     delta[t,j] = max_i (delta[t-1,i] + log_trans[i,j]) + e[t,j]        in every lane
 *
 * A word holds the back-pointers of all classes at a step; they are or-ed together from constants, so nothing is packed.
 */

enum { MOST = SP_LANES_MOST_CLASSES };

/* One step: now[K,L] and the rows of a tile from row m on to next[K,L] and words[L]. */
LANE_FN void lane_step(const sp_lane_rules *r, sp_dtype dtype, int32_t word_size, bool has_weights, const vd *now, vd *next,
                       const void *tile, size_t m, vi *words)
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
        vd e0, e1, e2, e3;
        tile_pair(dtype, tile, m + (size_t)j, 0, &e0, &e1);
        tile_pair(dtype, tile, m + (size_t)j, 1, &e2, &e3);
#define FINISH(g)                                                                                                                \
    next[j * G + g] = best##g + e##g;                                                                                            \
    word##g |= code##g;
        EACH(FINISH)
    }
    /* Narrow words of the lanes of several vectors share the 64 bits of a lane: see lanes_back(). */
    if (word_size == 2) {
        words[0] = (word0 | word1 << 16) | (word2 << 32 | word3 << 48);
    } else if (word_size == 4) {
        words[0] = word0 | word1 << 32;
        words[1] = word2 | word3 << 32;
    } else {
#define STORE(g) words[g] = word##g;
        EACH(STORE)
    }
}

/* The first of the best classes of every lane, end weights added: state[L], and its score[L]. */
LANE_FN void lanes_best(const sp_lane_rules *r, const vd *now, int64_t *state, double *score)
{
#define DECLARE_BEST(g)                                                                                                          \
    vd best##g = spread(-INFINITY);                                                                                              \
    vi state##g = {0};
    EACH(DECLARE_BEST)
    for (int32_t j = 0; j < r->n_classes; j++) {
        vd end = spread(r->end[j]);
        vi place = spread_i(j);
#define COMPARE(g)                                                                                                               \
    {                                                                                                                            \
        vd value = now[j * G + g] + end;                                                                                         \
        vi is_better = (vi)(value > best##g);                                                                                    \
        best##g = PICK(vd, is_better, value, best##g);                                                                           \
        state##g = PICK(vi, is_better, place, state##g);                                                                         \
    }
        EACH(COMPARE)
    }
#define KEEP_BEST(g)                                                                                                             \
    ((vd *)score)[g] = best##g;                                                                                                  \
    ((vi *)state)[g] = state##g;
    EACH(KEEP_BEST)
}

/* Fills group->words and score, and last[L] with the class of each lane's last step. */
LANE_FN void lanes_forward(sp_lane_group *group, sp_dtype dtype, int32_t word_size, bool has_weights, int32_t *last)
{
    const sp_lane_rules *r = group->rules;
    _Alignas(64) double delta[2][MOST * L], score[L];
    _Alignas(64) int64_t state[L];
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
                for (int pair = 0; pair < G / 2; pair++) {
                    vd *out = (vd *)next + j * G + 2 * pair;
                    tile_pair(dtype, tile, j, pair, out, out + 1);
                    out[0] = r->start[j] + out[0];
                    out[1] = r->start[j] + out[1];
                }
        else
            lane_step(r, dtype, word_size, has_weights, (vd *)now, (vd *)next, tile, m, (vi *)words);
        double *before = now;
        now = next;
        next = before;
        if (ending >= 0 && group->length[ending] == t + 1)
            lanes_best(r, (const vd *)now, state, score);
        for (; ending >= 0 && group->length[ending] == t + 1; ending--) {
            last[ending] = (int32_t)state[ending];
            group->score[ending] = score[ending];
            group->is_left[ending] = score[ending] == -INFINITY;
        }
    }
}

/* The lanes in the order in which they stand in a block of classes: 32-bit items of two vectors side by side. */
typedef struct lane_paths {
    int32_t *path[L];
    int64_t length[L];
    int64_t shortest[L / P32]; /* of the lanes of each square of a transpose */
} lane_paths;

LANE_FN void lane_paths_init(lane_paths *paths, const sp_lane_group *group)
{
    for (int place = 0; place < L; place++) {
        int pair = place / (2 * W), lane = pair * 2 * W + place % 2 * W + place % (2 * W) / 2;
        int64_t *shortest = &paths->shortest[place / P32];
        paths->path[place] = group->path[lane];
        paths->length[place] = group->length[lane];
        if (place % P32 == 0 || group->length[lane] < *shortest)
            *shortest = group->length[lane];
    }
}

/* block[TILE,L] holds the classes of steps first .. first+TILE-1. */
LANE_FN void lanes_write(const lane_paths *paths, const int32_t *block, int64_t first)
{
    for (int place = 0; place < L; place += P32) {
        if (paths->shortest[place / P32] >= first + SP_LANES_TILE) {
            for (int32_t s = 0; s < SP_LANES_TILE; s += P32)
                scatter32(block + s * L + place, L, paths->path + place, first + s);
            continue;
        }
        for (int p = place; p < place + P32; p++)
            for (int64_t t = first; t < first + SP_LANES_TILE && t < paths->length[p]; t++)
                paths->path[p][t] = block[(t - first) * L + p];
    }
}

/* The states of a vector of lanes before s, given the words of its step. */
LANE_FN vu64 lane_back(int32_t word_size, const vu64 *words, int g, vu64 s)
{
    if (word_size == 2)
        return words[0] >> (s + (s << 1) + (uint64_t)(16 * g)) & 7;
    if (word_size == 4)
        return words[g / 2] >> ((s << 2) + (uint64_t)(32 * (g % 2))) & 15;
    return words[g] >> (s << 2) & 15;
}

/* From step `high` down to `low`: their classes to block[high-low+1,L], and state[L] to what stands before `low`. words are those
 * of step `low`; those of step 0 are anything. */
LANE_FN void lanes_trace_some(int32_t word_size, const char *words, int64_t n, uint64_t *state, int32_t *block)
{
#define LOAD(g) vu64 s##g = ((vu64 *)state)[g];
    EACH(LOAD)
    for (int64_t t = n - 1; t >= 0; t--) {
        ((vu64 *)block)[t * 2] = s0 | s1 << 32;
        ((vu64 *)block)[t * 2 + 1] = s2 | s3 << 32;
        const vu64 *at = (const vu64 *)(words + t * word_size * L);
#define BACK(g) s##g = lane_back(word_size, at, g, s##g);
        EACH(BACK)
    }
#define SAVE(g) ((vu64 *)state)[g] = s##g;
    EACH(SAVE)
}

LANE_FN void lanes_trace(const sp_lane_group *group, int32_t word_size, const int32_t *last)
{
    _Alignas(64) uint64_t state[L] = {0};
    _Alignas(64) int32_t block[SP_LANES_TILE * L];
    lane_paths paths;
    lane_paths_init(&paths, group);
    int32_t n_begun = 0;
    int64_t high = group->length[0];
    while (high > 0) { /* steps high-1 and below are left, and some lane may begin at high-1 */
        for (; n_begun < group->n_lanes && group->length[n_begun] == high; n_begun++)
            state[n_begun] = (uint64_t)last[n_begun];
        int64_t first = (high - 1) / SP_LANES_TILE * SP_LANES_TILE, low = first;
        if (n_begun < group->n_lanes && group->length[n_begun] > low)
            low = group->length[n_begun];
        lanes_trace_some(word_size, (const char *)group->words + low * word_size * L, high - low, state,
                         block + (low - first) * L);
        if (low == first)
            lanes_write(&paths, block, first);
        high = low;
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
