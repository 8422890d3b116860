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

#include "core/logmath.h"
#include "decode/kernels/dense_team.h"

/* The ring's share of a second-level cache, and the blocks that are never shorter or longer. */
enum { RING_BYTES = 512 << 10, LEAST_BLOCK = 64, MOST_BLOCK = 1024 };

typedef struct dense_pass {
    const sp_dense *dense;
    const sp_scores *scores;
    int64_t block;    /* steps of a block */
    int64_t n_blocks; /* at least one */
    int32_t *path;    /* states until the end, then classes */
    double *
        marks; /* [n_blocks + 1, width] delta of the step before each block; the last one is that of the last step */
    uint8_t *is_open;    /* [n_blocks] the border below each block */
    sp_dense_team *team; /* NULL: alone */
    double *ring;        /* [2 block, width] delta of the last two blocks */
    int64_t held;        /* the first of the blocks in the ring, -1: none */
    sp_dense_part part;
} dense_pass;

static int64_t block_begin(const dense_pass *p, int64_t b)
{
    int64_t t = b * p->block;
    return t < p->scores->n_steps ? t : p->scores->n_steps;
}

/* Delta of the step before block b. */
static double *mark_of(const dense_pass *p, int64_t b)
{
    return p->marks + (size_t)b * p->dense->width;
}

/* Delta of step t, which is in the ring. */
static double *delta_of(const dense_pass *p, int64_t t)
{
    return p->ring + (size_t)(t % (2 * p->block)) * p->dense->width;
}

/* ---- forward ---- */

/* delta of the steps of block b, which is one of the first two or comes after one that is in the ring, or has a mark. */
static void forward_block(dense_pass *p, int64_t b)
{
    const sp_dense *d = p->dense;
    const double *now = mark_of(p, b);
    for (int64_t t = block_begin(p, b); t < block_begin(p, b + 1); t++) {
        double *next = delta_of(p, t);
        if (t == 0)
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

/* ---- back ---- */

/* Writes the trace from `state` at step t down to where it meets what path[] holds below `fresh`, or to the begin of block b:
 * then the border below that is open. */
static void trace(dense_pass *p, int64_t t, int32_t state, int64_t fresh, int64_t b)
{
    int64_t low = block_begin(p, b);
    for (;; t--) {
        if (t < fresh && p->path[t] == state)
            return;
        p->path[t] = state;
        if (t == low)
            break;
        state = sp_dense_before(p->dense, delta_of(p, t - 1), state);
    }
    p->is_open[b] = b > 0;
}

/* ---- there and back ---- */

/* All blocks: marks, borders, and the path but for its end. */
static void go_forward(dense_pass *p)
{
    for (int64_t b = 0; b < p->n_blocks; b++) {
        int64_t begin = block_begin(p, b), end = block_begin(p, b + 1);
        forward_block(p, b);
        p->held = b > 0 ? b - 1 : 0;
        p->is_open[b] = 0;
        const double *now = delta_of(p, end - 1);
        memcpy(mark_of(p, b + 1), now, p->dense->width * sizeof *now);
        int32_t state;
        sp_greatest_sum(now, NULL, p->dense->n, &state);
        trace(p, end - 1, state, begin, p->held);
    }
}

/* Closes border b, the one above block b-1: path[] above it is right. Does path[] below it belong to the same trace? */
static void close_border(dense_pass *p, int64_t b)
{
    const int64_t t = block_begin(p, b);
    const int32_t state = sp_dense_before(p->dense, mark_of(p, b), p->path[t]);
    if (p->path[t - 1] == state)
        return;
    if (p->held < 0 || b - 1 < p->held || b - 1 > p->held + 1) {
        forward_block(p, b - 1);
        p->held = -1; /* the other half of the ring is of another block */
    }
    trace(p, t - 1, state, t, b - 1);
}

/* The state that the best path ends in, the lowest among equals. */
static int32_t best_end(const dense_pass *p, double *score)
{
    const sp_chain *c = p->dense->chain;
    const double *delta = mark_of(p, p->n_blocks);
    int32_t state = 0;
    *score = -INFINITY;
    for (int32_t j = 0; j < c->n_states; j++)
        if (delta[j] + c->end[j] > *score) {
            *score = delta[j] + c->end[j];
            state = j;
        }
    return state;
}

/* The path that ends in that state, in classes. */
static void go_back(dense_pass *p, int32_t state)
{
    const sp_chain *c = p->dense->chain;
    const int64_t n_steps = p->scores->n_steps;
    trace(p, n_steps - 1, state, n_steps, p->held);
    for (int64_t b = p->n_blocks - 1; b > 0; b--)
        if (p->is_open[b])
            close_border(p, b);
    for (int64_t t = 0; t < n_steps && !c->is_plain; t++)
        p->path[t] = c->state_class[p->path[t]];
}

/* False on lack of memory. */
static bool pass_init(dense_pass *p, sp_scratch *scratch)
{
    const size_t n_blocks = (size_t)p->n_blocks, n_marks = (n_blocks + 1) * p->dense->width;
    p->held = -1;
    p->part = sp_dense_part_all(p->dense);
    p->ring = sp_scratch_get(scratch, 2 * (size_t)p->block * p->dense->width, sizeof *p->ring);
    p->marks = sp_scratch_get(scratch, n_marks * sizeof *p->marks + n_blocks, 1);
    if (!p->ring || !p->marks)
        return false;
    p->is_open = (uint8_t *)(p->marks + n_marks);
    return true;
}

/* ---- one thread, or a team ---- */

sp_status sp_dense_viterbi_in_blocks(const sp_dense *dense, const sp_scores *scores, int64_t block,
                                     sp_dense_team *team, sp_scratch *scratch, int32_t *path, double *score)
{
    dense_pass p = {.dense = dense,
                    .scores = scores,
                    .block = block,
                    .n_blocks = (scores->n_steps + block - 1) / block,
                    .path = path,
                    .team = team};
    if (!pass_init(&p, scratch))
        return SP_ENOMEM;
    go_forward(&p);
    const int32_t state = best_end(&p, score);
    if (*score == -INFINITY)
        return SP_ENOPATH;
    go_back(&p, state);
    return SP_OK;
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
