/* Random models with random scores, from a seed: the same on every machine. */
#ifndef TEST_RANDOM_MODEL_H
#define TEST_RANDOM_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "oracle.h"
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
    int32_t longest; /* classes without dwell may have a duration, most of up to so many steps; 0: none has */
    int32_t most_rules;   /* of several forms, forbidden or at a price; 0: none */
    int32_t n_classes;    /* K is that; 0: up to max_classes */
    int32_t successors;   /* a state has so many at most; 0: a share of all */
    bool has_votes;       /* scores are logs of shares of a few votes */
    double spread, shift; /* scores are so many times as far apart (0: once), and so much higher */
    int32_t
        columns; /* states share what leads to them, so that there are so many sets of it; 0: they do not */
    bool is_left_right;   /* a state is followed by itself and by those after it, in an order that is drawn */
    bool has_ranges_only; /* durations are ranges, so that their weights are whole numbers */
    bool scales_weights;  /* the chain may have a transition weight */
} random_shape;

/* For tables of shapes, a row a shape: {4, 6, 1, 1, TIES, WEIGHTS, NO, 0.3}. */
enum { NO = false, TIES = true, WEIGHTS = true, GAPS = true };

/* One model and the scores of one recording, both owned. The columns of the scores may be in another order
 * than the model's classes. */
typedef struct random_case {
    uint64_t seed;
    sp_model *model;
    int32_t *class_of_column; /* [K] */
    sp_chain_options options; /* of the chain */
    sp_chain *chain;          /* NULL: no path can keep the rules */
    int32_t n_rules;
    oracle_rule *rules; /* [n_rules] those of the model */
    sp_scores scores;   /* f64 */
    double *data;       /* [T,K] */
    int64_t *segments;  /* [T] or NULL */
} random_case;

/* Ends the program when it cannot. */
random_case random_case_new(uint64_t seed, const random_shape *shape);
void random_case_free(random_case *c);

/* Draws the model's rules and adds them (random_rules.c). */
void random_rules_add(random_case *c, random_source *random, int32_t most);

/* Replaces the scores by T new steps of the same kind. */
void random_case_draw_scores(random_case *c, random_source *random, int64_t n_steps,
                             const random_shape *shape);

/* Ends the program unless the call succeeds. */
void random_require(sp_status status, const sp_error *err, uint64_t seed);

#endif
