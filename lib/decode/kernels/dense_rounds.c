#include "decode/kernels/dense_rounds.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "decode/kernels/chunks/chunks_proof.h"
#include "decode/kernels/dense_pass.h"
#include "decode/kernels/isa_kernels.h"

enum {
    HEAD = 2,           /* blocks that one thread makes, to learn how delta grows */
    LEAST_CHUNK = 4,    /* blocks */
    MOST_CHUNK = 32,    /* blocks */
    SETTLE = 32,        /* steps after a chunk that say where the path comes from */
    LEAST_STEPS = 8192, /* of a recording: the powers of two that a shorter one passes are too many */
    ROUNDS = 4,         /* that a short recording is divided into */
    MAY_FAIL = 3,       /* rounds in a row of which no guess was proved, before some are made by one thread */
    MOST_FAILED = 20    /* that are counted */
};

typedef struct rounds {
    sp_dense_pass *pass; /* of the caller; its threads have copies */
    double most_weight;  /* 0 or more */
    double known_bit;    /* the last bit that has_half_weight is of; 0: none */
    bool has_half_weight;
    /* Of a round: */
    int64_t begin, n_chunks, chunk; /* its first block, and blocks of a chunk */
    int64_t end;                    /* the block after its last */
    double top, rate;               /* of delta before it, and by how much it grows a step */
    double most_growth;             /* by which it can grow a step, as far as chunks have shown */
    double *leave;                  /* [n_threads, width] delta at the last step of each chunk */
    double *most;                   /* [n_threads] the greatest score of each chunk but the first */
    bool *has_half;                 /* [n_threads] see sp_items_look() */
    atomic_bool no_memory;
} rounds;

static int64_t chunk_begin(const rounds *w, int64_t i)
{
    const int64_t b = w->begin + i * w->chunk;
    return b < w->end ? b : w->end;
}

static double top_of(const sp_dense_pass *p, const double *delta)
{
    return sp_chunk_top(p->dense->n, delta);
}

/* ---- a chunk ---- */

/* From where delta stays as far as can be from both powers of two that it is between. */
static double begin_of(const rounds *w, int64_t i)
{
    const double n_steps = (double)(w->chunk * w->pass->block);
    const double to_middle = w->rate * n_steps / 2,
                 middle = w->top + w->rate * n_steps * (double)i + to_middle;
    if (middle == 0 || !isfinite(middle))
        return 0;
    return copysign(1.5 * sp_power_below(middle), middle) - to_middle - w->rate * SP_CHUNK_WARM;
}

static void warm_up(sp_dense_pass *p, int64_t b, double begin)
{
    const int64_t first = sp_dense_block_begin(p, b) - SP_CHUNK_WARM;
    double *now = sp_dense_delta(p, first - 1);
    for (size_t j = 0; j < p->dense->width; j++)
        now[j] = j < (size_t)p->dense->n ? begin : -INFINITY;
    for (int64_t t = first; t < first + SP_CHUNK_WARM; t++) {
        double *next = sp_dense_delta(p, t);
        sp_dense_forward(p->dense, p->scores, t, now, next, &p->part);
        now = next;
    }
    memcpy(sp_dense_mark(p, b), now, p->dense->width * sizeof *now);
}

/* What the proof asks of the scores, while they are near. */
static void look_at(rounds *w, int64_t i)
{
    const sp_dense_pass *p = w->pass;
    const size_t K = (size_t)p->scores->n_classes, size = (size_t)p->scores->dtype;
    const int64_t first = sp_dense_block_begin(p, chunk_begin(w, i)),
                  last = sp_dense_block_begin(p, chunk_begin(w, i + 1));
    const double top = top_of(p, sp_dense_mark(p, chunk_begin(w, i)));
    const double bit = top != 0 && isfinite(top) ? sp_last_bit(sp_power_below(top)) : 1;
    w->most[i] =
        p->dense->kernels->look(p->scores->dtype, (const char *)p->scores->data + (size_t)first * K * size,
                                (last - first) * (int64_t)K, bit, &w->has_half[i]);
}

static void make_chunks(void *arg, sp_scratch *scratch, int64_t first, int64_t last)
{
    rounds *w = arg;
    for (int64_t i = first; i < last; i++) {
        const sp_scratch_mark mark = sp_scratch_here(scratch);
        sp_dense_pass p = *w->pass;
        if (!sp_dense_pass_take_ring(&p, scratch)) {
            w->no_memory = true;
            return;
        }
        if (i > 0)
            warm_up(&p, chunk_begin(w, i), begin_of(w, i));
        sp_dense_pass_forward(&p, chunk_begin(w, i), chunk_begin(w, i + 1),
                              w->leave + (size_t)i * p.dense->width);
        sp_dense_pass_settle(&p, chunk_begin(w, i + 1), w->leave + (size_t)i * p.dense->width, SETTLE);
        if (i > 0)
            look_at(w, i);
        sp_scratch_release(scratch, mark);
    }
}

/* ---- the proof ---- */

static bool may_have_half(rounds *w, int64_t i, double bit)
{
    const sp_chain *chain = w->pass->dense->chain;
    const double begun = top_of(w->pass, sp_dense_mark(w->pass, chunk_begin(w, i)));
    if (w->known_bit != bit) {
        w->known_bit = bit;
        w->has_half_weight = false;
        for (int64_t p = 0; p < chain->succ_row[chain->n_states] && !w->has_half_weight; p++)
            w->has_half_weight = sp_is_half(chain->succ_weight[p], bit);
    }
    return w->has_half_weight || w->has_half[i] || begun == 0 || sp_last_bit(sp_power_below(begun)) != bit;
}

/* Is chunk i what comes of delta[], shifted? */
static bool is_proved(rounds *w, int64_t i, const double *delta, double *shift)
{
    const sp_dense_pass *p = w->pass;
    const int64_t b = chunk_begin(w, i);
    const sp_chunk_claim claim = {.n = p->dense->n,
                                  .arrive = sp_dense_mark(p, b),
                                  .leave = w->leave + (size_t)i * p->dense->width,
                                  .delta = delta,
                                  .n_steps = (chunk_begin(w, i + 1) - b) * p->block,
                                  .most = w->most_weight + (w->most[i] > 0 ? w->most[i] : 0)};
    bool needs_even;
    return sp_chunk_claim_is_proved(&claim, shift, &needs_even) &&
           (!needs_even || !may_have_half(w, i, sp_last_bit(sp_power_below(top_of(p, delta)))));
}

/* ---- rounds ---- */

/* Ends the round before the first chunk that is not proved. Returns whether one was. */
static bool make_round(rounds *w, sp_workers *workers)
{
    sp_dense_pass *p = w->pass;
    const size_t width = p->dense->width;
    double shift = 0;
    int64_t i = 1;
    sp_workers_share(workers, w->n_chunks, make_chunks, w);
    if (w->no_memory)
        return false;
    double *delta = w->leave; /* the true one at the last step of chunk i - 1 */
    for (; i < w->n_chunks && is_proved(w, i, delta, &shift); i++) {
        delta = w->leave + (size_t)i * width;
        for (size_t j = 0; j < width; j++)
            delta[j] += shift;
        w->most_growth = fmax(w->most_growth, w->most_weight + fmax(w->most[i], 0));
    }
    w->end = chunk_begin(w, i);
    memcpy(sp_dense_mark(p, w->end), delta, width * sizeof *delta);
    p->held = -1;
    return i > 1;
}

/* Blocks of the chunks of a round of n chunks, `most` at most: so many that delta passes no power of two but in the first chunk,
 * as far as can be foreseen. By as much as delta might grow in a chunk it must keep away from them, too. */
static int64_t choose_chunk(const rounds *w, int64_t n, int64_t most)
{
    const double rate = fabs(w->rate) * (double)w->pass->block,
                 room = w->most_growth * (double)w->pass->block / rate;
    if (!(w->top * w->rate > 0) || !isfinite(rate) || !(room < 1))
        return most;
    const double cross = (2 * sp_power_below(w->top) - fabs(w->top)) / rate; /* blocks until then */
    double chunk = (cross - 1) / ((double)n + room);
    if (chunk < LEAST_CHUNK)
        chunk = ceil((cross + 2) / (1 - room));
    return chunk < LEAST_CHUNK ? LEAST_CHUNK : chunk > (double)most ? most : (int64_t)chunk;
}

/* The next round: its blocks, divided among as many threads as can have LEAST_CHUNK of them. */
static void plan_round(rounds *w, int64_t n_threads, int64_t most)
{
    const int64_t left = w->pass->n_blocks - w->begin,
                  can = left / LEAST_CHUNK < n_threads ? left / LEAST_CHUNK : n_threads;
    const int64_t n = can < 1 ? 1 : can, chunk = choose_chunk(w, n, most), even = (left + n - 1) / n;
    w->chunk = chunk < even ? chunk : even;
    w->end = w->begin + n * w->chunk < w->pass->n_blocks ? w->begin + n * w->chunk : w->pass->n_blocks;
    w->n_chunks = (w->end - w->begin + w->chunk - 1) / w->chunk;
}

/* From the block after the head on. */
static void make_rounds(rounds *w, sp_workers *workers)
{
    sp_dense_pass *p = w->pass;
    const int64_t n_threads = sp_workers_count(workers);
    int64_t most = (p->n_blocks - HEAD) / (n_threads * ROUNDS), n_failed = 0,
            n_alone = 0; /* the last two: rounds */
    most = most < LEAST_CHUNK ? LEAST_CHUNK : most > MOST_CHUNK ? MOST_CHUNK : most;
    for (w->begin = HEAD; w->begin < p->n_blocks && !w->no_memory; w->begin = w->end) {
        plan_round(w, n_threads, most);
        if (n_alone > 0 || w->n_chunks < 2) {
            sp_dense_pass_forward(p, w->begin, w->end, sp_dense_mark(p, w->end));
            n_alone -= n_alone > 0;
        } else if (make_round(w, workers)) {
            n_failed = 0;
        } else {
            n_failed += n_failed < MOST_FAILED;
            n_alone = n_failed > MAY_FAIL ? 1 << (n_failed - MAY_FAIL) : 0;
        }
        const double top = top_of(p, sp_dense_mark(p, w->end));
        w->rate = (top - w->top) / (double)((w->end - w->begin) * p->block);
        w->top = top;
    }
}

bool sp_dense_rounds_pay(const sp_scores *scores, int n_threads)
{
    return n_threads > 1 && scores->n_steps >= LEAST_STEPS;
}

sp_status sp_dense_rounds_forward(sp_dense_pass *p, sp_workers *workers)
{
    const size_t n_threads = (size_t)sp_workers_count(workers), width = p->dense->width;
    const sp_chain *chain = p->dense->chain;
    rounds w = {.pass = p};
    w.leave = sp_scratch_get(sp_workers_scratch(workers), n_threads * (width + 2), sizeof *w.leave);
    if (!w.leave)
        return SP_ENOMEM;
    w.most = w.leave + n_threads * width;
    w.has_half = (bool *)(w.most + n_threads);
    for (int64_t e = 0; e < chain->succ_row[chain->n_states]; e++)
        w.most_weight = fmax(chain->succ_weight[e], w.most_weight);
    sp_dense_pass_forward(p, 0, HEAD, sp_dense_mark(p, HEAD));
    w.most_growth = w.most_weight;
    w.top = top_of(p, sp_dense_mark(p, HEAD));
    w.rate = (w.top - top_of(p, sp_dense_mark(p, 1))) / (double)((HEAD - 1) * p->block);
    make_rounds(&w, workers);
    return w.no_memory ? SP_ENOMEM : SP_OK;
}

sp_status sp_dense_rounds_viterbi(const sp_dense *dense, const sp_scores *scores, sp_workers *workers,
                                  int32_t *path, double *score)
{
    sp_dense_pass p;
    if (!sp_dense_pass_init(&p, dense, scores, SP_DENSE_ROUNDS_BLOCK, sp_workers_scratch(workers)))
        return SP_ENOMEM;
    p.path = path;
    const sp_status status = sp_dense_rounds_forward(&p, workers);
    if (status != SP_OK)
        return status;
    *score = sp_dense_pass_back(&p);
    return *score > -INFINITY ? SP_OK : SP_ENOPATH;
}
