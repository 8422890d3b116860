/* Streams: decoding while the recording goes on.
 *
 *     sp_online_new(chain, 20, &online, &err);
 *     while (next_row(row)) {
 *         sp_online_push(online, row, false, &decided, &err);
 *         if (decided >= 0) use(decided);
 *     }
 *     sp_online_finish(online, rest, &n_rest, &err);
 */
#ifndef STATEPATH_STREAM_H
#define STATEPATH_STREAM_H

#include "statepath/decode.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- fixed lag ----
 *
 * Step t is decided once step t+L has been seen: it gets the class that the best partial path ending at t+L has at t, among the
 * partial paths that agree with everything decided before. What has been decided is never taken back, and every decision leaves a
 * legal way on to the steps seen so far, so the output never breaks the model. The last L steps are decided together at the end,
 * where the end rule counts. L = 0 is greedy without the end rule in mind; L >= T gives sp_viterbi()'s path.
 *
 * A decision can lead to a dead end: later steps that no path through it can explain. With a longer lag that is rarer.
 * Source  Forney 1973, "The Viterbi algorithm", doi:10.1109/PROC.1973.9030, on truncating survivors; that decisions are kept to
 * is ours.
 */

typedef struct sp_online sp_online;

/* Starts. The chain is borrowed until sp_online_free(). Memory O(lag (K + M)), taken as steps come in and then constant.
 * Returns SP_OK; SP_EINVAL (lag < 0); SP_ENOMEM. */
sp_status sp_online_new(const sp_chain *chain, int32_t lag, sp_online **out, sp_error *err);
void sp_online_free(sp_online *online);

/* The recordings that are pushed from here on have n_steps steps each (0: as many as come, as before): nothing is begun that the
 * rules cannot end by then; a gap on the way is not foreseen. To be called before the first step of a recording. A step more than
 * these is SP_EDATA.
 * Memory O(M) for each different set of states that can still end in time, at most n_steps of them.
 * Returns SP_OK; SP_EINVAL (n_steps < 0, or a recording has begun); SP_ENOMEM. */
sp_status sp_online_end_after(sp_online *online, int64_t n_steps, sp_error *err);

/* One more step.
 *   row      [K] nats, -INFINITY allowed
 *   is_gap   the chain is broken before this step: any class with an entry state may follow, at no weight
 *   decided  out, class of the step `lag` steps back; -1 while there is none
 * On failure the step has not been taken and nothing has changed: the caller may offer another row, the same row after a gap,
 * end here, or restart.
 * Returns SP_OK; SP_ENOPATH (no path at all, whatever had been decided, reaches this step); SP_EDEADEND (none that agrees with
 * what has been decided); SP_EDATA (NaN or +inf, or a step more than was said); SP_ENOMEM. err->step counts steps from 0. Cost  O(transitions), and now and
 * then up to `lag` times that, when a decision rules out partial paths that were still in play. */
sp_status sp_online_push(sp_online *online, const double *row, bool is_gap, int32_t *decided, sp_error *err);

/* ---- exact, at a lag that varies ----
 *
 * A step is decided as soon as all surviving partial paths, the best into each state of the newest step, have one class there. No step that
 * comes later can change it, so what comes out, whatever pieces the recording comes in, is sp_viterbi()'s path of the whole. (Where no path
 * can end the recording sp_online_finish() says so, after steps have been decided.) Where survivors never agree, nothing is decided before the end;
 * with a greatest lag a step is decided at the latest when so many more have been seen, as at a fixed lag, and counted.
 * Source  Sramek, Brejova and Vinar 2007, "On-line Viterbi algorithm for analysis of long biological sequences",
 * doi:10.1007/978-3-540-74126-8_23. */

/* As sp_online_new(). most_lag: -1: none. Memory grows with the steps that are pending, O(K + M) each. SP_OK; SP_ENOMEM. */
sp_status sp_online_new_exact(const sp_chain *chain, int32_t most_lag, sp_online **out, sp_error *err);

/* As sp_online_push().
 *   classes  out [sp_online_pending() + 1] of the steps that are decided now, in order
 *   n        out, how many; 0: none
 * SP_EINVAL: the stream is of a fixed lag. Cost  amortised O(transitions + K); with a greatest lag twice that, and O(lag M) for a step that is
 * forced. */
sp_status sp_online_push_exact(sp_online *online, const double *row, bool is_gap, int32_t *classes,
                               int32_t *n, sp_error *err);

/* Steps of the recording at hand that were decided at the greatest lag, before all survivors agreed. */
int64_t sp_online_forced(const sp_online *online);

/* Steps pushed and not yet decided: at most the lag. */
int32_t sp_online_pending(const sp_online *online);

/* Ends the recording and decides what is pending; afterwards `online` is as new, ready for another recording.
 *   classes   out [sp_online_pending()] in order
 *   n         out, how many
 * Returns SP_OK; SP_ENOPATH or SP_EDEADEND at the last step when no path, or none that agrees, may end there (nothing has
 * changed then: sp_online_restart() gives up on it). */
sp_status sp_online_finish(sp_online *online, int32_t *classes, int32_t *n, sp_error *err);

/* Forgets everything that was pushed. */
void sp_online_restart(sp_online *online);

#ifdef __cplusplus
}
#endif
#endif
