/* Counting transitions. */
#include "statepath/transitions.h"

#include <string.h>

/* The run that the walk is in. */
typedef struct run {
    int64_t first;
    bool is_cut; /* an unscored step stands before it: it may be longer than we see */
} run;

/* A run that the next class ends is short when it is seen whole and shorter than its class must dwell. */
static bool is_short(const sp_chain *chain, const run *r, int64_t last, int32_t k)
{
    return !r->is_cut && last - r->first + 1 < sp_chain_min_dwell(chain, k);
}

void sp_transitions_count(const sp_chain *chain, int64_t n_steps, const int32_t *path, const int64_t *segments,
                          sp_transition_counts *counts, int64_t *illegal, uint8_t *flags)
{
    if (flags && n_steps > 0)
        memset(flags, 0, (size_t)n_steps);
    if (n_steps == 0)
        return;
    size_t K = (size_t)sp_chain_n_classes(chain);
    if (path[0] >= 0 && !sp_chain_is_legal_start(chain, path[0])) {
        counts->illegal_start++;
        if (flags)
            flags[0] = 1;
    }
    run current = {0, false};
    int32_t known_from = -1, known_to = -1; /* the pair asked for last: staying asks once a run */
    bool known_legal = true;
    for (int64_t t = 1; t < n_steps; t++) {
        int32_t from = path[t - 1], to = path[t];
        if (segments && segments[t] != segments[t - 1]) {
            current = (run){t, false};
            continue; /* a run that a gap ends is long enough */
        }
        if (from < 0 || to < 0) {
            if (from < 0)
                current = (run){t, true};
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
            counts->short_runs += is_short(chain, &current, t - 1, from);
            current = (run){t, false};
        }
    }
    int32_t last = path[n_steps - 1];
    if (last < 0)
        return;
    if (!sp_chain_is_legal_end(chain, last))
        counts->illegal_end++;
    if (sp_chain_min_dwell_at_end(chain))
        counts->short_runs += is_short(chain, &current, n_steps - 1, last);
}
