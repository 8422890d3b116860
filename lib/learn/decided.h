/* Classes that a labeller decided, as scores to learn from; not installed. */
#ifndef STATEPATH_LEARN_DECIDED_H
#define STATEPATH_LEARN_DECIDED_H

#include "statepath/learn.h"

/* The log likelihoods of training->decided (core/labeller.h). Each recording's are by the confusion of the other folds, so that
 * nothing that is learnt from them has seen its own labels; where there are no two recordings to share out, by that of all.
 *   scores     out [S,K] nats
 *   confusion  out [K,K] of all recordings that take part, each count plus 1
 * SP_OK; SP_EINVAL (no labels), SP_ENOMEM. O(S K). */
sp_status sp_decided_scores(const sp_training *training, const sp_fit_options *options, double *scores, double *confusion,
                            sp_error *err);

#endif
