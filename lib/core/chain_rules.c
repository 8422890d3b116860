/* Asking a compiled model: its rules in classes, and the score of a path. */
#include "core/chain_states.h"

#include <math.h>
#include <stdlib.h>

int32_t sp_chain_n_classes(const sp_chain *chain)
{
    return chain->n_classes;
}

int32_t sp_chain_n_states(const sp_chain *chain)
{
    return chain->n_states;
}

bool sp_chain_has_weights(const sp_chain *chain)
{
    return !chain->is_boolean;
}

/* Place of `key` in the ascending run list[first] .. list[last-1], or -1. A run that holds everything is indexed directly. */
static int64_t find(const int32_t *list, int64_t first, int64_t last, int32_t everything, int32_t key)
{
    if (last - first == everything)
        return first + key;
    while (first < last) {
        int64_t middle = first + (last - first) / 2;
        if (list[middle] == key)
            return middle;
        if (list[middle] < key)
            first = middle + 1;
        else
            last = middle;
    }
    return -1;
}

double sp_chain_weight(const sp_chain *chain, int32_t i, int32_t j)
{
    int64_t e = find(chain->succ, chain->succ_row[i], chain->succ_row[i + 1], chain->n_states, j);
    return e < 0 ? -INFINITY : chain->succ_weight[e];
}

bool sp_chain_is_legal(const sp_chain *chain, int32_t from, int32_t to)
{
    return find(chain->legal_to, chain->legal_row[from], chain->legal_row[from + 1], chain->n_classes, to) >= 0;
}

static bool any_finite(const double *weight, int32_t first, int32_t last)
{
    for (int32_t s = first; s < last; s++)
        if (weight[s] != -INFINITY)
            return true;
    return false;
}

bool sp_chain_is_legal_start(const sp_chain *chain, int32_t k)
{
    return any_finite(chain->start, chain->class_first[k], chain->class_first[k + 1]);
}

bool sp_chain_is_legal_end(const sp_chain *chain, int32_t k)
{
    return any_finite(chain->end, chain->class_first[k], chain->class_first[k + 1]);
}

int32_t sp_chain_min_dwell(const sp_chain *chain, int32_t k)
{
    return chain->min_dwell[k];
}

bool sp_chain_min_dwell_at_end(const sp_chain *chain)
{
    return chain->min_dwell_at_end;
}

/* ---- path score ---- */

enum { TABLE_MOST = 64 /* classes: 32 KB */, TABLE_PAYS = 4 /* steps a class */ };

/* weight[K,K] nats, -INFINITY where forbidden. */
static void fill_table(const sp_chain *chain, double *weight)
{
    size_t K = (size_t)chain->n_classes;
    for (size_t i = 0; i < K * K; i++)
        weight[i] = -INFINITY;
    for (size_t i = 0; i < K; i++)
        for (int64_t s = chain->succ_row[i]; s < chain->succ_row[i + 1]; s++)
            weight[i * K + (size_t)chain->succ[s]] = chain->succ_weight[s];
}

static double score_plain(const sp_chain *chain, const sp_scores *scores, const int32_t *path)
{
    int64_t T = scores->n_steps;
    int32_t K = chain->n_classes;
    double table[TABLE_MOST * TABLE_MOST];
    bool has_table = K <= TABLE_MOST && T >= (int64_t)K * TABLE_PAYS;
    if (has_table) /* looking up beats searching */
        fill_table(chain, table);
    double score = chain->start[path[0]] + sp_scores_at(scores, 0, path[0]);
    for (int64_t t = 1; t < T; t++) {
        double weight = 0;
        if (!sp_scores_is_gap(scores, t))
            weight = has_table ? table[path[t - 1] * K + path[t]] : sp_chain_weight(chain, path[t - 1], path[t]);
        score = (score + weight) + sp_scores_at(scores, t, path[t]);
    }
    return score + chain->end[path[T - 1]];
}

/* v[t,j] = max over states i of class path[t-1] of (v[t-1,i] + log_trans[i,j]) + e[t,path[t]], for the states j of class path[t].
 * `v` and `w` hold one number a compiled state; only those of the classes in question are touched. */
static double score_states(const sp_chain *chain, const sp_scores *scores, const int32_t *path, double *v, double *w)
{
    int64_t T = scores->n_steps;
    const int32_t *first = chain->class_first;
    for (int32_t j = first[path[0]]; j < first[path[0] + 1]; j++)
        v[j] = chain->start[j] + sp_scores_at(scores, 0, path[0]);
    for (int64_t t = 1; t < T; t++) {
        int32_t from = path[t - 1], to = path[t];
        double e = sp_scores_at(scores, t, to), before_gap = -INFINITY;
        bool is_gap = sp_scores_is_gap(scores, t);
        for (int32_t i = first[from]; is_gap && i < first[from + 1]; i++)
            before_gap = v[i] > before_gap ? v[i] : before_gap;
        for (int32_t j = first[to]; j < first[to + 1]; j++) {
            double best = is_gap && chain->entry[j] ? before_gap : -INFINITY;
            for (int64_t p = chain->pred_row[j]; !is_gap && p < chain->pred_row[j + 1]; p++) {
                int32_t i = chain->pred[p];
                if (chain->state_class[i] == from && v[i] + chain->pred_weight[p] > best)
                    best = v[i] + chain->pred_weight[p];
            }
            w[j] = best + e;
        }
        for (int32_t j = first[to]; j < first[to + 1]; j++)
            v[j] = w[j];
    }
    double score = -INFINITY;
    for (int32_t j = first[path[T - 1]]; j < first[path[T - 1] + 1]; j++)
        if (v[j] + chain->end[j] > score)
            score = v[j] + chain->end[j];
    return score;
}

sp_status sp_path_score(const sp_chain *chain, const sp_scores *scores, const int32_t *path, double *score, sp_error *err)
{
    if (scores->n_classes != chain->n_classes)
        return sp_fail(err, SP_EINVAL, "scores of %d classes for a model of %d", scores->n_classes, chain->n_classes);
    for (int64_t t = 0; t < scores->n_steps; t++)
        if (path[t] < 0 || path[t] >= chain->n_classes)
            return sp_fail_at(err, SP_EINVAL, t, "step %lld: class %d of %d", (long long)t, path[t], chain->n_classes);
    if (scores->n_steps == 0) {
        *score = 0;
    } else if (chain->is_plain) {
        *score = score_plain(chain, scores, path);
    } else {
        double *v = malloc(2 * (size_t)chain->n_states * sizeof *v);
        if (!v)
            return sp_fail(err, SP_ENOMEM, "no memory for the scores of %d states", chain->n_states);
        *score = score_states(chain, scores, path, v, v + chain->n_states);
        free(v);
    }
    return SP_OK;
}
