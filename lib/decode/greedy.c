/* Greedy: previous-prediction masking.
 *
 * In play at step t are the states that emit the classes chosen so far; for a plain model that is one state, the class just
 * chosen.
 *
 *     v[0,j] = start[j] + e[0,j]
 *     v[t,j] = max_i (v[t-1,i] + log_trans[i,j]) + e[t,j]        i in play; + end[j] at the last step
 *     choose the class of the greatest v (the lowest among equals); only its states stay in play
 *
 * Only differences of v matter, so the greatest v of the chosen class is taken off at each step: for a plain model what is
 * compared is then exactly log_trans + e, however long the recording.
 */
#include "decode/greedy.h"

#include <math.h>

static void offer(sp_play *p, int32_t j, double value)
{
    if (p->next[j] == -INFINITY && value > -INFINITY)
        p->candidates[p->n_candidates++] = j;
    if (value > p->next[j])
        p->next[j] = value;
}

/* Offers what may stand first in the recording. */
static void offer_starts(sp_play *p)
{
    for (int32_t j = 0; j < p->chain->n_states; j++)
        offer(p, j, p->chain->start[j]);
}

/* Offers what may follow the states in play. */
static void offer_successors(sp_play *p)
{
    const sp_chain *c = p->chain;
    for (int32_t i = c->class_first[p->chosen]; i < c->class_first[p->chosen + 1]; i++)
        if (p->now[i] > -INFINITY)
            for (int64_t s = c->succ_row[i]; s < c->succ_row[i + 1]; s++)
                offer(p, c->succ[s], p->now[i] + c->succ_weight[s]);
}

/* After a gap: every entry state. The best state in play has v = 0. */
static void offer_entries(sp_play *p)
{
    for (int32_t j = 0; j < p->chain->n_states; j++)
        if (p->chain->entry[j])
            offer(p, j, 0);
}

/* Adds scores (and end weights when not NULL), chooses, and puts the chosen class's states in play. False at a dead end. */
static bool choose(sp_play *p, const double *e, const double *end)
{
    const sp_chain *c = p->chain;
    double best = -INFINITY;
    int32_t best_class = -1;
    for (int32_t n = 0; n < p->n_candidates; n++) {
        int32_t j = p->candidates[n], k = c->state_class[j];
        double value = p->next[j] + e[k] + (end ? end[j] : 0);
        p->next[j] = value;
        if (value > best || (value == best && k < best_class)) {
            best = value;
            best_class = k;
        }
    }
    if (best == -INFINITY)
        return false;
    for (int32_t i = c->class_first[p->chosen]; i < c->class_first[p->chosen + 1]; i++)
        p->now[i] = -INFINITY;
    for (int32_t n = 0; n < p->n_candidates; n++) {
        int32_t j = p->candidates[n];
        if (c->state_class[j] == best_class)
            p->now[j] = p->next[j] - best;
        p->next[j] = -INFINITY;
    }
    p->n_candidates = 0;
    p->chosen = best_class;
    return true;
}

bool sp_play_init(sp_play *p, const sp_chain *chain, sp_scratch *scratch)
{
    size_t n_states = (size_t)chain->n_states;
    *p = (sp_play){.chain = chain,
                   .now = sp_scratch_get(scratch, SP_SLOT_NOW, n_states, sizeof *p->now),
                   .next = sp_scratch_get(scratch, SP_SLOT_NEXT, n_states, sizeof *p->next),
                   .candidates = sp_scratch_get(scratch, SP_SLOT_STATES, n_states, sizeof *p->candidates)};
    if (!p->now || !p->next || !p->candidates)
        return false;
    for (size_t j = 0; j < n_states; j++)
        p->now[j] = p->next[j] = -INFINITY;
    return true;
}

bool sp_play_step(sp_play *p, sp_reach how, const double *e, const double *end)
{
    if (how == SP_REACH_START)
        offer_starts(p);
    else if (how == SP_REACH_ENTRY)
        offer_entries(p);
    else
        offer_successors(p);
    return choose(p, e, end);
}

/* Why greedy got stuck at `step`: nobody could have gone on (SP_ENOPATH), or its own choices led here (SP_EDEADEND). */
static sp_status explain(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch, int64_t step, sp_error *err)
{
    sp_status status = sp_path_exists(chain, scores, scratch, err);
    if (status != SP_OK)
        return status;
    return sp_fail_at(err, SP_EDEADEND, step,
                      "greedy met a dead end: no class allowed after its choices has a finite score at step %lld: decode with "
                      "viterbi, which looks ahead, or with --on-infeasible relax",
                      (long long)step);
}

sp_status sp_greedy(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch, int32_t *path, double *score,
                    sp_error *err)
{
    sp_status status = sp_decode_check(chain, scores, err);
    if (status != SP_OK)
        return status;
    sp_play p;
    double *row = sp_row_buffer(scores, scratch);
    int32_t *found = sp_scratch_get(scratch, SP_SLOT_PATH, (size_t)scores->n_steps, sizeof *found);
    if (!sp_play_init(&p, chain, scratch) || !row || !found)
        return sp_decode_no_memory(err);
    for (int64_t t = 0; t < scores->n_steps; t++) {
        sp_reach how = t == 0 ? SP_REACH_START : sp_scores_is_gap(scores, t) ? SP_REACH_ENTRY : SP_REACH_NEXT;
        if (!sp_play_step(&p, how, sp_row(scores, t, row), t == scores->n_steps - 1 ? chain->end : NULL))
            return explain(chain, scores, scratch, t, err);
        found[t] = p.chosen;
    }
    return sp_decode_finish(chain, scores, found, true, path, score, err);
}
