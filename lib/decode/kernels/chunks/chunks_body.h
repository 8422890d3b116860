/* Body: chunks of one recording in lanes, see chunks.h. Included after lanes_viterbi.h. */

/* What two deltas and a tile are, while a band goes on. */
typedef struct chunk_lanes {
    _Alignas(64) double delta[2][MOST * L];
    _Alignas(64) char tile[sizeof(double) * SP_LANES_TILE * MOST * L];
    _Alignas(64) char unused_words[sizeof(uint64_t) * SP_LANES_TILE * L];
    double *now, *next;
} chunk_lanes;

/* The tile that begins at step t. */
SP_ALWAYS_INLINE void chunk_tile(chunk_lanes *c, const sp_chunk_band *band, sp_dtype dtype, int32_t word_size,
                                 bool has_weights, const void *const *rows, int64_t t, char *words)
{
    size_t K = (size_t)band->rules->n_classes, tile = SP_LANES_TILE * K;
    const lane_tile at = {c->tile, 0, ahead_of(L, rows, tile * (size_t)dtype, t / SP_LANES_TILE)};
    gather_tile(L, dtype, rows, (size_t)t * K, tile, c->tile);
    lane_steps(band->rules, dtype, word_size, has_weights, &c->now, &c->next, &at, SP_LANES_TILE, words);
}

/* To out[K] of every chunk, `apart` doubles from that of the next. */
SP_ALWAYS_INLINE void copy_deltas(const sp_chunk_band *band, const double *now, double *out, int64_t apart)
{
    int32_t K = band->rules->n_classes;
    for (int32_t chunk = 0; chunk < band->n_chunks; chunk++)
        for (int32_t j = 0; j < K; j++)
            out[chunk * apart + j] = now[j * L + chunk];
}

SP_ALWAYS_INLINE void chunk_warm_up(chunk_lanes *c, const sp_chunk_band *band, sp_dtype dtype,
                                    int32_t word_size, bool has_weights)
{
    int32_t K = band->rules->n_classes;
    const void *rows[L];
    for (int lane = 0; lane < L; lane++)
        rows[lane] = (const char *)band->rows[lane] - SP_CHUNK_WARM * (ptrdiff_t)K * (ptrdiff_t)dtype;
    for (int32_t i = 0; i < K * L; i++)
        c->now[i] = band->begin[i % L];
    for (int64_t t = 0; t < SP_CHUNK_WARM; t += SP_LANES_TILE)
        chunk_tile(c, band, dtype, word_size, has_weights, rows, t, c->unused_words);
}

SP_ALWAYS_INLINE void chunks_forward(const sp_chunk_band *band, sp_dtype dtype, int32_t word_size,
                                     bool has_weights)
{
    chunk_lanes c;
    c.now = c.delta[0];
    c.next = c.delta[1];
    int64_t K = band->rules->n_classes;
    chunk_warm_up(&c, band, dtype, word_size, has_weights);
    for (int64_t t = 0; t < band->n_steps; t += SP_LANES_TILE) {
        if (t % SP_CHUNK_PART == 0)
            copy_deltas(band, c.now, band->arrive + t / SP_CHUNK_PART * K, band->n_parts * K);
        chunk_tile(&c, band, dtype, word_size, has_weights, band->rows, t, band->words + t * word_size * L);
    }
    copy_deltas(band, c.now, band->leave, K);
}

/* Every chunk from its own best last state; where that is not the right one, sp_chunks_trace() mends it. */
SP_ALWAYS_INLINE void chunks_trace(const sp_chunk_band *band, int32_t word_size)
{
    _Alignas(64) uint64_t state[L] = {0};
    _Alignas(64) uint16_t block[SP_LANES_TILE * L];
    lane_paths paths;
    sp_lane_group lanes = {.n_lanes = band->n_chunks};
    int32_t K = band->rules->n_classes;
    for (int32_t chunk = 0; chunk < band->n_chunks; chunk++) {
        lanes.path[chunk] = band->path[chunk];
        lanes.length[chunk] = band->n_steps;
        for (int32_t j = 1; j < K; j++)
            if (band->leave[chunk * K + j] > band->leave[chunk * K + (int32_t)state[chunk]])
                state[chunk] = (uint64_t)j;
    }
    lane_paths_init(&paths, &lanes, false);
    for (int64_t t = band->n_steps - SP_LANES_TILE; t >= 0; t -= SP_LANES_TILE) {
        lanes_trace_some(word_size, band->words + t * word_size * L, SP_LANES_TILE, state, block);
        lanes_write(&paths, block, t, -1);
    }
}

static void chunks_forward_any(const sp_chunk_band *band)
{
    const sp_lane_rules *r = band->rules;
#define CHUNK_KIND(dtype_, size, weights)                                                                    \
    if (band->dtype == dtype_ && r->word_size == size && r->has_weights == weights)                          \
        chunks_forward(band, dtype_, size, weights);
#define CHUNK_SIZES(dtype_, weights)                                                                         \
    CHUNK_KIND(dtype_, 2, weights) CHUNK_KIND(dtype_, 4, weights) CHUNK_KIND(dtype_, 8, weights)
    CHUNK_SIZES(SP_F32, false)
    CHUNK_SIZES(SP_F32, true)
    CHUNK_SIZES(SP_F64, false)
    CHUNK_SIZES(SP_F64, true)
}

static void chunks_trace_any(const sp_chunk_band *band)
{
    if (band->rules->word_size == 2)
        chunks_trace(band, 2);
    else if (band->rules->word_size == 4)
        chunks_trace(band, 4);
    else
        chunks_trace(band, 8);
}
