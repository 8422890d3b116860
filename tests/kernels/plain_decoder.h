/* A plain decoder to hold the library's kernels against: the definitions of the strategies, written as textbooks write them, in
 * float64 and one step after the other. It shares no code with the library and knows nothing of its compiled chain; it needs the
 * standard library only, so that it runs wherever the kernels do.
 *
 * States: a class of minimum dwell d is d states in a row, entered at the first and left from the last. So a path of classes is
 * one path of states, which makes the tie rule easy: of two partial paths of equal score the one comes first that has the lower
 * class at the last step where they differ.
 */
#ifndef TEST_PLAIN_DECODER_H
#define TEST_PLAIN_DECODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Rules in classes. */
typedef struct plain_rules {
    int32_t n_classes;
    uint8_t *allow;      /* [K,K] rows = from */
    double *weight;      /* [K,K] nats, read where allowed; NULL: 0 */
    double *start, *end; /* [K] nats; NULL: 0 */
    int32_t *dwell;      /* [K] >= 1; more than 1 only where staying is allowed; NULL: 1 */
    bool dwell_at_end;   /* a run cut off by the end must be long enough too */
} plain_rules;

/* The same in states. */
typedef struct plain_model {
    int32_t n_classes, n_states;
    int32_t *class_of;   /* [M] */
    int32_t *entry;      /* [K] first state of a class */
    double *start, *end; /* [M] nats */
    int64_t *row;        /* [M+1] predecessors of j: row[j] .. row[j+1]-1 */
    int32_t *from;
    double *weight;
} plain_model;

plain_model *plain_model_new(const plain_rules *rules);
void plain_model_free(plain_model *model);
/* The same rules with every weight 0. */
plain_model *plain_model_bare(const plain_model *model);

/* One recording. */
typedef struct plain_scores {
    int64_t n_steps;
    const double *e;       /* [T,K] nats */
    const uint8_t *is_gap; /* [T] 1: the chain is broken before this step; NULL: nowhere */
} plain_scores;

/* What a strategy answers: path [T] and PLAIN_OK, or a failure and its step. */
typedef enum plain_status { PLAIN_OK, PLAIN_NO_PATH, PLAIN_DEAD_END } plain_status;
typedef struct plain_answer {
    plain_status status;
    int64_t step; /* of the failure; -1 */
} plain_answer;

plain_answer plain_argmax(const plain_model *m, const plain_scores *s, int32_t *path);
plain_answer plain_greedy(const plain_model *m, const plain_scores *s, int32_t *path);
plain_answer plain_beam(const plain_model *m, const plain_scores *s, int32_t width, int32_t *path);
plain_answer plain_viterbi(const plain_model *m, const plain_scores *s, int32_t *path);
plain_answer plain_online(const plain_model *m, const plain_scores *s, int32_t lag, int32_t *path);

/* start + e, then (+ weight) + e step by step, + end; -INFINITY where the rules forbid the path. 0 for no steps. */
double plain_path_score(const plain_model *m, const plain_scores *s, const int32_t *path);

/* Log marginals [T,K] of the classes and *log_z, by sums of exponentials of logs. PLAIN_NO_PATH: nothing written but *log_z. */
plain_answer plain_marginals(const plain_model *m, const plain_scores *s, double *log_marginal,
                             double *log_z);

/* The n best paths [n,T] in order, and their scores. Returns how many there are. */
int32_t plain_nbest(const plain_model *m, const plain_scores *s, int32_t n, int32_t *paths, double *scores);

/* calloc() that ends the program when there is no memory. */
void *plain_alloc(int64_t n, size_t size);

#endif
