#include "core/path_score.h"

#include <math.h>
#include <stdlib.h>

enum { TABLE_PAYS = 4 /* steps a class */ };

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

/* The table where looking up beats searching, or NULL. */
static double *table_of(const sp_chain *chain, int64_t n_steps, double *table)
{
    if (!chain->is_plain || chain->n_classes > SP_PATH_TABLE ||
        n_steps < (int64_t)chain->n_classes * TABLE_PAYS)
        return NULL;
    fill_table(chain, table);
    return table;
}

static double weight_of(const sp_chain *chain, const double *table, int32_t from, int32_t to)
{
    return table ? table[from * chain->n_classes + to] : sp_chain_weight(chain, from, to);
}

bool sp_path_walk_init(sp_path_walk *w, const sp_chain *chain, int64_t n_steps, double *table)
{
    *w = (sp_path_walk){.chain = chain, .weight = table_of(chain, n_steps, table)};
    return chain->is_plain || chain->is_told ||
           (w->states = malloc(2 * (size_t)chain->n_states * sizeof *w->states)) != NULL;
}

void sp_path_walk_clear(sp_path_walk *w)
{
    free(w->states);
    *w = (sp_path_walk){.chain = NULL};
}

static bool is_gap_at(const sp_path_walk *w, const sp_scores *scores, int64_t t)
{
    return scores->segments && scores->segments[t] != (t > 0 ? scores->segments[t - 1] : w->last_segment);
}

static void add_plain(sp_path_walk *w, const sp_scores *scores, const int32_t *path, int64_t first)
{
    int32_t from = w->last;
    double score = w->score;
    for (int64_t t = first; t < scores->n_steps; t++) {
        double weight = 0;
        if (!is_gap_at(w, scores, t))
            weight = weight_of(w->chain, w->weight, from, path[t]);
        from = path[t];
        score = (score + weight) + sp_scores_at(scores, t, from);
    }
    w->score = score;
}

/* The only state of class k that a recording may begin in, or -1. */
static int32_t told_start(const sp_chain *c, int32_t k)
{
    for (int32_t j = c->class_first[k]; j < c->class_first[k + 1]; j++)
        if (c->start[j] > -INFINITY)
            return j;
    return -1;
}

/* The same after a gap. */
static int32_t told_entry(const sp_chain *c, int32_t k)
{
    for (int32_t j = c->class_first[k]; j < c->class_first[k + 1]; j++)
        if (c->entry[j])
            return j;
    return -1;
}

/* Place in succ[] of the only successor of state i that emits class k, or -1. */
static int64_t told_successor(const sp_chain *c, int32_t i, int32_t k)
{
    int64_t low = c->succ_row[i], high = c->succ_row[i + 1];
    const int64_t last = high;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (c->succ[middle] < c->class_first[k])
            low = middle + 1;
        else
            high = middle;
    }
    return low < last && c->succ[low] < c->class_first[k + 1] ? low : -1;
}

/* Classes tell the states: one is followed. */
static void add_told(sp_path_walk *w, const sp_scores *scores, const int32_t *path, int64_t first)
{
    const sp_chain *c = w->chain;
    double score = w->score;
    int32_t state = w->state;
    for (int64_t t = first; t < scores->n_steps && state >= 0; t++) {
        const int32_t k = path[t];
        double weight;
        const bool is_gap = is_gap_at(w, scores, t);
        if (is_gap && !c->across) {
            weight = sp_chain_leave(c, state);
            state = told_entry(c, k);
        } else {
            const sp_chain *into = is_gap ? c->across : c;
            const int64_t s = told_successor(into, state, k);
            weight = s < 0 ? -INFINITY : into->succ_weight[s];
            state = s < 0 ? -1 : into->succ[s];
        }
        score = (score + weight) + sp_scores_at(scores, t, k);
    }
    w->state = state;
    w->score = state < 0 ? -INFINITY : score;
}

/* v[t,j] = max over states i of class path[t-1] of (v[t-1,i] + log_trans[i,j]) + e[t,path[t]], for the states j of class path[t].
 * v and w hold one number a compiled state; only those of the classes in question are touched. */
static void add_states(sp_path_walk *walk, const sp_scores *scores, const int32_t *path, int64_t begin)
{
    const sp_chain *chain = walk->chain;
    const int32_t *first = chain->class_first;
    double *v = walk->states, *w = v + chain->n_states;
    int32_t from = walk->last;
    for (int64_t t = begin; t < scores->n_steps; t++) {
        int32_t to = path[t];
        double e = sp_scores_at(scores, t, to), before_gap = -INFINITY;
        bool is_gap = is_gap_at(walk, scores, t);
        const sp_chain *into = is_gap && chain->across ? chain->across : chain;
        is_gap &= into == chain;
        for (int32_t i = first[from]; is_gap && i < first[from + 1]; i++)
            before_gap = fmax(before_gap, v[i] + sp_chain_leave(chain, i));
        for (int32_t j = first[to]; j < first[to + 1]; j++) {
            double best = is_gap && chain->entry[j] ? before_gap : -INFINITY;
            for (int64_t p = into->pred_row[j]; !is_gap && p < into->pred_row[j + 1]; p++) {
                int32_t i = into->pred[p];
                if (chain->state_class[i] == from && v[i] + into->pred_weight[p] > best)
                    best = v[i] + into->pred_weight[p];
            }
            w[j] = best + e;
        }
        for (int32_t j = first[to]; j < first[to + 1]; j++)
            v[j] = w[j];
        from = to;
    }
}

/* The first step of all. */
static void begin(sp_path_walk *w, const sp_scores *scores, int32_t k)
{
    const sp_chain *chain = w->chain;
    double e = sp_scores_at(scores, 0, k);
    w->has_begun = true;
    w->last = k;
    if (chain->is_plain)
        w->score = chain->start[k] + e;
    if (chain->is_told && !chain->is_plain) {
        w->state = told_start(chain, k);
        w->score = w->state < 0 ? -INFINITY : chain->start[w->state] + e;
    }
    for (int32_t j = chain->class_first[k]; w->states && j < chain->class_first[k + 1]; j++)
        w->states[j] = chain->start[j] + e;
}

void sp_path_walk_add(sp_path_walk *w, const sp_scores *scores, const int32_t *path)
{
    int64_t n = scores->n_steps, first = 0;
    if (n == 0)
        return;
    if (!w->has_begun)
        begin(w, scores, path[first++]);
    if (w->chain->is_plain)
        add_plain(w, scores, path, first);
    else if (w->chain->is_told)
        add_told(w, scores, path, first);
    else
        add_states(w, scores, path, first);
    w->last = path[n - 1];
    w->last_segment = scores->segments ? scores->segments[n - 1] : 0;
}

double sp_path_walk_end(const sp_path_walk *w)
{
    const sp_chain *chain = w->chain;
    if (!w->has_begun)
        return 0;
    if (chain->is_plain)
        return w->score + chain->end[w->last];
    if (chain->is_told)
        return w->state < 0 ? -INFINITY : w->score + chain->end[w->state];
    double score = -INFINITY;
    for (int32_t j = chain->class_first[w->last]; j < chain->class_first[w->last + 1]; j++)
        if (w->states[j] + chain->end[j] > score)
            score = w->states[j] + chain->end[j];
    return score;
}

/* ---- at once ---- */

sp_status sp_path_score(const sp_chain *chain, const sp_scores *scores, const int32_t *path, double *score,
                        sp_error *err)
{
    if (scores->n_classes != chain->n_classes)
        return sp_fail(err, SP_EINVAL, "scores of %d classes for a model of %d", scores->n_classes,
                       chain->n_classes);
    for (int64_t t = 0; t < scores->n_steps; t++)
        if (path[t] < 0 || path[t] >= chain->n_classes)
            return sp_fail_at(err, SP_EINVAL, t, "step %lld: class %d of %d", (long long)t, path[t],
                              chain->n_classes);
    double table[SP_PATH_TABLE * SP_PATH_TABLE];
    sp_path_walk walk;
    bool is_ready = sp_path_walk_init(&walk, chain, scores->n_steps, table);
    if (is_ready) {
        sp_path_walk_add(&walk, scores, path);
        *score = sp_path_walk_end(&walk);
    }
    sp_path_walk_clear(&walk);
    return is_ready ? SP_OK : sp_no_memory(err);
}
