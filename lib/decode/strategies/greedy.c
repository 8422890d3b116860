/* Greedy: previous-prediction masking.
 *
 * In play at step t are the states that emit the classes chosen so far; for a plain model that is one state, the class just
 * chosen.
 *
 *     v[0,j] = start[j] + e[0,j]
 *     v[t,j] = max_i (v[t-1,i] + log_trans[i,j]) + e[t,j]        i in play; + end[j] at the last step
 *     choose the class of the greatest v (the lowest among equals); only its states stay in play
 *
 * Where classes have durations, or a model has rules over more steps, states from which the rules leave no way to the end of the
 * recording, over its gaps and in the steps that remain, are never put in play, so that nothing is begun that cannot be ended.
 *
 * Only differences of v matter, so the greatest v of the chosen class is taken off at each step: for a plain model what is
 * compared is then exactly log_trans + e, however long the recording.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/owned.h"
#include "core/try.h"
#include "decode/strategies/can_end.h"
#include "decode/strategies/viterbi.h"
#include "decode/strategy.h"

typedef struct greedy_state {
    const sp_chain *chain;
    double *now;         /* [M] v of the states in play, -INFINITY elsewhere */
    double *next;        /* [M] -INFINITY between steps */
    int32_t *candidates; /* [M] states that next[] has a value for */
    int32_t n_candidates;
    int32_t chosen;        /* class just chosen */
    const uint8_t *usable; /* [M] states that may be put in play at this step; NULL: all */
    int64_t n_redirected;  /* steps at which those that may not were the best */
} greedy_state;

static void offer(greedy_state *p, int32_t j, double value)
{
    if (p->next[j] == -INFINITY && value > -INFINITY)
        p->candidates[p->n_candidates++] = j;
    if (value > p->next[j])
        p->next[j] = value;
}

/* Offers what may stand first in the recording. */
static void offer_starts(greedy_state *p)
{
    for (int32_t j = 0; j < p->chain->n_states; j++)
        offer(p, j, p->chain->start[j]);
}

/* Offers what may follow the states in play. */
static void offer_successors(greedy_state *p, const sp_chain *c)
{
    for (int32_t i = c->class_first[p->chosen]; i < c->class_first[p->chosen + 1]; i++)
        if (p->now[i] > -INFINITY)
            for (int64_t s = c->succ_row[i]; s < c->succ_row[i + 1]; s++)
                offer(p, c->succ[s], p->now[i] + c->succ_weight[s]);
}

/* After a gap: every entry state, from the best state in play. */
static void offer_entries(greedy_state *p)
{
    const sp_chain *c = p->chain;
    double best = -INFINITY;
    for (int32_t i = c->class_first[p->chosen]; i < c->class_first[p->chosen + 1]; i++)
        best = fmax(best, p->now[i] + sp_chain_leave(c, i));
    for (int32_t j = 0; j < c->n_states; j++)
        if (c->entry[j])
            offer(p, j, best);
}

/* Adds scores (and end weights when not NULL), chooses, and puts the chosen class's states in play. False at a dead end. */
static bool choose(greedy_state *p, const double *e, const double *end)
{
    const sp_chain *c = p->chain;
    double best = -INFINITY, best_of_all = -INFINITY;
    int32_t best_class = -1, class_of_all = -1;
    for (int32_t n = 0; n < p->n_candidates; n++) {
        int32_t j = p->candidates[n], k = c->state_class[j];
        double value = p->next[j] + e[k] + (end ? end[j] : 0);
        p->next[j] = value;
        if (value > best_of_all || (value == best_of_all && k < class_of_all)) {
            best_of_all = value;
            class_of_all = k;
        }
        if (p->usable && !p->usable[j])
            p->next[j] = -INFINITY;
        else if (value > best || (value == best && k < best_class)) {
            best = value;
            best_class = k;
        }
    }
    if (best == -INFINITY)
        return false;
    p->n_redirected += best_class != class_of_all;
    for (int32_t i = c->class_first[p->chosen]; i < c->class_first[p->chosen + 1]; i++)
        p->now[i] = -INFINITY;
    for (int32_t n = 0; n < p->n_candidates; n++) {
        int32_t j = p->candidates[n];
        if (c->state_class[j] == best_class && p->next[j] > -INFINITY)
            p->now[j] = p->next[j] - best;
        p->next[j] = -INFINITY;
    }
    p->n_candidates = 0;
    p->chosen = best_class;
    return true;
}

/* False on lack of memory. */
static bool greedy_init(greedy_state *p, const sp_chain *chain, sp_scratch *scratch)
{
    size_t n_states = (size_t)chain->n_states;
    *p = (greedy_state){.chain = chain,
                        .now = sp_scratch_get(scratch, n_states, sizeof *p->now),
                        .next = sp_scratch_get(scratch, n_states, sizeof *p->next),
                        .candidates = sp_scratch_get(scratch, n_states, sizeof *p->candidates)};
    if (!p->now || !p->next || !p->candidates)
        return false;
    for (size_t j = 0; j < n_states; j++)
        p->now[j] = p->next[j] = -INFINITY;
    return true;
}

/* Chooses at a step of scores e[K], the last one where end is not NULL. False at a dead end. */
static bool greedy_step(greedy_state *p, sp_reach how, const double *e, const double *end)
{
    const sp_chain *into = sp_chain_into(p->chain, &how);
    if (how == SP_REACH_START)
        offer_starts(p);
    else if (how == SP_REACH_ENTRY)
        offer_entries(p);
    else
        offer_successors(p, into);
    return choose(p, e, end);
}

/* Why greedy got stuck at `step`: no path could have gone on (SP_ENOPATH), or its own choices led here (SP_EDEADEND). */
static sp_status stuck(const sp_sequence *s, int64_t step, sp_error *err)
{
    sp_status status = sp_sequence_stuck(s, "greedy", step, err);
    if (status != SP_EDEADEND)
        return status;
    return sp_fail_at(err, SP_EDEADEND, step,
                      "greedy met a dead end: no class allowed after its choices has a finite score at step "
                      "%lld: decode with "
                      "viterbi, which looks ahead, or with `on_infeasible` relax",
                      (long long)step);
}

/* ---- how many steps remain ---- */

/* Where the stretches of a recording end, and what may stand last in each. */
typedef struct horizon {
    const sp_chain *chain;
    sp_can_end *tables; /* [n_tables] one for each set of states that may stand last in a stretch */
    int32_t n_tables;
    int32_t *table_of; /* [n] of each stretch */
    int64_t *ends;     /* [n] the last steps of all stretches, ascending */
    int64_t n, capacity, now;
} horizon;

static void horizon_clear(horizon *h)
{
    for (int32_t i = 0; i < h->n_tables; i++)
        sp_can_end_clear(&h->tables[i]);
    free(h->tables);
    free(h->table_of);
    free(h->ends);
}

static bool add_end(horizon *h, int64_t step)
{
    if (h->n == h->capacity) {
        const int64_t capacity = h->capacity > 0 ? 2 * h->capacity : 64;
        int64_t *ends = realloc(h->ends, (size_t)capacity * sizeof *ends);
        if (!ends)
            return false;
        h->ends = ends;
        h->capacity = capacity;
    }
    h->ends[h->n++] = step;
    return true;
}

/* The table of the states that may stand last, which become the table's own or are freed; -1 on lack of memory. */
static int32_t table_of(horizon *h, uint8_t *last)
{
    bool is_whole = last != NULL;
    for (int32_t i = 0; is_whole && i < h->n_tables; i++)
        if (memcmp(h->tables[i].sets[0], last, (size_t)h->chain->n_states) == 0) {
            free(last);
            return i;
        }
    h->tables = sp_grown(h->tables, (int64_t)h->n_tables + 1, sizeof *h->tables, &is_whole);
    if (is_whole && sp_can_end_init(&h->tables[h->n_tables], h->chain, last))
        return h->n_tables++;
    free(last);
    return -1;
}

/* The states that may stand last before a gap: those that a state may follow there from which the rest can be done. [M] NULL: no memory. */
static uint8_t *last_before_gap(const sp_chain *c, const uint8_t *after)
{
    uint8_t *last = after ? calloc((size_t)c->n_states, 1) : NULL;
    bool any = false;
    for (int32_t j = 0; last && j < c->n_states; j++)
        any |= c->entry[j] && after[j];
    for (int32_t i = 0; last && i < c->n_states; i++) {
        last[i] = !c->across && any && sp_chain_leave(c, i) > -INFINITY;
        for (int64_t s = c->across ? c->across->succ_row[i] : 0; c->across && s < c->across->succ_row[i + 1];
             s++)
            last[i] |= after[c->across->succ[s]];
    }
    return last;
}

/* From the last stretch to the first. False on lack of memory. */
static bool find_tables(horizon *h)
{
    const sp_chain *c = h->chain;
    uint8_t *last = malloc((size_t)c->n_states);
    for (int32_t i = 0; last && i < c->n_states; i++)
        last[i] = c->end[i] > -INFINITY;
    h->table_of = malloc((size_t)h->n * sizeof *h->table_of);
    for (int64_t m = h->n - 1; m >= 0; m--) {
        const int32_t table = h->table_of ? table_of(h, last) : -1;
        if (table < 0)
            return false;
        h->table_of[m] = table;
        last = m > 0 ? last_before_gap(c, sp_can_end_in(&h->tables[table], h->ends[m] - h->ends[m - 1] - 1))
                     : NULL;
    }
    return true;
}

static sp_status horizon_open(horizon *h, const sp_sequence *s, sp_error *err)
{
    const int64_t T = s->scores->n_steps;
    h->chain = s->chain;
    for (int64_t t = 1; t < T; t++)
        if (sp_scores_is_gap(s->scores, t) && !add_end(h, t - 1))
            return sp_no_memory(err);
    return add_end(h, T - 1) && find_tables(h) ? SP_OK : sp_no_memory(err);
}

/* The states that may be put in play at a step. NULL: no memory. */
static const uint8_t *usable_at(horizon *h, int64_t step)
{
    while (h->ends[h->now] < step)
        h->now++;
    return sp_can_end_in(&h->tables[h->table_of[h->now]], h->ends[h->now] - step);
}

static sp_status decode(sp_sequence *s, int32_t parameter, sp_error *err)
{
    (void)parameter;
    greedy_state p = {.chain = s->chain};
    horizon h = {.n = 0};
    const bool looks_ahead = s->chain->durations || s->chain->n_rules > 0;
    const int64_t T = s->scores->n_steps;
    double *row = sp_scratch_get(s->scratch, (size_t)s->chain->n_classes, sizeof *row);
    sp_status status = SP_OK;
    TRY(row && greedy_init(&p, s->chain, s->scratch) ? SP_OK : sp_no_memory(err));
    if (looks_ahead)
        TRY(horizon_open(&h, s, err));
    for (int64_t t = 0; t < T; t++) {
        if (looks_ahead && !(p.usable = usable_at(&h, t)))
            TRY(sp_no_memory(err));
        if (!greedy_step(&p, sp_scores_reach(s->scores, t), sp_row(s->scores, t, row),
                         t == T - 1 ? s->chain->end : NULL))
            TRY(stuck(s, t, err));
        s->path[t] = p.chosen;
    }
done:
    s->n_redirected = p.n_redirected;
    horizon_clear(&h);
    return status;
}

const sp_strategy_row sp_greedy_row = {
    {.name = "greedy",
     .is_legal = true,
     .knows_rules = true,
     .summary = "the best class allowed after the previous prediction; may meet a dead end, but begins "
                "nothing that the rules "
                "cannot end",
     .when = "you must decide now and cannot keep state; its errors propagate, it often loses accuracy"},
    .decode = decode,
    .relax = sp_greedy_relax};
