/* The N best paths, found on demand, and what is known before the search begins; not installed. */
#ifndef STATEPATH_DECODE_NBEST_SEARCH_H
#define STATEPATH_DECODE_NBEST_SEARCH_H

#include <math.h>

#include "decode/recording.h"
#include "statepath/advanced.h"

/* The best path into every state at every step. Arrays are the scratch's. */
typedef struct sp_nbest_graph {
    const sp_chain *chain;
    const sp_scores *scores;
    int32_t M;    /* states */
    int64_t T;    /* steps, > 0 */
    double *best; /* [T,M] nats */
    uint64_t *
        hash; /* [T,M] of the paths' classes; NULL: classes tell the states, so different paths differ in class */
} sp_nbest_graph;

/* False on lack of memory. O(T transitions). */
bool sp_nbest_graph_init(sp_nbest_graph *graph, const sp_chain *chain, const sp_scores *scores,
                         sp_scratch *scratch);

/* What sp_nbest() finds, but for its check: out is written with SP_OK only.
 * SP_OK, SP_ENOMEM, or SP_ENOPATH, whose step is the caller's to find. */
sp_status sp_nbest_search(const sp_nbest_graph *graph, int32_t n, sp_scratch *scratch, sp_nbest_paths *out);

/* ---- predecessors of state j at step t > 0; t = T is the end of the recording ---- */

static inline bool sp_nbest_takes_all(const sp_nbest_graph *g, int64_t t)
{
    return t == g->T || (!g->chain->across && sp_scores_is_gap(g->scores, t));
}

/* The chain whose transitions lead into step t, where some do. */
static inline const sp_chain *sp_nbest_into(const sp_nbest_graph *g, int64_t t)
{
    return t < g->T && g->chain->across && sp_scores_is_gap(g->scores, t) ? g->chain->across : g->chain;
}

static inline int32_t sp_nbest_n_sources(const sp_nbest_graph *g, int64_t t, int32_t j)
{
    if (t == g->T)
        return g->M;
    if (sp_nbest_takes_all(g, t))
        return g->chain->entry[j] ? g->M : 0;
    const sp_chain *into = sp_nbest_into(g, t);
    return (int32_t)(into->pred_row[j + 1] - into->pred_row[j]);
}

static inline int32_t sp_nbest_source(const sp_nbest_graph *g, int64_t t, int32_t j, int32_t from)
{
    const sp_chain *into = sp_nbest_into(g, t);
    return sp_nbest_takes_all(g, t) ? from : into->pred[into->pred_row[j] + from];
}

/* The score of a path that goes on from source `from`, which it reaches with `score`; before e[t,j]. */
static inline double sp_nbest_go_on(const sp_nbest_graph *g, int64_t t, int32_t j, int32_t from, double score)
{
    const sp_chain *c = g->chain;
    if (t == g->T)
        return score + c->end[from];
    if (sp_nbest_takes_all(g, t))
        return score + sp_chain_leave(c, from);
    c = sp_nbest_into(g, t);
    return score + c->pred_weight[c->pred_row[j] + from];
}

/* The state that the best path into state j of step t comes from, the lowest among equals, and its score
 * before e[t,j]: -INFINITY, and any state, where there is none. */
static inline int32_t sp_nbest_best_source(const sp_nbest_graph *g, int64_t t, int32_t j, double *best_score)
{
    const size_t row = (size_t)(t - 1) * (size_t)g->M;
    const int32_t n = sp_nbest_n_sources(g, t, j);
    double most = -INFINITY;
    int32_t best = 0;
    for (int32_t from = 0; from < n; from++) {
        const int32_t i = sp_nbest_source(g, t, j, from);
        const double score = sp_nbest_go_on(g, t, j, from, g->best[row + (size_t)i]);
        if (score > most) {
            most = score;
            best = i;
        }
    }
    *best_score = most;
    return best;
}

/* The hash of classes with one more. */
static inline uint64_t sp_nbest_hash(uint64_t before, int32_t class)
{
    const uint64_t mixed = (before + (uint64_t) class + 1) * UINT64_C(0x9E3779B97F4A7C15);
    return mixed ^ mixed >> 32;
}

#endif
