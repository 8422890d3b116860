/* Inside of sp_hidden; not installed. */
#ifndef STATEPATH_LEARN_HIDDEN_PRIVATE_H
#define STATEPATH_LEARN_HIDDEN_PRIVATE_H

#include "core/chain_states.h"
#include "core/owned.h"
#include "learn/hidden/hidden.h"

struct sp_hidden {
    sp_owned own;
    const sp_training *training;
    sp_model *model; /* as declared, classes in column order */
    int32_t K, m;    /* classes, declared states */
    int64_t n_edges; /* transitions of the model */
    uint8_t *group;  /* [n_edges] SP_HIDDEN_FIXED, or which of a state's weights it shares probability with */
    sp_chain *chain; /* its weights are changed from pass to pass: */
    double *succ_base, *pred_base,
        *runs_base;                /* those of durations and rules; runs_base NULL without chain->runs */
    double *start_base, *end_base; /* [M] */
    int64_t *succ_place, *pred_place, *runs_place; /* the model's transition that each weighs, or -1 */
    /* [M] of pieces that do not begin or end their recording: entry states; 0, a run that is cut off */
    double *any_start, *any_end;
    sp_stretches pieces;
    sp_violations violations;
};

enum { SP_HIDDEN_OUT, SP_HIDDEN_INSIDE, SP_HIDDEN_FIXED };

/* May step t of the batch have class k, by its label and its score? */
static inline bool sp_hidden_may(const sp_hidden *h, bool has_labels, int64_t t, int32_t k)
{
    const sp_training *training = h->training;
    return (!has_labels || sp_training_may(training, t, k)) &&
           (!training->batch.scores.data || sp_scores_at(&training->batch.scores, t, k) > -INFINITY);
}

/* hidden_pieces.c. Cuts the recordings. SP_OK, SP_ENOMEM. */
sp_status sp_hidden_cut(sp_hidden *hidden, sp_error *err);

/* hidden_model.c. Share of each class in the labels of use [N] (NULL: all), each count plus `smoothing` above 0: out [K]. A step with several
 * classes counts for each in proportion to its share, which is the fixed point of that (self-consistency, Turnbull 1976). SP_OK, SP_ENOMEM. */
sp_status sp_hidden_prior(const sp_hidden *hidden, const uint8_t *use, double smoothing, double *prior,
                          sp_error *err);

#endif
