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

#include "core/logmath.h"
#include "decode/strategies/run_search.h"
#include "decode/strategies/search.h"
#include "decode/strategy.h"

#define STEP step_to
#define VALUE double
#define ZERO (-INFINITY)
#define ONE 0
#define TIMES(v, w) ((v) + (w))
#define PLUS(sum, v, i)                                                                                      \
    do {                                                                                                     \
        const double value = (v);                                                                            \
        if (value > (sum)) {                                                                                 \
            (sum) = value;                                                                                   \
            from = (i);                                                                                      \
        }                                                                                                    \
    } while (0)
#include "decode/walk/step_body.h"

static bool step(void *self, sp_reach how, int64_t t, const double *e)
{
    sp_state_search *f = self;
    step_to(NULL, f->chain, how, e, f->now, how == SP_REACH_START ? f->now : f->next, f->from);
    if (how != SP_REACH_START)
        sp_state_search_advance(f, t);
    return true;
}

static int32_t last(void *self, sp_sequence *s)
{
    const sp_state_search *f = self;
    int32_t state;
    s->recurrence = sp_greatest_sum(f->now, s->chain->end, s->chain->n_states, &state);
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
