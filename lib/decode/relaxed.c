/* Relaxed decoding: fewest broken rules first, best score second. See decode.h for what breaks a rule.
 *
 * The price of a partial path is the pair (rules broken, score), compared in that order:
 *
 *     price[0,j] = start(j) + e(0,j)
 *     price[t,j] = best of { price[t-1,i] + log_trans[i,j]   for each predecessor i
 *                          { price[t-1,i] + one broken rule  for every i, when j is an entry state
 *                  + e(t,j)
 *
 * where a finite term adds to the score and a term of -INFINITY adds one broken rule. The second line is the same for all j, so
 * the best state of each step is looked up once: O(transitions + states) a step, not O(states^2). A pair that is allowed anyway
 * costs nothing to be offered there once more, since its price with a broken rule is always worse.
 *
 * Greedy is the same recurrence in which, after each step, only the states of the best class stay in play.
 */
#include "decode/relaxed.h"

#include <math.h>

static const sp_price no_price = {INT64_MAX / 2, -INFINITY}; /* worse than any path; more may be added */

static bool is_possible(sp_price p)
{
    return p.n_broken < no_price.n_broken;
}

static bool is_better(sp_price a, sp_price b)
{
    return a.n_broken < b.n_broken || (a.n_broken == b.n_broken && a.score > b.score);
}

static bool is_equal(sp_price a, sp_price b)
{
    return a.n_broken == b.n_broken && a.score == b.score;
}

/* The price with one more term: a start, an end or a score. */
static sp_price add(sp_price p, double term)
{
    if (term == -INFINITY)
        p.n_broken++;
    else
        p.score += term;
    return p;
}

sp_status sp_prices_init(sp_prices *f, const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch, sp_error *err)
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

void sp_prices_start(sp_prices *f, const double *e)
{
    const sp_chain *c = f->chain;
    f->n_taken = 0;
    for (int32_t j = 0; j < c->n_states; j++)
        f->now[j] = c->entry[j] ? add(add((sp_price){0, 0}, c->start[j]), e[c->state_class[j]]) : no_price;
}

/* The best state in play, the lowest history among equals. Some state always is. */
static int32_t best_state(const sp_prices *f)
{
    int32_t best = 0;
    for (int32_t i = 1; i < f->chain->n_states; i++)
        if (is_better(f->now[i], f->now[best]) || (is_equal(f->now[i], f->now[best]) && f->ranks.rank[i] < f->ranks.rank[best]))
            best = i;
    return best;
}

/* Fills next[] and from[]. */
static void step(const sp_prices *f, const double *e, bool is_gap)
{
    const sp_chain *c = f->chain;
    const int32_t *rank = f->ranks.rank;
    int32_t jump_from = best_state(f);
    sp_price jump = f->now[jump_from];
    jump.n_broken += !is_gap;
    for (int32_t j = 0; j < c->n_states; j++) {
        sp_price best = c->entry[j] ? jump : no_price;
        int32_t best_from = jump_from;
        for (int64_t p = c->pred_row[j]; p < c->pred_row[j + 1] && !is_gap; p++) {
            int32_t i = c->pred[p];
            sp_price candidate = {f->now[i].n_broken, f->now[i].score + c->pred_weight[p]};
            if (is_better(candidate, best) || (is_equal(candidate, best) && rank[i] < rank[best_from])) {
                best = candidate;
                best_from = i;
            }
        }
        f->next[j] = is_possible(best) ? add(best, e[c->state_class[j]]) : no_price;
        f->from[j] = best_from;
    }
}

/* Greedy: only the states of the best class (the lowest among equals) stay in play. What has been broken and the score so far
 * are common to all from then on; taking them off keeps differences exact however long the recording. */
static void keep_best_class(sp_prices *f)
{
    const sp_chain *c = f->chain;
    int32_t best = 0;
    for (int32_t i = 1; i < c->n_states; i++)
        if (is_better(f->now[i], f->now[best]))
            best = i;
    sp_price common = f->now[best];
    f->n_taken += common.n_broken;
    for (int32_t i = 0; i < c->n_states; i++) {
        bool stays = c->state_class[i] == c->state_class[best] && is_possible(f->now[i]);
        f->now[i] = stays ? (sp_price){f->now[i].n_broken - common.n_broken, f->now[i].score - common.score} : no_price;
    }
}

void sp_prices_step(sp_prices *f, const sp_scores *scores, int64_t t, bool is_gap, bool is_greedy)
{
    if (is_greedy)
        keep_best_class(f);
    step(f, sp_row(scores, t, f->row), is_gap);
    sp_back_put(&f->back, t, f->from);
    sp_ranks_step(&f->ranks, f->chain, f->from);
    sp_price *before = f->now;
    f->now = f->next;
    f->next = before;
}

int32_t sp_prices_end(sp_prices *f)
{
    for (int32_t j = 0; j < f->chain->n_states; j++)
        if (is_possible(f->now[j]))
            f->now[j] = add(f->now[j], f->chain->end[j]);
    return best_state(f);
}

int32_t sp_rules_broken(const sp_chain *c, sp_reach how, int32_t before, int32_t state, double e, bool is_last)
{
    bool forbidden = false;
    if (how == SP_REACH_START)
        forbidden = c->start[state] == -INFINITY;
    else if (how == SP_REACH_NEXT)
        forbidden = sp_chain_weight(c, before, state) == -INFINITY;
    return forbidden + (e == -INFINITY) + (is_last && c->end[state] == -INFINITY);
}

static int32_t count_broken(const sp_chain *c, const sp_scores *scores, const int32_t *states, int64_t t)
{
    sp_reach how = t == 0 ? SP_REACH_START : sp_scores_is_gap(scores, t) ? SP_REACH_ENTRY : SP_REACH_NEXT;
    return sp_rules_broken(c, how, t > 0 ? states[t - 1] : 0, states[t], sp_scores_at(scores, t, c->state_class[states[t]]),
                           t == scores->n_steps - 1);
}

static sp_status decode(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch, bool is_greedy, int32_t *path,
                        int64_t *n_broken, uint8_t *broken, sp_error *err)
{
    sp_status status = sp_decode_check(chain, scores, err);
    if (status != SP_OK)
        return status;
    int64_t n_steps = scores->n_steps, total = 0, expected = 0;
    if (n_steps > 0) {
        sp_prices f;
        status = sp_prices_init(&f, chain, scores, scratch, err);
        if (status != SP_OK)
            return status;
        sp_prices_start(&f, sp_row(scores, 0, f.row));
        for (int64_t t = 1; t < n_steps; t++)
            sp_prices_step(&f, scores, t, sp_scores_is_gap(scores, t), is_greedy);
        int32_t last = sp_prices_end(&f);
        expected = f.n_taken + f.now[last].n_broken;
        sp_back_trace(&f.back, last, path);
    }
    for (int64_t t = 0; t < n_steps; t++) {
        int32_t here = count_broken(chain, scores, path, t);
        total += here;
        if (broken)
            broken[t] = here > 0;
    }
    if (total != expected)
        return sp_decode_bug((double)expected, (double)total, err);
    sp_states_to_classes(chain, n_steps, path, path);
    if (n_broken)
        *n_broken = total;
    return SP_OK;
}

sp_status sp_viterbi_relaxed(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch, int32_t *path,
                             int64_t *n_broken, uint8_t *broken, sp_error *err)
{
    return decode(chain, scores, scratch, false, path, n_broken, broken, err);
}

sp_status sp_greedy_relaxed(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch, int32_t *path, int64_t *n_broken,
                            uint8_t *broken, sp_error *err)
{
    return decode(chain, scores, scratch, true, path, n_broken, broken, err);
}
