#include "decode/sparse.h"

#include <math.h>

static int64_t padded(int64_t n)
{
    return n == 0 ? SP_SPARSE_SIDE : (n + SP_SPARSE_SIDE - 1) / SP_SPARSE_SIDE * SP_SPARSE_SIDE;
}

/* The list of j, from place `at` on; returns whether a weight is not 0. */
static bool fill_list(const sp_sparse *s, const sp_chain *chain, int32_t j, int64_t at)
{
    int64_t first = chain->pred_row[j], n = chain->pred_row[j + 1] - first;
    bool has_weights = false;
    for (int64_t p = 0; p < padded(n); p++) {
        int64_t source = first + (p < n ? p : 0);
        s->from[at + p] = n ? (uint16_t)chain->pred[source] : 0;
        s->weight[at + p] = n ? chain->pred_weight[source] : -INFINITY;
        has_weights |= s->weight[at + p] != 0;
    }
    return has_weights;
}

bool sp_sparse_init(sp_sparse *sparse, const sp_chain *chain, sp_scratch *scratch)
{
    int32_t n = chain->n_states;
    int64_t n_edges = 0;
    for (int32_t j = 0; j < n; j++)
        n_edges += padded(chain->pred_row[j + 1] - chain->pred_row[j]);
    /* One piece of memory: weights, rows, then the short numbers. */
    size_t edges = (size_t)n_edges, rows = (size_t)n + 1;
    double *room = sp_scratch_get(scratch, SP_SLOT_SPARSE_LISTS, edges + rows + (edges + 3) / 4, sizeof *room);
    if (!room)
        return false;
    *sparse = (sp_sparse){n, (int64_t *)(room + edges), (uint16_t *)(room + edges + rows), room};
    bool has_weights = false;
    int64_t at = 0;
    for (int32_t j = 0; j < n; j++) {
        sparse->row[j] = at;
        has_weights |= fill_list(sparse, chain, j, at);
        at += padded(chain->pred_row[j + 1] - chain->pred_row[j]);
    }
    sparse->row[n] = at;
    if (!has_weights)
        sparse->weight = NULL;
    return true;
}

static inline double greater(double a, double b)
{
    return a > b ? a : b;
}

void sp_sparse_step(const sp_sparse *s, const double *now, double *next)
{
    const uint16_t *from = s->from;
    const double *weight = s->weight;
    for (int32_t j = 0; j < s->n; j++) {
        /* Four maxima at a time, because one alone would wait for itself. */
        double best0 = -INFINITY, best1 = -INFINITY, best2 = -INFINITY, best3 = -INFINITY;
        if (weight)
            for (int64_t p = s->row[j]; p < s->row[j + 1]; p += SP_SPARSE_SIDE) {
                best0 = greater(now[from[p]] + weight[p], best0);
                best1 = greater(now[from[p + 1]] + weight[p + 1], best1);
                best2 = greater(now[from[p + 2]] + weight[p + 2], best2);
                best3 = greater(now[from[p + 3]] + weight[p + 3], best3);
            }
        else
            for (int64_t p = s->row[j]; p < s->row[j + 1]; p += SP_SPARSE_SIDE) {
                best0 = greater(now[from[p]], best0);
                best1 = greater(now[from[p + 1]], best1);
                best2 = greater(now[from[p + 2]], best2);
                best3 = greater(now[from[p + 3]], best3);
            }
        next[j] = greater(greater(best0, best1), greater(best2, best3));
    }
}
