/* Forward-backward.
 *
 *     a[0,j] = start[j] + e[0,j]                    a[t,j] = log sum_i exp(a[t-1,i] + w[i,j]) + e[t,j]
 *     b[T-1,i] = end[i]                             b[t-1,i] = log sum_j exp(w[i,j] + e[t,j] + b[t,j])
 *     log Z = log sum_j exp(a[T-1,j] + end[j])      log p(s_t = j) = a[t,j] + b[t,j] - log Z
 *
 * Across a gap w is 0 from every state to every entry state. After each step the greatest value is taken out of a row: rows stay
 * near 0 however long the recording, and the values taken out are summed apart, with the rounding error of that sum carried along
 * (Neumaier 1974). Each row of marginals is normalised by itself, so log Z never enters it.
 *
 * The inner sum costs one multiplication a transition, not one exponential: with p[i] = exp(a[i]), greatest 1, and
 * W[i,j] = exp(w[i,j] - greatest w),  log sum_i exp(a[i] + w[i,j]) = log sum_i p[i] W[i,j] + greatest w.  Terms that underflow
 * are below 1e-307, so the sum is as good as exact while it is above 1e-280. Below that (a state reached only from far behind the
 * best, or not at all) it is done again in logs.
 */
#include <math.h>

#include "decode/marginals.h"
#include "decode/recording.h"

enum { WHOLE_LIMIT = 4 << 20 }; /* forward values kept when the recording is kept whole: 32 MB */

static const double tiny = 1e-280;

typedef struct total { /* a sum with its rounding error */
    double sum, lost;
} total;

static void total_add(total *s, double x)
{
    double sum = s->sum + x;
    s->lost += fabs(s->sum) >= fabs(x) ? (s->sum - sum) + x : (x - sum) + s->sum;
    s->sum = sum;
}

/* One side of the transitions: the neighbours that a value is summed over. */
typedef struct side {
    const int64_t *row;
    const int32_t *other;
    const double *weight; /* nats */
    const double *linear; /* exp(weight - greatest), or NULL where every weight is 0 */
    double greatest;
} side;

typedef struct passes {
    const sp_chain *chain;
    const sp_scores *scores;
    side pred, succ;
    double *row;    /* [K] of sp_row() */
    double *linear; /* [M] exp of a row */
    double *ahead;  /* [M] e[t,j] + b[t,j] */
    double *back;   /* [M] b of the current step */
    double *sums;   /* [K] marginals */
    double *logs;   /* [K] their logs */
} passes;

static double greatest_of(const double *x, int64_t n)
{
    double greatest = -INFINITY;
    for (int64_t i = 0; i < n; i++)
        if (x[i] > greatest)
            greatest = x[i];
    return greatest;
}

/* Takes the greatest value out of x and returns it; a row with nothing finite stays as it is. */
static double take_greatest(double *x, int64_t n)
{
    double greatest = greatest_of(x, n);
    if (greatest > -INFINITY)
        for (int64_t i = 0; i < n; i++)
            x[i] -= greatest;
    return greatest;
}

/* log sum over the neighbours of state s of exp(x + weight), in logs. */
static double sum_in_logs(const side *d, int32_t s, const double *x)
{
    double greatest = -INFINITY, sum = 0;
    for (int64_t n = d->row[s]; n < d->row[s + 1]; n++)
        if (x[d->other[n]] + d->weight[n] > greatest)
            greatest = x[d->other[n]] + d->weight[n];
    if (greatest == -INFINITY)
        return -INFINITY;
    for (int64_t n = d->row[s]; n < d->row[s + 1]; n++)
        sum += exp(x[d->other[n]] + d->weight[n] - greatest);
    return greatest + log(sum);
}

/* The same for every state: out[s]. x [M] has greatest value 0; linear [M] is room for its exponentials. */
static void sum_over_neighbours(const side *d, int32_t n_states, const double *x, double *linear, double *out)
{
    for (int32_t i = 0; i < n_states; i++)
        linear[i] = exp(x[i]);
    for (int32_t s = 0; s < n_states; s++) {
        double sum = 0;
        if (d->linear)
            for (int64_t n = d->row[s]; n < d->row[s + 1]; n++)
                sum += linear[d->other[n]] * d->linear[n];
        else
            for (int64_t n = d->row[s]; n < d->row[s + 1]; n++)
                sum += linear[d->other[n]];
        out[s] = sum > tiny ? log(sum) + d->greatest : sum_in_logs(d, s, x);
    }
}

static double log_sum(const double *x, int64_t n)
{
    double greatest = greatest_of(x, n), sum = 0;
    if (greatest == -INFINITY)
        return -INFINITY;
    for (int64_t i = 0; i < n; i++)
        sum += exp(x[i] - greatest);
    return greatest + log(sum);
}

/* Row t of the forward pass from row t-1 (from; not looked at when t = 0), greatest value taken out. Returns that value:
 * -INFINITY when no state reaches step t. */
static double forward_step(const passes *f, int64_t t, const double *from, double *to)
{
    const sp_chain *c = f->chain;
    if (t == 0) {
        for (int32_t j = 0; j < c->n_states; j++)
            to[j] = c->start[j];
    } else if (sp_scores_is_gap(f->scores, t)) {
        double before = log_sum(from, c->n_states);
        for (int32_t j = 0; j < c->n_states; j++)
            to[j] = c->entry[j] ? before : -INFINITY;
    } else {
        sum_over_neighbours(&f->pred, c->n_states, from, f->linear, to);
    }
    const double *e = sp_row(f->scores, t, f->row);
    for (int32_t j = 0; j < c->n_states; j++)
        to[j] += e[c->state_class[j]];
    return take_greatest(to, c->n_states);
}

/* f->back from step t to step t-1. */
static void backward_step(const passes *f, int64_t t)
{
    const sp_chain *c = f->chain;
    if (sp_scores_is_gap(f->scores, t)) { /* what follows does not depend on the state before: a constant, taken out */
        for (int32_t i = 0; i < c->n_states; i++)
            f->back[i] = 0;
        return;
    }
    const double *e = sp_row(f->scores, t, f->row);
    for (int32_t j = 0; j < c->n_states; j++)
        f->ahead[j] = e[c->state_class[j]] + f->back[j];
    take_greatest(f->ahead, c->n_states);
    sum_over_neighbours(&f->succ, c->n_states, f->ahead, f->linear, f->back);
    take_greatest(f->back, c->n_states);
}

/* Marginals of the classes at a step with forward row `forward`. */
static void hand_out(const passes *f, const sp_marginal_sink *sink, int64_t t, const double *forward)
{
    const sp_chain *c = f->chain;
    double *joint = f->ahead, sum = 0;
    for (int32_t j = 0; j < c->n_states; j++)
        joint[j] = forward[j] + f->back[j];
    take_greatest(joint, c->n_states);
    for (int32_t k = 0; k < c->n_classes; k++) {
        f->sums[k] = 0;
        for (int32_t j = c->class_first[k]; j < c->class_first[k + 1]; j++)
            f->sums[k] += exp(joint[j]);
        sum += f->sums[k];
    }
    for (int32_t k = 0; k < c->n_classes; k++) {
        if (sink->wants_log) {
            int32_t first = c->class_first[k];
            double log_class = f->sums[k] > tiny ? log(f->sums[k]) : log_sum(joint + first, c->class_first[k + 1] - first);
            f->logs[k] = log_class - log(sum);
        }
        f->sums[k] /= sum;
    }
    sink->row(sink->arg, t, f->sums, sink->wants_log ? f->logs : NULL);
}

/* Fills linear[n] = exp(weight[n] - greatest) and points d to it; leaves NULL where every weight is 0. */
static void side_prepare(side *d, int64_t n_edges, double *linear)
{
    bool all_zero = true;
    for (int64_t n = 0; n < n_edges && all_zero; n++)
        all_zero = d->weight[n] == 0;
    if (all_zero)
        return;
    d->greatest = greatest_of(d->weight, n_edges);
    for (int64_t n = 0; n < n_edges; n++)
        linear[n] = exp(d->weight[n] - d->greatest);
    d->linear = linear;
}

typedef struct step_room {
    double *row, *linear, *step;
} step_room;

static bool step_room_get(step_room *room, const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch)
{
    size_t n_states = (size_t)chain->n_states, n_classes = (size_t)chain->n_classes;
    size_t n_edges = (size_t)chain->pred_row[chain->n_states];
    room->row = sp_row_buffer(scores, scratch);
    room->linear = sp_scratch_get(scratch, SP_SLOT_LINEAR, chain->is_boolean ? 0 : 2 * n_edges, sizeof *room->linear);
    room->step = sp_scratch_get(scratch, SP_SLOT_STEP, 3 * n_states + 2 * n_classes, sizeof *room->step);
    return room->row && room->linear && room->step;
}

static bool passes_init(passes *f, const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch)
{
    size_t n_states = (size_t)chain->n_states, n_classes = (size_t)chain->n_classes;
    int64_t n_edges = chain->pred_row[chain->n_states];
    step_room room;
    if (!step_room_get(&room, chain, scores, scratch))
        return false;
    *f = (passes){.chain = chain,
                  .scores = scores,
                  .pred = {.row = chain->pred_row, .other = chain->pred, .weight = chain->pred_weight},
                  .succ = {.row = chain->succ_row, .other = chain->succ, .weight = chain->succ_weight},
                  .row = room.row};
    if (!chain->is_boolean) {
        side_prepare(&f->pred, n_edges, room.linear);
        side_prepare(&f->succ, n_edges, room.linear + n_edges);
    }
    f->linear = room.step;
    f->ahead = room.step + n_states;
    f->back = room.step + 2 * n_states;
    f->sums = room.step + 3 * n_states;
    f->logs = f->sums + n_classes;
    return true;
}

int64_t sp_marginal_least_block(int64_t n_steps)
{
    return (int64_t)ceil(sqrt((double)n_steps));
}

/* How many steps are kept at a time: all, or about sqrt(T). */
static int64_t block_length(const sp_marginal_sink *sink, int64_t n_steps, int32_t n_states)
{
    if (!sink)
        return 1;
    if (sink->block > 0)
        return sink->block < n_steps ? sink->block : n_steps;
    if (n_steps <= WHOLE_LIMIT / n_states)
        return n_steps;
    return sp_marginal_least_block(n_steps);
}

/* The forward pass. kept [block,M] holds the rows of the last block afterwards, starts [blocks,M] the first row of each block
 * (NULL without a sink: two rows of `kept` then do for all). False when some step is not reached. */
static bool forward_pass(const passes *f, int64_t block, double *kept, double *starts, total *log_scale, const double **last)
{
    size_t n_states = (size_t)f->chain->n_states;
    const double *from = NULL;
    for (int64_t t = 0; t < f->scores->n_steps; t++) {
        double *to = kept + (size_t)(starts ? t % block : t % 2) * n_states;
        double *out = from == to ? f->back : to; /* blocks of one step: the row before is still needed */
        double greatest = forward_step(f, t, from, out);
        if (greatest == -INFINITY)
            return false;
        for (size_t j = 0; j < n_states && out != to; j++)
            to[j] = out[j];
        total_add(log_scale, greatest);
        if (starts && t % block == 0)
            for (size_t j = 0; j < n_states; j++)
                starts[(size_t)(t / block) * n_states + j] = to[j];
        from = to;
    }
    *last = from;
    return true;
}

/* The backward pass, block by block; forward rows of all but the last block are made again from the block's first. */
static void backward_pass(const passes *f, const sp_marginal_sink *sink, int64_t block, double *kept, const double *starts)
{
    size_t n_states = (size_t)f->chain->n_states;
    int64_t n_steps = f->scores->n_steps, last_block = (n_steps - 1) / block;
    for (size_t i = 0; i < n_states; i++)
        f->back[i] = f->chain->end[i];
    take_greatest(f->back, f->chain->n_states);
    for (int64_t b = last_block; b >= 0; b--) {
        int64_t first = b * block, end = first + block < n_steps ? first + block : n_steps;
        if (b < last_block) {
            for (size_t j = 0; j < n_states; j++)
                kept[j] = starts[(size_t)b * n_states + j];
            for (int64_t t = first + 1; t < end; t++)
                forward_step(f, t, kept + (size_t)(t - 1 - first) * n_states, kept + (size_t)(t - first) * n_states);
        }
        for (int64_t t = end - 1; t >= first; t--) {
            hand_out(f, sink, t, kept + (size_t)(t - first) * n_states);
            if (t > 0)
                backward_step(f, t);
        }
    }
}

bool sp_marginal_reserve(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch)
{
    if (scores->n_steps == 0)
        return true;
    int64_t block = sp_marginal_least_block(scores->n_steps), n_blocks = (scores->n_steps - 1) / block + 1;
    size_t row = (size_t)chain->n_states * sizeof(double);
    step_room room;
    return sp_scratch_get(scratch, SP_SLOT_FORWARD, (size_t)block, row) &&
           sp_scratch_get(scratch, SP_SLOT_FORWARD_STARTS, (size_t)n_blocks, row) && step_room_get(&room, chain, scores, scratch);
}

sp_status sp_marginal_rows(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch, const sp_marginal_sink *sink,
                           double *log_partition, sp_error *err)
{
    sp_status status = sp_decode_check(chain, scores, err);
    if (status != SP_OK)
        return status;
    int64_t n_steps = scores->n_steps;
    double log_z = 0;
    if (n_steps > 0) {
        size_t n_states = (size_t)chain->n_states;
        int64_t block = block_length(sink, n_steps, chain->n_states), n_blocks = (n_steps - 1) / block + 1;
        if ((size_t)(sink ? block : 2) > SIZE_MAX / n_states || (size_t)n_blocks > SIZE_MAX / n_states)
            return sp_decode_no_memory(err);
        passes f;
        double *kept = sp_scratch_get(scratch, SP_SLOT_FORWARD, (size_t)(sink ? block : 2) * n_states, sizeof *kept);
        double *starts = sp_scratch_get(scratch, SP_SLOT_FORWARD_STARTS, sink ? (size_t)n_blocks * n_states : 0, sizeof *starts);
        if (!kept || !starts || !passes_init(&f, chain, scores, scratch))
            return sp_decode_no_memory(err);
        total log_scale = {0, 0};
        const double *last;
        if (!forward_pass(&f, block, kept, sink ? starts : NULL, &log_scale, &last))
            return sp_decode_no_path(chain, scores, scratch, err);
        for (size_t j = 0; j < n_states; j++)
            f.ahead[j] = last[j] + chain->end[j];
        double log_end = log_sum(f.ahead, chain->n_states);
        if (log_end == -INFINITY)
            return sp_decode_no_path(chain, scores, scratch, err);
        total_add(&log_scale, log_end);
        log_z = log_scale.sum + log_scale.lost;
        if (sink)
            backward_pass(&f, sink, block, kept, starts);
    }
    if (log_partition)
        *log_partition = log_z;
    return SP_OK;
}

double sp_marginal_rounded(double x)
{
    static const double grid = 1099511627776.0, coarse = 8192; /* 2^40; from 2^13 on doubles are no finer than that */
    return fabs(x) < coarse ? nearbyint(x * grid) / grid : x;
}
