/* How often paths use each weight of a chain, in expectation, for who learns weights. Not installed.
 *
 * With p(path) = exp(score) / Z over all allowed paths, the derivative of log Z by a weight is the expected number of its uses.
 */
#ifndef STATEPATH_DECODE_USES_H
#define STATEPATH_DECODE_USES_H

#include "core/chain_states.h"
#include "core/scratch.h"
#include "statepath/scores.h"

/* What is added to. Weights are counted by the states of the model as declared (sp_chain.declared). */
typedef struct sp_uses {
    /* [transitions], in the order of the chain's successors and, where it has rows of runs, of chain->runs (else NULL): where in `next` each
     * is counted; -1: nowhere */
    const int64_t *place, *runs_place;
    double *next;
    double *start, *end;  /* [declared states] of the first and of the last step; or NULL */
    double *steps;        /* [K] steps in each class */
    const double *scores; /* [T,K], and */
    double *
        along; /* [1] their sum along a path; where a class has probability 0 they play no part. NULL: not asked for */
} sp_uses;

/* Adds the expected uses in one recording; *log_z out. Transitions across gaps are not counted.
 * SP_OK, SP_ENOPATH, SP_EINVAL, SP_ENOMEM; nothing is added on failure.
 * Cost  three multiplications a transition and step, of rows of runs a state and step; up to 128 MB, T M doubles. Where paths are too
 * far behind each other for that, and in longer recordings, exponentials as sp_marginal_rows(), and its memory. */
sp_status sp_uses_add(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch,
                      const sp_uses *uses, double *log_z, sp_error *err);

#endif
