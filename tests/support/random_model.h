/* Random models with random scores, from a seed: the same on every machine. */
#ifndef TEST_RANDOM_MODEL_H
#define TEST_RANDOM_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "statepath/model.h"

/* splitmix64 (Steele, Lea, Flood 2014). */
typedef struct random_source {
    uint64_t state;
} random_source;

uint64_t random_next(random_source *random);
int32_t random_below(random_source *random, int32_t n); /* 0 .. n-1 */
double random_unit(random_source *random);              /* [0,1) */
bool random_chance(random_source *random, double p);

/* What may come up; each case draws from it. */
typedef struct random_shape {
    int32_t max_classes; /* K is 1 .. max_classes */
    int64_t max_steps;   /* T is 0 .. max_steps */
    int32_t
        max_states_per_class; /* 1: one state per class; more: 0 .. so many, in any order of declaration */
    int32_t max_dwell;        /* 1: no minimum dwell */
    bool has_ties;    /* scores and weights are small whole numbers, so that sums are exact and often equal */
    bool has_weights; /* false: models of allowed and forbidden only */
    bool has_gaps;
    double impossible; /* greatest share of scores that are -INFINITY */
} random_shape;

/* For tables of shapes, a row a shape: {4, 6, 1, 1, TIES, WEIGHTS, NO, 0.3}. */
enum { NO = false, TIES = true, WEIGHTS = true, GAPS = true };

/* One model and the scores of one recording, both owned. The columns of the scores may be in another order than the model's
 * classes. */
typedef struct random_case {
    uint64_t seed;
    sp_model *model;
    int32_t *class_of_column; /* [K] */
    sp_chain *chain;
    sp_scores scores;  /* f64 */
    double *data;      /* [T,K] */
    int64_t *segments; /* [T] or NULL */
} random_case;

/* Fails the test when it cannot. */
random_case random_case_new(uint64_t seed, const random_shape *shape);
/* Classes without dwell may have a duration, most of up to so many steps; another case than that of random_case_new(). */
random_case random_case_new_durations(uint64_t seed, const random_shape *shape, int32_t longest);
void random_case_free(random_case *c);

/* Replaces the scores by T new steps of the same kind. */
void random_case_draw_scores(random_case *c, random_source *random, int64_t n_steps,
                             const random_shape *shape);

/* Fails with the seed, what was decoded (with a number that tells one from another) and the first step that differs. */
void assert_same_path(uint64_t seed, const char *what, int32_t number, const int32_t *path,
                      const int32_t *expected, int64_t n_steps);

#endif
