/* Counting transitions, and those that the model forbids.
 *
 * A transition is a pair of neighbouring steps of one recording, inside one segment, both with a class. Staying counts.
 */
#ifndef STATEPATH_TRANSITIONS_H
#define STATEPATH_TRANSITIONS_H

#include "statepath/chain.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sp_pair_count {
    int32_t from, to;
    int64_t count;
} sp_pair_count;

typedef struct sp_transition_counts {
    int64_t transitions;   /* neighbouring pairs */
    int64_t changes;       /* of them between two classes */
    int64_t illegal;       /* of them forbidden (staying too, where it is forbidden) */
    int64_t illegal_start; /* recordings whose first step may not start */
    int64_t illegal_end;   /* recordings whose last step may not end */
    int64_t short_runs;    /* runs shorter than the minimum dwell of their class. A run that ends at a gap counts as long enough,
                              at the end of the recording too unless the model says otherwise; a run that an unscored step cuts
                              on either side likewise. The first run of a recording or segment counts from its first step */
} sp_transition_counts;

/* Counts along one path.
 *   path      [T], -1 = no class: breaks the chain
 *   segments  [T] or NULL
 *   counts    added to
 *   illegal   [K,K] counts of forbidden pairs, added to; may be NULL
 *   flags     out [T], 1 where the transition into the step is forbidden (t > 0), or the start (t = 0), else 0; may be NULL
 * The start is judged where path[0] has a class, the end where path[T-1] has one. O(T), a look-up in the rules per change. */
void sp_transitions_count(const sp_chain *chain, int64_t n_steps, const int32_t *path, const int64_t *segments,
                          sp_transition_counts *counts, int64_t *illegal, uint8_t *flags);

#ifdef __cplusplus
}
#endif
#endif
