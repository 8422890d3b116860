#include "decode/kernels/greedy_table.h"

#include <math.h>

#include "decode/recording.h"

bool sp_greedy_table_init(sp_greedy_table *table, const sp_chain *chain, sp_scratch *scratch)
{
    *table = (sp_greedy_table){0};
    if (!chain->is_plain || chain->n_classes > SP_GREEDY_TABLE_MOST)
        return true;
    size_t K = (size_t)chain->n_classes;
    double *weight = sp_scratch_get(scratch, (K + 3) * K, sizeof *weight);
    if (!weight)
        return false;
    double *end = weight + (K + 2) * K;
    for (size_t i = 0; i < K * K; i++)
        weight[i] = -INFINITY;
    for (size_t i = 0; i < K; i++) {
        for (int64_t s = chain->succ_row[i]; s < chain->succ_row[i + 1]; s++)
            weight[i * K + (size_t)chain->succ[s]] = chain->succ_weight[s];
        weight[K * K + i] = chain->start[i];
        weight[(K + 1) * K + i] = chain->entry[i] ? 0 : -INFINITY;
        end[i] = chain->end[i];
    }
    *table = (sp_greedy_table){chain->n_classes, weight, end};
    return true;
}

/* The first j of the greatest weight[j] + e[j] (+ end[j] unless NULL); -1 when there is none. */
static inline int32_t choose(int32_t n, const double *weight, const double *e, const double *end)
{
    double best = -INFINITY;
    int32_t chosen = -1;
    for (int32_t j = 0; j < n; j++) {
        double value = (0 + weight[j]) + e[j];
        if (end)
            value += end[j];
        bool is_better = value > best;
        best = is_better ? value : best;
        chosen = is_better ? j : chosen;
    }
    return chosen;
}

bool sp_greedy_table_path(const sp_greedy_table *g, const sp_scores *scores, double *row, int32_t *path)
{
    int32_t before = g->n;
    for (int64_t t = 0; t < scores->n_steps; t++) {
        int32_t from = sp_scores_is_gap(scores, t) ? g->n + 1 : before;
        before = choose(g->n, g->weight + (size_t)from * (size_t)g->n, sp_row(scores, t, row),
                        t == scores->n_steps - 1 ? g->end : NULL);
        if (before < 0)
            return false;
        path[t] = before;
    }
    return true;
}
