/* Counting transitions, run by run. */
#include "core/chain.h"
#include "evaluate/counts/stretches.h"
#include "evaluate/evaluation.h"

#include <string.h>

/* What is counted along a path. */
typedef struct counting {
    const sp_chain *chain;
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
    const int64_t pair = (int64_t)from * sp_chain_n_classes(c->chain) + to;
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

static void end_run(const counting *c, const sp_stretch *run, int32_t k, sp_run_side before,
                    sp_run_side after)
{
    const sp_run_fit fit = sp_chain_run_fit(c->chain, k, run->end - run->first, before, after);
    if (fit == SP_RUN_FITS)
        return;
    c->counts->short_runs += fit == SP_RUN_TOO_SHORT;
    c->counts->long_runs += fit == SP_RUN_TOO_LONG;
    if (c->broken)
        sp_broken_runs_add(c->broken, run->first, run->end - run->first, k, fit == SP_RUN_TOO_LONG);
}

static void walk(counting *c, int64_t n_steps, const int32_t *path, const int64_t *segments)
{
    sp_stretch next = {.n_steps = n_steps, .segments = segments, .n_sides = 1, .sides = {path}}, run;
    sp_run_side before = SP_BESIDE_END;
    for (bool goes_on = sp_stretch_next(&next); goes_on;) {
        run = next;
        goes_on = sp_stretch_next(&next);
        const int32_t k = path[run.first], to = goes_on ? path[next.first] : -1;
        const sp_run_side after = !goes_on          ? SP_BESIDE_END
                                  : !next.is_joined ? SP_BESIDE_GAP
                                  : to < 0          ? SP_BESIDE_UNSCORED
                                                    : SP_BESIDE_CLASS;
        if (k >= 0 && run.end - run.first > 1)
            add_transitions(c, k, k, run.first + 1, run.end - run.first - 1);
        if (k >= 0 && after == SP_BESIDE_CLASS)
            add_transitions(c, k, to, next.first, 1);
        if (k >= 0)
            end_run(c, &run, k, before, after);
        before = after == SP_BESIDE_GAP ? SP_BESIDE_GAP : k < 0 ? SP_BESIDE_UNSCORED : SP_BESIDE_CLASS;
    }
}

static void count(counting *c, int64_t n_steps, const int32_t *path, const int64_t *segments)
{
    if (n_steps == 0)
        return;
    if (c->flags)
        memset(c->flags, 0, (size_t)n_steps);
    const int32_t first = path[0], last = path[n_steps - 1];
    const bool is_illegal = first >= 0 && !sp_chain_is_legal_start(c->chain, first);
    c->counts->illegal_start += is_illegal;
    if (c->flags)
        c->flags[0] = is_illegal;
    walk(c, n_steps, path, segments);
    c->counts->illegal_end += last >= 0 && !sp_chain_is_legal_end(c->chain, last);
}

bool sp_add_transitions(const sp_evaluation *e, const sp_recording *r, const int32_t *path,
                        sp_broken_runs *broken, sp_transition_counts *counts, sp_tally *pairs)
{
    counting c = {.chain = e->chain, .counts = counts, .broken = broken, .pairs = pairs, .is_whole = true};
    count(&c, r->n_steps, path, r->segments);
    return c.is_whole;
}

void sp_transitions_count(const sp_chain *chain, int64_t n_steps, const int32_t *path,
                          const int64_t *segments, sp_transition_counts *counts, int64_t *illegal,
                          uint8_t *flags)
{
    counting c = {.chain = chain, .counts = counts, .illegal = illegal, .flags = flags, .is_whole = true};
    count(&c, n_steps, path, segments);
}
