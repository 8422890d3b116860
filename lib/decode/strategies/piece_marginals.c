#include "decode/strategies/piece_marginals.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/logmath.h"
#include "decode/kernels/sum_steps.h"

enum {
    BLOCK_STEPS = 1024, /* of a block, while the rows that are kept take no more than */
    ROWS_BYTES = 64 << 20
};

static int64_t block_steps(const sp_sequence *s)
{
    int64_t row = 2 * (int64_t)sizeof(double) * s->chain->n_states,
            least = s->recording.n_steps / (ROWS_BYTES / row + 1) + 1;
    int64_t block = least > BLOCK_STEPS ? least : BLOCK_STEPS;
    while (block < s->steps && s->steps % block != 0)
        block++;
    return block < s->steps ? block : s->steps;
}

void sp_marginals_clear(sp_marginals *m)
{
    free(m->starts);
    free(m->ends);
}

/* ---- there ---- */

static void keep(double *rows, int64_t block, const double *row, size_t M)
{
    memcpy(rows + (size_t)block * M, row, M * sizeof *row);
}

/* Forward over piece i from row *from to the last, which *from is then; *other is room. False where no state reaches a step. */
static bool forward_piece(sp_marginals *m, int64_t i, const sp_sum_steps *f, double **from, double **other,
                          sp_total *log_scale)
{
    const sp_sequence *s = m->s;
    for (int64_t t = 0; t < f->scores->n_steps; t++) {
        double greatest = sp_sum_forward(f, sp_sequence_reach(s, i, f->scores, t), t, *from, *other);
        if (greatest == -INFINITY)
            return false;
        sp_total_add(log_scale, greatest);
        double *row = *other;
        *other = *from;
        *from = row;
        if ((i * s->steps + t) % m->block == 0)
            keep(m->starts, (i * s->steps + t) / m->block, row, (size_t)s->chain->n_states);
    }
    return true;
}

static sp_status read_piece(sp_sequence *s, int64_t i, sp_scores *scores, sp_sum_steps *f, sp_error *err)
{
    sp_status status = sp_sequence_read(s, i, scores, err);
    if (status == SP_OK && !sp_sum_steps_init(f, s->chain, scores, s->scratch))
        status = sp_no_memory(err);
    return status;
}

/* *is_possible: there is a path. */
static sp_status go_forward(sp_marginals *m, double *rows, bool *is_possible, sp_error *err)
{
    sp_sequence *s = m->s;
    int32_t M = s->chain->n_states;
    double *from = rows, *other = rows + M;
    sp_total log_scale = {0, 0};
    const sp_scratch_mark mark = sp_scratch_here(s->scratch);
    *is_possible = true;
    for (int64_t i = 0; *is_possible && i < s->n; i++) {
        sp_scores scores;
        sp_sum_steps f;
        sp_status status = read_piece(s, i, &scores, &f, err);
        if (status != SP_OK)
            return status;
        *is_possible = forward_piece(m, i, &f, &from, &other, &log_scale);
        sp_scratch_release(s->scratch, mark);
    }
    for (int32_t j = 0; j < M; j++)
        other[j] = from[j] + s->chain->end[j];
    double log_end = sp_logsumexp(other, M);
    *is_possible &= log_end > -INFINITY;
    sp_total_add(&log_scale, log_end);
    m->log_z = log_scale.sum + log_scale.lost;
    return SP_OK;
}

/* ---- and back ---- */

static void backward_piece(sp_marginals *m, int64_t i, const sp_sum_steps *f)
{
    const sp_sequence *s = m->s;
    for (int64_t t = f->scores->n_steps - 1; t >= 0; t--) {
        int64_t step = i * s->steps + t;
        if (step % m->block == m->block - 1 || step == s->recording.n_steps - 1)
            keep(m->ends, step / m->block, f->back, (size_t)s->chain->n_states);
        if (step > 0)
            sp_sum_backward(f, sp_sequence_is_gap(s, i, f->scores, t), t);
    }
}

static sp_status go_back(sp_marginals *m, double *row, sp_error *err)
{
    sp_sequence *s = m->s;
    size_t M = (size_t)s->chain->n_states;
    memcpy(row, s->chain->end, M * sizeof *row);
    sp_take_greatest(row, s->chain->n_states);
    const sp_scratch_mark mark = sp_scratch_here(s->scratch);
    for (int64_t i = s->n - 1; i >= 0; i--) {
        sp_scores scores;
        sp_sum_steps f;
        sp_status status = read_piece(s, i, &scores, &f, err);
        if (status != SP_OK)
            return status;
        memcpy(f.back, row, M * sizeof *row);
        backward_piece(m, i, &f);
        memcpy(row, f.back, M * sizeof *row);
        sp_scratch_release(s->scratch, mark);
    }
    return SP_OK;
}

sp_status sp_marginals_open(sp_marginals *m, sp_sequence *s, sp_error *err)
{
    *m = (sp_marginals){.s = s, .block = block_steps(s)};
    if (s->is_whole)
        return SP_OK;
    m->n_blocks = (s->recording.n_steps + m->block - 1) / m->block;
    size_t M = (size_t)s->chain->n_states;
    if ((size_t)m->n_blocks > SIZE_MAX / sizeof(double) / M)
        return sp_no_memory(err);
    m->starts = malloc((size_t)m->n_blocks * M * sizeof *m->starts);
    m->ends = malloc((size_t)m->n_blocks * M * sizeof *m->ends);
    double *rows = malloc(2 * M * sizeof *rows);
    bool is_possible = true;
    sp_status status =
        m->starts && m->ends && rows ? go_forward(m, rows, &is_possible, err) : sp_no_memory(err);
    if (status == SP_OK && !is_possible)
        status = sp_sequence_no_path(s, err);
    else if (status == SP_OK)
        status = go_back(m, rows, err);
    free(rows);
    return status;
}

/* ---- one piece ---- */

typedef struct piece_work {
    const sp_marginals *m;
    int64_t i;
    const sp_scores *scores;
    const sp_marginal_sink *sink;
    atomic_bool no_memory;
} piece_work;

/* Blocks first .. last-1 of the piece. */
static void do_blocks(void *arg, sp_scratch *scratch, int64_t first, int64_t last)
{
    piece_work *w = arg;
    const sp_marginals *m = w->m;
    const sp_sequence *s = m->s;
    size_t M = (size_t)s->chain->n_states;
    sp_sum_steps f;
    double *kept = sp_scratch_get(scratch, (size_t)m->block, M * sizeof *kept);
    if (!kept || !sp_sum_steps_init(&f, s->chain, w->scores, scratch)) {
        w->no_memory = true;
        return;
    }
    for (int64_t b = first; b < last; b++) {
        int64_t begin = b * m->block,
                end = begin + m->block < w->scores->n_steps ? begin + m->block : w->scores->n_steps;
        size_t global = (size_t)(w->i * (s->steps / m->block) + b);
        memcpy(kept, m->starts + global * M, M * sizeof *kept);
        for (int64_t t = begin + 1; t < end; t++)
            sp_sum_forward(&f, sp_sequence_reach(s, w->i, w->scores, t), t,
                           kept + (size_t)(t - 1 - begin) * M, kept + (size_t)(t - begin) * M);
        memcpy(f.back, m->ends + global * M, M * sizeof *f.back);
        for (int64_t t = end - 1; t >= begin; t--) {
            sp_sum_hand_out(&f, w->sink, t, kept + (size_t)(t - begin) * M);
            if (t > begin)
                sp_sum_backward(&f, sp_sequence_is_gap(s, w->i, w->scores, t), t);
        }
    }
}

sp_status sp_marginals_piece(const sp_marginals *m, int64_t i, const sp_marginal_sink *sink,
                             sp_scores *scores, sp_error *err)
{
    sp_status status = sp_sequence_read(m->s, i, scores, err);
    if (status != SP_OK)
        return status;
    if (m->s->is_whole)
        return sp_marginal_rows(m->s->chain, scores, m->s->scratch, sink, NULL, err);
    piece_work w = {.m = m, .i = i, .scores = scores, .sink = sink};
    sp_workers_share(m->s->workers, (scores->n_steps + m->block - 1) / m->block, do_blocks, &w);
    return w.no_memory ? sp_no_memory(err) : SP_OK;
}
