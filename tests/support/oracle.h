/* The oracle: slow and plain decoders to hold the fast ones against, in two forms that share nothing with the
 * library.
 *
 * The textbook form writes a model out as a graph of states, from the model as declared and never from the
 * compiled chain: a minimum
 * dwell of d is d states in a row, a duration a row of states that count. Recurrences over the graph are
 * those of textbooks; each partial path keeps its states, so that ties are decided by comparing them, the
 * last step first. Any number of steps; rules have no part in it.
 *
 * States are numbered in the order in which ties are decided: by class, then age (the place in a dwell or a
 * duration; runs that began before the recording or the gap did are the oldest), then state of the model.
 *
 * The other form goes through all paths of classes and weighs each by the definitions alone: the length of
 * each run by p(d), each rule by its
 * violations as models/rules.md counts them. A few steps.
 *
 * It needs the standard library and the public headers of models and scores only, so that it runs wherever
 * the library does.
 */
#ifndef TEST_ORACLE_H
#define TEST_ORACLE_H

#include "statepath/model.h"

/* calloc() that ends the program where there is no memory. */
void *oracle_array(size_t n, size_t size);

/* ---- a model as a graph of states ---- */

typedef struct oracle_model {
    int32_t n_classes, n_states;
    int32_t *class_of;   /* [M] column of the scores */
    int32_t *declared;   /* [M] state of the model */
    int32_t *place;      /* [M] in its row, from 0 */
    double *start, *end; /* [M] nats */
    bool *is_entry;      /* [M] may stand first after a gap, or where a rule is broken */
    double *leave; /* [M] of a run that a gap, or the end of the recording, ends there: its length; else 0 */
    int64_t *row;  /* [M+1] predecessors of j: row[j] .. row[j+1]-1 */
    int32_t *from;
    double *weight;
} oracle_model;

/* class_of_column as in sp_chain_options; NULL: in order. most_steps: of the recordings. */
oracle_model *oracle_model_new(const sp_model *model, const sp_chain_options *options, int64_t most_steps);
/* The same graph, each weight that is finite 0. */
oracle_model *oracle_model_bare(const oracle_model *m);
void oracle_model_free(oracle_model *m);

/* Weight into state j at step t > 0 from state i, -INFINITY when forbidden. */
double oracle_step_weight(const oracle_model *m, const sp_scores *scores, int64_t t, int32_t i, int32_t j);

/* log p(d) of a whole run of so many steps; of one that is cut, log of the sum over d' >= d. */
double oracle_run_weight(const sp_duration *d, int64_t length, bool is_cut);

/* ---- the textbook ---- */

typedef struct oracle_answer {
    sp_status status;     /* SP_OK, SP_ENOPATH or SP_EDEADEND */
    int64_t step;         /* of the failure; -1 */
    int64_t n_broken;     /* of a relaxed path */
    int64_t n_redirected; /* of greedy */
    double score;         /* nats, without what is broken */
} oracle_answer;

/* Each writes path [T] where status is SP_OK. T >= 0. */
oracle_answer oracle_argmax(const sp_scores *scores, bool is_relaxed, int32_t *path);
oracle_answer oracle_viterbi(const oracle_model *m, const sp_scores *scores, bool is_relaxed, int32_t *path);
oracle_answer oracle_beam(const oracle_model *m, const sp_scores *scores, int32_t width, int32_t *path);
/* looks_ahead: nothing is begun that the weights of the model, whatever the scores, leave no way to the end
 * from. */
oracle_answer oracle_greedy(const oracle_model *m, const sp_scores *scores, bool is_relaxed, bool looks_ahead,
                            int32_t *path);
oracle_answer oracle_online(const oracle_model *m, const sp_scores *scores, int64_t lag, bool looks_ahead,
                            int32_t *path);

/* The n best paths [n,T], distinct in classes, in order, and their scores. Returns how many there are. */
int32_t oracle_nbest(const oracle_model *m, const sp_scores *scores, int32_t n, int32_t *paths,
                     double *values);

/* Log marginals [T,K] of the classes (NULL: not wanted) and log Z, by sums of exponentials of logs.
 * -INFINITY: there is no path. */
double oracle_marginals(const oracle_model *m, const sp_scores *scores, double *log_marginal);

/* The first step that no state reaches, T-1 when only the end rule fails, -1 when a path exists; by sets of
 * states. */
int64_t oracle_first_unreachable(const oracle_model *m, const sp_scores *scores);

/* The greatest score of a path, in O(M) memory; -INFINITY when there is none. */
double oracle_viterbi_score(const oracle_model *m, const sp_scores *scores);

/* ---- rules by their definition ---- */

/* An expression over classes: a step of one of them; one after the other; either; so many times. */
typedef enum oracle_sort { ORACLE_STEP, ORACLE_THEN, ORACLE_EITHER, ORACLE_TIMES } oracle_sort;
typedef struct oracle_expression {
    oracle_sort sort;
    uint32_t classes;                      /* of a step, bit k: class k of the model */
    struct oracle_expression *one, *other; /* owned */
    int32_t least, most;                   /* times; most -1: any */
} oracle_expression;

typedef enum oracle_form {
    ORACLE_WHOLE, /* the path matches as a whole */
    ORACLE_NEVER,
    ORACLE_AT_LEAST,
    ORACLE_AT_MOST,
    ORACLE_NOT_BEFORE,
    ORACLE_NOT_AFTER,
    ORACLE_FOLLOWED_BY,
    ORACLE_PRECEDED_BY,
    ORACLE_FIRST,
    ORACLE_LAST
} oracle_form;

typedef struct oracle_rule {
    oracle_form form;
    oracle_expression *expression; /* of whole and never; owned */
    int32_t n;                     /* so many steps or runs */
    bool is_of_runs;
    uint32_t of; /* classes that it is about */
    uint32_t
        other;   /* FOLLOWED_BY, PRECEDED_BY: those; else counted from the first of them, 0: from the start */
    double cost; /* nats a violation; INFINITY: forbidden */
    bool may_at_gap;
} oracle_rule;

void oracle_expression_free(oracle_expression *e);

/* How many positions an expression has when it is written out; more than ORACLE_POSITIONS cannot be counted
 * here. */
enum { ORACLE_POSITIONS = 62 };
int32_t oracle_positions(const oracle_expression *e);

/* Violations of a path [T] of the model's classes. is_gap [T]: the chain is broken before the step. */
int64_t oracle_violations(const oracle_rule *rule, int64_t n_steps, const int32_t *path, const bool *is_gap);

/* ---- all paths ---- */

enum { ORACLE_STEPS = 8 };

typedef struct oracle_path {
    int32_t path[ORACLE_STEPS];
    double score;                /* of the best state path that emits it, nats */
    double log_sum;              /* log of the sum over the state paths that emit it of exp(score) */
    int64_t state[ORACLE_STEPS]; /* the lowest of the best, but for what rules remember: numbers that compare
                                    as states do */
} oracle_path;

/* What a model says beside its graph. */
typedef struct oracle_declared {
    const sp_model *model;
    const sp_chain_options *options;
    int32_t n_rules;
    const oracle_rule *rules;
} oracle_declared;

typedef struct oracle_list {
    int64_t n_steps;
    int32_t n_classes;
    int n;
    oracle_path *paths; /* [n] of finite score, the greatest first, equals by the tie rule, but for what
                           rules remember */
    double log_z;
    double *marginal; /* [T,K] */
} oracle_list;

/* T from 1 to ORACLE_STEPS. */
oracle_list oracle_list_new(const oracle_declared *declared, const sp_scores *scores);
void oracle_list_free(oracle_list *l);
/* NULL: it has no finite score. */
const oracle_path *oracle_list_find(const oracle_list *l, const int32_t *path);

#endif
