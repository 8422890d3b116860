/* Factors of a chain and counts of their use: memory, what is seen along labels, and sums over many stretches. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "learn/crf/crf_pass.h"

sp_status sp_factors_init(sp_factors *factors, int32_t n_classes, int32_t n_positions, sp_error *err)
{
    size_t K = (size_t)n_classes, D = (size_t)n_positions;
    *factors = (sp_factors){.n_classes = n_classes, .n_positions = n_positions, .scale = 1};
    double *all = calloc(3 * K + K * D + 4 * K * K, sizeof *all);
    if (!all)
        return sp_no_memory(err);
    factors->bias = all;
    factors->start = factors->bias + K;
    factors->end = factors->start + K;
    factors->stay = factors->end + K;
    factors->exit = factors->stay + K * D;
    factors->move = factors->exit + K * K;
    factors->linear = factors->move + K * K;
    factors->turned = factors->linear + K * K;
    return SP_OK;
}

void sp_factors_clear(sp_factors *factors)
{
    free(factors->bias); /* the block they all stand in */
    *factors = (sp_factors){0};
}

void sp_factors_prepare(sp_factors *factors)
{
    size_t K = (size_t)factors->n_classes;
    double greatest = -INFINITY;
    for (size_t i = 0; i < K; i++)
        for (size_t j = 0; j < K; j++) {
            double w = i != j                      ? factors->exit[i * K + j]
                       : factors->n_positions == 1 ? factors->stay[i]
                                                   : -INFINITY;
            factors->move[i * K + j] = w;
            greatest = w > greatest ? w : greatest;
        }
    factors->greatest = greatest > -INFINITY ? greatest : 0;
    for (size_t i = 0; i < K; i++)
        for (size_t j = 0; j < K; j++) {
            double w = exp(factors->move[i * K + j] - factors->greatest);
            factors->linear[i * K + j] = w;
            factors->turned[j * K + i] = w;
        }
}

int64_t sp_expected_size(int32_t n_classes, int32_t n_positions)
{
    int64_t K = n_classes, D = n_positions;
    return 2 + 3 * K + K * D + K * K;
}

sp_expected sp_expected_over(double *all, int32_t n_classes, int32_t n_positions)
{
    size_t K = (size_t)n_classes, D = (size_t)n_positions;
    sp_expected e = {
        .n = sp_expected_size(n_classes, n_positions), .all = all, .log_z = all, .scale = all + 1};
    e.bias = e.scale + 1;
    e.start = e.bias + K;
    e.end = e.start + K;
    e.stay = e.end + K;
    e.exit = e.stay + K * D;
    return e;
}

void sp_crf_observe(const sp_factors *factors, const double *e, const int32_t *labels,
                    const sp_stretch *stretch, sp_expected *sum)
{
    int64_t K = factors->n_classes, D = factors->n_positions, position = 0;
    const int32_t *y = labels + stretch->first;
    for (int64_t t = 0; t < stretch->n_steps; t++) {
        sum->bias[y[t]]++;
        *sum->scale += e[(stretch->first + t) * K + y[t]];
        if (t == 0) {
            position = stretch->is_entry ? 0 : factors->dwell[y[0]] - 1;
            if (stretch->is_start)
                sum->start[y[0]]++;
        } else if (y[t] == y[t - 1]) {
            sum->stay[y[t] * D + position]++;
            position += position < D - 1;
        } else {
            sum->exit[y[t - 1] * K + y[t]]++;
            position = 0;
        }
    }
    if (stretch->is_end)
        sum->end[y[stretch->n_steps - 1]]++;
}

/* ---- many stretches ---- */

enum { MOST_CHUNKS = 64 };

typedef struct run {
    const sp_sweep *sweep;
    int64_t n_chunks, size;
    double *sums; /* [n_chunks,2,size] */
    atomic_bool no_memory;
} run;

static void sweep_chunks(void *arg, sp_scratch *scratch, int64_t first, int64_t last)
{
    run *w = arg;
    const sp_sweep *s = w->sweep;
    const sp_factors *f = s->factors;
    for (int64_t c = first; c < last; c++) {
        sp_expected expected = sp_expected_over(w->sums + c * 2 * w->size, f->n_classes, f->n_positions);
        sp_expected observed =
            sp_expected_over(w->sums + (c * 2 + 1) * w->size, f->n_classes, f->n_positions);
        int64_t from = c * s->stretches->n / w->n_chunks, to = (c + 1) * s->stretches->n / w->n_chunks;
        for (int64_t p = from; p < to && !w->no_memory; p++) {
            const sp_stretch *stretch = &s->stretches->list[p];
            double before = *expected.log_z;
            if ((s->use && !s->use[stretch->recording]) || (s->has_path && !s->has_path[p]))
                continue;
            if (!sp_crf_pass(f, s->e, stretch, s->wants_counts, scratch, &expected))
                w->no_memory = true;
            else if (s->has_path && *expected.log_z == -INFINITY) { /* nothing to learn from, now or later */
                *expected.log_z = before;
                s->has_path[p] = 0;
            }
            if (s->labels)
                sp_crf_observe(f, s->e, s->labels, stretch, &observed);
        }
    }
}

sp_status sp_sweep_run(const sp_sweep *sweep, sp_workers *workers, double **sums, sp_error *err)
{
    const sp_factors *f = sweep->factors;
    run w = {.sweep = sweep, .size = sp_expected_size(f->n_classes, f->n_positions)};
    w.n_chunks = sweep->stretches->n < MOST_CHUNKS ? sweep->stretches->n : MOST_CHUNKS;
    w.sums = calloc((size_t)(w.n_chunks * 2 * w.size) + 1, sizeof *w.sums);
    if (w.sums)
        sp_workers_share(workers, w.n_chunks, sweep_chunks, &w);
    if (!w.sums || w.no_memory) {
        free(w.sums);
        return sp_no_memory(err);
    }
    for (int64_t i = 2 * w.size; i < w.n_chunks * 2 * w.size; i++)
        w.sums[i % (2 * w.size)] += w.sums[i];
    *sums = w.sums;
    return SP_OK;
}
