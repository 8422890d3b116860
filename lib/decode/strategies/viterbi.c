/* Viterbi: the allowed path of the greatest score.
 *
 *     delta[0,j] = start[j] + e[0,j]
 *     delta[t,j] = max_i (delta[t-1,i] + log_trans[i,j]) + e[t,j]        i over the predecessors of j
 *     best       = max_j delta[T-1,j] + end[j]
 *
 * Every sum is made in the order in which sp_path_score() makes it, and rounding is monotonic, so `best` is the score of the path
 * bit for bit.
 *
 * Chains of runs, whose classes have durations, go by run_search.h.
 */
#include "decode/strategies/viterbi.h"

#include <math.h>

#include "decode/strategies/run_search.h"
#include "decode/strategies/search.h"
#include "decode/strategy.h"

/* Predecessors ascend, so the first of the best ones is the lowest state. */
static void step_next(const sp_state_search *f, const sp_chain *c, const double *e, const double *now,
                      double *next)
{
    for (int32_t j = 0; j < c->n_states; j++) {
        double best = -INFINITY;
        int32_t best_from = 0;
        for (int64_t p = c->pred_row[j]; p < c->pred_row[j + 1]; p++) {
            double candidate = now[c->pred[p]] + c->pred_weight[p];
            if (candidate > best) {
                best = candidate;
                best_from = c->pred[p];
            }
        }
        next[j] = best + e[c->state_class[j]];
        f->from[j] = best_from;
    }
}

/* The best state at the current step, end[] (weights of ending, or of leaving at a gap) added when not
 * NULL; the lowest among equals. *best is -INFINITY, and the state any, when there is none. */
static int32_t best_state(const sp_state_search *f, const double *end, double *best)
{
    const double *now = f->now;
    int32_t state = 0;
    *best = -INFINITY;
    for (int32_t i = 0; i < f->chain->n_states; i++) {
        double value = end ? now[i] + end[i] : now[i];
        if (value > *best) {
            *best = value;
            state = i;
        }
    }
    return state;
}

/* After a gap every entry state follows the best state before it. */
static void step_gap(const sp_state_search *f, const double *e, double *next)
{
    double best;
    int32_t best_from = best_state(f, f->chain->leave, &best);
    for (int32_t j = 0; j < f->chain->n_states; j++) {
        next[j] = f->chain->entry[j] ? best + e[f->chain->state_class[j]] : -INFINITY;
        f->from[j] = best_from;
    }
}

static bool step(void *self, sp_reach how, int64_t t, const double *e)
{
    sp_state_search *f = self;
    double *now = f->now;
    if (how == SP_REACH_START) {
        for (int32_t j = 0; j < f->chain->n_states; j++)
            now[j] = f->chain->start[j] + e[f->chain->state_class[j]];
        return true;
    }
    const sp_chain *into = sp_chain_into(f->chain, &how);
    if (how == SP_REACH_ENTRY)
        step_gap(f, e, f->next);
    else
        step_next(f, into, e, now, f->next);
    sp_state_search_advance(f, t);
    return true;
}

static int32_t last(void *self, sp_sequence *s)
{
    int32_t state = best_state(self, s->chain->end, &s->recurrence);
    s->is_score = true;
    return s->recurrence > -INFINITY ? state : -1;
}

static void trace(void *self, sp_sequence *s, int32_t state)
{
    sp_state_search_trace(self, s, state);
    sp_states_to_classes(s->chain, s->scores->n_steps, s->path, s->path);
}

sp_status sp_viterbi_decode(sp_sequence *s, int32_t parameter, sp_error *err)
{
    (void)parameter;
    if (s->chain->runs)
        return sp_run_search_decode(s, err);
    sp_state_search f = {.chain = s->chain, .value_size = sizeof(double)};
    const sp_search search = {
        .self = &f, .start = sp_state_search_start, .step = step, .last = last, .trace = trace};
    return sp_search_run(&search, s, err);
}

const sp_strategy_row sp_viterbi_row = {{.name = "viterbi",
                                         .is_legal = true,
                                         .knows_rules = true,
                                         .summary = "the allowed path of the greatest score",
                                         .when = "the default: legal, and nothing is lost that can be kept"},
                                        .decode = sp_viterbi_decode,
                                        .relax = sp_viterbi_relax};
