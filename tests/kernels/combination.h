/* Combinations of everything that chooses a kernel: a number becomes rules, recordings and a way to decode them, the same on
 * every machine. All numbers from 0 to combination_count() - 1 are all combinations, in an order in which any run of some hundred
 * has some of everything; what they do not fix (lengths, scores, -INFINITY, gaps, ends) is drawn from the number. */
#ifndef TEST_COMBINATION_H
#define TEST_COMBINATION_H

#include "plain_decoder.h"
#include "statepath.h"

typedef struct combination {
    uint64_t number;
    int32_t n_classes;
    int64_t n_recordings;
    sp_strategy strategy;
    int n_threads;       /* 1, 2 or 7 */
    bool in_pieces;      /* by sp_decode_long() */
    int64_t piece_steps; /* of a piece */
    bool is_narrow;      /* scores are float32 */
    bool has_weights;    /* else the model is boolean */
    bool is_coarse;      /* scores and weights are multiples of 1/4: ties everywhere */
    bool is_sparse;      /* each class has a few successors */
    bool has_dwell;
    bool wants_confidence;
    int32_t n_best; /* 0: none */
} combination;

int64_t combination_count(void);
combination combination_of(int64_t number);

/* The rules and the scores; all owned. */
typedef struct material {
    plain_rules rules;
    int64_t *offsets;  /* [N+1] */
    double *values;    /* [S,K] what the scores are, as doubles */
    void *data;        /* [S,K] what the library gets */
    int64_t *segments; /* [S] or NULL */
    uint8_t *is_gap;   /* [S] or NULL */
    sp_chain *chain;
    sp_batch batch;
} material;

material *material_new(const combination *c);
void material_free(material *m);

/* On one line: what a combination is. */
void combination_print(const combination *c, const material *m);

#endif
