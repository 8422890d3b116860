/* One long recording: bands of chunks there and back, seams forward, seams backward, the sum. */
#include "decode/chunks.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "decode/path_sum.h"
#include "decode/recording.h"

/* Steps of a chunk: its warm-up should cost little, and there should be some bands to share. Not powers of two: lanes that stand
 * at equal places of their pages would drive each other out of the first cache. */
enum { MANY_STEPS = 2000000, CHUNK_OF_MANY = 4096 + SP_CHUNK_TOP, CHUNK = 1024 + SP_CHUNK_TOP };

/* The back-pointers of one chunk, or of the steps after the last whole one: those of step t are the low bits of
 * first[t * stride] >> shift. */
typedef struct chunk_words {
    uint64_t *first;
    int64_t stride;
    int shift;
    uint64_t mask;
} chunk_words;

typedef struct chunked {
    sp_isa isa;
    const sp_lane_rules *rules;
    const sp_scores *scores;
    int32_t *path;
    int64_t n_chunks, chunk_steps, n_bands;
    int64_t n_whole; /* steps in whole chunks; the others are the tail */
    size_t band_bytes;
    char *words;            /* [n_bands] bands */
    uint64_t *tail_words;   /* [tail] */
    double *arrive, *leave; /* [n_chunks,K] */
    uint8_t *is_redone;     /* [n_chunks] */
    void *taken;            /* [T] see path_sum.h */
} chunked;

bool sp_chunks_fit(const sp_scores *scores)
{
    return scores->n_steps > SP_CHUNKS_LEAST && !sp_scores_have_gap(scores);
}

/* ---- bands ---- */

static sp_chunk_band band_of(const chunked *c, int64_t b)
{
    int32_t lanes = sp_lanes_count(c->isa), K = c->rules->n_classes;
    int64_t first = b * lanes;
    sp_chunk_band band = {.rules = c->rules,
                          .dtype = c->scores->dtype,
                          .is_first = b == 0,
                          .n_chunks = (int32_t)(c->n_chunks - first < lanes ? c->n_chunks - first : lanes),
                          .n_steps = c->chunk_steps,
                          .words = c->words + (size_t)b * c->band_bytes,
                          .arrive = c->arrive + first * K,
                          .leave = c->leave + first * K};
    for (int32_t lane = 0; lane < lanes; lane++) {
        int64_t step = (first + (lane < band.n_chunks ? lane : 0)) * c->chunk_steps;
        band.rows[lane] = (const char *)c->scores->data + (size_t)step * (size_t)K * (size_t)c->scores->dtype;
        band.path[lane] = c->path + step;
    }
    return band;
}

static void decode_bands(void *arg, sp_scratch *scratch, int64_t first, int64_t last)
{
    const chunked *c = arg;
    (void)scratch;
    for (int64_t b = first; b < last; b++) {
        sp_chunk_band band = band_of(c, b);
        switch (c->isa) {
#if defined(__x86_64__)
        case SP_ISA_AVX512:
            sp_chunks_forward_avx512(&band);
            sp_chunks_trace_avx512(&band);
            break;
        case SP_ISA_AVX2:
            sp_chunks_forward_avx2(&band);
            sp_chunks_trace_avx2(&band);
            break;
#endif
        default:
            sp_chunks_forward_base(&band);
            sp_chunks_trace_base(&band);
        }
        sp_path_take(c->scores, c->path, band.path[0] - c->path, band.n_chunks * band.n_steps, c->taken);
    }
}

/* ---- words ---- */

static chunk_words words_of(const chunked *c, int64_t chunk)
{
    int32_t lanes = sp_lanes_count(c->isa), width = lanes / 4, lane = (int32_t)(chunk % lanes), size = c->rules->word_size;
    int32_t vector = lane / width, shared = 8 / size; /* vectors whose words share 64 bits, see lane_step() */
    return (chunk_words){.first = (uint64_t *)(c->words + (size_t)(chunk / lanes) * c->band_bytes) + vector / shared * width +
                                  lane % width,
                         .stride = (int64_t)lanes * size / 8,
                         .shift = vector % shared * 8 * size,
                         .mask = size == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * size) - 1};
}

static chunk_words words_of_tail(const chunked *c)
{
    return (chunk_words){.first = c->tail_words, .stride = 1, .shift = 0, .mask = UINT64_MAX};
}

static void put_word(const chunk_words *w, int64_t t, uint64_t word)
{
    uint64_t *at = w->first + t * w->stride;
    *at = (*at & ~(w->mask << w->shift)) | word << w->shift;
}

static int32_t state_before(const sp_lane_rules *r, const chunk_words *w, int64_t t, int32_t state)
{
    int bits = r->word_size == 2 ? 3 : 4;
    return (int32_t)(w->first[t * w->stride] >> (w->shift + bits * state) & ((1U << bits) - 1));
}

/* ---- the serial recurrence ---- */

/* One step: what lane_step() does in a lane. */
static uint64_t serial_step(const sp_lane_rules *r, const double *now, double *next, const double *e)
{
    uint64_t word = 0;
    for (int32_t j = 0; j < r->n_classes; j++) {
        int32_t p = r->row[j];
        double best = now[r->from[p]] + r->weight[p];
        int64_t code = r->code[p];
        for (p++; p < r->row[j + 1]; p++) {
            double candidate = now[r->from[p]] + r->weight[p];
            if (candidate > best) {
                best = candidate;
                code = r->code[p];
            }
        }
        next[j] = best + e[j];
        word |= (uint64_t)code;
    }
    return word;
}

static void take_top(int32_t K, double *now)
{
    double top = now[0];
    for (int32_t j = 1; j < K; j++)
        top = now[j] > top ? now[j] : top;
    if (top == -INFINITY)
        return;
    for (int32_t j = 0; j < K; j++)
        now[j] -= top;
}

/* Steps first .. first+n-1, first a multiple of SP_CHUNK_TOP: delta[K] goes from the step before to the last. */
static void serial_forward(const chunked *c, int64_t first, int64_t n, double *delta, const chunk_words *words)
{
    const sp_lane_rules *r = c->rules;
    double next[SP_LANES_MOST_CLASSES], row[SP_LANES_MOST_CLASSES];
    for (int64_t t = 0; t < n; t++) {
        const double *e = sp_row(c->scores, first + t, row);
        put_word(words, t, serial_step(r, delta, next, e));
        memcpy(delta, next, (size_t)r->n_classes * sizeof *delta);
        if (first + t == 0)
            for (int32_t j = 0; j < r->n_classes; j++)
                delta[j] = r->start[j] + e[j];
        if (t % SP_CHUNK_TOP == 0)
            take_top(r->n_classes, delta);
    }
}

/* Accepts each chunk whose warm-up ended in the last delta of the chunk before, bit for bit; does the others again. */
static void join_forward(chunked *c)
{
    size_t K = (size_t)c->rules->n_classes;
    for (int64_t chunk = 1; chunk < c->n_chunks; chunk++) {
        double *leave = c->leave + (size_t)chunk * K;
        if (memcmp(c->arrive + (size_t)chunk * K, leave - K, K * sizeof *leave) == 0)
            continue;
        chunk_words words = words_of(c, chunk);
        c->is_redone[chunk] = 1;
        memcpy(leave, leave - K, K * sizeof *leave);
        serial_forward(c, chunk * c->chunk_steps, c->chunk_steps, leave, &words);
    }
}

/* Follows the path down from `state` at the last of n steps from `first` on, until it meets what is there already or the chunk
 * is left, and takes its scores. Returns the state before `first`. */
static int32_t retrace(const chunked *c, const chunk_words *words, int64_t first, int64_t n, int32_t state, bool may_meet)
{
    int32_t *path = c->path + first;
    int64_t t = n - 1;
    for (; t >= 0 && !(may_meet && path[t] == state); t--) {
        path[t] = state;
        state = state_before(c->rules, words, t, state);
    }
    sp_path_take(c->scores, c->path, first + t + 1, n - 1 - t, c->taken);
    return t < 0 ? state : state_before(c->rules, words, 0, path[0]);
}

/* ---- all of it ---- */

static bool chunked_room(chunked *c, int64_t n_tail, sp_scratch *scratch)
{
    size_t K = (size_t)c->rules->n_classes, chunks = (size_t)c->n_chunks;
    c->words = sp_scratch_get(scratch, SP_SLOT_CHUNK_WORDS, (size_t)c->n_bands, c->band_bytes);
    c->tail_words = sp_scratch_get(scratch, SP_SLOT_CHUNK_TAIL, (size_t)n_tail, sizeof *c->tail_words);
    c->arrive = sp_scratch_get(scratch, SP_SLOT_CHUNK_DELTAS, 2 * chunks * K + (chunks + 7) / 8, sizeof *c->arrive);
    c->taken = sp_scratch_get(scratch, SP_SLOT_CHUNK_TAKEN, (size_t)c->scores->n_steps, (size_t)c->scores->dtype);
    if (!c->words || !c->tail_words || !c->arrive || !c->taken)
        return false;
    c->leave = c->arrive + chunks * K;
    c->is_redone = (uint8_t *)(c->leave + chunks * K);
    memset(c->is_redone, 0, chunks);
    return true;
}

sp_status sp_chunks_viterbi(sp_isa isa, const sp_lane_rules *rules, const sp_scores *scores, sp_workers *workers, int32_t *path,
                            double *score)
{
    int32_t K = rules->n_classes, lanes = sp_lanes_count(isa);
    chunked c = {.isa = isa, .rules = rules, .scores = scores, .path = path};
    c.chunk_steps = scores->n_steps >= MANY_STEPS ? CHUNK_OF_MANY : CHUNK;
    c.n_chunks = scores->n_steps / c.chunk_steps;
    c.n_bands = (c.n_chunks + lanes - 1) / lanes;
    c.n_whole = c.n_chunks * c.chunk_steps;
    c.band_bytes = sp_lane_words_bytes(rules->word_size, isa, c.chunk_steps);
    int64_t n_tail = scores->n_steps - c.n_whole;
    if (!chunked_room(&c, n_tail, sp_workers_scratch(workers)))
        return SP_ENOMEM;

    sp_workers_share(workers, c.n_bands, decode_bands, &c);
    join_forward(&c);
    double delta[SP_LANES_MOST_CLASSES];
    memcpy(delta, c.leave + (c.n_chunks - 1) * K, (size_t)K * sizeof *delta);
    chunk_words words = words_of_tail(&c);
    serial_forward(&c, c.n_whole, n_tail, delta, &words);
    double best = -INFINITY;
    int32_t state = 0;
    for (int32_t j = 0; j < K; j++)
        if (delta[j] + rules->end[j] > best) {
            best = delta[j] + rules->end[j];
            state = j;
        }
    if (best == -INFINITY)
        return SP_ENOPATH;

    state = retrace(&c, &words, c.n_whole, n_tail, state, false);
    for (int64_t chunk = c.n_chunks - 1; chunk >= 0; chunk--) {
        words = words_of(&c, chunk);
        state = retrace(&c, &words, chunk * c.chunk_steps, c.chunk_steps, state, !c.is_redone[chunk]);
    }
    *score = sp_path_sum(isa, rules, scores, path, c.taken, true);
    return SP_OK;
}
