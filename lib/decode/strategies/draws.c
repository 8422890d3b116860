/* Paths drawn from the posterior: forward filtering, backward sampling. With a[t,i] of forward_backward.c
 *
 *     p(s[T-1] = i | all steps)              ~  exp(a[T-1,i] + end[i])
 *     p(s[t] = i | s[t+1] = j, all steps)    ~  exp(a[t,i] + w[i,j])
 *
 * Across a gap w is 0 from every state to every entry state, so what follows says nothing about i. A draw walks from the last step
 * to the first and takes the first state whose sum of these weights exceeds a uniform number times all of them; draws that stand in
 * the same state share the sums. The number is a function of seed, recording, draw and step, so that neither how many are drawn nor
 * how much of the forward pass is kept matters.
 */
#include <math.h>

#include "core/random_mix.h"
#include "core/try.h"
#include "decode/kernels/sum_steps.h"

typedef struct drawing {
    const sp_sum_steps *f;
    int32_t n;
    uint64_t *start; /* [n] of the stream of each draw */
    int32_t *paths;
    int64_t stride;
    int32_t *state, *before; /* [n] of each draw, at the step after and at the step at hand */
    int32_t *first, *next;   /* [M] first draw that stands in a state, [n] the next that does; -1: none */
    double *sum;             /* [M] of the weights of states, up to each */
} drawing;

/* sum[n] of exp(from[state] + weight), up to each of n states; one of these is finite. states, weight NULL: 0 .. n-1, 0. */
static void add_up(const double *from, int64_t n, const int32_t *states, const double *weight, double *sum)
{
    double all = 0;
    sp_weigh_states(from, n, states, weight, sum);
    for (int64_t p = 0; p < n; p++)
        sum[p] = all += sum[p];
}

/* The place in sum[n] that draw r has at step t: one of weight above 0. */
static int64_t choose(const drawing *d, int32_t r, int64_t t, int64_t n)
{
    const double u = sp_random_unit_at(d->start[r], (uint64_t)t) * d->sum[n - 1];
    int64_t low = 0, high = n - 1;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (d->sum[middle] > u)
            high = middle;
        else
            low = middle + 1;
    }
    while (low > 0 &&
           d->sum[low] == d->sum[low - 1]) /* u rounded up to all of them, and the last weigh nothing */
        low--;
    return low;
}

/* Where what follows is the same for all: at the last step, and before a gap. */
static void draw_from_all(const drawing *d, int64_t t, const double *forward, const double *leave)
{
    const int32_t M = d->f->chain->n_states;
    add_up(forward, M, NULL, leave, d->sum);
    for (int32_t r = 0; r < d->n; r++)
        d->before[r] = (int32_t)choose(d, r, t, M);
}

/* Before step t+1, at which draws stand in states that `into` leads to. */
static void draw_from_neighbours(const drawing *d, int64_t t, const double *forward, const sp_chain *into)
{
    for (int32_t r = 0; r < d->n; r++) {
        d->next[r] = d->first[d->state[r]];
        d->first[d->state[r]] = r;
    }
    for (int32_t r = 0; r < d->n; r++) {
        const int32_t j = d->state[r];
        if (d->first[j] < 0)
            continue; /* done together with a draw before */
        const int64_t row = into->pred_row[j], n = into->pred_row[j + 1] - row;
        add_up(forward, n, into->pred + row, into->pred_weight + row, d->sum);
        for (int32_t q = d->first[j]; q >= 0; q = d->next[q])
            d->before[q] = into->pred[row + choose(d, q, t, n)];
        d->first[j] = -1;
    }
}

static void draw_row(void *arg, int64_t t, const double *forward)
{
    drawing *d = arg;
    const sp_chain *c = d->f->chain;
    const bool is_last = t + 1 == d->f->scores->n_steps;
    sp_reach how = is_last ? SP_REACH_START : sp_scores_reach(d->f->scores, t + 1);
    const sp_chain *into = sp_chain_into(c, &how);
    if (how == SP_REACH_NEXT)
        draw_from_neighbours(d, t, forward, into);
    else
        draw_from_all(d, t, forward, is_last ? c->end : c->leave);
    int32_t *after = d->state;
    d->state = d->before;
    d->before = after;
    for (int32_t r = 0; r < d->n; r++)
        d->paths[r * d->stride + t] = c->state_class[d->state[r]];
}

static sp_status check(const sp_draw_options *options, sp_error *err)
{
    return options->n > 0 ? SP_OK
                          : sp_fail(err, SP_EINVAL, "%d draws: ask for at least one", (int)options->n);
}

sp_status sp_draws(const sp_chain *chain, const sp_scores *scores, const sp_draw_options *options,
                   sp_scratch *scratch, int32_t *paths, int64_t stride, sp_error *err)
{
    const sp_scratch_mark mark = sp_scratch_here(scratch);
    const size_t n = (size_t)options->n, M = (size_t)chain->n_states;
    sp_sum_steps f;
    double log_z;
    sp_status status = SP_OK;
    TRY(check(options, err));
    TRY(sp_decode_check(chain, scores, err));
    if (scores->n_steps == 0)
        goto done;
    drawing d = {.f = &f,
                 .n = options->n,
                 .paths = paths,
                 .stride = stride,
                 .start = sp_scratch_get(scratch, n, sizeof *d.start),
                 .state = sp_scratch_get(scratch, n, sizeof *d.state),
                 .before = sp_scratch_get(scratch, n, sizeof *d.before),
                 .next = sp_scratch_get(scratch, n, sizeof *d.next),
                 .first = sp_scratch_get(scratch, M, sizeof *d.first),
                 .sum = sp_scratch_get(scratch, M, sizeof *d.sum)};
    if (!d.start || !d.state || !d.before || !d.next || !d.first || !d.sum ||
        !sp_sum_steps_init(&f, chain, scores, scratch)) {
        status = sp_no_memory(err);
        goto done;
    }
    const uint64_t own = sp_random_start(options->seed, (uint64_t)options->recording);
    for (size_t r = 0; r < n; r++)
        d.start[r] = sp_random_start(own, r);
    for (size_t j = 0; j < M; j++)
        d.first[j] = -1;
    const sp_forward_sink sink = {draw_row, &d, 0};
    TRY(sp_forward_rows(&f, scratch, &sink, &log_z, err));
done:
    sp_scratch_release(scratch, mark);
    return status;
}
