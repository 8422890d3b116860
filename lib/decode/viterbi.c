/* Viterbi: the allowed path of the greatest score.
 *
 *     delta[0,j] = start[j] + e[0,j]
 *     delta[t,j] = max_i (delta[t-1,i] + log_trans[i,j]) + e[t,j]        i over the predecessors of j
 *     best       = max_j delta[T-1,j] + end[j]
 *
 * Every sum is made in the order in which sp_path_score() makes it, and rounding is monotonic, so `best` is the score of the path
 * bit for bit.
 */
#include "decode/viterbi.h"

#include <math.h>
#include <string.h>

#include "decode/recording.h"

sp_status sp_forward_init(sp_forward *f, const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch, sp_error *err)
{
    size_t n_states = (size_t)chain->n_states;
    f->chain = chain;
    f->now = sp_scratch_get(scratch, SP_SLOT_NOW, n_states, sizeof *f->now);
    f->next = sp_scratch_get(scratch, SP_SLOT_NEXT, n_states, sizeof *f->next);
    f->from = sp_scratch_get(scratch, SP_SLOT_FROM, n_states, sizeof *f->from);
    f->row = sp_row_buffer(scores, scratch);
    bool has_room = f->now && f->next && f->from && f->row && sp_back_init(&f->back, chain, scores->n_steps, scratch) &&
                    sp_ranks_init(&f->ranks, chain, scratch);
    return has_room ? SP_OK : sp_decode_no_memory(err);
}

/* One state per class: predecessors ascend, so the first of the best ones is the lowest class. */
static void step_plain(const sp_forward *f, const double *e)
{
    const sp_chain *c = f->chain;
    for (int32_t j = 0; j < c->n_states; j++) {
        double best = -INFINITY;
        int32_t best_from = 0;
        for (int64_t p = c->pred_row[j]; p < c->pred_row[j + 1]; p++) {
            double candidate = f->now[c->pred[p]] + c->pred_weight[p];
            if (candidate > best) {
                best = candidate;
                best_from = c->pred[p];
            }
        }
        f->next[j] = best + e[j];
        f->from[j] = best_from;
    }
}

/* Several states per class: among equals the lowest history. */
static void step_ranked(const sp_forward *f, const double *e)
{
    const sp_chain *c = f->chain;
    const int32_t *rank = f->ranks.rank;
    for (int32_t j = 0; j < c->n_states; j++) {
        double best = -INFINITY;
        int32_t best_from = 0;
        for (int64_t p = c->pred_row[j]; p < c->pred_row[j + 1]; p++) {
            int32_t i = c->pred[p];
            double candidate = f->now[i] + c->pred_weight[p];
            if (candidate > best || (candidate == best && rank[i] < rank[best_from])) {
                best = candidate;
                best_from = i;
            }
        }
        f->next[j] = best + e[c->state_class[j]];
        f->from[j] = best_from;
    }
}

int32_t sp_forward_best(const sp_forward *f, const double *end, double *best)
{
    int32_t state = 0;
    *best = -INFINITY;
    for (int32_t i = 0; i < f->chain->n_states; i++) {
        double value = end ? f->now[i] + end[i] : f->now[i];
        if (value > *best || (value == *best && f->ranks.rank[i] < f->ranks.rank[state])) {
            *best = value;
            state = i;
        }
    }
    return state;
}

/* After a gap every entry state follows the best state before it. */
static void step_gap(const sp_forward *f, const double *e)
{
    double best;
    int32_t best_from = sp_forward_best(f, NULL, &best);
    for (int32_t j = 0; j < f->chain->n_states; j++) {
        f->next[j] = f->chain->entry[j] ? best + e[f->chain->state_class[j]] : -INFINITY;
        f->from[j] = best_from;
    }
}

void sp_forward_start(sp_forward *f, const sp_scores *scores)
{
    const double *e = sp_row(scores, 0, f->row);
    for (int32_t j = 0; j < f->chain->n_states; j++)
        f->now[j] = f->chain->start[j] + e[f->chain->state_class[j]];
}

void sp_forward_step(sp_forward *f, const sp_scores *scores, int64_t t, bool is_gap)
{
    const double *e = sp_row(scores, t, f->row);
    if (is_gap)
        step_gap(f, e);
    else if (f->chain->is_plain)
        step_plain(f, e);
    else
        step_ranked(f, e);
    sp_back_put(&f->back, t, f->from);
    sp_ranks_step(&f->ranks, f->chain, f->from);
    double *before = f->now;
    f->now = f->next;
    f->next = before;
}

sp_status sp_viterbi(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch, int32_t *path, double *score,
                     sp_error *err)
{
    sp_status status = sp_decode_check(chain, scores, err);
    if (status != SP_OK)
        return status;
    double best = 0;
    if (scores->n_steps > 0) {
        sp_forward f;
        status = sp_forward_init(&f, chain, scores, scratch, err);
        if (status != SP_OK)
            return status;
        sp_forward_start(&f, scores);
        for (int64_t t = 1; t < scores->n_steps; t++)
            sp_forward_step(&f, scores, t, sp_scores_is_gap(scores, t));
        int32_t last = sp_forward_best(&f, chain->end, &best);
        if (best == -INFINITY)
            return sp_decode_no_path(chain, scores, scratch, err);
        int32_t *found = sp_scratch_get(scratch, SP_SLOT_PATH, (size_t)scores->n_steps, sizeof *found);
        if (!found)
            return sp_decode_no_memory(err);
        sp_back_trace(&f.back, last, found);
        sp_states_to_classes(chain, scores->n_steps, found, found);
        status = sp_verify_path(chain, scores, found, best, err);
        if (status != SP_OK)
            return status;
        memcpy(path, found, (size_t)scores->n_steps * sizeof *path);
    }
    if (score)
        *score = best;
    return SP_OK;
}
