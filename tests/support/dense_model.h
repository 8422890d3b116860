/* A model as a dense matrix of states in order of declaration, made from the model itself, for oracles. */
#ifndef TEST_DENSE_MODEL_H
#define TEST_DENSE_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "statepath/model.h"

typedef struct dense_model {
    int32_t n_classes, n_states;
    int32_t *state_class; /* [M] column of the scores */
    double *weight;       /* [M,M] rows = from, -INFINITY forbidden */
    double *start, *end;  /* [M] */
    bool *is_entry;       /* [M] may stand first after a gap, or where a rule is broken */
} dense_model;

/* class_of_column as in sp_chain_options; NULL: in order. */
dense_model *dense_model_new(const sp_model *model, const int32_t *class_of_column);
void dense_model_free(dense_model *m);

/* Weight into state j at step t > 0 from state i, -INFINITY when forbidden; 0 into every entry state after a gap. */
double dense_weight(const dense_model *m, const sp_scores *scores, int64_t t, int32_t i, int32_t j);

/* Score of state j's class at step t. */
double dense_emission(const dense_model *m, const sp_scores *scores, int64_t t, int32_t j);

/* As declared: the weight of a transition, looking at every edge; -INFINITY when there is none. The least stay in a state. */
double declared_weight(const sp_model *model, int32_t from, int32_t to);
int32_t declared_dwell(const sp_model *model, int32_t s);

#endif
