/* The N best paths, and by how much the best one won.
 *
 * Paths are distinct in their classes: two state paths that emit the same classes are one path, of the better one's score. They
 * come in order of sp_path_score(), equals by the tie rule (the lower class at the last step where they differ first); the first
 * is sp_viterbi()'s.
 */
#ifndef STATEPATH_NBEST_H
#define STATEPATH_NBEST_H

#include "statepath/decode.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where the paths go; owned by the caller. */
typedef struct sp_nbest_paths {
    int32_t *paths;  /* out: path r at paths + r * stride, T classes each; r = 0 .. n-1 */
    int64_t stride;  /* >= T */
    double *scores;  /* out [n] nats; may be NULL */
    int32_t n_found; /* out: how many there are; fewer than n where the rules and the scores leave no more */
} sp_nbest_paths;

/* The n best paths (n >= 1).
 * With one state per class, Viterbi's recursion gives the best path into each class, and further ones are found when asked for
 * (recursive enumeration). Else, and for what takes too much memory that way, every state keeps the n best distinct class paths
 * into it, each with its best score; those of the next step follow from these. Both are exact.
 * Only the first n_found paths and scores are written; on failure nothing.
 * Returns SP_OK; SP_ENOPATH (err->step as in decode.h); SP_EINVAL (n < 1, or states times n beyond 2^31); SP_ENOMEM.
 * Cost    on demand O(T (transitions + n log(predecessors))) time, and memory that is touched of 12 T K and about 16 bytes a
 *         candidate, up to 176 MB. Else O(T n transitions log(predecessors)) time at worst, memory 4 T M n bytes up to 64 MB;
 *         beyond that about 24 sqrt(T) M n bytes and twice the time.
 * Source  Seshadri and Sundberg 1994, "List Viterbi decoding algorithms with applications", IEEE Trans. Commun. 42, 313; Jimenez
 *         and Marzal 1999, "Computing the K shortest paths", doi:10.1007/3-540-48318-7_4. */
sp_status sp_nbest(const sp_chain *chain, const sp_scores *scores, int32_t n, sp_scratch *scratch, sp_nbest_paths *out,
                   sp_error *err);

/* How far a path is ahead of every other legal path: its sp_path_score() less the best one of a path that differs from it in some
 * class. Not negative for sp_viterbi()'s path; 0 at a tie; negative for a path that some other one beats; -INFINITY for an
 * illegal one; +INFINITY for the only legal path there is.
 *   path    [T] 0..K-1
 *   margin  out, nats; untouched on failure
 * Returns SP_OK; SP_ENOPATH; SP_EINVAL where the path names no class; SP_ENOMEM. O(T transitions) time, 4 M doubles. */
sp_status sp_margin(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch, const int32_t *path, double *margin,
                    sp_error *err);

#ifdef __cplusplus
}
#endif
#endif
