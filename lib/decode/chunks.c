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

bool sp_chunks_fit(const sp_scores *scores)
{
    return scores->n_steps > SP_CHUNKS_LEAST && !sp_scores_have_gap(scores);
}

/* ---- bands ---- */

static sp_chunk_band band_of(const sp_chunked *c, int64_t b)
{
    int32_t lanes = sp_lanes_count(c->isa), K = c->rules->n_classes;
    int64_t first = b * lanes;
    sp_chunk_band band = {.rules = b == 0 && c->before ? &c->first_rules : c->rules,
                          .dtype = c->scores->dtype,
                          .is_first = b == 0,
                          .n_chunks = (int32_t)(c->n_chunks - first < lanes ? c->n_chunks - first : lanes),
                          .n_steps = c->chunk_steps,
                          .words = c->words + (size_t)b * c->band_bytes,
                          .arrive = c->arrive + first * K,
                          .leave = c->leave + first * K,
                          .first = first * c->chunk_steps,
                          .grown = c->grown + first};
    for (int32_t lane = 0; lane < lanes; lane++) {
        int64_t step = (first + (lane < band.n_chunks ? lane : 0)) * c->chunk_steps;
        band.rows[lane] = (const char *)c->scores->data + (size_t)step * (size_t)K * (size_t)c->scores->dtype;
        band.path[lane] = c->path ? c->path + step : NULL;
    }
    return band;
}

static void forward_band(sp_isa isa, const sp_chunk_band *band)
{
    switch (isa) {
#if defined(__x86_64__)
    case SP_ISA_AVX512:
        sp_chunks_forward_avx512(band);
        break;
    case SP_ISA_AVX2:
        sp_chunks_forward_avx2(band);
        break;
#endif
    default:
        sp_chunks_forward_base(band);
    }
}

static void trace_band(sp_isa isa, const sp_chunk_band *band)
{
    switch (isa) {
#if defined(__x86_64__)
    case SP_ISA_AVX512:
        sp_chunks_trace_avx512(band);
        break;
    case SP_ISA_AVX2:
        sp_chunks_trace_avx2(band);
        break;
#endif
    default:
        sp_chunks_trace_base(band);
    }
}

/* The scores that the path takes at steps first .. first+n-1: taken[n]. */
static void take_steps(const sp_chunked *c, int64_t first, int64_t n, void *taken)
{
    sp_scores part = *c->scores;
    part.data = (const char *)part.data + (size_t)first * (size_t)part.n_classes * (size_t)part.dtype;
    sp_path_take(&part, c->path + first, 0, n, taken);
}

static sp_sum_in_range *sum_in_range_of(sp_isa isa)
{
    switch (isa) {
#if defined(__x86_64__)
    case SP_ISA_AVX512:
        return sp_sum_in_range_avx512;
    case SP_ISA_AVX2:
        return sp_sum_in_range_avx2;
#endif
    default:
        return sp_sum_in_range_base;
    }
}

/* Adds up the chunks of a band, each as if the recording had grown before as it does there. */
static void sum_band(const sp_chunked *c, int64_t first_chunk, int32_t n_chunks)
{
    enum { ROOM = (CHUNK_OF_MANY + SP_SUM_BLOCK - 1) / SP_SUM_BLOCK * SP_SUM_BLOCK };
    float taken[ROOM] = {0}; /* zeros behind the last step add nothing */
    int64_t n = (c->chunk_steps + SP_SUM_BLOCK - 1) / SP_SUM_BLOCK * SP_SUM_BLOCK;
    for (int64_t chunk = first_chunk; chunk < first_chunk + n_chunks; chunk++) {
        sp_chunk_sum *sum = &c->sums[chunk];
        double guess = ((double)chunk + 0.5) * c->grown[chunk];
        take_steps(c, chunk * c->chunk_steps, c->chunk_steps, taken);
        sum->holds = sum_in_range_of(c->isa)(guess, taken, n, &sum->power, &sum->sum);
    }
}

static void decode_bands(void *arg, sp_scratch *scratch, int64_t first, int64_t last)
{
    const sp_chunked *c = arg;
    (void)scratch;
    for (int64_t b = first; b < last; b++) {
        sp_chunk_band band = band_of(c, b);
        forward_band(c->isa, &band);
        if (!c->path)
            continue;
        trace_band(c->isa, &band);
        if (c->sums)
            sum_band(c, band.first / c->chunk_steps, band.n_chunks);
        else if (c->taken)
            sp_path_take(c->scores, c->path, band.first, band.n_chunks * band.n_steps, c->taken);
    }
}

/* ---- words ---- */

static chunk_words words_of(const sp_chunked *c, int64_t chunk)
{
    int32_t lanes = sp_lanes_count(c->isa), width = lanes / 4, lane = (int32_t)(chunk % lanes), size = c->rules->word_size;
    int32_t vector = lane / width, shared = 8 / size; /* vectors whose words share 64 bits, see lane_step() */
    return (chunk_words){.first = (uint64_t *)(c->words + (size_t)(chunk / lanes) * c->band_bytes) + vector / shared * width +
                                  lane % width,
                         .stride = (int64_t)lanes * size / 8,
                         .shift = vector % shared * 8 * size,
                         .mask = size == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * size) - 1};
}

static chunk_words words_of_tail(const sp_chunked *c)
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
static void serial_forward(const sp_chunked *c, int64_t first, int64_t n, double *delta, const chunk_words *words)
{
    const sp_lane_rules *r = c->rules;
    double next[SP_LANES_MOST_CLASSES], row[SP_LANES_MOST_CLASSES];
    for (int64_t t = 0; t < n; t++) {
        const double *e = sp_row(c->scores, first + t, row);
        put_word(words, t, serial_step(r, delta, next, e));
        memcpy(delta, next, (size_t)r->n_classes * sizeof *delta);
        if (first + t == 0 && !c->before)
            for (int32_t j = 0; j < r->n_classes; j++)
                delta[j] = r->start[j] + e[j];
        if (t % SP_CHUNK_TOP == 0)
            take_top(r->n_classes, delta);
    }
}

/* Accepts each chunk whose warm-up ended in the last delta of the chunk before, bit for bit; does the others again. */
static void join_forward(sp_chunked *c)
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

/* x as it changes a sum in this range: see sum_block(). */
static double rounded_in(sp_chunk_sum *sum, double x)
{
    double shift = 1.5 * sum->power, half = 0x1p-53 * sum->power, rounded = (x + shift) - shift, rest = x - rounded;
    sum->holds &= rest != half && rest != -half && x <= 0;
    return rounded;
}

/* Follows the path down from `state` at the last of n steps from `first` on, until it meets what is there already or the chunk
 * is left, and takes its scores, or changes *sum for them (not NULL: what is there is what was added). Returns the state before
 * `first`. */
static int32_t retrace(const sp_chunked *c, const chunk_words *words, int64_t first, int64_t n, int32_t state, bool may_meet,
                       sp_chunk_sum *sum)
{
    int32_t *path = c->path + first;
    int64_t t = n - 1;
    for (; t >= 0 && !(may_meet && path[t] == state); t--) {
        if (sum)
            sum->sum += rounded_in(sum, sp_scores_at(c->scores, first + t, state)) -
                        rounded_in(sum, sp_scores_at(c->scores, first + t, path[t]));
        path[t] = state;
        state = state_before(c->rules, words, t, state);
    }
    if (c->taken && !c->sums)
        sp_path_take(c->scores, c->path, first + t + 1, n - 1 - t, c->taken);
    return t < 0 ? state : state_before(c->rules, words, 0, path[0]);
}

/* ---- the score ---- */

/* s and what `n` steps of the path add to it, one by one. */
static double add_steps(const sp_chunked *c, double s, int64_t first, int64_t n)
{
    take_steps(c, first, n, c->taken);
    return sp_path_sum_taken(c->isa, s, c->scores->dtype, c->taken, n);
}

/* sp_path_score() without weights, from the sums of the chunks where they hold. */
static double score_of_sums(const sp_chunked *c)
{
    double s = c->rules->start[c->path[0]];
    for (int64_t chunk = 0; chunk < c->n_chunks; chunk++) {
        const sp_chunk_sum *sum = &c->sums[chunk];
        bool holds = sum->holds && sum->sum > -0.5 * sum->power && s < -sum->power && s + sum->sum > -2 * sum->power;
        s = holds ? s + sum->sum : add_steps(c, s, chunk * c->chunk_steps, c->chunk_steps);
    }
    s = add_steps(c, s, c->n_whole, c->scores->n_steps - c->n_whole);
    return s + c->rules->end[c->path[c->scores->n_steps - 1]];
}

/* ---- all of it ---- */

static bool chunked_room(sp_chunked *c, int64_t n_tail, sp_scratch *scratch)
{
    size_t K = (size_t)c->rules->n_classes, chunks = (size_t)c->n_chunks;
    c->words = sp_scratch_get(scratch, SP_SLOT_CHUNK_WORDS, (size_t)c->n_bands, c->band_bytes);
    c->tail_words = sp_scratch_get(scratch, SP_SLOT_CHUNK_TAIL, (size_t)n_tail, sizeof *c->tail_words);
    c->arrive = sp_scratch_get(scratch, SP_SLOT_CHUNK_DELTAS, (2 * K + 1) * chunks + (chunks + 7) / 8, sizeof *c->arrive);
    if (!c->words || !c->tail_words || !c->arrive)
        return false;
    if (c->takes) {
        bool has_sums = c->scores->dtype == SP_F32 && !c->rules->has_weights;
        size_t n_taken = has_sums ? (size_t)c->chunk_steps : (size_t)c->scores->n_steps;
        c->taken = sp_scratch_get(scratch, SP_SLOT_CHUNK_TAKEN, n_taken, (size_t)c->scores->dtype);
        c->sums = sp_scratch_get(scratch, SP_SLOT_CHUNK_SUMS, chunks, sizeof *c->sums);
        if (!c->taken || !c->sums)
            return false;
        if (!has_sums)
            c->sums = NULL;
    }
    c->leave = c->arrive + chunks * K;
    c->grown = c->leave + chunks * K;
    c->is_redone = (uint8_t *)(c->grown + chunks);
    memset(c->is_redone, 0, chunks);
    return true;
}

/* What comes from the step before the piece stands where a recording's start weights stand: (before + log_trans) + e either way.
 * Returns the back-pointers of the first step. */
static uint64_t start_from_before(sp_chunked *c)
{
    static const double nothing[SP_LANES_MOST_CLASSES];
    c->first_rules = *c->rules;
    return serial_step(c->rules, c->before, c->first_rules.start, nothing);
}

sp_status sp_chunks_forward(sp_chunked *c, sp_workers *workers, double *after)
{
    int32_t K = c->rules->n_classes, lanes = sp_lanes_count(c->isa);
    c->chunk_steps = c->scores->n_steps >= MANY_STEPS ? CHUNK_OF_MANY : CHUNK;
    c->n_chunks = c->scores->n_steps / c->chunk_steps;
    c->n_bands = (c->n_chunks + lanes - 1) / lanes;
    c->n_whole = c->n_chunks * c->chunk_steps;
    c->band_bytes = sp_lane_words_bytes(c->rules->word_size, c->isa, c->chunk_steps);
    int64_t n_tail = c->scores->n_steps - c->n_whole;
    if (!chunked_room(c, n_tail, sp_workers_scratch(workers)))
        return SP_ENOMEM;

    double delta[SP_LANES_MOST_CLASSES] = {0};
    if (c->before)
        memcpy(delta, c->before, (size_t)K * sizeof *delta);
    if (c->n_chunks > 0) {
        uint64_t first_word = c->before ? start_from_before(c) : 0;
        sp_workers_share(workers, c->n_bands, decode_bands, c);
        chunk_words words = words_of(c, 0);
        put_word(&words, 0, first_word);
        join_forward(c);
        memcpy(delta, c->leave + (c->n_chunks - 1) * K, (size_t)K * sizeof *delta);
    }
    chunk_words words = words_of_tail(c);
    serial_forward(c, c->n_whole, n_tail, delta, &words);
    memcpy(after, delta, (size_t)K * sizeof *delta);
    return SP_OK;
}

int32_t sp_chunks_trace(const sp_chunked *c, int32_t state)
{
    chunk_words words = words_of_tail(c);
    int64_t n_tail = c->scores->n_steps - c->n_whole;
    if (n_tail > 0)
        state = retrace(c, &words, c->n_whole, n_tail, state, false, NULL);
    for (int64_t chunk = c->n_chunks - 1; chunk >= 0; chunk--) {
        words = words_of(c, chunk);
        state = retrace(c, &words, chunk * c->chunk_steps, c->chunk_steps, state, !c->is_redone[chunk],
                        c->sums ? &c->sums[chunk] : NULL);
    }
    return state;
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

sp_status sp_chunks_viterbi(sp_isa isa, const sp_lane_rules *rules, const sp_scores *scores, sp_workers *workers, int32_t *path,
                            double *score)
{
    sp_chunked c = {.isa = isa, .rules = rules, .scores = scores, .path = path, .takes = true};
    double delta[SP_LANES_MOST_CLASSES];
    sp_status status = sp_chunks_forward(&c, workers, delta);
    if (status != SP_OK)
        return status;
    int32_t state = sp_chunks_last(rules, delta);
    if (state < 0)
        return SP_ENOPATH;
    sp_chunks_trace(&c, state);
    *score = c.sums ? score_of_sums(&c) : sp_path_sum(isa, rules, scores, path, c.taken, true);
    return SP_OK;
}
