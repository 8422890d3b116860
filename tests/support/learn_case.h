/* Small random training sets for the tests of learning. */
#ifndef TEST_LEARN_CASE_H
#define TEST_LEARN_CASE_H

#include "statepath/learn.h"

enum { CASE_K = 4 };

/* Recordings of labels that stay for a while, and scores that like the labels. Free with learn_case_free(). */
typedef struct learn_case {
    sp_training training;
    int64_t *offsets, *segments;
    double *scores;
    int32_t *labels;
} learn_case;

/* n_recordings of 1 to longest steps; labels from 0 to n_seen - 1; unscored: share of -1. */
learn_case learn_case_new(uint64_t seed, int64_t n_recordings, int64_t longest, int32_t n_seen,
                          double unscored);
void learn_case_free(learn_case *c);

/* Gives a model without transitions these states of its classes. */
void learn_give_states(sp_model *model, int32_t n_states, const int32_t *class_of_state);

/* Parameters [n] of a random field, from -1 to 1, a scale from .5 to 1.5 first. To be freed by the caller. */
double *learn_theta(int64_t n, uint64_t seed);

/* Uniform in [0,1). */
double learn_uniform(uint64_t *state);

#endif
