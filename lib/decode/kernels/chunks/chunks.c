/* One long recording: its head, bands of chunks there and back, its tail; seams forward, seams backward. */
#include "decode/kernels/chunks/chunks_proof.h"

#include <math.h>
#include <string.h>

#include "decode/kernels/isa_kernels.h"
#include "decode/recording.h"

/* Steps of a chunk: its warm-up should cost little, and there should be some bands to share. What is before the first chunk says
 * how fast delta grows. */
enum { MANY_STEPS = 2000000, CHUNK_OF_MANY = 4096, CHUNK = 1024, LEAST_CHUNK = 256, HEAD = 1024 };

/* The back-pointers of one chunk, or of steps in none: those of step t are the low bits of first[t * stride] >> shift. */
typedef struct chunk_words {
    uint64_t *first;
    int64_t stride;
    int shift;
    uint64_t mask;
} chunk_words;

bool sp_chunks_fit(const sp_scores *scores)
{
    return scores->n_steps > SP_CHUNKS_LEAST && !sp_scores_have_gap(scores);
}

static const char *rows_at(const sp_chunked *c, int64_t t)
{
    return (const char *)c->scores->data +
           (size_t)t * (size_t)c->scores->n_classes * (size_t)c->scores->dtype;
}

/* ---- bands ---- */

/* Where delta stands before band b, as far as is known of those before. *rate: its growth a step. Not finite where nothing is. */
static double guess_top(const sp_chunked *c, int64_t b, double *rate)
{
    int64_t lanes = sp_lanes_count(c->isa), n_known = c->n_head, n_unknown = 0;
    double known = c->rate * (double)c->n_head;
    for (int64_t i = 0; i < b; i++) {
        double growth = atomic_load_explicit(&c->growth[i], memory_order_relaxed);
        bool is_known = growth == growth;
        known += is_known ? growth : 0;
        *(is_known ? &n_known : &n_unknown) += lanes * c->chunk_steps;
    }
    *rate = known / (double)n_known;
    return c->top - c->rate * (double)c->n_head + known + *rate * (double)n_unknown;
}

/* Where a chunk whose delta is `top` before its first step should begin its warm-up: so that it stays, as far from both as can
 * be, between the powers of two that delta is between. */
static double begin_of(const sp_chunked *c, double top, double rate)
{
    double to_middle = rate * (double)c->chunk_steps / 2, middle = top + to_middle;
    if (middle == 0 || !isfinite(middle))
        return 0;
    return copysign(1.5 * sp_power_below(middle), middle) - to_middle - rate * SP_CHUNK_WARM;
}

static sp_chunk_band band_of(const sp_chunked *c, int64_t b)
{
    int32_t lanes = sp_lanes_count(c->isa), K = c->rules->n_classes;
    int64_t first = b * lanes;
    sp_chunk_band band = {.rules = c->rules,
                          .dtype = c->scores->dtype,
                          .n_chunks = (int32_t)(c->n_chunks - first < lanes ? c->n_chunks - first : lanes),
                          .n_steps = c->chunk_steps,
                          .n_parts = c->n_parts,
                          .words = c->words + (size_t)b * c->band_bytes,
                          .arrive = c->arrive + first * c->n_parts * K,
                          .leave = c->leave + first * K};
    double rate, top = guess_top(c, b, &rate);
    for (int32_t lane = 0; lane < lanes; lane++) {
        int64_t step = c->n_head + (first + (lane < band.n_chunks ? lane : 0)) * c->chunk_steps;
        band.rows[lane] = rows_at(c, step);
        band.path[lane] = c->path ? c->path + step : NULL;
        band.begin[lane] = begin_of(c, top + rate * (double)(lane * c->chunk_steps), rate);
    }
    return band;
}

/* What sp_chunk_is_proved() asks of the scores of a chunk, whose last bit is known by now, while they are near. Returns its
 * growth. */
static double look_at(const sp_chunked *c, int64_t chunk)
{
    int32_t K = c->rules->n_classes;
    double top = sp_chunk_top(K, c->arrive + chunk * c->n_parts * K),
           bit = top != 0 && isfinite(top) ? sp_last_bit(sp_power_below(top)) : 1;
    bool has_half;
    c->most[chunk] = sp_isa_kernels_of(c->isa)->look(
        c->scores->dtype, rows_at(c, c->n_head + chunk * c->chunk_steps), c->chunk_steps * K, bit, &has_half);
    c->has_half[chunk] = has_half;
    return sp_chunk_top(K, c->leave + chunk * K) - top;
}

static void decode_bands(void *arg, sp_scratch *scratch, int64_t first, int64_t last)
{
    const sp_chunked *c = arg;
    const sp_isa_kernels *kernels = sp_isa_kernels_of(c->isa);
    (void)scratch;
    for (int64_t b = first; b < last; b++) {
        sp_chunk_band band = band_of(c, b);
        double growth = 0;
        int64_t chunk = b * sp_lanes_count(c->isa);
        kernels->chunks_forward(&band);
        if (c->path)
            kernels->chunks_trace(&band);
        for (int64_t i = 0; i < band.n_chunks; i++)
            growth += look_at(c, chunk + i);
        atomic_store_explicit(&c->growth[b], isfinite(growth) ? growth : 0, memory_order_relaxed);
    }
}

/* ---- words ---- */

static chunk_words words_of(const sp_chunked *c, int64_t chunk)
{
    int32_t lanes = sp_lanes_count(c->isa), width = lanes / 4, lane = (int32_t)(chunk % lanes),
            size = c->rules->word_size;
    int32_t vector = lane / width, shared = 8 / size; /* vectors whose words share 64 bits, see lane_step() */
    return (chunk_words){.first = (uint64_t *)(c->words + (size_t)(chunk / lanes) * c->band_bytes) +
                                  (size_t)(vector / shared) * (size_t)width + lane % width,
                         .stride = (int64_t)lanes * size / 8,
                         .shift = vector % shared * 8 * size,
                         .mask = size == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * size) - 1};
}

static chunk_words words_of_head(const sp_chunked *c)
{
    return (chunk_words){.first = c->loose_words, .stride = 1, .shift = 0, .mask = UINT64_MAX};
}

static chunk_words words_of_tail(const sp_chunked *c)
{
    return (chunk_words){.first = c->loose_words + c->n_head, .stride = 1, .shift = 0, .mask = UINT64_MAX};
}

static chunk_words words_from(chunk_words words, int64_t t)
{
    words.first += t * words.stride;
    return words;
}

static void put_word(const chunk_words *w, int64_t t, uint64_t word)
{
    uint64_t *at = w->first + t * w->stride;
    *at = (*at & ~(w->mask << w->shift)) | word << w->shift;
}

static int bits_of(const sp_lane_rules *r)
{
    return r->word_size == 2 ? 3 : 4;
}

static int32_t state_before(const sp_lane_rules *r, const chunk_words *w, int64_t t, int32_t state)
{
    int bits = bits_of(r);
    return (int32_t)(w->first[t * w->stride] >> (w->shift + bits * state) & ((1U << bits) - 1));
}

/* ---- one step after another ---- */

/* A word of single.h as one of the lanes. */
static uint64_t lane_word(const sp_lane_rules *r, const sp_single_rules *single, uint64_t word)
{
    uint64_t out = 0;
    int bits = bits_of(r);
    for (int32_t j = 0; j < r->n_classes; j++)
        out |= sp_single_before(single, word, (uint64_t)j) << bits * j;
    return out;
}

/* Steps first .. first+n-1: delta[K] goes from the step before to the last. */
static void serial_forward(const sp_chunked *c, const sp_single_rules *single, int64_t first, int64_t n,
                           double *delta, const chunk_words *words)
{
    enum { BLOCK = 512 };
    uint64_t block[BLOCK];
    _Alignas(64) double now[SP_SINGLE_MOST_CLASSES];
    int32_t K = c->rules->n_classes;
    int64_t t = 0;
    for (int32_t j = 0; j < SP_SINGLE_MOST_CLASSES; j++)
        now[j] = j < K ? delta[j] : -INFINITY;
    if (first == 0 && !c->before && n > 0) {
        for (int32_t j = 0; j < K; j++)
            now[j] = c->rules->start[j] + sp_scores_at(c->scores, 0, j);
        put_word(words, t++, 0);
    }
    while (t < n) {
        /* cppcheck-suppress legacyUninitvar ; the kernel fills it */
        sp_single_steps steps = {
            single, c->scores->dtype, rows_at(c, first + t), n - t < BLOCK ? n - t : BLOCK, now, block};
        sp_isa_kernels_of(c->isa)->single(&steps);
        for (int64_t i = 0; i < steps.n; i++)
            put_word(words, t + i, lane_word(c->rules, single, block[i]));
        t += steps.n;
    }
    memcpy(delta, now, (size_t)K * sizeof *delta);
}

/* ---- seams forward ---- */

/* Accepts each chunk that is proved and shifts it; does parts of the others again. delta[K]: in: before the first; out: at the
 * last. */
static void join_forward(sp_chunked *c, const sp_single_rules *single, double *delta)
{
    int32_t K = c->rules->n_classes;
    for (int64_t chunk = 0; chunk < c->n_chunks; chunk++) {
        const double *leave = c->leave + chunk * K;
        int64_t part = 0;
        double shift;
        for (; part < c->n_parts && !sp_chunk_is_proved(c, chunk, part, delta, &shift); part++) {
            int64_t t = part * SP_CHUNK_PART,
                    n = c->chunk_steps - t < SP_CHUNK_PART ? c->chunk_steps - t : SP_CHUNK_PART;
            chunk_words words = words_from(words_of(c, chunk), t);
            serial_forward(c, single, c->n_head + chunk * c->chunk_steps + t, n, delta, &words);
        }
        c->n_redone[chunk] = (uint8_t)part;
        if (part < c->n_parts)
            for (int32_t j = 0; j < K; j++)
                delta[j] = leave[j] + shift;
    }
}

/* ---- seams backward ---- */

/* Follows the path down from `state` at the last of n steps from `first` on, until it meets what is there already or the first is
 * passed. Returns the state before `first`. */
static int32_t retrace(const sp_chunked *c, const chunk_words *words, int64_t first, int64_t n, int32_t state,
                       bool may_meet)
{
    int32_t *path = c->path + first;
    int64_t t = n - 1;
    for (; t >= 0 && !(may_meet && path[t] == state); t--) {
        path[t] = state;
        state = state_before(c->rules, words, t, state);
    }
    return t >= 0 ? state_before(c->rules, words, 0, path[0]) : state;
}

/* ---- all of it ---- */

static void cut(sp_chunked *c)
{
    int64_t lanes = sp_lanes_count(c->isa), n = c->scores->n_steps;
    int64_t wanted = n >= MANY_STEPS ? CHUNK_OF_MANY : CHUNK, rest = n - HEAD;
    c->n_head = c->n_whole = n;
    c->n_chunks = c->n_bands = c->chunk_steps = c->n_parts = 0;
    if (rest < LEAST_CHUNK * lanes)
        return;
    int64_t n_bands = (rest + lanes * wanted - 1) / (lanes * wanted);
    c->chunk_steps = rest / (lanes * n_bands) / SP_LANES_TILE * SP_LANES_TILE;
    if (c->chunk_steps % 64 ==
        0) /* lanes at equal places of their pages would drive each other out of the first cache */
        c->chunk_steps -= SP_LANES_TILE;
    c->n_parts = (c->chunk_steps + SP_CHUNK_PART - 1) / SP_CHUNK_PART;
    c->n_head = HEAD;
    c->n_chunks = rest / c->chunk_steps;
    c->n_bands = (c->n_chunks + lanes - 1) / lanes;
    c->n_whole = c->n_head + c->n_chunks * c->chunk_steps;
    c->band_bytes = sp_lane_words_bytes(c->rules->word_size, c->isa, c->chunk_steps);
}

static bool chunked_room(sp_chunked *c, sp_scratch *scratch)
{
    size_t K = (size_t)c->rules->n_classes, chunks = (size_t)c->n_chunks, bands = (size_t)c->n_bands,
           parts = (size_t)c->n_parts;
    size_t n_loose = (size_t)(c->n_head + c->scores->n_steps - c->n_whole);
    c->words = sp_scratch_get(scratch, bands, c->band_bytes);
    c->loose_words = sp_scratch_get(scratch, n_loose, sizeof *c->loose_words);
    c->arrive = sp_scratch_get(scratch, ((parts + 1) * K + 1) * chunks, sizeof *c->arrive);
    c->growth = sp_scratch_get(scratch, bands, sizeof *c->growth);
    c->has_half = sp_scratch_get(scratch, 2 * chunks, sizeof *c->has_half);
    if (!c->words || !c->loose_words || !c->arrive || !c->growth || !c->has_half)
        return false;
    c->leave = c->arrive + chunks * parts * K;
    c->most = c->leave + chunks * K;
    c->n_redone = c->has_half + chunks;
    for (size_t b = 0; b < bands; b++)
        atomic_init(&c->growth[b], NAN);
    return true;
}

sp_status sp_chunks_forward(sp_chunked *c, sp_workers *workers, double *after)
{
    int32_t K = c->rules->n_classes;
    sp_single_rules single;
    double delta[SP_LANES_MOST_CLASSES] = {0};
    sp_single_rules_take(&single, c->rules, NULL);
    cut(c);
    if (!chunked_room(c, sp_workers_scratch(workers)))
        return SP_ENOMEM;
    if (c->before)
        memcpy(delta, c->before, (size_t)K * sizeof *delta);
    double top_before = sp_chunk_top(K, delta);
    chunk_words words = words_of_head(c);
    serial_forward(c, &single, 0, c->n_head, delta, &words);
    if (c->n_chunks > 0) {
        c->top = sp_chunk_top(K, delta);
        c->rate = (c->top - top_before) / (double)c->n_head;
        sp_workers_share(workers, c->n_bands, decode_bands, c);
        join_forward(c, &single, delta);
    }
    words = words_of_tail(c);
    serial_forward(c, &single, c->n_whole, c->scores->n_steps - c->n_whole, delta, &words);
    memcpy(after, delta, (size_t)K * sizeof *delta);
    return SP_OK;
}

int32_t sp_chunks_trace(const sp_chunked *c, int32_t state)
{
    chunk_words words = words_of_tail(c);
    state = retrace(c, &words, c->n_whole, c->scores->n_steps - c->n_whole, state, false);
    for (int64_t chunk = c->n_chunks - 1; chunk >= 0; chunk--) {
        int64_t first = c->n_head + chunk * c->chunk_steps, n = (int64_t)c->n_redone[chunk] * SP_CHUNK_PART;
        n = n < c->chunk_steps ? n : c->chunk_steps;
        words = words_from(words_of(c, chunk), n);
        state = retrace(c, &words, first + n, c->chunk_steps - n, state, true);
        words = words_of(c, chunk);
        state = retrace(c, &words, first, n, state, false);
    }
    words = words_of_head(c);
    return retrace(c, &words, 0, c->n_head, state, false);
}

int32_t sp_chunks_last(const sp_lane_rules *rules, const double *delta)
{
    double best = -INFINITY;
    int32_t state = -1;
    for (int32_t j = 0; j < rules->n_classes; j++)
        if (delta[j] + rules->end[j] > best) {
            best = delta[j] + rules->end[j];
            state = j;
        }
    return state;
}

sp_status sp_chunks_viterbi(sp_isa isa, const sp_lane_rules *rules, const sp_scores *scores,
                            sp_workers *workers, int32_t *path, double *score)
{
    sp_chunked c = {.isa = isa, .rules = rules, .scores = scores, .path = path};
    double delta[SP_LANES_MOST_CLASSES];
    sp_status status = sp_chunks_forward(&c, workers, delta);
    if (status != SP_OK)
        return status;
    int32_t state = sp_chunks_last(rules, delta);
    if (state < 0)
        return SP_ENOPATH;
    sp_chunks_trace(&c, state);
    *score = delta[state] + rules->end[state];
    return SP_OK;
}
