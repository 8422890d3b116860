/* Body: Viterbi in lanes. Included after lanes_vector.h.
 *
 *     delta[0,j] = start[j] + e[0,j]
 *     delta[t,j] = max_i (delta[t-1,i] + log_trans[i,j]) + e[t,j]        in every lane
 *
 * A word holds the back-pointers of all classes at a step; they are or-ed together from constants, so nothing is packed. Where
 * several states emit one class, j and i are states.
 */

enum { MOST = SP_LANES_MOST_CLASSES };

/* One step: now[K,L] and the rows of a tile from row m on to next[K,L] and words[L]. */
SP_ALWAYS_INLINE void lane_step(const sp_lane_rules *r, sp_dtype dtype, int32_t word_size, bool has_weights,
                                const vd *now, vd *next, const void *tile, size_t m, vi *words)
{
#define DECLARE(g) vi word##g = {0};
    EACH(DECLARE)
    for (int32_t c = 0; c < r->n_columns; c++) {
        int32_t p = r->column_row[c], end = r->column_row[c + 1];
        const vd *before = now + (ptrdiff_t)r->column_from[p] * G;
        vd weight = spread(has_weights ? r->column_weight[p] : 0);
#define FIRST(g)                                                                                             \
    vd best##g = before[g];                                                                                  \
    if (has_weights)                                                                                         \
        best##g += weight;                                                                                   \
    vi code##g = spread_i(r->column_code[p]);
        EACH(FIRST)
        for (p++; p < end; p++) {
            vi code = spread_i(r->column_code[p]);
            HOLD(code);
            before = now + (ptrdiff_t)r->column_from[p] * G;
            weight = spread(has_weights ? r->column_weight[p] : 0);
#define OFFER(g)                                                                                             \
    {                                                                                                        \
        vd candidate = before[g];                                                                            \
        HOLD(candidate);                                                                                     \
        if (has_weights)                                                                                     \
            candidate += weight;                                                                             \
        vi is_better = (vi)(candidate > best##g);                                                            \
        best##g = PICK(vd, is_better, candidate, best##g);                                                   \
        code##g = PICK(vi, is_better, code, code##g);                                                        \
    }
            EACH(OFFER)
        }
#define CHOSEN(g) word##g |= code##g;
        EACH(CHOSEN)
        for (int32_t i = r->column_first[c]; i < r->column_first[c + 1]; i++) {
            int32_t j = r->column_class[i];
            const size_t e = m + (size_t)r->column_emits[i];
#define FINISH(g) next[j * G + g] = best##g + tile_vector(G, dtype, tile, e, g);
            EACH(FINISH)
        }
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

/* Steps by lane_step(), or by lanes_few.h where that is for them: `n` of a tile. *now[K,L] goes from the step before to the last,
 * *next[K,L] is room, words [n,L]. */
SP_ALWAYS_INLINE void lane_steps(const sp_lane_rules *r, sp_dtype dtype, int32_t word_size, bool has_weights,
                                 double **now, double **next, const lane_tile *at, int64_t n, char *words)
{
    if (word_size == 2 && r->is_few) {
        (dtype == SP_F32 ? has_weights ? few_f32_weighted : few_f32
         : has_weights   ? few_f64_weighted
                         : few_f64)(r, (vd *)*now, at, n, (vi *)words);
        return;
    }
    for (int64_t s = at->step; s < at->step + n; s++, words += (size_t)word_size * L) {
        ask_ahead(&at->ahead, 2 * s);
        ask_ahead(&at->ahead, 2 * s + 1);
        lane_step(r, dtype, word_size, has_weights, (const vd *)*now, (vd *)*next, at->scores,
                  (size_t)s * (size_t)r->n_classes, (vi *)words);
        double *before = *now;
        *now = *next;
        *next = before;
    }
}

/* The first of the best classes of every lane, end weights added: state[L], and its score[L]. */
SP_ALWAYS_INLINE void lanes_best(const sp_lane_rules *r, const vd *now, int64_t *state, double *score)
{
#define DECLARE_BEST(g)                                                                                      \
    vd best##g = spread(-INFINITY);                                                                          \
    vi state##g = {0};
    EACH(DECLARE_BEST)
    for (int32_t j = 0; j < r->n_states; j++) {
        vd end = spread(r->end[j]);
        vi place = spread_i(j);
#define COMPARE(g)                                                                                           \
    {                                                                                                        \
        vd value = now[j * G + g] + end;                                                                     \
        vi is_better = (vi)(value > best##g);                                                                \
        best##g = PICK(vd, is_better, value, best##g);                                                       \
        state##g = PICK(vi, is_better, place, state##g);                                                     \
    }
        EACH(COMPARE)
    }
#define KEEP_BEST(g)                                                                                         \
    ((vd *)score)[g] = best##g;                                                                              \
    ((vi *)state)[g] = state##g;
    EACH(KEEP_BEST)
}

SP_ALWAYS_INLINE void lanes_start(const sp_lane_rules *r, sp_dtype dtype, vd *now, const void *tile)
{
    for (int32_t j = 0; j < r->n_states; j++)
        for (int g = 0; g < G; g++)
            now[j * G + g] = r->start[j] + tile_vector(G, dtype, tile, (size_t)r->emits[j], g);
}

/* What is asked for in the tile that begins at step t: a later one of these recordings, or those after them. */
SP_ALWAYS_INLINE lane_ahead lanes_ahead(const sp_lane_group *group, sp_dtype dtype, int64_t t)
{
    size_t bytes = SP_LANES_TILE * (size_t)group->rules->n_classes * (size_t)dtype;
    int64_t tile = t / SP_LANES_TILE, n = (group->length[0] + SP_LANES_TILE - 1) / SP_LANES_TILE,
            later = tile + TILES_AHEAD - n;
    lane_ahead ahead = ahead_of(L, group->rows, bytes, tile);
    if (later < 0 || !group->next[0])
        return ahead;
    if (n <= TILES_AHEAD) /* all of those after them, each in its turn */
        return ahead_in_turn(L, group->next, 0, (size_t)n * bytes, tile, n);
    ahead.rows = group->next;
    ahead.at = later < ASK_TILES ? 0 : (size_t)later * bytes;
    ahead.bytes = (ASK_TILES + (later < ASK_TILES ? (size_t)later : 0)) * bytes;
    return ahead;
}

/* A state: place 1 .. dwell of a class, or of a state without a dwell 1. */
typedef struct lane_state {
    int32_t class, place;
} lane_state;

/* Fills group->words and score, and last[L] with the class of each lane's last step. Room: now, next [states,L] and a tile, aligned
 * to 64. */
SP_ALWAYS_INLINE void lanes_forward(sp_lane_group *group, sp_dtype dtype, int32_t word_size, bool has_weights,
                                    double *now, double *next, void *tile, lane_state *last)
{
    const sp_lane_rules *r = group->rules;
    _Alignas(64) double score[L];
    _Alignas(64) int64_t state[L];
    size_t K = (size_t)r->n_classes;
    int32_t ending = group->n_lanes - 1;
    char *words = group->words;
    lane_tile at = {.scores = tile};
    for (int64_t t = 0; t < group->length[0];) {
        /* To the end of the tile, or to the next step at which a lane ends. */
        int64_t n = SP_LANES_TILE - t % SP_LANES_TILE, ends = group->length[ending] - t;
        n = ends < n ? ends : n;
        at.step = t % SP_LANES_TILE;
        if (at.step == 0) {
            at.ahead = lanes_ahead(group, dtype, t);
            gather_tile(L, dtype, group->rows, (size_t)t * K, SP_LANES_TILE * K, tile);
        }
        if (t == 0) {
            lanes_start(r, dtype, (vd *)now, tile);
            at.step = 1;
            lane_steps(r, dtype, word_size, has_weights, &now, &next, &at, n - 1,
                       words + (size_t)word_size * L);
        } else {
            lane_steps(r, dtype, word_size, has_weights, &now, &next, &at, n, words);
        }
        t += n;
        words += n * word_size * L;
        if (n < ends)
            continue;
        lanes_best(r, (const vd *)now, state, score);
        for (; ending >= 0 && group->length[ending] == t; ending--) {
            last[ending] = (lane_state){(int32_t)state[ending], 1};
            group->score[ending] = score[ending];
            group->is_left[ending] = score[ending] == -INFINITY;
        }
    }
}

typedef uint16_t class_shorts __attribute__((vector_size(16), aligned(2), may_alias));
typedef int32_t class_words __attribute__((vector_size(32), aligned(4), may_alias));

/* Classes of a step of all lanes, 16 bits each: of lane g W + e at place G e + g. */
SP_ALWAYS_INLINE void put_classes(vu64 s0, vu64 s1, vu64 s2, vu64 s3, void *block, int64_t row)
{
    ((vu64 *)block)[row] = (s0 | s1 << 16) | (s2 << 32 | s3 << 48);
}

/* Where the lanes' classes go, in the order of their places. */
typedef struct lane_paths {
    int32_t *path[L];
    int64_t length[L];
    int64_t shortest;
} lane_paths;

/* With in_pairs the places are those of lanes_bare.h for floats: lane p 2 W + i at place 2 i + p. */
SP_ALWAYS_INLINE void lane_paths_init(lane_paths *paths, const sp_lane_group *group, bool in_pairs)
{
    paths->shortest = INT64_MAX;
    for (int place = 0; place < L; place++) {
        int lane = in_pairs ? place % 2 * 2 * W + place / 2 : place % G * W + place / G;
        paths->path[place] = group->path[lane];
        paths->length[place] = group->length[lane];
        if (group->length[lane] < paths->shortest)
            paths->shortest = group->length[lane];
    }
}

/* Eight classes. */
SP_ALWAYS_INLINE void widen_classes(const uint16_t *from, int32_t *to)
{
    *(class_words *)to = __builtin_convertvector(*(const class_shorts *)from, class_words);
}

/* block[TILE,L] holds the classes of steps first .. first+TILE-1; next come steps before (way -1) or after them (1). Memory is
 * asked for what will be written as well, every other tile, because that is as much as it gives. */
SP_ALWAYS_INLINE void lanes_write(const lane_paths *paths, const void *block, int64_t first, int way)
{
    _Alignas(64) uint16_t turned[SP_LANES_TILE * L];
    int64_t later = (first + (int64_t)way * TILES_AHEAD * SP_LANES_TILE) * (int64_t)sizeof(int32_t);
    for (int place = (int)(first / SP_LANES_TILE % 2) * (L / 2), n = place + L / 2; place < n; place++)
        __builtin_prefetch(address(paths->path[place], later), 1);
    transpose16(block, turned);
    bool is_whole = paths->shortest >= first + SP_LANES_TILE;
    for (int i = 0; i < L; i++) {
        int place = i % (L / 8) * 8 + i / (L / 8);
        const uint16_t *classes = turned + (size_t)i * SP_LANES_TILE;
        int64_t left = is_whole ? SP_LANES_TILE : paths->length[place] - first;
        if (left >= SP_LANES_TILE)
            widen_classes(classes, paths->path[place] + first);
        else
            for (int64_t t = 0; t < left; t++)
                paths->path[place][first + t] = classes[t];
    }
}

/* Words of 16 bits: places are those of put_classes(). */
SP_ALWAYS_INLINE void lanes_trace_narrow(const char *words, int64_t n, vu64 *s, void *block)
{
    vu64 all = (s[0] | s[1] << 16) | (s[2] << 32 | s[3] << 48);
#if LANE_W == 4 /* shifts by as many bits as another vector says are for 32 bits and more */
    p32 even = (p32)all & UINT16_MAX, odd = (p32)all >> 16;
    for (int64_t t = n - 1; t >= 0; t--) {
        p32 word = ((const p32 *)words)[t];
        ((p32 *)block)[t] = even | odd << 16;
        even = word >> (even + (even << 1)) & 7;
        odd = word >> (odd + (odd << 1) + 16) & 7;
    }
    all = (vu64)(even | odd << 16);
#else
    p16 now = (p16)all;
    for (int64_t t = n - 1; t >= 0; t--) {
        ((p16 *)block)[t] = now;
        now = ((const p16 *)words)[t] >> (now + (now << 1)) & 7;
    }
    all = (vu64)now;
#endif
    s[0] = all & UINT16_MAX;
    s[1] = all >> 16 & UINT16_MAX;
    s[2] = all >> 32 & UINT16_MAX;
    s[3] = all >> 48;
}

/* From step `high` down to `low`: their classes to block[high-low+1,L], and state[L] to what stands before `low`. words are those
 * of step `low`; those of step 0 are anything. */
SP_ALWAYS_INLINE void lanes_trace_some(int32_t word_size, const char *words, int64_t n, uint64_t *state,
                                       void *block)
{
    vu64 *s = (vu64 *)state;
    if (word_size == 8) {
#define LOAD(g) vu64 s##g = s[g];
        EACH(LOAD)
        for (int64_t t = n - 1; t >= 0; t--) {
            const vu64 *at = (const vu64 *)(words + t * word_size * L);
            put_classes(s0, s1, s2, s3, block, t);
#define BACK(g) s##g = at[g] >> (s##g << 2) & 15;
            EACH(BACK)
        }
#define SAVE(g) s[g] = s##g;
        EACH(SAVE)
    } else if (word_size == 4) { /* two lanes to each 64 bits, as in the words */
        p32 low = (p32)(s[0] | s[1] << 32), high = (p32)(s[2] | s[3] << 32);
        for (int64_t t = n - 1; t >= 0; t--) {
            const p32 *at = (const p32 *)(words + t * word_size * L);
            vu64 a = (vu64)low, b = (vu64)high;
            put_classes(a & UINT32_MAX, a >> 32, b & UINT32_MAX, b >> 32, block, t);
            low = at[0] >> (low << 2) & 15;
            high = at[1] >> (high << 2) & 15;
        }
        s[0] = (vu64)low & UINT32_MAX;
        s[1] = (vu64)low >> 32;
        s[2] = (vu64)high & UINT32_MAX;
        s[3] = (vu64)high >> 32;
    } else {
        lanes_trace_narrow(words, n, s, block);
    }
}

/* How steps are traced: as by lanes_trace_some(), with the places of states too. */
typedef void lane_steps_back(const sp_lane_group *group, int32_t word_size, const char *words, int64_t n,
                             uint64_t *state, uint64_t *place, void *block);

SP_ALWAYS_INLINE void plain_steps_back(const sp_lane_group *group, int32_t word_size, const char *words,
                                       int64_t n, uint64_t *state, uint64_t *place, void *block)
{
    (void)group, (void)place;
    lanes_trace_some(word_size, words, n, state, block);
}

/* Where several states emit one class. */
SP_ALWAYS_INLINE void state_steps_back(const sp_lane_group *group, int32_t word_size, const char *words,
                                       int64_t n, uint64_t *state, uint64_t *place, void *block)
{
    const vu64 emits = (vu64)spread_i((int64_t)group->rules->all_emits);
    (void)place;
    vu64 *s = (vu64 *)state;
    EACH(LOAD)
    for (int64_t t = n - 1; t >= 0; t--) {
        const vu64 *at = (const vu64 *)(words + t * word_size * L);
#define EMIT(g) vu64 class##g = emits >> (s##g << 2) & 15;
        EACH(EMIT)
        put_classes(class0, class1, class2, class3, block, t);
        EACH(BACK)
    }
    EACH(SAVE)
}

/* All steps of all lanes back from their last states, tile by tile. */
SP_ALWAYS_INLINE void lanes_trace(sp_lane_group *group, int32_t word_size, const lane_state *last,
                                  lane_steps_back *back)
{
    _Alignas(64) uint64_t state[L] = {0}, place[L] = {0};
    _Alignas(64) uint16_t block[SP_LANES_TILE * L];
    lane_paths paths;
    lane_paths_init(&paths, group, false);
    int32_t n_begun = 0;
    int64_t high = group->length[0];
    while (high > 0) { /* steps high-1 and below are left, and some lane may begin at high-1 */
        for (; n_begun < group->n_lanes && group->length[n_begun] == high; n_begun++) {
            state[n_begun] = (uint64_t)last[n_begun].class;
            place[n_begun] = (uint64_t)last[n_begun].place;
        }
        int64_t first = (high - 1) / SP_LANES_TILE * SP_LANES_TILE, low = first;
        if (n_begun < group->n_lanes && group->length[n_begun] > low)
            low = group->length[n_begun];
        back(group, word_size, (const char *)group->words + low * word_size * L, high - low, state, place,
             block + (low - first) * L);
        if (low == first)
            lanes_write(&paths, block, first, -1);
        high = low;
    }
}

SP_ALWAYS_INLINE void lanes_viterbi(sp_lane_group *group, sp_dtype dtype, int32_t word_size, bool has_weights)
{
    lane_state last[L] = {{0, 1}};
    _Alignas(64) double delta[2][MOST * L];
    _Alignas(64) char tile[sizeof(double) * SP_LANES_TILE * MOST * L];
    lanes_forward(group, dtype, word_size, has_weights, delta[0], delta[1], tile, last);
    if (word_size == 8 && group->rules->has_states)
        lanes_trace(group, word_size, last, state_steps_back);
    else
        lanes_trace(group, word_size, last, plain_steps_back);
}

/* Every kind its own code. */
static void lanes_viterbi_any(sp_lane_group *group)
{
    const sp_lane_rules *r = group->rules;
#define KIND(dtype_, size, weights)                                                                          \
    if (group->dtype == dtype_ && r->word_size == size && r->has_weights == weights)                         \
        lanes_viterbi(group, dtype_, size, weights);
#define SIZES(dtype_, weights) KIND(dtype_, 2, weights) KIND(dtype_, 4, weights) KIND(dtype_, 8, weights)
    SIZES(SP_F32, false)
    SIZES(SP_F32, true)
    SIZES(SP_F64, false)
    SIZES(SP_F64, true)
}

/* ---- wide chains: the same steps, and words that say ranks in columns ---- */

/* A lookup leads from a rank to a class, so lanes go one after another; none waits for another. */
SP_ALWAYS_INLINE void wide_steps_back(const sp_lane_group *group, int32_t word_size, const char *words,
                                      int64_t n, uint64_t *state, uint64_t *place, void *block)
{
    const sp_lane_rules *r = group->rules;
    (void)place;
    for (int64_t t = n - 1; t >= 0; t--) {
        const uint64_t *word = (const uint64_t *)(words + t * word_size * L);
        uint16_t *classes = (uint16_t *)block + t * L;
        for (int lane = 0; lane < L; lane++) {
            const uint64_t s = state[lane];
            classes[lane % W * G + lane / W] = (uint16_t)s; /* as put_classes() */
            state[lane] =
                (uint64_t)
                    r->column_from[r->back[s].first + (word[lane] >> r->back[s].shift & r->back[s].mask)];
        }
    }
}

SP_ALWAYS_INLINE void lanes_wide(sp_lane_group *group, sp_dtype dtype, bool has_weights)
{
    lane_state last[L] = {{0, 1}};
    double *now = group->room, *next = now + (size_t)group->rules->n_states * L;
    lanes_forward(group, dtype, 8, has_weights, now, next, next + (size_t)group->rules->n_states * L, last);
    lanes_trace(group, 8, last, wide_steps_back);
}

static void lanes_wide_any(sp_lane_group *group)
{
    if (group->dtype == SP_F32)
        group->rules->has_weights ? lanes_wide(group, SP_F32, true) : lanes_wide(group, SP_F32, false);
    else
        group->rules->has_weights ? lanes_wide(group, SP_F64, true) : lanes_wide(group, SP_F64, false);
}
