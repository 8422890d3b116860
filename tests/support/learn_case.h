/* Small random training sets for the tests of learning. */
#ifndef TEST_LEARN_CASE_H
#define TEST_LEARN_CASE_H

#include "statepath/learn.h"

enum { CASE_K = 4, CASE_SETS = 3 };

/* Recordings of labels that stay for a while, and scores that like the labels. Free with learn_case_free(). */
typedef struct learn_case {
    sp_training training;
    int64_t *offsets, *segments;
    double *scores;
    int32_t *labels, *label_set;
} learn_case;

/* n_recordings of 1 to longest steps; labels from 0 to n_seen - 1; unscored: share of -1. */
learn_case learn_case_new(uint64_t seed, int64_t n_recordings, int64_t longest, int32_t n_seen,
                          double unscored);
void learn_case_free(learn_case *c);

/* A training set of arrays that it borrows: scores [S,K] or NULL, labels [S]. */
sp_training learn_training(int32_t n_classes, int64_t n_recordings, const int64_t *offsets,
                           const double *scores, const int32_t *labels, const char *const *classes);
/* sp_fit(), which must not fail; report may be NULL. */
sp_model *learn_fitted(const sp_training *training, const sp_fit_options *options, sp_fit_report *report);

/* A share of the labels become one of CASE_SETS sets of classes that have them. The training set borrows what is freed with the case. */
void learn_make_sets(learn_case *c, uint64_t seed, double share);
/* Scores of steps after gaps, and impossible ones: each 23 steps a gap, in every fourth step an impossible class. */
void learn_make_gaps(learn_case *c);
/* Scores that wander apart: a class falls thousands of nats behind, and may win in the end. */
void learn_make_drift(learn_case *c, uint64_t seed);

/* Rules over the classes of a case, in another order than its columns: what learning has to obey. */
typedef struct learn_rules {
    const char *name;
    bool has_states;          /* two of "a", three of "c", one of "b" and "d" */
    bool has_dwell, has_ends; /* minimum dwells of 1 to 3; a start and an end that are forbidden */
    int32_t longest;          /* durations: of "c" up to so many steps, of "a" a Poisson; 0: none */
    bool is_whole;            /* durations are of whole runs */
    bool has_rules;           /* over more steps, one of them with a price */
    int32_t memory;           /* of a field of one state a class; 0: states are hidden */
} learn_rules;
enum { LEARN_RULES = 11 };
extern const learn_rules learn_rules_all[LEARN_RULES];
/* The model; weights are random where asked for. */
sp_model *learn_rules_model(const learn_rules *rules, uint64_t seed, bool has_weights);

/* Gives a model without transitions these states of its classes. */
void learn_give_states(sp_model *model, int32_t n_states, const int32_t *class_of_state);

/* log Z of the paths of a model, of those that the labels allow where they are asked for, with scores or of the rules alone.
 *   steps  [K] expected in each column's class are added to it; or NULL */
double learn_log_z(const sp_model *model, const sp_training *training, bool has_labels, bool has_scores,
                   double *steps);

/* Parameters [n] of a random field, from -1 to 1, a scale from .5 to 1.5 first. To be freed by the caller. */
double *learn_theta(int64_t n, uint64_t seed);

/* Uniform in [0,1). */
double learn_uniform(uint64_t *state);

#endif
