/* Counting transitions, run by run. */
#include "core/chain.h"
#include "evaluate/evaluation.h"

#include <string.h>

/* What is counted along a path. */
typedef struct counting {
    const sp_chain *chain;
    int32_t K;
    bool bounds_runs; /* runs of some length do not fit */
    sp_transition_counts *counts;
    int64_t *illegal;       /* [K,K] or NULL */
    uint8_t *flags;         /* [T] or NULL */
    sp_broken_runs *broken; /* or NULL */
    sp_tally *pairs;        /* or NULL */
    bool is_whole;          /* there was memory for them */
} counting;

/* n transitions, the first of them into step t. */
static void add_transitions(counting *c, int32_t from, int32_t to, int64_t t, int64_t n)
{
    const int64_t pair = (int64_t)from * c->K + to;
    c->counts->transitions += n;
    c->counts->changes += from != to;
    if (c->pairs)
        c->is_whole = c->is_whole && sp_tally_add(c->pairs, pair, n);
    if (sp_chain_is_legal(c->chain, from, to))
        return;
    c->counts->illegal += n;
    if (c->illegal)
        c->illegal[pair] += n;
    if (c->flags)
        memset(c->flags + t, 1, (size_t)n);
}

/* A run of class k and what is before it. */
typedef struct open_run {
    int64_t first;
    int32_t k; /* -1: steps without a class */
    sp_run_side before;
} open_run;

static void end_run(const counting *c, const open_run *run, int64_t end, sp_run_side after)
{
    const int64_t length = end - run->first;
    const sp_run_fit fit = sp_chain_run_fit(c->chain, run->k, length, run->before, after);
    if (fit == SP_RUN_FITS)
        return;
    c->counts->short_runs += fit == SP_RUN_TOO_SHORT;
    c->counts->long_runs += fit == SP_RUN_TOO_LONG;
    if (c->broken)
        sp_broken_runs_add(c->broken, run->first, length, run->k, fit == SP_RUN_TOO_LONG);
}

/* A run ends before step t, where `to` begins. */
static void leave(counting *c, open_run *run, int32_t to, int64_t t, sp_run_side after)
{
    const int32_t k = run->k;
    if (k >= 0) {
        if (t - run->first > 1)
            add_transitions(c, k, k, run->first + 1, t - run->first - 1);
        if (after == SP_BESIDE_CLASS)
            add_transitions(c, k, to, t, 1);
        if (c->bounds_runs)
            end_run(c, run, t, after);
    }
    run->before = after == SP_BESIDE_GAP ? SP_BESIDE_GAP : k < 0 ? SP_BESIDE_UNSCORED : SP_BESIDE_CLASS;
    run->first = t;
    run->k = to;
}

static void walk(counting *c, sp_stretch at)
{
    const int32_t *path = at.sides[0];
    open_run run = {.first = 0, .k = path[0], .before = SP_BESIDE_END};
    while (sp_stretch_next(&at)) {
        const int32_t k = path[at.first];
        if (at.first > 0 && !at.is_joined)
            leave(c, &run, k, at.first, SP_BESIDE_GAP);
        else if (k != run.k)
            leave(c, &run, k, at.first, k < 0 ? SP_BESIDE_UNSCORED : SP_BESIDE_CLASS);
    }
    leave(c, &run, -1, at.n_steps, SP_BESIDE_END);
}

static void count(counting *c, const sp_recording *r, const int32_t *path)
{
    if (r->n_steps == 0)
        return;
    if (c->flags)
        memset(c->flags, 0, (size_t)r->n_steps);
    const int32_t first = path[0], last = path[r->n_steps - 1];
    const bool is_illegal = first >= 0 && !sp_chain_is_legal_start(c->chain, first);
    c->counts->illegal_start += is_illegal;
    if (c->flags)
        c->flags[0] = is_illegal;
    walk(c, sp_walk(r, path, NULL));
    c->counts->illegal_end += last >= 0 && !sp_chain_is_legal_end(c->chain, last);
}

sp_status sp_add_transitions(const sp_evaluation *e, const sp_recording *r, const int32_t *path,
                             sp_broken_runs *broken, sp_transition_counts *counts, sp_tally *pairs,
                             sp_error *err)
{
    counting c = {.chain = e->chain,
                  .K = e->K,
                  .bounds_runs = sp_chain_bounds_runs(e->chain),
                  .counts = counts,
                  .broken = broken->too_short ? broken : NULL,
                  .pairs = pairs,
                  .is_whole = true};
    count(&c, r, path);
    return c.is_whole ? SP_OK : sp_no_memory(err);
}

void sp_transitions_count(const sp_chain *chain, int64_t n_steps, const int32_t *path,
                          const int64_t *segments, sp_transition_counts *counts, int64_t *illegal,
                          uint8_t *flags)
{
    const sp_recording r = {.n_steps = n_steps, .segments = segments};
    counting c = {.chain = chain,
                  .K = sp_chain_n_classes(chain),
                  .bounds_runs = sp_chain_bounds_runs(chain),
                  .counts = counts,
                  .illegal = illegal,
                  .flags = flags,
                  .is_whole = true};
    count(&c, &r, path);
}
