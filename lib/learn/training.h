/* Training sets and rules from the inside: what learners share. Not installed. */
#ifndef STATEPATH_LEARN_TRAINING_H
#define STATEPATH_LEARN_TRAINING_H

#include "statepath/learn.h"

/* Does recording n take part? */
static inline bool sp_training_uses(const sp_training *training, int64_t n)
{
    return !training->use || training->use[n];
}

static inline sp_status sp_training_go_on(const sp_training *training, sp_error *err)
{
    return training->go_on ? training->go_on(training->go_on_arg, err) : SP_OK;
}

/* May step t of the batch have class k, by its label? */
static inline bool sp_training_may(const sp_training *training, int64_t t, int32_t k)
{
    const int32_t label = training->labels ? training->labels[t] : -1;
    const int32_t set = label < 0 && training->label_set ? training->label_set[t] : -1;
    return label >= 0 ? label == k
                      : set < 0 || training->label_sets[(int64_t)set * training->batch.scores.n_classes + k];
}

/* Has step t of the batch a label, of one class or several? */
static inline bool sp_training_says(const sp_training *training, int64_t t)
{
    return training->labels &&
           (training->labels[t] >= 0 || (training->label_set && training->label_set[t] >= 0));
}

/* tune.c. Steps of the recordings that take part with a label of one class, and of several. */
void sp_training_count(const sp_training *training, int64_t *n_steps, int64_t *n_set_steps);

/* Other scores [S,K] in nats, borrowed. */
static inline void sp_training_take_scores(sp_training *training, const double *scores)
{
    training->batch.scores.data = scores;
    training->batch.scores.dtype = SP_F64;
}

/* Rules of one state per class as tables: what a learner must leave forbidden. */
typedef struct sp_rules {
    int32_t n_classes; /* K */
    uint8_t *allow;    /* [K,K] rows = from */
    uint8_t *start;    /* [K] */
    uint8_t *end;      /* [K] */
    int32_t *dwell;    /* [K] >= 1 */
    bool dwell_at_end;
    sp_duration *durations; /* [K] or NULL: none; labels are not held against them */
    bool whole_at_start, whole_at_end;
    const sp_model
        *declared; /* whose rules over more steps, names and source fitted models keep; borrowed; or NULL */
    /* Labels do not say the states of this model: hidden/hidden.h learns by it, and what stands above, of classes, plays no part; borrowed;
     * or NULL */
    const sp_model *hidden;
    sp_model *own; /* what `hidden` is after sp_rules_hide(); or NULL */
} sp_rules;

/* From a model, brought into the order of `classes`; from nothing (model NULL): everything is allowed.
 * Of a model with several states for a class `hidden` is set.
 * SP_OK; SP_EMODEL (the classes differ); SP_ENOMEM. */
bool sp_rules_hide_states(const sp_model *model); /* has it several states for a class? NULL: no */
sp_status sp_rules_init(sp_rules *rules, const sp_model *model, int32_t n_classes, const char *const *classes,
                        sp_error *err);

/* What the labels show: transitions, starts and ends seen at least min_count >= 1 times; staying where a class is seen. A class
 * never seen may stay, and may follow and be followed by every class: the labels say nothing about it.
 * SP_OK, SP_EINVAL, SP_ENOMEM. */
sp_status sp_rules_from_labels(sp_rules *rules, const sp_training *training, int64_t min_count,
                               sp_error *err);

/* Labels do not say the class of each step: `hidden` becomes the rules as a model, where it is not set. SP_OK, SP_EMODEL, SP_ENOMEM. */
sp_status sp_rules_hide(sp_rules *rules, const char *const *classes, sp_error *err);

void sp_rules_clear(sp_rules *rules); /* frees */

/* A model without transitions that has what a rules model says beside its matrix, starts, ends and dwells:
 * durations, rules over more steps, other names of the classes, source. So every model begins that is learnt,
 * or as a copy of the rules model (hidden/). SP_OK, SP_ENOMEM. */
sp_status sp_rules_new_model(const sp_rules *rules, const char *name, const char *const *classes,
                             sp_model **out, sp_error *err);

void sp_violations_clear(sp_violations *violations);

/* Transition probabilities P(j|i) = (n_ij + a) / sum over allowed j of (n_ij + a), starts likewise, from the stretches of the labels
 * that obey the rules, or, where states are hidden, by expectation-maximisation; the share of each class as prior. Of a class with a duration P(j|i) is given that it is left.
 *   smoothing   a >= 0; with 0 a transition never seen that the rules allow is left out (staying excepted)
 *   violations  out, cleared by the caller; may be NULL
 * Returns SP_OK; SP_EINVAL (no labelled step, smoothing below 0); SP_EMODEL (names); SP_ENOMEM.
 * Source  Dirichlet prior, posterior mean. */
sp_status sp_model_from_labels(const sp_training *training, const sp_rules *rules, double smoothing,
                               sp_workers *workers, const char *name, sp_model **out,
                               sp_violations *violations, sp_error *err);

/* Baum-Welch on transitions and starts, the scores being log likelihoods as they are: labels are not looked at,
 * but where states are hidden: there paths are held to what labels there are. Zeros stay zero.
 *   log_likelihood  out [most_iterations + 1], one before each iteration and one at the end; may be NULL. It never falls
 *   n_iterations    out
 * Stops when an iteration gains less than precision * |log likelihood|. Starts from equal probabilities of what the rules allow,
 * with 0.9 for staying. Returns SP_OK; SP_EINVAL (no scores; no recording has an allowed path); SP_ENOMEM. Source  Baum, Petrie,
 * Soules, Weiss 1970. */
sp_status sp_model_from_em(const sp_training *training, const sp_rules *rules, int most_iterations,
                           double precision, sp_workers *workers, const char *name, sp_model **out,
                           double *log_likelihood, int *n_iterations, sp_error *err);

/* Nothing to learn from: SP_EINVAL. */
sp_status sp_fail_without_labels(int64_t n_recordings, sp_error *err);
sp_status sp_fail_without_paths(sp_error *err);

#endif
