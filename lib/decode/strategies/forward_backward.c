/* Forward-backward.
 *
 *     a[0,j] = start[j] + e[0,j]                    a[t,j] = log sum_i exp(a[t-1,i] + w[i,j]) + e[t,j]
 *     b[T-1,i] = end[i]                             b[t-1,i] = log sum_j exp(w[i,j] + e[t,j] + b[t,j])
 *     log Z = log sum_j exp(a[T-1,j] + end[j])      log p(s_t = j) = a[t,j] + b[t,j] - log Z
 *
 * Across a gap w is 0 from every state to every entry state. After each step the greatest value is taken out of a row: rows stay
 * near 0 however long the recording, and the values taken out are summed apart, with the rounding error of that sum carried along
 * (Neumaier 1974). Each row of marginals is normalised by itself, so log Z never enters it.
 */
#include <math.h>

#include "core/logmath.h"
#include "decode/kernels/sum_steps.h"

enum { WHOLE_LIMIT = 4 << 20 }; /* forward values kept when the recording is kept whole: 32 MB */

int64_t sp_marginal_least_block(int64_t n_steps)
{
    return (int64_t)ceil(sqrt((double)n_steps));
}

/* How many steps are kept at a time: all, or about sqrt(T). */
static int64_t block_length(const sp_forward_sink *sink, int64_t n_steps, int32_t n_states)
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
static bool forward_pass(const sp_sum_steps *f, int64_t block, double *kept, double *starts,
                         sp_total *log_scale, const double **last)
{
    size_t n_states = (size_t)f->chain->n_states;
    const double *from = NULL;
    for (int64_t t = 0; t < f->scores->n_steps; t++) {
        double *to = kept + (size_t)(starts ? t % block : t % 2) * n_states;
        double *out = from == to ? f->back : to; /* blocks of one step: the row before is still needed */
        double greatest = sp_sum_forward(f, sp_scores_reach(f->scores, t), t, from, out);
        if (greatest == -INFINITY)
            return false;
        for (size_t j = 0; j < n_states && out != to; j++)
            to[j] = out[j];
        sp_total_add(log_scale, greatest);
        if (starts && t % block == 0)
            for (size_t j = 0; j < n_states; j++)
                starts[(size_t)(t / block) * n_states + j] = to[j];
        from = to;
    }
    *last = from;
    return true;
}

/* Hands out the rows from the last to the first, block by block; those of all but the last block are made again from the block's
 * first. */
static void hand_out_rows(const sp_sum_steps *f, const sp_forward_sink *sink, int64_t block, double *kept,
                          const double *starts)
{
    size_t n_states = (size_t)f->chain->n_states;
    int64_t n_steps = f->scores->n_steps, last_block = (n_steps - 1) / block;
    for (int64_t b = last_block; b >= 0; b--) {
        int64_t first = b * block, end = first + block < n_steps ? first + block : n_steps;
        if (b < last_block) {
            for (size_t j = 0; j < n_states; j++)
                kept[j] = starts[(size_t)b * n_states + j];
            for (int64_t t = first + 1; t < end; t++)
                sp_sum_forward(f, sp_scores_reach(f->scores, t), t, kept + (size_t)(t - 1 - first) * n_states,
                               kept + (size_t)(t - first) * n_states);
        }
        for (int64_t t = end - 1; t >= first; t--)
            sink->row(sink->arg, t, kept + (size_t)(t - first) * n_states);
    }
}

bool sp_marginal_reserve(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch)
{
    if (scores->n_steps == 0)
        return true;
    int64_t block = sp_marginal_least_block(scores->n_steps), n_blocks = (scores->n_steps - 1) / block + 1;
    size_t row = (size_t)chain->n_states * sizeof(double);
    sp_step_room room;
    const sp_scratch_mark mark = sp_scratch_here(scratch);
    bool has_room = sp_sum_steps_reserve(&room, chain, scores, scratch) &&
                    sp_scratch_get(scratch, (size_t)block, row) &&
                    sp_scratch_get(scratch, (size_t)n_blocks, row);
    sp_scratch_release(scratch, mark);
    return has_room;
}

sp_status sp_forward_rows(const sp_sum_steps *f, sp_scratch *scratch, const sp_forward_sink *sink,
                          double *log_z, sp_error *err)
{
    const sp_chain *chain = f->chain;
    size_t n_states = (size_t)chain->n_states;
    int64_t n_steps = f->scores->n_steps, block = block_length(sink, n_steps, chain->n_states);
    int64_t n_blocks = (n_steps - 1) / block + 1;
    if ((size_t)(sink ? block : 2) > SIZE_MAX / n_states || (size_t)n_blocks > SIZE_MAX / n_states)
        return sp_no_memory(err);
    double *kept = sp_scratch_get(scratch, (size_t)(sink ? block : 2) * n_states, sizeof *kept);
    double *starts = sp_scratch_get(scratch, sink ? (size_t)n_blocks * n_states : 0, sizeof *starts);
    if (!kept || !starts)
        return sp_no_memory(err);
    sp_total log_scale = {0, 0};
    const double *last;
    if (!forward_pass(f, block, kept, sink ? starts : NULL, &log_scale, &last))
        return sp_decode_no_path(chain, f->scores, scratch, err);
    for (size_t j = 0; j < n_states; j++)
        f->ahead[j] = last[j] + chain->end[j];
    double log_end = sp_logsumexp(f->ahead, chain->n_states);
    if (log_end == -INFINITY)
        return sp_decode_no_path(chain, f->scores, scratch, err);
    sp_total_add(&log_scale, log_end);
    *log_z = log_scale.sum + log_scale.lost;
    if (sink)
        hand_out_rows(f, sink, block, kept, starts);
    return SP_OK;
}

typedef struct backward_pass {
    const sp_sum_steps *f;
    const sp_marginal_sink *sink;
} backward_pass;

/* The backward pass at row t, as forward rows come. */
static void backward_row(void *arg, int64_t t, const double *forward)
{
    const backward_pass *pass = arg;
    const sp_sum_steps *f = pass->f;
    for (int32_t i = 0; t == f->scores->n_steps - 1 && i < f->chain->n_states; i++)
        f->back[i] = f->chain->end[i];
    if (t == f->scores->n_steps - 1)
        sp_take_greatest(f->back, f->chain->n_states);
    sp_sum_hand_out(f, pass->sink, t, forward);
    if (t > 0)
        sp_sum_backward(f, sp_scores_is_gap(f->scores, t), t);
}

sp_status sp_marginal_rows(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch,
                           const sp_marginal_sink *sink, double *log_partition, sp_error *err)
{
    double log_z = 0;
    sp_status status = sp_decode_check(chain, scores, err);
    if (status == SP_OK && scores->n_steps > 0) {
        const sp_scratch_mark mark = sp_scratch_here(scratch);
        sp_sum_steps f;
        backward_pass pass = {&f, sink};
        const sp_forward_sink rows = {backward_row, &pass, sink ? sink->block : 0};
        status = sp_sum_steps_init(&f, chain, scores, scratch)
                     ? sp_forward_rows(&f, scratch, sink ? &rows : NULL, &log_z, err)
                     : sp_no_memory(err);
        sp_scratch_release(scratch, mark);
    }
    if (status == SP_OK && log_partition)
        *log_partition = log_z;
    return status;
}

double sp_marginal_rounded(double x)
{
    static const double grid = 1073741824.0,
                        coarse = 8388608; /* 2^30; from 2^23 on doubles are no finer than that */
    return fabs(x) < coarse ? nearbyint(x * grid) / grid : x;
}
