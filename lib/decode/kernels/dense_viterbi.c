/* Viterbi under a dense or sparse model, there and back, in memory that hardly grows with the recording.
 *
 * delta is kept for two blocks of steps only, few enough for the second-level cache. At the end of each block the likeliest state
 * is traced back, until it meets the trace that the block before left behind: below that they are the same path. So after each
 * block path[] holds the whole trace back from one state, and the last trace, from the state that wins in the end, is the answer.
 *
 * Under a sticky model a trace may leave both blocks without meeting the old one. Then the border that it reached is open: what
 * stands below it in path[] belongs to another trace. Of each block the delta before its first step is kept, so an open border is
 * closed in the end by doing the block below it again and tracing on: at worst each block is done twice.
 */
#include <math.h>
#include <string.h>

#include "decode/kernels/dense_pass.h"

/* The ring's share of a second-level cache, and the blocks that are never shorter or longer. */
enum { RING_BYTES = 512 << 10, LEAST_BLOCK = 64, MOST_BLOCK = 1024 };

/* ---- forward ---- */

/* delta of the steps of block b, which is one of the first two or comes after one that is in the ring, or has a mark. */
static void forward_block(sp_dense_pass *p, int64_t b)
{
    const sp_dense *d = p->dense;
    const double *now = sp_dense_mark(p, b);
    for (int64_t t = sp_dense_block_begin(p, b); t < sp_dense_block_begin(p, b + 1); t++) {
        double *next = sp_dense_delta(p, t);
        if (t == 0 && !p->goes_on)
            for (size_t j = 0; j < d->width; j++)
                next[j] = j < (size_t)d->n
                              ? d->chain->start[j] + sp_scores_at(p->scores, 0, d->chain->state_class[j])
                              : -INFINITY;
        else if (p->team)
            sp_dense_team_step(p->team, t, now, next);
        else
            sp_dense_forward(d, p->scores, t, now, next, &p->part);
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

/* Writes the trace from `state` at step t down to where it meets what path[] holds below `fresh`, or to the begin of block b:
 * then the border below that is open. */
static void trace(sp_dense_pass *p, int64_t t, int32_t state, int64_t fresh, int64_t b)
{
    int64_t low = sp_dense_block_begin(p, b);
    for (;; t--) {
        if (t < fresh && p->path[t] == state)
            return;
        p->path[t] = state;
        if (t == low)
            break;
        state = sp_dense_before(p->dense, sp_dense_delta(p, t - 1), state);
    }
    p->is_open[b] = b > 0;
}

/* ---- there and back ---- */

void sp_dense_pass_forward(sp_dense_pass *p, int64_t first, int64_t last, double *leave)
{
    for (int64_t b = first; b < last; b++) {
        int64_t begin = sp_dense_block_begin(p, b), end = sp_dense_block_begin(p, b + 1);
        forward_block(p, b);
        p->held = b > first ? b - 1 : first;
        p->is_open[b] = 0;
        const double *now = sp_dense_delta(p, end - 1);
        memcpy(b + 1 < last ? sp_dense_mark(p, b + 1) : leave, now, p->dense->width * sizeof *now);
        if (!p->path)
            continue;
        trace(p, end - 1, best_state(now, p->dense->n), begin, p->held);
    }
}

/* Closes border b, the one above block b-1: path[] above it is right. Does path[] below it belong to the same trace? */
static void close_border(sp_dense_pass *p, int64_t b)
{
    const int64_t t = sp_dense_block_begin(p, b);
    const int32_t state = sp_dense_before(p->dense, sp_dense_mark(p, b), p->path[t]);
    if (p->path[t - 1] == state)
        return;
    if (p->held < 0 || b - 1 < p->held || b - 1 > p->held + 1) {
        forward_block(p, b - 1);
        p->held = -1; /* the other half of the ring is of another block */
    }
    trace(p, t - 1, state, t, b - 1);
}

int32_t sp_dense_best_end(const sp_dense_pass *p, const double *delta, double *score)
{
    const sp_chain *c = p->dense->chain;
    int32_t state = 0;
    *score = -INFINITY;
    for (int32_t j = 0; j < c->n_states; j++)
        if (delta[j] + c->end[j] > *score) {
            *score = delta[j] + c->end[j];
            state = j;
        }
    return state;
}

int32_t sp_dense_pass_trace(sp_dense_pass *p, int32_t state)
{
    const int64_t n_steps = p->scores->n_steps;
    const double *before = p->goes_on ? sp_dense_mark(p, 0) : NULL;
    if (p->held < 0) {
        p->held = p->n_blocks - 1;
        forward_block(p, p->held);
    }
    trace(p, n_steps - 1, state, n_steps, p->held);
    for (int64_t b = p->n_blocks - 1; b > 0; b--)
        if (p->is_open[b])
            close_border(p, b);
    const int32_t state_before = before ? sp_dense_before(p->dense, before, p->path[0]) : 0;
    for (int64_t t = 0; t < n_steps && !p->dense->chain->is_plain; t++)
        p->path[t] = p->dense->chain->state_class[p->path[t]];
    return state_before;
}

double sp_dense_pass_back(sp_dense_pass *p)
{
    double score;
    const int32_t state = sp_dense_best_end(p, sp_dense_mark(p, p->n_blocks), &score);
    if (score > -INFINITY)
        sp_dense_pass_trace(p, state);
    return score;
}

bool sp_dense_pass_take_ring(sp_dense_pass *p, sp_scratch *scratch)
{
    p->held = -1;
    p->part = sp_dense_part_all(p->dense);
    p->ring = sp_scratch_get(scratch, 2 * (size_t)p->block * p->dense->width, sizeof *p->ring);
    return p->ring != NULL;
}

bool sp_dense_pass_init(sp_dense_pass *p, const sp_dense *dense, const sp_scores *scores, int64_t block,
                        sp_scratch *scratch)
{
    *p = (sp_dense_pass){
        .dense = dense, .scores = scores, .block = block, .n_blocks = (scores->n_steps + block - 1) / block};
    const size_t n_blocks = (size_t)p->n_blocks, n_marks = (n_blocks + 1) * dense->width;
    p->marks = sp_scratch_get(scratch, n_marks * sizeof *p->marks + n_blocks, 1);
    if (!p->marks)
        return false;
    p->is_open = (uint8_t *)(p->marks + n_marks);
    return sp_dense_pass_take_ring(p, scratch);
}

/* ---- one thread, or a team ---- */

sp_status sp_dense_viterbi_in_blocks(const sp_dense *dense, const sp_scores *scores, int64_t block,
                                     sp_dense_team *team, sp_scratch *scratch, int32_t *path, double *score)
{
    sp_dense_pass p;
    if (!sp_dense_pass_init(&p, dense, scores, block, scratch))
        return SP_ENOMEM;
    p.path = path;
    p.team = team;
    sp_dense_pass_forward(&p, 0, p.n_blocks, sp_dense_mark(&p, p.n_blocks));
    *score = sp_dense_pass_back(&p);
    return *score > -INFINITY ? SP_OK : SP_ENOPATH;
}

int64_t sp_dense_choose_block(const sp_dense *dense, int64_t n_steps)
{
    int64_t block = (int64_t)(RING_BYTES / (2 * dense->width * sizeof(double)));
    block = block < LEAST_BLOCK ? LEAST_BLOCK : block > MOST_BLOCK ? MOST_BLOCK : block;
    return block < n_steps ? block : n_steps;
}

sp_status sp_dense_viterbi(const sp_dense *dense, const sp_scores *scores, sp_scratch *scratch, int32_t *path,
                           double *score)
{
    const int64_t block = sp_dense_choose_block(dense, scores->n_steps);
    return sp_dense_viterbi_in_blocks(dense, scores, block, NULL, scratch, path, score);
}

/* ---- the threads of workers ---- */

bool sp_dense_pays_threads(const sp_dense *dense, const sp_scores *scores, int n_threads)
{
    return scores->n_steps >= LEAST_BLOCK && sp_dense_team_size(dense, n_threads) > 1;
}
