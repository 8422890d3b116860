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
#include "decode/kernels/dense_rounds.h"

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

/* ---- back, where several states emit one class ----
 *
 * The path is one of classes, the lowest of the best. So what is traced is not a state but all states that such a path may be in:
 * before them stand their best predecessors, of those the ones of the lowest class. */

static bool is_of_sets(const sp_dense_pass *p)
{
    return !p->dense->chain->is_plain;
}

/* The set before p->set, of which delta is `now`. */
static void set_back(sp_dense_pass *p, const double *now)
{
    const sp_chain *c = p->dense->chain;
    int32_t n = 0, lowest = c->n_classes, *out = p->room;
    for (int32_t s = 0; s < p->n_set; s++) {
        const int64_t first = c->pred_row[p->set[s]], last = c->pred_row[p->set[s] + 1];
        double best = -INFINITY;
        for (int64_t i = first; i < last; i++)
            best = now[c->pred[i]] + c->pred_weight[i] > best ? now[c->pred[i]] + c->pred_weight[i] : best;
        for (int64_t i = first; i < last && c->state_class[c->pred[i]] <= lowest; i++) {
            const int32_t from = c->pred[i];
            if (now[from] + c->pred_weight[i] != best || p->is_in[from])
                continue;
            for (; c->state_class[from] < lowest && n > 0; n--)
                p->is_in[out[n - 1]] = 0;
            lowest = c->state_class[from];
            p->is_in[from] = 1;
            out[n++] = from;
        }
    }
    for (int32_t i = 0; i < n; i++)
        p->is_in[out[i]] = 0;
    p->room = p->set;
    p->set = out;
    p->n_set = n;
}

/* What path[] holds of a set until the end: its first states, and whether that is all, in 31 bits. */
static int32_t set_code(const sp_dense_pass *p, bool *is_all)
{
    const int bits = p->dense->n < 1 << 10 ? 10 : p->dense->n < 1 << 15 ? 15 : 30;
    int32_t code = 0, n = 30 / bits < p->n_set ? 30 / bits : p->n_set, sorted[3];
    for (int32_t i = 0; i < n; i++) {
        int32_t at = i;
        for (; at > 0 && sorted[at - 1] > p->set[i]; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = p->set[i];
    }
    for (int32_t i = 0; i < n; i++)
        code |= (i > 0 ? sorted[i] + 1 : sorted[i]) << (bits * i);
    *is_all = n == p->n_set;
    return code;
}

static int32_t class_of_code(const sp_dense_pass *p, int32_t code)
{
    const int bits = p->dense->n < 1 << 10 ? 10 : p->dense->n < 1 << 15 ? 15 : 30;
    return p->dense->chain->state_class[code & ((1 << bits) - 1)];
}

/* As trace(), from p->set. */
static void trace_set(sp_dense_pass *p, int64_t t, int64_t fresh, int64_t b)
{
    const size_t M = (size_t)p->dense->n;
    int64_t low = sp_dense_block_begin(p, b);
    for (;; t--) {
        bool is_all;
        const int32_t code = set_code(p, &is_all);
        if (t < fresh && is_all && p->path[t] == code)
            return;
        p->path[t] = is_all ? code : ~code;
        if (t == low)
            break;
        set_back(p, sp_dense_delta(p, t - 1));
    }
    memset(p->borders + (size_t)b * M, 0, M);
    for (int32_t i = 0; i < p->n_set; i++)
        p->borders[(size_t)b * M + (size_t)p->set[i]] = 1;
    p->is_open[b] = b > 0;
}

/* The set that stands at border b. */
static void take_border(sp_dense_pass *p, int64_t b)
{
    p->n_set = 0;
    for (int32_t j = 0; j < p->dense->n; j++)
        if (p->borders[(size_t)b * (size_t)p->dense->n + (size_t)j])
            p->set[p->n_set++] = j;
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
        if (is_of_sets(p)) {
            p->set[0] = best_state(now, p->dense->n);
            p->n_set = 1;
            trace_set(p, end - 1, begin, p->held);
        } else {
            trace(p, end - 1, best_state(now, p->dense->n), begin, p->held);
        }
    }
}

void sp_dense_pass_settle(sp_dense_pass *p, int64_t last, const double *leave, int64_t n_steps)
{
    const int64_t begin = sp_dense_block_begin(p, last), left = p->scores->n_steps - begin;
    const int64_t end = begin + (n_steps < left ? n_steps : left);
    const double *now = leave;
    if (is_of_sets(p) || !p->path)
        return;
    for (int64_t t = begin; t < end; t++) {
        double *next = sp_dense_delta(p, t);
        sp_dense_forward(p->dense, p->scores, t, now, next, &p->part);
        now = next;
    }
    int32_t state = best_state(now, p->dense->n);
    for (int64_t t = end - 1; t > begin; t--)
        state = sp_dense_before(p->dense, sp_dense_delta(p, t - 1), state);
    if (end > begin)
        state = sp_dense_before(p->dense, leave, state);
    trace(p, begin - 1, state, begin, last - 1);
}

/* Closes border b, the one above block b-1: path[] above it is right. Does path[] below it belong to the same trace? */
static void close_border(sp_dense_pass *p, int64_t b)
{
    const int64_t t = sp_dense_block_begin(p, b);
    const double *before = sp_dense_mark(p, b);
    int32_t state = 0;
    bool is_all = true;
    if (is_of_sets(p)) {
        take_border(p, b);
        set_back(p, before);
        state = set_code(p, &is_all);
    } else {
        state = sp_dense_before(p->dense, before, p->path[t]);
    }
    if (is_all && p->path[t - 1] == state)
        return;
    if (p->held < 0 || b - 1 < p->held || b - 1 > p->held + 1) {
        forward_block(p, b - 1);
        p->held = -1; /* the other half of the ring is of another block */
    }
    if (is_of_sets(p))
        trace_set(p, t - 1, t, b - 1);
    else
        trace(p, t - 1, state, t, b - 1);
}

int32_t sp_dense_best_end(sp_dense_pass *p, const double *delta, double *score)
{
    const sp_chain *c = p->dense->chain;
    int32_t state = 0;
    *score = -INFINITY;
    for (int32_t j = 0; j < c->n_states; j++)
        if (delta[j] + c->end[j] > *score) {
            *score = delta[j] + c->end[j];
            state = j;
        }
    p->n_set = 0;
    for (int32_t j = state; is_of_sets(p) && j < c->class_first[c->state_class[state] + 1]; j++)
        if (delta[j] + c->end[j] == *score)
            p->set[p->n_set++] = j;
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
    if (is_of_sets(p))
        trace_set(p, n_steps - 1, n_steps, p->held);
    else
        trace(p, n_steps - 1, state, n_steps, p->held);
    for (int64_t b = p->n_blocks - 1; b > 0; b--)
        if (p->is_open[b])
            close_border(p, b);
    if (!is_of_sets(p))
        return before ? sp_dense_before(p->dense, before, p->path[0]) : 0;
    for (int64_t t = 0; t < n_steps; t++)
        p->path[t] = class_of_code(p, p->path[t] < 0 ? ~p->path[t] : p->path[t]);
    take_border(p, 0);
    if (before)
        set_back(p, before);
    return 0;
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
    const size_t M = (size_t)p->dense->n;
    p->held = -1;
    p->part = sp_dense_part_all(p->dense);
    p->ring = sp_scratch_get(scratch, 2 * (size_t)p->block * p->dense->width, sizeof *p->ring);
    if (!p->ring || !is_of_sets(p))
        return p->ring != NULL;
    p->set = sp_scratch_get(scratch, 2 * M * sizeof *p->set + M, 1);
    if (!p->set)
        return false;
    p->room = p->set + M;
    p->is_in = memset(p->room + M, 0, M);
    return true;
}

bool sp_dense_pass_init(sp_dense_pass *p, const sp_dense *dense, const sp_scores *scores, int64_t block,
                        sp_scratch *scratch)
{
    *p = (sp_dense_pass){
        .dense = dense, .scores = scores, .block = block, .n_blocks = (scores->n_steps + block - 1) / block};
    const size_t n_blocks = (size_t)p->n_blocks, n_marks = (n_blocks + 1) * dense->width;
    p->marks = sp_scratch_get(scratch, n_marks * sizeof *p->marks + n_blocks, 1);
    p->borders = sp_scratch_get(scratch, is_of_sets(p) ? n_blocks * (size_t)dense->n : 0, 1);
    if (!p->marks || !p->borders)
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
    return sp_dense_rounds_pay(scores, n_threads) ||
           (scores->n_steps >= LEAST_BLOCK && sp_dense_team_size(dense, n_threads) > 1);
}

sp_status sp_dense_viterbi_shared(const sp_dense *dense, const sp_scores *scores, sp_workers *workers,
                                  int32_t *path, double *score)
{
    if (sp_dense_team_size(dense, sp_workers_count(workers)) > 1)
        return sp_dense_team_viterbi(dense, scores, workers, path, score);
    return sp_dense_rounds_viterbi(dense, scores, workers, path, score);
}
