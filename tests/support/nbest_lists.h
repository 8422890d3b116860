/* The N best paths by another way than sp_nbest(), for tests: every state of every step keeps its n best. */
#ifndef STATEPATH_TESTS_NBEST_LISTS_H
#define STATEPATH_TESTS_NBEST_LISTS_H

#include "statepath/advanced.h"

/* As sp_nbest() of n >= 1 and T > 0, without its check. SP_OK, SP_ENOPATH, SP_ENOMEM. O(T n transitions log(predecessors)).
 * Source  Seshadri and Sundberg 1994, "List Viterbi decoding algorithms with applications", IEEE Trans. Commun. 42, 313. */
sp_status nbest_lists(const sp_chain *chain, const sp_scores *scores, int32_t n, sp_scratch *scratch,
                      sp_nbest_paths *out);

#endif
