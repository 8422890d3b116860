/* How long classes stay, learnt from the runs of labels; not installed.
 *
 * The runs of a class are counted by length. A negative binomial is fitted to them, of d - 1, by maximum likelihood: a run of d steps
 * whose end is not seen says only that it has at least d. What is learnt lies between the two,
 *
 *     p(d) = (n(d) + a nb(d)) / (n + a)
 *
 * where n(d) are the runs of length d, those without an end being shared out over the lengths that they may have, as p itself says
 * (Efron 1967, The two sample problem with censored data: self-consistency). a is how many imaginary runs the negative binomial is
 * worth; infinite: it is all. */
#ifndef STATEPATH_LEARN_DURATIONS_H
#define STATEPATH_LEARN_DURATIONS_H

#include "learn/durations/runs.h"
#include "learn/training.h"
#include "statepath/learn.h"

/* What the runs of each class come to: smoothing by what runs of the other folds say of those of each fold; how many lengths are
 * tabled.
 *   fold     [N]; -1: in none; n_folds 0: there are none, and smoothing is infinite
 *   out      [K]; n_lengths 0: of this class nothing is learnt
 * SP_OK, SP_ENOMEM. */
sp_status sp_durations_choose(const sp_run_list *runs, int32_t n_classes, const int32_t *fold,
                              int32_t n_folds, sp_learnt_duration *out, sp_error *err);

/* p(1) .. p(found->n_lengths) of class k, of sum 1; found->mean and dispersion too. The smoothing is that of `found`. SP_OK, SP_ENOMEM. */
sp_status sp_durations_table(const sp_run_list *runs, int32_t k, sp_learnt_duration *found, double *p,
                             sp_error *err);

/* The weights of the transitions out of each class that has a duration become those of changes, given that there is one; that of
 * staying, which plays no part, 0. The model has one state per class and weights. */
void sp_durations_weigh_changes(sp_model *model);

#endif
