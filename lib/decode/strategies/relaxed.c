/* Relaxed decoding: fewest broken rules first, best score second. See decode.h for what breaks a rule.
 *
 * The price of a partial path is the pair (rules broken, score), compared in that order:
 *
 *     price[0,j] = start(j) + e(0,j)
 *     price[t,j] = best of { price[t-1,i] + log_trans[i,j]   for each predecessor i
 *                          { price[t-1,i] + one broken rule  for every i, when j begins a dwell or run
 *                  + e(t,j)
 *
 * where a finite term adds to the score and a term of -INFINITY adds one broken rule. The second line is the same for all j, so
 * the best state of each step is looked up once: O(transitions + states) a step, not O(states^2). A pair that is allowed anyway
 * costs nothing to be offered there once more, since its price with a broken rule is always worse.
 *
 * Greedy is the same recurrence in which, after each step, only the states of the best class stay in play.
 */
#include <math.h>

#include "decode/strategies/search.h"
#include "decode/strategies/viterbi.h"

typedef struct price {
    int64_t n_broken;
    double score;
} price;

typedef struct prices {
    sp_state_search states; /* values: price */
    bool is_greedy;         /* only the states of the best class of the step before are still in play */
    int64_t n_taken;        /* broken rules common to all states, which greedy takes off n_broken */
    int64_t n_expected;     /* broken rules of the path by the recurrence */
} prices;

static const price no_price = {INT64_MAX / 2, -INFINITY}; /* worse than any path; more may be added */

static bool is_possible(price p)
{
    return p.n_broken < no_price.n_broken;
}

static bool is_better(price a, price b)
{
    return a.n_broken < b.n_broken || (a.n_broken == b.n_broken && a.score > b.score);
}

/* The price with one more term: a start, an end or a score. */
static price add(price p, double term)
{
    if (term == -INFINITY)
        p.n_broken++;
    else
        p.score += term;
    return p;
}

/* The best state in play, the lowest among equals. Some state always is. */
static int32_t best_state(const sp_state_search *f)
{
    const price *now = f->now;
    int32_t best = 0;
    for (int32_t i = 1; i < f->chain->n_states; i++)
        if (is_better(now[i], now[best]))
            best = i;
    return best;
}

/* The best way on by breaking a rule, which is that of leaving too where the run may not end there. */
typedef struct jump {
    price price;
    int32_t from;
} jump;

static jump best_jump(const sp_state_search *f)
{
    const price *now = f->now;
    jump best = {no_price, 0};
    for (int32_t i = 0; i < f->chain->n_states; i++) {
        const double weight = sp_chain_leave(f->chain, i);
        price p = is_possible(now[i]) && weight > -INFINITY ? add(now[i], weight) : now[i];
        p.n_broken++;
        if (is_better(p, best.price))
            best = (jump){p, i};
    }
    return best;
}

#define STEP step_to
#define VALUE price
#define ZERO no_price
#define ONE ((price){0, 0})
#define TIMES(v, w) (is_possible(v) ? add(v, w) : no_price)
#define PLUS(sum, v, i)                                                                                      \
    do {                                                                                                     \
        const price value = (v);                                                                             \
        if (is_better(value, sum) || (!is_better(sum, value) && (i) < from)) {                               \
            (sum) = value;                                                                                   \
            from = (i);                                                                                      \
        }                                                                                                    \
    } while (0)
#define BESIDE(sum, j)                                                                                       \
    if (self && c->fresh[j])                                                                                 \
    PLUS(sum, ((const jump *)self)->price, ((const jump *)self)->from)
#include "decode/walk/step_body.h"

/* Greedy: only the states of the best class (the lowest among equals) stay in play. What has been broken and the score so far
 * are common to all from then on; taking them off keeps differences exact however long the recording. Returns how many rules. */
static int64_t keep_best_class(const sp_chain *c, price *now)
{
    int32_t best = 0;
    for (int32_t i = 1; i < c->n_states; i++)
        if (is_better(now[i], now[best]))
            best = i;
    price common = now[best];
    for (int32_t i = 0; i < c->n_states; i++) {
        bool stays = c->state_class[i] == c->state_class[best] && is_possible(now[i]);
        now[i] = stays ? (price){now[i].n_broken - common.n_broken, now[i].score - common.score} : no_price;
    }
    return common.n_broken;
}

static bool step(void *self, sp_reach how, int64_t t, const double *e)
{
    prices *f = self;
    const sp_chain *c = f->states.chain;
    price *now = f->states.now;
    if (how == SP_REACH_START) {
        f->n_taken = 0;
        step_to(NULL, c, how, e, now, now, NULL);
        for (int32_t j = 0; j < c->n_states; j++)
            if (!c->fresh[j] && c->start[j] == -INFINITY)
                now[j] = no_price;
        return true;
    }
    if (f->is_greedy)
        f->n_taken += keep_best_class(c, now);
    const jump best = best_jump(&f->states);
    step_to(&best, c, how, e, now, f->states.next, f->states.from);
    sp_state_search_advance(&f->states, t);
    return true;
}

/* s->recurrence is left alone: the score of a relaxed path leaves out what is broken. */
static int32_t last(void *self, sp_sequence *s)
{
    prices *f = self;
    price *now = f->states.now;
    for (int32_t j = 0; j < s->chain->n_states; j++) {
        const double end = s->chain->end[j], leave = sp_chain_leave(s->chain, j);
        if (!is_possible(now[j]))
            continue;
        now[j] = add(now[j], end);
        if (end == -INFINITY && leave > -INFINITY) /* the run ends there all the same, as beside a gap */
            now[j] = add(now[j], leave);
    }
    int32_t state = best_state(&f->states);
    f->n_expected = f->n_taken + now[state].n_broken;
    return state;
}

/* Rules broken at or into a step of score e by a path of states.
 *   before    state of the step before; not looked at with SP_REACH_START
 *   is_last   the step is the recording's last */
static int32_t rules_broken(const sp_chain *c, sp_reach how, int32_t before, int32_t state, double e,
                            bool is_last)
{
    bool forbidden = false;
    const sp_chain *into = sp_chain_into(c, &how);
    if (how == SP_REACH_START)
        forbidden = c->start[state] == -INFINITY;
    else if (how == SP_REACH_NEXT)
        forbidden = sp_chain_weight(into, before, state) == -INFINITY;
    else
        forbidden = !c->entry[state] || sp_chain_leave(c, before) == -INFINITY;
    return forbidden + (e == -INFINITY) + (is_last && c->end[state] == -INFINITY);
}

static void trace(void *self, sp_sequence *s, int32_t state)
{
    const sp_chain *c = s->chain;
    const int64_t T = s->scores->n_steps;
    sp_state_search_trace(self, s, state);
    for (int64_t t = 0; t < T; t++) {
        const double e = sp_scores_at(s->scores, t, c->state_class[s->path[t]]);
        const int32_t here = rules_broken(c, sp_scores_reach(s->scores, t), t > 0 ? s->path[t - 1] : -1,
                                          s->path[t], e, t == T - 1);
        s->n_broken += here;
        if (s->broken)
            s->broken[t] = here > 0;
    }
    sp_states_to_classes(c, T, s->path, s->path);
}

static sp_status relax(sp_sequence *s, bool is_greedy, sp_error *err)
{
    prices f = {.states = {.chain = s->chain, .value_size = sizeof(price)}, .is_greedy = is_greedy};
    const sp_search search = {
        .self = &f, .start = sp_state_search_start, .step = step, .last = last, .trace = trace};
    sp_status status = sp_search_run(&search, s, err);
    if (status == SP_OK && s->n_broken != f.n_expected)
        return sp_decode_bug((double)f.n_expected, (double)s->n_broken, err);
    return status;
}

sp_status sp_viterbi_relax(sp_sequence *s, int32_t parameter, sp_error *err)
{
    (void)parameter;
    return relax(s, false, err);
}

sp_status sp_greedy_relax(sp_sequence *s, int32_t parameter, sp_error *err)
{
    (void)parameter;
    return relax(s, true, err);
}
