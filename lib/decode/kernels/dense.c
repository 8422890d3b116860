/* Dense models: the matrix in blocks, and one step there or back. */
#include "decode/kernels/dense.h"

#include <math.h>

#include "decode/kernels/isa_kernels.h"

enum { LEAST_CLASSES = 17, LEAST_STEPS = 16, LEAST_DENSITY = 4 /* one in so many */ };

static bool is_dense(const sp_chain *chain)
{
    double n = chain->n_states;
    return (double)chain->pred_row[chain->n_states] * LEAST_DENSITY >= n * n;
}

bool sp_dense_fits(const sp_chain *chain, int64_t n_steps)
{
    return (!chain->is_plain || chain->n_states >= LEAST_CLASSES) && n_steps >= LEAST_STEPS &&
           (is_dense(chain) || chain->n_states <= SP_SPARSE_MOST_CLASSES);
}

static int32_t most_columns(sp_isa isa)
{
    return isa == SP_ISA_AVX512 ? 64 : isa == SP_ISA_AVX2 ? 32 : 16;
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

/* How long lists of shared columns may be (sp_columns_find) to be quicker than a matrix of n rows of so many numbers: an item takes as
 * long as two vectors of a row, and so does each state that the maxima are spread over. */
static int64_t most_shared(sp_isa isa, int32_t n, int64_t width)
{
    const int32_t lanes = most_columns(isa) / 8;
    return n > SP_SPARSE_MOST_CLASSES ? 0 : n * width / lanes / 2 - n;
}

bool sp_dense_init(sp_dense *dense, sp_isa isa, const sp_chain *chain, sp_scratch *scratch)
{
    *dense = (sp_dense){.chain = chain,
                        .kernels = sp_isa_kernels_of(isa),
                        .n = chain->n_states,
                        .columns = chain->n_states,
                        .n_blocks = 1,
                        .width = (size_t)chain->n_states};
    if (!is_dense(chain))
        return sp_sparse_init(&dense->sparse, chain, scratch);
    int32_t n = chain->n_states, columns = choose_columns(isa, n), n_blocks = (n + columns - 1) / columns;
    if (!sp_columns_find(&dense->shared, chain, most_shared(isa, n, (int64_t)n_blocks * columns), scratch))
        return false;
    if (dense->shared.n > 0)
        return sp_sparse_init_some(&dense->sparse, chain, dense->shared.head, dense->shared.n, scratch);
    size_t size = (size_t)n_blocks * (size_t)n * (size_t)columns,
           n_bounds = (size_t)n_blocks * (size_t)(n + columns);
    double *weight = sp_scratch_get(scratch, size + n_bounds, sizeof *weight);
    if (!weight)
        return false;
    for (size_t i = 0; i < size; i++)
        weight[i] = -INFINITY;
    for (int32_t i = 0; i < n; i++) {
        double *row = weight + (ptrdiff_t)i * columns;
        int32_t first = 0; /* column of the block */
        for (int64_t p = chain->succ_row[i]; p < chain->succ_row[i + 1]; p++) {
            for (; chain->succ[p] >= first + columns; first += columns)
                row += (ptrdiff_t)n * columns;
            row[chain->succ[p] - first] = chain->succ_weight[p];
        }
    }
    dense->columns = columns;
    dense->n_blocks = n_blocks;
    dense->width = (size_t)n_blocks * (size_t)columns;
    dense->weight = weight;
    if (n >= SP_DENSE_SKIP_LEAST && n <= SP_DENSE_SKIP_MOST)
        find_bounds(dense, weight + size);
    return true;
}

/* ---- one step ---- */

void sp_dense_forward(const sp_dense *dense, const sp_scores *scores, int64_t t, const double *now,
                      double *next, sp_dense_part *part)
{
    const size_t size = (size_t)scores->dtype;
    const char *row = (const char *)scores->data + (size_t)t * (size_t)scores->n_classes * size;
    const int32_t *states = dense->chain->state_class;
    int32_t first = 0, last = dense->n; /* states */
    if (dense->shared.n > 0) {
        double value[SP_COLUMNS_MOST];
        sp_sparse_step(&dense->sparse, now, value, &part->span);
        dense->kernels->dense_spread(row, scores->dtype, dense->chain->is_plain ? NULL : states, dense->n,
                                     dense->shared.of, value, next);
        return;
    }
    if (dense->weight) {
        first = part->first * dense->columns;
        last = part->last * dense->columns < dense->n ? part->last * dense->columns : dense->n;
        dense->kernels->dense_step(dense, now, next, part);
    } else {
        sp_sparse_step(&dense->sparse, now, next, &part->span);
    }
    if (dense->chain->is_plain)
        dense->kernels->dense_add(row + (size_t)first * size, scores->dtype, NULL, last - first,
                                  next + first);
    else
        dense->kernels->dense_add(row, scores->dtype, states + first, last - first, next + first);
}

int32_t sp_dense_before(const sp_dense *dense, const double *now, int32_t state)
{
    const sp_chain *c = dense->chain;
    int64_t first = c->pred_row[state], last = c->pred_row[state + 1];
    if (last - first == dense->n)
        return dense->kernels->dense_choice(now, c->pred_weight + first, dense->n);
    double best = -INFINITY;
    int32_t from = 0;
    for (int64_t p = first; p < last; p++) {
        double candidate = now[c->pred[p]] + c->pred_weight[p];
        if (candidate > best) {
            best = candidate;
            from = c->pred[p];
        }
    }
    return from;
}
