/* Counting transitions. */
#include "core/chain.h"
#include "evaluate/evaluation.h"

#include <string.h>

/* A run that the next class ends is short when it is seen whole and shorter than its class must dwell. */
static bool is_short(const sp_chain *chain, const sp_transition_walk *w, int64_t end, int32_t k)
{
    return !w->is_cut && end - w->run_first < sp_chain_min_dwell(chain, k);
}

static void begin_run(sp_transition_walk *w, int64_t first, bool is_cut)
{
    w->run_first = first;
    w->is_cut = is_cut;
}

/* The first step of a recording. */
static void begin(const sp_chain *chain, sp_transition_walk *w, int32_t k, int64_t segment, sp_transition_counts *counts,
                  uint8_t *flags)
{
    *w = (sp_transition_walk){.has_begun = true, .last = k, .last_segment = segment};
    if (k >= 0 && !sp_chain_is_legal_start(chain, k)) {
        counts->illegal_start++;
        if (flags)
            flags[0] = 1;
    }
}

void sp_transitions_walk(const sp_chain *chain, sp_transition_walk *w, int64_t n_steps, const int32_t *path,
                         const int64_t *segments, sp_transition_counts *counts, int64_t *illegal, uint8_t *flags)
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
            begin_run(w, t, false);
            continue; /* a run that a gap ends is long enough */
        }
        if (from < 0 || to < 0) {
            if (from < 0)
                begin_run(w, t, true);
            continue; /* so is one that an unscored step ends */
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
            counts->short_runs += is_short(chain, w, t, from);
            begin_run(w, t, false);
        }
    }
    w->last = from;
    w->last_segment = segments ? segments[n_steps - 1] : 0;
    w->run_first -= n_steps; /* seen from the next piece */
}

void sp_transitions_end(const sp_chain *chain, const sp_transition_walk *w, sp_transition_counts *counts)
{
    if (!w->has_begun || w->last < 0)
        return;
    if (!sp_chain_is_legal_end(chain, w->last))
        counts->illegal_end++;
    if (sp_chain_min_dwell_at_end(chain))
        counts->short_runs += is_short(chain, w, 0, w->last);
}

void sp_transitions_count(const sp_chain *chain, int64_t n_steps, const int32_t *path, const int64_t *segments,
                          sp_transition_counts *counts, int64_t *illegal, uint8_t *flags)
{
    sp_transition_walk walk = {.has_begun = false};
    sp_transitions_walk(chain, &walk, n_steps, path, segments, counts, illegal, flags);
    sp_transitions_end(chain, &walk, counts);
}
