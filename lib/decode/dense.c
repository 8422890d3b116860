/* Dense models: the matrix in blocks, and the way there and back over one recording. */
#include "decode/dense.h"

#include <math.h>
#include <string.h>

#include "decode/recording.h"

enum { LEAST_CLASSES = 17, LEAST_STEPS = 16, LEAST_DENSITY = 4 /* one in so many */, ROWS_AHEAD = 8 };

static bool is_dense(const sp_chain *chain)
{
    double n = chain->n_states;
    return (double)chain->pred_row[chain->n_states] * LEAST_DENSITY >= n * n;
}

bool sp_dense_fits(const sp_chain *chain, int64_t n_steps)
{
    return chain->is_plain && chain->n_states >= LEAST_CLASSES && n_steps >= LEAST_STEPS &&
           (is_dense(chain) || chain->n_states <= SP_SPARSE_MOST_CLASSES);
}

static int32_t most_columns(sp_isa isa)
{
    return isa == SP_ISA_AVX512 ? 64 : isa == SP_ISA_AVX2 ? 32 : 16;
}

static void step(const sp_dense *dense, const double *now, double *next, double *span)
{
    if (!dense->weight) {
        sp_sparse_step(&dense->sparse, now, next);
        return;
    }
    switch (dense->isa) {
#if defined(__x86_64__)
    case SP_ISA_AVX512:
        sp_dense_step_avx512(dense, now, next, span);
        break;
    case SP_ISA_AVX2:
        sp_dense_step_avx2(dense, now, next, span);
        break;
#endif
    default:
        sp_dense_step_base(dense, now, next, span);
    }
}

static int32_t choice(sp_isa isa, const double *now, const double *weight, int32_t n)
{
    switch (isa) {
#if defined(__x86_64__)
    case SP_ISA_AVX512:
        return sp_dense_choice_avx512(now, weight, n);
    case SP_ISA_AVX2:
        return sp_dense_choice_avx2(now, weight, n);
#endif
    default:
        return sp_dense_choice_base(now, weight, n);
    }
}

/* The widest block that leaves fewest columns empty. */
static int32_t choose_columns(sp_isa isa, int32_t n)
{
    int32_t most = most_columns(isa), best = most;
    for (int32_t columns = most; columns >= most / 4; columns /= 2)
        if ((n + columns - 1) / columns * columns < (n + best - 1) / best * best)
            best = columns;
    return best;
}

/* room[n_blocks * (n + columns)] */
static void find_bounds(sp_dense *dense, double *room)
{
    int32_t n = dense->n, columns = dense->columns;
    dense->most = room;
    dense->fill = room + (ptrdiff_t)dense->n_blocks * n;
    for (ptrdiff_t j = 0; j < (ptrdiff_t)dense->n_blocks * columns; j++)
        dense->fill[j] = INFINITY;
    for (ptrdiff_t r = 0; r < (ptrdiff_t)dense->n_blocks * n; r++) {
        double *fill = dense->fill + r / n * columns;
        dense->most[r] = -INFINITY;
        for (int32_t j = 0; j < columns; j++) {
            double weight = dense->weight[r * columns + j];
            dense->most[r] = weight > dense->most[r] ? weight : dense->most[r];
            fill[j] = weight > -INFINITY ? -INFINITY : fill[j];
        }
    }
}

bool sp_dense_init(sp_dense *dense, sp_isa isa, const sp_chain *chain, sp_scratch *scratch)
{
    if (!is_dense(chain)) {
        *dense = (sp_dense){.chain = chain,
                            .isa = isa,
                            .n = chain->n_states,
                            .columns = chain->n_states,
                            .n_blocks = 1,
                            .most_bytes = SP_DENSE_MOST_BYTES};
        return sp_sparse_init(&dense->sparse, chain, scratch);
    }
    int32_t n = chain->n_states, columns = choose_columns(isa, n), n_blocks = (n + columns - 1) / columns;
    size_t size = (size_t)n_blocks * (size_t)n * (size_t)columns, n_bounds = (size_t)n_blocks * (size_t)(n + columns);
    double *weight = sp_scratch_get(scratch, SP_SLOT_DENSE_MATRIX, size + n_bounds, sizeof *weight);
    if (!weight)
        return false;
    for (size_t i = 0; i < size; i++)
        weight[i] = -INFINITY;
    for (int32_t j = 0; j < n; j++) {
        double *column = weight + (ptrdiff_t)(j / columns) * n * columns + j % columns;
        for (int64_t p = chain->pred_row[j]; p < chain->pred_row[j + 1]; p++)
            column[(ptrdiff_t)chain->pred[p] * columns] = chain->pred_weight[p];
    }
    *dense = (sp_dense){.chain = chain,
                        .isa = isa,
                        .n = n,
                        .columns = columns,
                        .n_blocks = n_blocks,
                        .most_bytes = SP_DENSE_MOST_BYTES,
                        .weight = weight};
    if (n >= SP_DENSE_SKIP_LEAST && n <= SP_DENSE_SKIP_MOST)
        find_bounds(dense, weight + size);
    return true;
}

/* ---- one recording ---- */

typedef struct dense_run {
    const sp_dense *dense;
    const sp_scores *scores;
    double *row;            /* [K] */
    int64_t block;          /* B */
    double span;            /* see sp_dense_step */
    size_t width;           /* doubles of a row of delta */
    double *deltas, *marks; /* [B,width] of the block in hand; [blocks,width] of each block's first step */
} dense_run;

static double *delta_at(const dense_run *r, int64_t t)
{
    return r->deltas + (size_t)(t % r->block) * r->width;
}

/* delta of the steps after `first` up to `last`, from that of `first`, which is in its place. */
static void forward(dense_run *r, int64_t first, int64_t last, bool marks_it)
{
    int32_t n = r->dense->n;
    for (int64_t t = first + 1; t <= last; t++) {
        double *next = delta_at(r, t);
        step(r->dense, delta_at(r, t - 1), next, &r->span);
        const double *e = sp_row(r->scores, t, r->row);
        for (int32_t j = 0; j < n; j++)
            next[j] += e[j];
        if (marks_it && t % r->block == 0)
            memcpy(r->marks + (size_t)(t / r->block) * r->width, next, r->width * sizeof *next);
    }
}

/* The state before `state` of step t. The rows of delta that come next on the way back are asked for here: they are far away. */
static int32_t state_before(const dense_run *r, int64_t t, int32_t state)
{
    const sp_chain *c = r->dense->chain;
    const double *now = delta_at(r, t - 1);
    if (t > ROWS_AHEAD)
        for (size_t j = 0; j < r->width; j += 8)
            __builtin_prefetch(delta_at(r, t - 1 - ROWS_AHEAD) + j);
    int64_t first = c->pred_row[state], last = c->pred_row[state + 1];
    if (last - first == r->dense->n)
        return choice(r->dense->isa, now, c->pred_weight + first, r->dense->n);
    double best = -INFINITY;
    int32_t from = 0;
    for (int64_t p = first; p < last; p++)
        if (now[c->pred[p]] + c->pred_weight[p] > best) {
            best = now[c->pred[p]] + c->pred_weight[p];
            from = c->pred[p];
        }
    return from;
}

static bool run_room(dense_run *r, sp_scratch *scratch)
{
    int64_t n_steps = r->scores->n_steps;
    r->width = (size_t)r->dense->n_blocks * (size_t)r->dense->columns;
    r->block = n_steps;
    if ((double)n_steps * (double)r->width * sizeof(double) > (double)r->dense->most_bytes)
        r->block = (int64_t)sqrt((double)n_steps) + 1;
    int64_t n_blocks = (n_steps + r->block - 1) / r->block;
    r->row = sp_row_buffer(r->scores, scratch);
    r->deltas = sp_scratch_get(scratch, SP_SLOT_DENSE_DELTAS, (size_t)(r->block + n_blocks) * r->width, sizeof *r->deltas);
    r->marks = r->deltas ? r->deltas + (size_t)r->block * r->width : NULL;
    return r->row && r->deltas;
}

sp_status sp_dense_viterbi(const sp_dense *dense, const sp_scores *scores, sp_scratch *scratch, int32_t *path, double *score)
{
    const sp_chain *c = dense->chain;
    dense_run r = {.dense = dense, .scores = scores, .span = 1};
    if (!run_room(&r, scratch))
        return SP_ENOMEM;
    int64_t last = scores->n_steps - 1;
    const double *e = sp_row(scores, 0, r.row);
    for (int32_t j = 0; j < dense->n; j++)
        r.deltas[j] = c->start[j] + e[j];
    memcpy(r.marks, r.deltas, r.width * sizeof *r.marks);
    forward(&r, 0, last, true);

    int32_t state = 0;
    *score = -INFINITY;
    for (int32_t j = 0; j < dense->n; j++)
        if (delta_at(&r, last)[j] + c->end[j] > *score) {
            *score = delta_at(&r, last)[j] + c->end[j];
            state = j;
        }
    if (*score == -INFINITY)
        return SP_ENOPATH;
    for (int64_t t = last; t > 0; t--) {
        path[t] = state;
        if (t % r.block == 0) { /* the step before is in another block: do that one again */
            memcpy(r.deltas, r.marks + (size_t)(t / r.block - 1) * r.width, r.width * sizeof *r.deltas);
            forward(&r, t - r.block, t - 1, false);
        }
        state = state_before(&r, t, state);
    }
    path[0] = state;
    return SP_OK;
}
