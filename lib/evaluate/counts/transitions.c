/* Counting transitions. */
#include "core/chain.h"
#include "evaluate/evaluation.h"

#include <string.h>

/* The run at hand: what stands before it, and its first step. */
typedef struct run_at_hand {
    sp_run_side before;
    int64_t first;
    sp_broken_runs *broken; /* or NULL */
} run_at_hand;

/* The run of class k ends before step t. */
static void end_run(const sp_chain *chain, const run_at_hand *run, int64_t t, int32_t k, sp_run_side after,
                    sp_transition_counts *counts)
{
    const sp_run_fit fit =
        k < 0 ? SP_RUN_FITS : sp_chain_run_fit(chain, k, t - run->first, run->before, after);
    if (fit == SP_RUN_FITS)
        return;
    counts->short_runs += fit == SP_RUN_TOO_SHORT;
    counts->long_runs += fit == SP_RUN_TOO_LONG;
    if (run->broken)
        sp_broken_runs_add(run->broken, run->first, t - run->first, k, fit == SP_RUN_TOO_LONG);
}

static void begin_run(run_at_hand *run, int64_t first, sp_run_side before)
{
    run->first = first;
    run->before = before;
}

void sp_transitions_find(const sp_chain *chain, int64_t n_steps, const int32_t *path, const int64_t *segments,
                         sp_broken_runs *broken, sp_transition_counts *counts, int64_t *illegal,
                         uint8_t *flags)
{
    if (n_steps == 0)
        return;
    if (flags)
        memset(flags, 0, (size_t)n_steps);
    size_t K = (size_t)sp_chain_n_classes(chain);
    run_at_hand run = {.before = SP_BESIDE_END, .broken = broken};
    int32_t from = path[0];
    if (from >= 0 && !sp_chain_is_legal_start(chain, from)) {
        counts->illegal_start++;
        if (flags)
            flags[0] = 1;
    }
    int32_t known_from = -1, known_to = -1; /* the pair asked for last: staying asks once a run */
    bool known_legal = true;
    for (int64_t t = 1; t < n_steps; t++) {
        const int32_t to = path[t];
        if (segments && segments[t] != segments[t - 1]) {
            end_run(chain, &run, t, from, SP_BESIDE_GAP, counts);
            begin_run(&run, t, SP_BESIDE_GAP);
            from = to;
            continue;
        }
        if (from < 0 || to < 0) {
            end_run(chain, &run, t, from, SP_BESIDE_UNSCORED, counts);
            if (from < 0)
                begin_run(&run, t, SP_BESIDE_UNSCORED);
            from = to;
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
            end_run(chain, &run, t, from, SP_BESIDE_CLASS, counts);
            begin_run(&run, t, SP_BESIDE_CLASS);
        }
        from = to;
    }
    if (from < 0)
        return;
    if (!sp_chain_is_legal_end(chain, from))
        counts->illegal_end++;
    end_run(chain, &run, n_steps, from, SP_BESIDE_END, counts);
}

void sp_transitions_count(const sp_chain *chain, int64_t n_steps, const int32_t *path,
                          const int64_t *segments, sp_transition_counts *counts, int64_t *illegal,
                          uint8_t *flags)
{
    sp_transitions_find(chain, n_steps, path, segments, NULL, counts, illegal, flags);
}
