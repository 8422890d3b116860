/* The N best paths: the best path into every state at every step, the search from there, the check of what it found. */
#include "decode/strategies/nbest_search.h"

#include <string.h>

#include "core/isa.h"
#include "decode/rules_watch.h"
#include "decode/verify.h"

/* ---- the best path into each state ---- */

enum { WIDTH = 8 };

/* next[j] = max_i (now[i] + weight[i,j]) + e[j]; weight [K,stride], -INFINITY where forbidden; next has room for stride. */
SP_ALWAYS_INLINE void step_dense_any(int32_t K, int32_t stride, const double *restrict weight,
                                     const double *restrict now, const double *restrict e,
                                     double *restrict next)
{
    for (int32_t first = 0; first < K; first += WIDTH) {
        double most[WIDTH];
        for (int l = 0; l < WIDTH; l++)
            most[l] = -INFINITY;
        for (int32_t i = 0; i < K; i++) {
            const double *row = weight + (size_t)i * (size_t)stride + first;
            for (int l = 0; l < WIDTH; l++) {
                double value = now[i] + row[l];
                most[l] = value > most[l] ? value : most[l];
            }
        }
        for (int32_t l = 0; l < WIDTH && first + l < K; l++)
            next[first + l] = most[l] + e[first + l];
    }
}

SP_FOR_EACH_ISA(void, step_dense,
                (int32_t K, int32_t stride, const double *restrict weight, const double *restrict now,
                 const double *restrict e, double *restrict next),
                step_dense_any(K, stride, weight, now, e, next);)

static void step_sparse(const sp_chain *c, const double *now, const double *e, double *next)
{
    for (int32_t j = 0; j < c->n_states; j++) {
        double most = -INFINITY;
        for (int64_t p = c->pred_row[j]; p < c->pred_row[j + 1]; p++) {
            double value = now[c->pred[p]] + c->pred_weight[p];
            most = value > most ? value : most;
        }
        next[j] = most + e[j];
    }
}

/* Over gaps too, and for several states a class. from[M]: out, the states before. */
static void step_any(const sp_nbest_graph *g, int64_t t, const double *e, int32_t *from)
{
    const sp_chain *c = g->chain;
    const size_t row = (size_t)t * (size_t)g->M, before = row - (size_t)g->M;
    const bool is_gap = sp_nbest_takes_all(g, t);
    double score = -INFINITY, gap_score = -INFINITY;
    int32_t gap_from = 0, first_entry = 0;
    while (is_gap && first_entry < g->M && !c->entry[first_entry])
        first_entry++;
    if (is_gap && first_entry < g->M)
        gap_from = sp_nbest_best_source(g, t, first_entry, &gap_score);
    for (int32_t j = 0; j < g->M; j++) {
        from[j] = is_gap ? gap_from : sp_nbest_best_source(g, t, j, &score);
        if (is_gap)
            score = c->entry[j] ? gap_score : -INFINITY;
        g->best[row + (size_t)j] = score + e[c->state_class[j]];
        if (g->hash)
            g->hash[row + (size_t)j] = sp_nbest_hash(g->hash[before + (size_t)from[j]], c->state_class[j]);
    }
}

/* Of step_dense(), where most transitions are allowed; *weight NULL where not. False on lack of memory. */
static bool fill_weights(const sp_chain *c, sp_scratch *scratch, int32_t stride, double **weight)
{
    const int32_t K = c->n_states;
    *weight = NULL;
    if (!c->is_plain || c->pred_row[K] * 4 < (int64_t)K * K || K > 512)
        return true;
    *weight = sp_scratch_get(scratch, (size_t)K * (size_t)stride, sizeof **weight);
    for (size_t i = 0; *weight && i < (size_t)stride * (size_t)K; i++)
        (*weight)[i] = -INFINITY;
    for (int32_t j = 0; *weight && j < K; j++)
        for (int64_t p = c->pred_row[j]; p < c->pred_row[j + 1]; p++)
            (*weight)[(size_t)c->pred[p] * (size_t)stride + (size_t)j] = c->pred_weight[p];
    return *weight != NULL;
}

bool sp_nbest_graph_init(sp_nbest_graph *g, const sp_chain *c, const sp_scores *scores, sp_scratch *scratch)
{
    const size_t M = (size_t)c->n_states, T = (size_t)scores->n_steps;
    const bool is_plain = c->is_plain,
               is_told = c->is_plain || sp_chain_tells_states(c, sp_scores_have_gap(scores));
    const int32_t stride = (c->n_states + WIDTH - 1) / WIDTH * WIDTH;
    double *weight, *row = sp_row_buffer(scores, scratch);
    int32_t *from = sp_scratch_get(scratch, M, sizeof *from);
    *g = (sp_nbest_graph){.chain = c, .scores = scores, .M = c->n_states, .T = scores->n_steps};
    if (!row || !from || T > SIZE_MAX / M || !fill_weights(c, scratch, stride, &weight))
        return false;
    g->best = sp_scratch_get(scratch, T * M, sizeof *g->best);
    g->hash = is_told ? NULL : sp_scratch_get(scratch, T * M, sizeof *g->hash);
    if (!g->best || (!is_told && !g->hash))
        return false;
    const sp_isa isa = sp_isa_current();
    for (int64_t t = 0; t < g->T; t++) {
        const double *e = sp_row(scores, t, row);
        double *next = g->best + (size_t)t * M;
        for (size_t j = 0; t == 0 && j < M; j++) {
            next[j] = c->start[j] + e[c->state_class[j]];
            if (g->hash)
                g->hash[j] = sp_nbest_hash(0, c->state_class[j]);
        }
        if (t > 0 && (!is_plain || sp_nbest_takes_all(g, t)))
            step_any(g, t, e, from);
        else if (t > 0 && weight)
            SP_BY_ISA(step_dense, isa)(g->M, stride, weight, next - M, e, next);
        else if (t > 0)
            step_sparse(c, next - M, e, next);
    }
    return true;
}

/* ---- door ---- */

/* Adds up each path, see verify.h. walk: ready for chains of several states a class, so that nothing is asked for once the paths
 * are written. */
static sp_status verify_paths(sp_path_walk *walk, const sp_scores *scores, const sp_nbest_paths *found,
                              sp_error *err)
{
    sp_verifier verifier;
    sp_status status = SP_OK;
    if (walk->chain->is_plain)
        sp_verifier_init(&verifier, walk->chain);
    for (int32_t r = 0; status == SP_OK && found->paths && found->scores && r < found->n_found; r++) {
        const int32_t *path = found->paths + r * found->stride;
        status = walk->chain->is_plain ? sp_verify(&verifier, scores, path, found->scores[r], err)
                                       : sp_verify_by_walk(walk, scores, path, found->scores[r], err);
        if (status == SP_OK)
            status = sp_rules_verify(walk->chain, scores, path, err);
    }
    return status;
}

sp_status sp_nbest(const sp_chain *chain, const sp_scores *scores, int32_t n, sp_scratch *scratch,
                   sp_nbest_paths *out, sp_error *err)
{
    if (n < 1)
        return sp_fail(err, SP_EINVAL, "%d best paths: ask for at least one", (int)n);
    sp_status status = sp_decode_check(chain, scores, err);
    if (status != SP_OK)
        return status;
    if (n >= INT32_MAX / chain->n_states)
        return sp_fail(err, SP_EINVAL, "%d best paths of a model of %d states: ask for at most %d", (int)n,
                       (int)chain->n_states, (int)(INT32_MAX / chain->n_states - 1));
    if (scores->n_steps == 0) {
        if (out->scores)
            out->scores[0] = 0;
        out->n_found = 1;
        return SP_OK;
    }
    sp_path_walk walk;
    sp_nbest_graph graph;
    if (!sp_path_walk_init(&walk, chain, 0, NULL))
        return sp_no_memory(err);
    const sp_scratch_mark mark = sp_scratch_here(scratch);
    status = sp_nbest_graph_init(&graph, chain, scores, scratch) ? sp_nbest_search(&graph, n, scratch, out)
                                                                 : SP_ENOMEM;
    if (status == SP_OK)
        status = verify_paths(&walk, scores, out, err);
    else
        status = status == SP_ENOPATH ? sp_decode_no_path(chain, scores, scratch, err) : sp_no_memory(err);
    sp_scratch_release(scratch, mark);
    sp_path_walk_clear(&walk);
    return status;
}
