#include "decode/dense_piece.h"

#include <math.h>
#include <string.h>

/* The ring's share of a second-level cache, and the blocks that are never shorter or longer. */
enum { RING_BYTES = 512 << 10, LEAST_BLOCK = 64, MOST_BLOCK = 1024 };

sp_dense_piece sp_dense_piece_of(const sp_dense *dense, const sp_scores *scores, int64_t first, int64_t last, int32_t *path)
{
    int64_t block = (int64_t)(RING_BYTES / (2 * dense->width * sizeof(double))), n_steps = last - first;
    block = block < LEAST_BLOCK ? LEAST_BLOCK : block > MOST_BLOCK ? MOST_BLOCK : block;
    block = block < n_steps ? block : n_steps;
    return (sp_dense_piece){.dense = dense,
                            .scores = scores,
                            .first = first,
                            .last = last,
                            .block = block,
                            .n_blocks = (n_steps + block - 1) / block,
                            .path = path,
                            .held = -1,
                            .habit = sp_dense_habit_first()};
}

static size_t whole_lines(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

static size_t marks_bytes(const sp_dense_piece *p)
{
    return whole_lines((size_t)(p->n_blocks + 1) * p->dense->width * sizeof *p->marks);
}

size_t sp_dense_piece_bytes(const sp_dense_piece *p)
{
    size_t ties = p->tolerance > 0 ? sp_ties_bytes(p->last - p->first) : 0;
    return marks_bytes(p) + whole_lines((size_t)p->n_blocks) + whole_lines(ties);
}

void sp_dense_piece_place(sp_dense_piece *p, void *room)
{
    p->marks = room;
    p->is_open = (uint8_t *)room + marks_bytes(p);
    if (p->tolerance > 0)
        p->ties = sp_ties_in(p->is_open + whole_lines((size_t)p->n_blocks), p->last - p->first);
}

size_t sp_dense_piece_ring(const sp_dense_piece *p)
{
    return 2 * (size_t)p->block * p->dense->width;
}

static int64_t block_begin(const sp_dense_piece *p, int64_t b)
{
    int64_t t = p->first + b * p->block;
    return t < p->last ? t : p->last;
}

static double *mark(const sp_dense_piece *p, int64_t b)
{
    return p->marks + (size_t)b * p->dense->width;
}

/* ---- forward ---- */

/* delta of the steps of block b, which is one of the first two or comes after one that is in the ring, or has a mark. */
static void forward_block(sp_dense_piece *p, int64_t b)
{
    const sp_dense *d = p->dense;
    const double *now = mark(p, b);
    for (int64_t t = block_begin(p, b); t < block_begin(p, b + 1); t++) {
        double *next = sp_dense_piece_delta(p, t);
        if (t == 0) {
            for (size_t j = 0; j < d->width; j++)
                next[j] = j < (size_t)d->n ? d->chain->start[j] + sp_dense_score(p->scores, 0, (int32_t)j) : -INFINITY;
        } else {
            sp_dense_forward(d, p->scores, t, now, next, &p->habit);
        }
        if (p->tolerance > 0)
            sp_dense_size_add(&p->size, d, next);
        now = next;
    }
}

static int32_t best_state(const double *now, int32_t n)
{
    int32_t state = 0;
    for (int32_t j = 1; j < n; j++)
        if (now[j] > now[state])
            state = j;
    return state;
}

/* ---- back ---- */

/* The step and state that the trace comes to after `state` at t: the step before, or where a tie ends; {-1}: nowhere. */
static sp_dense_place step_back(sp_dense_piece *p, int64_t t, int32_t state, int64_t low)
{
    bool is_near;
    int32_t from = sp_dense_before(p->dense, sp_dense_piece_delta(p, t - 1), state, p->tolerance, &is_near);
    if (is_near)
        return sp_ties_open(&p->ties, p, t, state, low);
    return (sp_dense_place){t - 1, from};
}

/* Writes the trace from `at` down to where it meets what path[] holds below `fresh`, or to step `low`, the begin of block b: then
 * the border below that is open. */
static void trace(sp_dense_piece *p, sp_dense_place at, int64_t fresh, int64_t b)
{
    int64_t low = block_begin(p, b);
    for (;;) {
        if (at.step < fresh && p->path[at.step] == at.state)
            return;
        p->path[at.step] = at.state;
        if (p->taken)
            p->taken[at.step] = sp_dense_score(p->scores, at.step, at.state);
        if (at.step == low)
            break;
        sp_dense_place next = step_back(p, at.step, at.state, low);
        if (next.step < 0) {
            p->is_beyond = true;
            return;
        }
        for (int64_t t = next.step + 1; t < at.step; t++)
            p->path[t] = SP_TIE_UNDECIDED;
        at = next;
    }
    p->is_open[b] = b > 0;
}

void sp_dense_piece_forward(sp_dense_piece *p)
{
    for (int64_t b = 0; b < p->n_blocks && !p->is_beyond; b++) {
        int64_t begin = block_begin(p, b), end = block_begin(p, b + 1);
        forward_block(p, b);
        p->held = b > 0 ? b - 1 : 0;
        p->is_open[b] = 0;
        const double *now = sp_dense_piece_delta(p, end - 1);
        memcpy(mark(p, b + 1), now, p->dense->width * sizeof *now);
        trace(p, (sp_dense_place){end - 1, best_state(now, p->dense->n)}, begin, p->held);
    }
}

/* Closes border b, the one above block b-1: path[] above it is right. */
static void close_border(sp_dense_piece *p, int64_t b)
{
    int64_t t = block_begin(p, b);
    if (p->held < 0 || b - 1 < p->held || b - 1 > p->held + 1) {
        forward_block(p, b - 1);
        p->held = -1; /* the other half of the ring is of another block */
    }
    sp_dense_place next = step_back(p, t, p->path[t], block_begin(p, b - 1));
    if (next.step < 0) {
        p->is_beyond = true;
        return;
    }
    for (int64_t u = next.step + 1; u < t; u++)
        p->path[u] = SP_TIE_UNDECIDED;
    trace(p, next, t, b - 1);
}

static void close_borders(sp_dense_piece *p, int64_t b)
{
    for (; b > 0 && !p->is_beyond; b--)
        if (p->is_open[b])
            close_border(p, b);
}

void sp_dense_piece_back(sp_dense_piece *p, int32_t state)
{
    /* The ring may hold both blocks or, done for another piece in between, none. */
    int64_t b = p->n_blocks - 1;
    if (p->held < 0)
        forward_block(p, b);
    trace(p, (sp_dense_place){p->last - 1, state}, p->last, p->held < 0 ? b : p->held);
    close_borders(p, b);
}

void sp_dense_piece_back_from_next(sp_dense_piece *p)
{
    close_border(p, p->n_blocks);
    close_borders(p, p->n_blocks - 1);
}

sp_status sp_dense_viterbi(const sp_dense *dense, const sp_scores *scores, sp_scratch *scratch, int32_t *path, double *score)
{
    sp_dense_piece p = sp_dense_piece_of(dense, scores, 0, scores->n_steps, path);
    void *room = sp_scratch_get(scratch, SP_SLOT_DENSE_MARKS, sp_dense_piece_bytes(&p), 1);
    p.ring = sp_scratch_get(scratch, SP_SLOT_DENSE_DELTAS, sp_dense_piece_ring(&p), sizeof *p.ring);
    if (!room || !p.ring)
        return SP_ENOMEM;
    sp_dense_piece_place(&p, room);
    sp_dense_piece_forward(&p);
    int32_t state = sp_dense_last_state(dense, sp_dense_piece_end(&p), score);
    if (*score == -INFINITY)
        return SP_ENOPATH;
    sp_dense_piece_back(&p, state);
    return SP_OK;
}
