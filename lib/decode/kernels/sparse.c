#include "decode/kernels/sparse.h"

#include <math.h>

static int64_t padded(int64_t n)
{
    return n == 0 ? SP_SPARSE_SIDE : (n + SP_SPARSE_SIDE - 1) / SP_SPARSE_SIDE * SP_SPARSE_SIDE;
}

int64_t sp_sparse_length(const sp_chain *chain, int32_t j)
{
    return padded(chain->pred_row[j + 1] - chain->pred_row[j]);
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

static void find_most(sp_sparse *s, double *most)
{
    const sp_chain *c = s->chain;
    s->most = most;
    for (int32_t i = 0; i < s->n; i++) {
        most[i] = -INFINITY;
        for (int64_t p = c->succ_row[i]; p < c->succ_row[i + 1]; p++)
            most[i] = c->succ_weight[p] > most[i] ? c->succ_weight[p] : most[i];
    }
}

bool sp_sparse_init_some(sp_sparse *sparse, const sp_chain *chain, const int32_t *states, int32_t n,
                         sp_scratch *scratch)
{
    int64_t n_edges = 0;
    for (int32_t i = 0; i < n; i++)
        n_edges += sp_sparse_length(chain, states ? states[i] : i);
    /* One piece of memory: weights, rows, room for `most`, then the short numbers. */
    size_t edges = (size_t)n_edges, rows = (size_t)n + 1;
    double *room = sp_scratch_get(scratch, edges + 2 * rows + (edges + 3) / 4, sizeof *room);
    if (!room)
        return false;
    *sparse = (sp_sparse){.n = n,
                          .row = (int64_t *)(room + edges),
                          .from = (uint16_t *)(room + edges + 2 * rows),
                          .weight = room,
                          .chain = chain};
    bool has_weights = false;
    int64_t at = 0;
    for (int32_t i = 0; i < n; i++) {
        const int32_t j = states ? states[i] : i;
        sparse->row[i] = at;
        has_weights |= fill_list(sparse, chain, j, at);
        at += sp_sparse_length(chain, j);
    }
    sparse->row[n] = at;
    if (!states && n >= SP_SPARSE_OFFER_LEAST && n <= SP_SPARSE_OFFER_MOST &&
        chain->pred_row[n] >= (int64_t)n * SP_SPARSE_OFFER_DEGREE)
        find_most(sparse, room + edges + rows);
    if (!has_weights)
        sparse->weight = NULL;
    return true;
}

bool sp_sparse_init(sp_sparse *sparse, const sp_chain *chain, sp_scratch *scratch)
{
    return sp_sparse_init_some(sparse, chain, NULL, chain->n_states, scratch);
}

static inline double greater(double a, double b)
{
    return a > b ? a : b;
}

/* The maximum over the predecessors of j. Four at a time, because one alone would wait for itself. */
static inline double greatest_before(const sp_sparse *s, const double *now, int32_t j)
{
    const uint16_t *from = s->from;
    const double *weight = s->weight;
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
    return greater(greater(best0, best1), greater(best2, best3));
}

enum { SIDE_BY_SIDE = 8 }; /* maxima, because one alone would wait for itself */

static double greatest_of(const double best[SIDE_BY_SIDE])
{
    double top = -INFINITY;
    for (int l = 0; l < SIDE_BY_SIDE; l++)
        top = greater(best[l], top);
    return top;
}

static double greatest(const double *now, int32_t n)
{
    double best[SIDE_BY_SIDE], rest = -INFINITY;
    int32_t i = 0;
    for (int l = 0; l < SIDE_BY_SIDE; l++)
        best[l] = -INFINITY;
    for (; i + SIDE_BY_SIDE <= n; i += SIDE_BY_SIDE)
        for (int l = 0; l < SIDE_BY_SIDE; l++)
            best[l] = greater(now[i + l], best[l]);
    for (; i < n; i++)
        rest = greater(now[i], rest);
    return greater(greatest_of(best), rest);
}

/* What states below `least` give at most. Without weights that is less than `least`. */
static double bound_below(const sp_sparse *s, const double *now, double least)
{
    double best[SIDE_BY_SIDE], rest = -INFINITY;
    int32_t i = 0;
    if (!s->weight)
        return least;
    for (int l = 0; l < SIDE_BY_SIDE; l++)
        best[l] = -INFINITY;
    for (; i + SIDE_BY_SIDE <= s->n; i += SIDE_BY_SIDE) {
        double here[SIDE_BY_SIDE];
        for (int l = 0; l < SIDE_BY_SIDE; l++)
            here[l] = now[i + l] < least ? now[i + l] : -INFINITY;
        for (int l = 0; l < SIDE_BY_SIDE; l++)
            best[l] = greater(here[l] + s->most[i + l], best[l]);
    }
    for (; i < s->n; i++)
        rest = greater(now[i] < least ? now[i] + s->most[i] : -INFINITY, rest);
    return greater(greatest_of(best), rest);
}

/* The classes whose value is in [least, INFINITY], or below it. Which those are cannot be foreseen: no branches. */
static int32_t list_those(const double *value, int32_t n, double least, bool below, uint16_t *list)
{
    int32_t count = 0;
    for (int32_t j = 0; j < n; j++) {
        list[count] = (uint16_t)j;
        count += (value[j] < least) == below;
    }
    return count;
}

static void offer(const sp_sparse *s, const double *now, const uint16_t *list, int32_t n_first, double *next)
{
    const sp_chain *c = s->chain;
    const int32_t *to = c->succ;
    for (int32_t r = 0; r < n_first; r++) {
        int32_t i = list[r];
        double value = now[i];
        if (s->weight)
            for (int64_t p = c->succ_row[i]; p < c->succ_row[i + 1]; p++)
                next[to[p]] = greater(value + c->succ_weight[p], next[to[p]]);
        else
            for (int64_t p = c->succ_row[i]; p < c->succ_row[i + 1]; p++)
                next[to[p]] = greater(value, next[to[p]]);
    }
}

void sp_sparse_step(const sp_sparse *s, const double *now, double *next, double *span)
{
    uint16_t list[SP_SPARSE_OFFER_MOST + 1];
    int32_t n_first = s->n, n_left;
    double least = 0;
    if (s->most) {
        least = greatest(now, s->n) - *span;
        n_first = list_those(now, s->n, least, false, list);
    }
    if (n_first > s->n / 3) { /* too many, or not wanted */
        *span = s->most && *span > 1e-300 ? *span * 0.75 : *span;
        for (int32_t j = 0; j < s->n; j++)
            next[j] = greatest_before(s, now, j);
        return;
    }
    for (int32_t j = 0; j < s->n; j++)
        next[j] = -INFINITY;
    offer(s, now, list, n_first, next);
    n_left = list_those(next, s->n, bound_below(s, now, least), true, list);
    for (int32_t r = 0; r < n_left; r++)
        next[list[r]] = greatest_before(s, now, list[r]);
    if (n_left > n_first && *span < 1e300)
        *span *= 1.0625;
    else if (*span > 1e-300)
        *span *= 0.9375;
}
