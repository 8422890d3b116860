/* The rules of a field: which class may follow which, with what weight, where a sequence may start and end, how long a class
 * stays.
 *
 * A model is as declared: its own order of classes, its own states. sp_chain_new() compiles it for the classes of some scores.
 * sp_model is an open struct that owns everything it points to (malloc), because readers, builders, learners and writers all
 * fill or read it; sp_model_check() says whether what they filled is a model. Once checked it is never changed.
 *
 * A state emits one class. Most models have one state per class (`states` NULL: state s is class s). "Forbidden" is the absence
 * of an edge, or -INFINITY in start or end: there is no epsilon anywhere.
 */
#ifndef STATEPATH_MODEL_H
#define STATEPATH_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "statepath/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sp_alias {
    int32_t class_index;
    char *name;
} sp_alias;

typedef enum sp_weight_form { SP_WEIGHTS_NONE, SP_WEIGHTS_PROBABILITIES, SP_WEIGHTS_LOG } sp_weight_form;

typedef struct sp_model {
    char *name;        /* never NULL after sp_model_new() */
    char *description; /* or NULL */
    char *source;      /* or NULL: where the rules come from */

    int32_t n_classes; /* K >= 1 */
    char **classes;    /* [K] distinct, not empty */
    int32_t n_aliases;
    sp_alias *aliases; /* [n_aliases] other names that a file may use for a class */

    int32_t n_states;     /* M >= 1; = K without declared states */
    char **states;        /* [M] distinct names, or NULL: one state per class with the class's name */
    int32_t *state_class; /* [M] 0..K-1, or NULL with `states` NULL */

    /* Allowed transitions, rows = from, compressed: the successors of i are to[row[i]] .. to[row[i+1]-1], ascending. */
    int64_t *row;                    /* [M+1], row[0] = 0 */
    int32_t *to;                     /* [row[M]] */
    double *weight;                  /* [row[M]] finite log weights in nats, or NULL: boolean, each edge weighs 0 */
    double *start;                   /* [M] nats, -INFINITY = may not start there; NULL: 0 for all */
    double *end;                     /* [M] nats, -INFINITY = may not end there; NULL: 0 for all */
    sp_weight_form weight_form;      /* how the weights were declared, for writing them back */
    bool start_is_list, end_is_list; /* declared as a set of states, not as weights */

    int32_t *min_dwell;    /* [M] >= 1, or NULL: 1 for all. A state, once entered, stays for at least so many steps */
    bool min_dwell_at_end; /* a run cut off by the end of the recording must be long enough too */

    double *prior; /* [K] class frequencies of the classifier's training set, sum 1, or NULL */

    /* Decoding defaults; NaN where the model does not say. */
    double temperature, transition_weight, prior_weight;
} sp_model;

/* A model of K named classes, one state per class, no transitions yet (row all 0). Copies the names. NULL on lack of memory. */
sp_model *sp_model_new(const char *name, int32_t n_classes, const char *const *classes);
void sp_model_free(sp_model *model);

/* Replaces the transitions by those of a dense matrix allow[M,M] (rows = from, non-zero = allowed) and, when weight is not NULL,
 * their log weights weight[M,M] (read only where allowed). SP_OK or SP_ENOMEM. */
sp_status sp_model_set_matrix(sp_model *model, const uint8_t *allow, const double *weight, sp_error *err);

/* Name of state s: its own, or its class's. */
const char *sp_model_state_name(const sp_model *model, int32_t s);
/* Class that state s emits. */
int32_t sp_model_state_class(const sp_model *model, int32_t s);
/* Index of the transition from -> to in `to` and `weight`, or -1 when forbidden. O(log successors). */
int64_t sp_model_edge(const sp_model *model, int32_t from, int32_t to);
/* Class of that name, by name or, with_aliases, by alias; -1 when there is none. */
int32_t sp_model_class(const sp_model *model, const char *name, bool with_aliases);

/* Is it a model? Names distinct and not empty (aliases clash with no other class), indices in range, rows ascending, weights
 * finite, start and end not NaN and not +inf, some state may start and some may end, min_dwell >= 1 and only 1 where staying
 * is forbidden, prior non-negative and summing to 1 within 1e-6, temperature > 0.
 * Returns SP_OK or SP_EMODEL (message names the class or state and the mend). */
sp_status sp_model_check(const sp_model *model, sp_error *err);

/* Warnings: things that a model may have and that are rarely meant. Calls `warn` once for each: a state that no start reaches,
 * a state from which no end is reached, a state that can never be left (unless it is the only one), a class without state.
 * SP_OK or SP_ENOMEM. */
sp_status sp_model_warnings(const sp_model *model, void (*warn)(void *arg, const char *sentence), void *arg, sp_error *err);

/* Finds which class of the model each score column is, by name, then by alias.
 *   names         [n_names] names of the columns, in their order; NULL: the model's own, in order
 *   class_of_column  out [n_names]
 * Returns SP_OK, or SP_EMODEL when the sets differ (the message lists both, shortened when long) or two columns match one class.
 */
sp_status sp_model_align(const sp_model *model, int32_t n_names, const char *const *names, int32_t *class_of_column,
                         sp_error *err);

#ifdef __cplusplus
}
#endif
#endif
