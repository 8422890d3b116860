/* The check that stays on: a finished path against the value of the recurrence that found it; not installed.
 *
 * A decoder that maximises something knows the value of its best path twice: the recurrence says it at the last step, and the
 * path adds up to it. Both are the same but for rounding, unless the decoder, its compiler or the machine is wrong. Then the path
 * is withheld (SP_EBUG).
 */
#ifndef STATEPATH_DECODE_VERIFY_H
#define STATEPATH_DECODE_VERIFY_H

#include "core/path_score.h"
#include "core/workers.h"
#include "statepath/scores.h"

struct sp_decoded;

/* Paths of so many classes are added up by a table, where each state of the chain is the only one that a path of classes can be in:
 * of plain chains, and of those where a state leads to one state of a class at most, and one of a class at most begins. */
enum { SP_VERIFY_CLASSES = 16, SP_VERIFY_STATES = 64 };

/* Is every transition path[0] -> path[1] -> .. -> path[n-1] allowed?
 *   follows   [SP_VERIFY_CLASSES] bit j of item i: class j may follow class i
 *   path      [n] 0..SP_VERIFY_CLASSES-1 at step 0, any value after it: one that is no class follows none */
typedef bool sp_path_allowed(const uint32_t *follows, const int32_t *path, int64_t n);
sp_path_allowed sp_path_is_allowed;

/* What is known of a chain before a path comes. Read-only once made, so threads share it. */
typedef struct sp_verifier {
    const sp_chain *chain;
    bool has_table;
    bool has_weights;
    uint8_t first[SP_VERIFY_CLASSES];    /* the state that begins with a class */
    uint32_t follows[SP_VERIFY_CLASSES]; /* of a plain chain, see above */
    sp_path_allowed *is_allowed;         /* the plain one, in whose place a kernel may be put */
    /* At 16 * state before + class. */
    uint8_t to[SP_VERIFY_STATES * SP_VERIFY_CLASSES];    /* the state after it */
    double weight[SP_VERIFY_STATES * SP_VERIFY_CLASSES]; /* nats, -INFINITY where forbidden */
} sp_verifier;

void sp_verifier_init(sp_verifier *verifier, const sp_chain *chain);

/* Is there such a table for the chain? */
bool sp_classes_tell_states(const sp_chain *chain);

/* sp_path_score() of a path of classes 0..K-1, without gaps (has_table only): the same bits. */
double sp_verifier_score(const sp_verifier *verifier, const sp_scores *scores, const int32_t *path);

/* How far a sum of T terms and the value of the recurrence may differ: 1e-9 (T + |value|). */
double sp_verify_tolerance(int64_t n_steps, double value);

/* Adds up the scores along a path and compares the sum with `value`; a forbidden path adds up to -INFINITY.
 *   path   [T] classes, of any value
 * SP_OK; SP_EBUG; SP_ENOMEM (several states a class only). O(T); about 0.5 ns a step with the table. */
sp_status sp_verify(const sp_verifier *verifier, const sp_scores *scores, const int32_t *path, double value,
                    sp_error *err);

/* sp_verify() of one path, without a verifier at hand. */
sp_status sp_verify_path(const sp_chain *chain, const sp_scores *scores, const int32_t *path, double value,
                         sp_error *err);

/* The same for a search that keeps a state path, which need not be the best that emits its classes: with several states a class
 * the sum may be greater than `value`. */
sp_status sp_verify_state_path(const sp_chain *chain, const sp_scores *scores, const int32_t *path,
                               double value, sp_error *err);

/* The same by a walk that its caller has made ready, which is begun anew: needs no memory. Classes 0..K-1. */
sp_status sp_verify_by_walk(sp_path_walk *walk, const sp_scores *scores, const int32_t *path, double value,
                            sp_error *err);

/* For a path that has no value of a recurrence but must be legal; score: its sp_path_score(). A legal path of score -INFINITY is
 * one whose sum leaves the range of a double. SP_OK; SP_EBUG; SP_ENOMEM. O(1) where the score is finite. */
sp_status sp_verify_legal(const sp_chain *chain, const sp_scores *scores, const int32_t *path, double score,
                          sp_error *err);

/* SP_EBUG with the sentence for it, and both values in *err.
 *   recurrence   NaN: there is none, the path is illegal
 *   along_path   what the path adds up to */
sp_status sp_decode_bug(double recurrence, double along_path, sp_error *err);

/* Withholds a path: -1 at each of its n steps, and a result that says SP_EBUG and the values that *bug has. */
void sp_decode_withhold(const sp_error *bug, struct sp_decoded *result, int32_t *path, int64_t n);

#endif
