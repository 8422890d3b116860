/* Counting transitions. */
#include "core/chain.h"
#include "evaluate/evaluation.h"

#include <string.h>

/* The run of class k at hand ends before step t of the piece. */
static void end_run(const sp_chain *chain, const sp_transition_walk *w, int64_t t, int32_t k,
                    sp_run_side after, sp_transition_counts *counts)
{
    const sp_run_fit fit =
        k < 0 ? SP_RUN_FITS : sp_chain_run_fit(chain, k, t - w->run_first, w->before, after);
    if (fit == SP_RUN_FITS)
        return;
    counts->short_runs += fit == SP_RUN_TOO_SHORT;
    counts->long_runs += fit == SP_RUN_TOO_LONG;
    if (w->broken)
        sp_broken_runs_add(w->broken, w->at + w->run_first, t - w->run_first, k, fit == SP_RUN_TOO_LONG);
}

static void begin_run(sp_transition_walk *w, int64_t first, sp_run_side before)
{
    w->run_first = first;
    w->before = before;
}

/* The first step of a recording. */
static void begin(const sp_chain *chain, sp_transition_walk *w, int32_t k, int64_t segment,
                  sp_transition_counts *counts, uint8_t *flags)
{
    *w = (sp_transition_walk){
        .has_begun = true, .last = k, .last_segment = segment, .before = SP_BESIDE_END, .broken = w->broken};
    if (k >= 0 && !sp_chain_is_legal_start(chain, k)) {
        counts->illegal_start++;
        if (flags)
            flags[0] = 1;
    }
}

void sp_transitions_walk(const sp_chain *chain, sp_transition_walk *w, int64_t n_steps, const int32_t *path,
                         const int64_t *segments, sp_transition_counts *counts, int64_t *illegal,
                         uint8_t *flags)
{
    if (n_steps == 0)
        return;
    if (flags)
        memset(flags, 0, (size_t)n_steps);
    size_t K = (size_t)sp_chain_n_classes(chain);
    int64_t t = 0;
    if (!w->has_begun)
        begin(chain, w, path[t++], segments ? segments[0] : 0, counts, flags);
    int32_t from = w->last;
    int32_t known_from = -1, known_to = -1; /* the pair asked for last: staying asks once a run */
    bool known_legal = true;
    for (int32_t to; t < n_steps; t++, from = to) {
        to = path[t];
        if (segments && segments[t] != (t > 0 ? segments[t - 1] : w->last_segment)) {
            end_run(chain, w, t, from, SP_BESIDE_GAP, counts);
            begin_run(w, t, SP_BESIDE_GAP);
            continue;
        }
        if (from < 0 || to < 0) {
            end_run(chain, w, t, from, SP_BESIDE_UNSCORED, counts);
            if (from < 0)
                begin_run(w, t, SP_BESIDE_UNSCORED);
            continue;
        }
        counts->transitions++;
        if (from != known_from || to != known_to) {
            known_legal = sp_chain_is_legal(chain, from, to);
            known_from = from;
            known_to = to;
        }
        if (!known_legal) {
            counts->illegal++;
            if (illegal)
                illegal[(size_t)from * K + (size_t)to]++;
            if (flags)
                flags[t] = 1;
        }
        if (from != to) {
            counts->changes++;
            end_run(chain, w, t, from, SP_BESIDE_CLASS, counts);
            begin_run(w, t, SP_BESIDE_CLASS);
        }
    }
    w->last = from;
    w->last_segment = segments ? segments[n_steps - 1] : 0;
    w->run_first -= n_steps; /* seen from the next piece */
    w->at += n_steps;
}

void sp_transitions_end(const sp_chain *chain, const sp_transition_walk *w, sp_transition_counts *counts)
{
    if (!w->has_begun || w->last < 0)
        return;
    if (!sp_chain_is_legal_end(chain, w->last))
        counts->illegal_end++;
    end_run(chain, w, 0, w->last, SP_BESIDE_END, counts);
}

void sp_transitions_count(const sp_chain *chain, int64_t n_steps, const int32_t *path,
                          const int64_t *segments, sp_transition_counts *counts, int64_t *illegal,
                          uint8_t *flags)
{
    sp_transition_walk walk = {.has_begun = false};
    sp_transitions_walk(chain, &walk, n_steps, path, segments, counts, illegal, flags);
    sp_transitions_end(chain, &walk, counts);
}
