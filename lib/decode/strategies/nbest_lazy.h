/* The N best paths of a chain with one state per class, found on demand; not installed. */
#ifndef STATEPATH_DECODE_NBEST_LAZY_H
#define STATEPATH_DECODE_NBEST_LAZY_H

#include "decode/recording.h"
#include "statepath/advanced.h"

/* What sp_nbest() finds, to the bit. Viterbi's recursion gives the best path into each class at each step; a second, third
 * path into one is only looked for when a path that goes through it asks for it (recursive enumeration). Most are never asked
 * for: a further path costs about one candidate for each step between its end and where it leaves those found before.
 *
 *   most_cells  room for candidates and paths into classes, 16 bytes each; SP_NBEST_CELLS
 *   status      out: the answer; paths are written with SP_OK only
 * False: this is not for it (several states a class, too long a recording, or more asked for than there is room for), and
 * sp_nbest() searches as if it had not been called. Else *status is SP_OK, SP_ENOMEM, or SP_ENOPATH, whose step is the
 * caller's to find.
 * Cost    O(T transitions) and O((T + n) log(predecessors)) to O(n T log(predecessors)). Memory 12 T K bytes, up to 48 MB,
 *         and about 16 (predecessors + 4) bytes for each class of a step that is asked, up to 128 MB.
 * Source  Jimenez and Marzal 1999, "Computing the K shortest paths: a new algorithm and an experimental comparison",
 *         doi:10.1007/3-540-48318-7_4. */
enum { SP_NBEST_CELLS = 8 << 20 };
bool sp_nbest_lazy(const sp_chain *chain, const sp_scores *scores, int32_t n, size_t most_cells, sp_scratch *scratch,
                   sp_nbest_paths *out, sp_status *status);

/* The search that keeps the n best paths into every state, for any chain: sp_nbest() behind its door, for T > 0. */
sp_status sp_nbest_lists(const sp_chain *chain, const sp_scores *scores, int32_t n, sp_scratch *scratch, sp_nbest_paths *out,
                         sp_error *err);

#endif
